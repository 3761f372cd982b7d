from __future__ import annotations

import click

from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import result


@click.command("delete")
@click.argument("path", shell_complete=options.complete_path)
@editing.edit_options
def command(
    path: str, line: str | None, reason: str, agent: str | None, session: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Delete a note. It stays in history: `vaultgit undo PATH` brings it back.

    \b
    Example:
      vaultgit delete concepts/old-idea.md --reason "the decision of May replaced it"
    """
    from vaultgit.edits import compose

    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)
        inside = opened.relative(path)
        return result.edit(
            opened, lambda: [compose.delete(opened, inside, who.agent)],
            line=line, reason=reason, by=who, as_json=as_json, dry_run=dry_run,
        )  # fmt: skip
