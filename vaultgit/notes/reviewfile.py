"""review.md: suggestions as blocks with an accept and a reject box; everything between them is a person's.

People tick boxes in many editors, so all spellings of a tick count that are still one. A line that only looks like a
tick decides nothing and is told as a slip: taking it for a tick would apply what nobody accepted, passing over it would
leave a person waiting. Lines end at LF; a CR before it, blanks at a line's end and a byte order mark are no difference.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

_MARKER = re.compile(r"<!-- *vaultgit +([0-9a-hjkmnp-tv-z]{16}) *-->")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s+|$)")
_FIELD = re.compile(r"[-*+]\s+([a-z][a-z_-]*):\s*(.*)")
_FENCE = re.compile(r" {0,3}(`{3,}(?!.*`)|~{3,})\s*(.*)")
_CHECK = r"\s*(?:[-*+]|\d{1,9}[.)])\s+\[\s*(x?)\s*\]\s*(accept|reject)\b"
# Behind it, what Obsidian's task plugins put there when a box is ticked: `✅ 2026-11-29`, `[completion:: 2026-11-29]`.
_BOX = re.compile(_CHECK + r"(?:[\W\d]*|\s*\[completion:: [\d-]+\])$", re.IGNORECASE)
_WORDED = re.compile(_CHECK, re.IGNORECASE)
# `[✓] accept`, `[x accept`, `-[x] accept`, or a box without its word; not a link.
_SLIP = re.compile(
    r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s*)?\[\s*[^\s\[\]]{1,2}(?:\s*\](?![(\[:])|\s)(?:.*\b(accept|reject)\b|$)",
    re.IGNORECASE,
)
_BLANK = re.compile(r"(?:[^\S\n]*\n)+")
_NO_TICK = "is no tick: write - [x] in front of the word"


class Block(NamedTuple):
    """One suggestion.

    `fields` in order (path, type, action, seen, since, why; branch, path and why of a review branch's action). `draft`:
    what the fence holds, with LF; an excerpt where there is a `branch`. `decided`: "accept", "reject" or "".

    Lines count from 1: `line` of the marker, `tick_line` of the tick that decided (0: none), or of one that an open
    fence hides (then `decided` is ""), and in `slips` of what looks like a tick or is broken: with why, in words.
    `start` and `end` are characters of the file; `strays`: a person's lines in between, and `spots`: where each begins.
    """

    id: str
    title: str
    fields: tuple[tuple[str, str], ...] = ()
    draft: str | None = None
    decided: str = ""
    line: int = 0
    start: int = 0
    end: int = 0
    slips: tuple[tuple[int, str], ...] = ()
    tick_line: int = 0
    strays: tuple[str, ...] = ()
    spots: tuple[int, ...] = ()

    @property
    def touched(self) -> bool:
        """Whether a person has ticked a box, or tried to."""
        return bool(self.decided or self.slips)


def read(text: str) -> list[Block]:
    """The blocks of a review file, in order. Never raises: what is no block is a person's text."""
    lines = _lines(text)
    layout = _Layout(lines)
    found, at = [], 0
    while at < len(lines):
        marker = _MARKER.fullmatch(lines[at].text)
        if marker:
            block, at = _Reader(text, lines, layout, at).block(marker[1])
            found.append(block)
        else:
            at += 1
    return found


def render(block: Block) -> str:
    """A block's text, with LF. Titles and values are put on one line."""
    ticks = {word: "x" if block.decided == word else " " for word in ("accept", "reject")}
    head = [f"<!-- vaultgit {block.id} -->", f"## {_one_line(block.title)}".rstrip()]
    head += [f"- {key}: {_one_line(value)}".rstrip() for key, value in block.fields]
    boxes = [f"- [{mark}] {word}" for word, mark in ticks.items()]
    return "\n".join([*head, "", *_fenced(block), *boxes, ""])


def put(text: str, blocks: Iterable[Block]) -> str:
    """The file with these blocks: one whose id is there is replaced, the others come to the end.

    A block that says the same already stays byte for byte, and so does one that a person has ticked, or tried to: they
    decided about what they saw. A person's lines inside a replaced block come to stand below it.
    """
    wanted = {block.id: block for block in blocks}
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    there = read(text)
    parts: list[str] = []
    done = 0
    for old in there:
        new = wanted.get(old.id)
        if new is not None and not old.touched and _said(new) != _said(old):
            parts += text[done : old.start], render(new).replace("\n", newline), *old.strays
            done = old.end
    parts.append(text[done:])
    known = {old.id for old in there}
    for new in wanted.values():
        if new.id not in known:
            parts += _gap(parts, newline), render(new).replace("\n", newline)
    return "".join(parts)


def take(text: str, ids: Collection[str]) -> str:
    """The file without these blocks; a person's text between and inside them stays."""
    parts: list[str] = []
    done = 0
    for old in read(text):
        if old.id not in ids:
            continue
        parts += [part for part in (text[done : old.start], *old.strays) if part]
        done = old.end
        if not _gap(parts, "\n"):
            # The blank lines above do for what follows as well.
            blank = _BLANK.match(text, done)
            done = blank.end() if blank else done
    return "".join((*parts, text[done:]))


# -- reading ---------------------------------------------------------------------------------------------------


class _Line(NamedTuple):
    text: str  # without what ends it
    start: int
    end: int


def _lines(text: str) -> list[_Line]:
    found, start = [], 1 if text.startswith("\ufeff") else 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text[start:]):
        found.append(_Line(line.rstrip(), start, start + len(line)))
        start += len(line)
    return found


