"""What two lines of history could not merge: the text of one of them, kept whole in the inbox."""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.edits import inboxnote
from vaultgit.edits import sealed
from vaultgit.edits.edit import PathChange
from vaultgit.edits.inboxnote import Kept
from vaultgit.edits.inboxnote import Whose
from vaultgit.edits.landing import Waiting
from vaultgit.edits.sides import Side
from vaultgit.edits.slots import Slot
from vaultgit.edits.slots import Slots
from vaultgit.edits.twins import Decided
from vaultgit.edits.twins import keeps
from vaultgit.vault import Vault

INTO_NOTE = 1_000_000  # bytes of a text that a note holds; a longer one is named there, and stays in history


class Aside(NamedTuple):
    """One file's text that did not merge."""

    path: str  # from the repository's top
    side: Side  # whose it is
    base: bytes | None  # what both sides made theirs from
    text: bytes | None  # None: that side deleted the file
    commit: str  # that holds the text
    words: str  # what conflicts
    program: str = ""  # the filter that the file goes through on its way into git

    @property
    def whose(self) -> Whose:
        last = self.side.last
        return Whose(self.side.name, last.subject, last.authored.strftime("%Y-%m-%d"), last.trailer("Edit"))

    @property
    def stem(self) -> tuple[str, str]:
        """Files with the same one would have the same inbox note."""
        return self.side.last.oid, self.path.rpartition("/")[2].casefold()


class Asides(list[Aside]):
    """All that did not merge, and the notes that keep it."""

    def __init__(self, vault: Vault, below: str) -> None:
        """`below`: of the vault's files in their paths."""
        super().__init__()
        self.vault, self.below = vault, below
        self._placed: dict[Aside, str] = {}

    def put(
        self, path: str, side: Side, base: bytes | None, text: bytes | None, commit: str, words: str, program: str
    ) -> None:
        self.append(Aside(path, side, base, text, commit, words, program))

    def drop(self, decided: Decided) -> None:
        """Leaves out what a person has decided about already, on either side."""
        self[:] = [aside for aside in self if not decided.has(self.path(aside), self.note(aside))]

    def placed(self, slots: Slots) -> list[tuple[Slot, bytes]]:
        """Where each note is written, and its bytes: under a name that no other note has. One that is there already,
        and keeps the same, is not written again. Raises Waiting."""
        new: list[tuple[Slot, bytes]] = []
        names: set[str] = set()
        for aside in self:
            data, first, number = self.note(aside), self.path(aside), 1
            while True:
                path = first if number == 1 else f"{first.removesuffix('.md')}-{number}.md"
                slots.load([path])
                slot, number = slots[path], number + 1
                if slot.blocked:
                    raise Waiting(f"{path} cannot be written: {slot.blocked}")
                if slot.space.missing:
                    raise Waiting(f"{path} {sealed.words(slot.space.missing)} ({sealed.mend(slot.space.missing)})")
                if path in names:
                    continue
                if slot.head is None and slot.disk in (None, data):
                    new.append((slot, data))
                elif slot.head is None or keeps(slot.head) != keeps(data):
                    continue
                break
            names.add(path)
            self._placed[aside] = path
        return new

    def path(self, aside: Aside) -> str:
        """Of the inbox note, from the repository's top."""
        if aside in self._placed:
            return self._placed[aside]
        whose = aside.whose
        path = self.below + inboxnote.path_of(self.vault, aside.path, whose.day, whose.edit or aside.side.last.oid)
        number = [one for one in self if one.stem == aside.stem].index(aside) + 1
        return path if number == 1 else f"{path.removesuffix('.md')}-{number}.md"

    def note(self, aside: Aside) -> bytes:
        """Its bytes. What is no text, a long one, one that git stores through a filter (it may be a secret), or beside
        the vault, where no accepting reaches, is named alone: git has it."""
        target, whose, text = aside.path.removeprefix(self.below), aside.whose, aside.text
        beside = not aside.path.startswith(self.below)
        sealed = inboxnote.is_sealed(self.vault, self.path(aside).removeprefix(self.below), aside.program)
        if text is not None and (sealed or beside or len(text) > INTO_NOTE or b"\0" in text):
            kept = Kept(f"{self._commit(aside)[:12]}:{aside.path}")
            return inboxnote.named(self.vault, whose, target, aside.words, kept)
        return inboxnote.aside(self.vault, whose, PathChange(target, aside.base, text), aside.words, sealed=sealed)

    def _commit(self, aside: Aside) -> str:
        """A commit that holds the text: the one that made it, where that can be told, so that machines say the same."""
        repo, last = self.vault.repo, aside.side.last.oid
        found, there = (repo.object(f"{commit}:{aside.path}") for commit in (last, aside.commit))
        return last if found and there and found[0] == there[0] else aside.commit
