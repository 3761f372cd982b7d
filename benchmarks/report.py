"""Rows of figures, as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median
from typing import Any
from typing import NamedTuple

from benchmarks import place
from benchmarks.measure import Sample


class Row(NamedTuple):
    """One thing measured at one size. Milliseconds are medians, per `per` edits or notes where it says so."""

    benchmark: str
    what: str
    size: int
    wall_ms: float
    wall_p90_ms: float
    cpu_ms: float
    peak_mb: float
    runs: int
    wall_ratio: float | None = None  # to the floor of the same run
    cpu_ratio: float | None = None
    target: str = ""
    met: bool | None = None
    extra: dict[str, Any] | None = None


def row(
    benchmark: str, what: str, size: int, samples: Sequence[Sample], floor: Sequence[Sample] | None = None, *,
    per: int = 1, target: str = "", limit_ms: float | None = None, ratio: float | None = None,
    extra: dict[str, Any] | None = None,
) -> Row:  # fmt: skip
    """A row from samples. Met: median wall at most `limit_ms`, or at most `ratio` times the floor's."""
    walls = sorted(s.wall * 1000 / per for s in samples)
    wall, cpu = median(walls), median(s.cpu for s in samples) * 1000 / per
    made = Row(
        benchmark, what, size, wall, walls[min(len(walls) - 1, len(walls) * 9 // 10)], cpu,
        max(s.peak for s in samples) / 1e6, len(samples), target=target, extra=extra,
    )  # fmt: skip
    if floor:
        floor_wall = median(s.wall for s in floor) * 1000 / per
        floor_cpu = median(s.cpu for s in floor) * 1000 / per
        made = made._replace(
            wall_ratio=wall / floor_wall if floor_wall else None, cpu_ratio=cpu / floor_cpu if floor_cpu else None
        )
    if limit_ms is not None:
        made = made._replace(met=wall <= limit_ms)
    elif ratio is not None and made.wall_ratio is not None:
        made = made._replace(met=made.wall_ratio <= ratio)
    return made


HEAD = ("notes", "what", "wall ms", "p90", "CPU ms", "peak MB", "x wall", "x CPU", "growth", "target")


def table(title: str, rows: Sequence[Row]) -> str:
    """Things of one name stand together, so that growth (CPU and wall, from size to size) reads downwards."""
    cells = [HEAD]
    for what in dict.fromkeys(one.what for one in rows):
        before: Row | None = None
        for one in (r for r in rows if r.what == what):
            growth = ""
            if before is not None and before.wall_ms and before.cpu_ms:
                growth = f"{one.wall_ms / before.wall_ms:.1f} / {one.cpu_ms / before.cpu_ms:.1f}"
            verdict = "" if one.met is None else " met" if one.met else " MISSED"
            cells.append((
                f"{one.size}", one.what, _ms(one.wall_ms), _ms(one.wall_p90_ms), _ms(one.cpu_ms),
                f"{one.peak_mb:.0f}" if one.peak_mb else "", _ratio(one.wall_ratio), _ratio(one.cpu_ratio), growth,
                one.target + verdict,
            ))  # fmt: skip
            before = one
    widths = [max(len(line[n]) for line in cells) for n in range(len(HEAD))]
    lines = [f"\n{title}"]
    for line in cells:
        shown = [c.ljust(w) if n in (1, 9) else c.rjust(w) for n, (c, w) in enumerate(zip(line, widths, strict=True))]
        lines.append("  ".join(shown).rstrip())
    return "\n".join(lines)


def _ms(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def machine() -> dict[str, Any]:
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    return {
        "when": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "cpus": os.cpu_count(), "load": os.getloadavg(),
        "python": sys.version.split()[0], "git": git, "system": f"{platform.system()} {platform.machine()}",
    }  # fmt: skip


def save(name: str, record: dict[str, Any]) -> str:
    os.makedirs(place.OUT, exist_ok=True)
    path = os.path.join(place.OUT, f"{name}-{time.strftime('%Y%m%d-%H%M%S')}.json")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(record, stream, indent=1)
    return path
