from __future__ import annotations

from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import decide
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.clock import SystemClock
from vaultgit.edits import branches
from vaultgit.edits import chain
from vaultgit.edits.branches import Branch
from vaultgit.history.log import Commit
from vaultgit.passes import choice
from vaultgit.passes import review
from vaultgit.vault import Vault


@click.group("review", invoke_without_command=True)
@options.vault_option
@click.pass_context
def command(ctx: click.Context, vault: str | None) -> int | None:
    """What agents propose on branches: molts (the next version of a skill) and dreams (a clean-up of all skills).

    Plain git does the same: git log -p HEAD..BRANCH, git merge BRANCH, git branch -D BRANCH.

    \b
    Example:
      vaultgit review
      vaultgit review accept dream/2026-11-29 --only skills/release-notes.md
    """
    return ctx.invoke(list_, vault=vault) if ctx.invoked_subcommand is None else None


@command.command("list")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def list_(agent: str | None = None, vault: str | None = None, as_json: bool = False, dry_run: bool = False) -> int:
    """List the branches that wait.

    Also puts their actions into review.md as boxes to tick. (An agent may look: then nothing is written.)

    \b
    Example:
      vaultgit review list
    """
    from vaultgit.cli import consolidate
    from vaultgit.passes import boxes
    from vaultgit.passes import reviewmd

    with options.opened(vault) as opened:
        looks = dry_run or not options.may_decide(opened.repo, options.agent_name(agent))
        if not looks:
            decide.settle(opened)
        every = branches.listed(opened)
        undone = review.taken_back(opened) if any(branch.landed for branch in every) else set()
        if not looks:
            written = boxes.write(opened, SystemClock(), every)
            if written is not None and written.outcome in ("committed", "merged"):
                out.talk(f"{reviewmd.FILE} has them as boxes to tick, committed as yours: {written.oid[:10]}")
            elif written is not None and written.outcome == "unchanged":
                out.talk(f"{written.reason}")
            elif written is not None and written.outcome == "inbox":
                what = f"{reviewmd.FILE} was changed meanwhile, and what it should say is in {written.inbox}"
                out.talk(f"{what}: delete that note, then: vaultgit review list")
        proposals = consolidate.waiting(opened)
        if as_json:
            rows = [_row(opened, branch, undone) for branch in every]
            out.as_json(rows + ([_in_the_file(proposals)] if proposals else []))
            return errors.DONE
        for branch in every:
            _print_branch(branch, undone)
        if proposals:
            out.say(f"proposals: {len(proposals)} in {reviewmd.FILE}    tick them, then: vaultgit review apply")
        elif not any(branch.waiting for branch in every):
            out.talk("nothing waits for a review")
    return errors.DONE


def _row(vault: Vault, branch: Branch, undone: set[str]) -> dict[str, Any]:
    paths = choice.paths(vault, branch.commits)
    return {
        "branch": branch.name,
        "state": _state(branch, undone),
        "base": branch.base,
        "actions": [_action(commit, paths[commit.oid]) for commit in branch.waiting],
        "queued": [_action(commit, paths[commit.oid]) for commit in branch.queued],
        "taken_back": [_action(commit, paths[commit.oid]) for commit in _back(branch, undone)],
    }


def _in_the_file(proposals: list[dict[str, str]]) -> dict[str, Any]:
    """What waits in review.md and on no branch: an entry as those of branches are, with `branch` null."""
    return {
        "branch": None, "state": "waits", "base": None, "actions": [], "queued": [], "taken_back": [],
        "proposals": proposals,
    }  # fmt: skip


def _action(commit: Commit, paths: list[str]) -> dict[str, Any]:
    return {"edit": commit.trailer("Edit") or None, "oid": commit.oid, "subject": commit.subject, "paths": paths}


def _back(branch: Branch, undone: set[str]) -> list[Commit]:
    return [commit for commit in branch.landed if commit.trailer("Edit") in undone]


def _state(branch: Branch, undone: set[str]) -> str:
    if branch.waiting:
        return "waits"
    if branch.queued:
        return "queued"
    return "taken back" if _back(branch, undone) else "merged"


