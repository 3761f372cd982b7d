from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit import errors
from vaultgit.agents.headless import INSIDE
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.clock import Clock
from vaultgit.clock import SystemClock
from vaultgit.errors import UsageError

if TYPE_CHECKING:
    from vaultgit.passes.capture import run as capture
    from vaultgit.passes.engines import Engine
    from vaultgit.passes.engines import Showing
    from vaultgit.vault import Vault

_OLDEST = datetime(2000, 1, 1, tzinfo=UTC)  # no agent spoke before


@click.command("capture")
@click.option(
    "--since", metavar="T", help="Also what was said since: 2026-11-28, 2026-11-28T09:00, yesterday, 3d, 12h."
)
@click.option("--include-headless", is_flag=True, help="Also sessions that a program started (claude -p, codex exec).")
@click.option("--now", is_flag=True, help="However little there is, and though the engine failed just before.")
@options.engine_option
@options.show_prompt_option
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def command(
    since: str | None, include_headless: bool, now: bool, engine: str | None, show_prompt: bool, agent: str | None,
    vault: str | None, as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Put what is worth remembering of the agents' conversations into the daily notes.

    Reads what is new in the logs of Claude Code and Codex (the first time: of the last 24 hours); what people and
    assistants said, no output of tools. `vaultgit schedule install` runs it; its log gets no line where nothing is new.

    \b
    Example:
      vaultgit capture --since 3d --dry-run
      vaultgit capture
    """
    from vaultgit.passes.capture import run as capture

    clock = SystemClock()
    ask = capture.Ask(
        since=_since(since, clock), headless=include_headless, now=now, dry_run=dry_run or show_prompt,
        agent=agent or capture.AGENT,
    )  # fmt: skip
    return run(ask, vault, engine, as_json=as_json, show_prompt=show_prompt)


def run(
    ask: capture.Ask, vault: str | None, engine: str | None, *, as_json: bool, show_prompt: bool = False,
    quiet: bool = True,
) -> int:  # fmt: skip
    """A capture from the command line; also `recap`. `quiet`: where there is nothing new it says so on a terminal
    only."""
    from vaultgit.passes import engines
    from vaultgit.passes.capture import run as capture

    if INSIDE in os.environ:
        return errors.DONE  # an engine of ours started us: memory would feed on itself
    clock = SystemClock()
    with options.opened(vault) as opened:
        settings = opened.settings.capture
        limits = engines.Limits(settings.max_calls_per_day, settings.max_chars)
        asked = engines.chosen(opened, clock, engine, limits)
        showing = engines.Showing(asked) if asked is not None and ask.dry_run else None
        with out.Progress("reading conversations") as progress:
            tick = progress.more if sys.stderr.isatty() else _silently  # a timer's log holds what happened, no more
            report = capture.run(
                opened, clock, ask, engine=showing or asked, environ=os.environ, home=home(), tick=tick
            )  # fmt: skip
    if show_prompt:
        return _show(showing)
    if as_json:
        out.as_json(_record(report, asked))
    else:
        _print(report, ask, asked, _beside(opened, ask, report) if quiet else out.say)
    if report.busy and (ask.since or ask.now):
        out.talk("postponed: another capture is at work; try again when it has ended")
        return errors.QUEUED
    if report.postponed or any(one.result is not None and one.result.outcome == "queued" for one in report.written):
        return errors.QUEUED
    return errors.DONE


def home() -> str:
    """The user's home folder. Raises UsageError without one: the logs lie there."""
    home = os.environ.get("HOME", "")
    if not os.path.isdir(home):
        raise UsageError("HOME is not set, and the agents' conversations lie there", "HOME=/home/you vaultgit capture")
    return home


def _since(text: str | None, clock: Clock) -> datetime | None:
    """A time as it was given: a day (its beginning), a time, or so many days or hours ago."""
    if text is None:
        return None
    days = {"today": 0, "yesterday": 1}.get(text.strip().lower())
    if days is not None:
        return clock.now().replace(hour=0, minute=0, second=0) - timedelta(days=days)
    ago = re.fullmatch(r"(\d{1,5}) ?(d|h)(?:ays?|ours?)?(?: ago)?", text.strip())
    if ago:
        number = int(ago[1])
        return max(_OLDEST, clock.now() - (timedelta(days=number) if ago[2] == "d" else timedelta(hours=number)))
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{text!r} is no time", "--since 2026-11-28, --since 2026-11-28T09:00, --since 3d") from None
    found = max(_OLDEST, found if found.tzinfo is not None else found.astimezone() if found.year > 2000 else _OLDEST)
    if found > clock.now():
        raise UsageError(f"--since {text}: that is still to come", "--since 3d")
    return found


# -- a report in words -------------------------------------------------------------------------------------------


def _print(report: capture.Report, ask: capture.Ask, engine: Engine | None, beside: Callable[[str], None]) -> None:
    if report.busy:
        return beside("another capture is at work: it sees to what is new")
    for one in report.written:
        result = one.result
        if result is None:
            asked = f"what {engine.name} makes of it (--show-prompt)" if engine is not None else ""
            out.say(f"would write {one.path}: {asked or out.count(one.items, 'item')}")
            for line in one.text.splitlines():
                out.say(f"  {line}".rstrip())
            continue
        where = result.inbox or one.path
        name = result.oid or result.edit
        out.say(f"{result.outcome} {name} {where}: {out.count(one.items, 'item')}")
        if result.outcome == "queued":
            out.talk(f"  saved; it lands by itself ({result.reason})")
    for result in report.closed:
        where = result.inbox or result.path
        out.say(f"{result.outcome} {result.oid or result.edit} {where}: of a session that nobody had ended")
    for problem in report.problems:
        out.talk(f"vaultgit: {problem}")
    if report.postponed:
        out.talk(f"postponed: {report.postponed}")
        out.talk("  nothing is lost: the next run tries again   (at once: vaultgit capture --now)")
    if report.skipped and not report.written:
        out.talk(f"{out.count(report.skipped, 'line')} skipped that are no records, or far too long")
    new = report.people + report.agents
    if report.written:
        out.talk(_counts(report, engine))
    elif report.waiting:
        beside(f"{out.count(new, 'message')} wait: {report.waiting} characters are few ([capture] min_chars); --now")
    elif not report.postponed and new:
        beside(f"{_counts(report, engine)}; nothing worth keeping")
    elif not report.postponed:
        beside("nothing new" if report.there else "nothing: no conversations of Claude Code or Codex are here")
    if report.programs and not ask.headless:
        words = f"{out.count(report.programs, 'session')} of programs left out: --include-headless"
        (out.talk if beside is out.talk else _quietly)(words)
    return None


def _beside(vault: Vault, ask: capture.Ask, report: capture.Report) -> Callable[[str], None]:
    """Where it is said that there is nothing. Who has no conversation here, or looks what there would be, must hear
    that, terminal or not, unless a hook asks; a timer's log holds what happened, no more."""
    nothing_here = not report.there or (report.programs and not (report.people or report.agents))
    if ask.only or _is_log_of(vault) or not (ask.dry_run or nothing_here):
        return _quietly
    return out.talk


def _is_log_of(vault: Vault) -> bool:
    """Whether standard error is the log of what is scheduled for this vault (install/timers/job.py)."""
    try:
        return os.path.samestat(os.fstat(2), os.stat(os.path.join(vault.state, "log", "capture.log")))
    except OSError:
        return False


def _silently(_number: int) -> None:
    pass


def _quietly(words: str) -> None:
    """What a person who waits at a terminal wants to know, and a timer's log does not."""
    if sys.stderr.isatty():
        out.talk(words)


def _counts(report: capture.Report, engine: Engine | None) -> str:
    new = out.count(report.people + report.agents, "message")
    parts = [f"{new} of {out.count(report.logs, 'conversation')}"]
    parts += [f"{out.count(report.redacted, 'secret')} left out"] if report.redacted else []
    parts += [f"{out.count(report.aimed, 'instruction')} to AI tools left out"] if report.aimed else []
    parts += [f"{out.count(report.skipped, 'line')} skipped that are no records"] if report.skipped else []
    parts += [f"{engine.name}: {engine.spent}"] if engine is not None and engine.spent.calls else []
    return "; ".join(parts)


def _record(report: capture.Report, engine: Engine | None) -> dict[str, Any]:
    written = [
        {
            "path": one.path,
            "items": one.items,
            "outcome": one.result.outcome if one.result else None,
            "oid": (one.result.oid or None) if one.result else None,
            "edit": (one.result.edit or None) if one.result else None,
            "inbox": (one.result.inbox or None) if one.result else None,
            "text": one.text,
        }
        for one in report.written
    ]
    counts = {
        name: getattr(report, name) for name in ("people", "agents", "logs", "skipped", "redacted", "aimed", "programs")
    }
    cost = {"name": engine.name, **engine.spent._asdict()} if engine is not None else None
    return {
        "written": written, "new": report.people + report.agents, **counts, "waiting": report.waiting,
        "problems": list(report.problems), "postponed": report.postponed or None, "busy": report.busy, "engine": cost,
        "closed": [one.path for one in report.closed],
    }  # fmt: skip


def _show(showing: Showing | None) -> int:
    if showing is None:
        raise UsageError("no engine is set, so there is no prompt", "git config vaultgit.engine claude")
    for number, text in enumerate(showing.shown):
        out.say(("\n" if number else "") + text.rstrip("\n"))
    return errors.DONE
