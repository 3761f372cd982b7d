"""How long an edit holds git's index.lock, and where the time of an edit goes, step by step."""

from __future__ import annotations

from statistics import median

from benchmarks import corpus
from benchmarks import measure
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row
from benchmarks.warm import Floor
from benchmarks.warm import Worker

TITLE = "index.lock held by an edit (x = to one `git update-index`, which holds it nearly all its time)"
FLOOR = "floor: git update-index"
OURS = "vaultgit: from index-locked to released"


def run(size: int, quick: bool) -> list[Row]:
    vaults = corpus.vaults(size)
    floor = Floor(vaults.plain)
    spent: dict[str, list[float]] = {}
    with Worker(vaults.ours) as worker:

        def ours(number: int) -> Sample:
            answer = worker.edit(trace=True)
            before, at = 0.0, {}
            for name, when in [*answer["steps"], ("returned", answer["wall"])]:
                if number >= 0:
                    spent.setdefault(name, []).append(when - before)
                before = at[name] = when
            return Sample(at["released"] - at["index-locked"], 0, 0)

        ways = {FLOOR: lambda _: floor.update_index(), OURS: ours}
        taken = measure.in_turns(5 if quick else 25 if size < 50_000 else 12, ways, warm_up=2)
    held = row(
        "index.lock", OURS, size, taken[OURS], taken[FLOOR], target="<= 10 ms at 10k",
        limit_ms=10.0 if size == 10_000 else None, extra={"ms before each step": _medians(spent)},
    )  # fmt: skip
    return [row("index.lock", FLOOR, size, taken[FLOOR]), held._replace(cpu_ratio=None)]


def _medians(spent: dict[str, list[float]]) -> dict[str, float]:
    return {name: round(median(times) * 1000, 2) for name, times in spent.items()}
