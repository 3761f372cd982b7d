"""How a hook of an agent client runs: in nobody's way (promise P10). It ends with 0 within its limit, whatever hangs or
is broken, and says why in one line on standard error; what takes longer goes on in a process that nobody waits for.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError

# Seconds that each gives itself. Claude Code ends what runs at SessionEnd after 1.5 s.
LIMITS = {"session-start": 5.0, "prompt": 2.0, "wrote": 8.0, "compact": 1.0, "session-end": 1.0}
FINISH, INDEX = "finish", "index"  # not a client's: what goes on when the client's hook has ended
LONGEST = 3600.0  # seconds for those: nobody waits, but what hangs is not to hang for ever
_AFTER = 1.0  # seconds after the limit at which the system itself ends us


class Asked(NamedTuple):
    """What stands in the hook's line. `dry_run`: a trial, which leaves nothing behind."""

    vault: str | None = None
    agent: str | None = None
    session: str | None = None
    conversation: str | None = None
    engine: str | None = None
    signed: str | None = None
    dry_run: bool = False


def asked(args: Sequence[str]) -> Asked:
    """Reads the words behind the hook's name. Raises UsageError for one that is not known."""
    found: dict[str, Any] = {}
    words = iter(args)
    for word in words:
        field = word.removeprefix("--").replace("-", "_")
        if word == "--dry-run":
            found["dry_run"] = True
        elif word.startswith("--") and field in Asked._fields:
            found[field] = next(words, None)
        else:
            raise UsageError(f"a hook of ours knows no {word}: vaultgit agent install brings it up to date")
    return Asked(**found)


class Steps:
    """Steps that each are done though another one failed: `with steps:` around each."""

    def __init__(self) -> None:
        self.failed: list[Exception] = []

    def __enter__(self) -> None:
        """The step begins."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        if isinstance(error, BrokenPipeError):  # the client has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return True
        if isinstance(error, Exception):
            self.failed.append(error)
            return True
        return False


def tell(error: Exception) -> None:
    """One line, and for a bug of ours a log."""
    words = str(error)
    if isinstance(error, VaultgitError):
        words = error.message
    elif isinstance(error, OSError) and error.strerror:
        words = f"{error.filename or 'the system'}: {error.strerror.lower()}"
    if isinstance(error, VaultgitError | OSError | UnicodeError):
        out.talk(f"vaultgit: {' '.join(words.split())}; the conversation goes on without")
        return
    from vaultgit.cli.main import log_of_bug

    where = ""
    try:
        where = f"; details are in {out.short(log_of_bug(['hook'], error))}"
    except OSError:
        pass
    out.talk(f"vaultgit: a bug of ours: {type(error).__name__}: {' '.join(str(error).split())[:200]}{where}")


def bound(seconds: float, code: int) -> None:
    """Whatever hangs (git, a lock, a network's disk, Python itself): it ends, and the processes it started with it."""
    try:
        os.setsid()  # a group of our own, so that it can be ended whole
    except OSError:
        pass  # we lead one already
    signal.signal(signal.SIGTERM, lambda *_: os._exit(code))
    watch = threading.Timer(seconds, _give_up, (seconds, code))
    watch.daemon = True
    watch.start()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + _AFTER)


def _give_up(seconds: float, code: int) -> None:
    try:
        os.write(2, f"vaultgit: no answer within {seconds:g} s; the conversation goes on without\n".encode())
    except OSError:
        pass  # nobody listens
    os.killpg(0, signal.SIGTERM)
    os._exit(code)


def start(name: str, given: Asked) -> None:
    """Starts a hook of ours, FINISH or INDEX, in a process of its own."""
    import subprocess

    said = {field: value for field, value in given._asdict().items() if isinstance(value, str)}
    words = [word for field, value in said.items() for word in (f"--{field}", value)]
    subprocess.Popen(
        [sys.executable, "-P", "-m", "vaultgit", "hook", name, *words], start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
