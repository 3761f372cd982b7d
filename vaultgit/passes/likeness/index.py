"""Which skills are worth comparing: those that share what few others say. Linear in the number of skills.

Everything that many skills have in common (phrases in more than RARE of them) is template and counts for nothing.
A list that is longer than its cap gives no pairs of all with all.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections import OrderedDict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from itertools import groupby
from itertools import islice
from itertools import pairwise
from math import log
from math import sqrt
from typing import NamedTuple

from vaultgit.passes.likeness import words
from vaultgit.passes.likeness.reading import CODE
from vaultgit.passes.likeness.reading import STEP
from vaultgit.passes.likeness.reading import Reading
from vaultgit.passes.likeness.reading import Text
from vaultgit.passes.likeness.reading import lines
from vaultgit.passes.likeness.words import meaning

RARE = 8  # a phrase in more skills than this is template
SKETCH = 48  # of its rare phrases, so many stand for a skill when partners are looked for
TRIGGER_WORDS = 5
LIST = 24  # skills that share two rare words of the trigger, or a name's words: no more are compared with one another
SMALL = 200  # skills: a vault with fewer says little about how rare a word is
NEIGHBOURS = 3  # in a longer list each is compared with so many that follow it
ALIKE = 0.5  # triggers
NEAR = 0.5  # of the rarest phrases are shared, so that the bodies may be nearly the same
KEPT = 2048  # readings kept in memory


class Entry(NamedTuple):
    """What the index keeps of a skill. `phrases`: numbers of its phrases, sorted; `steps`: of its steps; `trigger`: its
    words, without those that all triggers have, sorted; `body`: a hash."""

    phrases: array[int]
    steps: array[int]
    trigger: tuple[str, ...]
    body: bytes


class Index:
    """All skills, by number (their place in `texts`)."""

    def __init__(self, texts: Sequence[Text], tick: Callable[[int], None] = lambda _: None) -> None:
        self.texts = texts
        self._prose = words.Numbers(meaning)
        self._code = words.Numbers(str)
        self.entries: list[Entry] = []
        self._triggers: Counter[str] = Counter()
        for text in texts:
            self.entries.append(self._entry(text))
            self._triggers.update(set(self.entries[-1].trigger))
            tick(1)
        self._heard = self._count()
        self._readings: OrderedDict[int, Reading] = OrderedDict()

    def _entry(self, text: Text) -> Entry:
        phrases: set[int] = set()
        steps: set[int] = set()
        for kind, run in groupby(lines(text.body), key=lambda line: line.kind):
            if kind == CODE:  # a block of code is one text
                said = words.tokens("\n".join(line.text for line in run))
                phrases.update(_phrases([self._code[word] for word in said]))
                continue
            for line in run:
                numbers = [self._prose[word] for word in words.tokens(line.text)]
                phrases.update(_phrases(numbers))
                if kind == STEP:
                    steps.add(step_number(numbers))
        folded = " ".join(text.body.lower().split())
        body = hashlib.blake2b(folded.encode(errors="surrogatepass"), digest_size=12).digest()
        trigger = sorted(meaning(word) for word in words.tokens(text.trigger) if word not in words.NOISE)
        return Entry(array("q", sorted(phrases)), array("q", sorted(steps)), tuple(trigger), body)

    def _count(self) -> bytearray:
        """In how many skills each phrase and step stands, up to RARE + 1: cells of a table that is kept sparse, since a
        dictionary of all phrases of 50,000 skills takes gigabytes. Two that meet in a cell seem more common than they
        are; that nine do is out of the question."""
        total = sum(len(entry.phrases) + len(entry.steps) for entry in self.entries)
        self._mask = (1 << max(12, total.bit_length() + 1)) - 1
        cells, mask = bytearray(self._mask + 1), self._mask
        for entry in self.entries:
            for numbers in (entry.phrases, entry.steps):
                for number in numbers:
                    if cells[number & mask] <= RARE:
                        cells[number & mask] += 1
        return cells

    def is_rare(self, number: int) -> bool:
        return self._heard[number & self._mask] <= RARE

    def rare(self, number: int) -> frozenset[int]:
        """The rare phrases of a skill."""
        heard, mask = self._heard, self._mask
        return frozenset(phrase for phrase in self.entries[number].phrases if heard[phrase & mask] <= RARE)

    def is_template(self, number: int) -> bool:
        """Most of what it says is said by many."""
        phrases = self.entries[number].phrases
        return len(phrases) > RARE and len(self.rare(number)) * 2 < len(phrases)

    def step_is_rare(self, means: Iterable[str]) -> bool:
        return self.is_rare(step_number([self._prose[word] for word in means]))

    def triggers(self, one: int, other: int) -> float:
        """Cosine of two triggers; a word weighs the more the fewer triggers say it."""
        a, b = self.entries[one].trigger, self.entries[other].trigger
        if a == b:
            return 1.0 if a else 0.0
        mine, theirs = Counter(a), Counter(b)
        dot = sum(count * theirs[word] * self._weights[word] for word, count in mine.items() if word in theirs)
        return dot / sqrt(self._length(mine) * self._length(theirs)) if dot else 0.0

    def _length(self, said: Counter[str]) -> float:
        return sum(count * count * self._weights[word] for word, count in said.items())

    @cached_property
    def _weights(self) -> dict[str, float]:
        """How much a word of a trigger tells. In a small vault a word of one skill is hardly rarer than one of two."""
        skills = max(len(self.texts), SMALL)
        return {word: log(1 + skills / count) ** 2 for word, count in self._triggers.items()}

    def reading(self, number: int) -> Reading:
        if number in self._readings:
            self._readings.move_to_end(number)
        else:
            if len(self._readings) >= KEPT:
                self._readings.popitem(last=False)
            self._readings[number] = Reading(self.texts[number])
        return self._readings[number]

    def candidates(self) -> list[tuple[int, int]]:
        """Pairs to compare, in order: the bodies are equal, or the triggers are alike and something rare is shared, or
        most of what is rare."""
        pairs = {pair for group in self._by_body() for pair in _within(group)}
        for pair, share in self._by_phrases():
            if share >= NEAR or self.triggers(*pair) >= ALIKE:
                pairs.add(pair)
        for groups in (self._by_trigger(), self._by_name()):
            for group in groups:
                pairs.update(pair for pair in _within(group) if pair not in pairs and self.triggers(*pair) >= ALIKE)
        return sorted(pairs)

    def _by_phrases(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Pairs with two rare phrases in common, and which share of the shorter sketch that is."""
        heard, mask = self._heard, self._mask
        posted: list[int] = []
        sizes = []
        for number, entry in enumerate(self.entries):
            rare = (phrase for phrase in entry.phrases if heard[phrase & mask] <= RARE)
            sketch = [(phrase << 24) + number for phrase in islice(rare, SKETCH)]
            posted += sketch
            sizes.append(len(sketch))
        posted.sort()
        met: Counter[tuple[int, int]] = Counter()
        for _, run in groupby(posted, key=lambda post: post >> 24):
            met.update(combinations([post & 0xFFFFFF for post in run], 2))
        return ((pair, count / min(sizes[pair[0]], sizes[pair[1]])) for pair, count in met.items() if count > 1)

    def _by_trigger(self) -> Iterable[list[int]]:
        groups: dict[tuple[str, str], list[int]] = {}
        for number, entry in enumerate(self.entries):
            said = sorted(set(entry.trigger), key=lambda word: (self._triggers[word], word))
            for one, other in combinations(said[:TRIGGER_WORDS], 2):
                groups.setdefault((one, other) if one < other else (other, one), []).append(number)
        return groups.values()

    def _by_name(self) -> Iterable[list[int]]:
        groups: dict[tuple[str, ...], list[int]] = {}
        for number, text in enumerate(self.texts):
            groups.setdefault(tuple(sorted(map(meaning, words.tokens(text.name)))), []).append(number)
        return groups.values()

    def _by_body(self) -> Iterable[list[int]]:
        groups: dict[bytes, list[int]] = {}
        for number, entry in enumerate(self.entries):
            groups.setdefault(entry.body, []).append(number)
        return groups.values()

    def families(self) -> list[list[int]]:
        """Skills of one template: most of what each says is said by more than RARE, and by the same ones. Each is
        compared with two of those that share a phrase with it, the first and the one before, by a sketch."""
        sketches: dict[int, frozenset[int]] = {}
        groups: dict[int, list[int]] = {}
        for number, entry in enumerate(self.entries):
            if self.is_template(number):
                common = (phrase for phrase in entry.phrases if not self.is_rare(phrase))
                sketch = list(islice(common, SKETCH))
                sketches[number] = frozenset(sketch)
                for phrase in sketch[:4]:
                    groups.setdefault(phrase, []).append(number)
        pairs = [
            (number, other)
            for group in groups.values()
            for before, number in pairwise(group)
            for other in {group[0], before}
            if 2 * len(sketches[number] & sketches[other]) > len(sketches[other])
        ]
        return [members for members in _joined(pairs) if len(members) > RARE]


def step_number(numbers: Sequence[int]) -> int:
    """With one number more, so that a step of three words is not the phrase of the same three."""
    return hash((0, *numbers))


def _phrases(numbers: list[int]) -> Iterable[int]:
    """Each three words in a row. Python's hash of a tuple of integers is the same in every process."""
    return map(hash, zip(numbers, numbers[1:], numbers[2:], strict=False))


def _within(group: list[int]) -> Iterator[tuple[int, int]]:
    if len(group) <= LIST:
        yield from combinations(group, 2)
    else:
        for at, number in enumerate(group):
            yield from ((number, other) for other in group[at + 1 : at + 1 + NEIGHBOURS])


def _joined(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Who is connected with whom."""
    above: dict[int, int] = {}

    def top(number: int) -> int:
        while above.setdefault(number, number) != number:
            above[number] = number = above[above[number]]
        return number

    for pair in pairs:
        one, other = sorted(map(top, pair))
        above[other] = one
    found: dict[int, list[int]] = {}
    for number in sorted(above):
        found.setdefault(top(number), []).append(number)
    return list(found.values())
