"""How the last sync that a timer started ended, read from its log: a run ends in one line that begins with its outcome,
or in an error. The log's own time is that of the run.
"""

from __future__ import annotations

import os
from datetime import datetime
from typing import NamedTuple

from vaultgit.vault import Vault

_OUTCOMES = {"unchanged": "done", "merged": "done", "pushed": "done", "queued": "later", "vaultgit:": "failed"}
_END = 16 * 1024  # bytes of the log that are looked at


class LastSync(NamedTuple):
    """`outcome`: done, later (offline or busy: the next run does it), failed. `words`: the line that says so."""

    time: datetime
    outcome: str
    words: str


def path(vault: Vault) -> str:
    return os.path.join(vault.state, "log", "sync.log")


def last(path: str) -> LastSync | None:
    """None where the log says nothing of a run, or is not there."""
    try:
        with open(path, "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _END))
            lines = stream.read().decode("utf-8", "replace").splitlines()
            when = datetime.fromtimestamp(os.fstat(stream.fileno()).st_mtime).astimezone()
    except OSError:
        return None
    lines = [line for line in lines if line.strip()]
    for line in reversed(lines):
        outcome = _OUTCOMES.get(line.split(" ")[0])  # an indented line goes on with what stands above it
        if outcome is not None:
            return LastSync(when, outcome, line.removeprefix("vaultgit:").strip())
    # Not a word of ours: it was not started at all.
    return LastSync(when, "failed", lines[-1].strip()) if lines else None
