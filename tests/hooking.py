"""The hooks of agent clients, started as a client starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support import Folder
from support import Result

SESSION = "22222222-2222-4333-8444-555555555555"
ADA = "people/ada-lovelace.md"
ASKED = "How does Ada Lovelace want the punched cards sorted?"
DECISION = (
    '---\ntype: decision\ndate: 2026-11-02\nproject: "[[projects/nova]]"\n---\n'
    "Amounts are integer cents; the column is amount_cents.\n"
)
PROTOCOL = "A refusal is information, not an obstacle"  # a sentence of it


def fill(vault: Folder) -> Folder:
    """A decision about a project, and a person, so that there is something to give."""
    vault.write("decisions/2026-11-02-integer-cents.md", DECISION)
    vault.write(ADA, "---\ntype: person\nname: Ada Lovelace\n---\nSorts punched cards by date.\n")
    vault.commit("notes")
    return vault


def repository(vault: Folder, name: str) -> Path:
    """A code repository elsewhere."""
    made = vault.root.parent / "work" / name
    made.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=made, check=True)
    return made


def payload(work: Path, event: str, client: str = "claude/projects/-home-dev-app", **more: Any) -> dict[str, Any]:
    """As Claude Code 2.1 sends it."""
    return {
        "session_id": SESSION, "transcript_path": f"/home/dev/.{client}/{SESSION}.jsonl",
        "cwd": str(work), "hook_event_name": event, **more,
    }  # fmt: skip


def written(work: Path, full: Path, text: str, before: str | None) -> dict[str, Any]:
    """What Claude Code says when its Write has written a file, and the file."""
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text(text)
    return payload(
        work, "PostToolUse", prompt_id="p", tool_name="Write", tool_input={"file_path": str(full), "content": text},
        tool_response={
            "type": "update" if before is not None else "create", "filePath": str(full), "originalFile": before,
        },
    )  # fmt: skip


def words(name: str, notes: Folder, agent: str) -> list[str]:
    return [sys.executable, "-P", "-m", "vaultgit", "hook", name, "--agent", agent, "--vault", str(notes.root)]


def hook(
    name: str, notes: Folder, told: dict[str, Any] | bytes, agent: str = "claude-code", **env: str
) -> Result:  # fmt: skip
    data = told if isinstance(told, bytes) else json.dumps(told).encode()
    done = subprocess.run(
        words(name, notes, agent), input=data, cwd=notes.root.parent, env={**os.environ, **env}, capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def eventually(found: Callable[[], Any], told: Callable[[], str] = str) -> Any:
    """What a hook's work brings: it goes on after the client has ended."""
    until = time.monotonic() + 30
    while not (value := found()):
        assert time.monotonic() < until, told()
        threading.Event().wait(0.05)
    return value
