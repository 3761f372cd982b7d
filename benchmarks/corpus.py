"""Generated vaults: notes of about 4 KB with 13 lines of front matter and 3 to 8 links, in git, packed.

Two of a size, with the same notes: `ours`, where `vaultgit init` has run, and `plain`, where floors and git's own
commands are measured. Folders hold at most 250 notes. Kept in benchmarks/out between runs; `restore` takes back
what a benchmark did. As a program (`python -m benchmarks.corpus SIZE`) it makes them: memory it needs would else be
counted as the peak of children of the caller.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks import place
from benchmarks.place import git

EDITION = 3  # another one makes all vaults anew
FOLDER_HOLDS = 250
BASE = "benchmark-base"  # tag of the commit that a run starts from
KINDS = (("person", "people"), ("concept", "concepts"), ("session", "sessions"), ("project", "projects"))
WORDS = (
    "vault note person project meeting library printer kiosk north harbour budget review sketch winter window garden "
    "train ledger paper signal river bridge summer engine letter market morning answer question session agent history "
    "branch merge schema editor folder person evening coffee cable mountain island station weather market teacher"
).split()


class Vaults(NamedTuple):
    size: int
    ours: str
    plain: str


def vaults(size: int) -> Vaults:
    """The two vaults of a size, made if they are not there, as they were made otherwise."""
    folder = os.path.join(place.OUT, "vaults", f"{EDITION}-{size}")
    made = Vaults(size, os.path.join(folder, "ours"), os.path.join(folder, "plain"))
    if not os.path.exists(os.path.join(folder, "complete")):
        print(f"making vaults of {size} notes", file=sys.stderr)
        command = [sys.executable, "-m", "benchmarks.corpus", str(size)]
        subprocess.run(command, cwd=place.ROOT, env=place.environment(), check=True)
    for root in (made.ours, made.plain):
        restore(root)
    return made


def restore(root: str) -> None:
    """Notes, index, history, objects and state as they were when the vault was made."""
    for lock in ("index.lock", "HEAD.lock"):
        try:
            os.unlink(os.path.join(root, ".git", lock))
        except FileNotFoundError:
            pass
    for part in ("state", "cache"):
        place.remove(os.path.join(root, ".git", "vaultgit", part))
    git(root, "reset", "-q", "--hard", BASE)
    git(root, "clean", "-fdq")
    git(root, "reflog", "expire", "--expire=now", "--all")
    for ref in git(root, "for-each-ref", "--format=%(refname)", "refs/vaultgit").split():
        git(root, "update-ref", "-d", ref)
    git(root, "prune", "--expire=now")
    git(root, "update-index", "-q", "--refresh")


def path_of(number: int) -> str:
    """Where the note of a number lies."""
    folder = KINDS[number % len(KINDS)][1]
    return f"{folder}/{number // (FOLDER_HOLDS * len(KINDS)):03d}/{folder}-{number:06d}.md"


def note(number: int, paragraphs: list[str], size: int) -> bytes:
    """A note that fits its schema."""
    chance = random.Random(number)
    kind = KINDS[number % len(KINDS)][0]
    links = [path_of(chance.randrange(size))[:-3] for _ in range(chance.randint(3, 8))]
    day = f"2026-{chance.randint(1, 11):02d}-{chance.randint(1, 28):02d}"
    about = {
        "person": [f"name: Person {number}", f"aliases: [P{number}]"],
        "concept": [f"name: Concept {number}", f'sources: ["[[{links[0]}]]"]'],
        "project": [f"name: Project {number}", "status: active"],
        "session": ["agent: codex", f'touched: ["[[{links[0]}]]"]'],
    }[kind]
    front = [
        f"type: {kind}", *about, f"date: {day}", f"task: the work of {day}", f"created: {day}T10:00:00",
        "tags: [one, two]", f"rating: {number % 7}", "source: a conversation",
        f"place: hall {number % 90}", "public: false", "priority: medium  # for now", f"reviewed: {day}",
    ]  # fmt: skip
    body = [f"# Note {number}", *chance.choices(paragraphs, k=6)]
    for target in links[1:]:
        where = chance.randrange(1, len(body))
        body[where] += f" See [[{target}]]."
    return ("---\n" + "\n".join(front) + "\n---\n" + "\n\n".join(body) + "\n").encode()


def paragraphs() -> list[str]:
    chance = random.Random(7)
    return [" ".join(chance.choices(WORDS, k=88)).capitalize() + "." for _ in range(3000)]


def _stream(size: int) -> Iterator[bytes]:
    """One commit with all notes, then small ones, for `git fast-import`."""
    text = paragraphs()
    who = b"committer Pat Person <pat@example.invalid> %d +0000\n"
    yield b"commit refs/heads/main\n" + who % 1_770_000_000 + b"data 6\nnotes\n\n"
    files = [(".obsidian/app.json", b"{}\n"), ("Home.md", b"# Home\n")]
    for path, data in files:
        yield b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(data), data)
    for number in range(size):
        data = note(number, text, size)
        yield b"M 100644 inline %b\ndata %d\n%b\n" % (path_of(number).encode(), len(data), data)
    for number in range(200):
        yield b"commit refs/heads/main\n" + who % (1_770_001_000 + number * 60) + b"data 5\nmine\n\n"
        chosen = number * 37 % size
        data = note(chosen, text, size) + b"\nLater: %d.\n" % number
        yield b"M 100644 inline %b\ndata %d\n%b\n" % (path_of(chosen).encode(), len(data), data)
    yield b"done\n"


def _make(size: int) -> None:
    folder = os.path.join(place.OUT, "vaults", f"{EDITION}-{size}")
    place.remove(folder)
    ours, plain = os.path.join(folder, "ours"), os.path.join(folder, "plain")
    os.makedirs(ours)
    git(ours, "init", "-q", ".")
    process = subprocess.Popen(
        ["git", "-C", ours, "fast-import", "--quiet", "--done"], stdin=subprocess.PIPE, env=place.environment()
    )
    assert process.stdin
    for part in _stream(size):
        process.stdin.write(part)
    process.stdin.close()
    if process.wait():
        raise RuntimeError("fast-import failed")
    git(ours, "reset", "-q", "--hard")
    subprocess.run([*place.program(), "init", ours], env=place.environment(), cwd=ours, check=True, capture_output=True)
    git(ours, "tag", BASE)
    git(ours, "-c", "pack.window=2", "gc", "--quiet", "--prune=now")
    git(folder, "clone", "-q", "--local", ours, plain)
    time.sleep(1.1)  # entries as young as the index itself would be hashed by every git status
    for root in (ours, plain):
        git(root, "update-index", "-q", "--refresh")
    with open(os.path.join(folder, "complete"), "w", encoding="ascii"):
        pass


if __name__ == "__main__":
    _make(int(sys.argv[1]))
