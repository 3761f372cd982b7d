"""Recall, mean reciprocal rank and nDCG of what was found, with intervals by resampling the questions."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.retrieval_vault import KINDS
from benchmarks.retrieval_vault import Question

_RESAMPLED = 1000
_SEED = 7
MEASURES = ("R@1", "R@3", "R@5", "R@10", "MRR", "nDCG@10")


class Score(NamedTuple):
    """Of one question; `values` in the order of MEASURES."""

    kind: str
    values: tuple[float, ...]


class Row(NamedTuple):
    """Mean, and the interval that 95 of 100 resamplings fall into, of each measure."""

    way: str
    kind: str
    questions: int
    values: dict[str, tuple[float, float, float]]


def score(question: Question, found: Sequence[str]) -> Score:
    notes, ranked = question.notes, list(dict.fromkeys(found))
    recalls = [len(notes.intersection(ranked[:k])) / len(notes) for k in (1, 3, 5, 10)]
    places = [n for n, path in enumerate(ranked, 1) if path in notes]
    gained = sum(1 / math.log2(n + 1) for n in places if n <= 10)
    best = sum(1 / math.log2(n + 1) for n in range(1, min(len(notes), 10) + 1))
    return Score(question.kind, (*recalls, 1 / places[0] if places else 0.0, gained / best))


def rows(way: str, scores: Sequence[Score]) -> list[Row]:
    made = []
    for kind in ("all", *KINDS):
        of_kind = [one.values for one in scores if kind in ("all", one.kind)]
        if of_kind:
            made.append(Row(way, kind, len(of_kind), dict(zip(MEASURES, _intervals(of_kind), strict=True))))
    return made


def table(title: str, shown: Sequence[Row]) -> str:
    cells = [("way", "kind", "n", *MEASURES)]
    for row in shown:
        cells.append((row.way, row.kind, str(row.questions), *(_shown(*row.values[one]) for one in MEASURES)))
    widths = [max(len(line[n]) for line in cells) for n in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
    return "\n".join([f"\n{title}", *(line.rstrip() for line in lines)])


def difference(name: str, one: Sequence[Score], other: Sequence[Score]) -> str:
    """The same questions, one way and the other: mean difference with its interval."""
    pairs = [tuple(a - b for a, b in zip(x.values, y.values, strict=True)) for x, y in zip(one, other, strict=True)]
    cells = [f"{measure} {_shown(*of)}" for measure, of in zip(MEASURES, _intervals(pairs), strict=True)]
    return f"{name}: {'  '.join(cells)}"


def _intervals(values: Sequence[tuple[float, ...]]) -> list[tuple[float, float, float]]:
    chance = random.Random(_SEED)
    means = []
    for _ in range(_RESAMPLED):
        drawn = chance.choices(values, k=len(values))
        means.append([sum(column) / len(values) for column in zip(*drawn, strict=True)])
    made = []
    for n, column in enumerate(zip(*values, strict=True)):
        of_measure = sorted(one[n] for one in means)
        low, high = of_measure[_RESAMPLED // 40], of_measure[-_RESAMPLED // 40 - 1]
        made.append((sum(column) / len(values), low, high))
    return made


def _shown(mean: float, low: float, high: float) -> str:
    return f"{mean:.3f} [{low:.3f} {high:.3f}]"
