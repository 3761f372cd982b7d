"""Time and chance, passed in so that a test can repeat them."""

from __future__ import annotations

import os
import time
from datetime import datetime
from typing import Any
from typing import Protocol

from vaultgit.errors import UsageError


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, with its zone, in whole seconds."""

    def millis(self) -> int:
        """The time in milliseconds since 1970."""

    def random(self, size: int) -> bytes:
        """`size` random bytes."""


class SystemClock:
    """The machine's clock and zone; VAULTGIT_NOW (ISO 8601 with zone) sets the time instead."""

    def now(self) -> datetime:
        fixed = os.environ.get("VAULTGIT_NOW")
        if fixed:
            return _fixed(fixed)
        return datetime.now().astimezone().replace(microsecond=0)

    def millis(self) -> int:
        real = time.time_ns() // 1_000_000
        return int(self.now().timestamp()) * 1000 + real % 1000 if "VAULTGIT_NOW" in os.environ else real

    def random(self, size: int) -> bytes:
        return os.urandom(size)


def time_in(text: Any) -> datetime | None:
    """The time that ISO 8601 text says, as `now().isoformat()` writes it; None for what is none, or says no zone."""
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo is not None else None


def _fixed(text: str) -> datetime:
    try:
        when = datetime.fromisoformat(text).replace(microsecond=0)
    except ValueError:
        when = datetime.min
    if when.tzinfo is None or not 1970 < when.year < 2100:
        raise UsageError(f"VAULTGIT_NOW={text!r} is no time with a zone", "VAULTGIT_NOW=2026-11-29T21:10:00+01:00")
    return when
