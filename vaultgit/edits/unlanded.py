"""What waits in the queue, as whoever wrote it sees the vault: their own edits laid over what is on disk.

`vaultgit search` asks here each time: nothing is imported, and no more than a folder listed, where nothing waits.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from vaultgit.errors import VaultgitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vaultgit.edits.edit import PathChange
    from vaultgit.vault import Vault


def is_any(vault: Vault) -> bool:
    """Whether anything waits, of anybody's."""
    try:
        return bool(os.listdir(os.path.join(vault.state, "queue")))
    except OSError:
        return False


def current(vault: Vault, path: str, agent: str | None = None) -> bytes | None:
    """The note as it lies on disk, with the agent's own queued edits on top (so that its next edit builds on them).
    `agent` None: the person's."""
    return _over(vault, _on_disk(vault, path), _changes(vault, agent).get(path, ()))


def notes(vault: Vault, agent: str | None) -> dict[str, bytes | None]:
    """Path -> text (None: gone) of all that `current` has otherwise than the disk. What cannot be read is left out."""
    found: dict[str, bytes | None] = {}
    for path, changes in _changes(vault, agent).items():
        try:
            there = _on_disk(vault, path)
        except VaultgitError:
            continue
        text = _over(vault, there, changes)
        if text != there:
            found[path] = text
    return found


def _changes(vault: Vault, agent: str | None) -> dict[str, list[PathChange]]:
    """Path -> what waits of it, oldest first."""
    found: dict[str, list[PathChange]] = {}
    if is_any(vault):
        from vaultgit.edits import queue

        for edit in queue.entries(vault.repo, vault.state, vault.prefix):
            for change in edit.changes if edit.agent == agent else ():
                found.setdefault(change.path, []).append(change)
    return found


def _over(vault: Vault, data: bytes | None, changes: Sequence[PathChange]) -> bytes | None:
    """What does not merge waits for a person, and is no text of the note."""
    if changes:
        from vaultgit.edits.merge import merge
        from vaultgit.edits.textmerge import git_text_merge

        for change in changes:
            merged = merge(change.base, data, change.new, text_merge=git_text_merge(vault.repo))
            data = data if merged.conflicts else merged.data
    return data


def _on_disk(vault: Vault, path: str) -> bytes | None:
    try:
        with open(vault.full(path), "rb", opener=_at_once) as stream:
            return stream.read() if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else None
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise VaultgitError(f"{path} cannot be read: {error.strerror}") from error


def _at_once(path: str, flags: int) -> int:
    """Opens a file without waiting: a pipe has no end."""
    return os.open(path, flags | os.O_NONBLOCK)
