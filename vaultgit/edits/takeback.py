"""Taking back what a killed sync had put on disk and into the index, and which nothing finishes any more.

Queued edits are merged anew with whatever lies there. Another line of history is not queued: it comes in with the next
sync, and until then it must not lie in the notes as if the person had typed it.
"""

from __future__ import annotations

from vaultgit.edits import apply
from vaultgit.edits.merge import merge
from vaultgit.edits.plan import DiskChange
from vaultgit.edits.plan import Files
from vaultgit.edits.plan import IndexChange
from vaultgit.edits.plan import Plan
from vaultgit.edits.plan import write_temporaries
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.errors import VaultgitError
from vaultgit.history import index
from vaultgit.history import refs
from vaultgit.history.repository import Repository


def take_back(repo: Repository, state: str, plan: Plan, lock_fd: int) -> bool:
    """Gives files and index entries of a stale plan back what was there, with what was typed since on top; text that
    does not come apart from that stays. A file that the person has committed since is theirs. Returns whether the plan
    is done with; False where the next run has to try again. Our lock is held by the caller."""
    tip, here = refs.tip(repo, plan.ref), refs.head(repo)
    if not plan.checked_out or tip is None or plan.old is None:
        return True
    if here.branch != plan.ref or here.operation:
        return False
    committed = {
        path
        for path in (*(change.path for change in plan.disk), *(change.path for change in plan.staged))
        if tip != plan.old and repo.blob(f"{tip}:{path}") != repo.blob(f"{plan.old}:{path}")
    }
    try:
        disk = [back for change in plan.disk if change.path not in committed for back in _disk(repo, change)]
        entries = index.entries(repo, [change.path for change in plan.staged])
        staged = [
            IndexChange(change.path, change.new, change.old)
            for change in plan.staged
            if change.path not in committed and change.new != change.old and entries.get(change.path) == change.new
        ]
        if disk or staged:
            backwards = plan._replace(old=tip, new=tip, edits=(), disk=tuple(disk), staged=tuple(staged))
            write_temporaries(Files(repo, state, plan.round), backwards)
            apply.apply(repo, state, backwards, lock_fd=lock_fd, rebuild_index=True)
    except (apply.LostRace, apply.IndexLocked, index.Unmerged):
        return False
    return True


def _disk(repo: Repository, change: DiskChange) -> list[DiskChange]:
    try:
        now = apply.read(repo, change.path)
    except VaultgitError:
        return []  # no plain file lies there any more
    if now == change.old:
        return []
    back = merge(change.new, now, change.old, text_merge=git_text_merge(repo))
    return [] if back.conflicts or back.data == now else [change._replace(old=now, new=back.data)]
