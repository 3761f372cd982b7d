"""A hook of ours, started once as its client would: a shell, its payload on standard input, hardly any environment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from vaultgit.install.clients.client import Client
from vaultgit.install.clients.entries import QUIET
from vaultgit.install.clients.entries import Hook

# What a client hands on of the person's environment, as far as it decides where things lie.
_HANDED_ON = (
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
)
_PATH = "/usr/local/bin:/usr/bin:/bin"


class Tried(NamedTuple):
    """How it went. `failed`: why it did nothing useful, "" where all was well; `said`: what it gave."""

    event: str
    verb: str
    seconds: float
    failed: str
    said: str = ""


def start(client: Client, folder: str, hook: Hook, environ: Mapping[str, str], work: str = "") -> Tried:
    """Starts the hook about a conversation and a file that are not there, in the folder `work`: it leaves nothing
    behind (`--dry-run`), and says what it would have given."""
    with tempfile.TemporaryDirectory(prefix="vaultgit-trial-") as here:
        payload = _payload(client, folder, hook, here, work or here)
        env = {name: environ[name] for name in _HANDED_ON if name in environ} | {"PATH": _PATH}
        began = time.monotonic()
        line = hook.command.removesuffix(QUIET) + " --dry-run"  # without what hides the exit code
        with subprocess.Popen(
            ["/bin/sh", "-c", line], cwd=here, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                _, said = process.communicate(payload, hook.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                return Tried(hook.event, hook.verb, time.monotonic() - began, f"no answer within {hook.timeout} s")
        lines, took = said.decode("utf-8", "replace").strip().splitlines(), time.monotonic() - began
        if process.returncode:
            return Tried(hook.event, hook.verb, took, (lines or [f"it ended with {process.returncode}"])[0])
        return Tried(hook.event, hook.verb, took, "", lines[-1] if lines else "")


def _payload(client: Client, folder: str, hook: Hook, here: str, work: str) -> bytes:
    told = {
        "session_id": "vaultgit-trial",
        "transcript_path": os.path.join(folder, "vaultgit-trial.jsonl"),
        "cwd": work,
        "hook_event_name": hook.event,
        **client.PAYLOAD,
    }
    if hook.event == "PreCompact":
        told |= {"trigger": "manual", "custom_instructions": ""}
    if hook.event == "SessionEnd":
        told |= {"reason": "other"}
    if hook.event == "SessionStart":
        told |= {"source": "startup"}
    if hook.event == "UserPromptSubmit":
        told |= {"prompt": os.path.basename(work)}
    if hook.event != "PostToolUse":
        return json.dumps(told).encode()
    file = os.path.join(here, "nothing.md")
    asked = {"file_path": file, "content": ""}
    answer: dict[str, Any] = {"type": "create", "filePath": file, "content": "", "originalFile": None}
    return json.dumps({**told, "tool_name": "Write", "tool_input": asked, "tool_response": answer}).encode()
