"""Where the repository of a folder lies, for the plain case, without a git process (10 ms of every command).

git alone knows all the cases. This knows one, the usual one: `.git` is a folder, in this one or above it, on the same
file system, of this user, with a config that changes nothing about where things lie. For all else: ask git.
"""

from __future__ import annotations

import os
import stat

# In a line of its config.
_SAYS_MORE = (b"include", b"worktree", b"bare", b"extensions", b"repositoryformatversion", b"\\", b"\0")
_USUAL = (b"bare=false", b"repositoryformatversion=0")
_ASK = ("GIT_CEILING_DIRECTORIES", "SUDO_UID")  # variables that make git decide otherwise


def nearby(start: str) -> tuple[str, str] | None:
    """Work tree and git folder, as git would name them; None for "ask git"."""
    if any(name in os.environ for name in _ASK):
        return None
    here = os.path.realpath(start)
    try:
        device = os.stat(here).st_dev
        while True:
            git = os.path.join(here, ".git")
            if os.path.lexists(git):
                return (here, git) if _is_plain(here, git, device) else None
            above = os.path.dirname(here)
            # Nothing above, a folder that may itself be a repository, another file system.
            if above == here or os.path.lexists(os.path.join(here, "HEAD")) or os.stat(above).st_dev != device:
                return None
            here = above
    except OSError:
        return None


def _is_plain(worktree: str, git: str, device: int) -> bool:
    of_git, user = os.lstat(git), os.geteuid()
    if not stat.S_ISDIR(of_git.st_mode) or of_git.st_dev != device:
        return False
    if of_git.st_uid != user or os.stat(worktree).st_uid != user:  # git would want it named in safe.directory
        return False
    if any(os.path.lexists(os.path.join(git, name)) for name in ("commondir", "gitdir", "config.worktree")):
        return False
    if not all(os.path.isdir(os.path.join(git, name)) for name in ("objects", "refs")):
        return False
    with open(os.path.join(git, "HEAD"), "rb") as stream:
        if not stream.read().startswith(b"ref: refs/heads/"):
            return False
    with open(os.path.join(git, "config"), "rb") as stream:
        lines = stream.read().lower().splitlines()
    return all(map(_is_usual, lines))


def _is_usual(line: bytes) -> bool:
    """A line of the config that has nothing to do with places, and that git can read for sure."""
    line = line.strip()
    if not line or line[:1] == b"#":
        return True
    if any(word in line for word in _SAYS_MORE):
        return b"".join(line.split()) in _USUAL
    if line[:1] == b"[":
        name = line[1:-1].partition(b" ")
        return line[-1:] == b"]" and name[0].isalnum() and (not name[1] or _is_quoted(name[2].strip()))
    key, equals, value = line.partition(b"=")
    return bool(equals) and key.strip().isalnum() and value.count(b'"') % 2 == 0


def _is_quoted(text: bytes) -> bool:
    return len(text) > 1 and text[:1] == text[-1:] == b'"' and b'"' not in text[1:-1]
