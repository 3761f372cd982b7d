"""The index: a cache of what the notes say, keyed by path and blob oid, so that an unchanged note is never read again.

It is brought up to date by a walk over the vault (nothing watches it), holds versions that commits hold beside those on
disk, and may be deleted at any time (promise P7). Where its file cannot be used (read-only, a full disk, locked by a
process that hangs), the same index is made in memory, for this process alone; a damaged one is made anew.
"""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING
from typing import TypeVar

from vaultgit.history import private
from vaultgit.recall import read
from vaultgit.recall import tree
from vaultgit.recall import walk
from vaultgit.recall.store import Damaged
from vaultgit.recall.store import File
from vaultgit.recall.store import Store
from vaultgit.recall.store import Unusable
from vaultgit.recall.store import fitting
from vaultgit.recall.store import key
from vaultgit.recall.store import path_of
from vaultgit.recall.view import Linked as Linked
from vaultgit.recall.view import Note as Note
from vaultgit.recall.view import View as View
from vaultgit.recall.walk import Stamp
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Vault
from vaultgit.vault import leads_away

if TYPE_CHECKING:
    import hashlib

T = TypeVar("T")
FOLDER = "search"  # below vault.cache
_BATCH, _BATCH_BYTES = 2000, 16_000_000  # of a transaction: what a kill loses, and another process waits for
_TICK = 100_000_000  # nanoseconds: a file written within them of being read may change again under the same stamp
_COARSE = 2_000_000_000  # the same where a file system keeps whole seconds
# SQLite sees no damage within a value; what reads it does.
_GARBLED = (TypeError, ValueError, LookupError, AttributeError, OverflowError)


