"""A vault with a past: commits of given days and authors, made from objects in one go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from datetime import timedelta
from datetime import timezone
from pathlib import Path
from typing import NamedTuple

from support import Folder

from vaultgit.history import objects
from vaultgit.history.objects import File
from vaultgit.history.objects import NewCommit
from vaultgit.history.repository import Identity
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

PERSON = Identity("Test Person", "test@example.invalid")


class Did(NamedTuple):
    """One commit. `when`: a day, or a day and a time; `files`: path -> text, None for one that goes."""

    when: str
    files: Mapping[str, str | None]
    subject: str = "by hand"
    agent: str = ""
    session: str = ""
    reason: str = ""

    @property
    def message(self) -> bytes:
        trailers = [f"Agent: {self.agent}"] if self.agent else []
        trailers += [f"Session: {self.session}"] if self.session else []
        return "\n\n".join(part for part in (self.subject, self.reason, "\n".join(trailers)) if part).encode() + b"\n"


class Past:
    """Makes vaults in a folder; the fixture `past` ends their git processes."""

    def __init__(self, root: Path) -> None:
        self.folder = Folder(root)
        self._opened: list[Vault] = []

    def __call__(self, commits: list[Did], *, prefix: str = "", settings: str = "") -> Vault:
        """A vault whose branch main holds these commits, oldest first; on disk lie its settings alone."""
        self.folder.write(f"{prefix}.vaultgit.toml", settings)
        self.folder.git("init", "--quiet", "--initial-branch=main")
        vault = open_vault(str(self.folder.root / prefix))
        self._opened.append(vault)
        go_on(vault, commits)
        return vault

    def close(self) -> None:
        for vault in self._opened:
            vault.repo.close()


def go_on(vault: Vault, commits: list[Did]) -> list[str]:
    """More commits on top; returns their oids."""
    tip = vault.repo.resolve("HEAD")
    new = [_new(vault, did) for did in commits]
    return objects.write(vault.repo, "refs/heads/main", tip, new).commits if new else []


def _new(vault: Vault, did: Did) -> NewCommit:
    day, _, time = did.when.partition(" ")
    zone = timezone(timedelta(hours=1))
    when = datetime.fromisoformat(f"{day}T{time or '12:00'}").replace(tzinfo=zone)
    author = Identity(did.agent, f"{did.agent}@agents.vaultgit.invalid") if did.agent else PERSON
    files = {
        vault.prefix + path: None if text is None else File(text.encode("utf-8", "surrogateescape"))
        for path, text in did.files.items()
    }
    return NewCommit(author, when, PERSON, when, did.message, files)


def skill(name: str, *, more: str = "", version: int = 1, updated: str = "2024-01-01", trigger: str = "") -> str:
    """The text of a skill. `more`: further lines of front matter."""
    head = f"type: skill\nname: {name}\nversion: {version}\ntrigger: {trigger or f'when {name} is asked for'}\n"
    return f"---\n{head}last_updated: {updated}\n{more}---\n1. do {name}\n"


def session(day: str, *skills: str, task: str = "work", touched: tuple[str, ...] = (), agent: str = "codex") -> str:
    """The text of a session note that used these skills and touched these notes."""
    used = f"skills: [{', '.join(_quoted(name) for name in skills)}]\n" if skills else ""
    notes = ", ".join(_quoted(name) for name in touched)
    head = f"type: session\ndate: {day}\nagent: {agent}\ntask: {json.dumps(task)}\n"
    return f"---\n{head}touched: [{notes}]\n{used}---\nDone.\n"


def _quoted(name: str) -> str:
    return f'"[[{name}]]"'