class _Layout:
    """What is asked about lines again and again, found once: who looked through them each time would take a time that
    grows with the square. How many of the lines above each one: `filled` have text, `markers` are markers."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self.filled = list(accumulate((bool(line.text) for line in lines), initial=0))
        markers = (bool(_MARKER.fullmatch(line.text)) for line in lines)
        self.markers = list(accumulate(markers, initial=0))
        found = ((at, _FENCE.match(line.text)) for at, line in enumerate(lines))
        self._every = [(at, fence[1], fence[2]) for at, fence in found if fence]
        self._places = [at for at, _, _ in self._every]

    def closing(self, at: int) -> int | None:
        """Where the code ends that a line opens; None where it opens none, or a fence that is broken.

        Broken is also one that meets, before its end, a fence as long as itself that opens: our fences are longer than
        any run inside, so that another block begins there, and must not vanish in this one.
        """
        place = bisect_left(self._places, at)
        if place == len(self._places) or self._places[place] != at:
            return None
        run = self._every[place][1]
        for number in range(place + 1, len(self._every)):
            other, signs, more = self._every[number]
            if signs.startswith(run):
                return None if more else other
        return None


class _Reader:
    """Reads one block, line by line."""

    def __init__(self, text: str, lines: list[_Line], layout: _Layout, at: int) -> None:
        self.text, self.lines, self.layout = text, lines, layout
        self.first, self.at, self.end = at, at + 1, at + 1  # `end`: the line after the last that is ours
        self.fields: list[tuple[str, str]] = []
        self.draft: str | None = None
        self.fence = ""  # what ends the draft
        self.boxes: list[tuple[str, int]] = []  # the word, and the line of its tick or 0
        self.words: set[str] = set()  # of the boxes
        self.slips: list[tuple[int, str]] = []
        self.strays: list[int] = []
        self.hidden = 0  # line of a tick below an open fence

    def block(self, block_id: str) -> tuple[Block, int]:
        """The block, and the first line after it."""
        title = self._title()
        while self.at < len(self.lines) and self._line(self.lines[self.at].text):
            pass
        ticked = {word: line for word, line in self.boxes if line}
        if len(ticked) > 1:
            self.slips.append((max(ticked.values()), "both boxes are ticked: untick one"))
        if not (self.boxes or self.slips) and (self.fields or self.draft is not None):
            what = "has no boxes any more: put - [ ] accept and - [ ] reject below its text, or delete it whole"
            self.slips.append((self.first + 1, what))
        [(decided, line)] = ticked.items() if len(ticked) == 1 and not self.slips else [("", self.hidden)]
        strays = [self.lines[at] for at in self.strays if at < self.end]
        first = self.lines[self.first]
        found = Block(
            block_id, title, tuple(self.fields), self.draft, decided, self.first + 1, first.start,
            self.lines[self.end - 1].end, tuple(self.slips), line,
            tuple(self.text[one.start : one.end] for one in strays), tuple(one.start for one in strays),
        )  # fmt: skip
        return found, self.end

    def _title(self) -> str:
        for at in range(self.at, len(self.lines)):
            mark = _HEADING.match(self.lines[at].text)
            if mark:
                self._ours(at + 1)
                return self.lines[at].text[mark.end() :].strip()
            if self.lines[at].text:
                break
        return ""

    def _box(self, word: str, line: int) -> None:
        self.boxes.append((word.lower(), line))
        self.words.add(word.lower())

    def _ours(self, end: int) -> None:
        self.at = self.end = end

    def _line(self, line: str) -> bool:
        """Takes the next line, or with a draft several; False where the block is over."""
        box = _BOX.match(line)
        whole = len(self.words) == 2
        if _MARKER.fullmatch(line) or _HEADING.match(line):
            return False
        if whole and not box:
            return self._below(line)
        if box:
            self._box(box[2], self.at + 1 if box[1] else 0)
            self._ours(self.at + 1)
        elif worded := _WORDED.match(line):
            if worded[1]:
                self._slip(line, f"says more than {worded[2]}: put the words on a line below")
            among = self._is_among_boxes()
            self._stray(self.at + 1)
            if among:
                self._box(worded[2], 0)
                self.end = self.at
        elif slip := _SLIP.match(line):
            self._slip(line, _NO_TICK)
            self._ours(self.at + 1)
            if slip[1]:
                self._box(slip[1], 0)
        elif _FENCE.match(line):
            return self._fence()
        elif (field := _FIELD.match(line)) and not self._past_fields():
            self.fields.append((field[1], field[2].strip()))
            self._ours(self.at + 1)
        elif line:
            self._stray(self.at + 1)
        else:
            self.at += 1
        return True

    def _ticked_below(self) -> int:
        """The line of a ticked box that an open fence hides, above the next block; 0 where none is."""
        boxes: dict[str, int] = {}
        for at in range(self.at, len(self.lines)):
            box = _BOX.match(self.lines[at].text)
            if _MARKER.fullmatch(self.lines[at].text):
                break
            if box:  # the last one of a word is no line of the draft's
                boxes[box[2].lower()] = at + 1 if box[1] else 0
        return max(boxes.values(), default=0)

    def _below(self, line: str) -> bool:
        """What looks like a tick right below both boxes is one more of them, and the block ends at all else."""
        slip = _SLIP.match(line)
        if self.at != self.end or not slip or not slip[1] or _WORDED.match(line):
            return False
        self._slip(line, _NO_TICK)
        self._stray(self.at + 1)
        self.end = self.at
        return True

    def _is_among_boxes(self) -> bool:
        """Whether the next line stands where boxes do: right below one, or where the first one is expected."""
        filled = self.layout.filled[self.at] > self.layout.filled[self.end]
        return self._past_fields() and (self.end == self.at or not (self.boxes or filled))

    def _past_fields(self) -> bool:
        return self.draft is not None or bool(self.boxes or self.slips)

    def _slip(self, line: str, what: str) -> None:
        self.slips.append((self.at + 1, f"`{line.strip()[:60]}` {what}"))

    def _stray(self, end: int) -> None:
        """Lines of a person's, to before `end`."""
        self.strays += range(self.at, end)
        self.at = end

    def _fence(self) -> bool:
        line, closing = self.lines[self.at].text, self.layout.closing(self.at)
        if self._past_fields() or line.lstrip().startswith("~"):
            if self.fence and not self.boxes and line.strip().startswith(self.fence):
                self._slip(line, "ends the draft too early: write more backticks around the whole text")
            # Code of a person's: boxes in it are none, but it hides no other block.
            markers = self.layout.markers
            end = self.at if closing is None or markers[closing] > markers[self.at] else closing
            self._stray(end + 1)
        elif closing is None:
            what = "opens a fence that nothing closes: put the same backticks below the text"
            self._slip(line, what)
            self._ours(self.at + 1)
            self.hidden = self._ticked_below()
            return False
        else:
            inside = self.text[self.lines[self.at].end : self.lines[closing].start]
            self.draft = inside.replace("\r\n", "\n")
            self.fence = self.lines[closing].text.strip()
            self._ours(closing + 1)
        return True


