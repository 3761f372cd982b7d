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

import errno
import json
import os
import stat
import time

from vaultgit.edits import exchange
from vaultgit.edits import queue
from vaultgit.edits import steps
from vaultgit.edits.busy import committing
from vaultgit.edits.plan import DiskChange
from vaultgit.edits.plan import Files
from vaultgit.edits.plan import Plan
from vaultgit.edits.plan import in_order
from vaultgit.edits.plan import keep_record
from vaultgit.errors import VaultgitError
from vaultgit.history import index
from vaultgit.history import refs
from vaultgit.history.repository import Repository


class LostRace(Exception):
    """Something moved between reading and landing; nothing was changed. Read again."""


class IndexLocked(Exception):
    """Somebody else's index.lock stayed longer than we wait."""


class HalfDone(Exception):
    """It failed after files or index were in place, before the ref: the plan stays, and the next recovery redoes it."""


class IndexLock:
    """git's index.lock, taken by link: two names of one file of ours."""

    def __init__(self, repo: Repository, stub: str, wait: float) -> None:
        """Raises IndexLocked when somebody else still holds it after `wait` seconds."""
        self.path = os.path.join(repo.git_dir, "index.lock")
        self.stub = stub
        queue.write_file(stub, b"vaultgit %d\n" % os.getpid(), 0o644, sync=False)
        deadline = time.monotonic() + wait
        while True:
            try:
                _link(stub, self.path)
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
    exchanged = False
    noted: dict[str, list[int]] = {}
    try:
        # Also where only a ref moves: a `git checkout` of that branch holds the lock of the index it fills.
        lock = lock or IndexLock(repo, files.stub, wait)
        _compare(repo, state, plan, files, lock_fd, index_stamp, rebuild_index)
        update.prepare(plan.ref, plan.new, plan.old)
        noted = _note_ref_locks(repo, plan, files)
        steps.reached("ref-prepared")
        if not plan.checked_out:
            _refuse_checked_out(repo, plan)
        _exchange_all(repo, plan, files)
        exchanged = True
        steps.reached("disk")
        if plan.checked_out and plan.staged:
            os.rename(files.index, index.index_path(repo))
        steps.reached("index")
        update.commit()
        steps.reached("ref")
    except (refs.RefMoved, OSError) as error:
        if exchanged:
            raise HalfDone(f"{error}") from error
        if isinstance(error, refs.RefMoved):
            raise LostRace(str(error)) from error
        raise
    finally:
        if lock is not None and lock is not held:
            lock.release()
        steps.reached("released")
        update.drop(plan.landing_ref)
        _remove_left(noted)
    finish(repo, state, plan)


def refresh_index(repo: Repository, state: str, plan: Plan, lock_fd: int) -> None:
    """After many files have landed: tells git that they are as the index says, as a person's `git status` would. Else
    their `git reset --keep` says "not uptodate" of each. The lock is held for a rename; where anything is in the way,
    nothing changes."""
    files = Files(repo, state, plan.round)
    lock: IndexLock | None = None
    try:
        was = index.stamp(index.index_path(repo))
        index.refreshed(repo, files.index, lock_fd)
        lock = IndexLock(repo, files.stub, 0.0)
        if index.stamp(index.index_path(repo)) == was:
            os.rename(files.index, index.index_path(repo))
    except (IndexLocked, VaultgitError, OSError):
        pass
    finally:
        if lock is not None:
            lock.release()
        queue.unlink(files.index)


def finish(repo: Repository, state: str, plan: Plan) -> None:
    """After the ref: folders synced, queue entries dropped, then the plan made a record of what landed.

    Never raises OSError: the edits have landed, and the next recovery finishes what could not be finished.
    """
    for folder in {os.path.dirname(os.path.join(repo.worktree, change.path)) for change in plan.disk}:
        try:
            queue.sync_folder(folder)
        except OSError:
            continue  # gone since, or a file system that cannot
    files = Files(repo, state, plan.round)
    try:
        for landed in plan.edits:
            queue.remove(state, landed.edit)
        steps.reached("dequeued")
        queue.unlink(files.locks)
        queue.unlink(files.index)
        keep_record(files, plan)
    except OSError:
        pass


def _refuse_checked_out(repo: Repository, plan: Plan) -> None:
    """A branch that somebody has checked out moves only with its index and files."""
    where = refs.checked_out_at(repo, plan.ref)
    if where:
        raise LostRace(f"{plan.ref} is checked out in {where}")


