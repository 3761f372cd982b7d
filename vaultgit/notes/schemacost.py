"""How much work a schema makes of a value: `$ref` that lead to one another twice over multiply without end.

Thirty lines of a schema can ask for more steps than there are seconds, and the compiled validator takes them all
before it can be interrupted. So the steps are counted first, by adding up instead of taking them: each part of the
schema once for each part of the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from vaultgit.notes.schemawords import as_dict
from vaultgit.notes.schemawords import as_list

MOST = 1_000_000  # steps for one note; a compiled validator takes a million in about a second
BACKTRACKING = 1_000  # steps that one match counts for where the engine may backtrack

_HERE = ("not", "if", "then", "else")  # hold a schema for the same value
_ALL_HERE = ("allOf", "anyOf", "oneOf")
_NAMED_HERE = ("dependentSchemas", "dependencies")
_BELOW = (
    "items", "additionalItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems",
    "propertyNames",
)  # fmt: skip
_NAMED_BELOW = ("properties", "patternProperties")
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def is_too_much(document: Any, others: Mapping[str, Any], value: Any, *, backtracks: bool) -> bool:
    """Whether judging the value takes over MOST steps. `others`: schemas that `$ref` may name by their address."""
    return _Count({"": document, **others}, backtracks).steps(document, value, document) > MOST


class _Count:
    def __init__(self, documents: Mapping[str, Any], backtracks: bool) -> None:
        self.documents = {_last(name): one for document in documents.values() for name, one in _identified(document)}
        self.documents |= documents
        self.pattern = BACKTRACKING if backtracks else 1
        self.known: dict[tuple[int, int], int] = {}

    def steps(self, schema: Any, value: Any, root: Any) -> int:
        """At most this many, or something above MOST. With a stack of its own: schemas may be deep."""
        stack: list[tuple[tuple[int, int], int, Iterator[tuple[Any, Any, Any]]]] = []
        result = self._begin(stack, schema, value, root)
        while stack:
            key, so_far, rest = stack[-1]
            if result is not None:
                so_far += result
                stack[-1] = (key, so_far, rest)
            following = next(rest, None) if so_far <= MOST else None
            if following is None:
                self.known[key] = result = so_far
                stack.pop()
            else:
                result = self._begin(stack, *following)
        return result or 0

    def _begin(self, stack: list[Any], schema: Any, value: Any, root: Any) -> int | None:
        """The steps where they are known already; else it is put on the stack."""
        if not isinstance(schema, dict):
            return 1
        key = (id(schema), id(value))
        if key not in self.known:
            self.known[key] = 1  # where it leads back to itself with the same value, validators stop, too
            own = 1 + sum(len(item) // 8 for item in (schema.get("enum"),) if isinstance(item, list))
            read = ("pattern" in schema) * _length(value)
            read += len(as_dict(schema.get("patternProperties"))) * sum(map(_length, as_dict(value)))
            stack.append((key, own + read * self.pattern, self._parts(schema, value, root)))
            return None
        return self.known[key]

    def _parts(self, schema: dict[str, Any], value: Any, root: Any) -> Iterator[tuple[Any, Any, Any]]:
        """(schema, value, document it stands in) of all that is judged with it."""
        for name in _HERE:
            if name in schema:
                yield schema[name], value, root
        for name in _ALL_HERE:
            yield from ((one, value, root) for one in as_list(schema.get(name)))
        for name in _NAMED_HERE:
            yield from ((one, value, root) for one in as_dict(schema.get(name)).values())
        for name in REFERENCES:
            if isinstance(schema.get(name), str):
                found, home = self._look_up(schema[name], root)
                yield found, value, home
        if not isinstance(value, dict | list):
            return
        for name, one in as_dict(schema.get("properties")).items():
            if isinstance(value, dict) and name in value:
                yield one, value[name], root
        below = [one for name in _BELOW for one in _several(schema.get(name))]
        below += [*as_dict(schema.get("patternProperties")).values(), *as_list(schema.get("prefixItems"))]
        for part in value.values() if isinstance(value, dict) else value:
            yield from ((one, part, root) for one in below)

    def _look_up(self, ref: str, root: Any) -> tuple[Any, Any]:
        from urllib.parse import unquote  # here: the hook's time is mostly imports

        address, _, pointer = ref.partition("#")
        home = self.documents.get(address, self.documents.get(_last(address), root)) if address else root
        found = home
        if pointer and not pointer.startswith("/"):
            return next((one for name, one in _identified(home) if name == pointer), home), home
        for step in unquote(pointer).split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            found = _at(found, step)
        return found, home


def _at(found: Any, step: str) -> Any:
    if isinstance(found, list):
        return found[int(step)] if step.isdigit() and int(step) < len(found) else None
    return as_dict(found).get(step)


def _several(schema: Any) -> list[Any]:
    """`items` may be a list of schemas in older drafts."""
    return schema if isinstance(schema, list) else [] if schema is None else [schema]


def _length(value: Any) -> int:
    """Steps that one match of a text takes, at least."""
    return 1 + len(value) // 100 if isinstance(value, str) else 1


def _last(address: str) -> str:
    return address.rstrip("#/").rpartition("/")[2]


def _identified(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """All parts of a document that have a name of their own, with it."""
    waiting = [document]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            for key in ("$id", "id", "$anchor", "$dynamicAnchor"):
                if isinstance(one.get(key), str):
                    yield one[key], one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
