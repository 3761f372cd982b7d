"""The text of a session's note: names, times, lines, and how it is carried on. No git, no disk."""

from __future__ import annotations

from datetime import datetime
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.checks import names
from vaultgit.edits.edit import session_word
from vaultgit.notes import frontmatter
from vaultgit.notes.links import links
from vaultgit.passes import session_note as note
from vaultgit.passes.session_note import Facts
from vaultgit.passes.session_note import Said

BEGAN = datetime.fromisoformat("2026-11-29T21:10:00+01:00")
FACTS = Facts(
    "s-1", "codex", "Launch notes", BEGAN, ["projects/nova.md"], ["skills/release-notes.md"],
    [Said("did:1", "- 21:11 projects/nova: owner changed")], [Said("said:0", "- 21:12 date first")],
    ["people/ada.md"], "All done.",
)  # fmt: skip
TEXT = """\
---
type: session
date: 2026-11-29
agent: codex
task: Launch notes
touched:
  - "[[projects/nova]]"
skills:
  - "[[skills/release-notes]]"
session: s-1
---
# Launch notes

All done.

## Did

- 21:11 projects/nova: owner changed

## Noted

- 21:12 date first

## Read

- [[people/ada]]
"""


# -- slugs and ids -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "slug"),
    [
        ("Launch notes for Nova", "launch-notes-for-nova"), ("  ../../etc/passwd  ", "etc-passwd"), ("", "session"),
        ("!!! ???", "session"), ("Grüße an Ærø", "grüsse-an-ærø"), ("日本語のタスク", "日本語のタスク"),
        ("हिन्दी में काम", "हिन्दी-में-काम"), ("don't stop", "dont-stop"), ("CON", "con"), ("a_b.c", "a-b-c"),
        ("one two three four five six seven eight nine ten", "one-two-three-four-five-six-seven-eight"),
        ("x" * 100, "x" * 40), ("e\u0301t\u00e9", "été"), ("\u0301", "session"), ("a\nb\x00c\ud800d", "a-b-c-d"),
    ],
)  # fmt: skip
def test_a_slug_is_the_task_in_letters_digits_and_dashes(task: str, slug: str) -> None:
    assert note.slug(task) == slug


@given(st.text())
def test_every_slug_is_a_name_that_every_system_can_hold_and_a_link_can_name(task: str) -> None:
    slug = note.slug(task)
    path = f"sessions/2026-11-29-{slug}.md"
    assert names.not_portable([path]) == [] and names.conflict_copies([path], [path]) == []
    assert len(slug) <= 40 and note.slug(slug) == slug
    assert [one.target for one in links(note.link(path))] == [path.removesuffix(".md")]


@given(st.text(st.characters(codec=None)))
def test_an_id_of_a_client_is_one_line_that_hides_nothing(session: str) -> None:
    word = session_word(session)
    assert "\n" not in word and "%%" not in word and "<!--" not in word and len(word) <= 200
    assert session_word(word) == word
    word.encode()


# -- lines -------------------------------------------------------------------------------------------------------


def test_a_time_of_another_day_says_the_day() -> None:
    assert note.clock_time(BEGAN, BEGAN) == "21:10"
    assert note.clock_time(BEGAN + timedelta(hours=4), BEGAN) == "2026-11-30 01:10"
    assert note.clock_time(datetime.fromisoformat("2026-11-29T20:11:00+00:00"), BEGAN) == "21:11"


def test_further_lines_of_a_remark_are_no_headings_and_open_no_fence() -> None:
    said = note.item("21:12", "first\n## Did\n```\n<!-- hidden\n\n%% gone")
    assert said.startswith("- 21:12 first\n    ## Did\n    ```\n      hidden\n      gone")
    data = note.carried_on(note.made(FACTS._replace(noted=[Said("a", said)]), "type"), FACTS._replace(summary=""), "")
    assert data.decode().count("\n## Did\n") == 1


def test_a_fence_that_a_summary_leaves_open_is_closed() -> None:
    assert note.paragraphs("see\n````text\n```\nx") == "see\n````text\n```\nx\n````"
    assert note.paragraphs("see\n```\nx\n```\n") == "see\n```\nx\n```"


