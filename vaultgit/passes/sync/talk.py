"""One git command that talks with a remote: with a limit in time, without a question to anybody where nobody sits
there, and with what git counts passed on.

Who sits at a terminal may be asked there, by git or ssh. Elsewhere nothing asks, not even a window of the desktop's.

Settings of a person's git config that would add to what the command says are overruled here.
"""

from __future__ import annotations

import os
import re
import selectors
import time
from collections.abc import Callable
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vaultgit.history.repository import Repository
from vaultgit.passes.sync.words import COUNTED
from vaultgit.passes.sync.words import Away
from vaultgit.passes.sync.words import without_progress

if TYPE_CHECKING:
    import subprocess

LIMIT = 900.0  # seconds for one fetch or push where nobody waits for it: a hung hook or server ends there
LOOK = 120.0  # the same for a look at the branches: a server that accepts and never answers, a packet that is dropped
MUTE = 60  # seconds that an http server may say nothing; for a push LIMIT, as the server judges it before it answers
_SSH = "ssh -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"
_NOT_FROM_CONFIG = {"fetch.writeCommitGraph": "false", "color.remote": "false", "color.push": "false",
                    "color.transport": "false"}  # fmt: skip
_SLOW = "100"  # bytes a second that are as good as nothing


def silently(_number: int) -> None:
    """For nobody who waits."""


class Talk:
    """How git talks with one remote. `attended`: a person sits there and may be asked by git and ssh; `tick` is told
    how many more objects git has worked on."""

    def __init__(self, repo: Repository, name: str, attended: bool, tick: Callable[[int], None]) -> None:
        self.repo, self.name, self.attended, self.tick = repo, name, attended, tick

    def run(
        self, *args: str, env: Mapping[str, str] = {}, limit: float | None = None, mute: float = MUTE
    ) -> tuple[int, bytes, str]:
        """Exit code, output, and what git said on standard error, without its progress.

        `limit`: seconds for all of it (None: LIMIT), where nobody waits; `mute`: seconds that an http server may say
        nothing, unless the person's git config says otherwise. Raises Away where it takes too long.
        """
        process = self.repo.start(*args, env={**self._environment(mute), **env})
        assert process.stdin is not None
        process.stdin.close()
        try:
            out, err = self._listen(process, LIMIT if limit is None else min(limit, LIMIT))
        except BaseException:
            process.terminate()
            raise
        finally:
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        return process.returncode, out, without_progress(err)

    def _listen(self, process: subprocess.Popen[bytes], limit: float) -> tuple[bytes, bytes]:
        """What the process says until it ends. Not until its streams end: an ssh that is kept for the next connection
        holds them open."""
        assert process.stdout is not None and process.stderr is not None
        said = {process.stdout: b"", process.stderr: b""}
        until = time.monotonic() + limit
        seen: dict[str, int] = {}
        with selectors.DefaultSelector() as waiting:
            for stream in said:
                waiting.register(stream, selectors.EVENT_READ)
            while waiting.get_map():
                ended = process.poll() is not None
                ready = waiting.select(0 if ended else 0.2)
                if ended and not ready:
                    break
                for key, _ in ready:
                    stream = process.stdout if key.fileobj is process.stdout else process.stderr
                    data = os.read(stream.fileno(), 1 << 16)
                    said[stream] += data
                    if not data:
                        waiting.unregister(stream)
                    elif stream is process.stderr:
                        self._count(data, seen)
                if time.monotonic() > until and not self.attended:
                    raise Away(f"{self.name} did not answer within {limit / 60:.0f} minutes")
        return said[process.stdout], said[process.stderr]

    def _count(self, data: bytes, seen: dict[str, int]) -> None:
        for line in re.split(rb"[\r\n]", data):
            found = COUNTED.match(line.decode("utf-8", "replace"))
            if found:
                self.tick(max(0, int(found[2]) - seen.get(found[1], 0)))
                seen[found[1]] = int(found[2])

    def _environment(self, mute: float) -> dict[str, str]:
        repo, env = self.repo, {}
        settings = dict(_NOT_FROM_CONFIG)
        settings[f"remote.{self.name}.mirror"] = "false"
        slow = {"http.lowspeedlimit": _SLOW, "http.lowspeedtime": f"{mute:.0f}"}
        settings |= {key: value for key, value in slow.items() if not repo.setting(key)}
        own = os.environ.get("GIT_SSH_COMMAND") or os.environ.get("GIT_SSH") or repo.setting("core.sshcommand")
        if not own:
            env["GIT_SSH_COMMAND"] = _SSH if self.attended else f"{_SSH} -o BatchMode=yes"
        if self.attended:
            env["GIT_TERMINAL_PROMPT"] = os.environ.get("GIT_TERMINAL_PROMPT", "1")
        else:  # SSH_ASKPASS: a window that the desktop opens; "" so that ssh does not look for one of its own either
            env |= {"GCM_INTERACTIVE": "never", "SSH_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never"}
        for number, (key, value) in enumerate(settings.items()):
            env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return {**env, "GIT_CONFIG_COUNT": str(len(settings))}
