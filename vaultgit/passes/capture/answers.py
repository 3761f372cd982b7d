"""What an assistant says: which of it a person takes up, and how much its wording is worth."""

from __future__ import annotations

from collections.abc import Sequence

from vaultgit.passes.capture import cues
from vaultgit.passes.capture.sentences import meaning

# What a sentence is worth for its wording, where a word is worth about one (clauses.py): a restatement is the shortest
# form of what was settled, a cause or a measurement is said by nobody else, a proposal is not settled.
_RESTATES, _FINDS, _LEARNS, _PROPOSES = 1.5, 0.3, 1.2, 0.5
_OUT = -5.0  # progress, questions, wishes, one word: not to be quoted
QUOTABLE = -2.0


def turned_down(following: Sequence[str]) -> bool:
    """Whether the next thing that a person said is against what was proposed before it."""
    return any(map(cues.REJECT.search, following[:1]))


def proposals(answered: Sequence[str]) -> tuple[str, ...]:
    """The sentences of an answer that a "yes" may accept."""
    found = tuple(one for one in answered if cues.PROPOSES.search(one) and not one.rstrip().endswith(("?", "？")))
    return found or tuple(one for one in answered[-1:] if not cues.PROGRESS.match(one))


def picked(said: Sequence[str], options: Sequence[str]) -> str:
    """The option that a person takes by its place: "the second one"; "" where none."""
    found = (cues.pick(one, len(options)) for one in said[:2])
    return next((options[n] for n in found if n is not None), "")


def worth(one: str, *, against: bool) -> float:
    """What the wording of a sentence is worth; at most QUOTABLE where it should not be quoted.

    `against`: the person then turned the proposals down.
    """
    if meaning(one) < 2 and not any(map(str.isdigit, one)):
        return _OUT
    found = _RESTATES if cues.RESTATES.match(one) else 0
    found += _FINDS if cues.FINDS.search(one) else 0
    found += _LEARNS if cues.LEARNS.search(one) else 0
    found += _OUT if cues.PROGRESS.match(one) else 0
    found += _OUT if cues.WISHES.search(one) else 0
    found += _OUT if one.rstrip().endswith(("?", "？")) else 0
    if cues.PROPOSES.search(one):
        found += _OUT if against else -_PROPOSES
    return found
