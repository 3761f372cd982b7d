"""A body as a tree of sections, and which sections and blocks of two bodies are the same."""

from __future__ import annotations

import re
from collections import Counter
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from typing import NamedTuple

from vaultgit.notes import procedure
from vaultgit.notes.procedure import Block
from vaultgit.passes.join import wording
from vaultgit.passes.join.wording import Key

_ENOUGH = 4  # words of a block that is known again in any section, as `Example:` is not
_MOST = 10_000  # pairs of sections that are compared
_NUMBER = re.compile(r"\s*(\d{1,9})[.)]")


class Section(NamedTuple):
    """Blocks are numbers into `Text.blocks`. `head`: its heading, -1 where there is none. `own`: what stands between
    it and the next heading."""

    head: int
    level: int
    own: list[int]
    parts: list[Section]

    def all(self) -> Iterator[Section]:
        yield self
        for part in self.parts:
            yield from part.all()

    def inside(self) -> Iterator[int]:
        """All blocks below its heading, in order."""
        yield from self.own
        for part in self.parts:
            yield part.head
            yield from part.inside()

    @property
    def end(self) -> int:
        """The block after its last one."""
        return max(self.inside(), default=self.head) + 1


class Text(NamedTuple):
    """A body, read. `top`: the section that holds all others: the one below the title, if it begins with one.

    `series`: which run of items a block belongs to, -1 for none. A numbered list that goes on after a block between
    its items is one series, though markdown has two lists there.
    """

    body: str
    blocks: list[Block]
    keys: list[Key]
    top: Section
    series: list[int]

    @classmethod
    def read(cls, body: str) -> Text:
        blocks = procedure.blocks(body)
        return cls(body, blocks, [wording.key(block) for block in blocks], _tree(blocks), _series(blocks))

    def is_rule(self, at: int) -> bool:
        return self.blocks[at].kind == "rule"

    def tells(self, at: int) -> bool:
        """It is known again in any section."""
        block = self.blocks[at]
        return block.kind not in ("heading", "rule") and len(block.words.split()) >= _ENOUGH


class Match(NamedTuple):
    """What `other` shares with `base`. `block`: numbers in other -> numbers in base, one to one; headings too.

    `fuller`: blocks of other that say what their counterpart says, and more. `sections`: pairs, of base and of other.
    """

    block: dict[int, int]
    fuller: set[int]
    sections: list[tuple[Section, Section]]


def match(base: Text, other: Text) -> Match:
    found = Match({}, set(), _paired(base, other))
    for one, two in found.sections:
        if one.head >= 0 and two.head >= 0:
            found.block[two.head] = one.head
    for one, two in found.sections:
        _same(base, one.own, other, two.own, found.block)
    everywhere = (filter(text.tells, range(len(text.blocks))) for text in (base, other))
    _same(base, next(everywhere), other, next(everywhere), found.block)
    for one, two in found.sections:
        _contained(base, one.own, other, two.own, found)
    mine, left = (
        [at for at in only(text, known) if text.blocks[at].is_step or not text.blocks[at].level]
        for text, known in ((base, found.block.values()), (other, found.block))
    )
    if Counter(other.keys[at] for at in left) <= Counter(base.keys[at] for at in mine):
        _same(base, mine, other, left, found.block)  # nothing is new, if some of it stands in other sections
    return found


def only(text: Text, known: Iterable[int]) -> list[int]:
    """The blocks that are not shared. A heading is one if something below it is, or if it is a step. Lines between
    sections and the title do not count: the title is the skill's name."""
    shared = set(known)
    found = [at for at, block in enumerate(text.blocks) if at not in shared and block.kind not in ("heading", "rule")]
    heads = [part for part in text.top.all() if part is not text.top and part.head not in shared]
    new = set(found)
    return sorted([*found, *(part.head for part in heads if text.blocks[part.head].is_step or new & {*part.inside()})])


def number(block: Block) -> int:
    """The number of an item of a numbered list, else 0."""
    found = _NUMBER.match(block.text)
    return int(found[1]) if found else 0


