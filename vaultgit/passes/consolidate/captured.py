"""The captured lines of a round: read once, each found by its words."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence

from vaultgit.passes.consolidate import stop
from vaultgit.passes.consolidate.blocks import CaptureBlock
from vaultgit.passes.consolidate.reading import Line
from vaultgit.passes.consolidate.reading import read


class Captured:
    """Blocks and their lines, both by number. What was said twice in the same words is there once."""

    def __init__(self, blocks: Sequence[CaptureBlock], new: Collection[CaptureBlock]) -> None:
        self.blocks = list(dict.fromkeys(blocks))
        wanted = frozenset(new)
        self._new = [block in wanted for block in self.blocks]
        self.lines: list[Line] = []
        seen: set[str] = set()
        for number, block in enumerate(self.blocks):
            for text in block.lines:
                line = read(text, number)
                same = line.text.casefold()
                if line.words and same not in seen:
                    seen.add(same)
                    self.lines.append(line)
        self.usage = stop.Usage(self.lines)
        self._by_word: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines):
            for word in dict.fromkeys(line.words.split()):
                self._by_word.setdefault(word, []).append(number)

    def naming(self, key: str, besides: Iterable[int] = ()) -> tuple[int, ...]:
        """The lines that hold the words of `key` one after the other, and those `besides`."""
        words = key.split()
        found = set(besides)
        if words:
            rarest = min((self._by_word.get(word, []) for word in words), key=len)
            found.update(n for n in rarest if f" {key} " in self.lines[n].words)
        return tuple(sorted(found))

    def is_new(self, line: int) -> bool:
        """Whether no earlier round read a line."""
        return self._new[self.lines[line].block]

    def spread(self, lines: Iterable[int]) -> int:
        """In how many blocks lines stand."""
        return len({self.lines[n].block for n in lines})
