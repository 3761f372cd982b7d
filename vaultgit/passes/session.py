"""Sessions: what an agent was at, what it did and read, and the note that says so when it ends.

A session is open in the state folder until its note is written, by whoever ends it: the agent, its client, the next
session of the same agent, or capture. Nothing is committed before. The note is written once, however often its end is
called: what goes on later is added to it, and what a person changed in it stays.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from collections.abc import Iterable
from datetime import datetime
from datetime import timedelta
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.checks.secrets import redact
from vaultgit.clock import Clock
from vaultgit.edits import seen
from vaultgit.edits.edit import By
from vaultgit.edits.edit import agent_author
from vaultgit.edits.edit import session_word
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.passes import session_note
from vaultgit.passes import session_store as store
from vaultgit.passes.session_store import Record
from vaultgit.vault import Vault

# What ends a session imports the write path: where it is needed, since every prompt of a client starts one.
if TYPE_CHECKING:
    from vaultgit.edits.round import Result
    from vaultgit.passes.session_end import Ending

IDLE = timedelta(hours=12)  # a session in which nothing happened for so long was left by whoever opened it


class Open(NamedTuple):
    """An open session. `path`: of the note it will have, "" while that is not known; `last`: when something happened in
    it that it keeps itself; `notes`: how many remarks `say` kept."""

    id: str
    agent: str
    task: str
    began: datetime
    folder: str
    path: str
    last: datetime
    notes: int = 0


def start(
    vault: Vault, clock: Clock, by: By, task: str = "", folder: str = "", *, anew: bool = False, look: bool = True,
    close: bool = True, wait: float = store.WAIT,
) -> Open:  # fmt: skip
    """Opens a session of an agent, or goes on with it; one without an id gets one, from the day and the task.

    Secrets in the task are masked. `anew`: the task takes the place of an earlier one. `look`: sees which files are not
    in git yet, for `changed`; `close`: the agent's sessions that somebody left are closed; `wait`: seconds for another
    process that is at it. Raises UsageError where it is not known which agent it is.
    """
    if not by.agent:
        raise UsageError("it is not known which agent's session this is", "vaultgit session start TASK --agent NAME")
    agent_author(by.agent, vault.settings.emails)  # raises for a name that could sign no edit
    task = session_note.one_line(redact(task)[0])
    if close:
        close_left(vault, clock, agent=by.agent, keep=by.session or "")
    now = clock.now()
    unsaved = seen.unsaved(vault) if look else None
    dirty = None if unsaved is None else {path: seen.stamp(vault, path) for path in unsaved}
    with store.locked(vault, wait=wait):
        session, path = session_word(by.session or ""), ""
        made = not session
        if made:
            from vaultgit.passes import session_names

            session = session_names.new_id(vault, now, task)
            path = f"{session_names.folder(vault)}{session}.md"
        known = store.load(vault, session)
        if known is None:
            store.sweep(vault, now, session)
            head, task = refs.tip(vault.repo, "HEAD") or "", task or _logged_task(vault, session)
            record = Record(session, by.agent, task, now, folder, vault.repo.place, head, path, dirty=dirty)
        else:
            own = anew and by.agent == known.agent  # another agent's words do not take the place of its own
            record = known._replace(ended="", task=task if task and (own or not known.task) else known.task)
            record = record._replace(dirty=dirty) if known.dirty is None else record
        if record != known:
            store.save(vault, record)
        new = {"made": made, "task": record.task if record != known else ""}
        entry = {"t": now.isoformat(), "start": True, **{key: value for key, value in new.items() if value}}
        store.add(vault, session, entry, durable=False)
    if unsaved is not None:
        seen.look(vault, clock, session, unsaved)
    return _as_open(vault, record)


def task_of(vault: Vault, by: By) -> str:
    """What a session is at, also after it ended (a compaction ends one that goes on); "" where that is not known."""
    session = session_word(by.session or "")
    known = store.load(vault, session) if session else None
    return known.task if known else _logged_task(vault, session) if session else ""


def _logged_task(vault: Vault, session: str) -> str:
    """The task of a session that ended and left nothing else."""
    found = [one["task"] for one in store.log(vault, session) if isinstance(one.get("task"), str)]
    return found[-1] if found else ""


def say(vault: Vault, clock: Clock, by: By, text: str) -> None:
    """Keeps a note with the session until its end; secrets in it are masked. When this returns it survives kill -9.
    Raises UsageError where it says nothing, or no session is meant."""
    text = redact(text)[0].strip()
    if not text:
        raise UsageError("a note says something", 'vaultgit session note "the launch is on Friday"')
    session = meant(vault, by)
    record = store.load(vault, session)
    if record is None or record.ended:
        start(vault, clock, By(by.agent or (record.agent if record else None), session), look=False)
    try:
        with store.locked(vault):
            opener = record.agent if record else by.agent
            other = {"by": by.agent} if by.agent and by.agent != opener else {}
            store.add(vault, session, {"t": clock.now().isoformat(), "say": text, **other}, durable=True)
    except OSError as error:
        raise VaultgitError(f"the note was not kept: {error.filename}: {error.strerror}") from error


def read(vault: Vault, clock: Clock, by: By, path: str) -> None:
    """Remembers that a note was read in this session. No commit; never fails."""
    session = by.session or (only(vault, by.agent) if by.agent else None)
    if session and session_word(session):
        try:
            store.add(vault, session_word(session), {"t": clock.now().isoformat(), "read": path}, durable=False)
        except OSError:
            pass  # the reading is done; only the note will not tell of it


def given(vault: Vault, by: By) -> set[tuple[str, str]]:
    """(path, oid) of what context was given in this session already; also before it ended and went on."""
    session = session_word(by.session or "")
    found: set[tuple[str, str]] = set()
    for one in store.log(vault, session) if session else ():
        if one.get("lost"):
            found.clear()
        for pair in one.get("give") or ():
            if isinstance(pair, list) and len(pair) == 2:
                found.add((str(pair[0]), str(pair[1])))
    return found


def give(vault: Vault, by: By, pairs: Iterable[tuple[str, str]]) -> None:
    """Remembers what context was given in this session. Never fails: at worst it is given again."""
    session, every = session_word(by.session or ""), [list(pair) for pair in pairs]
    if session and every:
        try:
            store.add(vault, session, {"give": every}, durable=False)
        except OSError:
            pass


def lost(vault: Vault, by: By) -> None:
    """The session's conversation was compacted: what it was given before, it may be given again. Never fails."""
    session = session_word(by.session or "")
    if session:
        try:
            store.add(vault, session, {"lost": True}, durable=False)
        except OSError:
            pass


