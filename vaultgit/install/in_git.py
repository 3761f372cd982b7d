"""What git has to do with the files of a vault, beside their history."""

from __future__ import annotations

import os
import re

from vaultgit.history.repository import Repository
from vaultgit.install.count import read
from vaultgit.vault import Disk


def ignored(repo: Repository | None, prefix: str, paths: list[str]) -> set[str]:
    """Those of `paths` that git leaves out of the repository."""
    if repo is None or not paths:
        return set()
    before = f"./{prefix}"  # so that no path looks like pathspec magic, which cannot be switched off for check-ignore
    asked = b"".join(os.fsencode(before + path) + b"\0" for path in paths)
    out = repo.call("check-ignore", "-z", "--stdin", input=asked, env={"GIT_LITERAL_PATHSPECS": "0"}).stdout
    return {os.fsdecode(name)[len(before) :] for name in out.split(b"\0") if name}


def filters(root: str, repo: Repository | None) -> list[str]:
    """What files pass through on their way into git, by .gitattributes."""
    found: set[str] = set()
    for folder in {root, repo.worktree if repo else root}:
        data = read(Disk(folder), ".gitattributes")
        found.update(os.fsdecode(name) for name in re.findall(rb"(?m)^[^#\n].*[ \t]filter=([\w.-]+)", data))
    return sorted({"git-lfs" if name == "lfs" else name for name in found})


def branches(repo: Repository | None) -> list[str]:
    """Branches that are called as review branches would be."""
    if repo is None:
        return []
    return (
        repo.run("for-each-ref", "--format=%(refname:short)", "refs/heads/molt", "refs/heads/dream")
        .decode("utf-8", "surrogateescape")
        .split()
    )
