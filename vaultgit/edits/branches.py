"""Review branches: one commit an action, beside the vault that a person has open (DESIGN section 7).

A branch is made whole by one `update-ref`, or not at all; it moves by compare-and-swap. Which of its actions wait is
told by edit ids: those that the vault's branch has in another commit (a squash, a rebase, a part that was accepted) do
not. An action without an id has landed where the vault's branch holds what it does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from vaultgit import config
from vaultgit.clock import Clock
from vaultgit.edits import chain
from vaultgit.edits import changelog
from vaultgit.edits import ledger
from vaultgit.edits import queue
from vaultgit.edits import undo
from vaultgit.edits.chain import Chain
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import agent_author
from vaultgit.edits.edit import message
from vaultgit.edits.edit import new_id
from vaultgit.edits.judge import Refused
from vaultgit.edits.slots import Slots
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import log
from vaultgit.history import refchange
from vaultgit.history import refs
from vaultgit.history.log import Commit
from vaultgit.history.repository import Identity
from vaultgit.vault import Vault

AGENT = "vaultgit"  # who signs what a pass proposes, where no agent was named
FAMILIES = config.REVIEW
_MANY = 1000  # commits that are looked at for the actions of a branch that main was moved to


class Action(NamedTuple):
    """One thing that a pass proposes. `changes`: their base is what the commit holds that the branch starts from."""

    changes: tuple[PathChange, ...]
    subject: str
    reason: str
    trailers: tuple[tuple[str, str], ...] = ()  # beside Agent, Session and Edit


class Branch(NamedTuple):
    """A review branch. `base`: where it left the vault's branch. `commits`: all its actions, oldest first; of them
    `waiting` for a person, `queued` (accepted, and to land when the repository is free), and `landed` on the vault's
    branch, whole or as other commits."""

    name: str
    tip: str
    base: str
    commits: list[Commit]
    waiting: list[Commit]
    queued: list[Commit]
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
    made = Chain(vault, clock, base)
    agent = by.agent or AGENT
    author, now = Identity(*agent_author(agent, vault.settings.emails)), clock.now()
    left: dict[Action, str] = {}
    made.slots.load(change.path for action in actions for change in action.changes)
    for action in actions:
        session = [("Session", " ".join(by.session.split()))] if by.session else []
        trailers = [*action.trailers, ("Agent", agent), *session, ("Edit", new_id(clock))]
        conflict = made.add(action.changes, author, now, message(action.subject, action.reason, trailers))
        if conflict:
            left[action] = conflict
    if not made.commits:
        raise VaultgitError(f"nothing of {name} can be proposed: {'; '.join(left.values()) or 'it is empty'}")
    with made.written() as oids:
        problems = chain.problems_of(vault, base, oids[-1])
        if problems:
            raise Refused(problems)
        return Built(_create(vault, vault.settings.review_prefix + name, oids[-1]), oids, left)


def _used(vault: Vault, name: str) -> set[str]:
    """Names like this one that a merge in history has brought in: `undo NAME` means that one."""
    tell = ("--merges", "--fixed-strings", f"--grep={undo.ACCEPTED} {name}", f"--grep=Merge branch '{name}")
    subjects = vault.repo.run("log", "--format=%s", *tell, here(vault) or "HEAD").decode("utf-8", "replace")
    return set(re.findall(rf"{re.escape(name)}(?:-\d+)?", subjects))


def _create(vault: Vault, name: str, tip: str) -> str:
    taken = set(tips(vault)) | _used(vault, name)
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
            wrong = refchange.change(vault.repo, f"refs/heads/{one}", tip, None)
            if not wrong:
                return one
            if one not in tips(vault):  # else somebody was faster
                raise VaultgitError(f"{one} cannot be made: {wrong}")
        number += 1


def tips(vault: Vault) -> dict[str, str]:
    """All local branches: name -> tip."""
    out = vault.repo.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/").decode("utf-8", "replace")
    rows = (line.partition(" ") for line in out.splitlines())
    return {ref.removeprefix("refs/heads/"): oid for oid, _, ref in rows}


# -- what waits --------------------------------------------------------------------------------------------------


def here(vault: Vault) -> str | None:
    """The tip of the vault's branch: during a rebase of the one being rebased."""
    return refs.tip(vault.repo, refs.head(vault.repo).branch or "HEAD")


def listed(vault: Vault) -> list[Branch]:
    """All review branches of the vault, by name; those that are merged, too (they have nothing waiting). The one that
    is checked out here is none: nothing can be told about it beside itself."""
    return told(vault, _own(vault))


def told(vault: Vault, commits: Mapping[str, str]) -> list[Branch]:
    """What each of these would be as a review branch: name -> commit, also one that a remote has and nobody here."""
    tip = here(vault)
    if tip is None:
        return []
    known = _queued(vault, tip) if commits else set()
    found = [_branch(vault, name, oid, tip, known) for name, oid in commits.items()]
    return [branch for branch in found if branch is not None]


def pending(vault: Vault) -> list[Branch]:
    """Review branches with actions that wait for a person."""
    return [branch for branch in listed(vault) if branch.waiting]


def named(vault: Vault, name: str) -> Branch:
    """A review branch by name, with or without the prefix. Raises UsageError."""
    every = {branch.name: branch for branch in listed(vault)}
    names = (name, vault.settings.review_prefix + name)
    for one in names:
        if one in every:
            return every[one]
    out = (refs.head(vault.repo).branch or "").removeprefix("refs/heads/")
    if out in names and out.startswith(begins(vault)):
        raise UsageError(f"{name} is checked out here", "git switch the vault's branch first")
    there = ", ".join(branch.name for branch in every.values() if branch.waiting) or "none"
    shallow = "" if ledger.history_is_complete(vault.repo) else " (this clone is shallow: git fetch --unshallow)"
    near = [one for one in every if name and name in one]
    hint = f"did you mean {near[0]}?" if len(near) == 1 else f"vaultgit review list; waiting: {there}"
    raise UsageError(f"{name} is no review branch of this vault{shallow}", hint)


