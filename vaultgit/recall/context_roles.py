"""Who and what a task is about: its project, that project's decisions and last session, people, skills that fit.

All of it is asked of the index: a vault may have thousands of people, and a task names two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from collections.abc import Sequence
from datetime import date
from datetime import timedelta
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.notes.links import link_target
from vaultgit.recall import read
from vaultgit.recall import words

if TYPE_CHECKING:
    from vaultgit.recall.context_notes import Called
    from vaultgit.recall.context_notes import Notes
    from vaultgit.recall.index import Note

PROJECTS, DECISIONS, PEOPLE, SKILLS = 3, 5, 3, 2  # at most
FITS = 0.6  # share of what a trigger says that the task must say
_WORDS, _NAME = 150, 5  # words of a task among which names are looked for; words of a name
_SKILLS_READ = 20  # whose trigger is looked at, those first that have the rarest words
_FIRST_SHARED = 2  # people of one first name, of whom it still names each
_VAGUE = frozenset(words.stem(word) for word in "user agent ask want need request someone task work whenever".split())
_CLAUSE = re.compile(r"[,;.:]|\bor\b|\band\b")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")


class Role(NamedTuple):
    """A note with the part it plays. `weight`: from 0 to 1, the greater the more it is needed."""

    path: str
    weight: float
    why: str
    kind: str


class Task:
    """The words of a task. `phrases`: what may be a name in it; `telling`: stems of the words that say something."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stems = " " + " ".join(words.stems(text).split()) + " "
        said = words.found(text)[:_WORDS]
        self.raw = set(said)
        self.telling = {stem for word in self.raw if not words.is_stop(word) for stem in words.asked(word)}
        plain = [word.replace("\u2019", "'").removesuffix("'s").removesuffix("'") for word in said]
        self.phrases = [
            " ".join(plain[n : n + size]) for size in range(1, _NAME + 1) for n in range(len(plain) - size + 1)
        ]

    def names(self, note: Called) -> int:
        """How many characters of the task name a note, by title, file name or alias; 0 for none."""
        return max((self._length(name, note.title) for name in note.names), default=0)

    def _length(self, name: str, title: str) -> int:
        if not name or f" {name} " not in self.stems:
            return 0
        # A name that is a common word, or next to nothing, counts only as it is written.
        odd = len(name) < 3 or all(words.is_stop(part) for part in name.split())
        return len(name) if not odd or set(words.found(title)) <= self.raw else 0

    def named(self, notes: Notes, note_type: str) -> list[str]:
        """The notes of a type that the task names, the longest names first."""
        found = [path for path, kind, _ in notes.called(self.phrases) if kind == note_type]
        notes.read(found)
        sized = [(-self.names(called), path) for path in found if (called := notes.names(path))]
        return [path for size, path in sorted(sized) if size < 0]


def projects(notes: Notes, task: Task, folder_names: Sequence[str], session: str) -> list[Role]:
    """The projects that the task names; else that the folder or its remote is called like; else that the session
    names."""
    why, found = "named in the task", task.named(notes, "project")
    if not found:
        why, found = "of this folder", _of_folder(notes, folder_names)
    if not found:
        why, found = "named in the session", Task(session).named(notes, "project")
    return [Role(path, 1.0 - n / 20, f"project {why}", "project") for n, path in enumerate(found[:PROJECTS])]


def _of_folder(notes: Notes, folder_names: Sequence[str]) -> list[str]:
    """Projects that are called like a folder or a repository, or say in a property that they lie there."""
    for name in folder_names:
        found = [path for path, kind, _ in notes.called([name]) if kind == "project"]
        for path in notes.with_properties(words.asked_all(name), "project"):
            note = notes.get(path)
            values = read.texts(list(note.values.values())) if note else []
            lasts = (value.rstrip("/").removesuffix(".git").rpartition("/")[2] for value in values if "/" in value)
            if name in lasts and path not in found:
                found.append(path)
        if found:
            return found
    return []


def replaced(notes: Notes) -> dict[str, str]:
    """Decision that does not hold any more -> the one that holds in its place.

    Of decisions that replace one another in a circle the newest holds.
    """
    by: dict[str, str] = {}
    days: dict[str, str] = {}
    replacing = [note for path in notes.with_links_in("replaces") if (note := notes.get(path))]
    for note in sorted((one for one in replacing if one.type == "decision"), key=lambda one: (one.day, one.path)):
        days[note.path] = note.day
        for target in _targets(note.values.get("replaces")):
            old = notes.get(next(iter(notes.view.resolve(target, note.path)), ""))
            if old is not None and old.type == "decision" and old.path != note.path:
                by[old.path] = note.path  # of two that replace the same one the newer counts
                days.setdefault(old.path, old.day)
    heads: dict[str, str] = {}
    for path in sorted(by):
        seen, here = [path], by[path]
        while here in by and here not in seen:
            seen.append(here)
            here = by[here]
        if here in seen:
            here = max(seen[seen.index(here) :], key=lambda one: (days[one], one))
        if here != path:
            heads[path] = here
    return heads


