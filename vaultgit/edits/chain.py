"""Commits built on top of one another from objects alone, and actions of a review branch built anew.

An action that is built anew keeps author, date, message and id; its changes are merged into what there is now. A skill
that has changed meanwhile gets the version after the one it has, one that was renamed is changed under its new name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from vaultgit import checks
from vaultgit.checks import commits as ranges_of
from vaultgit.checks import protected
from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import changelog
from vaultgit.edits import sealed
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import new_id
from vaultgit.edits.merge import merge
from vaultgit.edits.slots import Slots
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.history import filters
from vaultgit.history import objects
from vaultgit.history import refs
from vaultgit.history.log import Commit
from vaultgit.history.repository import Identity
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.follow import without_targets
from vaultgit.vault import Vault


class Chain:
    """Commits in the making, each on top of the one before, the first on `base`."""

    def __init__(self, vault: Vault, clock: Clock, base: str) -> None:
        self.vault, self.clock, self.base = vault, clock, base
        self.slots = Slots(vault, base, checked_out=False)
        self.commits: list[objects.NewCommit] = []
        person = vault.repo.person()
        self.committer = Identity(person.name, person.email)

    def add(self, changes: Sequence[PathChange], author: Identity, authored: datetime, text: bytes) -> str:
        """Adds a commit with these changes merged into what there is. Returns what is in the way, in words."""
        self.slots.load(change.path for change in changes)
        changes = [self._next_version(change) for change in changes]
        saved = {change.path: self.slots[change.path].snapshot() for change in changes}
        conflict = self.slots.fits(changes) or self._sealed(changes)
        if conflict:
            for path, snapshot in saved.items():
                self.slots[path].restore(snapshot)
        else:
            slots = [self.slots[change.path] for change in changes]
            files = {
                slot.full: None if slot.head is None else objects.File(slot.space.to_blob(slot.head), slot.mode)
                for slot in slots
            }
            new = objects.NewCommit(author, authored, self.committer, self.clock.now(), text, files)
            self.commits.append(new)
        return conflict

    def _sealed(self, changes: Sequence[PathChange]) -> str:
        """What would be stored past a filter that is not set up here, in words. What git stores already may pass."""
        for slot in (self.slots[change.path] for change in changes):
            if slot.space.missing and slot.head is not None and slot.head != slot.head_was:
                named = ("hash-object", "--no-filters", "--stdin")
                oid = self.vault.repo.run(*named, input=slot.head).decode().strip()
                if self.vault.repo.blob(oid) is None:
                    return f"{slot.path} {sealed.words(slot.space.missing)}"
        return ""

    def _next_version(self, change: PathChange) -> PathChange:
        """The change of a skill that is no longer what it was made from, merged and with the version after now's."""
        vault, slot = self.vault, self.slots[change.path]
        now = slot.head
        if now is None or change.base is None or change.new is None or now == slot.space.from_disk(change.base):
            return change
        if vault.rules.managed(change.path, now) != "skill" or vault.rules.managed(change.path, change.new) != "skill":
            return change
        base, new = slot.space.from_disk(change.base), slot.space.from_disk(change.new)
        merged = merge(base, now, new, text_merge=git_text_merge(vault.repo))
        there = frontmatter.read(now).values
        version, last = there.get("version"), there.get("last_updated")
        if merged.conflicts or merged.data in (None, now) or not isinstance(version, int):
            return change
        day = max(self.clock.now().strftime("%Y-%m-%d"), str(last or ""))
        try:
            new = patch.set_properties(merged.data or b"", {"version": version + 1, "last_updated": day})
        except frontmatter.FrontMatterError:
            return change
        return PathChange(change.path, now, new, "write")

    @contextmanager
    def written(self) -> Iterator[list[str]]:
        """The commits' oids; a scratch ref keeps them alive for as long as the block takes."""
        scratch = f"{refs.LANDING}{new_id(self.clock)}"
        try:
            yield objects.write(self.vault.repo, scratch, self.base, self.commits).commits
        finally:
            refs.drop_own(self.vault.repo, scratch)


# -- what actions change -----------------------------------------------------------------------------------------


class Changed(NamedTuple):
    """One file that a commit changes: path in the repository, blobs before and after ("" for none), mode after."""

    full: str
    old: str
    new: str
    mode: str


def changed(vault: Vault, commits: Iterable[Commit]) -> dict[str, list[Changed]]:
    """What each commit changes in the vault, against the commit before it, by oid; changelog files left out: they are a
    projection, and what lands writes them. One git process for all."""
    found: dict[str, list[Changed]] = {commit.oid: [] for commit in commits}
    scope = ["--", vault.prefix] if vault.prefix else []
    options = ("--stdin", "--root", "-r", "--raw", "-z", "--no-renames", "--abbrev=64")
    fields = iter(vault.repo.run("diff-tree", *options, *scope, input="\n".join(found).encode() + b"\n").split(b"\0"))
    oid = ""
    for field in fields:
        if not field.startswith(b":"):
            oid = field.decode().strip()
            continue
        one, full = _entry(field), os.fsdecode(next(fields))
        if not changelog.is_ours(full[len(vault.prefix) :]):
            found[oid].append(one._replace(full=full))
    return found


def _entry(meta: bytes) -> Changed:
    _, mode, old, new, _ = meta.decode().split(" ")
    return Changed("", old if old.strip("0") else "", new if new.strip("0") else "", mode)


