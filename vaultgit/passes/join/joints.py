"""What must stay together: a lead-in and what it leads to, code and the sentence before it, “the above” and that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from vaultgit.passes.join.sections import Match
from vaultgit.passes.join.sections import Text
from vaultgit.passes.join.wording import short

_LEADS = re.compile(
    r":[\s*_`]*\Z|\b(?:the following|as follows|(?:next|following) (?:step|item|section))\b", re.IGNORECASE
)
_BACK = r"\b(?:above|previous|preceding|aforementioned|the former|the latter)\b"
_ITEM_LEANS = re.compile(_BACK, re.IGNORECASE)
_LEANS = re.compile(
    r"\A[\s*_>(]*(?:this|these|those|that|it|they|here|then|otherwise|instead|alternatively|also|so|but|and|or|same|"
    rf"likewise|similarly|afterwards|thus|hence|therefore|however)\b|{_BACK}",
    re.IGNORECASE,
)
_SHOWN = ("code", "table")
_APART = ("heading", "rule")


class Piece(NamedTuple):
    """A block of the result: its number in base, its number in other, -1 where it is not from there (both -1: the
    heading above what other adds as a whole). `series`: the list of base that an item goes on with. `down`: how many
    levels a heading moves."""

    base: int
    other: int
    series: int = -1
    down: int = 0


class Misplaced(Exception):
    """Something has no place where it would be understood. Not an error: what it says is the answer."""


def torn(base: Text, other: Text, match: Match, left: int, added: Sequence[Piece], right: int) -> str:
    """What blocks of other, put between two blocks of base, would tear apart: its first words; "" for nothing."""
    first, last = added[0], added[-1]
    before, after = first.other - 1, last.other + 1
    same_before = match.block.get(before, -1) == left >= 0
    same_after = match.block.get(after, -1) == right >= 0
    apart = leans(other, before, first.other) or (leads(other, before, first.other) and first.series < 0)
    if apart and not same_before:
        return _said(other, first.other)
    if not same_after:
        if leads(other, last.other, after):
            return _said(other, last.other)
        if leans(other, last.other, after) and (last.series < 0 or other.series[after] >= 0):
            return _said(other, after)
    if not (same_before and same_after):
        starts, ends = _goes_on(base, first, right), _goes_on(base, last, left)
        if _same_list(base, left, right) and not starts:
            return _said(base, right)
        if leads(base, left, right) and not starts:
            return _said(base, left)
        if leans(base, left, right) and not (ends and base.series[right] < 0):
            return _said(base, right)
    for one, two in pairwise(added):
        if two.other != one.other + 1:
            same = one.series == two.series >= 0
            if leans(other, two.other - 1, two.other) or (not same and leads(other, one.other, one.other + 1)):
                return _said(other, two.other)
    return ""


def leads(text: Text, one: int, two: int) -> bool:
    """A block announces the next one."""
    if not _meet(text, one, two) or _same_list(text, one, two):
        return False
    return text.blocks[two].kind in _SHOWN or bool(_LEADS.search(text.blocks[one].words))


def leans(text: Text, one: int, two: int) -> bool:
    """A block refers to the one before it."""
    if not _meet(text, one, two) or text.blocks[two].kind in _SHOWN:
        return False
    return bool((_ITEM_LEANS if text.blocks[two].kind == "item" else _LEANS).search(text.blocks[two].words))


def _meet(text: Text, one: int, two: int) -> bool:
    """Both are there, and no heading or line parts them."""
    return one >= 0 and two < len(text.blocks) and all(text.blocks[at].kind not in _APART for at in (one, two))


def _same_list(text: Text, one: int, two: int) -> bool:
    return _meet(text, one, two) and text.series[one] == text.series[two] >= 0


def _goes_on(base: Text, piece: Piece, beside: int) -> bool:
    """It is an item of the list that the block beside it belongs to."""
    return 0 <= beside < len(base.blocks) and piece.series == base.series[beside] >= 0


def _said(text: Text, at: int) -> str:
    return short(text.blocks[at].words)
