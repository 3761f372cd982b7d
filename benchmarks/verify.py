"""`vaultgit verify` of a history of N edits. The size column counts edits, not notes."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import history
from benchmarks import measure
from benchmarks import place
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row

TITLE = "verify, whole process; sizes are edits in history (x = to git log of all messages)"
FLOOR = "floor: git log --format=%H %an %aI %B"


def run(size: int, quick: bool) -> list[Row]:
    place.compile_all()
    folder, env = history.history(size), place.environment()
    log = ["git", "log", "-z", "--no-decorate", "--format=%H%x00%an%x00%aI%x00%B"]
    ours, status = [*place.program(), "verify"], [*place.program(), "status"]
    assert measure.run(ours, cwd=folder, env=env).out == b"agrees: %d edits\n" % size
    ways: dict[str, Callable[[int], Sample]] = {
        FLOOR: lambda _: measure.run(log, cwd=folder, env=env).sample,
        "vaultgit verify": lambda _: measure.run(ours, cwd=folder, env=env).sample,
        "vaultgit status, in a fresh clone": lambda _: measure.run(status, cwd=folder, env=env).sample,
    }
    taken = measure.in_turns(3 if quick or size > 50_000 else 9, ways)
    return [row("verify", FLOOR, size, taken[FLOOR]),
            *(row("verify", name, size, taken[name], taken[FLOOR]) for name in list(ways)[1:])]  # fmt: skip