def _compare(
    repo: Repository,
    state: str,
    plan: Plan,
    files: Files,
    lock_fd: int,
    index_stamp: tuple[int, int, int] | None,
    rebuild_index: bool,
) -> None:
    """Is everything still as the plan found it? The branch too: a checkout in between changes all three."""
    if not plan.checked_out:
        _refuse_checked_out(repo, plan)
        return
    here = refs.head(repo)
    if here.branch != plan.ref or here.operation:
        raise LostRace("another branch or operation")
    if committing(state):
        raise LostRace("your git commit is under way")
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
        if through_link(repo.worktree, file.path):
            raise LostRace(f"{file.path}: a folder became a link")
        if read(repo, file.path) not in (file.old, file.new):
            raise LostRace(f"{file.path}: changed on disk")


def _exchange_all(repo: Repository, plan: Plan, files: Files) -> None:
    """Each file with its temporary, in the plan's order; all of them or none."""
    done: list[tuple[int, DiskChange]] = []
    try:
        for number, change in in_order(repo, plan.disk):
            if read(repo, change.path) != change.new:
                with exchange.held(repo.worktree, change.path, make=change.old is None) as full:
                    exchange.swap(full, files.temporary(number), change.old, change.new)
                done.append((number, change))
                if len(done) == 1:
                    steps.reached("disk-first")
    except (exchange.Changed, VaultgitError, OSError) as error:
        try:
            _put_back(repo, files, done)
        except (VaultgitError, OSError) as fault:
            raise HalfDone(str(fault)) from error
        if isinstance(error, OSError):
            raise
        raise LostRace(str(error)) from error


def _put_back(repo: Repository, files: Files, done: list[tuple[int, DiskChange]]) -> None:
    for number, change in reversed(done):
        if change.old is None:
            if read(repo, change.path) == change.new:
                os.rename(os.path.join(repo.worktree, change.path), files.temporary(number))
        else:
            try:
                with exchange.held(repo.worktree, change.path, make=change.new is None) as full:
                    exchange.swap(full, files.temporary(number), change.new, change.old)
            except exchange.Changed:
                pass  # saved over ours meanwhile: the newest text stands


def read(repo: Repository, path: str) -> bytes | None:
    """What lies on disk at a path of the work tree; None for nothing. Raises VaultgitError for no plain file."""
    full = os.path.join(repo.worktree, path)
    try:
        with open(os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), full)
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise VaultgitError(f"{path} is no plain file", "a link, a folder or a device lies there") from error
        raise


def _link(stub: str, path: str) -> None:
    try:
        os.link(stub, path)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EXDEV, errno.EMLINK):
            raise
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)  # no hard links here
        try:
            os.write(fd, b"vaultgit %d\n" % os.getpid())
        finally:
            os.close(fd)


def through_link(worktree: str, path: str) -> bool:
    """Whether a folder on the way to `path` is a symbolic link, so that a write would go somewhere else."""
    parts = path.split("/")[:-1]
    return any(os.path.islink(os.path.join(worktree, *parts[: n + 1])) for n in range(len(parts)))


def ref_lock_paths(repo: Repository, plan: Plan) -> list[str]:
    return [os.path.join(repo.common_dir, f"{plan.ref}.lock"), os.path.join(repo.git_dir, "HEAD.lock")]


def _note_ref_locks(repo: Repository, plan: Plan, files: Files) -> dict[str, list[int]]:
    """Remembers which lock files git made for us: a kill of the whole process group leaves them behind, HEAD.lock
    even empty, and they would block the person's git for ever."""
    noted = {path: stamp for path in ref_lock_paths(repo, plan) if (stamp := _stamp(path))}
    with open(files.locks, "w", encoding="ascii") as stream:
        json.dump(noted, stream)
    return noted


def _remove_left(noted: dict[str, list[int]]) -> None:
    """What stands of those locks once git has ended: it was killed, or the disk refused to remove them."""
    for path, stamp in noted.items():
        try:
            if _stamp(path) == stamp:
                os.unlink(path)
        except OSError:
            pass  # `vaultgit doctor` tells of it


def _stamp(path: str) -> list[int] | None:
    """Tells a file from another that has come to its place since."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return [found.st_ino, found.st_mtime_ns]
