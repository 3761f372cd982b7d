"""Accepting actions of a review branch: one merge commit, landed like an edit; what waits still is built anew on top.

An action that does not merge with what is committed, staged or typed stays pending and is named. A killed run leaves
the branch as it was, or the merge done; in a busy repository the merge waits: `settle` then does the rest.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import branches
from vaultgit.edits import chain
from vaultgit.edits import changelog
from vaultgit.edits import queue
from vaultgit.edits import undo
from vaultgit.edits.branches import Branch
from vaultgit.edits.busy import busy
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.slots import Slots
from vaultgit.edits.submit import drain
from vaultgit.edits.submit import submit
from vaultgit.errors import VaultgitError
from vaultgit.history import log
from vaultgit.history import refs
from vaultgit.history.log import Commit
from vaultgit.history.repository import GitError
from vaultgit.passes import choice
from vaultgit.vault import Vault

_MERGING = "refs/vaultgit/merging/"


class Accepted(NamedTuple):
    """What accepting came to. `left`: actions that stay pending -> why (by oid); `remaining`: how many still wait;
    `remarks`: what was not tidied, in words."""

    result: Result
    taken: list[Commit]
    left: dict[str, str]
    remaining: int
    remarks: list[str] = []  # noqa: RUF012


class _Fitting(NamedTuple):
    """Actions built on the vault's branch, of which each merges with what is on disk, too."""

    built: chain.Onto
    left: dict[str, str]


def fitting(vault: Vault, clock: Clock, branch: Branch, wanted: Sequence[Commit]) -> _Fitting:
    """Which of the actions merge now. Writes nothing. What builds on one that does not, stays with it."""
    tip = branches.here(vault) or ""
    left: dict[str, str] = {}
    rest = [commit for commit in branch.waiting if commit in wanted]
    paths = choice.paths(vault, rest)
    while True:
        built = chain.onto(vault, clock, tip, rest, since=branch.base)
        # In the middle of a rebase the disk is not the branch's; the landing sees what is there then.
        trial = Slots(vault, tip, checked_out=not busy(vault))
        trial.load(change.path for _, changes in built.made for change in changes)
        blocked = built.left | {
            commit.oid: why for commit, changes in built.made if (why := trial.fits(_as_written(changes)))
        }
        if not blocked:
            return _Fitting(built, left)
        stays = dict.fromkeys(choice.along(vault, paths, rest, blocked), "it builds on one that stays")
        left |= stays | blocked
        rest = [commit for commit in rest if commit.oid not in left]


def accept(vault: Vault, clock: Clock, branch: Branch, wanted: Sequence[Commit]) -> Accepted:
    """Brings the actions in as one merge commit. Raises Refused where the checks have something against them."""
    fits = fitting(vault, clock, branch, wanted)
    tip = fits.built.chain.base
    taken = [commit for commit, _ in fits.built.made]
    if not taken:
        return Accepted(Result("pending", ""), [], fits.left, len(branch.waiting))
    whole = taken == branch.commits and not _moved_on(vault, branch, tip)
    number = f"{len(taken)} of {len(branch.waiting)} actions"
    subject = f"{undo.ACCEPTED} {branch.name}" + ("" if taken == branch.waiting else f" ({number})")
    reason = "\n".join(f"- {commit.subject}" for commit in taken)
    with fits.built.chain.written() as oids:
        second = branch.tip if whole else oids[-1]
        problems = [*chain.problems_of(vault, tip, second), *chain.smuggled(vault, taken)]
        if problems:
            raise Refused(list(dict.fromkeys(problems)))
        upon = branch.base if whole else tip
        # Nothing where the vault has all of it already: the merge then brings the commits alone.
        changes = _as_written(chain.between(vault, upon, second)) or [PathChange(changelog.FILE, None, None)]
        vault.repo.run("update-ref", _kept(vault) + second, second)
        result = submit(
            vault, clock, changes, subject=subject, reason=reason, housekeeping=True, merges=second, upon=upon
        )
    if result.outcome not in ("queued", "pending") and not refs.is_ancestor(vault.repo, second, "HEAD"):
        result = Result("pending", "", reason="another writer found that it does not merge: vaultgit review list")
    remaining = len(branch.waiting) - len(taken)
    if result.outcome == "queued":
        return Accepted(result, taken, fits.left, remaining)
    if result.outcome == "pending":
        left = fits.left | {commit.oid: result.reason for commit in taken}
        refs.drop_own(vault.repo, _kept(vault) + second)
        return Accepted(result, [], left, len(branch.waiting))
    try:
        remarks = _landed(vault, clock, second, {branch.name})
    except GitError as error:  # it is in: the next command here tidies up
        remarks = [f"{branch.name} is not tidied up yet: {error}"]
    return Accepted(result, taken, fits.left, remaining, remarks)


