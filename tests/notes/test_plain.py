"""Words of somebody else as a line of a note: shown, and nothing else (promise P9)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.notes.plain import plain

# What would load, run, hide or change something where Obsidian or a plugin of it meets it.
HARM = (
    re.compile(r"!\["),
    re.compile(r"<[A-Za-z/!?%]"),
    re.compile(r"%%"),
    re.compile(r"```|~~~"),
    re.compile(r"`\s*\$?="),
    re.compile(r"\]\((?!\s*<?(?:https?://|mailto:|[^\s:()<>]+\.md\b))", re.IGNORECASE),
    re.compile(r"(?<!\S)#[^\W\d_]"),
    re.compile(r"\s\^[A-Za-z0-9-]+$"),
    re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"),
)
PARTS = st.sampled_from(
    ["![", "[", "](", "](http://x.example)", "](obsidian://run)", "<", "%", "%%", "`", "``", "=", "$=", "#tag", "#", " ^id",
     "\n", "\t", " ", "- ", "[x] ", "word", "ö", "\u202e", "\ud83d", "\0", "<%", "<script>", "|", "---", "1. ", "~~~"]
)  # fmt: skip


@given(st.lists(PARTS | st.text(max_size=5), max_size=12).map("".join))
def test_nothing_in_a_line_does_anything(text: str) -> None:
    line = plain(text)
    assert not [pattern.pattern for pattern in HARM if pattern.search(line)]
    assert len(line) <= 400 and line == line.strip()


@given(st.lists(PARTS, max_size=12).map("".join))
def test_a_plain_line_stays_as_it_is(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("We decided: 3 < 4, 50 % of `x = 1`, see [[people/ada|Ada]] & C#.", None),
        ("[docs](https://example.org/a_b) and [[note]]", None),
        ("issue #88 is open", None),
        ("- [ ] ask Marta", "ask Marta"),
        ("1. first", "first"),
        ("## heading", "heading"),
        ("> quoted", "quoted"),
        ("![pixel](https://example.org/p.png?q=secret)", "[pixel](https://example.org/p.png?q=secret)"),
        ("![[private]]", "[[private]]"),
        ("<img src=x>", "&lt;img src=x>"),
        ("<% tp.file.delete() %>", "&lt;% tp.file.delete() %>"),
        ("a ` = dv.current()` b", "a = dv.current() b"),
        ("hidden %%comment%%", "hidden %comment%"),
        ("tagged #urgent", "tagged \\#urgent"),
        ("two\nlines", "two lines"),
        ("x" * 10 + " " + "y" * 500, "x" * 10 + " …"),
        ("", ""),
        ("---", ""),
    ],
)
def test_what_becomes_of_a_line(text: str, line: str | None) -> None:
    assert plain(text) == (text if line is None else line)