# -- the note ----------------------------------------------------------------------------------------------------


def test_a_note_says_what_was_done_noted_and_read() -> None:
    assert note.made(FACTS, "type").decode() == TEXT


def test_names_that_no_link_can_hold_get_none() -> None:
    facts = FACTS._replace(touched=["notes/c#.md", "a|b.md", "board.canvas"], read=["x[1].md"])
    values = frontmatter.read(note.made(facts, "type")).values
    assert values["touched"] == ["[[board.canvas]]"] and "## Read" not in note.made(facts, "type").decode()


def test_hundreds_of_notes_read_make_no_hub() -> None:
    text = note.made(FACTS._replace(read=[f"n/{n}.md" for n in range(100)]), "type").decode()
    assert text.count("- [[n/") == 30 and text.endswith("- and 70 more\n")


def test_what_goes_on_is_added_and_what_a_person_changed_stays() -> None:
    mine = (
        TEXT.replace("- 21:11 projects/nova: owner changed\n", "")  # taken out: it stays out
        .replace("All done.", "All done, *nearly*.")
        .replace("## Noted\n\n", "## Noted\n\nmy own words\n\n")
        .replace("# Launch notes\n", "# Launch notes\n\n![[photo.png]]\n")
        .replace("session: s-1\n", "session: s-1\nrating: 5\n")
    )
    written = FACTS.keys()
    more = FACTS._replace(
        touched=[*FACTS.touched, "people/ada.md"], did=[*FACTS.did, Said("did:2", "- 21:20 people/ada: added")],
        noted=[*FACTS.noted, Said("said:1", "- 21:21 two")], read=["Home.md"], summary="Truly done.",
    )  # fmt: skip
    text = note.carried_on(mine.encode(), more.beyond(written)._replace(summary="Truly done."), "All done.").decode()
    assert "projects/nova: owner changed" not in text and "my own words" in text and "rating: 5" in text
    for new, heading, after in (
        ("- 21:20 people/ada: added", "## Did", "## Noted"), ("- 21:21 two", "## Noted", "## Read"),
        ("- [[Home]]", "## Read", "## Summary"), ("Truly done.", "## Summary", ""),
    ):  # fmt: skip
        assert text.index(heading) < text.index(new) < (text.index(after) if after else len(text)), text
    added = ["- 21:20 people/ada: added", "- 21:21 two", "- [[Home]]", '  - "[[people/ada]]"', "Truly done."]
    lines = [line for line in text.splitlines() if line not in (*added, "## Summary", "")]
    assert lines == [line for line in mine.splitlines() if line], "nothing else has changed"


def test_a_summary_that_still_stands_is_replaced() -> None:
    text = note.carried_on(TEXT.encode(), Facts("s-1", "codex", "t", BEGAN, summary="Better."), "All done.").decode()
    assert text == TEXT.replace("All done.", "Better.")


def test_line_endings_stay_what_they_are() -> None:
    crlf = TEXT.replace("\n", "\r\n").encode()
    more = Facts("s-1", "codex", "t", BEGAN, did=[Said("x", "- 21:20 y: z")], touched=["y.md"])
    data = note.carried_on(crlf, more, "")
    assert data.count(b"\n") == data.count(b"\r\n") and b"- 21:20 y: z\r\n" in data


@given(st.lists(st.text(), max_size=4), st.text(), st.text(max_size=300))
def test_whatever_is_noted_the_front_matter_reads_back(said: list[str], summary: str, task: str) -> None:
    facts = FACTS._replace(
        noted=[Said(str(n), note.item("21:10", one)) for n, one in enumerate(said)],
        summary=note.paragraphs(summary), task=note.one_line(task) or "x",
    )  # fmt: skip
    read = frontmatter.read(note.made(facts, "type"))
    assert not read.problems and read.values["task"] == facts.task and read.values["session"] == "s-1"
    again = frontmatter.read(note.carried_on(note.made(facts, "type"), facts, facts.summary))
    assert not again.problems and again.values == read.values
