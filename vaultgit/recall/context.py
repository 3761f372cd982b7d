"""What an agent needs for a task, within a budget of tokens: the same notes for the same vault and task, every time.

Candidates come from three sides: the parts that notes play in the task (context_roles), what search finds, and what is
linked with those (context_links). They are weighed on one scale, the best first; each gets a share of the budget, and
what is left over goes to those that had to be cut, again the best first.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit import config
from vaultgit.recall import context_links
from vaultgit.recall import context_roles as roles
from vaultgit.recall import context_words
from vaultgit.recall import rank
from vaultgit.recall.context_fill import Filling
from vaultgit.recall.context_fill import Given
from vaultgit.recall.context_fill import counted
from vaultgit.recall.context_notes import Notes
from vaultgit.recall.context_roles import Role
from vaultgit.recall.context_roles import Task
from vaultgit.recall.context_words import ENOUGH
from vaultgit.recall.context_words import Wanted
from vaultgit.recall.view import WAITS

if TYPE_CHECKING:
    from vaultgit.recall.index import View
    from vaultgit.recall.search import Hit
    from vaultgit.vault import Vault

HITS = 20  # of search that are looked at
_GOOD = 0.3 * (rank.WORDS + rank.LINES + rank.PIECES)  # of search's score: so much of the task is in the note
_ASKED = 400  # characters of a task that search is asked with
_NEVER = re.compile(r"review\.md|changelog\.md|changelog/\d{4}-\d\d\.md")
_SYNTAX = re.compile(r'["“”„:*()]|(?<!\S)-+')


class Context(NamedTuple):
    """`notes`: best first. `tokens`: what all of it counts as when `heading` and `shown` have put it on paper;
    never more than `budget`. `left_out`: notes that had no room. `unknown`: words of the task that are in no note."""

    task: str
    budget: int
    notes: list[Given]
    tokens: int
    left_out: int = 0
    unknown: tuple[str, ...] = ()


def context(
    vault: Vault,
    view: View,
    task: str,
    *,
    budget: int,
    today: date,
    agent: str | None = None,
    skip: Collection[tuple[str, str]] = (),
    folder_names: Sequence[str] = (),
    session: str = "",
) -> Context:
    """What the vault has for `task`, at most `budget` tokens of it.

    `folder_names`: how the folder that the agent works in, and its remote, are called; `session`: what the agent's
    session is at: both say which project it is where the task does not. `skip`: (path, oid) of what was given before.
    """
    notes = Notes(view)
    weighed = _weigh(vault, notes, Task(task), today, agent, folder_names, session)
    before = set(skip)
    there = ((role, notes.get(role.path)) for role in weighed.roles)
    candidates = [
        role._replace(why=f"{role.why}; {WAITS}") if role.path in view.queued else role
        for role, note in there
        if note is not None and (note.path, note.oid) not in before
    ]
    given, left_out = Filling(notes, weighed.wanted.weights, budget).fill(candidates)
    return Context(task, budget, given, counted(given, budget), left_out, weighed.wanted.unknown)


# -- what is needed -------------------------------------------------------------------------------------------------


class _Weighed(NamedTuple):
    roles: list[Role]
    wanted: Wanted


def _weigh(
    vault: Vault,
    notes: Notes,
    task: Task,
    today: date,
    agent: str | None,
    folder_names: Sequence[str],
    session: str,
) -> _Weighed:
    from vaultgit.recall.search import search

    view = notes.view
    gone = roles.replaced(notes)
    asked = _SYNTAX.sub(" ", task.text)[:_ASKED]
    found = search(vault, view, asked, limit=HITS)
    wanted = context_words.wanted(view, asked, found.instead)
    about, people = roles.projects(notes, task, folder_names, session), roles.people(notes, task)
    given = [hit for hit in found.hits if is_given(vault, hit.path, hit.type)]
    # A project that is named says what the task is about; of what is wanted of it a note must have a word as well.
    names = {stem for role in about for name in notes.names(role.path).names for stem in name.split()}
    others = (wanted.weights.keys() - names) if names else set()
    hits = _relevant(notes, given, task, wanted, others)
    played = [*about, *_of_projects(notes, about, gone, hits, agent), *people]
    played += [*roles.skills(notes, task), *roles.of_days(notes, task, today), *_of_hits(hits, gone)]
    best = _best_of_each([role for role in played if role.path not in gone and _may_be_given(vault, notes, role.path)])
    linked = context_links.around(
        notes, best, others or task.telling, lambda path, kind: is_given(vault, path, kind) and path not in gone
    )
    return _Weighed(best + linked, wanted)


def _may_be_given(vault: Vault, notes: Notes, path: str) -> bool:
    note = notes.get(path)
    return note is not None and is_given(vault, path, note.type)


def is_given(vault: Vault, path: str, note_type: str) -> bool:
    """Whether a note may be given at all: not what waits for a person, what is made from history or for agents'
    clients, nor templates, nor what a person keeps out of it by the settings, or (of their own notes, without a type)
    out of Obsidian's search."""
    rules = vault.rules
    inbox = rules.folder("inbox")
    if path.startswith(".") or "/." in path or _NEVER.fullmatch(path) or note_type == "inbox":
        return False
    if path.rpartition("/")[2].lower() in config.INSTRUCTIONS or (inbox and path.startswith(inbox + "/")):
        return False
    if any(path == kept or path.startswith(kept + "/") for kept in rules.settings.context.exclude):
        return False
    return not rules.obsidian.is_template(path) and (bool(note_type) or not rules.obsidian.hides(path))


