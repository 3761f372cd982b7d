"""How much two skills have in common, and whether that makes them duplicates if nothing speaks against it."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from vaultgit.passes.likeness.align import ALIKE
from vaultgit.passes.likeness.align import Change
from vaultgit.passes.likeness.align import align
from vaultgit.passes.likeness.align import changes
from vaultgit.passes.likeness.align import likeness
from vaultgit.passes.likeness.index import Index
from vaultgit.passes.likeness.reading import STEP
from vaultgit.passes.likeness.reading import Unit


class Score(NamedTuple):
    """`jaccard` and `containment`: of the phrases that few skills have. `trigger`: cosine of the triggers. `matched`:
    how many steps both have; `steps`: as a share of those of the one that has fewer. `same`: equal bodies."""

    jaccard: float
    containment: float
    trigger: float
    steps: float
    matched: int
    same: bool


class Both:
    """Two skills side by side."""

    def __init__(self, index: Index, one: int, other: int) -> None:
        self.index = index
        self.numbers = (one, other)
        self.one, self.other = index.reading(one), index.reading(other)
        self.same = index.entries[one].body == index.entries[other].body

    @cached_property
    def trigger(self) -> float:
        return self.index.triggers(*self.numbers)

    @cached_property
    def pairs(self) -> list[tuple[Unit, Unit]]:
        """Their lines, laid side by side."""
        return align(self.one.units, self.other.units)

    @cached_property
    def changes(self) -> list[Change]:
        """What differs within the lines that belong together."""
        return [change for pair in self.pairs for change in changes(*pair)]

    @cached_property
    def shared(self) -> list[tuple[Unit, Unit]]:
        """The steps that both have."""
        return [pair for pair in self.pairs if pair[0].kind == pair[1].kind == STEP and likeness(*pair) >= ALIKE]

    @cached_property
    def rare(self) -> tuple[float, float]:
        """Jaccard and containment of their rare phrases. Bodies that are equal may have none, where many are."""
        if self.same:
            return 1.0, 1.0
        one, other = (self.index.rare(number) for number in self.numbers)
        both = len(one & other)
        least = min(len(one), len(other))
        return (both / (len(one) + len(other) - both), both / least) if least else (0.0, 0.0)

    @cached_property
    def steps(self) -> tuple[float, int]:
        """Steps that both have and few others: as a share of those of the one that has fewer, and how many."""
        tells = self.index.step_is_rare
        matched = sum(1 for one, other in self.shared if tells(one.means) and tells(other.means))
        least = min(sum(1 for step in side.steps if tells(step.means)) for side in (self.one, self.other))
        return (matched / least, matched) if least else (0.0, 0)

    @property
    def score(self) -> Score:
        return Score(*self.rare, self.trigger, *self.steps, self.same)


def is_like(both: Both) -> bool:
    """Whether they may be duplicates: what costs least is asked first."""
    jaccard, containment = both.rare
    if both.same or jaccard >= 0.8:
        return True
    if both.trigger < 0.5:
        return False
    if containment >= 0.5 or (both.trigger >= 0.8 and containment >= 0.15):
        return True
    share, matched = both.steps
    return (share >= 0.6 and matched >= 4) or (both.trigger >= 0.8 and share >= 0.3 and matched >= 3)
