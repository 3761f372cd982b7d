"""The text of a join: the base's own bytes, and the blocks of other in the base's line endings, numbers and markers."""

from __future__ import annotations

import re
from collections import Counter
from collections import defaultdict
from itertools import pairwise

from vaultgit.notes.procedure import Block
from vaultgit.notes.procedure import title
from vaultgit.passes.join.joints import Misplaced
from vaultgit.passes.join.joints import Piece
from vaultgit.passes.join.sections import Text
from vaultgit.passes.join.sections import number

_MARKER = re.compile(r"([ \t\r]*)([-+*]|\d{1,9}[.)])")


def write(base: Text, other: Text, pieces: list[Piece], numbers: dict[int, int], heading: str = "") -> str:
    """The text. `numbers`: see `numbered`. `heading`: the words of the piece that is from neither."""
    newline = newline_of(base.body) or newline_of(other.body) or "\n"
    writer = _Writer(base, other, newline, heading)
    texts = [writer.text(piece, numbers.get(at, -1)) for at, piece in enumerate(pieces)]
    between = [writer.between(one, two) for one, two in pairwise(pieces)]
    start, end = writer.gaps[0], writer.gaps[-1]
    return start + "".join(part for pair in zip(texts, [*between, end], strict=True) for part in pair)


def newline_of(body: str) -> str:
    """How a text ends its lines: as its first one; "" if it has one line."""
    end = body.find("\n")
    return "" if end < 0 else "\r\n" if body[:end].endswith("\r") else "\n"


def restyled(text: str, like: str) -> str:
    """A text with the line endings of another, and the end that the other has."""
    newline = newline_of(like) or newline_of(text) or "\n"
    bare = text.rstrip("\r\n") + like[len(like.rstrip("\r\n")) :] if like.strip() else text
    return bare.replace("\r\n", "\n").replace("\n", newline)


def numbered(base: Text, pieces: list[Piece]) -> dict[int, int]:
    """The new numbers of items, in lists that got more: place among the pieces -> number. Raises Misplaced."""
    lists: dict[int, list[int]] = defaultdict(list)
    for at, piece in enumerate(pieces):
        if piece.series >= 0:
            lists[piece.series].append(at)
    found: dict[int, int] = {}
    for places in lists.values():
        own = [base.blocks[pieces[at].base] for at in places if pieces[at].base >= 0]
        if len(own) == len(places) or not own[0].ordered:
            continue
        given = [number(block) for block in own]
        step = 0 if len(own) > 1 and len(set(given)) == 1 else 1
        if given != [given[0] + step * n for n in range(len(own))]:
            raise Misplaced("the numbers of a list do not follow one another")
        numbers = {at: given[0] + step * n for n, at in enumerate(places)}
        found.update(
            (at, new)
            for at, new in numbers.items()
            if pieces[at].base < 0 or number(base.blocks[pieces[at].base]) != new
        )
    return found


class _Writer:
    def __init__(self, base: Text, other: Text, newline: str, heading: str) -> None:
        self._base, self._other, self._newline, self._heading = base, other, newline, heading
        self._texts, self.gaps = _cut(base)
        self._others, self._other_gaps = _cut(other)
        self._first = {series: at for at, series in reversed(list(enumerate(base.series)))}
        apart = Counter(base.series[at] for at in self._inner() if self.gaps[at].count("\n") > 1)
        tight = Counter(base.series[at] for at in self._inner() if self.gaps[at].count("\n") < 2)
        self._loose = {series for series, count in apart.items() if count > tight[series]}

    def _inner(self) -> list[int]:
        """Items that follow another one of their list."""
        series = self._base.series
        return [at for at in range(1, len(series)) if series[at] == series[at - 1] >= 0]

    def text(self, piece: Piece, number: int) -> str:
        """A block as it stands in the result."""
        if piece.other < 0 and piece.base >= 0:
            text = self._texts[piece.base]
            return text if number < 0 else re.sub(r"\d+", str(number), text, count=1)
        if piece.other < 0:
            return f"## {self._heading}"
        text = self._others[piece.other].replace("\r\n", "\n")
        if piece.series >= 0:
            like = piece.base if piece.base >= 0 else self._first[piece.series]
            text = _marked(text, self._texts[like], number)
        elif piece.down:
            text = _moved(self._other.blocks[piece.other], text, piece.down)
        return text.replace("\n", self._newline)

    def between(self, one: Piece, two: Piece) -> str:
        """The white space between two blocks, and what stands there that is no block."""
        if one.base >= 0 and two.base >= 0:
            return self.gaps[two.base]
        if two.base >= 0 and self.gaps[two.base].strip():
            return self.gaps[two.base]
        if one.series == two.series >= 0:
            loose = one.series in self._loose or any(re.search(r"\n\s*\n", self.text(item, -1)) for item in (one, two))
            return self._newline * (2 if loose else 1)
        if two.base >= 0 and self.gaps[two.base].count("\n") > 1:
            return self.gaps[two.base]
        gap = self._other_gaps[two.other] if two.other == one.other + 1 > 0 else ""
        if gap.strip() or "\n" not in gap:
            return self._newline * 2
        return gap.replace("\r\n", "\n").replace("\n", self._newline)


def _cut(text: Text) -> tuple[list[str], list[str]]:
    """The texts of the blocks without their last line ending, and what stands before, between and after them."""
    starts = [0]
    for line in re.findall(r"[^\n]*\n|[^\n]+", text.body):
        starts.append(starts[-1] + len(line))
    texts, gaps, end = [], [], 0
    for block in text.blocks:
        gaps.append(text.body[end : starts[block.first]])
        texts.append(re.sub(r"\r?\n\Z", "", block.text))
        end = starts[block.first] + len(texts[-1])
    return texts, [*gaps, text.body[end:]]


def _marked(text: str, like: str, number: int) -> str:
    """An item with the marker of another one of its new list, what hangs below it moved along."""
    mark, new = _MARKER.match(text), _MARKER.match(like)
    assert mark is not None and new is not None  # both are items
    marker = new[1] + (f"{number}{new[2][-1]}" if number >= 0 else new[2])
    shift = len(marker) - len(mark[0])
    first, *below = text[mark.end() :].split("\n")
    if shift < 0:
        below = [line.removeprefix(" " * -shift) for line in below]
    else:
        below = [" " * shift + line if line.strip() else line for line in below]
    return "\n".join([marker + first, *below])


def _moved(block: Block, text: str, down: int) -> str:
    """A heading some levels down. One that is underlined gets marks: there are only two kinds of lines."""
    level = block.level + down
    if not 1 <= level <= 6:
        raise Misplaced("its headings are too deep")
    if text.lstrip().startswith("#"):
        return re.sub(r"#+", "#" * level, text, count=1)
    return f"{'#' * level} {title(text)}"
