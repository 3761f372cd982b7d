"""A dialogue as exchanges: what a person said, what was answered, and whether it belongs to the dialogue's matter."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.agents.dialogue import PERSON
from vaultgit.agents.dialogue import Turn
from vaultgit.passes.capture import cues
from vaultgit.passes.capture.sentences import options
from vaultgit.passes.capture.sentences import sentences
from vaultgit.passes.capture.sentences import size
from vaultgit.passes.capture.sentences import stems

_ENOUGH = 6  # exchanges, from which on the words that they share say something
_SPECIFIC = re.compile(r"\d|[\w]+[_/.][\w]+|\w-\w+-|[a-z][A-Z]|[A-Z]{2,}")
_CHATTER = 2.5  # points
_SAID_SO = 0.5  # points more, where a decision, an idea or an open point is called so
_SOME = 0.1  # tie to the dialogue, which that needs
_LONG = 8  # exchanges; in fewer what is called so stays
_ROUNDS, _STAY, _MOST = 20, 0.02, 120
_TIED, _STEP, _LONELY, _CORE = 0.35, 10.0, 2.0, 0.2


class Exchange(NamedTuple):
    """`said` and `answered`: sentences; `options`: what the answer offers to choose from."""

    said: tuple[str, ...]
    answered: tuple[str, ...]
    new: bool = True  # not captured before
    options: tuple[str, ...] = ()


def exchanges(turns: Sequence[Turn], *, new: bool) -> list[Exchange]:
    """One for each turn of a person, with all answers up to the next. What an assistant says first answers nobody."""
    grouped: list[tuple[list[str], list[str], list[str]]] = []
    for turn in turns:
        found = [one for one in sentences(turn.text) if not cues.only_marks(one)]
        if turn.by == PERSON:
            grouped.append((found, [], []))
        else:
            if not grouped:
                grouped.append(([], [], []))
            grouped[-1][1].extend(found)
            grouped[-1][2][:] = options(turn.text) or grouped[-1][2]
    return [Exchange(tuple(said), tuple(answered), new, tuple(offered)) for said, answered, offered in grouped]


def chatter(talk: Sequence[Exchange]) -> list[bool]:
    """Which exchanges are small talk: of no matter of the dialogue's, and answered as such."""
    found = []
    for one, tie in zip(talk, _ties(talk), strict=True):
        said_so = cues.EXPLICIT.search(" ".join(one.said)) is not None
        tied = tie is not None and tie >= _SOME
        limit = _CHATTER + (_SAID_SO if said_so and tied else 0)
        found.append(_points(one, tie) >= limit and not (said_so and len(talk) < _LONG))
    return found


def _points(one: Exchange, tie: float | None) -> float:
    said, answered = " ".join(one.said), " ".join(one.answered)
    if not said:
        return 0
    personal = len({match.lower() for match in cues.SMALL_TALK.findall(said)})
    wishes = sum(1 for sentence in one.answered if cues.WISHES.search(sentence))
    found = min(2, personal) * 0.75
    found += 2 if wishes else 0
    found += 0.5 if wishes and wishes == len(one.answered) else 0
    found += 1 if 2 < size(answered) <= 16 and not _SPECIFIC.search(answered) else 0
    found += 0.5 if answered.endswith("!") else 0
    found -= 1.5 if any(cues.RESTATES.match(sentence) for sentence in one.answered) else 0
    if tie is not None:
        found += max(-1.5, min(_LONELY, (_TIED - tie) * _STEP))
    return found


def _ties(talk: Sequence[Exchange]) -> list[float | None]:
    """How central each exchange is to the dialogue, from 0 to 1: by the rarer words that it shares with central ones.

    A repeated exchange counts once. None for a dialogue without a matter: there, one thing after the other is no sign
    of chatter.
    """
    known = list(dict.fromkeys(talk))[-_MOST:]
    if len(known) < _ENOUGH:
        return [None] * len(talk)
    words = [stems(" ".join((*one.said, *one.answered))) for one in known]
    spread = Counter(word for some in words for word in some)
    rare = {word: math.log(len(known) / n) ** 2 for word, n in spread.items()}
    norms = [math.sqrt(sum(rare[word] for word in some)) or 1.0 for some in words]
    near = [
        [
            0.0 if n == m else sum(rare[word] for word in words[n] & words[m]) / (norms[n] * norms[m])
            for m in range(len(known))
        ]
        for n in range(len(known))
    ]
    rank = [1.0] * len(known)
    for _ in range(_ROUNDS):  # the first eigenvector
        rank = [
            _STAY * rank[n] + sum(weight * one for weight, one in zip(row, rank, strict=True))
            for n, row in enumerate(near)
        ]
        most = max(rank) or 1.0
        rank = [one / most for one in rank]
    if sorted(rank)[len(rank) * 3 // 4] < _CORE:
        return [None] * len(talk)
    found = dict(zip(known, rank, strict=True))
    return [found.get(one) for one in talk]
