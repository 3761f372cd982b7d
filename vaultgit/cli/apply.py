from __future__ import annotations

import json
from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import editing
from vaultgit.cli import move
from vaultgit.cli import options
from vaultgit.cli import result
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.errors import UsageError
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from vaultgit.edits.move import Move


@click.command("apply")
@editing.edit_options
def command(
    line: str | None, reason: str, agent: str | None, session: str | None, vault: str | None, as_json: bool,
    dry_run: bool,
) -> int:  # fmt: skip
    """Change several notes as one edit, from JSON on standard input: all of it lands, or none.

    \b
    Each change has a path and one of: text (with base, for a note that exists), set,
    append (with heading), delete, move (the new path; links follow).
    Example: vaultgit apply < edit.json, where edit.json holds
      {"line": "projects/nova: owner is Ada", "reason": "she said so",
       "changes": [{"path": "projects/nova.md", "set": {"owner": "[[Ada]]"}},
                   {"path": "people/ada.md", "append": "- owns [[Nova]]"},
                   {"path": "concepts/old.md", "delete": true}]}
    """
    from vaultgit.edits import move as planning

    given = _document(editing.standard_input("the JSON"))
    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)
        why = reason or given.get("reason", "")
        moves, others = _apart(given["changes"])
        try:
            planned = _moves(opened, moves, who.agent, why)
        except Refused as error:
            return result.refused(error.problems, as_json)
        words = line if line is not None else given.get("line")
        code = result.edit(
            opened, lambda: _together(planned, [_change(opened, one, who.agent) for one in others]),
            line=planned.line if planned and words is None and not others else words, reason=why, by=who,
            as_json=as_json, dry_run=dry_run,
        )  # fmt: skip
        if planned and code == errors.DONE:
            move.tell(planned)
            if not dry_run:
                planning.tidy(opened, planned)
        return code


def _document(data: bytes) -> dict[str, Any]:
    try:
        given: dict[str, Any] = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"standard input is not JSON: {error}", "vaultgit apply --help shows an example") from error
    changes = given.get("changes") if isinstance(given, dict) else None
    if not isinstance(changes, list) or not changes or not all(isinstance(one, dict) for one in changes):
        raise UsageError('the JSON needs "changes", a list of objects', "vaultgit apply --help shows an example")
    for name in ("line", "reason"):
        if not isinstance(given.get(name, ""), str):
            raise UsageError(f'"{name}" should be text')
    if _surrogate(given):
        raise UsageError("the JSON holds half of a surrogate pair, which is no text", "send UTF-8")
    paths = [one.get("path") for one in changes]
    if len(set(map(str, paths))) != len(paths):
        raise UsageError("a path is named twice", "put all that one note needs into one change")
    return given


def _apart(changes: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The moves, and all else."""
    moves = [one for one in changes if set(one) == {"path", "move"}]
    return moves, [one for one in changes if one not in moves]


def _moves(vault: Vault, given: list[dict[str, Any]], agent: str | None, reason: str) -> Move | None:
    from vaultgit.clock import SystemClock
    from vaultgit.edits.move import plan

    pairs = []
    for one in given:
        if not isinstance(one["path"], str) or not isinstance(one["move"], str):
            raise UsageError(f"{one['path']!r}: move takes the new path, not {one['move']!r}")
        pairs.append(move.inside(vault, one["path"], one["move"]))
    return plan(vault, SystemClock(), pairs, agent=agent, reason=reason) if pairs else None


def _together(planned: Move | None, changes: list[PathChange]) -> list[PathChange]:
    """All changes of the edit, each note once."""
    moving = planned.changes if planned else []
    twice = {change.path for change in moving}.intersection(change.path for change in changes)
    if twice:
        what = f"{', '.join(sorted(twice))}: changed here, and by the move as well"
        raise UsageError(what, "make the move an edit of its own")
    if not moving and not changes:
        raise UsageError("nothing would move: each path is the one it has")
    return [*moving, *changes]


def _change(vault: Vault, one: dict[str, Any], agent: str | None) -> PathChange:
    from vaultgit.edits import compose

    path, kinds = one.get("path"), [kind for kind in ("text", "set", "append", "delete", "move") if kind in one]
    if not isinstance(path, str) or len(kinds) != 1:
        raise UsageError(f"{path!r}: a change needs a path and exactly one of text, set, append, delete, move")
    for name in ("base", "heading"):
        if not isinstance(one.get(name, ""), str):
            raise UsageError(f"{path}: {name} should be text, not {one[name]!r}")
    inside, value = vault.relative(path), one[kinds[0]]
    if kinds == ["text"] and isinstance(value, str):
        return compose.write(vault, inside, value.encode("utf-8", "surrogateescape"), one.get("base"), agent)
    if kinds == ["set"] and isinstance(value, dict):
        return compose.set_properties(vault, inside, value, agent)
    if kinds == ["append"] and isinstance(value, str):
        return compose.append(vault, inside, value.encode("utf-8", "surrogateescape"), one.get("heading"), agent)
    if kinds == ["delete"] and value is True:
        return compose.delete(vault, inside, agent)
    raise UsageError(f"{path}: {kinds[0]} cannot be {value!r}")


def _surrogate(value: Any) -> bool:
    if isinstance(value, str):
        return not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value)
    if isinstance(value, dict):
        return any(map(_surrogate, (*value, *value.values())))
    return isinstance(value, list) and any(map(_surrogate, value))
