from __future__ import annotations

import os
import re

import click

from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.history.log import Commit


@click.command("why")
@click.argument("place", shell_complete=options.complete_path, metavar="PATH[:LINE]")
@options.vault_option
@options.json_option
def command(place: str, vault: str | None, as_json: bool) -> int:
    """Say who wrote a line, when, in which session, and why. Without a line: who wrote the note, block by block.

    \b
    Example:
      vaultgit why people/ada.md:12
    """
    from vaultgit.edits import compose
    from vaultgit.history import log

    with options.opened(vault) as opened:
        path, line = _parts(place)
        inside = opened.relative(path)
        full = opened.prefix + inside
        if line == 0:
            raise UsageError(f"{place}: lines count from 1", f"vaultgit why {path}:1")
        if opened.repo.call("ls-files", "--error-unmatch", "--", full).returncode != 0:
            if os.path.isfile(opened.full(inside)):
                raise UsageError(f"{inside} is not in git yet: all of it is yours", f"git add {full}")
            raise compose.no_such_note(opened, inside)
        lines = log.blame(opened.repo, full, line)
        known = {oid: log.commit(opened.repo, oid) for oid in dict.fromkeys(o for _, o, _ in lines) if oid.strip("0")}
    if as_json:
        out.as_json([_record(number, text, known.get(oid)) for number, oid, text in lines])
        return 0
    last = None
    for number, oid, text in lines:
        if oid != last and line is None:
            out.say(_heading(known.get(oid)))
        last = oid
        out.say(f"{number:>5}  {text}")
    if line is not None and lines:
        out.say(_story(known.get(lines[0][1]), full))
    return 0


def _parts(place: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(.+):(\d+)", place)
    return (match[1], int(match[2])) if match else (place, None)


def _heading(commit: Commit | None) -> str:
    if commit is None:
        return "yours, not in git yet"
    return f"{commit.oid[:10]}  {commit.authored:%Y-%m-%d %H:%M}  {commit.author}  {commit.subject}"


def _story(commit: Commit | None, full: str) -> str:
    if commit is None:
        return f"  yours, not in git yet   git diff -- {full}"
    lines = [f"  {commit.subject}", f"  by {commit.author}, {commit.authored:%Y-%m-%d %H:%M}"]
    if commit.trailer("Session"):
        lines.append(f"  session {commit.trailer('Session')}   vaultgit log --session {commit.trailer('Session')}")
    lines.extend(f"  {line}" for line in commit.reason.split("\n") if line)
    lines.append(f"  git show {commit.oid[:10]}   take it back: vaultgit undo {commit.oid[:10]}")
    return "\n".join(lines)


def _record(number: int, text: str, commit: Commit | None) -> dict[str, object]:
    if commit is None:
        return {"line": number, "text": text, "oid": None}
    return {
        "line": number, "text": text, "oid": commit.oid, "edit": commit.trailer("Edit") or None,
        "author": commit.author, "agent": commit.trailer("Agent") or None,
        "session": commit.trailer("Session") or None, "date": commit.authored.isoformat(),
        "subject": commit.subject, "reason": commit.reason,
    }  # fmt: skip
