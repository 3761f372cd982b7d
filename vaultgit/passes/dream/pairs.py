"""Two skills that say the same: which of them stays, what speaks against a merge, and both read from one place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from vaultgit.notes import follow
from vaultgit.notes import frontmatter
from vaultgit.passes.dream.linking import moves
from vaultgit.passes.dream.reading import Reading
from vaultgit.recall import skills
from vaultgit.recall.skills import Skill

TRIGGER_LIMIT = 1000  # characters of two triggers together: clients cut what is longer


class Chosen(NamedTuple):
    """The skill that stays and the one that goes, as the commit has them."""

    kept: Skill
    gone: Skill

    @property
    def key(self) -> str:
        """What their merge is about, for what a person has answered."""
        return " ".join(("dream merge", *sorted((self.kept.oid, self.gone.oid))))


class Both(NamedTuple):
    """The two with the links that they need when the other is gone: both texts are read from the note that stays.
    `moved`: the paths that go -> what takes their place."""

    kept: Skill
    gone: Skill
    moved: dict[str, str]
    moves: follow.Moves


def choose(reading: Reading, one: Skill, other: Skill, named: Mapping[str, str]) -> Chosen | str:
    """Which of two skills stays, or why they stay two. `named`: skills that a script or a timer names -> where: their
    names have to stay."""
    for skill in (one, other):
        if skill.pinned:
            return f"{skill.name} is pinned"
    if reading.resources.get(one.path, {}) != reading.resources.get(other.path, {}):
        return "the files beside them differ"
    kept, gone = _in_order(reading, one, other)
    if gone.path in named and kept.path not in named:
        kept, gone = gone, kept
    if gone.path in named:
        return f"{gone.name} is named in {named[gone.path]}"
    length = len(triggers(kept, gone))
    if length > max(TRIGGER_LIMIT, len(kept.trigger), len(gone.trigger)):
        return f"their triggers together have {length:,} characters, and clients cut them at {TRIGGER_LIMIT:,}"
    return Chosen(kept, gone)


def _in_order(reading: Reading, one: Skill, other: Skill) -> tuple[Skill, Skill]:
    """More recently used, then longer, then older (more versions, else not updated for longer); never the newer one
    for being newer."""

    def rank(skill: Skill) -> tuple[str, int, int]:
        return reading.uses.of(skill.path).last, len(skill.body), skill.version

    if rank(one) != rank(other):
        return (one, other) if rank(one) > rank(other) else (other, one)
    first, second = sorted((one, other), key=lambda skill: (str(skill.values.get("last_updated", "")), skill.path))
    return first, second


def triggers(kept: Skill, gone: Skill) -> str:
    """Both triggers, where neither holds the other: a narrow way in must not be lost."""
    mine, others = (" ".join(skill.trigger.split()).casefold() for skill in (kept, gone))
    if others in mine:
        return kept.trigger
    return gone.trigger if mine in others else f"{kept.trigger}; {gone.trigger}"


def side_by_side(reading: Reading, chosen: Chosen) -> Both | str:
    """Both skills as they read from one place; or why that cannot be."""
    kept, gone = chosen
    old, new = (skill.path.removesuffix(".md") for skill in (gone, kept))
    beside = [file.path for file in reading.beside(gone)]
    moved = {gone.path: kept.path} | {path: new + path[len(old) :] for path in beside}
    where = moves(reading.named, moved, [gone.data])
    try:
        both = Both(_followed(kept, where), _followed(gone, where), moved, where)
    except follow.Unwritable as error:
        return f"a link cannot be written so that it leads to {error}"
    for path in beside:
        # In code, say, where it is no link and cannot follow.
        written = f"{skills.stem(gone.path)}{path[len(old) :]}"
        if any(re.search(rf"(?<![\w-]){re.escape(written)}", skill.body) for skill in (both.kept, both.gone)):
            return f"the text names {written}, which would lie elsewhere"
    return both


def _followed(skill: Skill, moves: follow.Moves) -> Skill:
    data = follow.in_note(skill.data, lambda link: moves.target(link, skill.path))[0]
    block = frontmatter.block(data)
    body = data[block.body if block else 0 :].decode("utf-8", "surrogateescape")
    return skill._replace(data=data, values=frontmatter.read(data).values, body=body)
