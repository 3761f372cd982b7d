"""changelog.md as text (promises P1 and P3): lines survive the round trip, and a person's text is kept byte for byte."""

from __future__ import annotations

import re
from datetime import datetime
from datetime import timedelta
from datetime import timezone

import pytest
from hypothesis import example
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.edits import changelog
from vaultgit.edits.changelog import Line

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
IDS = st.text(ALPHABET, min_size=16, max_size=16)
SUBJECTS = st.one_of(
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1, max_size=100),
    st.sampled_from([
        "people/ada: born 1815 (not 1816)", "a: see ^01jdx3k9m2qtw7ab", "a (b) ^01jdx3k9m2qtw7ab", "(", ") (", "^", "()",
        "a: x (codex) ^01jdx3k9m2qtw7ab ", "- 2026-11-29 21:10 a: b (c) ^01jdx3k9m2qtw7ab", "größe/Ω: 日本語 🙂",
        "e\u0301 and \u00e9", "a: \u2028 b", "a:\tb", " ", "\ufeff", "\r",
    ]),
)  # fmt: skip
AUTHORS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30)
TIMES = st.datetimes(
    datetime(2000, 1, 1), datetime(2099, 12, 31),
    timezones=st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m))),
)  # fmt: skip
LINES = st.builds(changelog.line, SUBJECTS, AUTHORS, TIMES, IDS)
SETS = st.lists(LINES, max_size=6, unique_by=lambda line: line.id)

# What a person may have in the file: no line of theirs is one of ours, all else goes.
TEXT_LINES = st.one_of(
    st.sampled_from([
        b"# Changelog", b"## Mine", b"", b" ", b"- a list", b"  - deeper", b"- 2026-11-29 21:10 no id (me)", b"\xef\xbb\xbf# t",
        b"---", b"> - 2026-11-29 21:10 a: quoted (codex) ^01jdx3k9m2qtw7ab", b"\xff latin1", b"text\r", b"\r", b"\x00", b"%% x %%",
        b"- 2026-11-29 21:10 a: ids have no u (codex) ^01jdx3k9m2qtw7au", b"* 2026-11-29 21:10 a: b (c) ^01jdx3k9m2qtw7ab",
    ]),
    st.binary(max_size=20).map(lambda raw: raw.replace(b"\n", b"")),
)  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file of a person's lines and ours in any order; CRLF or not; with a last line end or without; a BOM or not."""
    ours = LINES.map(lambda line: str(line).encode())
    eol = draw(st.sampled_from([b"\n", b"\r\n"]))
    found = draw(st.lists(st.one_of(TEXT_LINES, ours), max_size=12))
    ends = [eol if draw(st.integers(0, 9)) else draw(st.sampled_from([b"\n", b"\r\n"])) for _ in found]
    if ends and draw(st.booleans()):
        ends[-1] = b""
    start = b"\xef\xbb\xbf" if draw(st.integers(0, 5)) == 0 else b""
    return start + b"".join(line + end for line, end in zip(found, ends, strict=True))


OURS = re.compile(rb"- \d{4}-\d\d-\d\d \d\d:\d\d .* \([^()]*\) \^[0-9a-hjkmnp-tv-z]{16}[ \t]*\r*(\n|\Z)")


def theirs(data: bytes) -> bytes:
    """All that is not a line of ours, with the line ends of what is."""
    bom = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    rest = data[len(bom) :]
    return bom + b"".join(line for line in re.findall(rb"[^\n]*\n|[^\n]+\Z", rest) if not OURS.fullmatch(line))


@given(LINES)
def test_p1_a_line_is_read_back_as_it_was_written(line: Line) -> None:
    text = str(line).encode()
    assert changelog.parse(text) == {line.id: line}
    assert changelog.parse(b"x\n" + text + b"\r\n\n") == {line.id: line}
    assert b"\n" not in text


@given(SETS)
def test_p1_a_new_file_holds_exactly_the_lines(lines: list[Line]) -> None:
    text = changelog.render(None, lines)
    assert text.startswith(changelog.HEADER.encode())
    assert changelog.parse(text) == {line.id: line for line in lines}


@given(files(), SETS)
@example(b"- 2026-11-29 21:10 a: b (c) ^01jdx3k9m2qtw7ab", [])
@example(b"mine\n- 2026-11-29 21:10 a: b (c) ^01jdx3k9m2qtw7ab", [])
@example(b"\xef\xbb\xbf- 2026-11-29 21:10 a: b (c) ^01jdx3k9m2qtw7ab\nmine", [])
@example(b"mine", [])
@example(b" \n", [])
def test_p3_a_persons_text_is_kept_in_order_byte_for_byte(existing: bytes, lines: list[Line]) -> None:
    text = changelog.render(existing, lines)
    assert changelog.parse(text) == {line.id: line for line in lines}
    kept, now = theirs(existing), theirs(text)
    if not kept.strip():
        return  # nothing of theirs but blanks
    # Where none of our lines stood, they come behind a blank line of ours; a last line without its end gets one.
    added = now[len(kept) :] if now.startswith(kept) else None
    assert added is not None, (kept, now)
    assert added in (b"", b"\n", b"\r\n", b"\n\n", b"\r\n\r\n", b"\n\r\n")
    if changelog.parse(existing) or not lines:
        assert added == b""


