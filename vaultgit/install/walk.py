"""What lies in a vault, walked once."""

from __future__ import annotations

import os
from typing import NamedTuple

from vaultgit import config
from vaultgit.obsidian import FOLDER
from vaultgit.walk import is_file


class Walked(NamedTuple):
    """Paths relative to the vault, with "/"."""

    files: list[str]  # all that Obsidian shows: nothing hidden, of another repository, or in a linked folder
    vaults: list[str]  # folders inside that are vaults as well
    repositories: list[str]  # folders inside that are repositories of their own

    @property
    def notes(self) -> list[str]:
        return [path for path in self.files if path.lower().endswith(".md")]


def walk(root: str) -> Walked:
    """The vault at `root`, in the order of names. A folder that cannot be read holds nothing."""
    found = Walked([], [], [])
    waiting = [""]
    while waiting:  # no call for each level: there may be thousands
        inside = waiting.pop()
        waiting += reversed(_look(found, os.path.join(root, inside), inside))
    found.files.sort(key=lambda path: path.split("/"))
    return found


def vaults_below(root: str, depth: int = 2) -> list[str]:
    """Vaults in the folders of `root` and in theirs, `depth` levels deep; nothing inside a vault is looked at."""
    found = []
    for name in sorted(_folders(root)):
        if _is_vault(os.path.join(root, name)):
            found.append(name)
        elif depth > 1:
            found += [f"{name}/{inner}" for inner in vaults_below(os.path.join(root, name), depth - 1)]
    return found


def _look(found: Walked, folder: str, inside: str) -> list[str]:
    """Takes in what lies in a folder; returns the folders in it that are walked as well. `inside`: the folder in the
    vault, with "/" behind it."""
    try:
        with os.scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
    except OSError:
        return []
    names = {entry.name for entry in entries}
    if inside and ".git" in names:
        found.repositories.append(inside.rstrip("/"))
        return []
    if inside and (FOLDER in names or config.FILE in names):
        found.vaults.append(inside.rstrip("/"))
    shown = [entry for entry in entries if not entry.name.startswith(".")]
    below = [entry for entry in shown if entry.is_dir(follow_symlinks=False)]
    found.files.extend(inside + entry.name for entry in shown if is_file(entry))
    return [f"{inside}{entry.name}/" for entry in below]


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [
                entry.name
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []


def _is_vault(folder: str) -> bool:
    return os.path.isdir(os.path.join(folder, FOLDER)) or os.path.isfile(os.path.join(folder, config.FILE))
