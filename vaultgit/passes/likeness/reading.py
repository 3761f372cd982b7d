"""One skill, read: its lines, and which of its words are names.

A scan of lines stands in for the block parser (notes/procedure.py), which needs ten times as long and would be most of
a plan's time. A step here is the item's or heading's own line with the lines that go on with it; finding needs no more,
and what a merge writes is decided on blocks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from vaultgit.passes.likeness import words
from vaultgit.passes.likeness.words import CLASS
from vaultgit.passes.likeness.words import meaning

STEP, HEADING, PROSE, CODE = "step", "heading", "prose", "code"
_FENCE = re.compile(r"\s*(?:>\s*)?(```+|~~~+)\s*([\w+#.-]*)")
_ITEM = re.compile(r"\s*(?:>\s*)?(?:[-+*•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_NUMBERED = re.compile(r"(?:(?:step|phase|stage)\s+\w+\b\s*[:.)—–-]*|\d+(?:\.\d+)*[.):]?)\s+", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=\S)|(?<=[。！？])")
_MARKED = re.compile(r"`([^`\n]+)`|\"([^\"\n]{2,60})\"|“([^”\n]{2,60})”")
_CAPITAL = re.compile(r"(?<=[\w,;:)] )(?:[A-Z][\w+#]*)(?: [A-Z][\w+#]*)*|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}\w*")


class Text(NamedTuple):
    """A skill to compare: a key that is its own, what its front matter says, and its body. `resources`: the files
    beside it, relative path -> oid."""

    key: str
    name: str
    trigger: str
    body: str
    resources: Mapping[str, str] = {}


class Line(NamedTuple):
    """A step, heading, sentence or line of code, as it is written, without its marker."""

    kind: str
    text: str


def lines(body: str) -> list[Line]:
    """The lines of a body; a line that is broken in two is one."""
    return [line for line, _ in _scan(body)]


def fences(body: str) -> Counter[str]:
    """Lines of code by the programming language that their fence names. Data and shells do not count: what one calls
    `bash` is `console` in the next."""
    named = (meaning("".join(words.tokens(tag)[:1])) for line, tag in _scan(body) if line.kind == CODE and tag)
    return Counter(tag for tag in named if CLASS.get(tag) == "language")


def _scan(body: str) -> Iterator[tuple[Line, str]]:
    kind, held = "", ""
    closing, tag = "", ""
    for raw in body.splitlines():
        if closing:
            if raw.lstrip(" >").startswith(closing):
                closing = ""
            elif text := raw.strip():
                yield Line(CODE, text), tag
            continue
        text = raw.strip()
        fence = _FENCE.match(raw) if "```" in raw or "~~~" in raw else None
        item = None if fence else _ITEM.match(raw)
        if held and (not text or fence or item or text[0] in "#|" or kind == HEADING):
            yield from ((line, "") for line in _said(kind, held))
            held = ""
        if fence:
            closing, tag = fence[1], fence[2].lower()
        elif item:
            kind, held = STEP, raw[item.end() :].strip()
        elif text[:1] == "#" and (heading := _HEADING.match(raw)):
            kind, held = HEADING, raw[heading.end() :].rstrip("# ")
        elif text[:1] == "|":
            yield Line(PROSE, text), ""
        elif text:
            kind, held = (kind, f"{held} {text}") if held else (PROSE, text)
    if held:
        yield from ((line, "") for line in _said(kind, held))


def _said(kind: str, text: str) -> Iterable[Line]:
    if kind == HEADING:
        bare = _NUMBERED.sub("", text, count=1)
        return [Line(STEP if bare != text else HEADING, bare)]
    if kind == STEP:
        return [Line(STEP, text)]
    return [Line(PROSE, sentence) for sentence in _SENTENCE.split(text) if sentence]


class Unit:
    """A line of one skill with its words folded, to be laid beside those of another."""

    __slots__ = ("kind", "means", "text", "words")

    def __init__(self, line: Line) -> None:
        self.kind, self.text = line
        self.words = tuple(words.tokens(line.text))
        self.means = self.words if line.kind == CODE else tuple(map(meaning, self.words))


class Reading:
    """What guards and scores ask of a skill, each read when it is asked for."""

    def __init__(self, text: Text) -> None:
        self.text = text

    @cached_property
    def units(self) -> list[Unit]:
        """Its lines, those of the trigger first."""
        trigger = [Line(PROSE, part) for part in _SENTENCE.split(self.text.trigger.strip()) if part]
        return [unit for line in (*trigger, *lines(self.text.body)) if (unit := Unit(line)).words]

    @cached_property
    def steps(self) -> list[Unit]:
        return [unit for unit in self.units if unit.kind == STEP]

    @cached_property
    def counts(self) -> Counter[str]:
        """How often trigger and body say each word."""
        counted: Counter[str] = Counter()
        for unit in self.units:
            counted.update(map(meaning, unit.words) if unit.kind == CODE else unit.means)
        return counted

    @cached_property
    def spelling(self) -> dict[str, str]:
        """How it writes each word, for people: the folded one is no word."""
        said = {meaning(word): word for unit in self.units for word in unit.words}
        return said | {meaning(word): word for word in words.tokens(f"{self.text.trigger} {self.text.name}")}

    @cached_property
    def about(self) -> dict[str, str]:
        """Of each class of things, the one that it names most."""
        named = sorted((count, word) for word, count in self.counts.items() if word in CLASS)
        return {CLASS[word]: word for _, word in named}

    @cached_property
    def name(self) -> frozenset[str]:
        """Its words, little ones left out; never general ones: an `-agent` and a `-skill` may be all that differs."""
        return frozenset(meaning(word) for word in words.tokens(self.text.name) if word not in words.LITTLE)

    @cached_property
    def trigger(self) -> frozenset[str]:
        return frozenset(map(meaning, words.tokens(self.text.trigger)))

    @cached_property
    def marked(self) -> frozenset[str]:
        """Words that stand in code, in quotes, or with a capital where plain words have none."""
        found: set[str] = set()
        for unit in self.units:
            if unit.kind == CODE:
                found.update(map(meaning, unit.words))
                continue
            for match in _MARKED.finditer(unit.text):
                found.update(map(meaning, words.tokens(match[1] or match[2] or match[3])))
            for match in _CAPITAL.finditer(unit.text):
                found.update(map(meaning, words.tokens(match[0])))
        return frozenset(found)

    @cached_property
    def language(self) -> str:
        return words.language(unit.text for unit in self.units if unit.kind != CODE)

    @cached_property
    def fences(self) -> Counter[str]:
        return fences(self.text.body)
