from __future__ import annotations

import pytest

from vaultgit.checks import markers
from vaultgit.checks.change import FileChange

CONFLICT = b"a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\nb\n"


def lines(found):
    return [(p.line, p.column, p.code) for p in found]


@pytest.mark.parametrize("name", ["note.md", "board.canvas", ".vaultgit.toml"])
@pytest.mark.parametrize("agent", [None, "codex"])
def test_mk01_a_conflict(change, name, agent):
    file = FileChange(name, (b"a\nb\n", b"a\nc\n"), CONFLICT)
    assert lines(markers.check(change(file, agent=agent))) == [(2, 1, "MK01")]


def test_mk01_outside_notes_only_in_a_merge(change):
    assert lines(markers.check(change(("a.MD", b"a\n", CONFLICT)))) == [(2, 1, "MK01")]
    for name in ("board.canvas", "docs/git.txt", ".obsidian/plugins/x/data.json"):
        assert markers.check(change((name, b"a\n", CONFLICT))) == []


@pytest.mark.parametrize("name", ["plugins/x/main.js", "themes/Night/theme.css", "snippets/a.css"])
def test_mk01_not_in_third_party_code(change, name):
    assert markers.check(change(FileChange(f".obsidian/{name}", (b"a", b"b"), CONFLICT))) == []


@pytest.mark.parametrize(
    "data",
    [CONFLICT.replace(b"\n", b"\r\n"), CONFLICT.replace(b"ours\n", b"ours\n||||||| base\nold\n"),
     b"a\n<<<<<<<\n=======\n>>>>>>>", b"a\n<<<<<<< HEAD\nours\n=======\n", b"a\n=======\nx\n>>>>>>> side\n",
     b"a\n<<<<<<< HEAD\n```py\nx\n=======\n```js\ny\n>>>>>>> side\n```\n",
     b"---\n<<<<<<< HEAD\nv: 1\n=======\n"],
)  # fmt: skip
def test_mk01_its_forms(change, data):
    assert lines(markers.check(change(("a.md", None, data)))) == [(2, 1, "MK01")]


@pytest.mark.parametrize(
    "data",
    [
        b"Chapter\n=======\n\ntext\n",  # a heading of seven letters
        b">>>>>>> deeply quoted\n\nChapter\n=======\n",
        b"<<<<<<< alone\n",
        b"    <<<<<<< HEAD\n    =======\n    >>>>>>> x\n",
        b"text <<<<<<< HEAD\ntext =======\ntext >>>>>>> x\n",
        b"<<<<<<<<< HEAD\n=========\n>>>>>>>>> x\n",
        b"How git says it:\n\n```\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n```\n",
        b"Chapter\n=======\n\n~~~~ text\n~~~\n<<<<<<< HEAD\n=======\n>>>>>>> side\n~~~~\n",
        b"\0<<<<<<< HEAD\n=======\n>>>>>>> side\n",  # a picture
    ],
)
def test_mk01_passes(change, data):
    assert markers.check(change(("a.md", None, data))) == []


def test_mk01_after_a_closed_fence(change):
    assert lines(markers.check(change(("a.md", None, b"```\nx\n```\n" + CONFLICT)))) == [(5, 1, "MK01")]


def test_mk01_a_merge_may_have_conflicted_inside_a_fence(change):
    fenced = b"```\n" + CONFLICT + b"```\n"
    assert markers.check(change(FileChange("a.md", (b"```\n```\n",), fenced))) == []
    assert lines(markers.check(change(FileChange("a.md", (b"x", b"y"), fenced)))) == [(3, 1, "MK01")]
    assert markers.check(change(FileChange("a.md", (b"x", fenced + b"y"), fenced))) == []


def test_mk01_what_stood_there_before_does_not_block_the_next_edit(change):
    assert markers.check(change(("a.md", CONFLICT, CONFLICT + b"more\n"))) == []
    assert markers.check(change(("a.md", CONFLICT, CONFLICT + CONFLICT))) != []


def test_mk01_a_deletion(change):
    assert markers.check(change(("a.md", CONFLICT, None))) == []
