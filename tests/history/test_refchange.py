"""Promise P4: a branch is moved and deleted by compare-and-swap, and what is killed meanwhile blocks nobody for ever."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from reviewing import opened
from support import Folder

from vaultgit.history import refchange
from vaultgit.history.repository import GitError

REF = "refs/heads/dream/a"


@pytest.fixture
def branch(vault: Folder) -> str:
    vault.git("branch", "dream/a")
    return vault.git("rev-parse", "dream/a")


def change(vault: Folder, new: str | None, was: str | None) -> str:
    with opened(vault) as found:
        return refchange.change(found.repo, REF, new, was)


def locks(vault: Folder) -> list[str]:
    return sorted(path.name for path in (vault.root / ".git").rglob("*.lock"))


@pytest.mark.parametrize("packed", [False, True])
def test_p4_a_branch_is_deleted_wherever_git_keeps_it(vault: Folder, branch: str, packed: bool) -> None:
    if packed:
        vault.git("pack-refs", "--all")
    assert change(vault, None, branch) == ""
    assert vault.git("for-each-ref", "refs/heads/dream") == ""
    assert not vault.exists(f".git/logs/{REF}")
    assert locks(vault) == []
    vault.git("branch", "dream")  # no folder is in the way


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("delete", [True, False])
def test_p4_a_branch_that_moved_stays(vault: Folder, branch: str, packed: bool, delete: bool) -> None:
    now = vault.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "a person's")
    vault.git("update-ref", REF, now)
    if packed:
        vault.git("pack-refs", "--all")
    assert change(vault, None if delete else vault.git("rev-parse", "HEAD"), branch)
    assert vault.git("rev-parse", "dream/a") == now
    assert locks(vault) == []


def test_p4_a_branch_that_another_git_holds_stays(vault: Folder, branch: str) -> None:
    vault.write(f".git/{REF}.lock", "")
    assert "locked" in change(vault, None, branch)
    assert vault.git("rev-parse", "dream/a") == branch
    assert locks(vault) == ["a.lock"]


def test_p4_a_branch_that_is_gone_is_said_to_be(vault: Folder, branch: str) -> None:
    vault.git("branch", "-D", "dream/a")
    assert change(vault, None, branch)
    assert locks(vault) == []


def test_p4_a_killed_deletion_of_ours_blocks_the_branch_for_seconds(vault: Folder, branch: str) -> None:
    vault.write(f".git/{REF}.lock", "vaultgit 1\n")
    os.utime(vault.root / f".git/{REF}.lock", (0, 0))
    vault.write(".git/refs/heads/other.lock", "")
    os.utime(vault.root / ".git/refs/heads/other.lock", (0, 0))
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n").code == 0
    assert locks(vault) == ["other.lock"]  # a person's: `vaultgit doctor` tells of such


@pytest.fixture
def killed(vault: Folder, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The git of this vault makes its locks, and is killed."""
    folder = tmp_path_factory.mktemp("killed")
    places = " ".join(f"'{vault.root}/.git/{name}'" for name in (f"{REF}.lock", "packed-refs.lock", "packed-refs.new"))
    (folder / "git").write_text(f"#!/bin/sh\nset -C\nfor one in {places}; do true > $one; done\nkill -9 $$\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return folder


def test_p4_what_a_killed_git_had_locked_is_free_again(vault: Folder, branch: str, killed: Path) -> None:
    with pytest.raises(GitError) as found:
        change(vault, branch, branch)
    assert found.value.code == -signal.SIGKILL
    assert locks(vault) == []
    assert not vault.exists(".git/packed-refs.new")


def test_p4_a_lock_that_was_there_before_is_not_taken_away(vault: Folder, branch: str, killed: Path) -> None:
    old = vault.root / ".git/packed-refs.lock"
    old.write_bytes(b"")
    os.utime(old, (0, 0))
    with pytest.raises(GitError):
        change(vault, branch, branch)
    assert locks(vault) == ["packed-refs.lock"]


def test_p4_a_lock_that_is_written_into_is_a_living_gits(vault: Folder, branch: str, killed: Path) -> None:
    lock = vault.root / ".git/packed-refs.lock"
    script = f"until test -e '{lock}'; do :; done; for n in 1 2 3 4 5 6 7 8; do echo $n >> '{lock}'; sleep 0.1; done"
    writer = subprocess.Popen(["/bin/sh", "-c", script], env={"PATH": os.defpath})
    try:
        with pytest.raises(GitError):
            change(vault, branch, branch)
        assert locks(vault) == ["packed-refs.lock"]
    finally:
        writer.wait()
