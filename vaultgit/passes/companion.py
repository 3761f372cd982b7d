"""What vaultgit does beside a conversation: what it tells an agent at its start and for a prompt, and what it makes of
a file that the agent's own tools wrote. An agent client's hooks call it (cli/clienthook).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import NamedTuple

if TYPE_CHECKING:
    from vaultgit.agents.tool import Wrote
    from vaultgit.clock import Clock
    from vaultgit.edits.record import Left
    from vaultgit.edits.round import Result
    from vaultgit.edits.submit import By
    from vaultgit.vault import Vault

START, PROMPT = 1500, 800  # tokens of notes, at a session's start and for a prompt
LIMIT = 9000  # characters that a client takes from one hook (Claude Code cuts at 10,000)
LANDING = 2.0  # seconds that an edit waits for another writer; then it is queued, which is as safe
PATIENCE = 0.5  # seconds that a look at what changed may take; else the notes are as they were known last
_TASK = 200  # characters of a prompt that name a session's task
# Tags between which clients put what a hook gives: a note that has one would end there, and go on as a client's word.
_CLIENTS = re.compile(r"<(?=\s*/?\s*(?:system-reminder|user-prompt-submit-hook)\b)", re.IGNORECASE)
LOOKED_AT = 4000  # characters of a prompt
# Words that move a conversation on and are about nothing.
_CHAT = frozenset(
    "again ahead also alright always any carry check continue cool done exactly fine first fix go going good great "
    "hello help hey hi keep last left more never next nice no nope now ok okay one perfect please proceed really redo "
    "repeat resume retry right second see show start step stop sure thank thanks thats that then thing things think "
    "this try two undo use wait way well work works wrong yeah yep yes".split()
)


class Told(NamedTuple):
    """Text for a model, the notes that it gives (path and oid each), and about how many tokens that are. `behind`: not
    all notes could be looked at in time (`catch_up` does that)."""

    text: str = ""
    given: tuple[tuple[str, str], ...] = ()
    tokens: int = 0
    behind: bool = False


NOTHING = Told()


def protocol(program: str, vault: Vault, folder: str, *, again: bool) -> str:
    """How an agent that works in `folder` uses the vault; shorter where it has read that: in this conversation
    (`again`), or in the vault's own AGENTS.md, which clients read by themselves. `program`: for sh."""
    import shlex

    from vaultgit import resources

    text = resources.read("hooks", "clients/protocol.md").decode().rstrip("\n")
    at = f"--vault {shlex.quote(vault.root)}"  # at the end: what a client is allowed is told by how a command begins
    text = text.replace("{program}", program).replace("{at}", at).replace("{vault}", vault.root)
    root, here = os.path.realpath(vault.root), os.path.realpath(folder)
    inside = (here == root or here.startswith(root + os.sep)) and os.path.isfile(vault.full("AGENTS.md"))
    if not again and not inside:
        return text
    said = "What AGENTS.md says here holds" if inside else "What was said of it before holds"
    return f"{text.partition(';')[0]}. {said}; to find what is known: `{program} search WORDS {at}`."


def is_chat(prompt: str) -> bool:
    """Whether a prompt only moves the conversation on, and is about nothing: "ok, go on"."""
    from vaultgit.recall import words

    found = words.found(prompt[:LOOKED_AT])
    return all(word.casefold() in _CHAT or words.is_stop(word) for word in found)


def task_of(prompt: str) -> str:
    """A session's task, from the first prompt that is about something: one line; "" for one that is not."""
    line = "" if is_chat(prompt) else " ".join(prompt.split())
    return line if len(line) <= _TASK else line[: _TASK - 1].rstrip() + "…"


def concerns(root: str, wrote: Sequence[Wrote], folder: str) -> bool:
    """Whether any of these files lies in the vault at `root`: told without opening it."""
    roots = {os.path.join(os.path.abspath(root), ""), os.path.join(os.path.realpath(root), "")}
    for one in wrote:
        full = os.path.normpath(os.path.join(folder or "/", one.path.replace("\0", "")))
        if full.startswith(tuple(roots)) or os.path.realpath(full).startswith(tuple(roots)):
            return True
    return False


