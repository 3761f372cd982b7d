"""A skill's body as a procedure: blocks under headings, and the steps among them.

markdown-it-py reads the block structure of CommonMark with tables; inline text is not parsed. Lines are those of the
body, from 0. A step is a list item with all that belongs to it, or a heading that says it is one (`Step 2`, `3. Go`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_WHICH = r"(?:\d+|(?-i:[IVX]+|[A-H])|one|two|three|four|five|six|seven|eight|nine|ten)\b"  # `Step by step` is none
_STEP_TITLE = re.compile(rf"(?:step|phase|stage)\s+{_WHICH}|\d+[.)]\s", re.IGNORECASE)
_ORDINAL = re.compile(rf"\A(?:(step|phase|stage)\s+{_WHICH}|\d+[.)]\s+)", re.IGNORECASE)
_MARKER = re.compile(r"\s*(?:[-+*]|\d{1,9}[.)])(?:\s+|$)(?:\[[ xX]\]\s+)?")
_HEADING_MARKS = re.compile(r"\A\s{0,3}#{1,6}(?:\s+|\Z)|\s+#+\s*\Z|\n\s*(?:=+|-+)\s*\Z")
_BLANK = " \t\r\n"  # as CommonMark has it: a line of U+2028 or a form feed is text
_KINDS = {"fence": "code", "code_block": "code", "table_open": "table", "heading_open": "heading", "hr": "rule"}


class Block(NamedTuple):
    """One block of the body: `heading`, `item` (with all that is indented below it), `code`, `table`, `rule`, `prose`.

    `text`: its lines as they stand, without blank ones at the end. `end`: the line after its last one. `level`: of a
    heading, else 0. `section`: the headings above it, outermost first, without their marks. `list`: which list an
    item belongs to, counted through the body, else -1; `ordered`: that list is numbered.
    """

    kind: str
    text: str
    first: int
    end: int
    level: int
    section: tuple[str, ...]
    list: int = -1
    ordered: bool = False

    @property
    def is_step(self) -> bool:
        if self.kind == "heading":
            return bool(_STEP_TITLE.match(title(self.text)))
        return self.kind == "item"

    @property
    def words(self) -> str:
        """What it says, for comparing: without marker or number, runs of white space as one space."""
        if self.kind == "heading":
            return title(self.text)
        text = self.text if self.kind != "item" else _MARKER.sub("", self.text, count=1)
        return " ".join(text.split())


def title(heading: str) -> str:
    """A heading's words, without its marks."""
    return " ".join(_HEADING_MARKS.sub("", heading).split())


def blocks(body: str) -> list[Block]:
    """The blocks of a body, in order. Text that is no block (blank lines, link definitions) is in none."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", body)
    tokens = _parser().parse(body.replace("\r\n", "\n").replace("\r", " "))  # it would end a line there
    found: list[Block] = []
    headings: list[tuple[int, str]] = []
    lists = -1
    for token, in_list in _tops(tokens):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists += 1
            continue
        kind = "item" if in_list else _KINDS.get(token.type, "prose")
        first, end = token.map or [0, 0]
        while end > first and not lines[end - 1].strip(_BLANK):
            end -= 1
        text = "".join(lines[first:end])
        level = int(token.tag[1]) if kind == "heading" else 0
        if level:
            headings = [above for above in headings if above[0] < level]
        section = tuple(name for _, name in headings)
        ordered = in_list == "ordered_list_open"
        found.append(Block(kind, text, first, end, level, section, lists if in_list else -1, ordered))
        if level:
            headings.append((level, title(text)))
    return found


def steps(body: str) -> list[Block]:
    """The steps of a body, in order."""
    return [block for block in blocks(body) if block.is_step]


def lost(before: Iterable[Block], after: Iterable[Block]) -> list[Block]:
    """Steps of `before` that `after` has not, each as often as it stood there; numbers and white space do not count."""
    there = Counter(unnumbered(step.words) for step in after)
    found = []
    for step in before:
        key = unnumbered(step.words)
        if there[key]:
            there[key] -= 1
        else:
            found.append(step)
    return found


def unnumbered(words: str) -> str:
    """A step's words without the number in front: `3. Go` is `Go`, `Step 3: Go` is `Step: Go`."""
    return _ORDINAL.sub(r"\1", words)


def _tops(tokens: list[Token]) -> Iterable[tuple[Any, str]]:
    """The opening tokens of blocks that stand in no other one, lists taken apart into their items: (token, the kind of
    its list or "")."""
    inside = ""
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            inside = token.type if token.type in ("bullet_list_open", "ordered_list_open") else ""
            yield token, ""
        elif token.level == 1 and inside and token.type == "list_item_open":
            yield token, inside


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 60 ms: only for who reads procedures

    return MarkdownIt("commonmark", {"html": True}).enable("table").disable(["inline", "text_join"])
