"""Numbers in text: what refers to a step by number, or says how many there are, must not become wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vaultgit.notes.procedure import Block
from vaultgit.notes.procedure import unnumbered
from vaultgit.passes.join.joints import Misplaced
from vaultgit.passes.join.joints import Piece
from vaultgit.passes.join.sections import Match
from vaultgit.passes.join.sections import Text
from vaultgit.passes.join.sections import number

_THINGS = r"(?:steps?|phases?|stages?|items?|points?|rules?|questions?|checks?|parts?|sections?|tasks?|principles?)"
_REFERENCE = re.compile(
    rf"(?:\b{_THINGS}\s*\(?#?|#|\bno\.?\s)(\d{{1,3}}(?:\s*(?:[-–—,&/]|and|or|to|through|until)\s*\d{{1,3}})*)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    rf"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|last|final|next|previous)\s+(?:\w+\s+)?{_THINGS}\b",
    re.IGNORECASE,
)
_COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_HEADING = re.compile(r"(?:([^\W\d]+)\s+)?(\d{1,3})(?:[.):]|\s*\Z|\s+[-–—]\s)")  # `3. Go`, `Step 3: Go`, `Pattern 3`


def hold(base: Text, other: Text, match: Match, pieces: list[Piece], numbers: dict[int, int]) -> None:
    """Raises Misplaced where new numbers, or more items, make a sentence wrong."""
    now = {piece.base: new for at, new in numbers.items() if (piece := pieces[at]).base >= 0}
    moved = {number(base.blocks[at]) for at, new in now.items() if number(base.blocks[at]) != new}
    for block in base.blocks:
        _refuse(block, moved)
    moved = set(_moved_from_other(base, other, match, pieces, numbers, now))
    for piece in pieces:
        if piece.other >= 0:
            _refuse(other.blocks[piece.other], moved)
    for series in {piece.series for piece in pieces if piece.base < 0} - {-1}:
        _count(base, [at for at, one in enumerate(base.series) if one == series])
    _headings(base, other, pieces)


def _moved_from_other(
    base: Text, other: Text, match: Match, pieces: list[Piece], numbers: dict[int, int], now: dict[int, int]
) -> Iterator[int]:
    """The numbers of other's steps that are others in the result."""
    for at, piece in enumerate(pieces):
        if piece.base < 0 <= piece.other and numbers.get(at, old := _number(other.blocks[piece.other])) != old:
            yield old
    for two, one in match.block.items():
        old = _number(other.blocks[two])
        if old and now.get(one, _number(base.blocks[one])) != old:
            yield old


def _number(block: Block) -> int:
    if block.kind == "item":
        return number(block)
    found = _HEADING.match(block.words) if block.kind == "heading" else None
    return int(found[2]) if found else 0


def _refuse(block: Block, moved: set[int]) -> None:
    for reference in _REFERENCE.finditer(unnumbered(block.words) if block.kind != "code" else ""):
        named = [int(digits) for digits in re.findall(r"\d+", reference[1])]
        if not moved.isdisjoint(range(min(named), max(named) + 1)):
            raise Misplaced(f"the text refers to “{reference[0]}”, which would get another number")


def _count(base: Text, items: list[int]) -> None:
    """Nothing says how many items the list has, or names one by its place."""
    first = base.blocks[items[0]]
    near = [*first.section, base.blocks[items[0] - 1].words if items[0] else ""]
    anything = re.compile(rf"\b{_spelled(len(items))}[\s-]+(?:[\w-]+\s+){{0,2}}?[\w-]+s\b", re.IGNORECASE)
    _more(next((match for text in near if (match := anything.search(text))), None))
    _no_more_than(base, len(items))
    for block in base.blocks:
        _more(_ORDER.search(block.words) if first.ordered and block.section == first.section else None)


def _no_more_than(base: Text, count: int) -> None:
    """Nothing says that there are so many steps, or phases, or rules."""
    things = re.compile(rf"\b{_spelled(count)}[\s-]+(?:\w+\s+)?{_THINGS}\b", re.IGNORECASE)
    for block in base.blocks:
        _more(things.search(block.words))


def _spelled(count: int) -> str:
    return rf"(?:{count}|{_COUNTS[count]})" if count < len(_COUNTS) else str(count)


def _more(said: re.Match[str] | None) -> None:
    if said:
        raise Misplaced(f"the text says “{said[0]}”, and there would be more")


def _headings(base: Text, other: Text, pieces: list[Piece]) -> None:
    """Numbered headings follow one another where one was added."""
    last: dict[tuple[int, str], tuple[int, bool]] = {}  # level and word -> number, and whether it was added
    for piece in pieces:
        block = base.blocks[piece.base] if piece.base >= 0 else other.blocks[piece.other]
        if block.kind != "heading" or piece.base == piece.other:
            continue
        level, added = block.level + piece.down, piece.base < 0
        last = {above: known for above, known in last.items() if above[0] <= level}
        if found := _HEADING.match(block.words):
            kind = (level, (found[1] or "").casefold())
            here = int(found[2])
            before, was_added = last.get(kind, (here - 1, False))
            if here != before + 1 and (added or was_added):
                raise Misplaced(f"“{block.words}” would be out of its order")
            if added and kind in last:
                _no_more_than(base, before)
            last[kind] = (here, added)
