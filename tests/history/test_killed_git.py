"""A git that was killed has given no answer: whoever asked is told so, and takes it for no other. Promise P2."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from vaultgit.history import refs
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    who = ("-c", "user.name=P", "-c", "user.email=p@example.invalid")
    for args in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "one"), ("branch", "other"),
                 ("checkout", "-q", "--orphan", "apart"), ("commit", "-q", "--allow-empty", "-m", "two")):  # fmt: skip
        subprocess.run(["git", *who, *args], cwd=tmp_path, check=True)
    return Repository(str(tmp_path), str(tmp_path / ".git"), str(tmp_path / ".git"))


@pytest.fixture
def killed(repo: Repository, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Repository:
    folder = tmp_path_factory.mktemp("killed")
    (folder / "git").write_text("#!/bin/sh\nkill -9 $$\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return repo


def test_p2_what_was_killed_is_no_answer(killed: Repository) -> None:
    for ask in (
        lambda: refs.merge_base(killed, "main", "other"),
        lambda: refs.was_at(killed, "refs/heads/main", "0" * 40),
        lambda: killed.resolve("main"),
        lambda: killed.call("check-ignore", "-q", "x.md"),
    ):
        with pytest.raises(GitError) as found:
            ask()
        assert found.value.code == -signal.SIGKILL


def test_where_histories_part_is_told_from_what_git_cannot_say(repo: Repository) -> None:
    assert refs.merge_base(repo, "main", "other") == repo.resolve("main")
    assert refs.merge_base(repo, "main", "apart") is None
    with pytest.raises(GitError):
        refs.merge_base(repo, "main", "0" * 40)
