"""changelog.md as text: its lines, and their place in a file that may hold a person's text as well. Pure.

A line is `- YYYY-MM-DD HH:MM SUBJECT (AUTHOR) ^ID`. Which lines there are is history's matter (ledger).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from vaultgit.checks.message import without_hiding

FILE = "changelog.md"
FOLDER = "changelog"
HEADER = "# Changelog\n\nOne line per edit, newest first, written from the history of this vault.\n"

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(r"- (\d{4}-\d\d-\d\d) (\d\d:\d\d) (.*) \(([^()]*)\) \^([0-9a-hjkmnp-tv-z]{16})[ \t]*")


class Line(NamedTuple):
    """One edit's line."""

    day: str  # YYYY-MM-DD
    time: str  # HH:MM
    subject: str
    author: str
    id: str

    def __str__(self) -> str:
        return f"- {self.day} {self.time} {self.subject} ({self.author}) ^{self.id}"

    @property
    def newest_first(self) -> tuple[str, str, str]:
        """Sort key, to be reversed: ids sort by time within a minute."""
        return self.day, self.time, self.id


def line(subject: str, author: str, authored: datetime, edit_id: str) -> Line:
    """The line of an edit: author time in the author's own zone. What a commit holds that would blank the log for a
    reader (anybody may write one) is made harmless."""
    name = without_hiding(author).replace("(", "[").replace(")", "]")
    when = authored.isoformat()  # strftime writes the year 1 as it likes
    return Line(when[:10], when[11:16], without_hiding(subject), name, edit_id)


def parse(text: bytes | None) -> dict[str, Line]:
    """The lines of ours in a file, by edit id."""
    found: dict[str, Line] = {}
    for one in every(text):
        found[one.id] = one
    return found


def every(text: bytes | None) -> list[Line]:
    """All lines of ours as they stand; an id may have several (a union merge of a line that was reworded)."""
    matches = (_match(raw) for raw in (text or b"").removeprefix(_BOM).split(b"\n"))
    return [Line(*match.groups()) for match in matches if match]


def _match(raw: bytes) -> re.Match[str] | None:
    return _LINE.fullmatch(raw.rstrip(b"\r").decode("utf-8", "surrogateescape"))


def render(existing: bytes | None, lines: Iterable[Line]) -> bytes:
    """The file with exactly these lines, newest first, where its first line of ours stood; other text as it is."""
    ours = [str(one).encode("utf-8", "surrogateescape") for one in sorted(lines, key=_key, reverse=True)]
    if not existing or not existing.strip():
        if existing is not None and not ours:
            return existing  # an empty note of a person's
        return HEADER.encode() + b"\n" + b"".join(one + b"\n" for one in ours)
    eol = b"\r\n" if b"\r\n" in existing else b"\n"
    bom = _BOM if existing.startswith(_BOM) else b""
    kept: list[bytes] = []
    place: int | None = None
    raws = existing.removeprefix(_BOM).split(b"\n")
    if _match(raws[-1]):  # the last line of the file is ours, without its end
        raws.append(b"")
    for raw in raws:
        if _match(raw):
            place = len(kept) if place is None else place
        else:
            kept.append(raw)
    block = [one + eol[:-1] for one in ours]
    if place is not None:
        kept[place:place] = block
    elif block:
        if kept[-1]:  # a last line without its end
            kept[-1] += b"" if kept[-1].endswith(b"\r") else eol[:-1]
            kept.append(b"")
        blank = [eol[:-1]] if len(kept) > 1 and kept[-2].strip() else []
        kept[-1:] = [*blank, *block, kept[-1]]
    return bom + b"\n".join(kept)


def _key(one: Line) -> tuple[str, str, str]:
    return one.newest_first


def file_of(day: str, newest: str, months_kept: int) -> str:
    """Where a line of `day` stands: the newest months in changelog.md, older ones in a file each.

    By date alone, so that two clones cut alike. `newest` is the day of the newest edit.
    """
    year, month = int(newest[:4]), int(newest[5:7])
    first = year * 12 + month - 1 - (months_kept - 1)
    kept_from = f"{first // 12:04}-{first % 12 + 1:02}"
    return FILE if day[:7] >= kept_from else f"{FOLDER}/{day[:7]}.md"


_MONTH = re.compile(re.escape(FOLDER) + r"/\d{4}-\d\d\.md")


def is_ours(path: str) -> bool:
    """Whether a path of the vault is a changelog file; other notes in the folder are a person's."""
    return path == FILE or bool(_MONTH.fullmatch(path))