def _print_branch(branch: Branch, undone: set[str]) -> None:
    state = _state(branch, undone)
    if branch.waiting:
        out.say(f"{branch.name}  {out.count(len(branch.waiting), 'suggestion')}    vaultgit review show {branch.name}")
        for commit in branch.waiting:
            out.say(out.line(f"    {commit.subject}"))
    if branch.queued:
        what = f"{len(branch.queued)} accepted, and to land when the repository is free"
        out.say(f"{branch.name}  {what}    vaultgit status")
    delete = f"git branch {'-d' if branch.base == branch.tip else '-D'} {branch.name}"
    if state == "merged":
        out.say(f"{branch.name}  merged already    {delete}")
    back = _back(branch, undone)
    if back:
        many = f"{len(back)} of it " if len(back) < len(branch.commits) else ""
        again = f"vaultgit review accept {branch.name} --again"
        out.say(f"{branch.name}  {many}merged, and taken back since    {again}, or {delete}")


@command.command("show")
@click.argument("branch")
@click.argument("more", nargs=-1, metavar="")
@decide.only_option
@options.vault_option
@options.json_option
def show(branch: str, more: tuple[str, ...], only: tuple[str, ...], vault: str | None, as_json: bool) -> int:
    """Show each action of a branch.

    Why, which steps of a skill it adds, removes and rewords, then its diff.

    \b
    Example:
      vaultgit review show dream/2026-11-29
    """
    from vaultgit.cli import result
    from vaultgit.passes import stepview

    with options.opened(vault) as opened:
        found = branches.named(opened, branch)
        asked = bool(found.waiting) or bool(only)
        chosen = choice.choose(opened, found, decide.words(only, more)).asked if asked else found.commits
        made = chain.changes(opened, chosen)
        shown = []
        for commit in chosen:
            changes = made[commit.oid]
            skills = [change for change in changes if opened.rules.expected_type(change.path) == "skill"]
            steps = stepview.of_action(skills)
            shown.append((commit, steps, "".join(result.diff_of(change) for change in changes)))
    if as_json:
        out.as_json([
            {
                "edit": commit.trailer("Edit") or None, "oid": commit.oid, "subject": commit.subject,
                "author": commit.author, "reason": commit.reason, "diff": diff,
                "steps": {path: found_steps._asdict() for path, found_steps in steps.items()},
            }
            for commit, steps, diff in shown
        ])  # fmt: skip
        return errors.DONE
    for commit, steps, diff in shown:
        edit = commit.trailer("Edit") or "without id"
        out.say(out.line(f"{commit.subject}  ({commit.author}, {commit.oid[:10]}, edit {edit})"))
        why = [f"trigger: {commit.trailer('Trigger')}"] if commit.trailer("Trigger") else []
        out.say("".join(f"    {line}\n" for line in [*why, *commit.reason.splitlines()]))
        for path, changed in steps.items():
            lines = changed.lines()
            if lines:
                out.say(out.line(f"  steps of {path}:"))
                out.say("".join(f"    {line}\n" for line in lines))
        out.say(diff)
    if found.waiting:
        name = found.name
        out.talk(f"vaultgit review accept {name}    takes them; --only PATH takes some; vaultgit review drop {name}")
    return errors.DONE


@command.command("push")
@click.argument("branch")
@click.option("--remote", metavar="NAME", help="Where to (else the one of your branch, or origin).")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def push(branch: str, remote: str | None, agent: str | None, vault: str | None, as_json: bool, dry_run: bool) -> int:
    """Push a branch, and print where to open the pull request.

    \b
    Example:
      vaultgit review push dream/2026-11-29
    """
    from vaultgit.passes import publish

    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "pushing a review branch")
        found = branches.named(opened, branch)
        to = publish.remote_of(opened, remote)
        pushed = publish.Pushed(to, "") if dry_run else publish.push(opened, found, to)
    if as_json:
        out.as_json({"outcome": "dry-run" if dry_run else "pushed", "branch": found.name, **pushed._asdict()})
        return errors.DONE
    out.say(f"{'would push' if dry_run else 'pushed'} {found.name} to {to}")
    if pushed.where:
        out.say(f"open the pull request: {pushed.where}")
    return errors.DONE


for _subcommand in (decide.accept, decide.drop, decide.edit, decide.apply):
    command.add_command(_subcommand)
