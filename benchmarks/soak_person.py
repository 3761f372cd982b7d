"""The person of the soak: types into files of their own and loops git's commands, with and without our hook."""

from __future__ import annotations

import os
import random
import subprocess
import threading
from collections import Counter

from benchmarks import place

MINE = ("mine.md", "mine-too.md", "journal/mine.md")
WAYS = (
    ("add", "-A"), ("commit", "-q", "--no-verify", "-m", "mine"), ("commit", "-q", "-m", "mine, with hooks"),
    ("commit", "-q", "--no-verify", "-am", "mine, all"), ("status", "--short"), ("diff", "--stat"), ("stash",),
)  # fmt: skip


class Person(threading.Thread):
    """Works until `stop` is set. Counts what they did, and what git refused (a lock, a moved ref)."""

    def __init__(self, vault: str, seed: int) -> None:
        super().__init__(name="person", daemon=True)
        self.vault, self.chance = vault, random.Random(seed)
        self.stop = threading.Event()
        self.did: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.words: Counter[str] = Counter()  # of git's refusals
        self.typed = 0

    def run(self) -> None:
        while not self.stop.is_set():
            self._type()
            way = self.chance.choice(WAYS)
            if way == ("stash",):
                self._stash()
            else:
                self._git(*way)
            self.stop.wait(self.chance.random() * (0.05 if self.chance.random() < 0.3 else 1.0))

    def _type(self) -> None:
        path = os.path.join(self.vault, self.chance.choice(MINE))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as stream:
            self.typed += 1
            stream.write(f"typed by me, {self.typed}\n")

    def _stash(self) -> None:
        before = self._stashes()
        if self._git("stash", "push", "-q") and self._stashes() > before:
            self.stop.wait(self.chance.random() * 0.2)
            for _ in range(50):
                if self._git("stash", "pop", "-q"):
                    return
                if self._conflict():  # as a person gives up: theirs is in the stash's commit, HEAD stays
                    self._git("reset", "-q", "--merge")
                    self._git("checkout", "-q", "stash@{0}", "--", *self._mine_in_stash())
                    self._git("stash", "drop", "-q")
                    self.did["stash pop conflicted"] += 1
                    return
                self.stop.wait(0.1)
            self._git("stash", "drop", "-q")
            self.did["stash pop given up"] += 1

    def _mine_in_stash(self) -> list[str]:
        there = self._ask("ls-tree", "-r", "--name-only", "stash@{0}").splitlines()
        return [name for name in MINE if name in there]

    def _conflict(self) -> bool:
        return bool(self._ask("ls-files", "-u"))

    def _stashes(self) -> int:
        return len(self._ask("stash", "list").splitlines())

    def _ask(self, *args: str) -> str:
        return subprocess.run(
            ["git", *args], cwd=self.vault, env=place.environment(), capture_output=True, text=True, check=False
        ).stdout

    def _git(self, *args: str) -> bool:
        done = subprocess.run(
            ["git", *args], cwd=self.vault, env=place.environment(), capture_output=True, text=True, check=False
        )
        name = " ".join(args[:2])
        self.did[name] += 1
        nothing = args[0] == "commit" and done.stdout.startswith("On branch")  # nothing is staged
        if done.returncode and not nothing:
            self.refused[name] += 1
            words = (done.stderr or done.stdout).strip().splitlines()
            self.words[f"{name}: {words[0][:110] if words else done.returncode}"] += 1
        return done.returncode == 0
