from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.clock import SystemClock
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError

if TYPE_CHECKING:
    from vaultgit.passes.sync.count import Share
    from vaultgit.passes.sync.outcome import Synced

_SHOWN = 3  # names in a sentence
_MANY = 10  # lines of a kind; --json has all


@click.command("sync")
@click.argument("remote", required=False)
@options.vault_option
@options.json_option
@options.dry_run_option
def command(remote: str | None, vault: str | None, as_json: bool, dry_run: bool) -> int:
    """Bring this vault and a git remote in step: fetch, merge beside your notes, push; review branches, too.

    Never in the way: what you typed or staged stays as it is. Where both sides changed the same lines one text stands,
    and the other goes whole into the inbox. Offline it ends with 75, and the next sync does it. A remote that was
    emptied or rewritten is refused. --dry-run fetches, and changes nothing else.

    \b
    Example:
      vaultgit sync --dry-run
      vaultgit sync
    """
    from vaultgit.passes.sync.run import sync
    from vaultgit.passes.sync.talk import silently

    with options.opened(vault) as opened, out.Progress("syncing, objects") as progress:
        tick = progress.more if sys.stderr.isatty() else silently  # a timer's log holds what happened, no more
        try:
            done = sync(opened, SystemClock(), remote, dry_run=dry_run, attended=_attended(), tick=tick)
        except UsageError:
            raise
        except VaultgitError as error:
            if as_json:
                out.as_json({"outcome": "refused", "reason": error.message, "mend": error.hint})
                return error.exit_code
            raise
    if as_json:
        out.as_json(_record(done))
    elif done.outcome == "dry-run":
        _foretell(done)
    else:
        _tell(done)
    return errors.QUEUED if done.outcome == "queued" else errors.DONE


def _attended() -> bool:
    """Whether a person sits at a terminal, and may be asked there. The question would stop a `vaultgit sync &`."""
    try:
        return sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:  # a terminal, and not this session's: git and ssh could not ask on it
        return False


def _record(done: Synced) -> dict[str, Any]:
    return {
        "outcome": done.outcome, "oid": done.oid or None, "remote": done.remote, "branch": done.branch,
        "fetched": done.fetched, "pushed": done.pushed, "paths": list(done.paths),
        "inbox": [one._asdict() for one in done.inbox],
        "branches": [{"name": one.name, "what": one.what} for one in done.branches],
        "reason": done.reason or None,
    }  # fmt: skip


# -- in words ----------------------------------------------------------------------------------------------------


def _tell(done: Synced) -> None:
    label = f"{done.remote}/{done.branch}"
    rest = {"queued": done.reason, "unchanged": ""}.get(done.outcome, done.oid)
    out.say(f"{done.outcome} {rest}".rstrip())
    if done.outcome == "queued":
        out.talk("everything is safe here; once that is over, the next sync goes on")
    if done.outcome == "unchanged":
        out.talk(f"level with {label}")
    if done.fetched:
        out.talk(f"{_who(done.came) or 'a merge'} came in: {_files(done)}")
    if done.pushed:
        out.talk(f"{_who(done.went)} went out to {label}" if done.went else f"the merge went out to {label}")
    if done.first:
        out.talk(f"{label} is new, and this branch's upstream")
    for one in done.inbox[:_MANY]:
        out.talk(f"! {one.target}: {one.why}; that stands, the other text waits: vaultgit inbox show {one.path}")
    _more(done.inbox)
    _branches(done)
    for waits in done.waits:
        out.talk(f"! still queued: {waits.path}: {waits.reason}")


def _foretell(done: Synced) -> None:
    label = f"{done.remote}/{done.branch}"
    out.say(f"would bring in {out.count(done.fetched, 'commit')}, and push {out.count(done.pushed, 'commit')}")
    if done.fetched:
        out.say(f"in:   {_who(done.came) or 'a merge'}: {_files(done)}")
    if done.pushed:
        out.say(f"out:  {_who(done.went) or 'a merge'}" + (f" ({label} would be new)" if done.first else ""))
    for one in done.inbox[:_MANY]:
        out.say(f"!     {one.target}: {one.why}; that would stand, the other text would go to {one.path}")
    _more(done.inbox)
    for branch in done.branches[:_MANY]:
        out.say(f"then: {branch.name} {branch.what}")
    _more(done.branches)
    out.talk(f"{label} was fetched; nothing else was changed")


def _branches(done: Synced) -> None:
    for one in done.branches[:_MANY]:
        look = f"    git log -p {done.remote}/{one.name}" if one.stays and "both stay" in one.what else ""
        out.talk(f"{'! ' if one.stays else ''}{one.name} {one.what}{look}")
    _more(done.branches)


def _more(rows: tuple[object, ...]) -> None:
    if len(rows) > _MANY:
        out.talk(f"  {len(rows) - _MANY:,} more (--json has all)")


def _who(shares: Iterable[Share]) -> str:
    """`3 edits of codex, 1 commit of Ada`."""
    parts = []
    every = list(shares)
    for share in every[:_SHOWN]:
        counted = [out.count(share.edits, "edit")] if share.edits else []
        counted += [out.count(share.commits, "commit")] if share.commits else []
        parts.append(f"{' and '.join(counted)} of {share.who}")
    rest = sum(share.edits + share.commits for share in every[_SHOWN:])
    return ", ".join(parts + ([f"{rest:,} of others"] if rest else []))


def _files(done: Synced) -> str:
    """`2 notes: projects/nova.md, Home.md`; not changelog.md, which changes each time, nor inbox notes made here."""
    made = tuple(one.path for one in done.inbox)
    named = [path for path in done.paths if not path.endswith(("changelog.md", *made))]
    if not named:
        return "no note changed"
    more = f" and {len(named) - _SHOWN:,} more" if len(named) > _SHOWN else ""
    notes = all(path.endswith(".md") for path in named)
    return f"{out.count(len(named), 'note' if notes else 'file')}: {', '.join(named[:_SHOWN])}{more}"
