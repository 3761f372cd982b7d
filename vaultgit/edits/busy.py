"""What a repository is busy with, when no edit may land."""

from __future__ import annotations

import os
import time

from vaultgit.edits import queue
from vaultgit.history import refs
from vaultgit.vault import Vault

_SLACK = 2.0  # seconds between a process's own account and a file's


def busy(vault: Vault, *, sweep: bool = True) -> str:
    """What the repository is busy with, in words; "" when an edit may land. `sweep` as in `committing`."""
    operation = refs.head(vault.repo).operation
    if operation == "detached HEAD":
        return "no branch is checked out (detached HEAD); it lands when one is"
    if operation:
        return f"a {operation} is in progress; it lands when that ends"
    if committing(vault.state, sweep=sweep):
        return "your git commit is under way; it lands when that ends"
    return ""


def committing(state: str, *, sweep: bool = True) -> bool:
    """Whether a person's `git commit` (its hooks, its editor) runs: an edit now would make it die with "cannot lock
    ref HEAD". Our hook leaves a mark named by its process; with `sweep`, marks of those that are over go."""
    folder = os.path.join(state, "committing")
    alive = False
    for name in queue.listing(folder):
        path = os.path.join(folder, name)
        if name.isascii() and name.isdigit() and len(name) < 12 and _is_git(int(name)) and not _is_later(name, path):
            alive = True
        elif sweep:
            try:
                queue.unlink(path)
            except OSError:
                continue  # no mark of ours
    return alive


def _is_later(pid: str, mark: str) -> bool:
    """Whether a process began after its number was marked: that was another one, which was killed. Numbers come round
    within minutes on a busy machine, and a `git cat-file --batch` lives for hours. False where that cannot be told."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            begun = int(stream.read().rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        lives = time.clock_gettime(time.CLOCK_BOOTTIME) - begun
        return lives + _SLACK < time.time() - os.stat(mark).st_mtime
    except (OSError, AttributeError, IndexError, ValueError):
        return False


def _is_git(pid: int) -> bool:
    """Whether the process lives and is a git (a number may have gone to another program since)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return False  # another user's: not the person's commit
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as stream:
            return stream.read().strip().startswith("git")
    except OSError:
        import subprocess

        shown = subprocess.run(["ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return os.path.basename(shown.stdout.strip()).startswith("git")
