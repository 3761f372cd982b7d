"""The paths of a round: what branch, index and disk hold of each, and how a change is merged into all three.

The commit gets HEAD plus the change and nothing of the person's; what the person staged or typed stays theirs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import Protocol

from vaultgit.edits import apply
from vaultgit.edits.edit import RECORD
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import moves
from vaultgit.edits.merge import merge
from vaultgit.edits.place import in_git
from vaultgit.edits.place import in_the_way
from vaultgit.edits.place import staged_files
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.errors import VaultgitError
from vaultgit.history import filters
from vaultgit.history import index
from vaultgit.history import objects
from vaultgit.history.repository import Repository
from vaultgit.notes.follow import follower

_AT_ONCE = 500  # paths that one git process is asked for: a command line has an end


class Place(Protocol):
    """Where paths are relative to: a vault, or a whole work tree."""

    @property
    def repo(self) -> Repository: ...
    @property
    def root(self) -> str: ...
    @property
    def prefix(self) -> str: ...


Follow = Callable[[bytes | None], bytes | None]  # gives a text the links that a move changes


class Slot:
    """One path while a round is prepared: what branch, index and disk hold, then what they shall hold (text space)."""

    def __init__(self, path: str, full: str, was: filters.Space, space: filters.Space) -> None:
        """`was`: the space in which it lies there, `space`: the one that it lands in, the same unless attributes land
        with it."""
        self.path, self.full, self.was, self.space = path, full, was, space
        self.mode = objects.PLAIN
        self.oid = ""  # of what the branch holds
        self.anew = False  # git is to store it anew, whether or not its text changes
        self.head: bytes | None = None
        self.entry: index.Entry | None = None
        self.staged: bytes | None = None
        self.staged_otherwise = False  # the person staged something that is not HEAD's
        self.disk_raw: bytes | None = None
        self.disk: bytes | None = None
        self.disk_was: bytes | None = None
        self.head_was: bytes | None = None
        self.mode_was = objects.PLAIN
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


class Slots(dict[str, Slot]):
    """Slots by path, read when they are first asked for by `load`."""

    def __init__(self, place: Place, tip: str | None, *, checked_out: bool) -> None:
        """`tip`: of the branch that the changes go to; only where it is checked out, index and disk count."""
        super().__init__()
        self.where, self.repo = place, place.repo
        self.tip, self.checked_out = tip, checked_out
        self.text_merge = git_text_merge(place.repo)
        self.attributes: str | None = None  # where those lie that hold once this has landed; None: as now

    def load(self, paths: Iterable[str]) -> None:
        """Reads branch, index and disk for paths, once each."""
        new = [path for path in dict.fromkeys(paths) if path not in self]
        for start in range(0, len(new), _AT_ONCE):
            self._load(new[start : start + _AT_ONCE])

    def _load(self, new: Sequence[str]) -> None:
        full = {path: self.where.prefix + path for path in new}
        now = filters.spaces(self.repo, full.values())
        then = filters.spaces(self.repo, full.values(), self.attributes) if self.attributes else now
        folders = {path[:n] for path in full.values() for n, c in enumerate(path) if c == "/"}
        asked = [["ls-tree", "-z", self.tip, "--", *full.values(), *folders]] if self.tip else []
        if self.checked_out:
            asked.append(index.listing(full.values()))
        answers = self.repo.together(*asked)
        staged = index.parsed(answers.pop()) if self.checked_out else {}
        staged_folders = {path[:end] for path in staged for end, sign in enumerate(path) if sign == "/"}
        tree = _tree(answers.pop()) if self.tip else {}
        added = [one for one in full.values() if self.checked_out and one not in tree and one not in staged]
        files = staged_files(self.repo, added)
        held = [(path, entry.oid) for path, entry in staged.items() if path in now]
        held += [(path, oid) for path, (mode, oid) in tree.items() if path in now and mode in objects.FILES]
        filters.read_at_once(self.repo, {(now[path], oid) for path, oid in held})
        for path in new:
            was, space = now[full[path]], then[full[path]]
            slot = self[path] = Slot(path, full[path], was, was if was.is_like(space) else space)
            slot.blocked = self._blocked(slot, tree, staged_folders, files)
            if slot.blocked:
                continue
            mode, oid = tree.get(slot.full, (objects.PLAIN, ""))
            slot.mode, slot.mode_was, slot.oid = mode, mode, oid
            slot.head = self.text(slot, oid) if oid else None
            if self.checked_out:
                slot.entry = staged.get(slot.full)
                slot.sparse = bool(slot.entry and "S" in slot.entry.flags)
                slot.staged_otherwise = (slot.entry.oid if slot.entry else "") != oid
                slot.staged = (
                    (self.text(slot, slot.entry.oid) if slot.entry else None) if slot.staged_otherwise else slot.head
                )
                slot.disk_raw = apply.read(self.repo, slot.full)
                slot.disk = None if slot.disk_raw is None else slot.was.from_disk(slot.disk_raw)
                if slot.sparse and slot.disk is None:
                    slot.disk = slot.head
            slot.head_was, slot.disk_was = slot.head, slot.disk

    def _blocked(self, slot: Slot, tree: dict[str, tuple[str, str]], staged_folders: set[str], files: set[str]) -> str:
        """What lies in the note's way since the edit was accepted, in words."""
        words = in_git(slot.full, tree, staged_folders, files)
        on_disk = in_the_way(self.where, slot.path) if self.checked_out and not words else []
        return words or (on_disk[0].message if on_disk else "")

    def text(self, slot: Slot, oid: str, space: filters.Space | None = None) -> bytes:
        """What a blob holds, as text. `space`: of the side that stored it, else the one that it lies in now."""
        blob = self.repo.blob(oid)
        if blob is None:
            raise VaultgitError(f"{slot.path} is no file in history, or its object is missing", "git fsck")
        return (space or slot.was).from_blob(oid, blob.data)

    def fits(self, changes: Sequence[PathChange]) -> str:
        """Merges changes into their slots, all of them or none. Returns what is in the way, in words, or ""."""
        self.load(change.path for change in changes)
        saved = {change.path: self[change.path].snapshot() for change in changes}
        conflict = self.place(changes)
        if conflict:
            for path, snapshot in saved.items():
                self[path].restore(snapshot)
        return conflict

    def place(self, changes: Sequence[PathChange]) -> str:
        """As `fits`, with paths that are loaded; what was merged before a conflict is left to the caller."""
        conflict = next((slot.blocked for slot in (self[c.path] for c in changes) if slot.blocked), "")
        conflict = conflict or self._source_gone(changes)
        for change in self._carried(changes) if not conflict else ():
            words = self.merge(change) if not conflict else ""
            conflict = conflict or (f"{change.path}: {words}" if words and len(changes) > 1 else words)
        return conflict

    def _source_gone(self, changes: Sequence[PathChange]) -> str:
        """Which file of a move is no longer where it lay, in words: a link to its new name would lead nowhere."""
        for new, old in moves(changes):
            slot, there = self[old.path], self[new.path]
            if slot.head is None and slot.disk is None and there.head is None and there.disk is None:
                return f"{old.path} is gone"
        return ""

    def _carried(self, changes: Sequence[PathChange]) -> list[PathChange]:
        """The changes, with files that move brought to their new names, where nothing lies yet: what is left to merge
        there is what the move changes in them."""
        carried: dict[str, PathChange] = {}
        for new, old in moves(changes):
            slot, before = self[new.path], self[old.path]
            if slot.head is slot.staged is slot.disk is None:
                slot.take(before)
                carried |= {new.path: new._replace(base=old.base), old.path: old._replace(base=None)}
        return [carried.get(change.path, change) for change in changes]

    def merge(self, change: PathChange) -> str:
        """Merges one change into its slot. Returns what conflicts, in words, or ""."""
        slot = self[change.path]
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
        return self._into_persons(slot, head_before, base, new, follow)

    def bring(self, path: str, new: bytes | None) -> str:
        """Gives the branch another text of a path (in the slot's space), and what that changes to what the person has
        staged and on disk. Returns what conflicts there, in words, or ""; then nothing has changed."""
        slot = self[path]
        saved, before = slot.snapshot(), slot.head
        slot.head = new
        conflict = self._into_persons(slot, before, before, new, _as_it_is)
        if conflict:
            slot.restore(saved)
        return conflict

    def _into_persons(
        self, slot: Slot, head_before: bytes | None, base: bytes | None, new: bytes | None, follow: Follow
    ) -> str:
        """Merges what a change from `base` to `new` made of the branch into index and disk."""
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
            same = base is head_before and new is slot.head
            asked = kept if same else merge(follow(base), follow(theirs), new, text_merge=self.text_merge)
            if kept.conflicts or asked.conflicts or kept.data != asked.data:
                return _conflict(words, kept.conflicts or asked.conflicts or ("lines that are only there",))
            setattr(slot, name, kept.data)
            slot.restaged = slot.restaged or (name == "staged" and kept.data != theirs)
        return ""

    def moved(self, change: PathChange) -> bool:
        """Whether the note is no longer what the edit was based on."""
        slot = self[change.path]
        based_on = change.new if change.action == RECORD else change.base  # recorded: it lies there already
        expected = None if based_on is None else slot.space.from_disk(based_on)
        return expected != (slot.disk if self.checked_out else slot.head)


def _as_it_is(data: bytes | None) -> bytes | None:
    return data


def _conflict(where: str, words: Sequence[str]) -> str:
    return f"conflict with {where}: {', '.join(words)}"


def _tree(out: bytes) -> dict[str, tuple[str, str]]:
    """Mode and oid of each path that `ls-tree -z` names."""
    found = {}
    for line in out.split(b"\0"):
        if line:
            meta, _, path = line.partition(b"\t")
            mode, _, oid = meta.decode().split(" ")
            found[os.fsdecode(path)] = (mode, oid)
    return found
