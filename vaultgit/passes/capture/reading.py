"""What is new in a log: turns that nobody has seen to yet, in pieces of one day each.

A turn is taken once, whatever the file did meanwhile. Where the file is still the one that was read (its proof says
so), reading goes on behind what was read. Where it shrank, was rewritten or replaced, all of it is looked through, and
only what is unknown by its id and younger than all that was read is taken: never blindly again.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable
from datetime import date
from datetime import datetime
from datetime import timedelta
from datetime import tzinfo
from typing import NamedTuple

from vaultgit.agents.dialogue import ASSISTANT
from vaultgit.agents.dialogue import PERSON
from vaultgit.agents.dialogue import Opening
from vaultgit.agents.dialogue import Turn
from vaultgit.checks.secrets import redact
from vaultgit.notes.plain import visible
from vaultgit.passes.capture import aimed
from vaultgit.passes.capture import logs
from vaultgit.passes.capture.cursors import Cursor
from vaultgit.passes.capture.cursors import Cursors
from vaultgit.passes.capture.cursors import keys
from vaultgit.passes.capture.cursors import worded
from vaultgit.passes.capture.logs import Found
from vaultgit.passes.engines.command import FOLDER as ENGINE_FOLDER
from vaultgit.passes.engines.prompt import SENTINEL
from vaultgit.passes.engines.prompt import STARTS

_CONTEXT = 2  # turns before a piece that explain it
_NEAR = 256 << 10  # bytes: context that lies further back is not worth reading again
_HEAD, _TAIL = 12_000, 8_000  # characters of a turn that are read, at both ends: between them is what was pasted
_BY = len("- person: \n\n")  # characters of a turn in a prompt beside its own
_TURN = 100  # that it weighs in memory
_QUIET = timedelta(minutes=10)  # a log that nobody wrote to for so long: its last line is whole without an LF, too
_OPENED = 20  # records among which a log says what it is
_ENGINE = re.compile(rf"{re.escape(ENGINE_FOLDER)}[a-z0-9_]{{8}}$")  # as tempfile names it
_AHEAD = timedelta(days=1)  # a clock that is further ahead is wrong


class Wanted(NamedTuple):
    """What is to be taken. `horizon`: nothing that was said before. `again`: also what lies before a cursor, if nobody
    has seen it. `headless`: also what a program said. `zone`: whose days; None: the machine's."""

    horizon: datetime
    now: datetime
    zone: tzinfo | None = None
    again: bool = False
    headless: bool = False


class Said(NamedTuple):
    """A turn with its place: `end` of its record; `keys` against copies."""

    turn: Turn
    end: int
    keys: tuple[bytes, ...]

    @property
    def chars(self) -> int:
        """Characters in a prompt."""
        return len(self.turn.text) + _BY


class Piece(NamedTuple):
    """Turns of a conversation that follow one another, all of one day. `start`: bytes before it are seen to."""

    found: Found
    day: date
    said: tuple[Said, ...]
    before: tuple[Turn, ...]
    start: int

    @property
    def end(self) -> int:
        return self.said[-1].end

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(one.turn for one in self.said)

    @property
    def chars(self) -> int:
        return sum(one.chars for one in self.said)

    @property
    def weight(self) -> int:
        """Characters that it counts for in memory and time, where a turn of one word is no less than a sentence."""
        return self.chars + len(self.said) * _TURN


class Look(NamedTuple):
    """What reading a log came to. `cursor`: as it is once all pieces are seen to. `more`: it was not read to its end.
    `skipped`: lines that are no records. `redacted`, `aimed`: secrets and instructions to AI tools that were taken
    out."""

    cursor: Cursor
    pieces: tuple[Piece, ...] = ()
    more: bool = False
    skipped: int = 0
    redacted: int = 0
    aimed: int = 0
    last: float = 0.0  # as the cursor had it before
    passed: bool = False  # whether turns were left out that a program had written


def is_unchanged(found: Found, cursor: Cursor | None, wanted: Wanted) -> bool:
    """Whether nothing can be new in a log, told without opening it."""
    if cursor is None:
        return found.mtime_ns / 1e9 < wanted.horizon.timestamp()
    same = (cursor.size, cursor.mtime, cursor.inode) == (found.size, found.mtime_ns, found.inode)
    return same and not (wanted.again or (wanted.headless and cursor.passed))


