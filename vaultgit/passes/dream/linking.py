"""Links to skills that go: which notes hold them, read once for all merges, and how they are to be written then."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import NamedTuple

from vaultgit.checks import protected
from vaultgit.checks.around import visible
from vaultgit.notes import follow
from vaultgit.notes.links import links
from vaultgit.passes.dream.reading import Reading
from vaultgit.passes.dream.reading import key
from vaultgit.recall import tree
from vaultgit.recall.skills import Skill

_TARGET = re.compile(r"\[\[([^\[\]|#\n]+)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_TO_BE_READ = ("](", "\\", "''")  # a link may be written with escapes there: then no quick look will do


class Note(NamedTuple):
    """A note or canvas as the commit holds it."""

    path: str
    data: bytes


def linking(reading: Reading, gone: Iterable[Skill]) -> dict[str, list[Note]]:
    """Path of each skill -> the notes and canvases that may link to it, or to what lies beside it. Those that no agent
    may change are not among them, nor broken skills: they keep their links."""
    owners: dict[str, set[str]] = {}
    for skill in gone:
        for path in (skill.path, *(file.path for file in reading.beside(skill))):
            owners.setdefault(key(path), set()).add(skill.path)
    found: dict[str, list[Note]] = {path: [] for paths in owners.values() for path in paths}
    notes = [file for file in reading.files if _may_follow(reading, file.path)] if owners else []
    for file, data in tree.texts(reading.vault, notes):
        note = Note(file.path, data)
        meant = [owners[name] for name in owners.keys() & set(_names(note))]
        for path in sorted(set().union(*meant)):
            found[path].append(note)
    return found


def _may_follow(reading: Reading, path: str) -> bool:
    if not path.lower().endswith((".md", ".canvas")) or path in reading.every.broken:
        return False
    return visible(path) and not protected.path_problems(path, agent=True)


def _names(note: Note) -> Iterator[str]:
    """What a note's links end with. Reading its links takes ten times as long as looking for wikilinks."""
    text = note.data.decode("utf-8", "surrogateescape")
    if note.path.lower().endswith(".canvas"):
        return (key(_spoken(one)) for one in _STRING.findall(text))
    if any(sign in text for sign in _TO_BE_READ):
        return (key(link.target) for link in links(text))
    return (key(target.strip()) for target in _TARGET.findall(text))


def _spoken(string: str) -> str:
    """What a JSON string says."""
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        return ""  # the file is no JSON, and stays as it is


def moves(named: Mapping[str, list[str]], moved: Mapping[str, str], texts: Iterable[bytes] = ()) -> follow.Moves:
    """What links mean before and after files have moved (old path -> new path). `named`: all files, by `key`. `texts`:
    notes that move themselves, so that all of their links have to be read.

    Only files of the names in question are looked at: what a link means depends on no other.
    """
    keys = {key(path) for pair in moved.items() for path in pair}
    keys |= {key(link.target) for text in texts for link in links(text.decode("utf-8", "surrogateescape"))}
    files = [path for name in sorted(keys) for path in named.get(name, ())]
    return follow.Moves(files, moved, relative=True)
