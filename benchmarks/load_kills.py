"""Kills anything, by SIGKILL, at random: every process of a load but the one that watches over it.

Processes of a load are told by a variable in their environment, which their children inherit.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from typing import NamedTuple

VARIABLE = "LOAD_OF"


class Process(NamedTuple):
    pid: int
    words: tuple[str, ...]
    cwd: str

    @property
    def name(self) -> str:
        """What it is, in two words."""
        words = [os.path.basename(one) for one in self.words]
        if "benchmarks.load_writer" in words:
            return "a writer"
        if "vaultgit" in words:
            rest = words[words.index("vaultgit") + 1 :]
            return " ".join(["vaultgit", *rest[: 2 if rest[:1] == ["hook"] else 1]])
        if words[:1] == ["git"]:
            return f"git {next((one for one in _without_settings(words[1:]) if not one.startswith('-')), '')}"
        return words[0] if words else "?"


def _without_settings(words: list[str]) -> list[str]:
    return [one for n, one in enumerate(words) if n == 0 or words[n - 1] not in ("-c", "-C")]


def processes(mark: str) -> list[Process]:
    """All that carry the mark in their environment."""
    found, wanted = [], f"{VARIABLE}={mark}\0".encode()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as stream:
                if wanted not in stream.read() + b"\0":
                    continue
            with open(f"/proc/{name}/cmdline", "rb") as stream:
                words = tuple(stream.read().decode("utf-8", "replace").split("\0")[:-1])
            found.append(Process(int(name), words, os.readlink(f"/proc/{name}/cwd")))
        except OSError:
            continue  # it has ended
    return found


class Killer(threading.Thread):
    """Kills until `stop` is set, a pause between two: mostly one process, at times with its group."""

    def __init__(self, mark: str, seed: int, pause: float) -> None:
        super().__init__(name="killer", daemon=True)
        self.mark, self.chance, self.pause = mark, random.Random(seed), pause
        self.stop = threading.Event()
        self.killed: Counter[str] = Counter()

    def run(self) -> None:
        while not self.stop.wait(self.chance.random() * self.pause):
            there = processes(self.mark)
            if not there:
                continue
            # Of each kind alike: the writers live longest, and would be hit most often.
            kind = self.chance.choice(sorted({one.name for one in there}))
            one = self.chance.choice([one for one in there if one.name == kind])
            group = self.chance.random() < 0.25 and kind != "a writer"
            try:
                group = group and os.getpgid(one.pid) != os.getpgrp()
                (os.killpg(os.getpgid(one.pid), signal.SIGKILL) if group else os.kill(one.pid, signal.SIGKILL))
            except (ProcessLookupError, PermissionError):
                continue
            self.killed[f"{kind}, with its group" if group else kind] += 1


def end(mark: str) -> None:
    """Ends every process of the load, and waits until they are gone."""
    for _ in range(100):
        there = processes(mark)
        if not there:
            return
        for one in there:
            try:
                os.kill(one.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.1)


class Locks:
    """Locks that a killed git of a person's has left: the person takes them away, as git's own words advise, at a
    moment when no git of theirs runs. Locks of vaultgit's own it takes away itself, at its next run."""

    AGE = 2.0  # seconds that a lock has to be there

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.taken: Counter[str] = Counter()

    def sweep(self, names: tuple[str, ...] = ("index.lock", "HEAD.lock", "refs/heads/")) -> None:
        for path in self.stale():
            name = os.path.relpath(path, self.folder)
            if name.startswith(names):
                try:
                    os.unlink(path)
                except FileNotFoundError:
                    continue
                self.taken[name] += 1

    def stale(self) -> list[str]:
        found = []
        for here, folders, files in os.walk(self.folder):
            folders[:] = [one for one in folders if one not in ("objects", "vaultgit")]
            for one in files:
                path = os.path.join(here, one)
                if one.endswith(".lock") and self._is_stale(path):
                    found.append(path)
        return found

    def _is_stale(self, path: str) -> bool:
        try:
            with open(path, "rb") as stream:
                return time.time() - os.fstat(stream.fileno()).st_mtime > self.AGE and stream.read(9) != b"vaultgit "
        except OSError:
            return False
