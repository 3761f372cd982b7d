"""The rules, one a file: pure functions from a change to the problems it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from vaultgit.checks.change import Change
    from vaultgit.checks.problem import Problem

# Module names; a hook id, an --only and the documentation write them with "-".
NEVER_KNOWN = frozenset(("SE01", "MK01"))
ALL = ("protected", "names", "front_matter", "skill", "secrets", "markers", "message")


def run(change: Change, only: Collection[str] | None = None) -> list[Problem]:
    """All problems that the checks named in `only` (default: every one) find, by place.

    Codes that the baseline lists for a note were there when the vault was set up, and are left out; never a secret or
    conflict markers. Raises UsageError for a name that is no check.
    """
    from importlib import import_module

    found: set[Problem] = set()
    for name in _modules(only):
        found.update(import_module(f"vaultgit.checks.{name}").check(change))
    known = change.rules.baseline
    return sorted(p for p in found if p.code in NEVER_KNOWN or p.code not in known.get(p.path, ()))


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
