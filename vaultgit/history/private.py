"""Folders of ours inside `.git` are their owner's alone, whatever the umask says: they hold queued notes and texts."""

from __future__ import annotations

import os


def make(folder: str) -> None:
    """Makes a folder, and those above it that are missing, with mode 0700. (os.makedirs gives its mode only to the
    last one.) Raises OSError."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for one in reversed(missing):
        try:
            os.mkdir(one, 0o700)
        except FileExistsError:
            if not os.path.isdir(one):
                raise
