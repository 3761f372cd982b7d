"""Locks of refs that a killed git has left. git never takes them away, and each later fetch would fail on them."""

from __future__ import annotations

import os
import time

from vaultgit.history.repository import Repository
from vaultgit.walk import walk

AGE = 10.0  # seconds; git holds one for some milliseconds


def sweep(repo: Repository, remote: str) -> None:
    """Takes away those of what a remote had, which only fetches and pushes hold; the lock of this clone's syncs is held
    by the caller. A person's own git commit holds none of them."""
    for folder, _, names in walk(os.path.join(repo.common_dir, "refs", "remotes", remote)):
        for name in names:
            if name.endswith(".lock"):
                _if_dead(os.path.join(folder, name))
    _if_dead(os.path.join(repo.common_dir, "packed-refs.lock"))  # of a fetch that removes refs


def _if_dead(path: str) -> None:
    try:
        if time.time() - os.stat(path).st_mtime > AGE:
            os.unlink(path)
    except FileNotFoundError:
        pass
