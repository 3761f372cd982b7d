"""How much of a task a note has: search always answers with the best there is, here is told whether that is enough."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.recall import words
from vaultgit.recall.candidate import idf

if TYPE_CHECKING:
    from vaultgit.recall.index import View

ENOUGH = 0.35  # share of what a task says that lines of a note must have
_TELLING = 6  # words of a task, the rarest, that its share is taken of: no note has every word of a long task
_BESIDE = 2  # lines above and below that belong to a line
_LESS = 0.7  # of a word's weight where another one stands in its place


class Wanted(NamedTuple):
    """What is asked for. `weights`: stem -> how rare it is; `unknown`: words of the task that no note has."""

    weights: dict[str, float]
    total: float
    unknown: tuple[str, ...]

    def share(self, lines: Sequence[str], names: str) -> float:
        """How much of the task stands together in a note, from 0 to 1: in a few lines of it and what it is called.
        Both are given as stems."""
        named = self.weights.keys() & set(names.split())
        found = [self.weights.keys() & set(line.split()) for line in lines]
        best, before = 0.0, frozenset[str]()
        for number, line in enumerate(found):
            if line:
                together = named.union(*found[max(0, number - _BESIDE) : number + _BESIDE + 1])
                if together != before:
                    before = frozenset(together)
                    best = max(best, sum(self.weights[stem] for stem in sorted(together)))
        best = best or sum(self.weights[stem] for stem in sorted(named))
        return min(1.0, best / self.total) if self.total else 0.0


def wanted(view: View, asked: str, instead: Mapping[str, Sequence[str]]) -> Wanted:
    """What the words of a task weigh in this vault. `instead`: what search looked for in place of unknown words."""
    notes = view.size[0]
    weights: dict[str, float] = {}
    missing: dict[str, float] = {}
    for word in words.found(asked):
        if words.is_stop(word):
            continue
        for stem in words.asked(word):
            df = view.df(stem)
            if df:
                weights[stem] = idf(df, notes)
            else:
                missing[word] = idf(df, notes)
        for other in instead.get(word, ()):
            for stem in words.asked(other):
                weights.setdefault(stem, _LESS * idf(view.df(stem), notes))
    every = sorted([*weights.values(), *missing.values()], reverse=True)
    total = sum(every[:_TELLING])
    return Wanted(weights, total, tuple(missing))
