"""install/hooks: in place, kept hooks back on removal, core.hooksPath of others respected (promise P12)."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import Folder

from vaultgit.errors import UsageError
from vaultgit.history.repository import Repository
from vaultgit.install import hooks


@pytest.fixture
def repo(plain: Folder) -> Iterator[Repository]:
    found = Repository.find(str(plain.root))
    assert found is not None
    with found:
        yield found


def hook_files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.name: (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        for path in sorted(folder.iterdir())
        if not path.name.endswith(".sample")
    }


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_installing_twice_does_nothing_the_second_time(repo: Repository) -> None:
    assert len(hooks.install(repo)) == len(hooks.NAMES)
    assert hooks.plan(repo, "native") == [] == hooks.install(repo)
    assert hooks.status(repo) == ("native", True, "native")


def test_removal_leaves_the_folder_as_it_was(plain: Folder, repo: Repository) -> None:
    folder = plain.root / ".git/hooks"
    script(folder / "pre-commit", "echo theirs")
    (folder / "commit-msg").symlink_to("../../nowhere")
    before = {name: os.readlink(folder / name) if (folder / name).is_symlink() else name for name in os.listdir(folder)}
    text = (folder / "pre-commit").read_bytes()
    config = (plain.root / ".git/config").read_bytes()

    hooks.install(repo)
    assert hooks.status(repo).live
    hooks.remove(repo, config_goes=False)

    after = {name: os.readlink(folder / name) if (folder / name).is_symlink() else name for name in os.listdir(folder)}
    assert after == before
    assert (folder / "pre-commit").read_bytes() == text
    assert (plain.root / ".git/config").read_bytes() == config


def test_a_hook_that_somebody_put_over_ours_is_kept_as_well(plain: Folder, repo: Repository) -> None:
    folder = plain.root / ".git/hooks"
    script(folder / "pre-commit", "echo first")
    hooks.install(repo)
    script(folder / "pre-commit", "echo second")
    assert hooks.plan(repo, "native")
    hooks.install(repo)
    assert "second" in (folder / "pre-commit.vaultgit-kept").read_text()
    assert "first" in (folder / "pre-commit.vaultgit-kept-1").read_text()


def test_an_older_script_of_ours_is_replaced_and_not_kept(plain: Folder, repo: Repository) -> None:
    folder = plain.root / ".git/hooks"
    script(folder / "pre-commit", "# vaultgit git hook: of yesteryear")
    hooks.install(repo)
    assert "yesteryear" not in (folder / "pre-commit").read_text()
    assert not (folder / "pre-commit.vaultgit-kept").exists()


@pytest.mark.parametrize("scope", ["--global", "--local"])
def test_hooks_elsewhere_are_not_touched_and_go_on_running(
    plain: Folder, repo: Repository, tmp_path: Path, scope: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    script(elsewhere / "post-commit", f"echo post-commit >> {tmp_path}/ran")
    script(elsewhere / "reference-transaction", f"echo reference-transaction >> {tmp_path}/ran")
    plain.git("config", scope, "core.hooksPath", str(elsewhere))
    theirs = hook_files(elsewhere)
    config = (plain.root / ".git/config").read_bytes()
    global_config = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes()

    done = hooks.install(repo)
    assert any("core.hooksPath" in words for words in done)
    assert hooks.status(repo).live and str(elsewhere) in hooks.status(repo).words
    assert hooks.plan(repo, "native") == []
    plain.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "x")
    ran = (tmp_path / "ran").read_text().split()
    assert "post-commit" in ran and "reference-transaction" in ran
    assert hook_files(elsewhere) == theirs
    assert Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == global_config

    hooks.remove(repo, config_goes=False)
    assert (plain.root / ".git/config").read_bytes() == config
    assert plain.git("config", "core.hooksPath") == str(elsewhere)
    assert not Path(hooks.own_folder(repo)).exists()


def test_a_relative_hooks_path_as_husky_sets_it_is_restored_as_it_was_written(plain: Folder, repo: Repository) -> None:
    script(plain.root / ".husky/_/pre-commit", "echo husky >> ran")
    plain.git("config", "core.hooksPath", ".husky/_")
    hooks.install(repo)
    assert plain.git("config", "vaultgit.outerHooks") == ".husky/_"
    hooks.remove(repo, config_goes=False)
    assert plain.git("config", "core.hooksPath") == ".husky/_"
    assert plain.try_git("config", "vaultgit.outerHooks").code == 1


def test_a_hooks_path_set_after_us_is_told_with_the_file_that_sets_it(plain: Folder, repo: Repository) -> None:
    hooks.install(repo)
    plain.git("config", "--global", "core.hooksPath", "/somewhere")
    status = hooks.status(repo)
    assert not status.live
    assert "/somewhere" in status.words and os.environ["GIT_CONFIG_GLOBAL"] in status.words


def test_the_pre_commit_layout_is_refused_where_pre_commit_refuses(plain: Folder, repo: Repository) -> None:
    plain.git("config", "core.hooksPath", "/somewhere")
    with pytest.raises(UsageError, match="/somewhere"):
        hooks.plan(repo, "pre-commit")


def test_the_script_is_posix(tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "hooks/git-hook"
    assert subprocess.run(["sh", "-n", str(path)], check=False).returncode == 0
    assert os.access(path, os.X_OK)
