"""After any sequence of changes the index says what a new one says (P7), and no text breaks a search."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from support import Folder

from vaultgit.recall import index
from vaultgit.recall import question
from vaultgit.recall import read
from vaultgit.recall import words
from vaultgit.recall.search import search
from vaultgit.vault import open_vault

NAMES = st.sampled_from(["a.md", "b.md", "sub/a.md", "Über.md", "decisions/d.md"])
TEXTS = st.sampled_from([
    "zebra\n", "# Title\n\nzebra [[b]] and [[sub/a|x]]\n", "", "---\ntype: decision\ndate: 2026-01-02\n---\nlion\n",
    "---\ntype: decision\ndate: 2026-02-03\nreplaces: '[[d]]'\n---\nzebra\n", "---\nbroken: [\n---\n", "\0 zebra \xff",
    "a tiger\n", "two tigers, a lion\n",
])  # fmt: skip
STEPS = st.lists(
    st.one_of(
        *[st.tuples(st.just("write"), NAMES, TEXTS)] * 5,
        st.tuples(st.just("delete"), NAMES),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.just("touch"), NAMES),
        st.tuples(st.just("search")),
        st.tuples(st.just("commit")),
        st.tuples(st.just("at"), st.integers(0, 3)),
        st.tuples(st.just("anew")),
    ),
    min_size=3,
    max_size=12,
)
QUESTIONS = ("zebra", "lion title", "type:decision", "since:2026-01 zebra", "b", '"title"', "tigrs", "ti*")


def answers(folder: Folder) -> list[Any]:
    vault = open_vault(str(folder.root))
    with vault.repo, index.opened(vault) as opened:
        view = opened.now()
        said: list[Any] = [(*note, view.back(note.path)) for note in view.notes()]
        said += [search(vault, view, text, explain=True) for text in QUESTIONS]
        head = vault.repo.resolve("HEAD")
        assert head is not None
        return said + [search(vault, opened.at(head), text, explain=True) for text in QUESTIONS]


@given(STEPS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_of_changes_gives_what_a_new_index_gives(tmp_path: Path, steps: list[tuple[Any, ...]]) -> None:
    root = tmp_path / "vault"
    shutil.rmtree(root, ignore_errors=True)
    folder = Folder(root)
    folder.write(".obsidian/app.json", "{}")
    folder.git("init", "--quiet")
    folder.commit("start")
    for number, step in enumerate(steps):
        full = [root / name for name in step[1:] if isinstance(name, str) and name.endswith(".md")]
        if step[0] == "write":
            folder.write(step[1], step[2].encode("latin-1"))
        elif step[0] == "delete":
            full[0].unlink(missing_ok=True)
        elif step[0] == "move" and full[0].exists():
            full[1].parent.mkdir(exist_ok=True)
            os.replace(full[0], full[1])
        elif step[0] == "touch" and full[0].exists():
            os.utime(full[0], (1_700_000_000, 1_700_000_000))
        elif step[0] == "search":
            answers(folder)
        elif step[0] == "commit":
            folder.commit()
        elif step[0] == "at":
            commit = folder.try_git("rev-parse", "--verify", "-q", f"HEAD~{step[1]}").out.strip()
            vault = open_vault(str(root))
            with vault.repo, index.opened(vault) as opened:
                if commit:
                    search(vault, opened.at(commit), "zebra")
        elif step[0] == "anew":
            shutil.rmtree(root / ".git/vaultgit", ignore_errors=True)
        if number % 2 == len(steps) % 2:
            answers(folder)
    kept = answers(folder)
    shutil.rmtree(root / ".git/vaultgit", ignore_errors=True)
    assert kept == answers(folder)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = Folder(tmp_path_factory.mktemp("property") / "vault")
    folder.write(".obsidian/app.json", "{}")
    folder.write("a.md", "---\ntags: [x]\nproject: '[[b]]'\n---\nzebra, don't: 38.101 \"quoted words\" 東京都 café\n")
    folder.write("b.md", "# Über uns\n\nAND OR NOT NEAR [[a]] *star* ^caret -minus\n")
    import subprocess

    subprocess.run(["git", "init", "-q", str(folder.root)], check=True)
    vault = open_vault(str(folder.root))
    with vault.repo, index.opened(vault) as made:
        yield vault, made.now()


SYNTAX = st.text(
    st.sampled_from(
        "abz \"'*():^-+~{}[]#@.,:;/\\|<>=?!%&$\0\n\t东京é\u0301ß日ไท\ud800\U0001f389AND OR NEAR type:since:tag:"
    )
)


@given(st.one_of(st.text(max_size=60), SYNTAX))
@settings(max_examples=300)
def test_no_question_breaks_it(opened: Any, text: str) -> None:
    """Case 057, for any text."""
    vault, view = opened
    found = search(vault, view, text, explain=True)
    assert {hit.path for hit in found.hits} <= {"a.md", "b.md"}


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_stems_keep_lines_and_hold_only_what_fts5_keeps_whole(text: str) -> None:
    stems = words.stems(text)
    assert stems.count("\n") == text.count("\n")
    for one in stems.split():
        assert all(not c.isascii() or c.isalnum() for c in one)
        assert words.new(one) is not None
    assert words.fold(words.fold(text)) == words.fold(text)


@given(st.one_of(st.text(max_size=80), SYNTAX, st.text("abZ9'’_- \n.“é東", max_size=60)))
@settings(max_examples=500)
def test_notes_and_questions_are_cut_alike(text: str) -> None:
    """The quick way for notes finds the words that the plain one finds."""
    for line in text.split("\n"):
        assert words.stems(line).split() == [stem for word in words.found(line) for stem in words.stem(word).split()]


@given(st.text(max_size=100), st.text(max_size=30))
@settings(max_examples=200)
def test_marks_are_one_word_each(key: str, value: str) -> None:
    for mark in (read.value_mark(key, "x"), read.link_mark(value, key), read.name_mark(value)):
        assert all(not c.isascii() or c.isalnum() for c in mark)
        mark.encode()


@given(st.text(max_size=200))
def test_any_question_is_taken_apart(text: str) -> None:
    made = question.parse(text, known=set(question.keys(text)))
    assert len(made.words) <= question.WORDS
    assert all(day == "" or len(day.replace("*", "2024")) == 10 for day in (made.since, made.until, *made.days))
