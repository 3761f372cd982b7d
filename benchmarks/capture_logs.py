"""`python -m benchmarks --capture-logs`: what a run of capture costs over many and over large logs.

Time and memory must not grow with what was read before: a run with nothing new against one over a tenth of the bytes,
and one megabyte new in a log of two gigabytes against the same in one of twenty megabytes.
"""

from __future__ import annotations

import json
import os
import sys
import time

from benchmarks import measure
from benchmarks import place
from benchmarks import report
from benchmarks.measure import Sample
from benchmarks.place import git
from benchmarks.report import Row
from benchmarks.report import row

TITLE = "capture (notes: conversations; x = to python -c pass)"
FLOOR = "floor: python -c pass"
LOGS, EACH = 2000, 2_500_000  # 5 GB
LARGE, SMALL, NEW = 2_000_000_000, 20_000_000, 1_000_000
_DAY = 86_400


def run(quick: bool) -> int:
    place.compile_all()
    rows = _many(quick) + _large(quick)
    print(report.table(TITLE, rows))
    print(report.save("capture-logs", {"machine": report.machine(), "rows": [one._asdict() for one in rows]}))
    return 0


def _many(quick: bool) -> list[Row]:
    """Nothing new: over the bytes of a tenth of the logs, then over all of them."""
    rows = []
    for number, size in ((LOGS, EACH // 10), (LOGS, EACH)) if not quick else ((200, EACH // 10),):
        folder = _made("many")
        for log in range(number):
            _write(folder, f"s-{log}", size, old=log % 10 != 0)
        gigabytes = number * size / 1e9
        first = _capture(folder)
        ways = {
            FLOOR: _floor,
            "nothing new": lambda _, folder=folder: _capture(folder),
        }
        taken = measure.in_turns(3 if quick else 9, ways, warm_up=1)
        rows.append(row("capture", f"first run, {gigabytes:.1f} GB, a tenth of it young", number, [first]))
        rows.append(row("capture", f"nothing new, {gigabytes:.1f} GB", number, taken["nothing new"], taken[FLOOR]))
        place.remove(folder)
    return rows


def _large(quick: bool) -> list[Row]:
    """One megabyte more in a log."""
    rows = []
    for size in (SMALL,) if quick else (SMALL, LARGE):
        folder = _made("large")
        _write(folder, "s-0", size, old=True)  # else all of it would stand in one day's note, and that be measured
        _write(folder, "s-0", 1, old=False, begin=9_000_000)
        _capture(folder)

        def more(number: int, folder: str = folder) -> Sample:
            _write(folder, "s-0", NEW, old=False, begin=10_000_000 + number * 10_000)
            return _capture(folder)

        taken = measure.in_turns(3 if quick else 9, {FLOOR: _floor, "more": more}, warm_up=1)
        rows.append(row("capture", f"1 MB new in a log of {size / 1e6:,.0f} MB", 1, taken["more"], taken[FLOOR]))
        place.remove(folder)
    return rows


def _floor(_: int) -> Sample:
    return measure.run([sys.executable, "-c", "pass"], cwd=place.ROOT, env=place.environment()).sample


def _made(name: str) -> str:
    folder = os.path.join(place.OUT, f"capture-{name}")
    place.remove(folder)
    vault = os.path.join(folder, "vault")
    os.makedirs(os.path.join(folder, "home"))
    os.makedirs(vault)
    measure.run([*place.program(), "init", vault, "--repository", "own"], cwd=folder, env=place.environment())
    git(vault, "config", "vaultgit.people", "warn")
    return folder


def _capture(folder: str) -> Sample:
    env = place.environment(HOME=os.path.join(folder, "home"))
    return measure.run(
        [*place.program(), "capture", "--vault", os.path.join(folder, "vault")], cwd=folder, env=env
    ).sample


def _write(folder: str, name: str, size: int, *, old: bool, begin: int = 0) -> None:
    """So many bytes more of a conversation: words of a person, an answer, and a tool's output of 60 KB, again and
    again, as they are in real logs."""
    projects = os.path.join(folder, "home", ".claude", "projects", "-home-pat-shop")
    os.makedirs(projects, exist_ok=True)
    path = os.path.join(projects, f"{name}.jsonl")
    when = time.time() - (20 * _DAY if old else 3600)
    noise = "0123456789abcdef " * 3600
    written, number = 0, begin
    with open(path, "ab") as stream:
        while written < size:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when + written / size * 60)) + ".000Z"
            both = {"sessionId": name, "timestamp": stamp, "cwd": "/home/pat/shop", "isSidechain": False}
            text = f"We decided that rule {number} of {name} is kept in the table of rules."
            turns = (
                {"type": "user", "uuid": f"{name}-u{number}", "message": {"role": "user", "content": text}},
                {"type": "assistant", "uuid": f"{name}-a{number}", "message": {
                    "id": f"{name}-m{number}", "role": "assistant",
                    "content": [{"type": "text", "text": f"Done: rule {number} stands in the table now."}]}},
                {"type": "user", "uuid": f"{name}-t{number}", "message": {
                    "role": "user", "content": [{"type": "tool_result", "content": noise}]}},
            )  # fmt: skip
            for turn in turns:
                written += stream.write(json.dumps(both | turn).encode() + b"\n")
            number += 1
    os.utime(path, (when + 60, when + 60))
