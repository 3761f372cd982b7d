"""What of a note is given: whole where it fits, else its best lines, whole ones, never more than the room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.recall import words
from vaultgit.recall.excerpt import GAP
from vaultgit.recall.excerpt import excerpt
from vaultgit.recall.excerpt import tokens

NOTE = (
    "---\ntype: project\nname: Nova\nstatus: active\nmood: calm\n---\n# Nova\n\n"
    + "".join(f"filler number {n} says little\n\n" for n in range(60))
    + "## Peanuts\n\n- Dad is allergic to peanuts.\n- He carries a pen.\n\n## Later\n\n"
    + "".join(f"more of nothing, {n}\n\n" for n in range(60))
)


def asked(text: str) -> dict[str, float]:
    return {stem: 1.0 for word in words.found(text) for stem in words.stem(word).split()}


def test_a_token_is_four_bytes_or_one_character_of_a_script_without_spaces() -> None:
    assert tokens("") == 0
    assert tokens("abcd") == 1
    assert tokens("abcde") == 2
    assert tokens("日本語") == 3
    assert tokens("日本語 abc") == 4
    assert tokens("élan") == 2


def test_a_small_note_comes_whole_with_its_front_matter() -> None:
    found = excerpt(b"---\ntype: person\n---\nBorn 1815.\n", asked("nothing"), 100)
    assert found == ("---\ntype: person\n---\nBorn 1815.\n", True)


def test_of_a_large_note_come_the_lines_that_match_with_their_heading() -> None:
    found = excerpt(NOTE.encode(), asked("who is allergic to peanuts"), 60)
    assert not found.whole
    lines = found.text.splitlines()
    assert "- Dad is allergic to peanuts." in lines and "## Peanuts" in lines
    assert lines[0] == "status: active"
    assert "mood: calm" not in lines
    assert not any("filler" in line or "nothing" in line for line in lines)
    assert lines[-1] == GAP
    assert lines.index("## Peanuts") < lines.index("- Dad is allergic to peanuts.")
    assert lines[lines.index("## Peanuts") - 1] == GAP


def test_lines_are_whole() -> None:
    given_lines = excerpt(NOTE.encode(), asked("peanuts filler 7"), 80).text.splitlines()
    assert given_lines
    assert all(line in NOTE.splitlines() or line in (GAP, "") for line in given_lines)


def test_a_note_that_is_needed_as_a_whole_comes_from_its_beginning_where_nothing_matches() -> None:
    assert excerpt(NOTE.encode(), asked("zebra"), 60).text == ""
    filled = excerpt(NOTE.encode(), asked("zebra"), 60, fill=True)
    assert "# Nova" in filled.text and "filler number 0" in filled.text
    assert tokens(filled.text) <= 62


def test_only_the_lines_that_match_of_a_daily_note_even_where_all_would_fit() -> None:
    daily = b"# 2026-11-28\n\n## Morning\n\n- bought bread\n- Dad is allergic to peanuts\n- slept\n"
    found = excerpt(daily, asked("peanuts"), 1000, matching=True)
    assert found.text == "…\n## Morning\n…\n- Dad is allergic to peanuts\n…\n"
    assert excerpt(daily, asked("zebra"), 1000, matching=True).text == ""


def test_what_the_body_answers_is_not_crowded_out_by_properties() -> None:
    head = "---\n" + "".join(f"peanut{n}: peanuts and nuts\n" for n in range(30)) + "---\n"
    note = (head + "# Long\n\n" + "filler\n\n" * 300 + "- Dad is allergic to peanuts.\n").encode()
    assert "- Dad is allergic to peanuts." in excerpt(note, asked("allergic to peanuts"), 30).text
    assert "nuts" not in excerpt(note, asked("allergic to peanuts"), 12).text


def test_properties_alone_are_not_given_for_a_note_that_is_needed_as_a_whole() -> None:
    note = b"---\nstatus: active\n---\n" + b"a rather long first line of the note\n" * 20
    assert excerpt(note, asked("zebra"), 13, fill=True).text == ""


def test_a_note_that_matches_in_its_properties_alone_gives_those() -> None:
    note = ("---\ntags: [peanuts, zebra]\nmood: calm\n---\n" + "filler\n\n" * 300).encode()
    assert excerpt(note, asked("zebra"), 60).text == "tags: [peanuts, zebra]\n\n…\n"


def test_a_heading_inside_code_is_none() -> None:
    note = b"# Real\n\n```\n# not one\n```\n\n" + b"x\n\n" * 200 + b"the peanut\n" + b"y\n\n" * 200
    text = excerpt(note, asked("peanut"), 40).text
    assert "# Real" in text and "# not one" not in text


def test_a_line_longer_than_the_room_is_cut_at_what_is_asked_for() -> None:
    note = ("word " * 100_000 + "the peanuts are here " + "word " * 100_000).encode()
    found = excerpt(note, asked("peanuts"), 50)
    assert "peanuts" in found.text
    assert found.text.startswith(GAP) and found.text.endswith(GAP + "\n")
    assert tokens(found.text) <= 50


@pytest.mark.parametrize(
    "text", ["日本語の長い文章。" * 2000, "\x00\n" * 9999, "", "\n\n\n", "---\n", "---\na: 1\n---"]
)
def test_odd_notes_are_no_trouble(text: str) -> None:
    for room in (12, 50, 1000):
        for options in ({}, {"fill": True}, {"matching": True}):
            assert tokens(excerpt(text.encode(), asked("日本 a"), room, **options).text) <= room + 4


@given(st.text(alphabet="ab #-`\n日é", max_size=400), st.integers(12, 60), st.booleans())
def test_the_room_is_kept_and_lines_stay_in_order(text: str, room: int, fill: bool) -> None:
    found = excerpt(text.encode(), asked("a b ab 日"), room, fill=fill)
    assert tokens(found.text) <= room + 8
    if not found.whole:
        there = iter(text.split("\n"))
        kept = [line for line in found.text.splitlines() if line and GAP not in line]
        assert all(any(line == other for other in there) for line in kept)
