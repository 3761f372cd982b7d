"""`python -m benchmarks --capture-kills 1000`: capture is killed at random moments while a log is replayed.

Afterwards each turn must stand in the daily notes exactly once, and each byte range in history once.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter

from benchmarks import measure
from benchmarks import place
from benchmarks import report
from benchmarks.place import git

# Says back each message that is new, so that they can be counted.
_ECHO = """\
import sys
said, skip = [], 0
for line in sys.stdin:
    if line.startswith("[before"): skip = len(said)
    if line.startswith("[new]"): del said[skip:]
    if line.startswith(("- person: ", "- agent: ")): said.append(line.strip())
print("\\n".join(said) or "NOTHING")
"""


def run(kills: int, seed: int | None) -> int:
    """Returns an exit code: 1 where a turn is missing, or there twice."""
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    print(f"{kills} kills, seed {seed}", flush=True)
    place.compile_all()
    chance, folder = random.Random(seed), os.path.join(place.OUT, f"capture-kills-{seed}")
    place.remove(folder)
    vault, home = os.path.join(folder, "vault"), os.path.join(folder, "home")
    projects = os.path.join(home, ".claude", "projects", "-home-pat-shop")
    os.makedirs(projects)
    os.makedirs(vault)
    env = place.environment(HOME=home)
    measure.run([*place.program(), "init", vault, "--repository", "own"], cwd=folder, env=place.environment())
    with open(os.path.join(vault, ".vaultgit.toml"), "a", encoding="utf-8") as stream:
        stream.write("\n[capture]\nmin_chars = 1\nmax_calls_per_day = 100000\nmax_chars = 1000000000\n")
    engine = os.path.join(folder, "echo.py")
    with open(engine, "w", encoding="utf-8") as stream:
        stream.write(_ECHO)
    git(vault, "config", "vaultgit.engine", shlex.join([sys.executable, engine]))
    words = [*place.program(), "capture", "--vault", vault]
    killed = said = runs = forgotten = 0
    usual = 1.0
    while killed < kills:
        for _ in range(chance.randint(1, 3)):
            log = os.path.join(projects, f"s-{chance.randint(0, 2)}.jsonl")
            _say(log, said)
            said += 1
        begun = time.monotonic()
        child = subprocess.Popen(
            words, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        runs += 1
        try:
            child.wait(chance.uniform(0.0, 1.2 * usual))
            usual = 0.9 * usual + 0.1 * (time.monotonic() - begun)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            killed += 1
            usual *= 1.01  # a run that nothing kills shortens it: about one in six gets to its end
        if chance.random() < 0.02:
            place.remove(os.path.join(vault, ".git", "vaultgit", "cache"))
            forgotten += 1
        if runs % 200 == 0:
            print(f"{killed} killed of {runs} runs, {said} turns", flush=True)
    measure.run(words, cwd=folder, env=env)
    found = Counter(re.findall(r"^- person: turn (\d+) ", _notes(vault), re.MULTILINE))
    ranges = Counter(re.findall(r"^Captured: (\S+ \S+ \d+-\d+)", git(vault, "log", "--format=%B"), re.MULTILINE))
    missing = [number for number in range(said) if not found[str(number)]]
    twice = [number for number, times in found.items() if times > 1]
    again = [one for one, times in ranges.items() if times > 1]
    verify = measure.run([*place.program(), "verify"], cwd=vault, env=env, codes=(0, 1)).code
    print(f"{killed} kills in {runs} runs, {forgotten} times without the cache; {said} turns, {len(ranges)} ranges:")
    print(f"missing {len(missing)}, twice {len(twice)}, ranges twice {len(again)}, verify {verify}")
    record = {"seed": seed, "kills": killed, "runs": runs, "turns": said, "ranges": len(ranges), "missing": missing,
              "twice": twice, "again": again, "verify": verify}  # fmt: skip
    print(report.save("capture-kills", {"machine": report.machine(), **record}))
    if missing or twice or again or verify:
        return 1
    place.remove(folder)
    return 0


def _say(log: str, number: int) -> None:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{number % 1000:03d}Z"
    turn = {
        "type": "user", "uuid": f"u{number}", "sessionId": "s", "timestamp": stamp, "cwd": "/home/pat/shop",
        "isSidechain": False, "message": {"role": "user", "content": f"turn {number} of the conversation"},
    }  # fmt: skip
    with open(log, "ab") as stream:
        stream.write(json.dumps(turn).encode() + b"\n")


def _notes(vault: str) -> str:
    folder = os.path.join(vault, "daily")
    return "\n".join(open(os.path.join(folder, name), encoding="utf-8").read() for name in sorted(os.listdir(folder)))
