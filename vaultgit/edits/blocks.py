"""review.md that two lines of history changed, suggestion by suggestion: none is lost, none is there twice.

As lines they would not merge: each machine puts its suggestions to the end, and takes out what was decided there.
"""

from __future__ import annotations

import re

from vaultgit.edits.slots import Slot
from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block

FILE = "review.md"


def merged(base: bytes | None, first: bytes, second: bytes) -> bytes | None:
    """What both made of it: suggestions of both, without those that either took out and the other has not ticked. One
    about the same note that both have is the first's. None where it does not come apart like that: both have changed
    one suggestion, or the text around them."""
    try:
        texts = [(data or b"").decode() for data in (base, first, second)]
    except UnicodeDecodeError:
        return None
    found = [reviewfile.read(text) for text in texts]
    if any(len({block.id for block in blocks}) < len(blocks) for blocks in found):
        return None  # somebody has copied one
    was, mine, yours = (
        {block.id: _own(text, block) for block in blocks} for text, blocks in zip(texts, found, strict=True)
    )
    frames = [_frame(text) for text in texts]
    host, other = (2, 1) if base is not None and frames[1] == frames[0] else (1, 2)
    if frames[other] not in (frames[host], frames[0] if base is not None else None):
        return None
    chosen: dict[str, str | None] = {}
    for name in {**mine, **yours}:
        before, one, two = was.get(name), mine.get(name), yours.get(name)
        if two == before or one == two:
            chosen[name] = one
        elif one == before or None in (one, two):
            chosen[name] = two if one in (before, None) else one
        else:
            return None
    return _composed(texts[host], texts[other], chosen).encode()


def bring(slot: Slot, text: bytes | None) -> bool:
    """Gives the branch another text of review.md, where a person's ticks that are not in git are in the way of it as
    lines: they stay, suggestions come and go around them. Returns whether that went; else nothing has changed."""
    head, disk, staged = slot.head, slot.disk, slot.staged if slot.staged_otherwise else slot.head
    if head is None or text is None or disk is None or staged is None:
        return False
    after = [text if theirs == head else merged(head, theirs, text) for theirs in (disk, staged)]
    if None in after:
        return False
    slot.head, [slot.disk, slot.staged] = text, after
    return True


def _composed(host: str, other: str, chosen: dict[str, str | None]) -> str:
    """The host's text with the chosen suggestions."""
    newline = "\r\n" if host.count("\r\n") * 2 > host.count("\n") else "\n"
    result = reviewfile.take(host, {name for name, text in chosen.items() if text is None})
    about = set()
    for block in reversed(reviewfile.read(result)):
        about.add(_about(block))
        text = chosen[block.id]
        if text is not None and text != _own(result, block):
            result = result[: block.start] + text.replace("\n", newline) + result[block.end :]
    known = {block.id for block in reviewfile.read(result)}
    for block in reviewfile.read(other):
        text = chosen[block.id]
        if text is not None and block.id not in known and _about(block) not in about:
            gap = "" if result.endswith(newline * 2) else newline if result.endswith("\n") else newline * 2
            result += gap + text.replace("\n", newline)
    return result


def _own(text: str, block: Block) -> str:
    """A suggestion as it stands there, with a person's lines in it, and with LF."""
    return text[block.start : block.end].replace("\r\n", "\n")


def _about(block: Block) -> tuple[str, ...]:
    """What tells suggestions apart that have different ids."""
    fields = dict(block.fields)
    return fields.get("branch", ""), fields.get("path", block.title), fields.get("action", "")


def _frame(text: str) -> str:
    """What is around the suggestions."""
    parts, done = [], 0
    for block in reviewfile.read(text):
        parts.append(text[done : block.start])
        done = block.end
    return re.sub(r"\s*\n\s*", "\n", "\n".join((*parts, text[done:]))).strip()
