"""`vaultgit sync` as people, agents and timers meet it: what it says, its exit codes, its JSON."""

from __future__ import annotations

import json

import pytest
from support import Folder
from syncing import clone
from syncing import edit
from syncing import level
from syncing import synced
from syncing import tip
from syncing import with_remote

KEYS = ["outcome", "oid", "remote", "branch", "fetched", "pushed", "paths", "inbox", "branches", "reason"]


@pytest.fixture
def there(vault: Folder) -> Folder:
    return with_remote(vault)


@pytest.fixture
def other(there: Folder) -> Folder:
    return clone(there, "other")


def test_what_came_in_and_went_out_is_told_by_whose_it_is(vault: Folder, there: Folder, other: Folder) -> None:
    for number in range(3):
        edit(other, f"{number}", "projects/nova.md")
    other.write("notes/bea.md", "mine\n")
    other.commit("a note", "notes/bea.md")
    synced(other)
    edit(vault, "from here", agent="claude-code")
    done = vault.run("sync")
    assert done.out == f"merged {tip(vault)}\n"
    assert done.err.splitlines() == [
        "3 edits of codex, 1 commit of Bea came in: 2 notes: notes/bea.md, projects/nova.md",
        "1 edit of claude-code went out to origin/main",
    ]


def test_an_agent_may_sync(vault: Folder, there: Folder) -> None:
    edit(vault, "from here")
    done = vault.run("sync", env={"VAULTGIT_AGENT": "codex"})
    assert done.code == 0 and done.out.startswith("pushed "), done


def test_json_has_the_same_keys_whatever_it_came_to(vault: Folder, there: Folder) -> None:
    assert list(synced(vault)) == KEYS
    edit(vault, "from here")
    assert list(synced(vault, "--dry-run")) == KEYS
    pushed = synced(vault)
    assert (pushed["outcome"], pushed["oid"], pushed["pushed"]) == ("pushed", tip(vault), 1)
    vault.write(".git/MERGE_HEAD", tip(vault) + "\n")
    done = vault.run("sync", "--json")
    found = json.loads(done.out)
    assert (done.code, list(found), found["outcome"]) == (75, KEYS, "queued")
    assert "a merge is in progress" in found["reason"]


def test_what_did_not_merge_is_named_with_the_command_that_shows_it(
    vault: Folder, there: Folder, other: Folder
) -> None:
    for place, day in ((vault, "Monday"), (other, "Friday")):
        text = place.read("projects/nova.md").replace("- started", f"- started on {day}")
        base = place.git("rev-parse", "HEAD:projects/nova.md")
        args = ("--agent", "codex") if place is other else ()
        assert place.run("write", "projects/nova.md", "--base", base, *args, stdin=text.encode()).code == 0
    synced(vault)
    done = other.run("sync")
    [line] = [line for line in done.err.splitlines() if line.startswith("! ")]
    command = line.partition("vaultgit ")[2].split()
    shown = other.run(*command)
    assert shown.code == 0 and "started on Friday" in shown.out, shown
    assert "conflict with what Test Person wrote" in line
    [aside] = json.loads(other.run("inbox", "list", "--json").out)
    assert aside["path"] == command[-1]


def test_several_remotes_by_name(vault: Folder, there: Folder) -> None:
    second = with_remote(vault, name="second", bare="second.git", pushed=False)
    edit(vault, "from here")
    assert synced(vault, "second")["remote"] == "second"
    assert synced(vault)["remote"] == "origin"
    assert level(vault, there, second)
    done = vault.run("sync", "third")
    assert done.code == 2 and "there is no remote third" in done.err and "here: origin, second" in done.err, done
    vault.git("remote", "rename", "origin", "first")
    vault.git("config", "--unset", "branch.main.remote")
    done = vault.run("sync")
    assert done.code == 2 and "several remotes" in done.err and "here: first, second" in done.err, done


def test_two_remotes_carry_the_same_edits_once(vault: Folder, there: Folder, other: Folder) -> None:
    second = with_remote(vault, name="second", bare="second.git")
    other.git("remote", "add", "second", str(second.root))
    edit(other, "from there")
    synced(other, "second")
    edit(vault, "from here", "projects/nova.md")
    synced(vault, "origin")
    synced(vault, "second")
    synced(vault, "origin")
    synced(other, "origin")
    synced(other, "second")
    assert level(vault, other, there, second)
    assert vault.read("changelog.md").count("\n- ") == 2


def test_what_waits_in_the_queue_is_told(vault: Folder, there: Folder) -> None:
    """An edit of a branch that is checked out elsewhere waits on; the sync does not."""
    tree = Folder(vault.root.parent / "tree")
    vault.git("worktree", "add", "--quiet", "-b", "second", str(tree.root))
    vault.git("switch", "--quiet", "-c", "third")
    vault.write(".git/MERGE_HEAD", tip(vault) + "\n")
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"waits\n").code == 75
    (vault.root / ".git/MERGE_HEAD").unlink()
    vault.git("switch", "--quiet", "main")
    tree.git("switch", "--quiet", "third")
    done = vault.run("sync")
    assert done.code == 0 and "! still queued: Home.md: third is checked out in" in done.err, done


def test_a_person_gets_back_with_undo_what_came_in(vault: Folder, there: Folder, other: Folder) -> None:
    """P6: what a sync brought is an edit like any other."""
    oid = edit(other, "from there")
    synced(other)
    edit(vault, "from here", "projects/nova.md")
    synced(vault)
    assert vault.run("undo", oid).code == 0
    assert "from there" not in vault.read("Home.md")
    synced(vault)
    synced(other)
    assert "from there" not in other.read("Home.md")
    assert level(vault, other, there)


def test_p12_removal_takes_what_syncs_noted(vault: Folder, there: Folder) -> None:
    edit(vault, "from here")
    synced(vault)
    assert vault.git("for-each-ref", "refs/vaultgit/")
    assert vault.run("init", "--remove").code == 0
    assert vault.git("for-each-ref", "refs/vaultgit/") == ""
    inside = vault.root / ".git"
    assert [str(path) for path in inside.rglob("*vaultgit*") if "logs" not in path.parts] == []