def read(
    found: Found, cursor: Cursor | None, store: Cursors, wanted: Wanted, most: int, taken: set[bytes]
) -> Look:  # fmt: skip
    """Reads a log, up to about `most` characters of speech (Piece.weight). `taken`: keys of what this run has taken
    from other logs, to which this one's are added. Raises OSError where it cannot be read."""
    client, path = found.client, found.path
    fresh = Cursor(path, client.NAME, found.conversation, found.size, found.mtime_ns, found.inode)
    old = cursor or fresh
    opening = _opening(found)
    if opening.helper or old.own or _is_ours(opening.folder):
        return Look(_ours(old, fresh))
    same = cursor is not None and old.offset > 0 and logs.proof(path, old.offset) == old.proof
    lost = cursor is not None and old.offset > 0 and not same  # else it was never read
    again = wanted.again or (wanted.headless and old.passed)
    begin = old.offset if same and not again else logs.since(path, found.size, wanted.horizon)
    if same and not again and 0 <= old.offset - old.anchor <= _NEAR:
        begin = old.anchor
    offset, younger = old.offset if same and not again else 0, old.last if lost else 0.0
    reader = _Reader(found, old, store, wanted, offset, younger, taken)
    reader.left = max(begin, reader.offset)
    at_start, more, end = begin == 0, False, begin
    quiet = found.mtime_ns / 1e9 < (wanted.now - _QUIET).timestamp()
    for record in logs.records(path, begin, rest=quiet):
        if reader.weight >= most and record.start >= reader.offset:
            more = True
            break
        end = record.end
        if record.data is None:
            reader.skipped += record.start >= reader.offset
            continue
        gone = client.withdrawn(record.data)
        if gone is not None:
            reader.withdraw(gone)
        for turn in client.turns(record.data, opening):
            if _is_ours(turn.folder) or (turn.by == PERSON and (at_start or turn.headless) and _asks_us(turn.text)):
                return Look(_ours(old, fresh))
            at_start = at_start and turn.by != PERSON
            reader.take(turn, record.start, record.end)
    return reader.look(fresh, max(end, old.offset if same else 0), more)


def keys_between(found: Found, start: int, end: int) -> list[bytes]:
    """The keys of all turns in a part of a log. Raises OSError."""
    opening = _opening(found)
    collected: list[bytes] = []
    for record in logs.records(found.path, start, rest=True):
        if record.end > end:
            break
        for turn in found.client.turns(record.data or {}, opening):
            collected += (*keys(found.client.NAME, turn), *worded(found.client.NAME, found.conversation, turn))
    return collected


def _ours(old: Cursor, fresh: Cursor) -> Cursor:
    """The cursor of a log of which nothing is read: an engine that we started, or agents among themselves."""
    return old._replace(size=fresh.size, mtime=fresh.mtime, inode=fresh.inode, own=True)


def _opening(found: Found) -> Opening:
    """What a log says about the whole conversation, among its first records. Raises OSError."""
    told = (found.client.opening(record) for record in logs.heads(found.path, _OPENED))
    return next((one for one in told if one is not None), found.client.UNOPENED)


def _is_ours(folder: str) -> bool:
    """Whether a client worked in a folder that an engine of ours was given."""
    return any(_ENGINE.match(part) for part in folder.split(os.sep)[-2:])


def _asks_us(text: str) -> bool:
    """Whether it is a prompt of ours: its sentinel, and what follows it in each."""
    return any(line.strip() == SENTINEL for line in text.split("\n")) and STARTS.search(text) is not None


