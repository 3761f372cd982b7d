"""Review branches: one commit an action, built from objects beside the vault that a person has open (DESIGN section 7).

A branch is made whole by one `update-ref`, or not at all; it moves by compare-and-swap. Which of its actions wait is
told by edit ids: those that the vault's branch has in another commit (a squash, a rebase, a part that was accepted) do
not. An action that is built anew keeps author, date and id.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from vaultgit import checks
from vaultgit.checks import changes as ranges_of
from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import changelog
from vaultgit.edits import ledger
from vaultgit.edits.edit import CARRIED
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import agent_author
from vaultgit.edits.edit import message
from vaultgit.edits.edit import new_id
from vaultgit.edits.judge import Refused
from vaultgit.edits.merge import git_text_merge
from vaultgit.edits.merge import merge
from vaultgit.edits.slots import Slots
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import filters
from vaultgit.history import log
from vaultgit.history import objects
from vaultgit.history import refs
from vaultgit.history.log import Commit
from vaultgit.history.repository import Identity
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.follow import without_targets
from vaultgit.vault import Vault

AGENT = "vaultgit"  # who signs what a pass proposes, where no agent was named
FAMILIES = ("molt", "dream", "adopt")


class Action(NamedTuple):
    """One thing that a pass proposes. `changes`: their base is what the commit holds that the branch starts from."""

    changes: tuple[PathChange, ...]
    subject: str
    reason: str
    trailers: tuple[tuple[str, str], ...] = ()  # beside Agent, Session and Edit


class Branch(NamedTuple):
    """A review branch. `base`: where it left the vault's branch. `waiting`: its actions, oldest first; `landed`: those
    of them that the vault's branch has already, whole or under other commits."""

    name: str
    tip: str
    base: str
    waiting: list[Commit]
    landed: list[Commit]

    @property
    def family(self) -> str:
        """molt, dream or adopt."""
        return next(word for word in self.name.split("/") if word in FAMILIES)


class Built(NamedTuple):
    """A branch that was made. `oids`: its commits; `left`: actions that do not go with those before them -> why."""

    name: str
    oids: list[str]
    left: dict[Action, str]


# -- making ------------------------------------------------------------------------------------------------------


def build(vault: Vault, clock: Clock, name: str, base: str, actions: Sequence[Action], by: By) -> Built:
    """Makes the branch `name` (behind [review] prefix; with -2, -3 … when that is taken) on the commit `base`.

    Each commit is judged as CI would judge it. Raises judge.Refused, UsageError, with nothing made.
    """
    chain = Chain(vault, clock, base)
    agent = by.agent or AGENT
    author, now = Identity(*agent_author(agent, vault.settings.emails)), clock.now()
    left: dict[Action, str] = {}
    for action in actions:
        session = [("Session", " ".join(by.session.split()))] if by.session else []
        trailers = [*action.trailers, ("Agent", agent), *session, ("Edit", new_id(clock))]
        conflict = chain.add(action.changes, author, now, message(action.subject, action.reason, trailers))
        if conflict:
            left[action] = conflict
    if not chain.commits:
        raise VaultgitError(f"nothing of {name} can be proposed: {'; '.join(left.values()) or 'it is empty'}")
    with chain.written() as oids:
        problems = problems_of(vault, base, oids[-1])
        if problems:
            raise Refused(problems)
        return Built(_create(vault, vault.settings.review_prefix + name, oids[-1]), oids, left)


class Chain:
    """Commits in the making, one on top of the other, from objects alone."""

    def __init__(self, vault: Vault, clock: Clock, base: str) -> None:
        self.vault, self.clock, self.base = vault, clock, base
        self.slots = Slots(vault, base, checked_out=False)
        self.commits: list[objects.NewCommit] = []
        person = vault.repo.person()
        self.committer = Identity(person.name, person.email)

    def add(self, changes: Sequence[PathChange], author: Identity, authored: datetime, text: bytes) -> str:
        """Adds a commit with these changes merged into what there is. Returns what is in the way, in words.

        A skill that is no longer what they were made from gets the version after the one it has now.
        """
        self.slots.load(change.path for change in changes)
        changes = [_next_version(self, self.clock, change) for change in changes]
        conflict = self.slots.fits(changes)
        if not conflict:
            slots = [self.slots[change.path] for change in changes]
            files = {
                slot.full: None if slot.head is None else objects.File(slot.space.to_blob(slot.head), slot.mode)
                for slot in slots
            }
            self.commits.append(
                objects.NewCommit(author, authored, self.committer, self.clock.now(), text, files)
            )  # fmt: skip
        return conflict

    @contextmanager
    def written(self) -> Iterator[list[str]]:
        """The commits' oids; a scratch ref keeps them alive for as long as the block takes."""
        scratch = f"{refs.LANDING}{new_id(self.clock)}"
        try:
            yield objects.write(self.vault.repo, scratch, self.base, self.commits).commits
        finally:
            self.vault.repo.call("update-ref", "-d", scratch)


