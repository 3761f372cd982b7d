from __future__ import annotations

import os
import shlex
from datetime import datetime
from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import VaultgitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vaultgit.install.timers import Planned
    from vaultgit.install.timers import Schedule
    from vaultgit.install.timers.job import Standing
    from vaultgit.install.timers.job import Text
    from vaultgit.vault import Vault

UNDO = "Undo:  vaultgit schedule remove"


@click.group("schedule", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> int | None:
    """Start capture, consolidate and sync by themselves: with cron, systemd or launchd, by what is there.

    \b
    Example:
      vaultgit schedule install --dry-run
      vaultgit schedule install
      vaultgit schedule show
    """
    return ctx.invoke(show, vault=None, as_json=False) if ctx.invoked_subcommand is None else None


# -- install ---------------------------------------------------------------------------------------


@command.command("install")
@click.option("--every", "text", metavar="TIME", help="How often to capture (default 10m; 1m for a trial).")
@click.option(
    "--sync",
    "sync",
    is_flag=False,
    flag_value="10m",
    metavar="[TIME|off]",
    help="Also sync with the remote (10m); off takes it out.",
)
@click.option("--with", "kind", type=click.Choice(["cron", "systemd", "launchd"]), help="Which (default: what works).")
@click.option("--force", is_flag=True, help="Also where you changed what we wrote.")
@options.dry_run_option
@options.vault_option
@options.agent_option
@options.json_option
def install(
    text: str | None, sync: str | None, kind: str | None, force: bool, dry_run: bool, vault: str | None,
    agent: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Start `vaultgit capture` every ten minutes, and `vaultgit consolidate --due` every hour, for this vault; with
    --sync `vaultgit sync` as well.

    Whole paths, PATH and UTF-8 are written down, so that it works where nothing else is set. Once more, it brings them
    up to date. Other lines of your crontab stay as they are.

    \b
    Example:
      vaultgit schedule install --dry-run
      vaultgit schedule install --every 30m --sync
    """
    from vaultgit.install import timers
    from vaultgit.install.timers import every
    from vaultgit.install.timers.remarks import remarks

    minutes = every.minutes(text) if text else None
    synced = None if sync is None else 0 if sync == "off" else every.minutes(sync, "--sync")
    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "what is started by the clock")
        planned = timers.plan(opened, minutes, kind, only_show=dry_run, sync=synced)
        if planned.foreign and not force and not dry_run:
            raise VaultgitError(
                f"{_names(planned.foreign)}: you changed our lines since, and they stay as they are",
                "vaultgit schedule install --force puts ours in their place",
            )
        done = not dry_run and (planned.state != "unchanged" or bool(planned.others))
        if done:
            timers.install(opened, planned)
        told = [] if dry_run else remarks(opened, planned)
        if as_json:
            out.as_json(_planned(opened, planned, done, told))
        elif dry_run:
            _would(opened, planned)
        else:
            _report(opened, planned, told)
    return errors.DONE


def _would(vault: Vault, planned: Planned) -> None:
    from vaultgit.install.timers import KINDS

    if planned.state == "unchanged":
        out.say(f"unchanged: {out.short(vault.root)} is scheduled like this already")
    for text in planned.texts:
        out.say(_place(text.where, "Would write"))
        out.say()
        _print(text)
        out.say()
    for other in planned.others:
        out.say(f"Would take out what {other} starts now.")
    if planned.foreign:
        out.remark(f"{_names(planned.foreign)}: you changed our lines since; they stay, unless you say --force")
    why = KINDS[planned.kind].unusable()
    if why:
        out.remark(f"{why}; this is what it would be given")
    out.say(UNDO)


def _place(where: str, word: str) -> str:
    return f"{word} at the top of your crontab:" if where == "crontab" else f"{word} {out.short(where)}:"


def _print(text: Text | Standing) -> None:
    out.say(text.data.decode("utf-8", "surrogateescape").rstrip("\n"))


def _report(vault: Vault, planned: Planned, told: Sequence[str]) -> None:
    jobs = ", ".join(_job(one.name, one.minutes) for one in planned.jobs)
    word = "unchanged" if planned.state == "unchanged" and not planned.others else "scheduled"
    out.done(word, f"{jobs}, by {planned.kind}   {out.short(vault.root)}")
    for other in planned.others:
        out.done("removed", f"what {other} started")
    for words in told:
        out.remark(words)
    out.say("Try:   vaultgit schedule show")
    out.say(UNDO)


def _job(name: str, minutes: int) -> str:
    from vaultgit.install.timers import every

    return f"{name} {every.words(minutes)}"


def _names(places: Sequence[str]) -> str:
    return ", ".join(out.short(place) for place in dict.fromkeys(places))


def _planned(vault: Vault, planned: Planned, done: bool, told: Sequence[str]) -> dict[str, Any]:
    return {
        "vault": vault.root,
        "done": done,
        "state": planned.state,
        "with": planned.kind,
        "jobs": [{"name": one.name, "minutes": one.minutes} for one in planned.jobs],
        "texts": _texts(planned.texts),
        "takes_out": planned.others,
        "edited": planned.foreign,
        "remarks": list(told),
    }


def _texts(texts: Sequence[Text | Standing]) -> list[dict[str, str]]:
    return [{"where": one.where, "text": one.data.decode("utf-8", "surrogateescape")} for one in texts]


# -- remove ----------------------------------------------------------------------------------------


@command.command("remove")
@click.option("--force", is_flag=True, help="Also where you changed what we wrote.")
@options.dry_run_option
@options.vault_option
@options.agent_option
@options.json_option
def remove(force: bool, dry_run: bool, vault: str | None, agent: str | None, as_json: bool) -> int:
    """Take out what `install` put in, and nothing else. Works as well for a vault whose folder is gone (--vault DIR).

    \b
    Example:
      vaultgit schedule remove --dry-run
      vaultgit schedule remove
    """
    named = options.vault_named(vault)
    gone = os.path.abspath(os.path.expanduser(named)) if named else ""
    if gone and not os.path.exists(gone):
        if not dry_run:
            options.deciding_is_a_persons(None, options.agent_name(agent), "what is started by the clock")
        return _remove(gone, None, force, dry_run, as_json)
    with options.opened(vault) as opened:
        if not dry_run:
            options.deciding_is_a_persons(opened.repo, options.agent_name(agent), "what is started by the clock")
        return _remove(opened.root, opened, force, dry_run, as_json)


def _remove(root: str, vault: Vault | None, force: bool, dry_run: bool, as_json: bool) -> int:
    from vaultgit.install import timers

    there = timers.standing(root)
    every = [one for some in there.values() for one in some]
    edited = [one.where for one in every if one.edited]
    if edited and not force and not dry_run:
        raise VaultgitError(
            f"{_names(edited)}: you changed our lines since, and they stay as they are",
            "vaultgit schedule remove --force takes them out",
        )
    if every and not dry_run:
        timers.remove(root, vault)
    if as_json:
        done = bool(every) and not dry_run
        out.as_json({"vault": root, "done": done, "with": list(there), "texts": _texts(every), "edited": edited})
    elif not every:
        out.say(f"nothing to remove: {out.short(root)} is not scheduled")
    elif dry_run:
        for one in every:
            out.say(_place(one.where, "Would take out, from").replace(" at the top of", ""))
            out.say()
            _print(one)
            out.say()
        if edited:
            out.remark(f"{_names(edited)}: you changed our lines since; they stay, unless you say --force")
    else:
        out.done("removed", f"what {' and '.join(there)} started for {out.short(root)}")
    return errors.DONE


# -- show ------------------------------------------------------------------------------------------


@command.command("show")
@options.vault_option
@options.json_option
def show(vault: str | None, as_json: bool) -> int:
    """Say what is scheduled for this vault, whether it can run, and how the last run went.

    \b
    Example:
      vaultgit schedule show --json
    """
    from vaultgit.install import timers

    with options.opened(vault) as opened:
        found = timers.look(opened)
        next_ = _next(found)
        if as_json:
            out.as_json(_shown(opened, found, next_))
            return errors.DONE
        if found is None:
            out.say(f"not scheduled  {out.short(opened.root)}")
        else:
            _describe(opened, found)
    out.say(f"Next:  {next_}")
    return errors.DONE


def _describe(vault: Vault, found: Schedule) -> None:
    from vaultgit.install import timers

    jobs = timers.job.jobs(found.minutes or timers.USUAL, found.sync)
    how = ", ".join(_job(one.name, one.minutes) for one in jobs) if found.minutes else "as you wrote it"
    out.say(f"scheduled  {how}, by {found.kind}   {out.short(vault.root)}")
    for program in found.programs:
        out.say(f"program    {out.short(program)}" + ("   is gone" if program in found.gone else ""))
    for one in found.standing:
        edited = "   you changed our lines since" if one.edited else ""
        out.say(f"written    {out.short(one.where)}{edited}")
    out.say(f"last run   {_last(found)}")
    if found.sync:
        out.say(f"last sync  {_synced(found)}")
    there = "" if os.path.isfile(found.log) else "   is gone"
    out.say(f"log        {out.short(found.log)}{there}")
    if found.asleep:
        out.remark(found.asleep)


def _last(found: Schedule) -> str:
    if found.last is None:
        return "none yet"
    try:
        when = datetime.fromisoformat(found.last["time"]).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        when = found.last["time"]
    words = " ".join(found.last["words"].split())
    return f"{when}  {'fine' if found.last['ok'] else 'failed'}" + (f": {words}" if words else "")


def _synced(found: Schedule) -> str:
    if found.synced is None:
        return "none yet"
    how = {"done": "fine", "later": "later"}.get(found.synced.outcome, "failed")
    return f"{found.synced.time:%Y-%m-%d %H:%M}  {how}: {found.synced.words}"


def _next(found: Schedule | None) -> str:
    """The command that comes next."""
    from vaultgit.install import timers

    if found is None or found.gone or not os.path.isfile(found.log):
        return "vaultgit schedule install" + (" --dry-run" if found is None else "")
    if found.asleep:
        return timers.cron.MEND if found.kind == "cron" else "vaultgit schedule install"
    if " and " in found.kind:
        return f"vaultgit schedule install --with {found.kind.split()[0]}, so that it is started once"
    if found.outdated:
        return "vaultgit schedule install, to start this vaultgit instead"
    if found.last is not None and not found.last["ok"]:
        return f"tail {shlex.quote(found.log)}"
    if found.synced is not None and found.synced.outcome == "failed" and found.sync:
        return "vaultgit sync, which says it again"
    return "vaultgit status"


def _shown(vault: Vault, found: Schedule | None, next_: str) -> dict[str, Any]:
    if found is None:
        return {"vault": vault.root, "scheduled": False, "next": next_}
    return {
        "vault": vault.root,
        "scheduled": True,
        "with": found.kind.split(" and "),
        "minutes": found.minutes,
        "texts": _texts(found.standing),
        "edited": [one.where for one in found.standing if one.edited],
        "programs": found.programs,
        "gone": found.gone,
        "asleep": found.asleep or None,
        "log": found.log,
        "last": found.last,
        "sync": {
            "minutes": found.sync,
            "last": found.synced._asdict() | {"time": found.synced.time.isoformat()} if found.synced else None,
        }
        if found.sync
        else None,
        "next": next_,
    }
