from __future__ import annotations

from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import result
from vaultgit.clock import SystemClock
from vaultgit.edits import branches
from vaultgit.edits.branches import Branch
from vaultgit.edits.judge import Refused
from vaultgit.errors import UsageError
from vaultgit.history.log import Commit
from vaultgit.passes import inbox
from vaultgit.passes import review
from vaultgit.vault import Vault

_only_option = click.option(
    "--only", multiple=True, metavar="PATH…", help="Only the actions that touch these notes (or an edit id, a commit)."
)


@click.group("review", invoke_without_command=True)
@options.vault_option
@click.pass_context
def command(ctx: click.Context, vault: str | None) -> int | None:
    """What agents propose on branches: molts (the next version of a skill) and dreams (a clean-up of all skills).

    Plain git does the same: git log -p main..BRANCH, git merge BRANCH, git branch -D BRANCH.

    \b
    Example:
      vaultgit review
      vaultgit review accept dream/2026-11-29 --only skills/release-notes.md
    """
    return ctx.invoke(list_, vault=vault) if ctx.invoked_subcommand is None else None


@command.command("list")
@options.vault_option
@options.json_option
@options.dry_run_option
def list_(vault: str | None = None, as_json: bool = False, dry_run: bool = False) -> int:
    """List the branches that wait, and put their actions into review.md as boxes to tick.

    \b
    Example:
      vaultgit review list
    """
    from vaultgit.passes import boxes

    with options.opened(vault) as opened:
        every = branches.listed(opened)
        undone = review.taken_back(opened)
        if not dry_run:
            boxes.write(opened, SystemClock(), every)
        if as_json:
            out.as_json([_row(opened, branch, undone) for branch in every])
            return errors.DONE
        for branch in every:
            _print_branch(branch, undone)
        if not any(branch.waiting for branch in every):
            out.talk("nothing waits for a review")
    return errors.DONE


def _row(vault: Vault, branch: Branch, undone: set[str]) -> dict[str, Any]:
    return {
        "branch": branch.name,
        "state": _state(branch, undone),
        "base": branch.base,
        "actions": [
            {
                "edit": commit.trailer("Edit") or None,
                "oid": commit.oid,
                "subject": commit.subject,
                "paths": review.paths_of(vault, commit),
            }
            for commit in branch.waiting
        ],
    }


def _state(branch: Branch, undone: set[str]) -> str:
    if branch.waiting:
        return "waits"
    back = bool(branch.landed) and all(commit.trailer("Edit") in undone for commit in branch.landed)
    return "taken back" if back else "merged"


def _print_branch(branch: Branch, undone: set[str]) -> None:
    state = _state(branch, undone)
    if state == "waits":
        out.say(f"{branch.name}  {out.count(len(branch.waiting), 'suggestion')}    vaultgit review show {branch.name}")
        for commit in branch.waiting:
            out.say(f"    {commit.subject}")
    elif state == "merged":
        out.say(f"{branch.name}  merged already    git branch -d {branch.name}")
    else:
        again = f"vaultgit review accept {branch.name} --again"
        out.say(f"{branch.name}  merged, and taken back since    {again}, or git branch -D {branch.name}")


