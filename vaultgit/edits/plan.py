"""A plan: all that landing a round does, with what every path held before, so that doing it again is harmless.

It lies in state/plans from the moment its temporaries are ready, and in state/landed once it has landed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.edits import queue
from vaultgit.edits import steps
from vaultgit.edits.edit import pack
from vaultgit.edits.edit import unpack
from vaultgit.history import index
from vaultgit.history import refs
from vaultgit.history.repository import Repository
from vaultgit.notes.links import fold

BESIDE = os.path.join(".vaultgit", "tmp")  # in the work tree, for temporaries where .git is on another file system


class DiskChange(NamedTuple):
    path: str  # from the work tree's root
    old: bytes | None
    new: bytes | None
    mode: int = 0o644
    owner: tuple[int, int] | None = None  # user and group of the file that was there


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
    place: str  # of the work tree (Repository.place)
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


class Replaced(NamedTuple):
    """One file of a landed round: hashes, not texts, since a person's own lines are among those."""

    path: str
    old: str | None  # sha256 of what came out of the exchange
    new: str | None
    mode: int


class Record(NamedTuple):
    """What is kept of a round that has landed."""

    round: str
    place: str
    ref: str
    new: str
    checked_out: bool
    edits: tuple[Landed, ...]
    disk: tuple[Replaced, ...]
    staged: tuple[IndexChange, ...]


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
    inside = os.path.join(repo.worktree, BESIDE)
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


def in_order(repo: Repository, disk: Sequence[DiskChange]) -> list[tuple[int, DiskChange]]:
    """New files first, deletions last: what moves lies under both names for a moment, never under none. A person who
    commits everything after a kill in between commits no note away. Only where both names are one, on a file system
    that does not tell them apart, the deletion has to come first."""
    made = {fold(change.path): change.path for change in disk if change.old is None}

    def turn(item: tuple[int, DiskChange]) -> int:
        _, change = item
        if change.new is not None:
            return 1 if change.old is None else 2
        twin = made.get(fold(change.path))
        return 0 if twin and _same_file(repo, change.path, twin) else 3

    return sorted(enumerate(disk), key=turn)


def _same_file(repo: Repository, one: str, other: str) -> bool:
    try:
        return os.path.samefile(os.path.join(repo.worktree, one), os.path.join(repo.worktree, other))
    except OSError:
        return False


def write_temporaries(files: Files, plan: Plan) -> None:
    os.makedirs(files.folder, mode=0o700, exist_ok=True)
    for number, change in enumerate(plan.disk):
        if change.new is not None:
            queue.write_file(files.temporary(number), change.new, 0o600)
            os.chmod(files.temporary(number), change.mode)
            if change.owner is not None and change.owner != (os.geteuid(), os.getegid()):
                try:
                    os.chown(files.temporary(number), *change.owner)
                except OSError:
                    pass  # only root may give a file away; then it is ours


def keep_record(files: Files, plan: Plan) -> None:
    """Replaces the plan of a round that has landed by its record."""
    record = Record(
        plan.round, plan.place, plan.ref, plan.new, plan.checked_out, plan.edits,
        tuple(Replaced(c.path, sha256(c.old), sha256(c.new), c.mode) for c in plan.disk), plan.staged,
    )  # fmt: skip
    temporary = f"{files.landed}.tmp"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as stream:
        json.dump(record._asdict(), stream)
    os.rename(temporary, files.landed)
    queue.unlink(files.plan)


def sha256(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def landed(state: str) -> Iterator[Record]:
    """Records of the last rounds, newest first; damaged ones are passed over."""
    folder = os.path.join(state, "landed")
    for name in reversed(queue.listing(folder)):
        record = record_of(os.path.join(folder, name))
        if record is not None:
            yield record


def record_of(path: str) -> Record | None:
    """A record; None for one that is gone or damaged."""
    try:
        found = queue.read_json(path)
        if found is None:
            return None
        disk = tuple(Replaced(*fields) for fields in found["disk"])
        return Record(**{**found, "edits": _edits(found), "disk": disk, "staged": _staged(found)})
    except (ValueError, KeyError, TypeError, AttributeError, IsADirectoryError):
        return None


def load(path: str) -> Plan | None:
    """A plan; None for one that is gone or damaged."""
    try:
        found = queue.read_json(path)
        return None if found is None else from_json(found)
    except (ValueError, KeyError, TypeError, AttributeError, IsADirectoryError):
        return None


def to_json(plan: Plan) -> dict[str, Any]:
    record = plan._asdict()
    record["disk"] = [[c.path, pack(c.old), pack(c.new), c.mode, c.owner] for c in plan.disk]
    return record


def from_json(record: dict[str, Any]) -> Plan:
    disk = tuple(DiskChange(p, unpack(o), unpack(n), m, tuple(w) if w else None) for p, o, n, m, w in record["disk"])
    return Plan(**{**record, "edits": _edits(record), "disk": disk, "staged": _staged(record)})


def _edits(record: dict[str, Any]) -> tuple[Landed, ...]:
    return tuple(Landed(*fields) for fields in record["edits"])


def _staged(record: dict[str, Any]) -> tuple[IndexChange, ...]:
    def entry(fields: Any) -> index.Entry | None:
        return index.Entry(*fields) if fields else None

    return tuple(IndexChange(path, entry(old), entry(new)) for path, old, new in record["staged"])
