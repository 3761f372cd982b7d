"""Folders thousands of levels deep."""

from __future__ import annotations

import os
from pathlib import Path


def make_deep(top: Path) -> None:
    """1,500 folders, each in the one before, and a note in the last. Who makes them takes them away: pytest cannot."""
    top.mkdir(parents=True)
    number = os.open(top, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=number)
        below = os.open("d", os.O_RDONLY, dir_fd=number)
        os.close(number)
        number = below
    os.close(os.open("n.md", os.O_WRONLY | os.O_CREAT, dir_fd=number))
    os.close(number)
