"""Conversations for tests: logs as Claude Code writes them, in a private home."""

from __future__ import annotations

import json
import os
from datetime import datetime
from datetime import timedelta
from pathlib import Path
from typing import Any

START = datetime.fromisoformat("2026-11-29T18:00:00+00:00")

# Statements that the rules keep, and answers that they do not need.
DECISIONS = [
    "We decided to store money as integer cents in the column amount_cents.",
    "Decision: the importer uses the csv module and no pandas at all.",
    "Let's go with SQLite for the search index, Postgres is out.",
    "From now on all dates are written as ISO 8601 in the exports.",
    "Remind me to ask Marta in accounting about the duplicate invoices.",
    "We'll release version 2.4 on Thursday after the standup.",
]


def record(by: str, text: Any, uuid: str, when: datetime | str = START, **more: Any) -> dict[str, Any]:
    """A record of somebody speaking. `more` replaces fields."""
    stamp = when if isinstance(when, str) else when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    message: dict[str, Any] = {"role": by, "content": text}
    if by == "assistant":
        message = {"id": f"msg_{uuid}", "role": by, "content": [{"type": "text", "text": text}]}
    return {
        "type": by, "uuid": uuid, "sessionId": "s-1", "timestamp": stamp, "cwd": "/home/test/shop",
        "isSidechain": False, "message": message, **more,
    }  # fmt: skip


def person(text: Any, uuid: str, when: datetime | str = START, **more: Any) -> dict[str, Any]:
    return record("user", text, uuid, when, **more)


def agent(text: str, uuid: str, when: datetime | str = START, **more: Any) -> dict[str, Any]:
    return record("assistant", text, uuid, when, **more)


def minutes(number: float) -> datetime:
    """So long after the start."""
    return START + timedelta(minutes=number)


def lines(*records: Any) -> bytes:
    """Records as a log holds them; bytes and texts as they are."""
    return b"".join(
        one if isinstance(one, bytes) else one.encode() if isinstance(one, str) else json.dumps(one).encode() + b"\n"
        for one in records
    )


class Talks:
    """The logs of a home."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / ".claude" / "projects" / "-home-test-shop"

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"

    def add(self, name: str, *records: Any) -> Path:
        """Appends to a conversation's log."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "ab") as stream:
            stream.write(lines(*records))
        return path

    def put(self, name: str, *records: Any) -> Path:
        """Replaces a conversation's log by a new file."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_bytes(lines(*records))
        os.replace(new, path)
        return path