@command.command("show")
@click.argument("branch")
@click.argument("more", nargs=-1, metavar="")
@_only_option
@options.vault_option
@options.json_option
def show(branch: str, more: tuple[str, ...], only: tuple[str, ...], vault: str | None, as_json: bool) -> int:
    """Show each action: why, which steps of a skill it adds, removes and rewords, then its diff.

    \b
    Example:
      vaultgit review show dream/2026-11-29
    """
    from vaultgit.passes import stepview

    with options.opened(vault) as opened:
        found = branches.named(opened, branch)
        chosen = review.choose(opened, found, _words(only, more)).asked if found.waiting or only else found.landed
        shown = []
        for commit in chosen:
            changes = branches.changes_of(opened, commit)
            steps = {
                change.path: stepview.compare(change.base, change.new)
                for change in changes
                if opened.rules.expected_type(change.path) == "skill"
            }
            diff = "".join(result.diff_of(change) for change in changes)
            shown.append((commit, steps, diff))
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
        out.say(
            f"{commit.subject}  ({commit.author}, {commit.oid[:10]}, edit {commit.trailer('Edit') or 'without id'})"
        )
        out.say("".join(f"    {line}\n" for line in commit.reason.splitlines()))
        for path, changed in steps.items():
            lines = changed.lines()
            if lines:
                out.say(f"  steps of {path}:")
                out.say("".join(f"    {line}\n" for line in lines))
        out.say(diff)
    out.talk(f"vaultgit review accept {branch}    takes them; --only PATH takes some; vaultgit review drop {branch}")
    return errors.DONE


@command.command("accept")
@click.argument("branch")
@click.argument("more", nargs=-1, metavar="")
@_only_option
@click.option("--again", is_flag=True, help="Propose anew what was merged and taken back since.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def accept(
    branch: str, more: tuple[str, ...], only: tuple[str, ...], again: bool, agent: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Bring actions of a branch into the vault as one merge; the others still wait.

    Text of yours that is not in git stays as it is. What does not merge with it stays on the branch and is named.
    Take it back: vaultgit undo MERGE, or git revert -m 1 MERGE; one action alone by its own commit.

    \b
    Example:
      vaultgit review accept molt/release-notes-v2
      vaultgit review accept dream/2026-11-29 --only skills/release-notes.md skills/code-review.md
    """
    clock = SystemClock()
    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "accepting a review branch")
        found = branches.named(opened, branch)
        if again:
            found = review.again(opened, clock, found)
        choice = review.choose(opened, found, _words(only, more))
        if dry_run:
            fits = review.fitting(opened, clock, found, choice.all)
            return _foreseen("accept", [commit for commit, _ in fits.built.made], fits.left, choice.along, as_json)
        try:
            done = review.accept(opened, clock, found, choice.all)
            _refresh(opened, clock)
        except Refused as error:
            return result.refused(error.problems, as_json)
        return _accepted(found, done, choice, as_json)


def _refresh(vault: Vault, clock: SystemClock) -> None:
    """Brings review.md up to date, where a person uses it."""
    from vaultgit.passes import boxes

    if boxes.in_use(vault):
        boxes.write(vault, clock, branches.pending(vault))


def _accepted(branch: Branch, done: review.Accepted, choice: review.Choice, as_json: bool) -> int:
    names = {commit.oid: commit.subject for commit in branch.waiting}
    if as_json:
        out.as_json({
            "outcome": done.result.outcome, "oid": done.result.oid or None, "edit": None, "path": branch.name,
            "inbox": None, "problems": [], "accepted": [commit.subject for commit in done.taken],
            "along": [commit.subject for commit in choice.along],
            "left": [{"subject": names[oid], "reason": why} for oid, why in done.left.items()],
            "remaining": done.remaining,
        })  # fmt: skip
    else:
        word = done.result.outcome if done.taken else "pending"
        edit_id = done.result.edit if word == "queued" else ""
        out.say(f"{word} {edit_id or done.result.oid} {branch.name}".replace("  ", " "))
        _tell_along(choice.along)
        for oid, why in done.left.items():
            out.talk(f"stays on the branch: {names[oid]}: {why}")
        if word == "queued":
            out.talk(f"saved, and it lands by itself: {done.result.reason}")
        elif done.taken:
            rest = f"{done.remaining} still wait in {branch.name}. " if done.remaining else ""
            oid = done.result.oid[:10]
            out.talk(f"{out.count(len(done.taken), 'suggestion')} accepted. {rest}Take it back: vaultgit undo {oid}")
        else:
            out.talk(f"nothing was accepted; git diff HEAD...{branch.name} shows what waits")
    if done.result.outcome == "queued":
        return errors.QUEUED
    return errors.DONE if done.taken else errors.REFUSED


def _tell_along(along: list[Commit]) -> None:
    for commit in along:
        out.talk(f"with it, since they build on each other: {commit.subject}")


def _foreseen(verb: str, taken: list[Commit], left: dict[str, str], along: list[Commit], as_json: bool) -> int:
    if as_json:
        out.as_json({
            "outcome": "dry-run", "would": verb, "actions": [commit.subject for commit in taken],
            "along": [commit.subject for commit in along], "conflicts": sorted(left.values()),
        })  # fmt: skip
        return errors.DONE
    for commit in taken:
        out.say(f"would {verb}: {commit.subject}")
    _tell_along(along)
    for oid, why in left.items():
        out.say(f"would stay on the branch: {oid[:10]}: {why}")
    return errors.DONE


@command.command("drop")
@click.argument("branch")
@click.argument("more", nargs=-1, metavar="")
@_only_option
@click.option("--reason", default="", metavar="TEXT", help="Why not; it stands in the commit.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def drop(
    branch: str, more: tuple[str, ...], only: tuple[str, ...], reason: str, agent: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Take actions off a branch; they are not proposed again until their skills change (.vaultgit/declined.md).

    \b
    Example:
      vaultgit review drop dream/2026-11-29 --only skills/old-deploy.md --reason "used by hand each January"
    """
    clock = SystemClock()
    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "dropping what a branch proposes")
        found = branches.named(opened, branch)
        choice = review.choose(opened, found, _words(only, more), dropping=True)
        if dry_run:
            return _foreseen("drop", choice.all, {}, choice.along, as_json)
        remaining = review.drop(opened, clock, found, choice.all, reason)
        _refresh(opened, clock)
    if as_json:
        dropped = [commit.subject for commit in choice.all]
        out.as_json({"outcome": "dropped", "path": found.name, "dropped": dropped, "remaining": remaining})
        return errors.DONE
    out.say(f"dropped {out.count(len(choice.all), 'suggestion')} of {found.name}")
    _tell_along(choice.along)
    rest = f"{remaining} still wait" if remaining else f"{found.name} is gone (git: {found.tip[:10]})"
    out.talk(f"{rest}; remembered in {inbox.DECLINED}: delete a line there to allow it again")
    return errors.DONE


