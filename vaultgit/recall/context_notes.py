"""The notes that a context looks at: asked of the index, each read once."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Mapping
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

from vaultgit.recall import filters
from vaultgit.recall import read
from vaultgit.recall.store import AT_ONCE
from vaultgit.recall.store import key
from vaultgit.recall.store import path_of

if TYPE_CHECKING:
    from vaultgit.recall.index import Note
    from vaultgit.recall.index import View


class Called(NamedTuple):
    """What a note is called. `names`: the stems of its title, its file's name, its aliases."""

    path: str
    title: str
    names: tuple[str, ...]


class Notes:
    """Notes of one view."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._known: dict[str, Note | None] = {}
        self._stems: dict[str, tuple[str, str]] = {}
        self._texts: dict[str, bytes] = {}

    def get(self, path: str) -> Note | None:
        if path not in self._known:
            self._known[path] = self.view.get(path) if path else None
        return self._known[path]

    def text(self, path: str) -> bytes:
        """The plain bytes. Raises UsageError where the note is gone meanwhile."""
        if path not in self._texts:
            self._texts[path] = self.view.text(path)
        return self._texts[path]

    def stems(self, path: str) -> list[str]:
        """The stems of each line of the body, between blanks."""
        self.read([path])
        return self._stems[path][1].split("\n")

    def has(self, path: str, stems: Collection[str]) -> bool:
        """Whether a note has one of these words, in its body or in what it is called."""
        self.read([path])
        return not set(stems).isdisjoint(" ".join(self._stems[path]).split())

    def names(self, path: str) -> Called:
        self.read([path])
        note = self.get(path)
        return Called(path, note.title if note else "", _names(self._stems[path][0]))

    def read(self, paths: Collection[str]) -> None:
        """Takes the stems of several notes out of the index at once."""
        wanted = [path for path in paths if path not in self._stems]
        self._stems.update((path, ("", "")) for path in wanted)
        for first in range(0, len(wanted), AT_ONCE):
            part = wanted[first : first + AT_ONCE]
            marks = ",".join("?" * len(part))
            sql = f"SELECT path, names, body FROM doc WHERE path IN ({marks}) AND {self.view.scope}"
            self._stems.update(self.view.made(lambda row: (path_of(row[0]), (row[1], row[2])), sql, map(key, part)))

    # -- found by what they are ------------------------------------------------------------------------------------

    def called(self, names: Collection[str]) -> list[tuple[str, str, str]]:
        """Path, type and title of the managed notes that have one of these as title, file name or alias; by path."""
        marks = [mark for mark in dict.fromkeys(map(read.name_mark, names)) if self.view.df(mark)]
        return self._titled(f"marks : ({_any(marks)})") if marks else []

    def titled(self, stems: Collection[str]) -> list[tuple[str, str, str]]:
        """The same of those with one of these words in what they are called."""
        return self._titled(f"names : ({_any(stems)})") if stems else []

    def _titled(self, expression: str) -> list[tuple[str, str, str]]:
        found = self.view.matching(expression, "path, type, title", _with_path)
        return sorted(one for one in found if one[1])

    def linking(self, path: str, note_type: str, field: str = "") -> list[str]:
        """Notes of a type that link (in a property) to a note of that name, maybe another one; the newest first."""
        rows = self._marked([read.link_mark(path, field)])
        found = [(day, one) for one, kind, day in rows if kind == note_type]
        return [one for _, one in sorted(found, reverse=True)]

    def with_links_in(self, field: str) -> list[str]:
        """Notes with a link in a property, by path."""
        start = read.link_mark("", field)
        return sorted(one for (one,) in self.view.matching(f'marks : "{start}" *', "path", _with_path))

    def with_words_in(self, field: str, weights: Mapping[str, float], note_type: str, most: int) -> list[str]:
        """Notes of a type whose property has one of these words, those first that have what weighs most."""
        found: dict[str, float] = {}
        for stem, weight in sorted(weights.items()):
            for path, kind, _ in self._marked([read.value_mark(field, stem)]):
                if kind == note_type:
                    found[path] = found.get(path, 0.0) + weight
        return sorted(found, key=lambda path: (-found[path], path))[:most]

    def with_properties(self, stems: Collection[str], note_type: str) -> list[str]:
        """Notes of a type whose properties have all of these words, by path."""
        rows = self._marked(stems, " AND ") if stems else []
        return sorted(path for path, kind, _ in rows if kind == note_type)

    def of_days(self, days: Collection[str]) -> list[str]:
        """Sessions and decisions of these days, by path."""
        if not days:
            return []
        marks = ",".join("?" * len(days))
        sql = f"SELECT path, type FROM doc WHERE day IN ({marks}) AND {self.view.scope}"
        return sorted(path for path, kind in self.view.made(_with_path, sql, days) if kind in ("session", "decision"))

    def _marked(self, marks: Collection[str], joined: str = " OR ") -> list[tuple[str, str, str]]:
        """Path, type and day of the notes that have marks (read.doc)."""
        if not marks:
            return []
        expression = f"marks : ({_any(marks, joined)})"
        return self.view.matching(expression, "path, type, day", _with_path)


def _with_path(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row that begins with a path as the index keeps it, with that as it is called."""
    return (path_of(row[0]), *row[1:])


def _any(tokens: Collection[str], joined: str = " OR ") -> str:
    return joined.join(map(filters.quoted, tokens))


def _names(stems: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for line in stems.split("\n")))
