"""Files that are broken, and mended later: objects, refs, config, what we queued, and the index of search."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from acts import ACTS
from faulty import busy
from faulty import free
from faulty import killing
from places import BOUND
from support import Folder
from trial import Fault
from trial import Trial


def _object(vault: Folder, name: str) -> Path:
    oid = vault.git("rev-parse", name)
    return vault.root / ".git/objects" / oid[:2] / oid[2:]


FILES: dict[str, Callable[[Folder], Path]] = {
    "blob of a note": lambda vault: _object(vault, "HEAD:Home.md"),
    "blob of changelog.md": lambda vault: _object(vault, "HEAD:.vaultgit.toml"),
    "tree of HEAD": lambda vault: _object(vault, "HEAD^{tree}"),
    "commit of HEAD": lambda vault: _object(vault, "HEAD"),
    "index": lambda vault: vault.root / ".git/index",
    "refs/heads/main": lambda vault: vault.root / ".git/refs/heads/main",
    "packed-refs": lambda vault: vault.root / ".git/packed-refs",
    "HEAD": lambda vault: vault.root / ".git/HEAD",
    "config": lambda vault: vault.root / ".git/config",
    ".vaultgit.toml": lambda vault: vault.root / ".vaultgit.toml",
    "logs/HEAD": lambda vault: vault.root / ".git/logs/HEAD",
}


def _half(data: bytes, chance: random.Random) -> bytes:
    return data[: len(data) // 2]


def _empty(data: bytes, chance: random.Random) -> bytes:
    return b""


def _zeros(data: bytes, chance: random.Random) -> bytes:
    return bytes(len(data))


def _garbage(data: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(max(20, len(data)))


WAYS = {"cut in half": _half, "empty": _empty, "zeros": _zeros, "garbage": _garbage}


def _put(path: Path, data: bytes) -> None:
    if path.exists():
        path.chmod(0o644)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


REPLACED = ("index", "packed-refs", "config", ".vaultgit.toml")
LOOKS = (("status",), ("search", "ada"), ("read", "Home.md"), ("log",), ("verify",), ("doctor",), ("inbox", "list"))


def file(name: str, folder: Path, chance: random.Random) -> str:
    """Broken while a command runs, and while people look what is wrong; then as it was."""
    trial = Trial(folder, chance.choice(ACTS[:6]))
    path = FILES[name](trial.vault)
    there = path.exists()
    before = path.read_bytes() if there else b""
    how = chance.choice([*WAYS, *(["a folder"] if name in REPLACED else [])])
    if how == "a folder":
        path.unlink(missing_ok=True)
        path.mkdir()
    else:
        _put(path, WAYS[how](before, chance))
    broken = b"" if how == "a folder" else path.read_bytes()
    try:
        done = trial.do()
        for args in chance.sample(LOOKS, 3):
            looked = trial.run(*args)
            assert looked.code in (0, 1, 2, 75), (args, looked)
            assert looked.code == 0 or looked.err or args in (("verify",), ("doctor",)), (args, looked)
        if how == "a folder":
            path.rmdir()
        if how == "a folder" or (path.exists() and path.read_bytes() == broken):  # else git has mended it
            _put(path, before) if there else path.unlink(missing_ok=True)
        return trial.prove(done, chance, sure=False)
    except AssertionError as error:
        raise AssertionError(f"{trial.act.name}, {name} {how}: {error}") from error


def queued(folder: Path, chance: random.Random) -> str:
    """A queued edit, a plan, a record, or our lock, broken."""
    trial = Trial(folder, chance.choice(ACTS[:5]))
    state = trial.vault.root / ".git/vaultgit/state"
    what = chance.choice(("queue", "plans", "landed", "lock"))
    if what == "plans":
        done = trial.do(killing(chance.choice(("planned", "disk", "index"))))
        assert done.code == -9, done
        trial.quiet()
    elif what == "queue":
        busy(trial.vault)
        done = trial.do()
        free(trial.vault)
        assert done.code == 75, done
    elif what == "landed":
        done = trial.do()
        assert done.code == 0, done
    if what == "lock":
        (state / "lock").unlink(missing_ok=True)
        (state / "lock").mkdir(parents=True)
        done = trial.do()
        assert done.code in (1, 75), done
        (state / "lock").rmdir()
        return f"{what}: {trial.prove(done, chance)}"
    path = next(iter((state / what).glob("*.json")))
    before = path.read_bytes()
    how = chance.choice(list(WAYS))
    _put(path, WAYS[how](before, chance))
    try:
        looked = trial.run("status")
        assert looked.code == 0, looked
        if what == "queue":
            assert "damaged" in looked.out and str(path) in looked.out, looked
            assert path.exists(), "an acknowledged edit was thrown away"
            _put(path, before)
        return f"{what}: {trial.prove(done, chance)}"
    except AssertionError as error:
        raise AssertionError(f"{trial.act.name}, {what} {how}: {error}") from error


def _newer(db: Path) -> None:
    with sqlite3.connect(db) as found:
        found.execute("PRAGMA user_version = 9999")
    found.close()


def search(way: str, folder: Path, chance: random.Random) -> str:
    """Search answers, whatever its index is."""
    trial = Trial(folder)
    assert trial.run("search", "Ada").code == 0
    [db] = [path for path in (trial.vault.root / ".git/vaultgit/cache").rglob("*.db") if "index" in path.name]
    prelude, other = "", None
    if way in WAYS:
        _put(db, WAYS[way](db.read_bytes(), chance))
    elif way == "newer":
        _newer(db)
    elif way == "locked":
        other = sqlite3.connect(db, isolation_level=None)
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
    elif way == "a folder":
        db.unlink()
        db.mkdir()
    elif way == "read-only":
        prelude = BOUND
        for path in (db, *db.parent.glob(f"{db.name}-*"), db.parent):
            path.chmod(path.stat().st_mode & ~0o222)
    elif way == "gone in the middle":
        prelude = (
            "import shutil, threading\n"
            f"threading.Timer({chance.uniform(0, 0.05)}, shutil.rmtree, ({str(db.parent)!r}, True)).start()\n"
        )
    if chance.random() < 0.5:
        trial.vault.write("people/ada-lovelace.md", trial.vault.read("people/ada-lovelace.md") + "Ada wrote notes.\n")
        trial.status = sorted(trial.vault.git("status", "--porcelain").splitlines())
    found = trial.run("search", "Ada", prelude=prelude)
    if other is not None:
        other.close()
    assert found.code == 0, found
    assert "people/ada-lovelace.md" in found.out, found
    db.parent.mkdir(exist_ok=True)
    os.chmod(db.parent, 0o700)
    again = trial.run("search", "Ada")
    assert (again.code, "people/ada-lovelace.md" in again.out) == (0, True), again
    done = trial.do()
    trial.prove(done, chance)
    return "answered"


FAULTS = (
    *(Fault(f"broken: {name}", "cut, emptied, zeros or garbage; mended later", partial(file, name)) for name in FILES),
    Fault("broken: ours", "a queued edit, a plan or a record cut, emptied or garbage; our lock a folder", queued),
    *(
        Fault(f"index.db: {way}", "of search", partial(search, way))
        for way in (*WAYS, "newer", "locked", "a folder", "read-only", "gone in the middle")
    ),
)
