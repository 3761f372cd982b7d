from __future__ import annotations

from collections.abc import Sequence
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
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from vaultgit.edits.edit import PathChange
    from vaultgit.passes.skillexport import Item
    from vaultgit.passes.skillexport import Plan
    from vaultgit.passes.skillimport import Imported

SHOWN = 20  # lines of a kind; --json has all


@click.group("skill", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> int | None:
    """Skills: procedures that agents wrote for themselves, in plain language.

    \b
    Example:
      vaultgit skill list
      vaultgit skill show release-notes --used
    """
    default = ctx.invoked_subcommand is None
    return ctx.invoke(list_, revision=None, vault=None, as_json=False) if default else None


@command.command("list")
@click.option("--at", "revision", metavar="REF", help="As that commit holds them.")
@options.vault_option
@options.json_option
def list_(revision: str | None, vault: str | None, as_json: bool) -> int:
    """List the skills: name, version, pinned, last use and number of sessions that used it, when to use it.

    \b
    Example:
      vaultgit skill list --at v1.0 --json
    """
    from vaultgit.passes import skills

    with options.opened(vault) as opened:
        commit = opened.repo.resolve(revision or "HEAD")
        if commit is None and revision:
            raise UsageError(f"{revision} is no commit here", "git log --oneline")
        found = skills.listed(opened, commit) if commit else skills.Listing([], {})
    if as_json:
        broken = [{"path": path, "why": why} for path, why in found.broken.items()]
        out.as_json({"skills": [row._asdict() for row in found.rows], "broken": broken})
        return 0
    wide = max((len(row.name) for row in found.rows), default=0)
    for row in found.rows:
        used = f"{row.last} {f'({row.uses})':<5}" if row.uses else f"{'never used':<16}"
        pinned = "pinned" if row.pinned else ""
        out.say(f"{row.name:<{wide}}  v{row.version:<3} {used} {pinned:<6}  {_short(row.trigger)}")
    for path, why in found.broken.items():
        out.remark(f"{path} is left alone: {why}")
    if not found.rows and not found.broken:
        out.talk('no skill yet; make one: vaultgit skill new NAME --trigger "when to use it" < steps.md')
    return 0


@command.command("show")
@click.argument("name")
@click.option("--used", is_flag=True, help="Note that this session uses it. Makes no commit.")
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
def show(name: str, used: bool, agent: str | None, session: str | None, vault: str | None, as_json: bool) -> int:
    """Print a skill's text, and on standard error the oid to pass as --base. NAME: name, path, or an old name.

    \b
    Example:
      vaultgit skill show release-notes --used
    """
    from vaultgit.edits import compose
    from vaultgit.notes import frontmatter
    from vaultgit.passes import skills

    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)
        found = skills.find(opened, name, who.agent)
        if used:
            skills.record(opened, SystemClock(), who, [found.path])
        oid = compose.blob_of(opened, found.path, found.data)
        if as_json:
            values, text = frontmatter.read(found.data).values, found.data.decode("utf-8", "replace")
            out.as_json({"path": found.path, "oid": oid, "properties": values, "text": text})
            return 0
        out.raw(found.data)
        if found.alias:
            out.talk(f"{name} is {found.path} now")
        out.talk(f"base {oid}")
        return 0


@command.command("used")
@click.argument("names", nargs=-1, metavar="[NAME…]")
@click.option("--note", metavar="PATH", help="Put what was used into this session note.")
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
@options.dry_run_option
def used(
    names: tuple[str, ...], note: str | None, agent: str | None, session: str | None, vault: str | None, as_json: bool,
    dry_run: bool,
) -> int:  # fmt: skip
    """Note that this session used a skill. Makes no commit; without NAME: what no session note has yet.

    \b
    Example:
      vaultgit skill used release-notes --session 2026-11-29-launch
      vaultgit skill used --note sessions/2026-11-29-launch.md
    """
    from vaultgit.passes import skills

    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)
        paths = [skills.find(opened, name, who.agent).path for name in names]
        if paths and not dry_run:
            skills.record(opened, SystemClock(), who, paths)
        if note is not None:
            return _take_over(opened, who, opened.relative(note), as_json, dry_run)
        waiting = skills.recorded(opened, who)
    if as_json:
        out.as_json([one._asdict() for one in waiting])
    elif paths:
        would = "would be noted" if dry_run else "noted, no commit made"
        out.say(f"{would}: {', '.join(paths)}")
    else:
        for one in waiting:
            out.say(f"{one.day} {one.time}  {one.skill}")
        hint = "put them into the session's note: vaultgit skill used --note sessions/NOTE.md"
        out.talk(hint if waiting else "this session has used no skill that its note does not have")
    return 0


