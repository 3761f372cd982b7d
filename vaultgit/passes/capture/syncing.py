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

_TIP = "history read up to"


def sync(vault: Vault, store: Cursors, found: Sequence[Found]) -> None:
    """Marks what is captured already as seen. Of history only what is new since the last run is read."""
    tip = refs.tip(vault.repo, "HEAD") or ""
    by_name: dict[tuple[str, str], list[Range]] = defaultdict(list)
    for one in [*_new(vault, store.fact(_TIP), tip), *covered.in_queue(vault)]:
        by_name[one.client, one.conversation].append(one)
    cursors = store.all() if by_name else {}
    with store.transaction():
        for log in found:
            ranges = by_name.get((log.client.NAME, log.conversation), [])
            if ranges:
                try:
                    _one(store, log, cursors.get(log.path), sorted(ranges, key=lambda one: (one.start, one.end)))
                except OSError:
                    pass  # it is told where it is read
        store.note(_TIP, tip)


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
    """Takes the ranges into one log's cursor. Without a cursor the last range that the file still holds is one; where
    it holds none of them, it was rewritten: then only what is younger than they are can be new."""
    if cursor is not None and cursor.offset >= ranges[-1].end:
        return
    here = [one for one in ranges if logs.digest(log.path, one.start, one.end) == one.sha]
    for one in here:
        store.mark(reading.keys_between(log, one.start, one.end))
    offset = cursor.offset if cursor is not None else 0
    for one in here:
        if cursor is None or one.start <= offset < one.end:
            offset = max(offset, one.end)
    written = max((one.when.timestamp() for one in ranges if one.when is not None), default=0.0)
    if cursor is None and not here:
        name = log.client.NAME
        store.put(Cursor(log.path, name, log.conversation, offset=1, last=written))
    elif cursor is None or offset > cursor.offset:
        old = cursor or Cursor(log.path, log.client.NAME, log.conversation)
        store.put(old._replace(size=-1, offset=offset, proof=logs.proof(log.path, offset), last=max(old.last, 0.0)))
