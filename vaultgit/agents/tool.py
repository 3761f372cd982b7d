"""What an agent client's own tool did to a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Swap(NamedTuple):
    """Lines that a tool replaced, without their ends, those around them included: `old` went, `new` came."""

    old: tuple[str, ...]
    new: tuple[str, ...]


class Wrote(NamedTuple):
    """A file that a tool wrote. `path`: as the client gave it, absolute or below its working folder. `before`: the text
    that was replaced, None for a new file. `after`: the text the tool left, None where it is what lies on disk.
    `known`: whether `before` is what the client saw; else it is not known. `swaps`: in order, where the client says
    these instead of `before`."""

    path: str
    before: str | None
    after: str | None
    known: bool
    swaps: tuple[Swap, ...] = ()


def undone(text: str, swaps: Sequence[Swap]) -> str | None:
    """The text before its lines were swapped; None where one of these places is not certain: gone, or several."""
    lines = text.split("\n")
    for swap in reversed(swaps):
        new, size = list(swap.new), len(swap.new)
        places = [at for at in range(len(lines) - size + 1) if size and lines[at : at + size] == new]
        if len(places) != 1:
            return None
        lines[places[0] : places[0] + size] = swap.old
    return "\n".join(lines)
