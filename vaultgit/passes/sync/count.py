"""Commits that came in or went out, as people count them: edits of an agent, commits of a person."""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.edits import ledger
from vaultgit.edits.edit import CARRIED
from vaultgit.history import log
from vaultgit.vault import Vault


class Share(NamedTuple):
    """What one author has in a range: `edits` have an edit id, `commits` are all others."""

    who: str
    edits: int
    commits: int


def number(vault: Vault, *revisions: str) -> int:
    """How many commits a range has."""
    return int(vault.repo.run("rev-list", "--count", *revisions, "--"))


def shares(vault: Vault, *revisions: str) -> tuple[Share, ...]:
    """Who made a range's commits, merges left out; the one with most of them first."""
    found: dict[str, list[int]] = {}
    for commit in log.commits(vault.repo, ["--no-merges", *revisions]):
        counted = found.setdefault(commit.trailer("Agent") or commit.author, [0, 0])
        counted[0 if CARRIED.search(commit.message) else 1] += 1
    rows = [Share(who, edits, commits) for who, (edits, commits) in found.items()]
    return tuple(sorted(rows, key=lambda row: (-row.edits - row.commits, row.who)))


def edits(vault: Vault, *revisions: str) -> int:
    """How many edits a range carries."""
    return len({edit_id for carrier in ledger.carriers(vault, *revisions) for edit_id in ledger.ids(carrier)})


def subjects(vault: Vault, most: int, *revisions: str) -> list[str]:
    """Subjects of a range's newest commits."""
    tell = ("log", "-z", f"-n{most}", "--format=%s", "--no-show-signature", "--no-color", *revisions, "--")
    out = vault.repo.run(*tell).decode("utf-8", "replace")
    return [subject for subject in out.split("\0") if subject]
