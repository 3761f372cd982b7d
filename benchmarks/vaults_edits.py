"""Edits of notes as a vault has them: which note for which shape, and the proof that nothing else in it changed.

The choice depends on the notes alone, so a second run edits the same ones.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.notes.frontmatter import BOM

MARK = b"Vaultgit was here on trial, and leaves again."
KEY, VALUE = b"trial-mark", b"seven"
_SCALAR = re.compile(rb"(?m)^([A-Za-z_]+): *([A-Za-z][A-Za-z ]*[A-Za-z])\r?$")
_HEADING = re.compile(rb"(?m)^#{1,6} +([^\r\n#]*[^\r\n# ]) *\r?$")


class Note(NamedTuple):
    path: str
    data: bytes
    managed: str | None  # its type, of notes that a schema holds
    codes: tuple[str, ...]  # of its problems from before


class Edit(NamedTuple):
    """`command` with `given` on standard input; `wrong` tells from the note's new bytes what should not be so."""

    shape: str
    note: Note
    command: Sequence[str]
    given: bytes
    wrong: Callable[[bytes | None], str]
    needs_base: bool = False


def chosen(notes: Sequence[Note], at_least: int) -> list[Edit]:
    """An edit for each shape that the vault has, each of another note; appends until there are `at_least`."""
    waiting = sorted(notes, key=lambda note: hashlib.sha1(os.fsencode(note.path), usedforsecurity=False).digest())
    found: list[Edit] = []

    def take(shape: str, fitting: Iterator[Note], make: Callable[[str, Note], Edit]) -> None:
        note = next(fitting, None)
        if note is not None:
            waiting.remove(note)
            found.append(make(shape, note))

    for code in sorted({code for note in waiting for code in note.codes}):
        take(f"a note with {code} from before", (n for n in waiting if code in n.codes), _append)
    take("a managed note", (n for n in waiting if n.managed and n.managed != "skill" and _front(n)), _new_property)
    take("the longest note", iter(sorted(waiting, key=lambda n: -len(n.data))), _one_line)
    take("the deepest path", iter(sorted(waiting, key=lambda n: -n.path.count("/"))), _append)
    take("emoji in the name", (n for n in waiting if any(ord(letter) > 0x1F000 for letter in n.path)), _append)
    take("a name beyond ASCII", (n for n in waiting if not n.path.isascii()), _append)
    take("BOM", (n for n in waiting if n.data.startswith(BOM)), _append)
    take("CRLF", (n for n in waiting if _crlf(n)), _append)
    take("CRLF, front matter", (n for n in waiting if _crlf(n) and _front(n)), _new_property)
    take("no final newline", (n for n in waiting if n.data and n.data[-1:] not in b"\r\n"), _append)
    take("--- inside", (n for n in waiting if _front(n) and b"\n---\n" in n.data[_body(n) :]), _new_property)
    take("existing property", (n for n in waiting if not n.managed and _scalar(n)), _existing_property)
    take("new property", (n for n in waiting if _front(n) and not n.managed), _new_property)
    take("no front matter", (n for n in waiting if frontmatter.block(n.data) is None and _plain(n)), _first_property)
    take("under a heading", (n for n in waiting if _heading(n)), _under_heading)
    take("one line of a whole note", iter(waiting), _one_line)
    take("delete", (n for n in waiting if not n.managed), _delete)
    take("empty", (n for n in waiting if not n.data.strip()), _append)
    take("append", iter(waiting), _append)
    while len(found) < at_least and waiting:
        take("append", iter(waiting), _append)
    return found


# -- what a note is like ----------------------------------------------------------------------------


def _front(note: Note) -> bool:
    """Whether it has properties, and they parse."""
    return frontmatter.block(note.data) is not None and not frontmatter.read(note.data).problems


def _plain(note: Note) -> bool:
    """Whether nothing at its start looks like a fence."""
    return not note.data.removeprefix(BOM).lstrip().startswith(b"---") and not note.data.startswith(BOM)


def _crlf(note: Note) -> bool:
    return b"\r\n" in note.data and note.data.count(b"\n") == note.data.count(b"\r\n")


def _body(note: Note) -> int:
    block = frontmatter.block(note.data)
    return block.body if block else 0


def _scalar(note: Note) -> re.Match[bytes] | None:
    """A property of one plain word or several, on a line of its own."""
    block = frontmatter.block(note.data)
    if block is None or not _front(note):
        return None
    lines = frontmatter.read(note.data).lines
    for found in _SCALAR.finditer(note.data, block.start, block.end):
        following = note.data[found.end() + 1 : found.end() + 2]
        if found[1] != b"type" and found[1].decode() in lines and following not in (b" ", b"\t", b"-"):
            return found
    return None


def _heading(note: Note) -> re.Match[bytes] | None:
    """A heading that stands once in a note without code, so that nobody can take another line for it."""
    if b"```" in note.data or b"~~~" in note.data or b"<!--" in note.data or b"%%" in note.data:
        return None
    found = list(_HEADING.finditer(note.data, _body(note)))
    texts = [one[1] for one in found]
    return next((one for one in found if texts.count(one[1]) == 1 and re.fullmatch(rb"[\w .,-]+", one[1])), None)


