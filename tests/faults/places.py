"""A disk that is full, files that may not grow, and folders that may not be written to."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from acts import ACTS
from trial import Fault
from trial import Trial

ROOM = 16 << 20  # bytes of the small disk
FULL = 4096  # of a page: what is left is so many pages
EDITS = ACTS[:6]

# Root is not bound by a file's mode while it has these: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH.
BOUND = """
def bound():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    head, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    for one in (1, 2):
        libc.prctl(24, one, 0, 0, 0)
    libc.capget(head, sets)
    for number in range(3):
        sets[number] &= ~0b110
    if libc.capset(head, sets):
        raise SystemExit("rights of root could not be given up")
if os.geteuid() == 0:
    bound()
"""


@cache
def _no_mount() -> str:
    with TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "none", folder], capture_output=True, check=False)
        if done.returncode:
            return "no small disk can be mounted here (root's alone)"
        subprocess.run(["umount", folder], check=True)
    return ""


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of its own."""
    place = folder / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "none", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def _look(trial: Trial, prelude: str = "") -> None:
    """What only reads says something, however bad the day."""
    for args in (("status",), ("search", "ada"), ("read", "Home.md"), ("log",)):
        done = trial.run(*args, prelude=prelude)
        assert done.code in (0, 1, 2, 75), (args, done)


def full(folder: Path, chance: random.Random) -> str:
    with small_disk(folder) as place:
        trial = Trial(place, chance.choice(EDITS))
        left = chance.choice((0, 0, *range(40))) * FULL
        ballast = place / "ballast"
        with open(ballast, "wb") as stream:
            free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
            os.posix_fallocate(stream.fileno(), 0, max(1, free - left))
        done = trial.do()
        _look(trial)
        ballast.unlink()
        try:
            return trial.prove(done, chance, sure=False)
        except AssertionError as error:
            raise AssertionError(f"{trial.act.name} with {left} bytes left: {done}: {error}") from error


def no_inodes(folder: Path, chance: random.Random) -> str:
    with small_disk(folder) as place:
        trial = Trial(place, chance.choice(EDITS))
        left = chance.randrange(25)
        used = os.statvfs(place)
        inodes = used.f_files - used.f_ffree + left
        subprocess.run(["mount", "-o", f"remount,nr_inodes={inodes}", str(place)], check=True)
        done = trial.do()
        _look(trial)
        subprocess.run(["mount", "-o", "remount,nr_inodes=100000", str(place)], check=True)
        try:
            return trial.prove(done, chance, sure=False)
        except AssertionError as error:
            raise AssertionError(f"{trial.act.name} with {left} inodes left: {done}: {error}") from error


def short(folder: Path, chance: random.Random) -> str:
    """RLIMIT_FSIZE: files may not grow over a size; git is ended by a signal there."""
    trial = Trial(folder, chance.choice(EDITS))
    size = chance.choice((0, 1, 100, chance.randrange(2000), chance.randrange(9000)))
    done = trial.do(f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n")
    try:
        return trial.prove(done, chance, sure=False)
    except AssertionError as error:
        raise AssertionError(f"{trial.act.name} with files of {size} bytes: {done}: {error}") from error


PLACES = (
    ".", "people", ".git", ".git/objects", ".git/refs/heads", ".git/logs", ".git/vaultgit", ".git/vaultgit/state",
    ".git/vaultgit/state/queue", ".git/vaultgit/state/plans", ".git/vaultgit/state/tmp", ".git/vaultgit/cache", "inbox",
)  # fmt: skip


def read_only(place: str, folder: Path, chance: random.Random) -> str:
    trial = Trial(folder, chance.choice(EDITS))
    top = trial.vault.root / place
    top.mkdir(exist_ok=True)
    deep = chance.random() < 0.5 and place.startswith((".git", "people", "inbox"))
    every = [(top, top.stat().st_mode), *((one, one.stat().st_mode) for one in top.rglob("*") if deep)]
    for path, mode in every:
        path.chmod(mode & ~0o222)
    try:
        done = trial.do(BOUND)
        _look(trial, BOUND)
    finally:
        for path, mode in every:
            if path.exists():
                path.chmod(mode)
    if place == "inbox" and trial.act.name != "inbox accept":
        top.rmdir()
    try:
        return trial.prove(done, chance, sure=False)
    except AssertionError as error:
        raise AssertionError(f"{trial.act.name}, {place} read-only{' below, too' * deep}: {done}: {error}") from error


FAULTS = (
    Fault("a full disk", "0 to 160 KB left on a small disk; then room again", full, _no_mount),
    Fault("no inodes", "0 to 24 inodes left on a small disk; then more", no_inodes, _no_mount),
    Fault("files may not grow", "RLIMIT_FSIZE of 0 to 9000 bytes, for us and for git", short),
    *(
        Fault(f"read-only: {place}", "the folder, or all in it, may not be written to", partial(read_only, place))
        for place in PLACES
    ),
)
