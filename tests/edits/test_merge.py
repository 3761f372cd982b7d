"""The note-aware merge: properties by key, bodies as text, appends side by side; by real `git merge-file`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from vaultgit.edits import mergedriver
from vaultgit.edits import textmerge
from vaultgit.edits.merge import merge
from vaultgit.edits.textmerge import Merged
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.notes import frontmatter

CASES = Path(__file__).parent.parent / "cases"
ADDED = ("added on both sides with different text",)
GONE = ("deleted on one side and changed on the other",)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    folder = tmp_path_factory.mktemp("merge")
    subprocess.run(["git", "init", "-q", str(folder)], env=clean_environment(), check=True)
    found = Repository.find(str(folder))
    assert found is not None
    with found:
        yield found


@pytest.fixture(scope="module")
def text_merge(repo: Repository) -> textmerge.TextMerge:
    return textmerge.git_text_merge(repo)


def never(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    raise AssertionError("no text merge is needed here")


def conflict(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    return None


def note(head: str, body: str = "body\n") -> bytes:
    return f"---\n{head}---\n{body}".encode()


def clean(merged: Merged) -> bytes:
    assert merged.conflicts == ()
    assert merged.data is not None
    return merged.data


# -- files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        (None, None, None, Merged(None)),
        (None, b"a", None, Merged(b"a")),
        (None, None, b"a", Merged(b"a")),
        (b"a", None, None, Merged(None)),
        (b"a", None, b"a", Merged(None)),
        (b"a\n", b"a\n", None, Merged(None)),
        (b"a\n", b"a\r\n", None, Merged(None)),
        (b"a", None, b"b", Merged(None, GONE)),
        (b"a", b"b", None, Merged(None, GONE)),
        (None, b"a", b"a", Merged(b"a")),
        (None, b"a\r\n", b"a\n", Merged(b"a\r\n")),
        (None, b"a", b"b", Merged(None, ADDED)),
        (None, note("a: 1\nb: x\n"), note("b: 'x'\na: 1\n"), Merged(note("a: 1\nb: x\n"))),
        (None, note("a: 1\n"), note("a: 2\n"), Merged(None, ADDED)),
    ],
)
def test_files_that_come_and_go(base: bytes, ours: bytes, theirs: bytes, expected: Merged) -> None:
    assert merge(base, ours, theirs, text_merge=never) == expected


# -- properties -------------------------------------------------------------------------------------------


def test_each_side_changed_another_property() -> None:
    base = note("# kept\na: 1 # one\nb: 'x'\nc: 3\n")
    ours = note("# kept\na: 2 # one\nb: 'x'\nnew: 1\n")
    theirs = note('# kept\na: 1 # one\nb: "y" # why\nc: 3\nother:\n  - 1 # first\n')
    expected = note('# kept\na: 2 # one\nb: "y" # why\nnew: 1\nother:\n  - 1 # first\n')
    assert clean(merge(base, ours, theirs, text_merge=never)) == expected


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ("k: a\n", "k: b\n", "k: 'b'\n", "k: b\n"),
        ("k: a\n", "k: 'a'\n", "k: b\n", "k: b\n"),
        ("k: a\n", "", "k: a\n", ""),
        ("k: a\n", "", "k: 'a'\n", ""),
        ("", "k: a\n", "k: 'a'\n", "k: a\n"),
        ("version: 2\n", "version: 5\n", "version: 1\n", "version: 5\n"),
        ("version: 2\n", "version: 3 # ours\n", "version: 4 # theirs\n", "version: 4 # theirs\n"),
        ("version: 2\n", "version: 2\n", "version: 1\n", "version: 1\n"),
        ("last_updated: 2026-03-01\n", "last_updated: 2026-04-01\n", "last_updated: 2026-02-01\n",
         "last_updated: 2026-04-01\n"),
        ("date: 2026-03-01\n", "date: 2026-04-01\n", "date: \"2026-05-01\"\n", "date: \"2026-05-01\"\n"),
        ("date: 2026-03-01\n", "date: 2026-03-01\n", "date: 2026-01-01\n", "date: 2026-01-01\n"),
        ("t: [a, b] # tags\n", "t: [a, b, 'c'] # tags\n", "t:\n  - b\n  - d\n", "t: [b, 'c', d] # tags\n"),
        ("t:\n  - a # one\n", "t:\n  - a # one\n  - \"[[x]]\"\n", "t:\n  - a # one\n  - '[[y]]'\n",
         "t:\n  - a # one\n  - \"[[x]]\"\n  - \"[[y]]\"\n"),
        ("", "t: [a]\n", "t: [b, a]\n", "t: [a, b]\n"),
        ("t:\n", "t: [a]\n", "t: [b]\n", "t: [a, b]\n"),
        ("t: [a]\n", "t: []\n", "t: [a, b]\n", "t: [b]\n"),
        ("t: a\n", "t: [a, b]\n", "t: [a, c]\n", "t: [a, b, c]\n"),
        ("t: [1]\n", "t: [1, true]\n", "t: [1, 1.0]\n", "t: [1, true, 1.0]\n"),
    ],
)  # fmt: skip
def test_one_property_on_both_sides(base: str, ours: str, theirs: str, expected: str) -> None:
    merged = clean(merge(note(base), note(ours), note(theirs), text_merge=never))
    assert merged.decode() == note(expected).decode()


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ("k: a\n", "k: b\n", "k: c\n"),
        ("", "k: b\n", "k: c\n"),
        ("k: a\n", "", "k: c\n"),
        ("k: a\n", "k: b\n", ""),
        ("k: [a]\n", "k: [[a, b], c]\n", "k: [d]\n"),
        ("k: 2026-01-01\n", "k: 2026-01-02\n", "k: soon\n"),
        ("", "k: 2026-01-02\n", "k: 2026-01-03\n"),
        ("k: {a: 1}\n", "k: {a: 2}\n", "k: {a: 3}\n"),
    ],
)
def test_what_only_a_person_can_decide_is_named(base: str, ours: str, theirs: str) -> None:
    sides = [note(f"version: {n}\n{head}z: 1\n") for n, head in enumerate((base, ours, theirs))]
    assert merge(*sides, text_merge=conflict) == Merged(None, ("k",))


def test_version_that_is_no_number_is_a_conflict() -> None:
    sides = [note(f"version: {version}\n") for version in ("1.2.0", "1.3.0", "1.4.0")]
    assert merge(*sides, text_merge=conflict).conflicts == ("version",)


def molt(version: int, day: str, step: str, tail: str = "") -> bytes:
    head = f"type: skill\nname: brew\nversion: {version}\ntrigger: tea\nlast_updated: {day}\n"
    return note(head, f"# Brew\n\n{step}\n\nkeep\n\nmore\n{tail}")


def test_reverting_a_molt_under_a_newer_one(text_merge: textmerge.TextMerge) -> None:
    """P6: base is the molt that is taken back, ours the skill of today, theirs the molt's parent."""
    merged = merge(
        molt(3, "2026-03-01", "Steep five minutes."),
        molt(4, "2026-04-01", "Steep five minutes.", "new tail\n"),
        molt(2, "2026-02-01", "Steep two minutes."),
        text_merge=text_merge,
    )
    assert clean(merged) == molt(4, "2026-04-01", "Steep two minutes.", "new tail\n")


