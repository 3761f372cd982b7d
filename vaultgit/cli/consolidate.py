from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.clock import SystemClock
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from vaultgit.passes.consolidate.deciding import Decided
    from vaultgit.passes.consolidate.rounds import Proposed
    from vaultgit.passes.engines import Engine


@click.command("consolidate")
@click.option("--apply", "only_apply", is_flag=True, help="Only do what you ticked, as review apply does.")
@click.option("--due", is_flag=True, help="For timers: silent before [consolidate] days are over, unless you ticked.")
@options.engine_option
@options.show_prompt_option
@options.agent_option
@options.vault_option
@options.json_option
@options.dry_run_option
def command(
    only_apply: bool, due: bool, engine: str | None, show_prompt: bool, agent: str | None, vault: str | None,
    as_json: bool, dry_run: bool,
) -> int:  # fmt: skip
    """Turn captures into suggestions in review.md, and do what you ticked there.

    What captures mention at least twice, or what clearly lasts, is drafted as a note. Nothing becomes one before you
    tick accept, in any editor; edit the draft first, if you like. What you reject does not come back. (An agent only
    proposes: deciding is yours.)

    \b
    Example:
      vaultgit consolidate
      vaultgit review apply
    """
    from vaultgit.passes import engines
    from vaultgit.passes.consolidate import deciding
    from vaultgit.passes.consolidate import rounds
    from vaultgit.passes.consolidate.deciding import Decided

    clock = SystemClock()
    with options.opened(vault) as opened:
        who = options.agent_name(agent)
        decides = options.may_decide(opened.repo, who)
        if only_apply and not dry_run:
            options.deciding_is_a_persons(opened.repo, who, "applying review.md")
        is_due = not due or rounds.is_due(opened, clock)
        if not is_due and not (decides and rounds.has_ticks(opened)):
            return errors.DONE
        proposes = is_due and not only_apply
        capture = opened.settings.capture
        limits = engines.Limits(capture.max_calls_per_day, capture.max_chars)
        asked = engines.chosen(opened, clock, engine, limits) if proposes else None
        showing = engines.Showing(asked) if asked is not None and (show_prompt or dry_run) else None
        looks = dry_run or show_prompt
        with deciding.alone(opened):
            decided = Decided([], [], [], [])
            if decides and not show_prompt:
                decided = deciding.decide(opened, clock, dry_run=looks)
            proposed = rounds.Proposed([])
            if proposes:
                gone = frozenset([one.id for one in decided.applied] + [one.id for one in decided.rejected])
                proposed = rounds.propose(
                    opened, clock, agent=None if decides else who, engine=showing or asked, dry_run=looks, decided=gone
                )
            if proposes and not looks and not decided.later and proposed.ran:
                rounds.remember_run(opened, clock)
    if show_prompt:
        return _show_prompts(showing)
    quiet = due and not decided.news
    if as_json:
        told = {"proposed": [_row(one) for one in proposed.new], "kept_out": proposed.kept_out, "engine": _cost(asked)}
        out.as_json(as_data(decided) | told)
    else:
        tell(decided, dry_run, quiet=quiet)
        if proposes:
            _tell_proposed(proposed, dry_run, quiet=due)
        _tell_cost(asked, showing)
        if only_apply and not (decided.applied or decided.rejected or decided.left or decided.later):
            out.talk("nothing is ticked in review.md")
    return errors.DONE if due and not decided.later else code(decided, proposed)


# -- what was decided: `review apply` says it, too -----------------------------------------------------------------


def as_data(decided: Decided) -> dict[str, Any]:
    from vaultgit.passes.consolidate import proposals

    return {
        "applied": [one._asdict() for one in decided.applied],
        "rejected": [proposals.row(one) for one in decided.rejected],
        "waiting": [proposals.row(one) for one in decided.waiting],
        "left": [one._asdict() for one in decided.left],
    }


