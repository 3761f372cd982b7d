"""A vault at one state, as the index knows it: its notes, and what links to what."""

from __future__ import annotations

import json
from collections.abc import Callable
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple
from typing import TypeVar

from vaultgit.errors import UsageError
from vaultgit.notes.links import Resolver
from vaultgit.recall import read
from vaultgit.recall import tree
from vaultgit.recall.store import key
from vaultgit.recall.store import path_of

if TYPE_CHECKING:
    from vaultgit.recall.index import Index

T = TypeVar("T")


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
WAITS = "waits in the queue, not on disk yet"  # said of what View.queued has


class View:
    """The vault at one state. `commit`: "" as it lies on disk; `stale`: not all of it is as fresh as the disk."""

    def __init__(self, index: Index, commit: str = "", stale: bool = False) -> None:
        self.index, self.commit, self.stale = index, commit, stale
        self.held: dict[str, tree.Held] = {}  # of a commit: all its files
        self.scope = "asked IS NULL"  # SQL: the rows of doc that are in it
        self._words: dict[str, int] = {}  # of a commit: how many notes hold a word

    @property
    def queued(self) -> dict[str, bytes | None]:
        """What is seen as if it lay on disk (Index.now)."""
        return {} if self.commit else self.index.queued

    @property
    def rows(self) -> str:
        """SQL, of a commit: the rows of an FTS5 table that are in it. The plus keeps SQLite from asking FTS5 for each
        row of the set in turn."""
        return f"+rowid {self.scope.removeprefix('id ')}"

    def notes(self) -> Iterable[Note]:
        """All, by path."""
        return sorted(self.made(note_of, f"SELECT {_NOTE} FROM doc WHERE {self.scope}"), key=_by_path)

    def get(self, path: str) -> Note | None:
        found = self.made(note_of, f"SELECT {_NOTE} FROM doc WHERE path = ? AND {self.scope}", (key(path),))
        return found[0] if found else None

    def of_type(self, note_type: str) -> list[Note]:
        """The managed notes of a type, by path."""
        if not note_type:
            return [note for note in self.notes() if not note.type]
        wanted = f"SELECT {_NOTE} FROM doc WHERE type = ? AND type <> '' AND {self.scope}"
        return sorted(self.made(note_of, wanted, (note_type,)), key=_by_path)

    def text(self, path: str) -> bytes:
        """The plain bytes of a note in this view. Raises UsageError for what is no note in it."""
        if self.commit:
            held = self.held.get(path)
            found = next((data for _, data in tree.texts(self.index.vault, [held] if held else [])), None)
        elif path in self.queued:
            found = self.queued[path]
        else:
            found = self.index.bytes_of(path) if self.index.is_inside(path) else None
        if found is not None:
            return found
        raise UsageError(f"there is no note {path}", "paths are relative to the vault's root")

    def paths(self) -> list[str]:
        """All files that Obsidian shows, of every kind."""
        if self.commit:
            return list(self.held)
        return self.made(lambda row: path_of(row[0]), "SELECT path FROM file")

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
        for note in self.matching(f'marks : "{mark}"', _NOTE, note_of):
            found += [
                (note.path, link)
                for link in note.links
                if link.target and read.link_mark(link.target) == mark and path in self.resolve(link.target, note.path)
            ]
        return sorted(found, key=lambda pair: (pair[0], pair[1].line))

    def matching(self, expression: str, columns: str, make: Callable[[tuple[Any, ...]], T]) -> list[T]:
        """What `make` makes of the rows of doc that an FTS5 expression matches, in no order."""
        tables = ("fts", "past") if self.commit else ("fts",)
        sql = " UNION ALL ".join(
            f"SELECT {columns} FROM doc WHERE id IN (SELECT rowid FROM {table} WHERE {table} MATCH ?1) AND {self.scope}"
            for table in tables
        )
        return self.made(make, sql, (expression,))

    def df(self, stem: str) -> int:
        """How many notes hold a stem."""
        known = self._words if self.commit else self.index.words
        if stem not in known:
            if self.commit:  # counted: the index may know more versions than those
                one = '"' + stem.replace('"', " ") + '"'
                known[stem] = sum(
                    self.ask(f"SELECT count(*) FROM {table} WHERE {table} MATCH ? AND {self.rows}", (one,))[0][0]
                    for table in ("fts", "past")
                )
            else:
                rows = self.ask("SELECT doc FROM word WHERE term = ?", (stem,))
                known[stem] = rows[0][0] if rows else 0
        return known[stem]

    @cached_property
    def size(self) -> tuple[int, float]:
        """How many notes it has, and how many stems one has, on average."""
        notes, stems = self.index.surely(self._size)
        return notes, stems / notes if notes else 0.0

    def _size(self) -> tuple[int, int]:
        return self.index.store.size_of(self.scope) if self.commit else self.index.store.size()

    def ask(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of the index; it is made anew where it turns out to be damaged only now."""
        given = tuple(values)
        return self.index.surely(lambda: self.index.store.ask(sql, given))

    def made(self, make: Callable[[tuple[Any, ...]], T], sql: str, values: Iterable[Any] = ()) -> list[T]:
        """The same, with something made of each row, which damage may forbid."""
        given = tuple(values)
        return self.index.surely(lambda: list(map(make, self.index.store.ask(sql, given))))

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self.paths())


def note_of(row: tuple[Any, ...]) -> Note:
    """From the columns of _NOTE. What a damaged row raises, `View.made` takes for damage."""
    path, oid, note_type, title, day, record = row
    aliases, values, links, tags = json.loads(record)
    linked = tuple(Linked(*link) for link in links)
    return Note(path_of(path), oid, note_type, title, tuple(aliases), day, values, linked, tuple(tags))


def _by_path(note: Note) -> str:
    return note.path
