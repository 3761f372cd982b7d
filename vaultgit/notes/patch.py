"""Front matter changed by patching the lines that are meant: every other byte stays.

A property is written by replacing its own lines, then everything is parsed again and compared.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from vaultgit.notes.frontmatter import BOM
from vaultgit.notes.frontmatter import WORDS
from vaultgit.notes.frontmatter import FrontMatterError
from vaultgit.notes.frontmatter import Node
from vaultgit.notes.frontmatter import YamlProblem
from vaultgit.notes.frontmatter import block
from vaultgit.notes.frontmatter import entries
from vaultgit.notes.frontmatter import line_end
from vaultgit.notes.frontmatter import line_start
from vaultgit.notes.frontmatter import lines_of
from vaultgit.notes.frontmatter import patchable
from vaultgit.notes.frontmatter import read
from vaultgit.notes.frontmatter import same
from vaultgit.notes.frontmatter import text_of

# Patterns as text, compiled (and kept) by `re` at their first use: not all that import this write.
# Text that some reader takes for a number, ours or another; it is written in quotes.
_NUMBERLIKE = r"(?i)[-+]?(?:\.?[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|0[xob][0-9a-f_]+|\.inf|\.nan)"
_NOT_PLAIN = r"""(?x) ^(?:[-\s?:,\[\]{}#&*!|>'"%@`~]|\.\.\.) | :(?:\s|$) | \s\# | \[\[ | \s\Z
    | [\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"""
_NOT_PLAIN_IN_FLOW = r"[,\[\]{}:?]"
_NEEDS_ESCAPE = r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"


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
    text = text_of(data) or ""
    nodes = {node.key: node for node in patchable(text)}
    newline = "\r\n" if _newline(data) == b"\r\n" else "\n"
    first = next(iter(nodes.values()), None)
    indent = text[line_start(text, first.start) : first.start] if first else ""
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
    raise _unwritable(f"{names}: cannot be written so that it reads back the same", "edit the note by hand")


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


# -- lines -----------------------------------------------------------------------------------------------


def _patched(text: str, node: Node, value: Any, plain: bool) -> str:
    """The lines of a property with another value. With `plain` false: all anew, texts in quotes."""
    start, end = lines_of(text, node)
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
    header = text[node.colon : line_end(text, node.colon)]
    comment = header[header.index("#") - 1 :].rstrip() if node.kind == "list" and "#" in header else ""
    if node.kind == "list" and is_list:
        return name + header + _block_items(text, node, value, ending)
    if is_list:
        return f"{name}:{_written(value, ending, indent, plain)}{ending}"
    return f"{name}:{_written(value, ending, indent, plain)}{comment}{ending}"


def _flow_list(text: str, node: Node, value: list[Any]) -> str:
    kept: dict[str, list[str]] = {}
    if isinstance(node.value, list):
        for item, (begin, end) in zip(node.value, node.items, strict=True):
            kept.setdefault(repr(item), []).append(text[begin:end])
    return f"[{', '.join(_kept(kept, item) or _scalar(item, flow=True) for item in value)}]"


def _block_items(text: str, node: Node, value: list[Any], ending: str) -> str:
    """The lines of a block list; an item that stays keeps its line and the comments under it."""
    starts = [line_start(text, begin) for begin, _ in node.items]
    header = line_end(text, node.colon)
    comments = text[header : starts[0]]
    kept: dict[str, list[str]] = {}
    end = lines_of(text, node)[1]
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
            and value not in WORDS
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
    raise _unwritable(f"a property cannot hold a {type(value).__name__}", "give text, a number, a list")


def _newline(data: bytes) -> bytes:
    """How the note's first line ends."""
    first = data.find(b"\n")
    return b"\r\n" if first > 0 and data[first - 1 : first] == b"\r" else b"\n"


def _unwritable(message: str, mend: str) -> FrontMatterError:
    return FrontMatterError(YamlProblem("FM01", 1, 1, message, mend))
