"""What became of an edit, in the words and keys that every door uses: the command line, MCP (the table in README)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vaultgit.checks.problem import Problem
from vaultgit.edits.round import Result

_MEANS = {
    "committed": "in history, on disk and in changelog.md. Take it back: vaultgit undo {oid}",
    "merged": "what it was made from had changed since; both changes are kept. Take it back: vaultgit undo {oid}",
    "inbox": "it does not merge with what is there; the whole text waits for a person: vaultgit inbox show {inbox}",
    "unchanged": "nothing was written: {reason}",
    "queued": "saved, and it lands by itself: nothing to do, do not retry (to try at once: vaultgit status)",
}


def first(result: Result) -> str:
    """The first line: the outcome, and what names it."""
    words = {
        "inbox": f"{result.oid} {result.inbox}",
        "queued": f"{result.edit} {result.reason}",
        "unchanged": "",
    }.get(result.outcome, result.oid)
    return f"{result.outcome} {words}".rstrip()


def means(result: Result, said: str = "") -> list[str]:
    """What it means, in words. `said`: for one that was committed, where the caller knows better."""
    reason = result.reason or "the note is like that already"
    words = said if said and result.outcome == "committed" else _MEANS[result.outcome]
    found = [words.format(oid=result.oid[:10], inbox=result.inbox, reason=reason)]
    if result.also and result.outcome in ("committed", "merged"):
        found.append(f"with it: {', '.join(result.also)} (its list of decisions)")
    return found


def as_json(result: Result) -> dict[str, Any]:
    """A result for programs."""
    return {
        "outcome": result.outcome,
        "oid": result.oid or None,
        "edit": result.edit or None,
        "path": result.path or None,
        "inbox": result.inbox or None,
        "problems": [],
        **({"reason": result.reason} if result.reason else {}),
        **({"also": list(result.also)} if result.also else {}),
    }


def refused(problems: Sequence[Problem]) -> dict[str, Any]:
    """The same for an edit that was refused."""
    return {
        "outcome": "refused",
        "oid": None,
        "edit": None,
        "path": problems[0].path,
        "inbox": None,
        "problems": [problem.as_json() for problem in problems],
    }
