"""A join, read again: nothing is lost, nothing is invented, nothing reads as another block than it was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from itertools import pairwise

from vaultgit.notes import procedure
from vaultgit.notes.procedure import Block
from vaultgit.notes.procedure import title
from vaultgit.notes.procedure import unnumbered
from vaultgit.passes.join import wording
from vaultgit.passes.join.joints import Misplaced
from vaultgit.passes.join.joints import Piece
from vaultgit.passes.join.sections import Text

_DEFINED = re.compile(r"\[\^[^\[\]\n]+\]|\[[^\[\]\n]+\]\[[^\[\]\n]*\]")  # a footnote, a link by its label
_MARKS = re.compile(r"\A[ \t]*(?:[-+*]|\d{1,9}[.)]|#{1,6})(?=\s|\Z)")


def check(base: Text, other: Text, body: str, pieces: list[Piece], heading: str) -> None:
    """Raises Misplaced: the net below the rules."""
    there = procedure.blocks(body)
    wanted = [_block(base, other, piece, heading) for piece in pieces]
    if [(block.kind, unnumbered(block.words)) for block in there] != wanted:
        raise Misplaced("put together, their blocks would run into one another")
    for (one, two), (first, second) in zip(pairwise(pieces), pairwise(there), strict=True):
        fused = first.list == second.list >= 0 and first.ordered
        if fused and not one.series == two.series >= 0 and not (one.other >= 0 and two.other == one.other + 1):
            raise Misplaced("two numbered lists would run into one another")
    _alone(other, pieces)
    complete(base.blocks, there)
    complete(other.blocks, there)
    known = _said(base.body) | _said(other.body) | {_bare(heading)}
    known |= {_bare(title(block.text)) for text in (base, other) for block in text.blocks if block.level}
    if _said(body) - known:
        raise Misplaced(f"a line would be invented: “{wording.short(min(_said(body) - known))}”")


def complete(blocks: Iterable[Block], there: Iterable[Block]) -> None:
    """Raises Misplaced where a step among blocks is not there."""
    if gone := missing(blocks, there):
        raise Misplaced(f"a step would be lost: “{wording.short(gone[0].words)}”")


def missing(before: Iterable[Block], after: Iterable[Block]) -> list[Block]:
    """Steps of `before` that `after` has not: neither as they stood there, nor but for case and emphasis, nor in a
    step that says all of it and more."""
    steps, there = ([block for block in blocks if block.is_step] for blocks in (before, after))
    spare = procedure.lost(there, steps)
    gone = []
    for step in procedure.lost(steps, there):
        now = next((b for b in spare if wording.key(b) == wording.key(step) or wording.within(step, b)), None)
        if now is None:
            gone.append(step)
        else:
            spare.remove(now)
    return gone


def _alone(other: Text, pieces: list[Piece]) -> None:
    """What was added needs no definition, and no tag, that was left behind."""
    closed = set(re.findall(r"</([A-Za-z][\w-]*)\s*>", other.body))
    for added, run in groupby(pieces, key=lambda piece: piece.base < 0 <= piece.other):
        blocks = [other.blocks[piece.other] for piece in run if added]
        text = "\n".join(re.sub(r"`[^`\n]*`", "", block.text) for block in blocks if block.kind != "code")
        if found := _DEFINED.search(text):
            raise Misplaced(f"“{found[0]}” is defined elsewhere")
        for name in closed:
            if len(re.findall(rf"<{name}\b", text)) != len(re.findall(rf"</{name}\b", text)):
                raise Misplaced(f"a part between <{name}> and </{name}> would be torn apart")


def _block(base: Text, other: Text, piece: Piece, heading: str) -> tuple[str, str]:
    if piece.base < 0 and piece.other < 0:
        return "heading", heading
    block = other.blocks[piece.other] if piece.other >= 0 else base.blocks[piece.base]
    return block.kind, unnumbered(block.words)


def _said(text: str) -> set[str]:
    return {_bare(line) for line in text.split("\n") if line.strip()}


def _bare(line: str) -> str:
    return " ".join(_MARKS.sub("", line).split())
