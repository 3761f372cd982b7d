"""The inbox: what agents were not sure of and what did not merge, and what a person decides about it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from typing import NamedTuple

from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import compose
from vaultgit.edits import inboxmemory
from vaultgit.edits import inboxnote
from vaultgit.edits import judge
from vaultgit.edits import queue
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import new_id
from vaultgit.edits.edit import shorten
from vaultgit.edits.inboxnote import Proposal
from vaultgit.edits.judge import Refused
from vaultgit.edits.lock import Lock
from vaultgit.edits.merge import merge
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.edits.submit import current
from vaultgit.edits.submit import drain
from vaultgit.edits.submit import refuse_path
from vaultgit.edits.submit import submit
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.notes import frontmatter
from vaultgit.vault import Disk
from vaultgit.vault import Vault

DECLINED = inboxmemory.DECLINED
_WAIT = 30.0  # seconds for another process that decides; longer than one edit waits for the writers' lock


class Note(NamedTuple):
    """One inbox note on disk."""

    path: str
    day: str
    target: str
    agent: str
    reason: str


class Wanted(NamedTuple):
    """An edit that a decision, or a suggestion, makes. `known`: why it need not be made again, in words; `inbox`: the
    inbox note that it makes; `declines`: what declined.md gets though nothing else is made."""

    changes: list[PathChange]
    subject: str = ""
    reason: str = ""
    by: By = By()
    trailers: tuple[tuple[str, str], ...] = ()
    housekeeping: bool = False
    known: str = ""
    inbox: str = ""
    declines: bytes = b""


@contextmanager
def deciding(vault: Vault, clock: Clock) -> Iterator[None]:
    """Held from looking at an inbox note to what is made of it: two at once would both bring its text in. What was
    decided before and waits lands first. Raises VaultgitError where another one does not let go of it."""
    try:
        queue.prepare(vault.state)
        lock = Lock(vault.state, "inbox.lock")
    except OSError as error:
        where = error.filename or vault.state
        raise VaultgitError(f"nothing changed: {where}: {error.strerror}", "vaultgit writes there") from error
    try:
        if not lock.take(_WAIT):
            raise VaultgitError("another one is at work in the inbox; nothing was done", "do it again")
        with suppress(VaultgitError):
            drain(vault, clock)
        yield
    finally:
        lock.release()


def carry_out(vault: Vault, clock: Clock, wanted: Wanted) -> Result:
    """Submits it. What is known already is "unchanged"; a suggestion that landed is in the "inbox"."""
    if wanted.known:
        if wanted.declines:
            _remember(vault, clock, wanted)
        return Result("unchanged", "", path=wanted.changes[0].path if wanted.changes else "", reason=wanted.known)
    done = submit(
        vault, clock, wanted.changes, subject=wanted.subject, reason=wanted.reason, by=wanted.by,
        trailers=wanted.trailers, housekeeping=wanted.housekeeping,
    )  # fmt: skip
    if done.outcome == "pending":
        raise _unsaved(wanted.changes[0].path, done.reason)
    return done._replace(outcome="inbox", inbox=wanted.inbox) if wanted.inbox and done.outcome == "committed" else done


def _unsaved(target: str, why: str) -> Refused:
    what = f"does not go with what stands there ({why}); nothing was done"
    return Refused([Problem(target, 1, 1, "ED01", what, f"commit your text in {target}, or take it out; then again")])


def notes(vault: Vault) -> list[Note]:
    """What waits, oldest first as history has it, so that a number means the same note after a person edited one."""
    folder = vault.rules.folder("inbox")
    found: list[Note] = []
    for name in sorted(os.listdir(vault.full(folder))) if os.path.isdir(vault.full(folder)) else []:
        path = f"{folder}/{name}" if folder else name
        if not name.endswith(".md") or not os.path.isfile(vault.full(path)):
            continue
        with open(vault.full(path), "rb") as stream:
            values = frontmatter.read(stream.read()).values
        if values.get(vault.settings.type_key) == "inbox":
            target = str(values.get("target", "")).strip("[]")
            day, who, why = (str(values.get(key, "")) for key in ("date", "agent", "reason"))
            found.append(Note(path, day, target, who, why))
    age = inboxmemory.age(vault) if len(found) > 1 else {}
    return sorted(found, key=lambda note: (note.day, age.get(note.path, len(age)), note.path))


def named(vault: Vault, word: str) -> str:
    """The path of an inbox note given by path, by name, by a part of its name, or by its number in the list."""
    if word.isdigit():
        waiting = notes(vault)
        if not 1 <= int(word) <= len(waiting):
            raise UsageError(f"there is no note {word} in the inbox", "vaultgit inbox list")
        return waiting[int(word) - 1].path
    folder = vault.rules.folder("inbox")
    for path in (vault.relative(word), f"{folder}/{word}", f"{folder}/{word}.md"):
        if (path.startswith(folder + "/") if folder else True) and os.path.isfile(vault.full(path)):
            return path
    names = [note.path for note in notes(vault)]
    for part in (f"-{word}.md", f"-{word}-"):
        holding = [path for path in names if part in path.rpartition("/")[2]]
        if len(holding) == 1:
            return holding[0]
    raise UsageError(f"{word} is no note in the inbox", "vaultgit inbox list")


def read(vault: Vault, path: str) -> tuple[bytes, Proposal]:
    """An inbox note and what it proposes."""
    with open(vault.full(path), "rb") as stream:
        data = stream.read()
    return data, inboxnote.parse(vault, path, data)


def add(vault: Vault, clock: Clock, target: str, text: bytes, reason: str, action: str, by: By) -> Wanted:
    """A proposal that waits for a person: what an agent is not sure of. One that waits already, or that a person has
    declined, is known."""
    refuse_path(vault, target, by.agent)
    known = inboxmemory.known(vault, target, text)
    if known:
        day = clock.now().strftime("%Y-%m-%d")
        line = inboxmemory.entry(day, target, text, new_id(clock)) if known.deleted else b""
        return Wanted([PathChange(target, None, None)], known=known.words, inbox=known.deleted, declines=line)
    there = current(vault, target)
    base = compose.blob_of(vault, target, there) if there is not None else ""
    name = by.agent or vault.repo.person().name
    # Its file name ends in an id of its own; the edit that brings it in has another one.
    tail = new_id(clock)
    proposal = Proposal(target, name, reason, action, base, "", text)
    day = clock.now().strftime("%Y-%m-%d")
    words = {"append": "to add this to", "write": "this as the whole of"}[action]
    data = inboxnote.compose(vault, proposal, day, f"{name} suggests {words} {target}.")
    path = inboxnote.path_of(vault, target, day, tail)
    subject = shorten(f"{path.removesuffix('.md')}: suggested for {target.removesuffix('.md')}")
    return Wanted([PathChange(path, None, data)], subject, reason, by, inbox=path)


def _remember(vault: Vault, clock: Clock, wanted: Wanted) -> None:
    """Writes into declined.md what a person's deletion says: there they can take it back. History says it, too, so that
    nothing hangs on this."""
    there = current(vault, DECLINED)
    change = PathChange(DECLINED, there, inboxmemory.with_lines(there, wanted.declines), "append")
    subject = shorten(f"{inboxmemory.REJECTED}{wanted.inbox.removesuffix('.md')}")
    try:
        submit(vault, clock, [change], subject=subject, reason="Its file was deleted.", housekeeping=True)
    except VaultgitError:
        pass


def accept(vault: Vault, path: str, *, whole: bool = False, text: bytes | None = None) -> Wanted:
    """Brings a proposal into its note, with what the person edited in it, and takes the inbox note away: one edit,
    the person's, that credits the agent. `text`: what takes the place of the proposed text.

    Raises Refused (ED01) when it still does not merge; `whole` takes the proposed text as the whole note then.
    """
    data, proposal = read(vault, path)
    decided = _decided(vault, path)
    if decided:
        return Wanted([PathChange(path, None, None)], known=decided)
    _refuse_secret(vault, path, data)
    if proposal.target == path:
        raise UsageError(f"{path} is about itself", "set `target` in it to the note that it is about, or reject it")
    proposal = proposal if text is None else proposal._replace(text=text)
    _refuse_half_a_move(vault, path, proposal)
    refuse_path(vault, proposal.target, "inbox")  # an agent may have written the target, whoever it says it is from
    there = current(vault, proposal.target)
    changes = [_change(vault, proposal, there, whole), PathChange(path, data, None, "delete")]
    _refuse_unsaved(vault, changes[0])
    changes = [change for change in changes if change.base != change.new]
    own_words = inboxnote.wanted(data)
    subject = own_words or shorten(
        f"{proposal.target.removesuffix('.md')}: accepted from {proposal.agent or 'the inbox'}"
    )
    trailers = (("Proposed-by", f"{inboxmemory.BY}{proposal.agent or 'inbox'}"),)
    return Wanted(changes, subject, f"From {path}: {proposal.reason}", trailers=trailers)


def _refuse_unsaved(vault: Vault, change: PathChange) -> None:
    """A change on top of text that is not in git, where that text is in its way: it could not be committed alone."""
    blob = vault.repo.blob(f"HEAD:{vault.prefix}{change.path}") if "\n" not in change.path else None
    head = compose.blob_text(vault, change.path, blob.oid) if blob else None
    if head is not None and head != change.base:
        merged = merge(change.base, head, change.new, text_merge=git_text_merge(vault.repo))
        if merged.conflicts:
            raise _unsaved(change.path, f"text that is not in git yet: {', '.join(merged.conflicts)}")


def _decided(vault: Vault, path: str) -> str:
    """In words, that an edit waits to land which takes the inbox note away; "" where none does."""
    for edit in queue.entries(vault.repo, vault.state, vault.prefix):
        if any(change.path == path and change.new is None for change in edit.changes):
            return f"it is decided already, and that waits to land: {edit.subject}"
    return ""


def _refuse_secret(vault: Vault, path: str, data: bytes) -> None:
    """What a person typed into an inbox note goes into git before the note goes."""
    if _committed(vault, path) != data:
        found = judge.secrets(vault, path, data)
        if found:
            raise Refused(found)


def _committed(vault: Vault, path: str) -> bytes | None:
    blob = vault.repo.blob(f"HEAD:{vault.prefix}{path}")
    return blob.data if blob else None


def _refuse_half_a_move(vault: Vault, path: str, proposal: Proposal) -> None:
    """What a move left behind goes only after the note stands under its new name."""
    if proposal.text is not None or not proposal.edit:
        return
    for note in notes(vault):
        try:
            other = read(vault, note.path)[1] if note.path != path else proposal
        except VaultgitError:
            continue
        if other.edit == proposal.edit and other.action == "move" and other.text is not None:
            mend = f"vaultgit inbox accept {note.path}"
            what = f"would go before {other.target}, which it moves to, is there"
            raise Refused([Problem(proposal.target, 1, 1, "ED01", what, mend)])


def _change(vault: Vault, proposal: Proposal, there: bytes | None, whole: bool) -> PathChange:
    if there is None and proposal.base and proposal.action != "move" and not whole:
        _refuse_moved(vault, proposal)
    if proposal.action == "append" and proposal.text is not None and not proposal.edit:
        if there is None:
            raise UsageError(f"{proposal.target} is not there to be added to", "make the note first, or reject this")
        return compose.append(vault, proposal.target, proposal.text, None, None)
    if there is None and _committed(vault, proposal.target) is not None:
        what = "is gone from disk, and that is not in git yet"
        raise Refused([Problem(proposal.target, 1, 1, "ED01", what, "commit that, or put the file back; then again")])
    if whole or there is None or proposal.text is None:
        return PathChange(proposal.target, there, proposal.text, proposal.action)
    base = vault.repo.blob(proposal.base) if proposal.base else None
    merged = merge(base.data if base else None, there, proposal.text, text_merge=git_text_merge(vault.repo))
    if merged.conflicts:
        raise Refused([
            Problem(proposal.target, 1, 1, "ED01", f"still does not merge ({', '.join(merged.conflicts)})",
                    "make the text in the inbox note what the whole note should say, then: accept --whole")
        ])  # fmt: skip
    return PathChange(proposal.target, there, merged.data, proposal.action)


def _refuse_moved(vault: Vault, proposal: Proposal) -> None:
    """A note that was there, and one of its name is elsewhere now: a link that did not follow is the person's to
    mend."""
    name = proposal.target.rpartition("/")[2]
    elsewhere = [path for path in Disk(vault.root).notes() if path.rpartition("/")[2] == name]
    if elsewhere:
        found = elsewhere[0].removesuffix(".md")
        mend = f"set `target` in the inbox note to [[{found}]], or accept --whole makes the note anew"
        raise Refused([Problem(proposal.target, 1, 1, "ED01", f"is gone, and there is {elsewhere[0]}", mend)])


def edited(vault: Vault, path: str, text: bytes) -> Wanted:
    """Keeps a person's own text in an inbox note that cannot be accepted with it now."""
    data, _ = read(vault, path)
    new = inboxnote.with_text(data, text)
    subject = shorten(f"{path.removesuffix('.md')}: text edited")
    return Wanted([PathChange(path, data, new)], subject)


def reject(vault: Vault, clock: Clock, path: str, why: str) -> Wanted:
    """Takes an inbox note away and remembers what was rejected, so that it does not come back."""
    with open(vault.full(path), "rb") as stream:
        data = stream.read()
    try:
        proposal = inboxnote.parse(vault, path, data)
        target, text = proposal.target, proposal.text
    except VaultgitError:  # a broken one can be wished away, too
        target, text = path, data
    decided = _decided(vault, path)
    if decided:
        return Wanted([PathChange(path, None, None)], known=decided)
    _refuse_secret(vault, path, data)
    known = current(vault, DECLINED)
    day = clock.now().strftime("%Y-%m-%d")
    # With what was proposed before a person edited it.
    texts = dict.fromkeys((text, *inboxmemory.earlier(vault, path, target)))
    entry = b"".join(inboxmemory.entry(day, target, one, new_id(clock)) for one in texts)
    changes = [
        PathChange(path, data, None, "delete"),
        PathChange(DECLINED, known, inboxmemory.with_lines(known, entry), "append"),
    ]
    subject = shorten(f"{inboxmemory.REJECTED}{path.removesuffix('.md')}")
    return Wanted(changes, subject, why, housekeeping=True)
