"""The front door of the write path: checks, then the queue, then landing."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.checks import protected
from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import changelog
from vaultgit.edits import judge
from vaultgit.edits import land
from vaultgit.edits import plan as plans
from vaultgit.edits import queue
from vaultgit.edits import steps
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import agent_author
from vaultgit.edits.edit import fingerprint
from vaultgit.edits.edit import new_id
from vaultgit.edits.lock import Lock
from vaultgit.edits.merge import git_text_merge
from vaultgit.edits.merge import merge
from vaultgit.edits.round import Result
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.vault import Vault

LOCK_WAIT = 20.0  # seconds; whoever holds the lock lands our edit as well, so that waiting is rarely long


class By(NamedTuple):
    """Who edits. `agent` None: a person, as git knows them."""

    agent: str | None = None
    session: str | None = None


def submit(
    vault: Vault,
    clock: Clock,
    changes: Sequence[PathChange],
    *,
    subject: str,
    reason: str = "",
    by: By = By(),  # noqa: B008
    trailers: Sequence[tuple[str, str]] = (),
    housekeeping: bool = False,
    wait: float = LOCK_WAIT,
) -> Result:
    """One edit, checked, queued and, if the repository is free, landed.

    Raises judge.Refused with nothing written, VaultgitError when the edit could not even be saved. `housekeeping`:
    a commit of the person's with neither id nor line (set-up, review.md); its paths are vaultgit's own.
    """
    edit = make(
        vault, clock, changes, subject=subject, reason=reason, by=by, trailers=trailers, housekeeping=housekeeping
    )
    if not housekeeping:
        refuse_problems(vault, edit)
        known = _sent_before(vault, edit)
        if known is not None:
            return known
    try:
        queue.prepare(vault.state)
        queue.put(vault.state, edit)
    except OSError as error:
        what = ", ".join(change.path for change in changes)
        raise VaultgitError(f"{what} not saved, nothing changed: {error.filename}: {error.strerror}") from error
    steps.reached("queue-written")
    return settle(vault, clock, edit, wait)


def make(
    vault: Vault,
    clock: Clock,
    changes: Sequence[PathChange],
    *,
    subject: str,
    reason: str,
    by: By,
    trailers: Sequence[tuple[str, str]] = (),
    housekeeping: bool = False,
) -> Edit:
    """The edit as it would be queued."""
    edit_id = new_id(clock)
    if by.agent:
        author = agent_author(by.agent, vault.settings.emails)
        named: list[tuple[str, str]] = [("Agent", by.agent)]
    else:
        person = vault.repo.person()
        author, named = (person.name, person.email), []
    if by.session:
        named.append(("Session", " ".join(by.session.split())))
    everything = () if housekeeping else (*trailers, *named, ("Edit", edit_id))
    return Edit(
        edit_id, tuple(changes), subject, reason, author, by.agent, everything, clock.now().isoformat(),
        refs.head(vault.repo).branch, vault.repo.git_dir, vault.prefix, fingerprint(changes, by.agent),
        time.time_ns(),
    )  # fmt: skip


def settle(vault: Vault, clock: Clock, edit: Edit, wait: float = LOCK_WAIT) -> Result:
    """Waits until a queued edit has landed, by us or by whoever holds the lock; "queued" when it cannot now."""
    gone = os.path.join(vault.state, "queue", f"{edit.id}.json")
    lock = Lock(vault.state)
    try:
        if lock.take(wait, done=lambda: not os.path.exists(gone)):
            if os.path.exists(gone):
                return land.drain(vault, clock, lock, own=edit.id)[edit.id]
        elif os.path.exists(gone):
            return Result(
                "queued",
                edit.id,
                path=edit.changes[0].path,
                reason="another writer is at work; it lands with the next run",
            )
    except (OSError, VaultgitError) as error:
        return Result("queued", edit.id, path=edit.changes[0].path, reason=f"landing failed for now: {error}")
    finally:
        lock.release()
    return landed(vault, edit.id) or Result("committed", edit.id, path=edit.changes[0].path)


def drain(vault: Vault, clock: Clock, wait: float = 0.5) -> list[Result]:
    """Lands what waits, if anything does: for `status`, sessions and passes. Repairs what a killed writer left."""
    from vaultgit.edits import repair

    if not os.path.isdir(os.path.join(vault.state, "queue")):
        return []
    lock = Lock(vault.state)
    try:
        if not lock.take(wait):
            return []
        results = list(land.drain(vault, clock, lock).values())
        repair.repair_index(vault)
        return results
    finally:
        lock.release()


def landed(vault: Vault, edit_id: str) -> Result | None:
    """What became of an edit, from the records of the last rounds."""
    for record in plans.landed(vault.state):
        for one in record.edits:
            if one.edit == edit_id:
                return Result(one.outcome, one.edit, one.oid, "", one.inbox)
    return None


def _sent_before(vault: Vault, edit: Edit) -> Result | None:
    """A client that retries after a time-out sends the same paths, bytes and base: that is one edit."""
    if not os.path.isdir(os.path.join(vault.state, "queue")):
        return None
    for waiting in queue.entries(vault.state, vault.repo.git_dir, vault.prefix):
        if waiting.fingerprint == edit.fingerprint:
            return Result("queued", waiting.id, path=edit.changes[0].path, reason="this very edit is queued already")
    if all(change.base == current(vault, change.path) for change in edit.changes):
        return None
    for record in plans.landed(vault.state):
        for one in record.edits:
            if one.fingerprint == edit.fingerprint and one.oid:
                tip = refs.tip(vault.repo, record.ref)
                if tip and refs.is_ancestor(vault.repo, one.oid, tip):
                    return Result("unchanged", one.edit, one.oid, edit.changes[0].path, one.inbox)
    return None


def foresee(vault: Vault, edit: Edit) -> list[tuple[PathChange, str]]:
    """What landing would make of an edit now, for --dry-run: each note as it is and as it would be, and in words what
    conflicts. The action is "merge" where the note is no longer what the edit was based on."""
    steps: list[tuple[PathChange, str]] = []
    for change in edit.changes:
        now = current(vault, change.path, edit.agent)
        if now == change.base:
            steps.append((change, ""))
            continue
        merged = merge(change.base, now, change.new, text_merge=git_text_merge(vault.repo))
        steps.append((PathChange(change.path, now, merged.data, "merge"), ", ".join(merged.conflicts)))
    return steps


# -- before the queue --------------------------------------------------------------------------------------------


def refuse_problems(vault: Vault, edit: Edit) -> None:
    """Path rules, protected paths, schema, secrets, on the plain bytes given. Raises judge.Refused."""
    in_the_way = _on_disk(vault, changelog.FILE)  # each edit writes there, too
    if in_the_way:
        raise judge.Refused(in_the_way)
    for change in edit.changes:
        refuse_path(vault, change.path, edit.agent)
    found = judge.problems(vault, edit, [(c.path, c.base, c.new) for c in edit.changes], today=edit.authored[:10])
    for change in edit.changes:
        found.extend(_unseen(vault, change))
    if found:
        raise judge.Refused(found)


def refuse_path(vault: Vault, path: str, agent: str | None) -> None:
    """Raises judge.Refused for a path that no edit, or none by an agent, may touch; before anything is read."""
    found = protected.path_problems(path, agent=agent is not None) or _on_disk(vault, path)
    if found:
        raise judge.Refused(found)


def _on_disk(vault: Vault, path: str) -> list[Problem]:
    """What lies in the way: a link, a folder where the note should be, a file where a folder should be, another
    repository."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        here = os.path.join(vault.root, *parts[:depth])
        last = depth == len(parts)
        if os.path.islink(here):
            return [
                Problem(path, 1, 1, "PA03", f"{'/'.join(parts[:depth])} is a symbolic link", "edit what it points to")
            ]
        if not last and os.path.isdir(here) and os.path.lexists(os.path.join(here, ".git")):
            return [
                Problem(path, 1, 1, "PA01", f"{'/'.join(parts[:depth])} is a repository of its own", "edit it there")
            ]
        if last and os.path.lexists(here) and not os.path.isfile(here):
            return [
                Problem(
                    path,
                    1,
                    1,
                    "PA03",
                    "there is a folder of that name, or something else than a file",
                    "choose another name",
                )
            ]
        if not last and os.path.lexists(here) and not os.path.isdir(here):
            return [
                Problem(path, 1, 1, "PA03", f"{'/'.join(parts[:depth])} is a file, not a folder", "choose another name")
            ]
    return []


