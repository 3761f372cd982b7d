"""Other people's hooks of .pre-commit-config.yaml, run behind ours at a person's commit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager

from vaultgit import errors
from vaultgit.cli import out
from vaultgit.history.repository import Repository
from vaultgit.install import others as others_of
from vaultgit.vault import Disk


def run(repo: Repository, index_file: str | None, stage: str, *args: str) -> int:
    """Runs them for what is staged, as `pre-commit run --files`: that way it stashes nothing. Returns an exit code.

    Not when pre-commit itself runs us: it does the rest by itself then.
    """
    if os.environ.get("PRE_COMMIT_RUNNING_LEGACY") or os.environ.get("PRE_COMMIT"):
        return errors.DONE
    try:
        config = Disk(repo.worktree).read(".pre-commit-config.yaml")
    except OSError:
        return errors.DONE
    if config is None:
        return errors.DONE
    others = others_of.without_ours(config)
    if not others:
        return errors.DONE
    if repo.setting(others_of.AGREED) == "false":
        if stage == "pre-commit":
            how = "git config vaultgit.otherHooks true runs them"
            out.talk(f"vaultgit: hooks of .pre-commit-config.yaml not run ({how})")
        return errors.DONE
    if stage == "commit-msg" and b"commit-msg" not in re.sub(rb"(?m)^default_install_hook_types:.*", b"", others):
        return errors.DONE
    staged = repo.run(
        "diff-index", "--cached", "--name-only", "--no-renames", "-z", _base(repo), "--",
        env={"GIT_INDEX_FILE": index_file} if index_file else {},
    )  # fmt: skip
    names = [os.fsdecode(name) for name in staged.split(b"\0") if name]
    command = [sys.executable, "-P", "-m", "pre_commit", "run", "--hook-stage", stage]
    if args:
        command += ["--commit-msg-filename", *args]
    skip = ",".join(filter(None, ["vaultgit", "vaultgit-message", os.environ.get("SKIP")]))
    code = errors.DONE
    with _config(repo, others) as file:
        for some in _portions(names):
            done = subprocess.run(
                [*command, *file, "--files", *some], cwd=repo.worktree, env={**os.environ, "SKIP": skip}, check=False
            )
            code = code or (errors.REFUSED if done.returncode else errors.DONE)
    return code


@contextmanager
def _config(repo: Repository, others: bytes) -> Iterator[list[str]]:
    """The option that makes pre-commit read the configuration without our entry: skipped, it would be told as that."""
    path = os.path.join(repo.common_dir, "vaultgit", "state", f"pre-commit-{os.getpid()}.yaml")
    try:
        with open(path, "wb") as stream:
            stream.write(others)
    except OSError:
        yield []
        return
    try:
        yield ["--config", path]
    finally:
        os.unlink(path)


def _base(repo: Repository) -> str:
    head = repo.resolve("HEAD")
    return head or os.fsdecode(repo.run("hash-object", "-t", "tree", "-w", "--stdin")).strip()


def _portions(names: Sequence[str], most: int = 500_000) -> list[list[str]]:
    """`names` in lists that fit into a command line (2 MB on Linux, environment included)."""
    portions: list[list[str]] = []
    size = most
    for name in names:
        size += len(os.fsencode(name)) + 9
        if size > most:
            portions.append([])
            size = 0
        portions[-1].append(name)
    return portions
