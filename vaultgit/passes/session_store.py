"""What is known of sessions between two commands, until a session's note has it.

In state/sessions, NAME being the session's id behind the vault's place in the repository:
    NAME.open    a session that is open             NAME.ended   one that has its note, for when it goes on
    NAME.log     what was noted, read and given: one line of JSON each, only ever added to
    NAME.json    the skills it used (passes/skills)
    lock         held for a moment by who changes one of them; end.lock by who writes a session's note
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from datetime import timedelta
from typing import Any
from typing import NamedTuple

from vaultgit.clock import time_in
from vaultgit.edits import queue
from vaultgit.edits.lock import Lock
from vaultgit.errors import VaultgitError
from vaultgit.history import private
from vaultgit.vault import Vault

OPEN, ENDED, LOG = ".open", ".ended", ".log"
KEPT = timedelta(days=30)  # how long an ended session can be gone on with as the same one
WAIT = 5.0  # seconds for another process that changes something here
_WAIT_END = 20.0  # seconds for another process that writes a session's note
_LONGEST = 120  # characters of a file's name
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-~")


class Record(NamedTuple):
    """A session. `folder`: where the agent works; `place`: of the work tree; `head`: the commit it began at. `path`:
    its note, "" while that is not decided. `summary`, `written`: what the note was given, the latter by keys.
    `pending`: an edit's id that is being made, with the keys and the summary that it brings; `own`: ids of the note's
    own edits. `dirty`: file -> stamp of what was not in git when it began, None where nobody looked. `ended`: when, ""
    while it is open."""

    id: str
    agent: str
    task: str
    began: datetime
    folder: str
    place: str
    head: str
    path: str = ""
    summary: str = ""
    written: tuple[str, ...] = ()
    pending: tuple[str, tuple[str, ...], str] = ("", (), "")
    own: tuple[str, ...] = ()
    dirty: dict[str, list[int]] | None = None
    ended: str = ""


def name(vault: Vault, who: str) -> str:
    """What the files of a session (or of an agent without one) are called: an id may hold any character, and vaults of
    one repository have files of their own."""
    long = _quoted(vault.prefix + who)
    if len(long) <= _LONGEST:
        return long
    import hashlib  # here, as urllib.parse nowhere: they take milliseconds, and every prompt of a client waits for us

    return f"{long[:80]}-{hashlib.sha256(long.encode()).hexdigest()[:16]}"


def _quoted(text: str) -> str:
    """As in an address, each other byte as %XX."""
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))


def place(vault: Vault) -> str:
    """The folder of all of them."""
    return os.path.join(vault.state, "sessions")


@contextmanager
def locked(vault: Vault, *, end: bool = False, wait: float = WAIT) -> Iterator[str]:
    """The folder, for one process at a time: an agent may start several at once. Raises VaultgitError where nothing can
    be kept there, or another one does not let go of `end`. The other lock is waited for `wait` seconds, then the work
    is done without it."""
    folder = place(vault)
    try:
        queue.prepare(vault.state)
        private.make(folder)
        lock = Lock(folder, "end.lock" if end else "lock")
        try:
            if not lock.take(_WAIT_END if end else wait) and end:
                raise VaultgitError("another session's note is being written", "do it again: vaultgit session end")
            yield folder
        finally:
            lock.release()
    except OSError as error:
        raise VaultgitError(f"not kept: {error.filename or folder}: {error.strerror}", "make it writable") from error


# -- records -------------------------------------------------------------------------------------------------------


def load(vault: Vault, session: str) -> Record | None:
    """A session, open or ended; None where there is none, or its file is damaged."""
    base = os.path.join(place(vault), name(vault, session))
    return _read(base + OPEN) or _read(base + ENDED)


def opened(vault: Vault) -> list[Record]:
    """The open sessions of this work tree and vault, oldest first."""
    begin = _quoted(vault.prefix)
    found = []
    for file in queue.listing(place(vault)):
        if file.endswith(OPEN) and file.startswith(begin):
            one = _read(os.path.join(place(vault), file))
            mine = one is not None and file == name(vault, one.id) + OPEN
            if one is not None and mine and queue.home(vault.repo, one.place) == vault.repo.place:
                found.append(one)
    return sorted(found, key=lambda one: (one.began, one.id))


def only(vault: Vault, agent: str | None) -> str | None:
    """The id of an agent's only open session; None where it has none, or several."""
    mine = [one.id for one in opened(vault) if one.agent == agent] if agent else []
    return mine[0] if len(mine) == 1 else None


def save(vault: Vault, record: Record) -> None:
    """When this returns it survives kill -9. The caller holds the lock."""
    base = os.path.join(place(vault), name(vault, record.id))
    fields = {**record._asdict(), "began": record.began.isoformat()}
    queue.write_json(base + (ENDED if record.ended else OPEN), fields)
    queue.unlink(base + (OPEN if record.ended else ENDED))


def drop(vault: Vault, session: str) -> None:
    """A session that left nothing. What it was given stays: it may go on."""
    base = os.path.join(place(vault), name(vault, session))
    queue.unlink(base + OPEN)
    queue.unlink(base + ENDED)


def sweep(vault: Vault, now: datetime, keep: str) -> None:
    """Forgets sessions that ended long ago, and logs that no session has; not those of `keep`, which begins."""
    names = queue.listing(place(vault))
    bases = {file.rpartition(".")[0] for file in names if file.endswith((ENDED, LOG))}
    going_on = {file.removesuffix(OPEN) for file in names if file.endswith(OPEN)} | {name(vault, keep)}
    for base in bases - going_on:
        full = os.path.join(place(vault), base)
        record = _read(full + ENDED)
        times = [*map(when, _lines(full + LOG)), time_in(record.ended) if record else None]
        known = [one for one in times if one is not None]
        if not known or now - max(known) > KEPT:
            queue.unlink(full + ENDED)
            queue.unlink(full + LOG)


def _read(path: str) -> Record | None:
    try:
        found = queue.read_json(path)
        if found is None:
            return None
        edit_id, keys, summary = found["pending"]
        return Record(**{
            **found, "began": datetime.fromisoformat(found["began"]), "written": tuple(found["written"]),
            "pending": (str(edit_id), tuple(keys), str(summary)), "own": tuple(found["own"]),
        })  # fmt: skip
    except (ValueError, KeyError, TypeError, OSError):
        return None


# -- logs ----------------------------------------------------------------------------------------------------------


def add(vault: Vault, session: str, entry: dict[str, Any], *, durable: bool) -> None:
    """Adds a line to a session's log. Raises OSError."""
    folder = place(vault)
    if not os.path.isdir(folder):
        queue.prepare(vault.state)
        private.make(folder)
    # A line end before it, too: a line that a crash cut short spoils no other. One write: several at once mix nothing.
    data = b"\n" + json.dumps(entry).encode("ascii") + b"\n"
    path = os.path.join(folder, name(vault, session) + LOG)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.write(fd, data) < len(data):  # on a disk that is nearly full a part fits, without an error
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def log(vault: Vault, session: str) -> list[dict[str, Any]]:
    """The lines of a session's log, in order; what is damaged is passed over."""
    return _lines(os.path.join(place(vault), name(vault, session) + LOG))


def _lines(path: str) -> list[dict[str, Any]]:
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError:
        return []
    found = []
    for line in data.split(b"\n"):
        try:
            one = json.loads(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(one, dict):
            found.append(one)
    return found


def when(entry: dict[str, Any]) -> datetime | None:
    """The time of a log's line."""
    return time_in(entry.get("t"))
