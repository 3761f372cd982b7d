"""Dates as moment.js writes them, which is how Obsidian names daily notes: `YYYY/[Daily]/MM/YYYY-MM-DD`.

Days only: a token of hours or seconds is refused, because a note that is named after a day has none. Names and
weeks are those of its locale `en` (a week begins on Sunday, week 1 holds the first of January); GGGG, W and E
are ISO 8601's. What is no token stays the text that it is, as in moment.js.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator
from datetime import date
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from vaultgit.errors import UsageError

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

# A text in brackets, or what moment.js takes for a token, a backslash before it making it text.
_PARTS = re.compile(
    r"(?P<text>\[[^\[]*\])|(?P<escape>\\)?(?P<token>LTS|LT|LL?L?L?|l{1,4}|[Hh]mm(?:ss)?|Mo|MM?M?M?|Do|DDDo|DD?D?D?"
    r"|ddd?d?|do?|w[ow]?|W[oW]?|Qo?|N{1,5}|Y{4,6}|YY?|y{2,4}|yo?|g{4,5}|gg|G{4,5}|GG|[eEaA]|hh?|HH?|kk?|mm?|ss?"
    r"|S{1,9}|[xX]|zz?|ZZ?)|(?P<other>\\?.)",
    re.DOTALL,
)


class _Token(NamedTuple):
    """How a token is written, what it looks like, and what a text of it says: a field of the date, and its value."""

    write: Callable[[date], str]
    pattern: str
    field: str
    value: Callable[[str], int]


class _Format(NamedTuple):
    """A format taken apart: texts and tokens in their order, and the expression that texts of it match."""

    parts: tuple[str | _Token, ...]
    pattern: re.Pattern[str]


def format(fmt: str, day: date) -> str:
    """`day` as moment.js writes it in the format `fmt`.

    Raises UsageError, naming the token, where the format holds a time or what is not known here.
    """
    return "".join(part if isinstance(part, str) else part.write(day) for part in _taken_apart(fmt).parts)


def parse(fmt: str, text: str) -> date | None:
    """The day that `format` wrote as `text`; None for any other text, and where the text does not tell the day.

    A year of two digits is one from 1969 to 2068. Raises UsageError as `format` does.
    """
    taken = _taken_apart(fmt)
    match = taken.pattern.fullmatch(text)
    if match is None:
        return None
    tokens = [part for part in taken.parts if not isinstance(part, str)]
    said: dict[str, int] = {}
    for token, written in zip(tokens, match.groups(), strict=True):
        value = token.value(written)
        if said.setdefault(token.field, value) != value:
            return None
    found = {day for day in _days(said) if format(fmt, day) == text}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=64)
def _taken_apart(fmt: str) -> _Format:
    parts: list[str | _Token] = []
    for match in _PARTS.finditer(fmt):
        token = match["token"]
        if match["text"]:
            parts.append(match["text"][1:-1])
        elif token and not match["escape"]:
            if token not in _TOKENS:
                raise UsageError(
                    f"the date format {fmt!r} holds {token}, which does not belong to the name of a day",
                    "use days, months, years and weeks (YYYY-MM-DD); text goes into [brackets]",
                )
            parts.append(_TOKENS[token])
        else:
            parts.append(token or match["other"].replace("\\", ""))
    pattern = "".join(re.escape(part) if isinstance(part, str) else f"({part.pattern})" for part in parts)
    return _Format(tuple(parts), re.compile(pattern))


def _days(said: dict[str, int]) -> Iterator[date]:
    """Days that fields may mean. Too many of them: whoever asks compares how they are written."""
    known = [said[field] for field in ("year", "iso year", "week year") if field in said]
    # The year of a week and that of its days are not always the same.
    years = {said["year"]} if "year" in said else {near for year in known for near in (year - 1, year, year + 1)}
    week_years = {near for year in known for near in (year - 1, year, year + 1)}
    weekday = said.get("weekday")
    if "month" in said and "day" in said:
        yield from _valid(lambda year: date(year, said["month"], said["day"]), years)
    if "day of year" in said:
        yield from _valid(lambda year: date(year, 1, 1) + timedelta(said["day of year"] - 1), years)
    if "iso week" in said and weekday is not None:
        yield from _valid(lambda year: date.fromisocalendar(year, said["iso week"], weekday or 7), week_years)
    if "week" in said and weekday is not None:
        yield from _valid(lambda year: _first_sunday(year) + timedelta(said["week"] * 7 - 7 + weekday), week_years)


def _valid(day: Callable[[int], date], years: set[int]) -> Iterator[date]:
    for year in years:
        try:
            yield day(year)
        except (ValueError, OverflowError):
            continue  # 30 February, week 53 of a year that has none, the year 0


def _first_sunday(year: int) -> date:
    """The first day of the first week of a year, in English weeks."""
    new_year = date(year, 1, 1)
    return new_year - timedelta(_weekday(new_year))


def _weekday(day: date) -> int:
    return day.isoweekday() % 7


def _day_of_year(day: date) -> int:
    return day.toordinal() - date(day.year, 1, 1).toordinal() + 1


def _week(day: date) -> tuple[int, int]:
    """Year and number of an English week. Its Saturday, which lies in its year, says both."""
    to_saturday = 6 - _weekday(day)
    if day.month == 12 and day.day + to_saturday > 31:
        return day.year + 1, 1
    return day.year, (_day_of_year(day) + to_saturday + 6) // 7


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 // 10 == 1 else ending}"


def _century(text: str) -> int:
    short = int(text)
    return short + (1900 if short > 68 else 2000)


def _number(field: str, width: int, of: Callable[[date], int]) -> _Token:
    """A number, filled up with zeros to `width` digits."""
    pattern = rf"\d{{{width}}}" if width > 1 else r"\d{1,3}"
    return _Token(lambda day: f"{of(day):0{width}}", pattern, field, int)


def _short(field: str, of: Callable[[date], int]) -> _Token:
    """A year's last two digits."""
    return _Token(lambda day: f"{of(day) % 100:02}", r"\d\d", field, _century)


