"""The desk: takes a call by its name, holds it to the tool's schema, opens the vault, answers. It runs in threads; one
call that writes at a time.

The vault is opened anew for each call: its settings may have changed, and one that is gone makes an error, no crash.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING
from typing import Any

from vaultgit.clock import SystemClock
from vaultgit.errors import VaultgitError
from vaultgit.mcp.schema import TOOLS

if TYPE_CHECKING:
    from vaultgit.mcp.answer import Answer
    from vaultgit.mcp.call import Call
    from vaultgit.mcp.connection import Connection

_WHERE = {
    "search": "finding", "context": "finding", "session": "work", "skill": "work",
    "read": "notes", "write": "notes", "propose": "notes", "undo": "notes",
}  # fmt: skip


class Desk:
    """`vault` and `agent`: as the command line named them. `seconds`: until a call is given up. The folder that this
    runs in counts as it is now: the client may take it away."""

    def __init__(self, vault: str | None, agent: str | None, seconds: float) -> None:
        self.vault, self.agent, self.seconds = vault, agent, seconds
        self.clock = SystemClock()
        self.folder = os.getcwd()
        self._opening = threading.Lock()
        self._connection: Connection | None = None
        self.asked = 0  # calls that have no answer yet; counted by the server
        self._writing = threading.Lock()
        self._busy = 0
        self._idle = threading.Condition()

    def answer(self, name: str, arguments: Mapping[str, Any], client: str) -> Answer:
        """Never raises."""
        from vaultgit.mcp.answer import plain

        with self._idle:
            self._busy += 1
        try:
            found = self._answer(name, arguments, client)
            return found._replace(texts=plain(found.texts), data=plain(found.data))
        finally:
            with self._idle:
                self._busy -= 1
                self._idle.notify_all()

    @property
    def connection(self) -> Connection:
        """From the first call on: a client is answered before anything else of ours is imported."""
        from vaultgit.mcp.connection import Connection

        with self._opening:
            self._connection = self._connection or Connection(self.clock, self.agent, self.folder)
            return self._connection

    def settled(self, seconds: float) -> bool:
        """Waits until no call is at work; whether that came about."""
        with self._idle:
            return self._idle.wait_for(lambda: not self._busy, timeout=seconds)

    def leave(self) -> None:
        """The client has gone: the session that began here gets its note, by a process of its own. Clients do not wait:
        Codex 0.171 sends SIGTERM, and SIGKILL to the whole group within 0.1 s. (A session that is not ended by this is
        closed by a later one.)"""
        by = self._connection.left if self._connection else None
        if by is None:
            return
        import subprocess

        words = [f"--agent={by.agent}", f"--session={by.session}", *([f"--vault={self.vault}"] if self.vault else [])]
        folder = self.folder if os.path.isdir(self.folder) else os.sep
        try:
            subprocess.Popen(
                [sys.executable, "-P", "-m", "vaultgit", "session", "end", *words], start_new_session=True, cwd=folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError:
            return

    def _answer(self, name: str, arguments: Mapping[str, Any], client: str) -> Answer:
        from vaultgit.mcp import answer

        tool = TOOLS.get(name)
        if tool is None:
            return answer.failure(f"there is no tool {name}", f"tools: {', '.join(TOOLS)}")
        given = {key: value for key, value in arguments.items() if value is not None}
        wrong = _wrong(name, given)
        if wrong:
            return answer.failure(f"{name}: {wrong}")
        try:
            if not tool.writes:
                return self._done(name, given, client)
            if not self._writing.acquire(timeout=self.seconds * 0.9):
                return answer.failure("another write is still at work; nothing was done", "try again later")
            try:
                return self._done(name, given, client)
            finally:
                self._writing.release()
        except VaultgitError as error:
            return answer.of_error(error)
        except FileNotFoundError as error:
            missing = "git is not installed, or not on PATH" if error.filename == "git" else f"{error}"
            return answer.failure(missing)
        except Exception as error:
            from vaultgit.checks.secrets import redact

            words = redact(" ".join(str(error).split()))[0][:200]
            return answer.failure(f"a bug of vaultgit's: {type(error).__name__}: {words}", "go on without it")

    def _done(self, name: str, given: Mapping[str, Any], client: str) -> Answer:
        from vaultgit.mcp.call import Call
        from vaultgit.vault import open_vault

        vault = open_vault(self.vault, cwd=self.folder)
        with vault.repo:
            by = self.connection.by(vault, client)
            call = Call(vault, self.clock, by, self.connection, given)
            work: Callable[[Call], Answer] = getattr(import_module(f"vaultgit.mcp.{_WHERE[name]}"), name)
            return work(call)


@cache
def _validator(name: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(TOOLS[name].schema)


def _wrong(name: str, given: Mapping[str, Any]) -> str:
    """What is wrong with the arguments, "" where nothing is."""
    try:
        str(given).encode()
        error = next(_validator(name).iter_errors(dict(given)), None)
    except (UnicodeEncodeError, ValueError, RecursionError):
        return "an argument is no text, or no JSON"
    if error is None:
        return ""
    at = "/".join(str(part) for part in error.instance_path)
    return f"{at}: {error.message[:300]}" if at else str(error.message[:300])
