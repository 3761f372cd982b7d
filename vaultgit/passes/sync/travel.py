"""Review branches travel: what becomes of each, here and on the remote, from where both are and where they last were.

`_decide` is the table of docs/sync.md. Nothing is moved or deleted but by compare-and-swap, none that is checked out is
touched, and where both sides changed a branch in different ways both stay.
"""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import branches
from vaultgit.edits.branches import Branch
from vaultgit.errors import VaultgitError
from vaultgit.history import refchange
from vaultgit.history import refs
from vaultgit.history import trees
from vaultgit.history.log import Commit
from vaultgit.history.trees import Changed
from vaultgit.passes import acceptance
from vaultgit.passes import review
from vaultgit.passes.sync import agreed
from vaultgit.passes.sync.remote import Now
from vaultgit.passes.sync.remote import Remote
from vaultgit.passes.sync.remote import Update
from vaultgit.vault import Vault


class Travelled(NamedTuple):
    """What became of a review branch, in words; `stays`: it waits for a person to look."""

    name: str
    what: str
    stays: bool = False


class Place(NamedTuple):
    """A review branch: its commit here, there, and the one that both had last (None: not there)."""

    here: str | None
    there: str | None
    last: str | None


class Step(NamedTuple):
    """What is to become of a branch: its commit here and there (None: none), and that in words. `settled` False: both
    sides stay as they are, and what they shared is not noted anew."""

    here: str | None
    there: str | None
    what: str = ""
    settled: bool = True
    stays: bool = False


def travel(
    vault: Vault, clock: Clock, remote: Remote, there: dict[str, str], told: dict[str, Travelled], *,
    dry_run: bool = False,
) -> None:  # fmt: skip
    """Brings the review branches here and there in step; the vault's branch is level already. `there`: all branches of
    the remote, fetched; `told` gets what became of which. Raises remote.Moved, Away, VaultgitError; what was done until
    then stays done."""
    pushes: list[Update] = []
    gone: list[Update] = []  # by themselves: where they stay, the others go out all the same
    levels: dict[str, str] = {}
    judge = _Judge(vault)
    for name, place in sorted(_places(vault, remote, there).items()):
        if refs.checked_out_at(vault.repo, f"refs/heads/{name}"):
            if place.here != place.there:
                told[name] = Travelled(name, "checked out: left as it is", stays=True)
            continue
        step = _decide(judge, name, place)
        if step is None:
            continue
        if not dry_run:
            step = _here(vault, clock, judge, name, place, step)
        if step.what:
            told[name] = Travelled(name, step.what, step.stays)
        if not step.settled or dry_run:
            continue
        if step.there != place.there:
            (pushes if step.there else gone).append(Update(name, step.there or "", place.there or ""))
        if step.here is not None and step.here == step.there:
            levels[name] = step.here
        elif step.here is None and step.there is None and place.last is not None and place.there is None:
            agreed.remember(vault.repo, remote.name, name, None)
    for name, oid in levels.items():
        if all(update.branch != name for update in pushes):
            agreed.remember(vault.repo, remote.name, name, oid)
    try:
        if gone:
            _delete(vault, remote, gone, told)
            gone = []
        if pushes:
            _pushed(vault, remote, remote.push(pushes))
    except BaseException as error:
        for update in (*gone, *pushes):
            told.pop(update.branch, None)
        if isinstance(error, VaultgitError):
            level = f"the vault's own branch is level with {remote.name}"
            error.hint = "; ".join(filter(None, (level, error.hint)))
        raise


def _delete(vault: Vault, remote: Remote, updates: list[Update], told: dict[str, Travelled]) -> None:
    """What the server keeps all the same is said each time, and stops nothing: no text depends on it."""
    kept: dict[str, str] = {}
    _pushed(vault, remote, remote.push(updates, kept=kept))
    for name, why in kept.items():
        what = told[name].what.partition(":")[0]
        words = f"{what}, but {remote.name} does not let it be deleted ({why}); on the server: git branch -D {name}"
        told[name] = Travelled(name, words, stays=True)


def _pushed(vault: Vault, remote: Remote, now: dict[str, Now]) -> None:
    for name, there in now.items():
        agreed.remember(vault.repo, remote.name, name, there.oid or None)


def _places(vault: Vault, remote: Remote, there: dict[str, str]) -> dict[str, Place]:
    begins = branches.begins(vault)
    here, last = branches.tips(vault), agreed.every(vault.repo, remote.name)
    names = {name for name in (*here, *there, *last) if name.startswith(begins)}
    return {name: Place(here.get(name), there.get(name), last.get(name)) for name in names}


# -- deciding ----------------------------------------------------------------------------------------------------


