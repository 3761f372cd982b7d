"""Brings the cursors up to what history and the queue say was captured: after a kill, and where the cache is gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Sequence

from vaultgit.history import refs
from vaultgit.history.repository import GitError
from vaultgit.passes.capture import covered
from vaultgit.passes.capture import logs
from vaultgit.passes.capture import reading
from vaultgit.passes.capture.covered import Range
from vaultgit.passes.capture.cursors import Cursor
from vaultgit.passes.capture.cursors import Cursors
from vaultgit.passes.capture.logs import Found
from vaultgit.vault import Vault

_TIP, _BRANCH = "history read up to", "of the branch"


def sync(vault: Vault, store: Cursors, found: Sequence[Found]) -> None:
    """Marks what is captured already as seen. Of history only what is new since the last run is read."""
    tip, branch = refs.tip(vault.repo, "HEAD") or "", refs.head(vault.repo).branch or ""
    known = store.fact(_TIP) if store.fact(_BRANCH) == branch else ""  # what the other one holds counts as well
    by_name: dict[tuple[str, str], list[Range]] = defaultdict(list)
    for one in [*_new(vault, known, tip), *covered.in_queue(vault)]:
        by_name[one.client, one.conversation].append(one)
    cursors = store.all() if by_name else {}
    with store.transaction():
        for log in found:
            ranges = by_name.get((log.client.NAME, covered.called(log.conversation)), []) if by_name else []
            if ranges:
                try:
                    _one(store, log, cursors.get(log.path), sorted(ranges, key=lambda one: (one.start, one.end)))
                except OSError:
                    pass  # it is told where it is read
        store.note(_TIP, tip)
        store.note(_BRANCH, branch)


def _new(vault: Vault, known: str, tip: str) -> Iterable[Range]:
    if not tip or known == tip:
        return []
    if known:
        try:
            return covered.in_history(vault, known)
        except GitError:
            pass  # rewritten, and cleaned up since
    return covered.in_history(vault)


def _one(store: Cursors, log: Found, cursor: Cursor | None, ranges: Sequence[Range]) -> None:
    """Marks what the ranges cover as seen, and moves the log's cursor over those that follow it. Where there is none
    and the file does not hold all of them, it was rewritten: then only what is younger than those that are gone can be
    new. Where it holds them all it is read anew: what is seen is not taken again."""
    if cursor is not None and cursor.offset >= ranges[-1].end:
        return
    here = [one for one in ranges if logs.digest(log.path, one.start, one.end) == one.sha]
    for one in here:
        store.mark(reading.keys_between(log, one.start, one.end))
    if cursor is None:
        gone = [one.when.timestamp() for one in ranges if one not in here and one.when is not None]
        if gone:  # a cursor with no proof
            store.put(Cursor(log.path, log.client.NAME, log.conversation, offset=1, last=max(gone)))
        return
    offset = cursor.offset
    for one in here:
        if one.start <= offset < one.end:
            offset = one.end
    if offset > cursor.offset:
        store.put(cursor._replace(size=-1, offset=offset, proof=logs.proof(log.path, offset)))
