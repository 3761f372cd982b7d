"""What lies in a vault, walked once for all that look at it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from vaultgit.vault import Vault
from vaultgit.walk import is_file
from vaultgit.walk import is_folder


class Survey(NamedTuple):
    """Paths relative to the vault, with "/".

    `files`: what a link may mean: all that Obsidian shows, also in linked folders and other repositories inside, and
    what is not on disk but will be (iCloud's placeholders, a sparse checkout). `own`: those that lie here. `notes`: the
    markdown files among them, but for other repositories'. `placeholders`: iCloud's stand-ins for files that it has
    taken off this disk.
    """

    files: list[str]
    own: list[str]
    notes: list[str]
    placeholders: list[str]


_PLACEHOLDER = re.compile(r"\.(.+)\.icloud", re.DOTALL)


def survey(vault: Vault) -> Survey:
    """Walks the vault. A folder that cannot be read holds nothing."""
    found = Survey([], [], [], [])
    seen = {os.path.realpath(vault.root)}
    waiting = [_Folder(vault.root, "", own=True)]
    while waiting:  # no call for each level: there may be thousands
        folder = waiting.pop()
        waiting += reversed(list(_look(found, folder, seen)))
    for names in (found.files, found.own, found.notes):
        names.sort(key=lambda path: path.split("/"))
    found.files.extend(_left_out_of_a_sparse_checkout(vault))
    return found


class _Folder(NamedTuple):
    """`inside`: its path in the vault, with "/" behind it; `own`: no other repository's, and not behind a link."""

    full: str
    inside: str
    own: bool


def _look(found: Survey, folder: _Folder, seen: set[str]) -> Iterator[_Folder]:
    """Takes in what lies in a folder; gives the folders in it that are walked as well."""
    try:
        with os.scandir(folder.full) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
    except OSError:
        return
    inside = folder.inside
    own = folder.own and not (inside and any(entry.name == ".git" for entry in entries))  # another repository's
    for entry in entries:
        path = inside + entry.name
        if entry.name.startswith("."):
            placeholder = _PLACEHOLDER.fullmatch(entry.name)
            if placeholder:
                found.placeholders.append(path)
                found.files.append(inside + placeholder[1])
        elif is_folder(entry):
            if not entry.is_symlink():
                yield _Folder(entry.path, path + "/", own)
            elif (real := os.path.realpath(entry.path)) and _is_elsewhere(real, seen):
                seen.add(real)
                yield _Folder(real, path + "/", own=False)
        elif is_file(entry):
            found.files.append(path)
            if own:
                found.own.append(path)
                if entry.name.lower().endswith(".md"):
                    found.notes.append(path)


def _is_elsewhere(real: str, seen: set[str]) -> bool:
    """Files of a linked folder are there for links, as in Obsidian, unless it leads to one that is there already."""
    return not any(real == one or real.startswith(one + "/") or one.startswith(real + "/") for one in seen)


def _left_out_of_a_sparse_checkout(vault: Vault) -> list[str]:
    if not vault.repo.flag("core.sparsecheckout"):
        return []
    out = vault.repo.run("ls-files", "-z", "-t", "--", *([vault.prefix] if vault.prefix else []))
    names = [os.fsdecode(name)[2:] for name in out.split(b"\0") if name.startswith(b"S ")]
    return [name[len(vault.prefix) :] for name in names]