@given(files(), SETS)
@example(b"- 2026-11-29 21:10 a: b (c) ^01jdx3k9m2qtw7ab\n", [])
@example(b"", [])
@example(b"\n\n", [])
def test_p1_rendering_again_changes_nothing(existing: bytes, lines: list[Line]) -> None:
    once = changelog.render(existing, lines)
    assert changelog.render(once, lines) == once
    assert changelog.render(once, reversed(lines)) == once


@given(files(), SETS, SETS)
def test_p1_only_the_last_set_of_lines_counts(existing: bytes, first: list[Line], then: list[Line]) -> None:
    text = changelog.render(changelog.render(existing, first), then)
    assert changelog.parse(text) == {line.id: line for line in then}


@given(st.one_of(st.none(), files()), SETS)
def test_p1_the_newest_line_is_the_first_and_all_stand_together(existing: bytes | None, lines: list[Line]) -> None:
    text = changelog.render(existing, lines).replace(b"\r\n", b"\n")
    block = b"\n".join(str(line).encode() for line in sorted(lines, key=lambda one: one.newest_first, reverse=True))
    assert block.replace(b"\r\n", b"\n") in text
    days = [line.day + line.time for line in changelog.parse(text).values()]
    assert days == sorted(days, reverse=True)


def test_p3_an_empty_file_of_a_persons_stays_empty_where_there_is_no_line() -> None:
    assert changelog.render(b"", []) == b""
    assert changelog.render(b"\n", []) == b"\n"


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_p3_line_ends_are_the_files(eol: str) -> None:
    line = Line("2026-11-29", "21:10", "a: b", "codex", "01jdx3k9m2qtw7ab")
    other = line._replace(id="01jdx3k9m2qtw7ac", subject="a: c")
    mine = eol.join(["# Mine", "", "between", str(line), "below", ""]).encode()
    text = changelog.render(mine, [line, other])
    assert text == eol.join(["# Mine", "", "between", str(other), str(line), "below", ""]).encode()


@pytest.mark.parametrize(
    "text",
    ["- 2026-11-29 21:10 a: b (codex) ^01jdx3k9m2qtw7a", "- 2026-11-29 21:10 a: b (codex) ^01jdx3k9m2qtw7abc",
     "- 2026-11-29 21:10 a: b ^01jdx3k9m2qtw7ab", "  - 2026-11-29 21:10 a: b (codex) ^01jdx3k9m2qtw7ab",
     "- 2026-11-29 21:10 a: b (codex) ^01JDX3K9M2QTW7AB", "- 2026-11-29 a: b (codex) ^01jdx3k9m2qtw7ab"],
)  # fmt: skip
def test_p3_what_only_looks_like_a_line_is_a_persons(text: str) -> None:
    assert changelog.parse(text.encode()) == {}
    line = Line("2026-11-29", "21:10", "a: b", "codex", "01jdx3k9m2qtw7ab")
    assert changelog.render(text.encode() + b"\n", [line]) == f"{text}\n\n{line}\n".encode()


def test_an_author_with_parentheses_cannot_blur_where_the_subject_ends() -> None:
    when = datetime.fromisoformat("2026-11-29T21:10:00+01:00")
    line = changelog.line("a: b (c)", "Ada (the person) ^01jdx3k9m2qtw7zz", when, "01jdx3k9m2qtw7ab")
    assert str(line) == "- 2026-11-29 21:10 a: b (c) (Ada [the person] ^01jdx3k9m2qtw7zz) ^01jdx3k9m2qtw7ab"
    assert changelog.parse(str(line).encode()) == {line.id: line}


DAYS = st.dates(datetime(2024, 1, 1).date(), datetime(2028, 12, 31).date()).map(lambda day: day.isoformat())


@given(DAYS, DAYS, st.integers(1, 14))
def test_the_newest_months_stay_and_each_older_one_has_its_file(day: str, newest: str, kept: int) -> None:
    path = changelog.file_of(day, newest, kept)
    age = (int(newest[:4]) - int(day[:4])) * 12 + int(newest[5:7]) - int(day[5:7])
    assert path == (changelog.FILE if age < kept else f"changelog/{day[:7]}.md")
    assert changelog.is_ours(path)


@pytest.mark.parametrize(
    ("day", "newest", "path"),
    [("2026-11-01", "2026-12-31", "changelog.md"), ("2026-10-31", "2026-12-01", "changelog/2026-10.md"),
     ("2025-12-31", "2026-01-01", "changelog.md"), ("2025-11-30", "2026-01-01", "changelog/2025-11.md"),
     ("2027-01-01", "2026-11-29", "changelog.md")],
)  # fmt: skip
def test_two_months_are_kept(day: str, newest: str, path: str) -> None:
    assert changelog.file_of(day, newest, 2) == path


@given(st.lists(DAYS, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_the_cut_does_not_depend_on_the_order_of_writes(days: list[str], chance: object) -> None:
    """What has been moved away once stays there: the newest day only grows."""

    def cut(order: list[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        newest = ""
        there: list[str] = []
        for day in order:
            newest = max(newest, day)
            there.append(day)
            for one in list(there):
                path = changelog.file_of(one, newest, 2)
                if path != changelog.FILE:
                    there.remove(one)
                    found.setdefault(path, []).append(one)
        found[changelog.FILE] = there
        return {path: sorted(lines) for path, lines in found.items()}

    shuffled = list(days)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert cut(days) == cut(shuffled) == cut(sorted(days))
