"""`python -m benchmarks --load [--processes 32 --edits 100]`: many writers of four agents and a person on one vault.

The writers come through every door (load_doors), on a few notes that all write and on their own; a person works with
plain git in between, and capture, dream, consolidate, status and sync run in loops. Then everything promised is proved.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from typing import Any

from benchmarks import load_loops
from benchmarks import load_proof
from benchmarks import load_writer
from benchmarks import place
from benchmarks import report
from benchmarks import soak_proof
from benchmarks.load_doors import AGENTS
from benchmarks.load_loops import LockWatch
from benchmarks.load_loops import Loop
from benchmarks.load_person import OWN
from benchmarks.load_person import Person
from benchmarks.place import git
from vaultgit.edits import recover

DOORS = ("cli", "mcp", "own", "cli", "cli", "mcp", "own", "cli")  # of an agent's processes, in turn
HOT = ("Home.md", "projects/nova.md", "people/ada.md", "shared.md")
DRAINS = 40
LIMIT = 7200.0  # seconds: writers that are not done then have starved
SHOWN = 40  # failures
ALONE = 15  # edits of the floors


def main(processes: int, edits: int, seed: int | None) -> int:
    """Runs it, prints the figures, returns an exit code: 1 where something does not hold."""
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    print(f"{processes} processes of {len(AGENTS)} agents, {edits} edits each, and a person; seed {seed}", flush=True)
    folder = os.path.join(place.OUT, f"load-{seed}")
    figures, failures = run(processes, edits, seed, folder)
    show(figures)
    show_failures(failures)
    path = report.save("load", {"seed": seed, "machine": report.machine(), **figures, "failures": failures})
    print(f"{'FAILED, kept: ' + folder if failures else 'everything holds'}; {path}")
    if not failures:
        place.remove(folder)
    return 1 if failures else 0


def run(
    processes: int, edits: int, seed: int, folder: str, *, loops: bool = True, floors: bool = True, pause: float = 4.0
) -> tuple[dict[str, Any], list[str]]:
    """Figures, and in words what does not hold. `folder` is made anew, and left. `pause`: of the person between two
    things, in seconds, at most."""
    place.remove(folder)
    place.compile_all()
    vault, acks, home = (os.path.join(folder, name) for name in ("vault", "acks", "home"))
    os.makedirs(acks)
    os.makedirs(home)
    make(vault, range(processes))
    bare = can_sync() and loops
    if bare:
        git(folder, "init", "-q", "--bare", os.path.join(folder, "remote.git"))
        git(vault, "remote", "add", "origin", os.path.join(folder, "remote.git"))
        git(vault, "push", "-q", "-u", "origin", "HEAD")
    load = os.getloadavg()[0]
    floor = _floors(folder, vault) if floors else {}
    person = Person(vault, seed, list(HOT), pause)
    beside = load_loops.of_one_vault(vault, home, sync=bare) if loops else []
    watch = LockWatch(vault)
    threads: list[Person | LockWatch | Loop] = [person, watch, *beside]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    stuck = wait(start(vault, folder, acks, processes, edits, seed))
    seconds = time.monotonic() - begun
    for thread in threads:
        thread.stop.set()
    for thread in threads:
        thread.join()
    stuck += unsaved(vault, person)
    drains = finish(vault, person)
    failures = [*stuck, *person.failures, *(f"loop {loop.name}: {words}" for loop in beside for words in loop.failures)]
    failures += died(folder)
    told = [ack for ack in load_proof.acknowledged(acks) if ack.door != "alone"]
    commits = load_proof.history(vault)
    proof = load_proof.prove(vault, told, commits)
    failures += proof.failures + load_proof.broken(told) + persons(vault, person) + soak_proof.at_rest(vault)
    if len(told) != processes * edits:
        failures.append(f"writers were told of {len(told)} edits, not of {processes * edits}")
    figures = {
        "load average before": load, "floors": floor, "writers": load_proof.figures(told, seconds),
        "history": proof.figures,
        "late saves kept apart": late(vault), "runs of status until nothing waited": drains,
        "person": of_person(person),
        "loops": of_loops(beside),
        "index.lock held, seconds": {
            "by vaultgit": {"times": len(watch.ours), **load_proof.spread(watch.ours)},
            "by git": {"times": len(watch.others), **load_proof.spread(watch.others)},
        },
    }  # fmt: skip
    best = floor.get("git add and git commit, one process, edits a second")
    if best:
        figures["edits a second, to the floor of git add and git commit"] = round(len(told) / seconds / best, 2)
    return figures, failures


def can_sync() -> bool:
    """Whether this vaultgit knows `sync`."""
    done = subprocess.run(
        [*place.program(), "sync", "--help"], env=place.environment(), capture_output=True, check=False
    )
    return done.returncode == 0


def make(vault: str, writers: range) -> None:
    """A vault that is set up, with the notes that all write and those of each writer."""
    texts = {
        "Home.md": "# Home\n\n## Log\n\n- begun\n\n## Other\n\n- end of Home\n",
        "projects/nova.md": "---\ntype: project\nname: Nova\nstatus: active\n---\n# Nova\n\n## Log\n\n- end of Nova\n",
        "people/ada.md": "---\ntype: person\nname: Ada\n---\n# Ada\n\n## Log\n\n- begun\n\n## Other\n\n- end of Ada\n",
        "shared.md": "# Shared\n\n## Log\n\n- end of Shared\n", ".obsidian/app.json": "{}\n",
    }  # fmt: skip
    for number in writers:
        texts[load_writer.own_note(number)] = f"# Writer {number}\n\n- its notes\n"
        texts[load_writer.managed_note(number)] = (
            f"---\ntype: person\nname: Writer {number}\n---\n# Writer {number}\n\n## Log\n\n- its notes, checked\n"
        )
    for path, text in texts.items():
        os.makedirs(os.path.dirname(os.path.join(vault, path)), exist_ok=True)
        with open(os.path.join(vault, path), "w", encoding="utf-8") as stream:
            stream.write(text)
    git(vault, "init", "-q", ".")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "start")
    subprocess.run([*place.program(), "init", vault], env=place.environment(), check=True, capture_output=True)


def start(
    vault: str, folder: str, acks: str, processes: int, edits: int, seed: int
) -> dict[int, subprocess.Popen[bytes]]:
    """The writers: agents in turn, each agent's processes through the doors in turn."""
    return {
        number: writer(
            vault, folder, acks, DOORS[number // len(AGENTS) % len(DOORS)], number, AGENTS[number % len(AGENTS)],
            seed, edits,
        )
        for number in range(processes)
    }  # fmt: skip


def writer(
    vault: str, folder: str, acks: str, door: str, number: int, agent: str, seed: int, edits: int,
    hot: tuple[str, ...] = HOT, env: dict[str, str] | None = None,
) -> subprocess.Popen[bytes]:  # fmt: skip
    with open(os.path.join(folder, f"errors-{number}"), "ab") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.load_writer", door, str(number), agent, str(seed * 1000 + number),
             str(edits), os.path.join(acks, f"{number}"), *hot],
            cwd=vault, env=env or place.environment(), start_new_session=True, stderr=errors,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip


