"""One edit from within a running process: checks, queue, fsync, a commit, the index, the disk, the changelog's line."""

from __future__ import annotations

from benchmarks import corpus
from benchmarks import measure
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row
from benchmarks.warm import Floor
from benchmarks.warm import Worker

TITLE = "warm edit: a new note + its changelog line + a commit, fsync on (x = to fast-import + update-index)"
FLOOR = "floor: fast-import + update-index"
GIT = "git add + git commit"
OURS = "vaultgit: write + submit"


def run(size: int, quick: bool) -> list[Row]:
    vaults = corpus.vaults(size)
    floor = Floor(vaults.plain)
    with Worker(vaults.ours) as worker:

        def ours(_: int) -> Sample:
            answer = worker.edit()
            return Sample(answer["wall"], answer["cpu"], 0)

        ways = {FLOOR: lambda _: floor.fast_import(), OURS: ours, GIT: lambda _: floor.add_and_commit()}
        taken = measure.in_turns(5 if quick else 25 if size < 50_000 else 12, ways, warm_up=2)
    times = 2.0 if size <= 1000 else 1.5 if size <= 10_000 else 1.2
    taken[OURS] = [one._replace(peak=worker.peak) for one in taken[OURS]]
    return [
        row("warm edit", FLOOR, size, taken[FLOOR]),
        row("warm edit", OURS, size, taken[OURS], taken[FLOOR], target=f"<= {times} x", ratio=times),
        row("warm edit", GIT, size, taken[GIT], taken[FLOOR]),
    ]
