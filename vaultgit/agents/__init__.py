"""Facts about each agent client, one file a client. No processes, no writes.

A client is a module with NAME (how its edits are signed), MARKERS (environment variables it sets for what it
starts) and SESSION (the variable that holds its session id, "" where it has none). A new client is one such
file and one line in CLIENTS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vaultgit.agents import claude
from vaultgit.agents import codex
from vaultgit.agents import gemini
from vaultgit.agents import opencode

CLIENTS = (claude, codex, gemini, opencode)


class Client(NamedTuple):
    """The agent client that started this process."""

    name: str
    session: str | None


def recognise(environ: Mapping[str, str]) -> Client | None:
    """The client whose markers stand in the environment; None when a person (or a script) started us."""
    for client in CLIENTS:
        if any(environ.get(marker, "0") not in ("", "0") for marker in client.MARKERS):
            return Client(client.NAME, environ.get(client.SESSION) or None)
    return None
