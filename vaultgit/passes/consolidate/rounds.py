"""One round: it reads the capture blocks of the vault's last commit, counts over all of them, and proposes what a block
that no round read before mentions. The commit that brings the proposals says up to where it read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from datetime import timedelta
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import branches
from vaultgit.edits import queue
from vaultgit.edits import seen
from vaultgit.edits import submit as writing
from vaultgit.edits.busy import busy
from vaultgit.edits.edit import ANSWERED
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import new_id
from vaultgit.edits.inboxmemory import with_lines
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.edits.submit import current
from vaultgit.errors import VaultgitError
from vaultgit.notes import reviewfile
from vaultgit.notes.links import fold
from vaultgit.notes.reviewfile import Block
from vaultgit.passes import reviewmd
from vaultgit.passes.capture import aimed
from vaultgit.passes.consolidate import accepting
from vaultgit.passes.consolidate import blocks
from vaultgit.passes.consolidate import deleted
from vaultgit.passes.consolidate import drafting
from vaultgit.passes.consolidate import finding
from vaultgit.passes.consolidate import proposals
from vaultgit.passes.consolidate import standing
from vaultgit.passes.consolidate.blocks import Blocks
from vaultgit.passes.consolidate.blocks import Round
from vaultgit.passes.consolidate.finding import Candidate
from vaultgit.passes.consolidate.proposals import Key
from vaultgit.passes.consolidate.standing import Standing
from vaultgit.passes.consolidate.wording import worded
from vaultgit.passes.engines import Engine
from vaultgit.passes.inbox import DECLINED
from vaultgit.passes.sealed import Seals
from vaultgit.passes.sealed import counted
from vaultgit.vault import Vault

LIMIT = 12  # proposals that wait at a time: a person decides about them in two minutes
_DECISIONS = 3  # of the new ones, at most
_SLACK = timedelta(minutes=15)  # a timer is not on the second
_STATE = "consolidate.json"


class New(NamedTuple):
    """One proposal of this round, in how many captured lines it was seen, and what an engine had to do with it.
    `sealed`: whether some of these are in a note that git encrypts, as it does review.md."""

    block: Block
    why: str
    mentions: int
    said: str = ""
    sealed: bool = False


class Proposed(NamedTuple):
    """What a round came to. `captures`: blocks that no round read before. `no_room`: what waits for the next one.
    `left_out`: (name, why) of drafts that would not be fit to land. `nothing`: why there is nothing, in words."""

    new: list[New]
    captures: int = 0
    no_room: tuple[Key, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    nothing: str = ""
    result: Result | None = None
    waiting: int = 0  # how many wait in review.md with these
    kept_out: Mapping[str, int] = {}  # filter of git -> daily notes that review.md may not quote
    ran: bool = False  # whether the captures were looked at


# -- when --------------------------------------------------------------------------------------------------------


def is_due(vault: Vault, clock: Clock) -> bool:
    """Whether the days of the settings are over since the last round, or since the last run that found nothing."""
    tip = branches.here(vault)
    if tip is None:
        return False
    last = blocks.last_round(vault, tip)
    times = [last.when] if last else []
    try:
        times += [datetime.fromisoformat(_runs(vault)[_here(vault)])]
    except (KeyError, ValueError, TypeError):
        pass  # none yet
    # A time to come is a clock's that went wrong: it holds nobody up for longer than one of the past.
    return not times or min(abs(clock.now() - when) for when in times) >= _days(vault) - _SLACK


def _days(vault: Vault) -> timedelta:
    return timedelta(days=min(vault.settings.consolidate.days, 36_500))


def has_ticks(vault: Vault) -> bool:
    """Whether a person has ticked a proposal."""
    return any(one.decided for one in proposals.of(proposals.text(vault)))


def remember_run(vault: Vault, clock: Clock) -> None:
    """Notes when a round was tried, for the next --due. (What was read is in history; this can be lost.)"""
    try:
        queue.write_json(os.path.join(vault.state, _STATE), _runs(vault) | {_here(vault): clock.now().isoformat()})
    except OSError:
        pass  # then the next timer tries again


def _runs(vault: Vault) -> dict[str, str]:
    try:
        found = queue.read_json(os.path.join(vault.state, _STATE))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _here(vault: Vault) -> str:
    return f"{vault.repo.place} {vault.prefix}"


# -- proposing ---------------------------------------------------------------------------------------------------


def propose(
    vault: Vault, clock: Clock, *, agent: str | None = None, engine: Engine | None = None, dry_run: bool = False,
    decided: frozenset[str] = frozenset(),
) -> Proposed:  # fmt: skip
    """One round. `decided`: ids of blocks that make room, in a dry run."""
    tip = branches.here(vault)
    occupied = busy(vault, sweep=not dry_run)
    if tip is None or occupied:
        return Proposed([], nothing=f"nothing is proposed for now: {occupied or 'there is no commit yet'}")
    line, why = reviewmd.held_up(vault, current(vault, reviewmd.FILE))
    if why and not dry_run:
        return Proposed([], nothing=f"nothing is proposed for now: {reviewmd.FILE}:{line}: {why}")
    if agent is not None and not dry_run and reviewmd.FILE in seen.unsaved(vault):
        what = f"{reviewmd.FILE} has text of a person's that is not in git yet"
        return Proposed([], nothing=f"nothing is proposed for now: {what}; a person's run takes it along")
    last = blocks.last_round(vault, tip)
    found = _harmless(blocks.read(vault, tip, last.read if last else ""))
    made = _proposed(vault, clock, tip, last, found, engine, decided, dry_run)
    return made._replace(kept_out=counted(found.kept_out))


def _proposed(
    vault: Vault, clock: Clock, tip: str, last: Round | None, found: Blocks, engine: Engine | None,
    decided: frozenset[str], dry_run: bool,
) -> Proposed:  # fmt: skip
    no_room = {Key(*about) for about in last.no_room} if last else set()
    if not found.new and not no_room:
        nothing = "no capture is new since the last suggestions" if last else "no daily note in git holds a capture"
        return Proposed([], nothing=blocks.unsaved(vault, found) or nothing, ran=True)
    lost = last is not None and not last.read
    made = _made(vault, clock, found, no_room, engine, lost, decided)
    if not made.new:
        beside = blocks.unsaved(vault, found) if made.ran else ""
        return made._replace(nothing=f"{made.nothing}; {beside}") if beside else made
    if dry_run:
        return made
    return _written(vault, clock, made, tip)


def _harmless(found: Blocks) -> Blocks:
    """The blocks without lines that speak to an AI: what another program put under such a heading was not looked at."""
    clean = {
        one: one._replace(lines=tuple(line for line in one.lines if not aimed.without(line)[1]))
        for one in dict.fromkeys(found.every)
    }
    return found._replace(every=[clean[one] for one in found.every], new={clean[one] for one in found.new})


def _made(
    vault: Vault, clock: Clock, found: Blocks, no_room: set[Key], engine: Engine | None, lost: bool,
    decided: frozenset[str],
) -> Proposed:  # fmt: skip
    """The round's drafts. `lost`: nobody can tell what was read, so that all is new: then what has a note got it from
    an earlier round, as far as anybody knows."""
    there = standing.notes(vault)
    waiting = [one for one in proposals.of(proposals.text(vault)) if one.id not in decided]
    gone = deleted.blocks(vault)
    known = {proposals.key(one) for one in (*waiting, *gone)} | proposals.declined(vault)
    waits = queue.entries(vault.repo, vault.state, vault.prefix)
    paths = {fold(proposals.field(one, "path")) for one in waiting}
    paths |= {fold(change.path) for edit in waits for change in edit.changes}
    room = LIMIT - len(waiting)
    if room <= 0:
        return Proposed(
            [], len(found.new), nothing=f"{len(waiting)} suggestions wait for you: no more until you decide"
        )
    taken = set(there.paths) | paths
    seals = Seals(vault)
    seals.learn(one.path for one in found.every)
    new: list[New] = []
    later: list[Key] = []
    left_out: list[tuple[str, str]] = []
    decisions = 0
    for candidate in _candidates(vault, found, there, no_room):
        about = _about(candidate)
        if about in known or (candidate.note and (lost or fold(candidate.note) in paths)):
            continue
        decision = candidate.type == finding.DECISION and not candidate.note
        if len(new) == room or (decision and decisions == _DECISIONS):
            # What is encrypted has no name in a commit's message: it comes when it is mentioned again.
            later += [] if _is_sealed(seals, candidate) else [about]
            continue
        one = _drafted(vault, clock, candidate, taken, engine, seals)
        if isinstance(one, str):
            left_out += [(proposals.shortened(candidate.name), proposals.abridged(one))] if one else []
            continue
        new.append(one)
        known.add(about)
        decisions += decision
        taken.add(fold(proposals.field(one.block, "path")))
    nothing = "" if new else "nothing recurs in the captures that is not there already"
    return Proposed(new, len(found.new), tuple(dict.fromkeys(later)), tuple(left_out), nothing, ran=True)


def _candidates(vault: Vault, found: Blocks, there: Standing, no_room: set[Key]) -> list[Candidate]:
    """What new captures mention, best first, and behind it what the last round had no room for."""
    known = finding.Known(there.names, there.types)
    least = vault.settings.consolidate.min_mentions
    first = finding.ranked(found.every, found.new, known, least) if found.new else []
    if not no_room:
        return first
    again = finding.ranked(found.every, found.every, known, least)
    return [*first, *(one for one in again if _about(one) in no_room and one not in first)]


def _about(candidate: Candidate) -> Key:
    return Key(candidate.type.casefold(), fold(proposals.titled(candidate.name)))


def _is_sealed(seals: Seals, candidate: Candidate) -> bool:
    return any(seals.of(mention.path) for mention in candidate.mentions)


def _drafted(
    vault: Vault, clock: Clock, candidate: Candidate, taken: set[str], engine: Engine | None, seals: Seals
) -> New | str:
    """A proposal; or why there is none, "" where the note says it already."""
    day = clock.now().date()
    candidate = candidate._replace(mentions=_untold(vault, candidate))
    if not candidate.mentions:
        return ""
    try:
        made = drafting.draft(candidate, vault.rules, day, lambda path: fold(path) in taken)
        closed = next((one.path for one in candidate.mentions if not seals.may_quote(one.path, made.path)), "")
        if closed:
            return f"git stores {closed} through a filter ({seals.of(closed)}), and {made.path} not"
        block = _block(vault, candidate, made, day.isoformat(), new_id(clock))
        if not _is_fit(vault, clock, block):
            return ""
        lines = [mention.line for mention in candidate.mentions if mention.line]
        text = worded(vault.rules, made.path, candidate.name, made.text, lines, engine)
        if text.text != made.text:
            other = block._replace(draft=text.text)
            block = other if _is_fit(vault, clock, other) else block
        why = proposals.reason(candidate.why)
        block = block._replace(fields=(*block.fields, *([("why", why)] if why else [])))
        return New(block, candidate.why, len(candidate.mentions), text.said, _is_sealed(seals, candidate))
    except VaultgitError as error:  # Refused, too
        return str(error).partition("\n")[0]


def _untold(vault: Vault, candidate: Candidate) -> tuple[finding.Mention, ...]:
    """The mentions that the note which they are to be added to does not hold yet."""
    if not candidate.note:
        return candidate.mentions
    text = (current(vault, candidate.note) or b"").decode("utf-8", "replace")
    return tuple(one for one in candidate.mentions if drafting.bullet(one, vault.rules) not in text)


def _block(vault: Vault, candidate: Candidate, made: drafting.Draft, day: str, block_id: str) -> Block:
    links = (drafting.link_to(mention.path, mention.heading, vault.rules) for mention in candidate.mentions)
    fields = (
        ("path", made.path), ("type", made.type), ("action", made.action), ("seen", proposals.seen(links)),
        ("since", day),
    )  # fmt: skip
    return Block(block_id, proposals.titled(candidate.name), fields, made.text)


def _is_fit(vault: Vault, clock: Clock, block: Block) -> bool:
    """Whether accepting would do something. Raises VaultgitError where it would be refused, as an agent's edit is."""
    edit = accepting.wanted(vault, clock, block)
    if not edit.changes or edit.inbox:
        return False
    by = By(accepting.AGENT)
    planned = writing.make(vault, clock, edit.changes, subject=edit.subject, reason="proposed", by=by)
    writing.refuse_problems(vault, planned)
    return True


