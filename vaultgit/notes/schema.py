"""Note types: which JSON Schemas hold a note's properties, and what does not meet them.

jsonschema_rs gives the verdict (fast), jsonschema finds what the messages are made of (only for a note that
is wrong). Both are imported where they are used: a process that validates nothing pays for neither.

Nothing is ever fetched: `$ref` reaches the schema itself and ours, by their `$id`.

Patterns run on engines that end. jsonschema_rs' linear engine comes first; a schema that needs look-around or
back-references gets its backtracking engine with a limit on steps and, because one step may read the whole
value, on the length of values. What a schema asks for is counted before it is done. Python's `re`, which
may run for years, only ever sees our own patterns, and only where jsonschema_rs cannot be imported; a schema
of the user's that has patterns cannot be used there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from vaultgit.errors import UsageError
from vaultgit.notes.links import link_target
from vaultgit.notes.schemacost import MOST
from vaultgit.notes.schemacost import REFERENCES
from vaultgit.notes.schemacost import is_too_much
from vaultgit.notes.schemawords import Fault
from vaultgit.notes.schemawords import SchemaProblem
from vaultgit.notes.schemawords import as_dict
from vaultgit.notes.schemawords import as_list
from vaultgit.notes.schemawords import in_words
from vaultgit.notes.schemawords import name_of
from vaultgit.notes.schemawords import short
from vaultgit.notes.schemawords import shown

BASE = "https://vaultgit.invalid/schemas/"
STEPS = 100_000  # of the backtracking engine, for one match
LONGEST = 4096  # characters of a text that the backtracking engine may see
_EDITION = 1  # of the rules in this module: part of every fingerprint


class NoteTypes:
    """The note types there are. All schemas of a type hold: ours, and a stricter one of the user's."""

    def __init__(self, schemas: Mapping[str, list[Any]]) -> None:
        """`schemas`: type -> its schema documents, ours first. They are looked at when first used."""
        self._schemas = {name: list(documents) for name, documents in schemas.items()}
        first = {f"{BASE}{name}.schema.json": documents[0] for name, documents in self._schemas.items() if documents}
        self._ours = {uri: document for uri, document in first.items() if as_dict(document).get("$id") == uri}
        self._compiled: dict[str, list[_Schema]] = {}
        self._links: dict[str, list[str]] = {}

    @property
    def names(self) -> list[str]:
        return list(self._schemas)

    def validate(self, name: str, values: Mapping[str, Any]) -> list[SchemaProblem]:
        """What is wrong with a note's properties, at most one problem a property; [] when all is well.

        An optional property without a value counts as absent. Raises UsageError (SC01) for a schema that
        cannot be used.
        """
        if name not in self._compiled:
            self._compiled[name] = [_Schema(name, document, self._ours) for document in self._schemas[name]]
        problems: dict[str, SchemaProblem] = {}
        for schema in self._compiled[name]:
            for about, problem in schema.problems(values):
                problems.setdefault(about, problem)
        return list(problems.values())

    def link_fields(self, name: str) -> list[str]:
        """Properties that hold a link, or a list of links, to notes that should be there.

        Not those whose schema says `x-vaultgit: {"unresolved": true}`: they may name what is yet to be written.
        """
        if name not in self._links:
            self._links[name] = self._link_fields(name, gone=False)
        return self._links[name]

    def unresolved_fields(self, name: str) -> list[str]:
        """The others: link properties that may name what is not there."""
        return self._link_fields(name, gone=True)

    def _link_fields(self, name: str, *, gone: bool) -> list[str]:
        found: dict[str, None] = {}
        for document in self._schemas[name]:
            for part, root in self._parts(document, document, set()):
                for field, schema in as_dict(part.get("properties")).items():
                    if self._is_link(schema, root) and _may_be_missing(schema) is gone:
                        found[field] = None
        return list(found)

    def folder(self, name: str) -> str | None:
        """The folder that the type's schema names (`x-vaultgit: {"folder": "…"}`), or None.

        Raises UsageError (SC01) for one that is no visible folder inside the vault.
        """
        for document in reversed(self._schemas[name]):
            named = as_dict(as_dict(document).get("x-vaultgit")).get("folder")
            if named is None:
                continue
            parts = named.split("/") if isinstance(named, str) else []
            while parts and not parts[-1]:
                parts.pop()
            if not parts or not all(parts) or any(part.startswith(".") for part in parts):
                raise _unusable(name, f"x-vaultgit: folder {shown(named)} is not a visible one inside the vault")
            return "/".join(parts)
        return None

    def fingerprint(self, name: str) -> str:
        """Hash of all that a verdict on a note of this type depends on, for caches."""
        from hashlib import sha256

        material = [_EDITION, self._schemas[name], sorted(self._ours.items())]
        return sha256(json.dumps(material, sort_keys=True).encode()).hexdigest()

    def _parts(self, schema: Any, root: Any, seen: set[int]) -> Iterator[tuple[dict[str, Any], Any]]:
        """The schema and those that it applies to the same value, each with the document it stands in."""
        if not isinstance(schema, dict) or id(schema) in seen:
            return
        seen.add(id(schema))
        yield schema, root
        below = [part for key in ("allOf", "anyOf", "oneOf") for part in as_list(schema.get(key))]
        below += [schema.get(key) for key in ("if", "then", "else")]
        for part in below:
            yield from self._parts(part, root, seen)
        if isinstance(schema.get("$ref"), str):
            yield from self._parts(*self._look_up(schema["$ref"], root), seen)

    def _look_up(self, ref: str, root: Any) -> tuple[Any, Any]:
        address, _, pointer = ref.partition("#")
        root = self._ours.get(address) if address else root
        found = root
        for step in pointer.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            found = found[int(step)] if isinstance(found, list) and step.isdigit() else as_dict(found).get(step)
        return found, root

    def _is_link(self, schema: Any, root: Any) -> bool:
        seen: set[int] = set()
        for part, home in self._parts(schema, root, seen):
            if part.get("format") == "link":
                return True
            items = [part.get("items"), *as_list(part.get("prefixItems"))]
            if any(one.get("format") == "link" for item in items for one, _ in self._parts(item, home, seen)):
                return True
        return False


