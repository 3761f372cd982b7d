"""A dream's plan: pure data, printable, built without a branch. What it holds is decided by rules alone."""

from __future__ import annotations

from collections import Counter
from typing import Any
from typing import NamedTuple

from vaultgit.edits.branches import Action


class Planned(NamedTuple):
    """One action. `kind`: merge, links or prune. `paths`: the skills it is about, the one that stays first (of links:
    also those that they lead to now). `key`: for what a person has dropped (passes/review.declined_key). `evidence`:
    lines for a person."""

    kind: str
    paths: tuple[str, ...]
    key: str
    reason: str
    evidence: tuple[str, ...]
    action: Action

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "paths": [change.path for change in self.action.changes],
            "skills": list(self.paths),
            "subject": self.action.subject,
            "reason": self.reason,
            "evidence": list(self.evidence),
        }


class Related(NamedTuple):
    """Two skills that look alike and are not merged, and why."""

    one: str
    other: str
    why: str

    def as_json(self) -> dict[str, Any]:
        return {"paths": [self.one, self.other], "reason": self.why}


class Left(NamedTuple):
    """A note with which nothing is done: a skill, or one that could have been changed; and why."""

    path: str
    why: str


class Plan(NamedTuple):
    """`base`: the commit that was read; `skills`: how many it holds. `left_out`: skills that were not looked at, and
    suggestions that were not made. `related`: pairs that are not merged; `later`: pairs of which another suggestion
    changes a skill. `families`: groups of skills from one template. `stopped`: where a limit was met, in words."""

    base: str
    skills: int
    actions: list[Planned]
    left_out: list[Left]
    related: list[Related]
    later: list[Related]
    remarks: list[Left]
    families: list[str]
    stopped: str

    @property
    def kinds(self) -> Counter[str]:
        """How many actions of each kind."""
        return Counter(action.kind for action in self.actions)

    def as_json(self) -> dict[str, Any]:
        return {
            "base": self.base,
            "skills": self.skills,
            "actions": [action.as_json() for action in self.actions],
            "left_out": [{"path": path, "reason": why} for path, why in self.left_out],
            "related": [one.as_json() for one in self.related],
            "later": [one.as_json() for one in self.later],
            "remarks": [{"path": path, "reason": why} for path, why in self.remarks],
            "families": self.families,
            "stopped": self.stopped or None,
        }


def counted(number: int, what: str) -> str:
    """`1 step`, `3 steps`."""
    return f"{number:,} {what}{'s' if number != 1 else ''}"
