"""Options that all editing commands share, and who edits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from typing import TypeVar

import click

from vaultgit.cli import options
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.vault import Vault

Command = TypeVar("Command", bound=Callable[..., Any])


def edit_options(command: Command) -> Command:
    """-m, --reason, --agent, --session, --vault, --json, --dry-run."""
    for option in reversed(
        (
            click.option(
                "-m", "--message", "line", metavar="LINE", help="Changelog line, the commit's subject (else derived)."
            ),
            click.option("--reason", default="", metavar="TEXT", help="Why, for the commit's body."),
            options.agent_option,
            options.session_option,
            options.vault_option,
            options.json_option,
            options.dry_run_option,
        )
    ):
        command = option(command)
    return command


def by(agent: str | None, session: str | None, vault: Vault | None = None) -> By:
    """Who edits, from the options, the environment, and the session that this agent has open in the `vault`."""
    name = options.agent_name(agent)
    return By(name, options.session_id(session, vault, name))


def standard_input(what: str) -> bytes:
    """All of standard input. Raises UsageError on a terminal, where a person would wait for nothing."""
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(f"{what} comes on standard input", "printf 'text\\n' | vaultgit …, or … < FILE")
    data = sys.stdin.buffer.read()
    if not data:
        raise UsageError(f"{what} is empty: nothing came on standard input", "to delete a note: vaultgit delete PATH")
    return data
