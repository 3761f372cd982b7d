from __future__ import annotations

import builtins
import copy
import json
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit import resources
from vaultgit.errors import UsageError
from vaultgit.notes.schema import BASE
from vaultgit.notes.schema import LONGEST
from vaultgit.notes.schema import NoteTypes
from vaultgit.notes.schema import is_date
from vaultgit.notes.schema import is_link

CASES = Path(__file__).parent.parent / "cases"
NAMES = ["concept", "daily", "decision", "inbox", "person", "project", "session", "skill"]
OURS = {name: json.loads(resources.read("schemas", f"{name}.schema.json")) for name in NAMES}

SMALLEST: dict[str, dict[str, Any]] = {
    "person": {"type": "person"},
    "project": {"type": "project", "name": "Apollo", "status": "active"},
    "decision": {"type": "decision", "date": "2026-10-12", "project": "[[Apollo]]"},
    "session": {"type": "session", "date": "2026-10-12", "agent": "a", "task": "t", "touched": []},
    "skill": {"type": "skill", "name": "x-1", "version": 1, "trigger": "t", "last_updated": "2026-10-12"},
    "inbox": {"type": "inbox", "date": "2026-10-12", "agent": "a", "target": "[[n]]", "reason": "r"},
    "daily": {"type": "daily", "date": "2026-10-12"},
    "concept": {"type": "concept", "name": "Norrland", "sources": []},
}
OPTIONAL: dict[str, dict[str, list[Any]]] = {
    "person": {"name": ["Ada"], "aliases": ["A", ["A", "B"], []]},
    "project": {"decisions": [[], ["[[a|b]]", "[[c#d]]"]]},
    "decision": {"replaces": ["[[decisions/old]]"]},
    "session": {"skills": [["[[s]]"], []]},
    "skill": {"pinned": [True, False], "replaces": ["[[a]]", ["[[a]]", "[[b]]"]], "aliases": ["A", ["A"]]},
    "inbox": {
        "edit": ["01jdx3k9m2qtw7ab"],
        "action": ["write", "append", "set", "move", "delete"],
        "base": ["", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"],
    },
    "daily": {},
    "concept": {},
}
WRONG: dict[str, list[Any]] = {
    "type": ["other", 3, ["person"]],
    "date": ["2026-2-3", "2026-02-30", "yesterday", 20261012, ""],
    "last_updated": ["12.10.2026", "2026-10-12T10:00:00"],
    "project": ["Apollo", "[[a]] [[b]]", ["[[a]]"], "[[https://example.invalid/]]"],
    "target": ["people/ada", "![[ada]]", "[[#Heading]]"],
    "touched": ["[[a]]", ["a"], [["[[a]]"]], {}],
    "sources": ["[[a]]", [1]],
    "decisions": ["[[a]]", ["[[a]]", "b"]],
    "skills": [["x"]],
    "version": [0, -1, 1.5, "two", True],
    "trigger": ["", 3],
    "pinned": ["yes", 1],
    "aliases": [3, [3], {}],
    "replaces": ["x", 3],
    "edit": ["01jdx3k9m2qtw7a", "01JDX3K9M2QTW7AB", "01jdx3k9m2qtw7abc"],
    "action": ["edit", ""],
    "base": [3],
    "reason": [3, []],
    "agent": [3],
    "task": [3],
    "status": [True],
}
WRONG_NAME = {"skill": ["Kebab", "a_b", "-a", "a--b", "", "a\n"]}


@pytest.fixture(scope="module")
def types() -> NoteTypes:
    return NoteTypes({name: [schema] for name, schema in OURS.items()})


def user(schema: Any, name: str = "meeting") -> NoteTypes:
    documents: dict[str, list[Any]] = {known: [document] for known, document in OURS.items()}
    documents.setdefault(name, []).append(schema)
    return NoteTypes(documents)


def messages(types: NoteTypes, values: dict[str, Any], name: str = "meeting") -> list[str]:
    return [problem.message for problem in types.validate(name, values)]


# Our types


def test_what_is_shipped() -> None:
    shipped = sorted(path.name for path in Path(resources.folder("schemas")).iterdir())
    assert shipped == [f"{name}.schema.json" for name in NAMES]
    for name, schema in OURS.items():
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema["$id"] == f"{BASE}{name}.schema.json"
        assert schema["title"] and schema["description"]
        assert schema["properties"]["type"]["const"] == name
        assert all(of["description"] for of in schema["properties"].values())
        assert set(schema["required"]) == set(SMALLEST[name])
        assert set(schema["properties"]) == {*SMALLEST[name], *OPTIONAL[name]}


@pytest.mark.parametrize("name", NAMES)
def test_the_smallest_note_and_each_optional_property(types: NoteTypes, name: str) -> None:
    smallest = SMALLEST[name]
    assert types.validate(name, smallest) == []
    assert types.validate(name, {**smallest, "anything else": {"of": ["theirs", None]}}) == []
    for field, values in OPTIONAL[name].items():
        for value in [*values, None]:  # a property without a value is absent
            assert types.validate(name, {**smallest, field: value}) == []


@pytest.mark.parametrize(("name", "field"), [(name, field) for name in NAMES for field in SMALLEST[name]])
def test_a_required_property_that_is_missing_or_empty(types: NoteTypes, name: str, field: str) -> None:
    without = {key: value for key, value in SMALLEST[name].items() if key != field}
    (problem,) = types.validate(name, without)
    assert (problem.path, problem.message) == ((), f"'{field}' is missing")
    assert problem.mend.startswith(f"add `{field}: ")
    (problem,) = types.validate(name, {**without, field: None})
    assert problem.path == (field,)
    assert problem.message.startswith(f"'{field}' is empty, should be ")


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        (name, field, value)
        for name in NAMES
        for field in (*SMALLEST[name], *OPTIONAL[name])
        for value in ([*WRONG_NAME.get(name, []), 3, ["a"]] if field == "name" else WRONG[field])
    ],
)
def test_a_wrong_value(types: NoteTypes, name: str, field: str, value: Any) -> None:
    (problem,) = types.validate(name, {**SMALLEST[name], field: value})
    assert problem.path[0] == field
    assert f"'{field}' is " in problem.message
    assert ", should be " in problem.message
    assert problem.mend


