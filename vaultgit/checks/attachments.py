"""Files of a vault that are no notes (a plugin's settings, canvases, scripts), as far as secrets are sought in them."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from vaultgit.checks.changes import LARGEST

if TYPE_CHECKING:
    from vaultgit.history.repository import Repository

_HEAD = 8192  # bytes that tell a picture from a text, as git tells them
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def tracked(repo: Repository, prefix: str) -> list[str]:
    """The vault's files of every kind that git holds, relative to the vault, but for notes that Obsidian shows."""
    out = repo.run("ls-files", "-z", *(["--", prefix] if prefix else []))
    found = (os.fsdecode(name)[len(prefix) :] for name in out.split(b"\0") if name)
    return [path for path in found if not path.lower().endswith(".md") or path.startswith(".") or "/." in path]


def text(full: str) -> bytes | None:
    """The bytes of a file in which a secret may be read: b"" of a picture, of what is larger than LARGEST, of a link;
    None where there is no such file. The rest of a large file is not read."""
    try:
        if os.path.islink(full):
            return b""
        with open(os.open(full, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode):
                return None
            head = stream.read(_HEAD)
            if found.st_size > LARGEST or (b"\0" in head and not head.startswith(_UTF_16)):
                return b""
            return head + stream.read()
    except OSError:
        return None
