"""What was wrong in a vault when it was set up: `.vaultgit/baseline.json`, path -> the problems that block nothing.

It is written at the first `init` and by `init --adopt`; any other `init` only takes out what was mended since.
"""

from __future__ import annotations

from collections.abc import Callable

from vaultgit.checks import NEVER_KNOWN
from vaultgit.checks import attachments
from vaultgit.checks import lying
from vaultgit.checks import run
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.checks.problem import Problem
from vaultgit.edits import changelog
from vaultgit.history.repository import Repository
from vaultgit.vault import Disk
from vaultgit.vault import Rules

Baseline = dict[str, list[str]]


def take(root: str, rules: Rules, repo: Repository | None, prefix: str, tick: Callable[[int], None]) -> Baseline:
    """What is wrong now. A secret or a conflict's markers only where they are committed already: a baseline must not
    bring them into history."""
    kept: dict[str, set[str]] = {}
    others = attachments.tracked(repo, prefix) if repo is not None else []
    for problem in lying.judge(root, rules, others=others, tick=tick):
        if problem.code not in NEVER_KNOWN or is_committed(problem, rules, repo, prefix):
            kept.setdefault(problem.path, set()).add(problem.key)
    for twin in Disk(root).names(""):  # our changelog.md beside a CHANGELOG.md that was here first
        if twin.casefold() == changelog.FILE and twin != changelog.FILE:
            for path in (twin, changelog.FILE):
                kept.setdefault(path, set()).add("NA02")
    return {path: sorted(keys) for path, keys in sorted(kept.items())}


def shrink(old: Baseline, now: Baseline) -> Baseline:
    """The baseline without what was mended."""
    left = {path: [key for key in keys if key in now.get(path, ())] for path, keys in old.items()}
    return {path: keys for path, keys in left.items() if keys}


def is_committed(problem: Problem, rules: Rules, repo: Repository | None, prefix: str) -> bool:
    """Whether the last commit has this secret, or these markers."""
    blob = repo.blob(f"HEAD:{prefix}{problem.path}") if repo is not None and "\n" not in problem.path else None
    if blob is None:
        return False
    was = run(Change((FileChange(problem.path, (), blob.data),), rules), ("secrets", "markers"), baseline=False)
    return problem.key in {one.key for one in was}
