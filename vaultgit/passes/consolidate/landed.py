"""Which suggestions history says are accepted: a commit of the person's carries the id.

A run that was killed is recognised by that, here and in another clone. An id stands in review.md for all to read: a
commit that is signed as an agent's and carries one is no acceptance, and would hide that of the person.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from vaultgit.edits import branches
from vaultgit.edits.edit import CARRIED
from vaultgit.history import log
from vaultgit.passes import ticks
from vaultgit.vault import Vault


class Landed(NamedTuple):
    """`there`: ids that a person's commit carries. `claimed`: id -> the agent's commit that alone carries it."""

    there: set[str]
    claimed: dict[str, str]


def landed(vault: Vault, ids: Collection[str]) -> Landed:
    """What history has of these ids."""
    tip = branches.here(vault)
    if not ids or tip is None:
        return Landed(set(), {})
    wanted = set(ids)
    tell = ("--fixed-strings", *(f"--grep=Edit: {one}" for one in sorted(wanted)))
    carrying = {commit.oid: wanted.intersection(CARRIED.findall(commit.message))
                for commit in log.commits(vault.repo, [tip, *tell])}  # fmt: skip
    agents = ticks.by_agents(vault, [oid for oid, carried in carrying.items() if carried])
    there = {one for oid, carried in carrying.items() if oid not in agents for one in carried}
    claimed = {one: oid for oid in carrying if oid in agents for one in carrying[oid] - there}
    return Landed(there, claimed)
