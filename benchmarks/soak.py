"""A random soak: writers are killed with SIGKILL at random times and steps while a person loops git's commands.

Then the queue is drained, the person commits, and everything that promises P1 to P3 say is proved. A failed soak
keeps its vault; `--seed` starts the same choices again, though not the same timing.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter

from benchmarks import place
from benchmarks import report
from benchmarks import soak_proof
from benchmarks.place import git
from benchmarks.soak_person import Person

WRITERS = 4
DRAINS = 20


def run(seconds: float, seed: int | None) -> int:
    """Returns an exit code: 1 when a promise was broken."""
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    print(f"soak of {seconds:.0f} s, {WRITERS} writers and a person, seed {seed}", flush=True)
    folder = os.path.join(place.OUT, f"soak-{seed}")
    place.remove(folder)
    vault, acks = os.path.join(folder, "vault"), os.path.join(folder, "acks")
    os.makedirs(acks)
    _make(vault)
    chance = random.Random(seed)
    person = Person(vault, seed)
    person.start()
    counts = _writers(vault, acks, chance, time.monotonic() + seconds)
    person.stop.set()
    person.join()
    counts["drains"] = _drain(vault)
    person._git("add", "-A")
    person._git("commit", "-q", "--no-verify", "-m", "mine, the last")
    _drain(vault)  # sweeps the temporaries of the last round, which are kept until a next run on purpose
    told = soak_proof.acknowledged(acks)
    failures = soak_proof.failures(vault, told) + _died(folder)
    outcomes = Counter(ack.outcome for ack in told)
    print(f"writers: {dict(counts)}\nacknowledged: {dict(outcomes)}")
    reasons = Counter(re.sub(r"[0-9a-f]{20,}|for [0-9]+ s", "…", ack.reason)[:150] for ack in told if ack.reason)
    for words, times in reasons.most_common(12):
        print(f"  {times} x {words}")
    print(f"commits: {git(vault, 'rev-list', '--count', 'HEAD')}, inbox notes: {_inbox(vault)}")
    print(f"person: {dict(person.did)}\n  refused by git: {dict(person.refused)}")
    for words, times in person.words.most_common(12):
        print(f"    {times} x {words}")
    for failure in failures:
        print(f"FAILED: {failure}")
    record = {
        "seed": seed, "seconds": seconds, "machine": report.machine(), "writers": counts, "acknowledged": outcomes,
        "person": person.did, "refused": person.refused, "words": person.words, "failures": failures,
    }  # fmt: skip
    print(f"{'FAILED, kept: ' + vault if failures else 'all promises held'}; {report.save('soak', record)}")
    if not failures:
        place.remove(folder)
    return 1 if failures else 0


def _make(vault: str) -> None:
    os.makedirs(vault)
    for name, text in (("Home.md", "# Home\n"), ("shared-0.md", "# Shared\n"), ("shared-1.md", "# Shared\n"),
                       ("mine.md", "mine\n")):  # fmt: skip
        with open(os.path.join(vault, name), "w", encoding="utf-8") as stream:
            stream.write(text)
    os.mkdir(os.path.join(vault, ".obsidian"))
    git(vault, "init", "-q", ".")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "start")
    subprocess.run([*place.program(), "init", vault], env=place.environment(), check=True, capture_output=True)


def _writers(vault: str, acks: str, chance: random.Random, end: float) -> Counter[str]:
    counts: Counter[str] = Counter()
    alive: dict[int, tuple[subprocess.Popen[bytes], float]] = {}
    while time.monotonic() < end:
        for number in range(WRITERS):
            if number not in alive:
                counts["started"] += 1
                errors = open(os.path.join(os.path.dirname(acks), f"errors-{number}"), "ab")  # noqa: SIM115
                process = subprocess.Popen(
                    [sys.executable, "-m", "benchmarks.soak_writer", str(number), str(chance.randrange(10**9)),
                     os.path.join(acks, str(number))],
                    cwd=vault, env=place.environment(), start_new_session=True, stderr=errors,
                )  # fmt: skip
                errors.close()
                alive[number] = process, time.monotonic() + chance.uniform(0.5, 4.0)
        time.sleep(0.01)
        for number, (process, deadline) in list(alive.items()):
            code = process.poll()
            if code is not None:
                counts["died at a step" if code == -signal.SIGKILL else f"ended with {code}"] += 1
                del alive[number]
            elif time.monotonic() > deadline:
                group = chance.random() < 0.5
                os.killpg(process.pid, signal.SIGKILL) if group else process.kill()
                process.wait()
                counts["killed with its group" if group else "killed alone"] += 1
                del alive[number]
    for process, _ in alive.values():
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        counts["killed at the end"] += 1
    return counts


def _drain(vault: str) -> int:
    """How many runs of `vaultgit status` it took until nothing waited."""
    for number in range(1, DRAINS + 1):
        done = subprocess.run(
            [*place.program(), "status"], cwd=vault, env=place.environment(), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        if done.returncode:
            print(f"status ended with {done.returncode}: {done.stderr[-500:].strip()}")
        if "nothing queued" in done.stdout:
            return number
        time.sleep(0.3)
    print(done.stdout)
    return DRAINS


def _died(folder: str) -> list[str]:
    """Writers that an error of their own ended: where it was, and which."""
    found: Counter[str] = Counter()
    for name in os.listdir(folder):
        if name.startswith("errors-"):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as stream:
                lines = stream.read().splitlines()
            for number, line in enumerate(lines):
                if number and lines[number - 1].startswith("    ") and line[:1].isalpha():  # the end of a traceback
                    where = next(one.strip() for one in reversed(lines[:number]) if one.startswith("  File "))
                    found[f"{line[:200]} ({where})"] += 1
    return [f"{times} writers ended with {words}" for words, times in found.items()]


def _inbox(vault: str) -> int:
    names = git(vault, "ls-tree", "-r", "--name-only", "HEAD", "inbox").splitlines()
    return len([name for name in names if name.endswith(".md")])