# -- writing ---------------------------------------------------------------------------------------------------


def _fenced(block: Block) -> list[str]:
    if block.draft is None:
        return []
    draft = _draft(block.draft)
    longest = max((len(run) for run in re.findall(r"`+", draft)), default=0)
    fence = "`" * max(4, longest + 1)
    kind = "diff" if any(key == "branch" for key, _ in block.fields) else "markdown"
    inside = [draft.removesuffix("\n")] if draft else []
    return [fence + kind, *inside, fence, ""]


def _draft(text: str) -> str:
    """A draft as it reads back: with LF, and one at its end."""
    text = text.replace("\r\n", "\n")
    return text if text.endswith("\n") or not text else text + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _said(block: Block) -> tuple[object, ...]:
    """What a block says, as it reads back."""
    fields = tuple((key, _one_line(value)) for key, value in block.fields)
    return _one_line(block.title), fields, None if block.draft is None else _draft(block.draft)


def _gap(parts: Sequence[str], newline: str) -> str:
    """What has to come between a text, in parts, and a block below it, so that a blank line stands there."""
    tail = ""
    for part in reversed(parts):  # the last two lines tell
        tail = part + tail
        if tail.count("\n") > 1:
            break
    if not tail.strip("\ufeff"):
        return ""
    lines = tail.split("\n")
    if lines[-1]:
        return newline * 2
    return "" if len(lines) > 1 and not lines[-2].strip() else newline
