"""Links in skills that lead to nothing, where it can be told that they led to a skill which another one replaced."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from vaultgit.edits.branches import Action
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import shorten
from vaultgit.notes import follow
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import Link
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import link_target
from vaultgit.passes.dream.linking import moves
from vaultgit.passes.dream.merging import next_version
from vaultgit.passes.dream.plan import Planned
from vaultgit.passes.dream.plan import counted
from vaultgit.passes.dream.reading import Reading
from vaultgit.passes.dream.reading import key
from vaultgit.recall.skills import Skill


def mended(reading: Reading, today: date) -> list[Planned]:
    """An action for each skill with such links."""
    there = Resolver(file.path for file in reading.files)
    replaced = _replaced(reading, there)
    if not replaced:
        return []
    # As if each had been there until now, and had moved to the skill that replaced it.
    named = {name: [*paths] for name, paths in reading.named.items()}
    for path in replaced:
        named.setdefault(key(path), []).append(path)
    gone = _Gone(there, Resolver(replaced), replaced, moves(named, replaced))
    found = (_of_skill(skill, gone, today) for skill in reading.by_path.values())
    return [action for action in found if action is not None]


class _Gone(NamedTuple):
    """Skills that are gone. `there` finds the files that are there, `before` those that are gone; `replaced`: where one
    lay -> the skill that replaced it; `moves`: how links are written anew."""

    there: Resolver
    before: Resolver
    replaced: dict[str, str]
    moves: follow.Moves


def _replaced(reading: Reading, there: Resolver) -> dict[str, str]:
    """Where skills that are gone lay -> the one skill that says it replaced them."""
    claims: dict[str, set[str]] = {}
    for skill in reading.every.skills:
        for target in _targets(skill):
            if not there.resolve(target, skill.path):
                folder = "" if "/" in target else skill.path.rpartition("/")[0] + "/"
                claims.setdefault(f"{folder}{target.removesuffix('.md')}.md".lstrip("/"), set()).add(skill.path)
    return {path: next(iter(claim)) for path, claim in sorted(claims.items()) if len(claim) == 1}


def _targets(skill: Skill) -> list[str]:
    """What `replaces` names."""
    given = skill.values.get("replaces")
    texts = given if isinstance(given, list) else [given]
    return [target for one in texts if isinstance(one, str) and (target := link_target(one))]


def _of_skill(skill: Skill, gone: _Gone, today: date) -> Planned | None:
    said: dict[str, str] = {}
    meant: set[str] = set()
    own = _targets(skill)

    def target(link: Link) -> str | None:
        if link.target in own or gone.there.resolve(link.target, skill.path):
            return None
        new = gone.moves.target(link, skill.path)
        if new is not None:
            said[link.target] = new
            meant.update(gone.replaced[path] for path in gone.before.resolve(link.target, skill.path)[:1])
        return new

    try:
        text, number = follow.in_note(skill.data, target)
        text = patch.set_properties(text, next_version(skill, today))
    except (follow.Unwritable, frontmatter.FrontMatterError):
        return None  # it stays as it is
    if not number:
        return None
    links = counted(number, "link")
    reason = f"{links} led to a skill that another one took the place of."
    evidence = tuple(f"[[{old}]] is now {new}" for old, new in said.items())
    action = Action(
        (PathChange(skill.path, skill.data, text),),
        shorten(f"{skill.path.removesuffix('.md')}: {links} mended"),
        "\n".join([reason, "", *(f"- {line}" for line in evidence)]),
    )
    return Planned("links", (skill.path, *sorted(meant)), f"dream links {skill.oid}", reason, evidence, action)
