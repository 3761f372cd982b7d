"""The tools `read`, `write`, `propose` and `undo`."""

from __future__ import annotations

import io
import os
from typing import Any

from vaultgit.edits import compose
from vaultgit.edits import move as moving
from vaultgit.edits import submit
from vaultgit.edits import undo as undoing
from vaultgit.edits.edit import PathChange
from vaultgit.edits.readable import readable
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history.log import Commit
from vaultgit.mcp.answer import DATA
from vaultgit.mcp.answer import Answer
from vaultgit.mcp.answer import name
from vaultgit.mcp.answer import of_result
from vaultgit.mcp.call import Call
from vaultgit.notes import frontmatter
from vaultgit.walk import is_folder

LONGEST = 40_000  # characters of a note in one answer: clients cut at some 25,000 tokens, in the middle of a word
LISTED = 500  # names of a folder


# -- read ----------------------------------------------------------------------------------------------------------


def read(call: Call) -> Answer:
    """A note's text, its base and its properties; of a long one a part, and no base: whoever has not seen all of it is
    not to write all of it."""
    from vaultgit.passes import session

    vault, given = call.vault, call.path() or "."
    path = readable(vault, given if given.startswith("/") else given.rstrip("/"))
    if os.path.isdir(vault.full(path)):
        return _folder(call, path)
    data = submit.current(vault, path, call.by.agent)
    if data is None:
        raise compose.no_such_note(vault, path)
    if b"\0" in data and not path.endswith(".md"):
        raise UsageError(f"{path} is no text: {len(data):,} bytes")
    session.read(vault, call.clock, call.by, path)
    start = int(call.arguments.get("line", 1))
    text, last, lines = _part(data, start)
    if start == 1 and last == lines and len(text) <= LONGEST:
        oid = compose.blob_of(vault, path, data)
        head, remark = f"{name(path)}, base {oid}; {DATA}:", {}
    else:
        oid = ""
        text = text[:LONGEST]
        said = f"lines {start:,} to {last:,} of {lines:,}" + (f", go on with line {last + 1}" if last < lines else "")
        said += "; no base, for a part is not the note: change it with append or set"
        head, remark = f"{name(path)}, {said}; {DATA}:", {"remark": said}
    found = {"note": DATA, "path": path, "oid": oid or None, "properties": frontmatter.read(data).values, "text": text}
    return Answer([head, text], found | remark)


def _part(data: bytes, start: int) -> tuple[str, int, int]:
    """Whole lines from `start` on, as many as fit (one at least); the number of the last of them, and of all."""
    lines = io.StringIO(data.decode("utf-8", "replace"), newline="\n").readlines() or [""]
    if start > len(lines):
        raise UsageError(f"the note has {len(lines):,} lines")
    size, end = len(lines[start - 1]), start
    while end < len(lines) and size + len(lines[end]) <= LONGEST:
        size, end = size + len(lines[end]), end + 1
    return "".join(lines[start - 1 : end]), end, len(lines)


def _folder(call: Call, path: str) -> Answer:
    """What Obsidian shows of a folder: folders, then files."""
    full = call.vault.full(path)
    there = sorted(entry.name + ("/" if is_folder(entry) else "") for entry in os.scandir(full))
    names = [one for one in there if not one.startswith(".")]
    shown = [*(one for one in names if one.endswith("/")), *(one for one in names if not one.endswith("/"))]
    rest = f"\nand {len(shown) - LISTED:,} more; search finds notes" if len(shown) > LISTED else ""
    words = "\n".join(map(name, shown[:LISTED])) + rest if shown else "the folder is empty"
    return Answer([words], {"path": path, "names": shown[:LISTED], "total": len(shown)})


# -- write ---------------------------------------------------------------------------------------------------------


def write(call: Call) -> Answer:
    """As `vaultgit write`, `append`, `set`, `move` and `delete`: one edit."""
    vault, agent, path = call.vault, call.by.agent, call.path()
    action = call.text("action") or "write"
    _refuse_others(call, action)
    if action == "move":
        return _move(call, path)
    values: dict[str, Any] | None = None
    if action == "set":
        values = dict(call.arguments.get("values") or {})
        if not values:
            raise UsageError("values is missing", 'values: {"status": "done"}')
        change = compose.set_properties(vault, path, values, agent)
    elif action == "delete":
        change = compose.delete(vault, path, agent)
    elif action == "append":
        text = call.text("text", "the text to add").encode()
        change = compose.append(vault, path, text, call.text("heading") or None, agent)
    else:
        text = call.text("text", "the note's text").encode()
        change = compose.write(vault, path, text, call.text("base") or None, agent)
    return call.submit([change], values)


