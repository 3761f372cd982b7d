"""The person of the load: edits hot notes and their own in place, and works with plain git all the while.

Each of their lines carries a mark, `pat-N`. What they typed has to lie on disk, byte for byte in their own notes and
line by line in the hot ones, each time they look.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable

from benchmarks import place
from vaultgit.edits import exchange

OWN = ("mine.md", "journal/mine.md")
MARK = re.compile(r"pat-\d+")
LINE = re.compile(r"(?m)^\W*(pat-\d+|w\d+x\d+n\d+) ")
WAYS = {
    ("add", "-A"): 4, ("commit", "-q", "-m", "mine, what is staged"): 4, ("commit", "-q", "-am", "mine, all"): 3,
    ("commit", "-q", "--no-verify", "-am", "mine, no hooks"): 1, ("status", "--short"): 3, ("diff", "--stat"): 2,
    ("stash",): 2,
}  # fmt: skip
AGAIN = 40  # times that a refused command is repeated, a twentieth of a second apart
# `git stash push` says nothing where it cannot lock the index, `pop` only that the entry is kept.
_LOCK = re.compile(
    r"Unable to create '[^']*?/([^/']+\.lock)'|cannot lock ref '([^']+)'|\A(The stash entry is kept|$)[^\n]*\Z"
)
_NOTHING = re.compile(r"(?m)^(?:nothing (?:added )?to commit|no changes added)")  # the words of a commit of nothing


class Person(threading.Thread):
    """Works until `stop` is set. `pause`: seconds between two things, at most."""

    def __init__(
        self, vault: str, seed: int, hot: list[str], pause: float = 4.0, own: tuple[str, ...] = OWN, first: int = 0
    ) -> None:
        super().__init__(name="person", daemon=True)
        self.vault, self.chance, self.hot, self.pause = vault, random.Random(seed), hot, pause
        self.ways = dict(WAYS)
        self.stop = threading.Event()
        self.did: Counter[str] = Counter()
        self.locks: Counter[str] = Counter()  # which lock git found, by command
        self.repeats: Counter[int] = Counter()  # how many repeats it took until git did it
        self.refused: Counter[str] = Counter()  # what git refused for any other reason, and after all repeats
        self.failures: list[str] = []
        self.own = dict.fromkeys(own, "")
        self.typed: dict[str, str] = {}  # mark -> the hot note it was typed into
        self.conflicts = 0  # stash pops that were settled by hand
        self.first = self.count = first  # of the marks

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                self.step()
            except Exception as error:
                self.failures.append(f"the person's script broke: {type(error).__name__}: {error}")
                return
            self.stop.wait(self.chance.random() * (self.pause / 10 if self.chance.random() < 0.3 else self.pause))

    def step(self) -> None:
        """Types something, does something with git, looks whether all of it is there."""
        (self.type_own if self.chance.random() < 0.5 else self.type_hot)()
        way = self.chance.choices(list(self.ways), list(self.ways.values()))[0]
        if way == ("stash",):
            self.stash()
        else:
            self.git(*way)
        self.look(f"git {' '.join(way[:3])}")

    # -- typing ----------------------------------------------------------------------------------------------------

    def _line(self) -> tuple[str, str]:
        self.count += 1
        return f"pat-{self.count}", f"- pat-{self.count} typed by me\n"

    def type_own(self) -> None:
        """The whole file anew, as an editor saves it: nobody else writes there."""
        path = self.chance.choice(list(self.own))
        lines = self.own[path].splitlines(keepends=True)
        lines.insert(self.chance.randint(0, len(lines)), self._line()[1])
        self.own[path] = "".join(lines)
        os.makedirs(os.path.dirname(os.path.join(self.vault, path)), exist_ok=True)
        with open(os.path.join(self.vault, path), "w", encoding="utf-8") as stream:
            stream.write(self.own[path])

    def type_hot(self, path: str = "") -> str:
        """A line in a note that agents write too: at the end, in place; or somewhere in the middle, by an editor that
        looks whether the file is still what it has read. (One that does not look overwrites what others saved between
        its reading and its writing: nothing of ours can prevent that, so it would prove nothing.)

        Returns the line's mark."""
        path, (mark, line) = path or self.chance.choice(self.hot), self._line()
        full = os.path.join(self.vault, path)
        self.typed[mark] = path
        if self.chance.random() < 0.5:
            with open(full, "a", encoding="utf-8") as stream:
                stream.write(line)
            return mark

        def inserted(text: str) -> str:
            lines = text.splitlines(keepends=True)
            first = next((n + 1 for n, one in enumerate(lines) if one.startswith("# ")), len(lines))
            lines.insert(self.chance.randint(first, len(lines)), line)
            return "".join(lines)

        self._save(full, inserted)
        return mark

    def _save(self, full: str, changed: Callable[[str], str]) -> None:
        temporary = os.path.join(os.path.dirname(self.vault), f"{os.path.basename(self.vault)}-editor")
        for _ in range(1000):
            with open(full, "rb") as stream:
                read = stream.read()
            new = changed(read.decode()).encode()
            with open(temporary, "wb") as stream:
                stream.write(new)
            try:
                exchange.swap(full, temporary, read, new)
                return
            except exchange.Changed:
                self.did["saved again, for the note had changed"] += 1
            finally:
                if os.path.lexists(temporary):
                    os.unlink(temporary)
        self.failures.append(f"{full} could not be saved: it changed a thousand times")

    # -- looking ---------------------------------------------------------------------------------------------------

    def look(self, after: str) -> None:
        """Whether everything they typed is on disk."""
        for path, text in self.own.items():
            full = os.path.join(self.vault, path)
            if text and (not os.path.exists(full) or _read(full) != text):
                self._failed(f"{path} is not what the person typed, after {after}")
        there = {path: Counter(MARK.findall(_read(os.path.join(self.vault, path)))) for path in self.hot}
        for mark, path in self.typed.items():
            if there[path][mark] != 1 and not (there[path][mark] == 0 and self.kept(mark)):
                self._failed(f"{mark} of the person is in {path} {there[path][mark]} times, after {after}")
        self.did["looked at every line"] += 1

    def kept(self, mark: str) -> bool:  # noqa: ARG002
        """Whether a line that is not in its note is somewhere else, where it may be."""
        return False

    def _failed(self, words: str) -> None:
        if len(self.failures) < 20:
            self.failures.append(words)

    # -- git -------------------------------------------------------------------------------------------------------

    def git(self, *args: str, repeat: bool = True) -> bool:
        """Runs git, again while it finds a lock; whether it did it."""
        name = "git " + " ".join(one for one in args[:2] if one not in ("-q", "-m", "-am"))
        self.did[name] += 1
        for number in range(AGAIN + 1):
            done = self.call(*args)
            words = (done.stderr or done.stdout).strip()
            if not done.returncode or (args[0] == "commit" and _NOTHING.search(done.stdout)):
                if number:
                    self.repeats[number] += 1
                return not done.returncode
            lock = _LOCK.search(words)
            if lock is None or not repeat:
                break
            self.locks[f"{name}: {next(filter(None, lock.groups()), '(it does not say)')}"] += 1
            self.freed()
            time.sleep(0.05)
        self.refused[f"{name}: {' / '.join(words.splitlines()[:2])[:200]}"] += 1
        return False

    def freed(self) -> None:
        """What a person does about a lock that stays; nothing, where nobody is killed."""

    def call(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *args], cwd=self.vault, env=self.environment(), capture_output=True, text=True, check=False,
            start_new_session=True,
        )  # fmt: skip

    def environment(self) -> dict[str, str]:
        return place.environment()

    def stash(self) -> None:
        """Stash, a moment, pop. Where agents changed the same place meanwhile git leaves a conflict, which the person
        settles by keeping every line of both sides."""
        before = self._stashes()
        if not self.git("stash", "push", "-q") or self._stashes() == before:
            return
        self.stop.wait(self.chance.random() * 0.3)
        for _ in range(5):
            if self.git("stash", "pop", "-q"):
                return
            if self._settle():
                self.conflicts += 1
                return
            time.sleep(0.05)
        # What an agent's own tools wrote meanwhile and nobody has committed is in its way, which is git's rule.
        self.did["committed, so that the stash could be popped"] += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", "mine, before the pop")
        if not self.git("stash", "pop", "-q"):
            if self._settle():
                self.conflicts += 1
            else:
                self._failed("the stash could not be popped")

    def _stashes(self) -> int:
        return len(self.call("stash", "list").stdout.splitlines())

    def _settle(self) -> bool:
        """Both sides of what git left in conflict, each line once; False where there is no conflict."""
        listed = self.call("ls-files", "-u", "-z").stdout.split("\0")
        stages: dict[str, dict[str, str]] = {}
        for entry in filter(None, listed):
            meta, path = entry.split("\t", 1)
            stages.setdefault(path, {})[meta.split()[2]] = meta.split()[1]
        for path, sides in stages.items():
            texts = [self.call("cat-file", "blob", sides[n]).stdout if n in sides else "" for n in ("2", "3")]
            full = os.path.join(self.vault, path)
            with open(full, "w", encoding="utf-8") as stream:
                stream.write(_both(*texts))
        if stages:
            self.git("reset", "-q")
            self.git("stash", "drop", "-q")
        return bool(stages)


def _both(ours: str, theirs: str) -> str:
    """Our text, and behind it the marked lines that only theirs has."""
    have = set(LINE.findall(ours))
    more = [line for line in theirs.splitlines() if (found := LINE.match(line)) and found[1] not in have]
    return ours + "".join(f"{line}\n" for line in more)


def _read(full: str) -> str:
    with open(full, encoding="utf-8") as stream:
        return stream.read()