def problems_of(vault: Vault, base: str, tip: str) -> list[Problem]:
    """What the checks say to the commits of a branch, as CI does: each agent's by itself."""
    found = (checks.run(change) for _, change in ranges_of.committed(vault, base, tip))
    return list(dict.fromkeys(problem for problems in found for problem in problems))


def _create(vault: Vault, name: str, tip: str) -> str:
    taken = set(_branches(vault))
    parts = name.split("/")
    for end in range(1, len(parts)):
        above = "/".join(parts[:end])
        if above in taken:
            raise UsageError(f"you have a branch called {above}, so that none can be called {name}",
                             '.vaultgit.toml: [review] prefix = "vaultgit/"')  # fmt: skip
    number = 1
    while True:
        one = name if number == 1 else f"{name}-{number}"
        if one not in taken and not any(other.startswith(one + "/") for other in taken):
            made = vault.repo.call("update-ref", "--create-reflog", f"refs/heads/{one}", tip, refs.null_oid(vault.repo))
            if made.returncode == 0:
                return one
            if f"refs/heads/{one}" not in vault.repo.run("for-each-ref", "--format=%(refname)").decode().split("\n"):
                raise VaultgitError(f"{one} cannot be made: {made.stderr.decode('utf-8', 'replace').strip()}")
        number += 1


def _branches(vault: Vault) -> dict[str, str]:
    """All local branches: name -> tip."""
    out = vault.repo.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/").decode("utf-8", "replace")
    rows = (line.partition(" ") for line in out.splitlines())
    return {ref.removeprefix("refs/heads/"): oid for oid, _, ref in rows}


# -- what waits --------------------------------------------------------------------------------------------------


def listed(vault: Vault) -> list[Branch]:
    """All review branches of the vault, by name; those that are merged, too (they have nothing waiting)."""
    here = refs.tip(vault.repo, "HEAD")
    if here is None:
        return []
    begin = tuple(f"{vault.settings.review_prefix}{family}/" for family in FAMILIES)
    found = [_branch(vault, name, tip, here) for name, tip in _branches(vault).items() if name.startswith(begin)]
    return [branch for branch in found if branch is not None]


def pending(vault: Vault) -> list[Branch]:
    """Review branches with actions that wait for a person."""
    return [branch for branch in listed(vault) if branch.waiting]


def named(vault: Vault, name: str) -> Branch:
    """A review branch by name, with or without the prefix. Raises UsageError."""
    every = {branch.name: branch for branch in listed(vault)}
    for one in (name, vault.settings.review_prefix + name):
        if one in every:
            return every[one]
    there = ", ".join(branch.name for branch in every.values() if branch.waiting) or "none"
    raise UsageError(f"{name} is no review branch", f"vaultgit review list; waiting: {there}")


def _branch(vault: Vault, name: str, tip: str, here: str) -> Branch | None:
    base = vault.repo.call("merge-base", here, tip).stdout.decode().strip()
    if not base:
        return None  # it has no history in common with the vault
    if base == tip:  # merged: what it brought was the last merge's
        return Branch(name, tip, base, [], merged_by(vault, tip, here))
    commits = [commit for commit in log.commits(vault.repo, [tip, f"^{base}"]) if len(commit.parents) < 2]
    commits.reverse()
    known: set[str] = set()
    for carrier in ledger.carriers(vault, here, f"^{base}"):
        known.update(CARRIED.findall(carrier.body))
    landed = [commit for commit in commits if commit.trailer("Edit") in known]
    return Branch(name, tip, base, [commit for commit in commits if commit not in landed], landed)


def merged_by(vault: Vault, tip: str, here: str) -> list[Commit]:
    """What the merge that brought `tip` into `here` brought with it; [] where it was a fast-forward."""
    out = vault.repo.run("rev-list", "--merges", "--ancestry-path", "--reverse", here, f"^{tip}").decode().split()
    for oid in out:
        parents = log.commit(vault.repo, oid).parents
        if tip in parents[1:]:
            return log.commits(vault.repo, [tip, f"^{parents[0]}"])[::-1]
    return []


# -- building anew -----------------------------------------------------------------------------------------------


def changes_of(vault: Vault, commit: Commit) -> list[PathChange]:
    """What an action changes, against the commit before it, as text."""
    return changes_between(vault, commit.parents[0] if commit.parents else None, commit.oid)


