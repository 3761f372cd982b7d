"""Proposals in review.md: which wait, which were declined, and how new ones get there.

A proposal is a block without `branch:` (those are of review branches, and `passes.boxes` sees to them). What a person
did not decide stays as it is, to the byte. A line `> not done: …` below a block is ours, all other text is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from vaultgit.edits.compose import plain
from vaultgit.edits.submit import current
from vaultgit.notes import reviewfile
from vaultgit.notes.links import fold
from vaultgit.notes.reviewfile import Block
from vaultgit.passes.inbox import DECLINED
from vaultgit.passes.reviewmd import FILE
from vaultgit.vault import Vault

CREATE, ADD = "create", "add"
MARK = "> not done: "
_REMARK = re.compile(rf"{MARK}[^\r\n]*?([ \t]*)(\r?\n|\Z)")
_BLANK = re.compile(r"[ \t]*\r?\n")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_SHORT = 200  # characters of a remark


class Key(NamedTuple):
    """What a proposal is about, however it is worded: note type and folded name."""

    type: str
    name: str


def text(vault: Vault) -> str:
    """review.md, with what waits in the queue; "" where there is none."""
    return (current(vault, FILE) or b"").decode("utf-8", "surrogateescape")


def of(review: str) -> list[Block]:
    """The proposals of a review file, in order."""
    return [one for one in reviewfile.read(review) if not any(key == "branch" for key, _ in one.fields)]


def field(one: Block, key: str) -> str:
    return next((value for name, value in one.fields if name == key), "")


def key(one: Block) -> Key:
    return Key(field(one, "type").casefold(), fold(one.title))


def row(one: Block) -> dict[str, str]:
    """A proposal as `status --json` and `consolidate --json` tell it."""
    named = {name: field(one, name) for name in ("path", "type", "action", "since")}
    return {"id": one.id, "title": one.title, **named}


def titled(name: str) -> str:
    """A name as a block's title, which is its heading."""
    return plain(" ".join(name.split()))


# -- declined.md -------------------------------------------------------------------------------------------------


def declined(vault: Vault) -> set[Key]:
    """What a person has rejected."""
    found = set()
    for line in (current(vault, DECLINED) or b"").decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["-"] and words[2:3] == ["proposal"] and len(words) > 4:
            found.add(Key(unquote(words[3]), unquote(words[4])))
    return found


def encoded(word: str) -> str:
    """A name as one word: of what is no blank, only the percent sign changes."""
    return re.sub(r"[\s%]", lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), word) or "%20"


def declining(day: str, one: Block) -> str:
    """The line of declined.md that keeps a proposal from coming back."""
    about = key(one)
    return f"- {day} proposal {encoded(about.type)} {encoded(about.name)} ^{one.id}\n"


# -- remarks -----------------------------------------------------------------------------------------------------


def remarked(review: str, reasons: Mapping[str, str]) -> str:
    """The file with a line of ours below the blocks with these ids, and none below others. It takes the place of a
    blank line where there is one, so that no line of the file moves."""
    for one in reversed(of(review)):
        above, below = review[: one.end], review[one.end :]
        old = _REMARK.match(below)
        if old:
            rest = below[old.end() :]
            below = (old[1] + old[2] if rest or old[1] else "") + rest
        reason = reasons.get(one.id, "")
        if reason and _has_boxes(above[one.start :]):
            newline = "\r\n" if above.endswith("\r\n") else "\n"
            gap = "" if above.endswith("\n") else newline
            end = "" if _BLANK.match(below) else newline
            below = f"{gap}{MARK}{_one_line(reason)}{end}{below}"
        review = above + below
    return review


def remarks(review: str) -> dict[str, str]:
    """What our lines say, by the id of the block."""
    found = {}
    for one in of(review):
        said = _REMARK.match(review[one.end :])
        if said:
            found[one.id] = said[0].strip().removeprefix(MARK)
    return found


def not_done(review: str) -> list[tuple[int, str]]:
    """What stays though something is ticked there: (line, why), for `status`, which judges no draft itself."""
    said = remarks(review)
    found = []
    for one in of(review):
        whole = [words for _, words in one.slips] or ([said[one.id]] if one.touched and one.id in said else [])
        found += [(one.slips[0][0] if one.slips else one.tick_line, f"{one.title}: {words}") for words in whole[:1]]
    return found


def _has_boxes(block: str) -> bool:
    """Whether a block ends as it should: below a fence that nothing closes, a line of ours would be in the draft."""
    return not _FENCE.match(block.rstrip().rpartition("\n")[2]) and "\n" in block.strip()


def _one_line(reason: str) -> str:
    words = plain(" ".join(reason.split()))
    return words if len(words) <= _SHORT else words[: _SHORT - 1].rstrip() + "…"


# -- links -------------------------------------------------------------------------------------------------------

_SEEN = 6  # links to where it was seen


def seen(links: Iterable[str]) -> str:
    """Where something was seen, as the field says it."""
    every = [link for link in dict.fromkeys(links) if link]
    more = len(every) - _SEEN
    return ", ".join(every[:_SEEN]) + (f", and {more} more" if more > 0 else "")
