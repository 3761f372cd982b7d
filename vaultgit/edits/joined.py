"""A note that two lines of history changed, merged: whether it can stand like that."""

from __future__ import annotations

from vaultgit import checks
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.vault import DAILY
from vaultgit.vault import Vault

_CHECKS = ("front-matter", "markers")
_GROWS = ("review.md",)


def grows(vault: Vault, path: str) -> bool:
    """Whether a note is one that everybody adds to: made on two machines, it holds what both wrote."""
    return path in _GROWS or vault.rules.expected_type(path) == DAILY


def beginning(ours: bytes, theirs: bytes) -> bytes:
    """The lines that both texts begin with: what a template gave them, and the front matter."""
    shared = []
    for one, other in zip(ours.splitlines(keepends=True), theirs.splitlines(keepends=True), strict=False):
        if one != other:
            break
        shared.append(one)
    return b"".join(shared)


def note(
    vault: Vault, clock: Clock, path: str, first: bytes | None, second: bytes | None, merged: bytes
) -> tuple[bytes, str]:
    """What stands at `path` of the vault, and why that is the first side's text alone, in words ("" where it is not).

    A skill gets the version after both. What would break a rule that the first side keeps is not merged.
    """
    if first is None or second is None or not path.endswith(".md"):
        return merged, ""
    if vault.rules.managed(path, merged) == "skill":
        merged = _next_version(clock, first, second, merged)
    known = {problem.key for problem in _problems(vault, path, first)}
    broken = next((one for one in _problems(vault, path, merged) if one.key not in known), None)
    return (first, f"together they break a rule ({broken.code}: {broken.message})") if broken else (merged, "")


def _problems(vault: Vault, path: str, text: bytes) -> list[Problem]:
    return checks.run(Change((FileChange(path, (), text),), vault.rules), _CHECKS)


def _next_version(clock: Clock, first: bytes, second: bytes, merged: bytes) -> bytes:
    was = [frontmatter.read(text).values for text in (first, second)]
    versions = [version for one in was if type(version := one.get("version")) is int]
    if len(versions) < len(was):
        return merged
    day = max([clock.now().strftime("%Y-%m-%d"), *(str(one.get("last_updated") or "") for one in was)])
    try:
        return patch.set_properties(merged, {"version": max(versions) + 1, "last_updated": day})
    except frontmatter.FrontMatterError:
        return merged
