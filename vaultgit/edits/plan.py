"""A plan: all that landing a round does, with what every path held before, so that doing it again is harmless.

It lies in state/plans from the moment its temporaries are ready, and in state/landed once it has landed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any
from typing import NamedTuple

from vaultgit.edits import queue
from vaultgit.edits import steps
from vaultgit.edits.edit import pack
from vaultgit.edits.edit import unpack
from vaultgit.history import index
from vaultgit.history import refs
from vaultgit.history.repository import Repository


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


def landed(state: str) -> Iterator[Plan]:
    """Records of the last rounds, newest first; damaged ones are passed over."""
    folder = os.path.join(state, "landed")
    for name in reversed(queue.listing(folder)):
        plan = load(os.path.join(folder, name))
        if plan is not None:
            yield plan


def load(path: str) -> Plan | None:
    """A plan or record; None for one that is gone or damaged."""
    try:
        record = queue.read_json(path)
        return None if record is None else from_json(record)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


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
