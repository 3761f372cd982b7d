"""The rules, one a file: pure functions from a change to the problems it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from vaultgit.checks.change import Change
    from vaultgit.checks.problem import Problem

# Module names; a hook id, an --only and the documentation write them with "-".
ALL = ("protected", "names", "front_matter", "skill", "secrets", "markers", "message")


def run(change: Change, only: Collection[str] | None = None) -> list[Problem]:
    """All problems that the checks named in `only` (default: every one) find, by place.

    Raises UsageError for a name that is no check.
    """
    from importlib import import_module

    found: set[Problem] = set()
    for name in _modules(only):
        found.update(import_module(f"vaultgit.checks.{name}").check(change))
    return sorted(found)


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
