"""One run of capture: from the logs to the daily notes.

Nothing is written twice: a commit says which bytes of which log it covers, and what history or the queue covers is
never looked at again, whether or not we lived to note it. Nothing is lost: a cursor moves when the edit is safe, or
when nothing was worth it. A run with nothing new costs nothing: no model, no commit.
"""

from __future__ import annotations

import sqlite3
import zoneinfo
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from datetime import date
from datetime import datetime
from datetime import timedelta
from datetime import tzinfo
from typing import NamedTuple

from vaultgit import agents
from vaultgit.agents.dialogue import PERSON
from vaultgit.checks.secrets import redact
from vaultgit.clock import Clock
from vaultgit.edits import submit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import session_word
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.passes import session
from vaultgit.passes.capture import block
from vaultgit.passes.capture import logs
from vaultgit.passes.capture import newday
from vaultgit.passes.capture import reading
from vaultgit.passes.capture import state as states
from vaultgit.passes.capture import syncing
from vaultgit.passes.capture.batches import batches
from vaultgit.passes.capture.covered import TRAILER
from vaultgit.passes.capture.covered import UNTIL
from vaultgit.passes.capture.covered import Range
from vaultgit.passes.capture.cursors import Cursor
from vaultgit.passes.capture.cursors import Cursors
from vaultgit.passes.capture.logs import Found
from vaultgit.passes.capture.reading import Look
from vaultgit.passes.capture.reading import Piece
from vaultgit.passes.capture.reading import Wanted
from vaultgit.passes.engines import NOT_ASKED
from vaultgit.passes.engines import Engine
from vaultgit.vault import Vault
from vaultgit.vault import daily_path

AGENT = "vaultgit"
FIRST = timedelta(hours=24)  # the first run looks back so far
SLICE = 40_000  # characters of one prompt: longer ones are cut between turns
_SHORTEST = 2_000  # of one, where the day's ceiling is low
ROUND = 2_000_000  # characters of speech that are held at once (Piece.weight)
_ONLY_WAIT = 20.0  # seconds that a recap waits for a run that is at work


class Ask(NamedTuple):
    """What is wanted of a run. `since`: what was said since then, too. `only`: a log's path or a conversation's id.
    `now`: however little there is, and though the engine failed just before."""

    since: datetime | None = None
    headless: bool = False
    only: str = ""
    now: bool = False
    dry_run: bool = False
    agent: str = AGENT


class Written(NamedTuple):
    """A note that got a block. `result`: None in a dry run."""

    path: str
    text: str
    items: int
    result: Result | None


class Report(NamedTuple):
    """What a run came to. `people`, `agents`: turns that were new. `logs`: conversations that had any. `skipped`: lines
    that are no records; `redacted`, `aimed`: secrets and instructions to AI tools that were left out. `waiting`:
    characters that are too few yet. `problems`: what could not be read. `postponed`: why nothing more was written.
    `there`: logs there are; `programs`: those of which turns were left out that a program had written. `closed`: what
    became of sessions that nobody had ended."""

    written: tuple[Written, ...] = ()
    people: int = 0
    agents: int = 0
    logs: int = 0
    skipped: int = 0
    redacted: int = 0
    aimed: int = 0
    waiting: int = 0
    problems: tuple[str, ...] = ()
    postponed: str = ""
    busy: bool = False
    there: int = 0
    programs: int = 0
    closed: tuple[Result, ...] = ()


