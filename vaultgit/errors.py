"""The one user-facing error and its exit codes (the table in README, "Exit codes")."""

from __future__ import annotations

import re

DONE = 0
REFUSED = 1
USAGE = 2
BUG = 3
QUEUED = 75  # EX_TEMPFAIL of sysexits.h: saved, will be done later
INTERRUPTED = 130

WORD, TEXT = 600, 10_000  # characters


def brief(text: str) -> str:
    """`text` without the middle of words over 600 characters, and of what has over 10,000: a refusal says what was
    given again, which may be a megabyte."""
    if len(text) <= WORD:
        return text
    words = re.sub(rf"\S{{{WORD + 1},}}", lambda match: _ends(match[0], WORD), text)
    return _ends(words, TEXT)


def _ends(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most * 2 // 3]} … {text[-most // 4 :]}"


class VaultgitError(Exception):
    """Something a person can mend.

    `message` says what happened and where, `hint` what to do next; `exit_code` is what the program ends with.
    """

    exit_code = REFUSED

    def __init__(self, message: str, hint: str = "") -> None:
        message = brief(message)
        super().__init__(message)
        self.message = message
        self.hint = brief(hint)


class UsageError(VaultgitError):
    """The command was asked for something it cannot do as asked; nothing was written (exit 2)."""

    exit_code = USAGE
