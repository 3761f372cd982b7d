"""Hooks of agent clients: whole processes, as a client starts them for a session, a prompt, a file, an end."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

from benchmarks import corpus
from benchmarks import measure
from benchmarks import place
from benchmarks.measure import Sample
from benchmarks.report import Row
from benchmarks.report import row

TITLE = "agent clients' hooks, whole process (x = to python -c pass)"
FLOOR = "floor: python -c pass"
_SESSION = "11111111-2222-4333-8444-555555555555"


def run(size: int, quick: bool) -> list[Row]:
    place.compile_all()
    vault = corpus.vaults(size).ours
    corpus.restore(vault)
    env = place.environment()
    paragraph = corpus.paragraphs()[0].split()
    asked = " ".join(["What", "do", "we", "know", "of", *paragraph[:3]])
    note = os.path.join(vault, corpus.path_of(1))

    def hook(name: str, payload: Callable[[int], dict[str, object]]) -> Callable[[int], Sample]:
        words = [*place.program(), "hook", name, "--agent", "claude-code", "--vault", vault]
        return lambda number: measure.run(
            words, cwd=vault, env=env, given=json.dumps(payload(number)).encode()
        ).sample  # fmt: skip

    def told(event: str, number: int, **more: object) -> dict[str, object]:
        session = f"{_SESSION}-{number}"
        return {"session_id": session, "cwd": "/tmp", "hook_event_name": event, "prompt_id": "p", **more}

    def wrote(full: str, number: int) -> dict[str, object]:
        before = ""
        if full == note:
            with open(full, encoding="utf-8") as stream:
                before = stream.read()
            with open(full, "a", encoding="utf-8") as stream:
                stream.write(f"\nWhat the agent found, number {number}.\n")
        after = f"{before}\nWhat the agent found, number {number}.\n"
        return told(
            "PostToolUse", number, tool_name="Write", tool_input={"file_path": full, "content": after},
            tool_response={"type": "update", "filePath": full, "originalFile": before},
        )  # fmt: skip

    ways: dict[str, Callable[[int], Sample]] = {
        FLOOR: lambda _: measure.run([sys.executable, "-c", "pass"], cwd=vault, env=env).sample,
        "a session starts": hook("session-start", lambda number: told("SessionStart", number, source="startup")),
        "a prompt, with notes": hook("prompt", lambda number: told("UserPromptSubmit", number, prompt=asked)),
        "a prompt about nothing": hook("prompt", lambda number: told("UserPromptSubmit", number, prompt="ok, go on")),
        "a file in the vault": hook("wrote", lambda number: wrote(note, number)),
        "a file elsewhere": hook("wrote", lambda number: wrote("/tmp/elsewhere.md", number)),
    }
    taken = measure.in_turns(4 if quick else 15, ways, warm_up=2)
    rows = [row("clienthook", FLOOR, size, taken[FLOOR])]
    for name in list(ways)[1:]:
        limit = {"target": "<= 300 ms", "limit_ms": 300.0} if size == 1000 else {}
        rows.append(row("clienthook", name, size, taken[name], taken[FLOOR], **limit))
    return rows
