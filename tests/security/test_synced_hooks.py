"""A .pre-commit-config.yaml that somebody pushed names programs. A sync brings it in as any file, and none of them runs
at the next commit here until a person has agreed."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Folder
from syncing import clone
from syncing import synced
from syncing import with_remote


@pytest.fixture
def other(vault: Folder) -> Folder:
    made = clone(with_remote(vault), "other")
    assert made.run("init").code == 0
    return made


def add_hook(vault: Folder, canary: Path) -> None:
    entry = f"- repo: local\n  hooks: [{{id: theirs, name: theirs, language: system, entry: touch {canary}, always_run: true}}]\n"
    vault.write(".pre-commit-config.yaml", vault.read(".pre-commit-config.yaml") + entry)
    vault.git("commit", "--quiet", "--all", "--no-verify", "-m", "a hook")


def test_hooks_that_a_sync_brought_run_once_a_person_said_so(vault: Folder, other: Folder, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    add_hook(vault, canary)
    assert synced(vault)["outcome"] == "pushed"
    assert ".pre-commit-config.yaml" in synced(other)["paths"]
    other.write("Home.md", "mine\n")
    done = other.try_git("commit", "-qam", "mine")
    assert done.code == 0 and "git config vaultgit.otherHooks true" in done.err and not canary.exists(), done
    other.git("config", "vaultgit.otherHooks", "true")
    other.write("Home.md", "mine again\n")
    assert other.try_git("commit", "-qam", "again").code == 0
    assert canary.exists()
    assert synced(other)["outcome"] == "pushed" and synced(vault)["outcome"] == "merged"
    assert other.git("config", "vaultgit.otherHooks") == "true"  # once agreed, it stays so
    other.git("config", "vaultgit.otherHooks", "false")  # what the sync had set
    assert other.run("init", "--remove").code == 0
    assert "vaultgit" not in other.git("config", "--local", "--list")


def test_hooks_that_a_person_added_here_go_on_running(vault: Folder, other: Folder, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    add_hook(vault, canary)
    other.write("new.md", "x\n")
    other.git("add", "new.md")
    other.git("commit", "--quiet", "-m", "new")
    assert synced(other)["outcome"] == "pushed"
    assert synced(vault)["outcome"] == "merged"
    vault.write("Home.md", "mine\n")
    assert vault.try_git("commit", "-qam", "mine").code == 0
    assert canary.exists()
