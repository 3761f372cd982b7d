"""The engine `command`: a headless client, or any program that reads a prompt and prints an answer.

Only git's own config names it (`git config vaultgit.engine claude`): a clone brings no program along. Claude and Codex
are started with flags under which they keep no session, start no hook and have no tool; another program as it stands.
Its output is trusted only where it ended with 0 and what it printed is no error; then it is text, and no more.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
import time
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit import agents
from vaultgit.agents import claude
from vaultgit.agents import codex
from vaultgit.agents.headless import INSIDE
from vaultgit.agents.headless import Call
from vaultgit.agents.headless import Client
from vaultgit.agents.headless import Said
from vaultgit.errors import UsageError
from vaultgit.passes.engines import process
from vaultgit.passes.engines.answer import Answer
from vaultgit.passes.engines.answer import error_sentence
from vaultgit.passes.engines.answer import quoted
from vaultgit.passes.engines.ceilings import Budget
from vaultgit.passes.engines.ceilings import Spent
from vaultgit.passes.engines.prompt import Prompt
from vaultgit.passes.engines.prompt import render

HOW = "git config vaultgit.engine claude   (or codex, or a command that reads a prompt and prints an answer)"
FOLDER = "vaultgit-engine-"  # begins the name of the folder it runs in, for whoever reads the clients' logs
SECONDS = 120.0
MOST = 1_000_000  # bytes of an answer
_HELP_SECONDS = 60.0
# How clients complain of a flag that they do not know: they end at once then, and have done nothing.
_UNKNOWN = re.compile(rb"(?i)unknown option|unexpected argument|unrecogni[sz]ed (?:option|argument)")

_CLIENTS: dict[str, Client] = {"claude": claude, "codex": codex}
# These keep every session, and no flags are known that stop them: only a person can choose to start them so.
_KEEPS_SESSIONS = ("gemini", "opencode")
# What a client that runs us has set for us, and the one that we run would take for its own.
_ANOTHERS = frozenset(
    ("CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "GEMINI_PROJECT_DIR", "PWD", "OLDPWD")
)


class Line(NamedTuple):
    """`git config vaultgit.engine`, understood. `program`: the file to start, "" where there is none."""

    name: str
    words: list[str]
    program: str
    client: Client


class _Plain:
    """Any other program: the whole prompt on standard input, the answer on standard output."""

    HELP: tuple[str, ...] = ()
    NEEDS: tuple[str, ...] = ()

    def headless(self, words: Sequence[str], system: str, folder: str, out: str, seconds: float) -> Call:  # noqa: ARG002
        return Call(list(words), {}, apart=False)

    def said(self, stdout: str, file: str) -> Said:  # noqa: ARG002
        return Said(stdout)


def understood(setting: str) -> Line:
    """What the setting names. Raises UsageError where it is no command line, or starts no client safely."""
    try:
        words = shlex.split(setting)
    except ValueError as error:
        raise UsageError(f"git config vaultgit.engine: {error}: {setting}", HOW) from error
    if not words or not words[0]:
        raise UsageError("git config vaultgit.engine names nothing", HOW)
    start = os.path.expanduser(words[0])
    name = os.path.basename(start)
    if os.sep in start and not os.path.isabs(start):
        raise UsageError(f"git config vaultgit.engine: {start} lies elsewhere in each folder", "give its full path")
    if name in _KEEPS_SESSIONS and len(words) == 1:
        what = f"git config vaultgit.engine: {name} keeps its sessions, and no safe flags for it are known here"
        raise UsageError(what, "name claude or codex, or give the whole command line")
    found = shutil.which(start)
    return Line(name, [start, *words[1:]], os.path.abspath(found) if found else "", _CLIENTS.get(name) or _Plain())


class Command:
    """An engine that asks a program. `grace`: seconds it gets to end by itself once its time is up."""

    def __init__(
        self, line: Line, budget: Budget, *, seconds: float = SECONDS, grace: float = process.GRACE
    ) -> None:  # fmt: skip
        self.line, self.budget = line, budget
        self.seconds, self.grace = seconds, grace
        self.name, self.setting = line.name, shlex.join(line.words)

    @property
    def spent(self) -> Spent:
        return self.budget.spent

    def shown(self, prompt: Prompt) -> str:
        """The command line, and below it what it would read: exactly what would be sent."""
        system, text = render(prompt)
        call = self._call(system, "EMPTY_FOLDER", "ANSWER_FILE")
        return f"$ {shlex.join(call.argv)}\n{_stdin(call, system, text)}"

    def missing(self) -> str:
        """Why the program cannot be asked at all, in words; "" where it can."""
        if self.line.program:
            return ""
        named = os.path.expanduser(self.line.words[0])
        if os.path.isfile(named):
            return f"{named} is no program: chmod +x"
        where = "" if os.sep in named else f" on PATH ({os.environ.get('PATH', '')})"
        return f"there is no program {named}{where}"

    def _too_old(self) -> str:
        """Which flags an older client lacks, as its help says."""
        lacks = self._lacks() if self.line.client.NEEDS else []
        return f"{self.line.program} is too old: its help has no {', '.join(lacks)}; update it" if lacks else ""

    def write(self, prompt: Prompt) -> Answer:
        """Asks once. Never raises for what the program does: `failed` says it."""
        system, text = render(prompt)
        asked = len(system) + len(text)
        why = self.missing() or self.budget.begin(asked)
        if why:
            return Answer("", why)
        begun, answer = time.monotonic(), Said("", "it was interrupted")
        try:
            answer = self._ask(system, text)
        finally:
            seconds = time.monotonic() - begun
            self.budget.end(len(answer.text), seconds, failed=bool(answer.failed))
        failed = f"{self.name} {answer.failed}" if answer.failed else ""
        return Answer("" if failed else answer.text, failed, asked + len(answer.text), seconds)

    def _ask(self, system: str, text: str) -> Said:
        with tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as parent:
            folder, out = os.path.join(parent, "empty"), os.path.join(parent, "answer.txt")
            os.mkdir(folder, 0o700)
            call = self._call(system, folder, out)
            ended = process.run(
                [self.line.program, *call.argv[1:]], stdin=_stdin(call, system, text).encode("utf-8", "replace"),
                folder=folder, env=_environment(os.environ, call.env, folder), seconds=self.seconds, most=MOST,
                grace=self.grace,
            )  # fmt: skip
            said = _accepted(self.line.client, ended, _read(out))
            if ended.code and _UNKNOWN.search(ended.err + ended.out) and (why := self._too_old()):
                return Said("", f"ended with {ended.code}: {why}")
            return said

    def _call(self, system: str, folder: str, out: str) -> Call:
        return self.line.client.headless(self.line.words, system, folder, out, self.seconds)

    # -- old clients -------------------------------------------------------------------------------------------

    def _lacks(self) -> list[str]:
        """Flags that the program's help does not list."""
        with tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as folder:
            ended = process.run(
                [self.line.program, *self.line.client.HELP], stdin=b"", folder=folder,
                env=_environment(os.environ, {}, folder), seconds=_HELP_SECONDS, most=MOST, grace=self.grace,
            )  # fmt: skip
        text = ended.out.decode("utf-8", "replace")
        return [flag for flag in self.line.client.NEEDS if not re.search(rf"(?<![\w-]){flag}(?![\w-])", text)]


