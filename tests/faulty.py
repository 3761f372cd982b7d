"""The real command line with a fault built in, in a process of its own: what `prelude` patches holds there alone."""

from __future__ import annotations

import os
from collections.abc import Mapping

import warm
from support import Folder
from support import Result

_RUNNER = """
import errno, os, signal, subprocess, sys
from vaultgit.edits import queue, steps
{prelude}
from vaultgit.cli.main import main
raise SystemExit(main(sys.argv[1:]))
"""
NO_FSYNC = """
whole = queue.sync_folder
def broken(folder):
    if {where}:
        raise OSError(errno.{code}, os.strerror(errno.{code}), folder)
    whole(folder)
queue.sync_folder = broken
"""


def run_faulty(
    vault: Folder, prelude: str, *args: str, stdin: bytes = b"", env: Mapping[str, str] = {}, timeout: float = 30,
    new_session: bool = False,
) -> Result:  # fmt: skip
    """`vaultgit ARGS` in the vault, after `prelude` (Python, with os, errno, signal, subprocess, queue and steps)."""
    code = _RUNNER.replace("{prelude}", prelude)
    return warm.run(
        code, *args, cwd=vault.root, stdin=stdin, env={**os.environ, **env}, timeout=timeout, new_session=new_session
    )


def reaching(step: str, what: str) -> str:
    """A prelude that does `what` (an expression) when landing first reaches a step."""
    return (
        f"pending = [{step!r}]\n"
        "def reached(name):\n"
        "    if name in pending:\n"
        "        pending.remove(name)\n"
        f"        {what}\n"
        "steps.reached = reached\n"
    )


def killing(step: str) -> str:
    """A prelude that is kill -9 at a step."""
    return reaching(step, "os.kill(os.getpid(), signal.SIGKILL)")


def busy(vault: Folder) -> None:
    """As in the middle of a merge: what is accepted now waits, and is for the branch checked out."""
    vault.write(".git/MERGE_HEAD", vault.git("rev-parse", "HEAD") + "\n")


def free(vault: Folder) -> None:
    (vault.root / ".git/MERGE_HEAD").unlink()


def queued(vault: Folder, *args: str, stdin: str = "by the agent\n", agent: str = "codex") -> None:
    """An edit that was accepted and waits."""
    busy(vault)
    done = vault.run(*(args or ("append", "Home.md")), "--agent", agent, stdin=stdin.encode())
    free(vault)
    assert done.code == 75, done


def waiting(vault: Folder) -> list[str]:
    return sorted(os.listdir(vault.root / ".git/vaultgit/state/queue"))


def edits(vault: Folder, *revisions: str) -> int:
    """How many commits carry an edit's id."""
    return vault.git("log", "--format=%B", *revisions).count("\nEdit: ")


def proposed(vault: Folder) -> str:
    """The text of the one note in the inbox."""
    [note] = vault.git("ls-tree", "-r", "--name-only", "HEAD", "inbox").splitlines()
    return vault.git("show", f"HEAD:{note}")
