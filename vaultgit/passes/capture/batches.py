"""Which pieces of conversations go into one block: those of one day, and no more than an engine can take."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from datetime import date

from vaultgit.passes.capture.reading import Piece


def batches(pieces: Sequence[Piece], most: int, *, apart: bool = False) -> Iterator[tuple[date, list[Piece]]]:
    """One block each: of one day, oldest first, and not more than `most` characters, cut between turns. `apart`: each
    conversation by itself."""
    if apart:
        for path in dict.fromkeys(piece.found.path for piece in sorted(pieces, key=_begins)):
            yield from batches([piece for piece in pieces if piece.found.path == path], most)
        return
    for day in sorted({piece.day for piece in pieces}):
        batch, chars = list[Piece](), 0
        here = sorted((piece for piece in pieces if piece.day == day), key=_begins)
        for piece in (part for whole in here for part in _parts(whole, most)):
            if batch and chars + piece.chars > most:
                yield day, batch
                batch, chars = [], 0
            batch.append(piece)
            chars += piece.chars
        if batch:
            yield day, batch


def _begins(piece: Piece) -> tuple[float, str, int]:
    when = piece.said[0].turn.when
    return when.timestamp() if when else 0.0, piece.found.path, piece.start


def _parts(piece: Piece, most: int) -> Iterator[Piece]:
    rest = piece
    while rest.chars > most and len(rest.said) > 1:
        number, chars = 1, rest.said[0].chars
        while chars + rest.said[number].chars <= most:
            chars += rest.said[number].chars
            number += 1
        part = rest._replace(said=rest.said[:number])
        yield part
        rest = rest._replace(said=rest.said[number:], before=part.turns[-2:], start=part.end)
    yield rest