def changes_between(vault: Vault, old_commit: str | None, new_commit: str) -> list[PathChange]:
    """What differs between two commits in the vault, as text."""
    found = []
    for full, old, new in log.changed(vault.repo, old_commit, new_commit, vault.prefix):
        path = full[len(vault.prefix) :]
        if changelog.is_ours(path):
            continue  # a projection: what lands writes it
        space = filters.spaces(vault.repo, [full])[full]
        before, after = (_text(vault, space, oid) for oid in (old, new))
        both = before is not None and after is not None
        # Links follow wherever they stand, also on lines that somebody has changed since.
        links = both and without_targets(before or b"", path) == without_targets(after or b"", path)
        found.append(PathChange(path, before, after, "move" if links else "write"))
    return found


def _text(vault: Vault, space: filters.Space, oid: str) -> bytes | None:
    blob = vault.repo.blob(oid) if oid.strip("0") else None
    return space.from_blob(oid, blob.data) if blob else None


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
    commits: Iterable[Commit],
    *,
    since: str,
    instead: Mapping[tuple[str, str], bytes] = {},
) -> Onto:
    """Actions on top of another commit, with author, date, message and id as they were.

    `since`: the commit that they were made from. A skill that has changed meanwhile gets the version after the one it
    has now; one that was renamed is changed under its new name. `instead`: other bytes for what an action makes of a
    note, by (oid, path).
    """
    done = Onto(Chain(vault, clock, base), [], {})
    renamed = _renamed(vault, since, base)
    for commit in commits:
        wanted = [
            change._replace(
                path=renamed.get(change.path, change.path), new=instead.get((commit.oid, change.path), change.new)
            )
            for change in changes_of(vault, commit)
        ]
        slots = done.chain.slots
        slots.load(change.path for change in wanted)
        before = {change.path: slots[change.path].head for change in wanted}
        author = Identity(commit.author, _address(vault, commit))
        conflict = done.chain.add(wanted, author, commit.authored, commit.message.encode("utf-8", "surrogateescape"))
        if conflict:
            done.left[commit.oid] = conflict
        else:
            steps = [PathChange(c.path, before[c.path], slots[c.path].head, c.action) for c in wanted]
            done.made.append((commit, steps))
    return done


def _address(vault: Vault, commit: Commit) -> str:
    return vault.repo.run("show", "-s", "--format=%ae", commit.oid).decode("utf-8", "replace").strip()


def _renamed(vault: Vault, old: str, new: str) -> dict[str, str]:
    """Skills that were renamed between two commits, as git sees it."""
    folder = vault.prefix + vault.rules.folder("skill")
    options = ("-r", "-z", "--find-renames=60%", "--diff-filter=R", "--name-status")
    fields = vault.repo.run("diff-tree", *options, old, new, "--", folder).split(b"\0")
    names = [os.fsdecode(field)[len(vault.prefix) :] for field in fields]
    return {names[n + 1]: names[n + 2] for n in range(0, len(names) - 2, 3)}


def _next_version(chain: Chain, clock: Clock, change: PathChange) -> PathChange:
    vault, now = chain.vault, chain.slots[change.path].head
    if now is None or change.base is None or change.new is None or now == change.base:
        return change
    if vault.rules.managed(change.path, now) != "skill" or vault.rules.managed(change.path, change.new) != "skill":
        return change
    merged = merge(change.base, now, change.new, text_merge=git_text_merge(vault.repo))
    version = frontmatter.read(now).values.get("version")
    if merged.conflicts or merged.data in (None, now) or not isinstance(version, int):
        return change
    day = max(clock.now().strftime("%Y-%m-%d"), str(frontmatter.read(now).values.get("last_updated", "")))
    new = patch.set_properties(merged.data or b"", {"version": version + 1, "last_updated": day})
    return PathChange(change.path, now, new, "write")


def move(vault: Vault, branch: Branch, tip: str | None) -> None:
    """Points the branch at another commit, or deletes it (None), where it is still what was read.

    Raises VaultgitError where somebody moved it meanwhile.
    """
    ref = f"refs/heads/{branch.name}"
    where = refs.checked_out_at(vault.repo, ref)
    if where:
        raise VaultgitError(
            f"{branch.name} is checked out in {where}: it stays as it is", "git switch another branch there"
        )
    change = ["-d", ref] if tip is None else [ref, tip]
    done = vault.repo.call("update-ref", "--create-reflog", *change, branch.tip)
    if done.returncode:
        what = done.stderr.decode("utf-8", "replace").strip()
        raise VaultgitError(f"{branch.name} was changed meanwhile: {what}", "vaultgit review list")
