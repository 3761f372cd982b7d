"""What lies in a note's way: links, folders, files and repositories where the note or its folders should be."""

from __future__ import annotations

import os
from collections.abc import Collection
from collections.abc import Iterable
from typing import Protocol

from vaultgit.checks.problem import Problem
from vaultgit.checks.protected import leads_astray
from vaultgit.history.repository import Repository


class Rooted(Protocol):
    """A folder that paths are relative to: a vault, or a whole work tree."""

    @property
    def root(self) -> str: ...


def in_the_way(vault: Rooted, path: str) -> list[Problem]:
    """On disk: a link, a folder where the note should be, a file where a folder should be, another
    repository; or that it leads nowhere a note could be."""
    if leads_astray(path):
        return [Problem(path, 1, 1, "PA01", "leads outside or into .git", "give the path of a note")]
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
    full: str, tree: dict[str, tuple[str, str]], staged_folders: Collection[str], staged_files: Collection[str]
) -> str:
    """In branch and index, in words; "" for nothing. `tree`: mode and oid of the path and its folders at the tip.
    `staged_folders`: folders of staged files. `staged_files`: staged files that have the name of a folder above.

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
    return next((f"{folder} is a file that is staged" for folder in folders if folder in staged_files), "")


def staged_files(repo: Repository, paths: Iterable[str]) -> set[str]:
    """Folders above these paths whose name is a file in the index."""
    above = {path[:n] for path in paths for n, sign in enumerate(path) if sign == "/"}
    folders = sorted(folder for folder in above if "\n" not in folder)
    if not folders:
        return set()
    # A process of its own: the one that answers all reads looks at the index as it was when it started.
    names = b"".join(b":%b\n" % os.fsencode(folder) for folder in folders)
    kinds = repo.run("cat-file", "--batch-check=%(objecttype)", input=names).split(b"\n")
    return {folder for folder, kind in zip(folders, kinds, strict=False) if kind in (b"blob", b"commit")}


_KINDS = {"120000": "a symbolic link", "160000": "another repository"}