def _counted(field: str, of: Callable[[date], int]) -> _Token:
    """1st, 2nd, 3rd."""
    pattern = r"\d{1,3}(?:st|nd|rd|th)"
    return _Token(lambda day: _ordinal(of(day)), pattern, field, lambda text: int(text[:-2]))


def _named(field: str, names: tuple[str, ...], first: int, of: Callable[[date], int]) -> _Token:
    """One of `names`, of which the first stands for the number `first`."""
    return _Token(lambda day: names[of(day) - first], "|".join(names), field, lambda text: names.index(text) + first)


def _tokens() -> dict[str, _Token]:
    numbers: dict[str, tuple[str, Callable[[date], int]]] = {
        "M": ("month", lambda day: day.month),
        "D": ("day", lambda day: day.day),
        "DDD": ("day of year", _day_of_year),
        "Q": ("quarter", lambda day: (day.month + 2) // 3),
        "d": ("weekday", _weekday),
        "w": ("week", lambda day: _week(day)[1]),
        "W": ("iso week", lambda day: day.isocalendar().week),
    }
    found = {token: _number(field, 1, of) for token, (field, of) in numbers.items()}
    found |= {token + "o": _counted(field, of) for token, (field, of) in numbers.items()}
    for token in "MDwW":
        field, of = numbers[token]
        found[token * 2] = _number(field, 2, of)
    found["DDDD"] = _number("day of year", 3, _day_of_year)
    for token, field, of in (
        ("Y", "year", lambda day: day.year),
        ("G", "iso year", lambda day: day.isocalendar().year),
        ("g", "week year", lambda day: _week(day)[0]),
    ):
        found[token * 4] = _number(field, 4, of)
        found[token * 2] = _short(field, of)
    found["Y"] = found["YYYY"]
    found["e"] = found["d"]
    found["E"] = _Token(lambda day: str(day.isoweekday()), r"[1-7]", "weekday", lambda text: int(text) % 7)
    for token, length in (("MMM", 3), ("MMMM", None)):
        found[token] = _named("month", tuple(name[:length] for name in _MONTHS), 1, lambda day: day.month)
    for token, length in (("dd", 2), ("ddd", 3), ("dddd", None)):
        found[token] = _named("weekday", tuple(name[:length] for name in _DAYS), 0, _weekday)
    return found


_TOKENS = _tokens()