def record(vault: Vault, clock: Clock, wrote: Sequence[Wrote], folder: str, by: By) -> tuple[Result | None, list[Left]]:
    """Makes what an agent's own tools wrote that agent's edit; None where that changed nothing. What is refused can be
    mended by the same tools. Raises judge.Refused, VaultgitError."""
    from vaultgit.edits import record as recording
    from vaultgit.edits import seen
    from vaultgit.edits import submit
    from vaultgit.edits.judge import Refused
    from vaultgit.passes import refused

    found = recording.from_report(vault, wrote, folder)
    changes = [change for change in refused.since_before(vault, found.changes) if change.base != change.new]
    if not changes:
        return None, found.left
    try:
        done = submit.submit(
            vault, clock, changes, subject=recording.line(changes), by=by,
            trailers=recording.trailers(vault, changes), wait=LANDING,
        )  # fmt: skip
    except Refused:
        refused.remember(vault, changes)
        raise
    refused.forget(vault, changes)
    seen.look(vault, clock, by.session or by.agent)
    return done, found.left


def greeting(vault: Vault, clock: Clock, by: By, folder: str, room: int) -> Told:
    """The notes for the work in a folder that this session was not given yet, in at most `room` characters."""
    from vaultgit.passes import briefing
    from vaultgit.passes import session

    names, task = briefing.folder_names(vault, folder), _task(vault, by, folder)
    wish = Wish(task or " ".join(names[:1]), START, room, names, task)
    return _notes(vault, clock, by, wish, session.given(vault, by))


def reminder(vault: Vault, clock: Clock, by: By, prompt: str) -> Told:
    """The notes that a prompt calls for and that this session was not given yet; NOTHING where none do."""
    from vaultgit.passes import session

    if is_chat(prompt):
        return NOTHING
    return _notes(vault, clock, by, Wish(prompt, PROMPT, LIMIT), session.given(vault, by))


class Wish(NamedTuple):
    """What notes are wanted for, how much of them, and what else is known of the work (see recall.context)."""

    task: str
    budget: int
    room: int
    folder_names: tuple[str, ...] = ()
    session: str = ""


def _task(vault: Vault, by: By, folder: str) -> str:
    """What the session is at, or what another one in this folder is."""
    from vaultgit.passes import session

    here = [one.task for one in session.open_sessions(vault) if one.task and one.folder == folder]
    return session.task_of(vault, by) or (here[-1] if here else "")


def _notes(vault: Vault, clock: Clock, by: By, wish: Wish, skip: set[tuple[str, str]]) -> Told:
    from vaultgit.edits import unlanded
    from vaultgit.passes import briefing
    from vaultgit.recall import index
    from vaultgit.recall.context import context

    budget = max(1, min(wish.budget, wish.room // 4))  # a token counts as at most four characters
    with index.opened(vault) as opened:
        view = opened.now(within=PATIENCE, queued=unlanded.notes(vault, by.agent))
        found = context(
            vault, view, wish.task, budget=budget, today=clock.now().date(), agent=by.agent, skip=skip,
            folder_names=wish.folder_names, session=wish.session,
        )  # fmt: skip
        stale = view.stale and not opened.trouble
    given = tuple((note.path, note.oid) for note in found.notes)
    text = _CLIENTS.sub("&lt;", briefing.text(briefing.with_bases(vault, view, found)))
    return Told(text, given, found.tokens if given else 0, stale)


def catch_up(vault: Vault) -> None:
    """Looks at all notes, however long that takes. Where another process does so already, it is left to that."""
    import fcntl

    from vaultgit.recall import index

    with index.opened(vault) as opened:
        if opened.trouble:
            return  # what is read into memory is gone with this process
        with open(opened.path + ".lock", "wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return
            opened.now()
