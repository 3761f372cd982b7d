"""A vault from LoCoMo's conversations: a note for each session, one for each person, and the questions about them.

Every turn of a session is an item of a list that ends in a block id (^d3-11 for LoCoMo's D3:11).
"""

from __future__ import annotations

import datetime
import json
import os
import re
from collections import Counter
from typing import Any
from typing import NamedTuple

from benchmarks import place

SESSIONS, PEOPLE = "Sessions/", "People/"
KINDS = ("single-hop", "multi-hop", "temporal", "open-domain")
_KIND = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}  # 5, adversarial, has no answer
_WHEN = re.compile(r"(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d{4})")
_TURN = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")


class Question(NamedTuple):
    text: str
    kind: str
    conversation: str
    notes: frozenset[str]  # paths of those that hold the answer


def read(path: str) -> dict[str, Any]:
    """Conversations by their number."""
    with open(path, encoding="utf-8") as stream:
        return {one["sample_id"].removeprefix("conv-"): one for one in json.load(stream)}


def build(conversations: list[Any], folder: str) -> list[Question]:
    """Writes one vault of all of them, anew, and returns what can be asked of it."""
    place.remove(folder)
    for one in (SESSIONS, PEOPLE, ".obsidian"):
        os.makedirs(os.path.join(folder, one))
    said = Counter(name for one in conversations for name in _speakers(one))
    shared = {name for name, times in said.items() if times > 1}
    return [question for one in conversations for question in _written(one, folder, shared)]


def _written(one: Any, folder: str, shared: set[str]) -> list[Question]:
    talk, number = one["conversation"], one["sample_id"].removeprefix("conv-")
    speakers = _speakers(one)
    note = {name: f"{name} {number}" if name in shared else name for name in speakers}
    link = {name: f"[[{note[name]}|{name}]]" if note[name] != name else f"[[{name}]]" for name in speakers}
    paths: dict[tuple[int, int], str] = {}
    sessions = sorted(int(match[1]) for key in talk if (match := _SESSION.fullmatch(key)) and talk[key])
    for session in sessions:
        when = _when(talk[f"session_{session}_date_time"])
        name = f"{when:%Y-%m-%d} {speakers[0]} and {speakers[1]} {number}-{session:02}"
        lines = ["---", "type: session", f"title: {json.dumps(name)}", f"date: {when:%Y-%m-%d}",
                 f'time: "{when:%H:%M}"', "people:", *(f'  - "[[{note[one]}]]"' for one in speakers),
                 "tags: [session]", "---", "", f"# {name}", ""]  # fmt: skip
        for turn in talk[f"session_{session}"]:
            [(of_session, at)] = _turns([turn["dia_id"]])
            paths[of_session, at] = f"{SESSIONS}{name}.md"
            text = " ".join(turn.get("text", "").split())
            if turn.get("blip_caption"):
                text += f" (shared image: {turn['blip_caption']})"
            lines.append(f"- {link[turn['speaker']]}: {text} ^d{of_session}-{at}")
        _write(folder, f"{SESSIONS}{name}.md", lines)
    for name in speakers:
        other = next(one for one in speakers if one != name)
        lines = ["---", "type: person", f"name: {json.dumps(name)}", f"aliases: [{json.dumps(name)}]",
                 "tags: [person]", "---", "", f"# {name}", "", f"Talks with {link[other]}.", ""]  # fmt: skip
        _write(folder, f"{PEOPLE}{note[name]}.md", lines)
    made = []
    for asked in one["qa"]:
        notes = frozenset(paths[turn] for turn in _turns(asked.get("evidence") or []) if turn in paths)
        if notes and asked["category"] in _KIND:
            made.append(Question(asked["question"], _KIND[asked["category"]], number, notes))
    return made


def _speakers(one: Any) -> list[str]:
    return [one["conversation"]["speaker_a"], one["conversation"]["speaker_b"]]


def _turns(written: list[str]) -> list[tuple[int, int]]:
    return sorted({(int(a), int(b)) for text in written for a, b in _TURN.findall(text)})


def _when(text: str) -> datetime.datetime:
    """ "1:56 pm on 8 May, 2023" """
    match = _WHEN.match(text.strip())
    assert match, text
    hour, minute, half, day, month, year = match.groups()
    noon = 12 if half == "pm" else 0
    found = datetime.datetime.strptime(f"{day} {month[:3]} {year}", "%d %b %Y")
    return found.replace(hour=int(hour) % 12 + noon, minute=int(minute))


def _write(folder: str, path: str, lines: list[str]) -> None:
    with open(os.path.join(folder, path), "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")
