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
from vaultgit.history.index import Entry
from vaultgit.history.repository import GitError
from vaultgit.vault import Vault

WINDOW = 3600.0  # seconds: a person who stages an older version on purpose later than this is left alone


class _Replaced(NamedTuple):
    """What one landed edit replaced in the index."""

    path: str  # from the work tree's root
    old: Entry | None
    new: Entry | None
    ref: str
    landed: str  # the commit
    together: frozenset[str]  # all paths of the round


def repair_index(vault: Vault, index_file: str | None = None) -> list[str]:
    """Index entries that hold what a landed edit replaced, while branch and disk hold the edit, are set to the edit.

    Returns the paths. The race writes a whole index back, so that all entries of a round are old then: asked for where
    an entry alone says too little (a note that came or went, one in which the person had something else staged). For a
    plain change the entry is enough: a person who staged the old version on purpose and left the disk alone, within
    the hour, cannot be told apart.
    """
    repo = vault.repo
    last: dict[str, _Replaced] = {}
    held: dict[str, list[Entry | None]] = {}  # before each edit: several may have landed within one race
    for one in _lately_replaced(vault):
        last[one.path] = one
        held.setdefault(one.path, []).append(one.old)
    if not last or refs.head(repo).operation:
        return []
    try:
        now = index.entries(repo, last, index_file)
    except index.Unmerged:
        return []
    old = {path for path, one in last.items() if now.get(path) != one.new and now.get(path) in held[path]}
    wrong = [
        one
        for path, one in last.items()
        if path in old and (_is_plain(vault, one) or one.together <= old) and _branch_and_disk_hold(vault, one)
    ]
    if wrong:
        gone = Entry("0", refs.null_oid(repo))
        lines = b"".join(
            b"%b %b\t%b\0" % (entry.mode.encode(), entry.oid.encode(), os.fsencode(one.path))
            for one in wrong
            for entry in (one.new or gone,)
        )
        env = {"GIT_INDEX_FILE": index_file} if index_file else {}
        try:
            repo.run("update-index", "-z", "--index-info", input=lines, env=env)
        except GitError:
            return []  # locked by the person's git; the next run repairs it
    return [one.path for one in wrong]


def _lately_replaced(vault: Vault) -> Iterator[_Replaced]:
    """What landed edits replaced in the index, oldest first. Reads the records of `plan` without importing it: the
    hook's time is mostly imports."""
    folder = os.path.join(vault.state, "landed")
    for name in queue.listing(folder):
        try:
            if time.time() - os.stat(os.path.join(folder, name)).st_mtime > WINDOW:
                continue
            record = queue.read_json(os.path.join(folder, name))
            if record["place"] == vault.repo.place and record["checked_out"]:
                together = frozenset(path for path, _, _ in record["staged"])
                for path, *entries in record["staged"]:
                    old, new = (Entry(*fields) if fields else None for fields in entries)
                    yield _Replaced(path, old, new, record["ref"], record["new"], together)
        except (OSError, ValueError, KeyError, TypeError):
            continue  # gone meanwhile, or damaged: nothing to repair from it


def _is_plain(vault: Vault, one: _Replaced) -> bool:
    """A note that was there before and after, in which the person had nothing else staged."""
    return one.old is not None and one.new is not None and one.new.oid == _committed(vault, one.landed, one.path)


def _branch_and_disk_hold(vault: Vault, one: _Replaced) -> bool:
    committed = _committed(vault, one.ref, one.path)
    if committed != _committed(vault, one.landed, one.path):
        return False
    if committed != (one.new.oid if one.new else ""):
        return True  # staged otherwise: the disk may hold anything
    try:
        with open(os.path.join(vault.repo.worktree, one.path), "rb") as stream:
            on_disk = stream.read()
    except OSError:
        return one.new is None and not os.path.lexists(os.path.join(vault.repo.worktree, one.path))
    if not committed:
        return False
    return vault.repo.run("hash-object", f"--path={one.path}", "--stdin", input=on_disk).decode().strip() == committed


def _committed(vault: Vault, commit: str, path: str) -> str:
    blob = vault.repo.blob(f"{commit}:{path}")
    return blob.oid if blob else ""
