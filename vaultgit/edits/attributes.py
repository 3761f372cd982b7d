"""The .gitattributes of two lines of history that differ in them, and what each makes of a file.

A blob means what the attributes beside it say: a pointer of git-lfs, the ciphertext of git-crypt, a note with other
line endings. So a merge reads each side's text as that side stored it, and writes what it makes as the attributes say
that come to lie here with it, as git does.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack

from vaultgit.edits import apply
from vaultgit.edits.slots import Slot
from vaultgit.edits.slots import Slots
from vaultgit.errors import VaultgitError
from vaultgit.history import beside
from vaultgit.history import filters
from vaultgit.history.filters import Space
from vaultgit.history.repository import Repository


class Attributes:
    """What the attributes of another commit, and those of what both come from, make of files. `then`: the folder with
    those that lie here afterwards."""

    def __init__(self, repo: Repository, slots: Slots, base: str, other: str, paths: Iterable[str], open_: ExitStack):
        """`slots`: with all .gitattributes that change, merged; `paths`: of all files that change, from the work tree's
        root, as those of the slots. What is laid out on disk is there until `open_` ends."""
        self.repo, self.other = repo, other
        every = list(paths)
        self._base, self._theirs = (
            open_.enter_context(beside.laid(repo, beside.committed(repo, commit))) for commit in (base, other)
        )
        self.then = open_.enter_context(beside.laid(repo, _afterwards(repo, slots, every)))
        self._spaces = {
            place: filters.spaces(repo, every, place) if every else {} for place in (self._base, self._theirs)
        }

    def of_base(self, slot: Slot) -> Space:
        return self._at(self._base, slot)

    def of(self, slot: Slot, oid: str) -> Space:
        """The space of the side that has stored this blob at the path; of what a merge has made: that afterwards."""
        if oid == slot.oid:
            return slot.was
        found = self.repo.object(f"{self.other}:{slot.full}")
        return self._at(self._theirs, slot) if found and found[0] == oid else slot.space

    def _at(self, place: str, slot: Slot) -> Space:
        known = self._spaces[place]
        if slot.full not in known:
            known |= filters.spaces(self.repo, [slot.full], place)
        return known[slot.full]


def differ(repo: Repository, one: str, other: str) -> bool:
    """Whether two commits have other .gitattributes."""
    patterns = {"GIT_LITERAL_PATHSPECS": "0"}
    where = f":(top,glob)**/{beside.ATTRIBUTES}"
    return bool(repo.run("diff-tree", "-r", "--name-only", "--no-renames", one, other, "--", where, env=patterns))


def _afterwards(repo: Repository, slots: Slots, paths: Iterable[str]) -> dict[str, bytes]:
    """The .gitattributes as they will lie on disk; "" for one that is gone, so that git does not look for it in its
    index."""
    folders = {path[: end + 1] for path in paths for end, sign in enumerate(path) if sign == "/"} | {""}
    found: dict[str, bytes] = {}
    for name in {*beside.in_index(repo), *(f"{folder}{beside.ATTRIBUTES}" for folder in folders)}:
        if name not in slots:
            try:
                data = apply.read(repo, name)
            except (VaultgitError, OSError):
                continue  # a link: git looks for it in its index
            if data is not None:
                found[name] = data
    changed = {slot.full: slot.disk or b"" for slot in slots.values() if beside.is_attributes(slot.full)}
    return {**found, **changed}
