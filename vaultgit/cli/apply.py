from __future__ import annotations

import json
from typing import Any

import click

from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import result
from vaultgit.edits.edit import PathChange
from vaultgit.errors import UsageError
from vaultgit.vault import Vault


@click.command("apply")
@editing.edit_options
def command(
    line: str | None, reason: str, agent: str | None, session: str | None, vault: str | None, as_json: bool,
    dry_run: bool,
) -> int:  # fmt: skip
    """Change several notes as one edit, from JSON on standard input: all of it lands, or none.

    \b
    Each change has a path and one of: text (with base, for a note that exists), set, append (with heading), delete.
    Example:
      {"line": "projects/nova: owner is Ada", "reason": "she said so",
       "changes": [{"path": "projects/nova.md", "set": {"owner": "[[Ada]]"}},
                   {"path": "people/ada.md", "append": "- owns [[Nova]]"},
                   {"path": "concepts/old.md", "delete": true}]}
    """
    given = _document(editing.standard_input("the JSON"))
    with options.opened(vault) as opened:
        who = editing.by(agent, session)
        return result.edit(
            opened, lambda: [_change(opened, one, who.agent) for one in given["changes"]],
            line=line if line is not None else given.get("line"), reason=reason or given.get("reason", ""), by=who,
            as_json=as_json, dry_run=dry_run,
        )  # fmt: skip


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


def _change(vault: Vault, one: dict[str, Any], agent: str | None) -> PathChange:
    from vaultgit.edits import compose

    path, kinds = one.get("path"), [kind for kind in ("text", "set", "append", "delete") if kind in one]
    if not isinstance(path, str) or len(kinds) != 1:
        raise UsageError(f"{path!r}: a change needs a path and exactly one of text, set, append, delete")
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
