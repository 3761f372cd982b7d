"""SK01 to SK04: a skill changes one version at a time, dated, for a reason; `pinned` is a person's word.

A skill whose bytes are a parent's, or were the note's at some earlier time, was taken back, not changed:
SK01, SK02 and SK03 let it pass. Everything else is a change, white space too: whoever compares versions must
be able to trust that equal numbers mean equal text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Any

from vaultgit.checks.message import parts
from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem
from vaultgit.notes import frontmatter

if TYPE_CHECKING:
    from vaultgit.checks.change import Change
    from vaultgit.checks.change import FileChange
    from vaultgit.notes.frontmatter import Properties

TYPE = "skill"


def check(change: Change) -> list[Problem]:
    """SK01, SK02, SK03, SK04, and FM03 for a name that is not the file's."""
    return [problem for file in change.files for problem in _of_file(change, file)]


def _of_file(change: Change, file: FileChange) -> list[Problem]:
    rules = change.rules
    if rules.expected_type(file.path) != TYPE:
        return []
    parents = [
        frontmatter.read(data).values
        for data in file.before
        if data is not None and rules.managed(file.path, data) == TYPE
    ]
    if file.after is None:
        return _deleted(change, file, parents)
    if rules.managed(file.path, file.after) != TYPE:
        return []
    now = frontmatter.read(file.after)
    if now.problems:
        return []
    found = _name(file, now)
    if not parents or file.after in file.before:
        return found
    if change.agent is not None:
        found += _pinned(file, now, parents)
    moved = _version(change, file, now, parents) + _last_updated(change, file, now, parents) + _reason(change, file)
    # Only now history is asked, which takes a git: a return to earlier bytes is fine.
    if moved and (file.earlier is None or not file.earlier(file.after)):
        found += moved
    return found


def _name(file: FileChange, now: Properties) -> list[Problem]:
    stem = file.path.rpartition("/")[2].rpartition(".")[0]
    name = now.values.get("name")
    if not isinstance(name, str) or name == stem:
        return []  # a name that is missing or no text is the schema's business
    what = f"name {name!r} is not the file name {stem!r}"
    return [_problem(file, now, "name", "FM03", what, f"write `name: {stem}`, or rename the file to {name}.md")]


def _version(change: Change, file: FileChange, now: Properties, parents: list[dict[str, Any]]) -> list[Problem]:
    """SK01: greater than in every parent; by an agent exactly one up from the greatest."""
    version = _integer(now.values.get("version"))
    before = [number for number in (_integer(parent.get("version")) for parent in parents) if number is not None]
    if version is None or not before:
        return []
    newest = max(before)
    if version <= newest:
        what = f"the skill changed, its version is {version} and was {newest}"
    elif change.agent is not None and version != newest + 1:
        what = f"version {version} does not follow {newest}"
    else:
        return []
    return [_problem(file, now, "version", "SK01", what, f"write `version: {newest + 1}`")]


def _last_updated(change: Change, file: FileChange, now: Properties, parents: list[dict[str, Any]]) -> list[Problem]:
    """SK02: later than in every parent.

    A date cannot move beyond today, so where a parent's is today's already, the same one is right: several
    molts a day work. (Or where it lies ahead of today, as after a flight westwards.) It never goes backwards.
    A caller that does not know the day (`today` is None) gets the plain rule.
    """
    date = now.values.get("last_updated")
    before = [value for value in (parent.get("last_updated") for parent in parents) if isinstance(value, str)]
    if not isinstance(date, str) or not before:
        return []
    newest = max(before)
    if date > newest or (date == newest and change.today is not None and newest >= change.today):
        return []
    if date == newest:
        what = f"the skill changed, last_updated is still {date}"
    else:
        what = f"last_updated went back from {newest} to {date}"
    day = max(change.today or "", newest) if change.today else "the day of this change"
    return [_problem(file, now, "last_updated", "SK02", what, f"write `last_updated: {day}`")]


def _reason(change: Change, file: FileChange) -> list[Problem]:
    """SK03: an agent says why a skill changed. Judged where there is a message already."""
    if change.agent is None or change.message is None or parts(change.message).reason:
        return []
    what = f"{file.path} changed, and the commit gives no reason"
    return [Problem(MESSAGE, 1, 1, "SK03", what, "say why: --reason TEXT, or a body below the subject")]


def _pinned(file: FileChange, now: Properties, parents: list[dict[str, Any]]) -> list[Problem]:
    """SK04: absent, null and false are the same."""
    if any((now.values.get("pinned") or False) == (parent.get("pinned") or False) for parent in parents):
        return []
    mend = "leave `pinned` as it was: it is a person's word"
    return [_problem(file, now, "pinned", "SK04", "an agent changed `pinned`", mend)]


def _deleted(change: Change, file: FileChange, parents: list[dict[str, Any]]) -> list[Problem]:
    # Else deleting it and writing it again would unpin it.
    if change.agent is None or not any(parent.get("pinned") for parent in parents):
        return []
    return [Problem(file.path, 1, 1, "SK04", "an agent deleted a pinned skill", "a person can unpin or delete it")]


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _problem(file: FileChange, now: Properties, key: str, code: str, message: str, mend: str) -> Problem:
    return Problem(file.path, now.lines.get(key, 1), 1, code, message, mend)
