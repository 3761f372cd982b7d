"""What is known of the logs in which a client keeps its conversations: where they lie, and which records are speech.

A client that has such logs has the names of `Log` in its module. Only what a person or an assistant said is a turn:
no tool output, no record of the client's own, nothing that was put into the conversation by a hook or by the client.
Logs are JSON, one record a line, and are appended to.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from typing import NamedTuple
from typing import Protocol

PERSON, ASSISTANT = "person", "assistant"


class Opening(NamedTuple):
    """What the first record of a log says about the whole conversation."""

    folder: str = ""  # where the client worked
    headless: bool = False  # a program started it (`codex exec`), no person sits there
    helper: bool = False  # an agent speaks with an agent: none of it is a person's


class Turn(NamedTuple):
    """What somebody said.

    `key`: the same for each copy of the record (a fork, a resumed session, a row a block), different for all others of
    this client. `when`: with its zone; None where the record has no time that can be read.
    """

    key: str
    by: str  # PERSON or ASSISTANT
    text: str
    when: datetime | None
    folder: str = ""
    headless: bool = False


class Log(Protocol):
    """`NAME`: the client, as its edits are signed. `UNOPENED`: what holds of a log that does not say how it began."""

    NAME: str
    UNOPENED: Opening

    def sent(self, payload: Mapping[str, Any]) -> bool:
        """Whether this client sent a hook's payload."""

    def typed(self, payload: Mapping[str, Any]) -> str:
        """What a person typed, from the payload of a hook of a prompt; "" where none did."""

    def logs(self, environ: Mapping[str, str], home: str) -> list[str]:
        """Glob patterns of the files that hold conversations, absolute, metacharacters of the folders escaped."""

    def conversation(self, path: str) -> str:
        """The conversation's id, from the name of its file."""

    def opening(self, record: Mapping[str, Any]) -> Opening | None:
        """What a record among the first of a log says about all of it; None where that is nothing."""

    def turns(self, record: Mapping[str, Any], opening: Opening) -> list[Turn]:
        """What was said in a record. Never raises: a record of another shape than usual says nothing."""

    def withdrawn(self, record: Mapping[str, Any]) -> str | None:
        """A text that stands in an earlier record as if the assistant had said it, and that nobody said: the summary
        that a compaction leaves. None where the record takes nothing back."""
