"""`python -m benchmarks --capture`: how much of what is worth remembering the rules keep, and what else they keep.

The rows that need no skill are printed beside ours: every exchange as a line, the turns of a person that have five
words or more, and the sentences that TextRank finds central. Figures of the unseen dialogues are the ones that count:
the rules were set on the seen ones, and without reading the others. Each look at the table wears that out a little:
after a change that follows from it, only dialogues written anew are unseen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any

from benchmarks import capture_dialogues as dialogues
from benchmarks import report
from benchmarks.capture_score import BUDGET
from benchmarks.capture_score import LINE_WORDS
from benchmarks.capture_score import Dialogue
from benchmarks.capture_score import Score
from benchmarks.capture_score import content
from benchmarks.capture_score import quoting
from benchmarks.capture_score import score
from vaultgit.agents.dialogue import PERSON
from vaultgit.agents.dialogue import Turn
from vaultgit.checks.secrets import redact
from vaultgit.passes.capture import aimed
from vaultgit.passes.capture.rules import worth

Capture = Callable[[Sequence[tuple[str, str]]], list[str]]
# Over dialogues not seen: at least, at most.
KEPT, WORST, OFF_TOPIC, CHAT, COPIED = 0.7, 0.5, 0.15, 0.45, 0.65
_LEAST_WORDS = 5
_BEFORE_EACH = 2  # exchanges of chatter
_ROUNDS, _DAMPING = 30, 0.85


def run() -> int:
    rows: list[dict[str, Any]] = []
    chatter = dialogues.chatter()
    for title, talks in groups():
        print(f"\nDialogues {title}: {len(talks)}, worth remembering: {sum(len(talk.items) for talk in talks)}")
        print(f"{'':42}kept  past budget  off-topic  stale  copied  lines  quote chatter  secrets, requests")
        for name, capture in CAPTURES.items():
            scores = [(talk, *_measured(talk, capture, chatter)) for talk in talks]
            for talk, found, chat, planted in scores:
                print(_row(f"{name}: {talk.name}", found, chat, planted), flush=True)
                rows.append(
                    {"capture": name, "dialogue": talk.name, "chat": chat, "planted": planted, **found._asdict()}
                )
            mean = _mean([found for _, found, _, _ in scores])
            chat = sum(one[2] for one in scores) / max(1, len(scores))
            print(_row(f"{name}: ALL", mean, chat, sum(one[3] for one in scores)), flush=True)
            if name == "ours":
                worst = min(found.kept for _, found, _, _ in scores)
                print(f"{'':4}worst {worst:.0%}; {_verdict(mean, worst, chat, sum(one[3] for one in scores))}")
    print(report.save("capture", {"machine": report.machine(), "rows": rows}))
    return 0


def groups() -> list[tuple[str, list[Dialogue]]]:
    found = [
        ("seen, in the clients' logs", dialogues.in_logs()),
        ("seen", dialogues.seen()),
        ("unseen", dialogues.unseen()),
        ("unseen, written after the rules", dialogues.late()),
    ]
    return [(title, talks) for title, talks in found if talks]


def ours(turns: Sequence[tuple[str, str]]) -> list[str]:
    """As the pass does it: secrets and instructions to AI tools go first."""
    return [line.text for line in worth([Turn(str(n), by, _clean(text), None) for n, (by, text) in enumerate(turns)])]


def every_exchange(turns: Sequence[tuple[str, str]]) -> list[str]:
    lines: list[str] = []
    for by, text in turns:
        if by == PERSON or not lines:
            lines.append(text)
        else:
            lines[-1] += " " + text
    return [" ".join(line.split()[:LINE_WORDS]) for line in lines]


def user_turns(turns: Sequence[tuple[str, str]]) -> list[str]:
    return [" ".join(text.split()) for by, text in turns if by == PERSON and len(text.split()) >= _LEAST_WORDS]


def text_rank(turns: Sequence[tuple[str, str]]) -> list[str]:
    """The most central sentences, as many as the budget holds, one line for each turn of a person at most."""
    sentences = [one for _, text in turns for one in re.split(r"(?<=[.!?])\s+", " ".join(text.split())) if one]
    words = [content(one) for one in sentences]
    near = [[_likeness(a, b) if a is not b else 0.0 for b in words] for a in words]
    sums = [sum(row) or 1.0 for row in near]
    rank = [1.0] * len(words)
    for _ in range(_ROUNDS):
        rank = [
            1 - _DAMPING + _DAMPING * sum(near[m][n] / sums[m] * rank[m] for m in range(len(rank)))
            for n in range(len(rank))
        ]
    left = BUDGET * sum(len(text.split()) for _, text in turns)
    chosen: list[int] = []
    for n in sorted(range(len(rank)), key=lambda n: -rank[n])[: sum(1 for by, _ in turns if by == PERSON)]:
        if len(sentences[n].split()) <= left:
            chosen.append(n)
            left -= len(sentences[n].split())
    return [sentences[n] for n in sorted(chosen)]


CAPTURES: dict[str, Capture] = {
    "ours": ours,
    "every exchange": every_exchange,
    "user turns of 5 words": user_turns,
    "TextRank": text_rank,
}


def _measured(talk: Dialogue, capture: Capture, chatter: Sequence[tuple[str, str]]) -> tuple[Score, float, int]:
    """The score; the share of lines that quote chatter laid between the turns; lines with something planted."""
    lines = capture(talk.turns)
    mixed: list[tuple[str, str]] = []
    number = 0
    for by, text in talk.turns:
        for _ in range(_BEFORE_EACH if by == PERSON else 0):
            said, answered = chatter[number % len(chatter)]
            mixed += [(PERSON, said), ("assistant", answered)]
            number += 1
        mixed.append((by, text))
    spoken = [(by, text) for one in chatter for by, text in ((PERSON, one[0]), ("assistant", one[1]))]
    noisy = capture(mixed)
    planted = sum(1 for line in (*lines, *noisy) if _holds(line, talk))
    return score(talk, lines), quoting(noisy, spoken, talk), planted


def _holds(line: str, talk: Dialogue) -> bool:
    """Whether a line holds a secret, or what an instruction to AI tools asks for."""
    patterns = any(re.search(pattern, line, re.IGNORECASE) for pattern in talk.planted)
    return patterns or redact(line)[1] > 0 or aimed.without(line)[1] > 0


def _clean(text: str) -> str:
    return aimed.without(redact(text)[0])[0]


def _likeness(one: set[str], other: set[str]) -> float:
    both = len(one & other)
    return both / (math.log(len(one) + 1) + math.log(len(other) + 1)) if both else 0.0


def _mean(scores: Sequence[Score]) -> Score:
    n = max(1, len(scores))
    return Score(
        kept=sum(one.kept for one in scores) / n,
        kept_unbudgeted=sum(one.kept_unbudgeted for one in scores) / n,
        off_topic=sum(one.off_topic for one in scores) / n,
        stale=sum(one.stale for one in scores),
        copied=sum(one.copied for one in scores) / n,
        lines=sum(one.lines for one in scores),
        missed=(),
    )


def _row(name: str, found: Score, chat: float, planted: int) -> str:
    return (
        f"{name:40}{found.kept:6.0%}  {found.kept_unbudgeted:11.0%}  {found.off_topic:9.0%}  {found.stale:5d}"
        f"  {found.copied:6.2f}  {found.lines:5d}  {chat:13.0%}  {planted:17d}"
    )


def _verdict(mean: Score, worst: float, chat: float, planted: int) -> str:
    met = {
        "kept": mean.kept >= KEPT,
        "worst": worst >= WORST,
        "off-topic": mean.off_topic <= OFF_TOPIC,
        "chatter": chat <= CHAT,
        "copied": mean.copied <= COPIED,
        "planted": planted == 0,
    }
    return ", ".join(f"{name} {'met' if ok else 'MISSED'}" for name, ok in met.items())
