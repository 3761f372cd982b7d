"""How a writing command says what became of its edit (the table in README)."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from vaultgit import errors
from vaultgit.checks.problem import Problem
from vaultgit.cli import out
from vaultgit.clock import SystemClock
from vaultgit.edits import outcome
from vaultgit.edits import submit
from vaultgit.edits.busy import busy
from vaultgit.edits.compose import subject as derived_subject
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.vault import Vault


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
            return foreseen(submit.foresee(vault, planned), words, as_json, waits=busy(vault, sweep=False))
        done = submit.submit(vault, SystemClock(), changes, subject=words, reason=reason, by=by, trailers=trailers)
    except Refused as error:
        return refused(error.problems, as_json)
    return show(done, as_json)


def show(result: Result, as_json: bool, means: str = "") -> int:
    """Prints a result: the outcome on the first line, then what it means (`means`, where a command knows better)."""
    if as_json:
        out.as_json(outcome.as_json(result))
    else:
        out.say(outcome.first(result))
        for line in outcome.means(result, means):
            out.talk(line)
    return errors.QUEUED if result.outcome == "queued" else errors.DONE


def refused(problems: Sequence[Problem], as_json: bool) -> int:
    """Prints why an edit was refused: a problem a line, each with its mend."""
    if as_json:
        out.as_json(outcome.refused(problems))
    else:
        for problem in problems:
            out.talk(str(problem))
        out.talk(f"refused: {out.count(len(problems), 'problem')}, nothing changed")
    return errors.REFUSED


def foreseen(steps: Sequence[tuple[PathChange, str]], line: str, as_json: bool, *, waits: str = "") -> int:
    """What --dry-run says: what would become of the edit, and the diff against the notes as they are now. `waits`: what
    the repository is busy with."""
    conflicts = [f"{change.path}: {conflict}" for change, conflict in steps if conflict]
    merges = any(change.action == "merge" for change, _ in steps)
    would = "queued" if waits else "inbox" if conflicts else "merged" if merges else "committed"
    diff = "" if conflicts else "".join(diff_of(change) for change, _ in steps)
    if as_json:
        path = steps[0][0].path
        out.as_json(
            {"outcome": "dry-run", "would": would, "line": line, "path": path, "conflicts": conflicts, "diff": diff}
        )
        return errors.DONE
    if waits:
        out.say(f"would wait: {waits}")
    if conflicts:
        out.say(f"would go to the inbox: {'; '.join(conflicts)}")
    else:
        out.say(f"would {'merge' if merges else 'commit'}: {line}")
        out.say(diff.rstrip("\n"))
    return errors.DONE


def diff_of(change: PathChange) -> str:
    """A change as a unified diff, from its base to what is new."""
    import difflib

    old, new = (
        (data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (change.base, change.new)
    )
    names = (
        "/dev/null" if change.base is None else out.line(f"a/{change.path}"),
        "/dev/null" if change.new is None else out.line(f"b/{change.path}"),
    )
    return "".join(
        part if part.endswith("\n") else part + "\n\\ No newline at end of file\n"
        for part in difflib.unified_diff(old, new, *names)
    )
