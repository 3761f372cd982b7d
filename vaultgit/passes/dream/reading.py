"""What a dream reads: one commit, once. Nothing of it changes while the dream works; main may move on."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Set
from typing import NamedTuple

from vaultgit.edits import seen
from vaultgit.edits.edit import PathChange
from vaultgit.edits.submit import current
from vaultgit.notes.links import fold
from vaultgit.passes.dream.waiting import Waiting
from vaultgit.recall import skills as skills_at
from vaultgit.recall import tree
from vaultgit.recall import uses as uses_at
from vaultgit.recall.skills import Skill
from vaultgit.recall.skills import Skills
from vaultgit.recall.tree import Held
from vaultgit.recall.uses import Uses
from vaultgit.vault import Vault


class Reading(NamedTuple):
    """`every`: all skills of the commit; `by_path`: those that a dream may be about; `left_out`: path -> why another is
    left alone. `files`: all of the commit; `named`: their paths by `key`; `resources`: skill -> what lies in the folder
    of its name, relative path -> oid."""

    vault: Vault
    commit: str
    every: Skills
    by_path: dict[str, Skill]
    left_out: dict[str, str]
    waiting: Waiting
    uses: Uses
    files: list[Held]
    named: dict[str, list[str]]
    resources: dict[str, dict[str, str]]

    def beside(self, skill: Skill) -> list[Held]:
        """The files in the folder of a skill's name: they come and go with it."""
        folder = skill.path.removesuffix(".md")
        return [Held(f"{folder}/{name}", oid) for name, oid in self.resources.get(skill.path, {}).items()]

    def taken_out(self, skill: Skill) -> list[PathChange]:
        """The changes that delete a skill, with what lies beside it."""
        whole = [(skill.path, skill.data), *((f.path, data) for f, data in tree.texts(self.vault, self.beside(skill)))]
        return [PathChange(path, data, None, "delete") for path, data in whole]


def read(vault: Vault, commit: str, waiting: Waiting, tick: Callable[[int], None] = lambda _: None) -> Reading:
    """All that a plan needs to know of a commit."""
    found = skills_at.at(vault, commit)
    tick(len(found.skills))
    left_out = {path: f"left alone: {why}" for path, why in found.broken.items()}
    notes = {skill.path for skill in found.skills} | found.broken.keys()
    for path, branch in waiting.skills.items():
        left_out |= dict.fromkeys(_owners(path, notes), f"waits for your answer to {branch}")
    left_out |= dict(_unsaved(vault, notes))
    usable = {skill.path: skill for skill in found.skills if skill.path not in left_out}
    files = tree.files(vault, commit)
    named: dict[str, list[str]] = {}
    for file in files:
        named.setdefault(key(file.path), []).append(file.path)
    uses = uses_at.at(vault, commit, found)
    return Reading(vault, commit, found, usable, left_out, waiting, uses, files, named, _resources(notes, files))


def key(target: str) -> str:
    """What a link and the file it means have in common: the name alone, as Obsidian compares names."""
    return fold(target.rpartition("/")[2]).removesuffix(".md")


def _unsaved(vault: Vault, notes: Set[str]) -> Iterator[tuple[str, str]]:
    """Skills that a person is at work on, they or what lies beside them, and new ones that git does not hold."""
    for path in seen.unsaved(vault):
        for skill in _owners(path, notes):
            yield skill, "has text that is not in git yet"
        maybe = path not in notes and vault.rules.expected_type(path) == skills_at.TYPE
        if maybe and vault.rules.managed(path, current(vault, path)) == skills_at.TYPE:
            yield path, "is not in git yet"


def _owners(path: str, notes: Set[str]) -> Iterator[str]:
    """The skills that a file is, or lies beside."""
    while path:
        if path in notes:
            yield path
        folder = path.rpartition("/")[0]
        path = f"{folder}.md" if folder else ""


def _resources(notes: Set[str], files: list[Held]) -> dict[str, dict[str, str]]:
    """What skills have beside them, as imported ones do. Another skill is never part of one."""
    beside: dict[str, dict[str, str]] = {}
    for file in files:
        folder = "" if file.path in notes else file.path.rpartition("/")[0]
        while folder and f"{folder}.md" not in notes:
            folder = folder.rpartition("/")[0]
        if folder:
            beside.setdefault(f"{folder}.md", {})[file.path[len(folder) + 1 :]] = file.oid
    return beside
