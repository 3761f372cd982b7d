"""The end of a session: its note, written once and added to, however often and by however many the end is called."""

from __future__ import annotations

import os
from typing import NamedTuple

from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import queue
from vaultgit.edits.compose import plain
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import new_id
from vaultgit.edits.edit import shorten
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.edits.submit import current
from vaultgit.edits.submit import submit
from vaultgit.notes import frontmatter
from vaultgit.passes import session_facts
from vaultgit.passes import session_names
from vaultgit.passes import session_note
from vaultgit.passes import session_store as store
from vaultgit.passes.session_note import Facts
from vaultgit.passes.session_store import Record
from vaultgit.vault import Vault

_ROUNDS = 3  # of one end: what is noted while the note is written is in it, too


class Ending(NamedTuple):
    """The edit that a session's end is. `facts`: all that its note was given by then, this edit included."""

    record: Record
    facts: Facts
    change: PathChange
    subject: str
    reason: str
    by: By


def end(vault: Vault, clock: Clock, session: str, by: By, summary: str, why: str) -> Result | None:
    """As `session.end` says, of this session."""
    with store.locked(vault, end=True):
        done: Result | None = None
        for _ in range(_ROUNDS):
            found = session_facts.gathered(vault, clock, session, by, summary)
            if not why and by.agent not in (None, found[0].agent):
                why = f"Ended by {by.agent}."
            ending = _ending(vault, clock, *found, why=why)
            if ending is not None:
                with store.locked(vault):  # nobody else takes the name
                    ending = _ending(vault, clock, *found, why=why) or ending
                    store.save(vault, ending.record)
                result = _write(vault, clock, ending)
                done = result if done is None or result.outcome != "unchanged" else done
            if _closed(vault, clock, ending.record if ending else found[0], found[1], written=ending is not None):
                break
        if done is None and found[0].path and found[0].written:
            done = Result("unchanged", "", path=found[0].path, reason="its note says all of it already")
        return done


def foreseen(vault: Vault, clock: Clock, session: str, by: By, summary: str) -> Ending | None:
    """What `end` would write."""
    record, facts = session_facts.gathered(vault, clock, session, by, summary)
    return _ending(vault, clock, record, facts)


def _ending(vault: Vault, clock: Clock, record: Record, facts: Facts, *, why: str = "") -> Ending | None:
    """The edit that brings the note up to date; None where it has all, or there is nothing to say."""
    new = facts.beyond(record.written)
    fresh_summary = facts.summary if facts.summary != record.summary else ""
    if new._replace(summary=fresh_summary).is_empty:
        return None
    path = _where(vault, record) if record.written else ""
    there = current(vault, path, record.agent) if path else None
    if there is not None:
        try:
            data = session_note.carried_on(there, new._replace(summary=fresh_summary), record.summary)
        except frontmatter.FrontMatterError as error:
            one = error.problem
            raise Refused([Problem(path, one.line, one.column, one.code, one.message, one.mend)]) from error
        words = f"{path.removesuffix('.md')}: the session went on"
    else:
        if record.written and new._replace(touched=(), skills=(), summary=fresh_summary).is_empty:
            return None  # a person deleted the note, and nothing came since
        path = session_names.free(vault, record, facts.task)
        data = session_note.made(new._replace(task=facts.task), vault.settings.type_key)
        words = f"{path.removesuffix('.md')}: {facts.task}"
    numbers = ((len(new.did), "edit"), (len(new.noted), "remark"), (len(new.read), "note"))
    counts = [f"{number} {what}{'' if number == 1 else 's'}" for number, what in numbers]
    until = session_note.clock_time(clock.now(), record.began)
    reason = f"{', '.join(counts)} read, from {record.began:%Y-%m-%d %H:%M} to {until}."
    change = PathChange(path, there, data, "write")
    subject = shorten(plain(session_note.one_line(words)))
    reason = "\n".join(part for part in (reason, why) if part)
    return Ending(record._replace(path=path), facts, change, subject, reason, By(record.agent, record.id))


def _where(vault: Vault, record: Record) -> str:
    """Where the session's note lies now; "" where it is gone."""
    if current(vault, record.path, record.agent) is not None:
        return record.path
    folder = session_names.folder(vault)
    for name in queue.listing(vault.full(folder)) if os.path.isdir(vault.full(folder)) else ():
        if name.endswith(".md"):
            data = current(vault, folder + name) or b""
            if record.id.encode() in data and frontmatter.read(data).values.get(session_note.ID) == record.id:
                return folder + name
    return ""


def _write(vault: Vault, clock: Clock, ending: Ending) -> Result:
    """Makes the edit. What it brings is noted before, with its id, so that one that was made is never made twice."""
    edit_id, record = new_id(clock), ending.record
    summary = ending.facts.summary or record.summary
    with store.locked(vault):
        store.save(vault, record._replace(pending=(edit_id, ending.facts.keys(), summary), ended=""))
    done = submit(
        vault, clock, [ending.change], subject=ending.subject, reason=ending.reason, by=ending.by, edit_id=edit_id
    )
    return done._replace(path=ending.change.path)


def _closed(vault: Vault, clock: Clock, record: Record, facts: Facts, *, written: bool) -> bool:
    """Closes the session, unless something was noted in it meanwhile. The uses that its note has are dropped."""
    from vaultgit.passes import skills

    by = By(record.agent, record.id)
    if written:
        uses = skills.recorded(vault, by)
        names, _ = skills.still_there(vault, by, uses)
        if set(names) <= set(facts.skills):
            skills.forget(vault, by, uses)
    with store.locked(vault):
        now = store.load(vault, record.id)
        own = (*record.own, now.pending[0]) if now is not None and now.pending[0] else record.own
        keys = tuple(dict.fromkeys((*record.written, *facts.keys()))) if written else record.written
        summary = facts.summary or record.summary if written else record.summary
        record = record._replace(written=keys, own=own, pending=("", (), ""), summary=summary)
        more = sum("say" in entry for entry in store.log(vault, record.id)) > len(facts.noted)
        if more:
            store.save(vault, record._replace(ended=""))
        elif keys:
            store.save(vault, record._replace(ended=clock.now().isoformat(), dirty=None))
        else:
            store.drop(vault, record.id)
        return not more