@command.command("edit")
@click.argument("branch")
@click.argument("path", required=False)
@options.agent_option
@options.vault_option
@options.dry_run_option
def edit(branch: str, path: str | None, agent: str | None, vault: str | None, dry_run: bool) -> int:
    """Change what an action makes of a note, in your editor (or from standard input), before you accept it.

    \b
    Example:
      vaultgit review edit molt/release-notes-v2
      vaultgit review edit dream/2026-11-29 skills/release-notes.md < better.md
    """
    import sys

    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "changing what a branch proposes")
        found = branches.named(opened, branch)
        commit, change = review.one_change(opened, found, path)
        text = change.new or b""
        new = None if sys.stdin.isatty() else sys.stdin.buffer.read()
        if not new:
            said = click.edit(text.decode("utf-8", "surrogateescape"), extension=".md", editor=_editor(opened))
            new = None if said is None else said.encode("utf-8", "surrogateescape")
        if not new or new == text:
            out.say("unchanged")
            return errors.DONE
        if dry_run:
            out.say(result.diff_of(change._replace(base=text, new=new)).rstrip("\n"))
            return errors.DONE
        try:
            review.edited(opened, SystemClock(), found, commit, change.path, new)
        except Refused as error:
            return result.refused(error.problems, as_json=False)
    out.say(f"edited {change.path} on {found.name}")
    out.talk(f"vaultgit review accept {found.name}")
    return errors.DONE


