"""A fresh copy of somebody's vault, and a fingerprint of all of its files."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator

from benchmarks import place
from benchmarks.place import git

LONGEST = 255  # bytes of a file's name


def fresh(source: str, target: str) -> bool:
    """Clones a checkout or a mirror. False: not all of it can be had, so it is one commit of the files that can."""
    os.makedirs(target)
    git(target, "clone", "-q", "--local", "--no-hardlinks", "--no-checkout", source, ".")
    if git(target, "rev-parse", "--abbrev-ref", "HEAD") == "HEAD":
        git(target, "checkout", "-q", "--no-track", "-b", "main")
    gone = _not_to_be_had(target)
    if not gone and "\n?" not in "\n" + git(target, "rev-list", "--objects", "--missing=print", "--all"):
        git(target, "reset", "-q", "--hard")
        return True
    git(target, "read-tree", "HEAD")
    git(target, "update-index", "--force-remove", "-z", "--stdin", given=os.fsencode("\0".join(gone)))
    git(target, "checkout-index", "-a", "-f")
    place.remove(os.path.join(target, ".git"))
    git(target, "init", "-q", ".")
    git(target, "add", "-A", "-f")
    git(target, "commit", "-q", "--no-verify", "-m", "as it was")
    return False


def _not_to_be_had(target: str) -> list[str]:
    """Files whose bytes a mirror lacks, and names that are too long for this system."""
    listed = [line.split("\t", 1) for line in git(target, "ls-tree", "-r", "-z", "HEAD").split("\0") if line]
    oids = "\n".join(head.split()[2] for head, _ in listed).encode()
    said = git(target, "cat-file", "--batch-check", given=oids).splitlines()
    missing = [
        words.endswith("missing") and not head.startswith("160000")
        for (head, _), words in zip(listed, said, strict=True)
    ]
    return [
        path
        for (_, path), lacks in zip(listed, missing, strict=True)
        if lacks or any(len(os.fsencode(part)) > LONGEST for part in path.split("/"))
    ]


def roots(copy: str) -> list[str]:
    """Vaults inside a repository, the one with most notes first: where an .obsidian is, else its top."""
    found = [here for here, folders, _ in os.walk(copy) if ".obsidian" in folders and "/." not in here[len(copy) :]]
    if copy in found or not found:
        return [copy, *(one for one in found if one != copy)]
    return sorted(found, key=lambda root: (-sum(1 for _ in notes(root)), root))


def notes(root: str) -> Iterator[str]:
    """Markdown files outside hidden folders, relative to `root`."""
    for here, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(".md") and not name.startswith("."):
                yield os.path.relpath(os.path.join(here, name), root)


def fingerprint(folder: str, *, skip: tuple[str, ...] = (".git",)) -> dict[str, str]:
    """Path -> kind and hash of its bytes, of every file below `folder` but what is called `skip` at its top."""
    found: dict[str, str] = {}
    for here, folders, files in os.walk(folder):
        if here == folder:
            folders[:] = [name for name in folders if name not in skip]
        for name in [*files, *(one for one in folders if os.path.islink(os.path.join(here, one)))]:
            full = os.path.join(here, name)
            path = os.path.relpath(full, folder)
            if path not in skip:
                found[path] = _print_of(full)
    return found


def _print_of(full: str) -> str:
    mode = os.lstat(full).st_mode
    if stat.S_ISLNK(mode):
        return f"link {os.readlink(full)}"
    digest = hashlib.sha1(usedforsecurity=False)
    with open(full, "rb") as stream:
        while part := stream.read(1 << 20):
            digest.update(part)
    return f"{mode & 0o111:o} {digest.hexdigest()}"


def changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
