"""Search: building the index, seeing one changed note, asking, a cold command line; beside other engines.

The notes are search_corpus.py's (4 KB, words as frequent as people use them). Ratios are to the floor of the same run:
a plain FTS5 table for building and asking, a walk with stat for seeing what changed, `python -c pass` for the command.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from benchmarks import measure
from benchmarks import place
from benchmarks import search_corpus
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row

TITLE = "search (x = to FTS5 alone, to a walk with stat, to python -c pass)"
QUERIES = 200
P50_MS, P99_MS = {1000: 3, 10_000: 3, 100_000: 10}, {1000: 20, 10_000: 20, 100_000: 60}
_FOUND, _UNKNOWN = ("zookend", "cable"), ("printer", "cable")  # of the made-up words one is a word, none is
A_SECOND = 2000  # notes that the index takes in, in a CPU second


def run(size: int, quick: bool) -> list[Row]:
    place.compile_all()
    root = search_corpus.vault(size)
    kinds = ["ours", "fts5"]
    kinds += ["tantivy"] if importlib.util.find_spec("tantivy") else []
    kinds += ["ripgrep"] if shutil.which("rg") else []
    told = {kind: _worker(kind, root, 40 if quick else QUERIES) for kind in kinds}
    ours, floor = told["ours"], told["fts5"]
    rows = []
    for kind, one in told.items():
        name = "FTS5 alone" if kind == "fts5" else kind
        if "build" in one:
            a_second = size / one["build"][1]
            extra = {"notes a CPU second": round(a_second), "MB on disk": round(one["bytes"] / 1e6, 1)}
            made = _row(f"build: {name}", size, [one["build"]], [floor["build"]], one["peak"], extra)
            words = f"{a_second:,.0f} notes a CPU second, {one['bytes'] / 1e6:.0f} MB"
            made = made._replace(target=words)
            if kind == "ours":
                made = made._replace(target=f"{words}; {A_SECOND:,} wanted", met=a_second >= A_SECOND)
            rows.append(made)
        p99 = sorted(wall for wall, _ in one["queries"])[len(one["queries"]) * 99 // 100] * 1000
        made = _row(f"ask: {name}", size, one["queries"], floor["queries"], 0, {"p99 ms": round(p99, 2)})
        made = made._replace(target=f"p99 {p99:.1f} ms")
        if kind == "ours" and size in P50_MS:
            wanted = f"p50 <= {P50_MS[size]} ms, p99 <= {P99_MS[size]} ms: {p99:.1f}"
            made = made._replace(target=wanted, met=made.wall_ms <= P50_MS[size] and p99 <= P99_MS[size])
        rows.append(made)
    rows.append(_row("floor: walk and stat", size, ours["walk"], None, 0, None))
    for what in ("refresh, new process", "refresh"):
        made = _row(f"{what}, one note changed", size, ours[what], ours["walk"], 0, None)
        rows.append(made._replace(target="<= 2 x", met=made.wall_ratio is not None and made.wall_ratio <= 2))
    rows.append(_row("HEAD, first time", size, ours["at"][:1], None, 0, None))
    rows.append(_row("HEAD, again", size, ours["at"][1:], None, 0, None))
    rows.append(_row("ask: ours, of a commit", size, ours["queries at a commit"], None, 0, None))
    return rows + _cold(root, size, quick)


def _worker(kind: str, root: str, queries: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.search_worker", kind, root, str(queries)]
    done = subprocess.run(command, cwd=place.ROOT, env=place.environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{kind}: {done.stderr[-2000:]}")
    made: dict[str, Any] = json.loads(done.stdout)
    return made


Times = list[list[float]]  # wall and CPU seconds of each run


def _row(what: str, size: int, times: Times, floor: Times | None, peak: int, extra: dict[str, Any] | None) -> Row:
    samples = [Sample(wall, cpu, peak) for wall, cpu in times]
    below = [Sample(wall, cpu, 0) for wall, cpu in floor] if floor else None
    return row("search", what, size, samples, below, extra=extra)


def _cold(root: str, size: int, quick: bool) -> list[Row]:
    env, start = place.environment(), place.program()
    bare = "floor: python -c pass"
    ways: dict[str, Callable[[int], Sample]] = {
        bare: lambda _: measure.run([sys.executable, "-c", "pass"], cwd=root, env=env).sample,
        "vaultgit search": lambda _: measure.run([*start, "search", *_FOUND], cwd=root, env=env).sample,
        "vaultgit search, no such word": lambda _: measure.run([*start, "search", *_UNKNOWN], cwd=root, env=env).sample,
    }
    taken = measure.in_turns(4 if quick else 15, ways, warm_up=2)
    rows = [row("search", bare, size, taken[bare])]
    wanted = {"target": "<= 6 x", "ratio": 6.0} if size <= 10_000 else {"target": "most of it is the walk"}
    return [*rows, *(row("search", name, size, taken[name], taken[bare], **wanted) for name in list(ways)[1:])]  # type: ignore[arg-type]
