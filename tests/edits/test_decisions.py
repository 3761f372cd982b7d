"""A project's `decisions` follow the edits of its decisions."""

from __future__ import annotations

import json

import pytest
from support import PROJECT
from support import Folder


def decision(project: str = "[[nova]]") -> bytes:
    return f'---\ntype: decision\ndate: 2026-11-01\nproject: "{project}"\n---\nWhy.\n'.encode()


def write(vault: Folder, path: str, data: bytes = decision()) -> None:
    done = vault.run("write", path, "--agent", "codex", stdin=data)
    assert done.code == 0 and done.out.startswith("committed"), done


LISTED = PROJECT.replace("status: active\n", 'status: active\ndecisions:\n  - "[[decisions/a]]"\n')


def test_the_edit_that_adds_a_decision_lists_it(vault: Folder) -> None:
    write(vault, "decisions/a.md")
    assert vault.read("projects/nova.md") == LISTED
    assert vault.git("show", "--stat=200", "--format=%an", "HEAD").split()[0] == "codex"
    assert "projects/nova.md" in vault.git("show", "--stat=200", "HEAD")
    done = vault.run("write", "decisions/b.md", "--agent", "codex", stdin=decision())
    assert "with it: projects/nova.md" in done.err
    assert vault.read("projects/nova.md") == LISTED.replace('a]]"\n', 'a]]"\n  - "[[decisions/b]]"\n')
    assert vault.run("check", "--all").code == 0 and vault.run("verify").code == 0


def test_undo_and_revert_take_back_both(vault: Folder) -> None:
    write(vault, "decisions/a.md")
    assert vault.run("undo", "HEAD").code == 0
    assert vault.read("projects/nova.md") == PROJECT and not vault.exists("decisions/a.md")
    write(vault, "decisions/a.md")
    vault.git("revert", "--no-edit", "HEAD")
    assert vault.read("projects/nova.md") == PROJECT


def test_deleting_a_decision_takes_it_out(vault: Folder) -> None:
    write(vault, "decisions/a.md")
    assert vault.run("delete", "decisions/a.md", "--agent", "codex").code == 0
    assert "decisions: []" in vault.read("projects/nova.md") or "decisions" not in vault.read("projects/nova.md")
    assert vault.run("check", "--all").code == 0


@pytest.mark.parametrize("entry", ["[[a]]", "[[decisions/a|the first]]", "[[decisions/a.md]]"])
def test_one_that_is_listed_already_is_not_listed_twice(vault: Folder, entry: str) -> None:
    vault.write("projects/nova.md", PROJECT.replace("status: active\n", f'status: active\ndecisions: ["{entry}"]\n'))
    vault.commit()
    before = vault.read("projects/nova.md")
    write(vault, "decisions/a.md")
    assert vault.read("projects/nova.md") == before


def test_a_decision_that_changes_hands(vault: Folder) -> None:
    vault.write("projects/atlas.md", PROJECT.replace("Nova", "Atlas"))
    vault.commit()
    write(vault, "decisions/a.md")
    assert vault.run("set", "decisions/a.md", 'project="[[atlas]]"', "--agent", "codex").code == 0
    assert "[[decisions/a]]" in vault.read("projects/atlas.md")
    assert "[[decisions/a]]" not in vault.read("projects/nova.md")


def test_project_and_decision_in_one_edit(vault: Folder) -> None:
    text = PROJECT.replace("Nova", "Atlas")
    changes = [
        {"path": "decisions/a.md", "text": decision("[[atlas]]").decode()},
        {"path": "projects/atlas.md", "text": text},
    ]
    assert vault.run("apply", "--agent", "codex", stdin=json.dumps({"changes": changes}).encode()).code == 0
    assert '  - "[[decisions/a]]"\n' in vault.read("projects/atlas.md")


def test_a_list_that_cannot_be_kept_is_no_reason_to_refuse(vault: Folder) -> None:
    broken = PROJECT.replace("name: Nova", "name: [Nova")
    vault.write("projects/nova.md", broken)
    vault.commit()
    write(vault, "decisions/a.md")
    assert vault.read("projects/nova.md") == broken


def test_p3_the_persons_text_in_the_project_stays_theirs(vault: Folder) -> None:
    vault.write("projects/nova.md", PROJECT + "mine\n")
    write(vault, "decisions/a.md")
    assert vault.read("projects/nova.md") == LISTED + "mine\n"
    assert vault.git("show", "HEAD:projects/nova.md") + "\n" == LISTED


def test_sent_twice_is_one_edit(vault: Folder) -> None:
    write(vault, "decisions/a.md")
    once = vault.git("rev-list", "--count", "HEAD")
    changed = {"path": "decisions/a.md", "set": {"date": "2026-11-02"}}
    request = json.dumps({"line": "a: later", "changes": [changed]}).encode()
    assert vault.run("apply", "--agent", "codex", stdin=request).code == 0
    assert vault.run("apply", "--agent", "codex", stdin=request).out.startswith("unchanged")
    assert int(vault.git("rev-list", "--count", "HEAD")) == int(once) + 1


def test_a_project_that_was_wrong_before_is_left(vault: Folder) -> None:
    wrong = PROJECT.replace("status: active\n", "status: active\ndecisions: {a: b}\n")
    vault.write("projects/nova.md", wrong)
    vault.commit("past the hook")
    write(vault, "decisions/a.md")
    assert vault.read("projects/nova.md") == wrong
