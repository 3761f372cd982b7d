"""A line before it is written down."""

from __future__ import annotations

from typing import NamedTuple

YOU, ASSISTANT = "you", "assistant"


class Quote(NamedTuple):
    """`worth`: how much a joined answer adds; the least goes first where room is short."""

    text: str
    by: str
    worth: float = 0.0


class Draft(NamedTuple):
    """`at`: the number of the exchange that it is of. `leans`: the person's words say nothing without the answer."""

    kind: str
    quotes: tuple[Quote, ...]
    at: int
    leans: bool = False
