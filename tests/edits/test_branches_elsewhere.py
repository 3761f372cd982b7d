"""Promises P2 and P3 where an edit's branch, work tree or folder is no longer what it was when the edit was accepted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from faulty import edits
from faulty import killing
from faulty import queued
from faulty import reaching
from faulty import run_faulty
from faulty import waiting
from support import Folder


@pytest.fixture
def side(vault: Folder) -> Folder:
    """An edit waits for the branch `side`; `main` is checked out."""
    vault.git("checkout", "-q", "-b", "side")
    queued(vault)
    vault.git("checkout", "-q", "main")
    return vault


def assert_on_side(vault: Folder) -> None:
    """`side`, checked out: branch, index and disk hold the edit, once."""
    assert vault.git("rev-parse", "--abbrev-ref", "HEAD") == "side"
    assert vault.git("status", "--porcelain") == ""
    assert vault.git("show", "HEAD:Home.md").endswith("by the agent")
    assert vault.read("Home.md").count("by the agent") == 1
    assert (edits(vault), waiting(vault)) == (1, [])
    assert vault.run("verify").code == 0


def test_p3_a_killed_landing_is_not_finished_under_a_branch_that_was_checked_out_since(side: Folder) -> None:
    """Moving the ref alone would leave the edit's reversal staged, and the person's next commit would make it."""
    run_faulty(side, killing("planned"), "status")
    side.git("checkout", "-q", "side")
    assert side.run("status").code == 0
    assert_on_side(side)


@pytest.mark.parametrize("step", ["read", "planned"])
def test_p3_a_checkout_while_an_edit_lands_on_that_branch(side: Folder, step: str) -> None:
    checkout = reaching(step, "subprocess.run(['git', 'checkout', '-q', 'side'], check=True)")
    assert run_faulty(side, checkout, "status").code == 0
    assert side.run("status").code == 0
    assert_on_side(side)


def test_p3_no_branch_moves_that_another_work_tree_rebases(vault: Folder, tmp_path: Path) -> None:
    vault.write("c.md", "base\n")
    vault.commit()
    vault.git("checkout", "-q", "-b", "side")
    vault.write("c.md", "side\n")
    before = vault.commit()
    queued(vault)
    vault.git("checkout", "-q", "main")
    vault.write("c.md", "main\n")
    vault.commit()
    vault.git("worktree", "add", "-q", str(tmp_path / "linked"), "side")
    linked = Folder(tmp_path / "linked")
    assert linked.try_git("rebase", "main").code != 0
    done = vault.run("status")
    assert (done.code, vault.git("rev-parse", "side"), len(waiting(vault))) == (0, before, 1)
    assert "side is checked out in " in done.out
    linked.write("c.md", "both\n")
    linked.git("add", "c.md")
    linked.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert linked.git("status", "--porcelain") == ""
    vault.git("worktree", "remove", str(linked.root))
    assert vault.run("status").code == 0
    assert vault.git("show", "side:Home.md").endswith("by the agent")
    assert waiting(vault) == []


def test_p2_an_edit_lands_on_a_branch_whose_name_is_no_utf8(vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", os.fsdecode(b"caf\xe9"))
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert (done.code, waiting(vault)) == (0, []), done
    assert vault.git("show", "HEAD:Home.md").endswith("by the agent")


def test_p2_what_waits_lands_after_the_vault_was_moved(vault: Folder, tmp_path: Path) -> None:
    queued(vault)
    moved = Folder(vault.root.rename(tmp_path / "moved"))
    assert moved.run("status").code == 0
    assert moved.read("Home.md").endswith("by the agent\n")
    assert waiting(moved) == []


def test_p2_a_killed_landing_is_finished_after_the_vault_was_moved(vault: Folder, tmp_path: Path) -> None:
    """Its locks go, too: here the whole process group died, so that git's own are left."""
    group = reaching("ref-prepared", "os.setpgrp() or os.killpg(0, signal.SIGKILL)")
    run_faulty(vault, group, "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    moved = Folder(vault.root.rename(tmp_path / "moved"))
    head = moved.write(".git/HEAD.lock", "")  # as git leaves it, if its process has not let go of it
    os.utime(head, (head.stat().st_mtime - 10,) * 2)
    assert moved.run("status").code == 0
    assert moved.read("Home.md").count("by the agent") == 1
    assert moved.git("status", "--porcelain") == ""
    assert list((moved.root / ".git").rglob("*.lock")) == []
    assert (edits(moved), waiting(moved)) == (1, [])


def test_p2_what_waited_in_a_work_tree_that_was_removed_lands_in_the_main_one(vault: Folder, tmp_path: Path) -> None:
    vault.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    linked = Folder(tmp_path / "linked")
    assert linked.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n").code == 75
    vault.git("worktree", "remove", str(linked.root))
    assert vault.run("status").code == 0
    assert vault.read("Home.md").endswith("by the agent\n")
    assert waiting(vault) == []