def _editor(vault: Vault) -> str:
    """The editor that git would start for this person."""
    import os
    import subprocess

    said = subprocess.run(["git", "var", "GIT_EDITOR"], cwd=vault.root, env=os.environ, capture_output=True,
                          text=True, check=False)  # fmt: skip
    return said.stdout.strip() or "vi"


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
        if dry_run:
            out.say(f"would push {found.name} to {to}")
            return errors.DONE
        pushed = publish.push(opened, found, to)
    if as_json:
        out.as_json({"outcome": "pushed", "branch": found.name, **pushed._asdict()})
        return errors.DONE
    out.say(f"pushed {found.name} to {pushed.remote}")
    if pushed.where:
        out.say(f"open the pull request: {pushed.where}")
    return errors.DONE


@command.command("apply")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def apply(agent: str | None, vault: str | None, as_json: bool, dry_run: bool) -> int:
    """Do what you ticked in review.md.

    \b
    Example:
      vaultgit review apply --dry-run
    """
    from vaultgit.passes import boxes

    clock = SystemClock()
    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "applying review.md")
        found = boxes.ticked(opened)
        if dry_run:
            done = [_would(name, *both) for name, both in found.branches.items()]
        else:
            done = [_apply(opened, clock, name, *both) for name, both in found.branches.items()]
            boxes.write(opened, clock, branches.pending(opened))
    if as_json:
        out.as_json({"branches": done, "slips": {str(line): what for line, what in found.slips.items()}})
    else:
        for one in done:
            for key in ("accepted", "dropped", "left"):
                for words in one[key]:
                    out.say(f"{key} {words}" if key != "left" else f"stays on {one['branch']}: {words}")
        for line, what in found.slips.items():
            out.talk(f"{boxes.FILE}:{line}: {what}")
        for line in found.agents:
            out.talk(f"{boxes.FILE}:{line}: ticked by an agent's commit: it does not count")
        if not done:
            out.talk(f"nothing is ticked in {boxes.FILE}")
    queued = any(one["outcome"] == "queued" for one in done)
    return errors.QUEUED if queued else errors.REFUSED if any(one["left"] for one in done) else errors.DONE


def _would(name: str, accepted: list[Commit], dropped: list[Commit]) -> dict[str, Any]:
    subjects = {"accepted": [c.subject for c in accepted], "dropped": [c.subject for c in dropped]}
    return {"branch": name, "outcome": "dry-run", **subjects, "left": []}


def _apply(
    vault: Vault, clock: SystemClock, name: str, accepted: list[Commit], dropped: list[Commit]
) -> dict[str, Any]:
    """Drops first, so that what was ticked to go is never brought along."""
    said: dict[str, Any] = {"branch": name, "outcome": "", "accepted": [], "dropped": [], "left": []}
    if dropped:
        branch = branches.named(vault, name)
        ids = [commit.trailer("Edit") for commit in dropped]
        choice = review.choose(vault, branch, ids, dropping=True)
        review.drop(vault, clock, branch, choice.all)
        said["dropped"] = [commit.subject for commit in choice.all]
    wanted = [commit.trailer("Edit") for commit in accepted if commit.subject not in said["dropped"]]
    if wanted:
        branch = branches.named(vault, name)
        try:
            choice = review.choose(vault, branch, wanted)
            done = review.accept(vault, clock, branch, choice.all)
        except (Refused, UsageError) as error:
            said["left"].append(str(error))
            return said
        names = {commit.oid: commit.subject for commit in branch.waiting}
        said["outcome"] = done.result.outcome
        said["accepted"] = [commit.subject for commit in done.taken]
        said["left"] = [f"{names[oid]}: {why}" for oid, why in done.left.items()]
    return said


def _words(only: tuple[str, ...], more: tuple[str, ...]) -> list[str]:
    """`--only a b`: what stands behind the first path belongs to it."""
    if more and not only:
        raise UsageError(f"what is {more[0]!r} for?", "vaultgit review accept BRANCH --only PATH")
    return [*only, *more]