def run(
    vault: Vault,
    clock: Clock,
    ask: Ask,
    *,
    engine: Engine | None,
    environ: Mapping[str, str],
    home: str,
    tick: Callable[[int], None] = lambda _: None,
) -> Report:
    """One run; at most one at a time. Raises VaultgitError where nothing can be read or noted at all."""
    with states.only_run(vault, _ONLY_WAIT if ask.only or ask.now or ask.since else 0.0) as alone:
        if not alone:
            return Report(busy=True)
        known, now = states.load(vault), clock.now()
        before = known.horizon if known.horizon and known.horizon <= now else None  # else the clock was wrong
        horizon = min([when for when in (before, ask.since) if when is not None], default=now - FIRST)
        wider = known.wider or (before is not None and horizon < before)
        if not ask.dry_run:
            submit.drain(vault, clock)
        headless = ask.headless or vault.settings.capture.include_headless
        wanted = Wanted(horizon, now, _zone(vault), again=wider, headless=headless)
        store = Cursors(vault.cache)
        one = _Run(vault, clock, ask, engine, store, wanted, known._replace(horizon=horizon, time=now, wider=wider))
        try:
            found, unread = logs.find(agents.LOGS, environ, home)
            report = one.all(found, unread, tick)
        except VaultgitError as error:
            one.end(ok=False, words=error.message)
            raise
        except sqlite3.Error as error:
            one.end(ok=False, words=f"{store.file}: {error}")
            raise VaultgitError(f"{store.file}: {error}", "is the disk full? the file may also be deleted") from error
        finally:
            store.close()
        one.end(ok=not report.postponed, words=report.postponed or _words(report), waiting=report.waiting)
        if ask.dry_run or ask.only:
            return report
        since = (now - session.IDLE).timestamp()
        at_work = [log.conversation for log in found if log.mtime_ns / 1e9 > since]
        talking = {name for one in at_work for name in (one, session_word(one))}
        return report._replace(closed=tuple(session.close_left(vault, clock, at_work=talking, who="capture")))


def _words(report: Report) -> str:
    notes = list(dict.fromkeys(one.path for one in report.written))
    if notes:
        return f"{sum(one.items for one in report.written)} items in {', '.join(notes)}"
    if report.waiting:
        return f"{report.waiting} characters wait for more ([capture] min_chars); now: vaultgit capture --now"
    return "nothing new" if report.there else "no conversations of Claude Code or Codex are here"


def _zone(vault: Vault) -> tzinfo | None:
    name = vault.settings.capture.timezone
    return zoneinfo.ZoneInfo(name) if name else None


class _Postponed(Exception):
    """Nothing more is written in this run; what was not seen to stays where it is."""


class _Refused(Exception):
    """This note takes no block now; others may, and what belongs there stays where it is."""


