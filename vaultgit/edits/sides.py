"""Whose text stands where two lines of history changed the same lines: a person's, else the earlier."""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.history import log
from vaultgit.history.log import Commit
from vaultgit.history.repository import Repository


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

    def __init__(self, repo: Repository, ours: str, theirs: str) -> None:
        self.repo, self.ours, self.theirs = repo, ours, theirs

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

    def _side(self, tip: str, other: str, path: str) -> Side:
        found = log.commits(self.repo, [tip, f"^{other}", "--no-merges"], paths=[path])
        if not found:  # it came by a merge, or under another name
            found = [log.commit(self.repo, tip)]
        return Side(any(not commit.trailer("Agent") for commit in found), found[0])
