"""What recurs in captures and deserves a note, found by counting: no model, no disk, the same answer every time."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.consolidate import folders
from vaultgit.passes.consolidate import sources
from vaultgit.passes.consolidate import stop
from vaultgit.passes.consolidate.blocks import CaptureBlock
from vaultgit.passes.consolidate.captured import Captured
from vaultgit.passes.consolidate.folders import Folder
from vaultgit.passes.consolidate.knowing import Notes
from vaultgit.passes.consolidate.reading import Line
from vaultgit.passes.consolidate.reading import name_key
from vaultgit.passes.consolidate.sources import CONCEPT
from vaultgit.passes.consolidate.sources import DECISION
from vaultgit.passes.consolidate.sources import PERSON
from vaultgit.passes.consolidate.sources import PROJECT
from vaultgit.passes.consolidate.sources import Found

__all__ = ["CONCEPT", "DECISION", "PERSON", "PROJECT", "Candidate", "Known", "Mention", "ranked"]

_ADDITIONS_BEFORE = sources.BY_DECISION  # what is said of notes that are there ranks right before
_BY_FORM = frozenset(("folder", "link", "tag", "identifier"))  # written as one thing: never a part of a longer name


class Known(NamedTuple):
    """The vault's notes. `notes`: folded name or alias -> path. `types`: path -> note type, where managed."""

    notes: Mapping[str, str]
    types: Mapping[str, str]


class Mention(NamedTuple):
    """One captured line: the bullet's text, and where it stands."""

    path: str
    heading: str
    line: str


class Candidate(NamedTuple):
    """What could become a note, or be added to one.

    `note`: path of the note it adds to, "" for a new one. `project`, `replaces`: of a decision, the paths of its
    project's note and of the decision it replaces. `source`: what it was found by.
    """

    type: str
    name: str
    mentions: tuple[Mention, ...]
    why: str
    note: str = ""
    project: str = ""
    replaces: str = ""
    source: str = ""


def ranked(
    blocks: Sequence[CaptureBlock], new: Collection[CaptureBlock], known: Known, min_mentions: int
) -> list[Candidate]:
    """All candidates, best first: counted over all blocks, each with a mention in one of `new`."""
    return _Round(blocks, new, known, max(1, min_mentions)).ranked()


class _Round:
    def __init__(self, blocks: Sequence[CaptureBlock], new: Collection[CaptureBlock], known: Known, least: int) -> None:
        self.captured = Captured(blocks, new)
        self.notes = Notes(known.notes, known.types)
        self.least = least

    def ranked(self) -> list[Candidate]:
        places = folders.find(self.captured.blocks)
        found = one_each(sources.every(self.captured, places, self.notes, self.least))
        found.sort(key=lambda one: (one.rank, -self.captured.spread(one.lines), one.key))
        made = [(one, candidate) for one in found if (candidate := self._candidate(one))]
        added: dict[str, Candidate] = {}
        for candidate in (*(candidate for _, candidate in made if candidate.note), *self._said_of_notes(places)):
            before = added.get(candidate.note, candidate)
            mentions = tuple(dict.fromkeys((*before.mentions, *candidate.mentions)))
            added[candidate.note] = before._replace(mentions=mentions, why=_more(candidate.note, len(mentions)))
        additions = sorted(
            added.values(), key=lambda one: (one.type not in (PERSON, PROJECT), -len(one.mentions), one.note)
        )
        created = [(one.rank, candidate) for one, candidate in made if not candidate.note]
        return [
            *(candidate for rank, candidate in created if rank < _ADDITIONS_BEFORE),
            *additions,
            *(candidate for rank, candidate in created if rank >= _ADDITIONS_BEFORE),
        ]

    def _candidate(self, one: Found) -> Candidate | None:
        """The proposal; None where no new block says anything of it, or nothing can be added to its note."""
        path = self.notes.exactly(name_key(one.name)) or self.notes.path(one.key, one.type == PERSON)
        if path is None:
            return None
        new = [n for n in one.lines if self.captured.is_new(n)]
        if path:
            more = [n for n in new if says_more(self.captured.lines[n], one.key)]
            is_closed = one.type == DECISION or not self.notes.takes_more(path)
            return None if is_closed or not more else self._addition(path, one.type, more, one.source)
        if not new:
            return None
        mentions = self._mentions(one.lines)
        days = len({mention.path for mention in mentions})
        why = one.why + (f", in {days} notes" if days > 1 else "")
        return Candidate(one.type, one.name, mentions, why, "", one.project, one.replaces, one.source)

    def _said_of_notes(self, places: Sequence[Folder]) -> Iterator[Candidate]:
        """Managed notes that new lines name as a name is written, and projects in whose folder they were said."""
        by_path: dict[str, set[int]] = {}
        for n, line in enumerate(self.captured.lines):
            if self.captured.is_new(n):
                for key, path in self.notes.named(line.words, line.proper):
                    if says_more(line, key):
                        by_path.setdefault(path, set()).add(n)
        for folder in places:
            path = self.notes.exactly(name_key(folder.name))
            if self.notes.types.get(path) == PROJECT:
                for n, line in enumerate(self.captured.lines):
                    if line.block in folder.alone and self.captured.is_new(n) and line.kind in sources.TELLING:
                        by_path.setdefault(path, set()).add(n)
        for path in sorted(by_path):
            if self.notes.takes_more(path):
                yield self._addition(path, CONCEPT, sorted(by_path[path]), "note")

    def _addition(self, path: str, note_type: str, lines: Sequence[int], source: str) -> Candidate:
        kind = self.notes.types.get(path, note_type)
        return Candidate(
            kind, sources.stem(path), self._mentions(lines), _more(path, len(lines)), path, source=source
        )  # fmt: skip

    def _mentions(self, lines: Iterable[int]) -> tuple[Mention, ...]:
        read = (self.captured.lines[n] for n in lines)
        blocks = self.captured.blocks
        return tuple(Mention(blocks[line.block].path, blocks[line.block].heading, line.text) for line in read)


