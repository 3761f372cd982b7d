"""What a person decides in `vaultgit review`: accept, drop, edit, apply. An agent is refused."""

from __future__ import annotations

from collections.abc import Sequence
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
from vaultgit.errors import VaultgitError
from vaultgit.history.log import Commit
from vaultgit.passes import acceptance
from vaultgit.passes import choice
from vaultgit.passes import inbox
from vaultgit.passes import review
from vaultgit.vault import Vault

only_option = click.option(
    "--only", multiple=True, metavar="PATH…", help="Only the actions that touch these notes (or an edit id, a commit)."
)


def words(only: tuple[str, ...], more: tuple[str, ...]) -> list[str]:
    """`--only a b`: what stands behind the first path belongs to it."""
    if more and not only:
        raise UsageError(f"what is {more[0]!r} for?", "vaultgit review accept BRANCH --only PATH")
    return [*only, *more]


def settle(vault: Vault) -> None:
    """What was accepted before lands, and its branch is tidied: the first act of every command here."""
    for remark in acceptance.settle(vault, SystemClock()):
        out.talk(remark)


def _begun(vault: Vault, agent: str | None, what: str, dry_run: bool) -> None:
    if not dry_run:
        options.deciding_is_a_persons(vault.repo, options.agent_name(agent), what)
        settle(vault)


