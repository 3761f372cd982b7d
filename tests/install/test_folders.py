"""Which folders of a vault already mean what a note type means."""

from __future__ import annotations

import os
from itertools import combinations
from pathlib import Path

import pytest

from vaultgit import config
from vaultgit.install import folders
from vaultgit.install.folders import Homes


def found(root: Path, *paths: str, taken: tuple[str, ...] = ()) -> Homes:
    for path in paths:
        (root / path).mkdir(parents=True, exist_ok=True)
    return folders.find(str(root), taken)


@pytest.mark.parametrize(
    ("name", "note_type"),
    [
        ("People", "person"), ("PEOPLE", "person"), ("Person", "person"), ("Contacts", "person"), ("01 People", "person"),
        ("3. People", "person"), ("10-19 People", "person"), ("👥 People", "person"), ("People 👥", "person"),
        ("1️⃣ People", "person"), ("_people", "person"), ("@People", "person"), ("Personen", "person"),
        ("personnes", "person"), ("Personas", "person"), ("人物", "person"), ("2-人物", "person"), ("Люди", "person"),
        ("Projects", "project"), ("10 Projects", "project"), ("1-Project", "project"), ("Projekte", "project"),
        ("projets", "project"), ("Proyectos", "project"), ("项目", "project"), ("プロジェクト", "project"),
        ("Decisions", "decision"), ("ADR", "decision"), ("adr", "decision"), ("docs/decisions", "decision"),
        ("docs/adr", "decision"), ("docs/architecture/Decisions", "decision"), ("Entscheidungen", "decision"), ("Décisions", "decision"), ("Decision Log", "decision"),
        ("Skills", "skill"), ("Sessions", "session"), ("Inbox", "inbox"), ("00 Inbox", "inbox"), ("+ Inbox", "inbox"),
        ("Eingang", "inbox"), ("📥 收件箱", "inbox"), ("Daily", "daily"), ("Journal", "daily"), ("Daily Notes", "daily"),
        ("daily-notes", "daily"), ("Täglich", "daily"), ("Ta\u0308glich", "daily"), ("日记", "daily"),
        ("Concepts", "concept"), ("概念", "concept"),
    ],
)  # fmt: skip
def test_folders_that_mean_a_type(tmp_path: Path, name: str, note_type: str) -> None:
    assert found(tmp_path, name) == Homes({note_type: name}, {})


@pytest.mark.parametrize(
    "name", [".claude/skills", ".people", "Old People", "People (work)", "Peoples", "2026", "01", "👥", "Archive/People",
             "docs", "decisions.md"],
)  # fmt: skip
def test_folders_that_do_not(tmp_path: Path, name: str) -> None:
    assert found(tmp_path, name) == folders.NONE


def test_the_fixed_folder_is_enough(tmp_path: Path) -> None:
    assert found(tmp_path, "people", "Contacts", "projects") == folders.NONE
    assert folders.find(str(tmp_path / "not there")) == folders.NONE


def test_of_two_neither_is_taken(tmp_path: Path) -> None:
    assert found(tmp_path, "Contacts", "02 People") == Homes({}, {"person": ["02 People", "Contacts"]})


def test_a_folder_that_differs_by_case_alone_is_taken_whatever_else_there_is(tmp_path: Path) -> None:
    assert found(tmp_path, "Contacts", "People") == Homes({"person": "People"}, {})


def test_types_that_have_a_folder_otherwise_are_left_out(tmp_path: Path) -> None:
    assert found(tmp_path, "Journal", taken=("daily",)) == folders.NONE


def test_links_and_other_repositories_are_no_home(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "People").symlink_to("elsewhere")
    assert found(tmp_path, "Projects/.git") == folders.NONE


def test_a_name_that_cannot_be_written_is_no_home(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/People\xff")
    os.mkdir(tmp_path / "Pro\njects")
    assert folders.find(str(tmp_path)) == folders.NONE


def test_no_word_means_two_types() -> None:
    assert folders.MEANINGS.keys() == config.LAYOUT.keys()
    for one, other in combinations(folders._WORDS, 2):
        assert not folders._WORDS[one] & folders._WORDS[other], (one, other)
    for note_type, fixed in config.LAYOUT.items():
        assert folders._plain(fixed) in folders._WORDS[note_type]
        assert "" not in folders._WORDS[note_type]
