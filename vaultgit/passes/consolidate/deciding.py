"""Doing what a person ticked in review.md: accepted proposals become notes, rejected ones are remembered.

Each accepted one is an edit of the person's that has the proposal's id, so that a run that was killed is recognised and
nothing is written twice. A block goes only after its note has landed; one that cannot be done stays, with a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from typing import NamedTuple

from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import queue
from vaultgit.edits import submit as writing
from vaultgit.edits.busy import busy
from vaultgit.edits.edit import ANSWERED
from vaultgit.edits.edit import PathChange
from vaultgit.edits.inboxmemory import with_lines
from vaultgit.edits.judge import Refused
from vaultgit.edits.lock import Lock
from vaultgit.edits.submit import current
from vaultgit.errors import VaultgitError
from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block
from vaultgit.passes import reviewmd
from vaultgit.passes.consolidate import deleted
from vaultgit.passes.consolidate import proposals
from vaultgit.passes.consolidate.accepting import Wanted
from vaultgit.passes.consolidate.accepting import wanted
from vaultgit.passes.consolidate.landed import landed
from vaultgit.passes.consolidate.proposals import abridged
from vaultgit.passes.consolidate.proposals import field
from vaultgit.passes.consolidate.proposals import shortened
from vaultgit.passes.inbox import DECLINED
from vaultgit.passes.reviewmd import FILE
from vaultgit.passes.sealed import Seals
from vaultgit.passes.ticks import Ticks
from vaultgit.vault import Vault

BY = "consolidate@vaultgit"
_WAIT = 20.0  # seconds for another run to end


class Applied(NamedTuple):
    """An accepted proposal, and what became of its edit (as Result says it; "would" in a dry run). `again`: an earlier
    run said so already."""

    id: str
    title: str
    path: str
    outcome: str
    oid: str = ""
    inbox: str = ""
    reason: str = ""
    again: bool = False


class Left(NamedTuple):
    """A proposal that stays though something is ticked in it, and why. `line` of review.md."""

    id: str
    title: str
    line: int
    reason: str


class Decided(NamedTuple):
    """`rejected` and `waiting` (undecided ones) are blocks; `later`: why the rest has to wait, in words; `failed`: how
    many of `left` are ticked, and cannot be done; `news`: whether review.md says something it did not say before."""

    applied: list[Applied]
    rejected: list[Block]
    waiting: list[Block]
    left: list[Left]
    later: str = ""
    failed: int = 0
    news: bool = False


@contextmanager
def alone(vault: Vault) -> Iterator[None]:
    """One run at a time. Raises VaultgitError where another one goes on too long; a dead one's lock is free."""
    try:
        queue.prepare(vault.state)
        lock = Lock(vault.state, "consolidate.lock")
    except OSError as error:
        raise VaultgitError(f"{error.filename}: {error.strerror}", "vaultgit's state folder must be yours") from error
    try:
        if not lock.take(_WAIT):
            raise VaultgitError("another consolidate is at work", "vaultgit consolidate, when that one has ended")
        yield
    finally:
        lock.release()


def decide(vault: Vault, clock: Clock, *, dry_run: bool = False) -> Decided:
    """Does what is ticked. The caller has made sure that a person asks."""
    if not dry_run:
        writing.drain(vault, clock)
    review = proposals.text(vault)
    every = proposals.of(review)
    twice = {one_id for one_id, number in Counter(one.id for one in every).items() if number > 1}
    slips: dict[str, list[tuple[int, str]]] = {}
    accepted: list[Block] = []
    rejected: list[Block] = []
    waiting: list[Block] = []
    ticks = Ticks(vault)
    for one in every:
        if one.touched and one.id in twice:
            slips[one.id] = [(one.tick_line or one.line, "stands here twice: delete one of the two")]
        elif one.slips:
            slips[one.id] = list(one.slips)
        elif one.decided and (against := ticks.against(review, one))[1]:
            slips[one.id] = [against]
        elif one.decided:
            (accepted if one.decided == "accept" else rejected).append(one)
        else:
            waiting.append(one)
    done = _accept(vault, clock, accepted, dry_run)
    later = busy(vault, sweep=not dry_run) or next((one.reason for one in done.applied if one.outcome == "queued"), "")
    gone = {*done.there, *(one.id for one in rejected)}
    reasons = {one_id: "; ".join(words for _, words in said) for one_id, said in slips.items()} | done.failed
    written = _Written()
    if not dry_run and not later:
        written = _write(vault, clock, {one.id: one for one in every}, gone, rejected, reasons)
    after = proposals.of(proposals.text(vault))
    left = [*written.blocked, *_lines(every, after, slips, done.failed)]
    later = later or written.later
    dropped = [] if later or written.blocked else rejected
    hidden = [one for one in every if one.slips and one.tick_line]  # a tick below a fence that nothing closes
    failed = len(done.failed) + len(written.blocked) + len(hidden)
    return Decided(done.applied, dropped, waiting, left, later, failed, written.news)


