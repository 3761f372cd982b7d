"""Promises P2 and P3 against what lies where a note or its folder should be, in branch, index and on disk: it is left
as it is, the edit's text waits in the inbox, and nobody else's edit waits for that."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from faulty import proposed
from faulty import queued
from faulty import waiting
from support import Folder
from support import run_cli


def remove(vault: Folder, path: str) -> None:
    """From disk alone, with the folders that it leaves empty."""
    (vault.root / path).unlink()
    if "/" in path:
        (vault.root / path).parent.rmdir()


def write(vault: Folder, path: str) -> None:
    done = vault.run("write", path, "--agent", "codex", "--json", stdin=b"by the agent\n")
    assert json.loads(done.out)["outcome"] == "inbox", done
    assert "by the agent" in proposed(vault)
    assert not vault.exists(path)


@pytest.mark.parametrize(("there", "wanted"), [("topic.md", "topic.md/x.md"), ("topic.md/x.md", "topic.md")])
def test_p3_a_note_and_a_folder_of_one_name_where_the_person_deleted_it_on_disk(
    vault: Folder, there: str, wanted: str
) -> None:
    """git's own tools replace one by the other without a word."""
    vault.write(there, "mine\n")
    vault.commit()
    remove(vault, there)
    write(vault, wanted)
    assert vault.git("show", f"HEAD:{there}") == "mine"
    assert vault.git("status", "--porcelain") == f" D {there}"


@pytest.mark.parametrize(("there", "wanted"), [("a.md", "a.md/b.md"), ("a.md/b.md", "a.md")])
def test_p3_what_is_only_staged_is_kept_under_a_name_that_becomes_a_folder_or_a_note(
    vault: Folder, there: str, wanted: str
) -> None:
    vault.write(there, "only in the index\n")
    vault.git("add", there)
    remove(vault, there)
    write(vault, wanted)
    assert vault.git("show", f":{there}") == "only in the index"
    assert vault.git("ls-files", "a.md") == there


def test_p3_a_submodule_that_is_not_checked_out_is_no_folder(vault: Folder) -> None:
    oid = vault.git("rev-parse", "HEAD")
    vault.git("update-index", "--add", "--cacheinfo", f"160000,{oid},lib")
    vault.git("commit", "-q", "--no-verify", "-m", "sub")
    write(vault, "lib/new.md")
    assert vault.git("ls-tree", "HEAD", "lib") == f"160000 commit {oid}\tlib"


def test_p3_nothing_is_written_through_a_folder_that_became_a_link(vault: Folder, tmp_path: Path) -> None:
    queued(vault, "append", "people/ada-lovelace.md")
    before = vault.read("people/ada-lovelace.md")
    (vault.root / "people").rename(tmp_path / "outside")
    (vault.root / "people").symlink_to(tmp_path / "outside")
    assert vault.run("status").code == 0
    assert (tmp_path / "outside/ada-lovelace.md").read_text() == before
    assert "by the agent" in proposed(vault)
    assert vault.git("show", "HEAD:people/ada-lovelace.md") + "\n" == before


@pytest.mark.parametrize("what", ["link", "folder", "pipe"])
def test_p2_a_note_that_became_something_else_holds_up_no_other_edit(vault: Folder, tmp_path: Path, what: str) -> None:
    queued(vault, "append", "people/ada-lovelace.md")
    queued(vault, stdin="by another\n")
    note = vault.root / "people/ada-lovelace.md"
    note.unlink()
    (tmp_path / "outside.md").write_text("not mine\n")
    if what == "link":
        note.symlink_to(tmp_path / "outside.md")
    elif what == "folder":
        note.mkdir()
    else:
        os.mkfifo(note)  # reading it would wait for ever
    assert run_cli("status", cwd=vault.root, timeout=10).code == 0
    assert waiting(vault) == []
    assert vault.git("show", "HEAD:Home.md").endswith("by another")
    assert "by the agent" in proposed(vault)
    assert (tmp_path / "outside.md").read_text() == "not mine\n"
    assert not (vault.root / ".git/index.lock").exists()


def test_p2_an_edit_that_makes_a_note_and_a_folder_of_one_name_is_refused(vault: Folder) -> None:
    both = [{"path": "f.md", "text": "x\n"}, {"path": "f.md/g.md", "text": "y\n"}]
    done = vault.run("apply", "--agent", "codex", stdin=json.dumps({"changes": both}).encode())
    assert (done.code, done.err.splitlines()[0][:16]) == (1, "f.md:1:1: PA03 i"), done
    assert not vault.exists("f.md")
    assert vault.run("append", "Home.md", "--agent", "other", stdin=b"x\n").code == 0


def test_p3_a_name_changed_by_case_alone_where_git_ignores_case(vault: Folder) -> None:
    vault.git("config", "core.ignorecase", "true")
    vault.write("Old.md", "x\n")
    vault.commit()
    renamed = [{"path": "Old.md", "delete": True}, {"path": "old.md", "text": "x\n"}]
    assert vault.run("apply", "--agent", "codex", stdin=json.dumps({"changes": renamed}).encode()).code == 0
    assert vault.git("ls-tree", "--name-only", "HEAD", "Old.md", "old.md") == "old.md"
    assert vault.git("ls-files", "Old.md", "old.md") == "old.md"
    assert vault.git("status", "--porcelain") == ""


def test_p2_a_note_in_conflict_holds_up_its_own_edits_alone(vault: Folder) -> None:
    vault.write("Home.md", "mine\n")
    vault.git("stash", "-q")
    vault.write("Home.md", "other\n")
    vault.commit()
    assert vault.try_git("stash", "pop").code != 0
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert done.code == 75
    assert "Home.md has a conflict that waits for you" in done.out
    assert vault.run("append", "projects/nova.md", "--agent", "codex", stdin=b"- next\n").code == 0
    vault.git("checkout", "--theirs", "Home.md")
    vault.git("add", "Home.md")
    assert vault.run("status").code == 0
    assert vault.read("Home.md") == "mine\nby the agent\n"
    assert waiting(vault) == []