def test_comments_of_the_side_that_changed_them_stay(text_merge: textmerge.TextMerge) -> None:
    base, changed = note("a: 1\nb: 2\nc: 3\n"), note("a: 9\nb: 2\nc: 3\n")
    commented = note("# top\na: 1\nb: 2\n# low\nc: 4\n")
    expected = note("# top\na: 9\nb: 2\n# low\nc: 4\n")
    assert clean(merge(base, changed, commented, text_merge=never)) == expected
    assert clean(merge(base, commented, changed, text_merge=never)) == expected
    both = clean(
        merge(base, note("# up\na: 1\nb: 2\nc: 3\n"), note("a: 1\nb: 2\nc: 3\n# down\n"), text_merge=text_merge)
    )
    assert both == note("# up\na: 1\nb: 2\nc: 3\n# down\n")
    clash = merge(base, note("# x\na: 1\nb: 2\nc: 3\n"), note("# y\na: 1\nb: 2\nc: 3\n"), text_merge=text_merge)
    assert clash.conflicts == ("the comments in the front matter",)


def test_front_matter_that_one_or_both_sides_added() -> None:
    assert clean(merge(b"x\n", note("a: 1\n", "x\n"), b"x\ny\n", text_merge=never)) == note("a: 1\n", "x\ny\n")
    assert clean(merge(b"x\n", b"x\ny\n", note("a: 1\n", "x\n"), text_merge=never)) == note("a: 1\n", "x\ny\n")
    assert clean(merge(b"x\n", note("a: 1\n", "x\n"), note("b: 2\n", "x\n"), text_merge=never)) == note(
        "a: 1\nb: 2\n", "x\n"
    )


