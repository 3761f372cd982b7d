"""What is worth remembering of a dialogue, found by rules: no model, no network, the same lines every time.

Kept by default: each turn in which a person states something becomes a line, with the sentence of the answer that adds
most to it. Left out: greetings, agreement without a matter, bare commands, small talk. Cues give the line its kind, and
save what would else fall out. The text is the speakers' own; nothing is worded anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.agents.dialogue import Turn
from vaultgit.passes.capture import answers
from vaultgit.passes.capture import cues
from vaultgit.passes.capture import superseding
from vaultgit.passes.capture.drafts import YOU
from vaultgit.passes.capture.drafts import Draft
from vaultgit.passes.capture.drafts import Quote
from vaultgit.passes.capture.exchanges import Exchange
from vaultgit.passes.capture.exchanges import chatter
from vaultgit.passes.capture.exchanges import exchanges
from vaultgit.passes.capture.markup import line
from vaultgit.passes.capture.sentences import clip
from vaultgit.passes.capture.sentences import meaning
from vaultgit.passes.capture.sentences import size

DECISION, CORRECTION, OPEN, REMINDER = "decision", "correction", "open", "reminder"
IDEA, FACT, TASK = "idea", "fact", "task"

WORDS = 39  # of a line, with the marks of who said it
_SAID = 24  # of these, the person's, where an answer is joined
_ASKED = 16  # words of a question
_BARE, _SPARE = 2, 5  # words with a meaning, which say little alone; say little where they point to something
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
    drafts: list[Draft] = []
    for n, one in enumerate(talk):
        if not one.new or idle[n]:
            continue
        previous = next((talk[m] for m in range(n - 1, -1, -1) if not idle[m]), Exchange((), ()))
        following = next((talk[m] for m in range(n + 1, len(talk)) if not idle[m]), Exchange((), ()))
        used = {quote.text for draft in drafts for quote in draft.quotes}
        draft = _draft(n, one, previous, following, used)
        if draft is not None:
            drafts = [*superseding.without(drafts, one, draft), draft]
    if len(drafts) > _FEW:
        spoken = sum(size(sentence) for one in talk if one.new for sentence in (*one.said, *one.answered))
        drafts = answers.within(drafts, int(spoken * _SHARE))
    return _written(drafts)


def _draft(at: int, one: Exchange, previous: Exchange, following: Exchange, used: set[str]) -> Draft | None:
    one = one._replace(said=_standing(one.said))
    said = _stated(one.said)
    accepts = bool(one.said) and cues.ACCEPT.match(one.said[0]) is not None
    questions = [sentence for sentence in one.said if cues.asks(sentence)]
    against = answers.objection(following.said)
    asked = bool(questions) or any(map(cues.operates, one.said))
    proposed = answers.proposals(previous.answered) if accepts else ()
    if said:
        text = _quoted(one.said, said)
        kind = _kind(said, first=at == 0, accepts=bool(proposed))
        needs = meaning(text) <= _BARE or (meaning(text) <= _SPARE and cues.REFERS.search(text) is not None)
        if needs and not proposed:
            proposed = answers.told(previous.answered)
        joined = answers.best(
            one.answered, proposed, text, WORDS - size(text) - 3, used, against=against, asked=asked, needed=needs
        )
    elif accepts and not questions and (proposed or one.answered):
        text = clip(" ".join(one.said), _ASKED)
        kind = DECISION
        joined = answers.best(one.answered, proposed, "", WORDS - size(text) - 3, used, against=against, accepted=True)
        if not joined:
            return None
    elif questions:
        text = clip(questions[-1], _ASKED)
        kind = OPEN if cues.OPEN.search(text) else FACT
        joined = answers.best(
            one.answered, (), text, WORDS - size(text) - 3, used, against=against, finding=kind == FACT
        )
        if not joined and kind == FACT:
            return None
    else:
        told = [sentence for sentence in one.answered if cues.LEARNS.search(sentence)]
        joined = answers.best(told, (), "", WORDS - 4, used, against=against, finding=True)
        if not joined:
            return None
        text = clip(" ".join(one.said), _ASKED // 2) if any(map(cues.operates, one.said)) else ""
        kind = FACT
    mine = Quote(text, YOU)
    ordered = [
        *(quote for quote in joined if quote.text in proposed),
        mine,
        *(q for q in joined if q.text not in proposed),
    ]
    return Draft(kind, tuple(quote for quote in ordered if quote.text), at, leans=not said and kind != OPEN)


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


def _quoted(said: Sequence[str], stated: Sequence[str]) -> str:
    """What is quoted of a turn: all of it where it is short, else the sentences that weigh most."""
    whole = " ".join(filter(None, map(cues.without_ack, said)))
    if size(whole) <= _SAID:
        return whole
    chosen: set[int] = set()
    room = _SAID
    by_weight = sorted(range(len(stated)), key=lambda n: (-cues.weight(stated[n]), n))
    for n in by_weight:
        if not chosen or size(stated[n]) <= room:
            chosen.add(n)
            room -= size(stated[n])
    return clip(" ".join(stated[n] for n in sorted(chosen)), _SAID)


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
        text = line((quote.text, quote.by) for quote in draft.quotes)
        if text and all(one.text != text for one in lines):
            lines.append(Line(draft.kind, text))
    return lines
