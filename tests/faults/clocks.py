"""Clocks that jump, and locks that others hold."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

from acts import ACTS
from trial import Fault
from trial import Trial

TIMES = (
    "2026-11-29T21:10:00+01:00", "2025-11-29T21:10:00+01:00", "2036-12-01T00:00:00+01:00", "2026-11-29T23:59:59-11:00",
    "2026-11-30T13:00:00+14:00", "2026-03-29T02:30:00+01:00", "1971-01-01T00:00:00+00:00", "2099-12-31T23:59:59+00:00",
)  # fmt: skip
ZONES = ("Europe/Berlin", "Pacific/Kiritimati", "America/Los_Angeles", "UTC")


def jumps(folder: Path, chance: random.Random) -> str:
    """Edits between which the clock goes back a year, forward ten, and into other zones."""
    trial = Trial(folder)
    number = 6
    for one in range(number):
        env = {"VAULTGIT_NOW": chance.choice(TIMES), "TZ": chance.choice(ZONES)}
        back = chance.choice((0, -3600, -365 * 86400, 3650 * 86400)) * 10**9
        prelude = f"import time\nreal = time.time_ns\ntime.time_ns = lambda: real() + {back}\n"
        wait = chance.random() < 0.4
        merging = trial.vault.root / ".git/MERGE_HEAD"
        if wait:
            merging.write_text(trial.vault.git("rev-parse", "HEAD") + "\n")
        args = ("set", "projects/nova.md", f"step={one}", "-m", f"nova: step {one}", "--agent", "codex")
        done = trial.run(*args, prelude=prelude, env=env)
        merging.unlink(missing_ok=True)
        assert done.code in (0, 75), (env, done)
    assert trial.run("status").code == 0
    subjects = trial.vault.git("log", "--reverse", "--format=%s").splitlines()
    made = [subject for subject in subjects if subject.startswith("nova: step")]
    assert made == [f"nova: step {one}" for one in range(number)], made
    assert f"step: {number - 1}\n" in trial.vault.read("projects/nova.md")
    ids = re.findall(r"(?m)^Edit: (\w{16})$", trial.vault.git("log", "--format=%B"))
    assert len(ids) == len(set(ids)) == number, ids
    files = (trial.vault.root / "changelog.md", *(trial.vault.root / "changelog").glob("*.md"))  # older years
    lines = "".join(path.read_text() for path in files)
    assert [lines.count(f"^{one}") for one in ids] == [1] * number, lines
    trial.later()
    assert trial.run("status").code == 0
    trial.prove_the_persons()
    trial.prove_sound()
    trial.prove_plain_git(chance)
    return "landed in order"


LOCKS = (".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock", ".git/packed-refs.lock", ".git/config.lock")
_OLD = 3600 * 10**9


def locked(path: str, holder: str, folder: Path, chance: random.Random) -> str:
    """Somebody's lock is there, for minutes, while an edit is made, and goes."""
    trial = Trial(folder, chance.choice(ACTS[:6]))
    lock = trial.vault.root / path
    living = None
    if holder == "ours":
        lock.write_text("vaultgit 999999\n")
    elif holder == "a living":
        hold = "import sys; stream = open(sys.argv[1], 'x'); print('held', flush=True); sys.stdin.read()"
        living = subprocess.Popen(
            [sys.executable, "-c", hold, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )  # fmt: skip
        assert living.stdout is not None
        living.stdout.readline()
    else:
        lock.touch()
        found = lock.stat()
        os.utime(lock, ns=(found.st_atime_ns - _OLD, found.st_mtime_ns - _OLD))
    done = trial.do()
    if living is not None:
        living.communicate()
    if holder == "ours":
        assert done.code == 0, done
    else:
        assert lock.exists(), "a person's lock was taken away"
        assert done.code in (0, 75), done
        lock.unlink()
    if done.code == 75:
        assert lock.name in done.out + done.err, done  # which one, in words
    return trial.prove(done, chance)


FAULTS = (
    Fault("clock jumps", "back a year, forward ten, other zones, between edits, some of which waited", jumps),
    *(
        Fault(f"{holder} lock: {Path(path).name}", words, partial(locked, path, holder))
        for holder, words in (
            ("a living", "a process of a person's holds it for as long as the edit is tried"),
            ("a dead", "a person's git left it an hour ago; they remove it later, as the message says"),
        )
        for path in LOCKS
    ),
    Fault("our dead lock: index.lock", "a killed writer of ours left it", partial(locked, LOCKS[0], "ours")),
)
