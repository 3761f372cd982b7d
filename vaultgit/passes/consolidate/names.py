"""Names by their capitals: words written with one within a sentence, on several lines."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.consolidate import stop
from vaultgit.passes.consolidate.reading import Line
from vaultgit.passes.consolidate.reading import Token
from vaultgit.passes.consolidate.reading import name_key

_PLACE = stop.word_set("in to near from around outside at towards visit visited visiting reach via leaving")
_PROJECT = stop.word_set("project")
_WITH = stop.word_set("old new great big little high low upper lower north south east west long")  # Old Orchard
_LONGEST = 4


class Name(NamedTuple):
    """`lines`: those that write it with capitals within a sentence. `place`: those that speak of it as of a place."""

    name: str
    key: str
    lines: tuple[int, ...]
    place: int
    project: bool


def find(lines: Sequence[Line], usage: stop.Usage) -> list[Name]:
    """Every run of capitalised words within sentences; nothing where capitals tell nothing."""
    if not usage.capitals_tell:
        return []
    spelled: dict[str, dict[str, int]] = {}
    where: dict[str, set[int]] = {}
    place: dict[str, set[int]] = {}
    project: set[str] = set()
    behind: dict[str, set[str]] = {}
    for number, line in enumerate(lines):
        if _is_heading(line):
            continue
        for start, end in _runs(line.tokens, usage):
            tokens = line.tokens[start:end]
            before = line.tokens[start - 1].key if start and tokens[0].joined else ""
            after = line.tokens[end].key if end < len(line.tokens) and line.tokens[end].joined else ""
            name = " ".join(token.text for token in tokens)
            key = name_key(name)
            if not key:
                continue
            spelled.setdefault(key, {}).setdefault(name, 0)
            spelled[key][name] += 1
            where.setdefault(key, set()).add(number)
            behind.setdefault(key, set()).add(after if not tokens[-1].owns and after not in stop.FUNCTION else "")
            if before in _PLACE and after not in _PROJECT:
                place.setdefault(key, set()).add(number)
            if tokens[0].key in _PROJECT or after in _PROJECT or before in _PROJECT:
                project.add(key)
    found = []
    for key in sorted(where):
        name, always = _most(spelled[key]), behind[key]
        if len(where[key]) > 1 and len(always) == 1 and key not in project and (word := next(iter(always))):
            name = f"{name} {word}"  # the Halyard corpus, whenever it is named
        found.append(Name(name, name_key(name), tuple(sorted(where[key])), len(place.get(key, ())), key in project))
    return found


def _most(spelled: dict[str, int]) -> str:
    return min(spelled, key=lambda name: (-spelled[name], name))


def _runs(tokens: Sequence[Token], usage: stop.Usage) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        described = (
            tokens[at].key in _WITH and _is_capital(tokens[at]) and not tokens[at].opens
            and after is not None and after.joined and _counts(after, usage)
        )  # fmt: skip
        if not described and not _counts(tokens[at], usage):
            at += 1
            continue
        end = at + 1
        while (
            end < len(tokens) and end - at < _LONGEST and tokens[end].joined
            and not tokens[end - 1].owns and _is_capital(tokens[end])
        ):  # fmt: skip
            end += 1
        while end > at and (tokens[end - 1].key in stop.NEVER or tokens[end - 1].key in stop.FUNCTION - _WITH):
            end -= 1
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _is_capital(token: Token) -> bool:
    text = token.text
    return len(text) > 1 and text[0].isupper() and not text.isupper() and not token.linked


def _counts(token: Token, usage: stop.Usage) -> bool:
    """Whether a token may begin a name: not by the sentence alone, and no word that the vault writes small as well."""
    key = token.key
    if not _is_capital(token) or token.text[:2].isupper() or key in stop.FUNCTION or key in stop.NEVER:
        return False
    if key in stop.DEPARTMENTS or key in stop.ROLES or usage.is_common(key):
        return False
    if token.opens:  # it is a name elsewhere
        return usage.inside[key] > 0 and not stop.is_ordinary(key)
    return not (key.endswith("s") and usage.lower[key[:-1]])


def _is_heading(line: Line) -> bool:
    """Whether most Of Its Words Have A Capital: they tell nothing then."""
    inside = [token for token in line.tokens if not token.opens]
    capitals = sum(token.text[:1].isupper() for token in inside)
    return len(inside) >= 4 and capitals > 0.6 * len(inside)
