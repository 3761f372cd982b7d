"""Which actions of a review branch a person means, and which have to go with them."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.edits import chain
from vaultgit.edits.branches import Branch
from vaultgit.errors import UsageError
from vaultgit.history.log import Commit
from vaultgit.vault import Vault


class Choice(NamedTuple):
    """Actions that were asked for, in the branch's order, and those that have to go with them."""

    asked: list[Commit]
    along: list[Commit]

    @property
    def all(self) -> list[Commit]:
        return [*self.asked, *self.along]


def paths(vault: Vault, commits: Iterable[Commit]) -> dict[str, list[str]]:
    """The notes that each action changes, by oid."""
    raw = chain.changed(vault, commits)
    return {oid: [one.full[len(vault.prefix) :] for one in found] for oid, found in raw.items()}


def choose(vault: Vault, branch: Branch, only: Sequence[str], *, dropping: bool = False) -> Choice:
    """The actions that touch one of the notes in `only` (also given as an edit id or a commit), all of them without
    `only`. An action is built on the earlier ones that touch the same skill: those come along (when dropping, the
    later ones). Raises UsageError for a word that names none."""
    if branch.queued and not branch.waiting:
        raise UsageError(f"{branch.name} is accepted, and lands when the repository is free", "vaultgit status")
    if not branch.waiting:
        raise UsageError(f"nothing of {branch.name} waits", "vaultgit review list")
    touched = paths(vault, branch.waiting)
    asked: set[str] = set()
    for word in only:
        found = {c.oid for c in branch.waiting if _means(vault, word, c, touched[c.oid])}
        if not found:
            raise UsageError(f"no action of {branch.name} touches {word}", f"vaultgit review show {branch.name}")
        asked |= found
    asked = asked if only else set(touched)
    others = along(vault, touched, branch.waiting if dropping else branch.waiting[::-1], asked)
    return Choice(
        [commit for commit in branch.waiting if commit.oid in asked],
        [commit for commit in branch.waiting if commit.oid in others],
    )


def _means(vault: Vault, word: str, commit: Commit, touched: Collection[str]) -> bool:
    inside = vault.relative(word)
    near = {inside, f"{inside}.md", f"{vault.rules.folder('skill')}/{word}.md"}
    oid = len(word) >= 7 and commit.oid.startswith(word)
    return bool(near.intersection(touched)) or word.removeprefix("^") == commit.trailer("Edit") or oid


def along(
    vault: Vault, changed: Mapping[str, Collection[str]], order: Iterable[Commit], going: Collection[str]
) -> set[str]:
    """The actions, by oid, that go with others: each that touches a skill of one that stands before it in `order`."""
    touched: set[str] = set()
    found: set[str] = set()
    for commit in order:
        skills = {path for path in changed[commit.oid] if vault.rules.expected_type(path) == "skill"}
        if commit.oid in going or skills & touched:
            touched |= skills
            found.add(commit.oid)
    return found - set(going)