def test_messages_are_plain_words(types: NoteTypes) -> None:
    wrong = {
        "type": "skil",
        "name": "A b",
        "version": "two",
        "trigger": "",
        "replaces": ["x"],
        "aliases": 3,
        "pinned": "yes",
    }
    assert messages(types, wrong, "skill") == [
        "'last_updated' is missing",
        '\'type\' is "skil", should be "skill"',
        "'name' is \"A b\", should be text that matches `^[a-z0-9]+(-[a-z0-9]+)*$`",
        "'version' is \"two\", should be an integer of at least 1",
        "'trigger' is \"\", should be text that is not empty",
        "'pinned' is \"yes\", should be true or false",
        "'replaces' is [\"x\"], should be one link, [[Note]] or a list of links",
        "'aliases' is 3, should be text or a list of texts or empty",
    ]
    wrong = {**SMALLEST["session"], "date": "2026-13-01", "touched": ["[[a]]", "x", 3]}
    problems = types.validate("session", wrong)
    assert [problem.path for problem in problems] == [("date",), ("touched", 1)]
    assert problems[0].message == "'date' is \"2026-13-01\", should be a date, YYYY-MM-DD"
    assert problems[1].message == "item 2 of 'touched' is \"x\", should be one link, [[Note]]"
    assert problems[0].mend == "write the day as YYYY-MM-DD, such as 2026-10-12"
    assert problems[1].mend == 'write one link in quotes, such as "[[Note]]"'


def test_a_message_stays_one_short_line(types: NoteTypes) -> None:
    (problem,) = types.validate("daily", {"type": "daily", "date": "long\n" * 1000})
    assert len(problem.message) < 150
    assert "\n" not in problem.message


def test_link_fields(types: NoteTypes) -> None:
    assert {name: types.link_fields(name) for name in NAMES} == {
        "concept": ["sources"],
        "daily": [],
        "decision": ["project", "replaces"],
        "inbox": [],  # its target may be yet to be written
        "person": [],
        "project": ["decisions"],
        "session": [],  # what it touched and used may be gone since
        "skill": [],  # what it replaced is gone
    }


# Formats


@given(st.dates())
def test_every_day_is_a_date(day: date) -> None:
    assert is_date(day.isoformat())


@given(st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fullmatch=True) | st.text(max_size=12))
def test_a_date_is_a_real_day(text: str) -> None:
    try:
        real = len(text) == 10 and text.isascii() and text[4] == text[7] == "-" and date.fromisoformat(text)
    except ValueError:
        real = False
    assert is_date(text) == bool(real)


