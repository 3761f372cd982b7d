"""One merge of two duplicate skills as an action: the note that stays, the one that goes, and all that follows.

Every step of both stays; the name of the one that goes becomes an alias, links to it are written anew, `replaces`
records it. Skills whose links change get their next version.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from datetime import date
from typing import Any
from typing import NamedTuple

from vaultgit.edits.branches import Action
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import shorten
from vaultgit.notes import follow
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import link_target
from vaultgit.passes.dream.linking import Note
from vaultgit.passes.dream.pairs import Both
from vaultgit.passes.dream.pairs import Chosen
from vaultgit.passes.dream.pairs import triggers
from vaultgit.passes.dream.plan import Planned
from vaultgit.passes.dream.plan import counted
from vaultgit.passes.dream.reading import Reading
from vaultgit.passes.dream.reading import key
from vaultgit.passes.dream.writing import Text
from vaultgit.passes.likeness import Pair
from vaultgit.recall.skills import Skill

# Of another note's properties those stay behind that steer a client, or tell when and whence that note came.
_STAYS_BEHIND = frozenset(
    "allowed-tools allowed_tools tools model hooks agent context metadata disable-model-invocation user-invocable "
    "source created updated date date_added date-added".split()
)
_OURS = frozenset(("name", "version", "trigger", "last_updated", "pinned", "replaces", "aliases"))


class _Properties(NamedTuple):
    """`lost`: what the note that stays says otherwise, or must not take over, and the one that goes takes with it."""

    values: dict[str, Any]
    lost: list[str]


def planned(
    reading: Reading, pair: Pair, chosen: Chosen, both: Both, text: Text, notes: Iterable[Note], today: date
) -> Planned | str:
    """The action, or why it cannot be made. `notes`: those that may link to what goes."""
    kept, gone = chosen
    stays, name = _names(chosen)
    others = _properties(both)
    try:
        linked = list(_linked(reading, both, notes, today))
        merged = _merged(chosen, both, text.body, others.values, today)
    except follow.Unwritable as error:
        return f"a link cannot be written so that it leads to {error}"
    except frontmatter.FrontMatterError as error:
        return error.message
    number = {change.path: count for change, count in linked}
    evidence = [_similarity(pair), *_shared(pair), _use(reading, kept, stays), _use(reading, gone, name)]
    evidence += [f"taken over from {name}: {counted(len(text.added), 'block')}"] if text.added else []
    evidence += [f"{counted(sum(number.values()), 'link')} to {name} changed, in {_some(number)}"] if number else []
    evidence += [f"properties of {name}: {', '.join(others.values)}"] if others.values else []
    evidence += [f"{stays} does not take over: {'; '.join(others.lost)}"] if others.lost else []
    evidence += [text.said] if text.said else []
    changes = (
        PathChange(kept.path, kept.data, merged),
        *reading.taken_out(gone),
        *(change for change, _ in linked),
    )
    reason = f"{name} says what {stays} says. Every step of both is kept; its name becomes an alias."
    body = "\n".join([reason, "", *(f"- {line}" for line in evidence)])
    action = Action(changes, shorten(f"{kept.path.removesuffix('.md')}: merged with {name}"), body)
    return Planned("merge", (kept.path, gone.path), chosen.key, reason, tuple(evidence), action)


def _names(chosen: Chosen) -> list[str]:
    """What people call the two: skills in folders of their own may have one name."""
    if chosen.kept.name == chosen.gone.name:
        return [skill.path.removesuffix(".md") for skill in chosen]
    return [skill.name for skill in chosen]


# -- the note that stays -----------------------------------------------------------------------------------------


def _merged(chosen: Chosen, both: Both, body: str, others: Mapping[str, Any], today: date) -> bytes:
    """Its own properties, with the other's names, its trigger, and what it has not."""
    kept, gone = chosen
    aliases = [alias for alias in dict.fromkeys([*kept.aliases, gone.name, *gone.aliases]) if alias != kept.name]
    values = {**others, "trigger": triggers(kept, gone), **({"aliases": aliases} if aliases else {})}
    values |= {"replaces": _replaces(kept, gone), **next_version(kept, today)}
    block = frontmatter.block(both.kept.data)
    head = both.kept.data[: block.body if block else 0]
    return patch.set_properties(head + body.encode("utf-8", "surrogateescape"), values)


def next_version(skill: Skill, today: date) -> dict[str, Any]:
    """The properties that say that a skill has another text. Its date never goes back."""
    last = str(skill.values.get("last_updated") or "")
    return {"version": skill.version + 1, "last_updated": max(today.isoformat(), last)}


def _properties(both: Both) -> _Properties:
    """Those of the skill that goes which the other has not. A list gets what is not in it."""
    found = _Properties({}, [])
    for name, value in both.gone.values.items():
        mine = both.kept.values.get(name)
        if name in _OURS or value is None or frontmatter.same(mine, value):
            continue
        if mine in (None, "", []) and name.casefold() not in _STAYS_BEHIND:
            found.values[name] = value
        elif isinstance(mine, list) and isinstance(value, list):
            found.values[name] = [*mine, *(one for one in value if one not in mine)]
        else:
            found.lost.append(f"{name}: {value}")
    return found


def _replaces(kept: Skill, gone: Skill) -> list[str]:
    """What both took the place of, and the one that goes; never the one that stays."""
    links: dict[str, str] = {}
    for skill in (kept, gone):
        given = skill.values.get("replaces")
        for one in given if isinstance(given, list) else [given or ""]:
            target = link_target(str(one))
            if target and key(target) not in (key(kept.path), key(gone.path)):
                links.setdefault(key(target), str(one))
    return [*links.values(), f"[[{gone.path.removesuffix('.md')}]]"]


# -- what follows ------------------------------------------------------------------------------------------------


def _linked(
    reading: Reading, both: Both, notes: Iterable[Note], today: date
) -> Iterator[tuple[PathChange, int]]:  # fmt: skip
    """The changes of other notes, each with how many links it changes: targets of links alone, and of a skill its
    version. Raises Unwritable."""
    skills = {skill.path: skill for skill in reading.every.skills}
    for path, data in notes:
        if path == both.kept.path or path in both.moved:
            continue
        if path.lower().endswith(".canvas"):
            new, count = follow.in_canvas(data, both.moves.path)
        else:
            new, count = follow.in_note(data, lambda link, path=path: both.moves.target(link, path))  # type: ignore[misc]
        if count and path in skills:
            yield PathChange(path, data, patch.set_properties(new, next_version(skills[path], today))), count
        elif count:
            yield PathChange(path, data, new, "move"), count


# -- evidence ----------------------------------------------------------------------------------------------------


def _similarity(pair: Pair) -> str:
    score = pair.score
    words = "the same text" if score.get("same") else f"{score.get('containment', 0):.0%} of the rare phrases"
    steps = f"{counted(int(score.get('matched', 0)), 'step')} alike ({score.get('steps', 0):.0%} of the shorter one)"
    return f"similarity: {words}, triggers {score.get('trigger', 0):.2f}, {steps}"


def _shared(pair: Pair) -> list[str]:
    more = f" (and {len(pair.shared) - 3} more)" if len(pair.shared) > 3 else ""
    return [f"both have: {'; '.join(pair.shared[:3])}{more}"] if pair.shared else []


def _use(reading: Reading, skill: Skill, name: str) -> str:
    use = reading.uses.of(skill.path)
    return f"{name}: {f'last used {use.last}, uses {use.count}' if use.last else 'no use on record'}"


def _some(paths: Iterable[str]) -> str:
    names = list(paths)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
