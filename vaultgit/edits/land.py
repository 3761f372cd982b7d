"""Landing: what the queue holds becomes commits, index and disk (DESIGN section 5).

`drain` recovers what a killed writer left, then lands rounds until nothing waits or something is in the way. Three
kinds of things can be in the way: of everybody (a full disk, somebody's index.lock), of one edit for now (a folder it
may not write to, a note in conflict), and an edit that cannot land at all: after some failures it goes to the inbox.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterable

from vaultgit.clock import Clock
from vaultgit.edits import apply
from vaultgit.edits import queue
from vaultgit.edits import recover
from vaultgit.edits import sealed
from vaultgit.edits import takeback
from vaultgit.edits.busy import busy
from vaultgit.edits.edit import Edit
from vaultgit.edits.lock import Lock
from vaultgit.edits.round import FAILURES
from vaultgit.edits.round import INDEX_WAIT
from vaultgit.edits.round import Result
from vaultgit.edits.round import Round
from vaultgit.edits.round import Waiting
from vaultgit.edits.round import first_path
from vaultgit.history import index
from vaultgit.history import refs
from vaultgit.history.repository import GitError
from vaultgit.vault import Vault

ROOM, LEAST_ROOM = 256, 8  # edits of one round: the fewer the more races are lost, so that index.lock is held briefly
REST = 300  # seconds
OPTIMISTIC_TRIES = 3  # then index.lock is taken first, once (a person looping git commands starves us otherwise)

# Faults of the machine: nothing of an edit's making, and no reason to send it to the inbox.
_EVERYBODY = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
)
_FOR_NOW = frozenset((errno.EACCES, errno.EPERM))
_SAID_BY_GIT = re.compile(
    r"no space left|disk quota|read-only file system|input/output error|unable to write|insufficient permission|"
    r"permission denied|file too large|out of disk ?space|disk full|write error|failed to write|could not write|"
    r"cannot allocate|out of memory|too many open files|unable to create",
    re.IGNORECASE,
)


def drain(vault: Vault, clock: Clock, lock: Lock, *, own: str = "") -> dict[str, Result]:
    """Lands all that waits for this work tree and vault. Our lock is held by the caller.

    `own` is the edit whose caller still waits for the answer: only that one may end as "unchanged" (the others may
    have been acknowledged, so that each of them gets its commit). Returns results of the edits it landed; what is
    still queued comes back as "queued" with the reason.
    """
    queue.prepare(vault.state)
    try:
        found = recover.recover(vault.repo, vault.state, lock.fd)
        _take_back_syncs(vault, lock, found)
    except (apply.HalfDone, OSError, GitError) as error:
        every = queue.entries(vault.repo, vault.state, vault.prefix)
        return {e.id: Result("queued", e.id, path=first_path(e), reason=words(error, vault)) for e in every}
    return _Drain(vault, clock, lock, own, found).run()


def _take_back_syncs(vault: Vault, lock: Lock, found: recover.Recovered) -> None:
    """A killed sync that cannot be finished, for a file or the branch has changed since."""
    for plan in [plan for plan in found.stale if not plan.edits]:
        found.stale.remove(plan)
        if takeback.take_back(vault.repo, vault.state, plan, lock.fd):
            recover.forget(vault.repo, vault.state, plan)


class _Drain:
    def __init__(self, vault: Vault, clock: Clock, lock: Lock, own: str, found: recover.Recovered) -> None:
        self.vault, self.clock, self.lock, self.own = vault, clock, lock, own
        self.stale = found.stale
        self.done = set(found.landed)  # landed, or not to be tried again in this run
        self.results: dict[str, Result] = {}
        self.room = ROOM

    def run(self) -> dict[str, Result]:
        while waiting := self._waiting():
            reason = busy(self.vault)
            if reason:
                self._leave(waiting, reason)
            elif not self._land(self._of_one_branch(waiting)[: self.room]):
                break
        for plan in self.stale:
            if not any(queue.get(self.vault.state, landed.edit) for landed in plan.edits):
                recover.forget(self.vault.repo, self.vault.state, plan)
        return self.results

    def _waiting(self) -> list[Edit]:
        every = queue.entries(self.vault.repo, self.vault.state, self.vault.prefix)
        found = [edit for edit in every if edit.id not in self.done]
        for edit in [one for one in found if one.trailers]:  # else housekeeping
            locked = sealed.problems(self.vault, edit)  # a filter that has gone since the edit was accepted
            if locked or self._rests(edit):
                often = f"it failed {edit.attempts} times, and is tried every {REST // 60} minutes (vaultgit doctor)"
                self._leave([edit], str(locked[0]) if locked else often)
        return [edit for edit in found if edit.id not in self.done]

    def _rests(self, edit: Edit) -> bool:
        """Whether an edit that fails again and again, and that not even an inbox note can take, was tried lately: a
        filter that hangs would hold up all others each time."""
        if edit.attempts <= FAILURES or edit.id == self.own:
            return False
        try:
            return time.time() - os.stat(os.path.join(self.vault.state, "queue", f"{edit.id}.json")).st_mtime < REST
        except FileNotFoundError:
            return False

    def _of_one_branch(self, waiting: list[Edit]) -> list[Edit]:
        """The oldest edit and all others of its branch; edits of no branch belong to the one checked out."""
        here = refs.head(self.vault.repo).branch
        branch = waiting[0].branch or here
        return [edit for edit in waiting if (edit.branch or here) == branch]

    def _leave(self, edits: Iterable[Edit], reason: str) -> None:
        """These stay queued, for this run."""
        for edit in edits:
            self.done.add(edit.id)
            self.results[edit.id] = Result("queued", edit.id, path=first_path(edit), reason=reason)

    def _land(self, batch: list[Edit]) -> bool:
        """One round, again while races are lost. Returns whether it makes sense to go on with others."""
        lost = ""
        for attempt in range(OPTIMISTIC_TRIES + 1):
            held = None
            try:
                if attempt == OPTIMISTIC_TRIES:
                    stub = os.path.join(self.vault.state, "tmp", f"{batch[0].id}.lock")
                    held = apply.IndexLock(self.vault.repo, stub, INDEX_WAIT)
                landed = Round(self.vault, self.clock, self.lock, batch, self.own, self.stale).land(held)
            except apply.LostRace as error:
                lost = str(error)
                reason = busy(self.vault)
                if not reason:
                    self.room = max(LEAST_ROOM, len(batch) // 4)
                    batch = batch[: self.room]
                    continue
                self._leave(self._waiting(), reason)
                return False
            except Exception as error:
                return self._failed(batch, error)
            finally:
                if held is not None:
                    held.release()
            self.room = min(ROOM, 2 * self.room)
            self.results.update(landed)
            self.done.update(landed)
            self.stale = [plan for plan in self.stale if not {one.edit for one in plan.edits} <= set(landed)]
            return True
        self._leave(self._waiting(), f"other writers keep changing this repository ({lost})")
        return False

    def _failed(self, batch: list[Edit], error: Exception) -> bool:
        """Whose fault it is, and whether it makes sense to go on with others."""
        if isinstance(error, apply.IndexLocked | apply.HalfDone) or _is_everybodys(error):
            self._leave(self._waiting(), words(error, self.vault))
            return False
        if isinstance(error, index.Unmerged):
            conflicted = [e for e in batch if any(self.vault.prefix + c.path == str(error) for c in e.changes)]
            self._leave(conflicted or batch, f"{error} has a conflict that waits for you in git (git status)")
        elif isinstance(error, Waiting):
            self._leave(batch, str(error))
        elif len(batch) > 1:  # find out which one: each alone
            return all(self._land([edit]) for edit in batch)
        elif isinstance(error, OSError) and error.errno in _FOR_NOW:
            self._leave(batch, words(error, self.vault))
        else:
            return self._count(batch[0], error)
        return True

    def _count(self, edit: Edit, error: Exception) -> bool:
        """A poisonous entry (a broken filter, say) must not block the others: after some failures, the inbox."""
        edit = edit._replace(attempts=edit.attempts + 1)
        try:
            queue.put(self.vault.state, edit)
        except OSError as fault:
            self._leave(self._waiting(), words(fault, self.vault))
            return False
        if edit.attempts != FAILURES:
            self._leave([edit], f"it failed: {error}")
        return True


def _is_everybodys(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in _EVERYBODY
    # Ended by a signal (the limit of a file's size, a kill), or for want of room or rights.
    return isinstance(error, GitError) and (error.code < 0 or bool(_SAID_BY_GIT.search(error.stderr)))


def words(error: Exception, vault: Vault) -> str:
    if isinstance(error, apply.IndexLocked):
        path = str(error)
        try:
            age = int(time.time() - os.stat(path).st_mtime)
        except FileNotFoundError:
            age = 0
        held = f"{age} s" if age < 120 else f"{age // 60} min" if age < 7200 else f"{age // 3600} h"
        return f"{path} is held by another git command (for {held}); if no git is running: rm {path}"
    if isinstance(error, apply.HalfDone):
        return f"landing stopped half-way ({error}); the next run finishes it"
    if isinstance(error, OSError):
        return f"{error.filename or vault.root}: {error.strerror}"
    return str(error)
