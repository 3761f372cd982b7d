"""Notes that are linked with what a task needs. The more links a note has, the less one of them says: hubs stay out."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultgit.recall.context_roles import Role
from vaultgit.recall.read import link_mark

if TYPE_CHECKING:
    from vaultgit.recall.context_notes import Notes
    from vaultgit.recall.index import Note

FROM, MOST = 6, 4  # notes whose links are followed; notes that come of it
_HUB = 30  # links, in and out, from which on a note is one; in a small vault a quarter of its notes, at least 8
_LIST = 12  # links from which on a note may be a list of them
_LEAST = 0.05  # what a link must weigh; between two notes of three links each, one of weight 1, it is 0.11
_LOOKED_AT = 40  # notes, those first that weigh most
_WEIGHT = 0.25  # of what is linked, at most


def around(notes: Notes, roles: Sequence[Role], said: Collection[str], may: Callable[[str, str], bool]) -> list[Role]:
    """The notes beside the best of `roles`, the closest first: those that also have a word of `said`, or are linked
    with two of them, or from the first one. `may`: whether a note (path, type) may be given at all."""
    view = notes.view
    taken = {role.path for role in roles}
    score: dict[str, float] = {}
    ties: dict[str, list[str]] = {}
    strong: set[str] = set()
    for n, role in enumerate([role for role in roles if role.kind != "daily"][:FROM]):
        note = notes.get(role.path)
        if note is None:
            continue
        into = view.df(link_mark(role.path))
        out = (
            {found[0] for link in note.links if (found := view.resolve(link.target, role.path))}
            if len(note.links) <= _HUB
            else set()
        )
        back = {source for source, _ in view.back(role.path)} if into <= _HUB else set()
        for path in (out | back) - taken:
            score[path] = score.get(path, 0.0) + role.weight / _damp(len(note.links) + into)
            ties.setdefault(path, []).append(role.path)
            if n == 0 and path in out:
                strong.add(path)
    hub = min(_HUB, max(8, view.size[0] // 4)) if score else 0
    found_notes = []
    for path in sorted(score, key=lambda path: (-score[path], path))[:_LOOKED_AT]:
        note = notes.get(path)
        if note is None or note.type in ("daily", "session") or not may(path, note.type):
            continue
        degree = len({link.target for link in note.links}) + view.df(link_mark(path))
        value = score[path] / _damp(degree)
        if degree > hub or value < _LEAST:
            continue
        if path in strong or len(ties[path]) > 1 or notes.has(path, said):
            found_notes.append((-value, path))
    found_notes.sort()
    top = -found_notes[0][0] if found_notes else 1.0
    return [
        Role(path, _WEIGHT * -value / top, f"linked with {ties[path][0]}", "linked")
        for value, path in found_notes[:MOST]
    ]


def _damp(degree: int) -> float:
    return 1 + math.log2(1 + degree)


def is_list(note: Note, size: int) -> bool:
    """Whether a note is hardly more than a list of links: it has the words of all, and says nothing. `size`: of its
    text, in characters."""
    linked = sum(len(link.target) + len(link.subpath) for link in note.links)
    return len(note.links) >= _LIST and linked * 2 > size
