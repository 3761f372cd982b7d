"""A partial clone whose remote cannot be reached says so, whatever is asked of its history."""

from __future__ import annotations

import pytest
from support import Folder
from syncing import clone
from syncing import edit
from syncing import synced
from syncing import with_remote

WHAT = "vaultgit: this is a partial clone, and what it lacks here could not be fetched from its remote"


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        ("tree:0", ("log", "Home.md")),  # through GitPython
        ("tree:0", ("search", "--at", "HEAD~1", "early")),
        ("blob:none", ("search", "--at", "HEAD~1", "early")),  # through cat-file
        ("blob:none", ("undo", "HEAD~1", "--dry-run")),
    ],
)
def test_offline_a_partial_clone_says_what_it_is(vault: Folder, lacking: str, words: tuple[str, ...]) -> None:
    there = with_remote(vault)
    there.git("config", "uploadpack.allowFilter", "true")
    for text in ("early", "late"):
        edit(vault, text)
    synced(vault)
    partial = clone(there, "partial", f"--filter={lacking}")
    away = there.root.parent / "away.git"
    there.root.rename(away)
    done = partial.run(*words)
    assert done.code == 1 and done.err.splitlines()[0] == WHAT, done
    assert "git fetch" in done.err.splitlines()[1]
    away.rename(there.root)
    assert partial.run(*words).code == 0
