"""`python -m benchmarks --clones SECONDS`: three clones and one bare repository, `vaultgit sync` in loops in each.

Three agents write through every door, a person edits one clone with plain git and another one with an editor, all of
them collide in the same paragraphs on purpose, and anything is killed with SIGKILL at random. Then the clones are
synced in turn until nothing changes, and everything promised is proved in each.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import time
from collections import Counter
from typing import Any

from benchmarks import load
from benchmarks import load_kills
from benchmarks import load_proof
from benchmarks import place
from benchmarks import report
from benchmarks import soak_proof
from benchmarks.load_loops import Loop
from benchmarks.load_person import Person
from benchmarks.load_writer import PARAGRAPHS
from benchmarks.place import git
from vaultgit.edits import recover

CLONES = ("a", "b", "c")
# By clone: the agent and the doors of its processes.
WRITERS = {
    "a": ("claude-code", ("cli", "mcp", "own")), "b": ("codex", ("cli", "mcp", "own")),
    "c": ("gemini-cli", ("cli", "cli", "mcp")),
}  # fmt: skip
HOT = ("Home.md", "shared.md", PARAGRAPHS)
ENDLESS = 10**6  # edits: until it is ended
ROUNDS = 12  # of syncs in turn, in which the clones have to become alike
FIRST_OF_EDITOR = 1_000_000  # marks of the person's second place begin there


class InClone(Person):
    """A person in a clone: what they typed may come to lie in the inbox, where somebody changed the same elsewhere."""

    def __init__(self, vault: str, seed: int, mark: str, own: tuple[str, ...], first: int, *, by_git: bool) -> None:
        super().__init__(vault, seed, [one for one in HOT if one != PARAGRAPHS], 1.5, own, first)
        self.mark, self.by_git = mark, by_git
        self.locks_left = load_kills.Locks(os.path.join(vault, ".git"))
        del self.ways[("stash",)]

    def environment(self) -> dict[str, str]:
        return place.environment(**{load_kills.VARIABLE: self.mark})

    def freed(self) -> None:
        self.locks_left.sweep()

    def step(self) -> None:
        if self.chance.random() < 0.25:
            self.longer()
        elif self.by_git:
            super().step()
        else:
            (self.type_own if self.chance.random() < 0.5 else self.type_hot)()
            self.look("typing")
        self.locks_left.sweep()

    def longer(self) -> None:
        """A paragraph that others make longer, too."""
        mark, start = self._line()[0], f"Paragraph {self.chance.randrange(3)}:"
        self.typed[mark] = PARAGRAPHS

        def grown(text: str) -> str:
            lines = text.splitlines()
            return "".join(f"{one} {mark}\n" if one.startswith(start) else f"{one}\n" for one in lines)

        self._save(os.path.join(self.vault, PARAGRAPHS), grown)

    def look(self, after: str) -> None:
        hot, self.hot = self.hot, list(HOT)
        super().look(after)
        self.hot = hot

    def kept(self, mark: str) -> bool:
        folder = os.path.join(self.vault, "inbox")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return any(re.search(rf"{mark}\b", _text(os.path.join(folder, name))) for name in names)


def main(seconds: float, seed: int | None) -> int:
    """Runs it, prints the figures, returns an exit code: 1 where something does not hold."""
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    print(f"three clones for {seconds:.0f} s, seed {seed}", flush=True)
    folder = os.path.join(place.OUT, f"clones-{seed}")
    figures, failures = run(seconds, seed, folder)
    load.show(figures)
    load.show_failures(failures)
    record = {"seed": seed, "seconds": seconds, "machine": report.machine(), **figures, "failures": failures}
    print(f"{'FAILED, kept: ' + folder if failures else 'everything holds'}; {report.save('clones', record)}")
    if not failures:
        place.remove(folder)
    return 1 if failures else 0


def run(seconds: float, seed: int, folder: str, *, pause: float = 1.2) -> tuple[dict[str, Any], list[str]]:
    """Figures, and in words what does not hold. `pause`: seconds between two kills, at most; 0: none is killed."""
    place.remove(folder)
    place.compile_all()
    acks = os.path.join(folder, "acks")
    os.makedirs(acks)
    vaults = make(folder)
    env = place.environment(**{load_kills.VARIABLE: folder})
    people = [
        InClone(vaults["a"], seed, folder, ("mine.md", "journal/mine.md"), 0, by_git=True),
        InClone(vaults["b"], seed + 1, folder, ("desk.md",), FIRST_OF_EDITOR, by_git=False),
    ]
    syncs = [Syncing(f"sync in {name}", vaults[name], [["sync"]], env, 0.3) for name in (*CLONES, "a")]
    killer = load_kills.Killer(folder, seed, pause)
    threads: list[InClone | Syncing | load_kills.Killer] = [*people, *syncs, *([killer] if pause else [])]
    bare = load_kills.Locks(os.path.join(folder, "remote.git"))
    begun = time.monotonic()
    for one in threads:
        one.start()
    writers = _writers(vaults, folder, acks, env, seed, begun + seconds, bare)
    for one in threads:
        one.stop.set()
    for one in threads:
        one.join()
    load_kills.end(folder)
    spent = time.monotonic() - begun
    bare.sweep()
    rounds = settle(vaults, people)
    told = load_proof.acknowledged(acks)
    failures = [f"loop {one.name}: {words}" for one in syncs for words in one.failures]
    found, history = prove(folder, vaults, told, people)
    failures += found
    ended = Counter(code for one in syncs for code in one.codes.elements())
    figures = {
        "edits acknowledged": sum(ack.outcome in load_proof.LANDS for ack in told), **history,
        "writers": {**load_proof.figures(told, spent), "started": dict(writers)},
        "killed": {"all": sum(killer.killed.values()), **killer.killed},
        "syncs": {
            "run": sum(ended.values()), "ended with": dict(ended),
            "said": dict(sum((one.outcomes for one in syncs), Counter())),
            "words": dict(sum((one.words for one in syncs), Counter()).most_common(12)),
            "seconds": load_proof.spread([took for one in syncs for took in one.seconds]),
        },
        "rounds of syncs until all were alike": rounds,
        "locks of killed gits, taken away by hand": {
            "in clones": dict(sum((one.locks_left.taken for one in people), Counter())),
            "in the bare repository": dict(bare.taken),
        },
        **{f"person in {name}": load.of_person(one) for name, one in zip("ab", people, strict=True)},
    }  # fmt: skip
    return figures, failures


class Syncing(Loop):
    """A sync that was killed, or whose git was, ends as it likes; a bug of ours is none of that."""

    def allowed(self, done: subprocess.CompletedProcess[str]) -> bool:
        return done.returncode in (1, 137, 143)


def make(folder: str) -> dict[str, str]:
    """Three clones of one bare repository, each set up; by name."""
    first = os.path.join(folder, "first")
    load.make(first, range(len(CLONES) * 3))
    with open(os.path.join(first, PARAGRAPHS), "w", encoding="utf-8") as stream:
        stream.write("# Paragraphs\n\n" + "".join(f"Paragraph {n}: it begins.\n\n" for n in range(3)) + "The end.\n")
    git(first, "add", "-A")
    git(first, "commit", "-q", "--no-verify", "-m", "paragraphs")
    bare = os.path.join(folder, "remote.git")
    git(folder, "clone", "-q", "--bare", first, bare)
    vaults = {name: os.path.join(folder, name) for name in CLONES}
    for vault in vaults.values():
        git(folder, "clone", "-q", bare, vault)
        subprocess.run([*place.program(), "init", vault], env=place.environment(), check=True, capture_output=True)
    place.remove(first)
    return vaults


def _writers(
    vaults: dict[str, str], folder: str, acks: str, env: dict[str, str], seed: int, end: float, bare: load_kills.Locks
) -> Counter[str]:
    """Writers in each clone, begun anew when they are killed, until the end."""
    counts: Counter[str] = Counter()
    alive: dict[int, subprocess.Popen[bytes]] = {}
    while time.monotonic() < end:
        for place_, name in enumerate(CLONES):
            agent, doors = WRITERS[name]
            for nth, door in enumerate(doors):
                number = place_ * 3 + nth
                process = alive.get(number)
                if process is None or process.poll() is not None:
                    counts["begun" if process is None else f"begun again after {process.returncode}"] += 1
                    alive[number] = load.writer(
                        vaults[name], folder, acks, door, number, agent, seed + counts.total(), ENDLESS, HOT, env
                    )  # fmt: skip
        bare.sweep()
        time.sleep(0.2)
    for process in alive.values():
        process.kill()
        process.wait()
    return counts


def settle(vaults: dict[str, str], people: list[InClone]) -> int:
    """Commits what the person has, and syncs in turn until all clones and the bare repository hold the same; the rounds
    that took."""
    for name, vault in vaults.items():
        time.sleep(load_kills.Locks.AGE)
        load_kills.Locks(os.path.join(vault, ".git")).sweep()
        if load.drain(vault) == load.DRAINS:
            print(f"clone {name} still waits")
    time.sleep(recover.QUIET + 0.5)
    for vault in vaults.values():
        load.drain(vault)
    for person in people:
        person.look("the end")
    for vault in vaults.values():
        git(vault, "add", "-A")
        subprocess.run(
            ["git", "commit", "-q", "--no-verify", "-m", "mine, the last"], cwd=vault, env=place.environment(),
            capture_output=True, check=False,
        )  # fmt: skip
        load.drain(vault)
    for number in range(1, ROUNDS + 1):
        for name, vault in vaults.items():
            done = subprocess.run(
                [*place.program(), "sync"], cwd=vault, env=place.environment(), capture_output=True, text=True,
                check=False,
            )  # fmt: skip
            if done.returncode:
                print(f"round {number}, sync in {name}: {done.returncode}: {(done.stdout + done.stderr).strip()[:500]}")
        if len(heads(vaults)) == 1:
            return number
    return ROUNDS + 1


def heads(vaults: dict[str, str]) -> set[str]:
    """What main is in each clone and in the bare repository."""
    bare = os.path.join(os.path.dirname(next(iter(vaults.values()))), "remote.git")
    return {git(one, "rev-parse", "refs/heads/main") for one in (*vaults.values(), bare)}


def prove(
    folder: str, vaults: dict[str, str], told: list[load_proof.Ack], people: list[InClone]
) -> tuple[list[str], dict[str, object]]:
    there = heads(vaults)
    failures = [f"the heads differ: {', '.join(sorted(there))}"] if len(there) > 1 else []
    for name, vault in vaults.items():
        failures += [f"in {name}: {words}" for words in soak_proof.at_rest(vault)]
    failures += [
        f"in the bare repository: {words}" for words in soak_proof.said_by_fsck(os.path.join(folder, "remote.git"))
    ]
    first = vaults["a"]
    commits = load_proof.history(first)
    proof = load_proof.prove(first, told, commits, clones=True)
    failures += proof.failures
    failures += [
        f"{one.door}: {one.reason}" for one in told if "a bug of ours" in one.reason or "Traceback" in one.reason
    ]
    notes = load_proof.notes_of(first)
    inbox = "\n".join(text for path, text in notes.items() if path.startswith("inbox/"))
    set_aside = 0
    for person in people:
        failures += person.failures
        for path, text in person.own.items():
            if notes.get(path, "") != text:
                failures.append(f"{path} of the person in HEAD is not what they typed")
        for mark, path in person.typed.items():
            times = len(re.findall(rf"{mark}\b", notes.get(path, "")))
            kept = re.search(rf"{mark}\b", inbox) is not None
            set_aside += times == 0 and kept
            if times > 1 or (times == 0 and not kept):
                failures.append(f"{mark} of the person stands in {path} of HEAD {times} times, and not in the inbox")
    in_inbox = sum(path.startswith("inbox/") for path in notes)
    merges = git(first, "rev-list", "--count", "--merges", "HEAD")
    figures = {
        **proof.figures, "merges": int(merges), "inbox notes": in_inbox,
        "lines typed": sum(len(one.typed) for one in people),
        "lines of the person's set aside in the inbox": set_aside,
    }  # fmt: skip
    return failures, figures


def _text(full: str) -> str:
    try:
        with open(full, encoding="utf-8") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""


if __name__ == "__main__":
    import sys

    raise SystemExit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None))