def test_a_closing_fence_without_newline_is_not_glued() -> None:
    assert clean(merge(b"---\na: 1\n---", b"---\na: 2\n---", note("a: 1\n", "new\n"), text_merge=never)) == note(
        "a: 2\n", "new\n"
    )


def test_front_matter_that_does_not_parse_is_text(text_merge: textmerge.TextMerge) -> None:
    broken = (CASES / "005-bad-yaml-stays-local/input/colon.md").read_bytes()
    ours, theirs = broken.replace(b"part two", b"part 2"), broken + b"added\n"
    assert clean(merge(broken, ours, theirs, text_merge=text_merge)) == ours + b"added\n"
    clash = merge(broken, ours, broken.replace(b"part two", b"part II"), text_merge=text_merge)
    assert clash == Merged(None, ("line 2",))


def test_front_matter_that_a_side_no_longer_has_is_text(text_merge: textmerge.TextMerge) -> None:
    base = b'---\n\nn: "q"\ntags: [x]\n---\n\n## K\n  ind\n'
    ours, theirs = base.replace(b"tags: [x]\n", b""), base.removeprefix(b"---\n")
    expected = b'\nn: "q"\n---\n\n## K\n  ind\n'
    assert clean(merge(base, ours, theirs, text_merge=text_merge)) == expected
    assert clean(merge(base, theirs, ours, text_merge=text_merge)) == expected
    # Without its closing fence, the front matter ends at a rule that the other side put into the text.
    theirs, ours = base.replace(b"]\n---\n", b"]\n"), base + b"more: [\n---\n"
    assert merge(base, ours, theirs, text_merge=text_merge) == Merged(None, ("the front matter",))


# -- bodies -----------------------------------------------------------------------------------------------


def test_changes_in_different_places(text_merge: textmerge.TextMerge) -> None:
    lines = [f"line {n}\n" for n in range(9)]
    base, ours, theirs = "".join(lines), "".join(["OURS\n", *lines[1:]]), "".join([*lines[:8], "THEIRS\n"])
    merged = merge(note("a: 1\n", base), note("a: 2\n", ours), note("a: 1\n", theirs), text_merge=text_merge)
    assert clean(merged) == note("a: 2\n", "".join(["OURS\n", *lines[1:8], "THEIRS\n"]))


