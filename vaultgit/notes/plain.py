"""Words of somebody else as a line of a note: Obsidian shows them, and does nothing else with them.

An image loads an address as soon as the note is opened, a template or a query runs, a comment hides what follows, a tag
or a block id changes the vault. What came out of a conversation, or from a model, may do none of that.
"""

from __future__ import annotations

import re
import unicodedata

_REPLACED = (
    (re.compile(r"`{3,}|~{3,}"), "`"),  # no fence
    (re.compile(r"!(?=\[)"), ""),  # an image, an embed: a link is enough
    (re.compile(r"<(?=[A-Za-z/!?%])"), "&lt;"),  # HTML, Templater
    (re.compile(r"%{2,}"), "%"),  # a comment
    (re.compile(r"\]\((?!\s*<?(?:https?://|mailto:|[^\s:()<>]+\.md\b))", re.I), r"]\\("),  # obsidian:// and others
    (re.compile(r"(?<!\S)#(?=[^\W\d_])"), r"\\#"),  # a tag
    (re.compile(r"\s\^(?=[A-Za-z0-9-]+$)"), " "),  # a block id
)
_JOINER = re.compile("(?<=[!-~])[\u200c\u200d]+|[\u200c\u200d]+(?=[!-~])")  # beside what they join nothing with
_QUERY = re.compile(r"`\s*\$?=")  # of Dataview, which trims what stands in code before it looks
# What begins a list, a task, a heading, a quotation, a line across, a table.
_LEADS = re.compile(r"(?:[-*+>]\s+|\d{1,9}[.)]\s+|#{1,6}\s+|\[[ xX/-]\]\s+|[-*_=]{3,}\s*|\|)+")


def plain(text: str, most: int = 400) -> str:
    """One line of at most `most` characters (a word more is cut); "" where nothing is left."""
    line, before = "".join(" " if c.isspace() else "" if _hidden(c) else c for c in text), None
    while line != before:  # taking one thing away may make another
        before, line = line, _once(line)
    if len(line) > most:
        line = line[: most - 2].rsplit(" ", 1)[0].rstrip() + " …"
    return line


def visible(text: str) -> str:
    """The text without characters that nobody sees, which may hide a word in another or take a token apart; newlines
    and tabs stay."""
    text = "".join(c for c in text if c in "\n\t" or not _hidden(c)) if not text.isprintable() else text
    return _JOINER.sub("", text)


def _once(line: str) -> str:
    line = " ".join(line.split())
    for pattern, new in _REPLACED:
        line = pattern.sub(new, line)
    if _QUERY.search(line):
        line = line.replace("`", "")
    if line.count("$") > 1:  # two of them are a formula
        line = re.sub(r"(?<!\\)\$", r"\\$", line)
    return _LEADS.sub("", line, count=1) if _LEADS.match(line) else line


def _hidden(sign: str) -> bool:
    """Control and format characters (writing direction among them), halves of surrogate pairs; not the joiners that
    are letters in some scripts."""
    if sign in "\u200c\u200d":
        return False
    return unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co") or "\U000e0000" <= sign <= "\U000e0fff"
