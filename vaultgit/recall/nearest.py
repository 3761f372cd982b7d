"""Words that stand in the notes, near one that does not: another spelling, a longer word that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vaultgit.recall import words
from vaultgit.recall.store import AT_ONCE

if TYPE_CHECKING:
    from vaultgit.recall.index import View

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_RANGE = 20_000  # words of one first letter that are compared
_ALIKE = 0.75  # difflib's ratio


def spelled_like(view: View, word: str, most: int = 3) -> list[str]:
    """Stems of words one edit away (a letter more, less, another one, two swapped), two from eight letters on.

    They begin with the same letter: few slips are in the first one, and "bread" is not "read".
    """
    plain = words.fold(word)
    if len(plain) < 5 or plain.isdigit() or words.is_unspaced(plain):
        return []
    near = {words.new(one) for one in _edits(plain)}
    own = words.new(plain)
    # What an edit makes of the ending alone ("nothing", "noting") is another word: spelling or stem has to be near,
    # and no stem counts that its word does not begin with ("readi" of "ready" is near "redi" of "redis").
    found = [
        stem
        for stem, other in _known(view, sorted(near))
        if other[0] == plain[0]
        and not words.is_stop(other)
        and (
            _distance(plain, other, 1) <= 1
            or (len(stem) > 3 and other.startswith(stem) and plain.startswith(own) and _distance(own, stem, 1) <= 1)
        )
    ]
    if not found and len(plain) >= 8:
        letters = set(plain)  # two edits take away two of them at most: most words need no closer look
        found = [
            stem
            for stem, other in _of_letter(view, plain)
            if len(letters.difference(other)) <= 2 and _distance(plain, other, 2) <= 2
        ]
    counted = sorted(((view.df(stem), stem) for stem in set(found)), key=lambda pair: (-pair[0], pair[1]))
    return [stem for df, stem in counted if df][:most]


def beginning(view: View, word: str, most: int = 5) -> list[str]:
    """Stems of words that begin so, those in most notes first."""
    plain = words.fold(word)
    if len(plain) < (1 if words.is_unspaced(plain) else 2):
        return []
    sql = "SELECT DISTINCT stem FROM spelled WHERE stem >= ? AND stem < ? LIMIT 200"
    rows = view.ask(sql, (plain, plain + "\U0010ffff"))
    counted = sorted(((view.df(stem), stem) for (stem,) in rows), key=lambda pair: (-pair[0], pair[1]))
    return [stem for df, stem in counted if df][:most]


def holding(view: View, word: str, most: int = 3) -> list[str]:
    """Stems of words that hold it, the shortest first."""
    plain = words.fold(word)
    stem = words.stem(word).strip()
    if len(plain) < 3 or not plain.isalnum() or not stem.isalnum():
        return []
    sql = "SELECT DISTINCT stem FROM spelled WHERE word LIKE ? ORDER BY length(stem), stem LIMIT 50"
    rows = view.ask(sql, (f"%{stem}%",))
    return [one for (one,) in rows if view.df(one)][:most]


def alike(view: View, word: str, most: int = 2) -> list[str]:
    """Stems that look like it, for a person to choose from."""
    import difflib

    plain = words.fold(word)
    if len(plain) < 4:
        return []
    letters = set(plain)
    near = {
        other: stem
        for stem, other in _of_letter(view, plain)
        # Letters that it does not have match nothing: what cannot reach the cutoff is not compared.
        if 2 * (len(plain) - len(letters.difference(other))) >= _ALIKE * (len(plain) + len(other))
    }
    found = (near[one] for one in difflib.get_close_matches(plain, near, n=most * 2, cutoff=_ALIKE))
    return [stem for stem in found if view.df(stem)][:most]


def _edits(word: str) -> Iterator[str]:
    for n in range(len(word) + 1):
        head, tail = word[:n], word[n:]
        if tail:
            yield head + tail[1:]
            if len(tail) > 1:
                yield head + tail[1] + tail[0] + tail[2:]
            yield from (head + letter + tail[1:] for letter in _LETTERS)
        yield from (head + letter + tail for letter in _LETTERS)


def _known(view: View, stems: list[str]) -> list[tuple[str, str]]:
    """Those stems that some note has, each with a spelling."""
    found: list[tuple[str, str]] = []
    for first in range(0, len(stems), AT_ONCE):
        part = stems[first : first + AT_ONCE]
        rows = view.ask(f"SELECT stem, word FROM spelled WHERE stem IN ({','.join('?' * len(part))})", part)
        found += [(stem, other) for stem, other in rows]
    return found


def _of_letter(view: View, word: str) -> list[tuple[str, str]]:
    """Stem and spelling of words of about its length that begin with its letter."""
    rows = view.ask(
        "SELECT stem, word FROM spelled WHERE stem >= ? AND stem < ? AND length(word) BETWEEN ? AND ? LIMIT ?",
        (word[0], word[0] + "\U0010ffff", len(word) - 3, len(word) + 3, _RANGE),
    )
    return [(stem, other) for stem, other in rows]


def _distance(one: str, other: str, most: int) -> int:
    """Edits between two words (optimal string alignment); more than `most` once it is sure to be."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        after = [i]
        for j, b in enumerate(other, 1):
            cost = min(row[j] + 1, after[j - 1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            after.append(cost)
        if min(after) > most:
            return most + 1
        before, row = row, after
    return row[-1]
