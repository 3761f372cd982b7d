from __future__ import annotations

import os
import shlex
import sys

import click

from vaultgit.cli import options

SDK = "mcp>=2.3,<3"  # as the extra of pyproject.toml says


@click.command("mcp")
@click.option("--agent", metavar="NAME", help="Who edits (else VAULTGIT_AGENT, the client's own name for itself).")
@click.option(
    "--timeout", "seconds", type=click.FloatRange(min=0.1), default=45.0, show_default=True, metavar="SECONDS",
    help="Give up a call that takes longer.",
)  # fmt: skip
@options.vault_option
def command(agent: str | None, seconds: float, vault: str | None) -> int:
    """Serve an MCP client over standard input and output: search, context, read, write, propose, session, skill, undo.

    Whatever a client says of itself, it edits as an agent; what a person decides is not offered.

    \b
    Example:
      claude mcp add --scope user vaultgit -- vaultgit mcp --vault ~/Notes
      codex mcp add vaultgit -- vaultgit mcp --vault ~/Notes
    """
    from vaultgit.errors import UsageError
    from vaultgit.mcp import server
    from vaultgit.mcp.desk import Desk

    if agent:
        from vaultgit.edits.edit import agent_author

        agent_author(agent, {})
    if sys.stdin.isatty():
        click.echo("an MCP client starts this and talks to it: vaultgit mcp --help", err=True)
    wire = server.claim()
    try:
        named = options.vault_named(vault)
        root = os.path.abspath(os.path.expanduser(named)) if named else None
        return server.serve(wire, Desk(root, agent, seconds))
    except ImportError as error:
        if (error.name or "").partition(".")[0] in ("mcp", "mcp_types", "anyio"):
            # Not the extra's name: where vaultgit was installed from a clone or by pipx, that finds nothing to install.
            with_pip = f"{shlex.quote(sys.executable)} -m pip install '{SDK}'"
            raise UsageError(
                "the MCP server needs the official SDK, which is not installed where vaultgit is",
                f"{with_pip}    (or, if pipx installed vaultgit: pipx inject vaultgit '{SDK}')",
            ) from error
        raise
