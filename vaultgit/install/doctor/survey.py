"""What lies in a vault, walked once for all that look at it."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from vaultgit.vault import Vault


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
    _walk(found, vault.root, "", own=True, seen={os.path.realpath(vault.root)})
    found.files.extend(_left_out_of_a_sparse_checkout(vault))
    return found


def _walk(found: Survey, folder: str, inside: str, *, own: bool, seen: set[str]) -> None:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    own = own and not (inside and any(entry.name == ".git" for entry in entries))  # another repository's
    for entry in entries:
        path = inside + entry.name
        if entry.name.startswith("."):
            placeholder = _PLACEHOLDER.fullmatch(entry.name)
            if placeholder:
                found.placeholders.append(path)
                found.files.append(inside + placeholder[1])
        elif _is_dir(entry):
            if entry.is_symlink():
                _walk_linked(found, entry.path, path, seen)
            else:
                _walk(found, entry.path, path + "/", own=own, seen=seen)
        elif _is_file(entry):
            found.files.append(path)
            if own:
                found.own.append(path)
                if entry.name.lower().endswith(".md"):
                    found.notes.append(path)


def _walk_linked(found: Survey, full: str, path: str, seen: set[str]) -> None:
    """Files of a linked folder are there for links, as in Obsidian, unless it leads to one that is there already."""
    real = os.path.realpath(full)
    if any(real == one or real.startswith(one + "/") or one.startswith(real + "/") for one in seen):
        return
    seen.add(real)
    _walk(found, real, path + "/", own=False, seen=seen)


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()  # no named pipe, whose reader waits for ever
    except OSError:
        return False


def _left_out_of_a_sparse_checkout(vault: Vault) -> list[str]:
    if not vault.repo.flag("core.sparsecheckout"):
        return []
    out = vault.repo.run("ls-files", "-z", "-t", "--", *([vault.prefix] if vault.prefix else []))
    names = [os.fsdecode(name)[2:] for name in out.split(b"\0") if name.startswith(b"S ")]
    return [name[len(vault.prefix) :] for name in names]
