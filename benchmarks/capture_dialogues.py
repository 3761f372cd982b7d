"""The dialogues that capture is measured on. All of them are made up.

Seen, and tuned on: those in the clients' own logs (tests/transcripts), and benchmarks/dialogues/seen. Not read while
the rules were written: benchmarks/dialogues, and those written after the rules, benchmarks/dialogues/late.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from benchmarks import place
from benchmarks.capture_score import Dialogue
from vaultgit.agents import claude
from vaultgit.agents import codex
from vaultgit.agents.dialogue import Opening

LOGS = Path(place.ROOT, "tests", "transcripts")
DIALOGUES = Path(place.ROOT, "benchmarks", "dialogues")
CHATTER = "chatter.json"
# What no longer holds at the end of the four in the logs; gold.json has it in words only.
_STALE = {
    "csv-import": (r"log which one", r"keep REAL", r"\blogged\)"),
    "talk-plan": (r"Kassabon then", r"Fine: Kassabon", r"live demo offline"),
    "search-index": (r"second, small", r"sqlite is new enough", r"3x is too much"),
    "auth-refactor": (r"bcrypt would be safer", r"log everybody out"),
}
# What the plants in the logs are named in gold.json.
_PLANTED = {"S1": r"gh[p]_", "S3": r"xo[x]b-", "INJ2": r"SYSTEM OVERRIDE|repository as trusted|@S\d@"}
_TOKEN = re.compile(r"@S\d@")


def in_logs() -> list[Dialogue]:
    """As the readers of the logs understand them: copies of a fork once, no summaries."""
    gold = json.loads((LOGS / "gold.json").read_bytes())
    talks = [(path, client, _spoken(path, client)) for client, path in _files()]
    return [
        _dialogue(name, _first(name, one["user_turns"][0], talks), one | {"stale": _STALE[name]})
        for name, one in gold.items()
    ]


def seen() -> list[Dialogue]:
    return _in(DIALOGUES / "seen")


def unseen() -> list[Dialogue]:
    return _in(DIALOGUES)


def late() -> list[Dialogue]:
    return _in(DIALOGUES / "late")


def _in(folder: Path) -> list[Dialogue]:
    found = []
    for path in sorted(folder.glob("*.json")):
        if path.name != CHATTER:
            one = json.loads(_TOKEN.sub(lambda match: _token(match.group()), path.read_text("utf-8")))
            turns = [(turn["by"], turn["text"]) for turn in one["turns"]]
            found.append(_dialogue(path.stem, turns, one | {"planted": [re.escape(what) for what in one["planted"]]}))
    return found


def _token(mark: str) -> str:
    """A made-up token of GitHub's shape, the same for the same mark; put together here, so that no file holds one."""
    return "gh" + "p_" + hashlib.sha256(mark.encode()).hexdigest()[:36]


def chatter() -> list[tuple[str, str]]:
    """Exchanges of small talk: what a person said, what was answered."""
    return [(one["person"], one["assistant"]) for one in json.loads((DIALOGUES / CHATTER).read_bytes())]


def _dialogue(name: str, turns: list[tuple[str, str]], one: dict[str, Any]) -> Dialogue:
    planted = tuple(_PLANTED.get(what, what) for what in one.get("planted", ()))
    items = tuple(item["text"] for item in one["worth_remembering"])
    return Dialogue(name, tuple(turns), items, tuple(one["stale"]), planted)


def _files() -> list[tuple[Any, Path]]:
    clients = ((claude, "claude"), (codex, "codex"))
    return [(client, path) for client, folder in clients for path in sorted((LOGS / folder).rglob("*.jsonl"))]


def _first(name: str, opening: str, talks: list[tuple[Path, Any, dict[str, tuple[str, str]]]]) -> list[tuple[str, str]]:
    """What was said in the logs of a dialogue; the same turn in two of them counts once."""
    found: dict[str, tuple[str, str]] = {}
    for path, client, spoken in talks:
        mine = path.parent.name.endswith(f"-{name}") if client is claude else opening in [t for _, t in spoken.values()]
        if mine:
            found.update(spoken)
    return list(found.values())


def _spoken(path: Path, client: Any) -> dict[str, tuple[str, str]]:
    records = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    opening = client.opening(records[0]) or Opening()
    gone = {text for record in records if (text := client.withdrawn(record))}
    turns = [turn for record in records for turn in client.turns(record, opening)]
    return {turn.key: (turn.by, turn.text) for turn in turns if turn.text not in gone}
