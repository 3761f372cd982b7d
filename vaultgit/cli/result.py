"""How a writing command says what became of its edit (FORMATS, "Results")."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from vaultgit import errors
from vaultgit.checks.problem import Problem
from vaultgit.cli import out
from vaultgit.clock import SystemClock
from vaultgit.edits import submit
from vaultgit.edits.compose import subject as derived_subject
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.vault import Vault

_MEANS = {
    "committed": "in history, on disk and in changelog.md. Take it back: vaultgit undo {oid}",
    "merged": "the note had changed since it was read; both changes are kept. Take it back: vaultgit undo {oid}",
    "inbox": "it does not merge with what is there; the whole text waits for a person: vaultgit inbox show {inbox}",
    "unchanged": "the note is like that already; nothing was written",
    "queued": "saved; {reason}. Nothing to do, do not retry",
}


def edit(
    vault: Vault,
    compose: Callable[[], Sequence[PathChange]],
    *,
    line: str | None,
    reason: str,
    by: By,
    as_json: bool,
    dry_run: bool,
    values: dict[str, object] | None = None,
    trailers: Sequence[tuple[str, str]] = (),
) -> int:
    """Composes, submits and prints one edit; returns the exit code."""
    try:
        changes = list(compose())
        if all(change.base == change.new for change in changes):
            return show(Result("unchanged", "", path=changes[0].path), as_json)
        words = line if line is not None else derived_subject(changes, values)
        if dry_run:
            planned = submit.make(vault, SystemClock(), changes, subject=words, reason=reason, by=by, trailers=trailers)
            submit.refuse_problems(vault, planned)
            return preview(changes, words, as_json)
        done = submit.submit(vault, SystemClock(), changes, subject=words, reason=reason, by=by, trailers=trailers)
    except Refused as error:
        return refused(error.problems, as_json)
    return show(done, as_json)


def show(result: Result, as_json: bool) -> int:
    """Prints a result: the outcome on the first line, then what it means."""
    if as_json:
        out.as_json(
            {
                "outcome": result.outcome,
                "oid": result.oid or None,
                "edit": result.edit or None,
                "path": result.path or None,
                "inbox": result.inbox or None,
                "problems": [],
                **({"reason": result.reason} if result.reason else {}),
            }
        )
    else:
        words = {
            "inbox": f"{result.oid} {result.inbox}",
            "queued": f"{result.edit} {result.reason}",
            "unchanged": "",
        }.get(result.outcome, result.oid)
        out.say(f"{result.outcome} {words}".rstrip())
        out.talk(_MEANS[result.outcome].format(oid=result.oid[:10], inbox=result.inbox, reason=result.reason))
    return errors.QUEUED if result.outcome == "queued" else errors.DONE


def refused(problems: Sequence[Problem], as_json: bool) -> int:
    """Prints why an edit was refused: a problem a line, each with its mend."""
    if as_json:
        out.as_json(
            {
                "outcome": "refused",
                "oid": None,
                "edit": None,
                "path": problems[0].path,
                "inbox": None,
                "problems": [problem.as_json() for problem in problems],
            }
        )
    else:
        for problem in problems:
            out.talk(str(problem))
        out.talk(f"refused: {out.count(len(problems), 'problem')}, nothing changed")
    return errors.REFUSED


def preview(changes: Sequence[PathChange], line: str, as_json: bool) -> int:
    """What an edit would change, as a diff."""
    import difflib

    diffs: list[str] = []
    for change in changes:
        old, new = (
            (data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (change.base, change.new)
        )
        names = (
            "/dev/null" if change.base is None else f"a/{change.path}",
            "/dev/null" if change.new is None else f"b/{change.path}",
        )
        diffs.extend(
            part if part.endswith("\n") else part + "\n\\ No newline at end of file\n"
            for part in difflib.unified_diff(old, new, *names)
        )
    if as_json:
        out.as_json({"outcome": "dry-run", "line": line, "path": changes[0].path, "diff": "".join(diffs)})
    else:
        out.say(f"would commit: {line}")
        out.say("".join(diffs).rstrip("\n"))
    return errors.DONE