def test_a_clash_names_its_lines_in_the_note(text_merge: textmerge.TextMerge) -> None:
    base = note("a: 1\n", "one\ntwo\nthree\nfour\n")
    ours, theirs = base.replace(b"two\nthree", b"2\n3"), base.replace(b"two\nthree", b"II\nIII")
    assert merge(base, ours, theirs, text_merge=text_merge) == Merged(None, ("lines 5-6",))
    both = merge(base, ours.replace(b"a: 1", b"a: 2"), theirs.replace(b"a: 1", b"a: 3"), text_merge=text_merge)
    assert both == Merged(None, ("a", "lines 5-6"))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ("x\n", "x\nperson\n", "x\nagent\n", "x\nperson\nagent\n"),
        ("x\n", "x\nperson", "x\nagent\n", "x\nperson\nagent\n"),
        ("x", "x\nperson\n", "x\nagent\n", "x\nperson\nagent\n"),
        ("x", "x\nperson", "x\nagent", "x\nperson\nagent"),
        ("x\n", "x changed\n", "x\nagent\n", "x changed\nagent\n"),
        ("x\n", "x\nperson\n", "x changed\n", "x changed\nperson\n"),
        ("x\n", "x changed\nagent\n", "x\nagent\n", "x changed\nagent\n"),
        ("x\n", "x\nsame\n", "x\nsame\nmore\n", "x\nsame\nmore\n"),
        ("x\n", "x\n\n## A\na\n", "x\n\n## B\nb\n", "x\n\n## A\na\n\n## B\nb\n"),
        ("x\n", "x\n\nfirst\n\n## A\n", "x\n\nfirst\n\n## B\n", "x\n\nfirst\n\n## A\n\n## B\n"),
        ("", "person\n", "agent\n", "person\nagent\n"),
        ("x\n", "", "x\nagent\n", "agent\n"),
        ("x\n", "x\naa\n", "x\na\n", "x\naa\na\n"),
        ("x\n", "x\na\nb\n", "x\nb\n", "x\na\nb\n"),
    ],
)
def test_appends_stay_side_by_side(
    base: str, ours: str, theirs: str, expected: str, text_merge: textmerge.TextMerge
) -> None:
    merged = merge(*(note("a: 1\n", body) for body in (base, ours, theirs)), text_merge=text_merge)
    assert clean(merged).decode() == note("a: 1\n", expected).decode()
    bare = merge(*(body.encode() for body in (base, ours, theirs)), text_merge=text_merge)
    assert clean(bare).decode() == expected


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        # no fence is lost, and no paragraph is cut
        ("", "```py\nx = 1\n```\n", "```py\ny = 2\n```\n", "```py\nx = 1\n```\n```py\ny = 2\n```\n"),
        ("", "```\n\nx\n```\n", "```\n\ny\n```\n", "```\n\nx\n```\n```\n\ny\n```\n"),
        ("", "p\n\n~~~\n```\nx\n~~~\n", "p\n\n~~~\n```\ny\n~~~\n", "p\n\n~~~\n```\nx\n~~~\n\n~~~\n```\ny\n~~~\n"),
        ("", "same\na\n", "same\nb\n", "same\na\nsame\nb\n"),
        ("", "same\n\na\n", "same\n\nb\n", "same\n\na\n\nb\n"),
        ("", "same\n\n", "same\n\nb\n", "same\n\nb\n"),
        ("```\n", "x\n```\n", "y\n```\n", None),
        ("", "```\nx\n", "y\n", None),
        # what was appended stays in its section
        ("", "- o\n\n## N\n\ntext\n", "- t\n", "- o\n- t\n\n## N\n\ntext\n"),
        ("", "- o\n\n## N\n\ntext", "- t\n", "- o\n- t\n\n## N\n\ntext"),
        ("", "- t\n", "- o\n\n## N\n\ntext\n", "- t\n- o\n\n## N\n\ntext\n"),
        ("", "\n## N\n", "- t\n", "- t\n\n## N\n"),
        ("", "- o\n\n## N\n\n- t\n", "- t\n", "- o\n- t\n\n## N\n\n- t\n"),
        ("", "- o\n- t\n\n## N\n", "- t\n", "- o\n- t\n\n## N\n"),
        ("- t\n", "\n## N\n", "- t\n", "- t\n\n## N\n"),
        ("", "## L\n\n- o\n\n## N\n", "## L\n\n- t\n", "## L\n\n- o\n\n- t\n\n## N\n"),
        ("", "```\n# no heading\n```\n", "- t\n", "```\n# no heading\n```\n- t\n"),
        ("", "- o\n\n## N\n", "- t\n\n## M\n", None),
        ("", "- o\n\n## N\n", "```\nt\n", None),
    ],
)
def test_appends_stay_whole_and_in_their_section(
    base: str, ours: str, theirs: str, expected: str | None, text_merge: textmerge.TextMerge
) -> None:
    base = f"# T\n{base}"
    merged = merge(*(text.encode() for text in (base, base + ours, base + theirs)), text_merge=text_merge)
    if expected is None:
        assert merged.conflicts
    else:
        assert clean(merged).decode() == base + expected


