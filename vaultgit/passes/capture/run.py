"""One run of capture: from the logs to the daily notes.

Nothing is written twice: a commit says which bytes of which log it covers, and what history or the queue covers is
never looked at again, whether or not we lived to note it. Nothing is lost: a cursor moves when the edit is safe, or
when nothing was worth it. A run with nothing new costs nothing: no model, no commit.
"""

from __future__ import annotations

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
from vaultgit.clock import Clock
from vaultgit.edits import submit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.errors import VaultgitError
from vaultgit.passes.capture import block
from vaultgit.passes.capture import logs
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
ROUND = 2_000_000  # characters of speech that are held at once
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
    characters that are too few yet. `problems`: what could not be read. `postponed`: why nothing more was written."""

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
    with states.only_run(vault, _ONLY_WAIT if ask.only or ask.now else 0.0) as alone:
        if not alone:
            return Report(busy=True)
        known, now = states.load(vault), clock.now()
        given = [when for when in (known.horizon, ask.since) if when is not None]
        horizon = min(given, default=now - FIRST)
        if not ask.dry_run:
            submit.drain(vault, clock)
        wanted = Wanted(
            horizon, now, _zone(vault), again=known.horizon is not None and horizon < known.horizon,
            headless=ask.headless or vault.settings.capture.include_headless,
        )  # fmt: skip
        store = Cursors(vault.cache)
        one = _Run(vault, clock, ask, engine, store, wanted, known._replace(horizon=horizon, time=now))
        try:
            report = one.all(*logs.find(agents.LOGS, environ, home), tick)
        except VaultgitError as error:
            one.end(ok=False, words=error.message)
            raise
        finally:
            store.close()
        one.end(ok=not report.postponed, words=report.postponed or _words(report), waiting=report.waiting)
        return report


def _words(report: Report) -> str:
    notes = [one.path for one in report.written]
    return f"{sum(one.items for one in report.written)} items in {', '.join(notes)}" if notes else "nothing new"


def _zone(vault: Vault) -> tzinfo | None:
    name = vault.settings.capture.timezone
    return zoneinfo.ZoneInfo(name) if name else None


class _Postponed(Exception):
    """Nothing more is written in this run; what was not seen to stays where it is."""


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

    def all(self, found: Sequence[Found], problems: Sequence[str], tick: Callable[[int], None]) -> Report:
        self.report = self.report._replace(problems=tuple(problems))
        syncing.sync(self.vault, self.store, found)
        self._tell_gone(found)
        found = [one for one in found if self.ask.only in ("", one.path, one.conversation)]
        try:
            left = list(found)
            while left:
                looks, left = self._look(left, tick)
                if not self._round(looks, last=not left):
                    break
        except _Postponed as why:
            self.report = self.report._replace(postponed=str(why))
        return self.report._replace(written=tuple(self.written))

    # -- reading ---------------------------------------------------------------------------------------------------

    def _look(self, found: Sequence[Found], tick: Callable[[int], None]) -> tuple[list[Look], list[Found]]:
        """What is new in these logs, as much as one round holds; and the logs that are left."""
        cursors, looks, chars = self.store.all(), list[Look](), 0
        for number, one in enumerate(found):
            cursor = cursors.get(one.path)
            if reading.is_unchanged(one, cursor, self.wanted):
                continue
            tick(1)
            try:
                look = reading.read(one, cursor, self.store, self.wanted, ROUND - chars, self.taken)
            except OSError as error:
                self._problem(f"{one.path} cannot be read: {error.strerror}")
                continue
            looks.append(look)
            chars += sum(piece.chars for piece in look.pieces)
            if look.more or chars >= ROUND:
                return looks, list(found[number if look.more else number + 1 :])
        return looks, []

    def _problem(self, words: str) -> None:
        self.report = self.report._replace(problems=(*self.report.problems, words))

    def _tell_gone(self, found: Sequence[Found]) -> None:
        """A log that is gone is forgotten; where it held more than was read, that is said."""
        there = {one.path for one in found}
        for path, cursor in self.store.all().items():
            if path not in there and not any(problem.startswith(path) for problem in self.report.problems):
                if cursor.size < 0:
                    self._problem(f"{path} is gone (deleted or compressed) before all of it was captured")
                if not self.ask.dry_run:
                    self.store.drop(path)

    # -- writing ---------------------------------------------------------------------------------------------------

    def _round(self, looks: Sequence[Look], *, last: bool) -> bool:
        """Sees to what is new. False where it is so little that it waits for more."""
        pieces = [piece for look in looks for piece in look.pieces]
        turns = [turn for piece in pieces for turn in piece.turns if turn.text.strip()]
        people = sum(turn.by == PERSON for turn in turns)
        report, chars = self.report, sum(len(turn.text) for turn in turns)
        self.report = report._replace(
            people=report.people + people, agents=report.agents + len(turns) - people,
            logs=report.logs + len({piece.found.path for piece in pieces}),
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
            return not few
        for day, batch in batches(pieces, SLICE if self.engine else ROUND):
            self._write(day, batch)
            done.update(id(one) for piece in batch for one in piece.said)
            self._note(looks, done)
        return True

    def _write(self, day: date, batch: Sequence[Piece]) -> None:
        """One block in one note, where these pieces hold anything worth it. Raises _Postponed."""
        path = daily_path(self.vault.rules, day)
        ranges = [_range(piece) for piece in batch]
        try:
            self._refuse_early(path, day)
            items = self._items(path, batch)
            if not items:
                return
            change = self._change(path, day, batch, items)
            result = submit.submit(
                self.vault, self.clock, [change], subject=block.subject(path, items, batch), reason=self._reason(batch),
                by=By(self.ask.agent), trailers=[(TRAILER, one.value) for one in ranges],
            )  # fmt: skip
        except Refused as error:
            raise _Postponed("; ".join(str(problem) for problem in error.problems)) from error
        number = sum(len(lines) for _, lines in items)
        self.written.append(Written(path, block.text(items), number, result))

    def _refuse_early(self, path: str, day: date) -> None:
        """Raises what would keep the note from getting a block, before an engine is asked in vain."""
        if submit.is_kept_out(self.vault, path):
            raise _Postponed(f"{path} is kept out of git by .gitignore: nothing is captured for that day")
        change = block.change(self.vault, path, day, "Capture", [("", ["x"])], self.ask.agent)
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
        self.state = self.state._replace(failures=0, next=None)
        return block.answered(answer.text, prompt)

    def _change(self, path: str, day: date, batch: Sequence[Piece], items: block.Items) -> PathChange:
        title = block.heading(self.vault, batch, self.wanted.zone)
        return block.change(self.vault, path, day, title, items, self.ask.agent)

    def _reason(self, batch: Sequence[Piece]) -> str:
        turns = [turn for piece in batch for turn in piece.turns if turn.text.strip()]
        people = sum(turn.by == PERSON for turn in turns)
        names = "; ".join(dict.fromkeys(block.name(piece) for piece in batch))
        by = self.engine.name if self.engine else "rules"
        until = max(turn.when for turn in turns if turn.when is not None).astimezone(self.wanted.zone)
        said = f"{people} turns of the person, {len(turns) - people} of the agent; written by {by}."
        return f"{names}.\n{said}\n{UNTIL}{until.isoformat()}"

    def _foresee(self, pieces: Sequence[Piece]) -> None:
        """What a dry run says: the blocks of rules; of an engine only how much it would get."""
        for day, batch in batches(pieces, SLICE if self.engine else ROUND):
            path = daily_path(self.vault.rules, day)
            if self.engine is not None:
                self.engine.write(block.prompt(self.vault, path, batch))
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
            self.state = self.state._replace(ok=ok, words=words, waiting=waiting)
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
