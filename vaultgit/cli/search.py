from __future__ import annotations

import click

from vaultgit.cli import options
from vaultgit.cli import searching


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(1, searching.MOST), default=10, show_default=True, help="At most so many notes."
)
@click.option("--at", metavar="REF|DATE", help="The vault as a commit, or the end of a day, month or year, had it.")
@click.option("--explain", is_flag=True, help="Say what counted for each note.")
@click.option(
    "--agent", metavar="NAME", help="Whose queued edits count (else VAULTGIT_AGENT, the client's own environment)."
)
@options.vault_option
@options.json_option
def command(
    query: tuple[str, ...],
    limit: int,
    at: str | None,
    explain: bool,
    agent: str | None,
    vault: str | None,
    as_json: bool,
) -> int:
    """Find notes by plain words, "a phrase", and filters: type: project: agent: name: tag: path: since: until: and any
    property. What is on disk is searched, in git or not, and what you wrote that waits in the queue.

    \b
    --json prints [{path, oid, type, title, score, line, text}], best first; oid serves as --base.
    A query that begins with - goes behind --.

    \b
    Example:
      vaultgit search who is allergic to peanuts
      vaultgit search 'type:decision project:nova since:2026-10 "release date"' --at HEAD~20
    """
    return searching.run(searching.Line(query, limit, at, explain, options.vault_named(vault), as_json, agent))
