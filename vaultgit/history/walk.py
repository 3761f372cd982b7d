"""Commits with the files they touch, newest first, read in one `git log`: for whoever asks about many files at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from vaultgit.history.repository import Repository
from vaultgit.history.stamps import moment

_FORMAT = "%H%x00%P%x00%aI%x00%s%x00%(trailers:only,unfold)"
_FIELDS = 5


class Touch(NamedTuple):
    """One file that a commit changed, with its blobs before and after; "" for none. Renames are not told."""

    path: str
    before: str
    after: str


class Step(NamedTuple):
    """One commit. `trailers`: in order, keys as written. Of a merge the touches are what it brought in: what differs
    from its first parent."""

    oid: str
    parents: tuple[str, ...]
    authored: datetime
    subject: str
    trailers: tuple[tuple[str, str], ...]
    touches: tuple[Touch, ...]

    @property
    def agent(self) -> str:
        """Who its trailer says made it, "" for a person."""
        return self.trailer("Agent")

    def trailer(self, key: str) -> str:
        """The last value of a trailer, "" without one."""
        return next((value for name, value in reversed(self.trailers) if name.lower() == key.lower()), "")

    @property
    def is_merge(self) -> bool:
        return len(self.parents) > 1

    @property
    def day(self) -> str:
        return self.authored.strftime("%Y-%m-%d")


def steps(
    repo: Repository, commit: str, folder: str = "", limit: int | None = None, tell: Sequence[str] = ()
) -> Iterator[Step]:
    """The commits that `commit` reaches; with a `folder` (from the repository's root, "/" at its end) those that touch
    it, merges that brought something in included. `limit`: only so many. `tell`: what else tells them, as git log's
    arguments (`^OID`, `--grep=…`)."""
    # --show-pulls: else a merge that took one side as it was, as accepting a branch does, is left out.
    scope = ["--show-pulls", commit, "--", folder] if folder else [commit, "--"]
    most = [f"--max-count={limit}"] if limit is not None else []
    out = repo.run(
        "log", "-z", "--raw", "--no-renames", "--abbrev=64", "--diff-merges=first-parent", "--no-show-signature",
        "--no-color", "--no-decorate", "--encoding=UTF-8", f"--format={_FORMAT}", *most, *tell, *scope,
    )  # fmt: skip
    fields = out.split(b"\0")
    at = 0
    while at + _FIELDS <= len(fields):
        oid, parents, authored, subject, ending = (
            field.decode("utf-8", "replace").strip() for field in fields[at : at + _FIELDS]
        )
        at += _FIELDS
        touches = []
        while at + 1 < len(fields) and fields[at].lstrip(b"\n").startswith(b":"):
            _, _, before, after, status = fields[at].decode().split(" ")
            path = os.fsdecode(fields[at + 1])
            touches.append(Touch(path, "" if status == "A" else before, "" if status == "D" else after))
            at += 2
        pairs = (line.partition(":") for line in ending.split("\n"))
        trailers = tuple((key, value.strip()) for key, colon, value in pairs if colon)
        when = moment(authored)
        yield Step(oid, tuple(parents.split()), when, subject, trailers, tuple(touches))