@pytest.mark.parametrize("text", ["20261012", "2026-W41-1", "2026-10-12 ", "2026-10-12\n", "٢٠٢٦-10-12", "0000-01-01"])
def test_what_other_readers_let_pass_is_no_date(text: str) -> None:
    assert not is_date(text)


def test_a_link_is_one_wikilink_to_a_note() -> None:
    assert all(map(is_link, ["[[a]]", "[[a|b]]", "[[a#b|c]]", 3, None]))
    assert not any(map(is_link, ["", "a", "[[a]] ", "[[a]][[b]]", "![[a]]", "[[#b]]", "[a](b.md)"]))


# The user's schemas


def test_a_schema_of_the_same_name_applies_in_addition() -> None:
    stricter = user(
        {"required": ["born"], "properties": {"born": {"format": "date"}, "name": {"minLength": 2}}}, "person"
    )
    assert messages(stricter, {"type": "persn", "name": "A"}, "person") == [
        '\'type\' is "persn", should be "person"',
        "'born' is missing",
        "'name' is \"A\", should be a value of at least 2 characters",
    ]
    assert messages(stricter, {"type": "person", "born": "1815-12-10"}, "person") == []
    laxer = user({"properties": {"type": True}}, "person")
    assert messages(laxer, {"type": "other"}, "person") == ['\'type\' is "other", should be "person"']


def test_a_new_name_is_a_new_type() -> None:
    schema = {
        "required": ["who"],
        "properties": {
            "who": {"type": "array", "items": {"$ref": "#/$defs/link"}},
            "up": {"$ref": f"{BASE}decision.schema.json#/properties/project"},
        },
        "$defs": {"link": {"type": "string", "format": "link"}},
        "allOf": [{"$ref": f"{BASE}daily.schema.json"}],
        "x-vaultgit": {"folder": "team/meetings/"},
    }
    types = user(schema)
    assert types.names == [*NAMES, "meeting"]
    assert types.link_fields("meeting") == ["who", "up"]
    assert types.folder("meeting") == "team/meetings"
    assert types.folder("person") is None
    good = {"type": "daily", "date": "2026-10-12", "who": ["[[Ada]]"], "up": "[[x]]"}
    assert messages(types, good) == []
    assert sorted(messages(types, {**good, "who": ["Ada"], "up": "x", "date": None})) == [
        "'date' is empty",
        "'up' is \"x\", should be one link, [[Note]]",
        "item 1 of 'who' is \"Ada\", should be one link, [[Note]]",
    ]


def test_a_copy_of_ours_refers_to_itself() -> None:
    copied = {
        **OURS["person"],
        "properties": {"name": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "integer"}},
    }
    assert messages(user(copied, "person"), {"type": "person", "name": "Ada"}, "person") == [
        "'name' is \"Ada\", should be an integer"
    ]


@pytest.mark.parametrize("folder", ["/etc", "../x", "a/../b", ".hidden", "a//b", "", 3, "a/.b"])
def test_a_folder_must_be_inside_the_vault(folder: Any) -> None:
    with pytest.raises(UsageError, match="SC01"):
        user({"x-vaultgit": {"folder": folder}}).folder("meeting")


def test_a_required_property_may_be_null_where_the_schema_says_so() -> None:
    types = user(
        {
            "required": ["end"],
            "properties": {"end": {"type": ["string", "null"]}, "start": {"type": "string"}},
        }
    )
    assert messages(types, {"end": None, "start": None}) == []
    assert messages(types, {}) == ["'end' is missing"]


def test_other_keywords_and_drafts() -> None:
    closed = user(
        {
            "properties": {"type": True, "place": {"properties": {"city": {"maxLength": 3}}}},
            "additionalProperties": False,
        }
    )
    problems = closed.validate("meeting", {"typ": 1, "place": {"city": "Rome"}})
    assert sorted(problem.path for problem in problems) == [("place", "city"), ("typ",)]
    assert "'typ' is no property that the schema knows" in [problem.message for problem in problems]
    assert messages(user({"properties": {"a": {"format": "uri"}}}), {"a": "no uri"}) == [
        "'a' is \"no uri\", should be a value in the format uri"
    ]
    old = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"items": [{"type": "string"}]}},
    }
    assert messages(user(old), {"a": [1]}) == ["item 1 of 'a' is 1, should be text"]
    assert len(user(False).validate("meeting", {})) == 1
    assert user(True).validate("meeting", {"a": 1}) == []
    assert len(user({"dependentRequired": {"a": ["b"]}}).validate("meeting", {"a": 1})) == 1


