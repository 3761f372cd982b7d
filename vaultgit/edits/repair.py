"""Mending what git's own race leaves: `git commit` reads the index, then locks it, then writes what it had read.

An edit landing in between is then staged as its own reversal, and the person's next commit would undo it. The repair
runs in our pre-commit hook (git reads the index again after it) and whenever the queue is drained.
"""

from __future__ import annotations

import os
import time

from vaultgit.edits import apply
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
    folder = os.path.join(vault.state, "landed")
    last: dict[str, tuple[apply.IndexChange, str]] = {}
    for name in queue.listing(folder):
        try:
            if time.time() - os.stat(os.path.join(folder, name)).st_mtime > WINDOW:
                continue
        except FileNotFoundError:
            continue
        record = queue.read_json(os.path.join(folder, name))
        plan = apply.from_json(record) if record is not None else None
        if plan is not None and plan.git_dir == repo.git_dir and plan.checked_out:
            last.update({change.path: (change, plan.ref) for change in plan.staged})
    if not last or refs.head(repo).operation:
        return []
    try:
        now = index.entries(repo, last, index_file)
    except index.Unmerged:
        return []
    wrong = [
        change
        for path, (change, ref) in last.items()
        if change.old is not None and change.new is not None and now.get(path) == change.old
        and _branch_and_disk_hold(vault, ref, change)
    ]  # fmt: skip
    if wrong:
        lines = b"".join(
            b"%b %b\t%b\0" % (c.new.mode.encode(), c.new.oid.encode(), os.fsencode(c.path)) for c in wrong if c.new
        )
        env = {"GIT_INDEX_FILE": index_file} if index_file else {}
        if repo.call("update-index", "-z", "--index-info", input=lines, env=env).returncode != 0:
            return []  # locked by the person's git; the next run repairs it
    return [change.path for change in wrong]


def _branch_and_disk_hold(vault: Vault, ref: str, change: apply.IndexChange) -> bool:
    assert change.new is not None
    committed = vault.repo.blob(f"{ref}:{change.path}")
    if committed is None or committed.oid != change.new.oid:
        return False
    on_disk = apply.read(vault.repo, change.path)
    if on_disk is None:
        return False
    return vault.repo.run("hash-object", f"--path={change.path}", "--stdin", input=on_disk).decode().strip() == committed.oid