class _Schema:
    """One schema, compiled. Raises UsageError (SC01) when it cannot be used."""

    def __init__(self, name: str, document: Any, ours: Mapping[str, Any]) -> None:
        if isinstance(document, str):  # what the file holds is no JSON, and this is why
            raise _unusable(name, document)
        self.name, self.document = name, document
        self.required = [key for key in as_list(as_dict(document).get("required")) if isinstance(key, str)]
        # A user's copy of one of ours keeps its $id; then "#/…" must mean the copy.
        self.reachable = {uri: known for uri, known in ours.items() if uri != as_dict(document).get("$id")}
        self.fast, self.bounded, reason = _compile(document, self.reachable)
        # Ours need no looking at, and without $ref and patterns a schema is as much work as it is long.
        trusted = any(document is known for known in ours.values())
        self.costs = not trusted and (_has_pattern(document) or _has_key(document, REFERENCES))
        self._slow: Any = None
        if self.fast is None:
            fault = _fault_of(document, self.reachable)
            if fault or (_has_pattern(document) and not trusted):
                raise _unusable(name, fault or reason)

    def problems(self, values: Mapping[str, Any]) -> list[tuple[str, SchemaProblem]]:
        """Pairs of the property it is about and the problem, in the order of the schema."""
        given = {key: value for key, value in values.items() if value is not None or key in self.required}
        if self.bounded and (path := _too_long(given)):
            message = f"{name_of(path)} is longer than {LONGEST} characters, too long for the schema's patterns"
            return [(str(path[0]), SchemaProblem(path, message, "shorten it"))]
        if self.costs and is_too_much(self.document, self.reachable, given, backtracks=self.bounded):
            raise _unusable(self.name, f"it would take over {MOST:,} steps to judge one note by it")
        if self.fast is not None and self._passes(given):
            return []
        document = as_dict(self.document)
        return [pair for fault in self._faults(given) for pair in in_words(fault, document, given, values)]

    def _passes(self, given: dict[str, Any]) -> bool:
        try:
            return bool(self.fast.is_valid(given))
        except ValueError:  # no JSON: a key that is no text
            return False

    def _faults(self, given: dict[str, Any]) -> list[Fault]:
        from referencing.exceptions import Unresolvable

        faults: list[Fault] = []
        try:
            # jsonschema matches the patterns of patternProperties with `re`, so it is not asked about them.
            if self.fast is None or not _has_pattern(self.document, "patternProperties"):
                if self._slow is None:
                    self._slow = _explainer(self.document, self.reachable, with_re=self.fast is None)
                faults = [
                    Fault(tuple(e.absolute_path), str(e.validator), e.validator_value, e.schema, e.message)
                    for e in self._slow.iter_errors(given)
                ]
        except (RecursionError, Unresolvable) as error:
            if self.fast is None:
                raise _unusable(self.name, f"its $ref go on without end, or to nothing: {error}") from error
        if faults or self.fast is None:
            return faults
        # What only jsonschema_rs knows: more formats, $ref to the meta-schemas.
        try:
            return [
                Fault(tuple(e.instance_path), e.kind.name, e.kind.value, {e.kind.name: e.kind.value}, e.message)
                for e in self.fast.iter_errors(given)
            ]
        except ValueError as error:  # it counts how deep it goes
            raise _unusable(self.name, f"the note's properties nest too deep for it: {error}") from error


