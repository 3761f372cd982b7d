"""Whose text stands where two lines of history changed the same lines: a person's, else the earlier."""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.history import log
from vaultgit.history.log import Commit
from vaultgit.history.repository import Repository

_MANY = 20  # files, beyond which one walk through both lines costs less than one for each


class Side(NamedTuple):
    """What one line of history did to a file: whether a person had a hand in it, and its last commit there."""

    by_person: bool
    last: Commit

    @property
    def name(self) -> str:
        """Of the agent, else of the author."""
        return self.last.trailer("Agent") or self.last.author


class Sides:
    """Two lines of history, seen from where they parted."""

    def __init__(self, repo: Repository, ours: str, theirs: str, asked: int = 1) -> None:
        """`asked`: about how many files it will be asked; where these are many, all is read at once."""
        self.repo, self.ours, self.theirs = repo, ours, theirs
        self._at_once = asked > _MANY
        self._read: dict[str, dict[str, list[Commit]]] = {}
        self._known: dict[tuple[str, str], Side] = {}

    def our(self, path: str) -> Side:
        """`path` from the repository's top."""
        return self._side(self.ours, self.theirs, path)

    def their(self, path: str) -> Side:
        return self._side(self.theirs, self.ours, path)

    def ours_stands(self, path: str) -> bool:
        """The same answer on every machine, whichever of the two is ours there."""
        our, their = self.our(path), self.their(path)
        if our.by_person != their.by_person:
            return our.by_person
        return (our.last.authored, our.last.oid) < (their.last.authored, their.last.oid)

    def by_agent(self, path: str) -> bool:
        """Whether an agent's commit on either side changed it."""
        both = (self.ours, self.theirs), (self.theirs, self.ours)
        return any(commit.trailer("Agent") for sides in both for commit in self._commits(*sides, path))

    def _side(self, tip: str, other: str, path: str) -> Side:
        if (tip, path) not in self._known:
            found = self._commits(tip, other, path)
            if not found:  # it came by a merge, or under another name
                found = [log.commit(self.repo, tip)]
            self._known[tip, path] = Side(any(not commit.trailer("Agent") for commit in found), found[0])
        return self._known[tip, path]

    def _commits(self, tip: str, other: str, path: str) -> list[Commit]:
        revisions = [tip, f"^{other}", "--no-merges"]
        if not self._at_once:
            return log.commits(self.repo, revisions, paths=[path])
        if tip not in self._read:
            self._read[tip] = log.by_path(self.repo, revisions)
        return self._read[tip].get(path, [])