class _Reader:
    """Collects turns, one log at a time."""

    def __init__(
        self, found: Found, old: Cursor, store: Cursors, wanted: Wanted, offset: int, younger: float, taken: set[bytes]
    ) -> None:  # fmt: skip
        self.found, self.old, self.store, self.wanted = found, old, store, wanted
        self.offset, self.younger = offset, younger
        self.pieces: list[tuple[date, list[Said], tuple[Turn, ...], int]] = []
        self.recent: deque[tuple[Turn, int]] = deque(maxlen=_CONTEXT)  # turns and where their records begin
        self.taken = taken
        self.left = 0  # bytes before are seen to
        self.open = False  # whether the last piece goes on
        self.weight = self.skipped = self.redacted = self.aimed = 0
        self.passed = False
        self.last = old.last
        self.when = min(datetime.fromtimestamp(found.mtime_ns / 1e9).astimezone(), wanted.now)

    def take(self, turn: Turn, start: int, end: int) -> None:
        """Sees to a turn: one more of the last piece, the first of a new one, or none of ours."""
        if turn.when is not None:
            self.when = min(turn.when, self.wanted.now) if turn.when > self.wanted.now + _AHEAD else turn.when
        name = self.found.client.NAME
        given, words = keys(name, turn), worded(name, self.found.conversation, turn)
        new = self._is_new(turn, start, (*given, *words) if self.younger else given)
        self.last = max(self.last, self.when.timestamp())
        if start >= self.offset and turn.headless and not self.wanted.headless:
            self.passed = True
        text = self._cleaned(turn.text, new)
        clean = turn._replace(text=text, when=self.when)
        if new:
            self.taken.update(given)
            self._add(Said(clean, end, (*given, *words)))
        elif start >= self.offset:
            self.open, self.left = False, end
        if text.strip():
            self.recent.append((clean, start))

    def withdraw(self, text: str) -> None:
        """What nobody said: the client wrote its summary down as if the assistant had."""
        wanted, _ = redact(visible(text.strip()))
        for _, said, _, _ in reversed(self.pieces[-1:]):
            for place in range(len(said) - 1, max(-1, len(said) - 4), -1):
                if said[place].turn.by == ASSISTANT and said[place].turn.text.strip()[:200] == wanted[:200]:
                    gone = said[place]
                    said[place] = gone._replace(turn=gone.turn._replace(text=""))
                    self.weight -= len(gone.turn.text)
                    return

    def _is_new(self, turn: Turn, start: int, given: Iterable[bytes]) -> bool:
        if start < self.offset or (turn.headless and not self.wanted.headless):
            return False
        said = turn.when or self.when  # as its own clock has it, wrong or not: the order of a conversation is by that
        if self.when < self.wanted.horizon or (self.younger and said.timestamp() <= self.younger):
            return False
        return not self.taken.intersection(given) and not self.store.knows(given)

    def _cleaned(self, text: str, count: bool) -> str:
        """Without secrets and without instructions to AI tools: before anything quotes it, or sends it anywhere."""
        text, secrets = redact(visible(text).strip())  # all of it: of a key that is cut nobody sees that it is one
        ends = (
            [text]
            if len(text) <= _HEAD + _TAIL
            else [text[:_HEAD].rsplit(None, 1)[0], text[-_TAIL:].split(None, 1)[-1]]
        )
        cleaned = [aimed.without(part) for part in ends]
        if count:
            self.redacted, self.aimed = self.redacted + secrets, self.aimed + sum(orders for _, orders in cleaned)
        return "\n\n…\n\n".join(part for part, _ in cleaned)

    def _add(self, said: Said) -> None:
        zone = self.wanted.zone
        day = (self.when.astimezone(zone) if zone else self.when.astimezone()).date()
        if not self.open or self.pieces[-1][0] != day:
            start = self.pieces[-1][1][-1].end if self.open else self.left
            self.pieces.append((day, [], tuple(turn for turn, _ in self.recent), start))
        piece = self.pieces[-1][1]
        if piece and _is_begun(piece[-1].turn, said.turn):
            piece[-1] = piece[-1]._replace(turn=piece[-1].turn._replace(text=""))
        piece.append(said)
        self.weight += said.chars + _TURN
        self.open = True

    def look(self, fresh: Cursor, end: int, more: bool) -> Look:
        pieces = tuple(Piece(self.found, day, tuple(said), before, start) for day, said, before, start in self.pieces)
        anchor = min((start for _, start in self.recent), default=self.old.anchor)
        cursor = fresh._replace(
            offset=end, proof=logs.proof(self.found.path, end), last=self.last, anchor=anchor,
            passed=self.passed or (self.old.passed and not self.wanted.headless),
            size=-1 if more else fresh.size,
        )  # fmt: skip
        return Look(cursor, pieces, more, self.skipped, self.redacted, self.aimed, self.old.last, self.passed)


def _is_begun(one: Turn, whole: Turn) -> bool:
    """Whether a client wrote a text down while it was still coming, and now all of it."""
    both = one.by == whole.by == ASSISTANT
    return both and bool(one.text) and len(whole.text) > len(one.text) and whole.text.startswith(one.text)
