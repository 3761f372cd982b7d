"""Codex."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from vaultgit.agents.headless import Call
from vaultgit.agents.headless import Said
from vaultgit.agents.tool import Wrote

NAME = "codex"
MARKERS = ("CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED")
SESSION = "CODEX_THREAD_ID"

# One prompt, one answer (measured with 0.171).
HELP: tuple[str, ...] = ("exec", "--help")
NEEDS: tuple[str, ...] = (
    "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check", "--cd", "--sandbox", "--disable",
    "--color", "--output-last-message",
)  # fmt: skip
_OFF = ("hooks", "shell_tool", "unified_exec", "plugins", "multi_agent", "goals")


def sent(payload: Mapping[str, Any]) -> bool:
    """Whether this client sent a hook's payload (measured with 0.171)."""
    return "/.codex/" in str(payload.get("transcript_path")) or "turn_id" in payload


def wrote(payload: Mapping[str, Any]) -> list[Wrote]:  # noqa: ARG001
    """[]: its hooks report commands, not what they changed."""
    return []


def headless(words: Sequence[str], system: str, folder: str, out: str, seconds: float) -> Call:  # noqa: ARG001
    """No session file, no hook, no tool, no MCP server. The user's own config is left out with them, so another model
    or provider than the usual one is named in `words`. It has no time limit of its own."""
    program, *more = words
    argv = [
        program, "exec", *(more[1:] if more[:1] == ["exec"] else more), "--ephemeral", "--ignore-user-config",
        "--ignore-rules", "--skip-git-repo-check", "-C", folder, "--sandbox", "read-only",
        *(word for feature in _OFF for word in ("--disable", feature)),
        "-c", "web_search=disabled", "-c", "project_doc_max_bytes=0", "--color", "never", "-o", out, "-",
    ]  # fmt: skip
    return Call(argv, {}, apart=False)


def said(stdout: str, file: str) -> Said:
    """Its last message, which it also prints; all other talk goes to standard error."""
    return Said(file or stdout)