# -- accepting ---------------------------------------------------------------------------------------------------


class _Accepted(NamedTuple):
    """`there`: ids of what is in history; `failed`: id -> why it could not be done."""

    applied: list[Applied]
    there: set[str]
    failed: dict[str, str]


class _Now:
    """review.md as it is now: read each time, and taken apart where it has changed."""

    def __init__(self, vault: Vault) -> None:
        self._vault, self._text = vault, ""
        self._blocks: dict[str, Block] = {}

    def block(self, one_id: str) -> Block | None:
        text = proposals.text(self._vault)
        if text != self._text:
            self._text, self._blocks = text, {one.id: one for one in reversed(proposals.of(text))}
        return self._blocks.get(one_id)


def _accept(vault: Vault, clock: Clock, accepted: Sequence[Block], dry_run: bool) -> _Accepted:
    """One edit each, in order. What fails is tried again after the others: a decision may need its project."""
    there, claimed = landed(vault, [one.id for one in accepted])
    applied: list[Applied] = []
    failed = {
        one.id: f"an agent's commit {claimed[one.id][:10]} has its id, as if it were done: "
        "change a digit of it in the first line, then run this again"
        for one in accepted
        if one.id in claimed
    }
    rest = [one for one in accepted if one.id not in there and one.id not in claimed]
    now, moved = _Now(vault), True
    while rest and moved:
        moved = False
        for one in list(rest):
            try:
                done = _would(vault, clock, one) if dry_run else _one(vault, clock, one, now)
            except Refused as error:
                failed[one.id] = "; ".join(abridged(_of_draft(problem, one)) for problem in error.problems[:2])
            except VaultgitError as error:
                failed[one.id] = abridged(error.message)
            else:
                failed.pop(one.id, None)
                rest.remove(one)
                moved = not dry_run
                applied.append(done)
                if done.outcome != "queued":
                    there.add(one.id)
    return _Accepted(applied, there, failed)


def _one(vault: Vault, clock: Clock, one: Block, file: _Now) -> Applied:
    path = field(one, "path")
    now = file.block(one.id)
    if now is None or not _same(one, now):
        raise VaultgitError("was changed while this ran: run it again")
    if queue.get(vault.state, one.id) is not None:
        why = busy(vault) or "it lands with the next run"
        return Applied(one.id, shortened(one.title), path, "queued", reason=why, again=True)
    edit = wanted(vault, clock, one)
    if not edit.changes:
        return Applied(one.id, shortened(one.title), path, "unchanged", reason="the note says it already")
    done = writing.submit(
        vault, clock, edit.changes, subject=edit.subject, reason=_why(one, edit), trailers=(("Proposed-by", BY),),
        edit_id=one.id,
    )  # fmt: skip
    if edit.inbox and done.outcome == "committed":
        return Applied(one.id, shortened(one.title), path, "inbox", done.oid, edit.inbox, edit.reason)
    return Applied(one.id, shortened(one.title), path, done.outcome, done.oid, done.inbox, done.reason)


def _would(vault: Vault, clock: Clock, one: Block) -> Applied:
    edit = wanted(vault, clock, one)
    if edit.changes:
        planned = writing.make(
            vault, clock, edit.changes, subject=edit.subject, reason=_why(one, edit), by=writing.By(),
            trailers=(("Proposed-by", BY),), edit_id=one.id,
        )  # fmt: skip
        writing.refuse_problems(vault, planned)
    return Applied(one.id, shortened(one.title), field(one, "path"), "would", inbox=edit.inbox, reason=edit.reason)


def _why(one: Block, edit: Wanted) -> str:
    seen = field(one, "seen")
    lines = [f"Not merged: {edit.reason}"] if edit.reason else []
    return "\n".join([*lines, f"Accepted in {FILE}." + (f" Seen in {seen}." if seen else "")])