# -- edits with their proofs ------------------------------------------------------------------------


def _append(shape: str, note: Note) -> Edit:
    def wrong(new: bytes | None) -> str:
        return _only_added(note.data, new, MARK) or ("" if (new or b"").rstrip().endswith(MARK) else "not at the end")

    return Edit(shape, note, ["append", "--", note.path], MARK + b"\n", wrong)


def _under_heading(shape: str, note: Note) -> Edit:
    heading = _heading(note)
    assert heading
    level = len(heading[0]) - len(heading[0].lstrip(b"#"))

    def wrong(new: bytes | None) -> str:
        said = _only_added(note.data, new, MARK)
        if said or new is None:
            return said
        before = new[: new.index(MARK)]
        inside = before[before.rindex(heading[0].rstrip()) :].split(b"\n", 1)[1]
        closed = re.search(rb"(?m)^#{1,%d} " % level, inside)
        return "not in its section" if closed else ""

    command = ["append", "--heading", heading[1].decode(), "--", note.path]
    return Edit(shape, note, command, MARK + b"\n", wrong)


def _new_property(shape: str, note: Note) -> Edit:
    line = KEY + b": " + VALUE

    def wrong(new: bytes | None) -> str:
        said = _only_added(note.data, new, line)
        if said or new is None:
            return said
        return "" if frontmatter.read(new).values.get(KEY.decode()) == VALUE.decode() else "the property is not there"

    return Edit(shape, note, ["set", "--", note.path, line.replace(b": ", b"=").decode()], b"", wrong)


def _first_property(shape: str, note: Note) -> Edit:
    front = re.compile(rb"---(\r?\n)%b: %b\1---\1" % (KEY, VALUE))

    def wrong(new: bytes | None) -> str:
        found = front.match(new or b"")
        if not found or new is None:
            return f"no front matter at the start: {(new or b'')[:60]!r}"
        rest = new[found.end() :]
        blank = rest.removeprefix(found[1])  # a blank line after the fence is a matter of taste
        return "" if note.data in (rest, blank) else _difference(note.data, rest)

    return Edit(shape, note, ["set", "--", note.path, (KEY + b"=" + VALUE).decode()], b"", wrong)


def _existing_property(shape: str, note: Note) -> Edit:
    found = _scalar(note)
    assert found
    wanted = note.data[: found.start(2)] + VALUE + note.data[found.end(2) :]

    def wrong(new: bytes | None) -> str:
        return "" if new == wanted else _difference(wanted, new)

    return Edit(shape, note, ["set", "--", note.path, f"{found[1].decode()}={VALUE.decode()}"], b"", wrong)


def _one_line(shape: str, note: Note) -> Edit:
    """The whole note again, with words after one line in the middle of its text."""
    start = _body(note)
    lines = note.data[start:].split(b"\n")
    number = next((n for n in range(len(lines) // 2, len(lines)) if lines[n].strip()), len(lines) - 1)
    line = lines[number]
    lines[number] = line.removesuffix(b"\r") + b" " + MARK + (b"\r" if line.endswith(b"\r") else b"")
    wanted = note.data[:start] + b"\n".join(lines)

    def wrong(new: bytes | None) -> str:
        return "" if new == wanted else _difference(wanted, new)

    return Edit(shape, note, ["write", "--", note.path], wanted, wrong, needs_base=True)


def _delete(shape: str, note: Note) -> Edit:
    def wrong(new: bytes | None) -> str:
        return "" if new is None else "it is still there"

    return Edit(shape, note, ["delete", "--", note.path], b"", wrong)


def _only_added(old: bytes, new: bytes | None, text: bytes) -> str:
    """ "" when `new` is `old` with `text` put in, and line ends around it; else what is wrong."""
    if new is None or new.count(text) != old.count(text) + 1:
        return "the text is not there" if new is not None else "the note is gone"
    where = new.rindex(text)
    left, right = new[:where].rstrip(b"\r\n"), new[where + len(text) :].lstrip(b"\r\n")
    if not (old.startswith(left) and old.endswith(right) and len(left) + len(right) <= len(old)):
        return _difference(old, new[:where] + new[where + len(text) :])
    gap = old[len(left) : len(old) - len(right)]
    around = new[len(left) : where], new[where + len(text) : len(new) - len(right)]
    if not any(around[0].startswith(gap[:n]) and around[1].endswith(gap[n:]) for n in range(len(gap) + 1)):
        return f"line ends {gap!r} became {around}"
    added = around[0] + around[1]
    if old.count(b"\r\n") and old.count(b"\n") == old.count(b"\r\n") and added.count(b"\n") != added.count(b"\r\n"):
        return "a bare line feed in a note with CRLF"
    if b"\r" not in old and b"\r" in added:
        return "a CR in a note without"
    return ""


def _difference(wanted: bytes, new: bytes | None) -> str:
    if new is None:
        return "the note is gone"
    where = next((n for n, (a, b) in enumerate(zip(wanted, new, strict=False)) if a != b), min(len(wanted), len(new)))
    return f"other bytes at {where}: {new[where : where + 40]!r} instead of {wanted[where : where + 40]!r}"
