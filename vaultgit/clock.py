"""Time and chance, passed in so that a test can repeat them."""

from __future__ import annotations

import os
import time
from datetime import datetime
from typing import Protocol


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
            return datetime.fromisoformat(fixed).replace(microsecond=0)
        return datetime.now().astimezone().replace(microsecond=0)

    def millis(self) -> int:
        real = time.time_ns() // 1_000_000
        return int(self.now().timestamp()) * 1000 + real % 1000 if "VAULTGIT_NOW" in os.environ else real

    def random(self, size: int) -> bytes:
        return os.urandom(size)
