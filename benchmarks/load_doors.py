"""The doors through which a writer of the load edits: the command line, an MCP client, a client's own tools.

Each takes an intended change and answers what it was told. Real programs throughout: `vaultgit` in a process of its own
for each edit, the MCP SDK's client with one long-lived server, files written in place and then reported by a hook.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any
from typing import NamedTuple
from typing import Protocol

from benchmarks import place

# Names by which their MCP clients introduce themselves; vaultgit makes the agent's name of them.
CLIENTS = {
    "claude-code": "claude-code", "codex": "codex-mcp-client", "gemini-cli": "gemini-cli-mcp-client",
    "opencode": "opencode",
}  # fmt: skip
AGENTS = tuple(CLIENTS)
HOOKED = ("claude-code", "codex")  # their hooks say which file a tool wrote, and what it replaced
PATIENCE = 300.0  # seconds for one command: whoever waits longer has starved


class Wanted(NamedTuple):
    """A change. `do`: append; insert, para (a whole note with its base: one more line, a longer one); set, new, apply,
    move."""

    do: str
    path: str
    mark: str  # stands in the text, once
    line: str = ""  # one line of text with the mark
    heading: str = ""
    other: str = ""  # apply: a second note; move: the new path


class Told(NamedTuple):
    outcome: str  # as vaultgit says; "reported" by a hook, which says nothing; "failed" where it broke
    edit: str = ""
    path: str = ""
    reason: str = ""


class Door(Protocol):
    async def edit(self, wanted: Wanted) -> Told:
        """Makes the change. Raises nothing of vaultgit's: what went wrong is told."""


def run(vault: str, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*place.program(), *words], cwd=vault, input=given, capture_output=True, text=True, check=False,
        timeout=PATIENCE, errors="surrogateescape",
    )  # fmt: skip


def _told(found: dict[str, Any], words: str = "") -> Told:
    problems = "; ".join(f"{one['path']}: {one['code']} {one['message']}" for one in found.get("problems", ()))
    why = found.get("reason") or problems or found.get("message") or words
    return Told(found["outcome"], found.get("edit") or "", found.get("path") or "", str(why))


def changed(text: str, wanted: Wanted) -> str:
    """A note's text with one more line: behind the heading, else at the end. Of a paragraph: with the mark at the end
    of its line, so that two who do so at once collide."""
    lines, line, after = text.splitlines(keepends=True), wanted.line, wanted.heading
    if wanted.do == "para":
        return "".join(f"{one.rstrip()} {wanted.mark}\n" if one.startswith(after) else one for one in lines)
    at = next((n + 1 for n, one in enumerate(lines) if after and one.rstrip("\n") == after), len(lines))
    return "".join([*lines[:at], line, *lines[at:]])


class CommandLine:
    """`vaultgit` for each edit."""

    def __init__(self, vault: str, agent: str) -> None:
        self.vault, self.agent = vault, agent

    async def edit(self, wanted: Wanted) -> Told:
        try:
            return self._edit(wanted)
        except subprocess.TimeoutExpired:
            return Told("failed", reason=f"no answer within {PATIENCE:g} s")

    def _edit(self, wanted: Wanted) -> Told:
        path, line = wanted.path, wanted.line
        if wanted.do == "set":
            return self._ask("set", path, f"seen={wanted.mark}")
        if wanted.do == "new":
            return self._ask("write", path, given=f"# New\n\n{line}")
        if wanted.do == "move":
            return self._ask("move", path, wanted.other)
        if wanted.do == "apply":
            changes = [{"path": one, "append": line} for one in (path, wanted.other)]
            return self._ask("apply", given=json.dumps({"line": f"load: {wanted.mark}", "changes": changes}))
        if wanted.do in ("insert", "para"):
            read = run(self.vault, "read", path, "--json", "--agent", self.agent)
            if read.returncode:
                return Told("failed", reason=f"read: {read.returncode}: {read.stderr[-300:]}")
            note = json.loads(read.stdout)
            text = changed(note["text"], wanted)
            return self._ask("write", path, "--base", note["oid"], given=text)
        return self._ask("append", path, *(("--heading", wanted.heading) if wanted.heading else ()), given=line)

    def _ask(self, *words: str, given: str = "") -> Told:
        done = run(self.vault, *words, "--agent", self.agent, "--json", given=given)
        try:
            return _told(json.loads(done.stdout), done.stderr)
        except (ValueError, KeyError, TypeError):
            return Told("failed", reason=f"{words[0]}: {done.returncode}: {(done.stdout + done.stderr)[-400:]}")


