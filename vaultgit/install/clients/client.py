"""What an agent client's user-level settings are like: one module a client has the names of `Client`."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple
from typing import Protocol

from vaultgit.install.clients.entries import Found


class Wanted(NamedTuple):
    """A hook that we want there. `name`: what it starts, of `entries.NAMES`; `timeout`: seconds, longer than it gives
    itself."""

    event: str
    matcher: str
    name: str
    timeout: int


class Note(NamedTuple):
    """What a person should know of a client's settings. `kind`: a word for scripts; `mend`: what to do."""

    kind: str
    about: str
    what: str
    mend: str


class Client(Protocol):
    """`NAME`: what a person calls it on our command line; `TITLE`: in prose; `AGENT`: how its edits are signed;
    `PROGRAM`: how it is started; `SETTINGS`: the file of its hooks, `INSTRUCTIONS`: of what it tells its model in every
    folder, and `COMMAND`: of our /recap, below its folder; `TEMPLATE`: of the latter, in hooks/; `CALLED`: how a person
    calls that; `LEAVE`: what that may do without asking, in words; `ASKS`: what a person may add
    themselves (`{program}`, `{vault}`); `PAYLOAD`: what every hook of its gets, beside what names the event."""

    NAME: str
    TITLE: str
    AGENT: str
    PROGRAM: str
    SETTINGS: str
    INSTRUCTIONS: str
    COMMAND: str
    TEMPLATE: str
    CALLED: str
    LEAVE: str
    ASKS: str
    HOOKS: tuple[Wanted, ...]
    PAYLOAD: Mapping[str, str]

    def folder(self, environ: Mapping[str, str], home: str) -> str:
        """Where it keeps its user's settings."""

    def notes(self, folder: str, text: str, found: Sequence[Found]) -> list[Note]:
        """Why hooks of ours that stand in its settings, `text`, would not run."""
