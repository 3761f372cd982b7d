"""Claude Code."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from vaultgit.agents.headless import Call
from vaultgit.agents.headless import Said
from vaultgit.agents.tool import Wrote

NAME = "claude-code"
MARKERS = ("CLAUDECODE",)
SESSION = "CLAUDE_CODE_SESSION_ID"

# One prompt, one answer (measured with 2.1.332, and 2.1.197).
HELP: tuple[str, ...] = ("--help",)
NEEDS: tuple[str, ...] = (
    "--safe-mode", "--no-session-persistence", "--tools", "--strict-mcp-config", "--disable-slash-commands",
    "--system-prompt", "--output-format",
)  # fmt: skip
_WHOLE = ("end_turn", "stop_sequence")


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


def headless(words: Sequence[str], system: str, folder: str, out: str, seconds: float) -> Call:  # noqa: ARG001
    """No customisation (but sign-in stays), no session file, no tool, no MCP server. Without the variables it tries
    for more than a minute where its service fails."""
    argv = [
        *words, "-p", "--safe-mode", "--no-session-persistence", "--tools", "", "--strict-mcp-config",
        "--disable-slash-commands", "--system-prompt", system, "--output-format", "json",
    ]  # fmt: skip
    return Call(argv, {"CLAUDE_CODE_MAX_RETRIES": "1", "API_TIMEOUT_MS": str(int(seconds * 1000))}, apart=True)


def said(stdout: str, file: str) -> Said:  # noqa: ARG001
    """An error comes as `is_error` beside `"subtype": "success"`, and its sentence where the answer would stand. An
    answer that broke off in the middle is no error to 2.1.197: it has only no reason to have stopped."""
    import json

    if not stdout.strip():
        return Said("")
    try:
        found = json.loads(stdout)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("result"), str):
        return Said("", f"the answer is not the JSON that was asked for: {stdout}")
    if found.get("is_error") is not False:
        return Said("", f"it calls this an error: {found['result']}")
    if found.get("stop_reason", _WHOLE[0]) not in _WHOLE:
        return Said("", f"the answer broke off (stop_reason: {found['stop_reason']})")
    return Said(found["result"])
