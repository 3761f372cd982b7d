"""What a client's hook sends to a command of ours."""

from __future__ import annotations

import json
import select
import sys
from typing import Any

from vaultgit.errors import UsageError

PATIENCE = 0.5  # seconds for it to begin: an agent's shell may hold standard input open for ever


def read(without: str) -> dict[str, Any]:
    """The JSON object on standard input; {} where nothing comes. `without`: how to run the command with none. Raises
    UsageError for what is no payload."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    try:
        ready, _, _ = select.select([sys.stdin], [], [], PATIENCE)
    except (OSError, ValueError):
        ready = [sys.stdin]
    data = sys.stdin.buffer.read() if ready else b""
    if not data.strip():
        return {}
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not {"hook_event_name", "tool_name"}.intersection(given):
        raise UsageError("standard input is not what a client's hook sends", f"without one: {without}")
    return given