def open_sessions(vault: Vault) -> list[Open]:
    """The open sessions of this vault, oldest first."""
    return [_as_open(vault, one) for one in store.opened(vault)]


def only(vault: Vault, agent: str | None) -> str | None:
    """The id of that agent's only open session; None where it has none, or several. Costs next to nothing where no
    session is open."""
    return store.only(vault, agent)


def meant(vault: Vault, by: By) -> str:
    """The session of whoever asks. Raises UsageError where that cannot be told."""
    session = session_word(by.session or "") or only(vault, by.agent)
    if session:
        return session
    mine = [one.id for one in store.opened(vault) if by.agent in (None, one.agent)]
    if not mine:
        whose = f" of {by.agent}" if by.agent else ""
        raise UsageError(f"no session{whose} is open", "vaultgit session start TASK")
    raise UsageError(f"it is not known which session is meant: {', '.join(mine)}", f"name it: --session {mine[-1]}")


def _as_open(vault: Vault, one: Record) -> Open:
    entries = store.log(vault, one.id)
    times = [when for when in map(store.when, entries) if when is not None]
    said = sum("say" in entry for entry in entries)
    return Open(one.id, one.agent, one.task, one.began, one.folder, one.path, max([one.began, *times]), said)


# -- its end -------------------------------------------------------------------------------------------------------


