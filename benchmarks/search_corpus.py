"""Vaults to search in: the notes of corpus.py with words as people use them.

corpus.py has 46 words, each in nearly every note; here a word's frequency falls with its rank (Zipf, exponent 1.05),
out of 60,000 made-up ones. Deterministic; kept in benchmarks/out.
"""

from __future__ import annotations

import bisect
import itertools
import os
import random
import sys

from benchmarks import corpus
from benchmarks import place
from benchmarks.place import git

EDITION = 2
VOCABULARY = 60_000
_STARTS = "b br c ch d dr f fl g gr h j k kl l m n p pr qu r s sch sk sp st t tr v w z".split()
_MIDDLES = "a e i o u ai ea ie oo ou".split()
_ENDS = "b ck d f g k l ll m n nd ng p r rt s ss st t th x".split()


def vocabulary() -> list[str]:
    """Words by rank: short ones are frequent."""
    chance = random.Random(11)
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        parts = 1 if len(found) < 1500 else 2 if len(found) < 20_000 else 3
        syllables = [chance.choice(_STARTS) + chance.choice(_MIDDLES) for _ in range(parts)]
        found["".join(syllables) + chance.choice(_ENDS)] = None
    return list(found)


class Texts:
    """Text of a note by its number."""

    def __init__(self) -> None:
        self.words = vocabulary()
        weights = [1 / (rank + 2.7) ** 1.05 for rank in range(1, len(self.words) + 1)]
        self.sums = list(itertools.accumulate(weights))

    def word(self, chance: random.Random) -> str:
        return self.words[bisect.bisect_left(self.sums, chance.random() * self.sums[-1])]

    def paragraphs(self, number: int) -> list[str]:
        chance = random.Random(number * 7919 + 3)
        made = []
        for _ in range(6):
            words = chance.choices(self.words, cum_weights=self.sums, k=88)
            for start in range(0, 88, 11):
                words[start] = words[start].capitalize()
            lines = [" ".join(words[start : start + 22]) + "." for start in range(0, 88, 22)]
            made.append("\n".join(lines))
        return made


def note(number: int, texts: Texts, size: int) -> bytes:
    return corpus.note(number, texts.paragraphs(number), size)


def questions(texts: Texts, count: int) -> list[str]:
    """Of one to four words each, as frequent as in the notes but for the hundred most frequent ones."""
    chance = random.Random(23)
    made = []
    for n in range(count):
        wanted: list[str] = []
        while len(wanted) < n % 4 + 1:
            word = texts.word(chance)
            if word not in texts.words[:100] or chance.random() < 0.1:
                wanted.append(word)
        made.append(" ".join(wanted))
    return made


def vault(size: int) -> str:
    """The vault of a size, made if it is not there: in git, clean, with no index."""
    root = os.path.join(place.OUT, "search", f"{EDITION}-{corpus.EDITION}-{size}")
    if not os.path.exists(os.path.join(root, ".git", "complete")):
        print(f"making a vault of {size} notes to search in", file=sys.stderr)
        place.remove(root)
        texts = Texts()
        for number in range(size):
            path = os.path.join(root, corpus.path_of(number))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as stream:
                stream.write(note(number, texts, size))
        os.makedirs(os.path.join(root, ".obsidian"))
        with open(os.path.join(root, ".obsidian", "app.json"), "w", encoding="ascii") as stream:
            stream.write("{}\n")
        git(root, "init", "-q", ".")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "notes")
        with open(os.path.join(root, ".git", "complete"), "w", encoding="ascii"):
            pass
    git(root, "reset", "-q", "--hard")
    git(root, "clean", "-fdq")
    place.remove(os.path.join(root, ".git", "vaultgit"))
    return root
