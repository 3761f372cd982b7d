"""64 edits that waited, landed in one round: a commit each, one plan. Milliseconds are per edit."""

from __future__ import annotations

from benchmarks import corpus
from benchmarks import measure
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row
from benchmarks.warm import Floor
from benchmarks.warm import Worker

TITLE = "64 queued edits in one round, per edit (x = to one fast-import of 64 commits + one update-index)"
FLOOR = "floor: fast-import + update-index"
LAND = "vaultgit: landing"
ACCEPT = "vaultgit: accepting (checks, queue, fsync)"
COUNT = 64


def run(size: int, quick: bool) -> list[Row]:
    vaults = corpus.vaults(size)
    floor = Floor(vaults.plain)
    accepted: list[Sample] = []
    with Worker(vaults.ours) as worker:

        def ours(number: int) -> Sample:
            answer = worker.ask(do="queue", n=COUNT)
            if number >= 0:
                accepted.append(Sample(answer["accept_wall"], answer["accept_cpu"], 0))
            return Sample(answer["wall"], answer["cpu"], 0)

        worker.edit()
        ways = {FLOOR: lambda _: floor.fast_import(COUNT), LAND: ours}
        taken = measure.in_turns(2 if quick else 5, ways)
    taken[LAND] = [one._replace(peak=worker.peak) for one in taken[LAND]]
    return [
        row("queued", FLOOR, size, taken[FLOOR], per=COUNT),
        row("queued", LAND, size, taken[LAND], taken[FLOOR], per=COUNT, target="<= 8 ms", limit_ms=8.0),
        row("queued", ACCEPT, size, accepted, per=COUNT),
    ]
