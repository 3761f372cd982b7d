"""The times that commits claim. Anybody may write anything there."""

from __future__ import annotations

from datetime import UTC
from datetime import date
from datetime import datetime

_NONE = datetime(1970, 1, 1, tzinfo=UTC)


def moment(text: str) -> datetime:
    """The time that git's %aI says; the first of 1970 where it says none, or one that no clock shows (the year 10000, a
    zone of 99 hours): what a commit changed counts, whenever it claims to be from."""
    try:
        found = datetime.fromisoformat(text)
        found.astimezone(UTC)  # OverflowError where that leaves the years 1 to 9999
    except (ValueError, OverflowError):
        return _NONE
    return found if found.tzinfo is not None else _NONE


def day(text: str) -> date:
    """The same of %cs."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return _NONE.date()


def seconds(text: str) -> int:
    """The same of %ct, since 1970."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 13 else 0
