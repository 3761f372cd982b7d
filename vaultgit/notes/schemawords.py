"""What is wrong with a note's properties, in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

_SHOWN = 60  # characters of a value in a message


class SchemaProblem(NamedTuple):
    """What is wrong with one property. `path` leads to the value; it is () where a property is missing."""

    path: tuple[str | int, ...]
    message: str
    mend: str


class Fault(NamedTuple):
    """One finding of either library."""

    path: tuple[str | int, ...]
    keyword: str
    wanted: Any  # the keyword's value
    schema: Any  # the smallest schema that was not met
    text: str  # the library's own words


def in_words(
    fault: Fault, document: dict[str, Any], given: Any, values: Mapping[str, Any]
) -> Iterator[tuple[str, SchemaProblem]]:
    """A fault as problems: what it is about, and the problem."""
    path = fault.path
    value = given
    for step in path:
        value = value[step]
    about = str(path[0]) if path else ""
    if fault.keyword == "required":
        wanted = [fault.wanted] if isinstance(fault.wanted, str) else fault.wanted
        for name in wanted:
            if name not in as_dict(value):
                state = "is empty" if not path and name in values else "is missing"
                message = f"{name_of((*path, name))} {state}"
                yield about or name, SchemaProblem(path, message, _add(document, path, name))
    elif fault.keyword == "additionalProperties" and isinstance(value, dict):
        known = fault.wanted if isinstance(fault.wanted, list) else None
        extra = known or [name for name in value if name not in as_dict(as_dict(fault.schema).get("properties"))]
        for name in extra:
            message = f"{name_of((*path, name))} is no property that the schema knows"
            yield about or name, SchemaProblem((*path, name), message, "take it out, or mend its spelling")
    else:
        should = _expected(fault.schema) if fault.keyword in _JUDGES_VALUE else ""
        message = f"{name_of(path)} is {shown(value)}, should be {should}" if should and path else ""
        message = message or f"{name_of(path) + ': ' if path else ''}{short(fault.text, 200)}"
        yield about or fault.text, SchemaProblem(path, message, _mend(document, about, fault.schema))


def _add(document: dict[str, Any], path: tuple[str | int, ...], name: str) -> str:
    schema = {} if path else as_dict(as_dict(document.get("properties")).get(name))
    value = schema["const"] if isinstance(schema.get("const"), str) else "…"
    described = schema.get("description")
    return f"add `{name}: {value}`" + (f" ({described})" if described else "")


def _mend(document: dict[str, Any], about: str, schema: Any) -> str:
    form = as_dict(schema).get("format")
    if form == "date":
        return "write the day as YYYY-MM-DD, such as 2026-10-12"
    if form == "link":
        return 'write one link in quotes, such as "[[Note]]"'
    described = as_dict(as_dict(document.get("properties")).get(about)).get("description")
    return f"{about}: {described}" if described else "change the value"


_NOUNS = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a group of properties",
    "null": "empty",
}
_LISTS = {"one link, [[Note]]": "a list of links", "text": "a list of texts"}
_LIMITS = {
    "minimum": "of at least {}",
    "maximum": "of at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "multipleOf": "that is a multiple of {}",
    "minLength": "of at least {} characters",
    "maxLength": "of at most {} characters",
    "minItems": "of at least {} items",
    "maxItems": "of at most {} items",
    "pattern": "that matches `{}`",
}

_JUDGES_VALUE = frozenset((*_LIMITS, "type", "const", "enum", "format", "uniqueItems", "anyOf", "oneOf"))


def _expected(schema: Any) -> str:
    """What a schema allows, in words; "" where there are none."""
    schema = as_dict(schema)
    if "const" in schema:
        return shown(schema["const"])
    if isinstance(schema.get("enum"), list):
        return "one of " + ", ".join(shown(value) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if schema.get(key) and (forms := [_expected(form) for form in as_list(schema[key])]):
            return " or ".join(forms) if all(forms) else ""
    if schema.get("format") == "date":
        return "a date, YYYY-MM-DD"
    if schema.get("format") == "link":
        return "one link, [[Note]]"
    kinds = schema.get("type", [])
    noun = " or ".join(_NOUNS.get(kind, str(kind)) for kind in ([kinds] if isinstance(kinds, str) else kinds))
    if noun == "a list" and (items := _expected(schema.get("items"))):
        noun = _LISTS.get(items, f"a list, each item {items}")
    limits = [words.format(schema[key]) for key, words in _LIMITS.items() if key in schema]
    if schema.get("minLength") == 1:
        limits[limits.index("of at least 1 characters")] = "that is not empty"
    if isinstance(schema.get("format"), str):
        limits.append(f"in the format {schema['format']}")
    if schema.get("uniqueItems"):
        limits.append("with no item twice")
    return f"{noun or 'a value'} {' and '.join(limits)}".strip() if noun or limits else ""


def name_of(path: tuple[str | int, ...]) -> str:
    """A path in words: 'touched', item 2 of 'touched', 'place.city'."""
    name = ".".join(str(step) for step in path if isinstance(step, str))
    items = [step for step in path if isinstance(step, int)]
    return "".join(f"item {step + 1} of " for step in reversed(items)) + f"'{name}'"


def shown(value: Any) -> str:
    return "empty" if value is None else short(json.dumps(value, ensure_ascii=False, default=str), _SHOWN)


def short(text: str, size: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= size else text[: size - 1] + "…"


def as_dict(value: Any) -> dict[str, Any]:
    """The value, {} where it is something else: a schema may hold anything."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value, [] where it is something else."""
    return value if isinstance(value, list) else []
