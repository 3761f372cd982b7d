"""git's index: the entries of a few paths, and the next index built beside it, to be put in its place by a rename."""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Mapping
from typing import NamedTuple

from vaultgit.history.repository import Repository


class Entry(NamedTuple):
    """One staged file. `flags`: "S" skip-worktree (sparse checkout), "h" assume-unchanged."""

    mode: str
    oid: str
    flags: str = ""


class Unmerged(Exception):
    """A path has conflict stages: a merge, or a `stash pop`, waits for the person."""


def index_path(repo: Repository) -> str:
    return os.path.join(repo.git_dir, "index")


def entries(repo: Repository, paths: Iterable[str], index_file: str | None = None) -> dict[str, Entry]:
    """Entries of exactly these paths (and, where a path is a folder in the index, of what it holds).

    Raises Unmerged with the path.
    """
    command = listing(paths)
    if not command:
        return {}
    return parsed(repo.run(*command, env={"GIT_INDEX_FILE": index_file} if index_file else {}))


def listing(paths: Iterable[str]) -> list[str]:
    """The git command whose output `parsed` reads; [] for no paths."""
    paths = list(paths)
    return ["ls-files", "-s", "-v", "-z", "--", *paths] if paths else []


def parsed(out: bytes) -> dict[str, Entry]:
    """Raises Unmerged with the path."""
    found: dict[str, Entry] = {}
    for line in out.split(b"\0"):
        if not line:
            continue
        meta, _, path = line.partition(b"\t")
        tag, mode, oid, stage = meta.decode().split(" ")
        if stage != "0":
            raise Unmerged(os.fsdecode(path))
        flags = ("S" if tag in "Ss" else "") + ("h" if tag.islower() else "")
        found[os.fsdecode(path)] = Entry(mode, oid, flags)
    return found


def build(
    repo: Repository,
    target: str,
    changes: Mapping[str, Entry | None],
    lock_fd: int,
    null: str,
) -> None:
    """Writes to `target` the index as it will be with `changes` (None removes), fsynced."""
    source = index_path(repo)
    if not os.path.exists(source):
        try:
            os.unlink(target)
        except FileNotFoundError:
            pass
    else:
        import shutil

        # With its time: git tells by it which entries a save in the same second may have made stale.
        shutil.copy2(source, target)
    lines = b"".join(
        b"%b %b\t%b\0" % ((e.mode if e else "0").encode(), (e.oid if e else null).encode(), os.fsencode(path))
        for path, e in sorted(changes.items(), key=lambda item: item[1] is not None)
    )
    env = {"GIT_INDEX_FILE": target}
    fds = (lock_fd,)
    # A sparse index would keep the collapsed folder beside the new path inside it (a bug of git's).
    repo.run(
        "-c",
        "index.sparse=false",
        "-c",
        "core.ignorecase=false",
        "update-index",
        "-z",
        "--index-info",
        input=lines,
        env=env,
        pass_fds=fds,
    )
    for flag, option in (("S", "--skip-worktree"), ("h", "--assume-unchanged")):
        marked = [path for path, entry in changes.items() if entry and flag in entry.flags]
        if marked:  # --index-info drops both bits
            names = b"".join(os.fsencode(path) + b"\0" for path in marked)
            repo.run("update-index", option, "-z", "--stdin", input=names, env=env, pass_fds=fds)
    if os.path.exists(target):
        with open(target, "rb") as stream:
            os.fsync(stream.fileno())


def refreshed(repo: Repository, target: str, lock_fd: int) -> None:
    """Writes to `target` the index with what git wants to know of files that others than git wrote (size, times): no
    entry says anything else. Files that differ are left out by git itself. Raises GitError."""
    import shutil

    shutil.copy2(index_path(repo), target)
    settings = ("-c", "index.sparse=false", "-c", "core.ignorecase=false")
    env = {"GIT_INDEX_FILE": target}
    repo.call(*settings, "update-index", "-q", "--refresh", env=env, pass_fds=(lock_fd,), timeout=10)


def stamp(path: str) -> tuple[int, int, int] | None:
    """What changes whenever git rewrites the index: inode, time, size."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