def changes(vault: Vault, commits: Iterable[Commit]) -> dict[str, list[PathChange]]:
    """What each commit changes, as text, by oid."""
    raw = changed(vault, commits)
    spaces = filters.spaces(vault.repo, dict.fromkeys(one.full for found in raw.values() for one in found))
    return {oid: [_as_text(vault, spaces[one.full], one) for one in found] for oid, found in raw.items()}


def between(vault: Vault, old_commit: str, new_commit: str) -> list[PathChange]:
    """What differs between two commits in the vault, as text; changelog files left out."""
    scope = ["--", vault.prefix] if vault.prefix else []
    options = ("-r", "--raw", "-z", "--no-renames", "--abbrev=64")
    fields = vault.repo.run("diff-tree", *options, old_commit, new_commit, *scope).split(b"\0")
    raw = [
        _entry(meta)._replace(full=os.fsdecode(full))
        for meta, full in zip(fields[0::2], fields[1::2], strict=False)
        if not changelog.is_ours(os.fsdecode(full)[len(vault.prefix) :])
    ]
    spaces = filters.spaces(vault.repo, [one.full for one in raw])
    return [_as_text(vault, spaces[one.full], one) for one in raw]


def _as_text(vault: Vault, space: filters.Space, one: Changed) -> PathChange:
    path = one.full[len(vault.prefix) :]
    before, after = (_text(vault, space, oid) for oid in (one.old, one.new))
    both = before is not None and after is not None
    # Links follow wherever they stand, also on lines that somebody has changed since.
    links = both and without_targets(before or b"", path) == without_targets(after or b"", path)
    return PathChange(path, before, after, "move" if links else "write")


def _text(vault: Vault, space: filters.Space, oid: str) -> bytes | None:
    blob = vault.repo.blob(oid) if oid else None
    return space.from_blob(oid, blob.data) if blob else None


# -- checks ------------------------------------------------------------------------------------------------------


def problems_of(vault: Vault, base: str, tip: str) -> list[Problem]:
    """What the checks say to what `tip` brings to `base`, as CI does: each agent's commit by itself."""
    found = (checks.run(change) for _, change in ranges_of.committed(vault, base, tip))
    return list(dict.fromkeys(problem for problems in found for problem in problems))


def smuggled(vault: Vault, commits: Iterable[Commit]) -> list[Problem]:
    """What no commit of a review branch may bring, whoever it says made it: protected paths, links, repositories. Who
    wants them merges the branch with git."""
    every = (one for found in changed(vault, commits).values() for one in found)
    found = (
        protected.path_problems(path, agent=True) or protected.mode_problems(path, one.mode if one.new else "")
        for one in every
        for path in (one.full[len(vault.prefix) :],)
    )
    return list(dict.fromkeys(problem for problems in found for problem in problems))


# -- building anew -----------------------------------------------------------------------------------------------


class Onto(NamedTuple):
    """What building actions anew came to: `chain` has the commits of `made`, each with its changes from the one before;
    `left` says why another could not be built (by the action's oid)."""

    chain: Chain
    made: list[tuple[Commit, list[PathChange]]]
    left: dict[str, str]


def onto(
    vault: Vault,
    clock: Clock,
    base: str,
    commits: Sequence[Commit],
    *,
    since: str,
    instead: Mapping[tuple[str, str], bytes] = {},
) -> Onto:
    """Actions on top of another commit.

    `since`: the commit that they were made from. `instead`: other bytes for what an action makes of a note, by (oid,
    path).
    """
    done = Onto(Chain(vault, clock, base), [], {})
    renamed, slots = _renamed(vault, since, base), done.chain.slots
    wanted = {
        oid: [
            one._replace(path=renamed.get(one.path, one.path), new=instead.get((oid, one.path), one.new))
            for one in found
        ]
        for oid, found in changes(vault, commits).items()
    }
    slots.load(change.path for found in wanted.values() for change in found)
    for commit in commits:
        these = wanted[commit.oid]
        before = {change.path: slots[change.path].head for change in these}
        author, text = _author(vault, commit), commit.message.encode("utf-8", "surrogateescape")
        conflict = done.chain.add(these, author, commit.authored, text)
        if conflict:
            done.left[commit.oid] = conflict
        else:
            steps = [PathChange(c.path, before[c.path], slots[c.path].head, c.action) for c in these]
            done.made.append((commit, steps))
    return done


def _author(vault: Vault, commit: Commit) -> Identity:
    """With the address, read from the commit itself: the log has names alone."""
    found = vault.repo.object(commit.oid)
    address = re.search(rb"^author .*<([^<>\n]*)>", found[2], re.MULTILINE) if found else None
    return Identity(commit.author, address[1].decode("utf-8", "replace") if address else "")


def _renamed(vault: Vault, old: str, new: str) -> dict[str, str]:
    """Skills that were renamed between two commits, as git sees it."""
    folder = vault.prefix + vault.rules.folder("skill")
    options = ("-r", "-z", "--find-renames=60%", "--diff-filter=R", "--name-status")
    fields = vault.repo.run("diff-tree", *options, old, new, *(["--", folder] if folder else [])).split(b"\0")
    names = [os.fsdecode(field)[len(vault.prefix) :] for field in fields]
    return {names[n + 1]: names[n + 2] for n in range(0, len(names) - 2, 3)}