def decisions(notes: Notes, of: Sequence[Role], gone: Collection[str]) -> list[tuple[str, str]]:
    """Day and path of the decisions that hold in the projects, newest first."""
    found: set[tuple[str, str]] = set()
    for role in of:
        project = notes.get(role.path)
        for target in _targets(project.values.get("decisions")) if project else []:
            listed = notes.get(next(iter(notes.view.resolve(target, role.path)), ""))
            if listed is not None and listed.type == "decision":
                found.add((listed.day, listed.path))
        for path in notes.linking(role.path, "decision", "project"):
            note = notes.get(path)
            targets = _targets(note.values.get("project")) if note else []
            if note and any(notes.view.resolve(target, path)[:1] == [role.path] for target in targets):
                found.add((note.day, path))
    return sorted((pair for pair in found if pair[1] not in gone), reverse=True)


def last_session(notes: Notes, about: Sequence[Role], agent: str | None) -> Note | None:
    """The newest session that links to one of these notes; of one day, the agent's own."""
    best: list[Note] = []
    for role in about:
        for path in notes.linking(role.path, "session"):  # newest first
            note = notes.get(path)
            if note is None or (best and note.day < best[0].day):
                break
            if any(notes.view.resolve(link.target, path)[:1] == [role.path] for link in note.links):
                best = [note, *best] if not best or note.day == best[0].day else [note]

    def order(note: Note) -> tuple[str, bool, str]:
        return note.day, agent is not None and note.values.get("agent") == agent, note.path

    return max(best, key=order, default=None)


def people(notes: Notes, task: Task) -> list[Role]:
    """The people that the task names, by a full name, an alias, or a first name that few share."""
    found = task.named(notes, "person")
    if len(found) < PEOPLE:
        said = {word for word in task.raw if word[:1].isupper() and not words.is_stop(word)}
        first: dict[str, list[str]] = {}
        for path, kind, title in notes.titled(sorted({stem for word in said for stem in words.asked(word)})):
            name, _, rest = title.partition(" ")
            if kind == "person" and rest and name in said:
                first.setdefault(name, []).append(path)
        for _, paths in sorted(first.items()):
            if len(paths) <= _FIRST_SHARED and not set(paths) & set(found):
                found += paths
    return [Role(path, 0.3 - n / 100, "person named in the task", "person") for n, path in enumerate(found[:PEOPLE])]


def skills(notes: Notes, task: Task) -> list[Role]:
    """The skills whose trigger fits the task, or whose name it says; what a trigger says with "or" counts each."""
    total = notes.view.df(read.value_mark("type", "skill"))
    weight = {stem: _rare(notes, stem, total) for stem in task.telling - _VAGUE}
    named = task.named(notes, "skill")
    found = [(-1.0, path) for path in named]
    for path in notes.with_words_in("trigger", weight, "skill", _SKILLS_READ):
        note = notes.get(path)
        if note is not None and path not in named:
            trigger = " ".join(read.texts(note.values.get("trigger")))
            fits = max(_share(notes, part, task, total) for part in (trigger, *_CLAUSE.split(trigger)))
            found += [(-fits, path)] if fits >= FITS else []
    found.sort()
    return [Role(path, 0.8 + size / -50, "skill whose trigger fits", "skill") for size, path in found[:SKILLS]]


def _share(notes: Notes, clause: str, task: Task, total: int) -> float:
    """How much of what a clause of a trigger says the task says, too; rare words count more."""
    said = [word for word in words.found(clause) if not words.is_stop(word)]
    stems = {stem for word in said for stem in words.stem(word).split()} - _VAGUE
    both = stems & task.telling
    if not both or (len(stems) > 1 and len(both) < 2):
        return 0.0  # of several words one alone says too little
    weight = {stem: _rare(notes, stem, total) for stem in stems}
    return sum(weight[stem] for stem in sorted(both)) / sum(weight[stem] for stem in sorted(stems))


def _rare(notes: Notes, stem: str, total: int) -> float:
    """How few of the triggers have a word."""
    return math.log(1 + total / max(1, notes.view.df(read.value_mark("trigger", stem))))


def of_days(notes: Notes, task: Task, today: date) -> list[Role]:
    """Sessions and decisions of the day that the task names: yesterday, today, 2026-11-28."""
    days = set(_ISO.findall(task.text))
    lower = task.text.lower()
    days |= {str(today)} if re.search(r"\btoday\b", lower) else set()
    days |= {str(today - timedelta(days=1))} if re.search(r"\byesterday\b", lower) else set()
    found = [note for path in notes.of_days(sorted(days)) if (note := notes.get(path))]
    return [Role(note.path, 0.45, f"{note.type} of {note.day}", note.type) for note in found[:5]]


def _targets(value: object) -> list[str]:
    given = value if isinstance(value, list) else [value]
    return [target for one in given if isinstance(one, str) and (target := link_target(one))]
