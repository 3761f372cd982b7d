"""Whose a tick in review.md is: it counts where a person made it, for the text that it stands below.

A suggestion is followed by its id through the commits that changed the file, and not by its lines: boxes are alike, so
that a line's author says nothing of what stands above it. What is not in git yet was typed, and is a person's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from vaultgit.edits import branches
from vaultgit.history import filters
from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block
from vaultgit.passes.reviewmd import FILE
from vaultgit.vault import Vault

AGENTS = "@agents.vaultgit.invalid"  # ends the address of an agent that has none of its own
_AGAIN = "read it, untick it, run this again, then tick it"
_FIELDS = "%H%x00%P%x00%ae%x00%(trailers:key=Agent,valueonly)"


class _Commit(NamedTuple):
    """One that changed the file. `parents`: those among them, nearest first."""

    oid: str
    parents: tuple[str, ...]
    by_agent: bool


class _Said(NamedTuple):
    """A suggestion as a commit has it: its lines, marker to last box, and what is ticked."""

    decided: str
    lines: tuple[str, ...]


class Ticks:
    """The ticks of review.md, as its history tells of them. Nothing is read before it is asked."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.full = vault.prefix + FILE
        self._read: dict[str, dict[str, _Said]] = {}  # by commit
        self._parsed: dict[str, dict[str, _Said]] = {}  # by blob

    def against(self, review: str, one: Block) -> tuple[int, str]:
        """Why the tick of a block of `review` does not count: a line of the file, and words; "" where it counts."""
        if not self._agents:
            return 0, ""
        tip = next(iter(self._commits))
        if not self._has(tip, one.id, one.decided):
            return 0, ""  # typed since
        made = self._made(tip, one)
        persons = [oid for oid in made if oid not in self._agents]
        if not persons:
            return one.tick_line, f"ticked by an agent's commit: it does not count; {_AGAIN}"
        now = _said(review, one)
        ticked = [there for oid in persons if (there := self._at(oid).get(one.id))]
        if now in ticked:
            return 0, ""
        seen = self._with_ancestors(persons)
        for oid in self._agents:
            if oid not in seen and self._changes(oid, one.id):
                known = {line for said in ticked for line in said.lines}
                new = next((at for at, line in enumerate(now.lines) if line not in known), 0)
                return one.line + new, f"an agent's commit {oid[:10]} changed this after you ticked: {_AGAIN}"
        return 0, ""

    def deleted_by_agent(self, one_id: str) -> bool:
        """Whether an agent's commit took a block out: that is no person's answer."""
        return any(
            one_id not in self._at(oid) and any(one_id in self._at(parent) for parent in self._commits[oid].parents)
            for oid in self._agents
        )

    # -- commits ---------------------------------------------------------------------------------------------------

    @cached_property
    def _commits(self) -> dict[str, _Commit]:
        """All that made the file what HEAD has, the newest first."""
        if branches.here(self.vault) is None:
            return {}
        tell = ("log", "-z", "--topo-order", "--parents", f"--format={_FIELDS}", "--no-show-signature", "--no-color")
        out = os.fsdecode(self.vault.repo.run(*tell, "HEAD", "--", self.full)).split("\0")
        rows = zip(*(out[n::4] for n in range(4)), strict=False)
        own = set(self.vault.settings.emails.values())
        return {
            oid: _Commit(oid, tuple(parents.split()), _is_agents(address, agent, own))
            for oid, parents, address, agent in rows
        }

    @cached_property
    def _agents(self) -> dict[str, None]:
        return {one.oid: None for one in self._commits.values() if one.by_agent}

    def _made(self, tip: str, one: Block) -> list[str]:
        """The commits that brought the tick: several, where two machines did."""
        found, seen, rest = [], {tip}, [tip]
        while rest:
            oid = rest.pop()
            before = [other for other in self._commits[oid].parents if self._has(other, one.id, one.decided)]
            rest += [other for other in before if other not in seen]
            seen.update(before)
            if not before:
                found.append(oid)
        return found

    def _with_ancestors(self, oids: Iterable[str]) -> set[str]:
        rest = list(oids)
        seen = set(rest)
        while rest:
            before = [other for other in self._commits[rest.pop()].parents if other not in seen]
            rest += before
            seen.update(before)
        return seen

    # -- what they say ---------------------------------------------------------------------------------------------

    def _has(self, oid: str, one_id: str, decided: str) -> bool:
        said = self._at(oid).get(one_id)
        return said is not None and said.decided == decided

    def _changes(self, oid: str, one_id: str) -> bool:
        """Whether a commit makes another thing of a block than what it had from any parent."""
        said = self._at(oid).get(one_id)
        parents = self._commits[oid].parents
        return all(self._at(parent).get(one_id) != said for parent in parents) and bool(parents or said)

    def _at(self, oid: str) -> dict[str, _Said]:
        """The blocks of a commit by their ids; not those that stand there twice."""
        if oid not in self._read:
            blob = self.vault.repo.blob(f"{oid}:{self.full}")
            if blob is not None and blob.oid not in self._parsed:
                self._parsed[blob.oid] = _blocks(self._space.from_blob(blob.oid, blob.data))
            self._read[oid] = self._parsed[blob.oid] if blob is not None else {}
        return self._read[oid]

    @cached_property
    def _space(self) -> filters.Space:
        return filters.spaces(self.vault.repo, [self.full])[self.full]


def by_agents(vault: Vault, oids: Iterable[str]) -> set[str]:
    """Those of the commits that are signed as an agent's, by trailer or address."""
    oids = list(dict.fromkeys(oids))
    if not oids:
        return set()
    tell = ("log", "-z", "--no-walk=unsorted", "--stdin", f"--format={_FIELDS}", "--no-show-signature", "--no-color")
    out = os.fsdecode(vault.repo.run(*tell, input="\n".join(oids).encode())).split("\0")
    own = set(vault.settings.emails.values())
    rows = zip(*(out[n::4] for n in range(4)), strict=False)
    return {oid for oid, _, address, agent in rows if _is_agents(address, agent, own)}


def _is_agents(address: str, agent: str, own: set[str]) -> bool:
    return bool(agent.strip()) or address.strip().endswith(AGENTS) or address in own


def _blocks(data: bytes) -> dict[str, _Said]:
    text = data.decode("utf-8", "surrogateescape")
    found: dict[str, _Said] = {}
    twice = set()
    for one in reviewfile.read(text):
        if one.id in found:
            twice.add(one.id)
        found[one.id] = _said(text, one)
    return {one_id: said for one_id, said in found.items() if one_id not in twice}


def _said(review: str, one: Block) -> _Said:
    """Blanks at the ends of lines are an editor's."""
    return _Said(one.decided, tuple(line.rstrip() for line in review[one.start : one.end].split("\n")))
