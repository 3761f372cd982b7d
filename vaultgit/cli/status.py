from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.edits.round import Result
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from vaultgit.install.remote import Level

_TOLD = (
    "queue",
    "inbox",
    "proposals",
    "branches",
    "behind",
    "busy",
    "hooks",
    "capture",
    "sessions",
    "remote",
)  # with --json
_NOTES = 10  # of the inbox that are named
_REASON = 60  # characters of why one waits


@click.command("status")
@options.vault_option
@options.json_option
def command(vault: str | None, as_json: bool) -> int:
    """Say what needs you, what waits, what agents did. Lands what was queued.

    \b
    Example:
      vaultgit status
    """
    from vaultgit.clock import SystemClock
    from vaultgit.edits import seen
    from vaultgit.edits import submit
    from vaultgit.edits.busy import busy

    with options.opened(vault) as opened:
        results = submit.drain(opened, SystemClock())
        facts = _facts(opened, results, busy(opened))
        seen.look(opened, SystemClock(), options.session_id(None) or options.agent_name(None), facts["unsaved"])
        if as_json:
            out.as_json({key: facts[key] for key in _TOLD})
            return 0
        _print(opened, results, facts)
        return 0


def _facts(vault: Vault, results: list[Result], busy: str) -> dict[str, Any]:
    from vaultgit.edits import branches
    from vaultgit.edits import queue
    from vaultgit.edits import seen
    from vaultgit.edits import verify
    from vaultgit.install import hooks
    from vaultgit.install import lastsync
    from vaultgit.install import remote
    from vaultgit.passes import inbox
    from vaultgit.passes import session
    from vaultgit.passes.consolidate import proposals

    review = proposals.text(vault)
    reasons = {result.edit: result.reason for result in results if result.outcome == "queued"}
    waiting = queue.entries(vault.repo, vault.state, vault.prefix)
    pending = branches.pending(vault)
    return {
        "queue": [{"edit": e.id, "line": e.subject, "reason": reasons.get(e.id, busy)} for e in waiting],
        "inbox": [note._asdict() for note in inbox.notes(vault)],
        "proposals": [proposals.row(one) for one in proposals.of(review)],
        "not_done": proposals.not_done(review),
        "branches": [branch.name for branch in pending],
        "behind": [str(line) for line in verify.behind(vault)],
        "busy": busy or None,
        "hooks": hooks.status(vault.repo)._asdict(),
        "capture": _last_capture(vault),
        "remote": _remote(remote.level(vault)),
        "synced": lastsync.last(lastsync.path(vault)),
        "unsaved": seen.unsaved(vault),
        "suggestions": {branch.name: len(branch.waiting) for branch in pending},
        "sessions": [
            {"id": one.id, "agent": one.agent, "task": one.task, "began": one.began.isoformat()}
            for one in session.open_sessions(vault)
        ],
    }


def _remote(level: Level | None) -> dict[str, Any] | None:
    """How the branch stands to the remote's, as git last saw that: no network is asked."""
    if level is None:
        return None
    return {
        "remote": level.upstream.remote, "branch": level.upstream.branch, "ahead": level.ahead, "behind": level.behind,
        "seen": level.seen.isoformat() if level.seen else None, "words": level.words,
    }  # fmt: skip


def _last_capture(vault: Vault) -> dict[str, Any] | None:
    """How the last capture went; None where there was none."""
    from vaultgit.passes.capture import state

    last = state.load(vault)
    if last.time is None:
        return None
    again = last.next.isoformat() if last.next else None
    return {
        "time": last.time.isoformat(), "ok": last.ok, "words": last.words, "failures": last.failures, "next": again,
        "waiting": last.waiting,
    }  # fmt: skip


