"""What is worth remembering of a dialogue, found by rules: no model, no network, the same lines every time.

Kept by default: each turn in which a person states something becomes a line, of those clauses of it and of the answer
that say most. Left out: greetings, agreement without a matter, bare commands, small talk. Cues give the line its kind,
and save what would else fall out. The text is the speakers' own; nothing is worded anew, and `…` stands where words are
left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.agents.dialogue import Turn
from vaultgit.passes.capture import answers
from vaultgit.passes.capture import clauses
from vaultgit.passes.capture import cues
from vaultgit.passes.capture import superseding
from vaultgit.passes.capture.drafts import ASSISTANT
from vaultgit.passes.capture.drafts import YOU
from vaultgit.passes.capture.drafts import Draft
from vaultgit.passes.capture.drafts import quotes
from vaultgit.passes.capture.exchanges import Exchange
from vaultgit.passes.capture.exchanges import chatter
from vaultgit.passes.capture.exchanges import exchanges
from vaultgit.passes.capture.markup import line
from vaultgit.passes.capture.sentences import clip
from vaultgit.passes.capture.sentences import meaning
from vaultgit.passes.capture.sentences import sentences
from vaultgit.passes.capture.sentences import size
from vaultgit.passes.capture.sentences import stems

DECISION, CORRECTION, OPEN, REMINDER = "decision", "correction", "open", "reminder"
IDEA, FACT, TASK = "idea", "fact", "task"

_ROOM = 37  # words of a line, without the marks of who said it
_WHOLE = 8  # words of a person, that are quoted whole
_TAKEN = 1.5  # worth of the words of an option that a person takes by its place
_ASKED = 16  # words of a question
_CONTEXT = 40  # exchanges before that are looked at
_SHARE, _FEW = 0.62, 3  # of the dialogue's words, that lines may copy; not asked of so few exchanges


class Line(NamedTuple):
    """One bullet: `text` without the `- ` and without the kind."""

    kind: str
    text: str


def worth(turns: Sequence[Turn], before: Sequence[Turn] = ()) -> list[Line]:
    """The lines that `turns` deserve, in their order. `before`: what was said earlier, only to understand them by."""
    talk = [*exchanges(before, new=False)[-_CONTEXT:], *exchanges(turns, new=True)]
    idle = chatter(talk)
    worths = clauses.worths(talk)
    drafts: list[Draft] = []
    used: set[str] = set()
    for n, one in enumerate(talk):
        if not one.new or idle[n]:
            continue
        previous = next((talk[m] for m in range(n - 1, -1, -1) if not idle[m]), Exchange((), ()))
        following = next((talk[m] for m in range(n + 1, len(talk)) if not idle[m]), Exchange((), ()))
        draft = _draft(n, one, previous, following, used, worths)
        if draft is not None:
            drafts = [*superseding.without(drafts, one, draft), draft]
            used |= {piece.text for piece in draft.pieces}
    if len(drafts) > _FEW:
        spoken = sum(size(sentence) for one in talk if one.new for sentence in (*one.said, *one.answered))
        drafts = clauses.within(drafts, int(spoken * _SHARE))
    return _written(drafts)


def _draft(
    at: int, one: Exchange, previous: Exchange, following: Exchange, used: set[str], worths: clauses.Worths
) -> Draft | None:
    one = one._replace(said=_standing(one.said))
    said = _stated(one.said)
    option = answers.picked(one.said, previous.options)
    accepts = bool(option) or (bool(one.said) and cues.ACCEPT.match(one.said[0]) is not None)
    proposed = tuple(sentences(option)) or (answers.proposals(previous.answered) if accepts else ())
    against = answers.turned_down(following.said)
    answered = [sentence for sentence in one.answered if answers.worth(sentence, against=against) > answers.QUOTABLE]
    if answers.picked(following.said, one.options):  # the next line quotes what was taken
        answered = [sentence for sentence in answered if all(sentence not in offered for offered in one.options)]
    mine, kind, leans = _mine(one.said, said, first=at == 0, accepts=accepts, proposed=bool(proposed))
    if kind == FACT and leans and not any(map(cues.asks, one.said)):
        answered = [sentence for sentence in answered if cues.LEARNS.search(sentence)]
    rated = {sentence: answers.worth(sentence, against=against) for sentence in answered}
    person = clauses.pieces(mine, YOU, 1, cues.weight)
    pool = [
        *clauses.pieces(proposed, ASSISTANT, 0, lambda *_: _TAKEN if option else 0),
        *person,
        *clauses.pieces(answered, ASSISTANT, 2, lambda sentence, _: rated[sentence]),
    ]
    pool = [piece for piece in pool if piece.text not in used]
    matter = stems(" ".join(one.said)) & stems(" ".join((*one.answered, *previous.answered)))
    seed = person
    if said and size(" ".join(mine)) > _WHOLE:
        ranked = sorted(clauses.choose(person, _ROOM, worths, matter), key=lambda piece: -piece.worth) or person
        later = [piece for piece in ranked[1:] if cues.later(piece.text)]
        seed = [*ranked[:1], *later[:1]]
    chosen = clauses.choose(pool, _ROOM, worths, matter, seed)
    if not chosen or (leans and all(piece.by == YOU for piece in chosen)):
        return None
    return Draft(kind, tuple(chosen), at, leans=leans)


def _mine(
    all_said: Sequence[str], stated: Sequence[str], *, first: bool, accepts: bool, proposed: bool
) -> tuple[list[str], str, bool]:
    """What may be quoted of a person, the kind of the line, and whether it is nothing without an answer."""
    if stated:
        matter = [*filter(None, map(cues.without_ack, all_said))]
        whole = " ".join(matter)
        return [whole] if size(whole) <= _WHOLE else matter, _kind(stated, first=first, accepts=proposed), False
    questions = [sentence for sentence in all_said if cues.asks(sentence)]
    if accepts and not questions:
        return [clip(" ".join(all_said), _ASKED)], DECISION, True
    if questions:
        question = clip(questions[-1], _ASKED)
        still_open = cues.OPEN.search(question) is not None
        return [question], OPEN if still_open else FACT, not still_open
    return [clip(" ".join(all_said), _ASKED // 2)] if any(map(cues.operates, all_said)) else [], FACT, True


def _standing(said: Sequence[str]) -> tuple[str, ...]:
    """What is not taken back in the same breath: "The blue one. No wait, the green one."."""
    back = max((n for n, sentence in enumerate(said) if n and cues.TAKES_BACK.search(sentence)), default=0)
    return tuple(said[back:])


def _stated(said: Sequence[str]) -> list[str]:
    """The sentences that state something, without the words of agreement before it."""
    found = []
    for sentence in said:
        matter = cues.without_ack(sentence)
        if not matter or cues.only_marks(matter) or (cues.asks(sentence) and not cues.states_anyway(sentence)):
            continue
        if cues.operates(matter) and not cues.states_anyway(matter):
            continue
        if meaning(matter) or cues.DECIDES.search(matter) or cues.OPEN.search(matter):
            found.append(matter)
    if not any(meaning(one) > 1 or cues.strong(one) for one in found):
        return []
    return found


def _kind(said: Sequence[str], *, first: bool, accepts: bool) -> str:
    text = " ".join(said)
    if cues.REMIND.search(text):
        return REMINDER
    if cues.IDEA.search(text):
        return IDEA
    if any(cues.OPEN.search(one) for one in said):
        return OPEN
    if cues.CORRECTS.search(text):
        return CORRECTION
    if first and cues.WANTS.search(text):
        return TASK
    return DECISION if accepts or cues.DECIDES.search(text) else FACT


def _written(drafts: Sequence[Draft]) -> list[Line]:
    lines: list[Line] = []
    for draft in drafts:
        text = line(quotes(draft.pieces))
        if text and all(one.text != text for one in lines):
            lines.append(Line(draft.kind, text))
    return lines
