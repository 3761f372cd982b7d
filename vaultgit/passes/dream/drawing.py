"""A plan in the making: which suggestions are taken up, and where it stops."""

from __future__ import annotations

from vaultgit.passes.dream.plan import Left
from vaultgit.passes.dream.plan import Planned
from vaultgit.passes.dream.plan import Related
from vaultgit.passes.dream.reading import Reading
from vaultgit.passes.dream.waiting import Answered


class Drawing:
    """Actions, in the order in which they are offered. Each is independent of the others: no skill that one is about is
    changed by another, so that a person can take or drop any of them, in any order."""

    def __init__(self, reading: Reading, answered: Answered) -> None:
        self.reading, self.answered = reading, answered
        self.actions: list[Planned] = []
        self.left_out = [Left(path, why) for path, why in sorted(reading.left_out.items())]
        self.related: list[Related] = []
        self.later: list[Related] = []
        self.cut: set[str] = set()  # skills of suggestions beyond the limit
        self.over = 0  # how many those are
        self._next: set[str] = set()
        self._about: set[str] = set()
        self._rewritten: set[str] = set()
        self._skills = {skill.path for skill in reading.every.skills}
        share, number = reading.vault.settings.dream.max_share, len(self._skills)
        self._most = (max(1, int(share * number)) if share else 0) - len(reading.waiting.rewritten & self._skills)

    @property
    def touched(self) -> set[str]:
        """Skills that suggestions are about or change, also those beyond the limit."""
        return self._about | self._rewritten | self.cut

    def is_answered(self, key: str, path: str, what: str) -> bool:
        """Whether a person has decided against it: then it says so."""
        how = self.answered.how(key)
        if how:
            self.left_out.append(Left(path, f"{how}: {what} (vaultgit dream --again)"))
        return bool(how)

    def is_full(self) -> bool:
        """Whether no skill may get another text any more."""
        return len(self._rewritten) >= self._most

    def put_off(self, paths: tuple[str, ...]) -> None:
        """A suggestion that the limit leaves to a later dream."""
        self.cut.update(paths)
        if self._next.isdisjoint(paths):  # of three that are the same, one pair can be merged
            self._next.update(paths)
            self.over += 1

    def in_the_way(self, paths: tuple[str, ...]) -> str:
        """Why skills cannot be what an action is about, in words: another one changes them."""
        busy = next((path for path in paths if path in self._about | self._rewritten), "")
        return f"another suggestion changes {busy}" if busy else ""

    def add(self, action: Planned) -> str:
        """Takes an action up; else says what is in its way, "" where that is only the limit."""
        rewritten = {c.path for c in action.action.changes if c.new is not None and c.path in self._skills}
        linking = min(rewritten & self._about, default="")
        why = self.in_the_way(action.paths)
        if not why and linking:
            why = f"another suggestion is about {linking}, which links to it"
        if not why and rewritten and self._is_over(rewritten):
            self.put_off(action.paths)
        elif not why:
            self.actions.append(action)
            self._about.update(action.paths)
            self._rewritten |= rewritten
        return why

    def _is_over(self, rewritten: set[str]) -> bool:
        """Whether it is too much. The first suggestion is made however many skills link to it: else it never were."""
        return len(self._rewritten | rewritten) > self._most and (bool(self._rewritten) or self._most < 1)

    def stopped(self) -> str:
        """Where the limit was met, in words."""
        if not self.over:
            return ""
        share = f"{self.reading.vault.settings.dream.max_share:.0%} of {len(self._skills)} skills"
        more = f"{self.over} more {'suggestion' if self.over == 1 else 'suggestions'}"
        return f"stopped at {share} rewritten: {more} once what waits is answered ([dream] max_share)"
