"""Gemini CLI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vaultgit.agents.tool import Wrote

NAME = "gemini-cli"
MARKERS = ("GEMINI_CLI",)
SESSION = "GEMINI_SESSION_ID"
MCP = "gemini-cli-mcp-client"


def sent(payload: Mapping[str, Any]) -> bool:
    """Whether this client sent a hook's payload (measured with 0.61)."""
    return "/.gemini/" in str(payload.get("transcript_path"))


def wrote(payload: Mapping[str, Any]) -> list[Wrote]:  # noqa: ARG001
    """[]: what its tools replaced is not reported."""
    return []