_TAKES = {
    "write": ("text", "base"),
    "append": ("text", "heading"),
    "set": ("values",),
    "move": ("to",),
    "delete": (),
}


def _refuse_others(call: Call, action: str) -> None:
    """An argument that the action does not take is a misunderstanding, and no reason to do the half of it."""
    for one in ("text", "base", "heading", "values", "to"):
        if call.arguments.get(one) and one not in _TAKES[action]:
            fits = ", ".join(other for other, names in _TAKES.items() if one in names)
            raise UsageError(f"action {action} takes no {one}", f"{one} goes with action {fits}")


def _move(call: Call, path: str) -> Answer:
    vault = call.vault
    call.text("to", "the new path")
    folder = "/" if call.text("to").endswith("/") else ""
    to = call.path("to").rstrip("/") + folder
    planned = moving.plan(vault, call.clock, [(path, to)], agent=call.by.agent, reason=call.text("reason"))
    if not planned.moved:
        return call.submit([PathChange(path, None, None)])
    done = call.submit(planned.changes, line=planned.line)
    moving.tidy(vault, planned)
    kept = [f"! {one.path} keeps its old links: {one.reason}" for one in planned.kept]
    return done._replace(texts=[*done.texts, *kept, *(f"! {remark}" for remark in planned.remarks)])


# -- propose -------------------------------------------------------------------------------------------------------


def propose(call: Call) -> Answer:
    """As `vaultgit inbox add`."""
    from vaultgit.passes import inbox

    text, reason = call.text("text", "the suggested text").encode(), call.text("reason", "why it waits for a person")
    action = call.text("action") or "append"
    with inbox.deciding(call.vault, call.clock):
        wanted = inbox.add(call.vault, call.clock, call.path(), text, reason, action, call.by)
        told = [] if wanted.known else call.began()
        done = inbox.carry_out(call.vault, call.clock, wanted)
    if done.outcome != "inbox":
        return of_result(done, also=told)
    answer = of_result(done)
    words = [f"it waits for a person to decide, in {done.inbox}", *told]
    return answer._replace(texts=["\n".join([f"inbox {done.oid} {done.inbox}", *words])],
                           data=answer.data | {"means": " ".join(words)})  # fmt: skip


# -- undo ----------------------------------------------------------------------------------------------------------


def undo(call: Call) -> Answer:
    """What this session wrote, and nothing else: all other edits are a person's to take back."""
    vault, target, everything = call.vault, call.text("target"), call.arguments.get("all") is True
    if bool(target) == everything:
        raise UsageError("name one thing to undo: target (a commit, an edit id, a note), or all of this session")
    session = call.by.session or ""
    if everything:
        commits = undoing.of_session(vault, session)
    else:
        commits = undoing.of_target(vault, _named(target))
    for commit in commits:
        if not _is_own(call, commit):
            raise VaultgitError(
                f"{commit.oid[:10]} ({commit.subject}) is no edit of this session: a person takes it back, or not",
                "say why with propose",
            )
    plan = undoing.plan(vault, call.clock, commits, session=session if everything else "")
    told = call.began()
    done = submit.submit(
        vault, call.clock, plan.changes, subject=plan.subject, reason=plan.reason, by=call.by, trailers=plan.trailers
    )
    taken = f"{len(commits)} commit{'s' if len(commits) > 1 else ''} taken back; what was done since stays"
    return of_result(done, taken + ". Undo the undo: undo {oid}", told)


def _named(target: str) -> str:
    if any(sign in target for sign in "\0\r\n"):
        raise UsageError("that names no commit, no edit and no note")
    return target


def _is_own(call: Call, commit: Commit) -> bool:
    return (commit.trailer("Agent"), commit.trailer("Session")) == (call.by.agent, call.by.session)