@click.command("accept")
@click.argument("branch")
@click.argument("more", nargs=-1, metavar="")
@only_option
@click.option("--again", is_flag=True, help="Propose anew what was merged and taken back since.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def accept(
    branch: str, more: tuple[str, ...], only: tuple[str, ...], again: bool, agent: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Bring actions of a branch into the vault.

    They come in as one merge; the others still wait. Text of yours that is not in git stays as it is. What does not
    merge with it stays on the branch and is named. Take it back: vaultgit undo MERGE, or git revert -m 1 MERGE; one
    action alone by its own commit.

    \b
    Example:
      vaultgit review accept molt/release-notes-v2
      vaultgit review accept dream/2026-11-29 --only skills/release-notes.md skills/code-review.md
    """
    clock = SystemClock()
    with options.opened(vault) as opened:
        _begun(opened, agent, "accepting a review branch", dry_run)
        found = branches.named(opened, branch)
        if again and dry_run:
            return _foreseen("propose anew and accept", review.undone_of(opened, found), [], as_json)
        if again:
            found = review.again(opened, clock, found)
        chosen = choice.choose(opened, found, words(only, more))
        if dry_run:
            fits = acceptance.fitting(opened, clock, found, chosen.all)
            made = [commit for commit, _ in fits.built.made]
            return _foreseen("accept", made, chosen.along, as_json, _left(found, fits.left))
        try:
            done = acceptance.accept(opened, clock, found, chosen.all)
            _refresh(opened, clock)
        except Refused as error:
            return result.refused(error.problems, as_json)
        return _accepted(found, done, chosen, as_json)


def _refresh(vault: Vault, clock: SystemClock) -> None:
    """Brings review.md up to date, where a person uses it."""
    from vaultgit.passes import boxes

    if boxes.in_use(vault):
        boxes.write(vault, clock, branches.pending(vault))


def _left(branch: Branch, why: dict[str, str]) -> list[tuple[str, str]]:
    """What stays pending, in the branch's order: (subject, why)."""
    return [(commit.subject, why[commit.oid]) for commit in branch.commits if commit.oid in why]


def _accepted(branch: Branch, done: acceptance.Accepted, chosen: choice.Choice, as_json: bool) -> int:
    outcome, left = done.result.outcome, _left(branch, done.left)
    if as_json:
        out.as_json({
            "outcome": outcome, "oid": done.result.oid or None, "edit": None, "path": branch.name, "inbox": None,
            "problems": [], "accepted": [commit.subject for commit in done.taken],
            "along": [commit.subject for commit in chosen.along],
            "left": [{"subject": subject, "reason": why} for subject, why in left],
            "remaining": done.remaining, "remarks": done.remarks,
        })  # fmt: skip
    else:
        name = done.result.edit if outcome == "queued" else done.result.oid
        out.say(f"{outcome} {name} {branch.name}".replace("  ", " "))
        _tell(chosen.along, left)
        if outcome == "queued":
            out.talk(f"saved, and it lands by itself: {done.result.reason}")
        elif done.taken:
            rest = f"{done.remaining} still wait{'s' if done.remaining == 1 else ''} in {branch.name}. "
            many = out.count(len(done.taken), "suggestion")
            oid = done.result.oid[:10]
            back = f"Take it back: vaultgit undo {oid}, or git revert -m 1 {oid}"
            out.talk(f"{many} accepted. {rest if done.remaining else ''}{back}")
        else:
            out.talk(f"nothing was accepted; git diff HEAD...{branch.name} shows what waits")
        for remark in done.remarks:
            out.talk(remark)
    if outcome == "queued":
        return errors.QUEUED
    return errors.DONE if done.taken else errors.REFUSED


def _tell(along: list[Commit], left: Sequence[tuple[str, str]] = ()) -> None:
    for commit in along:
        out.talk(f"with it, since they build on each other: {commit.subject}")
    for subject, why in left:
        out.talk(f"stays on the branch: {subject}: {why}")


def _foreseen(
    verb: str, taken: list[Commit], along: list[Commit], as_json: bool, left: Sequence[tuple[str, str]] = ()
) -> int:
    if as_json:
        out.as_json({
            "outcome": "dry-run", "would": verb, "actions": [commit.subject for commit in taken],
            "along": [commit.subject for commit in along],
            "left": [{"subject": subject, "reason": why} for subject, why in left],
        })  # fmt: skip
        return errors.DONE
    for commit in taken:
        out.say(f"would {verb}: {commit.subject}")
    _tell(along, left)
    return errors.DONE


@click.command("drop")
@click.argument("branch")
@click.argument("more", nargs=-1, metavar="")
@only_option
@click.option("--reason", default="", metavar="TEXT", help="Why not; it stands in the commit.")
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def drop(
    branch: str, more: tuple[str, ...], only: tuple[str, ...], reason: str, agent: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Take actions off a branch.

    They are not proposed again until their skills change (.vaultgit/declined.md).

    \b
    Example:
      vaultgit review drop dream/2026-11-29 --only skills/old-deploy.md --reason "used by hand each January"
    """
    clock = SystemClock()
    with options.opened(vault) as opened:
        _begun(opened, agent, "dropping what a branch proposes", dry_run)
        found = branches.named(opened, branch)
        chosen = choice.choose(opened, found, words(only, more), dropping=True)
        if dry_run:
            return _foreseen("drop", chosen.all, chosen.along, as_json)
        remaining = review.drop(opened, clock, found, chosen.all, reason)
        _refresh(opened, clock)
    if as_json:
        dropped = [commit.subject for commit in chosen.all]
        along = [commit.subject for commit in chosen.along]
        out.as_json({"outcome": "dropped", "path": found.name, "dropped": dropped, "along": along,
                     "remaining": remaining})  # fmt: skip
        return errors.DONE
    out.say(f"dropped {out.count(len(chosen.all), 'suggestion')} of {found.name}")
    _tell(chosen.along)
    gone = not remaining and not found.queued
    rest = f"{found.name} is gone (git: {found.tip[:10]})" if gone else f"{remaining} still wait"
    out.talk(f"{rest}; remembered in {inbox.DECLINED}: delete a line there to allow it again")
    return errors.DONE


@click.command("edit")
@click.argument("branch")
@click.argument("path", required=False)
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def edit(branch: str, path: str | None, agent: str | None, vault: str | None, as_json: bool, dry_run: bool) -> int:
    """Change a suggestion before you accept it.

    What an action makes of a note, in your editor, or from standard input.

    \b
    Example:
      vaultgit review edit molt/release-notes-v2
      vaultgit review edit dream/2026-11-29 skills/release-notes.md < better.md
    """
    import sys

    from vaultgit.cli import editor

    clock = SystemClock()
    with options.opened(vault) as opened:
        _begun(opened, agent, "changing what a branch proposes", dry_run)
        found = branches.named(opened, branch)
        commit, change = review.one_change(opened, found, path)
        text = change.new or b""
        given = editor.edited(opened, text) if sys.stdin.isatty() else sys.stdin.buffer.read()
        if given == b"":
            raise UsageError(
                "no text came on standard input", f"vaultgit review edit {found.name} {change.path} < FILE"
            )
        new = review.whole(text, given) if given and given.strip() else text
        diff = result.diff_of(change._replace(base=text, new=new)).rstrip("\n")
        outcome = "unchanged" if new == text else "dry-run" if dry_run else "edited"
        if outcome == "edited":
            try:
                review.edited(opened, clock, found, commit, change.path, new)
                _refresh(opened, clock)
            except Refused as error:
                return result.refused(error.problems, as_json)
    if as_json:
        out.as_json({"outcome": outcome, "path": change.path, "branch": found.name, "diff": diff})
    elif outcome == "edited":
        out.say(f"edited {change.path} on {found.name}")
        out.talk(f"vaultgit review accept {found.name}")
    else:
        out.say(diff or outcome)
    return errors.DONE


@click.command("apply")
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
    from vaultgit.cli import consolidate as proposals
    from vaultgit.passes import boxes
    from vaultgit.passes import reviewmd
    from vaultgit.passes.consolidate import deciding

    clock = SystemClock()
    with options.opened(vault) as opened:
        _begun(opened, agent, "applying review.md", dry_run)
        found = boxes.ticked(opened)
        if dry_run:
            done = [_would(name, *both) for name, both in found.branches.items()]
        else:
            refused = {edit_id for _, dropped in found.branches.values() for edit_id in _ids(dropped)}
            done = [_apply(opened, clock, name, *both, refused) for name, both in found.branches.items()]
            boxes.write(opened, clock, branches.pending(opened))
        with deciding.alone(opened):
            decided = deciding.decide(opened, clock, dry_run=dry_run)
    if as_json:
        slips = {str(line): what for line, what in found.slips.items()}
        out.as_json({"branches": done, "slips": slips, "proposals": proposals.as_data(decided)})
    else:
        _print_applied(done)
        for line, what in sorted(found.slips.items()):
            out.talk(f"{reviewmd.FILE}:{line}: {what}")
        proposals.tell(decided, dry_run)
        if not (done or decided.applied or decided.rejected):
            out.talk(f"nothing is ticked in {reviewmd.FILE}")
    code = proposals.code(decided)
    queued = code == errors.QUEUED or any(one["outcome"] == "queued" for one in done)
    return errors.QUEUED if queued else errors.REFUSED if any(one["left"] for one in done) else code


def _print_applied(done: list[dict[str, Any]]) -> None:
    for one in done:
        for key, would in (("accepted", "would accept"), ("dropped", "would drop")):
            word = would if one["outcome"] == "dry-run" else key
            word = "queued" if one["outcome"] == "queued" and key == "accepted" else word
            for subject in one[key]:
                out.say(f"{word} {subject}")
        for left in one["left"]:
            out.say(f"stays on {one['branch']}: {left}")


def _would(name: str, accepted: list[Commit], dropped: list[Commit]) -> dict[str, Any]:
    subjects = {"accepted": [c.subject for c in accepted], "dropped": [c.subject for c in dropped]}
    return {"branch": name, "outcome": "dry-run", **subjects, "left": []}


def _apply(
    vault: Vault, clock: SystemClock, name: str, accepted: list[Commit], dropped: list[Commit], refused: set[str]
) -> dict[str, Any]:
    """Drops first, so that what was ticked to go is never brought along; nor what is `refused` on another branch. What
    fails for one branch stops no other."""
    said: dict[str, Any] = {"branch": name, "outcome": "done", "accepted": [], "dropped": [], "left": []}
    gone: set[str] = set()
    try:
        if dropped:
            branch = branches.named(vault, name)
            chosen = choice.choose(vault, branch, _ids(dropped), dropping=True)
            review.drop(vault, clock, branch, chosen.all)
            said["dropped"] = [commit.subject for commit in chosen.all]
            gone = set(_ids(chosen.all))
        wanted = [edit_id for edit_id in _ids(accepted) if edit_id not in gone]
        for edit_id in list(wanted):
            chosen = choice.choose(vault, branches.named(vault, name), [edit_id])
            against = [commit.subject for commit in chosen.along if commit.trailer("Edit") in refused]
            if against:
                wanted.remove(edit_id)
                said["left"].append(f"{chosen.asked[0].subject}: it builds on what you reject: {against[0]}")
        if wanted:
            branch = branches.named(vault, name)
            done = acceptance.accept(vault, clock, branch, choice.choose(vault, branch, wanted).all)
            said["outcome"] = "queued" if done.result.outcome == "queued" else "done"
            said["accepted"] = [commit.subject for commit in done.taken]
            said["left"] += [f"{subject}: {why}" for subject, why in _left(branch, done.left)]
    except VaultgitError as error:
        said["left"].append(str(error))
    return said


def _ids(commits: list[Commit]) -> list[str]:
    return [commit.trailer("Edit") for commit in commits]
