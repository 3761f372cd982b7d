"""The one user-facing error and its exit codes (the table in README, "Exit codes")."""

from __future__ import annotations

DONE = 0
REFUSED = 1
USAGE = 2
BUG = 3
QUEUED = 75  # EX_TEMPFAIL of sysexits.h: saved, will be done later
INTERRUPTED = 130


class VaultgitError(Exception):
    """Something a person can mend.

    `message` says what happened and where, `hint` what to do next; `exit_code` is what the program ends with.
    """

    exit_code = REFUSED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(VaultgitError):
    """The command was asked for something it cannot do as asked; nothing was written (exit 2)."""

    exit_code = USAGE
