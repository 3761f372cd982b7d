from __future__ import annotations

import os

import click

from vaultgit import agents
from vaultgit import errors
from vaultgit.agents.headless import INSIDE
from vaultgit.cli import editing
from vaultgit.cli import hookpayload
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import result
from vaultgit.clock import SystemClock
from vaultgit.edits import submit
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.vault import Vault


@click.command("record")
@click.argument("paths", shell_complete=options.complete_path, metavar="[PATH…]", nargs=-1)
@click.option("--base", metavar="OID", help="What the note was before, as `vaultgit read` gave it (one PATH).")
@click.option("--begin", is_flag=True, help="Only look which notes are clean now; a later record knows then.")
@editing.edit_options
def command(
    paths: tuple[str, ...], base: str | None, begin: bool, line: str | None, reason: str, agent: str | None,
    session: str | None, vault: str | None, as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Make what an agent's own tools changed on disk that agent's edit.

    What was replaced is told by the client's hook (its JSON on standard input), by --base, or is what is committed, for
    notes that had no text of a person's before. Without PATH and without a hook: all notes that were clean when the
    same agent last looked, at --begin, at status, or at its last record, within the hour (or at init, ten minutes ago).

    \b
    Example:
      vaultgit record people/ada.md --agent codex -m "people/ada: met at the fair"
      vaultgit record --agent claude-code < payload-of-PostToolUse.json
    """
    if INSIDE in os.environ:
        return errors.DONE
    if base is not None and len(paths) != 1:
        raise UsageError("--base belongs to one PATH", "vaultgit record people/ada.md --base OID")
    payload = {} if begin or paths else hookpayload.read("vaultgit record < /dev/null")
    who = editing.by(agent, session)
    told = agents.report(payload, who.agent)
    if told.client is not None:
        who = By(who.agent or told.client.name, who.session or told.client.session)
    if who.agent is None:
        if payload:
            return _let_go("it is not known which agent this is")
        raise UsageError("it is not known whose work this is", "name the agent: vaultgit record --agent NAME")
    if payload and not told.wrote:
        return errors.DONE  # a tool that reads, or a shell: it does not say what it changed
    try:
        with options.opened(vault) as opened:
            who = who._replace(session=who.session or options.session_id(None, opened, who.agent))
            if begin:
                return _begin(opened, who, as_json)
            return _record(opened, paths, base, told, line, reason, who, as_json=as_json, dry_run=dry_run)
    except VaultgitError as error:
        if payload:
            return _let_go(error.message)
        raise


def _let_go(why: str) -> int:
    """A client's hook that cannot do its work does not hold the agent up."""
    out.talk(f"vaultgit: nothing recorded: {why}")
    return errors.DONE


def _begin(vault: Vault, who: By, as_json: bool) -> int:
    from vaultgit.edits import seen

    dirty = seen.unsaved(vault)
    seen.look(vault, SystemClock(), who.session or who.agent, dirty)
    if as_json:
        out.as_json({"dirty": dirty})
    else:
        out.say(f"looked: {out.count(len(dirty), 'file')} with text that is not in git yet, which record leaves alone")
    return errors.DONE


def _record(
    vault: Vault, paths: tuple[str, ...], base: str | None, told: agents.Report, line: str | None, reason: str, who: By,
    *, as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    from vaultgit.edits import record
    from vaultgit.edits import seen

    clock, name = SystemClock(), who.session or who.agent
    try:
        if told.wrote:
            found = record.from_report(vault, told.wrote, told.folder)
        else:
            look = seen.last(vault, clock, name)
            if not paths and look is None:
                return _unknown()
            inside = [vault.relative(path) for path in paths]
            for path in inside:
                submit.refuse_path(vault, path, who.agent)
            found = record.from_disk(vault, inside, look, base)
        for one in found.left:
            out.talk(f"left alone: {one.path}: {one.why.replace('PATH', one.path)}")
        changes = [change for change in found.changes if change.base != change.new]
        if not changes:
            nothing = "no note differs that was clean before"
            result.show(Result("unchanged", "", path=next(iter(paths), ""), reason=nothing), as_json)
            return errors.REFUSED if found.left and paths else errors.DONE
        words = line if line is not None else record.line(changes)
        trailers = record.trailers(vault, changes)
        if dry_run:
            planned = submit.make(vault, clock, changes, subject=words, reason=reason, by=who, trailers=trailers)
            submit.refuse_problems(vault, planned)
            return result.foreseen([(change, "") for change in changes], words, as_json)
        done = submit.submit(vault, clock, changes, subject=words, reason=reason, by=who, trailers=trailers)
    except Refused as error:
        return result.refused(error.problems, as_json)
    seen.look(vault, clock, name)
    return result.show(done, as_json)


def _unknown() -> int:
    """Without a look nobody can tell an agent's text from a person's."""
    out.talk("not recorded: it is not known which notes were clean before you changed them")
    out.talk("  vaultgit record PATH --base OID says so for one; next time vaultgit record --begin before you start")
    return errors.REFUSED
