"""A vault at one state, as the index knows it: its notes, and what links to what."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

from vaultgit.errors import UsageError
from vaultgit.notes.links import Resolver
from vaultgit.recall import read
from vaultgit.recall import tree
from vaultgit.recall.store import key
from vaultgit.recall.store import path_of

if TYPE_CHECKING:
    from vaultgit.recall.index import Index


class Linked(NamedTuple):
    """A link of a note (notes.links.Link without its place in the line)."""

    target: str
    subpath: str
    line: int
    embed: bool
    kind: str


class Note(NamedTuple):
    """One note as the index knows it. `oid`: of the blob that its bytes are, as they lie; `type`: "" for a person's own
    note; `title`: property `title` or `name`, else its first heading, else its file's name; `day`: ISO, property
    `date`, else of its name, else ""; `values`: its front matter."""

    path: str
    oid: str
    type: str
    title: str
    aliases: tuple[str, ...]
    day: str
    values: dict[str, Any]
    links: tuple[Linked, ...]
    tags: tuple[str, ...] = ()


_NOTE = "path, oid, type, title, day, record"


class View:
    """The vault at one state. `commit`: "" as it lies on disk; `stale`: not all of it is as fresh as the disk."""

    def __init__(self, index: Index, commit: str = "", stale: bool = False) -> None:
        self.index, self.commit, self.stale = index, commit, stale
        self.held: dict[str, tree.Held] = {}  # of a commit: all its files
        self.scope = "asked IS NULL"  # SQL: the rows of doc that are in it

    def notes(self) -> Iterable[Note]:
        """All, by path."""
        return sorted((note_of(row) for row in self.ask(f"SELECT {_NOTE} FROM doc WHERE {self.scope}")), key=_by_path)

    def get(self, path: str) -> Note | None:
        rows = self.ask(f"SELECT {_NOTE} FROM doc WHERE path = ? AND {self.scope}", (key(path),))
        return note_of(rows[0]) if rows else None

    def of_type(self, note_type: str) -> list[Note]:
        """The managed notes of a type, by path."""
        if not note_type:
            return [note for note in self.notes() if not note.type]
        rows = self.ask(f"SELECT {_NOTE} FROM doc WHERE type = ? AND type <> '' AND {self.scope}", (note_type,))
        return sorted(map(note_of, rows), key=_by_path)

    def text(self, path: str) -> bytes:
        """The plain bytes of a note in this view. Raises UsageError for what is no note in it."""
        if self.commit:
            held = self.held.get(path)
            found = next((data for _, data in tree.texts(self.index.vault, [held] if held else [])), None)
        else:
            found = self.index.bytes_of(path) if self.index.is_inside(path) else None
        if found is not None:
            return found
        raise UsageError(f"there is no note {path}", "paths are relative to the vault's root")

    def paths(self) -> list[str]:
        """All files that Obsidian shows, of every kind."""
        if self.commit:
            return list(self.held)
        return [path_of(row[0]) for row in self.ask("SELECT path FROM file")]

    def resolve(self, target: str, source_path: str) -> list[str]:
        """Paths that a link may mean, as Obsidian resolves it (notes.links.Resolver)."""
        return self._resolver.resolve(target, source_path)

    def out(self, path: str) -> list[tuple[Linked, list[str]]]:
        """The links of a note, in its order, each with what it may mean."""
        note = self.get(path)
        return [(link, self.resolve(link.target, path)) for link in note.links] if note else []

    def back(self, path: str) -> list[tuple[str, Linked]]:
        """The links that may mean a note (or another file): path of the note that has it, and the link."""
        mark = read.link_mark(path)
        found = []
        for row in self.matching(f'marks : "{mark}"', _NOTE):
            note = note_of(row)
            found += [
                (note.path, link)
                for link in note.links
                if link.target and read.link_mark(link.target) == mark and path in self.resolve(link.target, note.path)
            ]
        return sorted(found, key=lambda pair: (pair[0], pair[1].line))

    def matching(self, expression: str, columns: str) -> list[tuple[Any, ...]]:
        """Rows of doc that an FTS5 expression matches, in no order."""
        tables = ("fts", "past") if self.commit else ("fts",)
        sql = " UNION ALL ".join(
            f"SELECT {columns} FROM doc WHERE id IN (SELECT rowid FROM {table} WHERE {table} MATCH ?1) AND {self.scope}"
            for table in tables
        )
        return self.ask(sql, (expression,))

    def df(self, stem: str) -> int:
        """How many notes hold a stem. Of a commit: of all versions known, which may be a few more."""
        known = self.index.words
        tables = ("word", "pastword") if self.commit else ("word",)
        for table in tables:
            if (table, stem) not in known:
                rows = self.ask(f"SELECT doc FROM {table} WHERE term = ?", (stem,))
                known[table, stem] = rows[0][0] if rows else 0
        return sum(known[table, stem] for table in tables)

    @cached_property
    def size(self) -> tuple[int, float]:
        """How many notes it has, and how many stems one has, on average."""
        notes, stems = self.index.surely(lambda: self.index.store.size("fts"))
        if self.commit:
            more = self.index.surely(lambda: self.index.store.size("past"))
            notes, stems = notes + more[0], stems + more[1]
        return notes, stems / notes if notes else 0.0

    def ask(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of the index; it is made anew where it turns out to be damaged only now."""
        given = tuple(values)
        return self.index.surely(lambda: self.index.store.ask(sql, given))

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self.paths())


def note_of(row: tuple[Any, ...]) -> Note:
    path, oid, note_type, title, day, record = row
    aliases, values, links, tags = json.loads(record)
    linked = tuple(Linked(*link) for link in links)
    return Note(path_of(path), oid, note_type, title, tuple(aliases), day, values, linked, tuple(tags))


def _by_path(note: Note) -> str:
    return note.path
