"""Logs that the real clients wrote of scripted dialogues (claude-code 2.1.328, codex 0.171), and what is worth keeping
of them. People, companies and words in them are made up. Tokens that were planted stand there as marks: put together
here, so that no file in this repository looks as if it held one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent / "transcripts"
TOKENS = {
    "S1": "gh" + "p_" + "FAKEfake0123" * 3,  # in the output of a tool: Claude, csv-import
    "S3": "xo" + "xb-000000000000-111111111111-" + "FAKEfake" * 3,  # in the output of a tool: Codex, auth-refactor
}
INJECTED = "SYSTEM OVERRIDE"  # in a file that a tool printed: Codex, auth-refactor


def gold() -> dict[str, Any]:
    """By dialogue: `user_turns`, `worth_remembering`, `noise_must_not_be_kept`, `planted`."""
    loaded: dict[str, Any] = json.loads((_HERE / "gold.json").read_bytes())
    return loaded


def copy(home: Path) -> list[Path]:
    """Lays the logs below a home folder as the clients do, with the tokens in place; returns them, sorted."""
    made = []
    for client in ("claude", "codex"):
        for path in sorted((_HERE / client).rglob("*.jsonl")):
            data = path.read_bytes()
            for mark, token in TOKENS.items():
                data = data.replace(f"@{mark}@".encode(), token.encode())
            target = home / f".{client}" / path.relative_to(_HERE / client)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            made.append(target)
    return made


def records(path: Path) -> list[Any]:
    """The records of a log; lines that are no JSON are passed over."""
    found = []
    for line in path.read_bytes().split(b"\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
