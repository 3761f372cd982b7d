from __future__ import annotations

import os
import shlex
from contextlib import suppress
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import result
from vaultgit.clock import SystemClock
from vaultgit.edits import outcome
from vaultgit.edits import submit
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.errors import VaultgitError
from vaultgit.vault import Vault

_MOST = 20  # notes that are offered to `record` by name


@click.group("session")
def command() -> None:
    """What an agent is at: what it did, read and noted becomes a note of its own when the session ends.

    \b
    Example:
      vaultgit session start "launch notes for Nova" --agent codex
      vaultgit session note "Ada wants the date first" --agent codex
      vaultgit session end -m "The notes are written; the date is open." --agent codex
    """


@command.command("start")
@click.argument("task", nargs=-1)
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
@options.dry_run_option
def start(
    task: tuple[str, ...], agent: str | None, session: str | None, vault: str | None, as_json: bool, dry_run: bool
) -> int:
    """Begin a session, and print its id. One that goes on already stays as it is, and gets this task.

    A start without an id (--session, VAULTGIT_SESSION, a client's) ends the earlier one that the same agent began so in
    the same folder; those with an id it ends when nothing happened in them for half a day.

    \b
    Example:
      vaultgit session start "launch notes for Nova" --agent codex
    """
    from vaultgit.checks.secrets import redact
    from vaultgit.passes import session as sessions

    with options.opened(vault) as opened:
        who = By(options.agent_name(agent), options.session_id(session))
        words, folder = " ".join(task), os.getcwd()
        if dry_run:
            return _would_begin(who, words, [one.id for one in sessions.earlier(opened, who, folder)], as_json)
        submit.drain(opened, SystemClock())
        for before, came in sessions.close_earlier(opened, SystemClock(), who, folder):
            _tell_closed(before.id, came)
        one = sessions.start(opened, SystemClock(), who, words, folder, anew=True)
        others = [other for other in sessions.open_sessions(opened) if other.agent == one.agent and other.id != one.id]
    if as_json:
        out.as_json(_row(one))
        return errors.DONE
    out.say(one.id)
    if who.session:
        out.talk("every edit that says this session belongs to it")
    elif others:
        out.talk(f"pass it on, since {out.count(len(others) + 1, 'session')} of {one.agent} are open:")
        out.talk(f"  export VAULTGIT_SESSION={shlex.quote(one.id)}    or --session {shlex.quote(one.id)}")
    else:
        out.talk(f"edits by {one.agent} belong to it while it is the only one; to be sure:")
        out.talk(f"  export VAULTGIT_SESSION={shlex.quote(one.id)}    or --session {shlex.quote(one.id)}")
    _tell_masked(redact(words)[1] > 0)
    out.talk("at its end: vaultgit session end")
    return errors.DONE


def _would_begin(who: By, task: str, closes: list[str], as_json: bool) -> int:
    """What --dry-run of `start` says."""
    from vaultgit.checks.secrets import redact

    if as_json:
        task = redact(task)[0]
        out.as_json({"outcome": "dry-run", "session": who.session, "agent": who.agent, "task": task, "closes": closes})
        return errors.DONE
    out.say(f"would begin a session of {who.agent or 'an agent that is to be named: --agent NAME'}")
    for session in closes:
        out.say(f"would close {session}")
    return errors.DONE


def _tell_closed(session: str, came: Result | VaultgitError | None) -> None:
    """What became of an earlier session. It is in nobody's way that it could not be closed."""
    if isinstance(came, VaultgitError):
        out.talk(f"{session} stays open: {came.message}")
        out.talk(f"  vaultgit session end --session {shlex.quote(session)}")
    elif came is None:
        out.talk(f"closed {session}: nothing was done in it, so that it has no note")
    else:
        out.talk(f"closed {session}: {came.path}{' (waits to be committed)' if came.outcome == 'queued' else ''}")


@command.command("note")
@click.argument("text", nargs=-1, required=True)
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
@options.dry_run_option
def note(
    text: tuple[str, ...], agent: str | None, session: str | None, vault: str | None, as_json: bool, dry_run: bool
) -> int:
    """Keep a remark for the session's note. No commit is made until the session ends. TEXT - reads standard input.

    \b
    Example:
      vaultgit session note "the launch moved to Friday" --agent codex
    """
    from vaultgit.checks.secrets import redact
    from vaultgit.passes import session as sessions

    words = " ".join(text)
    if words == "-":
        words = editing.standard_input("the remark").decode("utf-8", "replace")
    with options.opened(vault) as opened:
        who = By(options.agent_name(agent), options.session_id(session))
        who = who._replace(session=sessions.meant(opened, who))
        if not dry_run:
            sessions.say(opened, SystemClock(), who, words)
    if as_json:
        out.as_json({"outcome": "dry-run" if dry_run else "kept", "session": who.session})
        return errors.DONE
    out.say(f"{'would keep' if dry_run else 'kept'} in session {who.session}")
    _tell_masked(redact(words)[1] > 0)
    out.talk("it stands in the session's note when that ends: vaultgit session end")
    return errors.DONE