def _same(base: Text, mine: Iterable[int], other: Text, theirs: Iterable[int], found: dict[int, int]) -> None:
    """Blocks that say the same, first to first."""
    taken = set(found.values())
    free: dict[Key, list[int]] = defaultdict(list)
    for at in mine:
        if at not in taken:
            free[base.keys[at]].append(at)
    for at in theirs:
        if at not in found and free[other.keys[at]]:
            found[at] = free[other.keys[at]].pop(0)


def _contained(base: Text, mine: list[int], other: Text, theirs: list[int], found: Match) -> None:
    """Blocks of which one says all that the other says."""
    taken = set(found.block.values())
    free = [at for at in mine if at not in taken]
    for at in theirs:
        if at in found.block:
            continue
        for here in free:
            shorter = wording.within(other.blocks[at], base.blocks[here])
            if shorter or wording.within(base.blocks[here], other.blocks[at]):
                found.block[at] = here
                free.remove(here)
                if not shorter:
                    found.fuller.add(at)
                break


# -- sections ---------------------------------------------------------------------------------------------


def _tree(blocks: list[Block]) -> Section:
    root = Section(-1, 0, [], [])
    above = [root]
    for at, block in enumerate(blocks):
        if block.level:
            while above[-1].level >= block.level:
                above.pop()
            section = Section(at, block.level, [], [])
            above[-1].parts.append(section)
            above.append(section)
        else:
            above[-1].own.append(at)
    if len(root.parts) == 1 and root.parts[0].level == 1:
        title = root.parts[0]
        return Section(title.head, 1, root.own + title.own, title.parts)
    return root


def _paired(base: Text, other: Text) -> list[tuple[Section, Section]]:
    """Sections that are the same: by their title below the same section, then by what they hold."""
    pairs: list[tuple[Section, Section]] = []

    def pair(one: Section, two: Section) -> None:
        pairs.append((one, two))
        mine, theirs = list(one.parts), list(two.parts)
        for alike in (_same_key, _same_title, _same_content):
            if alike is not _same_key and len(mine) * len(theirs) > _MOST:
                break
            for part in list(theirs):
                twin = next((section for section in mine if alike(base, section, other, part)), None)
                if twin is not None:
                    mine.remove(twin)
                    theirs.remove(part)
                    pair(twin, part)

    def free(text: Text, side: int) -> list[Section]:
        heads = {both[side].head for both in pairs}
        return [section for section in text.top.all() if section.head not in heads]

    pair(base.top, other.top)
    for part in free(other, 1) if len(free(base, 0)) * len(free(other, 1)) <= _MOST else []:
        if all(part.head != two.head for _, two in pairs):  # a section that stands below another one
            twin = next((section for section in free(base, 0) if _same_content(base, section, other, part)), None)
            if twin is not None:
                pair(twin, part)
    return sorted(pairs, key=lambda both: both[1].head)


def _same_key(base: Text, one: Section, other: Text, two: Section) -> bool:
    return base.keys[one.head] == other.keys[two.head]


def _same_title(base: Text, one: Section, other: Text, two: Section) -> bool:
    return wording.same_title(base.blocks[one.head].words, other.blocks[two.head].words)


def _same_content(base: Text, one: Section, other: Text, two: Section) -> bool:
    """At least half of the smaller one stands in the other, and something telling among it."""
    if wording.opposed(base.blocks[one.head].words, other.blocks[two.head].words):
        return False
    mine, theirs = (
        Counter(text.keys[at] for at in section.inside() if not text.is_rule(at))
        for text, section in ((base, one), (other, two))
    )
    shared = mine & theirs
    telling = any(base.keys[at] in shared and base.tells(at) for at in one.inside())
    return telling and shared.total() * 2 >= min(mine.total(), theirs.total())


def _series(blocks: list[Block]) -> list[int]:
    found: list[int] = []
    latest: dict[tuple[str, ...], tuple[int, int]] = {}  # section -> series and number of its last numbered item
    lists: dict[int, int] = {}
    for block in blocks:
        if block.kind != "item":
            found.append(-1)
            continue
        if block.list not in lists:
            series, last = latest.get(block.section, (-1, -1)) if block.ordered else (-1, -1)
            lists[block.list] = series if number(block) == last + 1 > 1 else len(lists)
        if block.ordered:
            latest[block.section] = (lists[block.list], number(block))
        found.append(lists[block.list])
    return found
