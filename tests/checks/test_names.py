from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.checks import names
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange


def codes(change, *paths, there=None):
    found = names.check(change(*((path, None, b"x") for path in paths), paths=there and frozenset(there)))
    return [(p.path, p.code) for p in found]


CASE = ["Meeting: budget.md", "AUX.md", "Ideas /a.md", "end./b.md", "n" * 247 + ".md"]


@pytest.mark.parametrize("path", CASE)
def test_na01_the_names_that_windows_cannot_check_out(change, path):
    assert codes(change, path) == [(path, "NA01")]


@pytest.mark.parametrize(
    "path",
    ["a*b.md", 'a"b.md', "a\\b.md", "a<b.md", "a>b.md", "a|b.md", "a?b.md", "a#b.md", "a^b.md", "a[b.md",
     "a]b.md", "a\tb.md", "a\x7f.md", "trailing .", "trailing ", "con", "nul.tar.gz", "Com1.md",
     "x/LPT9.md", "aux .md", "com¹.md", "é" * 101, "a/.hidden.md", "b\udcff.md", "c#/x.md"]
)  # fmt: skip
def test_na01(change, path):
    assert codes(change, path) == [(path, "NA01")]


@pytest.mark.parametrize(
    "path",
    ["Fine (1).md", "auxiliary.md", "com.md", "com10.md", "console/x.md", "v1.2.md", "é" * 90 + ".md",
     ".gitignore", ".obsidian/app.json", ".github/a.md", "photo [1].jpg", "C#.txt", "-rf.md", "a,b;c=d!.md",
     "…und dann.md"]
)  # fmt: skip
def test_na01_passes(change, path):
    assert codes(change, path) == []


def test_only_what_is_added(change):
    assert names.check(change(("Meeting: budget.md", b"x", b"y"), ("AUX.md", b"x", None))) == []
    assert names.check(change(FileChange("AUX.md", (None, b"x"), b"x"))) == []
    assert names.check(change(FileChange("AUX.md", (), b"x"))) != []


@pytest.mark.parametrize(
    ("path", "better"),
    [("Plan: next.md", "Plan - next.md"), ("a/What? Now!.md", "a/What Now!.md"), ("AUX.md", "AUX_.md"),
     ("Ideas /a.md", "Ideas/a.md"), ("end./b.md", "end/b.md"), ('say "x".md', "say 'x'.md"),
     ("12:30.md", "12-30.md"), ("#1 [x].md", "1 x.md"), ("??.md", "note.md"),
     ("a/.hidden.md", "a/hidden.md"), ("x" * 300 + ".md", "x" * 196 + ".md"),
     ("v1.2 a:b/c.md", "v1.2 a-b/c.md"), (".obsidian/a?.json", ".obsidian/a.json"),
     ("con.tar.gz", "con_.tar.gz")],
)  # fmt: skip
def test_suggestion(change, path, better):
    assert names.suggest(path) == better
    assert better in names.check(change((path, None, b"")))[0].mend


@given(st.lists(st.text(min_size=1).filter(lambda part: "/" not in part), min_size=1, max_size=3), st.booleans())
def test_a_suggestion_is_never_refused_itself(parts, note):
    path = "/".join(parts) + (".md" if note else "")
    better = names.suggest(path)
    assert names.suggest(better) == better
    assert not names.check(Change((FileChange(better, (), b""),), rules=None)), (path, better)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "there"),
    [("people/Ada.md", ["people/ada.md"]), ("People/bob.md", ["people/ada.md"]),
     (unicodedata.normalize("NFD", "é.md"), [unicodedata.normalize("NFC", "é.md")])],
)  # fmt: skip
def test_na02_twins(change, path, there):
    assert codes(change, path, there=there) == [(path, "NA02")]
    assert codes(change, path, there=[*there, path]) == [(path, "NA02")]
    assert codes(change, path) == []
    assert there[0].split("/")[0] in names.check(change((path, None, b""), paths=frozenset(there)))[0].mend


def test_na02_passes(change):
    assert codes(change, "people/bob.md", there=["people/ada.md", "people/bob.md", "x/Bob.md"]) == []
    renamed = change(("ada.md", b"x", None), ("Ada.md", None, b"x"), paths=frozenset(["ada.md"]))
    assert names.check(renamed) == []


def test_na02_two_in_one_change(change):
    assert codes(change, "a.md", "A.md") == [("a.md", "NA02"), ("A.md", "NA02")]


@pytest.mark.parametrize(
    ("path", "original"),
    [("Home (Ada's conflicted copy 2026-11-29).md", "Home.md"),
     ("Home (Conflicted copy pad 202611292110).md", "Home.md"),
     ("n/Home.sync-conflict-20261129-211000-ABCDEF1.md", "n/Home.md"), ("Home 2.md", "Home.md")],
)  # fmt: skip
def test_na03_conflict_copies(change, path, original):
    found = names.check(change((path, None, b"x"), paths=frozenset(["Home.md"]), agent="codex"))
    assert [p.code for p in found] == ["NA03"]
    assert original in found[0].message


def test_na03_passes(change):
    assert codes(change, "Chapter 2.md", there=["Home.md"]) == []
    assert codes(change, "Home 2.md", "On conflicted copies.md", "Home 20.md", there=["x/Home.md", "Home 2.md"]) == []
    assert names.check(change(("Home 2.md", b"x", b"y"), paths=frozenset(["Home.md"]))) == []


def test_na03_obsidian_gits_list(change):
    assert codes(change, "conflict-files-obsidian-git.md") == [("conflict-files-obsidian-git.md", "NA03")]
