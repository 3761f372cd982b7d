"""Bringing another line of history into the vault's branch: what was pushed from elsewhere.

The two are merged beside the vault and the result lands like an edit: disk, index, ref, with what a person has staged
or typed merged on top. Where nothing is in the way of a fast-forward, the branch moves to the other commit; else there
is one merge commit, the person's. Where both changed the same lines of a note, one text stands (`sides`; text that is
not in git stands before all), and the other goes whole into the inbox. changelog.md holds the edits of both.
"""

from __future__ import annotations

import os
from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import afterwards
from vaultgit.edits import apply
from vaultgit.edits import attributes
from vaultgit.edits import blocks
from vaultgit.edits import byhand
from vaultgit.edits import changelog
from vaultgit.edits import joined
from vaultgit.edits import judge
from vaultgit.edits import land
from vaultgit.edits import ledger
from vaultgit.edits import queue
from vaultgit.edits import repair
from vaultgit.edits import same
from vaultgit.edits import twins
from vaultgit.edits.aside import Asides
from vaultgit.edits.attributes import Attributes
from vaultgit.edits.busy import busy
from vaultgit.edits.byhand import ByHand as ByHand
from vaultgit.edits.compose import plain
from vaultgit.edits.edit import message
from vaultgit.edits.edit import shorten
from vaultgit.edits.landing import INDEX_WAIT
from vaultgit.edits.landing import Landing
from vaultgit.edits.landing import Stored
from vaultgit.edits.landing import Waiting as Waiting
from vaultgit.edits.lock import Lock
from vaultgit.edits.merge import merge
from vaultgit.edits.sides import Side
from vaultgit.edits.sides import Sides
from vaultgit.edits.slots import Slot
from vaultgit.edits.submit import LOCK_WAIT
from vaultgit.edits.submit import is_kept_out
from vaultgit.edits.textmerge import Merged
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.edits.textmerge import git_text_merge_ours
from vaultgit.edits.textmerge import git_text_merge_union
from vaultgit.edits.textmerge import one_sided
from vaultgit.errors import VaultgitError
from vaultgit.history import beside
from vaultgit.history import filters
from vaultgit.history import index
from vaultgit.history import objects
from vaultgit.history import refs
from vaultgit.history import trees
from vaultgit.history.filters import Space
from vaultgit.history.repository import Repository
from vaultgit.history.trees import Changed
from vaultgit.history.trees import Conflict
from vaultgit.history.trees import Entry
from vaultgit.vault import Vault


class Brought(NamedTuple):
    """What it came to. `outcome`: "unchanged", "forwarded" (the branch moved to the other commit), "merged" (a merge
    commit was made). `paths`: files of the branch that changed, from the repository's top. `inbox`: (inbox note, the
    file that it is about), and in `why` what is in the way of each. With `dry_run` what it would come to; `new` is ""
    then where it would be a merge commit."""

    outcome: str
    old: str
    new: str
    paths: tuple[str, ...] = ()
    inbox: tuple[tuple[str, str], ...] = ()
    why: tuple[str, ...] = ()


class _WorkTree(NamedTuple):
    """Where the paths of a merge are relative to: all of the repository, not only the vault."""

    repo: Repository
    root: str
    prefix: str = ""


def integrate(vault: Vault, clock: Clock, other: str, label: str, *, ref: str = "", dry_run: bool = False) -> Brought:
    """Brings the commit `other` into the branch checked out. `label`: what it is called ("origin/main"). `ref`: the
    branch, by its full name, that has to be checked out for this.

    What waits in the queue lands first. Raises landing.Waiting where nothing can land now (a rebase, an open commit,
    somebody's index.lock), ByHand, VaultgitError; nothing has changed then.
    """
    if dry_run:
        return _Integration(vault, clock, None, other, label).foreseen()
    queue.prepare(vault.state)
    lock = Lock(vault.state)
    try:
        if not lock.take(LOCK_WAIT):
            raise Waiting("another writer is at work")
        land.drain(vault, clock, lock)
        repair.repair_index(vault)
        return _landed(vault, clock, lock, other, label, ref)
    except OSError as error:
        raise VaultgitError(f"{error.filename or vault.root}: {error.strerror}", "nothing was brought in") from error
    finally:
        lock.release()


