"""The files of a vault as they lie on disk, with what tells whether one has changed since."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

from vaultgit.vault import leads_away


class TooLate(Exception):
    """The time that was given is over."""


class Stamp(NamedTuple):
    """What stat says of a file; equal stamps mean equal bytes, if it was not written just before it was read."""

    size: int
    mtime: int  # nanoseconds, like ctime
    ctime: int
    inode: int


NO_NOTE = Stamp(-1, 0, 0, 0)


def files(root: str, deadline: float | None = None) -> Iterator[tuple[str, Stamp]]:
    """Every file that Obsidian shows (vault.Disk.files), with its stamp where it is a note that can be read.

    A link is read where it leads to a plain file of the vault that is not hidden. Raises TooLate at `deadline`
    (time.monotonic).
    """
    folders = [""]
    while folders:
        if deadline is not None and time.monotonic() > deadline:
            raise TooLate
        folder = folders.pop()
        try:
            # By a number instead of a path, the system finds each of its files in less time.
            number = os.open(os.path.join(root, folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue  # gone meanwhile, or not ours to read
        try:
            with os.scandir(number) as found:
                entries = list(found)
            below = folder + "/" if folder else ""
            if folder and any(entry.name == ".git" for entry in entries):
                continue  # another repository
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                try:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(below + name)
                    elif name[-3:].lower() == ".md":
                        yield below + name, _stamp(entry, root, below)
                    elif not entry.is_dir():
                        yield below + name, NO_NOTE
                except OSError:
                    continue
        except OSError:
            continue
        finally:
            os.close(number)


def _stamp(entry: os.DirEntry[str], root: str, below: str) -> Stamp:
    if entry.is_symlink() and leads_away(root, os.path.join(root, below + entry.name)):
        return NO_NOTE
    # entry.stat() would ask once more what is remembered for entries that are no link
    found = entry.stat()
    if not stat.S_ISREG(found.st_mode):
        return NO_NOTE
    return tuple.__new__(Stamp, (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino))
