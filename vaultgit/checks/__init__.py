"""The rules, one a file: pure functions from a change to the problems it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from vaultgit.checks.change import Change
    from vaultgit.checks.change import FileChange
    from vaultgit.checks.problem import Problem
    from vaultgit.vault import Rules

# What a baseline may remember only where history holds it already.
NEVER_KNOWN = frozenset(("SE01", "MK01"))
# Module names; a hook id, an --only and the documentation write them with "-".
ALL = (
    "protected", "names", "schemas", "front_matter", "links", "skill", "decision", "secrets", "markers", "message",
)  # fmt: skip


def run(change: Change, only: Collection[str] | None = None, *, baseline: bool = True) -> list[Problem]:
    """All problems that the checks named in `only` (default: every one) find, by place.

    With `baseline`, those that stand there are left out. Raises UsageError for a name that is no check.
    """
    from importlib import import_module

    found: set[Problem] = set()
    for name in modules(only):
        found.update(import_module(f"vaultgit.checks.{name}").check(change))
    return sorted(problem for problem in found if not (baseline and is_old(change, problem, only)))


def from_before(rules: Rules, problem: Problem) -> bool:
    """Whether the note had this problem when the vault was set up."""
    return problem.key in rules.baseline.get(problem.path, ())


def is_old(change: Change, problem: Problem, only: Collection[str] | None) -> bool:
    """Whether a problem is from before, and was not mended since: what the note had no longer is a new one."""
    if not from_before(change.rules, problem):
        return False
    earlier = [
        file._replace(before=(), after=data)
        for file in change.files if file.path == problem.path
        for data in file.before if data is not None
    ]  # fmt: skip
    return not earlier or any(problem.key in _keys(change, file, only) for file in earlier)


def _keys(change: Change, file: FileChange, only: Collection[str] | None) -> set[str]:
    """What is wrong with a file as it was."""
    as_it_was = change._replace(files=(file,), message=None, agent=None)
    return {problem.key for problem in run(as_it_was, only, baseline=False)}


def modules(only: Collection[str] | None) -> list[str]:
    if only is None:
        return list(ALL)
    wanted = {name.replace("-", "_") for name in only}
    unknown = wanted.difference(ALL)
    if unknown:
        from vaultgit.errors import UsageError

        known = ", ".join(name.replace("_", "-") for name in ALL)
        raise UsageError(f"there is no check named {', '.join(sorted(unknown))}", f"the checks are {known}")
    return [name for name in ALL if name in wanted]