def _unseen(vault: Vault, change: PathChange) -> list[Problem]:
    """A note that git has never seen would be committed first as it is: not if the person keeps it out of git, nor
    if it holds a secret."""
    if change.base is None or not os.path.isfile(vault.full(change.path)):
        return []
    tip = refs.head(vault.repo).branch
    full = vault.prefix + change.path
    if "\n" not in full and tip and vault.repo.blob(f"{tip}:{full}") is not None:
        return []
    # This command knows no literal pathspecs, and takes none on standard input.
    name, env = full.encode("utf-8", "surrogateescape") + b"\0", {"GIT_LITERAL_PATHSPECS": "0"}
    if vault.repo.call("check-ignore", "-q", "-z", "--stdin", input=name, env=env).returncode == 0:
        return [
            Problem(
                change.path,
                1,
                1,
                "PA01",
                "is kept out of git by .gitignore",
                "leave it, or ask its owner to add it to git",
            )
        ]
    return judge.secrets(vault, change.path, change.base)


# -- what an agent reads and bases edits on ----------------------------------------------------------------------


def current(vault: Vault, path: str, agent: str | None = None) -> bytes | None:
    """The note as it lies on disk, with the agent's own queued edits on top (so that its next edit builds on them)."""
    try:
        with open(vault.full(path), "rb") as stream:
            data: bytes | None = stream.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        data = None
    if os.path.isdir(os.path.join(vault.state, "queue")):
        for waiting in queue.entries(vault.state, vault.repo.git_dir, vault.prefix):
            for change in waiting.changes:
                if change.path == path and waiting.agent == agent:
                    merged = merge(change.base, data, change.new, text_merge=git_text_merge(vault.repo))
                    data = data if merged.conflicts else merged.data
    return data
