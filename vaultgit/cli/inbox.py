from __future__ import annotations

import sys
from contextlib import nullcontext

import click

from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import result
from vaultgit.clock import SystemClock
from vaultgit.edits import submit
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.passes.inbox import Wanted
from vaultgit.vault import Vault


@click.group("inbox", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> int | None:
    """Notes that wait for a person: what an agent was not sure of, and what could not be merged.

    \b
    Example:
      vaultgit inbox list
      vaultgit inbox accept 1
    """
    return ctx.invoke(list_, vault=None, as_json=False) if ctx.invoked_subcommand is None else None


@command.command("add")
@click.option("--target", required=True, metavar="PATH", help="The note it is about.")
@click.option("--reason", required=True, metavar="TEXT", help="Why it waits for a person.")
@click.option("--action", type=click.Choice(["append", "write"]), default="append", show_default=True)
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
@options.dry_run_option
def add(
    target: str, reason: str, action: str, agent: str | None, session: str | None, vault: str | None, as_json: bool,
    dry_run: bool,
) -> int:  # fmt: skip
    """Put a suggestion from standard input into the inbox.

    \b
    Example:
      echo "- allergic to peanuts" | vaultgit inbox add --target people/ada.md --reason "heard once"
    """
    from vaultgit.passes import inbox

    text = editing.standard_input("the suggested text")
    with options.opened(vault) as opened:
        by = editing.by(agent, session, opened)
        try:
            with nullcontext() if dry_run else inbox.deciding(opened, SystemClock()):
                wanted = inbox.add(opened, SystemClock(), opened.relative(target), text, reason, action, by)
                if dry_run:
                    return _foreseen(opened, wanted, as_json)
                done = inbox.carry_out(opened, SystemClock(), wanted)
        except Refused as error:
            return result.refused(error.problems, as_json)
        if as_json or done.outcome != "inbox":
            return result.show(done, as_json)
        out.say(f"inbox {done.oid} {done.inbox}")
        out.talk(f"it waits for a person: vaultgit inbox show {done.inbox}")
        return 0


@command.command("list")
@options.vault_option
@options.json_option
def list_(vault: str | None, as_json: bool) -> int:
    """List what waits, numbered, oldest first.

    \b
    Example:
      vaultgit inbox list --json
    """
    from vaultgit.passes import inbox

    with options.opened(vault) as opened:
        waiting = inbox.notes(opened)
        said = [] if as_json else [_begins(opened, note.path) for note in waiting]
    if as_json:
        out.as_json([note._asdict() for note in waiting])
        return 0
    for number, (note, words) in enumerate(zip(waiting, said, strict=True), 1):
        out.say(f"{number:>3}  {note.day}  {note.target}  {note.agent}: {note.reason}{words}")
    if not waiting:
        out.talk("the inbox is empty")
    return 0


def _begins(vault: Vault, path: str) -> str:
    """The first words of what an inbox note suggests to add: those for one note are told apart by them."""
    from vaultgit.edits import compose
    from vaultgit.passes import inbox

    try:
        proposal = inbox.read(vault, path)[1]
    except VaultgitError:
        return ""
    return f"  {compose.first_words(proposal.text)}" if proposal.action == "append" and proposal.text else ""


@command.command("show")
@click.argument("note")
@options.vault_option
@options.json_option
def show(note: str, vault: str | None, as_json: bool) -> int:
    """Show a suggestion, and what it would change in its note.

    \b
    Example:
      vaultgit inbox show 1
    """
    from vaultgit.edits.edit import PathChange
    from vaultgit.edits.readable import readable
    from vaultgit.edits.submit import current
    from vaultgit.passes import inbox

    with options.opened(vault) as opened:
        path = inbox.named(opened, note)
        data, proposal = inbox.read(opened, path)
        try:
            there = current(opened, readable(opened, proposal.target))
        except Refused as error:
            there, closed = None, str(error)
        else:
            closed = ""
        blob = opened.repo.blob(proposal.base) if proposal.base else None
    if as_json:
        text = None if proposal.text is None else proposal.text.decode("utf-8", "replace")
        out.as_json({"path": path, **proposal._asdict(), "text": text})
        return 0
    out.say(data.decode("utf-8", "replace").rstrip("\n"))
    if closed:
        out.talk(f"this cannot be accepted: {closed}")
    elif proposal.action != "append" or proposal.edit:
        if blob is not None and blob.data != there:
            out.say("\nwhat was wanted:")
            out.say(result.diff_of(PathChange(proposal.target, blob.data, proposal.text)).rstrip("\n"))
        out.say("\nagainst the note as it is now:")
        out.say(result.diff_of(PathChange(proposal.target, there, proposal.text)).rstrip("\n"))
        out.talk(f"vaultgit inbox accept {note}           merges it")
        out.talk(f"vaultgit inbox accept {note} --whole   takes it as the whole note")
    else:
        out.talk(f"vaultgit inbox accept {note}           adds it to {proposal.target}")
    if proposal.text is not None and not closed:
        out.talk(f"vaultgit inbox edit {note}             the same, with your changes (or make them in the note first)")
    out.talk(f"vaultgit inbox reject {note}           drops it; it does not come back (nor when you delete its file)")
    return 0


@command.command("accept")
@click.argument("note")
@click.option("--whole", is_flag=True, help="Take the suggested text as the whole note, where it does not merge.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def accept(note: str, whole: bool, agent: str | None, vault: str | None, as_json: bool, dry_run: bool) -> int:
    """Bring a suggestion into its note, with what you edited in it.

    \b
    Example:
      vaultgit inbox accept 1 --dry-run
    """
    from vaultgit.passes import inbox

    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "accepting an inbox note")
        try:
            with nullcontext() if dry_run else inbox.deciding(opened, SystemClock()):
                path = inbox.named(opened, note)
                proposal = inbox.read(opened, path)[1]
                wanted = inbox.accept(opened, path, whole=whole)
                if dry_run:
                    return _foreseen(opened, wanted, as_json)
                done = inbox.carry_out(opened, SystemClock(), wanted)
            became = "is gone" if proposal.text is None else f"holds {proposal.agent or 'the'}'s text"
            means = f"{proposal.target} {became} now; {path} is gone. Take it back: "
            return result.show(done, as_json, means=means.replace("{", "{{").replace("}", "}}") + "vaultgit undo {oid}")
        except Refused as error:
            return result.refused(error.problems, as_json)


@command.command("edit")
@click.argument("note")
@click.option("--whole", is_flag=True, help="Take your text as the whole note, where it does not merge.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def edit(note: str, whole: bool, agent: str | None, vault: str | None, as_json: bool, dry_run: bool) -> int:
    """Change a suggested text, in your editor or from standard input, and bring it into its note.

    \b
    Example:
      vaultgit inbox edit 1
      vaultgit inbox edit 1 < better.md
    """
    from vaultgit.cli import editor
    from vaultgit.passes import inbox

    with options.opened(vault) as opened:
        options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "accepting an inbox note")
        path = inbox.named(opened, note)
        proposal = inbox.read(opened, path)[1]
        if proposal.text is None:
            raise UsageError(f"{path} suggests to delete {proposal.target}: no text to edit", "vaultgit inbox list")
        given = editor.edited(opened, proposal.text) if sys.stdin.isatty() else sys.stdin.buffer.read()
        if given == b"":
            raise UsageError("no text came on standard input", f"vaultgit inbox edit {note} < FILE")
        if not given or not given.strip() or given == proposal.text:
            reason = f"the text is as it was. To take it so: vaultgit inbox accept {note}"
            return result.show(Result("unchanged", "", path=path, reason=reason), as_json)
        try:
            with nullcontext() if dry_run else inbox.deciding(opened, SystemClock()):
                wanted = inbox.accept(opened, path, whole=whole, text=given)
                if dry_run:
                    return _foreseen(opened, wanted, as_json)
                done = inbox.carry_out(opened, SystemClock(), wanted)
        except Refused as error:
            if not dry_run:
                _keep(opened, path, given)
            return result.refused(error.problems, as_json)
        means = f"{proposal.target} holds your text now; {path} is gone. Take it back: "
        return result.show(done, as_json, means=means.replace("{", "{{").replace("}", "}}") + "vaultgit undo {oid}")


def _keep(vault: Vault, path: str, text: bytes) -> None:
    """What a person typed is not lost because it cannot be accepted."""
    from vaultgit.passes import inbox

    try:
        inbox.carry_out(vault, SystemClock(), inbox.edited(vault, path, text))
        out.talk(f"your text is kept: it stands in {path}")
    except Refused:
        out.talk("your text could not be kept in the inbox note either:")
        out.talk(text.decode("utf-8", "replace").rstrip("\n"))


@command.command("reject")
@click.argument("note")
@click.option("--reason", default="", metavar="TEXT", help="Why not; it stands in the commit.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def reject(note: str, reason: str, agent: str | None, vault: str | None, as_json: bool, dry_run: bool) -> int:
    """Drop a suggestion; it does not come back (.vaultgit/declined.md).

    \b
    Example:
      vaultgit inbox reject 1 --reason "that was her sister"
    """
    from vaultgit.passes import inbox

    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "rejecting an inbox note")
        try:
            with nullcontext() if dry_run else inbox.deciding(opened, SystemClock()):
                path = inbox.named(opened, note)
                wanted = inbox.reject(opened, SystemClock(), path, reason)
                if dry_run:
                    return _foreseen(opened, wanted, as_json)
                done = inbox.carry_out(opened, SystemClock(), wanted)
            return result.show(done, as_json, means=f"{out.clean(path)} is gone, and remembered in {inbox.DECLINED}")
        except Refused as error:
            return result.refused(error.problems, as_json)


def _foreseen(vault: Vault, wanted: Wanted, as_json: bool) -> int:
    """What --dry-run says. Raises Refused."""
    if wanted.known:
        return result.show(Result("unchanged", "", path=wanted.changes[0].path, reason=wanted.known), as_json)
    planned = submit.make(
        vault, SystemClock(), wanted.changes, subject=wanted.subject, reason=wanted.reason, by=wanted.by,
        trailers=wanted.trailers, housekeeping=wanted.housekeeping,
    )  # fmt: skip
    if not wanted.housekeeping:
        submit.refuse_problems(vault, planned)
    return result.foreseen(submit.foresee(vault, planned), wanted.subject, as_json)
