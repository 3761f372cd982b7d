"""A project's `decisions` are kept current by the edit that adds a decision to it, or deletes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vaultgit.checks import decision
from vaultgit.checks.around import Around
from vaultgit.checks.change import FileChange
from vaultgit.edits import judge
from vaultgit.edits.edit import PathChange
from vaultgit.edits.place import in_the_way
from vaultgit.edits.submit import current
from vaultgit.edits.submit import is_kept_out
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import link_target
from vaultgit.vault import Vault

FIELD = "decisions"
PROJECT = "project"


def with_projects(vault: Vault, changes: Sequence[PathChange], agent: str | None) -> list[PathChange]:
    """The changes, and those of projects whose list of decisions follows from them.

    A project that cannot be told (no link, several notes), is none, or whose front matter does not parse stays as it
    is: a list that a person can mend is no reason to refuse a decision.
    """
    made = list(changes)
    for change in changes:
        if change.action == "move":
            continue  # the list's links follow by themselves
        before, after = _project_of(vault, change.path, change.base), _project_of(vault, change.path, change.new)
        if before == after and (change.base is None) == (change.new is None):
            continue
        here = judge.around(vault, [FileChange(one.path, (), one.new) for one in made])
        for target, add in ((before, False), (after, True)):
            project = here.one(target, change.path) if target else None
            if project:
                made = _listed(vault, made, here, project, change.path, agent, add=add)
    return made


def _project_of(vault: Vault, path: str, data: bytes | None) -> str | None:
    """The target of a decision's link to its project; None for what is no decision."""
    if data is None or vault.rules.expected_type(path) != decision.TYPE or not vault.rules.managed(path, data):
        return None
    value = frontmatter.read(data).values.get(PROJECT)
    return link_target(value) if isinstance(value, str) else None


def _listed(
    vault: Vault, made: list[PathChange], here: Around, project: str, path: str, agent: str | None, *, add: bool
) -> list[PathChange]:
    """The changes, with the decision at `path` in the project's list, or out of it."""
    own = next((one for one in made if one.path == project), None)
    data = own.new if own else current(vault, project, agent)
    if data is None or vault.rules.managed(project, data) != PROJECT:
        return made
    values = frontmatter.read(data).values
    if vault.rules.types.validate(PROJECT, values):
        return made  # whatever is wrong there is not this edit's to mend
    value = values.get(FIELD)
    listed: list[Any] = value if isinstance(value, list) else [] if value is None else [value]
    there = [one for one in listed if isinstance(one, str) and _means(here, one, project, path)]
    if add == bool(there) or (own is None and (is_kept_out(vault, project) or in_the_way(vault, project))):
        return made
    kept = [one for one in listed if one not in there]
    try:
        new = patch.set_properties(data, {FIELD: [*kept, f"[[{path.removesuffix('.md')}]]"] if add else kept})
    except frontmatter.FrontMatterError:
        return made
    if own is None:
        return [*made, PathChange(project, data, new, "set")]
    return [one._replace(new=new) if one is own else one for one in made]


def _means(here: Around, link: str, source: str, path: str) -> bool:
    target = link_target(link)
    return bool(target) and (target in (path, path.removesuffix(".md")) or here.one(target or "", source) == path)
