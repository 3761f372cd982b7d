"""Our git hook: the program that it starts, and the whole script as git runs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from benchmarks import corpus
from benchmarks import measure
from benchmarks import place
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row
from benchmarks.warm import Worker

TITLE = "pre-commit hook, whole process (x = to python -c pass)"
FLOOR = "floor: python -c pass"
LANDED = 50  # edits that landed within the hour: the hook then looks whether one of them was staged away


def run(size: int, quick: bool) -> list[Row]:
    place.compile_all()
    vaults = corpus.vaults(size)
    rounds = 4 if quick else 15
    rows: list[Row] = []
    for what, stage in (("1 note changed", _change(1)), ("1 note added", _add), ("10 notes changed", _change(10)),
                        ("1000 notes changed", _change(1000))):  # fmt: skip
        corpus.restore(vaults.ours)
        stage(vaults.ours)
        limit = {"target": "<= 4 x", "ratio": 4.0} if what.startswith("1 note ") else {}
        rows += _measured(vaults.ours, size, what, max(3, rounds // 3) if "1000" in what else rounds, limit)
    corpus.restore(vaults.ours)
    with Worker(vaults.ours) as worker:
        for _ in range(LANDED):
            worker.edit()
    _change(1)(vaults.ours)
    what = f"1 note changed, {LANDED} edits landed before"
    rows += _measured(vaults.ours, size, what, rounds, {"target": "<= 4 x", "ratio": 4.0})
    return rows


def _measured(vault: str, size: int, what: str, rounds: int, limit: dict[str, object]) -> list[Row]:
    own = os.path.join(vault, ".git")
    env = place.environment(GIT_INDEX_FILE=os.path.join(own, "index"), GIT_EDITOR=":")
    places = place.environment(VAULTGIT_PLACES=f"{own}\n{own}\n{vault}", GIT_EDITOR=":")
    script = os.path.join(own, "hooks", "pre-commit")
    ways: dict[str, Callable[[int], Sample]] = {
        FLOOR: lambda _: measure.run([sys.executable, "-c", "pass"], cwd=vault, env=env).sample,
        f"program, {what}": lambda _: (
            measure.run([*place.program(), "hook", "pre-commit"], cwd=vault, env=places).sample
        ),
        f"script, {what}": lambda _: measure.run([script], cwd=vault, env=env).sample,
    }
    taken = measure.in_turns(rounds, ways, warm_up=2)
    floor = [row("hook", FLOOR, size, taken[FLOOR])] if what == "1 note changed" else []
    return [*floor, *(row("hook", name, size, taken[name], taken[FLOOR], **limit) for name in list(ways)[1:])]


def _change(count: int) -> Callable[[str], None]:
    def stage(vault: str) -> None:
        paths = [corpus.path_of(number) for number in range(min(count, 1000))]
        for path in paths:
            with open(os.path.join(vault, path), "ab") as stream:
                stream.write(b"\nOne more line by the person.\n")
        place.git(vault, "add", "--pathspec-from-file=-", "--pathspec-file-nul", given="\0".join(paths).encode())

    return stage


def _add(vault: str) -> None:
    path = "sessions/mine/session-0.md"
    os.makedirs(os.path.join(vault, os.path.dirname(path)))
    with open(os.path.join(vault, path), "wb") as stream:
        stream.write(corpus.note(2, corpus.paragraphs(), 1000))
    place.git(vault, "add", path)