def test_an_append_below_rewritten_text_stays_in_its_section(text_merge: textmerge.TextMerge) -> None:
    base = b"# T\n- a\n"
    for ours in (b"# T\n- A\n\n## N\n", b"- a!\n"):
        assert merge(base, ours, base + b"- t\n", text_merge=text_merge).conflicts
        assert merge(base, base + b"- t\n", ours, text_merge=text_merge).conflicts
        assert clean(merge(base, ours, base + b"## M\n", text_merge=text_merge)) == ours + b"## M\n"
    both = b"# T\n- A\n- t\n\n## N\n"  # what theirs appended is there already
    assert clean(merge(base, both, base + b"- t\n\n## N\n", text_merge=text_merge)) == both
    for ours in (b"# T!\n- A\n", b"# T\n- A\n"):
        assert clean(merge(base, ours, base + b"- t\n", text_merge=text_merge)) == ours + b"- t\n"


def test_text_that_goes_on_in_the_last_line_is_no_append(text_merge: textmerge.TextMerge) -> None:
    assert merge(b"x", b"x person", b"x agent", text_merge=text_merge) == Merged(None, ("line 1",))


# -- line endings -----------------------------------------------------------------------------------------


def test_line_endings_alone_are_no_change(text_merge: textmerge.TextMerge) -> None:
    base = note("a: 1\nb: 2\n", "one\ntwo\nthree\n")
    ours = base.replace(b"one", b"1").replace(b"\n", b"\r\n")
    theirs = base.replace(b"three", b"3").replace(b"b: 2", b"b: 3")
    expected = note("a: 1\nb: 3\n", "1\ntwo\n3\n").replace(b"\n", b"\r\n")
    assert clean(merge(base, ours, theirs, text_merge=text_merge)) == expected
    lf = clean(merge(base.replace(b"\n", b"\r\n"), theirs, ours, text_merge=text_merge))
    assert lf == expected.replace(b"\r\n", b"\n")
    assert clean(merge(base, base.replace(b"\n", b"\r\n"), theirs, text_merge=never)) == theirs.replace(b"\n", b"\r\n")


def test_mixed_line_endings_stay_where_they_are(text_merge: textmerge.TextMerge) -> None:
    base = (CASES / "003-crlf-front-matter/input/mixed.md").read_bytes()
    ours = base.replace(b"type: note", b"type: task")
    theirs = base.replace(b"title: Mug", b"title: Cup") + b"More.\n"
    expected = base.replace(b"note", b"task").replace(b"title: Mug", b"title: Cup") + b"More.\n"
    assert clean(merge(base, ours, theirs, text_merge=text_merge)) == expected
    ours = b"a\r\nb\nc\r\nd\n"
    assert clean(merge(b"a\nb\nc\n", ours, b"A\nb\nc\n", text_merge=text_merge)) == b"A\nb\nc\r\nd\n"


# -- laws -------------------------------------------------------------------------------------------------

KEYS = ["version", "date", "tags", "name", "up"]
LINES = {
    "version": st.integers(1, 9).map(lambda n: f"version: {n}"),
    "date": st.integers(1, 9).map(lambda n: f"date: 2026-01-0{n}"),
    "tags": st.lists(st.sampled_from("abcd"), unique=True).map(lambda tags: f"tags: [{', '.join(tags)}] # t"),
    "name": st.sampled_from(["name: x", "name: 'x'", "name: y # c", "name:"]),
    "up": st.sampled_from(["up: [[Home]]", "up:\n  - a", "up: >-\n  folded\n  text"]),
}
BODIES = st.lists(st.sampled_from(["one", "two", "", "- [ ] three", "# four"]), max_size=5).map("\n".join)


@st.composite
def notes(draw: st.DrawFn, keys: list[str] = KEYS) -> bytes:
    chosen = draw(st.lists(st.sampled_from(keys), unique=True)) if keys else []
    head = "".join(draw(LINES[key]) + "\n" for key in chosen)
    fenced = bool(chosen) or draw(st.booleans())
    text = f"---\n{head}---\n{draw(BODIES)}" if fenced else draw(BODIES)
    text += draw(st.sampled_from(["", "\n"]))
    return (text.replace("\n", "\r\n") if draw(st.booleans()) else text).encode()


