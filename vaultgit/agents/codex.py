"""Codex."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from vaultgit.agents import applypatch
from vaultgit.agents import speech
from vaultgit.agents.dialogue import ASSISTANT
from vaultgit.agents.dialogue import PERSON
from vaultgit.agents.dialogue import Opening
from vaultgit.agents.dialogue import Turn
from vaultgit.agents.headless import Call
from vaultgit.agents.headless import Said
from vaultgit.agents.tool import Wrote

NAME = "codex"
MARKERS = ("CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED")
SESSION = "CODEX_THREAD_ID"
MCP = "codex-mcp-client"

# One prompt, one answer (measured with 0.171).
HELP: tuple[str, ...] = ("exec", "--help")
NEEDS: tuple[str, ...] = (
    "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check", "--cd", "--sandbox", "--disable",
    "--color", "--output-last-message",
)  # fmt: skip
_OFF = ("hooks", "shell_tool", "unified_exec", "plugins", "multi_agent", "goals")

_THREAD = re.compile(r"rollout-.*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl")
# Texts of the role "user" that the client wrote. Newer versions also say so beside the text.
_SUMMARY = "Another language model started to solve this problem"
_CLIENTS = re.compile(
    r"<(?:environment_context|user_instructions|user_shell_command|turn_aborted|subagent_notification|skill"
    r"|recommended_plugins|goal_context|permissions instructions|INSTRUCTIONS)>"
    rf"|# AGENTS\.md instructions|</?image\b[^>]*>\Z|{_SUMMARY}"
)
# An editor's context goes before what was typed there.
_EDITORS, _TYPED = "# Context from my IDE setup:", "## My request for Codex:"
UNOPENED = Opening(headless=True)  # it is not known who started it


def sent(payload: Mapping[str, Any]) -> bool:
    """Whether this client sent a hook's payload (measured with 0.171)."""
    return "/.codex/" in str(payload.get("transcript_path")) or "turn_id" in payload


def wrote(payload: Mapping[str, Any]) -> list[Wrote]:
    """The files that its tool for patches wrote (measured with 0.171, where a model has that tool); [] for a shell's
    commands: what they changed they do not say, nor does a patch that one of them applies."""
    asked = payload.get("tool_input")
    patch = asked.get("command") if isinstance(asked, Mapping) else None
    if payload.get("tool_name") != "apply_patch" or not isinstance(patch, str):
        return []
    return applypatch.wrote(patch)


def typed(payload: Mapping[str, Any]) -> str:
    """What a person typed, from the payload of UserPromptSubmit."""
    text = payload.get("prompt")
    return speech.clean(_own(text)) if isinstance(text, str) else ""


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


def logs(environ: Mapping[str, str], home: str) -> list[str]:
    """One file a thread, in the folder of the day it began; and those that were archived."""
    root = glob.escape(os.path.join(home, environ.get("CODEX_HOME") or ".codex"))
    return [
        os.path.join(root, "sessions", "*", "*", "*", "rollout-*.jsonl"),
        os.path.join(root, "archived_sessions", "rollout-*.jsonl"),
    ]


def conversation(path: str) -> str:
    """The thread's id, with which the file's name ends."""
    name = os.path.basename(path)
    found = _THREAD.fullmatch(name)
    return found[1] if found else name.removesuffix(".jsonl")


def opening(record: Mapping[str, Any]) -> Opening | None:
    """What the record `session_meta` says; None for any other."""
    payload = _payload(record, "session_meta")
    if payload is None:
        return None
    source = payload.get("source")
    return Opening(
        folder=speech.line(payload.get("cwd")),
        headless=source == "exec" or payload.get("originator") == "codex_exec",
        helper=(isinstance(source, Mapping) and "custom" not in source) or payload.get("thread_source") == "subagent",
    )


def turns(record: Mapping[str, Any], opening: Opening) -> list[Turn]:
    """The messages of a person and of the assistant. Each stands again in records of kind `event_msg`, and most in
    `compacted`; these are passed over."""
    payload = _payload(record, "response_item")
    if payload is None or payload.get("type") != "message" or opening.helper:
        return []
    if payload.get("role") == "user":
        by, found = PERSON, _typed(payload)
    elif payload.get("role") == "assistant" and not _is_summary(record):
        by, found = ASSISTANT, speech.texts(payload.get("content"), ("output_text", "text"))
    else:
        return []
    raw = "\n\n".join(found)
    text, time = speech.clean(raw), record.get("timestamp")
    own = speech.identity(payload.get("id")) or speech.digest(time, record.get("ordinal"), by)
    key = f"{own}:{speech.digest(raw)}"  # servers of other makers may give each answer the same id
    return [Turn(key, by, text, speech.when(time), opening.folder, opening.headless)] if text else []


def withdrawn(record: Mapping[str, Any]) -> str | None:
    """The summary that `compacted` repeats, below a line that introduces it. Newer versions also mark it where it
    stands (0.171), older ones do not."""
    payload = _payload(record, "compacted")
    text = payload.get("message") if payload is not None else None
    if not isinstance(text, str):
        return None
    return speech.clean(text.partition("\n")[2] if text.startswith(_SUMMARY) else text) or None


def _payload(record: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    payload = record.get("payload") if isinstance(record, Mapping) and record.get("type") == kind else None
    return payload if isinstance(payload, Mapping) else None


def _is_summary(record: Mapping[str, Any]) -> bool:
    metadata = record.get("metadata")
    return isinstance(metadata, Mapping) and metadata.get("compaction_output") is True


def _typed(payload: Mapping[str, Any]) -> list[str]:
    """The texts that a person typed. Newer versions say of each where it comes from: `user`, `harness`, `skills`."""
    content = payload.get("content")
    items: list[Any] = content if isinstance(content, list) else [content]
    sources, said = _sources(payload), []
    for at, item in enumerate(items):
        source = sources[min(at, len(sources) - 1)] if sources else "user"
        for text in speech.texts(item if isinstance(item, str) else [item], ("input_text", "text")):
            if source == "user" and (text := _own(text)):
                said.append(text)
    return said


def _own(text: str) -> str:
    """A person's own words in a text, "" for one that the client wrote."""
    if text.lstrip().startswith(_EDITORS):
        text = text.partition(_TYPED)[2]
    return "" if not text.strip() or _CLIENTS.match(text.strip()) else text


def _sources(payload: Mapping[str, Any]) -> list[Any]:
    beside = payload.get("internal_chat_message_metadata_passthrough")
    told = beside.get("content_item_metadata") if isinstance(beside, Mapping) else None
    found = []
    for one in told if isinstance(told, list) else []:
        provenance = one.get("provenance") if isinstance(one, Mapping) else None
        found.append(provenance.get("type") if isinstance(provenance, Mapping) else None)
    return found
