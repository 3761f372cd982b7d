"""Claude Code."""

from __future__ import annotations

NAME = "claude-code"
MARKERS = ("CLAUDECODE",)
SESSION = "CLAUDE_CODE_SESSION_ID"
