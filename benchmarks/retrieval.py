"""How well search finds: LoCoMo's questions about long conversations, asked of a vault with a note for each session.

The data set (snap-research/LoCoMo, data/locomo10.json, CC BY-NC 4.0) comes from the user: a path to it, or `clone` to
fetch its repository into benchmarks/out. Nothing of it, nor of what is made from it, belongs in this repository.
The ranking was tuned on the conversations 26, 30, 41 and 49 alone; the others are for judging it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import NamedTuple

from benchmarks import place
from benchmarks import report
from benchmarks import retrieval_plain
from benchmarks import retrieval_score
from benchmarks import retrieval_vault
from benchmarks.retrieval_vault import Question

TUNED_ON = ("26", "30", "41", "49")
REPOSITORY = "https://github.com/snap-research/LoCoMo"
TITLE = "recall over notes of sessions (share of a question's notes among the first k; 95 % of resamplings in brackets)"
_TASKED_ON = date(2024, 6, 1)  # after the last session

Finder = Callable[[str], list[str]]


class Way(NamedTuple):
    """One way to find notes: `find` gives paths, best first."""

    name: str
    find: Finder


def run(source: str, which: str = "tuned", ablation: bool = False, save: bool = True) -> int:
    """`which`: "tuned" (the conversations that the ranking was tuned on), "rest", "all", or numbers with commas."""
    path = _cloned() if source == "clone" else source
    if not os.path.isfile(path):
        print(f"there is no {path}: give the path of locomo10.json, or `clone` to fetch {REPOSITORY}", file=sys.stderr)
        return 2
    conversations = retrieval_vault.read(path)
    numbers = _chosen(which, list(conversations))
    folder = os.path.join(place.OUT, "retrieval", "-".join(numbers))
    questions = retrieval_vault.build([conversations[one] for one in numbers], folder)
    place.git(folder, "init", "-q")
    place.git(folder, "add", "-A")
    place.git(folder, "commit", "-qm", "notes")
    kinds = ", ".join(f"{kind} {sum(one.kind == kind for one in questions)}" for kind in retrieval_vault.KINDS)
    print(f"conversations {', '.join(numbers)}: {len(questions)} questions ({kinds})")
    with _ours(folder) as ours:
        ways = [*ours, *(Way(name, find) for name, find in retrieval_plain.ways(folder).items())]
        asked = {way.name: _ask(way, questions) for way in ways}
        rows = [row for name, one in asked.items() for row in retrieval_score.rows(name, one.scores)]
        print(retrieval_score.table(TITLE, rows), flush=True)
        for name, one in asked.items():
            print(f"{name}: {one.middle:.1f} ms a question (median), {one.slow:.1f} (95 of 100)")
        first, last = ways[0].name, ways[-1].name
        print(retrieval_score.difference(f"{first} - {last}", asked[first].scores, asked[last].scores))
        if ablation:
            _without(ours[0], questions, asked[first].scores)
    if save:
        print(report.save("retrieval", {"machine": report.machine(), "rows": [row._asdict() for row in rows]}))
    return 0


class _Asked(NamedTuple):
    scores: list[retrieval_score.Score]
    middle: float  # milliseconds
    slow: float


def _ask(way: Way, questions: list[Question]) -> _Asked:
    scores, took = [], []
    for one in questions:
        begun = time.perf_counter()
        found = way.find(one.text)
        took.append((time.perf_counter() - begun) * 1000)
        notes = [path for path in found if path.startswith(retrieval_vault.SESSIONS)]
        scores.append(retrieval_score.score(one, notes[:10]))
    took.sort()
    return _Asked(scores, took[len(took) // 2], took[len(took) * 95 // 100])


@contextmanager
def _ours(folder: str) -> Iterator[list[Way]]:
    """Our own search and context, in this process, over an index that is open."""
    from vaultgit.recall import index
    from vaultgit.recall.search import search
    from vaultgit.vault import open_vault

    vault = open_vault(folder)
    with index.opened(vault) as opened:
        view = opened.now()
        ways = [Way("search", lambda text: [hit.path for hit in search(vault, view, text, limit=20).hits])]
        try:
            from vaultgit.recall.context import context
        except ImportError:
            pass
        else:

            def given(text: str) -> list[str]:
                return [one.path for one in context(vault, view, text, budget=4000, today=_TASKED_ON).notes]

            ways.append(Way("context, 4000 tokens", given))
        yield ways


_PARTS = {
    "words of the note": {"WORDS": 0.0}, "lines that follow each other": {"LINES": 0.0},
    "runs of four letters": {"PIECES": 0.0}, "those named": {"NAMED": 0.0}, "the time asked for": {"DAY": 0.0},
    "words of how one asks": {"_TOLD": 1.0}, "words in names": {"_IN_NAME": 0},
}  # fmt: skip


def _without(way: Way, questions: list[Question], whole: list[retrieval_score.Score]) -> None:
    """What each part of the ranking gains: the same search with it left out."""
    from vaultgit.recall import rank

    print("\nsearch without (what is lost by it)")
    for name, constants in _PARTS.items():
        before = {key: getattr(rank, key) for key in constants}
        try:
            for key, value in constants.items():
                setattr(rank, key, value)
            print(retrieval_score.difference(name, whole, _ask(way, questions).scores), flush=True)
        finally:
            for key, value in before.items():
                setattr(rank, key, value)


def _chosen(which: str, there: list[str]) -> list[str]:
    if which in ("tuned", "rest", "all"):
        return [one for one in there if which == "all" or (one in TUNED_ON) == (which == "tuned")]
    numbers = which.split(",")
    unknown = set(numbers) - set(there)
    if unknown:
        raise SystemExit(f"there is no conversation {', '.join(sorted(unknown))}, only {', '.join(there)}")
    return numbers


def _cloned() -> str:
    folder = os.path.join(place.OUT, "LoCoMo")
    if not os.path.isdir(folder):
        os.makedirs(place.OUT, exist_ok=True)
        subprocess.run(["git", "clone", "-q", "--depth", "1", REPOSITORY, folder], check=True)
    return os.path.join(folder, "data", "locomo10.json")
