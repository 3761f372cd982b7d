"""Front matter is read as Obsidian reads it, changed line by line (P3: no byte beyond what is intended)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.frontmatter import FrontMatterError
from vaultgit.notes.frontmatter import Properties

CASES = Path(__file__).parent.parent / "cases"


def case(name: str) -> bytes:
    return (CASES / name).read_bytes()


def note(head: str, body: str = "body\n") -> bytes:
    return f"---\n{head}---\n{body}".encode()


def value(text: str) -> Any:
    found = frontmatter.read(note(f"key: {text}\n"))
    assert found.problems == []
    return found.values["key"]


# -- fences -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "head", "body"),
    [
        (b"---\na: 1\n---\nx", b"a: 1\n", b"x"),
        (b"\xef\xbb\xbf---\na: 1\n---\nx", b"a: 1\n", b"x"),
        (b"---\r\na: 1\r\n---\r\nx\r\n", b"a: 1\r\n", b"x\r\n"),
        (b"--- \t\na: 1\n---  \nx", b"a: 1\n", b"x"),
        (b"---\n---\nx", b"", b"x"),
        (b"---\na: 1\n---", b"a: 1\n", b""),
        (b"---\na: 1\n----\nb: --- c\n--- d\n---\nx", b"a: 1\n----\nb: --- c\n--- d\n", b"x"),
    ],
)
def test_a_block_is_found(data: bytes, head: bytes, body: bytes) -> None:
    found = frontmatter.block(data)
    assert found is not None
    assert data[found.start : found.end] == head
    assert data[found.body :] == body
    assert data[found.end : found.body].startswith(b"---")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        b"\n---\na: 1\n---\n",
        b"--- a\na: 1\n---\n",
        b"----\na: 1\n---\n",
        b"---\na: 1\n",
        b" ---\na: 1\n---\n",
    ],
)
def test_no_block(data: bytes) -> None:
    assert frontmatter.block(data) is None
    assert frontmatter.read(data) == Properties({}, {}, [])


# -- values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    ["2026-10-12", "NO", "no", "yes", "off", "12:30", "02700", "1.10", "0x10", "0o7", "1_000", "1e5", "=",
     "<<",
     ".nan", ".inf", "-.inf", "+1", "1.", ".5", "-x", "a-b", "TrUe", "nULL", "123456789012345678901", "1e999",
     "2026-02-30", "2026-03-14T09:05:00+01:00"],
)  # fmt: skip
def test_what_stays_text(typed: str) -> None:
    assert value(typed) == typed
    assert frontmatter.read(note(f"key: [{typed}]\n")).values == {"key": [typed]}


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("true", True), ("True", True), ("FALSE", False), ("null", None), ("~", None), ("", None), ("0", 0),
        ("-3", -3), ("42", 42), ("1.5", 1.5), ("-0.25", -0.25), ("1.0", 1.0), ("'42'", "42"),
        ('"true"', "true"),
        ("!!str 42", "42"), ('"2026-03-14"', "2026-03-14"), ("<% tp.file.title %>", "<% tp.file.title %>"),
    ],
)  # fmt: skip
def test_what_does_not(typed: str, expected: Any) -> None:
    found = value(typed)
    assert (type(found), found) == (type(expected), expected)


def test_keys_are_text_as_typed() -> None:
    assert frontmatter.read(note("1: a\ntrue: b\n~: c\n2026-01-01: d\n<<: e\n'q': f\n")).values == {
        "1": "a", "true": "b", "~": "c", "2026-01-01": "d", "<<": "e", "q": "f",
    }  # fmt: skip


def test_an_unquoted_link_is_its_text() -> None:
    head = (
        "a: [[Home]]\nb: [[x/Home#Top|the home]]  # c\nc:\n  - [[One]]\n  - [[Two, three]]\n"
        "d: [[[One]], '[[Two]]', [[Three|3]]]\ne: [[1], [2]]\nf: [[[[Deep]]]]\n"
    )
    assert frontmatter.read(note(head)).values == {
        "a": "[[Home]]",
        "b": "[[x/Home#Top|the home]]",
        "c": ["[[One]]", "[[Two, three]]"],
        "d": ["[[One]]", "[[Two]]", "[[Three|3]]"],
        "e": [[1], [2]],
        "f": [["[[Deep]]"]],
    }


def test_dates_of_the_case_are_json_text() -> None:
    found = frontmatter.read(case("007-bare-dates/input/ok.md"))
    assert json.loads(json.dumps(found.values)) == {
        "created": "2026-03-14", "seen": "2026-03-14 09:05:00+01:00", "quoted": "2026-03-14",
    }  # fmt: skip
    assert found.lines == {"created": 2, "seen": 3, "quoted": 4}
    assert frontmatter.read(case("007-bare-dates/input/feb30.md")).values == {"created": "2026-02-30"}


def test_a_byte_order_mark_is_no_part_of_anything() -> None:
    assert frontmatter.read(case("001-bom-before-fence/input/good.md")).values == {
        "title": "Kettle",
        "type": "note",
    }


@pytest.mark.parametrize("name", ["crlf.md", "mixed.md"])
def test_no_value_ends_in_a_carriage_return(name: str) -> None:
    assert "\r" not in repr(frontmatter.read(case(f"003-crlf-front-matter/input/{name}")).values)


def test_nul_in_the_body_is_fine() -> None:
    assert frontmatter.read(case("009-nul-latin1-long-line/input/nul.md")).values == {
        "title": "Nul",
        "type": "note",
    }


@given(st.text())
@example("\x85a: 1")
@example("a: \u2028b: 1")
@example("a:\r b: 1\rc: [[")
def test_reading_never_raises_and_gives_json(head: str) -> None:
    data = b"---\n" + head.encode("utf-8", "surrogatepass") + b"\n---\nbody"
    found = frontmatter.read(data)
    json.dumps(found.values, allow_nan=False)
    for problem in found.problems:
        assert 1 <= problem.line <= data.count(b"\n") + 1
        assert problem.column >= 1
        assert problem.message
        assert problem.mend
    if found.problems == []:
        assert list(found.values) == list(found.lines)


# -- problems ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code", "line", "column", "mend"),
    [
        ("colon", "FM01", 2, 12, "quotes"),
        ("path", "FM01", 4, 6, "quotes"),
        ("star", "FM01", 2, 8, "quotes"),
        ("tab", "FM01", 5, 1, "spaces"),
        ("twice", "FM02", 4, 1, "keep one"),
    ],
)
def test_problems_of_the_case_say_where_and_how(name: str, code: str, line: int, column: int, mend: str) -> None:
    (problem,) = frontmatter.read(case(f"005-bad-yaml-stays-local/input/{name}.md")).problems
    assert (problem.code, problem.line, problem.column) == (code, line, column)
    assert mend in problem.mend


@pytest.mark.parametrize(
    ("head", "line", "words"),
    [
        ('a: 1\nb: "open\nc: 2\n', 3, "quote"),
        ("a: 1\nb: [x, y\nc: 2\n", 3, "[ that is not closed"),
        ("a: 1\nb: [\n", 3, "[ that is not closed"),
        ("a: 1\njust words\nb: 2\n", 3, "no property"),
        ("a: 1\n b: 2\n", 3, "indented"),
        ("z: 1\na:b\nc: d\n", 3, "no blank after the colon"),
        ("a: 'it's'\n", 2, "after the end"),
        ("a: [[Note #1]]\nb: 2\n", 2, "link"),
        ("a: 1\nb: {{title}}\n", 3, "template field"),
        ("a: &x 1\nb: *x\n", 3, "alias"),
        ("a: !!python/object/apply:os.system [ls]\n", 2, "tag"),
        ("a: !!binary aGk=\n", 2, "tag"),
        ("? [a]\n: b\n", 2, "name"),
        ("- a\n- b\n", 2, "not a list of properties"),
        ("words\n", 2, "not a list of properties"),
        ("a: 1\n...\nb: 2\n", 4, ""),
        ("a: 1\nb: x\x07y\n", 3, "U+0007"),
        ("a: " + "[" * 5000 + "\n", 2, ""),
        ("a: " + "[" * 60 + "]" * 60 + "\n", 2, "nested"),
    ],
)
def test_not_yaml(head: str, line: int, words: str) -> None:
    found = frontmatter.read(note(head))
    assert found.values == {}
    (problem,) = found.problems
    assert (problem.code, problem.line) == ("FM01", line)
    assert words in problem.message
    with pytest.raises(FrontMatterError, match=f"line {line}: FM01"):
        patch.set_properties(note(head), {"x": 1})


def test_aliases_cannot_make_a_bomb() -> None:
    head = "a: &a [x, x]\n" + "".join(
        f"{key}: &{key} [*{above}, *{above}]\n" for above, key in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert frontmatter.read(note(head)).problems[0].line == 3


def test_a_key_twice_at_any_level_names_both_lines() -> None:
    found = frontmatter.read(note("a:\n  b: 1\n  c: 2\n  b: 3\nd: 1\n'd': 2\n"))
    assert [(p.code, p.line) for p in found.problems] == [("FM02", 5), ("FM02", 7)]
    assert "lines 3 and 5" in found.problems[0].message
    assert "lines 6 and 7" in found.problems[1].message
    assert found.values == {"a": {"b": 1, "c": 2}, "d": 1}


def test_not_utf8_names_its_line() -> None:
    (problem,) = frontmatter.read(case("009-nul-latin1-long-line/input/latin1.md")).problems
    assert problem[:4] == ("FM01", 2, 11, "not UTF-8")


@pytest.mark.parametrize("name", ["colon", "path", "star", "tab", "twice"])
def test_a_broken_note_is_not_changed(name: str) -> None:
    data = case(f"005-bad-yaml-stays-local/input/{name}.md")
    with pytest.raises(FrontMatterError) as raised:
        patch.set_properties(data, {"status": "done"})
    assert raised.value.problem == frontmatter.read(data).problems[0]


# -- entries and splice -----------------------------------------------------------------------------------

LONG = (
    "\ufeff---\n# tëp\nzeta: 'sïngle'\ntags: [b, a]   # order\nlong: >-\n  földed\n  text\n\n# between\n"
    "list:\n  - a\n  # in\n  - b\n# after\nkeep: |+\n  x\n\nnothing:\nmap:\n  k: v\n---\nbody"
)


def test_entries_are_whole_lines_without_the_comments_after_them() -> None:
    data = LONG.encode()
    assert [(entry.key, data[entry.start : entry.end].decode()) for entry in frontmatter.entries(data)] == [
        ("zeta", "zeta: 'sïngle'\n"),
        ("tags", "tags: [b, a]   # order\n"),
        ("long", "long: >-\n  földed\n  text\n"),
        ("list", "list:\n  - a\n  # in\n  - b\n"),
        ("keep", "keep: |+\n  x\n\n"),
        ("nothing", "nothing:\n"),
        ("map", "map:\n  k: v\n"),
    ]


@pytest.mark.parametrize("head", ["{a: 1, b: 2}\n", "{\n  a: 1,\n  b: 2\n}\n", "? a\n: 1\n"])
def test_lines_that_are_no_lines_of_properties_cannot_be_taken_apart(head: str) -> None:
    assert frontmatter.read(note(head)).problems == []
    with pytest.raises(FrontMatterError):
        frontmatter.entries(note(head))


def test_splice_replaces_removes_and_adds() -> None:
    data = note("a: 1\n# c\nb: 2\nd: 4\n")
    assert patch.splice(data, {"a": b"a: 9 # n\n", "b": None}, [b"e: 5\n"]) == note("a: 9 # n\n# c\nd: 4\ne: 5\n")
    assert patch.splice(b"\xef\xbb\xbftext\r\n", {}, [b"a: 1\r\n"]) == (b"\xef\xbb\xbf---\r\na: 1\r\n---\r\ntext\r\n")
    assert patch.splice(b"text", {"a": b"x"}, []) == b"text"


def test_keep_front_matter() -> None:
    old = b"\xef\xbb\xbf---\r\na: 1\r\n---\r\nold"
    assert patch.keep_front_matter(old, b"new") == b"\xef\xbb\xbf---\r\na: 1\r\n---\r\nnew"
    assert patch.keep_front_matter(b"---\na: 1\n---", b"new") == b"---\na: 1\n---\nnew"
    assert patch.keep_front_matter(b"old", b"new") == b"new"
    assert patch.keep_front_matter(b"\xef\xbb\xbfold", b"new") == b"\xef\xbb\xbfnew"
    assert patch.keep_front_matter(old, b"---\nb: 2\n---\nnew") == b"\xef\xbb\xbf---\nb: 2\n---\nnew"


# -- setting ----------------------------------------------------------------------------------------------


def test_one_key_is_one_line_of_difference() -> None:
    data = case("011-set-one-key-small-diff/input/note.md")
    expected = case("011-set-one-key-small-diff/expected/note.md")
    assert patch.set_properties(data, {"status": "done"}) == expected
    assert patch.set_properties(expected, {"status": "done"}) is expected
    assert patch.set_properties(data, {"due": "2026-05-01"}) == data.replace(
        b"nothing:\n---\n", b"nothing:\ndue: 2026-05-01\n---\n"
    )


def test_line_endings_and_mark_stay() -> None:
    data = case("003-crlf-front-matter/input/crlf.md")
    assert patch.set_properties(data, {"type": "task", "n": ["a"]}) == data.replace(
        b"type: note\r\n", b"type: task\r\nn:\r\n  - a\r\n"
    )
    data = case("001-bom-before-fence/input/good.md")
    assert patch.set_properties(data, {"title": "Pot"}) == data.replace(b"Kettle", b"Pot", 1)


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("k: open   # why\n", "done", "k: done   # why\n"),
        ("k:   'x'\n", "y", "k:   y\n"),
        ("k: x # c\n", None, "k: # c\n"),
        ("k: # c\n", "x", "k: x # c\n"),
        ("k:\n", 3, "k: 3\n"),
        ("k : x\n", "y", "k : y\n"),
        ('"k": x\n', "y", '"k": y\n'),
        ("k: >-\n  folded\n  text\n", "short", "k: short\n"),
        ("k: 'two\n  lines' # c\n", "one", "k: one # c\n"),
        ("k: [b, 'a']   # order\n", ["b", "a", "c"], "k: [b, 'a', c]   # order\n"),
        ("k: [[[A]], x]\n", ["[[A]]", "[[B]]"], 'k: [[[A]], "[[B]]"]\n'),
        ("k: [a]\n", [], "k: []\n"),
        ("k: x # c\n", ["a", "b"], "k: # c\n  - a\n  - b\n"),
        ("k: # h\n  # top\n  - 'a' # one\n  # two\n  - b\n", ["b", "a", "c"],
         "k: # h\n  # top\n  - b\n  - 'a' # one\n  # two\n  - c\n"),
        ("k:\n- [[a]]\n- b\n", ["[[a]]", "[[c]]"], 'k:\n- [[a]]\n- "[[c]]"\n'),
        ("k: # h\n  - a\n", [], "k: [] # h\n"),
        ("k: # h\n  - a\n", None, "k: # h\n"),
        ("k:\n  a: 1\n  b: 2\n", {"a": 1, "b": [True, None]}, 'k: {"a": 1, "b": [true, null]}\n'),
        ("k: x\n", "[[Note|alias]]", 'k: "[[Note|alias]]"\n'),
        ("k: x\n", "2026-10-12", "k: 2026-10-12\n"),
        ("k: x\n", "12:30", "k: 12:30\n"),
        ("k: x\n", "1.10", 'k: "1.10"\n'),
        ("k: x\n", "3", 'k: "3"\n'),
        ("k: 3\n", 3.0, "k: 3.0\n"),
        ("k: x\n", "true", 'k: "true"\n'),
        ("k: x\n", True, "k: true\n"),
        ("k: 1\n", True, "k: true\n"),
        ("k: x\n", "", 'k: ""\n'),
        ("k: x\n", "Plan: part two", 'k: "Plan: part two"\n'),
        ("k: x\n", "a #b", 'k: "a #b"\n'),
        ("k: x\n", "C#", "k: C#\n"),
        ("k: x\n", "two\nlines", 'k: "two\\nlines"\n'),
        ("k: x\n", "Åse's \"café\"", "k: Åse's \"café\"\n"),
        ("k: x\n", ["a, b", "c"], 'k:\n  - a, b\n  - c\n'),
        ("k: [x]\n", ["a, b", "c"], 'k: ["a, b", c]\n'),
    ],
)  # fmt: skip
def test_a_value_is_replaced_in_its_line(before: str, new: Any, after: str) -> None:
    data = note(f"# top\na: 1\n{before}# between\nz: 'z'\n")
    assert patch.set_properties(data, {"k": new}).decode() == note(f"# top\na: 1\n{after}# between\nz: 'z'\n").decode()


def test_removing_and_adding() -> None:
    data = note("a: 1\n# c\nb:\n  - x\n")
    assert patch.set_properties(data, {"odd: key": 1, "b": 2}, remove=["b", "not there"]) == note(
        'a: 1\n# c\n"odd: key": 1\n'
    )
    assert patch.set_properties(b"text", {"a": [], "l": ["[[x]]"]}) == b'---\na: []\nl:\n  - "[[x]]"\n---\ntext'
    assert patch.set_properties(b"text", {}, remove=["a"]) == b"text"
    assert patch.set_properties(note("  a: 1\n"), {"b": ["x"]}) == note("  a: 1\n  b:\n    - x\n")


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 10**30, "\ud800", {1: "a"}, ("a",), b"x", object()])
def test_what_cannot_be_written_is_refused(wrong: Any) -> None:
    for data in (note("k: x\n"), note("k:\n  - x\n"), note("a: 1\n"), b"text"):
        with pytest.raises(FrontMatterError):
            patch.set_properties(data, {"k": wrong})


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=20)
    | st.sampled_from(
        ["[[a]]", "a: b", "a #b", "- x", "yes", "~", "=", "12:30", "2026-01-02", "it's", '"', "\\n", "x:"]
    )
)
VALUES = SCALARS | st.lists(SCALARS, max_size=4) | st.lists(st.lists(SCALARS, max_size=2), max_size=2) | (
    st.dictionaries(st.text("abc: #", max_size=3), SCALARS, max_size=2)
)  # fmt: skip
ENTRIES = st.sampled_from(
    [
        "{}: open", "{}: 'single' # why", '{}: "double"', "{}:", "{}: # none",
        "{}: [b, a]  # order", "{}: []",
        "{}: 007", "{}: [[Home]]", "{}: [ [[One]], 'two', 3 ]", "{}:\n  - a # one\n  # under\n  - 'b'",
        "{}:\n- [[x]]\n- 2\n-",
        "{}: >-\n  folded\n\n  text\n", "{}: |\n  kept\n\n\n", "{}: |+\n  all\n\n",
        "{}:\n  k: v\n  l: [1]", "{}:\n  below # c",
        "{}: plain\n  that goes on", "{}: 'quoted\n\n  long' # c",
        "'{}': é", "{}  :   spaced   ", "{}: {{a: [1, x]}}",
        "{}:\n  - - a\n    - b\n  - c: 1", "{}: [a,\n  b, # c\n  c]", "{}: &anchor x",
    ]
)  # fmt: skip
COMMENTS = st.sampled_from(["", "", "# a comment\n", "\n", "  # indented\n", "# ünï\n\n"])


@st.composite
def notes(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    keys = draw(st.lists(st.sampled_from(["a", "bee", "c-d", "tags", "größe", "2026"]), unique=True, max_size=4))
    head = "".join(draw(COMMENTS) + draw(ENTRIES).format(key) + "\n" for key in keys) + draw(COMMENTS)
    body = draw(st.sampled_from(["", "body", "line\n\n---\nx: y\n---\n"]))
    text = f"---\n{head}---\n{body}"
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    mark = "\ufeff" if draw(st.booleans()) else ""
    return (mark + text).encode(), keys


@given(notes(), st.sampled_from(["a", "bee", "tags", "größe", "new", "odd: key", "no\nway"]), VALUES)
def test_only_the_intended_lines_change(made: tuple[bytes, list[str]], key: str, new: Any) -> None:
    data, keys = made
    before = frontmatter.read(data)
    assert before.problems == []
    assert list(before.values) == keys
    result = patch.set_properties(data, {key: new})
    after = frontmatter.read(result)
    assert after.problems == []
    assert frontmatter.same(after.values, before.values | {key: new})
    where = {entry.key: entry for entry in frontmatter.entries(data)}.get(key)
    if where is None:
        block = frontmatter.block(data)
        assert block is not None
        assert result.startswith(data[: block.end])
        assert result.endswith(data[block.end :])
    else:
        assert result.startswith(data[: where.start])
        assert result.endswith(data[where.end :])
    if data.count(b"\n") == data.count(b"\r\n"):
        assert result.count(b"\n") == result.count(b"\r\n")


@given(notes(), st.data())
def test_what_is_set_and_set_back_has_its_values_back(made: tuple[bytes, list[str]], data: st.DataObject) -> None:
    text, keys = made
    if keys:
        key = data.draw(st.sampled_from(keys))
        values = frontmatter.read(text).values
        there = patch.set_properties(text, {key: ["other"]})
        back = patch.set_properties(there, {key: values[key]})
        assert frontmatter.same(frontmatter.read(back).values, values)
        try:
            gone = patch.set_properties(text, {}, remove=[key])
        except FrontMatterError:
            # Without the property what stands under it would become text of a block scalar above.
            assert "  # indented" in text.decode() or "|+" in text.decode()
            return
        assert key not in frontmatter.read(gone).values
        where = next(entry for entry in frontmatter.entries(text) if entry.key == key)
        assert gone == text[: where.start] + text[where.end :]


@given(notes())
def test_entries_cover_what_is_read(made: tuple[bytes, list[str]]) -> None:
    data, keys = made
    found = frontmatter.entries(data)
    assert [entry.key for entry in found] == keys
    for entry in found:
        assert data[: entry.start].endswith(b"\n")
        assert data[: entry.end].endswith(b"\n")
        alone = frontmatter.read(b"---\n" + data[entry.start : entry.end] + b"---\n")
        assert alone.values == {entry.key: entry.value}


@given(VALUES)
def test_same_tells_types_apart(one: Any) -> None:
    assert frontmatter.same(one, json.loads(json.dumps(one)))
    assert not frontmatter.same(1, True)
    assert not frontmatter.same([1], [1.0])


# -- cost -------------------------------------------------------------------------------------------------


def test_a_note_without_front_matter_imports_no_yaml() -> None:
    program = (
        "import sys; from vaultgit.notes import frontmatter as f; f.read(b'text');"
        "f.block(b'---\\na: 1\\n---\\n'); heavy = set(sys.modules)"
        "& {'yaml', 'json', 'dataclasses', 'pathlib', 'inspect', 'subprocess', 'logging'};"
        "assert not heavy, heavy; f.read(b'---\\na: 1\\n---\\n'); assert 'yaml' in sys.modules"
    )
    # Without site: editable installs import half of the standard library in their .pth files.
    paths = [
        str(Path(frontmatter.__file__).parents[2]),
        *(path for path in sys.path if path.endswith("site-packages")),
    ]
    start = f"import sys; sys.path[:0] = {paths!r}; "
    subprocess.run([sys.executable, "-S", "-c", start + program], check=True)
