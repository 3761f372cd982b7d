"""What an action does to a skill, as steps: added, removed, reworded. What a person reads before the text diff."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.edits.edit import PathChange
from vaultgit.notes import frontmatter
from vaultgit.notes import procedure
from vaultgit.notes.procedure import Block
from vaultgit.passes.join.proof import missing

_ALIKE = 0.5  # share of words that two steps have in common, for one to be the other reworded
_CUT = 90  # characters of a step that are shown


class Steps(NamedTuple):
    """Steps in the order of the text they stand in, each cut to one line. `kept`: of a skill that goes, how many of its
    steps stand in the one that takes its place, and which that is."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    reworded: tuple[tuple[str, str], ...]  # before, after
    kept: tuple[int, str] = (0, "")

    def lines(self) -> list[str]:
        """As a person reads them: `+ step`, `- step`, `~ step -> step`."""
        return [
            *(f"- {step}" for step in self.removed),
            *(f"~ {before} -> {after}" for before, after in self.reworded),
            *(f"+ {step}" for step in self.added),
            *([f"= {self.kept[0]} steps stand in {self.kept[1]}"] if self.kept[0] else []),
        ]


def of_action(skills: Sequence[PathChange]) -> dict[str, Steps]:
    """What an action does to each of the skills that it changes. One that goes into another is compared with that."""
    found = {change.path: compare(change.base, change.new) for change in skills}
    heirs = [change for change in skills if change.base is not None and change.new is not None]
    for change in skills:
        if change.new is None and len(heirs) == 1:
            before, after = (procedure.steps(_body(data or b"")) for data in (change.base, heirs[0].new))
            gone = missing(before, after)
            stand = len(before) - len(gone)
            found[change.path] = Steps((), tuple(_short(step) for step in gone), (), (stand, heirs[0].path))
    return found


def compare(before: bytes | None, after: bytes | None) -> Steps:
    """Of two versions of a skill; None where there is none."""
    old, new = (procedure.steps(_body(data)) if data is not None else [] for data in (before, after))
    gone, come = procedure.lost(old, new), procedure.lost(new, old)
    pairs: list[tuple[Block, Block]] = []
    for step in gone:
        near = [(_alike(step, other), -n) for n, other in enumerate(come) if other not in (o for _, o in pairs)]
        best = max(near, default=(0.0, 0))
        if best[0] >= _ALIKE:
            pairs.append((step, come[-best[1]]))
    reworded = {id(step) for pair in pairs for step in pair}
    return Steps(
        tuple(_short(step) for step in come if id(step) not in reworded),
        tuple(_short(step) for step in gone if id(step) not in reworded),
        tuple((_short(old), _short(new)) for old, new in pairs),
    )


def text_diff(before: bytes | None, after: bytes | None) -> list[str]:
    """The lines that differ, each with one line around them, without headers: what the steps do not show."""
    import difflib

    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (before, after))
    return list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]


def _body(data: bytes) -> str:
    block = frontmatter.block(data)
    return data[block.body if block else 0 :].decode("utf-8", "replace")


def _alike(one: Block, other: Block) -> float:
    words, others = (set(re.findall(r"\w+", step.words.casefold())) for step in (one, other))
    return len(words & others) / len(words | others) if words | others else 0.0


def _short(step: Block) -> str:
    words = step.words
    return words if len(words) <= _CUT else words[: _CUT - 1].rstrip() + "…"
