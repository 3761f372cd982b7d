"""Where the blocks of another body go among those of the base: after their last shared neighbour."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Mapping

from vaultgit.passes.join.joints import Misplaced
from vaultgit.passes.join.joints import Piece
from vaultgit.passes.join.joints import leads
from vaultgit.passes.join.joints import leans
from vaultgit.passes.join.joints import torn
from vaultgit.passes.join.sections import Match
from vaultgit.passes.join.sections import Section
from vaultgit.passes.join.sections import Text
from vaultgit.passes.join.wording import short


def place(base: Text, other: Text, match: Match, like: Mapping[int, int]) -> list[Piece]:
    """The blocks of both, the base's in their order. `like`: blocks of other -> the block of base that is worded alike.

    Raises Misplaced.
    """
    placing = _Placing(base, other, match, like)
    for one, two in match.sections:
        placing.own(one, two)
        placing.parts(one, two)
    return placing.pieces()


def append(base: Text, other: Text, match: Match, left: list[int]) -> list[Piece]:
    """The base, and below a heading of its own what only other says, with the headings above it. Raises Misplaced."""
    for at in left:
        for one, two in ((at - 1, at), (at, at + 1)):
            if not {one, two} <= set(left) and (leads(other, one, two) or leans(other, one, two)):
                words = short(other.blocks[at].words)
                raise Misplaced(f"“{words}” would not be understood without what stands beside it")
    heads = {section.head for section in other.top.all() if not set(left).isdisjoint(section.inside())}
    shown = sorted({*left, *heads} - {other.top.head, -1})
    down = 3 - min((other.blocks[at].level for at in shown if other.blocks[at].level), default=3)
    added = [Piece(-1, at, down=down if other.blocks[at].level else 0) for at in shown]
    return [*_kept(base, match), Piece(-1, -1), *added]


def _kept(base: Text, match: Match) -> list[Piece]:
    """The blocks of the base, or what other says in their place and more."""
    fuller = {match.block[at]: at for at in match.fuller}
    return [Piece(at, fuller.get(at, -1), series) for at, series in enumerate(base.series)]


class _Placing:
    def __init__(self, base: Text, other: Text, match: Match, like: Mapping[int, int]) -> None:
        self._base, self._other, self._match, self._like = base, other, match, like
        self._at: dict[int, list[Piece]] = defaultdict(list)  # a block of base -> what goes before it
        self._gap: dict[int, int] = {}  # a block of other that was placed -> the block of base that it goes before
        self._paired = {two.head for _, two in match.sections}

    def pieces(self) -> list[Piece]:
        found: list[Piece] = []
        own = _kept(self._base, self._match)
        for at in range(len(own) + 1):
            added = sorted(self._at[at], key=lambda piece: piece.other)
            if added and (words := self._torn(added, at)):
                raise Misplaced(f"there is no place where “{words}” would still be understood")
            found += [*added, *own[at : at + 1]]
        return found

    # -- what stands in a section itself ----------------------------------------------------------------------

    def own(self, one: Section, two: Section) -> None:
        """The blocks between a heading and the next one."""
        lists = self._lists(one, two)
        run: list[int] = []
        for at in two.own:
            twin = lists.get(self._other.series[at], -1)
            if at not in self._match.block and twin < 0:
                if not self._other.is_rule(at):
                    run.append(at)
                continue
            self._run(one, two, run)
            run = []
            if at not in self._match.block:
                self._put(Piece(-1, at, twin), self._in_list(at, one, two, twin))
        self._run(one, two, run)

    def _lists(self, one: Section, two: Section) -> dict[int, int]:
        """Which list of the base goes on with the items of which list of other: they share an item, or they follow
        the same block."""
        found: dict[int, int] = {}
        for at in two.own:
            here = self._here(at, one)
            if here >= 0 and self._other.series[at] >= 0 and self._base.series[here] >= 0:
                found.setdefault(self._other.series[at], self._base.series[here])
        for at in two.own:
            series = self._other.series[at]
            if series < 0 or series in found or self._other.series.index(series) != at:
                continue
            if at - 1 == two.head:
                there = one.head + 1
            else:
                there = self._here(at - 1, one) + 1 or len(self._base.blocks)
            twin = self._base.series[there] if there in one.own else -1
            ordered = self._other.blocks[at].ordered
            if twin < 0 or twin in found.values() or self._base.blocks[there].ordered != ordered:
                continue
            if ordered:
                raise Misplaced("the two have different numbered steps in the same place")
            found[series] = twin
        return found

    def _here(self, at: int, one: Section) -> int:
        """The counterpart of a block of other, if it stands in this section of the base."""
        here = self._match.block.get(at, -1)
        return here if here in one.own else -1

    def _in_list(self, at: int, one: Section, two: Section, twin: int) -> int:
        """Before which block of the base an item goes: after the one it is worded like, after the last shared one."""
        like = self._like.get(at, -1)
        if like in one.own and self._base.series[like] == twin:
            return like + 1
        mates = [n for n in two.own if self._other.series[n] == self._other.series[at]]
        shared = {n: here for n in mates if (here := self._here(n, one)) >= 0 and self._base.series[here] == twin}
        for n in reversed([n for n in mates if n < at]):
            if n in self._gap:
                return self._gap[n]
            if n in shared:
                return shared[n] + 1
        if shared:
            return shared[min(shared)]
        return max(n for n in one.own if self._base.series[n] == twin) + 1

    def _run(self, one: Section, two: Section, run: list[int]) -> None:
        """Blocks that stand together in other and stay together."""
        if not run:
            return
        added = [Piece(-1, at) for at in run]
        gaps = list(self._gaps(one, two, run))
        best = next((gap for gap in gaps if not self._torn(added, gap)), gaps[0])
        for piece in added:
            self._put(piece, best)

    def _gaps(self, one: Section, two: Section, run: list[int]) -> Iterator[int]:
        """Where a run may go, best first: after what it is worded like, after the last shared block or the list that
        this belongs to, before the next shared one, at the end of the section."""
        if self._like.get(run[0], -1) in one.own:
            yield self._like[run[0]] + 1
        for at in reversed([at for at in two.own if at < run[0]]):
            if at in self._gap or self._here(at, one) >= 0:
                gap = self._gap.get(at, self._here(at, one) + 1)
                yield gap
                series = self._base.series
                while gap in one.own and series[gap] == series[gap - 1] >= 0:
                    gap += 1
                yield gap
                break
        for at in two.own:
            if at > run[-1] and self._here(at, one) >= 0:
                yield self._here(at, one)
                break
        own = [at for at in one.own if not self._base.is_rule(at)]
        yield own[-1] + 1 if own else one.head + 1

    def _torn(self, added: list[Piece], gap: int) -> str:
        return torn(self._base, self._other, self._match, gap - 1, added, gap)

    def _put(self, piece: Piece, gap: int) -> None:
        self._gap[piece.other] = gap
        self._at[gap].append(piece)

    # -- sections that the base has not -----------------------------------------------------------------------

    def parts(self, one: Section, two: Section) -> None:
        """Whole sections below one that both have: after the one they follow in other."""
        twins = [self._match.block.get(part.head, -1) for part in two.parts]
        ends = {section.head: section.end for section in one.parts if section.head in twins}
        gap = -1
        for n, part in enumerate(two.parts):
            if twins[n] in ends:
                gap = ends[twins[n]]
            elif part.head not in self._paired:
                if gap < 0:
                    gap = next((head for head in twins[n:] if head in ends), one.end)
                self._section(part, one, gap)

    def _section(self, part: Section, one: Section, gap: int) -> None:
        blocks = list(self._new(part))
        while self._other.is_rule(blocks[-1]):
            blocks.pop()
        if all(self._other.blocks[at].level and not self._other.blocks[at].is_step for at in blocks):
            return  # what it holds stands elsewhere
        levels = [section.level for section in one.parts]
        level = part.level if part.level in levels else levels[0] if levels else max(part.level, one.level + 1)
        if (
            blocks[0] > 0
            and self._other.is_rule(blocks[0] - 1)
            and "rule" in {block.kind for block in self._base.blocks}
        ):
            blocks.insert(0, blocks[0] - 1)
        while gap > 0 and self._base.is_rule(gap - 1):  # a line between sections stays above the next one
            gap -= 1
        for at in blocks:
            self._put(Piece(-1, at, down=level - part.level if self._other.blocks[at].level else 0), gap)

    def _new(self, part: Section) -> Iterator[int]:
        """The blocks of a section and of those below it, but for what the base has somewhere."""
        yield part.head
        yield from (at for at in part.own if at not in self._match.block)
        for below in part.parts:
            if below.head not in self._paired:
                yield from self._new(below)
