"""Engines write text, and text only: what is done with it, versions, links and limits are code elsewhere.

`rules` is no engine at all: a pass that has none uses its own deterministic text, and does so too where an engine
failed or `accept` refused what it wrote. `command` asks a program that git's own config names.
"""

from __future__ import annotations

import os
from typing import Protocol

from vaultgit.agents.headless import INSIDE
from vaultgit.clock import Clock
from vaultgit.errors import UsageError
from vaultgit.passes.engines.answer import Answer
from vaultgit.passes.engines.ceilings import LIMITS
from vaultgit.passes.engines.ceilings import NOT_ASKED
from vaultgit.passes.engines.ceilings import Budget
from vaultgit.passes.engines.ceilings import Limits
from vaultgit.passes.engines.ceilings import Spent
from vaultgit.passes.engines.command import HOW
from vaultgit.passes.engines.command import SECONDS
from vaultgit.passes.engines.command import Command
from vaultgit.passes.engines.command import understood
from vaultgit.passes.engines.prompt import Prompt
from vaultgit.vault import Vault

__all__ = ["NOT_ASKED", "Answer", "Engine", "Limits", "Prompt", "Showing", "Spent", "chosen"]

RULES, COMMAND = "rules", "command"


class Engine(Protocol):
    """`name`: for people and commit messages. `setting`: the line that names it. `spent`: what it has cost in this
    pass."""

    @property
    def name(self) -> str: ...

    @property
    def setting(self) -> str: ...

    @property
    def spent(self) -> Spent: ...

    def write(self, prompt: Prompt) -> Answer:
        """One answer to one prompt. Never raises where the engine fails: `Answer.failed` says why."""


class Showing:
    """Stands in for an engine with --show-prompt: keeps what would be sent, and sends nothing."""

    def __init__(self, engine: Command) -> None:
        self._engine = engine
        self.name, self.setting = engine.name, engine.setting
        self.spent = Spent()
        self.shown: list[str] = []

    def write(self, prompt: Prompt) -> Answer:
        self.shown.append(self._engine.shown(prompt))
        return Answer("", f"{NOT_ASKED}: --show-prompt")


def chosen(vault: Vault, clock: Clock, option: str | None, limits: Limits = LIMITS) -> Command | None:
    """The engine that `--engine` names, None for rules; without the option what git's config names, else rules.

    Raises UsageError where `--engine command` cannot work; a default that cannot says so when it is asked.
    """
    setting = vault.repo.setting("vaultgit.engine").strip()
    if option == RULES or (option is None and (not setting or INSIDE in os.environ)):
        return None
    if INSIDE in os.environ:
        raise UsageError("an engine that runs in an engine would never end", "vaultgit … --engine rules")
    if not setting:
        raise UsageError("no engine is set", HOW)
    engine = Command(understood(setting), Budget(vault.state, clock, limits), seconds=_seconds(vault))
    why = engine.missing() if option == COMMAND else ""
    if why:
        raise UsageError(f"the engine cannot be asked: {why}", HOW)
    return engine


def _seconds(vault: Vault) -> float:
    given = vault.repo.setting("vaultgit.enginetimeout")
    try:
        seconds = float(given) if given else SECONDS
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 3600:
        raise UsageError(
            f"git config vaultgit.engineTimeout: {given!r} is no number of seconds from 1 to 3600",
            f"git config vaultgit.engineTimeout {SECONDS:.0f}",
        )
    return seconds
