"""FM01 to FM04: front matter of managed notes parses and fits its schema; agents create no other notes there.

A person may take a note out of vaultgit's care by changing or removing its `type` (nothing a person does
there is refused), but not by breaking its YAML. An agent may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultgit.checks.problem import Problem
from vaultgit.checks.schemas import FOLDER
from vaultgit.checks.schemas import unusable
from vaultgit.errors import UsageError
from vaultgit.notes import frontmatter

if TYPE_CHECKING:
    from vaultgit.checks.change import Change
    from vaultgit.checks.change import FileChange

_SKILL = "skill"


def check(change: Change) -> list[Problem]:
    """FM01, FM02, FM03, FM04; SC01 where the note's schema cannot be used."""
    return [problem for file in change.files for problem in _of_file(change, file)]


def _of_file(change: Change, file: FileChange) -> list[Problem]:
    rules = change.rules
    data = file.after
    expected = rules.expected_type(file.path)
    if data is None or expected is None:
        return []
    managed = rules.managed(file.path, data) is not None
    was_managed = not managed and rules.managed(file.path, None, file.before) is not None
    if not managed and not was_managed and not (change.agent and file.added and not _beside_a_skill(change, file)):
        return []
    properties = frontmatter.read(data)
    if properties.problems:
        return [Problem(file.path, p.line, p.column, p.code, p.message, p.mend) for p in properties.problems]
    if not managed:
        return _unmanaged(change, file, expected, was_managed) if change.agent is not None else []
    found = []
    try:
        problems = rules.types.validate(expected, properties.values)
    except UsageError as error:
        return [unusable(f"{FOLDER}{expected}.schema.json", error)]
    for problem in problems:
        line = properties.lines.get(str(problem.path[0]), 1) if problem.path else 1
        found.append(Problem(file.path, line, 1, "FM03", problem.message, problem.mend))
    return found


def _beside_a_skill(change: Change, file: FileChange) -> bool:
    """Whether a note lies in the folder that is named like a skill beside it: what a skill brings along is none."""
    rules, path = change.rules, file.path
    texts = {one.path: one.after for one in change.files}
    while path := path.rpartition("/")[0]:
        note = f"{path}.md"
        if rules.expected_type(note) == _SKILL:
            data = change.around.read(note) if change.around is not None else texts.get(note)
            if rules.managed(note, data) == _SKILL:
                return True
    return False


def _unmanaged(change: Change, file: FileChange, expected: str, was_managed: bool) -> list[Problem]:
    key = change.rules.settings.type_key
    line = frontmatter.read(file.after or b"").lines.get(key, 1)
    if not was_managed and _moved_here(change, file):
        return []
    if was_managed:
        what, mend = f"is no longer a note of type {expected}", f"keep `{key}: {expected}`"
    else:
        what = f"a new note without `{key}: {expected}` in the folder of that type"
        mend = f"add `{key}: {expected}` and the fields of its schema, or put it into another folder"
    return [Problem(file.path, line, 1, "FM04", what, mend)]


def _moved_here(change: Change, file: FileChange) -> bool:
    """Whether an added note of no type lay in that type's folder before, under another name: it is not a new one."""
    from vaultgit.notes.follow import without_targets

    rules, text = change.rules, without_targets(file.after or b"", file.path)
    return any(
        data is not None and rules.managed(other.path, data) is None and without_targets(data, other.path) == text
        for other in change.files
        if other.after is None and rules.expected_type(other.path) == rules.expected_type(file.path)
        for data in other.before
    )
