"""Bringing a prepared round into disk, index and ref together (DESIGN section 5, steps 6 and 7).

The one intricate place of vaultgit. All that is slow has been done: objects, file temporaries, the next index. Here
locks are held, for about 10 ms, and only renames and one ref commit happen, in the order disk, index, ref:

- index.lock, git's own, keeps a person's `git add` and `git commit` out. Without it a person looping `add -A; commit`
  reversed 31 of 60 edits. It is made as a file that says "vaultgit" and linked into place, so that a dead one of
  ours can be told from a person's.
- The ref is locked and compared by `update-ref` up to `prepare`.
- The ref goes last. With a kill at any point and a person who then commits, stashes or does nothing, disk-index-ref
  fails towards "content kept, line added later"; ref first loses edits silently.

A plan says what every path held before and shall hold after, so that doing it again is harmless; `recover` does that
as the first act of every writer.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from vaultgit.edits import exchange
from vaultgit.edits import queue
from vaultgit.edits import steps
from vaultgit.edits.edit import pack
from vaultgit.edits.edit import unpack
from vaultgit.edits.merge import git_text_merge
from vaultgit.edits.merge import merge
from vaultgit.history import index
from vaultgit.history import refs
from vaultgit.history.repository import Repository

LATE = "late"  # folder of the state: saves of an editor that came too late to be merged
LANDED_KEPT = 50  # rounds remembered for the index repair and for callers that ask what became of their edit
EMPTY_LOCK_AGE = 5.0  # seconds after which an empty HEAD.lock, found beside a plan of ours, is a dead child's


class LostRace(Exception):
    """Something moved between reading and landing; nothing was changed. Read again."""


class IndexLocked(Exception):
    """Somebody else's index.lock stayed longer than we wait."""


class DiskChange(NamedTuple):
    path: str  # from the work tree's root
    old: bytes | None
    new: bytes | None
    mode: int = 0o644


class IndexChange(NamedTuple):
    path: str
    old: index.Entry | None
    new: index.Entry | None


class Landed(NamedTuple):
    """What became of one edit of a round."""

    edit: str
    outcome: str
    oid: str
    inbox: str
    fingerprint: str


class Plan(NamedTuple):
    """A round: all that landing it does, with what was there before."""

    round: str
    git_dir: str
    ref: str
    old: str | None
    new: str
    checked_out: bool  # else only the ref moves
    edits: tuple[Landed, ...]
    disk: tuple[DiskChange, ...]
    staged: tuple[IndexChange, ...]

    @property
    def landing_ref(self) -> str:
        return refs.LANDING + self.round


class Files:
    """Where a round keeps its files: plan, temporaries, next index, lock stub."""

    def __init__(self, repo: Repository, state: str, round_id: str) -> None:
        self.plan = os.path.join(state, "plans", f"{round_id}.json")
        self.locks = os.path.join(state, "plans", f"{round_id}.locks")
        self.landed = os.path.join(state, "landed", f"{round_id}.json")
        self.folder = _temporary_folder(repo, state, round_id)
        self.index = os.path.join(state, "tmp", f"{round_id}.index")
        self.stub = os.path.join(state, "tmp", f"{round_id}.lock")

    def temporary(self, number: int) -> str:
        return os.path.join(self.folder, str(number))


def _temporary_folder(repo: Repository, state: str, round_id: str) -> str:
    """In the state folder, never beside the notes (a person's `add -A` would take them); on another file system
    in an ignored folder of the vault, since only there an exchange works."""
    if os.stat(state).st_dev == os.stat(repo.worktree).st_dev or repo.bare:
        return os.path.join(state, "tmp", round_id)
    inside = os.path.join(repo.worktree, ".vaultgit", "tmp")
    os.makedirs(inside, exist_ok=True)
    ignore = os.path.join(inside, ".gitignore")
    if not os.path.exists(ignore):
        queue.write_file(ignore, b"*\n", 0o644)
    return os.path.join(inside, round_id)


# -- before the locks --------------------------------------------------------------------------------------------


