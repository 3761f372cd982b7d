"""What only a person's own git should bring into a vault: what a sync leaves to them, and says so."""

from __future__ import annotations

from collections.abc import Sequence

from vaultgit.checks import protected
from vaultgit.errors import VaultgitError
from vaultgit.history import trees
from vaultgit.history.repository import Repository
from vaultgit.history.trees import Changed
from vaultgit.history.trees import Conflict

LARGEST = 100_000_000  # bytes that come in at once: all of them pass through memory
FEW = 5  # notes that may always go
_KINDS = {trees.LINK: "a symbolic link", trees.SUBMODULE: "another repository"}


class ByHand(VaultgitError):
    """What comes in is for a person's own git to bring in. Nothing has changed."""


def of(label: str, what: str) -> ByHand:
    """`label`: what the other line of history is called."""
    return ByHand(f"{label}: {what}; nothing was brought in", f"bring it in yourself: git merge {label}")


def in_the_way(label: str, path: str, what: str) -> ByHand:
    """Of a person's own file, which nothing here may touch."""
    return ByHand(f"{label} brings {path}, and {what}; nothing was brought in", "move yours away, then sync again")


def refuse(
    repo: Repository, label: str, ours: str, theirs: str, changes: Sequence[Changed], conflicts: Sequence[Conflict]
) -> None:
    """Raises ByHand for names that lead out of the vault or into `.git`, links and submodules, a file that is a folder
    on the other side, too much at once, and most of the notes deleted."""
    entries = {one.path: (one.old, one.new) for one in changes}
    entries |= {one.path: (one.ours, one.theirs) for one in conflicts}
    for path, both in entries.items():
        problems = protected.path_problems(path, agent=False)
        if problems:
            raise of(label, f"{path} {problems[0].message}")
        for entry in both:
            if entry and entry.mode in _KINDS:
                raise of(label, f"{path} is {_KINDS[entry.mode]}, or was")
    for conflict in conflicts:  # git gives a file another name where a folder has its own
        name, tilde, _ = conflict.path.rpartition("~")
        if tilde and not any(repo.object(f"{commit}:{conflict.path}") for commit in (ours, theirs)):
            raise of(label, f"{name} is a file on one side, and a folder on the other")
    _refuse_much(repo, label, changes, conflicts)
    _refuse_emptied(repo, label, ours, changes)


def _refuse_much(repo: Repository, label: str, changes: Sequence[Changed], conflicts: Sequence[Conflict]) -> None:
    come = [one.new for one in changes] + [one.theirs for one in conflicts]
    total = sum(trees.sizes(repo, sorted({entry.oid for entry in come if entry})).values())
    if total > LARGEST:
        most = LARGEST // 1_000_000
        raise of(label, f"{total // 1_000_000} MB come in at once, more than the {most} that this is made for")


def _refuse_emptied(repo: Repository, label: str, ours: str, changes: Sequence[Changed]) -> None:
    """Notes that move are not gone."""
    notes = [one for one in changes if one.path.endswith(".md")]
    gone = sum(one.new is None for one in notes)
    net = gone - sum(one.old is None for one in notes)
    if net > FEW:
        there = repo.run("ls-tree", "-r", "-z", "--name-only", ours).count(b".md\0")
        if net * 2 > there:
            raise of(label, f"{gone} of the {there} notes here would be deleted")
