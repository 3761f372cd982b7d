"""How far each log was read, and which records were: a cache (promise P7).

What was written into the vault is told by history (`covered`); this only spares reading it again. Beside that it knows
what was read and held nothing worth keeping. Without it at most that is looked at once more.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import NamedTuple

from vaultgit.agents.dialogue import Turn
from vaultgit.errors import VaultgitError
from vaultgit.history import private

FILE = "capture.db"
_VERSION = 2
_WORDED = 20  # characters
_TABLES = """
create table if not exists log (path blob primary key, client text, conversation blob, size integer, mtime integer,
  inode integer, offset integer, proof text, last real, anchor integer, passed integer, own integer) without rowid;
create table if not exists seen (key blob primary key) without rowid;
create table if not exists fact (name text primary key, value text) without rowid;
"""


class Cursor(NamedTuple):
    """One log. `size`, `mtime`, `inode`: as it was when all of it had been seen to (size -1: something waits).

    `offset`: where reading goes on, the beginning of a line. `proof`: that the bytes before are still the same
    (logs.proof). `last`: seconds since 1970 of the youngest turn that was read. `anchor`: where the turns begin that
    explain the next one. `passed`: whether turns were left out that a program had written. `own`: a session of ours.
    """

    path: str
    client: str
    conversation: str
    size: int = -1
    mtime: int = 0
    inode: int = 0
    offset: int = 0
    proof: str = ""
    last: float = 0.0
    anchor: int = 0
    passed: bool = False
    own: bool = False


class Cursors:
    """The cursors of a vault, for one run at a time (the pass holds a lock)."""

    def __init__(self, folder: str) -> None:
        self.file = os.path.join(folder, FILE)
        try:
            private.make(folder)
            self.db = self._opened()
        except (OSError, sqlite3.Error) as error:
            mend = f"make {folder} writable; it may also be deleted: it is rebuilt"
            raise VaultgitError(f"{self.file} cannot be used: {error}", mend) from error

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except sqlite3.DatabaseError:
            for ending in ("", "-wal", "-shm", "-journal"):  # damaged, or of another version: it is derived
                try:
                    os.unlink(self.file + ending)
                except FileNotFoundError:
                    pass
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.file, timeout=10, isolation_level=None)
        try:
            version = db.execute("pragma user_version").fetchone()[0]
            if version not in (0, _VERSION):
                raise sqlite3.DatabaseError("another version")
            db.execute("pragma synchronous = off")  # what is lost is read again
            db.executescript(_TABLES)
            db.execute(f"pragma user_version = {_VERSION}")
            if db.execute("pragma quick_check(1)").fetchone()[0] != "ok":
                raise sqlite3.DatabaseError("damaged")
        except BaseException:
            db.close()
            raise
        os.chmod(self.file, 0o600)
        return db

    def close(self) -> None:
        self.db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.db.execute("begin immediate")
        try:
            yield
            self.db.execute("commit")
        except BaseException:
            if self.db.in_transaction:  # a full disk has ended it already
                self.db.execute("rollback")
            raise

    def all(self) -> dict[str, Cursor]:
        rows = self.db.execute("select * from log").fetchall()
        cursors = (
            Cursor._make((os.fsdecode(row[0]), row[1], os.fsdecode(row[2]), *row[3:10], bool(row[10]), bool(row[11])))
            for row in rows
        )  # fmt: skip
        return {cursor.path: cursor for cursor in cursors}

    def put(self, cursor: Cursor) -> None:
        row = (os.fsencode(cursor.path), cursor.client, os.fsencode(cursor.conversation), *cursor[3:])
        self.db.execute(f"replace into log values ({','.join('?' * 12)})", row)

    def drop(self, path: str) -> None:
        self.db.execute("delete from log where path = ?", (os.fsencode(path),))

    def fact(self, name: str) -> str:
        row = self.db.execute("select value from fact where name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def note(self, name: str, value: str) -> None:
        self.db.execute("replace into fact values (?, ?)", (name, value))

    def mark(self, keys: Iterable[bytes]) -> None:
        self.db.executemany("insert or ignore into seen values (?)", ((key,) for key in keys))

    def knows(self, keys: Iterable[bytes]) -> bool:
        """Whether one of these was seen."""
        return any(self.db.execute("select 1 from seen where key = ?", (key,)).fetchone() for key in keys)


def keys(client: str, turn: Turn) -> tuple[bytes, ...]:
    """What tells a turn's copies from others: the record's id; and, since some clients give copies new ids, its time
    and words."""
    found = [_hashed(client, "id", turn.key)]
    if turn.when is not None:
        found.append(_hashed(client, "said", turn.when.isoformat(), turn.by, turn.text))
    return tuple(found)


def worded(client: str, conversation: str, turn: Turn) -> tuple[bytes, ...]:
    """What tells a turn from what was said before in a conversation whose log was rewritten, with new ids and times:
    its words, where they are more than a yes."""
    return (_hashed(client, "words", conversation, turn.by, turn.text),) if len(turn.text) >= _WORDED else ()


def _hashed(*parts: str) -> bytes:
    text = "\0".join(parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
