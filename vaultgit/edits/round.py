"""One round of landing: edits of one branch, merged in memory into what branch, index and disk hold.

The commit gets HEAD plus the edit and nothing of the person's; what the person staged or typed stays theirs. What does
not merge becomes an inbox note, whole. Then one commit an edit is written, and a plan is handed to `apply`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import apply
from vaultgit.edits import changelog
from vaultgit.edits import inboxnote
from vaultgit.edits import judge
from vaultgit.edits import ledger
from vaultgit.edits import plan as plans
from vaultgit.edits import queue
from vaultgit.edits import recover
from vaultgit.edits import steps
from vaultgit.edits.edit import RECORD
from vaultgit.edits.edit import RECORDED_IN
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import message
from vaultgit.edits.edit import moves
from vaultgit.edits.edit import new_id
from vaultgit.edits.edit import shorten
from vaultgit.edits.lock import Lock
from vaultgit.edits.merge import git_text_merge
from vaultgit.edits.merge import merge
from vaultgit.edits.place import in_git
from vaultgit.edits.place import in_the_way
from vaultgit.edits.plan import DiskChange
from vaultgit.edits.plan import IndexChange
from vaultgit.edits.plan import Landed
from vaultgit.edits.plan import Plan
from vaultgit.errors import VaultgitError
from vaultgit.history import filters
from vaultgit.history import index
from vaultgit.history import objects
from vaultgit.history import refs
from vaultgit.history.repository import Identity
from vaultgit.history.repository import Repository
from vaultgit.notes.follow import follower
from vaultgit.vault import Vault

FAILURES = 3  # then an edit goes to the inbox, so that it does not block the next ones
INDEX_WAIT = 4.0  # seconds for somebody's index.lock: a little beyond the 3 after which an edit may wait


class Result(NamedTuple):
    """What became of an edit. `outcome`: committed, merged, inbox, unchanged, queued."""

    outcome: str
    edit: str
    oid: str = ""
    path: str = ""
    inbox: str = ""
    reason: str = ""  # of "queued": what it waits for, in words
    also: tuple[str, ...] = ()  # notes that changed with it, though nobody named them: a decision's project


class Waiting(Exception):
    """Nothing can land now; the text says what it waits for."""


class Slot:
    """One path while a round is prepared: what branch, index and disk hold, then what they shall hold (text space)."""

    def __init__(self, path: str, full: str, space: filters.Space) -> None:
        self.path, self.full, self.space = path, full, space
        self.mode = objects.PLAIN
        self.head: bytes | None = None
        self.entry: index.Entry | None = None
        self.staged: bytes | None = None
        self.staged_otherwise = False  # the person staged something that is not HEAD's
        self.disk_raw: bytes | None = None
        self.disk: bytes | None = None
        self.disk_was: bytes | None = None
        self.head_was: bytes | None = None
        self.blocked = ""  # what lies in its way, in words
        self.sparse = False  # not checked out on purpose
        self.restaged = False  # its index entry is written anew, though the branch holds the same
        self.origin: Slot = self  # of a file that moves: where it lay

    def snapshot(self) -> tuple[Any, ...]:
        return self.head, self.staged, self.disk, self.staged_otherwise, self.mode, self.origin

    def restore(self, saved: tuple[Any, ...]) -> None:
        self.head, self.staged, self.disk, self.staged_otherwise, self.mode, self.origin = saved

    def take(self, old: Slot) -> None:
        """This becomes the file that lay at `old`: with its mode, what a person staged of it, and their own text."""
        alike = type(self.space) is type(old.space)

        def here(text: bytes | None) -> bytes | None:
            raw = None if alike or text is None else old.space.to_disk(text, old.origin.disk_raw)
            return text if raw is None else self.space.from_disk(raw)

        self.head, self.staged, self.disk = here(old.head), here(old.staged), here(old.disk)
        self.staged_otherwise, self.mode, self.origin = old.staged_otherwise, old.mode, old.origin
        old.head = old.staged = old.disk = None
        old.staged_otherwise, old.origin = False, old


class Round:
    """All edits of one branch that wait, on their way into one plan."""

    def __init__(
        self, vault: Vault, clock: Clock, lock: Lock, batch: Sequence[Edit], own: str, stale: Sequence[Plan]
    ) -> None:
        self.vault, self.repo, self.clock, self.lock, self.own = vault, vault.repo, clock, lock, own
        self.batch = batch
        self.stale = stale
        self.id = new_id(clock)
        here = refs.head(self.repo)
        self.ref = batch[0].branch or here.branch or ""
        self.checked_out = self.ref == here.branch
        if not self.checked_out:
            self._elsewhere()
        self.tip = refs.tip(self.repo, self.ref)
        self.gone = ""
        if self.tip is None and not self.checked_out:
            self.gone = f"the branch {self.ref.removeprefix('refs/heads/')} it was made for is gone"
            self.ref, self.checked_out = here.branch or "", True
            self.tip = refs.tip(self.repo, self.ref)
        self.slots: dict[str, Slot] = {}
        self.commits: list[objects.NewCommit] = []
        self.answers: list[tuple[Edit, str, str, int]] = []  # edit, outcome, inbox path, index of its commit or -1
        self.text_merge = git_text_merge(self.repo)
        person = self.repo.person()
        self.person = Identity(person.name, person.email)

    def _elsewhere(self) -> None:
        other = refs.checked_out_at(self.repo, self.ref)
        if other:
            branch = self.ref.removeprefix("refs/heads/")
            raise Waiting(f"{branch} is checked out in {other}; it lands when it no longer is, or is here")

    # -- reading -----------------------------------------------------------------------------------------------

    def load(self, paths: Iterable[str]) -> None:
        """Reads branch, index and disk for paths of the vault, once each."""
        new = [path for path in dict.fromkeys(paths) if path not in self.slots]
        if not new:
            return
        full = {path: self.vault.prefix + path for path in new}
        spaces = filters.spaces(self.repo, full.values())
        folders = {path[:n] for path in full.values() for n, c in enumerate(path) if c == "/"}
        asked = [["ls-tree", "-z", self.tip, "--", *full.values(), *folders]] if self.tip else []
        if self.checked_out:
            asked.append(index.listing(full.values()))
        answers = self.repo.together(*asked)
        staged = index.parsed(answers.pop()) if self.checked_out else {}
        staged_folders = {path[:end] for path in staged for end, sign in enumerate(path) if sign == "/"}
        tree = _tree(answers.pop()) if self.tip else {}
        for path in new:
            slot = self.slots[path] = Slot(path, full[path], spaces[full[path]])
            slot.blocked = self._blocked(slot, tree, staged, staged_folders)
            if slot.blocked:
                continue
            mode, oid = tree.get(slot.full, (objects.PLAIN, ""))
            slot.mode = mode
            slot.head = self._text(slot, oid) if oid else None
            if self.checked_out:
                slot.entry = staged.get(slot.full)
                slot.sparse = bool(slot.entry and "S" in slot.entry.flags)
                slot.staged_otherwise = (slot.entry.oid if slot.entry else "") != oid
                slot.staged = (
                    (self._text(slot, slot.entry.oid) if slot.entry else None) if slot.staged_otherwise else slot.head
                )
                slot.disk_raw = apply.read(self.repo, slot.full)
                slot.disk = None if slot.disk_raw is None else slot.space.from_disk(slot.disk_raw)
                if slot.sparse and slot.disk is None:
                    slot.disk = slot.head
            slot.head_was, slot.disk_was = slot.head, slot.disk

    def _blocked(
        self, slot: Slot, tree: dict[str, tuple[str, str]], staged: dict[str, index.Entry], staged_folders: set[str]
    ) -> str:
        """What lies in the note's way since the edit was accepted, in words."""
        new = self.checked_out and slot.full not in tree and slot.full not in staged
        words = in_git(self.repo, slot.full, tree, staged_folders, new)
        on_disk = in_the_way(self.vault, slot.path) if self.checked_out and not words else []
        return words or (on_disk[0].message if on_disk else "")

    def _text(self, slot: Slot, oid: str) -> bytes:
        blob = self.repo.blob(oid)
        if blob is None:
            raise VaultgitError(f"{slot.path} is no file in history, or its object is missing", "git fsck")
        return slot.space.from_blob(oid, blob.data)

    # -- merging -----------------------------------------------------------------------------------------------

    def land(self, held: apply.IndexLock | None) -> dict[str, Result]:
        """The whole round. Raises LostRace, IndexLocked, Waiting, Unmerged, OSError with nothing changed."""
        steps.reached("locked")
        stamp = index.stamp(index.index_path(self.repo)) if self.checked_out else None
        readable = [edit for edit in self.batch if edit.attempts < FAILURES]
        self.load([*(change.path for edit in readable for change in edit.changes), changelog.FILE])
        self.projection = ledger.project(self.vault, self.ref, self.tip)
        for edit in self.batch:
            self._place(edit)
        if not self.commits:
            for edit in self.batch:
                queue.remove(self.vault.state, edit.id)
            return {e.id: Result("unchanged", e.id, path=first_path(e)) for e in self.batch}
        steps.reached("read")
        plan = self._write()
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
        mine = {edit.id for edit in self.batch}
        for old in self.stale:
            if {landed.edit for landed in old.edits} <= mine:
                recover.forget(self.repo, self.vault.state, old)
        ledger.remember(self.vault, self.ref, plan.new)
        return self._results(plan)

    def _place(self, edit: Edit) -> None:
        """Merges one edit into branch, index and disk; into the inbox if any of them conflicts."""
        if edit.attempts >= FAILURES:
            self._into_inbox(edit, f"it failed {FAILURES} times")
            return
        saved = {change.path: self.slots[change.path].snapshot() for change in edit.changes}
        before = {change.path: self.slots[change.path].head for change in edit.changes}
        own_paths = self._as_it_was(edit)
        moved = any(self._moved(change) for change in edit.changes)
        conflict = self.gone or next((b for b in (self.slots[c.path].blocked for c in edit.changes) if b), "")
        conflict = conflict or self._source_gone(edit.changes)
        for change in self._carried(edit.changes) if not conflict else ():
            conflict = conflict or self._merge(change)
        if not conflict:
            conflict = self._problems(edit, before, own_paths)
        if conflict:
            for path, snapshot in saved.items():
                self.slots[path].restore(snapshot)
            self._undo_stale(edit)
            self._into_inbox(edit, conflict)
            return
        changed = [c.path for c in edit.changes if self.slots[c.path].head != before[c.path] or c.path in own_paths]
        swept = any(key == RECORDED_IN for key, _ in edit.trailers)  # a line for what a person's commit took along
        if not changed and edit.id == self.own and not swept:
            self.answers.append((edit, "unchanged", "", -1))
            return
        if own_paths:
            self._commit_own(own_paths)
        self._commit(edit, changed, edit.subject, edit.reason)
        self.answers.append((edit, "merged" if moved else "committed", "", len(self.commits) - 1))

    def _source_gone(self, changes: Sequence[PathChange]) -> str:
        """Which file of a move is no longer where it lay, in words: a link to its new name would lead nowhere."""
        for new, old in moves(changes):
            slot, there = self.slots[old.path], self.slots[new.path]
            if slot.head is None and slot.disk is None and there.head is None and there.disk is None:
                return f"{old.path} is gone"
        return ""

    def _carried(self, changes: Sequence[PathChange]) -> list[PathChange]:
        """The changes, with files that move brought to their new names, where nothing lies yet: what is left to merge
        there is what the move changes in them."""
        carried: dict[str, PathChange] = {}
        for new, old in moves(changes):
            slot, before = self.slots[new.path], self.slots[old.path]
            if slot.head is slot.staged is slot.disk is None:
                slot.take(before)
                carried |= {new.path: new._replace(base=old.base), old.path: old._replace(base=None)}
        return [carried.get(change.path, change) for change in changes]

    def _merge(self, change: PathChange) -> str:
        """Merges one change into its slot. Returns what conflicts, in words, or ""."""
        slot = self.slots[change.path]
        base = None if change.base is None else slot.space.from_disk(change.base)
        new = None if change.new is None else slot.space.from_disk(change.new)
        # Links follow a move wherever they stand, also on lines that somebody else has changed.
        same = slot.head == slot.staged == slot.disk == base or change.action != "move"
        follow = _as_it_is if same else follower(base, new, change.path)
        head_before = slot.head
        into_head = merge(follow(base), follow(slot.head), new, text_merge=self.text_merge)
        if into_head.conflicts:
            theirs = base is not None and base == slot.disk and slot.disk != slot.head
            return _conflict("your text that is not in git" if theirs else "what is committed", into_head.conflicts)
        slot.head = into_head.data
        if not self.checked_out:
            return ""
        if not slot.staged_otherwise:
            slot.staged = head_before
        for name, words in (("disk", "your text on disk that is not in git"), ("staged", "what you have staged")):
            theirs = getattr(slot, name)
            if theirs == head_before:
                setattr(slot, name, slot.head)
                continue
            # The person's text stands on top of the new commit, and that is what the agent asked for, too: else it
            # would change, or take away, lines that only the person has.
            kept = merge(follow(head_before), follow(theirs), slot.head, text_merge=self.text_merge)
            asked = merge(follow(base), follow(theirs), new, text_merge=self.text_merge)
            if kept.conflicts or asked.conflicts or kept.data != asked.data:
                return _conflict(words, kept.conflicts or asked.conflicts or ("lines that are only there",))
            setattr(slot, name, kept.data)
            slot.restaged = slot.restaged or (name == "staged" and kept.data != theirs)
        return ""

    def _moved(self, change: PathChange) -> bool:
        """Whether the note is no longer what the edit was based on."""
        slot = self.slots[change.path]
        based_on = change.new if change.action == RECORD else change.base  # recorded: it lies there already
        expected = None if based_on is None else slot.space.from_disk(based_on)
        return expected != (slot.disk if self.checked_out else slot.head)

    def _as_it_was(self, edit: Edit) -> dict[str, bytes]:
        """Notes of the edit that git has never seen, and a person's own text in a note they delete (a note that moves
        takes it along): committed first as they are, by the person."""
        found: dict[str, bytes] = {}
        for change in edit.changes:
            slot = self.slots[change.path]
            if slot.disk is None or change.base is None or slot.disk == slot.head:
                continue
            unseen = slot.head is None and slot.entry is None
            parting = edit.agent is None and change.new is None and slot.disk == slot.space.from_disk(change.base)
            parting = parting and change.action != "move"
            if unseen or (parting and not slot.staged_otherwise):
                slot.head = found[change.path] = self._without(change, slot.disk)
        return found

    def _without(self, change: PathChange, text: bytes) -> bytes:
        """Text on disk without a change that lies there already (`record`)."""
        if change.action != RECORD or change.base is None or change.new is None:
            return text
        space = self.slots[change.path].space
        back = merge(
            space.from_disk(change.new), text, space.from_disk(change.base), text_merge=self.text_merge
        )  # fmt: skip
        return text if back.conflicts or back.data is None else back.data

    def _problems(self, edit: Edit, before: dict[str, bytes | None], own: dict[str, bytes]) -> str:
        """Checks on what the merge made, where that is not what was checked when the edit was accepted."""
        if edit.agent is None and not edit.trailers:
            return ""  # housekeeping
        for path, data in own.items():
            if judge.secrets(self.vault, path, data):
                return f"{path} holds what looks like a secret, and git has never seen it"
        changed = [
            (c.path, own.get(c.path, before[c.path]), self.slots[c.path].head)
            for c in edit.changes
            if c.base != before[c.path] and self.slots[c.path].head != before[c.path]
        ]
        problems = judge.problems(self.vault, edit, changed, today=edit.authored[:10]) if changed else []
        return "; ".join(str(problem) for problem in problems)

    def _undo_stale(self, edit: Edit) -> None:
        """Takes back what a killed writer had put on disk and into the index for an edit that goes to the inbox."""
        for plan in self.stale:
            if all(landed.edit != edit.id for landed in plan.edits):
                continue
            for change in plan.disk:
                slot = self.slots.get(change.path[len(self.vault.prefix) :])
                if slot is None or slot.disk_raw != change.new:
                    continue
                old, new = (None if d is None else slot.space.from_disk(d) for d in (change.old, change.new))
                there = merge(old, slot.head_was, new, text_merge=self.text_merge)
                if not there.conflicts and there.data == slot.head_was:
                    continue  # the person has committed it
                # What other edits of this round have made of the note stays on top.
                kept = merge(slot.head_was, old, slot.head, text_merge=self.text_merge)
                slot.disk = slot.disk if kept.conflicts else kept.data
            for entry in plan.staged:
                slot = self.slots.get(entry.path[len(self.vault.prefix) :])
                if slot is not None and slot.entry == entry.new and slot.staged_otherwise:
                    self._restage(slot, plan, entry)

    def _restage(self, slot: Slot, plan: Plan, entry: IndexChange) -> None:
        """Gives an index entry back what was staged before a dead writer changed it."""
        committed = self.repo.blob(f"{plan.old}:{slot.full}") if plan.old else None
        slot.restaged = True
        slot.staged_otherwise = (entry.old.oid if entry.old else "") != (committed.oid if committed else "")
        slot.staged = (self._text(slot, entry.old.oid) if entry.old else None) if slot.staged_otherwise else slot.head

    def _into_inbox(self, edit: Edit, conflict: str) -> None:
        notes = [inboxnote.make(self.vault, edit, change, conflict) for change in edit.changes]
        self.load(path for path, _ in notes)
        blocked = next((self.slots[path].blocked for path, _ in notes if self.slots[path].blocked), "")
        if blocked:
            raise VaultgitError(f"no note can be put into the inbox: {blocked}")
        for path, data in notes:
            slot = self.slots[path]
            # Another text there is what the person made of the note that a killed writer had put there.
            slot.disk = data if self.checked_out and slot.disk == slot.head else slot.disk
            slot.head = slot.staged = data
        path = notes[0][0]
        subject = shorten(f"{path.removesuffix('.md')}: {edit.subject}")
        self._commit(edit, [p for p, _ in notes], subject, f"Not merged: {conflict}\n\n{edit.reason}".strip())
        self.answers.append((edit, "inbox", path, len(self.commits) - 1))

    # -- commits -----------------------------------------------------------------------------------------------

    def _commit_own(self, paths: dict[str, bytes]) -> None:
        files = {self.slots[p].full: objects.File(self.slots[p].space.to_blob(data)) for p, data in paths.items()}
        body = "\n".join(sorted(paths))
        now = self.clock.now()
        self.commits.append(
            objects.NewCommit(self.person, now, self.person, now, message("own: as it was", body, ()), files)
        )

    def _commit(self, edit: Edit, paths: Iterable[str], subject: str, reason: str) -> None:
        """Adds the commit of an edit, with its line, and with what changelog.md is behind."""
        touched = list(dict.fromkeys(paths))
        if any(key == "Edit" for key, _ in edit.trailers):
            line = changelog.line(subject, edit.author[0], edit.when, edit.id)
            self.projection.files[changelog.FILE][edit.id] = line
        self.projection.place(self.vault, edit.authored[:10])
        self.load(self.projection.files)
        for path, lines in self.projection.files.items():
            slot = self.slots[path]
            if slot.blocked:
                raise Waiting(f"{path} cannot be written: {slot.blocked}")
            if lines or slot.head is not None:
                text = changelog.render(slot.head, lines.values())
                if text != slot.head:
                    self._project(slot, text, lines)
                    touched.append(path)
        files = {self.slots[path].full: self._file(self.slots[path]) for path in touched}
        self.commits.append(
            objects.NewCommit(
                Identity(*edit.author), edit.when, self.person, self.clock.now(),
                message(subject, reason, edit.trailers), files,
            )
        )  # fmt: skip

    def _project(self, slot: Slot, text: bytes, lines: dict[str, changelog.Line]) -> None:
        """Puts lines into branch, index and disk: the person's own text in each stays where it is."""
        if self.checked_out:
            if slot.disk is not None or slot.head is None:
                slot.disk = text if slot.disk == slot.head else changelog.render(slot.disk, lines.values())
            if slot.staged_otherwise and slot.staged is not None:
                slot.staged = changelog.render(slot.staged, lines.values())
        slot.head = text

    def _file(self, slot: Slot) -> objects.File | None:
        return None if slot.head is None else objects.File(slot.space.to_blob(slot.head), slot.mode)

    def _write(self) -> Plan:
        """Objects for all commits, and the plan: old and new of every path."""
        touched = [slot for slot in self.slots.values() if slot.head != slot.head_was or slot.restaged]
        staged = {
            slot.full: slot.space.to_blob(text)
            for slot in touched
            if slot.staged_otherwise or slot.restaged
            for text in (slot.staged if slot.staged_otherwise else slot.head,)
            if text is not None
        }
        written = objects.write(
            self.repo, refs.LANDING + self.id, self.tip, self.commits,
            [data for data in staged.values() if isinstance(data, bytes)], self.lock.fd,
        )  # fmt: skip
        steps.reached("objects")
        oids: dict[str, str] = {}
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
            new = index.Entry(mode, oid, flags) if oid else None
            if new != slot.entry:
                entries.append(IndexChange(slot.full, slot.entry, new))
        disk = [
            DiskChange(slot.full, slot.disk_raw, new, *_permissions(self.repo, slot.origin.full))
            for slot in self.slots.values()
            if self.checked_out and slot.disk != slot.disk_was and not (slot.sparse and slot.disk_raw is None)
            for new in (None if slot.disk is None else slot.space.to_disk(slot.disk, slot.origin.disk_raw),)
            if new != slot.disk_raw
        ]
        return Plan(
            self.id, self.repo.place, self.ref, self.tip, written.commits[-1], self.checked_out,
            tuple(
                Landed(e.id, outcome, written.commits[n] if n >= 0 else "", inbox, e.fingerprint)
                for e, outcome, inbox, n in self.answers
            ),
            tuple(disk), tuple(entries),
        )  # fmt: skip

    def _results(self, plan: Plan) -> dict[str, Result]:
        paths = {edit.id: first_path(edit) for edit in self.batch}
        return {
            landed.edit: Result(landed.outcome, landed.edit, landed.oid, paths[landed.edit], landed.inbox)
            for landed in plan.edits
        }


def _as_it_is(data: bytes | None) -> bytes | None:
    return data


def _conflict(where: str, words: Sequence[str]) -> str:
    return f"conflict with {where}: {', '.join(words)}"


def first_path(edit: Edit) -> str:
    return edit.changes[0].path if edit.changes else ""


def _tree(out: bytes) -> dict[str, tuple[str, str]]:
    """Mode and oid of each path that `ls-tree -z` names."""
    found = {}
    for line in out.split(b"\0"):
        if line:
            meta, _, path = line.partition(b"\t")
            mode, _, oid = meta.decode().split(" ")
            found[os.fsdecode(path)] = (mode, oid)
    return found


def _permissions(repo: Repository, full: str) -> tuple[int, tuple[int, int] | None]:
    """Mode and owner of the file that is there; of a new one the mode that the person's umask gives."""
    try:
        found = os.stat(os.path.join(repo.worktree, full))
        return found.st_mode & 0o7777, (found.st_uid, found.st_gid)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask, None
