"""The tools `search` and `context`."""

from __future__ import annotations

from datetime import date
from typing import Any

from vaultgit.edits import unlanded
from vaultgit.mcp.answer import DATA
from vaultgit.mcp.answer import Answer
from vaultgit.mcp.answer import name
from vaultgit.mcp.call import Call
from vaultgit.recall.index import Index
from vaultgit.recall.index import View
from vaultgit.recall.search import Hit

REFRESH = 5.0  # seconds to see what changed on disk; over it the answer comes from what is known, and says so
_STALE = "not all that changed on disk was read in time; ask again"


def search(call: Call) -> Answer:
    """As `vaultgit search`."""
    from vaultgit.recall import index
    from vaultgit.recall import search as searching

    limit, commit = int(call.arguments.get("limit", 10)), _commit(call)
    with index.opened(call.vault) as opened:
        view = _view(call, opened, commit)
        found = searching.search(call.vault, view, call.text("query"), limit=limit)
    hits = [_shown(call, view, hit) for hit in found.hits]
    count = f"{len(hits)} note{'' if len(hits) == 1 else 's'}"
    said = [f"{count}; {DATA}:"] if hits else ["nothing found"]
    for hit in hits:
        remark = f" ({hit['remark']})" if "remark" in hit else ""
        said.append(f"{name(hit['path'])}:{hit['line']}  {hit['title']}{remark}\n    {hit['text']}")
    said += [f'nothing has "{word}"; looked for {", ".join(others)}' for word, others in found.instead.items()]
    said += [f'nothing has "{word}"; nearest here: {", ".join(near)}' for word, near in found.nearest.items() if near]
    data: dict[str, Any] = {"note": DATA, "hits": hits}
    data |= {key: value for key, value in found._asdict().items() if key != "hits" and value}
    if view.stale:
        said.append(f"! {_STALE}")
        data["remark"] = _STALE
    return Answer(["\n".join(said)], data)


def _shown(call: Call, view: View, hit: Hit) -> dict[str, Any]:
    """A hit as `search --json` prints it, its line without secrets and without what hides text; an oid that serves as
    base."""
    from vaultgit.checks.secrets import redact
    from vaultgit.edits import compose
    from vaultgit.notes.plain import visible

    shown = hit.as_json() | {"text": " ".join(redact(visible(hit.text))[0].split())}
    if view.commit or call.vault.repo.blob(hit.oid):
        return shown
    data = view.queued[hit.path] if hit.queued else call.vault.rules.source.read(hit.path)
    return shown if data is None else {**shown, "oid": compose.blob_of(call.vault, hit.path, data)}


def context(call: Call) -> Answer:
    """As `vaultgit context`; what the session was given before is given again, for whoever asks by name wants it."""
    from vaultgit.passes import briefing
    from vaultgit.passes import session
    from vaultgit.recall import context as recall
    from vaultgit.recall import index

    vault, task, commit = call.vault, call.text("task", "what the task is"), _commit(call)
    budget = int(call.arguments.get("budget", vault.settings.context.budget))
    at = next((one.task for one in session.open_sessions(vault) if one.id == call.by.session), "")
    folder_names = briefing.folder_names(vault, call.connection.folder)
    with index.opened(vault) as opened:
        view = _view(call, opened, commit)
        found = recall.context(
            vault, view, task, budget=budget, today=_day(call, commit), agent=call.by.agent,
            folder_names=folder_names, session=at,
        )  # fmt: skip
    pairs = [(note.path, note.oid) for note in found.notes]
    found = briefing.safe(briefing.with_bases(vault, view, found))
    if not commit:
        session.give(vault, call.by, pairs)
    notes = [note.as_json() for note in found.notes]
    data = {
        "note": DATA,
        "task": task,
        "budget": budget,
        "tokens": found.tokens,
        "left_out": found.left_out,
        "notes": notes,
    }
    words = briefing.text(found)
    if not words:
        words = "nothing here for that task" if not found.left_out else f"no note fits in {budget:,} tokens"
    return Answer([words], data)


def _commit(call: Call) -> str:
    from vaultgit.recall import when

    at = call.text("at")
    if any(sign in at for sign in "\0\r\n"):
        at = repr(at)
    return when.commit_at(call.vault, at) if at else ""


def _view(call: Call, opened: Index, commit: str) -> View:
    if commit:
        return opened.at(commit)
    return opened.now(within=REFRESH, queued=unlanded.notes(call.vault, call.by.agent))


def _day(call: Call, commit: str) -> date:
    from vaultgit.recall import when

    return when.day_of(call.vault, commit) if commit else call.clock.now().date()
