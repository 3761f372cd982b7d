"""The names of daily notes, as moment.js writes and Obsidian expects them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.errors import UsageError
from vaultgit.notes import moment

DAY = date(2026, 3, 1)  # a Sunday: the last day of ISO week 9, the first of English week 10
EVERY_TOKEN = {
    "Y": "2026", "YYYY": "2026", "YY": "26", "Q": "1", "Qo": "1st",
    "M": "3", "Mo": "3rd", "MM": "03", "MMM": "Mar", "MMMM": "March",
    "D": "1", "Do": "1st", "DD": "01", "DDD": "60", "DDDo": "60th", "DDDD": "060",
    "d": "0", "do": "0th", "dd": "Su", "ddd": "Sun", "dddd": "Sunday", "e": "0", "E": "7",
    "w": "10", "wo": "10th", "ww": "10", "gg": "26", "gggg": "2026",
    "W": "9", "Wo": "9th", "WW": "09", "GG": "26", "GGGG": "2026",
}  # fmt: skip


@pytest.mark.parametrize(("token", "text"), EVERY_TOKEN.items())
def test_every_token(token: str, text: str) -> None:
    assert moment.format(token, DAY) == text


@pytest.mark.parametrize(
    ("fmt", "text"),
    [
        ("YYYY-MM-DD", "2026-03-01"),
        ("YYYY/[Daily]/MM/YYYY-MM-DD", "2026/Daily/03/2026-03-01"),
        ("dddd, MMMM Do YYYY", "Sunday, March 1st 2026"),
        ("GGGG-[W]WW-E", "2026-W09-7"),
        ("YYYYMMDD", "20260301"),
        ("YYYY年MM月DD日", "2026年03月01日"),
        ("[Tag vom] D.M.YYYY", "Tag vom 1.3.2026"),
        ("[a]b]YYYY", "a]b2026"),  # the last bracket ends it
        ("[]YYYY", "2026"),
        ("[YYYY", "[2026"),
        ("YYYY]", "2026]"),
        (r"\YYYY \M\\[x]", "YYYY Mx"),
        (r"\[YYYY] M", "[2026] 3"),
        ("Jour YYYY", "Jour 2026"),  # letters that are no token
        ("Juge YYYY", "Jug0 2026"),  # one that is
    ],
)
def test_formats(fmt: str, text: str) -> None:
    assert moment.format(fmt, DAY) == text


@pytest.mark.parametrize(
    ("day", "english", "iso"),
    [
        (date(2025, 12, 27), "2025-52 6", "2025-52 6"),  # a Saturday
        (date(2025, 12, 28), "2026-01 0", "2025-52 7"),  # a Sunday, whose English week holds the first of January
        (date(2026, 1, 1), "2026-01 4", "2026-01 4"),
        (date(2027, 1, 1), "2027-01 5", "2026-53 5"),
        (date(2027, 1, 2), "2027-01 6", "2026-53 6"),
        (date(2027, 1, 3), "2027-02 0", "2026-53 7"),
        (date(2000, 1, 1), "2000-01 6", "1999-52 6"),
        (date(9999, 12, 31), "10000-01 5", "9999-52 5"),
    ],
)
def test_weeks_at_the_turn_of_the_year(day: date, english: str, iso: str) -> None:
    assert moment.format("gggg-ww e", day) == english
    assert moment.format("GGGG-WW E", day) == iso


@pytest.mark.parametrize(("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"),
                                              (12, "12th"), (13, "13th"), (21, "21st"), (22, "22nd"), (23, "23rd")])  # fmt: skip
def test_counted_days(number: int, text: str) -> None:
    assert moment.format("Do", date(2026, 1, number)) == text


def test_counted_days_of_the_year() -> None:
    assert moment.format("DDDo", date(2026, 4, 21)) == "111th"
    assert moment.format("DDDo", date(2026, 5, 1)) == "121st"


@pytest.mark.parametrize(
    "token", ["HH", "H", "hh", "h", "kk", "mm", "m", "ss", "SSS", "A", "a", "X", "x", "Z", "ZZ", "LT", "L", "LLLL", "ll",
              "Hmm", "hmmss", "NN", "y", "yyyy", "yo", "YYYYY", "YYYYYY", "ggggg", "GGGGG"]
)  # fmt: skip
def test_what_names_no_day_is_refused_by_name(token: str) -> None:
    for call in (lambda: moment.format(f"YYYY-{token}", DAY), lambda: moment.parse(f"YYYY-{token}", "2026-1")):
        with pytest.raises(UsageError, match=rf"holds {token},"):
            call()


@pytest.mark.parametrize(
    ("fmt", "text", "day"),
    [
        ("YYYY-MM-DD", "2026-02-29", None),
        ("YYYY-MM-DD", "2026-02-28", date(2026, 2, 28)),
        ("YYYY-MM-DD", "2026-2-28", None),
        ("YYYY-MM-DD", "2026-02-28 notes", None),
        ("YYYY-MM-DD", "0000-01-01", None),
        ("YYYY-M-D", "2026-02-3", None),
        ("YYYY/YYYY-MM-DD", "2025/2026-02-03", None),
        ("MMMM Do, YYYY", "March 1st, 2026", date(2026, 3, 1)),
        ("MMMM Do, YYYY", "March 1th, 2026", None),
        ("dddd YYYY-MM-DD", "Monday 2026-03-01", None),
        ("YY-MM-DD", "68-01-02", date(2068, 1, 2)),
        ("YY-MM-DD", "69-01-02", date(1969, 1, 2)),
        ("GGGG-[W]WW-E", "2026-W53-7", date(2027, 1, 3)),
        ("GGGG-[W]WW-E", "2025-W53-1", None),
        ("gggg-[W]ww dddd", "2026-W01 Sunday", date(2025, 12, 28)),
        ("YYYY-[W]WW-E", "2025-W01-1", date(2025, 12, 29)),  # the year of the day with the week of the next
        ("YYYY-[W]WW-E", "2024-W01-1", None),  # the first of January, and the 30th of December
        ("YYYY-MM", "2026-03", None),
        ("YYYY-[W]WW", "2026-W09", None),
        ("MM-DD", "03-01", None),
        ("[Today]", "Today", None),
        ("", "", None),
        ("YYYY DDDD", "2026 366", None),
        ("YYYY DDDD", "2024 366", date(2024, 12, 31)),
    ],
)
def test_which_day_a_name_means(fmt: str, text: str, day: date | None) -> None:
    assert moment.parse(fmt, text) == day


# Formats that hold a day: parts in any order, with anything between them.
_YEAR = st.sampled_from(["YYYY", "Y"])
_IN_MONTH = st.tuples(st.sampled_from(["M", "MM", "Mo", "MMM", "MMMM"]), st.sampled_from(["D", "DD", "Do"]))
_IN_YEAR = st.tuples(st.sampled_from(["DDD", "DDDo", "DDDD"]))
_WEEKDAY = st.sampled_from(["d", "do", "dd", "ddd", "dddd", "e", "E"])
_PARTS = st.one_of(
    st.tuples(_YEAR, _IN_MONTH),
    st.tuples(_YEAR, _IN_YEAR),
    st.tuples(st.just("GGGG"), st.tuples(st.sampled_from(["W", "WW", "Wo"]), _WEEKDAY)),
    st.tuples(st.just("gggg"), st.tuples(st.sampled_from(["w", "ww", "wo"]), _WEEKDAY)),
).map(lambda parts: [parts[0], *parts[1]])
_BETWEEN = st.sampled_from(["-", "/", " ", ".", ", ", "[Daily]", "/[W]", "年", "_", "-[of the]-"])
_EXTRA = st.lists(st.sampled_from(["Q", "dddd", "E", "YYYY", "WW", "MMMM"]), max_size=2)


@st.composite
def full_formats(draw: st.DrawFn) -> str:
    parts = draw(st.permutations([*draw(_PARTS), *draw(_EXTRA)]))
    return "".join(part + draw(_BETWEEN) for part in parts)


@given(full_formats(), st.dates(date(2, 1, 1), date(9998, 12, 31)))
def test_parse_is_the_inverse_of_format(fmt: str, day: date) -> None:
    assert moment.parse(fmt, moment.format(fmt, day)) == day


@given(st.sampled_from(["YY-MM-DD", "GG-[W]WW-E", "gg-ww-e"]), st.dates(date(1970, 1, 1), date(2067, 12, 31)))
def test_two_digits_of_a_year_mean_one_of_these_hundred(fmt: str, day: date) -> None:
    assert moment.parse(fmt, moment.format(fmt, day)) == day


@given(st.text(alphabet="YMDdwWQEegG[]\\/-. oxT", max_size=12), st.text(alphabet="0123456789-/MTstadW ", max_size=12))
def test_no_format_and_no_text_breaks_it(fmt: str, text: str) -> None:
    try:
        day = moment.parse(fmt, text)
    except UsageError:
        return
    assert day is None or moment.format(fmt, day) == text
