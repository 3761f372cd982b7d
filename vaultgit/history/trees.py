"""Two lines of history merged as trees, beside every work tree, by `git merge-tree`: finding renames is git's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from vaultgit.errors import UsageError
from vaultgit.history import beside
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository

LINK, SUBMODULE = "120000", "160000"


class Entry(NamedTuple):
    """A file in a tree."""

    mode: str
    oid: str


class Changed(NamedTuple):
    """One path that differs between two trees, from the repository's top; None for no such file."""

    path: str
    old: Entry | None
    new: Entry | None


class Conflict(NamedTuple):
    """A path that git cannot merge by itself: what the common past, our side and theirs have there."""

    path: str
    base: Entry | None
    ours: Entry | None
    theirs: Entry | None


class Merged(NamedTuple):
    """`tree`: all that merges; what it holds at the paths of conflicts means nothing (markers may stand there)."""

    tree: str
    conflicts: list[Conflict]


def merge(repo: Repository, ours: str, theirs: str) -> Merged:
    """Merges two commits. Notes that both sides changed are conflicts here, so that the note-aware merge sees them all.

    Raises UsageError where git is older than 2.38, GitError where it fails (an object that is not there).
    """
    # Our driver answers "conflict" for each of them; a folder that moved does not take along what others put into it.
    settings = ("-c", "merge.vaultgit.driver=false", "-c", "merge.directoryRenames=false", "-c", "merge.renames=true")
    with _apart(repo) as place:
        done = repo.call(*settings, *place, "merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs)
    if done.returncode not in (0, 1):
        if b"usage: git merge-tree" in done.stderr:
            raise UsageError("this git cannot merge beside a work tree", "git 2.38 or newer is needed for that")
        raise GitError(["merge-tree"], done.returncode, done.stderr)
    tree, *stages = done.stdout.split(b"\0")
    found: dict[str, dict[str, Entry]] = {}
    for line in filter(None, stages):
        meta, _, path = line.partition(b"\t")
        mode, oid, stage = meta.decode().split(" ")
        found.setdefault(os.fsdecode(path), {})[stage] = Entry(mode, oid)
    return Merged(
        tree.decode(), [Conflict(path, at.get("1"), at.get("2"), at.get("3")) for path, at in sorted(found.items())]
    )


@contextmanager
def _apart(repo: Repository) -> Iterator[tuple[str, ...]]:
    """Options of git's that have it merge in a folder of its own: beside a driver it writes temporaries where it runs
    (.merge_file_…), and beside the notes a person's `add -A` takes them, or a kill leaves them. The .gitattributes that
    it goes by are laid there, as the index has them."""
    with beside.laid(repo, beside.staged(repo)) as place:
        yield beside.options(place)


def changed(repo: Repository, old: str, new: str) -> list[Changed]:
    """What differs between two commits or trees, by path, renames as a file gone and one added."""
    out = repo.run("diff-tree", "-r", "--raw", "-z", "--no-renames", "--abbrev=64", old, new)
    fields = out.split(b"\0")
    found = []
    for meta, path in zip(fields[0::2], fields[1::2], strict=False):
        old_mode, mode, before, after, _ = meta.decode().lstrip(":").split(" ")
        was = Entry(old_mode, before) if before.strip("0") else None
        found.append(Changed(os.fsdecode(path), was, Entry(mode, after) if after.strip("0") else None))
    return found


def are_equal(repo: Repository, one: str, other: str) -> bool:
    """Whether two commits hold the same files."""
    return repo.call("diff-tree", "--quiet", one, other).returncode == 0


def sizes(repo: Repository, oids: list[str]) -> dict[str, int]:
    """Bytes of each blob."""
    if not oids:
        return {}
    out = repo.run("cat-file", "--batch-check=%(objectname) %(objectsize)", input="\n".join(oids).encode() + b"\n")
    return {oid: int(size) for oid, size in (line.split() for line in out.decode().splitlines()) if size.isdigit()}
