"""Recovery: the first act of any writer. Finishes, redoes or forgets what a killed one left behind."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Mapping
from typing import NamedTuple

from vaultgit.checks.protected import leads_astray
from vaultgit.edits import exchange
from vaultgit.edits import plan as plans
from vaultgit.edits import queue
from vaultgit.edits.apply import IndexLocked
from vaultgit.edits.apply import LostRace
from vaultgit.edits.apply import apply
from vaultgit.edits.apply import finish
from vaultgit.edits.apply import read
from vaultgit.edits.apply import ref_lock_paths
from vaultgit.edits.edit import ID
from vaultgit.edits.merge import merge
from vaultgit.edits.plan import Files
from vaultgit.edits.plan import Plan
from vaultgit.edits.textmerge import MERGING
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.errors import VaultgitError
from vaultgit.history import refchange
from vaultgit.history import refs
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository
from vaultgit.walk import walk

LATE = "late"  # folder of the state: saves of an editor that came too late to be merged
LANDED_KEPT = 50  # rounds remembered for the index repair and for callers that ask what became of their edit
QUIET = 3.0  # seconds after which a late save counts as whole
PATIENCE = 60.0  # seconds in which one may still come, or a file be written
EMPTY_LOCK_AGE = 5.0  # seconds after which an empty HEAD.lock, found beside a plan of ours, is a dead child's


class Recovered(NamedTuple):
    """What recovery came to."""

    stale: list[Plan]  # neither redone nor landed, because the branch moved on: their edits will be merged anew
    landed: set[str]  # ids of edits that it finished; they must not land again, even if the queue cannot drop them


def recover(repo: Repository, state: str, lock_fd: int) -> Recovered:
    """The first act of any writer, under our lock: finishes what a killed one left."""
    _remove_dead_index_lock(repo)
    stale: list[Plan] = []
    landed: set[str] = set()
    for name in queue.listing(os.path.join(state, "plans")):
        if not name.endswith(".json"):
            continue
        plan = plans.load(os.path.join(state, "plans", name))
        if plan is None or not _is_sound(plan, name):
            if not os.path.isdir(os.path.join(state, "plans", name)):
                queue.unlink(os.path.join(state, "plans", name))  # damaged; its edits are still in the queue
            continue
        if queue.home(repo, plan.place) != repo.place:
            continue  # another work tree's: its writers see to it
        _remove_dead_ref_locks(repo, state, plan)
        tip = refs.tip(repo, plan.ref)
        if has_landed(repo, plan, tip):
            drop_landing_ref(repo, plan)
            finish(repo, state, plan)
            landed.update(one.edit for one in plan.edits)
        elif tip == plan.old and plan.place == repo.place and _redo(repo, state, plan, lock_fd):
            landed.update(one.edit for one in plan.edits)
        else:
            stale.append(plan)
    _sweep(repo, state)
    return Recovered(stale, landed)


def _is_sound(plan: plans.Plan | plans.Record, name: str) -> bool:
    """Whether a plan or record could be ours: anything that runs as this user can write a file there, and what it
    names is written, replaced or taken away."""
    named = ID.fullmatch(plan.round) is not None and name == f"{plan.round}.json"
    paths = [*(change.path for change in plan.disk), *(change.path for change in plan.staged)]
    return named and plan.ref.startswith("refs/heads/") and not any(map(leads_astray, paths))


def has_landed(repo: Repository, plan: Plan, tip: str | None) -> bool:
    """In the branch, or was and a person reset it away: then it is not brought back."""
    if tip == plan.new:
        return True
    if tip is not None and refs.is_ancestor(repo, plan.new, tip):
        return True
    # git writes the reflog before the ref: a kill in between leaves the new tip as the log's last word.
    if tip == plan.old and refs.logged_last(repo, plan.ref) == plan.new:
        return False
    return refs.was_at(repo, plan.ref, plan.new)


def _redo(repo: Repository, state: str, plan: Plan, lock_fd: int) -> bool:
    here = refs.head(repo)
    if plan.checked_out and (here.branch != plan.ref or here.operation):
        return False
    if not plan.checked_out and refs.checked_out_at(repo, plan.ref):
        return False
    try:
        plans.write_temporaries(Files(repo, state, plan.round), plan)
        apply(repo, state, plan, lock_fd=lock_fd, rebuild_index=True)
    except (LostRace, IndexLocked):
        return False
    except GitError:
        raise
    except VaultgitError:
        return False  # no plain file lies there any more: its edit goes to the inbox
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM):
            raise
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
    refs.drop_own(repo, plan.landing_ref)


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
        noted: Mapping[str, list[int]] = queue.read_json(Files(repo, state, plan.round).locks) or {}
    except ValueError:
        noted = {}
    for path in ref_lock_paths(repo, plan):
        try:
            found = os.stat(path)
            with open(path, "rb") as stream:
                content = stream.read(200).strip()
        except FileNotFoundError:
            continue
        ours = noted.get(path) == [found.st_ino, found.st_mtime_ns] or content == plan.new.encode()
        if ours or (not content and time.time() - found.st_mtime > EMPTY_LOCK_AGE):
            queue.unlink(path)


def _sweep(repo: Repository, state: str) -> None:
    """Temporaries and landing refs of rounds that are over, and records older than the last LANDED_KEPT."""
    inside = (os.path.join(state, name) for name in queue.listing(state))
    for parent in (state, os.path.join(state, "../cache"), *inside):
        # Plans and records are written under our lock alone: half a one is a killed writer's.
        _sweep_half_written(parent, 0 if os.path.basename(parent) in ("plans", "landed") else PATIENCE)
    beside = queue.listing(os.path.join(state, "plans"))
    open_rounds = {name.removesuffix(".json") for name in beside if name.endswith(".json")}
    for name in beside:
        if name.split(".")[0] not in open_rounds:  # what was noted beside a plan that is gone
            queue.unlink(os.path.join(state, "plans", name))
    landed = queue.listing(os.path.join(state, "landed"))
    for name in landed[:-LANDED_KEPT]:
        queue.unlink(os.path.join(state, "landed", name))
    for parent in (os.path.join(state, "tmp"), os.path.join(repo.worktree, plans.BESIDE)):
        for name in queue.listing(parent):
            if name.split(".")[0] not in open_rounds and name != ".gitignore":
                _sweep_one(repo, state, parent, name)
    for name in refs.landing_rounds(repo):
        if name not in open_rounds:
            refs.drop_own(repo, refs.LANDING + name)
    for below in (refs.OWN, "refs/heads"):
        for folder, _, names in walk(os.path.join(repo.common_dir, below)):
            for path in (os.path.join(folder, name) for name in names if name.endswith(".lock")):
                # Of a git that was killed while it wrote a ref of ours, or of us, while we deleted a branch.
                if _age(path) > EMPTY_LOCK_AGE and (below == refs.OWN or refchange.is_ours(path)):
                    queue.unlink(path)


def _sweep_half_written(folder: str, age: float) -> None:
    """What `queue.write_json` left where it was killed."""
    try:
        names = [name for name in queue.listing(folder) if name.endswith(".tmp")]
    except NotADirectoryError:
        return
    for path in (os.path.join(folder, name) for name in names):
        if _age(path) >= age:
            queue.unlink(path)


def _age(path: str) -> float:
    """Seconds since a file was written; 0 where it is gone."""
    try:
        return time.time() - os.stat(path).st_mtime
    except FileNotFoundError:
        return 0


def _sweep_one(repo: Repository, state: str, parent: str, name: str) -> None:
    path = os.path.join(parent, name)
    try:
        made = os.stat(path).st_mtime
    except FileNotFoundError:
        return
    age = time.time() - made
    if name.startswith(MERGING):
        if age > 3600:  # else somebody merges right now, without our lock
            _remove_folder(path)
    elif not os.path.isdir(path):
        queue.unlink(path)
    else:
        # The exchange was the last change of the folder: a file in it that is younger was written by an editor.
        written = max((entry.stat().st_mtime for entry in os.scandir(path)), default=made)
        quiet = time.time() - max(written, made)
        if written > made and quiet > QUIET:
            _rescue_late_saves(repo, state, name)
        if quiet > PATIENCE or not os.path.exists(os.path.join(state, "landed", f"{name}.json")):
            _remove_folder(path)


def _rescue_late_saves(repo: Repository, state: str, round_id: str) -> None:
    """An editor that had a note open across the exchange may write into the file that came out of it.

    Such a text is merged into the note on disk, once it has been quiet; where it does not merge it is kept in
    state/late, and `status` says so.
    """
    record = plans.record_of(os.path.join(state, "landed", f"{round_id}.json"))
    if record is None or record.place != repo.place or not _is_sound(record, f"{round_id}.json"):
        return
    files = Files(repo, state, round_id)
    for number, change in enumerate(record.disk):
        try:
            with open(files.temporary(number), "rb") as stream:
                late = stream.read()
        except FileNotFoundError:
            continue
        # An empty file is one that an editor is about to fill, or never will: no save.
        if late and plans.sha256(late) not in (change.old, change.new):
            before = next((one.old for one in record.staged if one.path == change.path), None)
            blob = repo.blob(before.oid) if before else None
            # Text of the person's that was not in git came out as well: then what the save was based on is not known.
            base = blob.data if blob and plans.sha256(blob.data) == change.old else None
            _rescue(repo, state, files, number, change, base, late)


def _rescue(
    repo: Repository, state: str, files: Files, number: int, change: plans.Replaced, base: bytes | None, late: bytes
) -> None:
    """Merges a late save into the note, as the person's text; or keeps it."""
    temporary, merged_file = files.temporary(number), f"{files.temporary(number)}.merged"
    try:
        now = read(repo, change.path)
        merged = merge(base, late, now, text_merge=git_text_merge(repo))
        if base is None or now is None or merged.conflicts or merged.data is None:
            raise exchange.Changed(change.path)
        queue.write_file(merged_file, merged.data, 0o600)
        os.chmod(merged_file, change.mode)
        with exchange.held(repo.worktree, change.path, make=False) as full:
            exchange.swap(full, merged_file, now, merged.data)
        queue.unlink(temporary)
    except (exchange.Changed, VaultgitError, OSError):
        os.makedirs(os.path.join(state, LATE), mode=0o700, exist_ok=True)
        os.rename(temporary, os.path.join(state, LATE, f"{os.path.basename(files.folder)}-{number}.md"))


def _remove_folder(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
