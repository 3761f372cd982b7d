"""The files of one commit, listed and read without a process for each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.history import filters
from vaultgit.vault import Vault

_AT_ONCE = 1000  # paths that git is asked about in one command line


class Held(NamedTuple):
    """One plain file as a commit holds it. `path` is relative to the vault."""

    path: str
    oid: str


def files(vault: Vault, commit: str, folder: str = "") -> list[Held]:
    """The plain files of the vault, or of a folder of it and below, by path; no symbolic links, no submodules."""
    below = vault.prefix + (f"{folder}/" if folder else "")
    found = []
    for entry in vault.repo.run("ls-tree", "-r", "-z", commit, *(["--", below] if below else [])).split(b"\0"):
        meta, _, name = entry.partition(b"\t")
        if meta.startswith(b"100"):
            found.append(Held(os.fsdecode(name)[len(vault.prefix) :], meta.decode().split(" ")[2]))
    return found


def texts(vault: Vault, held: Sequence[Held]) -> Iterator[tuple[Held, bytes]]:
    """Files with their plain text, in order. What this clone does not have (a partial one) is left out."""
    for first in range(0, len(held), _AT_ONCE):
        part = held[first : first + _AT_ONCE]
        spaces = filters.spaces(vault.repo, [vault.prefix + file.path for file in part])
        for file in part:
            blob = vault.repo.blob(file.oid)
            if blob is not None:
                yield file, spaces[vault.prefix + file.path].from_blob(file.oid, blob.data)


def notes(vault: Vault, held: Sequence[Held], note_type: str) -> Iterator[tuple[Held, bytes]]:
    """Those of them that are managed notes of a type."""
    expected = [file for file in held if vault.rules.expected_type(file.path) == note_type]
    for file, data in texts(vault, expected):
        if vault.rules.managed(file.path, data) == note_type:
            yield file, data
