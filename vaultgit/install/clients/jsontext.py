"""JSON that is somebody else's file: edited as text, so that every byte but those of the edit stays.

Offsets are in characters of the text. `add_…` follows the file's own manner (indentation, line ends, all on one line);
`cut` takes out what `add_…` put at the end of a container that was not empty, to the byte.
"""

from __future__ import annotations

import json
import re
from typing import Any
from typing import NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Broken(Exception):
    """The text is no JSON, or not of the expected shape; `at`: the offset, `words`: why."""

    def __init__(self, words: str, at: int) -> None:
        super().__init__(words)
        self.words, self.at = words, at


class Child(NamedTuple):
    """A member of an object or an item of an array. `start`, `end`: its span, `value`: where its value starts, `key`:
    of a member."""

    start: int
    value: int
    end: int
    key: str = ""


def place(text: str, at: int) -> tuple[int, int]:
    """Line and column of an offset, from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def parse(text: str) -> Any:
    """The value. Raises Broken."""

    def refuse(word: str) -> Any:
        raise ValueError(word)

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        comment = text[error.pos : error.pos + 2] in ("//", "/*")
        raise Broken("a comment, and JSON has none" if comment else error.msg, error.pos) from error
    except (ValueError, RecursionError) as error:
        raise Broken(f"no JSON that others read ({error})"[:100], 0) from error


def value_at(text: str, at: int) -> Any:
    """The value that starts at an offset of a text that `parse` has taken."""
    return _DECODER.raw_decode(text, at)[0]


def children(text: str, at: int) -> list[Child]:
    """What the object or array that starts at `at` holds, in order."""
    found: list[Child] = []
    here = _skip(text, at + 1)
    while text[here] not in "]}":
        start, key = here, ""
        if text[at] == "{":
            key, here = _DECODER.raw_decode(text, here)
            here = _skip(text, _skip(text, here) + 1)
        _, end = _DECODER.raw_decode(text, here)
        found.append(Child(start, here, end, key))
        here = _skip(text, end)
        if text[here] == ",":
            here = _skip(text, here + 1)
    return found


def member(text: str, at: int, key: str) -> Child | None:
    """The member of that name. Raises Broken where there are two: readers differ in which one holds."""
    named = [child for child in children(text, at) if child.key == key]
    if len(named) > 1:
        raise Broken(f'"{key}" stands here twice', named[1].start)
    return named[0] if named else None


def add_member(text: str, at: int, key: str, value: Any) -> str:
    """The text with a member more, last in the object that starts at `at`."""
    return _add(text, at, value, json.dumps(key) + ": ")


def add_item(text: str, at: int, value: Any) -> str:
    """The text with an item more, last in the array that starts at `at`."""
    return _add(text, at, value, "")


def replace(text: str, child: Child, value: Any) -> str:
    """The text with another value, on one line, in a child's place."""
    return text[: child.value] + json.dumps(value, ensure_ascii=False) + text[child.end :]


def cut(text: str, at: int, number: int) -> str:
    """The text without one child of the container that starts at `at`."""
    every = children(text, at)
    child = every[number]
    if len(every) == 1:
        return text[: at + 1] + text[_skip(text, child.end) :]
    if number == len(every) - 1:
        return text[: every[number - 1].end] + text[child.end :]
    return text[: child.start] + text[every[number + 1].start :]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _add(text: str, at: int, value: Any, before: str) -> str:
    every, newline, unit = children(text, at), _newline(text), _unit(text)
    if every:
        last = every[-1]
        gap = text[every[-2].end if len(every) > 1 else at + 1 : last.start]
        broken = "\n" in gap
        indent = _indent_of_line(text, last.start) if broken else ""
        new = before + _dumped(value, indent, unit if broken else None, newline)
        return text[: last.end] + "," + (newline + indent if broken else " ") + new + text[last.end :]
    if unit is None:
        return text[: at + 1] + before + _dumped(value, "", None, newline) + text[at + 1 :]
    outer = _indent_of_line(text, at)
    rest = text[at + 1 :]
    closing = "" if "\n" in rest[: len(rest) - len(rest.lstrip(" \t\r\n"))] else newline + outer
    new = before + _dumped(value, outer + unit, unit, newline)
    return text[: at + 1] + newline + outer + unit + new + closing + rest


def _dumped(value: Any, indent: str, unit: str | None, newline: str) -> str:
    """JSON, each line but the first after `indent`; on one line where `unit` is None."""
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indent)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str | None:
    """How much deeper each level stands; None where all stands on one line."""
    at = _skip(text, 0)
    every = children(text, at)
    if not every:
        return "  "
    gap = text[at + 1 : every[0].start]
    return gap.rpartition("\n")[2].removeprefix(_indent_of_line(text, at)) if "\n" in gap else None


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
