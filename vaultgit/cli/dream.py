from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import editing
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import result
from vaultgit.clock import SystemClock
from vaultgit.edits.branches import Built
from vaultgit.edits.judge import Refused
from vaultgit.passes.dream.plan import Plan
from vaultgit.passes.engines import Engine
from vaultgit.passes.engines import Showing

_SHOWN = 20  # of a kind, beyond which only their number is said; --json has all
_WIDE = 100  # columns


@click.command("dream")
@click.option("--again", is_flag=True, help="Also what you dropped before, or took back.")
@options.engine_option
@options.show_prompt_option
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
@options.dry_run_option
def command(
    again: bool, engine: str | None, show_prompt: bool, agent: str | None, session: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Look at all skills once, and propose a clean-up as a branch dream/DATE that waits for your review.

    Duplicates are merged with every step kept, links mended, what nobody used for a year pruned; one commit an action.
    Nothing else is touched: not your branch, not your files. Work that is not in git is left out and named.

    \b
    Example:
      vaultgit dream --dry-run
      vaultgit dream && vaultgit review
    """
    from vaultgit.passes import dream
    from vaultgit.passes import engines

    clock = SystemClock()
    with options.opened(vault) as opened:
        asked = engines.chosen(opened, clock, engine)
        showing = Showing(asked) if asked is not None and (show_prompt or dry_run) else None
        with out.Progress("reading skills") as progress:
            plan = dream.plan(opened, clock, engine=showing or asked, again=again, tick=progress.more)
        if show_prompt:
            return _show_prompts(showing)
        made, refused = None, dict[str, str]()
        if plan.actions and not dry_run:
            try:
                proposed = dream.propose(opened, clock, plan, editing.by(agent, session, opened))
            except Refused as error:
                return result.refused(error.problems, as_json)
            made, refused = proposed if proposed is not None else (None, {})
    if as_json:
        out.as_json(
            plan.as_json() | {"branch": made.name if made else None, "refused": refused, "engine": _cost(asked)}
        )
    else:
        _print(plan, made, refused, dry_run)
        _tell_cost(asked, showing)
    return errors.DONE


# -- a plan in words ---------------------------------------------------------------------------------------------


def _print(plan: Plan, made: Built | None, refused: dict[str, str], dry_run: bool) -> None:
    number = len(made.oids) if made else len(plan.actions) if dry_run else 0
    if made is not None:
        out.say(f"proposed {made.name} {made.oids[-1]}")
    else:
        out.say(f"would propose {out.count(number, 'suggestion')}" if number else "nothing to propose")
    out.say(_counts(plan))
    for action in plan.actions:
        if action.action.subject not in refused:
            _say(action.kind, action.action.subject)
            for line in [action.reason, *(f"- {line}" for line in action.evidence)] if dry_run else ():
                _say("", line, more="  " if line.startswith("- ") else "")
    _some("related", (f"{one.one} and {one.other}, not merged: {one.why}" for one in plan.related))
    if plan.later:
        _say(
            "later",
            f"{out.count(len(plan.later), 'pair')} of which another suggestion changes a skill: dream again then",
        )
    _some("family", plan.families)
    _some("stale", (f"{path}: {why}" for path, why in plan.remarks))
    _some("left out", (f"{subject}: {why}" for subject, why in refused.items()))
    _some("left out", _by_reason(plan))
    if plan.stopped:
        _say("!", plan.stopped)
    if made is not None:
        out.talk(f"{out.count(number, 'suggestion')}, one commit each; your branch and your files are as they were")
        out.talk(f"read them:  vaultgit review show {made.name}   (or git log -p HEAD..{made.name})")
        out.talk(f"take them:  vaultgit review accept {made.name} [--only PATH…], or vaultgit review drop {made.name}")
    elif number:
        out.talk("vaultgit dream makes the branch; nothing was written")


def _counts(plan: Plan) -> str:
    """`12 skills read: 3 to merge, 1 to prune; 1 related pair, 2 stale`."""
    words = {"merge": "to merge", "links": "with links to mend", "prune": "to prune"}
    todo = [f"{plan.kinds[kind]:,} {what}" for kind, what in words.items() if plan.kinds[kind]]
    rest = [out.count(len(plan.related), "related pair")] if plan.related else []
    rest += [f"{len(plan.remarks):,} stale"] if plan.remarks else []
    rest += [f"{len(plan.left_out):,} left out"] if plan.left_out else []
    found = "; ".join(", ".join(part) for part in (todo, rest) if part)
    return f"{out.count(plan.skills, 'skill')} read" + (f": {found}" if found else "")


def _say(word: str, text: str, more: str = "") -> None:
    """`word     text`, wrapped; `more`: by how much further lines are indented."""
    lines = textwrap.wrap(text, _WIDE - 9 - len(more), break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines or [""]):
        out.say(f"{word:<8} {line}" if not number else f"{'':<8} {more}{line}")


def _some(what: str, lines: Iterable[str]) -> None:
    every = list(lines)
    for line in every[:_SHOWN]:
        _say(what, line)
    if len(every) > _SHOWN:
        _say(what, f"{len(every) - _SHOWN:,} more (--json has all)")


def _by_reason(plan: Plan) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for path, why in plan.left_out:
        reasons.setdefault(why, []).append(path)
    return [f"{_names(paths)}: {why}" for why, paths in reasons.items()]


def _names(paths: list[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


# -- engines -----------------------------------------------------------------------------------------------------


def _show_prompts(showing: Showing | None) -> int:
    for text in showing.shown if showing else ():
        out.say(text)
    if showing is None or not showing.shown:
        out.talk("nothing would be asked")
    return errors.DONE


def _tell_cost(engine: Engine | None, showing: Showing | None) -> None:
    if engine is None:
        return
    if showing is None:
        out.talk(f"{engine.name}: {engine.spent}")
    else:
        chars = sum(len(text) for text in showing.shown)
        out.talk(f"would ask {engine.name}: {out.count(len(showing.shown), 'call')}, {chars:,} characters")


def _cost(engine: Engine | None) -> dict[str, Any] | None:
    return None if engine is None else {"name": engine.name, **engine.spent._asdict()}
