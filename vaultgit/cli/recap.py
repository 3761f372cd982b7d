from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from vaultgit import agents
from vaultgit import errors
from vaultgit.agents.headless import INSIDE
from vaultgit.cli import clienthook
from vaultgit.cli import hookpayload
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli.hookrun import Asked
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError


@click.command("recap")
@click.option("--conversation", metavar="ID", help="Which one, by its id or its log's path (else the one at hand).")
@click.option("--background", is_flag=True, help="Answer at once and work in a process of its own, for hooks.")
@options.engine_option
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def command(
    conversation: str | None, background: bool, engine: str | None, agent: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Capture the conversation at hand, now, as often as you like.

    Which one that is, a client's hook says on standard input, or the client's environment; else it is the one that
    was written to last. However little there is, what is new of it goes to the daily note. In a hook it never fails.

    \b
    Example:
      vaultgit recap
      vaultgit recap --background < payload-of-PreCompact.json
    """
    if INSIDE in os.environ:
        return errors.DONE
    payload = hookpayload.read("vaultgit recap < /dev/null") if conversation is None else {}
    if not payload:
        this, headless = (conversation, True) if conversation else _at_hand()
        return _recap(this, vault, engine, agent, headless=headless, quiet=False, as_json=as_json, dry_run=dry_run)
    try:
        one = agents.conversation(payload)
        if one is None:
            raise UsageError("the payload does not say which conversation this is")
        if background:
            _start(one, payload, vault, engine, agent)
        else:
            _recap(one, vault, engine, agent, headless=False, quiet=True, as_json=as_json, dry_run=dry_run)
    except VaultgitError as error:
        out.talk(f"vaultgit: nothing captured: {error.message}")  # a client's hook lets the client go on
    return errors.DONE


def capture(conversation: str, vault: str | None, engine: str | None, agent: str | None) -> None:
    """The same without a word, for a hook. Raises VaultgitError."""
    _recap(conversation, vault, engine, agent, headless=False, quiet=True, as_json=False, dry_run=False)


def _recap(
    conversation: str, vault: str | None, engine: str | None, agent: str | None, *, headless: bool, quiet: bool,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    from vaultgit.cli import capture as cli
    from vaultgit.passes.capture import run as capture

    ask = capture.Ask(
        only=conversation, headless=headless, now=True, dry_run=dry_run, agent=agent or capture.AGENT
    )  # fmt: skip
    return cli.run(ask, vault, engine, as_json=as_json, quiet=quiet)


def _at_hand() -> tuple[str, bool]:
    """The conversation that this runs in, else the last one that was written to; and whether it is surely the one.
    Raises UsageError."""
    from vaultgit.cli import capture as cli
    from vaultgit.passes.capture import logs

    client = agents.recognise(os.environ)
    if client is not None and client.session:
        return client.session, True
    found, _ = logs.find(agents.LOGS, os.environ, cli.home())
    if not found:
        raise UsageError("there is no conversation of an agent on this machine", "vaultgit capture --help")
    from vaultgit.checks.secrets import redact

    out.talk(f"the last conversation: {redact(out.short(found[-1].path))[0]}")
    return found[-1].conversation, False


def _start(
    conversation: str, payload: Mapping[str, Any], vault: str | None, engine: str | None, signed: str | None
) -> None:
    """As the hooks of today do, for a client's settings that still start this."""
    who = agents.report(payload).client
    clienthook.finish(
        Asked(
            options.vault_named(vault), who.name if who else None, who.session if who else None, conversation, engine,
            signed,
        )
    )  # fmt: skip
