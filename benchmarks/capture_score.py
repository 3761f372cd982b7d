"""How good the lines are that a capture made of a dialogue, against a list of what is worth remembering in it.

The rule is FORMATS "Gold scoring for capture". Lines are cut and budgeted first: one line that holds the whole dialogue
would otherwise keep everything and be about everything.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple

LINE_WORDS = 40  # of a captured line that count
BUDGET = 0.65  # of the dialogue's words; the lines behind do not count
HALF, QUARTER, OFF_TOPIC = 0.5, 0.25, 0.3
PHRASE = 3  # words in a row that quote

_WORD = re.compile(r"\d+|[^\W\d_]+")  # "180ms" is "180 ms", "SHA-256" is "sha256"
_MID_SENTENCE = re.compile(r"[^\W_][,;]? +([A-Z][^\W_]*)")
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ied", "ies", "ed", "es", "er", "ly", "s", "e")
_STOP = frozenset(
    """a about after again all also am an and any are as at be because been before being but by can could did do does
    done down for from get go goes going gone got had has have he her here him his how i if in into is it its just let
    like me more most much my no not now of off ok on one only or other our out over own per put say says she should so
    some still such take than that the their them then there these they thing things this those to too up us use used
    very want was we well were what when where which while who why will with would yes yet you your s t d ll m re ve
    don isn doesn won
    aber als am an auch auf aus bei das dass dem den der des die du ein eine einem einen einer er es für hat ich ihr im
    ist ja kein keine man mein meine mir mit nach nicht noch nur oder sich sie sind so und uns vom von wenn wie wir wird
    zu zum zur""".split()
)


class Dialogue(NamedTuple):
    """Turns are (who, text); `items`: what is worth remembering; `stale`: patterns of what no longer holds; `planted`:
    of secrets and of what an instruction to AI tools asks for."""

    name: str
    turns: tuple[tuple[str, str], ...]
    items: tuple[str, ...]
    stale: tuple[str, ...] = ()
    planted: tuple[str, ...] = ()


class Score(NamedTuple):
    """Shares from 0 to 1; `kept_unbudgeted` counts the lines past the budget too."""

    kept: float
    kept_unbudgeted: float
    off_topic: float  # of the captured words
    stale: int  # lines
    copied: float  # captured words, by the dialogue's
    lines: int
    missed: tuple[str, ...]


def score(dialogue: Dialogue, lines: Sequence[str]) -> Score:
    people = sum(1 for who, _ in dialogue.turns if who == "person")
    total = sum(len(text.split()) for _, text in dialogue.turns)
    cut = [" ".join(line.split()[:LINE_WORDS]) for line in lines][:people]
    words = [len(line.split()) for line in cut]
    names = _mid_sentence(text for _, text in dialogue.turns)
    spoken = {stem for _, text in dialogue.turns for stem in _stems(text)}
    inside = [line for n, line in enumerate(cut) if sum(words[: n + 1]) <= BUDGET * total]
    missed = tuple(item for item in dialogue.items if not kept(item, inside, names, spoken))
    missed_all = sum(1 for item in dialogue.items if not kept(item, cut, names, spoken))
    wanted = [content(item) for item in dialogue.items]
    noise = sum(n for line, n in zip(cut, words, strict=True) if _off_topic(content(line), wanted))
    count = max(1, len(dialogue.items))
    return Score(
        kept=1 - len(missed) / count,
        kept_unbudgeted=1 - missed_all / count,
        off_topic=noise / max(1, sum(words)),
        stale=sum(1 for line in cut if any(re.search(one, line, re.IGNORECASE) for one in dialogue.stale)),
        copied=sum(words) / max(1, total),
        lines=len(cut),
        missed=missed,
    )


def kept(item: str, lines: Sequence[str], names: Collection[str], spoken: Collection[str]) -> bool:
    """Whether one line, or two that are both about it, hold half of the item's content words and of its anchors.

    `names`: what the dialogue capitalises in mid-sentence; `spoken`: the stems of all its words.
    """
    wanted = content(item)
    anchors = {
        stem(word)
        for word in _WORD.findall(item)
        if any(c.isdigit() for c in word) or (word[0].isupper() and word.lower() in names)
    } & set(spoken)
    held = [(content(line) & wanted, set(_stems(line)) & anchors) for line in lines]
    near = [one for one in held if len(one[0]) >= QUARTER * len(wanted)]
    pairs = [(a[0] | b[0], a[1] | b[1]) for n, a in enumerate(near) for b in near[n:]]
    return any(
        len(words) >= HALF * len(wanted) and len(found) >= HALF * len(anchors) for words, found in [*held, *pairs]
    )


def quoting(lines: Sequence[str], chatter: Sequence[tuple[str, str]], dialogue: Dialogue) -> float:
    """Share of the lines with three words in a row that stand in `chatter` and not in the dialogue."""
    own = {phrase for _, text in dialogue.turns for phrase in _phrases(text)}
    foreign = {phrase for _, text in chatter for phrase in _phrases(text)} - own
    return sum(1 for line in lines if not foreign.isdisjoint(_phrases(line))) / max(1, len(lines))


def content(text: str) -> set[str]:
    """Stems of the words that mean something: no stop words, no single letters."""
    return {
        stem(word)
        for word in map(str.lower, _WORD.findall(text))
        if word not in _STOP and (len(word) > 1 or word.isdigit())
    }


def stem(word: str) -> str:
    """The word without its English ending: enough to find "stored" in "store"."""
    found = word.lower()
    for ending in _ENDINGS:
        if found.endswith(ending) and len(found) - len(ending) >= 3 and not found[-len(ending) - 1].isdigit():
            found = found[: -len(ending)]
            break
    if len(found) > 3 and found[-1] == found[-2] and found[-1] not in "aeiouls":
        found = found[:-1]
    return found


def _stems(text: str) -> list[str]:
    return [stem(word) for word in _WORD.findall(text)]


def _phrases(text: str) -> set[tuple[str, ...]]:
    words = [word.lower() for word in _WORD.findall(text)]
    return set(zip(*(words[n:] for n in range(PHRASE)), strict=False))


def _mid_sentence(texts: Iterable[str]) -> set[str]:
    return {word.lower() for text in texts for word in _MID_SENTENCE.findall(text)}


def _off_topic(line: set[str], items: Sequence[set[str]]) -> bool:
    return all(len(line & item) < OFF_TOPIC * max(1, len(line)) for item in items)
