"""Front matter, read as Obsidian reads it.

PyYAML's scanner and parser do the syntax; the types are ours. Only true/false, null, decimal integers and
floats that print back exactly as typed become something other than text, and an unquoted `[[link]]` is that
text, not a list in a list. Writing it is `patch`.

Offsets are bytes of the note, lines and columns start at 1. What is below the line counts in characters of
`text`, the decoded lines between the fences.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Any
from typing import NamedTuple

from vaultgit.errors import VaultgitError
from vaultgit.notes.yamlwords import ONE_A_LINE
from vaultgit.notes.yamlwords import QUOTE
from vaultgit.notes.yamlwords import explained

BOM = b"\xef\xbb\xbf"

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSING = re.compile(rb"\n---[ \t]*(?:\r?\n|\r?\Z)")

WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")  # longer ones Obsidian would round: they stay text
_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?")
_LINK = re.compile(r"\[\[[^\[\]\r\n]+\]\]")
_STRING_TAGS = (None, "!", "tag:yaml.org,2002:str")
_DEPTH = 50
_REPEATED = 100  # keys given twice that are told of one note

# What YAML calls not printable; it refuses them without saying where.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")


class Block(NamedTuple):
    """Where the front matter lies in a note's bytes."""

    start: int  # first byte after the opening fence line
    end: int  # first byte of the closing fence line
    body: int  # first byte after the closing fence line


class YamlProblem(NamedTuple):
    code: str  # FM01 not YAML, FM02 duplicate key
    line: int
    column: int
    message: str
    mend: str


class Properties(NamedTuple):
    values: dict[str, Any]  # JSON types; {} when the block does not parse; of a key given twice the first
    lines: dict[str, int]  # line of each top-level key
    problems: list[YamlProblem]


class Entry(NamedTuple):
    """One top-level property: whole lines with those that continue it, without the comments after it."""

    key: str
    start: int
    end: int
    value: Any


class FrontMatterError(VaultgitError):
    """Front matter that does not parse, or a property that cannot be written; nothing was changed."""

    def __init__(self, problem: YamlProblem) -> None:
        super().__init__(f"line {problem.line}: {problem.code} {problem.message}", problem.mend)
        self.problem = problem


def block(data: bytes) -> Block | None:
    """The front matter of a note; None where there is none.

    The note begins (after a byte order mark, if any) with a line of `---` alone; the next such line ends it.
    """
    opening = _OPENING.match(data)
    if opening is None:
        return None
    closing = _CLOSING.search(data, opening.end() - 1)
    if closing is None:
        return None
    return Block(opening.end(), closing.start() + 1, closing.end())


def read(data: bytes) -> Properties:
    """The properties of a note, and what is wrong with them. Never raises. Several rules ask for the same note."""
    known = _known.get(id(data))
    if known is None or known[0] is not data:
        if len(_known) >= _KEPT:
            _known.clear()
        known = _known[id(data)] = data, _read(data)
    return known[1]


_KEPT = 2000  # notes of a commit that are read once for all rules
_known: dict[int, tuple[bytes, Properties]] = {}


def _read(data: bytes) -> Properties:
    try:
        text = text_of(data)
        if text is None:
            return Properties({}, {}, [])
        nodes, problems = _parsed(text)
    except FrontMatterError as error:
        return Properties({}, {}, [error.problem])
    values = {node.key: node.value for node in nodes}
    ends = _line_ends(text)
    return Properties(values, {node.key: bisect_left(ends, node.start) + 2 for node in nodes}, problems)


def entries(data: bytes) -> list[Entry]:
    """The top-level properties and their bytes, in the note's order.

    Raises FrontMatterError when the block does not parse, has a key twice or two properties on one line.
    """
    found = block(data)
    text = text_of(data)
    if found is None or text is None:
        return []
    spans = [(node, *lines_of(text, node)) for node in patchable(text)]
    result = []
    place, done = found.start, 0
    for node, start, end in spans:
        first = place + len(text[done:start].encode())
        place, done = first + len(text[start:end].encode()), end
        result.append(Entry(node.key, first, place, node.value))
    return result


