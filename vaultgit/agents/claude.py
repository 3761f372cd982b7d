"""Claude Code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vaultgit.agents.tool import Wrote

NAME = "claude-code"
MARKERS = ("CLAUDECODE",)
SESSION = "CLAUDE_CODE_SESSION_ID"


def sent(payload: Mapping[str, Any]) -> bool:
    """Whether this client sent a hook's payload (measured with 2.1)."""
    return "/.claude/" in str(payload.get("transcript_path")) or "prompt_id" in payload


def wrote(payload: Mapping[str, Any]) -> list[Wrote]:
    """The file that a tool wrote, from the payload of PostToolUse; [] for other tools and events.

    Write reports the new text, Edit and MultiEdit what they replaced; all of them the text before.
    """
    answer, asked = payload.get("tool_response"), payload.get("tool_input")
    if not isinstance(answer, dict) or not isinstance(asked, dict):
        return []
    path = answer.get("filePath") or asked.get("file_path")
    before = answer.get("originalFile", answer.get("originalFileContents"))
    if not isinstance(path, str) or payload.get("tool_name") not in ("Write", "Edit", "MultiEdit"):
        return []
    if not (before is None or isinstance(before, str)):
        return [Wrote(path, None, None, known=False)]
    if payload["tool_name"] == "Write":
        new = asked.get("content")
        known = before is not None or answer.get("type") == "create"
        return [Wrote(path, before, new if isinstance(new, str) else None, known)]
    return [Wrote(path, before, _replaced(before, asked), isinstance(before, str))]


def _replaced(before: Any, asked: Mapping[str, Any]) -> str | None:
    """The text after an edit, as the tool made it; None where that cannot be told."""
    text = before if isinstance(before, str) else None
    edits = asked.get("edits", [asked])
    for one in edits if isinstance(edits, list) else [None]:
        if not isinstance(one, dict):
            return None
        old, new = one.get("old_string"), one.get("new_string")
        if text is None or not isinstance(old, str) or not isinstance(new, str) or not old or old not in text:
            return None
        text = text.replace(old, new) if one.get("replace_all") else text.replace(old, new, 1)
    return text
