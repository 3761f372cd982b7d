"""Plain questions over a small vault: what people type has to find the note that answers it, with no model.

The ranking is tuned on long conversations (benchmarks/retrieval.py); this vault of mixed notes guards what those do
not have: names, decisions that were replaced, misspellings, other scripts, queries of one word. questions/ has both.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from vaultgit.recall import index
from vaultgit.recall.search import Found
from vaultgit.recall.search import search
from vaultgit.vault import open_vault

HERE = Path(__file__).resolve().parent / "questions"
FIRST, FIRST_THREE = 0.95, 0.98  # shares that have to be reached, a little under what is
OF_A_KIND = 0.75  # of each kind


class Asked(NamedTuple):
    kind: str
    text: str
    notes: frozenset[str]
    found: Found

    def rank(self) -> int:
        """Of the note that answers, from 1; 99 where it was not found."""
        return next((n for n, hit in enumerate(self.found.hits, 1) if hit.path in self.notes), 99)


_asked: list[Asked] = []  # by the first test, in its own home


@pytest.fixture
def asked(tmp_path: Path) -> list[Asked]:
    if not _asked:
        _asked.extend(_answers(tmp_path / "questions"))
    return _asked


def _answers(root: Path) -> Iterator[Asked]:
    shutil.copytree(HERE / "vault", root)
    (root / "AGENTS.md").write_text(
        "# For agents\n\nSearch before you ask. Decisions go to decisions/, people to people/. One line for each edit.\n"
    )
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    lines = (HERE / "questions.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    vault = open_vault(str(root))
    with vault.repo, index.opened(vault) as opened:
        view = opened.now()
        there = {note.path for note in view.notes()}
        for kind, text, notes in rows:
            assert there.issuperset(notes.split("|")), f"{text}: {notes} is no note of the vault"
            yield Asked(kind, text, frozenset(notes.split("|")), search(vault, view, text, explain=True))


def share(asked: list[Asked], within: int) -> float:
    return sum(one.rank() <= within for one in asked) / len(asked)


def missed(asked: list[Asked]) -> str:
    return "\n".join(
        f"{one.kind}: {one.text!r} wants {', '.join(sorted(one.notes))} ({one.rank()}), first is "
        + (f"{one.found.hits[0].path} {one.found.hits[0].why}" if one.found.hits else "nothing")
        for one in asked
        if one.rank() > 1
    )


def test_the_note_that_answers_comes_first(asked: list[Asked]) -> None:
    assert len(asked) >= 60
    assert share(asked, 1) >= FIRST, missed(asked)
    assert share(asked, 3) >= FIRST_THREE, missed(asked)


def test_no_kind_of_question_is_left_behind(asked: list[Asked]) -> None:
    for kind in dict.fromkeys(one.kind for one in asked):
        of_kind = [one for one in asked if one.kind == kind]
        assert share(of_kind, 1) >= OF_A_KIND, missed(of_kind)


def test_what_a_note_is_called_brings_it_first(asked: list[Asked]) -> None:
    called = [one for one in asked if one.kind == "name" and len(one.text.split()) < 3]
    assert called and share(called, 1) == 1, missed(called)


def test_a_replaced_decision_stands_below_the_one_that_replaced_it(asked: list[Asked]) -> None:
    """And says so. In every answer that has both, not only where the question is about them."""
    pairs = 0
    for one in asked:
        ranks = {hit.path: n for n, hit in enumerate(one.found.hits)}
        for hit in one.found.hits:
            if hit.remark.startswith("replaced by "):
                newer = hit.remark.removeprefix("replaced by ")
                assert newer not in ranks or ranks[newer] < ranks[hit.path], one.text
                pairs += newer in ranks
    assert pairs >= 4


def test_logs_answer_where_no_other_note_does(asked: list[Asked]) -> None:
    logs = [one for one in asked if one.kind == "session"]
    assert share(logs, 1) == 1, missed(logs)
