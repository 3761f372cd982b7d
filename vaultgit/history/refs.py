"""Where a work tree stands: its branch, what git operation is under way, and moves of a ref by compare-and-swap."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from vaultgit.errors import VaultgitError
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository

OWN = "refs/vaultgit"  # nobody else makes or deletes refs below it
LANDING = f"{OWN}/landing/"  # keeps the objects of a round alive until its branch holds them

_SETTLE = 0.5  # seconds in which a living git writes into a lock that it made


class Head(NamedTuple):
    """What a work tree has checked out.

    `branch` is the full ref name that work belongs to: during a rebase the one being rebased, None on a detached
    HEAD that no operation explains. `operation` names what is in progress ("rebase", …), "" when nothing is.
    """

    branch: str | None
    operation: str


class RefMoved(VaultgitError):
    """Somebody moved the ref, or holds its lock: nothing was changed."""


def head(repo: Repository) -> Head:
    """Of this work tree."""
    found = _head_at(repo.git_dir)
    if found.branch == "refs/heads/.invalid":  # reftable keeps HEAD elsewhere
        branch = os.fsdecode(repo.call("symbolic-ref", "-q", "HEAD").stdout).strip() or None
        return Head(branch, found.operation)
    return found


def _head_at(git_dir: str) -> Head:
    """Read from the files git itself keeps for this; names as in git's own wt-status.c."""
    there = {name for name in _STATES if os.path.exists(os.path.join(git_dir, name))}
    symbolic = _first_line(git_dir, "HEAD")
    branch = symbolic.removeprefix("ref: ") if symbolic.startswith("ref: refs/heads/") else None  # else it is broken
    operation = next((_STATES[name] for name in _STATES if name in there), "")
    if "rebase-merge" in there or "rebase-apply" in there:
        folder = "rebase-merge" if "rebase-merge" in there else "rebase-apply"
        being = _first_line(git_dir, f"{folder}/head-name")
        branch = being if being.startswith("refs/heads/") else branch
        operation = "git am" if os.path.exists(os.path.join(git_dir, "rebase-apply/applying")) else operation
    elif "BISECT_LOG" in there:
        start = _first_line(git_dir, "BISECT_START")
        branch = f"refs/heads/{start}" if start and not branch else branch
    if branch is None and not operation:
        operation = "detached HEAD"
    return Head(branch, operation)


_STATES = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "sequencer": "revert or cherry-pick of several commits",
    "BISECT_LOG": "bisect",
}


def tip(repo: Repository, ref: str) -> str | None:
    """The commit a ref points at, None when it does not exist (an unborn branch)."""
    found = repo.object(ref)
    return found[0] if found and found[1] == "commit" else None


def checked_out_at(repo: Repository, ref: str) -> str | None:
    """The work tree (its git folder) that has `ref` checked out, or is in the middle of rebasing it; this one, too."""
    linked = os.path.join(repo.common_dir, "worktrees")
    names = sorted(os.listdir(linked)) if os.path.isdir(linked) else []
    for git_dir in (repo.common_dir, *(os.path.join(linked, name) for name in names)):
        if _head_at(git_dir).branch == ref and not (repo.bare and git_dir == repo.common_dir):
            gone = git_dir != repo.common_dir and not os.path.exists(_first_line(git_dir, "gitdir") or git_dir)
            if not gone:
                return git_dir
    return None


def work_tree_of(git_dir: str) -> str:
    """The folder of the work tree that a git folder belongs to."""
    return os.path.dirname(_first_line(git_dir, "gitdir") or git_dir)


def was_at(repo: Repository, ref: str, oid: str) -> bool:
    """Whether the ref's reflog has ever held `oid`: tells "reset away by a person" from "never landed"."""
    log = repo.call("rev-list", "--walk-reflogs", "--max-count=1000", ref, "--")
    return oid.encode() in log.stdout.split()


def logged_last(repo: Repository, ref: str) -> str:
    """What the newest entry of the ref's reflog says it moved to."""
    return repo.call("rev-list", "--walk-reflogs", "--max-count=1", ref, "--").stdout.decode().strip()


def is_ancestor(repo: Repository, old: str, new: str) -> bool:
    done = repo.call("merge-base", "--is-ancestor", old, new)
    if done.returncode not in (0, 1, 128):  # 128: `old` is no object here any more
        raise GitError(["merge-base", "--is-ancestor", old, new], done.returncode, done.stderr)
    return done.returncode == 0