def _landed(vault: Vault, clock: Clock, lock: Lock, other: str, label: str, ref: str) -> Brought:
    """Tried again while races are lost, at last with index.lock taken first (as `land` does)."""
    lost = ""
    for attempt in range(land.OPTIMISTIC_TRIES + 1):
        reason = busy(vault)
        if reason:
            raise Waiting(reason)
        held = None
        try:
            if attempt == land.OPTIMISTIC_TRIES:
                stub = os.path.join(vault.state, "tmp", f"sync-{os.getpid()}.lock")
                held = apply.IndexLock(vault.repo, stub, INDEX_WAIT)
            made = _Integration(vault, clock, lock, other, label)
            if ref not in ("", made.ref):
                raise Waiting(f"{ref.removeprefix('refs/heads/')} is no longer checked out")
            return made.land(held)
        except apply.LostRace as error:
            lost = str(error)
        except index.Unmerged as error:
            raise Waiting(f"{error} has a conflict that waits for you in git (git status)") from error
        except (apply.IndexLocked, apply.HalfDone) as error:
            raise Waiting(land.words(error, vault)) from error
        finally:
            if held is not None:
                held.release()
    raise Waiting(f"other writers keep changing this repository ({lost})")


class _Integration(Landing):
    """The merge of one other line of history, on its way into one plan."""

    def __init__(self, vault: Vault, clock: Clock, lock: Lock | None, other: str, label: str) -> None:
        ref = refs.head(vault.repo).branch or ""
        super().__init__(vault, clock, lock, ref, _WorkTree(vault.repo, vault.repo.worktree))
        self.other, self.label = other, label
        self.text_merge, self.ours_merge = git_text_merge(self.repo), git_text_merge_ours(self.repo)
        self.asides = Asides(vault, self.below)
        self.attributes: Attributes | None = None  # where the sides differ in them
        self.open = ExitStack()  # what is laid out on disk meanwhile
        self.own: list[Slot] = []  # files that git has never seen, where one of that name comes in

    # -- the whole way -------------------------------------------------------------------------------------------

    def foreseen(self) -> Brought:
        old = self._tip()
        if refs.is_ancestor(self.repo, self.other, old):
            return Brought("unchanged", old, old)
        with self.open:
            return self._brought(old, self.other if self._merge(old) else "")

    def land(self, held: apply.IndexLock | None) -> Brought:
        """Raises LostRace, IndexLocked, Unmerged, Waiting, ByHand, OSError with nothing changed."""
        with self.open:
            return self._land(held)

    def _land(self, held: apply.IndexLock | None) -> Brought:
        stamp = index.stamp(index.index_path(self.repo))
        old = self._tip()
        if refs.is_ancestor(self.repo, self.other, old):
            return Brought("unchanged", old, old)
        if self._merge(old):
            self.forward = self.other
        else:
            self._commit_merge(old)
        inbox = self._brought(old, "").inbox  # as the paths were given
        plan = self.carry_out(stamp, held)
        afterwards.settle(self, plan, free=held is None)
        if not self.forward:
            ledger.remember(self.vault, self.ref, plan.new)
        return self._brought(old, plan.new)._replace(inbox=inbox)

    def _tip(self) -> str:
        if self.tip is None:
            raise ByHand("the vault's branch has no commit yet", f"git merge {self.label}")
        return self.tip

    def _brought(self, old: str, new: str) -> Brought:
        paths = tuple(sorted(slot.full for slot in self.slots.values() if self.is_changed(slot)))
        inbox = tuple((self.asides.path(aside), aside.path) for aside in self.asides)
        why = tuple(aside.words for aside in self.asides)
        return Brought("forwarded" if new == self.other else "merged", old, new, paths, inbox, why)

    # -- merging -------------------------------------------------------------------------------------------------

    def _merge(self, old: str) -> bool:
        """Merges all that differs into the slots. Returns whether the result is the other commit itself."""
        base = refs.merge_base(self.repo, old, self.other)
        if base is None:
            raise ByHand(f"{self.label} has no history in common with this vault", "see: git log --graph --all")
        ahead = self.ahead = not refs.is_ancestor(self.repo, old, self.other)
        merged = trees.merge(self.repo, old, self.other) if ahead else trees.Merged(self.other, [])
        conflicts = {conflict.path: conflict for conflict in merged.conflicts}
        changes = [one for one in trees.changed(self.repo, old, merged.tree) if one.path not in conflicts]
        self.decided = twins.Decided(self.vault, old, self.other) if ahead else None
        if self.decided:
            changes = self.decided.without(changes, merged.tree)
        byhand.refuse(self.repo, self.label, old, self.other, changes, merged.conflicts)
        self.sides = Sides(self.repo, old, self.other, len(conflicts))
        lines = [one for one in changes if self._is_lines(one.path)]
        paths = [*(one.path for one in changes), *conflicts]
        rules = {path for path in paths if beside.is_attributes(path)}
        for part in (rules, {path for path in paths if path not in rules}):  # what comes lies as these will say
            self._load(path for path in paths if path in part)
            self._read_at_once([one for one in changes if one.path in part], merged.conflicts, part)
            for one in changes:
                if one.path in part and one not in lines:
                    self._bring(one)
            for conflict in merged.conflicts:
                if conflict.path in part and not self._is_lines(conflict.path):
                    self._decide(conflict)
            if part is rules and (rules or (ahead and attributes.differ(self.repo, base, old))):
                self.attributes = Attributes(self.repo, self.slots, base, self.other, paths, self.open)
                self.slots.attributes = self.attributes.then
        if self.decided:
            self.asides.drop(self.decided)
        if not (ahead or self.asides or self.own):
            for one in lines:
                self._follow_lines(one)
            return True
        for path in [*(one.path for one in lines), *filter(self._is_lines, conflicts)]:
            self._merge_frame(path, base)
        return False

    def _load(self, paths: Iterable[str]) -> None:
        self.slots.load(paths)
        for slot in self.slots.values():
            if slot.blocked:
                raise byhand.of(self.label, f"{slot.path}: {slot.blocked}")

    def _read_at_once(self, changes: Sequence[Changed], conflicts: Sequence[Conflict], part: Container[str]) -> None:
        """What filter programs are for, in one process."""
        new = [(one.path, one.new) for one in changes]
        new += [(one.path, side) for one in conflicts if one.path in part for side in (one.ours, one.theirs)]
        wanted = {(path, entry.oid) for path, entry in new if entry}
        filters.read_at_once(self.repo, [(self._space(self.slots[path], oid), oid) for path, oid in wanted])

    def _bring(self, one: Changed) -> None:
        """A file that only the other side changed, or that git has merged."""
        slot = self.slots[one.path]
        base, text = slot.head, None if one.new is None else self._text(slot, one.new.oid)
        words = self._unseen(slot, text) if text is not None else ""
        words = words or self.slots.bring(one.path, text)
        if words and not (self._are_suggestions(one.path) and blocks.bring(slot, text)):
            self._put(slot, self.sides.their(one.path), base, text, self.other, words)
        elif one.new is not None and text is not None:
            self._take(slot, one.new, text)

    def _take(self, slot: Slot, new: Entry, text: bytes) -> None:
        """What git holds already: stored as it is, unless the attributes that come would have it stored otherwise."""
        slot.mode, slot.anew = new.mode, slot.was is not slot.space
        if not self.ahead or self._space(slot, new.oid).is_like(slot.space):
            self.stored[slot.path] = Stored(new.oid, text)

    def _text(self, slot: Slot, oid: str) -> bytes:
        return self.slots.text(slot, oid, self._space(slot, oid))

    def _space(self, slot: Slot, oid: str) -> Space:
        """That of the side which has stored a blob."""
        return self.attributes.of(slot, oid) if self.attributes else slot.was

    def _put(self, slot: Slot, side: Side, base: bytes | None, text: bytes | None, commit: str, words: str) -> None:
        """Puts the text of one side aside."""
        through = (slot.was.program, slot.space.program, slot.was.missing, slot.space.missing)
        program = next(filter(None, through), "")
        self.asides.put(slot.path, side, base, text, commit, words, program)

    def _are_suggestions(self, path: str) -> bool:
        """Whether it is review.md, to be merged as such: not where an agent changed it, since git would no longer say
        whose a tick is that changes its place."""
        return self._in_vault(path) == blocks.FILE and not self.sides.by_agent(path)

    def _unseen(self, slot: Slot, text: bytes) -> str:
        """A file that git has never seen, lying where one comes in, is committed first as it is, by the person. Returns
        why the other one goes aside, in words, or ""."""
        if slot.head is not None or slot.entry is not None or slot.disk is None or slot.disk == text:
            return ""
        path = self._in_vault(slot.path)
        if path is None or is_kept_out(self.vault, path):
            raise byhand.in_the_way(self.label, slot.path, "a file of that name lies here that is kept out of git")
        if judge.secrets(self.vault, path, slot.disk):
            raise byhand.in_the_way(self.label, slot.path, "yours, not in git yet, holds what looks like a secret")
        slot.head = slot.staged = slot.disk
        self.own.append(slot)
        return "a file of yours, not in git yet, has that name"

    def _decide(self, at: Conflict) -> None:
        """A file that both sides changed: merged, where that goes; else one text stands, the other goes aside."""
        slot = self.slots[at.path]
        if at.base is None and (at.ours is None or at.theirs is None):  # one name of two that a file was given
            self._bring(Changed(at.path, at.ours, at.ours or at.theirs))
            return
        was = self.attributes.of_base(slot) if self.attributes else slot.was
        base = at.base and self.slots.text(slot, at.base.oid, was)
        ours, theirs = (entry and self._text(slot, entry.oid) for entry in (at.ours, at.theirs))
        unseen = self._unseen(slot, theirs) if theirs is not None else ""
        if unseen:
            self._put(slot, self.sides.their(at.path), base, theirs, self.other, unseen)
            return
        inside = self._in_vault(at.path)
        mine = self.sides.ours_stands(at.path) if ours != theirs else True
        first, second = (ours, theirs) if mine else (theirs, ours)
        if first and second and inside and twins.alike(self.vault, inside, first, second):
            second = first
        together = blocks.merged(base, first, second) if first and second and self._are_suggestions(at.path) else None
        if base is None and ours and theirs and inside and joined.grows(self.vault, inside):
            base = joined.beginning(ours, theirs)
        if slot.was.missing or slot.space.missing:
            merged = one_sided(base, first, second) or Merged(first, ("what git stores cannot be read here",))
        else:
            merged = merge(base, first, second, text_merge=self.text_merge, favour=self.ours_merge)
        merged = merged if together is None else Merged(together)
        text, words = merged.data, ", ".join(merged.conflicts)
        if words and text is None and None not in (first, second):
            text = first  # no text at all: an image, say
        if text is not None and text not in (first, second):
            text, problem = joined.note(self.vault, self.clock, inside, first, second, text) if inside else (text, "")
            words = ", ".join(filter(None, (words, problem)))
        blocked = self.slots.bring(at.path, text)
        if blocked:
            self._put(slot, self.sides.their(at.path), base, theirs, self.other, blocked)
            return
        slot.anew = text is not None and slot.was is not slot.space
        modes = [e.mode for e in (at.ours, at.theirs) if e and e != at.base and (not at.base or e.mode != at.base.mode)]
        slot.mode = modes[0] if modes else slot.mode
        if words:
            side, tip = (self.sides.their, self.other) if mine else (self.sides.our, self._tip())
            standing = (self.sides.our if mine else self.sides.their)(at.path)
            self._put(slot, side(at.path), base, second, tip, f"conflict with what {standing.name} wrote: {words}")

    # -- changelog.md --------------------------------------------------------------------------------------------

    def _is_lines(self, path: str) -> bool:
        inside = self._in_vault(path)
        return inside is not None and changelog.is_ours(inside)

    def _follow_lines(self, one: Changed) -> None:
        """A changelog file as the other commit has it; what a person typed into it stays on disk."""
        slot = self.slots[one.path]
        text = None if one.new is None else self._text(slot, one.new.oid)
        if text is None:
            if self.slots.bring(one.path, None):
                raise byhand.of(self.label, f"{one.path} was deleted there, and you have changed it")
            return
        self.project(slot, text, changelog.parse(text))
        assert one.new is not None
        self._take(slot, one.new, text)

    def _merge_frame(self, path: str, base: str) -> None:
        """What is not ours in a changelog file: the text of both sides. The lines come from history."""
        slot = self.slots[path]
        was, theirs = (self._committed(slot, commit) for commit in (base, self.other))
        frames = [changelog.render(text, ()) if text is not None else b"" for text in (was, slot.head, theirs)]
        merged = git_text_merge_union(self.repo)(*frames)
        if merged is not None and merged.strip():
            self.slots.bring(path, changelog.render(merged, changelog.parse(slot.head).values()))

    def _committed(self, slot: Slot, commit: str) -> bytes | None:
        blob = self.repo.blob(f"{commit}:{slot.full}")
        if blob is None:
            return None
        space = self.attributes.of_base(slot) if self.attributes and commit != self.other else None
        return self.slots.text(slot, blob.oid, space) if space else self._text(slot, blob.oid)

    # -- commits -------------------------------------------------------------------------------------------------

    def _commit_merge(self, old: str) -> None:
        """The person's own files as they were, where they must be; then the merge, with inbox notes and lines."""
        now = self.clock.now()
        if self.own:
            unseen = {slot.full: objects.File(slot.was.to_blob(slot.disk_was or b"")) for slot in self.own}
            text = message("own: as it was", "\n".join(sorted(unseen)), ())
            self.commits.append(objects.NewCommit(self.person, now, self.person, now, text, unseen))
        for slot, data in self.asides.placed(self.slots):
            slot.head = slot.staged = slot.disk = data
        projection = ledger.project(self.vault, self.ref, old)
        projection.files[changelog.FILE].update(ledger.lines(ledger.carriers(self.vault, self.other, f"^{old}")))
        self.write_lines(projection, "")
        files = {slot.full: self.file(slot) for slot in self.slots.values() if self.is_changed(slot)}
        if not (files or self.own) and trees.are_equal(self.repo, old, self.other):
            self.onto, commit = same.merge(self.repo, old, self.other)
            self.commits.append(commit)
            return
        body = [f"- {one.path}: {one.words}; {one.side.name}'s is in {self.asides.path(one)}" for one in self.asides]
        subject = shorten(plain(f"vaultgit: merged {self.label}"))
        text = message(subject, "\n".join(map(plain, body)), ())
        self.commits.append(objects.NewCommit(self.person, now, self.person, now, text, files, (self.other,)))

    def _in_vault(self, path: str) -> str | None:
        """The path in the vault; None for one beside it."""
        return path[len(self.below) :] if path.startswith(self.below) else None
