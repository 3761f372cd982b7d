"""What of a note fits into so many tokens: all of it, or its best lines.

A token is counted as four bytes of UTF-8, and as one character of a script that is written without spaces (Chinese,
Japanese, Korean, Thai): close to what models count for prose, and the same on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.recall import words

GAP = "…"  # stands for lines that are left out
_UNSPACED = re.compile(f"[{words.UNSPACED}]")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LONGEST = 2_000_000  # characters of a note that are looked at
_PROPERTY = re.compile(r"([A-Za-z_][\w -]*)\s*:\s*\S")
_TELLING = ("status", "date", "project", "replaces", "task", "agent", "trigger", "version", "owner")
_NAMING = ("name", "title", "aliases", "type")  # what its path says already
_NEAR = 0.4  # of a line's weight that its neighbours get, so that a sentence keeps its company
_UNDER = 0.3  # of a heading's weight that the lines below it get
_LEAST = 0.35  # of the best line's weight: what weighs less is left out


class Excerpt(NamedTuple):
    """`text`: whole lines, each ended; "" where nothing fits. `whole`: whether that is all of the note."""

    text: str
    whole: bool


def tokens(text: str) -> int:
    """How many tokens a text counts as."""
    if text.isascii():
        return -(-len(text) // 4)
    dense = len(_UNSPACED.findall(text))
    size = len(text.encode("utf-8", "surrogateescape"))
    return dense + -(-(size - 3 * dense) // 4)


def excerpt(
    data: bytes, wanted: Mapping[str, float], room: int, *, fill: bool = False, matching: bool = False
) -> Excerpt:
    """The note in at most `room` tokens: `Source.within`, for once."""
    return Source(data, wanted).within(room, fill=fill, matching=matching)


class Source:
    """A note that is to be given in some room or other."""

    def __init__(self, data: bytes, wanted: Mapping[str, float], stems: Sequence[str] | None = None) -> None:
        """`wanted`: stem -> weight of what is asked for. `stems`: of the body's lines, where the caller has them
        (words.stems)."""
        self.data, self.wanted, self.stems = data, wanted, stems
        text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
        self.text = text.rstrip("\n") + "\n"
        self.size = tokens(self.text)

    @cached_property
    def _lines(self) -> _Lines:
        return _Lines(self.text[:_LONGEST], self.data, self.wanted, self.stems)

    def within(self, room: int, *, fill: bool = False, matching: bool = False) -> Excerpt:
        """The note in at most `room` tokens.

        `fill`: where its best lines leave room, or nothing matches, the note from its beginning; `matching`: never more
        than the lines that match, and what heads them.
        """
        if not matching and self.size <= room:
            return Excerpt(self.text, True)
        return Excerpt(self._lines.best(room, fill=fill, matching=matching), False)


def _weights(lines: Sequence[str], wanted: Mapping[str, float]) -> list[float]:
    """For each line, given as stems, what it holds of what is asked for, each word counted once."""
    return [sum(wanted[stem] for stem in sorted(wanted.keys() & set(line.split()))) if line else 0.0 for line in lines]


class _Lines:
    def __init__(self, text: str, data: bytes, wanted: Mapping[str, float], stems: Sequence[str] | None) -> None:
        self.lines = text.split("\n")[:-1] or [""]
        block = frontmatter.block(data)
        # The text may be cut within a front matter that is longer.
        self.body = min(data[: block.body].count(b"\n"), len(self.lines)) if block else 0
        self.stems = set(wanted)
        head = words.stems("\n".join(self.lines[: self.body])).split("\n") if self.body else []
        below = words.stems("\n".join(self.lines[self.body :])).split("\n") if stems is None else stems
        self.weights = _weights([*head, *below], wanted)[: len(self.lines)]
        self.weights += [0.0] * (len(self.lines) - len(self.weights))
        self.most = max((*self.weights, 0.001))

    @cached_property
    def heading(self) -> list[int]:
        return self._headings()

    def _headings(self) -> list[int]:
        """For each line the heading that it stands under, -1 for none; a heading stands under the one above it."""
        found, above, fence = [], [-1] * 7, ""
        for number, line in enumerate(self.lines):
            mark = _FENCE.match(line)
            if mark and (not fence or line.strip().startswith(fence)):
                fence = "" if fence else mark[1]
            match = None if fence or number < self.body else _HEADING.match(line)
            level = len(match[1]) if match else 7
            found.append(next((above[n] for n in range(level - 1, 0, -1) if above[n] >= 0), -1))
            if match:
                above[level:] = [number, *[-1] * (6 - level)]
        return found

    def _scores(self, *, alone: bool) -> list[float]:
        """What each line of the body weighs with its neighbours and its heading; `alone`: without neighbours."""
        if not any(self.weights[self.body :]):
            return [0.0] * len(self.lines)
        own = [0.0] * self.body + self.weights[self.body :]
        scores = list(own)
        for number in range(self.body, len(own)):
            line = self.lines[number]
            if not line.strip():
                scores[number] = 0.0
                continue
            under = own[self.heading[number]] * _UNDER if self.heading[number] >= 0 else 0.0
            beside = 0.0 if alone else max(own[max(number - 1, 0)], own[number + 1] if number + 1 < len(own) else 0.0)
            scores[number] += _NEAR * beside + under
        return scores

    def best(self, room: int, *, fill: bool, matching: bool) -> str:
        self.chosen: dict[int, str] = {}
        self.left = room - tokens(f"{GAP}\n") * 2
        scores = self._scores(alone=matching)
        least = max(scores, default=0.0) * _LEAST
        order = sorted((n for n, score in enumerate(scores) if score > least), key=lambda n: (-scores[n], n))
        if order and not self._take(order[0], first=True):
            return ""  # properties alone do not answer what the body does
        if not matching:
            self._properties(all_telling=bool(order) or fill)
        for number in order:
            if self.left <= 0:
                break
            self._take(number)
        if fill:
            for number in range(self.body, len(self.lines)):
                if self.left <= 0 or (self.lines[number].strip() and not self._take(number)):
                    break
            if max(self.chosen, default=-1) < self.body and any(line.strip() for line in self.lines[self.body :]):
                return ""  # what it is, without anything that it says
        return self._joined()

    def _properties(self, *, all_telling: bool) -> None:
        """Of the front matter the lines that say what the note is, or what is asked for."""
        for number in range(1, max(self.body - 1, 0)):
            key = _PROPERTY.match(self.lines[number])
            if key is None or key[1].lower() in _NAMING:
                continue
            if (all_telling and key[1].lower() in _TELLING) or self.weights[number] >= _LEAST * self.most:
                self._take(number)

    def _take(self, number: int, *, first: bool = False) -> bool:
        """Whether the line is in now, with its heading; the first one is cut where it is longer than all the room."""
        if number in self.chosen:
            return True
        needed = [number]
        above = self.heading[number]
        if above >= 0 and above not in self.chosen:
            needed.append(above)
        gap = 0 if number - 1 in self.chosen or number + 1 in self.chosen else 1
        cost = sum(tokens(self.lines[n] + "\n") for n in needed) + gap
        if cost <= self.left:
            self.chosen.update((n, self.lines[n]) for n in needed)
            self.left -= cost
            return True
        if first and self.left >= 8:
            self.chosen[number] = self._cut(self.lines[number], self.weights[number] > 0)
            self.left = 0
            return True
        return False

    def _cut(self, line: str, matches: bool) -> str:
        """A piece of a line that is longer than the room, at a blank; from the first word on that is asked for."""
        start = 0
        if matches:
            start = max(0, self._first_match(line) - 40)
            start = line.find(" ", start, start + 40) + 1 if start else 0
        low, high = 0, min(len(line) - start, self.left * 4)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if tokens(line[start : start + middle]) <= self.left - 2 else (low, middle - 1)
        piece = line[start : start + low]
        piece = piece.rsplit(" ", 1)[0] if " " in piece[len(piece) // 2 :] else piece
        return f"{GAP if start else ''}{piece}{GAP}"

    def _first_match(self, line: str) -> int:
        """Where the first word stands that is asked for."""
        return next((at for word, at, _ in words.places(line) if set(words.stem(word).split()) & self.stems), 0)

    def _joined(self) -> str:
        head = [self.chosen[number] for number in sorted(self.chosen) if number < self.body]
        parts = [*head, ""] if head else []
        last = self.body - 1  # what is left out of the front matter is not missed
        for number in sorted(number for number in self.chosen if number >= self.body):
            between = self.lines[last + 1 : number]
            if any(line.strip() for line in between):
                parts.append(GAP)
            elif between and parts and parts[-1]:
                parts.append("")
            parts.append(self.chosen[number])
            last = number
        if parts and any(line.strip() for line in self.lines[last + 1 :]):
            parts.append(GAP)
        return "\n".join(parts) + "\n" if parts else ""
