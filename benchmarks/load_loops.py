"""What runs beside the writers: capture, dream, consolidate, status and sync, each in a loop of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable

from benchmarks import place

QUEUED = 75


class Loop(threading.Thread):
    """Runs commands of ours in turn until `stop` is set, `pause` seconds between two."""

    def __init__(self, name: str, folder: str, turns: list[list[str]], env: dict[str, str], pause: float = 0.5) -> None:
        super().__init__(name=name, daemon=True)
        self.folder, self.turns, self.env, self.pause = folder, turns, env, pause
        self.stop = threading.Event()
        self.before: Callable[[int], None] = lambda _: None
        self.codes: Counter[str] = Counter()
        self.words: Counter[str] = Counter()  # what was said by runs that did not end with 0
        self.outcomes: Counter[str] = Counter()  # the first word on standard output
        self.seconds: list[float] = []
        self.failures: list[str] = []

    def run(self) -> None:
        number = 0
        while not self.stop.is_set():
            self.before(number)
            self.once(self.turns[number % len(self.turns)])
            number += 1
            self.stop.wait(self.pause)

    def once(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        begun = time.monotonic()
        done = subprocess.run(
            [*place.program(), *words], cwd=self.folder, env=self.env, capture_output=True, text=True, check=False,
            errors="replace", stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self.seconds.append(time.monotonic() - begun)
        name = " ".join(words[:2])
        self.codes[f"{name}: {done.returncode}"] += 1
        self.outcomes[next(iter(done.stdout.split()), "(nothing)")] += 1
        if done.returncode:
            said = next(iter((done.stderr or done.stdout).strip().splitlines()), "")
            self.words[f"{name}: {done.returncode}: {re.sub(r'[0-9a-f]{12,}|[0-9]+ s', '…', said)[:200]}"] += 1
        if done.returncode not in (0, QUEUED) and done.returncode >= 0 and not self.allowed(done):
            words_said = (done.stderr + done.stdout).strip()[-600:]
            self.failures.append(f"{name} ended with {done.returncode}: {words_said}")
        return done

    def allowed(self, done: subprocess.CompletedProcess[str]) -> bool:  # noqa: ARG002
        """Whether an exit code that is neither 0 nor 75 is as it should be."""
        return False


def of_one_vault(vault: str, home: str, sync: bool) -> list[Loop]:
    """The loops of a vault, not started. `home`: where logs of conversations lie, for capture."""
    env = place.environment(HOME=home)
    log = os.path.join(home, ".claude", "projects", "-home-pat-shop", "s-1.jsonl")
    os.makedirs(os.path.dirname(log), exist_ok=True)
    capture = Loop("capture", vault, [["capture", "--now"]], env)
    capture.before = lambda number: _say(log, number)
    return [
        capture, Loop("dream", vault, [["dream", "--dry-run"], ["dream"]], env, 1.0),
        Loop("consolidate", vault, [["consolidate"]], env, 1.0), Loop("status", vault, [["status"]], env, 1.0),
        *([Loop("sync", vault, [["sync"]], env, 0.2)] if sync else []),
    ]  # fmt: skip


def _say(log: str, number: int) -> None:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + ".000Z"
    turn = {
        "type": "user", "uuid": f"u{number}", "sessionId": "s-1", "timestamp": stamp, "cwd": "/home/pat/shop",
        "isSidechain": False,
        "message": {"role": "user", "content": f"We decided to store money as cents in the column amount_{number}."},
    }  # fmt: skip
    with open(log, "ab") as stream:
        stream.write(json.dumps(turn).encode() + b"\n")


class LockWatch(threading.Thread):
    """How long index.lock is there, ours and other programs', as far as looking every few milliseconds tells."""

    def __init__(self, vault: str) -> None:
        super().__init__(name="lock watch", daemon=True)
        self.path = os.path.join(vault, ".git", "index.lock")
        self.stop = threading.Event()
        self.ours: list[float] = []
        self.others: list[float] = []

    def run(self) -> None:
        held: tuple[int, float, bool] | None = None  # inode, since when, whose
        while not self.stop.wait(0.003):
            there = self._there()
            now = time.monotonic()
            if held is not None and (there is None or there[0] != held[0]):
                (self.ours if held[2] else self.others).append(now - held[1])
                held = None
            if there is not None and held is None:
                held = there[0], now, there[1]

    def _there(self) -> tuple[int, bool] | None:
        try:
            with open(self.path, "rb") as stream:
                return os.fstat(stream.fileno()).st_ino, stream.read(9) == b"vaultgit "
        except OSError:
            return None
