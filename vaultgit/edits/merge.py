"""The note-aware three-way merge: front matter by property, the body as text, appends side by side.

A property is merged as the lines it stands on, so that quoting and comments stay; `version` and dates that
both sides moved go to the later one (reverting an old molt of a skill must not conflict there, promise P6).
What is left to decide is a conflict, in words; a result with conflict markers does not exist here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.edits.textmerge import Merged
from vaultgit.edits.textmerge import TextMerge
from vaultgit.edits.textmerge import ended_like
from vaultgit.edits.textmerge import lf
from vaultgit.edits.textmerge import line_end
from vaultgit.edits.textmerge import merged_text
from vaultgit.edits.textmerge import one_sided
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.frontmatter import Entry
from vaultgit.notes.frontmatter import FrontMatterError
from vaultgit.notes.frontmatter import same

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def merge(
    base: bytes | None,
    ours: bytes | None,
    theirs: bytes | None,
    *,
    text_merge: TextMerge,
    favour: TextMerge | None = None,
) -> Merged:
    """What both sides made of `base` (None: no such file), or what stands in the way.

    `text_merge(base, ours, theirs)` merges plain text and answers None on a conflict (see `git_text_merge`).
    Line endings are ours where the sides differ in them. Front matter that does not parse on some side, or
    that a side no longer has, makes the whole note plain text. `favour` merges text with ours at each conflict (see
    `git_text_merge_ours`): then `data` is what all but the conflicts make of the note, with ours at these.
    """
    merged = _merged_notes(base, ours, theirs, text_merge, favour)
    return Merged(None, merged.conflicts) if merged.conflicts and favour is None else merged


def _merged_notes(
    base: bytes | None, ours: bytes | None, theirs: bytes | None, text_merge: TextMerge, favour: TextMerge | None
) -> Merged:
    simple = one_sided(base, ours, theirs)
    if simple is not None:
        return simple
    if ours is None or theirs is None:
        return Merged(ours, ("deleted on one side and changed on the other",))
    if base is None:
        return Merged(ours, () if _alike(ours, theirs) else ("added on both sides with different text",))
    try:
        parts = [_Note.of(data) for data in (base, ours, theirs)]
    except FrontMatterError:
        return _still_parsed(ours, merged_text(base, ours, theirs, 1, text_merge, favour))
    fenced = [frontmatter.block(data) is not None for data in (base, ours, theirs)]
    if fenced[0] and not all(fenced):
        return _still_parsed(ours, merged_text(base, ours, theirs, 1, text_merge, favour))
    head = _merged_heads(parts[0].head, parts[1].head, parts[2].head, text_merge, favour=favour is not None)
    first_line = parts[1].head.count(b"\n") + 1
    body = merged_text(parts[0].body, parts[1].body, parts[2].body, first_line, text_merge, favour)
    conflicts = head.conflicts + body.conflicts
    if head.data is None or body.data is None:
        return Merged(ours, conflicts)
    unended = frontmatter.block(head.data) is not None and not head.data.endswith(b"\n")
    return Merged(head.data + (line_end(head.data) if unended and body.data else b"") + body.data, conflicts)


def _still_parsed(ours: bytes, merged: Merged) -> Merged:
    """A text merge of a whole note: not where it would break front matter that parses on our side."""
    if merged.data is None or not frontmatter.read(merged.data).problems or frontmatter.read(ours).problems:
        return merged
    return Merged(ours, merged.conflicts or ("the front matter",))


# -- the parts of a note ----------------------------------------------------------------------------------


class _Note(NamedTuple):
    head: bytes  # up to and with the closing fence line; without front matter the byte order mark or nothing
    body: bytes

    @classmethod
    def of(cls, data: bytes) -> _Note:
        """Raises FrontMatterError where the front matter cannot be taken apart."""
        found = frontmatter.block(data)
        mark = len(frontmatter.BOM) if data.startswith(frontmatter.BOM) else 0
        frontmatter.entries(data)
        cut = found.body if found else mark
        return cls(data[:cut], data[cut:])


def _alike(ours: bytes, theirs: bytes) -> bool:
    """The same properties and the same body, however written."""
    try:
        one, other = _Note.of(ours), _Note.of(theirs)
    except FrontMatterError:
        return False
    mine, yours = frontmatter.read(ours).values, frontmatter.read(theirs).values
    return same(mine, yours) and lf(one.body).rstrip(b"\n") == lf(other.body).rstrip(b"\n")


# -- front matter -----------------------------------------------------------------------------------------


def _merged_heads(base: bytes, ours: bytes, theirs: bytes, text_merge: TextMerge, *, favour: bool = False) -> Merged:
    """`favour`: a property that conflicts keeps our lines, and the rest is merged."""
    simple = one_sided(base, ours, theirs)
    if simple is not None:
        return simple
    base, theirs = ended_like(ours, base), ended_like(ours, theirs)
    heads = (base, ours, theirs)
    was, mine, yours = ({entry.key: entry for entry in frontmatter.entries(head)} for head in heads)
    chosen: dict[str, bytes | None] = {}  # the lines a property ends up with
    values: dict[str, Any] = {}
    lists: dict[str, list[Any]] = {}
    conflicts = []
    for key in dict.fromkeys((*mine, *yours, *was)):
        sides = [
            (entry, head[entry.start : entry.end]) if entry else None
            for entry, head in zip((was.get(key), mine.get(key), yours.get(key)), heads, strict=True)
        ]
        winner = _winner(key, *sides)
        if isinstance(winner, list):
            lists[key] = values[key] = winner
            chosen[key] = sides[1][1] if sides[1] else None
        else:
            if winner == -1:
                conflicts.append(key)
                winner = 1
            side = sides[winner]
            chosen[key] = side[1] if side else None
            if side is not None:
                values[key] = side[0].value
    if conflicts and not favour:
        return Merged(None, tuple(conflicts))
    result = _composed(base, ours, theirs, chosen, lists, values)
    if result is None:
        # Comments changed on both sides, or lines that do not fit together: perhaps as text they do.
        result = text_merge(base, ours, theirs)
        if result is None or not _holds(result, values):
            return Merged(ours if favour else None, (*conflicts, "the comments in the front matter"))
    return Merged(result, tuple(conflicts))


_Side = tuple[Entry, bytes] | None


def _winner(key: str, was: _Side, mine: _Side, yours: _Side) -> int | list[Any]:
    """Whose lines a property takes (1 ours, 2 theirs, -1 a conflict), or the items of a merged list."""
    for equal in (_same_lines, _same_value):
        if equal(mine, yours) or equal(yours, was):
            return 1
        if equal(mine, was):
            return 2
    if mine is None or yours is None:
        return -1
    before, one, other = was[0].value if was else None, mine[0].value, yours[0].value
    if _is_items(one) and _is_items(other):
        items = before if isinstance(before, list) else [] if before is None else [before]
        return _merged_items(items, one, other)
    known = [one, other] if was is None else [before, one, other]
    if key == "version" and all(type(value) is int for value in known):
        return 1 if one > other else 2
    if was is not None and all(isinstance(value, str) and _DATE.fullmatch(value) for value in known):
        return 1 if one > other else 2
    return -1


def _same_lines(one: _Side, other: _Side) -> bool:
    return (one and one[1]) == (other and other[1])


def _same_value(one: _Side, other: _Side) -> bool:
    if one is None or other is None:
        return one is other
    return same(one[0].value, other[0].value)


def _is_items(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, (list, dict)) for item in value)


def _merged_items(before: Sequence[Any], ours: Sequence[Any], theirs: Sequence[Any]) -> list[Any]:
    """Lists as sets: what either side took out is out, what either added is in; ours first."""
    was, mine, yours = ({repr(item) for item in items} for items in (before, ours, theirs))
    kept = [item for item in ours if repr(item) in yours or repr(item) not in was]
    return kept + [item for item in theirs if repr(item) not in mine and repr(item) not in was]


def _composed(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    chosen: dict[str, bytes | None],
    lists: dict[str, list[Any]],
    values: dict[str, Any],
) -> bytes | None:
    """The chosen lines put into the side whose comments changed; None where that does not come out right."""
    comments = [_between(head) for head in (base, ours, theirs)]
    if comments[2] in (comments[0], comments[1]):
        host = ours
    elif comments[1] == comments[0]:
        host = theirs
    else:
        return None
    there = {entry.key for entry in frontmatter.entries(host)}
    try:
        result = patch.splice(
            host,
            {key: lines for key, lines in chosen.items() if key in there},
            [lines for key, lines in chosen.items() if lines is not None and key not in there],
        )
        result = patch.set_properties(result, lists)
    except FrontMatterError:
        return None
    return result if _holds(result, values) else None


def _between(head: bytes) -> bytes:
    """What is no property: mark, fences, comments, blank lines. Without front matter: plain fences."""
    if frontmatter.block(head) is None:
        head += b"---" + line_end(head) + b"---" + line_end(head)
    parts, done = [], 0
    for entry in frontmatter.entries(head):
        parts.append(head[done : entry.start])
        done = entry.end
    return b"".join((*parts, head[done:])).rstrip()


def _holds(head: bytes, values: dict[str, Any]) -> bool:
    found = frontmatter.read(head)
    return not found.problems and same(found.values, values)
