"""Decisions that are worth a note of their own: what capture called one, with a reason or for good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.consolidate import stop
from vaultgit.passes.consolidate.reading import Line
from vaultgit.passes.consolidate.reading import fold
from vaultgit.passes.consolidate.reading import name_key

_LASTING = re.compile(
    r"\b(?:because|since|so that|otherwise|never|always|from now on|for good|final|finally decided|instead of"
    r"|rather than|no longer|not any ?more|everywhere|replaces|supersedes)\b",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"\b(?:for now|for the moment|today|tomorrow|tonight|this (?:week|morning|afternoon)|until)\b", re.IGNORECASE
)
_REPLACES = re.compile(r"\b(?:instead of|replaces|supersedes|no longer)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"]([^”\"]+)[”\"]?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s+[-–—]+>?\s+|:\s+|\s*\(")
_OPENING = re.compile(
    r"(?:(?:ok|okay|yes|yep|no|nope|right|good|great|fine|agreed|then|so|well|and|but|actually|hm+|sure|done|let['’]?s"
    r"|let us|we(?:['’]ll| will| should| agreed to| decided to)?|decided|decision)\b[\s,:]*)+",
    re.IGNORECASE,
)
_LONGEST = 9  # words of a decision's name
_FEWEST = 3


class Decision(NamedTuple):
    """`project`: path of the project's note. `replaces`: that of the decision its line links as replaced, or ""."""

    name: str
    key: str
    line: int
    project: str
    replaces: str


def find(
    lines: Sequence[Line], projects: Mapping[int, str], notes: Mapping[str, str], types: Mapping[str, str]
) -> list[Decision]:
    """Decisions worth a note. `projects`: number of a block -> note of the one project it speaks of. `notes`: key of a
    name -> path."""
    found: dict[str, Decision] = {}
    for number, line in enumerate(lines):
        project = projects.get(line.block, "")
        if line.kind != "decision" or not project or not _LASTING.search(line.text) or _FOR_NOW.search(line.text):
            continue
        name = _name(line.text)
        key = name_key(name)
        if key and key not in found:
            found[key] = Decision(name, key, number, project, _replaced(line, notes, types))
    return list(found.values())


def _name(text: str) -> str:
    """The first clause of a decision that says something, in its own words; "" where none does."""
    said = text.partition(":")[2]
    quoted = _QUOTED.search(said)
    for part in _SENTENCE.split(quoted[1] if quoted else said):
        part = _OPENING.sub("", part.strip(" .,;!?“”\"'`*_"), count=1) if part else ""
        clause = re.split(r",\s|\bbecause\b|\bso that\b|\bsince\b", part)[0]
        words = [word.strip('“”"`*_[](){}<>#|^') for word in clause.split()]
        words = [word for word in words if word]
        telling = [word for word in words if fold(word) not in stop.FUNCTION]
        if len(telling) >= _FEWEST and len(words) <= 2 * _LONGEST:
            name = " ".join(words[:_LONGEST]).strip(" .,;:")
            return name[:1].upper() + name[1:]
    return ""


def _replaced(line: Line, notes: Mapping[str, str], types: Mapping[str, str]) -> str:
    if not _REPLACES.search(line.text):
        return ""
    linked = [notes.get(name_key(target.rpartition("/")[2]), "") for target in line.links]
    return next((path for path in linked if types.get(path) == "decision"), "")
