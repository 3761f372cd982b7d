from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError

if TYPE_CHECKING:
    from vaultgit.install.clients import State
    from vaultgit.install.clients.client import Client
    from vaultgit.install.clients.plan import Plan
    from vaultgit.install.clients.trial import Tried


@click.group("agent", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> int | None:
    """Hooks of ours in the user's settings of agent clients: claude, codex.

    They give a conversation the notes that its work and each prompt call for, commit what the client's own tools wrote
    in the vault, and before a conversation is compacted and when it ends, capture it and write the session's note.
    Nothing of it can stop a client or hold it up.

    \b
    Example:
      vaultgit agent install claude --dry-run
      vaultgit agent list
    """
    return ctx.invoke(list_, client=None, as_json=False) if ctx.invoked_subcommand is None else None


@command.command("install")
@click.argument("client", metavar="CLIENT")
@options.vault_option
@options.agent_option
@options.json_option
@options.dry_run_option
def install(client: str, vault: str | None, agent: str | None, as_json: bool, dry_run: bool) -> int:
    """Put hooks, three lines of instructions and a command /recap for this vault into the user's settings of CLIENT;
    again: bring them up to date.

    Every byte of yours stays, no permission is added, and `vaultgit agent remove CLIENT` is the exact inverse. Each
    hook is tried once.

    \b
    Example:
      vaultgit agent install claude --dry-run
      vaultgit agent install claude
    """
    from vaultgit.install import clients

    with options.opened(vault) as opened:
        root = opened.root
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "what agents' settings hold")
    chosen = clients.named(client)
    where = clients.folder(chosen, os.environ)
    made = not os.path.isdir(where)
    plan = clients.plan_install(chosen, where, root)
    if dry_run:
        return _would(chosen, plan, as_json)
    failed_lines = clients.apply(chosen, where, plan)
    tried = _try(chosen, where, root)
    state = clients.state(chosen, where)
    failed = any(one.failed for one in tried)
    if as_json:
        out.as_json(_as_json(chosen, plan, state, tried, done=True))
        return errors.REFUSED if failed else errors.DONE
    if plan.empty:
        out.say(f"nothing to do: {chosen.TITLE} has hooks for {out.short(root)}")
    wide = _did(plan, state)
    for words in failed_lines:
        out.remark(f"{out.short(words)}; hooks work without: the lines are shown by agent install --dry-run")
    _tell_trial(chosen, tried, wide)
    out.say(f"No permission was added{chosen.LEAVE}: what an agent may do stays what it was")
    if made:
        out.remark(f"{out.short(where)} was not there and was made: is {chosen.TITLE} installed?")
    _tell_notes(state)
    out.say(f"Call:  {chosen.CALLED} in a conversation captures it at once")
    out.say(f"Undo:  vaultgit agent remove {chosen.NAME}")
    return errors.REFUSED if failed else errors.DONE


@command.command("remove")
@click.argument("client", metavar="CLIENT")
@options.vault_option
@options.agent_option
@options.json_option
@options.dry_run_option
def remove(client: str, vault: str | None, agent: str | None, as_json: bool, dry_run: bool) -> int:
    """Take our hooks, lines and /recap out of the settings of CLIENT: to the byte, where nobody changed them since.

    \b
    Example:
      vaultgit agent remove claude --dry-run
      vaultgit agent remove claude
    """
    from vaultgit.install import clients

    if not dry_run:
        _refuse_agents(vault, agent)
    chosen = clients.named(client)
    where = clients.folder(chosen, os.environ)
    plan = clients.plan_remove(chosen, where)
    if dry_run:
        return _would(chosen, plan, as_json)
    clients.apply(chosen, where, plan)
    if as_json:
        out.as_json(_as_json(chosen, plan, None, (), done=True))
        return errors.DONE
    if plan.empty:
        out.say(f"nothing to do: {chosen.TITLE} has nothing of ours")
    _did(plan)
    return errors.DONE


