from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out

if TYPE_CHECKING:
    from vaultgit.recall.context import Context
    from vaultgit.vault import Vault


@click.command("context")
@click.argument("task", nargs=-1, required=True, metavar="TASK")
@click.option("--budget", metavar="TOKENS", type=click.IntRange(min=1), help="At most so much (else [context] budget).")
@click.option("--at", "at", metavar="REF|DATE", help="As of a commit, a branch, or the end of a day, a month, a year.")
@options.agent_option
@options.session_option
@options.vault_option
@options.json_option
def command(
    task: Sequence[str],
    budget: int | None,
    at: str | None,
    agent: str | None,
    session: str | None,
    vault: str | None,
    as_json: bool,
) -> int:
    """Give the notes that a task needs, within a budget of tokens, each with the oid to pass as --base.

    The project that the task or this folder names, its decisions that hold, the last session on it, people named,
    skills that fit, what search finds, and what is linked with those. Of a large note the lines that matter. A token is
    four bytes, or one Chinese, Japanese or Korean character.

    \b
    Example:
      vaultgit context "move the launch of nova to spring"
      vaultgit context "who runs nova" --budget 800 --at 2026-10-01
    """
    from vaultgit.clock import SystemClock
    from vaultgit.edits import unlanded
    from vaultgit.passes import briefing
    from vaultgit.recall import index
    from vaultgit.recall import when
    from vaultgit.recall.context import context

    progress = out.Progress("reading notes for the index")
    name, asked = options.agent_name(agent), " ".join(task)
    identity = options.session_id(session)
    with options.opened(vault) as opened:
        commit = when.commit_at(opened, at) if at else ""
        folder_names = briefing.folder_names(opened, os.getcwd())
        with index.opened(opened, progress.more) as notes:
            with progress:
                view = notes.at(commit) if commit else notes.now(queued=unlanded.notes(opened, name))
            found = context(
                opened, view, asked, budget=budget or opened.settings.context.budget,
                today=when.day_of(opened, commit) if commit else SystemClock().now().date(), agent=name,
                folder_names=folder_names, session=_session_task(opened, identity),
            )  # fmt: skip
        pairs = [(note.path, note.oid) for note in found.notes]
        found = briefing.safe(briefing.with_bases(opened, view, found))
        if identity and not commit:
            _given(opened, name, identity, pairs)
    if as_json:
        out.as_json(
            {
                "task": asked, "budget": found.budget, "tokens": found.tokens, "left_out": found.left_out,
                "notes": [note.as_json() for note in found.notes],
            }
        )  # fmt: skip
        return errors.DONE
    _tell(found, briefing.text(found))
    return errors.DONE


def _tell(found: Context, text: str) -> None:
    if text:
        out.say(text.rstrip("\n"))
        if found.left_out:
            out.talk(f"{out.count(found.left_out, 'more note')} had no room: --budget {found.budget * 2}")
        return
    if found.left_out:
        out.talk(f"no note fits in {out.count(found.budget, 'token')}: --budget {max(400, found.budget * 4)}")
        return
    unknown = ", ".join(f'"{word[:40]}"' for word in found.unknown[:5])
    out.talk("nothing here for that task" + (f"; no note has {unknown}" if unknown else ""))


def _session_task(vault: Vault, identity: str | None) -> str:
    """What the agent's open session is at; "" where it has none."""
    from vaultgit.passes import session

    return next((one.task for one in session.open_sessions(vault) if one.id == identity), "") if identity else ""


def _given(vault: Vault, agent: str | None, identity: str, pairs: Sequence[tuple[str, str]]) -> None:
    """Notes in the session what it has been given."""
    from vaultgit.edits.submit import By
    from vaultgit.passes import session

    session.give(vault, By(agent, identity), pairs)
