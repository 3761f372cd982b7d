"""Options that commands share, and what they mean."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from vaultgit.errors import VaultgitError
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.vault import Vault
from vaultgit.vault import open_vault
from vaultgit.vault import root_of
from vaultgit.walk import is_folder

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

vault_option = click.option(
    "--vault", metavar="DIR", help="The vault (else VAULTGIT_VAULT, the enclosing one, the default one)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
agent_option = click.option(
    "--agent", metavar="NAME", help="Who edits (else VAULTGIT_AGENT, the client's own environment)."
)
session_option = click.option(
    "--session", metavar="ID", help="The edit's session (else VAULTGIT_SESSION, the client's)."
)
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
engine_option = click.option(
    "--engine", type=click.Choice(("rules", "command")),
    help="Who writes text (else command where `git config vaultgit.engine` names one, else rules).",
)  # fmt: skip
show_prompt_option = click.option(
    "--show-prompt", is_flag=True, help="Print exactly what the engine would be sent, and send nothing."
)


def complete_path(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Paths in the vault that begin so, for the shell, wherever it runs."""
    from click.shell_completion import CompletionItem

    folder, slash, start = incomplete.rpartition("/")
    try:
        root = root_of(ctx.params.get("vault") or ctx.find_root().params.get("vault"))
        entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda entry: entry.name)
    except (VaultgitError, OSError):
        return []
    return [
        CompletionItem(f"{folder}{slash}{entry.name}{'/' if is_folder(entry) else ''}")
        for entry in entries
        if entry.name.startswith(start) and not entry.name.startswith(".")
    ]


@contextmanager
def opened(directory: str | None) -> Iterator[Vault]:
    """The vault that a command works on; its git processes end with the block."""
    vault = open_vault(vault_named(directory))
    with vault.repo:
        yield vault


def vault_named(directory: str | None) -> str | None:
    """--vault, whether it stands behind the command or before it."""
    named: str | None = directory or click.get_current_context().find_root().params.get("vault")
    return named


def agent_name(option: str | None) -> str | None:
    """Which agent runs this command; None for a person."""
    from vaultgit import agents

    client = agents.recognise(os.environ)
    return option or os.environ.get("VAULTGIT_AGENT") or (client.name if client else None)


def session_id(option: str | None, vault: Vault | None = None, agent: str | None = None) -> str | None:
    """The session that was named, or that the client is in; else, in a `vault`, the only one that this agent has open.
    None where none of them says."""
    from vaultgit import agents

    client = agents.recognise(os.environ)
    said = option or os.environ.get("VAULTGIT_SESSION") or (client.session if client else None)
    if said or vault is None or agent is None:
        return said
    if not os.path.isdir(os.path.join(vault.state, "sessions")):
        return None
    from vaultgit.passes import session_store

    return session_store.only(vault, agent)


def deciding_is_a_persons(repo: Repository | None, agent: str | None, what: str) -> None:
    """Raises VaultgitError (exit 1) when an agent asks for what a person decides (README, "Trust")."""
    if may_decide(repo, agent):
        return
    raise VaultgitError(
        f"{what} is for a person to decide, and {agent} runs this",
        "ask the person; say in the inbox what you would do, and why",
    )


def may_decide(repo: Repository | None, agent: str | None) -> bool:
    """Whether who runs this is a person, or an agent that a person has let decide."""
    return agent is None or _agents_may_decide(repo)


def _agents_may_decide(repo: Repository | None) -> bool:
    if repo is not None:
        return repo.flag("vaultgit.agentsmaydecide")
    import subprocess

    command = ["git", "config", "--global", "--type=bool", "--get", "vaultgit.agentsMayDecide"]
    said = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, check=False)
    return said.stdout.strip() == "true"


def confirmed(question: str, yes: bool) -> bool:
    """Asks on a terminal; anywhere else, and with --yes, goes on."""
    if yes or not sys.stdin.isatty():
        return True
    return click.confirm(question, err=True)
