"""What the doctor finds: pure data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from typing import NamedTuple

SHOWN = 20  # details of a finding that a person is shown


class Finding(NamedTuple):
    """Something a person should know, and what mends it.

    `level`: "problem" is wrong now, "remark" is good to know. `kind`: a word for scripts that stays the same. `about`:
    a path (relative to the vault where it lies in it), a setting, a program. `risk`: what it costs, in a few words.
    `mend`: a command, or what to do. `details`: the things themselves where it is about several.
    """

    level: Literal["problem", "remark"]
    kind: str
    about: str
    what: str
    risk: str
    mend: str
    details: tuple[str, ...] = ()


class Part(NamedTuple):
    """One thing that was looked at. `fine`: how it is, told where nothing was found."""

    name: str
    findings: list[Finding]
    fine: str


def problem(kind: str, about: str, what: str, risk: str, mend: str, details: Sequence[str] = ()) -> Finding:
    return Finding("problem", kind, about, what, risk, mend, tuple(details))


def remark(kind: str, about: str, what: str, risk: str, mend: str, details: Sequence[str] = ()) -> Finding:
    return Finding("remark", kind, about, what, risk, mend, tuple(details))


def counted(number: int, one: str, several: str = "") -> str:
    """`1 note`, `3 notes`."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def first(every: Sequence[str]) -> list[str]:
    """The details that are shown, and how many more there are."""
    more = [f"… and {len(every) - SHOWN:,} more"] if len(every) > SHOWN else []
    return [*every[:SHOWN], *more]
