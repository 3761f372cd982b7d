"""Front matter: read as Obsidian reads it, changed by patching the lines that are meant.

PyYAML's scanner and parser do the syntax; the types are ours. Only true/false, null, decimal integers and
floats that print back exactly as typed become something other than text, and an unquoted `[[link]]` is that
text, not a list in a list. A property is written by replacing its own lines, then everything is parsed again
and compared.

Offsets are bytes of the note, lines and columns start at 1. Private functions count in characters of `text`,
the decoded lines between the fences.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.errors import VaultgitError

BOM = b"\xef\xbb\xbf"

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSING = re.compile(rb"\n---[ \t]*(?:\r?\n|\r?\Z)")

_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")  # longer ones Obsidian would round: they stay text
_FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?")
_LINK = re.compile(r"\[\[[^\[\]\r\n]+\]\]")
_STRING_TAGS = (None, "!", "tag:yaml.org,2002:str")
_DEPTH = 50

# What YAML calls not printable; it refuses them without saying where.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")

_QUOTE = "put the whole value in quotes"
_ONE_A_LINE = "write one `key: value` a line"


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
    """The properties of a note, and what is wrong with them. Never raises."""
    try:
        text = _text(data)
        if text is None:
            return Properties({}, {}, [])
        nodes, problems = _parsed(text)
    except FrontMatterError as error:
        return Properties({}, {}, [error.problem])
    values = {node.key: node.value for node in nodes}
    return Properties(values, {node.key: _place(text, node.start)[0] for node in nodes}, problems)


def entries(data: bytes) -> list[Entry]:
    """The top-level properties and their bytes, in the note's order.

    Raises FrontMatterError when the block does not parse, has a key twice or two properties on one line.
    """
    found = block(data)
    text = _text(data)
    if found is None or text is None:
        return []
    spans = [(node, *_lines_of(text, node)) for node in _patchable(text)]
    result = []
    place, done = found.start, 0
    for node, start, end in spans:
        first = place + len(text[done:start].encode())
        place, done = first + len(text[start:end].encode()), end
        result.append(Entry(node.key, first, place, node.value))
    return result


def splice(data: bytes, replaced: Mapping[str, bytes | None], added: Sequence[bytes]) -> bytes:
    """The note with the lines of some properties replaced (None: taken out), others put before the fence.

    `replaced` and `added` are whole lines, taken as they are; nothing is parsed afterwards. A note without
    front matter gets some when there is anything to add. Raises FrontMatterError as `entries` does.
    """
    lines = [line if line.endswith(b"\n") else line + b"\n" for line in added]
    found = block(data)
    if found is None:
        if not lines:
            return data
        mark = BOM if data.startswith(BOM) else b""
        fence = b"---" + _newline(data)
        return b"".join((mark, fence, *lines, fence, data[len(mark) :]))
    parts: list[bytes] = []
    done = 0
    for entry in entries(data):
        if entry.key in replaced:
            parts += data[done : entry.start], replaced[entry.key] or b""
            done = entry.end
    return b"".join((*parts, data[done : found.end], *lines, data[found.end :]))


def set_properties(data: bytes, changes: Mapping[str, Any], remove: Collection[str] = ()) -> bytes:
    """The note with some properties set and others removed; every other byte stays.

    Values are JSON types; None writes `key:`. A property that has the value already stays as it is written,
    a new one goes right before the closing fence, a list keeps its style and the lines of items that stay.
    A key in both arguments is removed. Raises FrontMatterError, with nothing changed, when the front matter
    does not parse or a value cannot be written so that it reads back the same.
    """
    before = read(data)
    if before.problems:
        raise FrontMatterError(before.problems[0])
    gone = [key for key in remove if key in before.values]
    wanted = {
        key: value
        for key, value in changes.items()
        if key not in remove and not (key in before.values and same(before.values[key], value))
    }
    if not gone and not wanted:
        return data
    expected = {key: value for key, value in (before.values | wanted).items() if key not in gone}
    text = _text(data) or ""
    nodes = {node.key: node for node in _patchable(text)}
    newline = "\r\n" if _newline(data) == b"\r\n" else "\n"
    first = next(iter(nodes.values()), None)
    indent = text[_line_start(text, first.start) : first.start] if first else ""
    for plain in (True, False):
        replaced: dict[str, bytes | None] = dict.fromkeys(gone)
        added = []
        for key, value in wanted.items():
            if key in nodes:
                replaced[key] = _patched(text, nodes[key], value, plain).encode()
            else:
                name = indent + _scalar(key, plain=plain)
                added.append(f"{name}:{_written(value, newline, indent, plain)}{newline}".encode())
        result = splice(data, replaced, added)
        after = read(result)
        if not after.problems and same(after.values, expected):
            return result
    names = ", ".join((*wanted, *gone))[:200]
    raise _failure(1, f"{names}: cannot be written so that it reads back the same", "edit the note by hand")


def keep_front_matter(old: bytes, new_body: bytes) -> bytes:
    """The front matter and byte order mark of `old`, then the new body.

    A "body" with front matter of its own is a whole note: it comes back as it is, never under another block.
    """
    if block(new_body) is not None:
        return new_body if new_body.startswith(BOM) or not old.startswith(BOM) else BOM + new_body
    body = new_body.removeprefix(BOM)
    found = block(old)
    if found is None:
        return BOM + body if old.startswith(BOM) else body
    head = old[: found.body]
    return head + body if head.endswith(b"\n") else head + _newline(old) + body


# -- reading -----------------------------------------------------------------------------------------------


class _Node(NamedTuple):
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
        self.nodes: list[_Node] = []
        self.repeated: list[tuple[int, str, int]] = []  # where, key, where first

    def document(self) -> None:
        self.event()  # the stream's start
        if self.event().__class__ is self.StreamEnd:
            return
        root = self.event()
        if root.__class__ is not self.Mapping or root.tag not in (None, "!"):
            raise _bad(self.text, root.start_mark.index, "not a list of properties", _ONE_A_LINE)
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

    def mapping(self, depth: int, nodes: list[_Node] | None = None, flow: bool = False) -> dict[str, Any]:
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
                nodes.append(_Node(key, value, place, colon, event.start_mark.index, self.end, kind, items))
        if flow:
            self.end = name.end_mark.index
        return values

    def strange(self, event: Any) -> FrontMatterError:
        place = event.start_mark.index
        if self.text.startswith("{{", place - 1) or self.text.startswith("{{", place):
            return _bad(self.text, place, "a template field, not a value", "fill it in or quote it")
        if event.__class__ in (self.Mapping, self.Sequence) and event.tag is None:
            return _bad(self.text, place, "a property's name has to be plain text", _QUOTE)
        if getattr(event, "tag", None):
            return _bad(self.text, place, f"the YAML tag {event.tag[:80]!r} is not allowed", _QUOTE)
        return _bad(self.text, place, "a value that begins with * means a YAML alias", _QUOTE)


def _parsed(text: str) -> tuple[list[_Node], list[YamlProblem]]:
    """The properties, and keys given twice. Raises FrontMatterError for what is not YAML."""
    import yaml

    control = _UNPRINTABLE.search(text)
    if control:
        raise _bad(text, control.start(), f"an invisible character, U+{ord(control[0]):04X}", "delete it")
    composer = _Composer(text)
    try:
        composer.document()
    except yaml.MarkedYAMLError as error:
        raise _explained(text, error) from error
    problems = []
    for place, key, first in composer.repeated:
        line, column = _place(text, place)
        message = f"{key[:80]!r} is given twice, on lines {_place(text, first)[0]} and {line}"
        problems.append(YamlProblem("FM02", line, column, message, "keep one of the two"))
    return composer.nodes, problems


def _typed(text: str) -> Any:
    """The value of an unquoted scalar, as Obsidian takes it."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "-0123456789":
        if _INTEGER.fullmatch(text):
            return int(text)
        if len(text) < 30 and _FLOAT.fullmatch(text) and repr(float(text)) == text:
            return float(text)
    return text


