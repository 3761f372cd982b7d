"""Programs of a person's that git starts, and that hang or fail: hooks, a file system monitor, filters."""

from __future__ import annotations

import os
import random
import signal
import time
from functools import partial
from pathlib import Path

from acts import ACTS
from trial import Fault
from trial import Trial

HOOKS = (
    "pre-commit", "commit-msg", "prepare-commit-msg", "reference-transaction", "post-commit", "post-index-change",
    "post-checkout", "post-merge", "post-rewrite",
)  # fmt: skip
HANGS, FAILS = "#!/bin/sh\nexec sleep 1000\n", "#!/bin/sh\nexit 1\n"
BOUND = 60.0  # seconds in which there has to be an answer
# Waits that our code bounds are a thirtieth as long.
SHORT = (
    "whole = subprocess.run\n"
    "def run(*args, timeout=None, **named):\n"
    "    return whole(*args, timeout=timeout and timeout / 30, **named)\n"
    "subprocess.run = run\n"
)


def _program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def hook(name: str, folder: Path, chance: random.Random) -> str:
    """It is the person's git that starts their hooks; none of ours does, but for a push of `sync`."""
    trial = Trial(folder, chance.choice([act for act in ACTS if act.name != "sync"]))
    where = trial.vault.root / ".git/hooks" / name
    before = where.read_bytes() if where.exists() else None
    _program(where, chance.choice((HANGS, FAILS)))
    begun = time.monotonic()
    done = trial.do(timeout=BOUND)
    assert time.monotonic() - begun < BOUND
    assert done.code == 0, done
    assert trial.run("status", timeout=BOUND).code == 0
    where.unlink()
    if before is not None:
        _program(where, before.decode())
    return trial.prove(done, chance)


def monitor(folder: Path, chance: random.Random) -> str:
    trial = Trial(folder, chance.choice(ACTS))
    trial.vault.git("config", "core.fsmonitor", str(_program(folder / "monitor", chance.choice((HANGS, FAILS)))))
    done = trial.do(timeout=BOUND)
    assert done.code == 0, done
    assert trial.run("status", timeout=BOUND).code == 0
    trial.vault.git("config", "--unset", "core.fsmonitor")
    return trial.prove(done, chance)


def filtered(way: str, folder: Path, chance: random.Random) -> str:
    """A filter that hangs or fails: the edit waits until it is mended."""
    trial = Trial(folder, chance.choice(ACTS[:6]))
    trial.vault.write(".git/info/attributes", "*.md filter=odd\n")
    trial.vault.git("config", f"filter.odd.{way}", str(_program(folder / "filter", chance.choice((HANGS, FAILS)))))
    trial.vault.git("config", "filter.odd.required", chance.choice(("true", "false")))
    os.utime(trial.vault.root / "projects/nova.md", ns=(0, 0))  # git asks the filter whether it has changed
    done = trial.do(SHORT, timeout=BOUND)
    looked = trial.run("status", prelude=SHORT, timeout=BOUND)
    assert looked.code in (0, 1, 75), looked
    read = trial.run("read", "Home.md", prelude=SHORT, timeout=BOUND)
    assert read.code in (0, 1), read
    trial.vault.git("config", "--remove-section", "filter.odd")
    (trial.vault.root / ".git/info/attributes").unlink()
    try:
        return trial.prove(done, chance, sure=False)
    except AssertionError as error:
        raise AssertionError(f"{trial.act.name}: {done}: {error}") from error


def interrupted(folder: Path, chance: random.Random) -> str:
    """SIGTERM, SIGINT or SIGHUP at some moment: as somebody closes the terminal."""
    trial = Trial(folder, chance.choice(ACTS))
    number = chance.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
    after = chance.uniform(0.0, 0.15)
    done = trial.do(
        f"signal.setitimer(signal.ITIMER_REAL, {after + 0.001})\n"
        f"signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, {int(number)}))\n"
    )
    try:
        return trial.prove(done, chance, sure=False)
    except AssertionError as error:
        raise AssertionError(f"{trial.act.name}, {number.name} after {after:.3f} s: {done}: {error}") from error


FAULTS = (
    *(Fault(f"hook: {name}", "a person's hook hangs, or fails", partial(hook, name)) for name in HOOKS),
    Fault("hook: core.fsmonitor", "a file system monitor hangs, or fails", monitor),
    *(
        Fault(f"filter: {way}", "a filter of a person's hangs, or fails", partial(filtered, way))
        for way in ("clean", "smudge", "process")
    ),
    Fault("signals", "SIGTERM, SIGINT or SIGHUP at some moment, to all", interrupted),
)
