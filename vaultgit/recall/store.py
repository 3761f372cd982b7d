"""The index's file: SQLite, with FTS5 for the matching. Knows rows, no notes and no git.

`doc` holds one version of a note a row. `fts` indexes those that lie on disk now, `past` those that a commit held and
that somebody asked for; so what is looked for now never depends on what was asked before. Both take words at spaces and
leave them as they are: read.doc has made stems of them.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from functools import partial
from typing import Any
from typing import NamedTuple

from vaultgit.recall import words
from vaultgit.recall.read import Doc
from vaultgit.recall.walk import Stamp

NOW, PAST = "fts", "past"
AT_ONCE = 500  # values of one statement: some builds of SQLite take 999 at most
_HASH = 16 << 20  # bytes that FTS5 gathers before it writes
_WAIT = 20.0  # seconds for another process that writes
_MOST = 2**63 - 1
_PAST_KEPT = 2000  # versions of notes that no longer lie on disk, at least; at most half as many as notes

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE doc (
  id INTEGER PRIMARY KEY, path, oid TEXT, type TEXT, title TEXT, day TEXT, first INTEGER,
  names TEXT, body TEXT, marks TEXT, length INTEGER, record TEXT, asked INTEGER);
CREATE UNIQUE INDEX version ON doc (path, oid);
CREATE INDEX day ON doc (day) WHERE day <> '';
CREATE INDEX type ON doc (type) WHERE type <> '';
CREATE TABLE spelled (stem TEXT, word TEXT, PRIMARY KEY (stem, word)) WITHOUT ROWID;
CREATE TABLE file (path PRIMARY KEY, size, mtime, ctime, inode, racy, doc) WITHOUT ROWID;
CREATE VIRTUAL TABLE fts USING fts5(names, body, marks, content='doc', content_rowid='id', tokenize='ascii');
CREATE VIRTUAL TABLE past USING fts5(names, body, marks, content='doc', content_rowid='id', tokenize='ascii');
CREATE VIRTUAL TABLE word USING fts5vocab('fts', 'row');
CREATE VIRTUAL TABLE pastword USING fts5vocab('past', 'row');
"""
_ADD = (
    "INSERT INTO doc (path, oid, type, title, day, first, names, body, marks, length, record, asked)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ENTER = "INSERT INTO {0} (rowid, names, body, marks) SELECT id, names, body, marks FROM doc WHERE id = ?"
_LEAVE = (
    "INSERT INTO {0} ({0}, rowid, names, body, marks) SELECT 'delete', id, names, body, marks FROM doc WHERE id = ?"
)


class Unusable(Exception):
    """The file cannot serve just now: it is locked, read-only, on a full disk. It is left as it is."""


class Damaged(Exception):
    """The file is no index, or broken: it can go, and be made again."""


class File(NamedTuple):
    """What is known of a file on disk: its stamp, field by field. `doc`: its row, None for what is no note or cannot be
    read; `racy`: it was written so shortly before it was read that its stamp does not tell."""

    path: str
    size: int
    mtime: int
    ctime: int
    inode: int
    racy: bool
    doc: int | None

    @property
    def stamp(self) -> Stamp:
        return Stamp(*self[1:5])


def fitting(stamp: Stamp) -> Stamp:
    """A stamp as SQLite can hold it: some file systems have times after 2262, and numbers of files of 64 bits."""
    return Stamp(*(max(-_MOST, min(number, _MOST)) for number in stamp))


class Store:
    """One open index. Its methods raise Unusable or Damaged, and nothing else, where SQLite refuses."""

    def __init__(self, path: str, edition: str) -> None:
        """`path`: the file, or ":memory:". One of another edition is Damaged."""
        self.path = path
        self._spelled: set[str] = set()
        self._new_words: set[str] = set()
        with _told():
            self.db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, cached_statements=64)
        try:
            with _told():
                self._prepare(edition)
        except BaseException:
            self.db.close()
            raise

    def _prepare(self, edition: str) -> None:
        run = self.db.execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        run("PRAGMA cache_size = -16000")
        run("PRAGMA cell_size_check = ON")  # more damage is seen before it is believed
        if not run("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            with self.writing():
                if not run("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                    for statement in _SCHEMA.strip().split(";\n"):
                        run(statement)
                    for table in (NOW, PAST):  # fewer merges: half the time of a build
                        run(f"INSERT INTO {table} ({table}, rank) VALUES ('automerge', 8)")
                        run(f"INSERT INTO {table} ({table}, rank) VALUES ('hashsize', {_HASH})")
                    run("INSERT INTO meta VALUES ('edition', ?)", (edition,))
        found = run("SELECT value FROM meta WHERE key = 'edition'").fetchone()
        if found is None or found[0] != edition:
            raise Damaged("another edition")

    def close(self) -> None:
        self.db.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """All or nothing; waits for another process that writes."""
        with _told():
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")

    @contextlib.contextmanager
    def supposing(self) -> Iterator[None]:
        """For writes that this connection alone is to see, until `suppose_no_more` or its end: no page of them reaches
        the file. Another process that writes meanwhile waits."""
        with _told():
            self.db.execute("PRAGMA cache_spill = OFF")
            self.db.execute("BEGIN IMMEDIATE")
            yield
            self.db.execute("SELECT 1 FROM word LIMIT 1").fetchone()  # FTS5 brings its averages up to date for this

    def suppose_no_more(self) -> None:
        if self.db.in_transaction:
            with _told():
                self.db.execute("ROLLBACK")
            self._spelled.clear()

    def reading(self) -> contextlib.AbstractContextManager[None]:
        """For work on `db` that needs no turn among those who write."""
        return _told()

    def ask(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        with _told():
            return self.db.execute(sql, tuple(values)).fetchall()

    def patience(self, seconds: float = _WAIT) -> None:
        """How long to wait for another process that writes."""
        with _told():
            self.db.execute(f"PRAGMA busy_timeout = {max(0, round(seconds * 1000))}")

    # -- files on disk ---------------------------------------------------------------------------------------------

    def changes(self) -> int:
        """Another number whenever another process has written."""
        return int(self.ask("PRAGMA data_version")[0][0])

    def files(self) -> dict[str, File]:
        """All that is known of the disk, by path."""
        with _told():
            rows = self.db.execute("SELECT path, size, mtime, ctime, inode, racy, doc FROM file")
            found = {row[0]: row for row in map(partial(tuple.__new__, File), rows)}  # _make takes three times as long
        for path in [path for path in found if path.__class__ is not str]:
            row = found.pop(path)._replace(path=os.fsdecode(path))
            found[row.path] = row
        return found

    def keep_file(self, file: File) -> None:
        self.db.execute("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)", (key(file.path), *file[1:]))

    def drop_file(self, path: str) -> None:
        self.db.execute("DELETE FROM file WHERE path = ?", (key(path),))

    # -- versions of notes -----------------------------------------------------------------------------------------

    def id_of(self, path: str, oid: str) -> tuple[int, bool] | None:
        """The row of a version, and whether it is one of the past; None where it is not known."""
        found = self.ask("SELECT id, asked IS NOT NULL FROM doc WHERE path = ? AND oid = ?", (key(path), oid))
        return (found[0][0], bool(found[0][1])) if found else None

    def add(self, doc: Doc, asked: int | None = None) -> int:
        """A new version: one that lies on disk, or (`asked`: when) one of the past."""
        made = self.db.execute(_ADD, (key(doc.path), *doc[1:-1], asked)).lastrowid
        assert made is not None
        self.db.execute(
            f"INSERT INTO {NOW if asked is None else PAST} (rowid, names, body, marks) VALUES (?, ?, ?, ?)",
            (made, doc.names, doc.body, doc.marks),
        )
        self._new_words |= doc.words
        return made

    def spell(self) -> None:
        """Words that no note had before can be proposed from now on: the last act of a transaction that adds notes."""
        new = self._new_words - self._spelled
        self.db.executemany("INSERT OR IGNORE INTO spelled VALUES (?, ?)", sorted(words.forms(new)))
        self._spelled.update(new)
        self._new_words.clear()

    def size(self) -> tuple[int, int]:
        """How many notes lie on disk, and how many stems all of them have: FTS5's record of averages says it without
        counting (row count, then tokens of each column; FTS5 has kept it so since 2015)."""
        numbers = _numbers(self.ask(f"SELECT block FROM {NOW}_data WHERE id = 1")[0][0])
        return (numbers[0], sum(numbers[1:3])) if len(numbers) > 2 else (0, 0)

    def size_of(self, scope: str) -> tuple[int, int]:
        """The same of some rows, counted. `scope`: SQL, of `id`."""
        rows = [row for table in (NOW, PAST) for row in self.ask(f"SELECT sz FROM {table}_docsize WHERE {scope}")]
        return len(rows), sum(sum(_numbers(row[0])[:2]) for row in rows)

    def revive(self, number: int) -> None:
        """A version of the past lies on disk again."""
        self.db.execute(_LEAVE.format(PAST), (number,))
        self.db.execute("UPDATE doc SET asked = NULL WHERE id = ?", (number,))
        self.db.execute(_ENTER.format(NOW), (number,))

    def forget(self, number: int) -> None:
        """A version no longer lies on disk."""
        self.db.execute(_LEAVE.format(NOW), (number,))
        self.db.execute("DELETE FROM doc WHERE id = ?", (number,))

    def touch(self, numbers: Collection[int], asked: int) -> None:
        """Versions of the past are asked for now; the oldest of the others go when there are too many."""
        self.db.executemany("UPDATE doc SET asked = ? WHERE id = ?", ((asked, number) for number in numbers))
        row = self.db.execute("SELECT count(*), count(asked) FROM doc").fetchone()
        most = max(_PAST_KEPT, (row[0] - row[1]) // 2)
        if row[1] > most:
            old = self.db.execute(
                "SELECT id FROM doc WHERE asked IS NOT NULL AND asked < ? ORDER BY asked LIMIT ?",
                (asked, row[1] - most),
            ).fetchall()
            for (number,) in old:
                self.db.execute(_LEAVE.format(PAST), (number,))
                self.db.execute("DELETE FROM doc WHERE id = ?", (number,))


def _numbers(block: bytes) -> list[int]:
    """Varints as FTS5 writes them one after the other."""
    numbers, value = [], 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(value)
            value = 0
    return numbers


def key(path: str) -> str | bytes:
    """A path as SQLite can hold it: names that are no UTF-8 as bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def path_of(value: str | bytes) -> str:
    """The path that `key` made this of."""
    return value if isinstance(value, str) else os.fsdecode(value)


_ELSEWHERE = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOLFS,
}  # fmt: skip


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in _ELSEWHERE:
            raise Unusable(str(error)) from error
        raise Damaged(str(error)) from error
