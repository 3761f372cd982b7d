"""Inbox notes that two lines of history made of the same text: two machines may merge the same before they meet.

There is one of them, whatever was in its way on each machine; and where a person has decided about it on one side, it
does not come back from the other.
"""

from __future__ import annotations

import os
from typing import Any

from vaultgit.history import objects
from vaultgit.history.repository import Repository
from vaultgit.history.trees import Changed
from vaultgit.history.trees import Entry
from vaultgit.notes import frontmatter
from vaultgit.vault import Vault


def is_inbox_note(vault: Vault, path: str) -> bool:
    """`path` in the vault."""
    folder = vault.rules.folder("inbox")
    return path.endswith(".md") and path.rpartition("/")[0] == folder


def keeps(text: bytes) -> Any:
    """What an inbox note keeps, for which note, of which edit: two that answer alike are twins."""
    block, found = frontmatter.block(text), frontmatter.read(text)
    if block is None or found.problems:
        return text
    return *(str(found.values.get(name)) for name in ("target", "action", "edit")), text[block.body :]


def alike(vault: Vault, path: str, one: bytes, other: bytes) -> bool:
    """Whether both are inbox notes, and twins. `path` in the vault."""
    return is_inbox_note(vault, path) and keeps(one) == keeps(other)


class Decided:
    """Inbox notes that one of two lines of history has brought and taken away again, since they parted."""

    def __init__(self, vault: Vault, ours: str, theirs: str) -> None:
        self.vault, self.repo, self.ours = vault, vault.repo, ours
        self._gone: dict[str, set[Any]] = {}
        for path, oid in (*_taken_away(vault, ours, theirs), *_taken_away(vault, theirs, ours)):
            text = _at(self.repo, oid)
            if text is not None:
                self._gone.setdefault(path, set()).add(keeps(text))

    def has(self, path: str, text: bytes | None) -> bool:
        """Whether this text was decided about. `path`: from the repository's top."""
        return text is not None and path in self._gone and keeps(text) in self._gone[path]

    def without(self, changes: list[Changed], tree: str) -> list[Changed]:
        """What differs between ours and the merged `tree`, but for such notes: those do not come, or go."""
        gone = {path for path in self._gone if self.has(path, _at(self.repo, f"{tree}:{path}"))}
        kept = [one for one in changes if one.path not in gone]
        here = {path: self.repo.blob(f"{self.ours}:{path}") for path in sorted(gone)}
        return kept + [Changed(path, Entry(objects.PLAIN, blob.oid), None) for path, blob in here.items() if blob]


def _taken_away(vault: Vault, tip: str, other: str) -> list[tuple[str, str]]:
    """Path and blob of each inbox note that commits of `tip` deleted, and `other` does not have."""
    folder = vault.prefix + (vault.rules.folder("inbox") or "")
    out = vault.repo.run(
        "log", "-z", "--format=", "--raw", "--no-renames", "--diff-filter=D", "--abbrev=64", "--no-show-signature",
        tip, f"^{other}", "--", folder or ".",
    )  # fmt: skip
    fields = [field for field in out.split(b"\0") if field]
    found = []
    for meta, name in zip(fields[0::2], fields[1::2], strict=False):
        path = os.fsdecode(name)
        if path.startswith(vault.prefix) and is_inbox_note(vault, path[len(vault.prefix) :]):
            found.append((path, meta.decode().split(" ")[2]))
    return found


def _at(repo: Repository, name: str) -> bytes | None:
    blob = repo.blob(name)
    return blob.data if blob else None