def _relevant(notes: Notes, hits: Sequence[Hit], task: Task, asked: Wanted, others: Collection[str]) -> list[Hit]:
    """Of what search found, what is called as the task says, or has enough of it. `others`: words of the task of which
    a note must have one, where there are any."""
    notes.read([hit.path for hit in hits])
    found = []
    for hit in hits:
        note = notes.get(hit.path)
        if note is None or context_links.is_list(note, sum(map(len, notes.stems(hit.path)))):
            continue
        called = notes.names(hit.path)
        good = bool(asked.weights) and hit.score >= _GOOD and (not others or notes.has(hit.path, others))
        if good or task.names(called) or asked.share(notes.stems(hit.path), " ".join(called.names)) >= ENOUGH:
            found.append(hit)
    return found


def _of_projects(
    notes: Notes, about: Sequence[Role], gone: Mapping[str, str], hits: Sequence[Hit], agent: str | None
) -> list[Role]:
    """Decisions of the projects, those that search finds before the newest others, and the last session."""
    if not about:
        return []
    place = {hit.path: n for n, hit in enumerate(hits)}
    holding = roles.decisions(notes, about, gone)
    chosen = sorted(enumerate(holding), key=lambda pair: (place.get(pair[1][1], len(place)), pair[0]))
    found = [
        Role(path, 0.9 - n / 25, f"decision of {day}" if day else "decision", "decision")
        for n, (_, (day, path)) in enumerate(chosen[: roles.DECISIONS])
    ]
    session = roles.last_session(notes, about, agent)
    if session is not None:
        why = "last session on it" + (f", {session.day}" if session.day else "")
        found.append(Role(session.path, 0.78, why, "session"))
    return found


def _of_hits(hits: Sequence[Hit], gone: Mapping[str, str]) -> list[Role]:
    found = []
    top = hits[0].score if hits and hits[0].score > 0 else 1.0
    instead = {gone[hit.path]: hit.path for hit in reversed(hits) if hit.path in gone}
    for n, hit in enumerate(hits):
        weight = 0.95 * (0.4 + 0.6 * max(0.0, hit.score) / top) - n / 1000
        path = gone.get(hit.path, hit.path)
        why = f"in place of {instead[path]}" if path in instead else "found by search"
        kind = "daily" if hit.type == "daily" else "best" if n == 0 else "hit"
        found.append(Role(path, weight, why, kind))
    return found


def _best_of_each(played: Sequence[Role]) -> list[Role]:
    """Each note once, in the part that weighs most; the first word of why stays that of the part it plays."""
    of: dict[str, Role] = {}
    for role in played:
        there = of.get(role.path)
        if there is None:
            of[role.path] = role
        elif role.weight > there.weight:
            of[role.path] = there._replace(weight=role.weight)
    return sorted(of.values(), key=lambda role: (-role.weight, role.path))
