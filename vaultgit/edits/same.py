"""The merge of two lines of history that hold the same: one commit, whichever machine makes it.

With two remotes between them, two machines would else merge each other's merges for ever, with nothing to merge.
"""

from __future__ import annotations

from vaultgit.edits.edit import message
from vaultgit.history import objects
from vaultgit.history import stamps
from vaultgit.history.repository import Identity
from vaultgit.history.repository import Repository


def merge(repo: Repository, one: str, other: str) -> tuple[str, objects.NewCommit]:
    """Its first parent, and the commit: all of it from the two, by who committed the later, at that time."""
    tell = ("show", "-s", "--no-show-signature", "--format=%ct%x00%H%x00%cn%x00%ce%x00%cI")
    out = repo.run(*tell, one, other).decode("utf-8", "surrogateescape")
    rows = [line.split("\0") for line in out.splitlines()]
    _, _, name, email, when = max(rows, key=lambda row: (int(row[0]), row[1]))
    who, at = Identity(name, email), stamps.moment(when)
    first, second = sorted((one, other))
    text = message("vaultgit: merged what is the same", "", ())
    return first, objects.NewCommit(who, at, who, at, text, {}, (second,))
