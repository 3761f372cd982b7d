from __future__ import annotations

import click

from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import result


@click.command("write")
@click.argument("path", shell_complete=options.complete_path)
@click.option("--base", metavar="OID", help="What the new text was made from: the oid that `vaultgit read` gave.")
@editing.edit_options
def command(
    path: str, base: str | None, line: str | None, reason: str, agent: str | None, session: str | None,
    vault: str | None, as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Write a whole note from standard input: one edit, one commit.

    An existing note needs --base, so that nothing written meanwhile is lost. A text without front matter keeps the
    note's own.

    \b
    Example:
      vaultgit write people/bob.md -m "people/bob: met at the fair" < bob.md
      vaultgit read people/ada.md > ada.md            (says: base 1b2c3d4…)
      vaultgit write people/ada.md --base 1b2c3d4 < ada.md
    """
    from vaultgit.edits import compose

    data = editing.standard_input("the note's text")
    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)
        inside = opened.relative(path)
        return result.edit(
            opened, lambda: [compose.write(opened, inside, data, base, who.agent)],
            line=line, reason=reason, by=who, as_json=as_json, dry_run=dry_run,
        )  # fmt: skip