def lay_out(repo: Repository, state: str, plan: Plan) -> None:
    """Writes temporaries and the plan, fsynced. From here on recovery can do the rest."""
    files = Files(repo, state, plan.round)
    write_temporaries(files, plan)
    steps.reached("temporaries")
    queue.write_json(files.plan, to_json(plan))
    steps.reached("planned")


def write_temporaries(files: Files, plan: Plan) -> None:
    os.makedirs(files.folder, mode=0o700, exist_ok=True)
    for number, change in enumerate(plan.disk):
        if change.new is not None:
            queue.write_file(files.temporary(number), change.new, 0o600)
            os.chmod(files.temporary(number), change.mode)


# -- with the locks ----------------------------------------------------------------------------------------------


class IndexLock:
    """git's index.lock, taken by link: two names of one file of ours."""

    def __init__(self, repo: Repository, stub: str, wait: float) -> None:
        """Raises IndexLocked when somebody else still holds it after `wait` seconds."""
        self.path = os.path.join(repo.git_dir, "index.lock")
        self.stub = stub
        queue.write_file(stub, b"vaultgit %d\n" % os.getpid(), 0o644)
        deadline = time.monotonic() + wait
        while True:
            try:
                os.link(stub, self.path)
                break
            except FileExistsError:
                if time.monotonic() >= deadline:
                    queue.unlink(stub)
                    raise IndexLocked(self.path) from None
                time.sleep(0.005)
        steps.reached("index-locked")

    def release(self) -> None:
        queue.unlink(self.path)
        queue.unlink(self.stub)


def apply(
    repo: Repository,
    state: str,
    plan: Plan,
    *,
    lock_fd: int,
    index_stamp: tuple[int, int, int] | None = None,
    rebuild_index: bool = False,
    held: IndexLock | None = None,
    wait: float = 3.0,
) -> None:
    """Disk, index, ref. Raises LostRace or IndexLocked with everything as it was found.

    `index_stamp`: of the index that the next one was built from. `rebuild_index`: build it here, under the lock
    (slower to hold; recovery and the fallback after lost races do). `held`: index.lock, if taken already.
    """
    files = Files(repo, state, plan.round)
    update = refs.RefUpdate(repo, lock_fd)
    lock = held
    try:
        if plan.checked_out:
            lock = lock or IndexLock(repo, files.stub, wait)
            _compare(repo, plan, files, lock_fd, index_stamp, rebuild_index)
        update.prepare(plan.ref, plan.new, plan.old)
        _note_ref_locks(repo, plan, files)
        steps.reached("ref-prepared")
        _exchange_all(repo, plan, files)
        steps.reached("disk")
        if plan.checked_out and plan.staged:
            os.rename(files.index, index.index_path(repo))
        steps.reached("index")
        update.commit()
        steps.reached("ref")
    except refs.RefMoved as error:
        raise LostRace(str(error)) from error
    finally:
        if lock is not None and lock is not held:
            lock.release()
        steps.reached("released")
        update.drop(plan.landing_ref)
    try:
        finish(repo, state, plan)
    except OSError:
        pass  # it has landed; the next recovery finds the plan and finishes


def finish(repo: Repository, state: str, plan: Plan) -> None:
    """After the ref: folders synced, queue entries dropped, then the plan kept as a record of what landed."""
    for folder in {os.path.dirname(os.path.join(repo.worktree, change.path)) for change in plan.disk}:
        if os.path.isdir(folder):
            queue.sync_folder(folder)
    for landed in plan.edits:
        queue.remove(state, landed.edit)
    steps.reached("dequeued")
    files = Files(repo, state, plan.round)
    queue.unlink(files.locks)
    queue.unlink(files.index)
    try:
        os.rename(files.plan, files.landed)
    except FileNotFoundError:
        pass