def _of_draft(problem: Problem, one: Block) -> str:
    """A problem of a draft; its lines are those of the note, which is not there yet."""
    where = "" if problem.path == field(one, "path") else f"{problem.path}: "
    mend = f"mend `path`, {field(one, 'path')}" if problem.code.startswith("PA") else problem.mend
    return f"{problem.code} {where}{problem.message}" + (f" ({mend})" if mend else "")


# -- review.md ---------------------------------------------------------------------------------------------------


class _Written(NamedTuple):
    """`news`: the file says something new; `later`: it waits, and for what; `blocked`: why it cannot be written."""

    news: bool = False
    later: str = ""
    blocked: tuple[Left, ...] = ()


def _write(
    vault: Vault, clock: Clock, read: dict[str, Block], gone: set[str], rejected: Sequence[Block],
    reasons: dict[str, str],
) -> _Written:  # fmt: skip
    """Takes decided blocks out of review.md, remembers what was rejected, and says below others why they stay: one
    commit. A block that is not as it was `read` any more stays: a person saved it meanwhile."""
    there = current(vault, FILE)
    if there is None:
        return _Written()
    text = there.decode("utf-8", "surrogateescape")
    newer = {one.id for one in proposals.of(text) if one.id in gone and not _same(one, read[one.id])}
    gone, rejected = gone - newer, [one for one in rejected if one.id not in newer]
    reasons = reasons | dict.fromkeys(newer, "was changed while what it said before was done: untick it, or run again")
    kept = proposals.without_orphans(text, lambda: reviewmd.by_us(vault))
    new = reviewfile.take(proposals.remarked(kept, {}), gone)
    new = proposals.remarked(new, {one: why for one, why in reasons.items() if one not in gone})
    lines = _declining(vault, clock, [*rejected, *deleted.blocks(vault)])
    if new == text and not lines:
        return _Written()
    line, why = reviewmd.held_up(vault, there)
    if why:
        return _Written(blocked=(Left("", FILE, line, why),))
    changes = [PathChange(FILE, there, new.encode("utf-8", "surrogateescape"), ANSWERED)] if new != text else []
    if lines:
        known = current(vault, DECLINED)
        data = with_lines(known, "".join(lines).encode("utf-8", "surrogateescape"))
        changes.append(PathChange(DECLINED, known, data, ANSWERED))
    titles = {one.id: one for one in proposals.of(text)}
    named = not Seals(vault).of(FILE)  # no message of a commit is encrypted
    said = [
        f"- {'rejected' if one in rejected else 'accepted'} {shortened(one.title) if named else one.id}"
        for one in titles.values()
        if one.id in gone
    ]
    subject = f"vaultgit: {len(gone)} decided in {FILE}" if gone else f"vaultgit: what is not done in {FILE}"
    subject = subject if new != text else f"vaultgit: declined what was deleted from {FILE}"
    done = writing.submit(vault, clock, changes, subject=subject, reason="\n".join(said), housekeeping=True)
    if done.outcome == "inbox":
        what = f"was changed in git and on disk at once: what it should say is in {done.inbox}"
        return _Written(True, blocked=(Left("", FILE, 1, what),))
    news = proposals.remarks(new) != proposals.remarks(text)
    return _Written(news, done.reason if done.outcome == "queued" else "")


def _same(one: Block, other: Block) -> bool:
    """Whether a block says the same, ticks included."""
    return one[1:5] == other[1:5]


def _declining(vault: Vault, clock: Clock, rejected: Iterable[Block]) -> list[str]:
    known, day = proposals.declined(vault), clock.now().strftime("%Y-%m-%d")
    return [proposals.declining(day, one) for one in rejected if proposals.key(one) not in known]


def _lines(
    before: Sequence[Block], after: Sequence[Block], slips: dict[str, list[tuple[int, str]]], failed: dict[str, str]
) -> list[Left]:
    """What is left, with the lines of the file as it is now."""
    now = {one.id: one for one in after}
    found = []
    for one in {one.id: one for one in before}.values():
        there = now.get(one.id, one)
        for line, words in slips.get(one.id, ()):
            found.append(Left(one.id, shortened(one.title), line + there.line - one.line, words))
        if one.id in failed:
            found.append(Left(one.id, shortened(one.title), there.tick_line or one.tick_line, failed[one.id]))
    return found
