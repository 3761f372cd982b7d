from __future__ import annotations

import pytest

from vaultgit.recall import question
from vaultgit.recall import words
from vaultgit.recall.question import Filter


def test_words_phrases_and_filters() -> None:
    made = question.parse('who type:decision "release date" project:"Nova two" is status:open', known={"status"})
    assert made.words == ("who", "is")
    assert made.phrases == ("release date",)
    assert made.filters == (Filter("type", "decision"), Filter("project", "Nova two"), Filter("status", "open"))
    assert made.text == 'who "release date" is'


@pytest.mark.parametrize("text", ["C:/x/y", "grammar::fa", "https://example.invalid/x", "12:30", "a:", ":b", "note:x"])
def test_what_is_no_filter_is_words(text: str) -> None:
    assert question.parse(text).filters == ()
    assert question.parse(text).words == (text,)


def test_since_and_until() -> None:
    made = question.parse("since:2026-10 until:2026-11 x")
    assert (made.since, made.until) == ("2026-10-01", "2026-11-30")
    made = question.parse("since:2024-02-29 until:2025")
    assert (made.since, made.until) == ("2024-02-29", "2025-12-31")
    made = question.parse("since:yesterday until:2026-13")
    assert (made.since, made.until, made.words) == ("", "", ())
    assert made.no_days == ("since:yesterday", "until:2026-13")


def test_a_key_of_several_words_and_a_link_as_value() -> None:
    made = question.parse('"created by":ada author:[[Ada Lovelace|Ada]] "a b"', known={"created by", "author"})
    assert made.filters == (Filter("created by", "ada"), Filter("author", "[[Ada Lovelace|Ada]]"))
    assert made.phrases == ("a b",)


def test_a_quotation_mark_left_open() -> None:
    assert question.parse('"unclosed and more').words == ("unclosed", "and", "more")


@pytest.mark.parametrize(
    "text, days",
    [
        ("what happened on 7 May 2023?", ("2023-05-07", "2023-05-07")),
        ("what happened on May 7th, 2023", ("2023-05-07", "2023-05-07")),
        ("the 1st of february 2024", ("2024-02-01", "2024-02-01")),
        ("in May 2023", ("2023-05-01", "2023-05-31")),
        ("Feb 2024", ("2024-02-01", "2024-02-29")),
        ("notes of 2026-10-03", ("2026-10-03", "2026-10-03")),
        ("notes of 2026-10", ("2026-10-01", "2026-10-31")),
        ("what did we do in 2022", ("2022-01-01", "2022-12-31")),
        ("in July", ("*-07-01", "*-07-31")),
        ("on 29 February", ("*-02-29", "*-02-29")),
        ("you may march", ("", "")),
        ("30 February 2023", ("", "")),
        ("version 2024", ("", "")),
        ("call 2023-99-99", ("", "")),
    ],
)
def test_days_in_words(text: str, days: tuple[str, str]) -> None:
    assert question.days_in(text) == days


@pytest.mark.parametrize(
    "one, other",
    [
        ("went", "going"),
        ("children", "child"),
        ("bought", "buys"),
        ("analyses", "analysis"),
        ("Über", "uber"),
        ("naïve", "naive"),
        ("Straße", "strasse"),
        ("Ada's", "Ada"),
        ("don’t", "dont"),
        ("peanuts", "peanut"),
        ("ﬁne", "fine"),
        ("ｆｕｌｌ", "full"),
        ("Łódź", "lodz"),
        ("e\u0301tude", "étude"),
    ],
)
def test_forms_of_one_word(one: str, other: str) -> None:
    assert words.stem(one) == words.stem(other)


@pytest.mark.parametrize("one, other", [("universe", "note"), ("न", "नमस्ते"), ("new", "news"), ("東京", "京都")])
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert words.stem(one) != words.stem(other)


@pytest.mark.parametrize(
    "text, part",
    [
        ("東京都に行きました", "東京都"),
        ("ฉันรักประเทศไทย", "ประเทศ"),
        ("我对花生过敏", "花生"),
        ("학교에서", "학교"),
        ("東京都", "京"),
    ],
)
def test_part_of_a_run_without_spaces_is_in_it(text: str, part: str) -> None:
    stems = words.stems(text)
    assert all(any(one.startswith(stem) for one in stems.split()) for stem in words.asked(part))


def test_marks_that_belong_to_letters() -> None:
    """What _MARKS names: no word of a script ends at one."""
    for text in ("नमस्ते", "שָׁלוֹם", "مَرْحَبًا", "বাংলা", "தமிழ்", "తెలుగు", "ಕನ್ನಡ", "മലയാളം", "සිංහල"):
        assert len(words.found(text)) == 1, text


def test_pictures_are_words() -> None:
    assert words.stems("party 🎉🎉 → here").split() == ["parti", "🎉", "🎉", "→", "here"]