def _declined(vault: Vault, clock: Clock) -> list[PathChange]:
    """What declined.md gets for blocks that a person deleted: once this round has written the file, nothing else tells
    of them."""
    day = clock.now().date().isoformat()
    lines = "".join(proposals.declining(day, one) for one in deleted.blocks(vault)).encode("utf-8", "surrogateescape")
    known = current(vault, DECLINED)
    return [PathChange(DECLINED, known, with_lines(known, lines), ANSWERED)] if lines else []


def _written(vault: Vault, clock: Clock, made: Proposed, tip: str) -> Proposed:
    """Puts the proposals into review.md: one commit, which says up to where the captures were read."""
    there = current(vault, reviewmd.FILE)
    text = (there or b"").decode("utf-8", "surrogateescape")
    new = reviewfile.put(reviewmd.HEADER if there is None else text, [one.block for one in made.new])
    declined = _declined(vault, clock)
    count = f"{len(made.new)} proposal{'s' if len(made.new) != 1 else ''}"
    lines = [
        f"- {one.block.id}" if one.sealed else f"- {proposals.field(one.block, 'path')}: {one.block.title}"
        for one in made.new
    ]
    lines += ["", f"{blocks.READ}{tip}."]
    lines += [f"{blocks.NO_ROOM}{proposals.encoded(one.type)} {proposals.encoded(one.name)}" for one in made.no_room]
    result = writing.submit(
        vault, clock, [PathChange(reviewmd.FILE, there, new.encode("utf-8", "surrogateescape"), ANSWERED), *declined],
        subject=f"vaultgit: {count} in {reviewmd.FILE}", reason="\n".join(lines), housekeeping=True,
    )  # fmt: skip
    return made._replace(result=result, waiting=len(proposals.of(new)))