def _may_be_missing(schema: Any) -> bool:
    return as_dict(as_dict(schema).get("x-vaultgit")).get("unresolved") is True


def is_date(value: object) -> bool:
    """Whether a text is a real day, written YYYY-MM-DD; other kinds of values are not judged."""
    if not isinstance(value, str):
        return True
    if not _DATE.match(value):
        return False
    year, month, day = int(value[:4]), int(value[5:7]), int(value[8:])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return year > 0 and 1 <= month <= 12 and 1 <= day <= (_DAYS[month] if month != 2 or not leap else 29)


def is_link(value: object) -> bool:
    """Whether a text is exactly one wikilink to a note; other kinds of values are not judged."""
    return not isinstance(value, str) or bool(link_target(value))


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_DAYS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FORMATS: dict[str, Callable[[object], bool]] = {"date": is_date, "link": is_link}


def _unusable(name: str, reason: str) -> UsageError:
    return UsageError(
        f".vaultgit/schemas/{name}.schema.json: SC01 this schema cannot be used: {reason}",
        "mend the schema, or move it out of .vaultgit/schemas",
    )


def _compile(document: Any, reachable: Mapping[str, Any]) -> tuple[Any, bool, str]:
    """A validator of jsonschema_rs and whether it backtracks; or None, and why there is none."""
    import decimal  # noqa: F401 - jsonschema_rs does, and panics where the disk cannot be read

    try:
        import jsonschema_rs as rs
    except ImportError:
        return None, False, "its patterns need the package jsonschema-rs, which cannot be imported here"
    reason = ""
    for engine in (rs.RegexOptions(), rs.FancyRegexOptions(backtrack_limit=STEPS)):
        try:
            validator = rs.validator_for(
                document,
                formats=_FORMATS,
                validate_formats=True,
                retriever=_closed,
                registry=rs.Registry(list(reachable.items()), retriever=_closed) if reachable else None,
                pattern_options=engine,
            )
        except (ValueError, TypeError) as error:
            reason = str(error).partition("\n")[0]
        else:
            return validator, isinstance(engine, rs.FancyRegexOptions), ""
    return None, False, reason


