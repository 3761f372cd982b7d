"""How often: what a person types, as minutes that cron, too, can say."""

from __future__ import annotations

import re

from vaultgit.errors import UsageError

DAY = 24 * 60
# cron starts anew each hour and each day: only what divides them comes round evenly.
POSSIBLE = tuple(n for n in range(1, 60) if 60 % n == 0) + tuple(n * 60 for n in range(1, 25) if 24 % n == 0)


def minutes(text: str, option: str = "--every") -> int:
    """`10m`, `2h` -> minutes. Raises UsageError for what is no such time, or comes round unevenly."""
    match = re.fullmatch(r"([0-9]{1,6})(m|h)", text.strip().lower())
    if match is None:
        mend = f"vaultgit schedule install {option} 10m"
        raise UsageError(f"{option} {text!r} is no number of minutes or hours", mend)
    number = int(match[1]) * (60 if match[2] == "h" else 1)
    if number in POSSIBLE:
        return number
    below = max((one for one in POSSIBLE if one < number), default=POSSIBLE[0])
    above = min((one for one in POSSIBLE if one > number), default=POSSIBLE[-1])
    near = ", or: ".join(dict.fromkeys(f"vaultgit schedule install {option} {short(one)}" for one in (below, above)))
    raise UsageError(f"every {text} does not come round evenly in an hour or a day", near)


def short(number: int) -> str:
    """10 -> `10m`, 120 -> `2h`: as `minutes` reads it."""
    return f"{number // 60}h" if number % 60 == 0 else f"{number}m"


def words(number: int) -> str:
    """10 -> `every 10 minutes`, 60 -> `every hour`."""
    count, name = (number // 60, "hour") if number % 60 == 0 else (number, "minute")
    return f"every {name}" if count == 1 else f"every {count} {name}s"
