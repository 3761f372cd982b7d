"""What engines may cost: calls and characters of a day, counted on disk, so that no loop of any kind runs away.

A call is counted before it is made: what crashes half-way has cost as much. state/engine/DATE.json holds the count.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import queue
from vaultgit.history import private

NOT_ASKED = "not asked"  # begins why a call was not made: it has cost nothing
FAILURES = 3  # one after the other: then the rest of the pass does not ask any more
_SUFFIX = ".json"


class Limits(NamedTuple):
    """Of one day. Characters are those of prompts and answers."""

    calls: int = 200
    chars: int = 200_000


LIMITS = Limits()


class Spent(NamedTuple):
    calls: int = 0
    chars: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        calls = "1 call" if self.calls == 1 else f"{self.calls:,} calls"
        return f"{calls}, {self.chars:,} characters, {self.seconds:.0f} s"

    def plus(self, other: Spent) -> Spent:
        return Spent(self.calls + other.calls, self.chars + other.chars, self.seconds + other.seconds)


class Budget:
    """One pass's purse: `spent` is what this pass has cost."""

    def __init__(self, state: str, clock: Clock, limits: Limits = LIMITS) -> None:
        self.state, self.clock, self.limits = state, clock, limits
        self.folder = os.path.join(state, "engine")
        self.spent = Spent()
        self._failures = 0

    def begin(self, chars: int) -> str:
        """Counts a call with a prompt of so many characters; in words, why it may not be made."""
        if self._failures >= FAILURES:
            return f"{NOT_ASKED}: the {FAILURES} calls before failed"
        try:
            with self._today() as today:
                if today.calls >= self.limits.calls:
                    return f"{NOT_ASKED}: today's {self.limits.calls:,} calls are spent"
                if today.chars + chars > self.limits.chars:
                    left = max(0, self.limits.chars - today.chars)
                    return f"{NOT_ASKED}: {chars:,} characters, and {left:,} of today's {self.limits.chars:,} are left"
                self._book(today, Spent(1, chars))
        except OSError as error:
            return f"{NOT_ASKED}: what it costs cannot be counted in {self.folder}: {error.strerror}"
        return ""

    def end(self, chars: int, seconds: float, *, failed: bool) -> None:
        """What came back: counted too, though it cannot be refused any more."""
        self._failures = self._failures + 1 if failed else 0
        try:
            with self._today() as today:
                self._book(today, Spent(0, chars, seconds))
        except OSError:
            pass  # the call itself is counted

    def _book(self, today: Spent, more: Spent) -> None:
        name = self._name()
        queue.write_json(os.path.join(self.folder, name), today.plus(more)._asdict())
        self.spent = self.spent.plus(more)
        for other in queue.listing(self.folder):
            if other.endswith(_SUFFIX) and other != name:
                queue.unlink(os.path.join(self.folder, other))

    def _name(self) -> str:
        return f"{self.clock.now():%Y-%m-%d}{_SUFFIX}"

    @contextmanager
    def _today(self) -> Iterator[Spent]:
        """Today's count, which no other pass changes meanwhile."""
        queue.prepare(self.state)
        private.make(self.folder)
        fd = os.open(os.path.join(self.folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield _parsed(self._read())
        finally:
            os.close(fd)

    def _read(self) -> Any:
        try:
            return queue.read_json(os.path.join(self.folder, self._name()))
        except ValueError:
            return None


def _parsed(record: Any) -> Spent:
    """A count that a person broke counts as nothing: the next write mends it."""
    try:
        return Spent(int(record["calls"]), int(record["chars"]), float(record["seconds"]))
    except (KeyError, TypeError, ValueError):
        return Spent()
