"""Words, times and keys from any JSON value: valid UTF-8 without control characters, and nothing raises (case 045)."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest
from hypothesis import example
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.agents import speech


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("cut emoji \ud83d here", "cut emoji \ufffd here"),
        ("byte \udcb2 and nul \x00 and \x1b[31mred\x1b[0m", "byte \ufffd and nul  and red"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b(Bc", "abc"),
        ("a\x1b]0;no end\nb", "a\nb"),
        ("one\r\ntwo\rthree\tfour\x85", "one\ntwo\nthree\tfour"),
        ("  \U0001f9e0 \u2028 pair \n", "\U0001f9e0 \u2028 pair"),
    ],
)
def test_clean(text: str, kept: str) -> None:
    assert speech.clean(text) == kept


ANY_TEXT = st.text(st.characters() | st.characters(categories=["Cs", "Cc"]))


@given(ANY_TEXT)
@example("\ud800\x1b\x1b[[31m")
def test_what_is_clean_can_be_written_and_stays(text: str) -> None:
    kept = speech.clean(text)
    assert kept.encode() is not None and speech.clean(kept) == kept
    assert not [one for one in kept if unicodedata.category(one) in ("Cc", "Cs") and one not in "\n\t"]


@given(ANY_TEXT)
@example("\ud800")
def test_keys_are_plain(text: str) -> None:
    assert speech.identity(text).isascii() and len(speech.identity(text)) <= 100 and len(speech.digest(text)) == 16
    assert (speech.identity(text) == "") == (text == "")


def test_tags_are_cut_out_whole_and_in_linear_time() -> None:
    assert speech.without("a<t>b</t>c<t>\nd</t>", "t") == "ac"
    assert speech.without("what is <t>?", "t") == "what is <t>?"
    many = "<t>" * 300_000
    assert speech.without(many, "t") == many


def test_when() -> None:
    assert speech.when("2026-11-29T18:43:55.978Z") == datetime(2026, 11, 29, 18, 43, 55, 978_000, UTC)
    kept = speech.when("2026-11-29T18:43:55+02:00")
    assert kept is not None and kept.utcoffset() == timedelta(hours=2)
    naive = speech.when("2026-11-29T18:43:55")
    assert naive is not None and naive.tzinfo is UTC
    for odd in (
        None,
        0,
        1795977833203,
        "",
        "2026-11-29",
        "yesterday",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        {},
    ):
        assert speech.when(odd) is None


@given(st.datetimes(timezones=st.timezones()))
def test_a_time_can_be_told_in_every_zone(moment: datetime) -> None:
    read = speech.when(json.loads(json.dumps(moment.isoformat())))
    if read is not None:
        for hours in (-23, 23):
            read + timedelta(hours=hours)
