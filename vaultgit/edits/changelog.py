"""changelog.md as text: its lines, and their place in a file that may hold a person's text as well. Pure.

A line is `- YYYY-MM-DD HH:MM SUBJECT (AUTHOR) ^ID` (FORMATS). Which lines there are is history's matter (ledger).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from datetime import datetime
from typing import NamedTuple

FILE = "changelog.md"
FOLDER = "changelog"
HEADER = "# Changelog\n\nOne line per edit, newest first, written from the history of this vault.\n"

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
    """The line of an edit: author time in the author's own zone."""
    clean = author.replace("(", "[").replace(")", "]")
    return Line(authored.strftime("%Y-%m-%d"), authored.strftime("%H:%M"), subject, clean, edit_id)


def parse(text: bytes | None) -> dict[str, Line]:
    """The lines of ours in a file, by edit id."""
    found: dict[str, Line] = {}
    for raw in (text or b"").split(b"\n"):
        match = _LINE.fullmatch(raw.rstrip(b"\r").decode("utf-8", "surrogateescape"))
        if match:
            found[match[5]] = Line(*match.groups())
    return found


def render(existing: bytes | None, lines: Iterable[Line]) -> bytes:
    """The file with exactly these lines, newest first, where its first line of ours stood; other text as it is."""
    ours = [str(one).encode("utf-8", "surrogateescape") for one in sorted(lines, key=_key, reverse=True)]
    if not existing or not existing.strip():
        return HEADER.encode() + b"\n" + b"".join(one + b"\n" for one in ours)
    eol = b"\r\n" if b"\r\n" in existing else b"\n"
    kept: list[bytes] = []
    place: int | None = None
    for raw in existing.split(b"\n"):
        if _LINE.fullmatch(raw.rstrip(b"\r").decode("utf-8", "surrogateescape")):
            place = len(kept) if place is None else place
        else:
            kept.append(raw)
    block = [one + eol[:-1] for one in ours]
    if place is None:
        if kept[-1].strip():  # a last line without its end
            kept[-1] += eol[:-1]
            kept.append(b"")
        blank = [] if not ours or len(kept) < 2 or not kept[-2].strip() else [eol[:-1]]
        kept[-1:] = [*blank, *block, kept[-1]]
    else:
        if place == len(kept) and block:  # the last line of the file was ours, without its end
            kept.append(b"")
        kept[place:place] = block
    return b"\n".join(kept)


def _key(one: Line) -> tuple[str, str, str]:
    return one.newest_first


def file_of(day: str, newest: str, months_kept: int) -> str:
    """Where a line of `day` stands: the newest months in changelog.md, older ones in a file each.

    By date alone, so that two clones cut alike. `newest` is the day of the newest edit.
    """
    year, month = int(newest[:4]), int(newest[5:7])
    first = year * 12 + month - 1 - (months_kept - 1)
    kept_from = date(first // 12, first % 12 + 1, 1).strftime("%Y-%m")
    return FILE if day[:7] >= kept_from else f"{FOLDER}/{day[:7]}.md"


def is_ours(path: str) -> bool:
    """Whether a path of the vault is a changelog file."""
    return path == FILE or path.startswith(FOLDER + "/")
