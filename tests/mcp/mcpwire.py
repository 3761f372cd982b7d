"""A real `vaultgit mcp` in a process of its own, and its wire: lines in, lines out, every byte kept."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support import Folder

PATIENCE = 60.0  # seconds for an answer
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}}


class Wire:
    """One client's connection. `errors`: the file that standard error goes to."""

    def __init__(
        self,
        vault: Folder | Path,
        *args: str,
        client: str = "test-client",
        env: Mapping[str, str] = {},
        hello: bool = True,
    ) -> None:
        root = vault.root if isinstance(vault, Folder) else vault
        self.errors = Path(os.environ["HOME"]) / f"mcp-errors-{os.urandom(4).hex()}"
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "vaultgit", "mcp", "--vault", str(root), *args], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=errors, env={**os.environ, **env},
            )  # fmt: skip
        self.lines: list[bytes] = []
        self._came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._number = 0
        self._early: dict[int, Any] = {}  # answers that came before they were waited for
        if hello:
            self.hello = self.ask("initialize", {**HELLO, "clientInfo": {"name": client, "version": "1"}})["result"]
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *exc: object) -> None:
        self.process.kill()
        self.close()

    def send(self, message: Any) -> None:
        """A message, or bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, method: str, params: Any = None) -> int:
        """Asks, and does not wait; the number of the question."""
        self._number += 1
        given = {} if params is None else {"params": params}
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, **given})
        return self._number

    def wait(self, number: int) -> Any:
        """The answer to a question."""
        while number not in self._early:
            line = self._came.get(timeout=PATIENCE)
            assert line, f"the server has gone: {self.errors.read_text()}"
            self.lines.append(line)
            message = json.loads(line)
            self._early[message.get("id")] = message
        return self._early.pop(number)

    def ask(self, method: str, params: Any = None) -> Any:
        return self.wait(self.begin(method, params))

    def start(self, tool: str, **arguments: Any) -> int:
        return self.begin("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool: str, **arguments: Any) -> Any:
        """A tool's result, whatever it is."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def does(self, tool: str, **arguments: Any) -> Any:
        """The structured result of a call that must go well."""
        found = self.call(tool, **arguments)
        assert not found["isError"], found
        return found["structuredContent"]

    def fails(self, tool: str, **arguments: Any) -> str:
        """The words of a call that must not."""
        found = self.call(tool, **arguments)
        assert found["isError"], found
        return words(found)

    def close(self, timeout: float = 30) -> int:
        """The client goes; the exit code. What came last is kept too."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        code = self.process.wait(timeout)
        self._reader.join(timeout)
        while not self._came.empty():
            self.lines += [line] if (line := self._came.get()) else []
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stdout:
            for line in stdout:
                self._came.put(line)
        self._came.put(b"")

    @property
    def stdout(self) -> bytes:
        return b"".join(self.lines)


def at_rest(vault: Folder, deadline: float = 30.0) -> list[Path]:
    """The session notes, once what the server left behind (the session's end, by a process of its own) is done."""
    until = time.monotonic() + deadline
    while list((vault.root / ".git/vaultgit/state/sessions").glob("*.open")) or vault.git("status", "--porcelain"):
        assert time.monotonic() < until, vault.run("session", "list").out + vault.git("status")
        threading.Event().wait(0.05)
    return sorted((vault.root / "sessions").glob("*.md"))


def words(result: Any) -> str:
    return "\n".join(block["text"] for block in result["content"])


def assert_pure(stdout: bytes) -> None:
    """Case 059: nothing but messages, the first byte on."""
    assert stdout.startswith(b"{") and stdout.endswith(b"\n")
    for line in stdout.split(b"\n")[:-1]:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0" and ("result" in message or "error" in message), message
