from __future__ import annotations

import sys

import click

from vaultgit import errors
from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import result
from vaultgit.clock import SystemClock
from vaultgit.edits.branches import Built
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.passes import molt
from vaultgit.passes.engines.command import Command
from vaultgit.passes.molt import Origin
from vaultgit.passes.molt import Wanted
from vaultgit.vault import Vault

_WAYS = "… < body.md, or write it in your editor: --edit, or have it written: --engine command"


@click.command("molt")
@click.argument("name", required=False)
@click.option("--trigger", type=click.Choice(molt.TRIGGERS), help="What shows that it needs another version.")
@click.option("--trigger-text", metavar="TEXT", help="When to use the skill, from now on.")
@click.option("--base", metavar="OID", help="What the new body was made from, where not from the newest version.")
@click.option("--edit", "by_hand", is_flag=True, help="Write the new version in your editor.")
@options.engine_option
@options.show_prompt_option
@click.option("--direct", is_flag=True, help="Commit it at once, where the settings allow that.")
@click.option("--suggest", is_flag=True, help="Say which skills sessions show to be missing, or to need a version.")
@editing.edit_options
def command(
    name: str | None, trigger: str | None, trigger_text: str | None, base: str | None, by_hand: bool,
    engine: str | None, show_prompt: bool, direct: bool, suggest: bool, line: str | None, reason: str,
    agent: str | None, session: str | None, vault: str | None, as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Propose the next version of a skill (a molt), as a branch of one commit that waits for your review.

    The new body comes from standard input, your editor, or an engine. It gets the next version and today's date; front
    matter in it brings its other properties along. Your branch, your files and what you staged stay as they are.

    \b
    Example:
      vaultgit molt release-notes --trigger corrected --reason "Ada wants migration first" < body.md
      vaultgit molt --suggest
    """
    with options.opened(vault) as opened:
        if suggest:
            return _suggest(opened, as_json)
        if by_hand and engine:
            raise UsageError("the new body comes from --edit or from --engine, not from both", _WAYS)
        wanted = Wanted(_said(name, trigger), reason, editing.by(agent, session, opened), line)
        try:
            molt.refuse_no_reason(wanted)
            if direct:
                _refuse_direct(opened)
            start = molt.origin(opened, name or "", direct=direct)
            body = b"" if by_hand or engine or sys.stdin.isatty() else sys.stdin.buffer.read()
            asks = show_prompt or bool(engine) or not (by_hand or body.strip())
            if asks and (show_prompt or dry_run):
                return _shown(opened, start, wanted, _engine(opened, engine), show_prompt)
            model = start.data
            if asks:
                given, wanted = _by_engine(opened, start, wanted, engine)
            elif by_hand:
                given = _by_hand(opened, start, wanted)
            else:
                given = body
                model = molt.made_from(opened, start, given, base)
            changed = molt.change(opened, SystemClock(), start, given, model, trigger=trigger_text)
            from_main = base is None and model != start.data
            if changed.base == changed.new:
                known = f"{start.branch} has that text already" if start.branch else ""
                known = (
                    f"it is what {_branch(opened)} has, and takes nothing from {start.branch}" if from_main else known
                )
                return result.show(Result("unchanged", "", path=start.path, reason=known), as_json)
            if direct:
                return result.edit(
                    opened, lambda: [changed], line=molt.subject(wanted, changed), reason=wanted.reason, by=wanted.by,
                    as_json=as_json, dry_run=dry_run, trailers=wanted.trailers,
                )  # fmt: skip
            if dry_run:
                return _foreseen(opened, wanted, start, changed, as_json, from_main=from_main)
            built = molt.propose(opened, SystemClock(), wanted, start, changed)
        except Refused as error:
            return result.refused(error.problems, as_json)
        return _show(opened, start, built, as_json, from_main=from_main)


def _said(name: str | None, trigger: str | None) -> str:
    """The trigger. Raises UsageError where what a molt needs was not said."""
    if not name:
        raise UsageError("no skill was named", "vaultgit molt NAME --trigger … --reason …, or: vaultgit molt --suggest")
    if not trigger:
        raise UsageError(
            "a molt says what shows that the skill needs another version",
            "--trigger repeated (the same work came again), constraint (something has to hold from now on), "
            "or corrected (a person corrected the outcome)",
        )
    return trigger


def _refuse_direct(vault: Vault) -> None:
    if not vault.settings.molt_direct:
        raise VaultgitError(
            "a molt may not be committed directly in this vault",
            "leave --direct away: it becomes a branch to review. Or allow it in .vaultgit.toml: [molt] direct = true",
        )


def _by_hand(vault: Vault, start: Origin, wanted: Wanted) -> bytes:
    """What the person's editor leaves; where that is nothing new, what was there."""
    from vaultgit.cli import editor

    if wanted.by.agent:
        raise UsageError("--edit opens a person's editor, and an agent runs this", "… < body.md")
    return editor.edited(vault, start.data) or start.data


def _by_engine(vault: Vault, start: Origin, wanted: Wanted, option: str | None) -> tuple[bytes, Wanted]:
    engine = _engine(vault, option)
    try:
        return molt.written(vault, start, wanted, engine)
    finally:
        out.talk(f"{engine.name}: {engine.spent}")


def _engine(vault: Vault, option: str | None) -> Command:
    from vaultgit.passes import engines

    engine = engines.chosen(vault, SystemClock(), option)
    if engine is None:
        rules = "the rules write no new version of a skill"
        raise UsageError(rules if option else "no new body came on standard input", _WAYS)
    return engine


def _shown(vault: Vault, start: Origin, wanted: Wanted, engine: Command, show_prompt: bool) -> int:
    """What an engine would be asked, or with --dry-run how much that is."""
    prompt = engine.shown(molt.prompt(vault, start, wanted))
    out.say(prompt if show_prompt else f"would ask {engine.name}: {len(prompt):,} characters")
    if not show_prompt:
        out.talk("--show-prompt shows them")
    return errors.DONE


def _foreseen(
    vault: Vault, wanted: Wanted, start: Origin, changed: PathChange, as_json: bool, *, from_main: bool
) -> int:
    edit = molt.judged(vault, SystemClock(), wanted, changed)
    name, diff = vault.settings.review_prefix + molt.branch_name(start), result.diff_of(changed)
    if as_json:
        out.as_json({
            "outcome": "dry-run", "would": "proposed", "branch": name, "line": edit.subject, "path": start.path,
            "on": start.branch or None, "diff": diff,
        })  # fmt: skip
        return errors.DONE
    out.say(f"would propose {name}: {edit.subject}")
    out.say(diff.rstrip("\n"))
    _remarks(vault, start, from_main)
    return errors.DONE


def _show(vault: Vault, start: Origin, built: Built, as_json: bool, *, from_main: bool) -> int:
    from vaultgit.history import log

    [oid] = built.oids
    if as_json:
        out.as_json({
            "outcome": "proposed", "oid": oid, "edit": log.commit(vault.repo, oid).trailer("Edit"), "path": start.path,
            "inbox": None, "problems": [], "branch": built.name, "on": start.branch or None,
        })  # fmt: skip
        return errors.DONE
    out.say(f"proposed {built.name} {oid}")
    out.talk(f"v{start.version + 1} of {start.path} waits on that branch for a person; nothing here has changed")
    _remarks(vault, start, from_main)
    out.talk(f"git diff {start.branch or _branch(vault)}...{built.name}")
    out.talk(f"vaultgit review show {built.name}")
    return errors.DONE


def _remarks(vault: Vault, start: Origin, from_main: bool) -> None:
    """What is good to know about what a molt was made from."""
    if start.branch:
        out.talk(f"it stands on {start.branch}, which waits too: accepting it takes that along")
    if from_main:
        out.talk(f"the text was taken as made from what {_branch(vault)} has; what {start.branch} changes is kept")
        out.talk(f"(if it was made from that: --base $(git rev-parse {start.branch}:{vault.prefix}{start.path}))")
    if start.unsaved:
        out.talk(f"{start.path} on disk has text that is not in git: the molt is made without it, and it stays there")
    if molt.was_dropped(vault, start):
        out.talk("a person has dropped a molt of this version before (.vaultgit/declined.md): say what is different")


def _branch(vault: Vault) -> str:
    from vaultgit.history import refs

    return (refs.head(vault.repo).branch or "HEAD").removeprefix("refs/heads/")


def _suggest(vault: Vault, as_json: bool) -> int:
    import shlex

    from vaultgit.edits import branches
    from vaultgit.passes import suggest

    commit = branches.here(vault)
    found = suggest.suggest(vault, commit) if commit else []
    if as_json:
        out.as_json([one._asdict() for one in found])
        return errors.DONE
    for one in found:
        trigger = shlex.quote(one.trigger)
        out.say(f"{one.kind:<9}  {one.skill or one.trigger}: {one.why}")
        for line in one.evidence:
            out.say(f"           {line}")
        if one.skill:
            out.say(f"           vaultgit molt {one.skill} --trigger {one.kind} --reason … < body.md")
        else:
            out.say(f"           vaultgit skill new NAME --trigger {trigger} < steps.md")
    if not found:
        out.talk("nothing to suggest: no work came again without a skill, and nobody corrected what came of one")
    return errors.DONE
