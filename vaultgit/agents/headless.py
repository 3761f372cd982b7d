"""What is known of a client that answers one prompt without a person: flags, environment, how its answer is read.

A client that can do so has the names of `Client` in its module. Each of its flags was run for real against a scripted
model: together they leave no session file, start no hook, MCP server or tool, and read no instructions of the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from typing import Protocol

# In the environment of a client that we run: whatever of ours it starts (hooks, captures) is to do nothing.
INSIDE = "VAULTGIT_CAPTURE"


class Call(NamedTuple):
    """A process to start. `apart`: the instructions stand in `argv`; else they go before the text on standard input."""

    argv: list[str]
    env: dict[str, str]
    apart: bool


class Said(NamedTuple):
    """An answer, or why what came is none."""

    text: str
    failed: str = ""


class Client(Protocol):
    """`HELP`: what prints the help that must list all of `NEEDS`; a client that lacks one is too old."""

    HELP: tuple[str, ...]
    NEEDS: tuple[str, ...]

    def headless(self, words: Sequence[str], system: str, folder: str, out: str, seconds: float) -> Call:
        """`words`: the program, and what the user adds, such as a model. `folder`: an empty one, where it runs. `out`:
        a file for the answer, where the client has that. `seconds`: how long it may take."""

    def said(self, stdout: str, file: str) -> Said:
        """The answer in what a run that ended with 0 printed, or left in its file."""
