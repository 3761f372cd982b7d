"""The checks, as the write path asks them: is this edit fit to land?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from vaultgit import checks
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.checks.changes import held_before
from vaultgit.checks.problem import Problem
from vaultgit.edits.edit import Edit
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.vault import Disk
from vaultgit.vault import Vault


class Refused(VaultgitError):
    """The edit has problems; nothing was written, not even to the queue."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in problems))


def problems(
    vault: Vault, edit: Edit, changes: Sequence[tuple[str, bytes | None, bytes | None]], *, today: str
) -> list[Problem]:
    """Problems of (path, before, after) as this edit's author would have them."""
    files = tuple(
        FileChange(path, () if before is None else (before,), after, earlier=partial(_earlier, vault, path))
        for path, before, after in changes
    )
    change = Change(
        files, vault.rules, agent=edit.agent, message=edit.message.decode("utf-8", "surrogateescape"), today=today,
        paths=frozenset(name for file in files if file.added for name in _beside(vault, file.path)),
    )  # fmt: skip
    return checks.run(change)


def _earlier(vault: Vault, path: str, data: bytes) -> bool:
    """Whether the note was like this at some time: taking a molt back needs no new version."""
    full = vault.prefix + path
    oid = vault.repo.run("hash-object", f"--path={full}", "--stdin", input=data).decode().strip()
    tip = refs.tip(vault.repo, "HEAD")
    return held_before(vault.repo, full, oid, [tip] if tip else [])


def _beside(vault: Vault, path: str) -> list[str]:
    """What lies in the folders that a new file goes into, for the twins that other systems cannot tell apart."""
    found: list[str] = []
    parts = path.split("/")
    for depth in range(len(parts)):
        folder = "/".join(parts[:depth])
        for name in Disk(vault.root).names(folder):
            found.append(f"{folder}/{name}" if folder else name)
    return found


def secrets(vault: Vault, path: str, data: bytes) -> list[Problem]:
    """What looks like a secret in a file."""
    return checks.run(Change((FileChange(path, (), data),), vault.rules), only=["secrets"])
