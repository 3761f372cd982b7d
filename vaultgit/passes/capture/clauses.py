"""The clauses of a turn, and which of them are quoted: the forty words of a line go to those that say most.

What a clause says is counted in its words: names, numbers, and what the other side takes up. The figures below were set
on the seen dialogues of the benchmark, where a third more or less of any of them changes little.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence

from vaultgit.passes.capture.drafts import ASSISTANT
from vaultgit.passes.capture.drafts import YOU
from vaultgit.passes.capture.drafts import Draft
from vaultgit.passes.capture.drafts import Piece
from vaultgit.passes.capture.exchanges import Exchange
from vaultgit.passes.capture.sentences import clip
from vaultgit.passes.capture.sentences import size
from vaultgit.passes.capture.sentences import stems

WHOLE = 12  # words of a sentence, that is not cut
_SHORT, _LONG = 3, 24  # words: less is no clause of its own; to so many a clause is cut
_CUT = re.compile(
    r"(?<=[,;:])\s+|\s+(?=[–—-]\s)|\s+(?=\()|(?<=\))\s+"
    r"|\s+(?=(?:but|because|so that|although|otherwise|therefore|aber|weil|sondern|damit|mais|parce que|pero"
    r"|porque)\s)"
    r"|\s+(?=(?:and|und|et|y) (?:i|we|you|he|she|it|they|that|there|then|the|ich|wir|er|sie|es|dann|die|der|das)\s)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W_][,;]? +([A-ZÄÖÜ][^\W_]*)")
_DIGIT = re.compile(r"\d")
# What a word is worth: any; more where both sides of an exchange say it: that is what it is about; a name; a number.
ANY, SHARED, NAMED, NUMBER = 0.6, 0.6, 0.8, 1.0
COST = 0.15  # of each word of a clause, the small ones too
LONE = 0.5  # taken from a person's clause that shares nothing with the answers, and has no cue
LENGTH, EXPONENT = 2, 0.3  # short clauses go first, but not by much: long ones are read more easily
SHARE = 16  # words that each side may have before the other has had its part
SPARED = ("open", "reminder", "idea")  # kinds of lines, of which nothing is said twice

Worths = Mapping[str, float]


def cut(sentence: str) -> list[tuple[int, int]]:
    """Where the clauses of a sentence begin and end; together they are all of it."""
    if size(sentence) <= WHOLE:
        return [(0, len(sentence))]
    found: list[tuple[int, int]] = []
    begin = 0
    for end in (*(match.start() for match in _CUT.finditer(sentence)), len(sentence)):
        if sentence.count("[", 0, end) > sentence.count("]", 0, end) and end < len(sentence):
            continue  # inside of a link, or of the mark of something taken out
        if size(sentence[begin:end]) > _SHORT:
            found.append((begin, end))
            begin = end
    if begin < len(sentence):
        if found:
            found[-1] = (found[-1][0], len(sentence))
        else:
            found.append((0, len(sentence)))
    return found


def worths(talk: Sequence[Exchange]) -> Worths:
    """What each word of the dialogue is worth, by its stem."""
    sides = [" ".join(side) for one in talk for side in (one.said, one.answered)]
    names = stems(" ".join(name for side in sides for name in _NAME.findall(side)))
    return {
        stem: ANY + (NUMBER if _DIGIT.search(stem) else NAMED if stem in names else 0)
        for side in sides
        for stem in stems(side)
    }


def pieces(sentences: Sequence[str], by: str, group: int, bonus: Callable[[str, str], float]) -> list[Piece]:
    """The clauses of the sentences; `bonus`: of a clause in its sentence, for their wording."""
    found = []
    for n, sentence in enumerate(sentences):
        for begin, end in cut(sentence):
            text = clip(sentence[begin:end].strip(), _LONG)
            place = (group, n, begin, -1 if text.endswith(" …") else end, end == len(sentence))
            found.append(Piece(text, by, place, bonus(sentence, text)))
    return found


def choose(
    pool: Sequence[Piece],
    words: int,
    worth: Worths,
    matter: set[str],
    seed: Sequence[Piece] = (),
) -> list[Piece]:
    """The clauses that say most within `words`, in their order, one after the other by what each adds to those before.

    `seed`: chosen already; `matter`: stems that both sides say.
    """
    chosen: list[Piece] = []
    have: set[str] = set()
    share = dict.fromkeys((YOU, ASSISTANT), SHARE)
    seeded = {one.place for one in seed}
    left = [(one, stems(one.text), size(one.text)) for one in pool if one.place not in seeded]

    def gain(one: Piece, mine: set[str], cost: int) -> float:
        if not mine - have:
            return -1.0
        lone = LONE if one.by == YOU and one.bonus <= 0 and mine.isdisjoint(matter) else 0
        found = sum(worth.get(stem, ANY) + (SHARED if stem in matter else 0) for stem in mine - have)
        return (found - lone + one.bonus - COST * cost) / float((cost + LENGTH) ** EXPONENT)

    for one in seed:
        mine, cost = stems(one.text), size(one.text)
        chosen.append(one._replace(worth=gain(one, mine, cost)))
        have |= mine
        words -= cost
        share[one.by] -= cost
    while left and words > _SHORT:
        rated = [(gain(*each), -n) for n, each in enumerate(left) if each[2] <= min(words, share[each[0].by])]
        if not rated or max(rated)[0] <= 0:  # each side has had its part: what is left goes to either
            if min(share.values()) >= words:
                break
            share = dict.fromkeys(share, words)
            continue
        top, n = max(rated)
        one, mine, cost = left.pop(-n)
        chosen.append(one._replace(worth=top))
        have |= mine
        words -= cost
        share[one.by] -= cost
    return sorted(chosen, key=lambda one: one.place)


def within(drafts: Sequence[Draft], words: int) -> list[Draft]:
    """The drafts without the clauses that add least, so that all have at most `words` words where that can be.

    Of what a person stated a clause stays in any case, and all of what is open, planned or to be remembered. A line
    that is nothing without its answer goes with it.
    """
    spent = sum(size(piece.text) + 1 for draft in drafts for piece in draft.pieces)
    ranked = sorted((piece.worth, n, piece) for n, draft in enumerate(drafts) for piece in draft.pieces)
    kept = [list(draft.pieces) for draft in drafts]
    for _, n, piece in ranked:
        if spent <= words:
            break
        mine = [one for one in kept[n] if one.by == YOU]
        spared = mine == [piece] or (piece.by == YOU and drafts[n].kind in SPARED)
        if spared or piece not in kept[n]:
            continue
        kept[n].remove(piece)
        spent -= size(piece.text) + 1
        if drafts[n].leans and kept[n] == mine:
            spent -= sum(size(one.text) + 1 for one in mine)
            kept[n] = []
    return [draft._replace(pieces=tuple(some)) for draft, some in zip(drafts, kept, strict=True) if some]
