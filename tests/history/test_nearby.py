"""Where a repository lies, found without git, is what git says, or nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from vaultgit.errors import UsageError
from vaultgit.history import repository
from vaultgit.history.nearby import nearby
from vaultgit.history.repository import Repository

Setup = Callable[[Path], Path]


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=P", "-c", "user.email=p@example.invalid")
    subprocess.run(["git", "-C", str(folder), *who, *args], check=True, capture_output=True)


def made(folder: Path, *args: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", *args, ".")
    return folder


def plain(tmp: Path) -> Path:
    return made(tmp / "plain")


def below(tmp: Path) -> Path:
    (plain(tmp) / "a" / "b").mkdir(parents=True)
    return tmp / "plain" / "a" / "b"


def linked(tmp: Path) -> Path:
    (tmp / "link").symlink_to(plain(tmp))
    return tmp / "link"


def with_a_remote(tmp: Path) -> Path:
    folder = plain(tmp)
    git(folder, "remote", "add", "origin", "https://example.invalid/notes.git")
    git(folder, "config", "user.name", "Ann Person")
    return folder


def committed(tmp: Path) -> Path:
    git(plain(tmp), "commit", "-q", "--allow-empty", "-m", "one")
    return tmp / "plain"


def work_tree(tmp: Path) -> Path:
    git(committed(tmp), "worktree", "add", "-q", "-b", "other", str(tmp / "other"))
    return tmp / "other"


def linked_git_folder(tmp: Path) -> Path:
    (plain(tmp) / ".git").rename(tmp / "moved")
    (tmp / "plain" / ".git").symlink_to(tmp / "moved")
    return tmp / "plain"


def detached(tmp: Path) -> Path:
    git(committed(tmp), "checkout", "-q", "--detach")
    return tmp / "plain"


def empty_git_folder(tmp: Path) -> Path:
    (plain(tmp) / "inner" / ".git").mkdir(parents=True)
    return tmp / "plain" / "inner"


def without_objects(tmp: Path) -> Path:
    (plain(tmp) / ".git" / "objects").rename(tmp / "objects")
    return tmp / "plain"


def config_with(text: str) -> Setup:
    def setup(tmp: Path) -> Path:
        with open(plain(tmp) / ".git" / "config", "a", encoding="utf-8") as stream:
            stream.write(text.replace("AWAY", str(tmp)))
        return tmp / "plain"

    return setup


ODD: dict[str, Setup] = {
    "work tree": work_tree, "linked .git": linked_git_folder, "detached": detached, "empty .git": empty_git_folder,
    "separate": lambda tmp: made(tmp / "plain", "--separate-git-dir", str(tmp / "elsewhere.git")),
    "sha256": lambda tmp: made(tmp / "plain", "--object-format=sha256"),
    "bare": lambda tmp: made(tmp / "bare.git", "--bare"),
    "bare inside": lambda tmp: made(plain(tmp) / "inner", "--bare"),
    "inside .git": lambda tmp: plain(tmp) / ".git" / "refs",
    "no objects": without_objects, "nothing": lambda tmp: tmp,
    "work tree elsewhere": config_with("[core]\n\tworktree = AWAY\n"), "said to be bare": config_with("\tbare = true\n"),
    "newer format": config_with("[core]\n\trepositoryformatversion = 99\n"),
    "no boolean": config_with("[core]\n\tbare = perhaps\n"), "one line": config_with("[core] worktree = AWAY\n"),
    "continued": config_with("[core]\n\tx = a \\\n\tworktree = AWAY\n"), "broken": config_with("[core\n"),
    "broken key": config_with("what is this\n"), "open quote": config_with('[a]\n\tb = "c\n'),
    "escaped": config_with("[a]\n\tb = c\\q\n"), "odd section": config_with("[a b]\n\tc = d\n"),
}  # fmt: skip


def by_git(start: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str] | None:
    with monkeypatch.context() as patched:
        patched.setattr(repository, "nearby", lambda _: None)
        try:
            found = Repository.find(start)
        except UsageError:
            return None
    return (found.worktree, found.git_dir) if found else None


@pytest.mark.parametrize("setup", [plain, below, linked, with_a_remote, committed])
def test_the_usual_case_needs_no_git(setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = str(setup(tmp_path))
    found = nearby(start)
    assert found is not None
    assert found == by_git(start, monkeypatch)


@pytest.mark.parametrize("name", ODD)
def test_all_else_is_gits_to_say(name: str, tmp_path: Path) -> None:
    assert nearby(str(ODD[name](tmp_path))) is None


def test_where_git_would_stop_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = str(below(tmp_path))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.path.dirname(start))
    assert nearby(start) is None


def test_a_repository_of_somebody_else_is_gits_to_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = str(plain(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert nearby(start) is None
