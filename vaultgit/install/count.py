"""Notes by what they are, and the links in them: each note read once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.vault import Disk
from vaultgit.vault import Rules

_MOST_TO_READ = 64_000_000  # bytes of notes; a note that is held to a type is read whatever there is
# Counted, not read: what stands in code counts too, which nobody sees in a total. Apart, they are found faster.
_LINKS = (re.compile(rb"\[\[[^\[\]\n]+\]\]"), re.compile(rb"\]\((?![a-z]+:|[#/])[^()\s]+\)"))


class Counted(NamedTuple):
    """Managed notes by type; what is left alone, in words, most first; links, None where there is too much to read."""

    managed: dict[str, int]
    alone: list[str]
    links: int | None


def count(disk: Disk, rules: Rules, notes: list[str], tick: Callable[[int], None]) -> Counted:
    """Counts `notes`. `tick` is told of each one."""
    managed: dict[str, int] = {}
    alone: dict[str, int] = {}
    other: dict[str, list[tuple[str, bool]]] = {}  # folder of a type -> notes in it, and whether they have some type
    links = size = 0
    for path in notes:
        note_type = rules.expected_type(path)
        data = read(disk, path) if note_type or size <= _MOST_TO_READ else b""
        size += len(data)
        if size <= _MOST_TO_READ:
            links += sum(len(kind.findall(data)) for kind in _LINKS)
        tick(1)
        if note_type and rules.managed(path, data):
            managed[note_type] = managed.get(note_type, 0) + 1
        elif note_type and rules.folder(note_type):
            typed = frontmatter.read(data).values.get(rules.settings.type_key) is not None
            other.setdefault(rules.folder(note_type), []).append((path, typed))
        else:
            top = path.partition("/")[0] + "/" if "/" in path else path
            alone[top] = alone.get(top, 0) + 1
    for folder, found in other.items():
        words = "no type of ours" if any(typed for _, typed in found) else "no type"
        alone[f"{found[0][0] if len(found) == 1 else folder + '/'}: {words}"] = len(found)
    by_number = sorted(alone, key=lambda name: (-alone[name], name))
    return Counted(managed, by_number, links if size <= _MOST_TO_READ else None)


def read(disk: Disk, path: str) -> bytes:
    """A file's bytes; b"" for one that is not there or cannot be read."""
    try:
        return disk.read(path) or b""
    except OSError:
        return b""
