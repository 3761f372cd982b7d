"""The skills of a vault as one commit holds them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any
from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import fold
from vaultgit.recall import tree
from vaultgit.vault import Vault

TYPE = "skill"


class Skill(NamedTuple):
    """One skill. `data`: the whole note as plain text; `values`: its front matter; `body`: what stands below it."""

    path: str
    oid: str
    data: bytes
    values: dict[str, Any]
    body: str

    @property
    def name(self) -> str:
        name = self.values.get("name")
        return name if isinstance(name, str) and name else stem(self.path)

    @property
    def trigger(self) -> str:
        trigger = self.values.get("trigger")
        return trigger if isinstance(trigger, str) else ""

    @property
    def version(self) -> int:
        version = self.values.get("version")
        return version if isinstance(version, int) else 0

    @property
    def pinned(self) -> bool:
        return self.values.get("pinned") is True

    @property
    def aliases(self) -> tuple[str, ...]:
        given = self.values.get("aliases")
        return tuple(alias for alias in (given if isinstance(given, list) else [given]) if isinstance(alias, str))


class Skills(NamedTuple):
    """`skills`: by path. `broken`: path -> why a note is left alone: its front matter does not parse, or does not fit
    the schema. A broken skill is named to people, and never read as one."""

    skills: list[Skill]
    broken: dict[str, str]


def at(vault: Vault, commit: str) -> Skills:
    """The managed skills of a commit."""
    found = Skills([], {})
    for file, data in tree.notes(vault, tree.files(vault, commit, vault.rules.folder(TYPE)), TYPE):
        why = _broken(vault, data)
        if why:
            found.broken[file.path] = why
        else:
            block = frontmatter.block(data)
            body = data[block.body if block else 0 :].decode()
            found.skills.append(Skill(file.path, file.oid, data, frontmatter.read(data).values, body))
    found.skills.sort(key=lambda skill: skill.path)
    return found


def reader(resolver: Resolver, skills: Skills) -> Callable[[str, str], tuple[str, ...]]:
    """What links to skills mean: (target, folder of the note it stands in) -> paths of the skills; () for none.

    As Obsidian resolves it, a skill before another note of that name; else by alias, of every skill that has it.
    """
    there = {skill.path for skill in skills.skills} | skills.broken.keys()
    aliases: dict[str, list[str]] = {}
    for skill in skills.skills:
        for alias in skill.aliases:
            aliases.setdefault(fold(alias), []).append(skill.path)

    @cache  # sessions name the same skills again and again
    def meant(target: str, folder: str) -> tuple[str, ...]:
        found = [path for path in resolver.resolve(target, f"{folder}/x") if path in there]
        if found:
            return (found[0],)
        name = fold(target.rpartition("/")[2]).removesuffix(".md")
        return tuple(dict.fromkeys(aliases.get(name, ())))

    return meant


def stem(path: str) -> str:
    """A note's name: its file's, without the ending."""
    return path.rpartition("/")[2].rpartition(".")[0]


def _broken(vault: Vault, data: bytes) -> str:
    properties = frontmatter.read(data)
    if properties.problems:
        first = properties.problems[0]
        return f"line {first.line}: {first.code} {first.message}"
    problems = vault.rules.types.validate(TYPE, properties.values)
    return "; ".join(f"FM03 {problem.message}" for problem in problems)
