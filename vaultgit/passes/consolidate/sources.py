"""What lines speak of, source by source, in order of trust.

The order is that of the shared facts ("Consolidation by counting"): people by a cue, projects by their folder, links to
notes that are not there, decisions, tags, identifiers, names by their capitals, phrases. Single words: never.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.consolidate import decisions
from vaultgit.passes.consolidate import names
from vaultgit.passes.consolidate import people
from vaultgit.passes.consolidate import things
from vaultgit.passes.consolidate.captured import Captured
from vaultgit.passes.consolidate.folders import Folder
from vaultgit.passes.consolidate.knowing import Notes
from vaultgit.passes.consolidate.reading import name_key

PERSON, PROJECT, CONCEPT, DECISION = "person", "project", "concept", "decision"
TELLING = frozenset(
    ("decision", "open", "reminder", "idea", "correction")
)  # kinds of lines that a project's note is made of

# Ranks: what is less is more to be trusted.
BY_CUE, BY_FOLDER, BY_LINK, BY_WORD, BY_DECISION, BY_TAG, BY_CODE, BY_CAPITAL, BY_PHRASE = range(9)
_NEVER_ONCE, _PHRASE = 2, 3  # mentions that it takes at least, whatever the settings say


class Found(NamedTuple):
    """`source`: in a word. `key`: the folded name. `lines`: all that name it, in order. `project`, `replaces`: of a
    decision, paths."""

    rank: int
    source: str
    type: str
    name: str
    key: str
    lines: tuple[int, ...]
    why: str
    project: str = ""
    replaces: str = ""


def every(captured: Captured, folders: Sequence[Folder], notes: Notes, least: int) -> Iterator[Found]:
    """All that may deserve a note. `least`: mentions that it takes where one is not enough."""
    yield from _people(captured)
    yield from _projects(captured, folders, max(_NEVER_ONCE, least))
    yield from _links(captured)
    yield from _decisions(captured, notes)
    yield from _tags(captured, max(_NEVER_ONCE, least))
    yield from _identifiers(captured, max(_NEVER_ONCE, least))
    yield from _names(captured, max(_NEVER_ONCE, least))
    yield from _phrases(captured, max(_PHRASE, least))


def _people(captured: Captured) -> Iterator[Found]:
    by_key: dict[str, list[people.Person]] = {}
    for person in people.find(captured.lines, captured.usage):
        by_key.setdefault(name_key(person.key), []).append(person)
    for key in sorted(by_key):
        cues = by_key[key]
        cue = next((one for one in cues if one.sure), cues[0])
        lines = captured.naming(key, (one.line for one in cues))
        yield Found(BY_CUE, "person", PERSON, cue.name, key, lines, f"a person: “{cue.cue}”")


def _projects(captured: Captured, folders: Sequence[Folder], least: int) -> Iterator[Found]:
    for folder in folders:
        own = [n for n, line in enumerate(captured.lines) if line.block in folder.alone]
        telling = [n for n in own if captured.lines[n].kind in TELLING]
        count = len(folder.blocks)
        if own and (count >= least or (telling and len(own) >= 3)):
            key = name_key(folder.name)
            times = "once" if count == 1 else f"{count} times"
            why = f"a project: worked on in the folder {folder.name}, captured {times}"
            yield Found(
                BY_FOLDER, "folder", PROJECT, folder.name, key, captured.naming(key, telling or own), why
            )  # fmt: skip


def _links(captured: Captured) -> Iterator[Found]:
    for one in things.links(captured.lines):
        why = f"linked as [[{one.name}]], on {lines_of(len(one.lines))}"
        yield Found(BY_LINK, "link", CONCEPT, one.name, one.key, captured.naming(one.key, one.lines), why)


def _decisions(captured: Captured, notes: Notes) -> Iterator[Found]:
    """Only where the project has a note, and the block speaks of no other: its link has to mean something."""
    projects: dict[int, str] = {}
    for number, block in enumerate(captured.blocks):
        paths = {notes.exactly(name_key(folder)) for folder in block.folders}
        path = paths.pop() if len(paths) == 1 else ""
        if notes.types.get(path) == PROJECT:
            projects[number] = path
    for one in decisions.find(captured.lines, projects, notes.by_key, notes.types):
        why = f"a decision in {stem(one.project)}, with its reason or for good"
        yield Found(BY_DECISION, "decision", DECISION, one.name, one.key, (one.line,), why, one.project, one.replaces)


def _tags(captured: Captured, least: int) -> Iterator[Found]:
    for one in things.tags(captured.lines):
        if len(one.lines) >= least:
            why = f"tagged on {lines_of(len(one.lines))}"
            yield Found(BY_TAG, "tag", CONCEPT, one.name, one.key, captured.naming(one.key, one.lines), why)


def _identifiers(captured: Captured, least: int) -> Iterator[Found]:
    """Tools from `least` lines on; fields and functions of one only where it is more, and not of one talk alone."""
    for one in things.identifiers(captured.lines):
        count = len(one.lines)
        often = count >= least if things.is_tool(one.name) else count > least and captured.spread(one.lines) > 1
        if one.told or often:
            why = f"`{one.name}` on {lines_of(count)}" + (", as something that is being built" if one.told else "")
            rank = BY_TAG if one.told else BY_CODE
            yield Found(rank, "identifier", CONCEPT, one.name, one.key, captured.naming(one.key, one.lines), why)


def _names(captured: Captured, least: int) -> Iterator[Found]:
    for one in names.find(captured.lines, captured.usage):
        lines = captured.naming(one.key, one.lines)
        on = f"on {lines_of(len(lines))}"
        if one.project and len(lines) >= least:
            yield Found(BY_WORD, "project name", PROJECT, one.name, one.key, lines, f"called a project, {on}")
        elif len(one.lines) >= least:
            is_place = one.place * 2 >= len(one.lines)
            source, why = ("place", f"named as a place, {on}") if is_place else ("name", f"named {on}")
            yield Found(BY_CAPITAL, source, CONCEPT, one.name, one.key, lines, why)


def _phrases(captured: Captured, least: int) -> Iterator[Found]:
    for one in things.phrases(captured.lines, captured.usage):
        is_telling = captured.spread(one.lines) > 1 and not captured.usage.is_everywhere(one.key.split())
        if len(one.lines) >= least and is_telling:
            why = f"on {lines_of(len(one.lines))}"
            yield Found(BY_PHRASE, "phrase", CONCEPT, one.name, one.key, one.lines, why)


def stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def lines_of(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