UNUSABLE: dict[str, Any] = {
    "a list": [],
    "no such type": {"type": "strin"},
    "a wrong keyword": {"properties": {"a": {"minimum": "x"}}},
    "an unknown draft": {"$schema": "https://example.invalid/meta"},
    "a pattern that is none": {"properties": {"a": {"pattern": "(a"}}},
    "a pattern of Python's": {"properties": {"a": {"pattern": "(a)?(?(1)b|c)"}}},
    "an anchor that is not there": {"$ref": "#nope"},
    "a type that is not there": {"$ref": f"{BASE}nope.schema.json"},
    "a user's type": {"$ref": "other.schema.json"},
    "a file": {"properties": {"a": {"$ref": "file:///etc/hostname"}}},
    "a path": {"$ref": "/etc/hostname"},
}


@pytest.mark.parametrize("schema", UNUSABLE.values(), ids=UNUSABLE)
def test_a_schema_that_cannot_be_used(schema: Any) -> None:
    types = user(schema)
    assert types.validate("person", {"type": "person"}) == []  # other types go on
    with pytest.raises(UsageError) as raised:
        types.validate("meeting", {})
    assert raised.value.message.startswith(".vaultgit/schemas/meeting.schema.json: SC01 ")
    assert raised.value.hint


@pytest.fixture
def server() -> Iterator[tuple[str, list[bytes]]]:
    """A loopback server that must not be contacted, and what it was asked."""
    asked: list[bytes] = []

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked.append(self.rfile.readline())
            self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\ntrue")

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_address[1]}/x.json", asked
        listening.shutdown()


@pytest.mark.parametrize("without_rs", [False, True])
def test_nothing_is_fetched(
    server: tuple[str, list[bytes]], without_rs: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    address, asked = server
    local = tmp_path / "x.json"
    local.write_text("true")
    if without_rs:
        hide(monkeypatch, "jsonschema_rs")
    for uri in (address, local.as_uri()):
        for schema in (
            {"$ref": uri},
            {"properties": {"a": {"anyOf": [{"$ref": uri}]}}},
            {"$defs": {"unused": {"$ref": uri}}},
            {"$schema": uri},
            {"$dynamicRef": uri},
            {"$id": uri, "properties": {"a": {"$ref": "y.json"}}},
        ):
            with pytest.raises(UsageError, match=r"meeting\.schema\.json: SC01"):
                user(schema).validate("meeting", {"a": 1})
    assert user({"enum": [{"$ref": address}]}).validate("meeting", {"$ref": address}) == []  # a value, no reference
    assert asked == []
    import urllib.request

    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address).close()
    assert asked == [b"GET /x.json HTTP/1.1\r\n"]  # the server would have noticed


# Patterns end


def within_seconds(limit: float, types: NoteTypes, values: dict[str, Any]) -> list[str]:
    began = time.process_time()
    found = messages(types, values)
    assert time.process_time() - began < limit
    return found


EVIL = "a" * 50_000 + "b"


def test_a_pattern_that_explodes_elsewhere_ends_here() -> None:
    linear = user({"properties": {"a": {"pattern": "^(a+)+$"}}})
    (message,) = within_seconds(5, linear, {"a": EVIL})
    assert message.startswith("'a' is \"aaa")
    assert message.endswith("should be a value that matches `^(a+)+$`")
    keys = user({"patternProperties": {"^(a+)+$": {"type": "integer"}}, "additionalProperties": False})
    assert len(within_seconds(5, keys, {EVIL: 1, "aa": "x"})) == 2
    assert within_seconds(5, keys, {"aa": 1}) == []


def test_look_around_works_within_bounds() -> None:
    types = user({"properties": {"a": {"pattern": r"^(?!no)(a|aa)+\b$"}}})
    assert messages(types, {"a": "aaa"}) == []
    assert len(messages(types, {"a": "no"})) == 1
    explodes = user({"properties": {"a": {"pattern": r"^(?=a)(a+)+\1c$"}}})
    assert len(within_seconds(5, explodes, {"a": "a" * (LONGEST - 1) + "b"})) == 1
    # A single step of the engine reads the whole value: without the cap on length this takes minutes.
    reads_all = user({"properties": {"a": {"pattern": r"(?<=x)(?=.*y)q"}}})
    assert within_seconds(5, reads_all, {"a": ["ok", {"b": "x" * 1_000_000}]}) == [
        f"item 2 of 'a.b' is longer than {LONGEST} characters, too long for the schema's patterns"
    ]
    assert len(within_seconds(5, reads_all, {"a": "x" * LONGEST})) == 1