@given(notes(), notes())
def test_what_one_side_did_is_the_result(base: bytes, changed: bytes) -> None:
    assert merge(base, base, changed, text_merge=never) == Merged(changed)
    assert merge(base, changed, base, text_merge=never) == Merged(changed)
    assert merge(base, changed, changed, text_merge=never) == Merged(changed)
    assert merge(None, changed, None, text_merge=never) == Merged(changed)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(notes(), notes(), notes())
def test_a_result_is_whole_and_has_no_markers(base: bytes, ours: bytes, theirs: bytes) -> None:
    merged = merge(base, ours, theirs, text_merge=textmerge.text_merge_by(mergedriver._git_alone))
    if merged.conflicts:
        assert all(merged.conflicts)
        return
    result = clean(merged)
    assert b"<<<<<<<" not in result
    assert b">>>>>>>" not in result
    assert frontmatter.read(result).problems == []
    lines = {line.rstrip(b"\r") for side in (base, ours, theirs) for line in side.split(b"\n")}
    for line in frontmatter_free(result).split(b"\n"):
        assert line.rstrip(b"\r") in lines  # nothing is glued


def frontmatter_free(data: bytes) -> bytes:
    found = frontmatter.block(data)
    return data[found.body :] if found else data


@given(st.data())
def test_changes_of_different_properties_commute(data: st.DataObject) -> None:
    values = {key: data.draw(LINES[key]) for key in KEYS}
    mine = data.draw(st.sets(st.sampled_from(KEYS)))

    def side(keys: set[str]) -> bytes:
        lines = [data.draw(LINES[key]) if key in keys else line for key, line in values.items()]
        return note("".join(line + "\n" for line in lines if line))

    base, ours, theirs = side(set()), side(mine), side(set(KEYS) - mine)
    one, other = (merge(base, *pair, text_merge=never) for pair in ((ours, theirs), (theirs, ours)))
    expected: dict[str, Any] = {key: frontmatter.read(ours if key in mine else theirs).values[key] for key in KEYS}
    assert frontmatter.same(frontmatter.read(clean(one)).values, expected)
    assert frontmatter.same(frontmatter.read(clean(other)).values, expected)


APPENDED = st.lists(st.text("abc -", min_size=1), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["", "x", "x\n", "x\r\ny\r\n", "---\na: 1\n---\nx\n"]), APPENDED, APPENDED, st.booleans())
def test_both_appends_are_kept(base: str, mine: list[str], yours: list[str], ended: bool) -> None:
    newline = "\r\n" if "\r" in base else "\n"
    seam = "" if base.endswith("\n") or not base else newline
    ours, theirs = (base + seam + newline.join(lines) + (newline if ended else "") for lines in (mine, yours))
    merged = merge(
        base.encode(), ours.encode(), theirs.encode(), text_merge=textmerge.text_merge_by(mergedriver._git_alone)
    )
    lines = clean(merged).decode().splitlines()
    assert lines[: len(base.splitlines())] == base.splitlines()
    for wanted in (mine, yours):
        found = iter(lines[len(base.splitlines()) :])
        assert all(line in found for line in wanted)  # in this order


# -- git --------------------------------------------------------------------------------------------------


