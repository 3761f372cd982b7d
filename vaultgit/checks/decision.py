"""DE01, DE02: what a decision replaces is a decision, and in the end an older one, never itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultgit.checks.problem import Problem
from vaultgit.notes import frontmatter
from vaultgit.notes.links import link_target

if TYPE_CHECKING:
    from vaultgit.checks.around import Around
    from vaultgit.checks.change import Change
    from vaultgit.vault import Rules

TYPE = "decision"
FIELD = "replaces"


def check(change: Change) -> list[Problem]:
    """DE01, DE02."""
    if change.around is None:
        return []
    chain = _Chain(change.rules, change.around)
    found = []
    for file in change.files:
        if file.after is not None and b"replaces" in file.after and change.rules.expected_type(file.path) == TYPE:
            same = any(data is not None and _replaces(data) == _replaces(file.after) for data in file.before)
            problem = None if same else chain.problem(file.path)
            found += [problem] if problem else []
    return found


def _replaces(data: bytes) -> str | None:
    """The target of a decision's link to the one it replaced; None without one."""
    value = frontmatter.read(data).values.get(FIELD)
    return (link_target(value) or None) if isinstance(value, str) else None


class _Chain:
    """Follows `replaces` from decision to decision, each read once."""

    def __init__(self, rules: Rules, around: Around) -> None:
        self.rules, self.around = rules, around
        self._next: dict[str, tuple[int, str | None] | None] = {}

    def problem(self, path: str) -> Problem | None:
        """What is wrong with what the decision at `path` replaces."""
        line, target = self._step(path) or (0, None)
        if target is None:
            return None
        replaced = self.around.one(target, path)
        if replaced is None and self.around.may_mean(target, path):
            return None  # several notes: LN02 says so
        if replaced is None or self._step(replaced) is None:
            what = f"replaces: {replaced or f'[[{target}]]'} is no decision"
            return Problem(path, line, 1, "DE01", what, "link the decision that this one replaces, or leave it empty")
        seen = [path]
        here: str | None = replaced
        while here is not None and here not in seen:
            seen.append(here)
            step = self._step(here)
            here = self.around.one(step[1], here) if step and step[1] else None
        if here != path:
            return None  # it ends; or the circle is of others, and theirs to tell
        circle = " -> ".join([*seen, path])
        mend = "empty `replaces` in the oldest of them"
        return Problem(path, line, 1, "DE02", f"replaces goes in a circle: {circle}", mend)

    def _step(self, path: str) -> tuple[int, str | None] | None:
        """Line and target of `replaces`; None for what is no decision."""
        if path not in self._next:
            data = self.around.read(path)
            if data is None or self.rules.managed(path, data) != TYPE:
                self._next[path] = None
            else:
                self._next[path] = (frontmatter.read(data).lines.get(FIELD, 1), _replaces(data))
        return self._next[path]
