"""Which sentences of an assistant are joined to what a person said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.capture import cues
from vaultgit.passes.capture.drafts import ASSISTANT
from vaultgit.passes.capture.drafts import Draft
from vaultgit.passes.capture.drafts import Quote
from vaultgit.passes.capture.sentences import clip
from vaultgit.passes.capture.sentences import size
from vaultgit.passes.capture.sentences import stems

_ASKED, _NEEDED = 0.75, 1.0
_LEAST = 3.5  # of worth
_FINDING = 4.0  # where the person only asked, or set the agent to work
_ROOM = 5  # words that are worth joining
# What makes a sentence worth joining: a new word, a word of the same matter, its beginning, a finding, a proposal, each
# word too many; how much length counts where room is short; how much of a sentence must fit. Set on the dialogues in
# the clients' logs and on others, none of them from benchmarks/dialogues.
_NEW, _SAME, _RESTATES, _FINDS, _PROPOSES, _LONG, _RANK, _CUT = 0.6, 0.8, 0.4, 1.0, 0.5, 0.08, 0.35, 0.9


class Objection(NamedTuple):
    """`whole`: the person is against what was said; `words`: stems of what they do not want."""

    whole: bool
    words: frozenset[str]


NO_OBJECTION = Objection(False, frozenset())


def objection(following: Sequence[str]) -> Objection:
    """What the next thing that a person said has against the answer before it."""
    text = " ".join(following[:3])
    whole = cues.REJECT.search(text) is not None or cues.CORRECTS.search(text) is not None
    return Objection(whole, frozenset(stems(cues.negated(text))))


def proposals(answered: Sequence[str]) -> tuple[str, ...]:
    """The sentences of an answer that a "yes" may accept."""
    found = tuple(one for one in answered if cues.PROPOSES.search(one) and not one.rstrip().endswith(("?", "？")))
    return found or tuple(one for one in answered[-1:] if not cues.PROGRESS.match(one))


def told(answered: Sequence[str]) -> tuple[str, ...]:
    """The sentences of an answer that a later "that" may mean."""
    return tuple(
        one for one in answered[-3:] if not cues.PROGRESS.match(one) and not one.rstrip().endswith(("?", "？"))
    )


def best(
    answered: Sequence[str],
    proposed: Sequence[str],
    said: str,
    room: int,
    used: set[str],
    *,
    against: Objection = NO_OBJECTION,
    asked: bool = False,
    needed: bool = False,
    accepted: bool = False,
    finding: bool = False,
) -> list[Quote]:
    """The sentences that add most to `said`, within `room` words; in the order in which they were said.

    `against`: what the person then said against the answer. `asked`: the person wanted to know something.
    `needed`: `said` says little alone. `accepted`: it says nothing but yes. `finding`: only what tells much counts.
    """
    pool = [one for one in (*proposed, *answered) if one not in used]
    have = stems(said)
    more = (_ASKED if asked else 0) + (_NEEDED if needed or accepted else 0)
    chosen: list[tuple[int, Quote]] = []
    while pool and len(chosen) < (2 if accepted else 1) and room >= _ROOM:
        worths = [_worth(one, have, proposed, against=against) + more for one in pool]
        top = max(range(len(pool)), key=lambda n: (worths[n], -n))
        if worths[top] < (_FINDING if finding else _LEAST):
            break
        one = pool.pop(top)
        if size(one) > room and (chosen or room < size(one) * _CUT):
            continue
        text = clip(one, room)
        chosen.append(
            ((*proposed, *answered).index(one), Quote(text if one not in proposed else one, ASSISTANT, worths[top]))
        )
        have |= stems(text)
        room -= size(text) + 1
    return [quote for _, quote in sorted(chosen, key=lambda pair: pair[0])]


def within(drafts: Sequence[Draft], words: int) -> list[Draft]:
    """The drafts with those answers that are worth most, so that all have at most `words` words where that can be.

    What a person stated stays in any case. A line that is nothing without its answer goes with it.
    """
    ranked = sorted(
        (-_rank(draft, quote), n, m)
        for n, draft in enumerate(drafts)
        for m, quote in enumerate(draft.quotes)
        if quote.by == ASSISTANT
    )
    left = words - sum(_said(draft) for draft in drafts if not draft.leans)
    kept: set[tuple[int, int]] = set()
    told: set[int] = set()
    for _, n, m in ranked:
        draft = drafts[n]
        cost = size(draft.quotes[m].text) + 1 + (_said(draft) if draft.leans and n not in told else 0)
        if cost <= left:
            left -= cost
            kept.add((n, m))
            told.add(n)
    return [
        draft._replace(quotes=tuple(q for m, q in enumerate(draft.quotes) if q.by != ASSISTANT or (n, m) in kept))
        for n, draft in enumerate(drafts)
        if n in told or not draft.leans
    ]


def _said(draft: Draft) -> int:
    return sum(size(quote.text) + 1 for quote in draft.quotes if quote.by != ASSISTANT)


def _rank(draft: Draft, quote: Quote) -> float:
    """What a quote is worth for the words that it costs."""
    length = size(quote.text) + (_said(draft) if draft.leans else 0)
    return quote.worth / float((length + 3) ** _RANK)


def _worth(one: str, have: set[str], proposed: Sequence[str], *, against: Objection) -> float:
    """How much a sentence adds to what is quoted already: new words, more where it speaks of the same."""
    mine = stems(one)
    found = min(8.0, len(mine - have)) * _NEW
    found += min(3, len(mine & have)) * _SAME
    found += _RESTATES if cues.RESTATES.match(one) else 0
    found += _FINDS if cues.FINDS.search(one) else 0
    found -= 5 if cues.PROGRESS.match(one) else 0
    found -= 4 if cues.WISHES.search(one) else 0
    found -= 3 if one.rstrip().endswith(("?", "？")) else 0
    if one in proposed:
        found -= 0.5
    elif cues.PROPOSES.search(one):
        found -= 5 if against.whole else _PROPOSES
    found -= 2 if against.whole else 0
    found -= 3 * min(2, len(mine & against.words))
    return found - _LONG * max(0, size(one) - 14)
