"""Which notes the vault has, by all their names: what has one gets an addition proposed, not a second note."""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.notes.links import fold
from vaultgit.vault import DAILY
from vaultgit.vault import Disk
from vaultgit.vault import Vault

_KEYS = (b"alias", b"name")


class Standing(NamedTuple):
    """`names`: folded name or alias -> path. `types`: path -> note type, where managed. `paths`: folded paths."""

    names: dict[str, str]
    types: dict[str, str]
    paths: frozenset[str]


def notes(vault: Vault) -> Standing:
    """The notes as they lie on disk: also those that a person has just made. A file's name goes before an alias, a note
    that a schema holds before another."""
    disk = Disk(vault.root)
    every = [path for path in disk.notes() if not vault.rules.obsidian.is_template(path)]
    types: dict[str, str] = {}
    given: dict[str, str] = {}
    others: dict[str, str] = {}
    for path in every:
        data = disk.read(path) or b""
        note_type = vault.rules.managed(path, data)
        if note_type is not None:
            types[path] = note_type
        for alias in _aliases(data, note_type):
            (given if note_type else others).setdefault(fold(alias), path)
    stems = {path: fold(_stem(path)) for path in every}
    managed = {stem: path for path, stem in reversed(stems.items()) if path in types and types[path] != DAILY}
    rest = {stem: path for path, stem in reversed(stems.items())}
    return Standing(others | rest | given | managed, types, frozenset(fold(path) for path in every))


def _aliases(data: bytes, note_type: str | None) -> list[str]:
    """The aliases of a note, and its `name` where that is a name."""
    block = frontmatter.block(data)
    if block is None or not any(key in data[block.start : block.end] for key in _KEYS):
        return []
    values = frontmatter.read(data).values
    found: list[object] = []
    for key in ("aliases", "alias", *(("name",) if note_type else ())):
        value = values.get(key)
        found += value if isinstance(value, list) else [value]
    return [one.strip() for one in found if isinstance(one, str) and one.strip()]


def _stem(path: str) -> str:
    return path.rpartition("/")[2][: -len(".md")]
