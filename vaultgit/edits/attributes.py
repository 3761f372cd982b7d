"""Files that came in together with the .gitattributes that say how they lie on disk.

Until that file has landed, git and we go by the one before: a picture of git-lfs would lie there as its pointer, and an
encrypted note as git holds it, to be encrypted again by the next commit.
"""

from __future__ import annotations

from vaultgit.clock import Clock
from vaultgit.edits import apply
from vaultgit.edits.edit import new_id
from vaultgit.edits.plan import DiskChange
from vaultgit.edits.plan import Files
from vaultgit.edits.plan import Plan
from vaultgit.edits.plan import write_temporaries
from vaultgit.errors import VaultgitError
from vaultgit.history import filters
from vaultgit.history.repository import Repository

_FILE = ".gitattributes"


def renew(repo: Repository, state: str, clock: Clock, landed: Plan, lock_fd: int) -> None:
    """Writes files of a plan that has landed anew, where attributes that came with it say so and nobody has touched
    them since. What cannot be written so (a filter program fails) stays as it is: git's own commands show it as
    changed. Our lock is held by the caller."""
    came = [change for change in landed.disk if change.new is not None]
    if not any(change.path.rpartition("/")[2] == _FILE for change in came):
        return
    spaces = filters.spaces(repo, [change.path for change in came])
    try:
        disk = [anew for change in came for anew in _anew(repo, landed.new, spaces[change.path], change)]
        if disk:
            plan = landed._replace(round=new_id(clock), old=landed.new, edits=(), disk=tuple(disk), staged=())
            write_temporaries(Files(repo, state, plan.round), plan)
            apply.apply(repo, state, plan, lock_fd=lock_fd, rebuild_index=True)
    except (apply.LostRace, apply.IndexLocked, apply.HalfDone, VaultgitError, OSError):
        return


def _anew(repo: Repository, tip: str, space: filters.Space, change: DiskChange) -> list[DiskChange]:
    blob = repo.blob(f"{tip}:{change.path}") if type(space) is not filters.Space and "\n" not in change.path else None
    if blob is None or blob.data != change.new:  # else the person's text is in it, or it lies there as it should
        return []
    wanted = space.to_disk(space.from_blob(blob.oid, blob.data), None)
    return [change._replace(old=change.new, new=wanted)] if wanted != change.new else []
