"""A question as typed, taken apart: words, phrases, filters, days. Pure, and no text can break it."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from vaultgit.notes.schema import is_date

MOST = 1000  # characters that are read
WORDS = 60  # words that count

# key:"value", key:value, key:[[a link]], any of them with "a key of several words", "a phrase", or a word.
_PART = re.compile(r'(?:(?:(?P<key>[^\W\d_][\w-]*)|"(?P<long>[^\W\d_][^":]*)")'
                   r':(?:"(?P<quoted>[^"]*)"|(?P<value>\[\[[^"\]]*\]\]|[^\s":/][^\s"]*)))'
                   r'|"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+)|"')  # fmt: skip
_DAYS = ("since", "until")
_SHOWN = frozenset({"type", "project", "agent", "name", "title", "tag", "tags", "path", *_DAYS})

_MONTHS = "january february march april may june july august september october november december".split()


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Expressions for days, compiled when a question is there to be read."""
    month = rf"(?P<month>{'|'.join(_MONTHS)}|{'|'.join(name[:3] for name in _MONTHS)}|sept)\b\.?"
    source = {
        "iso": r"\b(?P<year>\d{4})-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b",
        "written": rf"\b(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?{month}"
        r"(?:,? (?P<after>\d{1,2})(?:st|nd|rd|th)?(?!\d))?(?:,? (?P<year>\d{4})\b)?",
        "year": r"\b(?:in|of|during|since|year) (?P<year>(?:19|20)\d\d)\b",
        "timely": r"\b(?:in|on|of|since|during|until|by|before|after|last|this|early|late|mid) $",
    }[name]
    return re.compile(source, re.IGNORECASE | re.ASCII)


class Filter(NamedTuple):
    key: str  # folded to lower case
    value: str


class Question(NamedTuple):
    """`words`: raw, in order, `*` at an end kept; `phrases`: quoted texts; `text`: all but the filters.

    `since`, `until`: ISO days, "" for none; `no_days`: what stood there but is no day. `days`: what its words say of
    time, first and last day; a year that was not said is "*" in both.
    """

    text: str
    words: tuple[str, ...]
    phrases: tuple[str, ...]
    filters: tuple[Filter, ...]
    since: str
    until: str
    days: tuple[str, str]
    no_days: tuple[str, ...] = ()


def parse(text: str, *, known: frozenset[str] | set[str] = frozenset()) -> Question:
    """`known`: keys of properties that notes here have; with any other, `a:b` is two words."""
    words: list[str] = []
    phrases: list[str] = []
    filters: list[Filter] = []
    no_days: list[str] = []
    since = until = ""
    rest: list[str] = []
    for part in _PART.finditer(text[:MOST]):
        key = _key(part)
        value = part["quoted"] if part["quoted"] is not None else part["value"] or ""
        if key in _DAYS and (span := span_of(value)):
            since, until = (span[0], until) if key == "since" else (since, span[1])
        elif key in _DAYS and value.strip():
            no_days.append(part[0])
        elif key and key not in _DAYS and (key in _SHOWN or key in known) and value.strip():
            filters.append(Filter("tag" if key == "tags" else key, value.strip()))
        else:
            rest.append(part[0])
            if part["phrase"] is not None:
                phrases.append(part["phrase"])
            elif part["word"] or key:
                words.append(part[0].replace('"', " "))
    plain = " ".join(rest)
    return Question(
        plain, tuple(words[:WORDS]), tuple(phrases[:WORDS]), tuple(filters), since, until, days_in(plain),
        tuple(no_days),
    )  # fmt: skip


def keys(text: str) -> list[str]:
    """What stands before a colon in a question, and may be a property."""
    return [key for part in _PART.finditer(text[:MOST]) if (key := _key(part))]


def _key(part: re.Match[str]) -> str:
    return (part["key"] or part["long"] or "").lower()


def span_of(text: str) -> tuple[str, str] | None:
    """First and last day of `2026-10-03`, `2026-10` or `2026`; None for anything else."""
    if re.fullmatch(r"\d{4}", text):
        return f"{text}-01-01", f"{text}-12-31"
    match = _pattern("iso").fullmatch(text)
    return _span(match["year"], int(match["number"]), match["day"]) if match else None


def days_in(text: str) -> tuple[str, str]:
    """What a question says of time, as a first and a last day."""
    for match in _pattern("iso").finditer(text) if any(map(str.isdigit, text)) else ():
        if span := _span(match["year"], int(match["number"]), match["day"]):
            return span
    for match in _pattern("written").finditer(text):
        name = match["month"]
        day = match["before"] or match["after"]
        clear = match["year"] or day or (name[0].isupper() and len(name) > 3 and match.start() > 0)
        if not clear and not (_pattern("timely").search(text[: match.start()]) and len(name) > 3):
            continue  # "may", "march", "mar": most of the time something else
        number = next(n for n, month in enumerate(_MONTHS, 1) if month.startswith(name[:3].lower()))
        if span := _span(match["year"] or "*", number, day):
            return span
    year = _pattern("year").search(text)
    return (f"{year['year']}-01-01", f"{year['year']}-12-31") if year else ("", "")


def _span(year: str, month: int, day: str | None) -> tuple[str, str] | None:
    if not 1 <= month <= 12 or year == "0000":
        return None
    if day:
        whole = f"{year}-{month:02}-{int(day):02}"
        return (whole, whole) if is_date(whole.replace("*", "2024")) else None
    first = f"{year}-{month:02}-"
    last = next(day for day in (31, 30, 29, 28) if is_date(f"{first}{day}".replace("*", "2024")))
    return f"{first}01", f"{first}{last}"
