"""What lies in a note's way: links, folders, files and repositories where the note or its folders should be."""

from __future__ import annotations

import os
from collections.abc import Collection

from vaultgit.checks.problem import Problem
from vaultgit.history.repository import Repository
from vaultgit.vault import Vault


def in_the_way(vault: Vault, path: str) -> list[Problem]:
    """On disk: a link, a folder where the note should be, a file where a folder should be, another
    repository."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        here = os.path.join(vault.root, *parts[:depth])
        last = depth == len(parts)
        if os.path.islink(here):
            return [
                Problem(path, 1, 1, "PA03", f"{'/'.join(parts[:depth])} is a symbolic link", "edit what it points to")
            ]
        if not last and os.path.isdir(here) and os.path.lexists(os.path.join(here, ".git")):
            return [
                Problem(path, 1, 1, "PA01", f"{'/'.join(parts[:depth])} is a repository of its own", "edit it there")
            ]
        if last and os.path.lexists(here) and not os.path.isfile(here):
            return [
                Problem(
                    path,
                    1,
                    1,
                    "PA03",
                    "there is a folder of that name, or something else than a file",
                    "choose another name",
                )
            ]
        if not last and os.path.lexists(here) and not os.path.isdir(here):
            return [
                Problem(path, 1, 1, "PA03", f"{'/'.join(parts[:depth])} is a file, not a folder", "choose another name")
            ]
    return []


def in_git(
    repo: Repository, full: str, tree: dict[str, tuple[str, str]], staged_folders: Collection[str], new: bool
) -> str:
    """In branch and index, in words; "" for nothing. `tree`: mode and oid of the path and its folders at the tip.
    `staged_folders`: folders of staged files.

    git's own tools replace a file by a folder of that name, or the other way round, without a word.
    """
    parts = full.split("/")
    folders = ["/".join(parts[: n + 1]) for n in range(len(parts) - 1)]
    for folder in folders:
        mode = tree.get(folder, ("040000", ""))[0]
        if mode != "040000":
            return f"{folder} is {_KINDS.get(mode, 'a file')} in git"
    mode = tree.get(full, ("100644", ""))[0]
    if mode in _KINDS or mode == "040000":
        return f"{full} is {_KINDS.get(mode, 'a folder')} in git"
    if full in staged_folders:
        return f"{full} is a folder of files that are staged"
    if new and folders:
        names = b"".join(b":%b\n" % os.fsencode(folder) for folder in folders if "\n" not in folder)
        out = repo.run("cat-file", "--batch-check=%(objecttype)", input=names).split(b"\n")
        for folder, kind in zip(folders, out, strict=False):
            if kind in (b"blob", b"commit"):
                return f"{folder} is a file that is staged"
    return ""


_KINDS = {"120000": "a symbolic link", "160000": "another repository"}
