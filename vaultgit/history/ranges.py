"""A range of commits to judge: what a branch brings to another one, as CI and servers ask for it."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from vaultgit.errors import UsageError
from vaultgit.history import refs
from vaultgit.history.repository import Repository

_NOTHING = re.compile("0{40}|0{64}")  # what git calls "no commit": a branch that is new has it as its old tip


class Range(NamedTuple):
    """`end` with all that is not in `base`.

    `base`: the commit that was named, None where all of history was asked for. `start`: what `end` is compared with:
    `base`, or where that is no ancestor the commit in which both branched off, None for a common history that
    there is none of.
    """

    base: str | None
    start: str | None
    end: str

    @property
    def revisions(self) -> list[str]:
        """The range, as arguments of `git log`."""
        return [self.end, f"^{self.base}"] if self.base else [self.end]


def between(repo: Repository, base: str, head: str) -> Range:
    """What `head` brings to `base`; `base` may be git's zeros, for all of history.

    Raises UsageError (exit 2) for a commit that is not here, and in a clone that is cut off before it can tell.
    """
    end = _commit(repo, head)
    if _NOTHING.fullmatch(base):
        found = Range(None, None, end)
    else:
        start = _commit(repo, base)
        found = Range(start, refs.merge_base(repo, start, end), end)
    _refuse_cut(repo, found, base, head)
    return found


def _commit(repo: Repository, name: str) -> str:
    oid = repo.resolve(name)
    if oid is None:
        if _edges(repo):
            mend = "the history of this clone is cut off: git fetch --unshallow"
        elif repo.resolve("HEAD") is None:
            mend = "nothing is committed yet"
        else:
            mend = "is it spelled right? a remote's branch comes with: git fetch --all"
            if re.fullmatch("[0-9a-f]{7,64}", name):
                mend = f"was it replaced by a forced push? git fetch origin {name}"
        raise UsageError(f"there is no commit {name} here", mend)
    return oid


def _refuse_cut(repo: Repository, found: Range, base: str, head: str) -> None:
    """A commit at the edge of a shallow clone shows no parents: what lies between it and `base` cannot be judged, and
    neither can whether it is part of the range."""
    edges = _edges(repo)
    if not edges:
        return
    wanted = f"{found.base}...{found.end}" if found.base else found.end
    if edges.intersection(repo.run("rev-list", wanted, "--").decode().split()):
        what = f"what {head} brings to {base}" if found.base else f"all that led to {head}"
        raise UsageError(f"cannot tell {what}: the history of this clone is cut off", "git fetch --unshallow")


def _edges(repo: Repository) -> set[str]:
    """Commits whose parents this clone does not show as they are."""
    found: set[str] = set()
    for name in ("shallow", "info/grafts"):
        try:
            with open(os.path.join(repo.common_dir, name), encoding="ascii") as stream:
                found.update(line.split()[0] for line in stream if line.strip())
        except FileNotFoundError:
            pass
    return found