def _more(path: str, count: int) -> str:
    return f"more that was said of {sources.stem(path)}, on {sources.lines_of(count)}"


def says_more(line: Line, key: str) -> bool:
    """Whether a line says something besides the name: three telling words, or a figure and one."""
    name = {*key.split(), line.kind}
    telling = {token.key for token in line.tokens if token.key not in stop.FUNCTION and name_key(token.key) not in name}
    return len(telling) >= 3 or (bool(telling) and any(sign.isdigit() for sign in line.text))


# -- one thing, one candidate ----------------------------------------------------------------------------------------


def one_each(every: Iterable[Found]) -> list[Found]:
    """One entry a thing, the most trusted. A shorter name goes into the longer one that holds it, where only one does:
    Marta is Marta Lindqvist, as long as there is no Marta Kowalski."""
    by_key: dict[str, Found] = {}
    for one in sorted(every, key=lambda one: (one.rank, one.key)):
        there = by_key.setdefault(one.key, one)
        if one.type == PROJECT and there.type == CONCEPT:
            by_key[one.key] = there._replace(type=PROJECT)
    holding = _Holding(key for key, one in by_key.items() if one.type != DECISION)
    for key in sorted(by_key, key=lambda key: (len(key.split()), key)):
        short = by_key[key]
        if short.type == DECISION or short.source in _BY_FORM:
            continue
        longest = holding.longest(key, by_key)
        if len(longest) == 1 and _are_one(short, by_key[longest[0]]):
            longer = by_key[longest[0]]
            kept = longer if longer.rank <= short.rank else short._replace(name=longer.name, key=longer.key)
            by_key[longer.key] = kept._replace(lines=tuple(sorted({*longer.lines, *short.lines})))
            del by_key[key]
        elif len(longest) > 1 and short.type == PERSON and all(by_key[one].type == PERSON for one in longest):
            del by_key[key]  # nobody knows which of them is meant
    return list(by_key.values())


class _Holding:
    """Which names hold which: found by their words, or a thousand names would cost a million comparisons."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._by_word: dict[str, list[str]] = {}
        for key in keys:
            for word in dict.fromkeys(key.split()):
                self._by_word.setdefault(word, []).append(key)

    def longest(self, key: str, there: Mapping[str, Found]) -> list[str]:
        """The names that hold `key` and are in no longer one."""
        first = key.split()[:1]
        near = self._by_word.get(first[0], []) if first else []
        holders = [other for other in near if other != key and other in there and f" {key} " in f" {other} "]
        return [one for one in holders if not any(one != other and f" {one} " in f" {other} " for other in holders)]


def _are_one(short: Found, longer: Found) -> bool:
    if longer.type == PERSON:
        return short.type == PERSON or short.source in ("name", "place")
    if short.type == PERSON:  # Ilse in a longer name found by capitals is a first name; Vermeer is no Vermeer Street
        return (
            longer.source == "name" and longer.key.startswith(short.key + " ") and set(short.lines) <= set(longer.lines)
        )
    return longer.source != "phrase" or short.source == "phrase" or set(short.lines) <= set(longer.lines)