@command.command("list")
@click.argument("client", required=False, metavar="[CLIENT]")
@options.json_option
def list_(client: str | None, as_json: bool) -> int:
    """List what of ours stands in the settings of clients, and what keeps it from working.

    \b
    Example:
      vaultgit agent list
    """
    from vaultgit.install import clients

    every = [clients.named(client)] if client else list(clients.CLIENTS)
    listed, code = [], errors.DONE
    for one in every:
        try:
            state = clients.state(one, clients.folder(one, os.environ))
        except UsageError as error:  # what can be said of the others is said
            code = errors.REFUSED
            listed.append({"client": one.NAME, "problem": _why(error)})
            if not as_json:
                out.say(f"{one.NAME:<8} problem: {_why(error)}")
            continue
        listed.append({"client": one.NAME, **_state(state)})
        if not as_json:
            out.say(f"{one.NAME:<8} {_words(one, state)}")
            _tell_notes(state)
    if as_json:
        out.as_json(listed)
    return code


def _why(error: UsageError) -> str:
    return error.message.removesuffix("; nothing was written")


def _refuse_agents(vault: str | None, agent: str | None) -> None:
    """The vault may be gone: what it left in the settings can be taken out all the same."""
    name, what = options.agent_name(agent), "what agents' settings hold"
    try:
        with options.opened(vault) as opened:
            allowed = options.may_decide(opened.repo, name)
    except VaultgitError:
        allowed = False
    if not allowed:
        options.deciding_is_a_persons(None, name, what)


def _try(client: Client, where: str, root: str) -> list[Tried]:
    from vaultgit.install import clients
    from vaultgit.install.clients import trial

    return [trial.start(client, where, hook, os.environ, _here()) for hook in clients.hooks(client, root)]


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is gone
        return ""


# -- words -----------------------------------------------------------------------------------------


def _did(plan: Plan, state: State | None = None) -> int:
    """Says what was done; returns how wide the first column is. `state`: as it is now, where lines may be missing."""
    done = [step for step in plan.steps if step.needed or state is None or state.instructions == step.path]
    wide = max((len(out.short(step.path)) for step in done), default=8)
    for step in done:
        beside = "; a backup is beside it" if step.backup is not None else ""
        out.done(f"{out.short(step.path):<{wide}}", f" {step.words}{beside}")
    for words in plan.stays:
        out.remark(out.short(words))
    return wide


def _tell_trial(client: Client, tried: Sequence[Tried], wide: int) -> None:
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


def _tell_notes(state: State) -> None:
    for note in state.notes:
        out.remark(f"{out.short(note.about)}: {out.short(note.what)}")
        out.say(f"  mend: {note.mend}")


def _words(client: Client, state: State) -> str:
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


def _would(client: Client, plan: Plan, as_json: bool) -> int:
    if as_json:
        out.as_json(_as_json(client, plan, None, (), done=False))
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
            out.say(f"  with a backup beside it, {os.path.basename(step.path)}.vaultgit-backup")
    for path in plan.backups:
        out.say(f"Would delete {out.short(path)}")
    for words in plan.stays:
        out.remark(out.short(words))
    return errors.DONE


def _difference(before: bytes, after: bytes) -> list[str]:
    """Lines that come (+) and go (-), and only what is ours of them: settings may hold keys and tokens. So a line that
    gets or loses the comma behind it is not shown, and in a file of one line only the hooks are."""
    import difflib

    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    if len(old) == 1:
        from vaultgit.install.clients import entries

        was, is_now = (
            [f"{one.event}: {one.command}" for one in entries.ours(line[0].lstrip("\ufeff"))] for line in (old, new)
        )
        return [f"-{line}" for line in was if line not in is_now] + [f"+{line}" for line in is_now if line not in was]
    lines = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    bare = {sign: {line[1:].rstrip(" ,") for line in lines if line[0] == sign} for sign in "+-"}
    other = {"+": "-", "-": "+"}
    return [line for line in lines if line[0] in other and line[1:].rstrip(" ,") not in bare[other[line[0]]]]


def _as_json(client: Client, plan: Plan, state: State | None, tried: Sequence[Tried], *, done: bool) -> dict[str, Any]:
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
        **({"state": _state(state)} if state is not None else {}),
    }


def _state(state: State) -> dict[str, Any]:
    return {
        "settings": state.settings,
        "hooks": [{"event": one.event, "verb": one.verb, "command": one.command} for one in state.found],
        "vaults": _vaults(state),
        "instructions": state.instructions or None,
        "command": state.command or None,
        "notes": [note._asdict() for note in state.notes],
    }