def wait(writers: dict[int, subprocess.Popen[bytes]]) -> list[str]:
    """Until all are done; in words, those that were not in time, or broke."""
    deadline, failures = time.monotonic() + LIMIT, []
    for number, process in writers.items():
        try:
            code = process.wait(max(0.1, deadline - time.monotonic()))
            if code:
                failures.append(f"writer {number} ended with {code}")
        except subprocess.TimeoutExpired:
            process.kill()
            failures.append(f"writer {number} was not done after {LIMIT:g} s")
    return failures


def unsaved(vault: str, person: Person) -> list[str]:
    """What the person typed and has not committed, while agents edit the same notes: it lies on disk, and in no commit
    of theirs."""
    drain(vault)
    marks = [person.type_hot(path) for path in HOT]
    for agent, path in zip(AGENTS, HOT, strict=True):
        subprocess.run(
            [*place.program(), "append", path, "--agent", agent], cwd=vault, env=place.environment(), check=False,
            input=f"- after all, by {agent}\n".encode(), capture_output=True,
        )  # fmt: skip
    person.look("agents' edits beside unsaved text")
    notes = load_proof.notes_of(vault)
    return [f"{one}, which the person has not committed, is in HEAD" for one in marks if one in "".join(notes.values())]


def finish(vault: str, person: Person) -> int:
    """Nothing waits any more, and the person commits what they have; the runs of status that took."""
    drains = drain(vault)
    time.sleep(recover.QUIET + 0.5)  # until what was written into a file that had been exchanged is looked at
    drain(vault)
    person.look("the end")
    git(vault, "add", "-A")
    person.call("commit", "-q", "--no-verify", "-m", "mine, the last")
    drain(vault)  # sweeps the temporaries of the last round, which are kept until a next run on purpose
    return drains