def _take_over(vault: Vault, who: By, path: str, as_json: bool, dry_run: bool) -> int:
    from vaultgit.edits import submit
    from vaultgit.passes import skills

    try:
        taken = skills.take_over(vault, who, path)
        for gone in taken.gone:
            out.talk(f"{gone} is no longer there: left out")
        if not dry_run:
            return result.show(skills.carry_out(vault, SystemClock(), taken, who), as_json)
        if taken.known:
            return result.show(Result("unchanged", "", path=path, reason=taken.known), as_json)
        edit = submit.make(vault, SystemClock(), [taken.change], subject=taken.subject, reason="", by=who)
        submit.refuse_problems(vault, edit)
        return result.foreseen(submit.foresee(vault, edit), taken.subject, as_json)
    except Refused as error:
        return result.refused(error.problems, as_json)


@command.command("new")
@click.argument("name")
@click.option("--trigger", required=True, metavar="TEXT", help="When to use it.")
@click.option("--again", is_flag=True, help="Also where a skill like it was dropped before.")
@editing.edit_options
def new(
    name: str, trigger: str, again: bool, line: str | None, reason: str, agent: str | None, session: str | None,
    vault: str | None, as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Write a new skill from standard input: the steps; front matter is added.

    \b
    Example:
      vaultgit skill new release-notes --trigger "release notes are wanted" < steps.md
    """
    from vaultgit.passes import skills

    body = editing.standard_input("the skill's text")
    with options.opened(vault) as opened:
        who = editing.by(agent, session, opened)

        def compose() -> list[PathChange]:
            change = skills.new(opened, SystemClock(), name, trigger, body, who.agent)
            if change.base != change.new and not again:
                _refuse_dropped(opened, name, trigger)
            return [change]

        return result.edit(
            opened, compose, line=line, reason=reason, by=who, as_json=as_json, dry_run=dry_run
        )  # fmt: skip


def _refuse_dropped(vault: Vault, name: str, trigger: str) -> None:
    from vaultgit.passes import stale

    dropped = stale.dropped_before(vault, name, trigger)
    if dropped:
        raise VaultgitError(f"a skill like {name} was there: {dropped}", "to make it all the same: --again")


# -- folders of Agent Skills ---------------------------------------------------------------------------------------


@command.command("import")
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER…")
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
@options.dry_run_option
def import_(
    folders: tuple[str, ...], agent: str | None, session: str | None, vault: str | None, as_json: bool, dry_run: bool
) -> int:
    """Take Agent Skills into the vault: a folder with a SKILL.md, a tree of them, or one SKILL.md. One edit a skill.

    What lies beside a SKILL.md comes along, into a folder beside the note. A name that is taken is skipped.

    \b
    Example:
      vaultgit skill import ~/src/skills --dry-run
    """
    from vaultgit.passes import skillimport

    with options.opened(vault) as opened, out.Progress("importing skills") as progress:
        who = editing.by(agent, session, opened)
        clock = SystemClock()
        # A session of its own, so that one command takes all of it back.
        who = who._replace(session=who.session or f"import-{clock.now():%Y-%m-%d-%H%M%S}")
        found = skillimport.find(*folders)
        planned = skillimport.drafts(opened, clock, found, who.agent)
        if dry_run:
            done = skillimport.foreseen(opened, clock, planned, who)
        else:
            done = skillimport.carry_out(opened, clock, planned, who, progress.more)
    if as_json:
        out.as_json([one._asdict() for one in done])
    else:
        _tell_imported(done, who.session or "", dry_run)
    bad = any(one.outcome == "refused" for one in done)
    waits = any(one.outcome == "queued" for one in done)
    return errors.REFUSED if bad else errors.QUEUED if waits else errors.DONE


def _tell_imported(done: Sequence[Imported], session: str, dry_run: bool) -> None:
    landed = [one for one in done if one.outcome in ("committed", "merged", "new", "changed")]
    first = f"{'would import' if dry_run else 'imported'} {len(landed):,} of {out.count(len(done), 'skill')}"
    words = {
        "unchanged": "here already", "taken": "not taken, the name is", "refused": "refused", "queued": "queued",
        "inbox": "in the inbox",
    }  # fmt: skip
    counts = {key: sum(one.outcome == key for one in done) for key in words}
    out.say(", ".join([first, *(f"{counts[key]:,} {words[key]}" for key in words if counts[key])]))
    _lines([one.path for one in landed], "  + ")
    _lines([f"{one.source}: {one.why}" for one in done if one.outcome == "taken"], "  skipped ")
    _lines([f"{one.source}: {one.why}" for one in done if one.outcome in ("inbox", "queued")], "  waits ")
    for one in done:
        if one.outcome == "refused":
            first, *more = one.why.split("\n")
            out.talk(f"  refused {one.source}: {first}{f' (and {len(more)} more)' if more else ''}")
    left = [f"{one.source}/{what}" for one in done for what in one.left_out]
    for what in left[:SHOWN]:
        out.talk(f"  left out {what}")
    if len(left) > SHOWN:
        out.talk(f"  left out {len(left) - SHOWN:,} more files (--json names them)")
    if landed and not dry_run:
        out.talk(f"take one back: vaultgit undo PATH; all of it: vaultgit undo --session {session}")


@command.command("export")
@click.argument("folder", required=False)
@click.argument("names", nargs=-1, metavar="[NAME…]")
@click.option("--force", is_flag=True, help="Write over what was edited there.")
@click.option("--stop", is_flag=True, help="Take ours out of FOLDER, and forget it.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def export(
    folder: str | None, names: tuple[str, ...], force: bool, stop: bool, agent: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Keep FOLDER in step with the skills, as Agent Skills: NAME/SKILL.md, with what lies beside it.

    All skills, or those named. The folder is remembered: without FOLDER, all remembered ones are brought into step.
    Only folders that vaultgit made are written to; what was edited there is named, and left.

    \b
    Example:
      vaultgit skill export ~/.claude/skills release-notes review-a-pr
      vaultgit skill export
      vaultgit skill export --stop ~/.claude/skills
    """
    from vaultgit.passes import exported
    from vaultgit.passes import skillexport

    if stop and (names or not folder):
        raise UsageError("--stop takes one FOLDER and no names", "vaultgit skill export --stop ~/.claude/skills")
    with options.opened(vault) as opened, out.Progress("exporting skills") as progress:
        source, known = skillexport.Source(opened), exported.remembered(opened)
        wanted = [skillexport.asked_for(source, folder, names)] if folder else known
        if not dry_run and (stop or force or any(one not in known for one in wanted)):
            doing = "taking skills out of a folder" if stop else "writing skills into a folder outside the vault"
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), doing)
        if stop:
            plans = [skillexport.taken_out(opened, wanted[0], force=force)]
        else:
            plans = [
                skillexport.plan(source, one, force=force, make=bool(folder), tick=progress.more) for one in wanted
            ]
        for one in plans if not dry_run else ():
            (skillexport.stop if stop else skillexport.carry_out)(opened, one)
    if as_json:
        out.as_json([_as_json(one) for one in plans])
    else:
        for one in plans:
            _tell_exported(one, dry_run, stop)
        if not plans:
            out.talk("no folder is kept in step; name one: vaultgit skill export ~/.claude/skills")
    return errors.REFUSED if any(one.missing or one.of("left") for one in plans) else errors.DONE


