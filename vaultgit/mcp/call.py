"""One call of a tool: the vault, who asks, and what the tools have in common."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.checks import protected
from vaultgit.clock import Clock
from vaultgit.edits import compose
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.edits.submit import submit
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.mcp.answer import Answer
from vaultgit.mcp.answer import of_result
from vaultgit.mcp.connection import Connection
from vaultgit.vault import Vault

_LONGEST = 4096  # characters of a path (Linux' PATH_MAX)


class Call(NamedTuple):
    """What a tool gets. `arguments` fit the tool's schema."""

    vault: Vault
    clock: Clock
    by: By
    connection: Connection
    arguments: Mapping[str, Any]

    def text(self, name: str, what: str = "") -> str:
        """A text argument; "" where there is none. `what`: what is missing then, as an error."""
        given = str(self.arguments.get(name, ""))
        if what and not given.strip():
            raise UsageError(f"{what} is missing: {name} is empty")
        return given

    def path(self, name: str = "path") -> str:
        """A path in the vault. One that no file can have is refused here, before anything looks for it."""
        given = self.text(name)
        if len(given) > _LONGEST:
            raise UsageError(f"{name} has {len(given):,} characters: no file's path is as long")
        if any(sign in given for sign in "\0\r\n"):
            raise Refused(protected.path_problems(given, agent=True))
        return self.vault.relative(given)

    def began(self) -> list[str]:
        """Opens the session for a write. A record that cannot be kept stops no edit, and is told."""
        try:
            self.connection.begin(self.vault, self.by)
        except (VaultgitError, OSError) as error:
            return [f"! this session is not on record: {error}"]
        return []

    def submit(self, changes: Sequence[PathChange], values: Mapping[str, Any] | None = None, line: str = "") -> Answer:
        """One edit. `line`: of an edit that knows it; else the caller's, else derived."""
        if all(change.base == change.new for change in changes):
            return of_result(Result("unchanged", "", path=changes[0].path))
        words = self.text("line") or line or compose.subject(list(changes), values)
        told = self.began()
        done = submit(self.vault, self.clock, changes, subject=words, reason=self.text("reason"), by=self.by)
        return of_result(done, also=told)
