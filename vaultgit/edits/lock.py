"""The writers' lock: one writer at a time lands, in all work trees of a repository.

flock on state/lock. The descriptor is handed to git children, so that a child that outlives a killed writer keeps
the lock until it is done.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable


class Lock:
    """Held from a successful `take` to `release`, or to the end of the process and its git children. `name`: that of
    the file, for other locks of the same kind."""

    def __init__(self, state: str, name: str = "lock") -> None:
        self.fd = os.open(os.path.join(state, name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self, wait: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Tries for `wait` seconds, or until `done()`: the holder lands our edit as well."""
        deadline = time.monotonic() + wait
        pause = 0.002
        while True:
            try:
                fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if done() or time.monotonic() >= deadline:
                    return False
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)

    def release(self) -> None:
        os.close(self.fd)