def _as_json(planned: Plan) -> dict[str, object]:
    items = [{"name": item.name, "action": item.action, "why": item.why or None} for item in planned.items]
    return {"folder": planned.folder.path, "missing": planned.missing, "skills": items, "cut": planned.cut}


def _tell_exported(planned: Plan, dry_run: bool, stop: bool) -> None:
    where = out.short(planned.folder.path)
    if planned.missing:
        out.say(f"left {where}: the folder is gone")
        out.talk(f"make it again: vaultgit skill export {where}; forget it: vaultgit skill export --stop {where}")
        return
    words = {"write": "written", "remove": "removed", "unchanged": "unchanged", "left": "left as they are"}
    counts = [f"{len(planned.of(action)):,} {word}" for action, word in words.items() if planned.of(action)]
    verb = ("would stop" if dry_run else "stopped") if stop else ("would export to" if dry_run else "exported to")
    out.say(f"{verb} {where}: {', '.join(counts) or 'no skill there'}")
    _lines([item.name for item in planned.of("write")], "  + ")
    _lines([_with_why(item) for item in planned.of("remove")], "  - ")
    for item in planned.of("left"):
        out.talk(f"  left {_with_why(item)}")
    if any(item.edited for item in planned.items):
        out.talk(
            f"take it over: vaultgit skill import {where}/NAME; write over it: vaultgit skill export {where} --force"
        )
    if planned.cut:
        out.talk(f"  cut at a word, clients take no more: {', '.join(planned.cut[:SHOWN])}")


def _with_why(item: Item) -> str:
    return f"{item.name}: {item.why}" if item.why else item.name


def _lines(texts: Sequence[str], before: str) -> None:
    for text in texts[:SHOWN]:
        out.say(before + text)
    if len(texts) > SHOWN:
        out.say(f"{before}{len(texts) - SHOWN:,} more (--json names them)")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"
