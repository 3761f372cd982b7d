"""What capture remembers between runs, beside its cursors: how it went last, since when it reads, when it tries again.

state/capture.json, and state/capture.lock, which one run holds. A dead owner's lock is nobody's: it is the kernel's.
"""

from __future__ import annotations

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
from vaultgit.vault import Vault

FILE = "capture.json"
FREE = 5  # failures one after the other that are not waited for: a network that comes and goes
_FIRST, _LONGEST = timedelta(minutes=10), timedelta(hours=6)


class State(NamedTuple):
    """`horizon`: nothing older is read. `time`, `ok`, `words`: the last run. `failures`: of the engine, in a row;
    `next`: not asked before. `waiting`: characters that are too few to bother with yet. `wider`: the horizon was moved
    back, and not all logs have been looked through since. `engine`: which one failed, as git's config names it."""

    horizon: datetime | None = None
    time: datetime | None = None
    ok: bool = True
    words: str = ""
    failures: int = 0
    next: datetime | None = None
    waiting: int = 0
    wider: bool = False
    engine: str = ""


def load(vault: Vault) -> State:
    """Tolerantly: what cannot be read says nothing."""
    try:
        record = queue.read_json(os.path.join(vault.state, FILE))
    except (ValueError, OSError):
        record = None
    if not isinstance(record, dict):
        return State()
    said = record.get("last")
    last = said if isinstance(said, dict) else {}
    return State(
        time_in(record.get("since")), time_in(last.get("time")), last.get("ok") is not False,
        str(last.get("words") or ""), _number(record.get("failures")), time_in(record.get("next")),
        _number(record.get("waiting")), record.get("wider") is True, str(record.get("engine") or ""),
    )  # fmt: skip


def save(vault: Vault, state: State) -> None:
    """Raises VaultgitError where the state folder cannot be written."""
    record = {
        "since": _text(state.horizon), "failures": state.failures, "next": _text(state.next), "waiting": state.waiting,
        "wider": state.wider, "engine": state.engine,
        "last": {"time": _text(state.time), "ok": state.ok, "words": state.words},
    }  # fmt: skip
    try:
        queue.prepare(vault.state)
        queue.write_json(os.path.join(vault.state, FILE), record)
    except OSError as error:
        raise VaultgitError(f"{error.filename or vault.state}: {error.strerror}", "make it writable") from error


def failed(state: State, now: datetime) -> State:
    """After a call that failed: the first few are tried again at the next run, then it backs off."""
    number = state.failures + 1
    over = number - FREE
    wait = min(_LONGEST, _FIRST * 2 ** min(over - 1, 10)) if over > 0 else None
    return state._replace(failures=number, next=now + wait if wait else None)


@contextmanager
def only_run(vault: Vault, wait: float) -> Iterator[bool]:
    """Whether this is the only run: no other one holds the lock, nor takes it before this ends."""
    try:
        queue.prepare(vault.state)
        lock = Lock(vault.state, "capture.lock")
    except OSError as error:
        raise VaultgitError(f"{error.filename or vault.state}: {error.strerror}", "make it writable") from error
    try:
        yield lock.take(wait)
    finally:
        lock.release()


def _text(when: datetime | None) -> str | None:
    return when.isoformat() if when else None


def _number(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0
