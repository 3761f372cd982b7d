"""What `agent install`, `remove` and `list` say of a client's settings: in words, and for programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

from vaultgit import errors
from vaultgit.cli import out

if TYPE_CHECKING:
    from vaultgit.install.clients import State
    from vaultgit.install.clients.client import Client
    from vaultgit.install.clients.plan import Plan
    from vaultgit.install.clients.trial import Tried


def did(plan: Plan, state: State | None = None) -> int:
    """Says what was done; returns how wide the first column is. `state`: as it is now, where lines may be missing."""
    done = [step for step in plan.steps if step.needed or state is None or state.instructions == step.path]
    wide = max((len(out.short(step.path)) for step in done), default=8)
    for step in done:
        beside = "; a backup is beside it" if step.backup is not None else ""
        out.done(f"{out.short(step.path):<{wide}}", f" {step.words}{beside}")
    for words in plan.stays:
        out.remark(out.short(words))
    return wide


def tell_trial(client: Client, tried: Sequence[Tried], wide: int) -> None:
    """Says how each hook's trial went."""
    fine = [one for one in tried if not one.failed]
    if fine:
        longest = max(one.seconds for one in fine)
        words = f" started {out.count(len(fine), 'hook')} as {client.TITLE} would: at most {longest:.2f} s"
        gave = [f"; {one.event} {one.said}" for one in fine if one.said]
        out.done(f"{'tried it':<{wide}}", "".join([words, *gave[:1]]))
    for one in tried:
        if one.failed:
            out.remark(f"tried it: {one.event} ({one.verb}) failed after {one.seconds:.2f} s: {one.failed}")
            out.say("  it lets the client go on all the same; mend: vaultgit doctor")


def tell_notes(state: State) -> None:
    """Says what keeps the hooks from working, and what mends it."""
    for note in state.notes:
        out.remark(f"{out.short(note.about)}: {out.short(note.what)}")
        out.say(f"  mend: {note.mend}")


def words(client: Client, state: State) -> str:
    """One line of `agent list`."""
    if not state.found:
        left = f", but {client.CALLED} in {out.short(state.command)}" if state.command else ""
        return f"not installed{left}: vaultgit agent install {client.NAME}"
    events = ", ".join(dict.fromkeys(one.event for one in state.found))
    vaults = ", ".join(out.short(name) for name in _vaults(state)) or "the default vault"
    called = f", lines in {client.INSTRUCTIONS}" if state.instructions else ""
    called += f", {client.CALLED}" if state.command else ""
    return f"{out.count(len(state.found), 'hook')} ({events}){called}, for {vaults}"


def _vaults(state: State) -> list[str]:
    from vaultgit.install.clients import entries

    return sorted({entries.option(one.command, "--vault") for one in state.found} - {""})


def would(client: Client, plan: Plan, as_json: bool) -> int:
    """Says what would be done; returns the exit code."""
    from vaultgit.install.clients import files

    if as_json:
        out.as_json(plan_as_json(client, plan, None, (), done=False))
        return errors.DONE
    if plan.empty:
        out.say("nothing to do")
    for step in plan.steps:
        verb = "delete" if step.after is None else "write"
        out.say(f"Would {verb} {out.short(step.path)}: {step.words}")
        if step.after is not None:
            for line in _difference(step.before or b"", step.after):
                out.say(f"  {line}")
        if step.backup is not None:
            out.say(f"  with a backup beside it, {os.path.basename(files.backup_of(step.path, step.backup))}")
    for path in plan.backups:
        out.say(f"Would delete {out.short(path)}")
    for words in plan.stays:
        out.remark(out.short(words))
    return errors.DONE


def _difference(before: bytes, after: bytes) -> list[str]:
    """Lines that come (+) and go (-), and only what is ours of them: settings may hold keys and tokens. So a line that
    gets or loses the comma behind it is not shown, and of JSON on one line only the hooks are."""
    import difflib

    from vaultgit.install.clients import entries
    from vaultgit.install.clients.jsontext import Broken

    texts = [data.decode("utf-8", "replace") for data in (before, after)]
    old, new = map(str.splitlines, texts)
    if len(old) == 1:
        try:
            was, is_now = ([f"{one.event}: {one.command}" for one in entries.ours(t.lstrip("\ufeff"))] for t in texts)
        except Broken:  # instructions
            pass
        else:
            gone = [f"-{line}" for line in was if line not in is_now]
            return gone + [f"+{line}" for line in is_now if line not in was]
    lines = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    bare = {sign: {line[1:].rstrip(" ,") for line in lines if line[0] == sign} for sign in "+-"}
    other = {"+": "-", "-": "+"}
    return [line for line in lines if line[0] in other and line[1:].rstrip(" ,") not in bare[other[line[0]]]]


def plan_as_json(
    client: Client, plan: Plan, state: State | None, tried: Sequence[Tried], *, done: bool
) -> dict[str, Any]:
    """An install or a removal for programs."""
    return {
        "client": client.NAME,
        "done": done,
        "files": [
            {
                "path": step.path,
                "what": "delete" if step.after is None else "write",
                "words": step.words,
                "backup": step.backup is not None,
            }
            for step in plan.steps
        ],
        "stays": plan.stays,
        "tried": [one._asdict() for one in tried],
        **({"state": state_as_json(state)} if state is not None else {}),
    }


def state_as_json(state: State) -> dict[str, Any]:
    """What stands in a client's settings, for programs."""
    return {
        "settings": state.settings,
        "hooks": [{"event": one.event, "verb": one.verb, "command": one.command} for one in state.found],
        "vaults": _vaults(state),
        "instructions": state.instructions or None,
        "command": state.command or None,
        "notes": [note._asdict() for note in state.notes],
    }
