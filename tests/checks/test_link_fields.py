"""LN01 and LN02: link fields of managed notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import PROJECT
from support import Folder

from vaultgit.checks import links
from vaultgit.checks.around import Around
from vaultgit.checks.around import on_disk
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.vault import Disk
from vaultgit.vault import Rules


def decision(project: str, more: str = "") -> bytes:
    return f'---\ntype: decision\ndate: 2026-11-01\nproject: "{project}"\n{more}---\nWhy.\n'.encode()


def found(root: Path, path: str, data: bytes, before: tuple[bytes | None, ...] = ()) -> list[str]:
    file = FileChange(path, before, data)
    change = Change((file,), Rules(Disk(str(root))), around=Around(on_disk(Disk(str(root))), (file,)))
    return [f"{problem.line}:{problem.column} {problem.code}" for problem in links.check(change)]


@pytest.fixture
def notes(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "notes")
    for path in ("projects/nova.md", "projects/Straße.md", "a/twin.md", "b/twin.md", "paper.pdf", ".trash/gone.md"):
        made.write(path, "x\n")
    return made


@pytest.mark.parametrize(
    ("link", "code"),
    [
        ("[[nova]]", None),
        ("[[projects/nova]]", None),
        ("[[NOVA|the project]]", None),
        ("[[nova.md#Log]]", None),
        ("[[./a]]", None),  # relative to the note: itself
        ("[[paper.pdf]]", None),
        ("[[straße]]", None),
        ("[[a/twin]]", None),
        ("[[twin]]", "LN02"),
        ("[[gone]]", "LN01"),  # what lies in the bin is no note
        ("[[nowhere]]", "LN01"),
        ("[[../nova]]", "LN01"),
    ],
)
def test_a_link_field_leads_to_one_note(notes: Folder, link: str, code: str | None) -> None:
    assert found(notes.root, "decisions/a.md", decision(link)) == ([f"4:11 {code}"] if code else [])


def test_links_in_lists_and_in_other_properties(notes: Folder) -> None:
    concept = (
        b'---\ntype: concept\nname: X\nsources:\n  - "[[nova]]"\n  - "[[nowhere]]"\nsee: "[[nothing]]"\n---\n[[no]]\n'
    )
    assert found(notes.root, "concepts/x.md", concept) == ["6:6 LN01"]
    assert found(notes.root, "notes/x.md", concept) == []  # not managed


def test_what_was_there_before_is_not_judged_again(notes: Folder) -> None:
    old, new = decision("[[nowhere]]"), decision("[[nowhere]]") + b"More.\n"
    assert found(notes.root, "decisions/a.md", new, (old,)) == []
    assert found(notes.root, "decisions/a.md", decision("[[nobody]]"), (old,)) == ["4:11 LN01"]


def test_an_inbox_note_may_be_meant_for_a_note_that_is_not_there(vault: Folder) -> None:
    done = vault.run("inbox", "add", "--target", "people/new.md", "--reason", "x", "--agent", "codex", stdin=b"y\n")
    assert done.code == 0, done
    assert vault.run("check", "--all").code == 0


def test_a_note_may_link_what_the_same_edit_makes(vault: Folder) -> None:
    changes: list[dict[str, Any]] = [
        {"path": "decisions/a.md", "text": decision("[[atlas]]").decode()},
        {"path": "projects/atlas.md", "text": PROJECT.replace("Nova", "Atlas")},
    ]
    refused = vault.run("apply", "--agent", "codex", stdin=json.dumps({"changes": changes[:1]}).encode())
    assert refused.code == 1 and "LN01" in refused.err
    assert vault.run("apply", "--agent", "codex", stdin=json.dumps({"changes": changes}).encode()).code == 0
    assert vault.run("check", "--all").code == 0


def test_a_note_may_link_what_waits_in_the_queue(vault: Folder) -> None:
    lock = vault.root / ".git/MERGE_HEAD"
    lock.write_text(vault.git("rev-parse", "HEAD") + "\n")
    assert vault.run("write", "projects/atlas.md", "--agent", "codex", stdin=PROJECT.encode()).code == 75
    assert vault.run("write", "decisions/a.md", "--agent", "codex", stdin=decision("[[atlas]]")).code == 75
    lock.unlink()
    assert vault.run("status").code == 0
    assert vault.exists("decisions/a.md") and vault.exists("projects/atlas.md")


def test_a_persons_commit_and_a_range(vault: Folder) -> None:
    vault.write("decisions/a.md", decision("[[nowhere]]"))
    vault.git("add", "-A")
    refused = vault.try_git("commit", "-m", "a")
    assert refused.code != 0 and "decisions/a.md:4:11: LN01" in refused.err
    vault.commit("past the hook")
    assert "LN01" in vault.run("check", "--from", "HEAD~1").out
    vault.write("decisions/a.md", decision("[[Nova]]"))
    vault.commit("mended")
    assert vault.run("check", "--from", "HEAD~2").code == 0


def test_a_link_to_a_note_that_git_does_not_hold(vault: Folder) -> None:
    vault.write(".git/info/exclude", "private/\n")
    vault.write("private/atlas.md", "x\n")
    vault.write("decisions/a.md", decision("[[atlas]]"))
    vault.git("add", "-A")
    assert vault.try_git("commit", "-m", "a").code == 0


def test_a_note_that_moves_takes_its_links_along(vault: Folder) -> None:
    vault.write("decisions/a.md", decision("[[nowhere]]"))
    vault.commit("past the hook")
    assert vault.run("move", "decisions/a.md", "decisions/b.md", "--agent", "codex").code == 0
    vault.git("mv", "decisions/b.md", "decisions/c.md")
    assert vault.try_git("commit", "-m", "by hand").code == 0
