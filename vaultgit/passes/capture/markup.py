"""What somebody said as a quote that stands in a note: nothing of it renders as more than text, and nothing runs.

Obsidian shows embeds, HTML, comments, formulas, tags and block ids; the plugins Templater and Dataview run what stands
between `<%` and `%>`, and read `key:: value`. A quote is one line, and cannot end itself: its own quotation marks are
made single, so that nobody speaks in another's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from vaultgit.notes.plain import plain

_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{0,500}(?: \"[^\"\n]{0,100}\")?\)")
_SCHEME = re.compile(r"\b(?!https?\b)([A-Za-z][A-Za-z0-9+.-]{1,30}):(?=//)")  # obsidian:// and others do things
_WEB_ONLY = re.compile(r"\b(?:javascript|data|vbscript):(?=\S)", re.IGNORECASE)
_LONGEST = 10_000  # characters: the quote is cut to words before
_OPENS = re.compile(r"<(?=[^\s\d=])")  # also what Obsidian takes for no tag, and a plugin may
_BLOCK_ID = re.compile(r"(?<!\S)\^(?=[\w-])")
_DROPPED = ("`", "**", "~~")
_READ = (  # by Dataview, templates and Obsidian
    ("::", ": :"),
    ("{{", "{ {"),
    ("^[", "["),
    ("[^", "["),
    ("==", "="),
    ("$$", "$"),
)
_REPLACED = (
    *_READ,
    ("__", "_"),
    ("“", "‘"),
    ("”", "’"),
    ("„", "‘"),
    ("‟", "‘"),
    ("allow-secret", "allow secret"),
    ("allowlist secret", "allowlist-secret"),
)


def neutral(text: str) -> str:
    """The text on one line, without what renders or runs in a note. Wikilinks stay."""
    kept = plain(text, _LONGEST)
    for mark in _DROPPED:  # first: what it stood between may become a mark
        kept = kept.replace(mark, "")
    kept = _LINK.sub(r"\1", kept)
    kept = unaddressed(kept)
    kept = _OPENS.sub("‹", kept)
    kept = _without(kept, _REPLACED)
    kept = _BLOCK_ID.sub("", kept)
    return plain(kept, _LONGEST)


def unread(text: str) -> str:
    """The text without marks that a plugin reads, or that make another thing than text of it; bold and code stay."""
    return _without(text, _READ)


def _without(text: str, marks: Iterable[tuple[str, str]]) -> str:
    for mark, instead in marks:
        while mark in text:
            text = text.replace(mark, instead)
    return text


def unaddressed(text: str) -> str:
    """The text without addresses that do more than show a page: of other programs, and of Obsidian's own commands."""
    return _WEB_ONLY.sub(lambda match: match.group() + " ", _SCHEME.sub(r"\1: ", text))


def line(quotes: Iterable[tuple[str, str]]) -> str:
    """Quotes with who said them, as one line; "" where none of them says anything."""
    written = [(neutral(text), by) for text, by in quotes]
    text = "; ".join(f"“{text}” ({by})" for text, by in written if any(c.isalnum() for c in text))
    return re.sub(r"(?<!\\)\$", r"\\$", text) if text.count("$") > 1 else text  # two of them are a formula
