from __future__ import annotations

import os
import shlex
import shutil
from typing import TYPE_CHECKING

import click

from vaultgit import errors
from vaultgit.cli import agentwords
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError

if TYPE_CHECKING:
    from vaultgit.install.clients.client import Client
    from vaultgit.install.clients.trial import Tried


@click.group("agent", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> int | None:
    """Hooks of ours in the user's settings of agent clients: claude, codex.

    They give a conversation the notes that its work and each prompt call for, commit what the client's own tools wrote
    in the vault, and before a conversation is compacted and when it ends, capture it and write the session's note.
    Nothing of it can stop a client or hold it up.

    \b
    Example:
      vaultgit agent install claude --dry-run
      vaultgit agent list
    """
    return ctx.invoke(list_, client=None, as_json=False) if ctx.invoked_subcommand is None else None


@command.command("install")
@click.argument("client", metavar="CLIENT")
@options.vault_option
@options.agent_option
@options.json_option
@options.dry_run_option
def install(client: str, vault: str | None, agent: str | None, as_json: bool, dry_run: bool) -> int:
    """Put hooks, three lines of instructions and a command /recap for this vault into the user's settings of CLIENT;
    again: bring them up to date.

    Every byte of yours stays, no permission is added, and `vaultgit agent remove CLIENT` is the exact inverse. Each
    hook is tried once.

    \b
    Example:
      vaultgit agent install claude --dry-run
      vaultgit agent install claude
    """
    from vaultgit.install import clients
    from vaultgit.install import settings

    with options.opened(vault) as opened:
        root = opened.root
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "what agents' settings hold")
    chosen = clients.named(client)
    where = clients.folder(chosen, os.environ)
    made = not os.path.isdir(where)
    plan = clients.plan_install(chosen, where, root)
    if dry_run:
        return agentwords.would(chosen, plan, as_json)
    failed_lines = clients.apply(chosen, where, plan)
    tried = _try(chosen, where, root)
    state = clients.state(chosen, where)
    failed = any(one.failed for one in tried)
    if as_json:
        out.as_json(agentwords.plan_as_json(chosen, plan, state, tried, done=True))
        return errors.REFUSED if failed else errors.DONE
    if plan.empty:
        out.say(f"nothing to do: {chosen.TITLE} has hooks for {out.short(root)}")
    wide = agentwords.did(plan, state)
    for words in failed_lines:
        out.remark(f"{out.short(words)}; hooks work without: the lines are shown by agent install --dry-run")
    agentwords.tell_trial(chosen, tried, wide)
    leave = chosen.LEAVE if state.command else ""
    out.say(f"No permission was added{leave}: what an agent may do stays what it was")
    out.say(chosen.ASKS.format(program=settings.program(), vault=shlex.quote(root)))
    if made and not shutil.which(chosen.PROGRAM):
        out.remark(f"{out.short(where)} was not there and was made: is {chosen.TITLE} installed?")
    agentwords.tell_notes(state)
    out.say("What sessions are given of your notes goes to the model they run; [context] exclude keeps folders out")
    if state.command:
        out.say(f"Call:  {chosen.CALLED} in a conversation captures it at once")
    out.say(f"Undo:  vaultgit agent remove {chosen.NAME}")
    return errors.REFUSED if failed else errors.DONE


@command.command("remove")
@click.argument("client", metavar="CLIENT")
@options.vault_option
@options.agent_option
@options.json_option
@options.dry_run_option
def remove(client: str, vault: str | None, agent: str | None, as_json: bool, dry_run: bool) -> int:
    """Take our hooks, lines and /recap out of the settings of CLIENT: to the byte, where nobody changed them since.

    \b
    Example:
      vaultgit agent remove claude --dry-run
      vaultgit agent remove claude
    """
    from vaultgit.install import clients

    if not dry_run:
        _refuse_agents(vault, agent)
    chosen = clients.named(client)
    where = clients.folder(chosen, os.environ)
    plan = clients.plan_remove(chosen, where)
    if dry_run:
        return agentwords.would(chosen, plan, as_json)
    clients.apply(chosen, where, plan)
    if as_json:
        out.as_json(agentwords.plan_as_json(chosen, plan, None, (), done=True))
        return errors.DONE
    if plan.empty:
        out.say(f"nothing to do: {chosen.TITLE} has nothing of ours")
    agentwords.did(plan)
    return errors.DONE


@command.command("list")
@click.argument("client", required=False, metavar="[CLIENT]")
@options.json_option
def list_(client: str | None, as_json: bool) -> int:
    """List what of ours stands in the settings of clients, and what keeps it from working.

    \b
    Example:
      vaultgit agent list
    """
    from vaultgit.install import clients

    every = [clients.named(client)] if client else list(clients.CLIENTS)
    listed, code = [], errors.DONE
    for one in every:
        try:
            state = clients.state(one, clients.folder(one, os.environ))
        except UsageError as error:  # what can be said of the others is said
            code = errors.REFUSED
            listed.append({"client": one.NAME, "problem": _why(error)})
            if not as_json:
                out.say(f"{one.NAME:<8} problem: {_why(error)}")
            continue
        listed.append({"client": one.NAME, **agentwords.state_as_json(state)})
        if not as_json:
            out.say(f"{one.NAME:<8} {agentwords.words(one, state)}")
            agentwords.tell_notes(state)
    if as_json:
        out.as_json(listed)
    return code


def _why(error: UsageError) -> str:
    return error.message.removesuffix("; nothing was written")


def _refuse_agents(vault: str | None, agent: str | None) -> None:
    """The vault may be gone: what it left in the settings can be taken out all the same."""
    name, what = options.agent_name(agent), "what agents' settings hold"
    try:
        with options.opened(vault) as opened:
            allowed = options.may_decide(opened.repo, name)
    except VaultgitError:
        allowed = False
    if not allowed:
        options.deciding_is_a_persons(None, name, what)


def _try(client: Client, where: str, root: str) -> list[Tried]:
    from vaultgit.install import clients
    from vaultgit.install.clients import trial

    return [trial.start(client, where, hook, os.environ, _here()) for hook in clients.hooks(client, root)]


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is gone
        return ""
