"""The lines of two skills laid side by side: the same, nearly the same, or one in the other's place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from vaultgit.passes.likeness.reading import Unit

ALIKE = 0.5  # two lines share so much of their words
REMOTE = 0.2  # ... and at least this, where their neighbours say that they belong together
LONG = 60  # lines that hold a word: beyond, it finds no partners
GAP = 8  # lines between two pairs
FEW = 3  # words that change at one place


class Change(NamedTuple):
    """Words of one line in whose place the other line has `to`. Either may be empty."""

    words: tuple[str, ...]
    to: tuple[str, ...]
    one: Unit
    other: Unit

    @property
    def swaps(self) -> Iterable[tuple[str, str]]:
        """Word for word, where there are as many on both sides."""
        return zip(self.words, self.to, strict=True) if len(self.words) == len(self.to) else ()


def align(ones: Sequence[Unit], others: Sequence[Unit]) -> list[tuple[Unit, Unit]]:
    """Pairs of lines, in the order of the first skill; each line once."""
    to = _equal(ones, others)
    taken = set(to.values())
    left = [n for n in range(len(ones)) if n not in to]
    right = [n for n in range(len(others)) if n not in taken]
    to.update(_alike(ones, left, others, right))
    to.update(_between(ones, others, to))
    return [(ones[n], others[to[n]]) for n in sorted(to)]


def likeness(one: Unit, other: Unit) -> float:
    """Share of the words that two lines have in common."""
    a, b = set(one.means), set(other.means)
    return len(a & b) / len(a | b)


def _equal(ones: Sequence[Unit], others: Sequence[Unit]) -> dict[int, int]:
    waiting: dict[tuple[str, ...], list[int]] = {}
    for n in range(len(others) - 1, -1, -1):
        waiting.setdefault(others[n].means, []).append(n)
    return {n: waiting[one.means].pop() for n, one in enumerate(ones) if waiting.get(one.means)}


def _alike(ones: Sequence[Unit], left: list[int], others: Sequence[Unit], right: list[int]) -> dict[int, int]:
    """The most alike first. Only lines that share a word that is not in very many are looked at."""
    holds: dict[str, list[int]] = {}
    for n in right:
        for word in set(others[n].means):
            holds.setdefault(word, []).append(n)
    rated = []
    for n in left:
        mine = set(ones[n].means)
        near: Counter[int] = Counter()
        for word in mine:
            partners = holds.get(word, ())
            if len(partners) <= LONG:
                near.update(partners)
        for m, shared in near.items():
            if shared * 4 < len(mine):
                continue
            rate = likeness(ones[n], others[m])
            if rate >= ALIKE:
                rated.append((-rate, abs(n - m), n, m))
    to: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, n, m in sorted(rated):
        if n not in to and m not in taken:
            to[n] = m
            taken.add(m)
    return to


def _between(ones: Sequence[Unit], others: Sequence[Unit], to: dict[int, int]) -> dict[int, int]:
    """Lines between the same two pairs, as many here as there, of the same kinds and not wholly different."""
    found: dict[int, int] = {}
    anchors = [(-1, -1), *sorted(to.items()), (len(ones), len(others))]
    for (n, m), (after, after_m) in pairwise(anchors):
        count = after - n - 1
        if 0 < count <= GAP and after_m - m - 1 == count:
            for step in range(1, count + 1):
                one, other = ones[n + step], others[m + step]
                if one.kind == other.kind and likeness(one, other) >= REMOTE:
                    found[n + step] = m + step
    return found


def changes(one: Unit, other: Unit) -> list[Change]:
    """What differs in two lines that belong together, in words; where much differs at one place, nothing is told."""
    if one.words == other.words:
        return []
    matcher = SequenceMatcher(None, one.words, other.words, autojunk=False)
    return [
        Change(one.words[a:b], other.words[c:d], one, other)
        for what, a, b, c, d in matcher.get_opcodes()
        if what != "equal" and max(b - a, d - c) <= FEW
    ]
