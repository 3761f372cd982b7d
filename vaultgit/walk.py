"""Folders, walked downwards however deep they lie. (`os.walk` of Python 3.11 calls itself for each level: some
thousand are too many.)"""

from __future__ import annotations

import os
from collections.abc import Iterator


def walk(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`: each folder, the names of the folders in it and those of all else. What is taken out of the folders
    is not walked; links are named and not followed; a folder that cannot be read holds nothing."""
    waiting = [top]
    while waiting:
        here = waiting.pop()
        folders: list[str] = []
        others: list[str] = []
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    (folders if is_folder(entry) else others).append(entry.name)
        except OSError:
            continue
        yield here, folders, others
        waiting += [path for name in reversed(folders) if not os.path.islink(path := os.path.join(here, name))]


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, or a link to one; a link that leads to itself is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it is a plain file, or a link to one: no named pipe, whose reader waits for ever."""
    try:
        return entry.is_file()
    except OSError:
        return False