# When a library is not there


def hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    original = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(f"no {package}")
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)


@pytest.mark.parametrize("name", NAMES)
def test_both_libraries_agree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instances = [SMALLEST[name], {}]
    for field in (*SMALLEST[name], *OPTIONAL[name]):
        instances.append({key: value for key, value in SMALLEST[name].items() if key != field})
        values = OPTIONAL[name].get(field, []) + (WRONG_NAME.get(name, [3])[:-1] if field == "name" else WRONG[field])
        instances += [{**SMALLEST[name], field: value} for value in (*values, None)]
    documents = {known: [copy.deepcopy(schema)] for known, schema in OURS.items()}
    fast = [NoteTypes(documents).validate(name, instance) for instance in instances]
    hide(monkeypatch, "jsonschema_rs")
    assert [NoteTypes(documents).validate(name, instance) for instance in instances] == fast
    assert any(fast) and not all(fast)


def test_a_valid_note_does_not_wait_for_jsonschema(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "jsonschema")
    hide(monkeypatch, "referencing")
    assert NoteTypes({"daily": [OURS["daily"]]}).validate("daily", SMALLEST["daily"]) == []


def test_without_the_fast_library_patterns_of_users_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "jsonschema_rs")
    with pytest.raises(UsageError, match=r"SC01 .*jsonschema-rs"):
        user({"properties": {"a": {"pattern": "^(a+)+$"}}}).validate("meeting", {"a": EVIL})
    assert messages(user({"properties": {"pattern": {"type": "string"}}}), {"pattern": 1}) == [
        "'pattern' is 1, should be text"
    ]
    with pytest.raises(UsageError, match="SC01"):
        user({"$ref": "#"}).validate("meeting", {})


def test_importing_the_module_imports_no_library() -> None:
    program = "import sys; import vaultgit.notes.schema; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "vaultgit" in loaded
    assert not loaded & {
        "jsonschema",
        "jsonschema_rs",
        "referencing",
        "dataclasses",
        "pathlib",
        "inspect",
        "logging",
        "yaml",
        "urllib",
    }


# Fingerprints


def test_a_fingerprint_is_that_of_the_schemas() -> None:
    first = NoteTypes({name: [copy.deepcopy(schema)] for name, schema in OURS.items()})
    second = user({"required": ["born"]}, "person")
    assert first.fingerprint("person") == user({}).fingerprint("person")
    assert first.fingerprint("person") != second.fingerprint("person")
    assert first.fingerprint("daily") == second.fingerprint("daily")
    assert len({first.fingerprint(name) for name in NAMES}) == len(NAMES)
    refers = {"$ref": f"{BASE}daily.schema.json"}
    changed = NoteTypes({"daily": [{**OURS["daily"], "required": []}], "meeting": [refers]})
    same = NoteTypes({"daily": [OURS["daily"]], "meeting": [refers]})
    assert changed.fingerprint("meeting") != same.fingerprint("meeting")


# Cases


def test_case_001_a_missing_type_is_named() -> None:
    schema = json.loads((CASES / "001-bom-before-fence" / "schema.json").read_text(encoding="utf-8"))
    types = NoteTypes({"note": [schema]})
    assert types.validate("note", {"title": "Kettle", "type": "note"}) == []
    (problem,) = types.validate("note", {"title": "Spoon"})
    assert problem.message == "'type' is missing"
    assert messages(types, {"title": "x", "type": "thing"}, "note") == [
        '\'type\' is "thing", should be one of "note", "person", "task"'
    ]


def test_case_013_a_template_field_is_no_title_of_the_schema() -> None:
    schema = json.loads((CASES / "013-template-files" / "schema.json").read_text(encoding="utf-8"))
    (problem,) = NoteTypes({"note": [schema]}).validate("note", {"title": {"{title}": None}, "type": "person"})
    assert problem.path == ("title",)
    assert problem.message.endswith("should be text")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(NAMES), st.data())
def test_no_value_surprises(types: NoteTypes, name: str, data: st.DataObject) -> None:
    fields = [*SMALLEST[name], *OPTIONAL[name], "other"]
    values = {**SMALLEST[name], **data.draw(st.dictionaries(st.sampled_from(fields), JSON, max_size=3))}
    problems = types.validate(name, values)
    about = [problem.path[0] for problem in problems if problem.path]
    assert len(about) == len(set(about))
    assert all("\n" not in problem.message and len(problem.message) < 400 for problem in problems)