class Index:
    """The index of one vault. `progress`: told of each batch of notes that was read, with their number."""

    def __init__(self, vault: Vault, progress: Callable[[int], object] | None = None) -> None:
        self.vault, self.progress = vault, progress
        self.trouble = ""  # why it is in memory
        self.made = 0  # how often it was made anew: the numbers of rows are others then
        self.disk = Disk(vault.root)
        self._edition = _edition(vault.rules)
        self._known: tuple[int, dict[str, File]] | None = None
        self._views = 0
        self._given: weakref.WeakSet[View] = weakref.WeakSet()
        self.queued: dict[str, bytes | None] = {}  # what is seen as if it lay on disk; None: gone
        self.words: dict[str, int] = {}  # for search: how many notes hold a word; emptied by changes
        self.store = self._opened()

    def close(self) -> None:
        self.store.close()

    # -- views -----------------------------------------------------------------------------------------------------

    def now(self, *, within: float | None = None, queued: Mapping[str, bytes | None] = {}) -> View:
        """The vault as it lies on disk. `within` (seconds): answers from what is known when the time is over. `queued`:
        path -> text (None: gone) that is seen as if it lay there. It is in no file: it goes with the index, or when
        another view is asked for."""
        deadline = None if within is None else time.monotonic() + within
        self._lift()
        view = View(self)
        view.stale = not self.surely(lambda: self._refreshed(deadline))
        self._given.add(view)
        self.queued = {path: data for path, data in queued.items() if self.is_inside(path)}
        if self.queued and not self.surely(lambda: self._laid(deadline)):
            view.stale = True
            self._lift()
        return view

    def at(self, commit: str) -> View:
        """The vault as a commit holds it."""
        self._lift()
        view = View(self, commit)
        for file in tree.files(self.vault, commit):
            if not file.path.startswith(".") and "/." not in file.path:
                view.held[file.path] = file
        self._views += 1
        view.scope = f"id IN temp.view{self._views}"
        self.surely(lambda: self._entered(view))
        self._given.add(view)
        return view

    def surely(self, work: Callable[[], T]) -> T:
        """What `work` returns, done again with an index made anew where the file is damaged, in memory where it cannot
        be used."""
        try:
            return work()
        except (Damaged, *_GARBLED):
            self._again(anew=True)
        except Unusable as error:
            self.trouble = str(error)
            self._again(anew=False)
        try:
            self._refill()
            return work()
        except (Damaged, Unusable) as error:  # the new file fails, too: a broken disk
            self.trouble = str(error)
            self._again(anew=False)
        self._refill()
        return work()

    def is_inside(self, path: str) -> bool:
        """Whether a path leads to something that the vault shows, links followed."""
        try:
            return not leads_away(self.vault.root, self.vault.full(path))
        except (OSError, ValueError):
            return False

    def bytes_of(self, path: str) -> bytes | None:
        """A note's bytes as they lie; None for what is no plain file inside the vault, or cannot be read."""
        full = self.vault.full(path)
        try:
            if os.path.islink(full) and not self.is_inside(path):
                return None
            return self.disk.read(path)
        except (OSError, ValueError):
            return None

    # -- the file --------------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """Where the index of this vault and work tree lies."""
        place = f"{self.vault.repo.place}\0{self.vault.prefix}"
        name = "index"
        if place != ".\0":
            import hashlib

            name = hashlib.sha256(os.fsencode(place)).hexdigest()[:12]
        return os.path.join(self.vault.cache, FOLDER, f"{name}.db")

    def _opened(self) -> Store:
        try:
            private.make(os.path.dirname(self.path))
            try:
                return Store(self.path, self._edition)
            except Damaged:
                self._remove()
                return Store(self.path, self._edition)
        except (OSError, Unusable, Damaged) as error:
            self.trouble = str(error)
            return Store(":memory:", self._edition)

    def _again(self, *, anew: bool) -> None:
        self.store.close()
        self.made += 1
        self._known = None
        self.words.clear()
        if anew and self.store.path != ":memory:":
            with contextlib.suppress(OSError):
                self._remove()
            self.store = self._opened()
        else:
            self.store = Store(":memory:", self._edition)

    def _remove(self) -> None:
        """Raises OSError where something that is no file of ours stands there."""
        for ending in ("-wal", "-shm", "-journal", ""):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path + ending)

    def _refill(self) -> None:
        """What views given out already need of a new file."""
        for view in self._given:
            if view.commit:
                self._entered(view)
        if any(not view.commit for view in self._given):
            self._refreshed(None)
        if self.queued:
            self._laid(None)

    # -- now -------------------------------------------------------------------------------------------------------

    def _refreshed(self, deadline: float | None) -> bool:
        """Brings the rows up to date with the disk; False where the time is over first."""
        while True:
            version, known = self._files()
            begun = time.time_ns()
            gone = set(known)
            changed: list[tuple[str, Stamp]] = []
            try:
                for path, stamp in walk.files(self.vault.root, deadline):
                    gone.discard(path)
                    there = known.get(path)
                    if there is None or there[1:5] != stamp:
                        stamp = fitting(stamp)
                        if there is None or there[1:5] != stamp:
                            changed.append((path, stamp))
                            continue
                    if there[5] and self._differs(path, there, begun):
                        changed.append((path, stamp))
            except walk.TooLate:
                return False
            if not changed and not gone:
                return True
            if deadline is not None:
                self.store.patience(deadline - time.monotonic())
            try:
                done = self._taken(changed, gone, version, known, begun, deadline)
            except Unusable:
                if deadline is None:
                    raise
                return False  # another process writes
            finally:
                self.store.patience()
            if done is not None:
                return done

    def _files(self) -> tuple[int, dict[str, File]]:
        version = self.store.changes()
        if self._known is None or self._known[0] != version:
            self._known = version, self.store.files()
            self.words.clear()
        return self._known

    def _differs(self, path: str, there: File, begun: int) -> bool:
        """Whether a file that was written just before it was read needs a look into the index: its bytes are others, or
        its stamp can be trusted from now on."""
        if not _is_racy(there.stamp, begun):
            return True
        data = self.bytes_of(path)
        rows = self.store.ask("SELECT oid FROM doc WHERE id = ?", (there.doc,))
        return (None if data is None else self.oid(data)) != (rows[0][0] if rows else None)

    def _taken(
        self, changed: list[tuple[str, Stamp]], gone: set[str], version: int, known: dict[str, File], begun: int,
        deadline: float | None,
    ) -> bool | None:  # fmt: skip
        """Reads what changed. True when all is in, False when the time is over, None when another process wrote
        meanwhile, so that everything has to be looked at again."""
        store = self.store
        self.words.clear()
        try:
            for batch in _batches(changed):
                with store.writing():
                    if store.changes() != version:
                        return None
                    for path in gone:
                        self._drop(path, known)
                    gone = set()
                    for path, stamp in batch:
                        if deadline is not None and time.monotonic() > deadline:
                            store.spell()
                            return False
                        self._take(path, stamp, known, begun)
                    store.spell()
                if self.progress is not None:
                    self.progress(len(batch))
        except BaseException:
            self._known = None  # what was rolled back is in `known`
            raise
        return True

    def _take(self, path: str, stamp: Stamp, known: dict[str, File], begun: int) -> None:
        before = known.get(path)
        data = self.bytes_of(path) if stamp != walk.NO_NOTE else None
        number = None
        if data is not None:
            number = self._row(path, data)
        if before is not None and before.doc is not None and before.doc != number:
            self.store.forget(before.doc)
        file = File(path, *stamp, _is_racy(stamp, begun), number)
        self.store.keep_file(file)
        known[path] = file

    def _row(self, path: str, data: bytes) -> int:
        """The row of a version that lies on disk now."""
        oid = self.oid(data)
        number, past = self.store.id_of(path, oid) or (None, False)
        if number is None:
            return self.store.add(read.doc(self.vault.rules, path, oid, data))
        if past:
            self.store.revive(number)
        return number

    def _drop(self, path: str, known: dict[str, File]) -> None:
        there = known.pop(path)
        if there.doc is not None:
            self.store.forget(there.doc)
        self.store.drop_file(path)

    # -- what is queued --------------------------------------------------------------------------------------------

    def _laid(self, deadline: float | None) -> bool:
        """Puts what is queued over the rows; False where another process writes until the time is over."""
        self.store.suppose_no_more()
        self.words.clear()
        if deadline is not None:
            self.store.patience(deadline - time.monotonic())
        try:
            with self.store.supposing():
                for path, data in self.queued.items():
                    for (number,) in self.store.ask(
                        "SELECT id FROM doc WHERE path = ? AND asked IS NULL", (key(path),)
                    ):
                        self.store.forget(number)
                    self.store.drop_file(path)
                    if data is not None:
                        doc = self._row(path, data) if path[-3:].lower() == ".md" else None
                        self.store.keep_file(File(path, *walk.NO_NOTE, False, doc))
                self.store.spell()
        except Unusable:
            if deadline is None:
                raise
            return False
        finally:
            self.store.patience()
        return True

    def _lift(self) -> None:
        """What was queued is seen no more."""
        if self.queued:
            self.queued = {}
            self.words.clear()
            self.store.suppose_no_more()

    # -- a commit --------------------------------------------------------------------------------------------------

    def _entered(self, view: View) -> None:
        """The versions that a commit holds are rows; those not known yet are read from git."""
        wanted = {(file.path, file.oid): file for file in view.held.values() if file.path[-3:].lower() == ".md"}
        known = self._versions()
        missing = [file for version, file in wanted.items() if version not in known]
        if missing:
            asked = 1 + (self.store.ask("SELECT max(asked) FROM doc")[0][0] or 0)
            for first in range(0, len(missing), _BATCH):
                batch = missing[first : first + _BATCH]
                with self.store.writing():
                    for file, data in tree.texts(self.vault, batch):
                        if self.store.id_of(file.path, file.oid) is None:
                            self.store.add(read.doc(self.vault.rules, file.path, file.oid, data), asked)
                    self.store.spell()
                if self.progress is not None:
                    self.progress(len(batch))
            known = self._versions()
            with self.store.writing():
                self.store.touch([known[one][0] for one in wanted if one in known and known[one][1]], asked)
        table = view.scope.removeprefix("id IN ")
        ids = [(known[one][0],) for one in wanted if one in known]
        with self.store.reading():
            self.store.db.execute(f"DROP TABLE IF EXISTS {table}")
            self.store.db.execute(f"CREATE TEMP TABLE {table.removeprefix('temp.')} (id INTEGER PRIMARY KEY)")
            self.store.db.execute("BEGIN")
            self.store.db.executemany(f"INSERT INTO {table} VALUES (?)", ids)
            self.store.db.execute("COMMIT")

    def _versions(self) -> dict[tuple[str, str], tuple[int, bool]]:
        rows = self.store.ask("SELECT path, oid, id, asked IS NOT NULL FROM doc")
        return {(path_of(path), oid): (number, bool(past)) for path, oid, number, past in rows}

    # -- git's name for bytes --------------------------------------------------------------------------------------

    def oid(self, data: bytes) -> str:
        """The oid of the blob that bytes are, in this repository's format."""
        digest = self._digest.copy()
        digest.update(b"blob %d\0" % len(data))
        digest.update(data)
        return digest.hexdigest()

    @cached_property
    def _digest(self) -> hashlib._Hash:
        import hashlib  # 6 ms, and a search that finds nothing changed needs none

        name = self.vault.repo.setting("extensions.objectformat", "sha1").lower()
        return hashlib.new(name, usedforsecurity=False)


