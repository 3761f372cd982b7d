"""What a person has to answer still, and what they have answered: neither is proposed again."""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.edits import branches
from vaultgit.edits import chain
from vaultgit.history import log
from vaultgit.passes import review
from vaultgit.vault import Vault


class Waiting(NamedTuple):
    """What pending review branches do to skills. `skills`: path -> the branch. `rewritten`: those that a dream gives
    another text; `prunes`: a dream that takes skills out, "" for none."""

    skills: dict[str, str]
    rewritten: set[str]
    prunes: str


def waiting(vault: Vault) -> Waiting:
    """At the moment. What waits counts against the limits of the next dream: else dreaming twice would pass them."""
    skills: dict[str, str] = {}
    rewritten: set[str] = set()
    prunes = ""
    for branch in branches.pending(vault):
        for changes in chain.changed(vault, branch.waiting).values():
            paths = {change.full[len(vault.prefix) :]: bool(change.new) for change in changes}
            found = {path: stays for path, stays in paths.items() if vault.rules.expected_type(path) == "skill"}
            skills |= dict.fromkeys(found, branch.name)
            if branch.family == "dream":
                rewritten |= {path for path, stays in found.items() if stays}
                prunes = prunes or ("" if not found or any(found.values()) else branch.name)
    return Waiting(skills, rewritten, prunes)


class Answered(NamedTuple):
    """What a person has decided against: keys (passes/review.declined_key) -> how, in words."""

    keys: dict[str, str]

    def how(self, key: str) -> str:
        """How an action was answered, "" where it was not. What it is about must be as it was then; of what was
        answered together with it (files beside a skill) nothing is asked."""
        return next((how for known, how in self.keys.items() if _holds(known, key)), "")


def _holds(known: str, key: str) -> bool:
    theirs, mine = known.split(), key.split()
    return theirs[:2] == mine[:2] and set(mine[2:]) <= set(theirs[2:])


def answered(vault: Vault) -> Answered:
    """Dropped before it was merged, or taken back afterwards."""
    keys = dict.fromkeys(review.declined(vault), "dropped before")
    undone = review.taken_back(vault)
    for commit in log.commits(vault.repo, ["HEAD", "--fixed-strings", "--grep=Edit: "]) if undone else ():
        if commit.trailer("Edit") in undone and len(commit.parents) == 1:
            keys.setdefault(review.declined_key(vault, commit), "merged before, and taken back")
    return Answered(keys)
