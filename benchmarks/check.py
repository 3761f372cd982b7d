"""`vaultgit check --all` against reading every byte of the notes, both from a cold start."""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median

from benchmarks import corpus
from benchmarks import measure
from benchmarks import place
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row

TITLE = "check --all, whole process (x = to reading all bytes of all notes)"
FLOOR = "floor: read all bytes"
READ = """
import os
for here, folders, files in os.walk("."):
    folders[:] = [name for name in folders if not name.startswith(".")]
    for name in files:
        with open(os.path.join(here, name), "rb") as stream:
            stream.read()
"""
WAYS = {
    "check --all": [],
    "check --all --only front-matter": ["--only", "front-matter"],
    "check --all --only secrets": ["--only", "secrets"],
}


def run(size: int, quick: bool) -> list[Row]:
    place.compile_all()
    vault, env = corpus.vaults(size).ours, place.environment()
    ways: dict[str, Callable[[int], Sample]] = {
        FLOOR: lambda _: measure.run([sys.executable, "-c", READ], cwd=vault, env=env).sample
    }
    for name, options in list(WAYS.items())[: 1 if size > 50_000 else None]:  # a minute each, there
        command = [*place.program(), "check", "--all", *options]
        ways[name] = lambda _, command=command: measure.run(command, cwd=vault, env=env).sample  # type: ignore[misc]
    rounds = 5 if size <= 1000 else 2
    taken = measure.in_turns(1 if quick or size > 50_000 else rounds, ways, warm_up=0 if size > 5000 else 1)
    rows = []
    for name in ways:
        a_second = size / median(s.cpu for s in taken[name])
        made = row("check", name, size, taken[name], taken[FLOOR], extra={"notes a CPU second": round(a_second)})
        rows.append(made._replace(target=f"{a_second:,.0f} notes a CPU second"))
        if name.endswith("front-matter"):
            rows[-1] = rows[-1]._replace(target=rows[-1].target + ", 3,400 wanted", met=a_second >= 3400)
    return rows
