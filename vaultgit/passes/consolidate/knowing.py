"""Which note a name means, among those that the vault has."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from vaultgit.checks.protected import path_problems
from vaultgit.passes.consolidate import stop
from vaultgit.passes.consolidate.reading import name_key

PERSON = "person"
# Notes that say what was at one time, or are changed by a pass of their own: nothing is added to them.
CLOSED = frozenset(("daily", "decision", "inbox", "session", "skill"))


class Notes:
    """The vault's notes by the key of each name and alias."""

    def __init__(self, notes: Mapping[str, str], types: Mapping[str, str]) -> None:
        """`notes`: folded name or alias -> path. `types`: path -> type, where managed."""
        self.types = types
        self.by_key: dict[str, str] = {}
        for name in sorted(notes, key=lambda name: (notes[name] not in types, name)):
            self.by_key.setdefault(name_key(name), notes[name])
        self.by_key.pop("", None)
        self.first: dict[str, list[str]] = {}  # first names of people -> their whole names
        self.starts: dict[str, list[str]] = {}
        self.short: dict[str, str] = {}  # a first or last name that one person alone has -> path
        for key in sorted(self.by_key):
            if types.get(self.by_key[key]) == PERSON:
                for word in {key.split()[0], key.split()[-1]}:
                    self.first.setdefault(word, []).append(key)
            if self.by_key[key] in types and self.takes_more(self.by_key[key]):
                self.starts.setdefault(key.split()[0], []).append(key)

        for word, keys in self.first.items():
            meant = {self.by_key[key] for key in keys}
            if len(meant) == 1 and len(word) > 2 and word not in self.by_key:
                self.short[word] = meant.pop()

    def exactly(self, key: str) -> str:
        return self.by_key.get(key, "")

    def path(self, key: str, person: bool) -> str | None:
        """Path of the note that a name means, "" for none, None where it may be one of several people."""
        if key in self.by_key:
            return self.by_key[key]
        if not person:
            return ""
        if " " not in key:
            meant = {self.by_key[one] for one in self.first.get(key, ())}
        else:  # the whole name of somebody who is known by the first
            first = self.by_key.get(key.split()[0], "")
            meant = {first} if self.types.get(first) == PERSON else set()
        return None if len(meant) > 1 else next(iter(meant), "")

    def takes_more(self, path: str) -> bool:
        """Whether lines can be added to a note: not to a daily note or a skill, nor to what no agent may write."""
        return (
            self.types.get(path) not in CLOSED and path.lower().endswith(".md") and not path_problems(path, agent=True)
        )

    def named(self, words: str, proper: str) -> Iterator[tuple[str, str]]:
        """Key and path of each managed note that a line names: one word only where it is written as a name is."""
        for word in dict.fromkeys(words.split()):
            if word in self.short and f" {word} " in proper and self.takes_more(self.short[word]):
                yield word, self.short[word]
            for key in self.starts.get(word, ()):
                where = words if " " in key else proper
                if f" {key} " in where and not (key in stop.FUNCTION or key in stop.NEVER):
                    yield key, self.by_key[key]
