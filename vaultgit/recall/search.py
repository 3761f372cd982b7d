"""Search: a question in plain words, answered with notes, best first.

recall/gather.py finds those that may answer and has them put in order; what stands here is what is shown of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

from vaultgit.recall import asking
from vaultgit.recall import filters
from vaultgit.recall import gather
from vaultgit.recall import nearest
from vaultgit.recall import question as questions
from vaultgit.recall import read
from vaultgit.recall import words
from vaultgit.recall.candidate import Asked
from vaultgit.recall.candidate import Scored
from vaultgit.recall.store import path_of
from vaultgit.recall.view import WAITS
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from vaultgit.recall.view import View


_WHOLE = 92  # characters of a line that is shown as it is: a terminal's
_SHOWN = 300  # of a longer one
_AHEAD = 24  # of them before what answers
_READ = 100_000  # of a line that are looked at
_LOOKED_AT = 50  # words of one part of it


class Hit(NamedTuple):
    """A note that answers. `line`, `text`: the line of it that does so best, or two that do so together, with a newline
    between; of a long one the part that does, with "…" for the rest. `remark`: what to know of it ("replaced by
    decisions/x.md"); `why`: with `explain`, what counted; `queued`: its text waits in the queue."""

    path: str
    oid: str
    type: str
    title: str
    score: float
    line: int
    text: str
    remark: str = ""
    why: tuple[str, ...] = ()
    queued: bool = False

    def as_json(self) -> dict[str, Any]:
        """For programs: `remark`, `why` and `queued` only where there is one."""
        return {key: value for key, value in self._asdict().items() if value or key not in ("remark", "why", "queued")}


class Found(NamedTuple):
    """`nearest`: where nothing was found, each word that no note has -> what comes near it here, each with a note:
    `"sourdough" (notes/Sourdough.md)`. `instead`: words that no note has -> what was looked for in their place.
    `no_days`: filters that were left out because what they name is no day."""

    hits: list[Hit]
    nearest: dict[str, list[str]] = {}  # noqa: RUF012
    instead: dict[str, list[str]] = {}  # noqa: RUF012
    no_days: tuple[str, ...] = ()


def search(vault: Vault, view: View, text: str, *, limit: int = 10, explain: bool = False) -> Found:
    """The notes that answer `text`, best first, at most `limit`. Never raises for what the text is."""
    text = text.encode("utf-8", "replace").decode()
    made = -1
    while made != view.index.made:  # damage that shows in the middle of it: from the beginning
        made = view.index.made
        question = questions.parse(text, known=asking.properties(view, text))
        asked = asking.asked(view, question)
        scored = gather.scored(vault, view, question, asked, limit)
    hits = [_hit(view, one, asked, explain) for one in scored[:limit]]
    if hits or not asked.terms:
        return Found(hits, instead=_instead(view, asked), no_days=question.no_days)
    return Found([], nearest=_nearest(view, asked), no_days=question.no_days)


def _hit(view: View, one: Scored, asked: Asked, explain: bool) -> Hit:
    note = one.candidate
    line, found = _lines(view, one, asked)
    text = "\n".join(_part(text, asked) for text in found)
    queued = note.path in view.queued
    remark = "; ".join([*([f"replaced by {note.replaced}"] if note.replaced else ()), *([WAITS] if queued else ())])
    why = one.why if explain else ()
    return Hit(note.path, note.oid, note.type, note.title, round(one.score, 4), line, text, remark, why, queued)


def _lines(view: View, one: Scored, asked: Asked) -> tuple[int, list[str]]:
    """The line that answers best, with the one beside it that adds to it: those that the ranking names, else one of the
    properties that has a word, else the first that is not empty below them."""
    from vaultgit.errors import UsageError

    note = one.candidate
    try:
        lines = view.text(note.path)[: read.MOST].decode("utf-8", "replace").split("\n")
    except UsageError:
        return max(one.line, 1), []  # gone meanwhile
    if 0 < one.line <= len(lines):
        both = sorted(line for line in (one.line, one.beside) if 0 < line <= len(lines))
        return both[0], [lines[line - 1].strip() for line in both]
    wanted = {term.stem for term in asked.terms if term.kind in ("word", "near")}
    head = range(1, min(note.first - 1, len(lines)))
    best = max(head, key=lambda n: len(wanted.intersection(words.stems(lines[n]).split())), default=0)
    if best and wanted.intersection(words.stems(lines[best]).split()):
        return best + 1, [lines[best].strip()]
    for number in range(note.first, len(lines) + 1):
        if lines[number - 1].strip():
            return number, [lines[number - 1].strip()]
    return 1, [lines[0].strip()]


def _part(line: str, asked: Asked) -> str:
    """The part of a long line that has most of the question: one is as long as a book at times, a terminal is not, and
    a model pays for all of it."""
    if len(line) <= _WHOLE:
        return line
    weight = {term.stem: term.idf for term in asked.terms if term.kind in ("word", "near")}
    found = _places(line[:_READ], weight)
    best = max(found, key=lambda one: sum(weight[stem] for stem in _within(found, one[0])), default=(0, ""))[0]
    start = best - _AHEAD if best > _WHOLE - _AHEAD else 0
    start = line.find(" ", start, best) + 1 or start if start else 0
    piece = line[start : start + _SHOWN]
    return ("…" if start else "") + piece.rstrip() + ("…" if start + _SHOWN < len(line) else "")


def _places(text: str, wanted: Collection[str]) -> list[tuple[int, str]]:
    """Where stems stand in a text."""
    found = []
    for word, at, _ in words.places(text):
        if words.is_unspaced(word):
            folded = words.fold(word)
            found += [(at + folded.find(stem), stem) for stem in sorted(wanted) if stem in folded]
        else:
            found += [(at, stem) for stem in words.stem(word).split() if stem in wanted]
    return sorted(found)


def _within(found: Sequence[tuple[int, str]], start: int) -> set[str]:
    first = bisect_left(found, (start, ""))
    return {stem for at, stem in found[first : first + _LOOKED_AT] if at < start + _WHOLE - _AHEAD}


def _instead(view: View, asked: Asked) -> dict[str, list[str]]:
    missing = {term.raw for term in asked.terms if term.kind == "word" and not term.df}
    found: dict[str, list[str]] = {}
    for term in asked.terms:
        if term.kind == "near" and term.raw in missing:
            found.setdefault(term.raw, []).append(_spelled(view, term.stem))
    return found


def _nearest(view: View, asked: Asked) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for term in asked.terms:
        if term.kind == "word" and not term.df:  # of others it is a filter or a phrase that leaves nothing
            stems = [*nearest.holding(view, term.raw), *nearest.alike(view, term.raw)]
            near = [(_spelled(view, stem), _example(view, stem)) for stem in dict.fromkeys(stems)]
            found[term.raw] = [f'"{word}" ({path})' for word, path in near if path][:3]
    return found


def _spelled(view: View, stem: str) -> str:
    rows = view.ask("SELECT word FROM spelled WHERE stem = ? ORDER BY length(word), word LIMIT 1", (stem,))
    return str(rows[0][0]) if rows else stem


def _example(view: View, stem: str) -> str:
    """The note that is most about a word."""
    best = gather.matching(view, filters.quoted(stem), 20, "", ())
    equal = [number for number, score in best if round(score, 9) == round(best[0][1], 9)]
    sql = f"SELECT path FROM doc WHERE id IN ({','.join('?' * len(equal))})"
    return min(view.made(lambda row: path_of(row[0]), sql, equal), default="")
