from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from vaultgit import errors
from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import result
from vaultgit.clock import SystemClock
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from vaultgit.edits.move import Move


@click.command("move")
@click.argument("old", shell_complete=options.complete_path)
@click.argument("new", shell_complete=options.complete_path)
@editing.edit_options
def command(
    old: str, new: str, line: str | None, reason: str, agent: str | None, session: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Rename a note, another file or a folder, or move it into folder NEW; links to it and in it follow.

    Links keep the way they are written, and only those change that would lead elsewhere: in bodies, properties, embeds
    and the file cards of canvases (not in the text of their cards). A skill gets its new name and its next version.
    Nothing is ever overwritten.

    \b
    Example:
      vaultgit move people/x.md people/y.md
      vaultgit move notes/drafts archive/ --dry-run
    """
    from vaultgit.edits import move

    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)
        pair = inside(opened, old, new)
        try:
            planned = move.plan(opened, SystemClock(), [pair], agent=who.agent, reason=reason, seen=_shown)
        except Refused as error:
            return result.refused(error.problems, as_json)
        if not planned.moved:
            return result.show(Result("unchanged", "", path=pair[0], reason="it has that name already"), as_json)
        words = planned.line if line is None else line
        if dry_run:
            code = _foreseen(opened, planned, words, reason, who, as_json)
        else:
            code = result.edit(
                opened, lambda: planned.changes, line=words, reason=reason, by=who, as_json=as_json, dry_run=False
            )
        if code == errors.DONE:
            tell(planned)
            if not dry_run:
                move.tidy(opened, planned)
        return code


def inside(vault: Vault, old: str, new: str) -> tuple[str, str]:
    """Both paths as they are in the vault; a slash at the end of NEW, which says that it is a folder, stays."""
    folder = "/" if new.endswith("/") and vault.relative(new) else ""
    return vault.relative(old), vault.relative(new).rstrip("/") + folder


def tell(planned: Move) -> None:
    """What a person should know of a move, on standard error."""
    for note in planned.kept:
        out.talk(f"! {note.path} keeps {out.count(note.links, 'old link')}: {note.reason}")
    for remark in planned.remarks:
        out.talk(f"! {remark}")


def _shown(notes: list[str]) -> Iterable[str]:
    with out.Progress("looking at links") as progress:
        for note in notes:
            yield note
            progress.more()


def _foreseen(vault: Vault, planned: Move, line: str, reason: str, by: By, as_json: bool) -> int:
    """What would become of it: the files, the number of links by note, and the diff."""
    from vaultgit.edits import submit

    try:
        edit = submit.make(vault, SystemClock(), planned.changes, subject=line, reason=reason, by=by)
        submit.refuse_problems(vault, edit)
    except Refused as error:
        return result.refused(error.problems, as_json)
    diff = "".join(_diffs(planned))
    if as_json:
        out.as_json(
            {
                "outcome": "dry-run", "would": "committed", "line": line, "conflicts": [], "diff": diff,
                "path": next(iter(planned.moved.values())), "moved": planned.moved, "links": planned.followed,
                "versions": planned.versions, "kept": [note._asdict() for note in planned.kept],
            }
        )  # fmt: skip
        return errors.DONE
    out.say(f"would commit: {line}")
    for old, new in planned.moved.items():
        out.say(f"  {old} -> {new}")
    for note, links in planned.followed.items():
        out.say(f"  {note}: {out.count(links, 'link')}")
    for skill, version in planned.versions.items():
        out.say(f"  {skill}: version {version}, since its text changes")
    out.say(diff.rstrip("\n"))
    return errors.DONE


def _diffs(planned: Move) -> Iterator[str]:
    """Each file against what it was, a moved one under its old name."""
    from vaultgit.edits.edit import moves

    moved = moves(planned.changes)
    for new, old in moved:
        yield f"rename from {old.path}\nrename to {new.path}\n" + result.diff_of(new._replace(base=old.base))
    paths = {change.path for pair in moved for change in pair}
    for change in planned.changes:
        if change.path not in paths:
            yield result.diff_of(change)