def _text(data: bytes) -> str | None:
    """The lines between the fences, or None. Raises FrontMatterError for a note that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].removeprefix(BOM).decode()) + 1
        raise _failure(before.count(b"\n") + 1, "not UTF-8", "save the note as UTF-8", column) from error
    found = block(data)
    return None if found is None else data[found.start : found.end].decode()


def _explained(text: str, error: Any) -> FrontMatterError:
    """What the parser says, at the place a person has to look at, in words that say what to do."""
    context, problem = error.context or "", error.problem or "not YAML"
    mark = error.problem_mark
    if error.context_mark and not context.startswith(("while parsing a block", "while scanning a plain")):
        mark = error.context_mark  # the parser notices a missing quote or bracket only lines later
    place = mark.index if mark else 0
    start = _line_start(text, place)
    before, sign = text[start:place], text[place : place + 1]
    message, mend = problem.replace("<", "").replace(">", ""), _ONE_A_LINE
    if sign == "\t" or "tab character" in problem:
        message, mend = "a tab where YAML wants blanks", "use spaces instead of the tab"
    elif "mapping values" in problem and before[:1] == " " and ": " not in before:
        message, mend = "an indented line with no value open", "begin every property at the margin"
    elif "mapping values" in problem:
        message, mend = "a colon and a blank inside a value", _QUOTE
    elif "quoted scalar" in context and "end of stream" in problem:
        message, mend = "a quote that is not closed", "close the quote"
    elif "quoted scalar" in context:
        message, mend = "a backslash that means nothing in double quotes", "use single quotes"
    elif "while parsing a flow" in context and "[[" in text[max(place - 1, 0) : place + 2]:
        message, mend = "a link that YAML cannot read", "put the link in quotes"
    elif "while parsing a flow" in context:
        message, mend = f"a {sign} that is not closed", f"close it, or {_QUOTE}"
    elif "simple key" in context:
        glued = re.match(r"[^\s:#]+:\S", text[place:])
        message = "no blank after the colon" if glued else "a line that is no property"
    elif sign in tuple("`@%*&!|>"):
        message, mend = f"a value cannot begin with {sign} like this", _QUOTE
    elif "expected key" in problem and before.strip():
        message, mend = "text after the end of the value", _QUOTE
    return _bad(text, place, message, mend)


def _bad(text: str, place: int, message: str, mend: str) -> FrontMatterError:
    line, column = _place(text, place)
    return _failure(line, message, mend, column)


def _failure(line: int, message: str, mend: str, column: int = 1) -> FrontMatterError:
    return FrontMatterError(YamlProblem("FM01", line, column, message, mend))


def _place(text: str, place: int) -> tuple[int, int]:
    """Line and column in the note; the opening fence is line 1."""
    return text.count("\n", 0, place) + 2, place - text.rfind("\n", 0, place)


# -- writing -----------------------------------------------------------------------------------------------

# Patterns as text, compiled (and kept) by `re` at their first use: a check never writes.
# Text that some reader takes for a number, ours or another; it is written in quotes.
_NUMBERLIKE = r"(?i)[-+]?(?:\.?[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|0[xob][0-9a-f_]+|\.inf|\.nan)"
_NOT_PLAIN = r"""(?x) ^(?:[-\s?:,\[\]{}#&*!|>'"%@`~]|\.\.\.) | :(?:\s|$) | \s\# | \[\[ | \s\Z
    | [\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"""
_NOT_PLAIN_IN_FLOW = r"[,\[\]{}:?]"
_NEEDS_ESCAPE = r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"


def _patchable(text: str) -> list[_Node]:
    """The properties; raises FrontMatterError where lines cannot be patched."""
    nodes, problems = _parsed(text)
    if problems:
        raise FrontMatterError(problems[0])
    done = 0
    for node in nodes:
        start, end = _lines_of(text, node)
        before, after = text[start : node.start].strip(" "), text[node.end : end].strip()
        if start < done or before or after[:1] not in ("", "#"):
            raise _bad(text, node.start, "not on a line of its own", _ONE_A_LINE)
        done = end
    return nodes


def _lines_of(text: str, node: _Node) -> tuple[int, int]:
    return _line_start(text, node.start), _line_end(text, max(node.end, node.colon))


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, max(place, 0)) + 1


def _line_end(text: str, place: int) -> int:
    """First character of the next line; `place` itself when it already begins one."""
    if place and text[place - 1] == "\n":
        return place
    return text.find("\n", place) + 1 or len(text)


def _patched(text: str, node: _Node, value: Any, plain: bool) -> str:
    """The lines of a property with another value. With `plain` false: all anew, texts in quotes."""
    start, end = _lines_of(text, node)
    name = text[start : node.colon]
    indent = text[start : node.start]
    ending = "\r\n" if text[start:end].endswith("\r\n") else "\n"
    is_list = isinstance(value, list) and bool(value)
    if not plain:
        return f"{name}:{_written(value, ending, indent, plain)}{ending}"
    if node.kind == "inline":
        rest = text[node.end : end]
        gap = text[node.colon : node.begin]
        if value is None:
            return name + gap.rstrip(" \t") + rest
        if is_list and not text.startswith("[", node.begin):
            return name + ":" + rest + _items(value, ending, indent, plain)
        inline = _flow_list(text, node, value) if is_list else _scalar(value, plain=plain)
        return name + (gap if gap[-1:].isspace() else gap + " ") + inline + rest
    header = text[node.colon : _line_end(text, node.colon)]
    comment = header[header.index("#") - 1 :].rstrip() if node.kind == "list" and "#" in header else ""
    if node.kind == "list" and is_list:
        return name + header + _block_items(text, node, value, ending)
    if is_list:
        return f"{name}:{_written(value, ending, indent, plain)}{ending}"
    return f"{name}:{_written(value, ending, indent, plain)}{comment}{ending}"


def _flow_list(text: str, node: _Node, value: list[Any]) -> str:
    kept: dict[str, list[str]] = {}
    if isinstance(node.value, list):
        for item, (begin, end) in zip(node.value, node.items, strict=True):
            kept.setdefault(repr(item), []).append(text[begin:end])
    return f"[{', '.join(_kept(kept, item) or _scalar(item, flow=True) for item in value)}]"


def _block_items(text: str, node: _Node, value: list[Any], ending: str) -> str:
    """The lines of a block list; an item that stays keeps its line and the comments under it."""
    starts = [_line_start(text, begin) for begin, _ in node.items]
    header = _line_end(text, node.colon)
    comments = text[header : starts[0]]
    kept: dict[str, list[str]] = {}
    end = _lines_of(text, node)[1]
    for item, start, stop in zip(node.value, starts, [*starts[1:], end], strict=True):
        kept.setdefault(repr(item), []).append(text[start:stop])
    dash = text[starts[0] : node.items[0][0]].rstrip() + " "
    return comments + "".join(_kept(kept, item) or f"{dash}{_scalar(item)}{ending}" for item in value)


def _kept(kept: dict[str, list[str]], item: Any) -> str:
    found = kept.get(repr(item))
    return found.pop(0) if found else ""


def _written(value: Any, ending: str, indent: str, plain: bool) -> str:
    """What stands after the colon of a property that is written anew."""
    if value is None:
        return ""
    if isinstance(value, list) and value:
        return ending + _items(value, ending, indent, plain).removesuffix(ending)
    return " " + _scalar(value, plain=plain)


def _items(value: list[Any], ending: str, indent: str, plain: bool) -> str:
    return "".join(f"{indent}  - {_scalar(item, plain=plain)}{ending}" for item in value)


def _scalar(value: Any, *, flow: bool = False, plain: bool = True) -> str:
    """A value on one line: text plain where it reads back the same, else in double quotes."""
    if isinstance(value, str):
        if (
            plain
            and value
            and value not in _WORDS
            and not re.fullmatch(_NUMBERLIKE, value)
            and not re.search(_NOT_PLAIN, value)
            and not (flow and re.search(_NOT_PLAIN_IN_FLOW, value))
        ):
            return value
        import json

        quoted = json.dumps(value, ensure_ascii=False)
        return re.sub(_NEEDS_ESCAPE, lambda found: f"\\u{ord(found[0]):04x}", quoted)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(_scalar(item, flow=True, plain=plain) for item in value)}]"
    if isinstance(value, dict):
        pairs = (f"{_scalar(str(key), plain=False)}: {_scalar(value[key], flow=True)}" for key in value)
        return f"{{{', '.join(pairs)}}}"
    raise _failure(1, f"a property cannot hold a {type(value).__name__}", "give text, a number, a list")


def same(one: Any, other: Any) -> bool:
    """Equal with types told apart (1 is not True, 1.0 is not 1); the order of keys does not count."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def _newline(data: bytes) -> bytes:
    """How the note's first line ends."""
    first = data.find(b"\n")
    return b"\r\n" if first > 0 and data[first - 1 : first] == b"\r" else b"\n"
