"""The rules, one a file: pure functions from a change to the problems it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from vaultgit.checks.change import Change
    from vaultgit.checks.problem import Problem
    from vaultgit.vault import Rules

# Module names; a hook id, an --only and the documentation write them with "-".
NEVER_KNOWN = frozenset(("SE01", "MK01"))
ALL = ("protected", "names", "schemas", "front_matter", "skill", "secrets", "markers", "message")


def run(change: Change, only: Collection[str] | None = None, *, baseline: bool = True) -> list[Problem]:
    """All problems that the checks named in `only` (default: every one) find, by place.

    With `baseline`, those that stand there are left out. Raises UsageError for a name that is no check.
    """
    from importlib import import_module

    found: set[Problem] = set()
    for name in _modules(only):
        found.update(import_module(f"vaultgit.checks.{name}").check(change))
    return sorted(problem for problem in found if not (baseline and from_before(change.rules, problem)))


def from_before(rules: Rules, problem: Problem) -> bool:
    """Whether the note had this kind of problem when the vault was set up; never a secret or conflict markers."""
    return problem.code not in NEVER_KNOWN and problem.code in rules.baseline.get(problem.path, ())


def _modules(only: Collection[str] | None) -> list[str]:
    if only is None:
        return list(ALL)
    wanted = {name.replace("-", "_") for name in only}
    unknown = wanted.difference(ALL)
    if unknown:
        from vaultgit.errors import UsageError

        known = ", ".join(name.replace("_", "-") for name in ALL)
        raise UsageError(f"there is no check named {', '.join(sorted(unknown))}", f"the checks are {known}")
    return [name for name in ALL if name in wanted]
