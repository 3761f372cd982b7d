from __future__ import annotations

import click

from vaultgit.cli import options
from vaultgit.cli import out


@click.command("read")
@click.argument("path", shell_complete=options.complete_path)
@options.agent_option
@options.vault_option
@options.json_option
def command(path: str, agent: str | None, vault: str | None, as_json: bool) -> int:
    """Print a note's bytes as they are, and on standard error the oid to pass as --base.

    On a terminal, signs that it would obey are shown and not sent.
    --json adds the properties: {path, oid, properties, text}.

    \b
    Example:
      vaultgit read people/ada.md > ada.md
    """
    from vaultgit.edits import compose
    from vaultgit.edits import submit
    from vaultgit.edits.judge import Refused
    from vaultgit.edits.readable import readable
    from vaultgit.errors import UsageError

    with options.opened(vault) as opened:
        inside = opened.relative(path)
        try:
            readable(opened, inside)
        except Refused as error:
            raise UsageError(str(error)) from error
        data = submit.current(opened, inside, options.agent_name(agent))
        if data is None:
            raise compose.no_such_note(opened, inside)
        oid = compose.blob_of(opened, inside, data)
        who = options.agent_name(agent)
        session = options.session_id(None, opened, who)
        if who and session:
            from vaultgit.clock import SystemClock
            from vaultgit.passes import session as sessions

            sessions.read(opened, SystemClock(), submit.By(who, session), inside)
        if as_json:
            from vaultgit.notes import frontmatter

            properties = frontmatter.read(data)
            out.as_json(
                {"path": inside, "oid": oid, "properties": properties.values, "text": data.decode("utf-8", "replace")}
            )
            return 0
        out.raw(data)
        out.talk(f"base {oid}")
        return 0
