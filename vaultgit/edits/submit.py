"""The front door of the write path: checks, then the queue, then landing."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from vaultgit.checks import decision
from vaultgit.checks import protected
from vaultgit.checks.message import problems_of_subject
from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import changelog
from vaultgit.edits import inboxnote
from vaultgit.edits import judge
from vaultgit.edits import land
from vaultgit.edits import plan as plans
from vaultgit.edits import queue
from vaultgit.edits import sealed
from vaultgit.edits import steps
from vaultgit.edits.edit import CARRIED
from vaultgit.edits.edit import OWN_TRAILER
from vaultgit.edits.edit import By as By
from vaultgit.edits.edit import Derived
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import agent_author
from vaultgit.edits.edit import fingerprint
from vaultgit.edits.edit import new_id
from vaultgit.edits.edit import session_word
from vaultgit.edits.lock import Lock
from vaultgit.edits.merge import merge
from vaultgit.edits.place import in_the_way
from vaultgit.edits.round import Result
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.edits.unlanded import current as current
from vaultgit.errors import VaultgitError
from vaultgit.history import filters
from vaultgit.history import refs
from vaultgit.notes.follow import without_targets
from vaultgit.vault import Vault

LOCK_WAIT = 20.0  # seconds; whoever holds the lock lands our edit as well, so that waiting is rarely long


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
    merges: str = "",
    upon: str = "",
    edit_id: str = "",
    wait: float = LOCK_WAIT,
) -> Result:
    """One edit, checked, queued and, if the repository is free, landed.

    Raises judge.Refused with nothing written, VaultgitError when the edit could not even be saved. `housekeeping`:
    a commit of the person's with neither id nor line (set-up, review.md); its paths are vaultgit's own, or those of
    the review branch that it `merges` (a commit; the caller has judged it) into a branch that holds `upon`. `edit_id`:
    one that names the edit already, so that who was killed can tell whether it was made.
    """
    edit = make(
        vault, clock, changes, subject=subject, reason=reason, by=by, trailers=trailers, housekeeping=housekeeping,
        merges=merges, upon=upon, edit_id=edit_id,
    )  # fmt: skip
    if not housekeeping:
        refuse_problems(vault, edit)
        known = _sent_before(vault, clock, edit, wait)
        if known is not None:
            return known
    try:
        queue.prepare(vault.state)
        # After all that waits, also when the machine's clock went back.
        waiting = queue.entries(vault.repo, vault.state, vault.prefix)
        edit = edit._replace(order=max([edit.order, *(other.order + 1 for other in waiting)]))
        queue.put(vault.state, edit)
    except OSError as error:
        what = ", ".join(change.path for change in changes)
        where = error.filename or vault.state
        raise VaultgitError(f"{what} not saved, nothing changed: {where}: {error.strerror}") from error
    steps.reached("queue-written")
    named = {change.path for change in changes}
    also = tuple(change.path for change in edit.changes if change.path not in named)
    return settle(vault, clock, edit, wait)._replace(also=also)


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
    merges: str = "",
    upon: str = "",
    edit_id: str = "",
) -> Edit:
    """The edit as it would be queued."""
    if isinstance(subject, Derived) and filters.through(vault.repo, [vault.prefix + change.path for change in changes]):
        subject = subject.bare
    sent, edit_id = fingerprint(changes, (by.agent, by.session, subject)), edit_id or new_id(clock)
    if not housekeeping and any(vault.rules.expected_type(change.path) == decision.TYPE for change in changes):
        from vaultgit.edits.decisions import with_projects

        changes = with_projects(vault, changes, by.agent)
    if by.agent:
        author = agent_author(by.agent, vault.settings.emails)
        named: list[tuple[str, str]] = [("Agent", by.agent)]
    else:
        person = vault.repo.person()
        author, named = (person.name, person.email), []
    if by.session and session_word(by.session):
        named.append(("Session", session_word(by.session)))
    everything = () if housekeeping else (*trailers, *named, ("Edit", edit_id))
    return Edit(
        edit_id, tuple(changes), subject, reason, author, by.agent, everything, clock.now().isoformat(),
        refs.head(vault.repo).branch, vault.repo.place, vault.prefix,
        sent, time.time_ns(), merges=merges, upon=upon,
    )  # fmt: skip


def settle(vault: Vault, clock: Clock, edit: Edit, wait: float = LOCK_WAIT) -> Result:
    """Waits until a queued edit has landed, by us or by whoever holds the lock; "queued" when it cannot now."""
    gone = os.path.join(vault.state, "queue", f"{edit.id}.json")
    lock: Lock | None = None
    try:
        lock = Lock(vault.state)
        if lock.take(wait, done=lambda: not os.path.exists(gone)):
            if os.path.exists(gone):
                done = land.drain(vault, clock, lock, own=edit.id).get(edit.id)
                if done is not None:  # else recovery has landed it, from the plan of a writer that was killed
                    return done
        elif os.path.exists(gone):
            return _waits(edit, "another writer is at work; it lands with the next run")
    except (OSError, VaultgitError) as error:
        return _waits(edit, f"landing failed for now: {error}")
    finally:
        if lock is not None:
            lock.release()
    if os.path.exists(gone):
        return _waits(edit, "its file in the queue cannot be read (vaultgit status)")
    done = landed(vault, edit.id) or _told_by_history(vault, edit)
    return done._replace(path=edit.changes[0].path)


def _told_by_history(vault: Vault, edit: Edit) -> Result:
    """What became of an edit that another writer has seen to, and of which there is no record: not any more, or not
    yet, since the queue entry goes first."""
    branch, form = edit.branch or "HEAD", "--format=%H %s"
    out = vault.repo.call("log", "-n1", form, f"--grep=^Edit: {edit.id}$", "--end-of-options", branch, "--")
    oid, _, subject = os.fsdecode(out.stdout).strip().partition(" ")
    if oid:
        inbox = inboxnote.path_of(vault, edit.changes[0].path, edit.authored[:10], edit.id)
        if subject.startswith(f"{inbox.removesuffix('.md')}: "):
            return Result("inbox", edit.id, oid, inbox=inbox)
        return Result("committed", edit.id, oid)
    return Result("unchanged", edit.id, reason="it is like that already: another writer brought the same in")


def _waits(edit: Edit, reason: str) -> Result:
    return Result("queued", edit.id, path=edit.changes[0].path, reason=reason)


def drain(vault: Vault, clock: Clock, wait: float = 0.5) -> list[Result]:
    """Lands what waits, if anything does: for `status`, sessions and passes. Repairs what a killed writer left."""
    from vaultgit.edits import repair

    if not os.path.isdir(os.path.join(vault.state, "queue")):
        return []
    try:
        queue.prepare(vault.state)
        lock = Lock(vault.state)
    except OSError as error:
        raise VaultgitError(f"{error.filename}: {error.strerror}", "vaultgit's state folder must be yours") from error
    try:
        if not lock.take(wait):
            return []
        results = list(land.drain(vault, clock, lock).values())
        repair.repair_index(vault)
        return results
    except OSError as error:
        raise VaultgitError(
            f"{error.filename or vault.state}: {error.strerror}", "what was queued stays queued"
        ) from error
    finally:
        lock.release()


def landed(vault: Vault, edit_id: str) -> Result | None:
    """What became of an edit, from the records of the last rounds."""
    for record in plans.landed(vault.state):
        for one in record.edits:
            if one.edit == edit_id:
                return Result(one.outcome, one.edit, one.oid, "", one.inbox)
    return None


def _sent_before(vault: Vault, clock: Clock, edit: Edit, wait: float) -> Result | None:
    """A client that retries after a time-out sends the same paths, bytes and base: that is one edit."""
    if not os.path.isdir(os.path.join(vault.state, "queue")):
        return None
    for waiting in queue.entries(vault.repo, vault.state, vault.prefix):
        if waiting.fingerprint == edit.fingerprint:
            return settle(vault, clock, waiting, wait)
    now = {change.path: current(vault, change.path, edit.agent) for change in edit.changes}
    if all(change.base == now[change.path] for change in edit.changes):
        return None
    for record in plans.landed(vault.state):
        for one in record.edits:
            if one.fingerprint == edit.fingerprint and one.oid:
                tip = refs.tip(vault.repo, record.ref)
                there = one.outcome == "inbox" or all(
                    _holds(vault, change, now[change.path]) for change in edit.changes
                )
                if there and tip and refs.is_ancestor(vault.repo, one.oid, tip):
                    words = _about_the_inbox(vault, one.inbox) if one.inbox else "it has landed before"
                    return Result("unchanged", one.edit, one.oid, edit.changes[0].path, one.inbox, words)
    return None


def _about_the_inbox(vault: Vault, path: str) -> str:
    if os.path.lexists(vault.full(path)):
        return f"it waits in the inbox for a person: {path}"
    return f"it went to the inbox, and a person has decided about it since: {path} is gone"


def _holds(vault: Vault, change: PathChange, now: bytes | None) -> bool:
    """Whether a note still has a change: making it again would change nothing."""
    merged = merge(change.base, now, change.new, text_merge=git_text_merge(vault.repo))
    return not merged.conflicts and merged.data == now


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
    no_changelog = in_the_way(vault, changelog.FILE)  # each edit writes there, too
    if no_changelog:
        raise judge.Refused(no_changelog)
    for change in edit.changes:
        refuse_path(vault, change.path, edit.agent)
    found = sealed.problems(vault, edit)
    found += _of_the_line(edit) + _of_one_another(edit) + _of_the_inbox(vault, edit)
    if found:
        raise judge.Refused(found)
    found = judge.problems(vault, edit, [(c.path, c.base, c.new) for c in edit.changes], today=edit.authored[:10])
    for change in edit.changes:
        found.extend(_unseen(vault, change))
    if found:
        raise judge.Refused(found)


def _of_the_line(edit: Edit) -> list[Problem]:
    """MS01 of the subject by itself: in the whole message a second paragraph in it would pass for the reason."""
    found = problems_of_subject(edit.subject)
    if CARRIED.search(edit.subject) or OWN_TRAILER.match(edit.subject):
        what = "the subject looks like a trailer, which says who made the edit and which it is"
        found.append(Problem(MESSAGE, 1, 1, "MS01", what, "say what the edit does: NOTE: WHAT"))
    if any("\ud800" <= c <= "\udfff" for c in edit.reason):
        found.append(Problem(MESSAGE, 3, 1, "MS01", "the reason is no UTF-8", "send it as UTF-8"))
    return found


def _of_one_another(edit: Edit) -> list[Problem]:
    """A note cannot be a file and a folder at once."""
    made = [change.path for change in edit.changes if change.new is not None]
    folders = {other[:end]: other for other in made for end, sign in enumerate(other) if sign == "/"}
    return [
        Problem(
            path, 1, 1, "PA03", f"is a note and a folder of {folders[path]} in the same edit", "choose another name"
        )
        for path in made
        if path in folders
    ]


def _of_the_inbox(vault: Vault, edit: Edit) -> list[Problem]:
    """An agent may change or take away inbox notes of its own; what others proposed is for a person to decide."""
    folder = vault.rules.folder("inbox")
    if edit.agent is None or not folder:
        return []
    found = []
    for change in edit.changes:
        if change.base is not None and change.path.startswith(folder + "/") and not _only_follows(change):
            full = vault.prefix + change.path
            out = vault.repo.run(
                "log", "--diff-filter=A", "-n1", "--format=%(trailers:key=Agent,valueonly)", "--", full
            )
            if out.decode("utf-8", "replace").strip() != edit.agent:
                mend = "vaultgit inbox add makes a suggestion of your own"
                found.append(Problem(change.path, 1, 1, "PA01", "waits in the inbox for a person to decide", mend))
    return found


def _only_follows(change: PathChange) -> bool:
    """Whether nothing but links change that follow a move: what is suggested, and for which note, stays the same."""
    both = change.action == "move" and change.base is not None and change.new is not None
    return both and without_targets(change.base or b"", change.path) == without_targets(change.new or b"", change.path)


def refuse_path(vault: Vault, path: str, agent: str | None) -> None:
    """Raises judge.Refused for a path that no edit, or none by an agent, may touch; before anything is read."""
    found = protected.path_problems(path, agent=agent is not None) or in_the_way(vault, path)
    if found:
        raise judge.Refused(found)


def _unseen(vault: Vault, change: PathChange) -> list[Problem]:
    """A note that git has never seen would be committed first as it is: not if the person keeps it out of git, nor
    if it holds a secret."""
    if change.base is None or not os.path.isfile(vault.full(change.path)) or _is_tracked(vault, change.path):
        return []
    if is_kept_out(vault, change.path):
        mend = "leave it, or ask its owner to add it to git"
        return [Problem(change.path, 1, 1, "PA01", "is kept out of git by .gitignore", mend)]
    return judge.secrets(vault, change.path, change.base)


def _is_tracked(vault: Vault, path: str) -> bool:
    tip, full = refs.head(vault.repo).branch, vault.prefix + path
    return bool(tip) and "\n" not in full and vault.repo.blob(f"{tip}:{full}") is not None


def is_kept_out(vault: Vault, path: str) -> bool:
    """Whether git ignores a note that it does not hold."""
    if _is_tracked(vault, path):
        return False
    # This command knows no literal pathspecs, and takes none on standard input.
    name, env = (vault.prefix + path).encode("utf-8", "surrogateescape") + b"\0", {"GIT_LITERAL_PATHSPECS": "0"}
    return vault.repo.call("check-ignore", "-q", "-z", "--stdin", input=name, env=env).returncode == 0