def same(one: Any, other: Any) -> bool:
    """Equal with types told apart (1 is not True, 1.0 is not 1); the order of keys does not count."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


# -- the text between the fences -----------------------------------------------------------------------------


class Node(NamedTuple):
    """One top-level property and where its parts stand in the text."""

    key: str
    value: Any
    start: int  # of the key
    colon: int  # first character after the key
    begin: int  # of the value
    end: int  # first character after the value's last one
    kind: str  # "inline": replaceable from begin to end; "list": a block list; "block": other whole lines
    items: list[tuple[int, int]]  # begin and end of the items of a list


class _Composer:
    """Values from the events of the YAML parser. No node graph, no aliases: nothing can grow on its own."""

    def __init__(self, text: str) -> None:
        import yaml

        self.text = text
        self.event: Callable[[], Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text).get_event
        self.Scalar: Any = yaml.ScalarEvent
        self.Sequence: Any = yaml.SequenceStartEvent
        self.SequenceEnd: Any = yaml.SequenceEndEvent
        self.Mapping: Any = yaml.MappingStartEvent
        self.MappingEnd: Any = yaml.MappingEndEvent
        self.StreamEnd: Any = yaml.StreamEndEvent
        self.end = 0  # first character after the last value read
        self.items: list[tuple[int, int]] = []  # spans of the items of the list read last
        self.nodes: list[Node] = []
        self.repeated: list[tuple[int, str, int]] = []  # where, key, where first

    def document(self) -> None:
        self.event()  # the stream's start
        if self.event().__class__ is self.StreamEnd:
            return
        root = self.event()
        if root.__class__ is not self.Mapping or root.tag not in (None, "!"):
            raise _bad(self.text, root.start_mark.index, "not a list of properties", ONE_A_LINE)
        self.mapping(1, self.nodes)
        self.event()  # the document's end
        after = self.event()
        if after.__class__ is not self.StreamEnd:
            raise _bad(self.text, after.start_mark.index, "a second YAML document", "keep one block")

    def value(self, event: Any, depth: int) -> Any:
        kind = event.__class__
        if kind is self.Scalar:
            if event.tag not in _STRING_TAGS:
                raise self.strange(event)
            self.end = event.end_mark.index
            if event.style in ("|", ">") and not event.value.endswith("\n\n"):
                self.end = len(self.text[: self.end].rstrip())  # the parser counts blank lines below it in
            return _typed(event.value) if event.implicit[0] and event.tag is None else event.value
        if kind is self.Sequence or kind is self.Mapping:
            if event.tag not in (None, "!"):
                raise self.strange(event)
            if depth > _DEPTH:
                raise _bad(self.text, event.start_mark.index, "nested too deeply", "keep properties flat")
            if kind is self.Mapping:
                return self.mapping(depth + 1, None, event.flow_style)
            return self.sequence(event, depth + 1)
        raise self.strange(event)

    def sequence(self, start: Any, depth: int) -> Any:
        begin = start.start_mark.index
        values = []
        items = []
        while (event := self.event()).__class__ is not self.SequenceEnd:
            values.append(self.value(event, depth))
            items.append((event.start_mark.index, self.end))
        self.items = items
        if start.flow_style:
            self.end = event.end_mark.index
            link = _LINK.match(self.text, begin)
            if link and link.end() == self.end:
                return link[0]
        return values

    def mapping(self, depth: int, nodes: list[Node] | None = None, flow: bool = False) -> dict[str, Any]:
        values: dict[str, Any] = {}
        places: dict[str, int] = {}
        while (name := self.event()).__class__ is not self.MappingEnd:
            if name.__class__ is not self.Scalar or name.tag not in _STRING_TAGS:
                raise self.strange(name)
            key = name.value
            event = self.event()
            value = self.value(event, depth)
            place = name.start_mark.index
            if key in values:
                self.repeated.append((place, key, places[key]))
                continue
            values[key] = value
            places[key] = place
            if nodes is not None:
                is_list = event.__class__ is self.Sequence and value.__class__ is list
                if event.__class__ is self.Scalar:
                    kind = "block" if event.style in ("|", ">") else "inline"
                elif event.flow_style:
                    kind = "inline"
                else:
                    kind = "list" if is_list else "block"
                items = self.items if is_list else []
                colon = name.end_mark.index
                nodes.append(Node(key, value, place, colon, event.start_mark.index, self.end, kind, items))
        if flow:
            self.end = name.end_mark.index
        return values

    def strange(self, event: Any) -> FrontMatterError:
        place = event.start_mark.index
        if self.text.startswith("{{", place - 1) or self.text.startswith("{{", place):
            return _bad(self.text, place, "a template field, not a value", "fill it in or quote it")
        if event.__class__ in (self.Mapping, self.Sequence) and event.tag is None:
            return _bad(self.text, place, "a property's name has to be plain text", QUOTE)
        if getattr(event, "tag", None):
            return _bad(self.text, place, f"the YAML tag {event.tag[:80]!r} is not allowed", QUOTE)
        return _bad(self.text, place, "a value that begins with * means a YAML alias", QUOTE)


def _parsed(text: str) -> tuple[list[Node], list[YamlProblem]]:
    """The properties, and keys given twice. Raises FrontMatterError for what is not YAML."""
    import yaml

    control = _UNPRINTABLE.search(text)
    if control:
        raise _bad(text, control.start(), f"an invisible character, U+{ord(control[0]):04X}", "delete it")
    composer = _Composer(text)
    try:
        composer.document()
    except yaml.MarkedYAMLError as error:
        raise _bad(text, *explained(text, error)) from error
    problems = []
    ends = _line_ends(text) if composer.repeated else []
    for place, key, first in composer.repeated[:_REPEATED]:
        line, column = bisect_left(ends, place) + 2, place - text.rfind("\n", 0, place)
        message = f"{key[:80]!r} is given twice, on lines {bisect_left(ends, first) + 2} and {line}"
        problems.append(YamlProblem("FM02", line, column, message, "keep one of the two"))
    return composer.nodes, problems


def _typed(text: str) -> Any:
    """The value of an unquoted scalar, as Obsidian takes it."""
    if text in WORDS:
        return WORDS[text]
    if text[0] in "-0123456789":
        if _INTEGER.fullmatch(text):
            return int(text)
        if len(text) < 30 and _FLOAT.fullmatch(text) and repr(float(text)) == text:
            return float(text)
    return text


def text_of(data: bytes) -> str | None:
    """The lines between the fences, or None. Raises FrontMatterError for a note that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].removeprefix(BOM).decode()) + 1
        raise _failure(before.count(b"\n") + 1, "not UTF-8", "save the note as UTF-8", column) from error
    found = block(data)
    return None if found is None else data[found.start : found.end].decode()