def _batches(changed: list[tuple[str, Stamp]]) -> Iterator[list[tuple[str, Stamp]]]:
    """In parts of some work each; one at least."""
    part: list[tuple[str, Stamp]] = []
    size = 0
    for path, stamp in changed:
        part.append((path, stamp))
        size += min(stamp.size, read.MOST)
        if len(part) >= _BATCH or size >= _BATCH_BYTES:
            yield part
            part, size = [], 0
    if part or not changed:
        yield part


@contextlib.contextmanager
def opened(vault: Vault, progress: Callable[[int], object] | None = None) -> Iterator[Index]:
    """The vault's index, not brought up to date yet; `now` and `at` do that."""
    index = Index(vault, progress)
    try:
        yield index
    finally:
        index.close()


def _is_racy(stamp: Stamp, begun: int) -> bool:
    written = max(stamp.mtime, stamp.ctime)
    return written > begun - (_COARSE if written % 1_000_000_000 == 0 else _TICK)


def _edition(rules: Rules) -> str:
    """What the rows depend on besides the notes: this program's way of reading, and the vault's settings."""
    import unicodedata

    folders = sorted((name, rules.folder(name)) for name in rules.types.names)
    told = (read.EDITION, unicodedata.unidata_version, rules.settings.type_key, folders, rules.daily[:2],
            rules.obsidian.templates, rules.obsidian.template_notes)  # fmt: skip
    return repr(told)