def merge_base(repo: Repository, one: str, other: str) -> str | None:
    """Where the histories of two commits part; None where they have nothing in common. Raises GitError where git cannot
    tell."""
    done = repo.call("merge-base", one, other)
    if done.returncode not in (0, 1):
        raise GitError(["merge-base", one, other], done.returncode, done.stderr)
    return done.stdout.decode().strip() or None


def drop_own(repo: Repository, ref: str) -> None:
    """Deletes a ref that nobody but us knows. By its file wherever that is all there is: git locks packed-refs for a
    deletion, and killed meanwhile would leave a lock that stops the person's next `gc` and `branch -d` for ever."""
    try:
        with open(os.path.join(repo.common_dir, "packed-refs"), "rb") as packed:
            only_a_file = os.fsencode(ref) not in packed.read()
    except (FileNotFoundError, IsADirectoryError):
        only_a_file = True
    if only_a_file:
        try:
            os.unlink(os.path.join(repo.common_dir, ref))
            return
        except OSError:  # not kept in files here (reftable)
            pass
    repo.call("update-ref", "-d", ref)


def landing_rounds(repo: Repository) -> list[str]:
    """The rounds that have a landing ref: a file, or packed by a person's `gc` after a kill."""
    found: list[str] = []
    try:
        found += os.listdir(os.path.join(repo.common_dir, LANDING))
    except FileNotFoundError:
        pass
    try:
        with open(os.path.join(repo.common_dir, "packed-refs"), encoding="utf-8", errors="replace") as packed:
            found += [line.split(LANDING)[1].strip() for line in packed if LANDING in line]
    except (FileNotFoundError, IsADirectoryError):
        pass
    return [name for name in found if not name.endswith(".lock")]


def null_oid(repo: Repository) -> str:
    return "0" * (64 if repo.setting("extensions.objectformat").lower() == "sha256" else 40)


class RefUpdate:
    """A move of one ref by `update-ref --stdin`: `prepare`, then `commit`, or `drop` without it.

    The process is started early, so that under the locks only two lines are exchanged. From `prepare` on git holds
    the ref's lock. By branch name, not through HEAD: a `checkout` in between must not redirect it.
    """

    def __init__(self, repo: Repository, lock_fd: int) -> None:
        self.repo = repo
        self.committed = False
        self.process = repo.start("update-ref", "--stdin", "--create-reflog", "-m", "vaultgit", pass_fds=(lock_fd,))

    def prepare(self, ref: str, new: str, old: str | None) -> None:
        """Locks the ref and compares it. Raises RefMoved."""
        try:
            self._say("start", "start")
            self._say(f"update {ref} {new} {old or null_oid(self.repo)}\nprepare", "prepare")
        except RefMoved:
            if self.process.wait() < 0:  # killed: it had no time to take its locks away
                self._remove_locks(ref, new)
            raise

    def commit(self) -> None:
        self._say("commit", "commit")
        self.committed = True

    def drop(self, landing_ref: str) -> None:
        """Ends the process, which aborts what was not committed; after `commit`, deletes the landing ref."""
        if self.committed:
            drop_own(self.repo, landing_ref)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass
        self.process.wait()

    def _remove_locks(self, ref: str, new: str) -> None:
        """Of a git that was killed between "start" and "prepared": they would block everybody's git for ever. The
        branch's is ours if it names our commit, or stays empty (a living git fills it at once); HEAD's came after."""
        lock = os.path.join(self.repo.common_dir, f"{ref}.lock")
        first = _content(lock)
        if first == b"":
            time.sleep(_SETTLE)
        if first is None or first != _content(lock) or first not in (b"", new.encode()):
            return
        if first and _content(os.path.join(self.repo.git_dir, "HEAD.lock")) == b"":
            _unlink(os.path.join(self.repo.git_dir, "HEAD.lock"))
        _unlink(lock)

    def _say(self, command: str, answer: str) -> None:
        assert self.process.stdin and self.process.stdout and self.process.stderr
        try:
            self.process.stdin.write(os.fsencode(command) + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline().decode().strip()
        if line != f"{answer}: ok":
            raise RefMoved(self.process.stderr.read().decode("utf-8", "replace").strip() or f"git said {line!r}")


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read(200).strip()
    except OSError:
        return None


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _first_line(git_dir: str, name: str) -> str:
    try:
        with open(os.path.join(git_dir, name), encoding="utf-8", errors="surrogateescape") as stream:
            return stream.readline().strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
