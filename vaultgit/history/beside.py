"""A folder in which git runs as if it were the work tree, with .gitattributes of our choice: for a merge beside the
notes, and for files as other attributes than those that lie there have them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager

from vaultgit.history.repository import Repository

ATTRIBUTES = ".gitattributes"
MERGING = "vaultgit-merge-"  # what such folders are called: recovery leaves the young ones alone
_NO_PLACE = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG)  # such a tree cannot be checked out
_PLAIN = (b"100644", b"100755")


def is_attributes(path: str) -> bool:
    return path.rpartition("/")[2] == ATTRIBUTES


@contextmanager
def laid(repo: Repository, files: Mapping[str, bytes]) -> Iterator[str]:
    """A folder that holds these files (by path from the work tree's root) until the block ends."""
    import tempfile

    above = os.path.join(repo.common_dir, "vaultgit", "state", "tmp")
    os.makedirs(above, mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=MERGING, dir=above, ignore_cleanup_errors=True) as folder:
        for path, data in files.items():
            full = os.path.join(folder, path)
            if any(part.casefold() in ("", ".", "..", ".git") for part in path.split("/")):
                continue  # a tree that somebody pushed may hold it, and no work tree does
            try:
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "wb") as file:
                    file.write(data)
            except OSError as error:
                if error.errno not in _NO_PLACE:
                    raise
        yield folder


def options(folder: str | None) -> tuple[str, ...]:
    """What has git run there; nothing for the work tree itself."""
    return ("-C", folder, f"--work-tree={folder}") if folder else ()


def in_index(repo: Repository) -> list[str]:
    """Paths of the .gitattributes that git's index has."""
    listed = repo.run("ls-files", "-z", "--", f":(top,glob)**/{ATTRIBUTES}", env={"GIT_LITERAL_PATHSPECS": "0"})
    return [path for path in os.fsdecode(listed).split("\0")[:-1] if "\n" not in path]


def staged(repo: Repository) -> dict[str, bytes]:
    """The .gitattributes as git's index has them."""
    return _texts(repo, ((path, f":{path}") for path in in_index(repo)))


def committed(repo: Repository, commit: str) -> dict[str, bytes]:
    """The .gitattributes as a commit has them; "" for one that only the index has, so that git does not look there."""
    found: dict[str, str] = {}
    for line in repo.run("ls-tree", "-r", "-z", commit).split(b"\0"):
        meta, _, name = line.partition(b"\t")
        if name.rpartition(b"/")[2] == ATTRIBUTES.encode() and meta[:6] in _PLAIN:
            found[os.fsdecode(name)] = meta.split(b" ")[2].decode()
    return {**dict.fromkeys(in_index(repo), b""), **_texts(repo, found.items())}


def _texts(repo: Repository, named: Iterable[tuple[str, str]]) -> dict[str, bytes]:
    found = ((path, repo.blob(name)) for path, name in named)
    return {path: blob.data for path, blob in found if blob is not None}
