"""Proposals in review.md: which wait, which were declined, and how new ones get there.

A proposal is a block without `branch:` (those are of review branches, and `passes.boxes` sees to them). What a person
did not decide stays as it is, to the byte. A line `> not done: …` below a block's boxes is ours, and where it stands
elsewhere if a commit of ours brought it; all other text is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from vaultgit.checks.secrets import redact
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
_REMARK = re.compile(rf"{MARK}[^\r\n]*(\r?\n|\Z)")
_OWN = re.compile(rf"^{MARK}", re.MULTILINE)
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_SHORT = 200  # characters of a remark, and of a reason


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


def shortened(words: str) -> str:
    """Words as a line of a note or a message has them; what they are about stands in review.md whole."""
    words = plain(" ".join(words.split()))
    return words if len(words) <= _SHORT else words[: _SHORT - 1].rstrip() + "…"


def abridged(words: str) -> str:
    """A sentence that repeats what somebody gave, without its middle where it is long: the end says what to do."""
    return words if len(words) <= 3 * _SHORT else f"{words[: 2 * _SHORT].rstrip()} … {words[-_SHORT:].lstrip()}"


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
    """The file with a line of ours below the last box of the blocks with these ids, and none at others. Every other
    line stays, also the blank one above the next block."""
    bare = _bare(review)
    parts: list[str] = []
    done = 0
    for one in of(bare):
        reason = reasons.get(one.id, "")
        if not reason or _is_open(bare, one):
            continue
        block = bare[one.start : one.end]
        newline = "\r\n" if "\r\n" in block else "\n"
        whole = block.endswith("\n")
        parts += bare[done : one.end], "" if whole else newline, MARK, shortened(reason), newline if whole else ""
        done = one.end
    return "".join((*parts, bare[done:]))


def _bare(review: str) -> str:
    """The file without lines of ours at its blocks, also between their boxes (who mends them may write below one)."""
    parts: list[str] = []
    done = 0
    for one in of(review):
        parts.append(review[done : one.start])
        inside, begin = [], one.start
        for at, stray in zip(one.spots, one.strays, strict=True):
            if stray.startswith(MARK):
                inside.append(review[begin:at])
                begin = at + len(stray)
        block, done = "".join((*inside, review[begin : one.end])), one.end
        while old := _REMARK.match(review, done):
            done = old.end()
            if not old[1]:
                block = block.removesuffix("\n").removesuffix("\r")  # which came with it
        parts.append(block)
    return "".join((*parts, review[done:]))


def without_orphans(review: str, ours: Callable[[], Collection[int]]) -> str:
    """The file without lines of ours whose block is gone. `ours` tells the numbers of all lines that we wrote; it is
    asked only where a line looks like one of ours, and a person may write such a line, too."""
    if not _OWN.search(remarked(review, {})):
        return review
    every = reviewfile.read(review)
    numbers = ours()
    lines, at, block = [], 0, 0
    for number, line in enumerate(re.findall(r"[^\n]*\n|[^\n]+", review), 1):
        while block < len(every) and every[block].end <= at:
            block += 1
        inside = block < len(every) and every[block].start <= at
        if inside or number not in numbers or not line.startswith(MARK):
            lines.append(line)
        at += len(line)
    return "".join(lines)


def remarks(review: str) -> dict[str, str]:
    """What our lines say, by the id of the block."""
    found = {}
    for one in of(review):
        below = _REMARK.match(review, one.end)
        said = [line for line in (*one.strays, below[0] if below else "") if line.startswith(MARK)]
        if said:
            found[one.id] = said[-1].strip().removeprefix(MARK)
    return found


def not_done(review: str) -> list[tuple[int, str]]:
    """What stays though something is ticked there: (line, why), for `status`, which judges no draft itself."""
    said = remarks(review)
    found = []
    for one in of(review):
        rest = [(one.tick_line, said[one.id])] if one.decided and one.id in said else []
        found += [(line, f"{shortened(one.title)}: {words}") for line, words in one.slips or rest]
    return found


def _is_open(review: str, one: Block) -> bool:
    """Whether the block ends in a fence that nothing closes: a line of ours below it would be in the draft."""
    block = review[one.start : one.end].rstrip()
    return one.draft is None and ("\n" not in block or bool(_FENCE.match(block.rpartition("\n")[2])))


def reason(why: str) -> str:
    """Why something is proposed, as the field says it: without links, which a draft may only come to make."""
    return shortened(redact(plain(redact(" ".join(why.split()))[0]))[0].replace("[[", "").replace("]]", ""))


# -- links -------------------------------------------------------------------------------------------------------

_SEEN = 6  # links to where it was seen


def seen(links: Iterable[str]) -> str:
    """Where something was seen, as the field says it."""
    every = [link for link in dict.fromkeys(links) if link]
    more = len(every) - _SEEN
    return ", ".join(every[:_SEEN]) + (f", and {more} more" if more > 0 else "")
