"""What a session did, as history, the queue and its log tell it. Reads only."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from typing import NamedTuple

from vaultgit.checks.secrets import redact
from vaultgit.clock import Clock
from vaultgit.edits import changelog
from vaultgit.edits import queue
from vaultgit.edits.edit import agent_author
from vaultgit.edits.submit import By
from vaultgit.edits.submit import landed
from vaultgit.errors import UsageError
from vaultgit.history import refs
from vaultgit.history import walk
from vaultgit.passes import session_note
from vaultgit.passes import session_store as store
from vaultgit.passes.session_note import Facts
from vaultgit.passes.session_note import Said
from vaultgit.passes.session_store import Record
from vaultgit.vault import Vault


def gathered(vault: Vault, clock: Clock, session: str, by: By, summary: str) -> tuple[Record, Facts]:
    """The session, and all that a note of it says."""
    entries = store.log(vault, session)
    record = store.load(vault, session)
    if record is None:  # nobody started it: a client's id, in trailers and in what was read
        if not by.agent:
            raise UsageError(f"there is no session {session}", "vaultgit session list")
        agent_author(by.agent, vault.settings.emails)  # raises for a name that could sign no edit
        times = [when for when in map(store.when, entries) if when is not None]
        record = Record(session, by.agent, "", min([clock.now(), *times]), "", vault.repo.place, "")
    record = _settled(vault, record)
    if summary.strip() and by.agent not in (None, record.agent):
        summary = f"{by.agent}: {summary}"  # the note is signed by the session's own agent
    return record, _facts(vault, record, entries, session_note.paragraphs(redact(summary)[0]))


def _settled(vault: Vault, record: Record) -> Record:
    """The record of one whose end was killed: with what its edit brought, where that was made."""
    edit_id, keys, summary = record.pending
    if not edit_id:
        return record
    record = record._replace(pending=("", (), ""))
    made = queue.get(vault.state, edit_id) is not None or landed(vault, edit_id) is not None
    made = made or any(edit_id in step.ids for step in _found(vault, f"Edit: {edit_id}", "", 1))
    if not made:
        return record
    written = tuple(dict.fromkeys((*record.written, *keys)))
    return record._replace(written=written, summary=summary, own=(*record.own, edit_id))


class Step(NamedTuple):
    """A commit or a queued edit of a session."""

    ids: tuple[str, ...]
    authored: datetime
    subject: str
    gone: tuple[str, ...]
    there: tuple[str, ...]  # paths in the vault
    sessions: tuple[str, ...]


def _found(vault: Vault, line: str, head: str, most: int | None = None) -> list[Step]:
    """Commits whose message has a line like this, newest first; those that `head` reaches left out."""
    tip = refs.tip(vault.repo, "HEAD")
    if tip is None:
        return []
    without = [f"^{head}"] if head and vault.repo.resolve(head) else []
    every = []
    for step in walk.steps(vault.repo, tip, limit=most, tell=("--fixed-strings", f"--grep={line}", *without)):
        inside = [touch for touch in step.touches if touch.path.startswith(vault.prefix)]
        if not inside:
            continue  # of another vault in this repository: clients hand one id to all of them
        cut = len(vault.prefix)
        every.append(Step(
            tuple(value for key, value in step.trailers if key == "Edit"), step.authored, step.subject,
            tuple(touch.path[cut:] for touch in inside if not touch.after),
            tuple(touch.path[cut:] for touch in inside if touch.after),
            tuple(value for key, value in step.trailers if key == "Session"),
        ))  # fmt: skip
    return every


def commits(vault: Vault, session: str, head: str = "") -> list[Step]:
    """The commits of a session, newest first; those that `head` reaches left out."""
    return [one for one in _found(vault, f"Session: {session}", head) if session in one.sessions]


def _queued(vault: Vault, session: str) -> list[Step]:
    found = []
    for edit in queue.entries(vault.repo, vault.state, vault.prefix):
        if ("Session", session) in edit.trailers:
            gone = tuple(change.path for change in edit.changes if change.new is None)
            there = tuple(change.path for change in edit.changes if change.new is not None)
            found.append(Step((edit.id,), edit.when, edit.subject, gone, there, (session,)))
    return found


def _facts(vault: Vault, record: Record, entries: Sequence[dict[str, Any]], summary: str) -> Facts:
    from vaultgit.passes import skills

    every = [*reversed(commits(vault, record.id, record.head)), *_queued(vault, record.id)]
    inbox = vault.rules.folder("inbox")
    touched: dict[str, None] = {}
    did: list[Said] = []
    subjects: list[str] = []
    for step in every:
        gone, there = ([path for path in paths if not changelog.is_ours(path)] for paths in (step.gone, step.there))
        if set(step.ids) & set(record.own) or set(gone + there) == {record.path}:
            continue
        subjects.append(step.subject)
        when = session_note.clock_time(step.authored, record.began)
        did += [Said(f"did:{one}", session_note.item(when, step.subject)) for one in step.ids[:1]]
        for path in gone:
            touched.pop(path, None)
        for path in there:
            if path != record.path and not (inbox and path.startswith(inbox + "/")) and not redact(path)[1]:
                touched[path] = None
    noted = []
    reads: dict[str, None] = {}
    for number, entry in enumerate(entries):
        said, was_read, when_said = entry.get("say"), entry.get("read"), store.when(entry)
        if isinstance(said, str) and when_said is not None:
            time = session_note.clock_time(when_said, record.began)
            who = entry.get("by")
            words = f"{who}: {said}" if isinstance(who, str) else said
            noted.append(Said(f"said:{number}:{entry['t']}", session_note.item(time, words)))
        if isinstance(was_read, str) and was_read not in (*touched, record.path) and not redact(was_read)[1]:
            reads[was_read] = None
    by = By(record.agent, record.id)
    used, _ = skills.still_there(vault, by, skills.recorded(vault, by))
    task = record.task or _task(summary, subjects, record)
    there_now = [path for path in reads if os.path.isfile(vault.full(path))]
    return Facts(record.id, record.agent, task, record.began, list(touched), used, did, noted, there_now, summary)


def _task(summary: str, subjects: Sequence[str], record: Record) -> str:
    """What a session that nobody gave a task was for, as well as can be told."""
    folder = os.path.basename(record.folder.rstrip("/"))
    where = f"work in {folder}" if folder else f"a session of {record.agent}"
    return session_note.one_line(redact(summary.partition("\n")[0] or next(iter(subjects), where))[0], 100)
