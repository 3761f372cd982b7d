"""The command line from a cold start, .pyc files there (each command has run before), against Python doing nothing."""

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

TITLE = "cold command line, whole process, .pyc files there (x = to python -c pass)"
FLOOR = "floor: python -c pass"


def run(size: int, quick: bool) -> list[Row]:
    place.compile_all()
    vaults = corpus.vaults(size)
    text, env, start = corpus.paragraphs(), place.environment(), place.program()
    numbers = iter(range(2, 10**9, 4))

    def called(*args: str, given: bytes = b"") -> Sample:
        return measure.run([*start, *args], cwd=vaults.ours, env=env, given=given).sample

    def write(_: int) -> Sample:
        number = next(numbers)
        path = f"sessions/cold/session-{number}.md"
        return called("write", path, "--agent", "codex", "-m", f"{path}: made", given=corpus.note(number, text, 1000))

    ways: dict[str, Callable[[int], Sample]] = {
        FLOOR: lambda _: measure.run([sys.executable, "-c", "pass"], cwd=vaults.ours, env=env).sample,
        "vaultgit write": write,
        "vaultgit set": lambda n: called("set", corpus.path_of(8), f"rating={n + 50}", "--agent", "codex"),
        "vaultgit --help": lambda _: called("--help"),
        "vaultgit status": lambda _: called("status"),
        "vaultgit log": lambda _: called("log"),
    }
    taken = measure.in_turns(4 if quick else 15, ways, warm_up=2)
    bare = median(s.wall for s in taken[FLOOR]) * 1000
    rows = [row("cold", FLOOR, size, taken[FLOOR])]
    for name in list(ways)[1:]:
        edits = name in ("vaultgit write", "vaultgit set")
        times = {} if edits or name == "vaultgit log" else {"target": "<= 6 x", "ratio": 6.0}
        if edits:
            times = {"target": f"<= 6 x + warm edit ({6 * bare:.0f} ms + it)"}
        rows.append(row("cold", name, size, taken[name], taken[FLOOR], **times))
    return rows
