"""One round of landing: edits of one branch, merged in memory into what branch, index and disk hold.

The commit gets HEAD plus the edit and nothing of the person's; what the person staged or typed stays theirs. What does
not merge becomes an inbox note, whole. Then one commit an edit is written, and a plan is handed to `apply`.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import apply
from vaultgit.edits import changelog
from vaultgit.edits import inboxnote
from vaultgit.edits import judge
from vaultgit.edits import ledger
from vaultgit.edits import queue
from vaultgit.edits import recover
from vaultgit.edits import steps
from vaultgit.edits.edit import ANSWERED
from vaultgit.edits.edit import RECORD
from vaultgit.edits.edit import RECORDED_IN
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import message
from vaultgit.edits.edit import shorten
from vaultgit.edits.landing import INDEX_WAIT as INDEX_WAIT
from vaultgit.edits.landing import Landing
from vaultgit.edits.landing import Waiting as Waiting
from vaultgit.edits.lock import Lock
from vaultgit.edits.merge import merge
from vaultgit.edits.plan import IndexChange
from vaultgit.edits.plan import Landed
from vaultgit.edits.plan import Plan
from vaultgit.edits.slots import Slot
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.errors import VaultgitError
from vaultgit.history import filters
from vaultgit.history import index
from vaultgit.history import objects
from vaultgit.history import refs
from vaultgit.history.repository import Identity
from vaultgit.history.repository import Repository
from vaultgit.vault import Vault

FAILURES = 3  # then an edit goes to the inbox, so that it does not block the next ones


class Result(NamedTuple):
    """What became of an edit. `outcome`: committed, merged, inbox, unchanged, queued; of a review branch that is
    accepted also pending: it did not merge, and the branch still waits."""

    outcome: str
    edit: str
    oid: str = ""
    path: str = ""
    inbox: str = ""
    reason: str = ""  # of "queued" and "pending": what it waits for, in words
    also: tuple[str, ...] = ()  # notes that changed with it, though nobody named them: a decision's project


class Round(Landing):
    """All edits of one branch that wait, on their way into one plan."""

    def __init__(
        self, vault: Vault, clock: Clock, lock: Lock, batch: Sequence[Edit], own: str, stale: Sequence[Plan]
    ) -> None:
        here = refs.head(vault.repo)
        ref = batch[0].branch or here.branch or ""
        self.gone = ""
        if ref != here.branch:
            _refuse_elsewhere(vault.repo, ref)
            if refs.tip(vault.repo, ref) is None:
                self.gone = f"the branch {ref.removeprefix('refs/heads/')} it was made for is gone"
                ref = here.branch or ""
        super().__init__(vault, clock, lock, ref, vault)
        self.batch, self.own, self.stale = batch, own, stale
        self.answers: list[tuple[Edit, str, str, int]] = []  # edit, outcome, inbox path, index of its commit or -1
        self.text_merge = git_text_merge(self.repo)
        self.pending: dict[str, str] = {}  # edits that bring a branch in and do not merge -> why

    # -- merging -----------------------------------------------------------------------------------------------

    def land(self, held: apply.IndexLock | None) -> dict[str, Result]:
        """The whole round. Raises LostRace, IndexLocked, Waiting, Unmerged, OSError with nothing changed."""
        steps.reached("locked")
        stamp = index.stamp(index.index_path(self.repo)) if self.checked_out else None
        readable = [edit for edit in self.batch if not self._is_given_up(edit)]
        self.slots.load([*(change.path for edit in readable for change in edit.changes), changelog.FILE])
        self.projection = ledger.project(self.vault, self.ref, self.tip)
        for edit in self.batch:
            self._place(edit)
        if not self.commits:
            for edit in self.batch:
                queue.remove(self.vault.state, edit.id)
            return {
                edit.id: Result(outcome, edit.id, path=first_path(edit), reason=self.pending.get(edit.id, ""))
                for edit, outcome, _, _ in self.answers
            }
        plan = self.carry_out(stamp, held)
        mine = {edit.id for edit in self.batch}
        for old in self.stale:
            if {landed.edit for landed in old.edits} <= mine:
                recover.forget(self.repo, self.vault.state, old)
        ledger.remember(self.vault, self.ref, plan.new)
        return self._results(plan)

    def _is_given_up(self, edit: Edit) -> bool:
        """Whether it has failed too often. What goes through a filter program stays queued: where the program does not
        work, the inbox could only have it in plain."""
        if edit.attempts < FAILURES:
            return False
        spaces = filters.spaces(self.repo, [self.vault.prefix + change.path for change in edit.changes])
        return not any(space.program for space in spaces.values())

    def _place(self, edit: Edit) -> None:
        """Merges one edit into branch, index and disk; into the inbox if any of them conflicts."""
        if self._is_given_up(edit):
            words = f"it failed {FAILURES} times"
            if edit.merges:
                self._stays_pending(edit, words)
            else:
                self._into_inbox(edit, words)
            return
        saved = {change.path: self.slots[change.path].snapshot() for change in edit.changes}
        before = {change.path: self.slots[change.path].head for change in edit.changes}
        own_paths = {} if edit.merges else self._as_it_was(edit)
        moved = any(self.slots.moved(change) for change in edit.changes)
        conflict = self.gone or self._outdated(edit) or self.slots.place(edit.changes)
        if not conflict:
            conflict = self._problems(edit, before, own_paths)
        if conflict:
            for path, snapshot in saved.items():
                self.slots[path].restore(snapshot)
            self._undo_stale(edit)
            if edit.merges or self._is_an_acceptance(edit):
                self._stays_pending(edit, conflict)
            elif not self._is_known(edit):
                self._into_inbox(edit, conflict)
            return
        changed = [c.path for c in edit.changes if self.slots[c.path].head != before[c.path] or c.path in own_paths]
        if not changed:
            edit = self._taken_along(edit)
        swept = any(key == RECORDED_IN for key, _ in edit.trailers)  # a line for what a person's commit took along
        if not changed and edit.id == self.own and not swept and not edit.merges:
            self.answers.append((edit, "unchanged", "", -1))
            return
        if own_paths:
            self._commit_own(own_paths)
        self._commit(edit, changed, edit.subject, edit.reason)
        self.answers.append((edit, "merged" if moved else "committed", "", len(self.commits) - 1))

    def _taken_along(self, edit: Edit) -> Edit:
        """A recorded edit that a person's commit took along between its recording and now, which names that commit."""
        if all(change.action != RECORD for change in edit.changes) or not self.checked_out:
            return edit
        from vaultgit.edits import record

        named = [one for one in record.trailers(self.vault, edit.changes) if one not in edit.trailers]
        return edit._replace(trailers=(*named, *edit.trailers))

    def _outdated(self, edit: Edit) -> str:
        """Why a review branch cannot come in as it was accepted, after it waited: in words, or ""."""
        if not edit.merges or self.tip is None:
            return ""
        if not refs.is_ancestor(self.repo, edit.upon, self.tip):  # the merge would bring back what was taken out
            return "the vault's branch was rewritten since you accepted it"
        for change in edit.changes:
            slot = self.slots[change.path]
            now, base = slot.head, None if change.base is None else slot.space.from_disk(change.base)
            if change.base != change.new and now != base and self.vault.rules.managed(change.path, now) == "skill":
                return f"{change.path} got another version since you accepted it"
        found = ledger.carriers(self.vault, edit.merges, f"^{self.tip}")
        brought = {edit_id for carrier in found for edit_id in ledger.ids(carrier)}
        there = brought <= self.projection.files[changelog.FILE].keys()
        landed = there if brought else refs.is_ancestor(self.repo, edit.merges, self.tip)
        return "it is accepted already" if landed else ""

    def _as_it_was(self, edit: Edit) -> dict[str, bytes | None]:
        """Notes of the edit that git has never seen, and a person's own text in a note they delete (a note that moves
        takes it along) or answer in: committed first as they are, by the person. One that they answer in and have
        deleted is gone first, by the person, too: then it is made anew."""
        found: dict[str, bytes | None] = {}
        for change in edit.changes:
            slot = self.slots[change.path]
            begun = change.action == ANSWERED and change.base is None and edit.agent is None and self.checked_out
            if begun and slot.disk is None and slot.head is not None and not slot.staged_otherwise:
                slot.head = found[change.path] = None
            if slot.disk is None or change.base is None or slot.disk == slot.head:
                continue
            unseen = slot.head is None and slot.entry is None
            parting = (change.new is None and change.action != "move") or change.action == ANSWERED
            parting = parting and edit.agent is None and slot.disk == slot.space.from_disk(change.base)
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

    def _problems(self, edit: Edit, before: dict[str, bytes | None], own: dict[str, bytes | None]) -> str:
        """Checks on what the merge made, where that is not what was checked when the edit was accepted."""
        if edit.agent is None and not edit.trailers:
            return ""  # housekeeping
        for path, data in own.items():
            if data is not None and judge.secrets(self.vault, path, data):
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
        staged = self.slots.text(slot, entry.old.oid) if entry.old else None
        slot.staged = staged if slot.staged_otherwise else slot.head

    def _stays_pending(self, edit: Edit, conflict: str) -> None:
        """What does not merge is nothing to keep elsewhere: its branch has it, or the inbox note that it accepts."""
        self.pending[edit.id] = conflict
        self.answers.append((edit, "pending", "", -1))

    def _is_an_acceptance(self, edit: Edit) -> bool:
        """Whether a person, who waits for the answer, accepts an inbox note with it. One that was queued may hold what
        they typed, and that goes to the inbox like any other."""
        from vaultgit.edits import inboxmemory

        accepts = any(key == "Proposed-by" and by.startswith(inboxmemory.BY) for key, by in edit.trailers)
        return edit.id == self.own and edit.agent is None and accepts

    def _is_known(self, edit: Edit) -> bool:
        """Whether a person has decided this already, so that it need not wait for them again. What was acknowledged
        before is not asked: it waits, whatever it is."""
        if edit.id != self.own or edit.agent is None:
            return False
        from vaultgit.edits import inboxmemory

        known = [inboxmemory.known(self.vault, change.path, change.new) for change in edit.changes]
        words = [one.words for one in known if one is not None]
        if len(words) != len(known):
            return False
        self.pending[edit.id] = words[0]
        self.answers.append((edit, "unchanged", "", -1))
        return True

    def _into_inbox(self, edit: Edit, conflict: str) -> None:
        spaces = filters.spaces(self.repo, [self.vault.prefix + change.path for change in edit.changes])
        notes = [
            inboxnote.make(self.vault, edit, change, conflict, spaces[self.vault.prefix + change.path])
            for change in edit.changes
        ]
        self.slots.load(note.path for note in notes)
        slots = [self.slots[note.path] for note in notes]
        blocked = next(filter(None, (slot.blocked or slot.space.missing for slot in slots)), "")
        if blocked:
            raise VaultgitError(f"no note can be put into the inbox: {blocked}")
        self._keep({note.path: note.kept for note in notes if note.kept})
        for note in notes:
            slot = self.slots[note.path]
            # Another text there is what the person made of the note that a killed writer had put there.
            slot.disk = note.data if self.checked_out and slot.disk == slot.head else slot.disk
            slot.head = slot.staged = note.data
        path = notes[0].path
        subject = shorten(f"{path.removesuffix('.md')}: {edit.subject}")
        self._commit(edit, [note.path for note in notes], subject, f"Not merged: {conflict}\n\n{edit.reason}".strip())
        self.answers.append((edit, "inbox", path, len(self.commits) - 1))

    def _keep(self, blobs: dict[str, str]) -> None:
        """Texts that a filter has stored, and that inbox notes name: two commits of the person's, so that history holds
        them and no file is left. `blobs`: by path of the note."""
        kept: dict[str, objects.File | None] = {
            f"{self.slots[path].full.removesuffix('.md')}.kept": objects.File(oid) for path, oid in blobs.items()
        }
        for files in (kept, dict.fromkeys(kept)) if kept else ():
            text, now = message("vaultgit: kept what did not merge", "\n".join(kept), ()), self.clock.now()
            self.commits.append(objects.NewCommit(self.person, now, self.person, now, text, files))

    # -- commits -----------------------------------------------------------------------------------------------

    def _commit_own(self, paths: dict[str, bytes | None]) -> None:
        files = {
            self.slots[p].full: None if data is None else objects.File(self.slots[p].space.to_blob(data))
            for p, data in paths.items()
        }
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
        if edit.merges:
            brought = ledger.carriers(self.vault, edit.merges, f"^{self.tip}")
            self.projection.files[changelog.FILE].update(ledger.lines(brought))
        touched += self.write_lines(self.projection, edit.authored[:10])
        files = {self.slots[path].full: self.file(self.slots[path]) for path in touched}
        self.commits.append(
            objects.NewCommit(
                Identity(*edit.author), edit.when, self.person, self.clock.now(),
                message(subject, reason, edit.trailers), files, (edit.merges,) if edit.merges else (),
            )
        )  # fmt: skip

    def landed(self, commits: Sequence[str]) -> tuple[Landed, ...]:
        return tuple(
            Landed(e.id, outcome, commits[n] if n >= 0 else "", inbox, e.fingerprint)
            for e, outcome, inbox, n in self.answers
        )

    def _results(self, plan: Plan) -> dict[str, Result]:
        paths = {edit.id: first_path(edit) for edit in self.batch}
        return {
            landed.edit: Result(
                landed.outcome,
                landed.edit,
                landed.oid,
                paths[landed.edit],
                landed.inbox,
                self.pending.get(landed.edit, ""),
            )
            for landed in plan.edits
        }


def _refuse_elsewhere(repo: Repository, ref: str) -> None:
    """Raises Waiting where another work tree has the branch checked out."""
    other = refs.checked_out_at(repo, ref)
    if other:
        branch = ref.removeprefix("refs/heads/")
        raise Waiting(f"{branch} is checked out in {other}; it lands when it no longer is, or is here")


def first_path(edit: Edit) -> str:
    return edit.changes[0].path if edit.changes else ""
