from __future__ import annotations

import click

from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import result


@click.command("set")
@click.argument("path", shell_complete=options.complete_path)
@click.argument("pairs", metavar="KEY=VALUE…", nargs=-1, required=True)
@editing.edit_options
def command(
    path: str, pairs: tuple[str, ...], line: str | None, reason: str, agent: str | None, session: str | None,
    vault: str | None, as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Change properties of a note; what is missing is added. Only their lines change.

    A value is read as it would be in front matter: `tags=[a, b]` is a list, `due=` is empty.

    \b
    Example:
      vaultgit set projects/nova.md status=done
    """
    from vaultgit.edits import compose

    values = compose.parse_values(list(pairs))
    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)
        inside = opened.relative(path)
        return result.edit(
            opened, lambda: [compose.set_properties(opened, inside, values, who.agent)],
            line=line, reason=reason, by=who, as_json=as_json, dry_run=dry_run, values=values,
        )  # fmt: skip
