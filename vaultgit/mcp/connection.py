"""Who is at the other end, and in which session.

A client may say that it is anybody. Whatever it says, it is an agent, never a person.
"""

from __future__ import annotations

import os
import re
import threading

from vaultgit import agents
from vaultgit.clock import Clock
from vaultgit.edits.edit import session_word
from vaultgit.edits.submit import By
from vaultgit.vault import Vault

UNKNOWN = "mcp"


class Connection:
    """One client. `agent`: what `vaultgit mcp --agent` said; else it is told at the first call, for good. `folder`:
    where the client works."""

    def __init__(self, clock: Clock, agent: str | None, folder: str) -> None:
        self.clock, self.folder = clock, folder
        self._agent = agent or os.environ.get("VAULTGIT_AGENT") or ""
        self._own = ""  # a session's id, made here
        self._began = ""  # the session that was opened here
        self._lock = threading.Lock()  # calls come from several threads

    def by(self, vault: Vault, client: str) -> By:
        """Who edits. `client`: what it calls itself.

        The session is the one that VAULTGIT_SESSION names, else the client's own; but where that is not open, and one
        other session of this agent is (its hooks began it: the client goes from one to the next, and this process
        stays), that one. A client without any gets one for as long as it stays.
        """
        from vaultgit.passes import session

        with self._lock:
            self._agent = self._agent or agent_of(client)
            named = session_word(os.environ.get("VAULTGIT_SESSION") or "")
            mine = named or self._own or self._of_client(client)
            if not named:
                opened = [one.id for one in session.open_sessions(vault) if one.agent == self._agent]
                if mine not in opened and len(opened) == 1:
                    mine = opened[0]
            if not mine:
                now = self.clock.now()
                mine = self._own = f"{now:%Y-%m-%d}-{self._agent}-{self.clock.random(4).hex()}"
            return By(self._agent, mine)

    def _of_client(self, client: str) -> str:
        """The client's session, as the environment says. What started the client may be another client: that one's
        session is not this one's."""
        around = agents.recognise(os.environ)
        same = around is not None and around.name in (self._agent, agent_of(client))
        return session_word(around.session or "") if around is not None and same else ""

    def begin(self, vault: Vault, by: By, task: str = "") -> None:
        """Opens the session, where it is not open yet; with a task, says what it is at. One call at a time."""
        from vaultgit.passes import session

        known = any(one.id == by.session for one in session.open_sessions(vault))
        if task or not known:
            session.start(vault, self.clock, by, task, self.folder, anew=bool(task))
        if not known:
            self._began = by.session or ""

    def ended(self) -> None:
        """The session has its note; what comes after is another one."""
        with self._lock:
            self._own = self._began = ""

    @property
    def left(self) -> By | None:
        """Whose session began here and has not been ended; None where there is none."""
        with self._lock:
            return By(self._agent, self._began) if self._began else None


def agent_of(client: str) -> str:
    """The agent that a client's own name for itself means."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", client).strip("._-")[:64].rstrip("._-")
    return agents.of_mcp(client) or plain or UNKNOWN
