"""Landing: what the queue holds becomes commits, index and disk (DESIGN section 5).

`drain` recovers what a killed writer left, then lands rounds until nothing waits or something is in the way.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable
from collections.abc import Sequence

from vaultgit.clock import Clock
from vaultgit.edits import apply
from vaultgit.edits import queue
from vaultgit.edits import recover
from vaultgit.edits.busy import busy
from vaultgit.edits.edit import Edit
from vaultgit.edits.lock import Lock
from vaultgit.edits.plan import Plan
from vaultgit.edits.round import FAILURES
from vaultgit.edits.round import INDEX_WAIT
from vaultgit.edits.round import Result
from vaultgit.edits.round import Round
from vaultgit.edits.round import Waiting
from vaultgit.edits.round import first_path
from vaultgit.history import index
from vaultgit.history import refs
from vaultgit.vault import Vault

OPTIMISTIC_TRIES = 3  # then index.lock is taken first, once (a person looping git commands starves us otherwise)


def drain(vault: Vault, clock: Clock, lock: Lock, *, own: str = "") -> dict[str, Result]:
    """Lands all that waits for this work tree and vault. Our lock is held by the caller.

    `own` is the edit whose caller still waits for the answer: only that one may end as "unchanged" (the others may
    have been acknowledged, so that each of them gets its commit). Returns results of the edits it landed; what is
    still queued comes back as "queued" with the reason.
    """
    results: dict[str, Result] = {}
    stale = recover.recover(vault.repo, vault.state, lock.fd)
    failed: set[str] = set()
    tries = 0
    while True:
        waiting = [e for e in queue.entries(vault.state, vault.repo.git_dir, vault.prefix) if e.id not in failed]
        if not waiting:
            break
        tries += 1
        held = None
        batch = _of_one_branch(vault, waiting)
        try:
            reason = busy(vault)
            if reason:
                raise Waiting(reason)
            if tries > OPTIMISTIC_TRIES:
                held = apply.IndexLock(vault.repo, os.path.join(vault.state, "tmp", f"{batch[0].id}.lock"), INDEX_WAIT)
            results.update(Round(vault, clock, lock, batch, own, stale).land(held))
            stale, tries = [], 0
        except apply.LostRace as error:
            if tries > OPTIMISTIC_TRIES:
                _all_wait(results, waiting, f"other writers keep changing this repository ({error})")
                break
        except (Waiting, apply.IndexLocked, index.Unmerged) as error:
            _all_wait(results, waiting, _words(error))
            break
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG, errno.EACCES):
                raise
            _all_wait(results, waiting, f"{error.filename or vault.root}: {error.strerror}")
            break
        except Exception as error:
            culprit = batch[0] if len(batch) == 1 else None
            if culprit is None:  # find out which one: each alone
                for edit in batch:
                    _alone(vault, clock, lock, edit, own, stale, results, failed)
                    stale = []
            else:
                _count_failure(vault, culprit, error, results, failed)
        finally:
            if held is not None:
                held.release()
    for plan in stale:
        if not any(queue.get(vault.state, landed.edit) for landed in plan.edits):
            recover.forget(vault.repo, vault.state, plan)
    return results


def _alone(
    vault: Vault, clock: Clock, lock: Lock, edit: Edit, own: str, stale: list[Plan], results: dict[str, Result],
    failed: set[str],
) -> None:  # fmt: skip
    try:
        results.update(Round(vault, clock, lock, [edit], own, stale).land(None))
    except (apply.LostRace, apply.IndexLocked, index.Unmerged) as error:
        failed.add(edit.id)
        results[edit.id] = Result("queued", edit.id, path=first_path(edit), reason=_words(error))
    except Exception as error:
        _count_failure(vault, edit, error, results, failed)


def _count_failure(vault: Vault, edit: Edit, error: Exception, results: dict[str, Result], failed: set[str]) -> None:
    """A poisonous entry (a broken filter, a file where a folder should be) must not block the others."""
    edit = edit._replace(attempts=edit.attempts + 1)
    queue.put(vault.state, edit)
    if edit.attempts < FAILURES or edit.attempts > FAILURES:
        failed.add(edit.id)
        results[edit.id] = Result("queued", edit.id, path=first_path(edit), reason=f"it failed: {error}")


def _all_wait(results: dict[str, Result], waiting: Iterable[Edit], reason: str) -> None:
    for edit in waiting:
        results[edit.id] = Result("queued", edit.id, path=first_path(edit), reason=reason)


def _of_one_branch(vault: Vault, waiting: Sequence[Edit]) -> list[Edit]:
    """The oldest edit and all others of its branch; edits of no branch belong to the one checked out."""
    here = refs.head(vault.repo).branch
    branch = waiting[0].branch or here
    return [e for e in waiting if (e.branch or here) == branch]


def _words(error: BaseException) -> str:
    if isinstance(error, apply.IndexLocked):
        path = str(error)
        try:
            age = int(time.time() - os.stat(path).st_mtime)
        except FileNotFoundError:
            age = 0
        held = f"{age} s" if age < 120 else f"{age // 60} min" if age < 7200 else f"{age // 3600} h"
        return f"{path} is held by another git command (for {held}); if no git is running: rm {path}"
    if isinstance(error, index.Unmerged):
        return f"{error} has a conflict that waits for you in git (git status)"
    return str(error)
