"""Schemas that came with somebody's vault: they reach nothing, and no check of theirs goes on for ever (P10)."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from support import Folder

from vaultgit.errors import UsageError
from vaultgit.notes.schema import NoteTypes
from vaultgit.vault import LARGEST_SCHEMA
from vaultgit.vault import read_schema

PATIENCE = 20.0  # seconds: what is refused takes a tenth of one; what multiplies takes longer than the world


def doubling(levels: int, **more: Any) -> dict[str, Any]:
    """Each level asks for the next one twice."""
    defs: dict[str, Any] = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(levels)}
    return {"$defs": {**defs, f"a{levels}": {}}, "$ref": "#/$defs/a0", **more}


def named(key: str, ref: str) -> dict[str, Any]:
    """The same through names instead of pointers."""
    defs: dict[str, Any] = {f"a{i}": {key: f"n{i}", "allOf": [{"$ref": f"{ref}n{i + 1}"}] * 2} for i in range(60)}
    return {"$id": "https://x.invalid/s", "$defs": {**defs, "z": {key: "n60"}}, "$ref": f"{ref}n0"}


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"x": value}
    return value


TWICE_BELOW = {"$defs": {"a": {"properties": {"x": {"allOf": [{"$ref": "#/$defs/a"}] * 2}}}}, "$ref": "#/$defs/a"}
BOMBS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (doubling(60), {"a": 1}),
    ({"$defs": {f"a {i}": {"allOf": [{"$ref": f"#/$defs/a%20{i + 1}"}] * 2} for i in range(60)} | {"a 60": {}},
      "$ref": "#/$defs/a%200"}, {}),
    (named("$id", ""), {}), (named("$anchor", "#"), {}), (named("$dynamicAnchor", "#"), {}),
    (TWICE_BELOW, nested(40)),
    ({"properties": {"name": {"allOf": [{"pattern": f"^(a+)+{i}$(?=x)"} for i in range(2000)]}}}, {"name": "a" * 3000}),
    ({"properties": {"name": {"allOf": [{"pattern": f"^(a+)+{i}$"} for i in range(8000)]}}}, {"name": "a" * 400_000}),
    ({"patternProperties": {f"^(a+)+{i}$(?=x)": {} for i in range(200)}}, {"a" * 50 + str(i): 1 for i in range(200)}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "values"), BOMBS)
def test_a_schema_that_asks_for_too_many_steps_is_refused_and_not_followed(
    schema: dict[str, Any], values: dict[str, Any]
) -> None:
    begun = time.monotonic()
    with pytest.raises(UsageError, match=r"SC01 .*over 1,000,000 steps"):
        NoteTypes({"person": [schema]}).validate("person", values)
    assert time.monotonic() - begun < PATIENCE


def test_schemas_that_people_write_are_followed() -> None:
    """Recursion, and a little doubling, are well in reach."""
    for schema, values in (
        (doubling(8, required=["name"]), {}),
        ({**TWICE_BELOW, "required": ["name"]}, nested(8)),
        ({"$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/a"}}}}, "$ref": "#/$defs/a", "required": ["name"]}, nested(100)),
        ({"$ref": "#", "required": ["name"]}, {}),
        ({"required": ["name"], "properties": {"x": {"pattern": "^(a+)+$(?=b)"}}}, {}),
    ):  # fmt: skip
        assert [one.message for one in NoteTypes({"person": [schema]}).validate("person", values)] == [
            "'name' is missing"
        ]


def test_a_note_that_nests_deeper_than_a_schema_can_follow_is_told_in_words() -> None:
    schema = {"$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/a"}}}}, "$ref": "#/$defs/a", "required": ["name"]}
    with pytest.raises(UsageError, match=r"SC01 .*nest too deep"):
        NoteTypes({"person": [schema]}).validate("person", nested(300))


def test_a_schema_of_many_megabytes_is_not_read() -> None:
    wide = {"anyOf": [{"properties": {"name": {"const": str(i)}}} for i in range(LARGEST_SCHEMA // 40)]}
    with pytest.raises(UsageError, match=r"SC01 .*larger than 512 KB"):
        NoteTypes({"person": [read_schema(json.dumps(wide).encode())]}).validate("person", {})


@pytest.mark.parametrize("schema", [doubling(60), {"allOf": [{}], "description": "x" * LARGEST_SCHEMA}])
def test_p10_neither_a_write_nor_a_commit_hangs_by_it_and_other_types_go_on(
    vault: Folder, schema: dict[str, Any]
) -> None:
    vault.write(".vaultgit/schemas/person.schema.json", json.dumps(schema))
    begun = time.monotonic()
    note = b"---\ntype: person\nname: Bob\n---\n"
    refused = vault.run("write", "people/bob.md", "--agent", "codex", stdin=note)
    assert refused.code == 1 and "SC01" in refused.err, refused
    vault.write("people/bob.md", note)
    vault.git("add", "people/bob.md")
    refused = vault.try_git("commit", "-m", "bob")
    assert refused.code == 1 and "person.schema.json:1:1: SC01" in refused.err, refused
    vault.git("rm", "-q", "--cached", "people/bob.md")
    vault.write("projects/nova.md", vault.read("projects/nova.md") + "- more\n")
    vault.git("add", "projects/nova.md")
    assert vault.try_git("commit", "-m", "nova").code == 0
    assert time.monotonic() - begun < PATIENCE


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback, and what it was asked for."""
    paths: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", paths
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("ref", ["{server}/x.json", "file://{outside}", "../../../outside.json", "{outside}"])
@pytest.mark.parametrize("key", ["$ref", "$dynamicRef", "$schema"])
def test_nothing_that_a_schema_names_is_fetched_or_read(
    vault: Folder, asked: tuple[str, list[str]], key: str, ref: str
) -> None:
    outside = vault.root.parent / "outside.json"
    outside.write_text('{"required": ["told-by-the-file-outside"]}')
    ref = ref.format(server=asked[0], outside=outside)
    vault.write(".vaultgit/schemas/person.schema.json", json.dumps({key: ref}))
    done = vault.run("write", "people/bob.md", "--agent", "codex", stdin=b"---\ntype: person\nname: Bob\n---\n")
    assert done.code == 1 and "SC01" in done.err and "told-by" not in done.err, done
    assert asked[1] == []
