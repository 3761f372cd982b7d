"""One bad day: a vault with a person's text in it, a command that something happens to, and the proof of what must hold
afterwards (promises P2, P3, P4): what was acknowledged is in history once, whole; what was not is there wholly or not at
all; the person's text is where they left it, byte for byte; nothing of ours lies about; plain git works."""

from __future__ import annotations

import atexit
import fcntl
import os
import random
import re
import shutil
import time
from collections.abc import Callable
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from acts import APPEND
from acts import Act
from faulty import run_faulty
from support import NOTES
from support import Folder
from support import set_up
from warm import Result

from benchmarks import soak_proof

TYPED = "typed by me, not in git\n"
_LATER = 2 * 3600 * 10**9  # nanoseconds by which what is kept for a while is made older, so that a run sweeps it


class Fault(NamedTuple):
    """A kind of bad day. `run` gives a word for what came of it, and raises AssertionError where a promise broke."""

    name: str
    what: str  # is done, for the table
    run: Callable[[Path, random.Random], str]
    missing: Callable[[], str] = lambda: ""  # why it cannot be done on this machine, in words


@cache
def a_folder(what: str) -> Path:
    """For what is made once a process; it goes when the process ends."""
    folder = Path(mkdtemp(prefix=f"vaultgit-{what}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _template(act: Act) -> Path:
    """A vault as `act` needs it, made once a process."""
    made = Folder(a_folder("templates") / act.name / "vault")
    made.root.mkdir(parents=True)
    for path, text in {**NOTES, "journal/mine.md": "mine\n"}.items():
        made.write(path, text)
    made.git("init", "--quiet")
    made.git("config", "gc.auto", "0")
    made.commit("start")
    set_up(made)
    act.made(made)
    return made.root


class Trial:
    """A vault in `folder`, and the person's text in it: staged, on top of what is staged, and in a note agents edit."""

    def __init__(self, folder: Path, act: Act = APPEND) -> None:
        self.act = act
        root = folder / "vault"
        shutil.copytree(_template(act), root, symlinks=True)
        self.vault = Folder(root)
        self.vault.git("update-index", "-q", "--refresh")
        self.inbox = self._inbox()
        self.type()
        act.ready(self.vault)

    def type(self) -> None:
        """The person's text."""
        self.vault.write("mine.md", "staged by me\n")
        self.vault.write("journal/mine.md", "mine\nstaged by me\n")
        self.vault.git("add", "mine.md", "journal/mine.md")
        self.vault.write("journal/mine.md", "mine\nstaged by me\nand more, not staged\n")
        self.vault.write("Home.md", self.vault.read("Home.md") + "\n" * 6 + TYPED)
        self.mine = self._mine()
        self.staged = self.vault.git("ls-files", "-s", "mine.md", "journal/mine.md")
        self.status = sorted(self.vault.git("status", "--porcelain").splitlines())

    def _inbox(self) -> int:
        """How many notes were ever put there."""
        return len(self.vault.git("log", "--diff-filter=A", "--name-only", "--format=", "HEAD", "--", "inbox").split())

    def _mine(self) -> list[bytes]:
        return [self.vault.bytes(path) for path in ("mine.md", "journal/mine.md")]

    # -- acting ----------------------------------------------------------------------------------------------------

    def do(self, prelude: str = "", env: Mapping[str, str] = {}, timeout: float = 60) -> Result:
        """The act, after a prelude (as faulty.run_faulty has it)."""
        return self.run(*self.act.args, stdin=self.act.stdin, prelude=prelude, env=env, timeout=timeout)

    def run(
        self, *args: str, stdin: str = "", prelude: str = "", env: Mapping[str, str] = {}, timeout: float = 60
    ) -> Result:
        """A command, which may end in any way but as a bug of ours."""
        done = run_faulty(self.vault, prelude, *args, stdin=stdin.encode(), env=env, timeout=timeout, new_session=True)
        no_bug(done)
        return done

    def quiet(self) -> None:
        """Waits for git children that a killed writer left: they have its lock."""
        state = self.vault.root / ".git/vaultgit/state/lock"
        if not state.is_file():
            return
        with open(state, "rb") as lock:
            until = time.monotonic() + 20
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                except BlockingIOError:
                    assert time.monotonic() < until, "the lock is held for ever"
                    time.sleep(0.01)

    def _waiting(self) -> bool:
        return any((self.vault.root / ".git/vaultgit/state/queue").glob("*.json"))

    def later(self) -> None:
        """What is kept for a while has been kept long enough."""
        for top in (".git/vaultgit", ".git/refs"):
            for folder, _, files in os.walk(self.vault.root / top):
                half = [name for name in files if "/state/tmp" in folder or name.endswith((".tmp", ".lock"))]
                for path in (folder, *(os.path.join(folder, name) for name in half)):
                    found = os.stat(path)
                    os.utime(path, ns=(found.st_atime_ns - _LATER, found.st_mtime_ns - _LATER))
        lock = self.vault.root / ".git/HEAD.lock"
        if lock.exists():
            os.utime(lock, ns=(0, 0))

    # -- the proof -------------------------------------------------------------------------------------------------

    def prove(self, done: Result | None, chance: random.Random, *, person: bool = True, sure: bool = True) -> str:
        """Has the next run land what waits, and proves the rest. `done`: how the act ended, None where it never began;
        `person`: whether they have left their text alone; `sure`: whether a refusal means that nothing happened."""
        self.quiet()
        healed = self.run("status")
        assert healed.code == 0, healed
        late = self._waiting()
        if late:  # an empty HEAD.lock that a killed git left is told from a living one's by its age
            self.later()
            healed = self.run("status")
            assert healed.code == 0, healed
        if self.act.again:
            again = self.do()
            if again.code == 75:  # so is the lock of a ref of ours
                late = True
                self.later()
                again = self.do()
            told = again.out + again.err  # done already, it may be
            assert again.code in (0, 1) or "waits" in told or "waiting: none" in told, again
        word = self.word(done, sure) + (", seconds later" if late else "")
        self.later()
        assert self.run("status").code == 0
        if person:
            self.prove_the_persons()
        self.prove_sound()
        self.prove_plain_git(chance)
        return word

    def word(self, done: Result | None, sure: bool) -> str:
        """What became of the act, once and whole."""
        times = self.act.count(self.vault)
        told = done is not None and done.code in (0, 75)
        if told and not times and self._inbox() == self.inbox + 1:
            return "in the inbox"
        assert times in ((1,) if told or self.act.again else (0, 1)), (times, done)
        self.act.whole(self.vault, bool(times))
        if done is not None and done.code == 1 and not self.act.again and (sure or "nothing changed" in done.err):
            assert times == 0, done
        ids = re.findall(r"(?m)^Edit: (\w{16})$", self.vault.git("log", "--format=%B"))
        assert len(ids) == len(set(ids)), ids
        if told:
            assert done is not None
            return "landed" if done.code == 0 else "waited, then landed"
        if self.act.again:
            return "done by the next run"
        if done is not None and done.code > 0:
            return "refused, with words" if not times else "not answered, landed"
        return "not answered, landed" if times else "not answered, not made"

    def prove_the_persons(self) -> None:
        assert self._mine() == self.mine, self._mine()
        staged = self.vault.git("ls-files", "-s", "mine.md", "journal/mine.md")
        assert staged == self.staged, staged
        status = sorted(self.vault.git("status", "--porcelain").splitlines())
        assert status == self.status, status
        assert self.vault.read("Home.md").count(TYPED) == 1, self.vault.read("Home.md")
        assert TYPED not in self.vault.git("show", "HEAD:Home.md"), "the person's text is in history"
        assert TYPED not in self.vault.git("show", ":Home.md"), "the person's text was staged"

    def prove_sound(self) -> None:
        """Nothing left, verify agrees, git finds nothing wrong."""
        left = soak_proof.left_behind(str(self.vault.root), lambda *args: self.vault.git(*args))
        assert left == [], left
        own = self.vault.root / ".git/vaultgit"
        half = [str(path) for path in (*own.rglob("*.tmp"), *own.glob("state/tmp/*"))]
        assert half == [], half
        assert self.vault.git("stash", "list") == "", "a stash is left"
        said = self.run("verify")
        assert said.code == 0, said
        fsck = self.vault.try_git("fsck", "--no-dangling", "--no-progress")
        assert (fsck.code, fsck.out, fsck.err) == (0, "", ""), fsck

    def prove_plain_git(self, chance: random.Random) -> None:
        """The person's own commit takes what is theirs, now and then with our hooks."""
        if not self.vault.git("status", "--porcelain"):
            return
        self.vault.git("add", "-A")
        hooks = () if chance.random() < 0.1 else ("--no-verify",)
        self.vault.git("commit", "-q", *hooks, "-m", "mine")
        after = self.vault.git("status", "--porcelain")
        assert after == "", after
        said = self.run("verify")
        assert said.code == 0, said


def no_bug(done: Result) -> None:
    """However bad the day: words, never a stack of calls."""
    assert done.code != 3, done
    assert "a bug of ours" not in done.err, done
    assert "Traceback" not in done.err, done
