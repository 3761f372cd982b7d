"""What a check finds."""

from __future__ import annotations

from typing import NamedTuple

MESSAGE = "commit-message"  # stands for the path where a problem is in the message, not in a file


class Problem(NamedTuple):
    """One finding: where, which rule (README lists the codes), what is wrong, and how to mend it.

    `path` is relative to the vault, or MESSAGE. `line` and `column` count from 1, in characters. `mark` tells this
    finding from others of its code in the same note, where the baseline must: a second secret is a new one.
    """

    path: str
    line: int
    column: int
    code: str
    message: str
    mend: str
    mark: str = ""

    @property
    def key(self) -> str:
        """What the baseline calls it."""
        return f"{self.code}:{self.mark}" if self.mark else self.code

    def __str__(self) -> str:
        text = f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"
        return _printable(f"{text} ({self.mend})" if self.mend else text)

    def as_json(self) -> dict[str, str | int]:
        return {name: value for name, value in self._asdict().items() if name != "mark"}


def _printable(text: str) -> str:
    # Names and values come from notes: a newline or an escape sequence in one must not reach the terminal.
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
