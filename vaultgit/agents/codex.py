"""Codex."""

from __future__ import annotations

NAME = "codex"
MARKERS = ("CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED")
SESSION = "CODEX_THREAD_ID"
