"""Commits as a person asks for them: of a note, an agent, a session, since a time; and who wrote a line."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from vaultgit.errors import UsageError
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository
from vaultgit.history.stamps import moment

_FORMAT = "%H%x00%P%x00%an%x00%aI%x00%B%x00%(trailers:only,unfold)"


class Commit(NamedTuple):
    """One commit. `trailers`: in order, keys as written."""

    oid: str
    parents: tuple[str, ...]
    author: str
    authored: datetime
    message: str
    trailers: tuple[tuple[str, str], ...]

    @property
    def subject(self) -> str:
        return " ".join(self.message.strip().split("\n\n")[0].split("\n"))

    @property
    def reason(self) -> str:
        """The body without the trailers."""
        body = self.message.strip().partition("\n")[2].strip()
        if self.trailers:
            body = body.rpartition("\n\n")[0] if "\n\n" in body else ""
        return body.strip()

    def trailer(self, key: str) -> str:
        """The last value of a trailer, "" without one."""
        return next((value for name, value in reversed(self.trailers) if name.lower() == key.lower()), "")

    def trailers_of(self, key: str) -> list[str]:
        return [value for name, value in self.trailers if name.lower() == key.lower()]


def by_path(repo: Repository, revisions: Sequence[str]) -> dict[str, list[Commit]]:
    """The commits of a range that changed each file, newest first; by path from the repository's top."""
    every = {commit.oid: commit for commit in commits(repo, revisions)}
    tell = ("log", "-z", "--format=%x00%H", "--name-only", "--no-renames", "--no-show-signature", "--no-color")
    found: dict[str, list[Commit]] = {}
    oid, begins = "", False
    for field in os.fsdecode(repo.run(*tell, *revisions, "--")).split("\0"):
        if begins and field:
            oid = field
        elif field:
            found.setdefault(field.removeprefix("\n"), []).append(every[oid])
        begins = not field  # names are not empty: that stands in front of a commit
    return found


def commits(
    repo: Repository,
    revisions: Sequence[str] = ("HEAD",),
    *,
    paths: Sequence[str] = (),
    trailers: Sequence[tuple[str, str]] = (),
    since: str = "",
    limit: int | None = None,
    edits_only: bool = False,
) -> list[Commit]:
    """Commits reachable from `revisions` (oids or refs, `^x` excludes), newest first.

    `trailers`: (key, value) that a commit's trailers hold, all of them. `since`: a date as git reads it.
    `edits_only`: those with an edit id, counted by `limit` after that.
    """
    options = ["-z", f"--format={_FORMAT}", "--no-show-signature", "--no-color", "--encoding=UTF-8"]
    if since:
        options.append(f"--since={since}")
    for key, value in trailers:
        options += ["--all-match", "--fixed-strings", f"--grep={key}: {value}"]
    out = repo.read("log", *options, *revisions, "--", *paths).decode("utf-8", "surrogateescape")
    fields = out.split("\0")
    found: list[Commit] = []
    for oid, parents, author, authored, body, ending in zip(*(fields[n::6] for n in range(6)), strict=False):
        pairs = tuple(
            (key, value.strip()) for key, colon, value in (line.partition(":") for line in ending.split("\n")) if colon
        )
        commit = Commit(oid, tuple(parents.split()), author, moment(authored), body, pairs)
        edit = not edits_only or bool(commit.trailer("Edit"))
        if edit and all(value in commit.trailers_of(key) for key, value in trailers):
            found.append(commit)
            if len(found) == limit:
                break
    return found


def commit(repo: Repository, oid: str) -> Commit:
    return commits(repo, ["--no-walk", oid])[0]


def changed(repo: Repository, old: str | None, new: str, prefix: str = "") -> list[tuple[str, str, str]]:
    """(path, old oid or "", new oid or "") of every file that differs between two commits, below `prefix`."""
    scope = ["--", prefix] if prefix else []
    if old is None:
        out = repo.run(
            "diff-tree", "--root", "--no-commit-id", "-r", "--raw", "-z", "--no-renames", "--abbrev=64", new, *scope
        )
    else:
        out = repo.run("diff-tree", "-r", "--raw", "-z", "--no-renames", "--abbrev=64", old, new, *scope)
    fields = out.split(b"\0")
    found = []
    for meta, path in zip(fields[0::2], fields[1::2], strict=False):
        _, _, before, after, status = meta.decode().split(" ")
        found.append((os.fsdecode(path), "" if status == "A" else before, "" if status == "D" else after))
    return found


def blame(repo: Repository, path: str, line: int | None) -> list[tuple[int, str, str]]:
    """(line, oid, text) of a file as it lies on disk, or of one line of it; oid of zeros for what is not in git.

    Raises UsageError where git cannot tell.
    """
    span = ["-L", f"{line},{line}"] if line is not None else []
    try:
        out = repo.read("blame", "--line-porcelain", "--no-textconv", "-w", *span, "--", path)
    except GitError as error:
        reason = error.stderr.split("fatal: ")[-1].strip("'\" \n")
        raise UsageError(
            f"{path}{f':{line}' if line else ''}: {reason}", "is the note in git, and the line in the note?"
        ) from error
    found: list[tuple[int, str, str]] = []
    oid, number = "", 0
    for raw in out.decode("utf-8", "surrogateescape").split("\n"):
        header = re.match(r"^([0-9a-f]{40,64}) \d+ (\d+)", raw)
        if header:
            oid, number = header[1], int(header[2])
        elif raw.startswith("\t"):
            found.append((number, oid, raw[1:]))
    return found
