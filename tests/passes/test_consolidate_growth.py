"""What a large review.md costs grows with its length only: counted in signs that are copied and lines that are looked
at, since a clock tells of the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from typing import ClassVar

import pytest

from vaultgit.notes import reviewfile
from vaultgit.passes.consolidate import proposals

MARKER = "<!-- vaultgit 0000000000000001 -->\n"
MANY = 400
SHAPES = {
    "markers": MARKER * MANY,
    "lines of ours": MARKER + "> not done: x\n" * MANY + "- [ ] accept\n",
    "open fences": (MARKER + "````x\n") * MANY,
    "fences that nothing closes": MARKER + "- [ ] accept\n" + "~~~x\n" * MANY,
    "boxes with words": MARKER + "-[x] accept\nx\n" + "- [ ] accept more\n" * MANY,
    "both ticked": (MARKER + "- [x] accept\n- [x] reject\n> not done: x\n") * MANY,
    "lines of ours below": (MARKER + "- [ ] accept\n- [ ] reject\n> not done: x\n") * MANY,
    "lines of ours without a block": "> not done: x\n" * MANY + MARKER,
    "words between": (MARKER + "- [x] accept\nmine\n\n") * MANY,
}


class Counted(str):
    """A text that counts the signs that are copied out of it, and out of what is made from it."""

    copied: ClassVar = [0]

    def __getitem__(self, key: Any) -> Counted:
        return self._of(str.__getitem__(self, key))

    def __add__(self, other: str) -> Counted:
        return self._of(str.__add__(self, other))

    def __radd__(self, other: str) -> Counted:
        return self._of(other + str(self))

    def replace(self, *args: Any, **more: Any) -> Counted:
        return self._of(str.replace(self, *args, **more))

    def split(self, *args: Any, **more: Any) -> list[Any]:
        self.copied[0] += len(self)
        return str.split(self, *args, **more)

    def _of(self, text: str) -> Counted:
        self.copied[0] += len(text)
        return Counted(text)


WAYS: dict[str, Callable[[str], Any]] = {
    "read": reviewfile.read,
    "remarked": lambda text: proposals.remarked(text, {"0000000000000001": "why"}),
    "orphans": lambda text: proposals.without_orphans(text, lambda: range(1, 10_000)),
    "remarks": proposals.remarks,
    "not done": proposals.not_done,
    "take": lambda text: reviewfile.take(text, {"0000000000000001"}),
    "put": lambda text: reviewfile.put(text, [reviewfile.Block(f"{n:016d}", "T") for n in range(MANY)]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", WAYS)
def test_no_text_is_copied_again_and_again(way: str, shape: str) -> None:
    text = SHAPES[shape]
    Counted.copied[0] = 0
    WAYS[way](Counted(text))
    assert Counted.copied[0] <= 12 * len(text) + 60 * MANY


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_is_read_a_few_times_however_many_lines_of_ours_it_has(
    monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    real, reads = reviewfile.read, [0]

    def read(text: str) -> list[reviewfile.Block]:
        reads[0] += 1
        return real(text)

    monkeypatch.setattr(reviewfile, "read", read)
    for way in ("remarked", "orphans", "remarks", "not done"):
        WAYS[way](SHAPES[shape])
    assert reads[0] <= 8


def test_lines_between_fences_are_not_looked_through_for_each_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = [0]

    class Fence:
        def match(self, line: str) -> Any:
            looked[0] += 1
            return real.match(line)

    real = reviewfile._FENCE
    monkeypatch.setattr(reviewfile, "_FENCE", Fence())
    fences = "".join("~" * (60 - n) + "x\n" for n in range(50))  # each shorter than the last: none ends another
    text = MARKER + "- [ ] accept\n" + fences + "text\n" * 2000
    reviewfile.read(text)
    assert looked[0] <= 3 * text.count("\n")
