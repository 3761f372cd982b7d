"""The text of a session's note: how it is made, and how a session that goes on adds to it. Bytes in, bytes out.

What was given to the note once is never given again: a line that a person took out stays out, and theirs stay in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from vaultgit.checks.message import without_hiding
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import link_target

ID = "session"  # property: as in the trailers of its commits
DID, NOTED, READ, SUMMARY = "Did", "Noted", "Read", "Summary"  # headings
_SLUG = 40  # characters
_TASK = 200  # of a task
_READ_MOST = 30  # links to notes that were read
_NO_LINK = re.compile(r"[\[\]|#^]")


class Said(NamedTuple):
    """A line of a note. `key`: what tells it from all others of its session."""

    key: str
    line: str


class Facts(NamedTuple):
    """What a session's note says. Paths are those of notes, in the order in which things happened."""

    id: str
    agent: str
    task: str
    began: datetime
    touched: Sequence[str] = ()
    skills: Sequence[str] = ()
    did: Sequence[Said] = ()
    noted: Sequence[Said] = ()
    read: Sequence[str] = ()
    summary: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.touched or self.skills or self.did or self.noted or self.read or self.summary)

    def keys(self) -> tuple[str, ...]:
        """What a note is given, all of it."""
        lists = (("touched", self.touched), ("skill", self.skills), ("read", self.read))
        said = [one.key for one in (*self.did, *self.noted)]
        return (*(f"{kind}:{path}" for kind, paths in lists for path in paths), *said)

    def beyond(self, written: Collection[str]) -> Facts:
        """What no note was given yet (the summary is not asked)."""
        return self._replace(
            touched=[path for path in self.touched if f"touched:{path}" not in written],
            skills=[path for path in self.skills if f"skill:{path}" not in written],
            read=[path for path in self.read if f"read:{path}" not in written],
            did=[one for one in self.did if one.key not in written],
            noted=[one for one in self.noted if one.key not in written],
        )


def slug(text: str) -> str:
    """A word for a file's name, made of letters, digits and dashes of any script; "session" where nothing is left."""
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    kept = "".join(c if unicodedata.category(c)[0] in "LNM" else "'" if c in "'’" else "-" for c in plain)
    words = [word for word in kept.replace("'", "").split("-") if word]
    found = ""
    for word in words:
        if found and len(found) + 1 + len(word) > _SLUG:
            break
        found = f"{found}-{word}" if found else word[:_SLUG]
    while len(found.encode()) > 3 * _SLUG:
        found = found[:-1]
    # A mark needs a letter before it; and what is cut off may compose otherwise.
    found = unicodedata.normalize("NFC", found).lstrip("".join(c for c in found if unicodedata.category(c)[0] == "M"))
    return found.strip("-") or "session"


def one_line(text: str, most: int = _TASK) -> str:
    """Text as one line that hides nothing."""
    words = " ".join(without_hiding(text.replace("\n", " ")).split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


def item(when: str, text: str) -> str:
    """A list item; further lines of the text belong to it, indented so far that none is taken for a heading."""
    lines = [without_hiding(line).rstrip() for line in text.strip().splitlines()] or [""]
    return "\n".join([f"- {when} {lines[0]}", *(f"    {line}" for line in lines[1:] if line)])


def paragraphs(text: str) -> str:
    """Text of several lines that hides nothing, and in which no fence stays open."""
    lines = [without_hiding(line).rstrip() for line in text.strip().splitlines()]
    fence = ""
    for line in lines:
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
    return "\n".join([*lines, fence] if fence else lines)


def clock_time(when: datetime, began: datetime) -> str:
    """The time of day, with the day where that is another than the session's first one."""
    when = when.astimezone(began.tzinfo)
    return when.strftime("%H:%M" if when.date() == began.date() else "%Y-%m-%d %H:%M")


def link(path: str) -> str:
    """A link to a file; "" for one whose name no link can hold."""
    return "" if _NO_LINK.search(path) else f"[[{path.removesuffix('.md')}]]"


def made(facts: Facts, type_key: str) -> bytes:
    """A whole note."""
    values: dict[str, object] = {
        type_key: "session",
        "date": facts.began.strftime("%Y-%m-%d"),
        "agent": facts.agent,
        "task": facts.task,
        "touched": _links(facts.touched),
    }
    if facts.skills:
        values["skills"] = _links(facts.skills)
    if type_key != ID:
        values[ID] = facts.id
    parts = [f"# {facts.task}\n"]
    if facts.summary:
        parts.append(f"{facts.summary}\n")
    parts += [f"## {heading}\n\n" + "".join(f"{line}\n" for line in lines) for heading, lines in _sections(facts)]
    return patch.set_properties("\n".join(parts).encode("utf-8", "replace"), values)


def carried_on(note: bytes, facts: Facts, before: str) -> bytes:
    """The note with what is new. `before`: the summary it was given before, which a new one takes the place of where it
    still stands. Raises FrontMatterError where its front matter does not parse."""
    from vaultgit.edits.compose import endings_of  # here: it brings the write path, which no start of a session needs

    values = frontmatter.read(note).values
    lists: dict[str, object] = {}
    for field, paths in (("touched", facts.touched), ("skills", facts.skills)):
        value = values.get(field)
        listed = value if isinstance(value, list) else [] if value is None else [value]
        there = {link_target(one) for one in listed if isinstance(one, str)}
        more = [one for one in _links(paths) if link_target(one) not in there]
        if more:
            lists[field] = [*listed, *more]
    data = patch.set_properties(note, lists)
    if facts.summary and facts.summary != before:
        old, new = (endings_of(data, text.encode("utf-8", "replace")) for text in (before, facts.summary))
        if before and data.count(old) == 1:
            data = data.replace(old, new)
        else:
            data = _under(data, SUMMARY, [facts.summary])
    for heading, lines in _sections(facts):
        data = _under(data, heading, lines)
    return data


def _links(paths: Sequence[str]) -> list[str]:
    return [one for one in map(link, paths) if one]


def _sections(facts: Facts) -> list[tuple[str, list[str]]]:
    links = _links(facts.read)
    read = [f"- {one}" for one in links[:_READ_MOST]]
    if len(links) > _READ_MOST:
        read.append(f"- and {len(links) - _READ_MOST} more")
    every = ((DID, [one.line for one in facts.did]), (NOTED, [one.line for one in facts.noted]), (READ, read))
    return [(heading, lines) for heading, lines in every if lines]


def _under(note: bytes, heading: str, lines: Sequence[str]) -> bytes:
    """The note with lines at the end of the section below a heading, which is made where it is missing."""
    from vaultgit.edits.compose import endings_of
    from vaultgit.edits.compose import section_end

    eol = b"\r\n" if b"\r\n" in note else b"\n"
    text = endings_of(note, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    end = section_end(note, heading)
    if end is None:
        gap = b"" if not note or note.endswith(b"\n") else eol
        return note + gap + eol + b"## " + heading.encode() + eol + eol + text
    gap = b"" if note[:end].endswith(b"\n") else eol
    return note[:end] + gap + text + note[end:]
