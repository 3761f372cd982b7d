"""What a later turn takes back: the earlier lines that say the same thing no longer stand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vaultgit.passes.capture import cues
from vaultgit.passes.capture.drafts import YOU
from vaultgit.passes.capture.drafts import Draft
from vaultgit.passes.capture.exchanges import Exchange
from vaultgit.passes.capture.sentences import stems

_REFERS = re.compile(r"\b(?:that|it|this|those|these|ones?|instead|das|es|den|die)\b", re.IGNORECASE)
_BACK = 8  # lines that are looked at
_SOON = 2  # exchanges, within which "that" means the last choice
_SAME = 0.6  # of a line's words, that the turn which takes it back says again
_SHORT = 8  # words of a choice


def without(drafts: Sequence[Draft], one: Exchange, now: Draft) -> list[Draft]:
    """The drafts that stand after the turn `one`, of which `now` was made."""
    said = " ".join(one.said)
    if not cues.CORRECTS.search(said) and not cues.SCRAPS.search(said):
        return list(drafts)
    kept = list(drafts)
    mine = stems(said)
    # "Scrap that" means the last choice; "no, bookings go by season" may be about something else.
    about = kept and (_REFERS.search(said) or mine & _words(kept[-1], by=YOU))
    if about and cues.TAKES_BACK.search(said) and now.at - kept[-1].at <= 2 and _choice(kept[-1]):
        return kept[:-1]
    for n in range(len(kept) - 1, max(-1, len(kept) - 1 - _BACK), -1):
        theirs = _words(kept[n], by=YOU)
        if len(theirs & mine) >= 2 and len(theirs & mine) >= _SAME * len(theirs):
            del kept[n]
            break
    return kept


def _choice(draft: Draft) -> bool:
    """Whether the line is a short choice, of which nothing stands when it is taken back."""
    return draft.kind in ("decision", "correction", "fact") and len(_words(draft, by=YOU)) <= _SHORT


def _words(draft: Draft, by: str) -> set[str]:
    return {stem for piece in draft.pieces if piece.by == by for stem in stems(piece.text)}
