"""Claude Code."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from vaultgit.agents import speech
from vaultgit.agents.dialogue import ASSISTANT
from vaultgit.agents.dialogue import PERSON
from vaultgit.agents.dialogue import Opening
from vaultgit.agents.dialogue import Turn
from vaultgit.agents.headless import Call
from vaultgit.agents.headless import Said
from vaultgit.agents.tool import Wrote

NAME = "claude-code"
MARKERS = ("CLAUDECODE",)
SESSION = "CLAUDE_CODE_SESSION_ID"
MCP = "claude-code"

# One prompt, one answer (measured with 2.1.332, and 2.1.197).
HELP: tuple[str, ...] = ("--help",)
NEEDS: tuple[str, ...] = (
    "--safe-mode", "--no-session-persistence", "--tools", "--strict-mcp-config", "--disable-slash-commands",
    "--system-prompt", "--output-format",
)  # fmt: skip
_WHOLE = ("end_turn", "stop_sequence")

# Records of the kind "user" that no person said (measured with 2.1.328).
_NOT_SAID = (
    "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "repeatsCompactSummary", "toolUseResult",
    "sourceToolAssistantUUID",
)  # fmt: skip
_NO_PERSON = ("task_notification", "task-notification", "system")
# Texts, or text blocks, that the client wrote: commands and what they printed, notices, summaries.
_CLIENTS = re.compile(
    r"<(?:command-(?:name|message|args)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr))>"
    r"|<task-notification\b|<teammate-message\b"
    r"|\[Request interrupted by user(?: for tool use)?\]\Z"
    r"|This session is being continued from a previous conversation"
)
# What the client, an editor or a hook put into a person's text.
_PUT_IN = ("system-reminder", "user-prompt-submit-hook", "ide_opened_file", "ide_selection", "ide_diagnostics")
UNOPENED = Opening()  # each record says it itself


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


def typed(payload: Mapping[str, Any]) -> str:
    """What a person typed, from the payload of UserPromptSubmit; "" for a notice of the client's own, and for a bare
    command: they fire it too."""
    text = payload.get("prompt")
    said = _said(text) if isinstance(text, str) else ""
    return "" if re.fullmatch(r"/[\w:-]+", said) else said


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


def logs(environ: Mapping[str, str], home: str) -> list[str]:
    """One file a conversation; a folder beside it holds its helpers' and big outputs, and is not looked into."""
    root = os.path.join(home, environ.get("CLAUDE_CONFIG_DIR") or ".claude")
    return [os.path.join(glob.escape(root), "projects", "*", "*.jsonl")]


def conversation(path: str) -> str:
    """The session id, which the file is named for."""
    return os.path.basename(path).removesuffix(".jsonl")


def opening(record: Mapping[str, Any]) -> Opening | None:  # noqa: ARG001
    """None: each record names its folder, and how the client was started."""
    return None


def turns(record: Mapping[str, Any], opening: Opening) -> list[Turn]:  # noqa: ARG001
    """A person's text is one turn, each text block of an assistant's one. A person's stands up to four times in a log,
    in records of several kinds: only that of kind "user" counts; but what they typed while the assistant was at work
    stands in an attachment alone. A fork copies a person's record with its uuid, an assistant's with its message id;
    several records share that."""
    record = _queued(record) if isinstance(record, Mapping) and record.get("type") == "attachment" else record
    message = record.get("message") if isinstance(record, Mapping) else None
    if not isinstance(message, Mapping) or record.get("isSidechain"):
        return []
    if record.get("type") == "user":
        said = _person(record, message)
        by, keyed = PERSON, [(speech.identity(record.get("uuid")), said)] if said else []
    elif record.get("type") == "assistant":
        by, keyed = ASSISTANT, _assistant(record, message)
    else:
        return []
    time, folder = record.get("timestamp"), speech.line(record.get("cwd"))
    machine = speech.line(record.get("entrypoint")).startswith("sdk") or record.get("promptSource") == "sdk"
    return [
        Turn(key or speech.digest(record.get("sessionId"), time, text), by, text, speech.when(time), folder, machine)
        for key, text in keyed
    ]


def _queued(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """An attachment that holds what a person typed meanwhile (claude-code issues 86980, 83103), as a record of theirs;
    all other attachments are the client's own."""
    held = record.get("attachment")
    if not isinstance(held, Mapping) or held.get("type") != "queued_command":
        return {}
    if held.get("commandMode", "prompt") != "prompt":
        return {}
    message = {"role": "user", "content": held.get("prompt")}
    return {"origin": held.get("origin"), **record, "type": "user", "message": message}


def _person(record: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    """What a person typed, "" where nobody did."""
    origin, content = record.get("origin"), message.get("content")
    kind = origin.get("kind") if isinstance(origin, Mapping) else None
    if (
        message.get("role", "user") != "user"
        or any(record.get(name) for name in _NOT_SAID)
        or kind not in (None, "human")
        or any(record.get(name) in _NO_PERSON for name in ("promptSource", "turnOrigin"))
        or any(isinstance(one, Mapping) and one.get("type") == "tool_result" for one in _list(content))
    ):
        return ""
    said = []
    for text in speech.texts(content, ("text",)):
        if text := _said(text):
            said.append(text)
    return "\n\n".join(said)


def _said(text: str) -> str:
    """A person's own words in a text, "" for one that the client wrote."""
    for tag in _PUT_IN:
        text = speech.without(text, tag)
    text = speech.clean(text)
    return "" if _CLIENTS.match(text) else text


def _assistant(record: Mapping[str, Any], message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Key and text of each text block; [] for an error, or a note of the client's own, in the place of an answer."""
    if record.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
        return []
    own = speech.identity(message.get("id")) or speech.identity(record.get("uuid"))
    found = [(text, speech.clean(text)) for text in speech.texts(message.get("content"), ("text",))]
    return [(f"{own}:{speech.digest(raw)}" if own else "", text) for raw, text in found if text]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def withdrawn(record: Mapping[str, Any]) -> str | None:  # noqa: ARG001
    """None: the summary of a compaction stands in a record that says so."""
    return None
