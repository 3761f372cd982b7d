"""Captured words as they may stand in a note: nothing in them renders as more than text, runs, or hides what follows.

Capture has made its lines so already (`notes.plain`); but a person or a program may have written in a block since.
"""

from __future__ import annotations

import re

from vaultgit.checks.secrets import redact
from vaultgit.notes.plain import plain
from vaultgit.passes.consolidate.reading import one_line

LONGEST = 700  # characters of a line; the whole stands where the link leads


def inert(text: str) -> str:
    """The text on one line, as markdown that shows it and does nothing; "" where nothing is left. Never raises."""
    return plain(redact(one_line(text))[0], LONGEST)


def heading(text: str) -> str:
    """A name as the text of a heading: no link, no tag, no markup."""
    return re.sub(r"([\\`*\[\]<>#^|~$%=]|(?<!\w)_|_(?!\w))", r"\\\1", one_line(text))
