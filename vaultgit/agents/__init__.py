"""Facts about each agent client, one file a client. No processes, no writes.

A client is a module with NAME (how its edits are signed), MARKERS (environment variables it sets for what it
starts), SESSION (the variable that holds its session id, "" where it has none), MCP (what it calls itself to MCP
servers), `sent` (whether a hook's payload is this client's) and `wrote` (the files that a tool wrote, from such a
payload). A new client is one such file and one line in CLIENTS; one whose conversations can be read (`dialogue.Log`)
stands in LOGS too, and can say what a person typed from the payload of a prompt (`typed`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from vaultgit.agents import claude
from vaultgit.agents import codex
from vaultgit.agents import gemini
from vaultgit.agents import opencode
from vaultgit.agents.dialogue import Log
from vaultgit.agents.tool import Wrote

CLIENTS = (claude, codex, gemini, opencode)
LOGS: tuple[Log, ...] = (claude, codex)  # those whose conversations are read


class Client(NamedTuple):
    """The agent client that started this process, or that sent a payload."""

    name: str
    session: str | None


class Report(NamedTuple):
    """What a client's hook reports: who, and which files a tool wrote. `folder`: what relative paths start from."""

    client: Client | None
    wrote: list[Wrote]
    folder: str


def recognise(environ: Mapping[str, str]) -> Client | None:
    """The client whose markers stand in the environment; None when a person (or a script) started us."""
    for client in CLIENTS:
        if any(environ.get(marker, "0") not in ("", "0") for marker in client.MARKERS):
            return Client(client.NAME, environ.get(client.SESSION) or None)
    return None


def of_mcp(name: str) -> str | None:
    """The agent's name of an MCP client that calls itself `name`; None for one that is not known here."""
    return next((client.NAME for client in CLIENTS if name == client.MCP), None)


def report(payload: Mapping[str, Any], name: str | None = None) -> Report:
    """Reads the payload of a hook. `name`: the agent, where it is known otherwise; a payload in whose words no client
    can be told apart is read as that agent's client sends it, or as any does."""
    folder, session = str(payload.get("cwd") or ""), payload.get("session_id")
    client = next((one for one in CLIENTS if one.sent(payload)), None)
    client = client or next((one for one in CLIENTS if name == one.NAME), None)
    wrote = client.wrote(payload) if client else next((found for one in CLIENTS if (found := one.wrote(payload))), [])
    who = Client(client.NAME, session if isinstance(session, str) else None) if client else None
    if who is None and name and isinstance(session, str):
        who = Client(name, session)
    return Report(who, wrote, folder)


def typed(payload: Mapping[str, Any], name: str | None = None) -> str:
    """What a person typed, from the payload of a prompt; "" where none did. `name`: the agent, where it is known."""
    client = next((one for one in LOGS if name == one.NAME), None) or next(
        (one for one in LOGS if one.sent(payload)), LOGS[0]
    )
    return client.typed(payload)


def conversation(payload: Mapping[str, Any]) -> str | None:
    """The id of the conversation that a hook's payload comes from, as its log is called; None where it does not say."""
    path, session = payload.get("transcript_path"), payload.get("session_id")
    for client in LOGS:
        if isinstance(path, str) and path and client.sent(payload):
            return client.conversation(path)
    return session if isinstance(session, str) and session else None
