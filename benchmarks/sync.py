"""`vaultgit sync` from a cold start beside git's own pull and push, over a bare repository on the same disk."""

from __future__ import annotations

import os
from collections.abc import Callable

from benchmarks import corpus
from benchmarks import measure
from benchmarks import place
from benchmarks.measure import Sample
from benchmarks.place import git
from benchmarks.report import Row
from benchmarks.report import row

TITLE = "sync (x = to git fetch, merge and push of the same, by shell)"
PLAIN = "git fetch -q origin && git merge -q --no-edit origin/main && git push -q origin main"
MOMENTS = ("level", "one commit out", "one commit in", "one in, one out")


def run(size: int, quick: bool) -> list[Row]:
    place.compile_all()
    sides = _Sides(corpus.vaults(size).ours)
    rows = []
    for moment in MOMENTS:
        floor, ours = f"floor: git, {moment}", f"vaultgit sync, {moment}"
        ways = {
            floor: sides.measured(moment, ["sh", "-c", PLAIN]),
            ours: sides.measured(moment, [*place.program(), "sync"]),
        }
        taken = measure.in_turns(4 if quick else 12, ways, warm_up=1)
        rows += [row("sync", floor, size, taken[floor]), row("sync", ours, size, taken[ours], taken[floor])]
    return rows


class _Sides:
    """Three clones of one bare repository: one that is measured with git, one with vaultgit, one that pushes."""

    def __init__(self, vault: str) -> None:
        self.folder = os.path.join(place.OUT, "sync")
        place.remove(self.folder)
        os.makedirs(self.folder)
        git(self.folder, "clone", "-q", "--bare", "--no-local", vault, "bare")
        for name in ("here", "there"):
            git(self.folder, "clone", "-q", "bare", name)
        for name in ("here", "there"):
            measure.run(
                [*place.program(), "init", "--yes"], cwd=os.path.join(self.folder, name), env=place.environment()
            )
            git(os.path.join(self.folder, name), "pull", "-q", "--no-edit")
            git(os.path.join(self.folder, name), "push", "-q")
        self.number = 0

    def measured(self, moment: str, command: list[str]) -> Callable[[int], Sample]:
        def once(_: int) -> Sample:
            here, there = (os.path.join(self.folder, name) for name in ("here", "there"))
            git(here, "pull", "-q", "--no-edit")
            git(here, "push", "-q")
            git(there, "pull", "-q", "--no-edit")
            if "in" in moment.replace(",", "").split():
                self._commit(there)
                git(there, "push", "-q")
            if "out" in moment.split():
                self._commit(here)
            return measure.run(command, cwd=here, env=place.environment()).sample

        return once

    def _commit(self, folder: str) -> None:
        self.number += 1
        with open(os.path.join(folder, f"note of {os.path.basename(folder)}.md"), "a", encoding="utf-8") as stream:
            stream.write(f"line {self.number}\n")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--no-verify", "-m", f"line {self.number}")