class _Judge:
    """What branches hold that waits, and what of it a person has decided about."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.declined = review.declined(vault)
        self._known: dict[tuple[str, str], Branch | None] = {}

    def branch(self, name: str, oid: str | None) -> Branch | None:
        """A branch as it would be at a commit; None where there is none, or it is not of this vault."""
        if oid is None:
            return None
        if (name, oid) not in self._known:
            self._known[name, oid] = next(iter(branches.told(self.vault, {name: oid})), None)
        return self._known[name, oid]

    def landed(self, branch: Branch | None) -> bool:
        """Whether all that it proposed is on the vault's branch."""
        return branch is not None and bool(branch.landed) and not branch.waiting and not branch.queued

    def over(self, branch: Branch | None) -> bool:
        """Whether each of its actions has landed, or was dropped by a person."""
        if branch is None or not branch.commits or branch.queued:
            return False
        return all(self._is_declined(commit) for commit in branch.waiting)

    def _is_declined(self, commit: Commit) -> bool:
        return review.declined_key(self.vault, commit) in self.declined

    def alike(self, one: Branch, other: Branch) -> bool:
        """Whether the same actions wait in both: by their ids, or by what they do, as where two machines dreamed on
        the same day."""
        if _waiting(one) == _waiting(other) and None not in _waiting(one):
            return True
        return not (one.queued or other.queued) and self._deeds(one) == self._deeds(other)

    def _deeds(self, branch: Branch) -> set[tuple[str, tuple[Changed, ...]]]:
        """The lines of what waits, each with what it changes."""
        return {
            (commit.subject, tuple(trees.changed(self.vault.repo, commit.parents[0], commit.oid)))
            for commit in branch.waiting
            if commit.parents
        }


def _waiting(branch: Branch) -> set[str | None]:
    return {commit.trailer("Edit") or None for commit in branch.waiting + branch.queued}


def _is_proposal(branch: Branch) -> bool:
    """Whether a pass made it: a person's own branch may be called like one."""
    return any(commit.trailer("Edit") for commit in branch.commits)


def _decide(judge: _Judge, name: str, at: Place) -> Step | None:
    """None for what is none of this vault's review branches, or proposes nothing."""
    here, there = judge.branch(name, at.here), judge.branch(name, at.there)
    strange = (at.here is not None and here is None) or (at.there is not None and there is None)
    present = [branch for branch in (here, there) if branch is not None]
    if strange or not all(_is_proposal(branch) for branch in present):
        return None
    if present and all(judge.landed(branch) for branch in present):
        return Step(None, None, "has landed: gone")
    if at.here is None and at.there is None:
        return Step(None, None)
    if at.here is None:
        return _only_there(judge, at, there)
    if at.there is None:
        return _only_here(judge, at, here)
    return _both(judge, at, here, there)


def _only_there(judge: _Judge, at: Place, there: Branch | None) -> Step:
    if at.last is None:
        return Step(None, at.there, settled=False) if judge.over(there) else Step(at.there, at.there, "came in")
    if at.there == at.last or judge.over(there):
        return Step(None, None, "was decided about here: gone there")
    return Step(at.there, at.there, "is gone here, and was changed there since: it is back")


def _only_here(judge: _Judge, at: Place, here: Branch | None) -> Step:
    if at.last is None:
        return Step(at.here, at.here, "went out")
    if at.here == at.last and judge.over(here):
        return Step(None, None, "was decided about elsewhere: gone here")
    words = "was deleted there, and waits here still (to push it again: vaultgit review push; or: vaultgit review drop)"
    return Step(at.here, None, words, settled=False, stays=True)


def _both(judge: _Judge, at: Place, here: Branch | None, there: Branch | None) -> Step:
    if at.here == at.there:
        return Step(at.here, at.there)
    repo = judge.vault.repo
    assert at.here and at.there and here and there
    if at.here == at.last or (at.there != at.last and refs.is_ancestor(repo, at.here, at.there)):
        return Step(at.there, at.there, "was changed there: brought up to date")
    if at.there == at.last or refs.is_ancestor(repo, at.there, at.here) or judge.alike(here, there):
        return Step(at.here, at.here, "was changed here: went out")
    words = "was changed here and there: both stay"
    return Step(at.here, at.there, words, settled=False, stays=True)


# -- doing it ----------------------------------------------------------------------------------------------------


def _here(vault: Vault, clock: Clock, judge: _Judge, name: str, at: Place, step: Step) -> Step:
    """Does what is to be done here. Returns what is left to do there."""
    try:
        if step.here != at.here:
            _set(vault, name, at.here, step.here)
    except VaultgitError as error:
        return Step(at.here, at.there, str(error), settled=False, stays=True)
    now = judge.branch(name, step.here)
    if not step.settled or now is None or not now.landed or not now.waiting or now.queued:
        return step
    try:
        acceptance.rebuild(vault, clock, now, [commit for commit in now.commits if commit not in now.landed])
    except VaultgitError as error:
        return step._replace(what=str(error), stays=True)
    tip = refs.tip(vault.repo, f"refs/heads/{name}")
    return step._replace(here=tip, there=tip, what="has landed in part: what waits was built anew")


def _set(vault: Vault, name: str, old: str | None, new: str | None) -> None:
    """Makes, moves or deletes a branch here, where it is still what was read. Raises VaultgitError."""
    wrong = refchange.change(vault.repo, f"refs/heads/{name}", new, old, "vaultgit: sync")
    if wrong:
        raise VaultgitError(f"left as it is here: {wrong}")
