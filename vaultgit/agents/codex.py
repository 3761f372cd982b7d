"""Codex."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vaultgit.agents.tool import Wrote

NAME = "codex"
MARKERS = ("CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED")
SESSION = "CODEX_THREAD_ID"


def sent(payload: Mapping[str, Any]) -> bool:
    """Whether this client sent a hook's payload (measured with 0.171)."""
    return "/.codex/" in str(payload.get("transcript_path")) or "turn_id" in payload


def wrote(payload: Mapping[str, Any]) -> list[Wrote]:  # noqa: ARG001
    """[]: its hooks report commands, not what they changed."""
    return []