class Mcp:
    """The SDK's client, with one `vaultgit mcp` for as long as the writer lives."""

    def __init__(self, vault: str, agent: str) -> None:
        from mcp import Client
        from mcp import StdioServerParameters
        from mcp import types

        words = [*place.program(), "mcp", "--vault", vault]
        self._server = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ), cwd=vault)
        self._client = Client(
            self._server, client_info=types.Implementation(name=CLIENTS[agent], version="1"),
            read_timeout_seconds=PATIENCE,
        )  # fmt: skip

    async def __aenter__(self) -> Mcp:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.__aexit__(None, None, None)

    async def edit(self, wanted: Wanted) -> Told:
        if wanted.do in ("insert", "para"):
            note = await self._call("read", path=wanted.path)
            if not note.get("oid"):
                return Told("failed", reason=f"read: {note}")
            text = changed(note["text"], wanted)
            return _told(await self._call("write", path=wanted.path, text=text, base=note["oid"]))
        if wanted.do == "set":
            return _told(await self._call("write", path=wanted.path, action="set", values={"seen": wanted.mark}))
        if wanted.do == "new":
            return _told(await self._call("write", path=wanted.path, text=f"# New\n\n{wanted.line}"))
        if wanted.do == "move":
            return _told(await self._call("write", path=wanted.path, action="move", to=wanted.other))
        more = {"heading": wanted.heading} if wanted.heading else {}
        return _told(await self._call("write", path=wanted.path, action="append", text=wanted.line, **more))

    async def _call(self, tool: str, **arguments: str | dict[str, str]) -> dict[str, Any]:
        try:
            answer = await self._client.call_tool(tool, dict(arguments))
        except Exception as error:
            return {"outcome": "failed", "reason": f"{tool}: {type(error).__name__}: {error}"}
        found = answer.structured_content
        if isinstance(found, dict) and (tool == "read" or "outcome" in found):
            return found
        return {"outcome": "failed", "reason": f"{tool}: {answer}"[:400]}


class OwnTools:
    """Writes the file itself, as a client's tools do, and reports it: by `vaultgit hook wrote` (Claude Code's and
    Codex's hooks) or by `vaultgit record --base` (the others)."""

    def __init__(self, vault: str, agent: str) -> None:
        self.vault, self.agent = vault, agent

    async def edit(self, wanted: Wanted) -> Told:
        full = os.path.join(self.vault, wanted.path)
        try:
            if self.agent in HOOKED:
                return self._by_hook(wanted, full)
            read = run(self.vault, "read", wanted.path, "--json", "--agent", self.agent)
            if read.returncode:
                return Told("failed", reason=f"read: {read.returncode}: {read.stderr[-300:]}")
            self._write(full, wanted.line)
            oid = json.loads(read.stdout)["oid"]
            done = run(self.vault, "record", wanted.path, "--base", oid, "--agent", self.agent, "--json")
            return _told(json.loads(done.stdout), done.stderr)
        except subprocess.TimeoutExpired:
            return Told("failed", reason=f"no answer within {PATIENCE:g} s")
        except (OSError, ValueError, KeyError, TypeError) as error:
            return Told("failed", reason=f"{type(error).__name__}: {error}")

    def _by_hook(self, wanted: Wanted, full: str) -> Told:
        before = _read(full)
        self._write(full, wanted.line)
        event = {
            "session_id": f"load-{os.getpid()}", "cwd": self.vault, "hook_event_name": "PostToolUse",
            "transcript_path": f"/home/pat/.{self.agent.partition('-')[0]}/log.jsonl",
        }  # fmt: skip
        last = before.splitlines()[-1] if before else ""
        if self.agent == "codex":
            patch = f"*** Begin Patch\n*** Update File: {full}\n@@\n {last}\n+{wanted.line}*** End Patch\n"
            payload = {**event, "tool_name": "apply_patch", "tool_input": {"command": patch}}
        else:
            asked = {"file_path": full, "old_string": f"{last}\n", "new_string": f"{last}\n{wanted.line}"}
            answer = {"filePath": full, "originalFile": before}
            payload = {**event, "tool_name": "Edit", "tool_input": asked, "tool_response": answer}
        words = ("hook", "wrote", "--agent", self.agent, "--vault", self.vault)
        done = run(self.vault, *words, given=json.dumps(payload))
        said = (done.stderr + done.stdout).strip()
        if done.returncode:
            return Told("failed", reason=f"the hook ended with {done.returncode}: {said[-400:]}")
        return Told("reported", path=wanted.path, reason=said[-400:])

    def _write(self, full: str, line: str) -> None:
        """In place, at the end: what others save between reading and writing is not overwritten, which no tool that
        writes a whole file can promise."""
        with open(full, "a", encoding="utf-8") as stream:
            stream.write(line)


def _read(full: str) -> str:
    with open(full, encoding="utf-8") as stream:
        return stream.read()