def end(vault: Vault, clock: Clock, by: By, summary: str = "", *, why: str = "") -> Result | None:
    """Writes the session's note, or adds to it what is new, and closes the session. None where there is nothing that is
    worth a note. `why`: who ended it, where that was not its agent.

    Raises Refused and VaultgitError, and the session stays open.
    """
    from vaultgit.passes import session_end

    return session_end.end(vault, clock, meant(vault, by), by, summary, why)


def foreseen(vault: Vault, clock: Clock, by: By, summary: str = "") -> Ending | None:
    """What `end` would write."""
    from vaultgit.passes import session_end

    return session_end.foreseen(vault, clock, meant(vault, by), by, summary)


def left(vault: Vault, clock: Clock, *, agent: str | None = None, keep: Collection[str] = ()) -> list[Open]:
    """The open sessions (of one agent, or of all) in which nothing happened for IDLE, as far as they know themselves:
    edits may have been made in them since. Of a clock that was wrong, also those that would be left only in years."""
    return [
        one for one in open_sessions(vault)
        if one.id not in keep and agent in (None, one.agent) and abs(clock.now() - one.last) > IDLE
    ]  # fmt: skip


def close_left(
    vault: Vault, clock: Clock, *, agent: str | None = None, keep: str = "", at_work: Collection[str] = (),
    who: str = "",
) -> list[Result]:  # fmt: skip
    """Ends the sessions that somebody left (of one agent, or of all): those in which nothing happened for IDLE. `keep`
    and `at_work`: ids of those that go on; `who` does it. One that cannot be ended now stays open."""
    who = who or f"the next session of {agent}"
    done = []
    for one in left(vault, clock, agent=agent, keep=(keep, *at_work)):
        from vaultgit.passes import session_facts

        last = max([one.last, *(step.authored for step in session_facts.commits(vault, one.id))])
        if abs(clock.now() - last) <= IDLE:
            continue
        why = f"Closed by {who}: nobody ended it, and nothing happened in it since {last:%Y-%m-%d %H:%M}."
        try:
            result = end(vault, clock, By(one.agent, one.id), why=why)
        except VaultgitError:
            continue
        if result is not None:
            done.append(result)
    return done


def earlier(vault: Vault, by: By, folder: str) -> list[Open]:
    """The open sessions that a start without an id takes the place of: of the same agent, begun in the same folder, and
    without an id as well, so that nobody said that they are somebody else's."""
    if by.session or not by.agent:
        return []
    return [
        one for one in open_sessions(vault)
        if (one.agent, one.folder) == (by.agent, folder) and any(line.get("made") for line in store.log(vault, one.id))
    ]  # fmt: skip


def close_earlier(vault: Vault, clock: Clock, by: By, folder: str) -> list[tuple[Open, Result | VaultgitError | None]]:
    """Ends them, each with what came of it: None for one that is worth no note, an error for one that stays open."""
    done: list[tuple[Open, Result | VaultgitError | None]] = []
    for one in earlier(vault, by, folder):
        why = f"Closed by the next session of {one.agent} in the same folder: nobody ended it."
        try:
            done.append((one, end(vault, clock, By(one.agent, one.id), why=why)))
        except VaultgitError as error:
            done.append((one, error))
    return done


def changed(vault: Vault, session: str) -> list[str]:
    """Notes that changed on disk since the session began and are in no commit. Those that a person had text in before
    are left out, as are all where nobody looked."""
    from vaultgit.edits import record as recording

    known = store.load(vault, session_word(session))
    if known is None or known.dirty is None:
        return []
    return [
        path
        for path in seen.unsaved(vault)
        if path not in known.dirty and os.path.isfile(vault.full(path)) and recording.is_ours_to_find(vault, path)
    ]


def offer(vault: Vault, clock: Clock, session: str) -> list[str]:
    """What `changed` finds; `record` then knows that these notes were clean when the session began. Whose text it is
    only the agent can say, by naming them there."""
    found = changed(vault, session)
    known = store.load(vault, session_word(session))
    if found and known is not None:
        seen.look(vault, clock, known.id, list(known.dirty or ()))
    return found
