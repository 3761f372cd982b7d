"""Projects by the folders that conversations were held in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.consolidate import stop
from vaultgit.passes.consolidate.blocks import CaptureBlock
from vaultgit.passes.consolidate.reading import name_key
from vaultgit.passes.consolidate.reading import one_line

# Made by programs (tmp.x8Gh2k, pytest-12, ids, dates), or hidden.
_NO_PROJECT = re.compile(
    r"\..*|tmp[\W_].*|tmp[a-z0-9_]{6,}|(?:pytest|claude|codex|test|tests|agent|worktree|wt)-?[0-9a-z]*[0-9][0-9a-z]*"
    r"|[0-9a-f]{7,}(?:-[0-9a-f]+)*|[\d._-]+|.{1,2}|.{61,}|.*\.(?:worktrees?|git|tmp)",
    re.IGNORECASE,
)


class Folder(NamedTuple):
    """`blocks`: numbers of the blocks that name it. `alone`: those that name no other, whose lines are all its own."""

    name: str
    blocks: tuple[int, ...]
    alone: frozenset[int]


def find(blocks: Sequence[CaptureBlock]) -> list[Folder]:
    """The folders that may be projects, by name."""
    spelled: dict[str, str] = {}
    where: dict[str, list[int]] = {}
    alone: dict[str, set[int]] = {}
    for number, block in enumerate(blocks):
        every = {name_key(folder): one_line(folder).strip("/ ").rpartition("/")[2] for folder in block.folders}
        for key, name in every.items():
            if key and is_project(name):
                spelled.setdefault(key, name)
                where.setdefault(key, []).append(number)
                if len(every) == 1:
                    alone.setdefault(key, set()).add(number)
    return [Folder(spelled[key], tuple(where[key]), frozenset(alone.get(key, ()))) for key in sorted(where)]


def is_project(name: str) -> bool:
    """Whether a folder's name may be a project's: not `src`, nor `tmp.x8Gh2k`."""
    return name.lower() not in stop.FOLDERS and not _NO_PROJECT.fullmatch(name) and any(map(str.isalpha, name))
