"""SC01: the vault's own settings and schemas can be used.

A broken one is refused where it would come in; where it is in already, only its own note type suffers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultgit import config
from vaultgit.checks.problem import Problem
from vaultgit.errors import UsageError

if TYPE_CHECKING:
    from vaultgit.checks.change import Change

FOLDER = ".vaultgit/schemas/"
_SUFFIX = ".schema.json"


def check(change: Change) -> list[Problem]:
    """SC01 for each settings file or schema that the change brings."""
    found: list[Problem] = []
    for file in change.files:
        if file.after is None:
            continue
        try:
            if file.path == config.FILE:
                config.parse(file.after)
            elif file.path.startswith(FOLDER) and file.path.endswith(_SUFFIX):
                _try(file.path[len(FOLDER) : -len(_SUFFIX)], file.after)
        except UsageError as error:
            found.append(unusable(file.path, error))
    return found


def unusable(path: str, error: UsageError) -> Problem:
    """The problem that an unusable schema or settings file is."""
    message = error.message.removeprefix(f"{path}: ").removeprefix("SC01 ")
    return Problem(path, 1, 1, "SC01", message, error.hint or "mend the file; git log -p shows what it was")


def _try(name: str, data: bytes) -> None:
    from vaultgit.notes.schema import NoteTypes
    from vaultgit.vault import read_schema

    types = NoteTypes({name: [read_schema(data)]})
    types.validate(name, {})
    types.folder(name)