def _print(vault: Vault, results: list[Result], facts: dict[str, Any]) -> None:
    from vaultgit.edits import ledger
    from vaultgit.edits import queue
    from vaultgit.edits import recover
    from vaultgit.history import refs

    head = refs.head(vault.repo)
    branch = (head.branch or "no branch").removeprefix("refs/heads/")
    out.say(f"{out.short(vault.root)}  {branch}{_standing(facts['remote'])}")
    for result in results:
        if result.outcome == "pending":
            out.say(f"needs you   what you accepted did not land: {result.reason}    vaultgit review list")
        elif result.outcome != "queued":
            out.say(f"landed      {result.edit} {result.outcome} {result.oid[:10]} {result.inbox}".rstrip())
    for branch, number in facts["suggestions"].items():
        out.say(f"needs you   {out.count(number, 'suggestion')} on {branch}    vaultgit review show {branch}")
    if facts["proposals"]:
        count = out.count(len(facts["proposals"]), "suggestion")
        since = min(one["since"] for one in facts["proposals"])
        how = "tick them, then: vaultgit review apply"
        out.say(f"needs you   {count} in review.md{f' since {since}' if since else ''}    {how}")
    for line, words in facts["not_done"]:
        out.say(f"needs you   review.md:{line}: {words}")
    if facts["inbox"]:
        _say_inbox(facts["inbox"])
    for name in queue.listing(os.path.join(vault.state, recover.LATE)):
        kept = os.path.join(vault.state, recover.LATE, name)
        out.say(f"needs you   your editor saved this text while an edit landed: {kept}")
    for entry in facts["queue"]:
        out.say(f"waiting     {entry['line']}  ({entry['reason'] or 'lands with the next edit'})")
    if facts["busy"] and not facts["queue"]:
        out.say(f"busy        {facts['busy']}")
    other = queue.elsewhere(vault.repo, vault.state, vault.prefix)
    if other.waiting:
        out.say(f"waiting     {out.count(other.waiting, 'edit')} of other work trees or vaults of this repository")
    for path in other.damaged:
        out.say(f"needs you   a queued edit whose file is damaged: {path}")
    if not facts["queue"] and not other.waiting:
        out.say("waiting     nothing queued")
    for one in facts["sessions"]:
        began = one["began"][:16].replace("T", " ")
        what = f"{one['agent']} since {began}: {one['task'] or one['id']}"
        out.say(f"session     {what}    vaultgit session show {shlex.quote(one['id'])}")
    if facts["capture"]:
        _say_capture(facts["capture"])
    if facts["synced"] and facts["synced"].outcome == "failed":
        last = facts["synced"]
        out.say(f"needs you   sync, {last.time:%Y-%m-%d %H:%M}: {_cut(last.words)}    again: vaultgit sync")
    if facts["unsaved"]:
        files = out.count(len(facts["unsaved"]), "file")
        out.say(f"yours       {files} changed by you, not in git yet; agents will not touch those lines")
    if refs.tip(vault.repo, "HEAD") is not None:
        _say_today(vault)
        for carrier in ledger.carriers(vault, "-n3", "HEAD"):
            what = f"{carrier.authored:%Y-%m-%d %H:%M}  {carrier.subject}  {carrier.author}"
            out.say(f"last edits  {what}    vaultgit undo {carrier.oid[:7]}")
    if facts["behind"]:
        out.say(f"changelog   {out.count(len(facts['behind']), 'line')} behind: the next edit adds them, nothing to do")
    out.say(f"hooks       {facts['hooks']['words']}")


def _standing(remote: dict[str, Any] | None) -> str:
    """`, level with origin (2026-11-29 21:10)`, `, 2 ahead of origin: vaultgit sync`."""
    if remote is None:
        return ""
    if remote["ahead"] == remote["behind"] == 0:
        return f", {remote['words']}" + (f" ({remote['seen'][:16].replace('T', ' ')})" if remote["seen"] else "")
    return f", {remote['words']}: vaultgit sync"


def _say_today(vault: Vault) -> None:
    """How much agents did today."""
    from vaultgit.clock import SystemClock
    from vaultgit.history import walk

    since = SystemClock().now().strftime("--since=%Y-%m-%dT00:00:00%z")
    every = [step for step in walk.steps(vault.repo, "HEAD", tell=(since,)) if step.agent and step.trailer("Edit")]
    sessions = {step.trailer("Session") for step in every} - {""}
    if every:
        who = ", ".join(sorted({step.agent for step in every}))
        within = f" in {out.count(len(sessions), 'session')}" if sessions else ""
        out.say(f"today       {out.count(len(every), 'edit')} by {who}{within}")


def _say_inbox(notes: list[dict[str, Any]]) -> None:
    """The oldest ones, each with its command; how many more there are."""
    for number, note in enumerate(notes[:_NOTES], 1):
        out.say(f"needs you   {note['target']}: {_cut(note['reason'])}    vaultgit inbox show {number}")
    if len(notes) > _NOTES:
        out.say(f"needs you   {out.count(len(notes) - _NOTES, 'more note')} in the inbox    vaultgit inbox list")


def _cut(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= _REASON else words[: _REASON - 1].rstrip() + "…"


def _say_capture(last: dict[str, Any]) -> None:
    when = last["time"][:16].replace("T", " ")
    if last["ok"]:
        out.say(f"capture     {when}  {last['words']}")
    else:
        out.say(f"needs you   capture, {when}: {last['words']}    at once: vaultgit capture --now")
