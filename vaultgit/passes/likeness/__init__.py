"""Finding skills that say the same, without a model: `find(texts)`.

Skills that share phrases few others have are compared (index.py), rated (score.py), and looked at for what would make
them two things (guards.py). What passes is a duplicate; what a guard declines is related, with the reason in words.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.likeness.guards import why_not
from vaultgit.passes.likeness.index import Index
from vaultgit.passes.likeness.reading import Text
from vaultgit.passes.likeness.score import Both
from vaultgit.passes.likeness.score import is_like

__all__ = ["Family", "Found", "Pair", "Text", "find"]


class Pair(NamedTuple):
    """Two skills, by their keys. `why`: "" for a duplicate, else what speaks against it. `score`: the numbers that it
    was judged by. `shared`: the steps that both have, by their first words."""

    one: str
    other: str
    why: str
    score: Mapping[str, float]
    shared: tuple[str, ...]


class Family(NamedTuple):
    """Skills that are made from one template, too many to be compared each with each."""

    keys: tuple[str, ...]


class Found(NamedTuple):
    duplicates: list[Pair]
    related: list[Pair]
    families: list[Family]


def find(texts: Sequence[Text], tick: Callable[[int], None] = lambda _: None) -> Found:
    """Duplicates and near ones among skills. `tick` is told how many more have been read."""
    index = Index(sorted(texts, key=lambda text: text.key), tick)
    families = index.families()
    family = {number: at for at, members in enumerate(families) for number in members}
    found = Found([], [], [Family(tuple(index.texts[number].key for number in members)) for members in families])
    for one, other in index.candidates():
        both = Both(index, one, other)
        if is_like(both):
            why = why_not(both)
            if not why:
                found.duplicates.append(_pair(both, why))
            elif one not in family or family[one] != family.get(other):  # else the family says it, once
                found.related.append(_pair(both, why))
    return found


def _pair(both: Both, why: str) -> Pair:
    score = {name: round(float(value), 3) for name, value in both.score._asdict().items()}
    shared = tuple(_first_words(step.text) for step, _ in both.shared)
    return Pair(both.one.text.key, both.other.text.key, why, score, shared)


def _first_words(text: str) -> str:
    words = text.split()
    return " ".join(words[:8]) + (" …" if len(words) > 8 else "")