class _Run:
    """One run over all logs, in rounds that fit into memory."""

    def __init__(
        self, vault: Vault, clock: Clock, ask: Ask, engine: Engine | None, store: Cursors, wanted: Wanted,
        known: states.State,
    ) -> None:  # fmt: skip
        self.vault, self.clock, self.ask, self.engine = vault, clock, ask, engine
        self.store, self.wanted, self.state = store, wanted, known
        self.written: list[Written] = []
        self.report = Report()
        self.taken: set[bytes] = set()
        self.heard, self.passed = set[str](), set[str]()  # logs, over all rounds
        self.refused: list[str] = []
        self.slice = ROUND
        if engine is not None:
            if known.engine != engine.setting:  # another one: it has not failed
                self.state = known._replace(engine=engine.setting, failures=0, next=None)
            self.slice = min(SLICE, max(_SHORTEST, vault.settings.capture.max_chars // 3))

    def all(self, found: Sequence[Found], problems: Sequence[str], tick: Callable[[int], None]) -> Report:
        self.report = self.report._replace(problems=tuple(problems), there=len(found))
        syncing.sync(self.vault, self.store, found)
        self._tell_gone(found)
        found = [one for one in found if self.ask.only in ("", one.path, one.conversation)]
        if self.ask.only and not found:
            raise UsageError(f"there is no conversation {self.ask.only} here", "vaultgit recap --help")
        try:
            left = list(found)
            while left:
                looks, left = self._look(left, tick)
                undone = self._round(looks, last=not left)
                left = [one for one in left if one.path not in undone]
            if not (self.ask.only or self.refused or self.report.waiting):
                self.state = self.state._replace(wider=False)  # all of it was looked through
        except _Postponed as why:
            self.refused.append(str(why))
        problems = tuple(redact(problem)[0] for problem in self.report.problems)  # names of logs may be anything
        postponed = "; ".join(dict.fromkeys(self.refused))
        return self.report._replace(problems=problems, postponed=postponed, written=tuple(self.written))

    # -- reading ---------------------------------------------------------------------------------------------------

    def _look(self, found: Sequence[Found], tick: Callable[[int], None]) -> tuple[list[Look], list[Found]]:
        """What is new in these logs, as much as one round holds; and the logs that are left."""
        cursors, looks, weight = self.store.all(), list[Look](), 0
        for number, one in enumerate(found):
            cursor = cursors.get(one.path)
            if reading.is_unchanged(one, cursor, self.wanted):
                continue
            tick(1)
            try:
                look = reading.read(one, cursor, self.store, self.wanted, ROUND - weight, self.taken)
            except OSError as error:
                self._problem(f"{one.path} cannot be read: {error.strerror}")
                continue
            looks.append(look)
            weight += sum(piece.weight for piece in look.pieces)
            if look.more or weight >= ROUND:
                return looks, list(found[number if look.more else number + 1 :])
        return looks, []

    def _problem(self, words: str) -> None:
        self.report = self.report._replace(problems=(*self.report.problems, words))

    def _tell_gone(self, found: Sequence[Found]) -> None:
        """A log that is gone is forgotten; where it held more than was read, that is said."""
        there = {one.path for one in found}
        hidden = tuple(problem.partition(logs.UNREAD)[0] for problem in self.report.problems)  # files and folders
        for path, cursor in self.store.all().items():
            if path not in there and not path.startswith(hidden):
                if cursor.size < 0:
                    self._problem(f"{path} is gone (deleted or compressed) before all of it was captured")
                if not self.ask.dry_run:
                    self.store.drop(path)

    # -- writing ---------------------------------------------------------------------------------------------------

    def _round(self, looks: Sequence[Look], *, last: bool) -> set[str]:
        """Sees to what is new, but where it is so little that it waits for more. Returns the logs of which something is
        left."""
        pieces = [piece for look in looks for piece in look.pieces]
        turns = [turn for piece in pieces for turn in piece.turns if turn.text.strip()]
        people = sum(turn.by == PERSON for turn in turns)
        report, chars = self.report, sum(len(turn.text) for turn in turns)
        self.heard |= {piece.found.path for piece in pieces}
        self.passed |= {look.cursor.path for look in looks if look.passed}
        self.report = report._replace(
            people=report.people + people, agents=report.agents + len(turns) - people,
            logs=len(self.heard), programs=len(self.passed),
            skipped=report.skipped + sum(look.skipped for look in looks),
            redacted=report.redacted + sum(look.redacted for look in looks),
            aimed=report.aimed + sum(look.aimed for look in looks),
        )  # fmt: skip
        few = last and not self.written and chars < self.vault.settings.capture.min_chars and not self.ask.now
        if few:
            self.report = self.report._replace(waiting=chars)
        done: set[int] = set()
        self._note(looks, done)
        if few or self.ask.dry_run:
            self._foresee([] if few else pieces)
            return set()
        undone = set()
        for day, batch in batches(pieces, self.slice, apart=self.engine is not None):
            try:
                self._write(day, batch)
            except _Refused as why:
                self.refused.append(str(why))
                undone |= {piece.found.path for piece in batch}
                continue
            done.update(id(one) for piece in batch for one in piece.said)
            self._note(looks, done)
        return undone

    def _write(self, day: date, batch: Sequence[Piece]) -> None:
        """One block in one note, where these pieces hold anything worth it. Raises _Postponed and _Refused."""
        if not any(turn.text.strip() for piece in batch for turn in piece.turns):
            return
        path = daily_path(self.vault.rules, day)
        ranges = [_range(piece) for piece in batch]
        asked = False
        try:
            self._refuse_early(path, day)
            items, asked = self._items(path, batch), self.engine is not None
            if not items:
                return
            change = self._change(path, day, batch, items)
            result = submit.submit(
                self.vault, self.clock, [change], subject=block.subject(path, items, batch), reason=self._reason(batch),
                by=By(self.ask.agent), trailers=[(TRAILER, one.value) for one in ranges],
            )  # fmt: skip
        except Refused as error:
            if asked:  # and would be asked, and paid, again
                self.state = states.failed(self.state, self.clock.now())
            raise _Refused("; ".join(str(problem) for problem in error.problems)) from error
        number = sum(len(lines) for _, lines in items)
        self.written.append(Written(path, block.text(items), number, result))

    def _refuse_early(self, path: str, day: date) -> None:
        """Raises what would keep the note from getting a block, before an engine is asked in vain."""
        if submit.is_kept_out(self.vault, path):
            raise _Refused(f"{path} is kept out of git by .gitignore: nothing is captured for that day")
        try:
            change = block.change(self.vault, path, self._new(path, day), "Capture", [("", ["x"])], self.ask.agent)
        except Refused:
            raise
        except VaultgitError as error:  # it cannot be read: a circle of links, a disk that fails
            raise _Refused(error.message) from error
        by = By(self.ask.agent)
        submit.refuse_problems(
            self.vault, submit.make(self.vault, self.clock, [change], subject=f"{path}: x", reason="", by=by)
        )  # fmt: skip

    def _items(self, path: str, batch: Sequence[Piece]) -> block.Items:
        if self.engine is None:
            return block.by_rules(batch)
        if self.state.next is not None and self.state.next > self.clock.now() and not self.ask.now:
            again = f"{self.state.next.astimezone(self.wanted.zone):%Y-%m-%d %H:%M}"
            raise _Postponed(f"{self.engine.name} failed {self.state.failures} times: not asked before {again}")
        prompt = block.prompt(self.vault, path, batch)
        answer = self.engine.write(prompt)
        if answer.failed:
            if not answer.failed.startswith(NOT_ASKED):
                self.state = states.failed(self.state, self.clock.now())
            raise _Postponed(answer.failed)
        items, wrong = block.answered(answer.text, prompt)
        if wrong:
            self.state = states.failed(self.state, self.clock.now())
            raise _Postponed(f"{self.engine.name} {wrong}")
        self.state = self.state._replace(failures=0, next=None)
        return [(block.name(batch[0]), lines) for _, lines in items]

    def _change(self, path: str, day: date, batch: Sequence[Piece], items: block.Items) -> PathChange:
        title = block.heading(self.vault, batch, self.wanted.zone)
        return block.change(self.vault, path, self._new(path, day), title, items, self.ask.agent)

    def _new(self, path: str, day: date) -> bytes:
        return newday.made(self.vault, path, day, self.clock.now().astimezone(self.wanted.zone))

    def _reason(self, batch: Sequence[Piece]) -> str:
        turns = [turn for piece in batch for turn in piece.turns if turn.text.strip()]
        people = sum(turn.by == PERSON for turn in turns)
        names = "; ".join(dict.fromkeys(block.name(piece) for piece in batch))
        by = self.engine.name if self.engine else "rules"
        until = max(turn.when for turn in turns if turn.when is not None).astimezone(self.wanted.zone)
        said = f"{people} turns of the person, {len(turns) - people} of the agent; written by {by}."
        return f"{names}.\n{said}\n{UNTIL}{until.isoformat(timespec='milliseconds')}"

    def _foresee(self, pieces: Sequence[Piece]) -> None:
        """What a dry run says: the blocks of rules; of an engine only how much it would get."""
        for day, batch in batches(pieces, self.slice, apart=self.engine is not None):
            path = daily_path(self.vault.rules, day)
            if self.engine is not None:
                try:
                    self.engine.write(block.prompt(self.vault, path, batch))
                except VaultgitError as error:  # as in _refuse_early
                    self.refused.append(error.message)
                    continue
                self.written.append(Written(path, "", 0, None))
            elif items := block.by_rules(batch):
                self.written.append(Written(path, block.text(items), sum(len(lines) for _, lines in items), None))

    def _note(self, looks: Sequence[Look], done: set[int]) -> None:
        """Moves the cursors to behind what was seen to; `done`: ids of those turns."""
        if self.ask.dry_run:
            return
        with self.store.transaction():
            for look in looks:
                self.store.put(_moved(look, done))
                self.store.mark(
                    key for piece in look.pieces for one in piece.said if id(one) in done for key in one.keys
                )

    def end(self, *, ok: bool, words: str, waiting: int = 0) -> None:
        """Notes how the run went."""
        if not self.ask.dry_run:
            self.state = self.state._replace(ok=ok, words=redact(words)[0], waiting=waiting)
            states.save(self.vault, self.state)


def _moved(look: Look, done: set[int]) -> Cursor:
    """The cursor of a log of which these turns are seen to: behind them, and before the first that is not."""
    last = look.last
    for piece in look.pieces:
        at = piece.start
        for one in piece.said:
            if id(one) not in done:
                break
            at, last = one.end, max(last, one.turn.when.timestamp() if one.turn.when else 0.0)
        else:
            continue
        path = look.cursor.path
        try:
            proof = logs.proof(path, at)
        except OSError:
            proof = ""  # it is gone: the next run says so
        return look.cursor._replace(offset=at, proof=proof, last=last, size=-1, anchor=min(at, look.cursor.anchor))
    return look.cursor


def _range(piece: Piece) -> Range:
    try:
        sha = logs.digest(piece.found.path, piece.start, piece.end)
    except OSError:
        sha = ""
    return Range(piece.found.client.NAME, piece.found.conversation, piece.start, piece.end, sha or "0" * 16)
