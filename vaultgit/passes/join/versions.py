"""Two versions of one thing: both in one text would contradict or repeat one another, and rules cannot choose."""

from __future__ import annotations

import re

from vaultgit.passes.join import wording
from vaultgit.passes.join.joints import Misplaced
from vaultgit.passes.join.sections import Match
from vaultgit.passes.join.sections import Section
from vaultgit.passes.join.sections import Text

ALIKE = 0.5
_ABOUT = re.compile(
    r"\b(?:use|using|when|exclu\w+|scope|limit\w+|safety|resources?|references?|instructions?|files?)\b", re.IGNORECASE
)
_MOST = 100_000  # pairs of blocks that are compared


def reworded(base: Text, other: Text, found: Match, mine: list[int], left: list[int]) -> dict[int, int]:
    """Steps of other -> steps of the base that say something like it, where both can stand. Raises Misplaced.

    `mine`, `left`: the blocks that only the base, only other has.
    """
    if len(left) * len(mine) > _MOST:
        raise Misplaced("too much differs to compare it")
    _elsewhere(base, other, left)
    here = {at: one.head for one, _ in found.sections for at in one.own}
    there = {at: one.head for one, two in found.sections for at in two.own}
    alike = []
    for at in left:
        for twin in mine:
            one, two = base.blocks[twin], other.blocks[at]
            together = at in there and there[at] == here.get(twin)
            if together and (why := wording.repeats(one, two)):
                raise Misplaced(why)
            if (share := wording.share(one, two)) >= ALIKE:
                alike.append((share, at, twin, together))
    like: dict[int, int] = {}
    for _, at, twin, together in sorted(alike, reverse=True):
        if at not in like and twin not in like.values():
            if why := wording.clash(base.blocks[twin], other.blocks[at], together):
                raise Misplaced(why)
            like[at] = twin
    _sections(base, other, found, set(mine), set(left))
    return like


def apart(base: Text, other: Text, left: list[int]) -> bool:
    """What only other says may follow the base as a section of its own: nothing there says, or is called, what the
    base says or a part of it is called, and no part is about the skill as a whole."""
    above = {title for at in left for title in other.blocks[at].section}
    titles = above | {other.blocks[at].words for at in left if other.blocks[at].level}
    if other.top.head >= 0:
        titles.discard(other.blocks[other.top.head].words)
    own = [block.words for block in base.blocks if block.level]
    if any(_ABOUT.search(title) or any(wording.same_title(title, known) for known in own) for title in titles):
        return False
    return all(wording.share(block, other.blocks[at]) < ALIKE for at in left for block in base.blocks)


def _sections(base: Text, other: Text, found: Match, mine: set[int], left: set[int]) -> None:
    """Sections that have the same heading and else nothing in common, or of which both changed the text. What a skill
    says of itself at its beginning may be said twice."""
    longer = {here for at, here in found.block.items() if other.keys[at] != base.keys[here] and at not in found.fuller}
    for one, two in found.sections:
        inside, others = set(one.inside()), set(two.inside())
        new = not left.isdisjoint(others)
        title = f"“{wording.short(base.blocks[one.head].words)}”" if one.head >= 0 else "the beginning"
        if new and any(map(base.tells, inside)) and inside.isdisjoint(found.block.get(at, -1) for at in others):
            raise Misplaced(f"each has its own version of {title}" if one is not base.top else "they share no text")
        kinds = {"code", "table"} if one is base.top else {"code", "table", "prose"}
        if _changed(base, one, mine | longer, kinds) and _changed(other, two, left | found.fuller, kinds):
            raise Misplaced(f"each has text of its own in {title}")


def _changed(text: Text, section: Section, new: set[int], kinds: set[str]) -> bool:
    return any(at in new and text.blocks[at].kind in kinds for at in section.own)


def _elsewhere(base: Text, other: Text, left: list[int]) -> None:
    """What the base has in another shape: as an example in a fence, say."""
    lines = {wording.words(line) for line in base.body.split("\n")}
    for at in left:
        block = other.blocks[at]
        if other.tells(at) and all(wording.words(line) in lines for line in block.text.split("\n") if line.strip()):
            raise Misplaced(f"“{wording.short(block.words)}” stands in the other one as something else")
