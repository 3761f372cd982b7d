from __future__ import annotations

import os
import subprocess
import sys

import click

from vaultgit import agents
from vaultgit import errors
from vaultgit.agents.headless import INSIDE
from vaultgit.cli import hookpayload
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError


@click.command("recap")
@click.option("--conversation", metavar="ID", help="Which one, by its id or its log's path (else the one at hand).")
@click.option("--background", is_flag=True, help="Answer at once and work in a process of its own, for hooks.")
@click.option("--from-hook", is_flag=True, hidden=True)
@options.engine_option
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def command(
    conversation: str | None, background: bool, from_hook: bool, engine: str | None, agent: str | None,
    vault: str | None, as_json: bool, dry_run: bool,
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
        this, named = (conversation, True) if conversation else _at_hand()
        headless = named and not from_hook
        return _recap(
            this, vault, engine, agent, headless=headless, quiet=from_hook, as_json=as_json, dry_run=dry_run
        )  # fmt: skip
    try:
        one = agents.conversation(payload)
        if one is None:
            raise UsageError("the payload does not say which conversation this is")
        if background:
            _start(one, vault, engine, agent)
        else:
            _recap(one, vault, engine, agent, headless=False, quiet=True, as_json=as_json, dry_run=dry_run)
    except VaultgitError as error:
        out.talk(f"vaultgit: nothing captured: {error.message}")  # a client's hook lets the client go on
    return errors.DONE


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
    out.talk(f"the last conversation: {out.short(found[-1].path)}")
    return found[-1].conversation, False


def _start(conversation: str, vault: str | None, engine: str | None, agent: str | None) -> None:
    """The same in a process that outlives the hook: clients end a session's hooks after a second or two."""
    named = options.vault_named(vault)
    given = {"--vault": named, "--engine": engine, "--agent": agent, "--conversation": conversation}
    words = [word for option, value in given.items() if value for word in (option, value)]
    subprocess.Popen(
        [sys.executable, "-P", "-m", "vaultgit", "recap", "--from-hook", *words], start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
