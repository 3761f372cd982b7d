from __future__ import annotations

import click

from vaultgit.cli import options
from vaultgit.cli import out


@click.command("log")
@click.argument("path", shell_complete=options.complete_path, required=False)
@click.option("--session", metavar="S", help="Edits of this session.")
@click.option("--agent", metavar="A", help="Edits of this agent.")
@click.option("--since", metavar="T", default="", help="Since a date, as git reads it: 2026-10-01, yesterday.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="At most N.")
@options.vault_option
@options.json_option
def command(
    path: str | None,
    session: str | None,
    agent: str | None,
    since: str,
    limit: int | None,
    vault: str | None,
    as_json: bool,
) -> int:
    """List edits, newest first: all, or those of a note, a session, an agent. People's commits to a note, too.

    \b
    Example:
      vaultgit log people/ada.md
      vaultgit log --agent claude-code --since yesterday
    """
    from vaultgit.checks.protected import path_problems
    from vaultgit.errors import UsageError
    from vaultgit.history import log
    from vaultgit.history import refs

    with options.opened(vault) as opened:
        for problem in path_problems(opened.relative(path).rstrip("/"), agent=False) if path else ():
            # git would be asked for what it never holds
            raise UsageError(f"{out.clean(path or '', keep='')} {problem.message}", problem.mend)
        if refs.tip(opened.repo, "HEAD") is None:
            commits = []
        else:
            wanted = [(key, value) for key, value in (("Session", session), ("Agent", agent)) if value]
            paths = [opened.prefix + opened.relative(path)] if path else ([opened.prefix] if opened.prefix else [])
            commits = log.commits(
                opened.repo, paths=paths, trailers=wanted, since=since, limit=limit, edits_only=not path
            )
    if as_json:
        out.as_json(
            [
                {
                    "oid": c.oid,
                    "edit": c.trailer("Edit") or None,
                    "author": c.author,
                    "agent": c.trailer("Agent") or None,
                    "session": c.trailer("Session") or None,
                    "date": c.authored.isoformat(),
                    "subject": c.subject,
                    "reason": c.reason,
                }
                for c in commits
            ]
        )
        return 0
    for commit in commits:
        out.say(f"{commit.oid[:10]}  {commit.authored:%Y-%m-%d %H:%M}  {commit.author:<14}  {commit.subject}")
    if not commits:
        of = [f"{word} {value}" for word, value in (("note", path), ("session", session), ("agent", agent)) if value]
        out.talk(f"no edit of {', '.join(of)}" if of else "no edit yet")
    return 0
