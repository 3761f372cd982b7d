"""Mending what git's own race leaves: `git commit` reads the index, then locks it, then writes what it had read.

An edit landing in between is then staged as its own reversal, and the person's next commit would undo it. The repair
runs in our pre-commit hook (git reads the index again after it) and whenever the queue is drained.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from vaultgit.edits import queue
from vaultgit.history import index
from vaultgit.history import refs
from vaultgit.vault import Vault

WINDOW = 3600.0  # seconds: a person who stages an older version on purpose later than this is left alone


def repair_index(vault: Vault, index_file: str | None = None) -> list[str]:
    """Index entries that hold what a landed edit replaced, while branch and disk hold the edit, are set to the edit.

    Returns the paths. A person who staged the old version on purpose and left the disk alone, within the hour,
    cannot be told apart (facts, trap 1).
    """
    repo = vault.repo
    last = {replaced.path: replaced for replaced in _lately_replaced(vault)}
    if not last or refs.head(repo).operation:
        return []
    try:
        now = index.entries(repo, last, index_file)
    except index.Unmerged:
        return []
    wrong = [one for path, one in last.items() if now.get(path) == one.old and _branch_and_disk_hold(vault, one)]
    if wrong:
        lines = b"".join(
            b"%b %b\t%b\0" % (one.new.mode.encode(), one.new.oid.encode(), os.fsencode(one.path)) for one in wrong
        )
        env = {"GIT_INDEX_FILE": index_file} if index_file else {}
        if repo.call("update-index", "-z", "--index-info", input=lines, env=env).returncode != 0:
            return []  # locked by the person's git; the next run repairs it
    return [one.path for one in wrong]


class _Replaced(NamedTuple):
    path: str  # from the work tree's root
    ref: str
    old: index.Entry
    new: index.Entry


def _lately_replaced(vault: Vault) -> Iterator[_Replaced]:
    """What landed edits replaced in the index, oldest first. Reads the records of `apply` without importing it: the
    hook's time is mostly imports."""
    folder = os.path.join(vault.state, "landed")
    for name in queue.listing(folder):
        try:
            if time.time() - os.stat(os.path.join(folder, name)).st_mtime > WINDOW:
                continue
            record = queue.read_json(os.path.join(folder, name))
            if record["git_dir"] == vault.repo.git_dir and record["checked_out"]:
                for path, old, new in record["staged"]:
                    if old and new:
                        yield _Replaced(path, record["ref"], index.Entry(*old), index.Entry(*new))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # gone meanwhile, or damaged: nothing to repair from it


def _branch_and_disk_hold(vault: Vault, one: _Replaced) -> bool:
    committed = vault.repo.blob(f"{one.ref}:{one.path}")
    if committed is None or committed.oid != one.new.oid:
        return False
    try:
        with open(os.path.join(vault.repo.worktree, one.path), "rb") as stream:
            on_disk = stream.read()
    except OSError:
        return False
    oid = vault.repo.run("hash-object", f"--path={one.path}", "--stdin", input=on_disk).decode().strip()
    return oid == committed.oid