def drain(vault: str) -> int:
    """How many runs of `vaultgit status` it took until nothing waited."""
    for number in range(1, DRAINS + 1):
        done = subprocess.run(
            [*place.program(), "status"], cwd=vault, env=place.environment(), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        if "nothing queued" in done.stdout:
            return number
        time.sleep(0.3)
    print(f"still queued: {done.stdout}{done.stderr}")
    return DRAINS


def late(vault: str) -> int:
    """Saves into a file that had been exchanged, which did not merge: `status` names them."""
    folder = os.path.join(vault, ".git", "vaultgit", "state", recover.LATE)
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def persons(vault: str, person: Person) -> list[str]:
    """What the person typed is in history as they typed it."""
    texts = load_proof.notes_of(vault)
    found = [f"{path} in HEAD is not what the person typed" for path in OWN if texts.get(path, "") != person.own[path]]
    for mark, path in person.typed.items():
        times = len(re.findall(rf"{mark}\b", texts.get(path, "")))
        found += [f"{mark} of the person stands in {path} of HEAD {times} times"] if times != 1 else []
    return found


def died(folder: str) -> list[str]:
    """What writers said on standard error: an error of their own ended them."""
    found: Counter[str] = Counter()
    for name in os.listdir(folder):
        if name.startswith("errors-"):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as stream:
                lines = stream.read().strip().splitlines()
            if lines:
                found[f"{lines[-1][:300]}"] += 1
    return [f"{times} writers said: {words}" for words, times in found.items()]


def _floors(folder: str, vault: str) -> dict[str, float]:
    """Edits a second of one process alone: git by itself in a copy without hooks, and each of two doors."""
    plain = os.path.join(folder, "plain")
    git(folder, "clone", "-q", vault, plain)
    begun = time.monotonic()
    for number in range(2 * ALONE):
        with open(os.path.join(plain, "shared.md"), "a", encoding="utf-8") as stream:
            stream.write(f"- line {number}\n")
        with open(os.path.join(plain, "changelog.md"), "a", encoding="utf-8") as stream:
            stream.write(f"- line {number}\n")
        git(plain, "add", "shared.md", "changelog.md")
        git(plain, "commit", "-q", "-m", f"shared: line {number}")
    found = {"git add and git commit, one process, edits a second": 2 * ALONE / (time.monotonic() - begun)}
    place.remove(plain)
    for door in ("cli", "mcp"):
        other = os.path.join(folder, "alone")
        git(folder, "clone", "-q", vault, other)
        subprocess.run([*place.program(), "init", other], env=place.environment(), check=True, capture_output=True)
        begun = time.monotonic()
        writer(other, folder, folder, door, 0, AGENTS[0], 1, ALONE).wait()
        found[f"{door}, one process alone, edits a second"] = ALONE / (time.monotonic() - begun)
        place.remove(other)
        os.unlink(os.path.join(folder, "0"))
    return {name: round(value, 2) for name, value in found.items()}


def of_person(person: Person) -> dict[str, Any]:
    ran = sum(times for name, times in person.did.items() if name.startswith("git "))
    return {
        "git commands": ran, "did": dict(person.did), "found a lock": dict(person.locks),
        "repeats until git did it": {str(key): value for key, value in sorted(person.repeats.items())},
        "refused": dict(person.refused), "stash conflicts settled by hand": person.conflicts,
        "lines typed": person.count - person.first,
    }  # fmt: skip


def of_loops(loops: list[Loop]) -> dict[str, Any]:
    return {
        one.name: {
            "runs": dict(one.codes), "said": dict(one.outcomes.most_common(6)), "words": dict(one.words.most_common(6)),
            "seconds": load_proof.spread(one.seconds),
        }
        for one in loops
    }  # fmt: skip


def show_failures(failures: list[str]) -> None:
    for failure in failures[:SHOWN]:
        print(f"FAILED: {failure}")
    if len(failures) > SHOWN:
        print(f"FAILED: and {len(failures) - SHOWN} more (the JSON has all)")


def show(figures: dict[str, Any], indent: str = "") -> None:
    """A tree of figures, one a line."""
    for name, value in figures.items():
        if isinstance(value, dict) and any(isinstance(one, dict) for one in value.values()):
            print(f"{indent}{name}:")
            show(value, f"{indent}  ")
        elif isinstance(value, dict):
            print(f"{indent}{name}: {', '.join(f'{key} {one}' for key, one in value.items()) or 'none'}")
        else:
            print(f"{indent}{name}: {value}")


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None))
