"""One move of a branch in the making: what its paths shall hold, its commits, the plan of both, and carrying it out.

What comes into the branch is the matter of who builds on this: a round of queued edits, or another line of history.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import apply
from vaultgit.edits import changelog
from vaultgit.edits import plan as plans
from vaultgit.edits import recover
from vaultgit.edits import sealed
from vaultgit.edits import steps
from vaultgit.edits.edit import new_id
from vaultgit.edits.ledger import Projection
from vaultgit.edits.lock import Lock
from vaultgit.edits.plan import DiskChange
from vaultgit.edits.plan import IndexChange
from vaultgit.edits.plan import Landed
from vaultgit.edits.plan import Plan
from vaultgit.edits.slots import Place
from vaultgit.edits.slots import Slot
from vaultgit.edits.slots import Slots
from vaultgit.history import index
from vaultgit.history import objects
from vaultgit.history import refs
from vaultgit.history.repository import Identity
from vaultgit.history.repository import Repository
from vaultgit.vault import Vault

INDEX_WAIT = 4.0  # seconds for somebody's index.lock: a little beyond the 3 after which an edit may wait


class Waiting(Exception):
    """Nothing can land now; the text says what it waits for."""


class Stored(NamedTuple):
    """A text that git holds already."""

    oid: str
    text: bytes


class Landing:
    """What a branch, its index and its files shall become."""

    def __init__(self, vault: Vault, clock: Clock, lock: Lock | None, ref: str, place: Place) -> None:
        """`ref`: the branch, by its full name. `place`: what paths of slots are relative to: the vault, or the whole
        work tree. `lock`: ours, held by the caller; None where nothing is to land."""
        self.vault, self.repo, self.clock, self.lock, self.ref = vault, vault.repo, clock, lock, ref
        self.id = new_id(clock)
        self.checked_out = ref == refs.head(self.repo).branch
        self.tip = refs.tip(self.repo, ref)
        self.slots = Slots(place, self.tip, checked_out=self.checked_out)
        self.below = vault.prefix[len(place.prefix) :]  # of the vault's paths among those of the slots
        self.commits: list[objects.NewCommit] = []
        self.stored: dict[str, Stored] = {}  # by path of a slot
        self.onto = self.tip  # the first commit's first parent
        self.forward = ""  # the commit that the branch moves to where none is made
        person = self.repo.person()
        self.person = Identity(person.name, person.email)

    def landed(self, commits: Sequence[str]) -> tuple[Landed, ...]:  # noqa: ARG002
        """What becomes of edits; `commits`: the oids of ours."""
        return ()

    # -- changelog.md --------------------------------------------------------------------------------------------

    def write_lines(self, projection: Projection, newest: str) -> list[str]:
        """Gives the changelog files the lines that history says they have. `newest`: the day of the newest edit.
        Returns the paths (of slots) that change."""
        projection.place(self.vault, newest)
        self.slots.load(self.below + path for path in projection.files)
        touched = []
        for path, lines in projection.files.items():
            slot = self.slots[self.below + path]
            if slot.blocked:
                raise Waiting(f"{path} cannot be written: {slot.blocked}")
            if lines or slot.head is not None:
                text = changelog.render(slot.head, lines.values())
                if text != slot.head:
                    if slot.space.missing:
                        raise Waiting(f"{path} {sealed.words(slot.space.missing)} ({sealed.mend(slot.space.missing)})")
                    self.project(slot, text, lines)
                    touched.append(slot.path)
        return touched

    def project(self, slot: Slot, text: bytes, lines: dict[str, changelog.Line]) -> None:
        """Puts lines into branch, index and disk: the person's own text in each stays where it is."""
        if self.checked_out:
            if slot.disk is not None or slot.head is None:
                slot.disk = text if slot.disk == slot.head else changelog.render(slot.disk, lines.values())
            if slot.staged_otherwise and slot.staged is not None:
                slot.staged = changelog.render(slot.staged, lines.values())
        slot.head = text

    # -- the plan ------------------------------------------------------------------------------------------------

    def file(self, slot: Slot) -> objects.File | None:
        """What a commit puts at the path of a slot."""
        if slot.head is None:
            return None
        return objects.File(self._stored(slot) or slot.space.to_blob(slot.head), slot.mode)

    def _stored(self, slot: Slot) -> str:
        """The oid of the text that the branch gets, where git holds it already; "" else."""
        there = self.stored.get(slot.path)
        return there.oid if there is not None and there.text == slot.head else ""

    def is_changed(self, slot: Slot) -> bool:
        """Whether the branch gets something else at the path: also the same text, stored otherwise (another filter)."""
        stored = self._stored(slot) if slot.head is not None else ""
        anew = slot.anew or stored not in ("", slot.oid)
        return slot.head != slot.head_was or slot.mode != slot.mode_was or anew

    def touched(self) -> list[Slot]:
        """The slots that change in the branch, or in the index alone."""
        return [slot for slot in self.slots.values() if self.is_changed(slot) or slot.restaged]

    def plan(self, lock_fd: int) -> Plan:
        """Objects for all commits, and the plan: old and new of every path."""
        touched = self.touched()
        staged = {
            slot.full: slot.space.to_blob(text)
            for slot in touched
            if slot.staged_otherwise or slot.restaged
            for text in (slot.staged if slot.staged_otherwise else slot.head,)
            if text is not None
        }
        blobs = [data for data in staged.values() if isinstance(data, bytes)]
        written = objects.Written([], {})
        if self.commits or blobs:
            ref = refs.LANDING + self.id
            written = objects.write(self.repo, ref, self.onto, self.commits, blobs, lock_fd)
        steps.reached("objects")
        oids = {self.slots[path].full: self._stored(self.slots[path]) for path in self.stored}
        modes: dict[str, str] = {}
        for commit in self.commits:
            for path, file in commit.files.items():
                if file is not None:
                    oids[path] = file.data if isinstance(file.data, str) else written.blobs[file.data]
                    modes[path] = file.mode
        entries: list[IndexChange] = []
        for slot in touched if self.checked_out else ():
            flags = slot.entry.flags if slot.entry else ""
            if slot.staged_otherwise or slot.restaged:
                blob = staged.get(slot.full)
                oid = "" if blob is None else blob if isinstance(blob, str) else written.blobs[blob]
                mode = slot.entry.mode if slot.entry else slot.mode
            else:
                oid = oids[slot.full] if slot.head is not None else ""
                mode = modes.get(slot.full, slot.mode)
                if slot.entry and slot.head_was is not None and slot.entry.mode != slot.mode_was:
                    mode = slot.entry.mode  # `git add` of a file that became a program, or is none any more
            new = index.Entry(mode, oid, flags) if oid else None
            if new != slot.entry:
                entries.append(IndexChange(slot.full, slot.entry, new))
        disk = [
            DiskChange(slot.full, slot.disk_raw, new, *_permissions(self.repo, slot))
            for slot in self.slots.values()
            if self.checked_out and (slot.disk != slot.disk_was or slot.anew)
            if not (slot.sparse and slot.disk_raw is None)
            for new in (None if slot.disk is None else slot.space.to_disk(slot.disk, self._endings(slot)),)
            if new != slot.disk_raw
        ]
        tip = written.commits[-1] if self.commits else self.forward
        return Plan(
            self.id, self.repo.place, self.ref, self.tip, tip, self.checked_out, self.landed(written.commits),
            tuple(disk), tuple(entries),
        )  # fmt: skip

    def _endings(self, slot: Slot) -> bytes | None:
        """The bytes whose line endings a file keeps: none where other attributes say now how it lies on disk."""
        return slot.origin.disk_raw if slot.space is slot.was else None

    def carry_out(self, stamp: tuple[int, int, int] | None, held: apply.IndexLock | None) -> Plan:
        """Lands it. `stamp`: of the index that was read; `held`: index.lock, where it is taken already. Raises
        LostRace, IndexLocked, OSError with nothing changed, HalfDone with a plan that recovery finishes."""
        assert self.lock is not None
        steps.reached("read")
        plan = self.plan(self.lock.fd)
        try:
            if plan.checked_out and plan.staged and held is None:
                files = plans.Files(self.repo, self.vault.state, plan.round)
                changes = {change.path: change.new for change in plan.staged}
                index.build(self.repo, files.index, changes, self.lock.fd, refs.null_oid(self.repo))
            plans.lay_out(self.repo, self.vault.state, plan)
            apply.apply(
                self.repo, self.vault.state, plan, lock_fd=self.lock.fd, index_stamp=stamp,
                rebuild_index=held is not None, held=held, wait=INDEX_WAIT,
            )  # fmt: skip
        except apply.HalfDone:
            raise  # the plan is what recovery needs
        except Exception:
            if not recover.has_landed(self.repo, plan, refs.tip(self.repo, self.ref)):
                recover.forget(self.repo, self.vault.state, plan)
            raise
        return plan


def _permissions(repo: Repository, slot: Slot) -> tuple[int, tuple[int, int] | None]:
    """Mode and owner of the file that is there; of a new one the mode that the person's umask gives."""
    owner: tuple[int, int] | None = None
    try:
        found = os.stat(os.path.join(repo.worktree, slot.origin.full))
        mode, owner = found.st_mode & 0o7777, (found.st_uid, found.st_gid)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
        if slot.mode == objects.PROGRAM:
            mode |= (mode & 0o444) >> 2
    else:
        if slot.mode != slot.mode_was and slot.origin is slot:
            mode = mode | (mode & 0o444) >> 2 if slot.mode == objects.PROGRAM else mode & ~0o111
    return mode, owner
