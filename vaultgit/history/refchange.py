"""One change of a branch, by compare-and-swap, that leaves no lock of git's behind where it is killed in the middle."""

from __future__ import annotations

import os
import time

from vaultgit.history.refs import null_oid
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository

_OURS = b"vaultgit "  # how a lock begins that is ours, so that a dead one can be told from git's
_SETTLE = 0.5  # seconds in which a living git is done with a lock, or writes into it
_GRAIN = 0.1  # seconds by which the clock of a file system may be behind


def change(repo: Repository, ref: str, new: str | None, was: str | None, why: str = "vaultgit") -> str:
    """Points a ref at `new`, or deletes it (None), where it is still at `was` (None: where there is none). Returns ""
    or, with nothing changed, git's words. Raises GitError where git was killed."""
    if new is None and was is not None and _is_a_file_alone(repo, ref):
        return _delete_file(repo, ref, was)
    words = ["-d", ref] if new is None else ["--create-reflog", ref, new]
    begun = time.time() - _GRAIN
    try:
        done = repo.call("update-ref", "-m", why, *words, was or null_oid(repo))
    except GitError:
        _remove_locks(repo, ref, begun)
        raise
    return done.stderr.decode("utf-8", "replace").strip() or "refused" if done.returncode else ""


def is_ours(lock: str) -> bool:
    """Whether a lock of a branch, by its path, was made by `change`."""
    try:
        with open(lock, "rb") as stream:
            return stream.read(len(_OURS)) == _OURS
    except OSError:
        return False


def _is_a_file_alone(repo: Repository, ref: str) -> bool:
    try:
        with open(os.path.join(repo.common_dir, "packed-refs"), "rb") as packed:
            if os.fsencode(ref) in packed.read():
                return False
    except OSError:
        pass
    return os.path.isfile(os.path.join(repo.common_dir, ref))


def _delete_file(repo: Repository, ref: str, was: str) -> str:
    """As git does it, but that git locks packed-refs, too, and killed meanwhile would stop the person's next `gc` and
    `branch -d` for ever. Without that lock a `pack-refs` of this very moment can bring the ref back, at `was`."""
    path = os.path.join(repo.common_dir, ref)
    try:
        fd = os.open(f"{path}.lock", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        return f"another git has locked it ({ref}.lock)"
    try:
        with open(fd, "wb") as lock:
            lock.write(_OURS + b"%d\n" % os.getpid())
        with open(path, "rb") as stream:
            if stream.read(200).strip() != was.encode():
                return "it is somewhere else now"
        os.unlink(path)
        try:
            os.unlink(os.path.join(repo.common_dir, "logs", ref))
        except OSError:
            pass  # none is kept
    except FileNotFoundError:
        return "it is gone"
    finally:
        os.unlink(f"{path}.lock")
    return ""


def _remove_locks(repo: Repository, ref: str, begun: float) -> None:
    """Those of a git that was killed: made since it began, and not touched while a living git would have gone on."""
    paths = [os.path.join(repo.common_dir, name) for name in (f"{ref}.lock", "packed-refs.lock", "packed-refs.new")]
    there = {path: _stamp(path) for path in paths}
    time.sleep(_SETTLE)
    for path, stamp in there.items():
        if stamp and stamp[1] >= begun and stamp == _stamp(path):
            os.unlink(path)


def _stamp(path: str) -> tuple[int, float, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime, found.st_size
