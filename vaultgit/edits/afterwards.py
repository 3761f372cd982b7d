"""What is left to do on disk once another line of history has landed. Killed before it, nothing is wrong."""

from __future__ import annotations

import os

from vaultgit.edits import apply
from vaultgit.edits.landing import Landing
from vaultgit.edits.plan import Plan
from vaultgit.history import objects
from vaultgit.history.repository import Repository


def settle(landing: Landing, plan: Plan, *, free: bool) -> None:
    """`free`: whether git's index.lock is not ours now."""
    _change_modes(landing)
    _sweep_folders(landing.repo, plan)
    if free and landing.lock is not None:
        apply.refresh_index(landing.repo, landing.vault.state, plan, landing.lock.fd)


def _change_modes(landing: Landing) -> None:
    """Of files of which nothing but the executable bit has changed."""
    for slot in landing.touched():
        if slot.mode != slot.mode_was and slot.disk is not None and slot.disk == slot.disk_was:
            full = os.path.join(landing.repo.worktree, slot.full)
            mode = os.stat(full).st_mode & 0o7777
            os.chmod(full, mode | (mode & 0o444) >> 2 if slot.mode == objects.PROGRAM else mode & ~0o111)


def _sweep_folders(repo: Repository, plan: Plan) -> None:
    """Takes away folders that are empty now that files are gone, as git does: else one that was renamed elsewhere stays
    here under its old name. Never the one that we were started in."""
    here = os.path.realpath(os.curdir)
    for change in plan.disk:
        folder = os.path.dirname(change.path) if change.new is None else ""
        while folder:
            full = os.path.join(repo.worktree, folder)
            if f"{here}/".startswith(f"{os.path.realpath(full)}/"):
                break
            try:
                os.rmdir(full)
            except OSError:
                break  # not empty
            folder = os.path.dirname(folder)
