"""opencode. It hands its session id to nothing that it starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vaultgit.agents.tool import Wrote

NAME = "opencode"
MARKERS = ("OPENCODE",)
SESSION = ""
MCP = "opencode"


def sent(payload: Mapping[str, Any]) -> bool:  # noqa: ARG001
    """False: it has plugins, no hooks that send payloads."""
    return False


def wrote(payload: Mapping[str, Any]) -> list[Wrote]:  # noqa: ARG001
    """[]: what its tools replaced is not reported."""
    return []