def _own(vault: Vault) -> dict[str, str]:
    out = (refs.head(vault.repo).branch or "").removeprefix("refs/heads/")
    return {name: oid for name, oid in tips(vault).items() if name.startswith(begins(vault)) and name != out}


def begins(vault: Vault) -> tuple[str, ...]:
    """How the names of the vault's review branches begin."""
    return tuple(f"{vault.settings.review_prefix}{family}/" for family in FAMILIES)


def _queued(vault: Vault, tip: str) -> set[str]:
    """Ids that acceptances bring which wait in the queue."""
    found: set[str] = set()
    for edit in queue.entries(vault.repo, vault.state, vault.prefix):
        if edit.merges:
            found |= _carried(vault, edit.merges, f"^{tip}")
    return found


def _carried(vault: Vault, *revisions: str) -> set[str]:
    return {edit_id for carrier in ledger.carriers(vault, *revisions) for edit_id in ledger.ids(carrier)}


def _branch(vault: Vault, name: str, oid: str, tip: str, queued: set[str]) -> Branch | None:
    """None for a branch that has no history in common with the vault's, or is of another vault in the repository."""
    base = refs.merge_base(vault.repo, tip, oid)
    if base is None:
        return None
    if base == oid:  # merged: what it brought was the last merge's
        landed = merged_by(vault, oid, tip)
        return Branch(name, oid, base, landed, [], [], landed) if landed or not vault.prefix else None
    commits = _actions(vault, oid, f"^{base}")
    if not commits and vault.prefix:
        return None
    known = _carried(vault, tip, f"^{base}")
    state = [_state(vault, commit, tip, known, queued) for commit in commits]
    waiting, waits, landed = (
        [commit for commit, one in zip(commits, state, strict=True) if one == word] for word in ("", "queued", "landed")
    )
    return Branch(name, oid, base, commits, waiting, waits, landed)


def _state(vault: Vault, commit: Commit, tip: str, known: set[str], queued: set[str]) -> str:
    edit_id = commit.trailer("Edit")
    if edit_id in known or (not edit_id and _holds(vault, tip, commit)):
        return "landed"
    return "queued" if edit_id in queued else ""


def _holds(vault: Vault, tip: str, commit: Commit) -> bool:
    """Whether a commit holds what an action does: doing it again would change nothing."""
    changes = changes_of(vault, commit)
    slots = Slots(vault, tip, checked_out=False)
    slots.load(change.path for change in changes)
    before = {path: slot.head for path, slot in slots.items()}
    return not slots.fits(changes) and before == {path: slot.head for path, slot in slots.items()}


def merged_by(vault: Vault, oid: str, tip: str) -> list[Commit]:
    """The actions that the merge brought which brought `oid` into `tip`."""
    tell = ("--merges", "--ancestry-path", "--reverse", "--no-commit-header", "--format=%P")
    for line in vault.repo.run("rev-list", *tell, tip, f"^{oid}").decode().splitlines():
        first, *others = line.split()
        if oid in others:
            return _actions(vault, oid, f"^{first}")
    return _fast_forwarded(vault, oid)


def _fast_forwarded(vault: Vault, oid: str) -> list[Commit]:
    """The actions at the end of a branch that main was moved to: edits that write no line of changelog.md."""
    tell = ("-1", "--first-parent", "--format=%H", oid, "--", vault.prefix + changelog.FILE)
    written = vault.repo.run("log", *tell).decode().strip()
    commits = _actions(vault, f"-n{_MANY}", "--first-parent", oid, *([f"^{written}"] if written else []))
    return list(takewhile(lambda commit: commit.trailer("Edit"), commits[::-1]))[::-1]


def _actions(vault: Vault, *revisions: str) -> list[Commit]:
    """The commits of a range, oldest first, without merges."""
    paths = [vault.prefix] if vault.prefix else []
    found = log.commits(vault.repo, ["--topo-order", "--full-history", "--no-merges", *revisions], paths=paths)
    return found[::-1]


def changes_of(vault: Vault, commit: Commit) -> list[PathChange]:
    """What an action changes, against the commit before it, as text."""
    return chain.changes(vault, [commit])[commit.oid]


# -- moving ------------------------------------------------------------------------------------------------------


def refuse_checked_out(vault: Vault, branch: Branch) -> None:
    """Raises VaultgitError where a work tree has the branch checked out: it would not know its own files any more."""
    where = refs.checked_out_at(vault.repo, f"refs/heads/{branch.name}")
    if where:
        what = f"{branch.name} is checked out in {refs.work_tree_of(where)}: it stays as it is"
        raise VaultgitError(what, "git switch another branch there")


def move(vault: Vault, branch: Branch, tip: str | None) -> None:
    """Points the branch at another commit, or deletes it (None), where it is still what was read.

    Raises VaultgitError where somebody moved it meanwhile, or has it checked out.
    """
    refuse_checked_out(vault, branch)
    wrong = refchange.change(vault.repo, f"refs/heads/{branch.name}", tip, branch.tip)
    if wrong:
        raise VaultgitError(f"{branch.name} was changed meanwhile: {wrong}", "vaultgit review list")
