"""The mark of a person's commit under way, which holds edits back: P2 and P10."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator

import pytest
from support import Folder


@pytest.fixture
def git(vault: Folder) -> Iterator[subprocess.Popen[bytes]]:
    """A git that runs for long, as each of our servers has one."""
    with subprocess.Popen(
        ["git", "cat-file", "--batch"], cwd=vault.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        yield process
        process.kill()


def mark(vault: Folder, pid: int, age: float) -> None:
    path = vault.write(f".git/vaultgit/state/committing/{pid}", f"{pid}\n")
    os.utime(path, (time.time() - age,) * 2)


def test_a_commit_that_runs_holds_edits_back(vault: Folder, git: subprocess.Popen[bytes]) -> None:
    mark(vault, git.pid, 0)
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"- a line\n").code == 75


def test_p2_the_mark_of_a_killed_commit_holds_nothing_back_when_its_number_is_anothers(
    vault: Folder, git: subprocess.Popen[bytes]
) -> None:
    mark(vault, git.pid, 3600)
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"- a line\n")
    assert (done.code, vault.git("status", "--porcelain")) == (0, ""), done
    assert not vault.exists(f".git/vaultgit/state/committing/{git.pid}")