def test_git_text_merge_tells_a_conflict_from_a_failure(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    text_merge = textmerge.git_text_merge(repo)
    assert text_merge(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n") == b"A\nb\nC\n"
    assert text_merge(b"a\n", b"b\n", b"c\n") is None
    assert text_merge(b"a\n", b"b\0\n", b"c\n") is None
    failed = subprocess.CompletedProcess([], 255, b"", b"fatal: out of memory")
    monkeypatch.setattr(Repository, "call", lambda *args, **kwargs: failed)
    with pytest.raises(GitError, match="out of memory"):
        textmerge.git_text_merge(repo)(b"a\n", b"b\n", b"c\n")


def driver(folder: Path, base: bytes, ours: bytes, theirs: bytes, path: str = "skills/a.md") -> tuple[int, bytes]:
    folder = folder / "driver"
    folder.mkdir(exist_ok=True)
    files = [folder / name for name in ("base", "ours", "theirs")]
    for file, data in zip(files, (base, ours, theirs), strict=True):
        file.write_bytes(data)
    code = mergedriver.merge_driver(None, str(files[0]), str(files[1]), str(files[2]), path, 9)
    assert sorted(folder.iterdir()) == sorted(files)
    return code, files[1].read_bytes()


def test_the_driver_merges_by_property(tmp_path: Path) -> None:
    base, ours, theirs = (note(f"version: {n}\nb: {b}\n") for n, b in ((1, 0), (3, 0), (2, 1)))
    assert driver(tmp_path, base, ours, theirs) == (0, note("version: 3\nb: 1\n"))


def test_the_driver_leaves_the_usual_markers(tmp_path: Path) -> None:
    code, text = driver(tmp_path, note("a: 1\n"), note("a: 2\n"), note("a: 3\n"))
    assert code == 1
    assert text == b"---\n<<<<<<<<< ours\na: 2\n=========\na: 3\n>>>>>>>>> theirs\n---\nbody\n"


def test_the_driver_on_a_file_that_both_sides_added(tmp_path: Path) -> None:
    code, text = driver(tmp_path, b"", note("a: 1\n", "x\n"), note("a: 1\n", "y\n"))
    assert code == 1
    assert b"x\n=========\ny\n" in text
    assert driver(tmp_path, b"", note("a: 1\n"), note("a: '1'\n").replace(b"'", b"")) == (0, note("a: 1\n"))


def test_the_driver_does_not_let_a_property_through_twice(tmp_path: Path) -> None:
    base = "".join(f"k{n}: 0\n" for n in range(9))
    code, text = driver(tmp_path, note(base), note("x: 1\n" + base), note(base + "x: 2\n"))
    assert code == 1
    assert text == note("x: 1\n" + base + "x: 2\n")


def test_a_failure_of_ours_is_gits_own_merge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **kwargs: object) -> Merged:
        raise RuntimeError("a bug")

    monkeypatch.setattr(mergedriver, "merge", broken)
    assert driver(tmp_path, b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n") == (0, b"A\nb\nC\n")
    monkeypatch.undo()
    monkeypatch.setattr(mergedriver, "_replace", broken)
    assert driver(tmp_path, b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n") == (0, b"A\nb\nC\n")


def test_other_files_are_text_to_the_driver(tmp_path: Path) -> None:
    assert driver(tmp_path, b"x\n", b"x\nours\n", b"x\ntheirs\n", "a.txt")[0] == 1
    assert driver(tmp_path, b"x\n", b"x\nours\n", b"x\ntheirs\n", "a.MD") == (0, b"x\nours\ntheirs\n")
    assert driver(tmp_path, b"x\0\n", b"y\0\n", b"z\0\n") == (1, b"y\0\n")


def test_git_revert_of_an_old_molt_through_the_driver(tmp_path: Path) -> None:
    """P6 with real git: version and last_updated do not conflict, and the old step is back."""
    import sys

    call = "from vaultgit.edits.mergedriver import merge_driver as d; import sys; sys.exit(d(None, *sys.argv[1:5]))"
    root = Path(textmerge.__file__).parents[2]
    script = tmp_path / "driver.py"
    script.write_text(f"import sys; sys.path.insert(0, {str(root)!r})\n{call}\n")
    vault = tmp_path / "vault"
    vault.mkdir()

    def git(*args: str) -> str:
        return subprocess.run(
            ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid", *args],
            cwd=vault, env=clean_environment(), check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip

    git("init", "-q")
    git("config", "merge.vaultgit.driver", f'"{sys.executable}" "{script}" %O %A %B %P')
    (vault / ".gitattributes").write_text("*.md merge=vaultgit\n")
    skill = vault / "brew.md"
    for text in (
        molt(2, "2026-02-01", "Steep two minutes."),
        molt(3, "2026-03-01", "Steep five minutes."),
        molt(4, "2026-04-01", "Steep five minutes.", "new tail\n"),
    ):
        skill.write_bytes(text)
        git("add", "-A")
        git("commit", "-qm", "molt")
    git("revert", "--no-edit", "HEAD~1")
    assert skill.read_bytes() == molt(4, "2026-04-01", "Steep two minutes.", "new tail\n")
    assert git("status", "--porcelain") == ""
