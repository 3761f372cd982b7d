"""Facts about each agent client, one file a client. No processes, no writes.

A client is a module with NAME (how its edits are signed), MARKERS (environment variables it sets for what it
starts), SESSION (the variable that holds its session id, "" where it has none), `sent` (whether a hook's payload is
this client's) and `wrote` (the files that a tool wrote, from such a payload). A new client is one such file and one
line in CLIENTS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from vaultgit.agents import claude
from vaultgit.agents import codex
from vaultgit.agents import gemini
from vaultgit.agents import opencode
from vaultgit.agents.tool import Wrote

CLIENTS = (claude, codex, gemini, opencode)


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


def report(payload: Mapping[str, Any]) -> Report:
    """Reads the payload of a hook; one that no client here is known to send reports nothing."""
    folder, session = str(payload.get("cwd") or ""), payload.get("session_id")
    for client in CLIENTS:
        if client.sent(payload):
            who = Client(client.NAME, session if isinstance(session, str) else None)
            return Report(who, client.wrote(payload), folder)
    return Report(None, [], folder)
