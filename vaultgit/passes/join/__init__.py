"""Joining the bodies of two skills that are duplicates, by rules: every step of both, and no text of its own.

What both say stands once, in the base's order. What only the other says goes, in whole blocks, after its last shared
neighbour (placing.py); but what only points to a file that may not be there is nothing to bring over (pointers.py).
Where it could read wrong it declines: a step that one of them negates and two versions of one thing (versions.py),
what would be torn apart (joints.py), a number that text refers to (references.py). A wrong merge costs more trust than
ten missed ones. Before a text is returned it is read again and compared (proof.py).
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import permutations
from typing import NamedTuple

from vaultgit.passes.join import pointers
from vaultgit.passes.join import proof
from vaultgit.passes.join import references
from vaultgit.passes.join import wording
from vaultgit.passes.join.joints import Misplaced
from vaultgit.passes.join.placing import append
from vaultgit.passes.join.placing import place
from vaultgit.passes.join.sections import Match
from vaultgit.passes.join.sections import Text
from vaultgit.passes.join.sections import match
from vaultgit.passes.join.sections import only
from vaultgit.passes.join.versions import apart
from vaultgit.passes.join.versions import reworded
from vaultgit.passes.join.writing import numbered
from vaultgit.passes.join.writing import restyled
from vaultgit.passes.join.writing import write

__all__ = ["Declined", "Joined", "join"]

_FEW = 0.10  # share of lines in which two texts differ that are nearly the same
_SHARED = 0.60  # share of headings that two texts of one structure have in common
_APPENDED = 15  # lines that may follow as a section of their own where the structure differs
_GROWTH = 1.3
_SMALL = 8  # lines that are never too many more: of a skill of six lines, a third is two
_LONG = 500  # lines
_APART = "their structure differs too much; a person or an engine should join them"


class Joined(NamedTuple):
    """`kind`: 1 one of them holds the other and is the result, 2 nearly the same, 3 steps were added, 4 other blocks
    were added, 5 a section `From NAME` was added. `added`: the blocks that came from other, as they stand there; with
    kind 1 there are some if other is the longer one."""

    body: str
    kind: int
    added: tuple[str, ...]


class Declined(NamedTuple):
    why: str


def join(base: str, other: str, other_name: str, files: Collection[str] = ()) -> Joined | Declined:
    """Two bodies, without front matter, as one. Who calls chose the base. Never raises.

    `files`: relative paths of what lies beside both; any other file that only other names may not be there.
    """
    if restyled(other, base) == base:
        return Joined(base, 1, ())
    try:
        return _joined(Text.read(base), Text.read(other), " ".join(other_name.split()), files)
    except Misplaced as why:
        return Declined(str(why))


def _joined(base: Text, other: Text, name: str, beside: Collection[str]) -> Joined:
    if max(len(base.blocks), len(other.blocks)) > 2 * _LONG:
        raise Misplaced(_APART)
    found = match(base, other)
    mine, left = only(base, found.block.values()), only(other, found.block)
    new = {*left, *found.fuller}
    pointing = pointers.unknown(other, new, base.body, beside)
    pointers.alone(base, mine, other, new, pointing)
    if pointing or not new:  # what only points to what is not there is nothing to bring over
        proof.complete([block for at, block in enumerate(other.blocks) if at not in pointing], base.blocks)
        return Joined(base.body, 1, ())
    if not mine and _grows(base, other, found):
        proof.complete(base.blocks, other.blocks)
        return Joined(restyled(other.body, base.body), 1, _texts(other, new))
    pointers.trimmed(base, mine, other.body, beside)
    like = reworded(base, other, found, mine, left)
    kind = _kind(base, other, found, mine, left)
    if kind < 5:
        pieces = place(base, other, found, like)
    elif sum(_lines(other.blocks[at].text) for at in left) <= _APPENDED and apart(base, other, left):
        pieces = append(base, other, found, left)
    else:
        raise Misplaced(_APART)
    numbers = numbered(base, pieces)
    references.hold(base, other, found, pieces, numbers)
    body = write(base, other, pieces, numbers, f"From {name}")
    _fits(body, max((base.body, other.body), key=_lines))
    proof.check(base, other, body, pieces, f"From {name}")
    return Joined(body, kind, _texts(other, {piece.other for piece in pieces if piece.other >= 0}))


def _fits(body: str, longer: str) -> None:
    """A body that nobody would read to its end is no gain."""
    total = len(body.rstrip("\n").split("\n"))
    if _lines(body) > _lines(longer) and total > _LONG:
        raise Misplaced(f"the two together would have {total} lines; more than {_LONG} are too many")
    if _lines(body) > max(_GROWTH * _lines(longer), _lines(longer) + _SMALL):
        raise Misplaced(
            f"the two together would have {_lines(body)} lines of text; the longer one has {_lines(longer)}"
        )


def _grows(base: Text, other: Text, found: Match) -> bool:
    """Other says all that the base says, under the same headings and in the same order."""
    order = [found.block[at] for at in sorted(found.block)]
    same = all(at in found.fuller or other.keys[at] == base.keys[here] for at, here in found.block.items())
    title, other_title = (text.keys[text.top.head] if text.top.head >= 0 else None for text in (base, other))
    return same and order == sorted(order) and title in (None, other_title)


def _kind(base: Text, other: Text, found: Match, mine: list[int], left: list[int]) -> int:
    lines = [{wording.words(line) for line in text.body.split("\n")} - {()} for text in (base, other)]
    if all(len(one - two) <= _FEW * len(one) for one, two in permutations(lines)):
        return 2
    headings = [sum(1 for _ in text.top.all()) - 1 for text in (base, other)]
    if len(found.sections) - 1 < _SHARED * min(headings) or min(headings) == 0 < max(headings):
        return 5
    kinds = {base.blocks[at].kind for at in mine} | {other.blocks[at].kind for at in left}
    return 3 if kinds <= {"item"} else 4


def _texts(other: Text, blocks: set[int]) -> tuple[str, ...]:
    return tuple(other.blocks[at].text.rstrip("\r\n") for at in sorted(blocks))


def _lines(text: str) -> int:
    return sum(1 for line in text.split("\n") if line.strip())