def tell(decided: Decided, dry_run: bool = False, *, quiet: bool = False) -> None:
    """Prints what was done, and beside it what was not. `quiet`: not what was told before."""
    from vaultgit.passes.consolidate import proposals

    for one in decided.applied:
        if quiet and one.again:
            continue
        if one.outcome == "would":
            out.say(f"would {'put into the inbox' if one.inbox else 'accept'}: {one.path}")
        elif one.outcome == "inbox":
            out.say(f"inbox {one.oid} {one.inbox}")
            out.talk(
                f"{one.path}: {one.reason or 'it does not merge with what is there'}: vaultgit inbox show {one.inbox}"
            )
        elif one.outcome == "queued":
            out.say(f"queued {one.id} {one.path}")
        else:
            out.say(f"accepted {one.path} {one.oid}".rstrip())
    for block in decided.rejected:
        out.say(f"{'would reject' if dry_run else 'rejected'} {proposals.shortened(block.title)}")
    _tell_back(decided)
    for left in decided.left:
        if quiet and left.id:
            continue
        out.talk(f"review.md:{left.line}: {left.title}: {left.reason}")
    if decided.later and not (quiet and all(one.again for one in decided.applied)):
        out.talk(f"the rest of review.md waits: {decided.later}. Nothing to do, the next run goes on")


def _tell_back(decided: Decided) -> None:
    """How to take back what was accepted, and how many still wait."""
    oids = [one.oid[:10] for one in decided.applied if one.outcome in ("committed", "merged")]
    if oids:
        rest = len({*(one.id for one in decided.waiting), *(one.id for one in decided.left if one.id)})
        still = f"{rest} still wait{'s' if rest == 1 else ''} in review.md. " if rest else ""
        back = f"it back: vaultgit undo {oids[0]}" if len(oids) == 1 else "one back: vaultgit undo PATH"
        out.talk(f"{out.count(len(oids), 'suggestion')} accepted. {still}Take {back}")


def code(decided: Decided, proposed: Proposed | None = None) -> int:
    """The exit code: what only looks like a tick is no failure."""
    queued = proposed is not None and proposed.result is not None and proposed.result.outcome == "queued"
    if decided.later or queued or any(one.outcome == "queued" for one in decided.applied):
        return errors.QUEUED
    return errors.REFUSED if decided.failed else errors.DONE


def waiting(vault: Vault) -> list[dict[str, str]]:
    """The proposals that wait, as `status --json` lists them."""
    from vaultgit.passes.consolidate import proposals

    return [proposals.row(one) for one in proposals.of(proposals.text(vault))]


# -- what is proposed ----------------------------------------------------------------------------------------------


def _tell_proposed(proposed: Proposed, dry_run: bool, *, quiet: bool) -> None:
    from vaultgit.passes import sealed
    from vaultgit.passes.consolidate import proposals

    for one in proposed.new:
        path, action = proposals.field(one.block, "path"), proposals.field(one.block, "action")
        what = f"new {proposals.field(one.block, 'type')}" if action == proposals.CREATE else "an addition"
        out.say(f"{'would propose' if dry_run else 'proposed'} {path}: {what}; {one.why}")
        if one.said and "was not used" in one.said:
            out.talk(f"{one.block.title}: {one.said}")
    for name, why in proposed.left_out:
        out.talk(f"left out: {name}: {why}")
    if proposed.nothing and not quiet:
        out.talk(proposed.nothing)
    if proposed.kept_out and not quiet:
        out.talk(sealed.in_words(proposed.kept_out))
    result = proposed.result
    if result is not None and result.outcome == "queued":
        out.talk(f"saved, and they come into review.md by themselves: {result.reason}")
    elif result is not None and result.outcome == "inbox":
        what = f"review.md was changed meanwhile, and what it should say is in {result.inbox}"
        out.talk(f"{what}: delete that note, then: vaultgit consolidate")
    elif result is not None:
        count = out.count(proposed.waiting, "suggestion")
        out.talk(f"{count} in review.md ({result.oid[:10]}): tick a box of each, then: vaultgit review apply")
    if proposed.no_room:
        out.talk(f"{len(proposed.no_room):,} more wait for the next round")


def _row(one: Any) -> dict[str, Any]:
    from vaultgit.passes.consolidate import proposals

    return proposals.row(one.block) | {"why": one.why, "mentions": one.mentions, "engine": one.said}


# -- engines -------------------------------------------------------------------------------------------------------


def _show_prompts(showing: Any) -> int:
    for text in showing.shown if showing else ():
        out.say(text)
    if showing is None or not showing.shown:
        out.talk("nothing would be asked")
    return errors.DONE


def _tell_cost(engine: Engine | None, showing: Any) -> None:
    if showing is not None:
        chars = sum(len(text) for text in showing.shown)
        out.talk(f"would ask {showing.name}: {out.count(len(showing.shown), 'call')}, {chars:,} characters")
    elif engine is not None and engine.spent.calls:
        out.talk(f"{engine.name}: {engine.spent}")


def _cost(engine: Engine | None) -> dict[str, Any] | None:
    return None if engine is None else {"name": engine.name, **engine.spent._asdict()}
