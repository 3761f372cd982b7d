from __future__ import annotations

import click

from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import result


@click.command("append")
@click.argument("path", shell_complete=options.complete_path)
@click.option("--heading", metavar="H", help="Below this heading (made when it is missing), not at the end.")
@editing.edit_options
def command(
    path: str, heading: str | None, line: str | None, reason: str, agent: str | None, session: str | None,
    vault: str | None, as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Add text from standard input to the end of a note, or of one of its sections.

    \b
    Example:
      printf -- '- call the bakery\\n' | vaultgit append projects/nova.md --heading "Open"
    """
    from vaultgit.edits import compose

    text = editing.standard_input("the text to add")
    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)
        inside = opened.relative(path)
        return result.edit(
            opened, lambda: [compose.append(opened, inside, text, heading, who.agent)],
            line=line, reason=reason, by=who, as_json=as_json, dry_run=dry_run,
        )  # fmt: skip
