"""What the first commit of a vault takes: the owner's files as they lie. Only looks; `commit.adopt_unborn` makes it.

History keeps what it gets. So files with a secret are held back, of whatever kind (promise P11), and it is said
beforehand how much comes in.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
import tempfile
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple
from typing import NoReturn

from vaultgit import checks
from vaultgit import resources
from vaultgit.checks import attachments
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.checks.problem import Problem
from vaultgit.errors import UsageError
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import prefix_of
from vaultgit.walk import walk

LARGE = 20_000_000  # bytes of a file that is named: history carries it for ever
_ANY_PATHSPEC = {"GIT_LITERAL_PATHSPECS": "0"}


class First(NamedTuple):
    """`files`, `size` (bytes): what comes in. `large`: (path, bytes) of the large ones, largest first. `held`: files
    that are held back, with the first secret of each (which hides one in a name). `left_out`: all that does not come
    in, relative to the vault."""

    files: int
    size: int
    large: list[tuple[str, int]]
    held: dict[str, Problem]
    left_out: list[str]


def look(root: str, repo: Repository | None, rules: Rules, tick: Callable[[int], None] = lambda _: None) -> First:
    """What the first commit would take, where the branch has none yet. `repo` None: of a new repository at `root`.

    `tick` is told how many more files have been looked through.
    """
    prefix = prefix_of(repo, root) if repo else ""
    left_out = [path for path in _ignored() if not _is_behind_a_link(root, path)] + _repositories(root)
    found = First(0, 0, [], {}, left_out)
    files = size = 0
    for name in _names(root, repo, pathspecs(prefix, left_out)):
        path = name[len(prefix) :]
        try:
            there = os.lstat(os.path.join(root, path))
        except OSError:
            continue  # staged, and gone since
        if stat.S_ISDIR(there.st_mode):
            continue
        tick(1)
        secrets = _secrets(root, rules, path)
        if secrets:
            found.held[path] = secrets[0]
            left_out.append(path)
            continue
        files, size = files + 1, size + there.st_size
        if there.st_size > LARGE:
            found.large.append((path, there.st_size))
    found.large.sort(key=lambda one: -one[1])
    return found._replace(files=files, size=size)


def pathspecs(prefix: str, left_out: Sequence[str]) -> list[str]:
    """For git, with GIT_LITERAL_PATHSPECS=0."""
    return [prefix or ".", *(f":(exclude,literal){prefix}{path}" for path in left_out)]


def refuse(repo: Repository | None, prefix: str, held: Mapping[str, Problem], ours: Collection[str]) -> None:
    """Raises UsageError where a file cannot be held back: what is staged the commit would take, and is the person's to
    take out; of a file that our lines go into (`ours`), the rest comes along."""
    names = repo.run("ls-files", "--cached", "-z").split(b"\0") if repo else []
    staged = {os.fsdecode(name) for name in names}
    for path, problem in held.items():
        if path in ours:
            refuse_ours(problem)
        if prefix + path in staged:
            what = f"{problem.path} is staged and holds what looks like a secret (line {problem.line})"
            mend = f"git rm --cached {shlex.quote(prefix + problem.path)}, then again"
            raise UsageError(f"{what}; nothing was written", mend)


def refuse_ours(problem: Problem) -> NoReturn:
    """Raises UsageError for a secret in a file that our lines go into, and that git does not hold yet."""
    what = f"{problem.path} holds what looks like a secret (line {problem.line}), and would be committed with our lines"
    raise UsageError(f"{what}; nothing was written", f"take it out of {problem.path}, then again")


def ignoring(path: str) -> str:
    """A line of .gitignore that leaves out exactly this file of the vault."""
    return "/" + re.sub(r"([\\*?\[]|\s$)", r"\\\1", path)


def _names(root: str, repo: Repository | None, scope: Sequence[str]) -> list[str]:
    """The files that `git add` takes, as git names them."""
    command = ("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *scope)
    if repo is not None:
        out = repo.run(*command, env=_ANY_PATHSPEC)
    else:
        with tempfile.TemporaryDirectory(prefix="vaultgit-") as empty:  # what git ignores here, only git knows
            for words in (["init", "--quiet", empty], [f"--git-dir={empty}/.git", f"--work-tree={root}", *command]):
                done = subprocess.run(
                    ["git", *words], cwd=root, env=clean_environment(_ANY_PATHSPEC), capture_output=True, check=False
                )
                if done.returncode:
                    raise UsageError(f"git failed in {root}: {done.stderr.decode('utf-8', 'replace').strip()}")
                out = done.stdout
    return [os.fsdecode(name) for name in dict.fromkeys(out.split(b"\0")) if name and not name.endswith(b"/")]


def _secrets(root: str, rules: Rules, path: str) -> list[Problem]:
    full = os.path.join(root, path)
    note = path.lower().endswith(".md") and not os.path.islink(full)
    data = Disk(root).read(path) if note else attachments.text(full)
    return checks.run(Change((FileChange(path, (), data or b""),), rules), ["secrets"])


def _ignored() -> list[str]:
    return [line.rstrip("/") for line in resources.read("hooks", "gitignore").decode().splitlines() if line]


def _is_behind_a_link(root: str, path: str) -> bool:
    """Whether a folder on the way is a symbolic link: git takes the link alone, and no path behind it, not even as one
    that is left out."""
    parts = path.split("/")
    return any(os.path.islink(os.path.join(root, *parts[:depth])) for depth in range(1, len(parts)))


def _repositories(root: str) -> list[str]:
    found = []
    for folder, folders, _ in walk(root):
        inner = [name for name in folders if os.path.lexists(os.path.join(folder, name, ".git"))]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in inner]
        folders[:] = [name for name in folders if name not in inner and name != ".git"]
    return found
