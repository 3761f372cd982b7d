"""Many edits at once: each is judged and becomes a commit of its own, but they are queued together and land in a few
rounds (a round for each would take minutes for a thousand)."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import plan as plans
from vaultgit.edits import queue
from vaultgit.edits import submit
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.errors import VaultgitError
from vaultgit.vault import Vault

# What one round holds at most: git gets all its paths on one command line, and its texts lie in memory.
EDITS, PATHS, SIZE = 250, 3000, 32 << 20


class Wanted(NamedTuple):
    """One edit of many."""

    changes: tuple[PathChange, ...]
    subject: str
    reason: str = ""


def judged(vault: Vault, clock: Clock, wanted: Sequence[Wanted], by: By) -> list[Edit | Refused]:
    """Each edit as it would be queued, or why it would be refused."""
    found: list[Edit | Refused] = []
    for one in wanted:
        edit = submit.make(vault, clock, one.changes, subject=one.subject, reason=one.reason, by=by)
        try:
            submit.refuse_problems(vault, edit)
            found.append(edit)
        except Refused as error:
            found.append(error)
    return found


def submit_all(
    vault: Vault, clock: Clock, wanted: Sequence[Wanted], by: By, tick: Callable[[int], None] = lambda _: None
) -> list[Result | Refused]:
    """What became of each edit. One that is refused takes no other along. `tick` is told how many more are done.

    Raises VaultgitError where an edit could not be saved; what was queued before it lands.
    """
    answers: list[Edit | Refused | Result] = [*judged(vault, clock, wanted, by)]
    accepted = [(number, edit) for number, edit in enumerate(answers) if isinstance(edit, Edit)]
    for group in _groups(accepted):
        for (number, _), became in zip(group, _land(vault, clock, [edit for _, edit in group]), strict=True):
            answers[number] = became
        tick(len(group))
    return [one for one in answers if not isinstance(one, Edit)]


def _groups(accepted: Sequence[tuple[int, Edit]]) -> Iterator[list[tuple[int, Edit]]]:
    group: list[tuple[int, Edit]] = []
    paths = size = 0
    for number, edit in accepted:
        more = sum(len(change.new or b"") for change in edit.changes)
        if group and (len(group) == EDITS or paths + len(edit.changes) > PATHS or size + more > SIZE):
            yield group
            group, paths, size = [], 0, 0
        group.append((number, edit))
        paths, size = paths + len(edit.changes), size + more
    if group:
        yield group


def _land(vault: Vault, clock: Clock, edits: Sequence[Edit]) -> list[Result]:
    try:
        queue.prepare(vault.state)
        waiting = queue.entries(vault.repo, vault.state, vault.prefix)
        first = max([edits[0].order, *(other.order + 1 for other in waiting)])
        for place, edit in enumerate(edits):
            queue.put(vault.state, edit._replace(order=first + place))
    except OSError as error:
        what = f"not all could be saved: {error.filename or vault.state}: {error.strerror}"
        raise VaultgitError(what, "vaultgit status lands what was; then run this again") from error
    last = submit.settle(vault, clock, edits[-1])
    return _became(vault, edits, last)


def _became(vault: Vault, edits: Sequence[Edit], last: Result) -> list[Result]:
    """What became of edits of which the last has been waited for: the others landed with it, or wait like it."""
    missing = {edit.id: edit.changes[0].path for edit in edits}
    found = {last.edit: last}
    for record in plans.landed(vault.state):
        for one in record.edits:
            if one.edit in missing:
                path = missing.pop(one.edit)
                found.setdefault(one.edit, Result(one.outcome, one.edit, one.oid, path, one.inbox))
        if not missing:
            break
    for edit_id, path in missing.items():
        if queue.get(vault.state, edit_id) is not None:
            found.setdefault(edit_id, Result("queued", edit_id, path=path, reason=last.reason or "it lands later"))
    return [found.get(edit.id) or Result("committed", edit.id, path=edit.changes[0].path) for edit in edits]