def _closed(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")


def _explainer(document: Any, reachable: Mapping[str, Any], *, with_re: bool) -> Any:
    """A validator of jsonschema that fetches nothing and matches patterns with jsonschema_rs."""
    from jsonschema import Draft202012Validator
    from jsonschema import FormatChecker
    from jsonschema import ValidationError
    from jsonschema.validators import extend
    from jsonschema.validators import validator_for

    checker = FormatChecker()
    for name, function in _FORMATS.items():
        checker.checks(name)(function)
    compiled: dict[str, Callable[[str], object]] = {}

    def pattern(_validator: Any, wanted: str, value: Any, _schema: Any) -> Iterator[Any]:
        if isinstance(value, str):
            if wanted not in compiled:
                fast = None if with_re else _compile({"pattern": wanted}, {})[0]
                compiled[wanted] = fast.is_valid if fast is not None else re.compile(wanted).search
            if not compiled[wanted](value):
                yield ValidationError(f"{value!r} does not match {wanted!r}")

    with_keyword: Any = extend
    kind = with_keyword(validator_for(document, default=Draft202012Validator), {"pattern": pattern})
    return kind(document, registry=_registry(reachable), format_checker=checker)


def _registry(reachable: Mapping[str, Any]) -> Any:
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    resources = [(uri, DRAFT202012.create_resource(known)) for uri, known in reachable.items()]
    return Registry().with_resources(resources)


def _fault_of(document: Any, reachable: Mapping[str, Any]) -> str:
    """Why jsonschema cannot use a schema, "" when it can."""
    from jsonschema import Draft202012Validator
    from jsonschema import SchemaError
    from jsonschema.validators import validator_for
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import specification_with

    if not isinstance(document, dict | bool):
        return f"it is {shown(document)}, should be a JSON object"
    draft = as_dict(document).get("$schema")
    known: Any = validator_for
    kind = known(document, default=None) if draft is not None else Draft202012Validator
    if kind is None:
        return f"$schema {shown(draft)} is no known draft of JSON Schema"
    try:
        kind.check_schema(document)
    except SchemaError as error:
        where = "".join(f"{step}: " for step in error.absolute_path)
        return short(f"{where}{error.message}", 200)
    dialect = kind.META_SCHEMA.get("$id") or kind.META_SCHEMA["id"]
    resource = specification_with(dialect).create_resource(document)

    def walk(part: Any, resolver: Any) -> str:
        for key in ("$ref", "$dynamicRef"):
            ref = as_dict(part.contents).get(key)
            try:
                if isinstance(ref, str):
                    resolver.lookup(ref)
            except Unresolvable:
                return (
                    f"{key} {shown(ref)} leads nowhere: nothing is fetched, only the schema itself "
                    f"and {BASE}NAME.schema.json can be reached"
                )
        faults = (walk(sub, resolver.in_subresource(sub)) for sub in part.subresources())
        return next(filter(None, faults), "")

    return walk(resource, _registry(reachable).resolver_with_root(resource))


def _has_pattern(schema: Any, *keywords: str) -> bool:
    """Whether a pattern stands anywhere in a schema."""
    if isinstance(schema, list):
        return any(_has_pattern(part, *keywords) for part in schema)
    kinds = {"pattern": str, "patternProperties": dict}
    return any(
        (key in (keywords or kinds) and isinstance(value, kinds[key])) or _has_pattern(value, *keywords)
        for key, value in as_dict(schema).items()
    )


def _has_key(schema: Any, names: Collection[str]) -> bool:
    """Whether one of these keys stands anywhere in a schema."""
    parts = schema if isinstance(schema, list) else as_dict(schema).values()
    return any(name in as_dict(schema) for name in names) or any(_has_key(part, names) for part in parts)


def _too_long(value: Any, path: tuple[str | int, ...] = ()) -> tuple[str | int, ...]:
    """Path of the first text or key that the backtracking engine may not see; () when there is none."""
    if isinstance(value, str):
        return path if len(value) > LONGEST else ()
    parts: Iterable[tuple[str | int, Any]] = enumerate(value) if isinstance(value, list) else as_dict(value).items()
    for key, part in parts:
        if isinstance(key, str) and len(key) > LONGEST:
            return (*path, key)
        if found := _too_long(part, (*path, key)):
            return found
    return ()
