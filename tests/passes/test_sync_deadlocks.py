"""A lock that a killed `git fetch` left under refs/remotes, which git never takes away: the next sync does. P2."""

from __future__ import annotations

import os
import time

import pytest
from support import Folder
from syncing import clone
from syncing import edit
from syncing import level
from syncing import synced
from syncing import with_remote

from vaultgit.passes.sync import deadlocks

LOCKS = ("refs/remotes/origin/main.lock", "packed-refs.lock")


@pytest.mark.parametrize("lock", LOCKS)
def test_p2_a_dead_fetchs_lock_stops_no_sync_for_good(vault: Folder, lock: str) -> None:
    there = with_remote(vault)
    other = clone(there, "other")
    edit(other, "from there")
    synced(other)
    path = vault.write(f".git/{lock}", "")
    os.utime(path, (time.time() - 2 * deadlocks.AGE,) * 2)
    synced(vault)
    assert not path.exists()
    assert "from there" in vault.read("Home.md")
    assert level(vault, other, there)


def test_p3_the_lock_of_a_git_that_runs_is_left_alone(vault: Folder) -> None:
    there = with_remote(vault)
    other = clone(there, "other")
    edit(other, "from there")
    synced(other)
    path = vault.write(f".git/{LOCKS[0]}", "")
    done = vault.run("sync")
    assert (done.code, path.exists()) == (75, True), done
    path.unlink()
    synced(vault)
    assert level(vault, other, there)
