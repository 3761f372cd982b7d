"""Commits built from objects, without a work tree: one `git fast-import` a batch (3 to 5 times fewer processes than
hash-object, mktree and commit-tree, and the only way whose cost does not grow with the vault)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from vaultgit.history.repository import GitError
from vaultgit.history.repository import Identity
from vaultgit.history.repository import Repository

PLAIN = "100644"
PROGRAM = "100755"
FILES = (PLAIN, PROGRAM)


class File(NamedTuple):
    """What a commit puts at a path: bytes as git stores them, or the oid of a blob that is there already."""

    data: bytes | str
    mode: str = PLAIN


class NewCommit(NamedTuple):
    """A commit to be: on top of the one before it in the batch (the first on `parent`)."""

    author: Identity
    authored: datetime
    committer: Identity
    committed: datetime
    message: bytes
    files: Mapping[str, File | None]  # path from the repository's root -> content, None deletes
    merges: Sequence[str] = ()  # further parents; `files` says all that changes against the first one


class Written(NamedTuple):
    commits: list[str]  # oids, one a NewCommit
    blobs: dict[bytes, str]  # content -> oid


def write(
    repo: Repository,
    ref: str,
    parent: str | None,
    commits: Iterable[NewCommit],
    blobs: Iterable[bytes] = (),
    lock_fd: int | None = None,
) -> Written:
    """Writes commits and blobs, fsynced, and points `ref` (a scratch ref of ours) at the last commit.

    Raises GitError; nothing but unreachable objects is left then.
    """
    commits = list(commits)
    marks: dict[bytes, int] = {}
    out: list[bytes] = []
    for data in (*blobs, *(f.data for c in commits for f in c.files.values() if f and isinstance(f.data, bytes))):
        if isinstance(data, bytes) and data not in marks:
            marks[data] = len(marks) + 1
            out.append(b"blob\nmark :%d\ndata %d\n%b\n" % (marks[data], len(data), data))
    first = len(marks) + 1
    for number, commit in enumerate(commits, first):
        out.append(b"commit %b\nmark :%d\n" % (os.fsencode(ref), number))
        out.append(b"author %b\n" % _signature(commit.author, commit.authored))
        out.append(b"committer %b\n" % _signature(commit.committer, commit.committed))
        out.append(b"data %d\n%b\n" % (len(commit.message), commit.message))
        if number == first and parent:
            out.append(b"from %b\n" % parent.encode())
        out.extend(b"merge %b\n" % other.encode() for other in commit.merges)
        # Deletions first: a file may take the place of a folder, a case-only rename the place of its old name.
        for path, file in sorted(commit.files.items(), key=lambda item: item[1] is not None):
            if file is None:
                out.append(b"D %b\n" % _quoted(path))
            else:
                blob = b":%d" % marks[file.data] if isinstance(file.data, bytes) else file.data.encode()
                out.append(b"M %b %b %b\n" % (file.mode.encode(), blob, _quoted(path)))
    numbers = [*marks.values(), *range(first, first + len(commits))]
    out.extend(b"get-mark :%d\n" % number for number in numbers)
    out.append(b"done\n")
    # ignorecase would give a note that is renamed by case alone its old name back.
    settings = ("-c", "core.fsyncMethod=batch", "-c", "core.ignorecase=false")
    options = ("--quiet", "--done", "--force", "--date-format=raw")
    fds = () if lock_fd is None else (lock_fd,)
    done = repo.call(*settings, "fast-import", *options, input=b"".join(out), pass_fds=fds)
    oids = done.stdout.decode().split()
    if done.returncode or len(oids) != len(numbers):
        _remove_crash_reports(repo, done.stderr)
        raise GitError(["fast-import"], done.returncode, done.stderr)
    return Written(oids[len(marks) :], dict(zip(marks, oids, strict=False)))


def _signature(who: Identity, when: datetime) -> bytes:
    name = "".join(c for c in who.name if c not in "<>\n\0").strip() or "unknown"
    email = "".join(c for c in who.email if c not in "<>\n\0 ")
    offset = when.strftime("%z") or "+0000"
    return os.fsencode(f"{name} <{email}> {int(when.timestamp())} {offset[:5]}")


def _quoted(path: str) -> bytes:
    raw = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + raw + b'"'


def _remove_crash_reports(repo: Repository, stderr: bytes) -> None:
    """fast-import leaves fast_import_crash_PID in the git folder; its text is in the error already."""
    for word in stderr.split():
        name = os.path.basename(os.fsdecode(word))
        if name.startswith("fast_import_crash_"):
            try:
                os.unlink(os.path.join(repo.git_dir, name))
            except OSError:
                pass
