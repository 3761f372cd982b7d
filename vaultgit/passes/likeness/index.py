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
from itertools import combinations
from itertools import groupby
from math import log
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
WORDS = 3  # in a phrase
TRIGGER_WORDS = 5
LIST = 24  # skills that share two rare words of the trigger, or a name's words: no more are compared with one another
NEIGHBOURS = 3  # in a longer list each is compared with so many that follow it
KEPT = 2048  # readings kept in memory


class Entry(NamedTuple):
    """What the index keeps of a skill. `phrases`: numbers of its phrases, sorted; `steps`: of its steps."""

    phrases: array[int]
    steps: array[int]
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
            self._triggers.update(set(trigger_words(text)))
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
        return Entry(array("q", sorted(phrases)), array("q", sorted(steps)), body)

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

    def weight(self, word: str) -> float:
        """How much a word of a trigger tells."""
        return log(1 + len(self.texts) / self._triggers[word]) if word in self._triggers else 0.0

    def reading(self, number: int) -> Reading:
        if number in self._readings:
            self._readings.move_to_end(number)
        else:
            if len(self._readings) >= KEPT:
                self._readings.popitem(last=False)
            self._readings[number] = Reading(self.texts[number])
        return self._readings[number]

    def candidates(self) -> list[tuple[int, int]]:
        """Pairs to compare, in order."""
        pairs = {pair for pair, count in Counter(self._by_phrases()).items() if count >= 2}
        for groups in (self._by_trigger(), self._by_name(), self._by_body()):
            for group in groups:
                pairs.update(_within(group))
        return sorted(pairs)

    def _by_phrases(self) -> Iterator[tuple[int, int]]:
        heard, mask = self._heard, self._mask
        posted = []
        for number, entry in enumerate(self.entries):
            left = SKETCH
            for phrase in entry.phrases:
                if heard[phrase & mask] <= RARE:
                    posted.append((phrase << 24) + number)
                    left -= 1
                    if not left:
                        break
        posted.sort()
        for _, run in groupby(posted, key=lambda post: post >> 24):
            yield from combinations([post & 0xFFFFFF for post in run], 2)

    def _by_trigger(self) -> Iterable[list[int]]:
        groups: dict[tuple[str, str], list[int]] = {}
        for number, text in enumerate(self.texts):
            said = sorted(set(trigger_words(text)), key=lambda word: (self._triggers[word], word))
            for pair in combinations(said[:TRIGGER_WORDS], 2):
                groups.setdefault(pair if pair[0] < pair[1] else pair[::-1], []).append(number)
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
        """Skills of one template: most of what each says is said by more than RARE, and the least (by number) of such
        phrases are the same in all of them."""
        groups: dict[int, list[int]] = {}
        for number, entry in enumerate(self.entries):
            if self.is_template(number):
                common = [phrase for phrase in entry.phrases if not self.is_rare(phrase)]
                for phrase in common[:4]:
                    groups.setdefault(phrase, []).append(number)
        return _joined(groups.values())


def trigger_words(text: Text) -> list[str]:
    """What a trigger says, without the words that all of them have."""
    return [meaning(word) for word in words.tokens(text.trigger) if word not in words.NOISE]


def step_number(numbers: Sequence[int]) -> int:
    return hash((STEP_SALT, *numbers))


STEP_SALT = 7  # so that a step of three words is not the phrase of the same three


def _phrases(numbers: list[int]) -> Iterable[int]:
    """Python's hash of a tuple of integers is the same in every process."""
    return map(hash, zip(numbers, numbers[1:], numbers[2:], strict=False))


def _within(group: list[int]) -> Iterator[tuple[int, int]]:
    if len(group) <= LIST:
        yield from combinations(group, 2)
    else:
        for at, number in enumerate(group):
            yield from ((number, other) for other in group[at + 1 : at + 1 + NEIGHBOURS])


def _joined(groups: Iterable[list[int]]) -> list[list[int]]:
    """Groups with a member in common as one; only those with more than RARE members."""
    above: dict[int, int] = {}

    def top(number: int) -> int:
        while above.setdefault(number, number) != number:
            above[number] = number = above[above[number]]
        return number

    for group in groups:
        if len(group) > RARE:
            for number in group[1:]:
                one, other = sorted((top(group[0]), top(number)))
                above[other] = one
    found: dict[int, list[int]] = {}
    for number in sorted(above):
        found.setdefault(top(number), []).append(number)
    return [group for _, group in sorted(found.items())]