def _bad(text: str, place: int, message: str, mend: str) -> FrontMatterError:
    line, column = _place(text, place)
    return _failure(line, message, mend, column)


def _failure(line: int, message: str, mend: str, column: int = 1) -> FrontMatterError:
    return FrontMatterError(YamlProblem("FM01", line, column, message, mend))


def _place(text: str, place: int) -> tuple[int, int]:
    """Line and column in the note; the opening fence is line 1."""
    return text.count("\n", 0, place) + 2, place - text.rfind("\n", 0, place)


def _line_ends(text: str) -> list[int]:
    """Where lines end: counting them anew for each of many properties takes the square of their number."""
    return [found.start() for found in re.finditer("\n", text)]


def patchable(text: str) -> list[Node]:
    """The properties; raises FrontMatterError where lines cannot be patched."""
    nodes, problems = _parsed(text)
    if problems:
        raise FrontMatterError(problems[0])
    done = 0
    for node in nodes:
        start, end = lines_of(text, node)
        before, after = text[start : node.start].strip(" "), text[node.end : end].strip()
        if start < done or before or after[:1] not in ("", "#"):
            raise _bad(text, node.start, "not on a line of its own", ONE_A_LINE)
        done = end
    return nodes


def lines_of(text: str, node: Node) -> tuple[int, int]:
    return line_start(text, node.start), line_end(text, max(node.end, node.colon))


def line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, max(place, 0)) + 1


def line_end(text: str, place: int) -> int:
    """First character of the next line; `place` itself when it already begins one."""
    if place and text[place - 1] == "\n":
        return place
    return text.find("\n", place) + 1 or len(text)