def _as_written(changes: Sequence[PathChange]) -> list[PathChange]:
    """Changes whose links do not follow: in text that is not in git every byte is the person's, links too."""
    return [change._replace(action="write") for change in changes]


def _moved_on(vault: Vault, branch: Branch, tip: str) -> bool:
    """Whether a plain merge would bring something else than the actions built anew: the vault's branch has changed a
    note that the review branch changes, too, or the branch writes changelog.md."""
    touched = {full for full, _, _ in log.changed(vault.repo, branch.base, branch.tip)}
    ours = any(changelog.is_ours(full.removeprefix(vault.prefix)) for full in touched)
    return ours or any(full in touched for full, _, _ in log.changed(vault.repo, branch.base, tip))


# -- afterwards --------------------------------------------------------------------------------------------------


def settle(vault: Vault, clock: Clock) -> list[str]:
    """Lands what waits, and tidies up after acceptances that landed since: later, or by a run that was killed. Returns
    what a person should know, in words."""
    done = drain(vault, clock)
    remarks = [f"what you accepted did not land: {one.reason}" for one in done if one.outcome == "pending"]
    waiting = {edit.merges for edit in queue.entries(vault.repo, vault.state, vault.prefix)}
    tip = branches.here(vault) or ""
    for ref in vault.repo.run("for-each-ref", "--format=%(refname)", _kept(vault)).decode().split():
        oid = ref.removeprefix(_kept(vault))
        if oid in waiting:
            continue
        if refs.is_ancestor(vault.repo, oid, tip):
            remarks += _landed(vault, clock, oid, set())
        else:
            refs.drop_own(vault.repo, ref)
    return remarks


def _kept(vault: Vault) -> str:
    """Where refs stand for what acceptances bring: kept alive, and remembered, until the branches are tidy. Those of
    this work tree and vault alone: another one's queue is not ours to judge."""
    import hashlib

    return f"{_MERGING}{hashlib.sha256(f'{vault.repo.place} {vault.prefix}'.encode()).hexdigest()[:8]}/"


def _landed(vault: Vault, clock: Clock, second: str, names: Collection[str]) -> list[str]:
    """Brings review branches up to what a merge of `second` brought: built anew on the vault's branch without the
    actions that landed, or deleted when none is left. Branches that were called `names`, or have one of its actions.
    Returns what could not be done, in words."""
    brought = branches.merged_by(vault, second, branches.here(vault) or "")
    ids = {commit.trailer("Edit") for commit in brought} - {""}
    remarks: list[str] = []
    later = False
    for branch in branches.listed(vault):
        if branch.landed and (branch.name in names or any(c.trailer("Edit") in ids for c in branch.landed)):
            try:
                rebuild(vault, clock, branch, [c for c in branch.commits if c not in branch.landed])
            except VaultgitError as error:
                remarks.append(str(error))
                later = later or refs.checked_out_at(vault.repo, f"refs/heads/{branch.name}") is not None
    if not later:
        refs.drop_own(vault.repo, _kept(vault) + second)
    return remarks


def rebuild(vault: Vault, clock: Clock, branch: Branch, commits: Sequence[Commit]) -> None:
    """The branch with these actions alone; without any it goes. Raises VaultgitError with nothing changed."""
    if not commits:
        branches.move(vault, branch, None)
        return
    with alone(vault, clock, branch, commits).chain.written() as oids:
        branches.move(vault, branch, oids[-1])


def alone(vault: Vault, clock: Clock, branch: Branch, commits: Sequence[Commit]) -> chain.Onto:
    """Some actions of a branch, built on the vault's branch, or where one does not go there, on their old base."""
    branches.refuse_checked_out(vault, branch)
    built = chain.onto(vault, clock, branches.here(vault) or "", commits, since=branch.base)
    if built.left:
        built = chain.onto(vault, clock, branch.base, commits, since=branch.base)
    if built.left:
        why = next(iter(built.left.values()))
        raise VaultgitError(f"{branch.name} stays as it is: what waits cannot be built without the rest ({why})")
    return built