def _compare(
    repo: Repository,
    plan: Plan,
    files: Files,
    lock_fd: int,
    index_stamp: tuple[int, int, int] | None,
    rebuild_index: bool,
) -> None:
    """Is everything still as the plan found it? The branch too: a checkout in between changes all three."""
    here = refs.head(repo)
    if here.branch != plan.ref or here.operation:
        raise LostRace("another branch or operation")
    if rebuild_index:
        try:
            now = index.entries(repo, [change.path for change in plan.staged])
        except index.Unmerged as error:
            raise LostRace(f"{error}: unmerged") from error
        for change in plan.staged:
            if now.get(change.path) not in (change.old, change.new):
                raise LostRace(f"{change.path}: staged otherwise")
        if plan.staged:
            index.build(repo, files.index, {c.path: c.new for c in plan.staged}, lock_fd, refs.null_oid(repo))
    elif index.stamp(index.index_path(repo)) != index_stamp:
        raise LostRace("the index changed")
    for file in plan.disk:
        if read(repo, file.path) not in (file.old, file.new):
            raise LostRace(f"{file.path}: changed on disk")


def _exchange_all(repo: Repository, plan: Plan, files: Files) -> None:
    """Each file with its temporary, deletions first; all of them or none."""
    done: list[tuple[int, DiskChange]] = []
    order = sorted(enumerate(plan.disk), key=lambda item: item[1].new is not None)
    try:
        for number, change in order:
            full = os.path.join(repo.worktree, change.path)
            if read(repo, change.path) != change.new:
                exchange.swap(full, files.temporary(number), change.old, change.new)
                done.append((number, change))
                if len(done) == 1:
                    steps.reached("disk-first")
    except (exchange.Changed, OSError) as error:
        for number, change in reversed(done):
            full = os.path.join(repo.worktree, change.path)
            if change.old is None:
                if read(repo, change.path) == change.new:
                    os.rename(full, files.temporary(number))
            else:
                try:
                    exchange.swap(full, files.temporary(number), change.new, change.old)
                except exchange.Changed:
                    pass  # saved over ours meanwhile: the newest text stands
        if isinstance(error, exchange.Changed):
            raise LostRace(str(error)) from error
        raise


def read(repo: Repository, path: str) -> bytes | None:
    """What lies on disk at a path of the work tree; None for nothing. Raises LostRace for what is no plain file."""
    full = os.path.join(repo.worktree, path)
    try:
        with open(os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


# -- recovery ----------------------------------------------------------------------------------------------------


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
        plan = from_json(queue.read_json(os.path.join(state, "plans", name)))
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
        write_temporaries(Files(repo, state, plan.round), plan)
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


def _ref_lock_paths(repo: Repository, plan: Plan) -> list[str]:
    return [os.path.join(repo.common_dir, f"{plan.ref}.lock"), os.path.join(repo.git_dir, "HEAD.lock")]


def _note_ref_locks(repo: Repository, plan: Plan, files: Files) -> None:
    """Remembers which lock files git made for us: a kill of the whole process group leaves them behind, HEAD.lock
    even empty, and they would block the person's git for ever."""
    inodes = {}
    for path in _ref_lock_paths(repo, plan):
        try:
            inodes[path] = os.stat(path).st_ino
        except FileNotFoundError:
            continue
    with open(files.locks, "w", encoding="ascii") as stream:
        json.dump(inodes, stream)


def _remove_dead_ref_locks(repo: Repository, state: str, plan: Plan) -> None:
    try:
        noted: Mapping[str, int] = queue.read_json(Files(repo, state, plan.round).locks) or {}
    except ValueError:
        noted = {}
    for path in _ref_lock_paths(repo, plan):
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
    record = queue.read_json(os.path.join(state, "landed", f"{round_id}.json"))
    plan = from_json(record) if record is not None else None
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


# -- plans as JSON -----------------------------------------------------------------------------------------------


def to_json(plan: Plan) -> dict[str, Any]:
    record = plan._asdict()
    record["disk"] = [[c.path, pack(c.old), pack(c.new), c.mode] for c in plan.disk]
    return record


def from_json(record: dict[str, Any]) -> Plan:
    def entry(fields: Any) -> index.Entry | None:
        return index.Entry(*fields) if fields else None

    return Plan(
        **{
            **record,
            "edits": tuple(Landed(*fields) for fields in record["edits"]),
            "disk": tuple(DiskChange(p, unpack(o), unpack(n), m) for p, o, n, m in record["disk"]),
            "staged": tuple(IndexChange(p, entry(o), entry(n)) for p, o, n in record["staged"]),
        }
    )
