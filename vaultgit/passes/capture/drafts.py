"""A line before it is written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

YOU, ASSISTANT = "you", "assistant"
_LOOSE = " ,;:-–—"  # at the end of a quote these say nothing


class Piece(NamedTuple):
    """A clause that is quoted. `place`: quote, sentence, begin, end, whether the sentence ends there.

    `bonus`: for its wording; `worth`: what it adds to the line, for its words. The least goes first where room is
    short.
    """

    text: str
    by: str
    place: tuple[int, int, int, int, bool]
    bonus: float = 0.0
    worth: float = 0.0


class Draft(NamedTuple):
    """`at`: the number of the exchange that it is of. `leans`: the person's words say nothing without the answer."""

    kind: str
    pieces: tuple[Piece, ...]
    at: int
    leans: bool = False


def quotes(pieces: Sequence[Piece]) -> list[tuple[str, str]]:
    """What is quoted, with who said it; `…` where something is left out between."""
    found: list[tuple[str, str]] = []
    last: Piece | None = None
    for one in pieces:
        if last is None or last.place[0] != one.place[0]:
            found.append((one.text, one.by))
        elif _follows(last, one):
            found[-1] = (f"{found[-1][0]} {one.text}", one.by)
        else:
            found[-1] = (f"{found[-1][0].rstrip(_LOOSE).removesuffix(' …')}… {one.text}", one.by)
        last = one
    return [(text.rstrip(_LOOSE), by) for text, by in found]


def _follows(last: Piece, one: Piece) -> bool:
    _, sentence, _, end, ends = last.place
    return one.place[1:3] == (sentence, end) or (ends and end >= 0 and one.place[1:3] == (sentence + 1, 0))
