"""Two skills that say the same: which of them stays, what speaks against a merge, and both read from one place."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple

from vaultgit.notes import follow
from vaultgit.notes import frontmatter
from vaultgit.notes.links import links
from vaultgit.passes.dream.linking import moves
from vaultgit.passes.dream.reading import Reading
from vaultgit.passes.dream.reading import key
from vaultgit.recall import skills
from vaultgit.recall.skills import Skill

_NEGATIONS = frozenset(("no", "not", "never", "without", "except", "unless", "nor"))
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
    `moved`: the paths that go -> what takes their place. `there`: files that the texts name and that are there."""

    kept: Skill
    gone: Skill
    moved: dict[str, str]
    moves: follow.Moves
    there: frozenset[str] = frozenset()


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
    """More recently used, then longer, then older (more versions, else not updated for longer), then of the shorter
    name, which a copy has not; never the newer one for being newer."""

    def rank(skill: Skill) -> tuple[str, int, int]:
        return reading.uses.of(skill.path).last, len(skill.body), skill.version

    if rank(one) != rank(other):
        return (one, other) if rank(one) > rank(other) else (other, one)

    def age(skill: Skill) -> tuple[str, int, str]:
        return str(skill.values.get("last_updated", "")), len(skills.stem(skill.path)), skill.path

    return (one, other) if age(one) < age(other) else (other, one)


def triggers(kept: Skill, gone: Skill) -> str:
    """Both triggers, where neither holds the other: a narrow way in must not be lost. Of the one that goes those
    sentences that say more."""
    mine, others = (" ".join(skill.trigger.split()) for skill in (kept, gone))
    if others.casefold() in mine.casefold():
        return kept.trigger
    if mine.casefold() in others.casefold():
        return gone.trigger
    more = " ".join(one for one in re.split(r"(?<=[.!?])\s+", others) if _says_more(one, mine))
    if not more:
        return kept.trigger
    return f"{kept.trigger}{'' if kept.trigger.endswith(('.', '!', '?')) else ';'} {more}"


def _says_more(sentence: str, than: str) -> bool:
    """Whether more than a fifth of its words are new, or one of them is a number, a name or a negation."""
    known = set(re.findall(r"\w+", than.casefold()))
    words = re.findall(r"[\w'’]+", sentence)
    new = [word for word in words if word.casefold() not in known]
    telling = any(re.search(r"\d|.[A-Z]|n['’]t$", word) or word.casefold() in _NEGATIONS for word in new)
    named = any(word[:1].isupper() for word in new if word is not words[0])
    return telling or named or len(new) > len(words) / 5


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
    return both._replace(there=_there(reading, both))


def _there(reading: Reading, both: Both) -> frozenset[str]:
    """Targets of links in both texts that are files of the vault, and what lies beside them."""
    folder = both.kept.path.rpartition("/")[0]
    found = set(reading.resources.get(both.kept.path, {}))
    for skill in (both.kept, both.gone):
        for link in links(skill.body):
            paths = link.target, posixpath.normpath(posixpath.join(folder, link.target))
            if any(path in reading.named.get(key(path), ()) for path in paths):
                found.add(link.target)
    return frozenset(found)


def _followed(skill: Skill, moves: follow.Moves) -> Skill:
    data = follow.in_note(skill.data, lambda link: moves.target(link, skill.path))[0]
    block = frontmatter.block(data)
    body = data[block.body if block else 0 :].decode("utf-8", "surrogateescape")
    return skill._replace(data=data, values=frontmatter.read(data).values, body=body)
