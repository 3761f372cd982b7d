"""Recovery: the first act of any writer. Finishes, redoes or forgets what a killed one left behind."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from vaultgit.edits import exchange
from vaultgit.edits import plan as plans
from vaultgit.edits import queue
from vaultgit.edits.apply import IndexLocked
from vaultgit.edits.apply import LostRace
from vaultgit.edits.apply import apply
from vaultgit.edits.apply import finish
from vaultgit.edits.apply import read
from vaultgit.edits.apply import ref_lock_paths
from vaultgit.edits.merge import MERGING
from vaultgit.edits.merge import git_text_merge
from vaultgit.edits.merge import merge
from vaultgit.edits.plan import Files
from vaultgit.edits.plan import Plan
from vaultgit.history import refs
from vaultgit.history.repository import Repository

LATE = "late"  # folder of the state: saves of an editor that came too late to be merged
LANDED_KEPT = 50  # rounds remembered for the index repair and for callers that ask what became of their edit
EMPTY_LOCK_AGE = 5.0  # seconds after which an empty HEAD.lock, found beside a plan of ours, is a dead child's


def recover(repo: Repository, state: str, lock_fd: int) -> list[Plan]:
    """The first act of any writer, under our lock: finishes what a killed one left.

    Returns plans that can be neither redone nor called landed, because the branch moved on without them; their
    edits are still queued and will be merged anew (`forget` drops the plan then).
    """
    _remove_dead_index_lock(repo)
    stale: list[Plan] = []
    for name in queue.listing(os.path.join(state, "plans")):
        if not name.endswith(".json"):
            continue
        plan = plans.load(os.path.join(state, "plans", name))
        if plan is None:
            queue.unlink(os.path.join(state, "plans", name))  # damaged; its edits are still in the queue
            continue
        if plan.git_dir != repo.git_dir:
            continue  # another work tree's: its writers see to it
        _remove_dead_ref_locks(repo, state, plan)
        tip = refs.tip(repo, plan.ref)
        if has_landed(repo, plan, tip):
            drop_landing_ref(repo, plan)
            finish(repo, state, plan)
        elif tip == plan.old and _redo(repo, state, plan, lock_fd):
            pass
        else:
            stale.append(plan)
    _sweep(repo, state)
    return stale


def has_landed(repo: Repository, plan: Plan, tip: str | None) -> bool:
    """In the branch, or was and a person reset it away: then it is not brought back."""
    if tip == plan.new:
        return True
    if tip is not None and refs.is_ancestor(repo, plan.new, tip):
        return True
    return refs.was_at(repo, plan.ref, plan.new)


def _redo(repo: Repository, state: str, plan: Plan, lock_fd: int) -> bool:
    here = refs.head(repo)
    if plan.checked_out and (here.branch != plan.ref or here.operation):
        return False
    try:
        plans.write_temporaries(Files(repo, state, plan.round), plan)
        apply(repo, state, plan, lock_fd=lock_fd, rebuild_index=True)
    except (LostRace, IndexLocked):
        return False
    return True


def forget(repo: Repository, state: str, plan: Plan) -> None:
    """Drops a stale plan whose edits have landed, or are about to, in another way."""
    files = Files(repo, state, plan.round)
    drop_landing_ref(repo, plan)
    for path in (files.plan, files.locks, files.index, files.stub):
        queue.unlink(path)
    _remove_folder(files.folder)


def drop_landing_ref(repo: Repository, plan: Plan) -> None:
    repo.call("update-ref", "-d", plan.landing_ref)


def _remove_dead_index_lock(repo: Repository) -> None:
    """A stub of ours while we hold our own lock is a dead writer's."""
    path = os.path.join(repo.git_dir, "index.lock")
    try:
        with open(path, "rb") as stream:
            ours = stream.read(9) == b"vaultgit "
    except FileNotFoundError:
        return
    if ours:
        queue.unlink(path)


def _remove_dead_ref_locks(repo: Repository, state: str, plan: Plan) -> None:
    try:
        noted: Mapping[str, int] = queue.read_json(Files(repo, state, plan.round).locks) or {}
    except ValueError:
        noted = {}
    for path in ref_lock_paths(repo, plan):
        try:
            found = os.stat(path)
            with open(path, "rb") as stream:
                content = stream.read(200).strip()
        except FileNotFoundError:
            continue
        ours = noted.get(path) == found.st_ino or content == plan.new.encode()
        if ours or (not content and time.time() - found.st_mtime > EMPTY_LOCK_AGE):
            queue.unlink(path)


def _sweep(repo: Repository, state: str) -> None:
    """Temporaries and landing refs of rounds that are over, and records older than the last LANDED_KEPT."""
    open_rounds = {name.split(".")[0] for name in queue.listing(os.path.join(state, "plans"))}
    landed = queue.listing(os.path.join(state, "landed"))
    for name in landed[:-LANDED_KEPT]:
        queue.unlink(os.path.join(state, "landed", name))
    for name in queue.listing(os.path.join(state, "tmp")):
        if name.split(".")[0] not in open_rounds:
            path = os.path.join(state, "tmp", name)
            if name.startswith(MERGING) and time.time() - os.stat(path).st_mtime < 3600:
                continue  # somebody merges right now, without our lock
            if os.path.isdir(path):
                _rescue_late_saves(repo, state, name)
                _remove_folder(path)
            else:
                queue.unlink(path)
    for name in queue.listing(os.path.join(repo.common_dir, refs.LANDING.rstrip("/"))):
        if name.removesuffix(".lock") not in open_rounds:
            repo.call("update-ref", "-d", refs.LANDING + name.removesuffix(".lock"))
    for name in queue.listing(os.path.join(state, "queue")):
        path = os.path.join(state, "queue", name)
        try:
            if name.endswith(".tmp") and time.time() - os.stat(path).st_mtime > 60:
                queue.unlink(path)
        except FileNotFoundError:
            continue


def _rescue_late_saves(repo: Repository, state: str, round_id: str) -> None:
    """An editor that had a note open across the exchange may have written into the file that came out of it.

    That text is merged into the note on disk; where it does not merge it is kept in state/late, and `status` says so.
    """
    plan = plans.load(os.path.join(state, "landed", f"{round_id}.json"))
    if plan is None or plan.git_dir != repo.git_dir:
        return
    files = Files(repo, state, round_id)
    for number, change in enumerate(plan.disk):
        temporary = files.temporary(number)
        try:
            with open(temporary, "rb") as stream:
                late = stream.read()
        except FileNotFoundError:
            continue
        if change.old is None or late in (change.old, change.new):
            continue
        now = read(repo, change.path)
        merged = merge(change.old, late, now, text_merge=git_text_merge(repo))
        try:
            if now is None or merged.conflicts or merged.data is None:
                raise exchange.Changed(change.path)
            queue.write_file(f"{temporary}.merged", merged.data, 0o600)
            os.chmod(f"{temporary}.merged", change.mode)
            exchange.swap(os.path.join(repo.worktree, change.path), f"{temporary}.merged", now, merged.data)
        except exchange.Changed:
            os.makedirs(os.path.join(state, LATE), mode=0o700, exist_ok=True)
            os.rename(temporary, os.path.join(state, LATE, f"{round_id}-{os.path.basename(change.path)}"))


def _remove_folder(folder: str) -> None:
    for name in queue.listing(folder):
        queue.unlink(os.path.join(folder, name))
    try:
        os.rmdir(folder)
    except OSError:
        pass