@command.command("end")
@click.option("-m", "--summary", default="", metavar="TEXT", help="What came of it; it stands at the top of the note.")
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
@options.dry_run_option
def end(summary: str, agent: str | None, session: str | None, vault: str | None, as_json: bool, dry_run: bool) -> int:
    """Write the session's note: its edits, what it read and noted, the skills it used. One edit by that agent.

    A session that goes on later is ended again: the same note gets what is new. One that did nothing leaves none.

    \b
    Example:
      vaultgit session end -m "The notes are written; the date is open." --agent codex
    """
    from vaultgit.passes import session as sessions

    with options.opened(vault) as opened:
        who = By(options.agent_name(agent), options.session_id(session))
        who = who._replace(session=sessions.meant(opened, who))
        try:
            if dry_run:
                return _foreseen(opened, who, summary, as_json)
            submit.drain(opened, SystemClock())
            changed = sessions.offer(opened, SystemClock(), who.session or "")
            done = sessions.end(opened, SystemClock(), who, summary)
        except Refused as error:
            return result.refused(error.problems, as_json)
        done = done or Result("unchanged", "", reason="nothing was done, read or noted in it, so that there is no note")
        if as_json:
            out.as_json({**outcome.as_json(done), "session": who.session, "unrecorded": changed})
            return errors.QUEUED if done.outcome == "queued" else errors.DONE
        code = result.show(done, as_json)
        _offer(changed, who)
        return code


def _foreseen(vault: Vault, who: By, summary: str, as_json: bool) -> int:
    """What --dry-run of `end` says. Raises Refused."""
    from vaultgit.passes import session as sessions

    ending = sessions.foreseen(vault, SystemClock(), who, summary)
    if ending is None:
        return result.show(Result("unchanged", "", reason="there is nothing that its note would get"), as_json)
    planned = submit.make(
        vault, SystemClock(), [ending.change], subject=ending.subject, reason=ending.reason, by=ending.by
    )
    submit.refuse_problems(vault, planned)
    return result.foreseen(submit.foresee(vault, planned), ending.subject, as_json)


def _offer(changed: list[str], who: By) -> None:
    """Names what lies on disk and is nobody's edit. Only who wrote it can say whose it is."""
    if not changed:
        return
    out.talk(f"{out.count(len(changed), 'note')} changed on disk during the session, and no edit holds that.")
    out.talk("Name those that you wrote, and they become your edit; what a person typed stays theirs:")
    whose = ["--agent", who.agent] if who.agent else []
    words = ["vaultgit", "record", *changed[:_MOST], "--session", who.session or "", *whose]
    out.talk(f"  {' '.join(map(shlex.quote, words))}")
    if len(changed) > _MOST:
        out.talk(f"  and {len(changed) - _MOST} more: git status")


@command.command("list")
@options.vault_option
@options.json_option
def list_(vault: str | None, as_json: bool) -> int:
    """List the sessions that are open, oldest first.

    \b
    Example:
      vaultgit session list --json
    """
    from vaultgit.passes import session as sessions

    with options.opened(vault) as opened:
        with suppress(VaultgitError):  # a list can be read where nothing can be written
            submit.drain(opened, SystemClock())
        every = sessions.open_sessions(opened)
    if as_json:
        out.as_json([_row(one) for one in every])
        return errors.DONE
    for one in every:
        noted = f"  {out.count(one.notes, 'remark')}" if one.notes else ""
        out.say(f"{one.began:%Y-%m-%d %H:%M}  {one.agent}  {one.id}  {one.task}{noted}")
    if not every:
        out.talk("no session is open; those that ended: vaultgit search type:session")
    return errors.DONE


@command.command("show")
@click.argument("session", required=False)
@options.agent_option
@options.vault_option
def show(session: str | None, agent: str | None, vault: str | None) -> int:
    """Show the note that a session would leave if it ended now.

    \b
    Example:
      vaultgit session show 2026-11-29-launch-notes
    """
    from vaultgit.passes import session as sessions

    with options.opened(vault) as opened:
        who = By(options.agent_name(agent), options.session_id(session))
        who = who._replace(session=sessions.meant(opened, who))
        ending = sessions.foreseen(opened, SystemClock(), who)
    if ending is None:
        out.talk("nothing was done, read or noted in it that its note does not have")
        return errors.DONE
    out.say((ending.change.new or b"").decode("utf-8", "replace").rstrip("\n"))
    out.talk(f"would be {ending.change.path}")
    return errors.DONE


def _row(one: Any) -> dict[str, Any]:
    return {**one._asdict(), "began": one.began.isoformat(), "last": one.last.isoformat()}


def _tell_masked(masked: bool) -> None:
    if masked:
        out.talk("what looked like a secret in it was masked")
