"""What is started, by whatever starts it: programs, words and environment, for a process that gets nothing else."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shlex
import sys
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit import errors
from vaultgit.errors import UsageError
from vaultgit.install import settings
from vaultgit.install.timers import every

NAMES = ("capture", "consolidate", "sync")
HOURLY = 60
LIMIT = 900 * 1024  # bytes of a log; it begins anew beyond that
# Where programs are that an engine or a git filter may need, after those that the person's own PATH names.
USUAL = ("~/.local/bin", "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin")
# They say where logs of clients and git's settings lie, and which day it is; no key is among them.
CARRIED = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TZ")
_MARK = b"vaultgit schedule install --every "
_SYNC = re.compile(rb"vaultgit schedule install --every \S+ --with \S+ --sync (\w+)")
_DEFAULTS = {"XDG_CONFIG_HOME": "~/.config", "XDG_DATA_HOME": "~/.local/share"}


class Job(NamedTuple):
    """One command that is started again and again. `name` names its log as well. `later`: an exit code that means
    that it is done later, and is no failure; `shared`: it talks with a server, and does so at its own moment."""

    name: str
    words: tuple[str, ...]
    minutes: int
    later: int = 0
    shared: bool = False


class Start(NamedTuple):
    """How jobs of a vault are started. `key` names the vault among others; `log`: the folder of logs."""

    key: str
    root: str
    program: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    log: str


class Text(NamedTuple):
    """What is written for a vault: a file, or our lines of a crontab (`where` is "crontab" then)."""

    where: str
    data: bytes


class Standing(NamedTuple):
    """What stands there. `edited`: somebody changed it since we wrote it."""

    where: str
    data: bytes
    edited: bool


def jobs(minutes: int, sync: int = 0) -> tuple[Job, ...]:
    """What is scheduled for a vault: capture, and where `sync` is more than 0 the sync, so many minutes apart. The
    consolidation does nothing until its days are over, so an hour is enough."""
    two = Job("capture", ("capture",), minutes), Job("consolidate", ("consolidate", "--due"), HOURLY)
    return (*two, Job("sync", ("sync",), sync, later=errors.QUEUED, shared=True)) if sync else two


def moment(key: str, minutes: int) -> tuple[int, int]:
    """Minute and second after the start of each interval at which this machine does what is shared: machines that were
    set up alike do not come to the server in the same second. The same each time that it is asked."""
    digest = hashlib.sha256(f"{platform.node()} {key}".encode("utf-8", "surrogateescape")).digest()
    return divmod(int.from_bytes(digest[:4], "big") % (min(minutes, HOURLY) * 60), 60)


def key_of(root: str) -> str:
    """The short name of a vault's folder, also of one that is gone."""
    return hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:8]


def start(root: str, state: str, environ: Mapping[str, str]) -> Start:
    """How jobs of the vault at `root` are to be started, as things are now. Raises UsageError for a path that no
    scheduler can be told."""
    made = Start(
        key_of(root),
        root,
        tuple(shlex.split(settings.program())),
        (("LC_ALL", "C.UTF-8"), ("PYTHONUTF8", "1"), *_carried(environ), ("PATH", ":".join(path(environ)))),
        os.path.join(state, "log"),
    )
    for text in (root, made.log, *made.program):
        if not plain(text):
            raise UsageError(f"{text!a}: a path with such a character cannot be scheduled", "rename the folder")
    return made


def command(begun: Start, job: Job) -> tuple[str, ...]:
    """The words of a job: program, command, vault."""
    return (*begun.program, *job.words, "--vault", begun.root)


def log(begun: Start, job: Job) -> str:
    return os.path.join(begun.log, f"{job.name}.log")


def path(environ: Mapping[str, str]) -> list[str]:
    """The folders that a job finds programs in: those of the person's PATH that outlive the terminal, then the usual
    ones."""
    home = environ.get("HOME", "")
    passing = {os.path.join(environ["VIRTUAL_ENV"], "bin")} if environ.get("VIRTUAL_ENV") else set()
    if sys.prefix != sys.base_prefix:  # ours, which the job starts by its whole path
        passing.add(os.path.dirname(os.path.abspath(sys.executable)))
    found = [
        folder
        for folder in environ.get("PATH", "").split(":")
        if os.path.isabs(folder) and plain(folder) and os.path.isdir(folder)
        and os.path.normpath(folder) not in passing
    ]  # fmt: skip
    usual = [folder.replace("~", home, 1) for folder in USUAL if home or not folder.startswith("~")]
    return list(dict.fromkeys(os.path.normpath(folder) for folder in (*found, *usual)))


def plain(text: str) -> bool:
    """Whether it has no control character: a line of text can hold it."""
    return re.search(r"[\0-\x1f\x7f]", text) is None


def _carried(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    home = environ.get("HOME", "")
    found = [(name, environ.get(name, "")) for name in CARRIED]
    return [
        (name, value)
        for name, value in found
        if value and plain(value) and (name == "TZ" or os.path.isabs(value))
        and value.rstrip("/") != _DEFAULTS.get(name, "").replace("~", home, 1)
    ]  # fmt: skip


def header(backend: str, jobs: Sequence[Job]) -> str:
    """The comment that a text begins with; `minutes_of` and `sync_of` read it."""
    how = f"{_MARK.decode()}{every.short(jobs[0].minutes)} --with {backend}"
    how += "".join(f" --sync {every.short(one.minutes)}" for one in jobs if one.name == "sync")
    return f"{how}; vaultgit schedule remove takes this out"


def minutes_of(standing: Sequence[Standing]) -> int | None:
    """How often the capture is started, as the comment says; None where none does."""
    for one in standing:
        _, found, rest = one.data.partition(_MARK)
        if found:
            try:
                return every.minutes((rest.split(None, 1) or [b""])[0].decode("ascii", "replace"))
            except UsageError:
                return None
    return None


def sync_of(standing: Sequence[Standing]) -> int:
    """How often the sync is started, as the comment says; 0 where it is not."""
    for one in standing:
        found = _SYNC.search(one.data)
        if found:
            try:
                return every.minutes(found[1].decode("ascii", "replace"))
            except UsageError:
                return 0
    return 0