def _stdin(call: Call, system: str, text: str) -> str:
    return text if call.apart else f"{system}\n\n{text}"


def _environment(ours: Mapping[str, str], more: Mapping[str, str], folder: str) -> dict[str, str]:
    """Ours without what leads to our repository (GIT_DIR in a hook), to the session that runs us, or to the vault."""
    foreign = _ANOTHERS.union(*((*client.MARKERS, client.SESSION) for client in agents.CLIENTS))
    kept = {
        name: value
        for name, value in ours.items()
        if name not in foreign and not name.startswith(("GIT_", "VAULTGIT_"))
    }
    return {**kept, **more, INSIDE: "1", "PWD": folder}


def _read(out: str) -> str:
    try:
        with open(out, "rb") as stream:
            return stream.read(MOST).decode("utf-8", "replace")
    except OSError:
        return ""


def _accepted(client: Client, ended: process.Ended, file: str) -> Said:
    """The answer, where there is one: it ended with 0, calls it no error, and it is neither empty nor reads like one.
    What a failed run printed is never an answer."""
    if ended.why:
        return Said("", ended.why)
    out = ended.out.decode("utf-8", "replace")
    if ended.code != 0:
        return Said("", f"ended with {ended.code}: {_complaint(client, ended, out)}")
    said = client.said(out, file)
    text = said.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if said.failed:
        return Said("", f"failed: {quoted(said.failed, 200)}")
    if not text.strip():
        return Said("", "answered nothing")
    sentence = error_sentence(text)
    return Said("", f"answered with an error: {quoted(sentence, 200)}") if sentence else Said(text)


def _complaint(client: Client, ended: process.Ended, out: str) -> str:
    """What it says about its failure, one line of it: some print the whole prompt again."""
    said = client.said(out, "")
    if out.strip() and said.failed:
        return quoted(said.failed, 200)
    lines = [line for line in ended.err.decode("utf-8", "replace").split("\n") if line.strip()]
    errors = [line for line in lines if re.match(r"\s*(?:error|fatal)\b", line, re.IGNORECASE)]
    return quoted([*out.strip().split("\n")[-1:], *lines[-1:], *errors[-1:]][-1], 200) or "it did not say why"
