"""The order of the notes that may answer a question. Pure: what it looks at stands in candidate.py.

A note's score is a sum of parts, each from 0 to 1 before it is weighed, so that none depends on how long a question is
or on what else was found. docs/search.md says what each is for, and `python -m benchmarks --retrieval` what it gains.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from vaultgit.recall import words
from vaultgit.recall.candidate import Asked
from vaultgit.recall.candidate import Candidate
from vaultgit.recall.candidate import Scored
from vaultgit.recall.read import link_mark

# What the parts weigh: what a note says counts one, what is around it half. Nothing finer did better than by chance.
WORDS = 1.0  # how much of the question the note has, all of it taken together (BM25)
LINES = 1.0  # how much of it stands in two lines that follow each other
PIECES = 1.0  # the same as WORDS for runs of four letters: "photographer" for "photo"
NAMED = 0.5  # the share of those named in the question that the note links to, or is
DAY = 0.5  # that the note is of the time asked for
CALLED = 5.0  # that the question is its title or an alias: more than all the others together
EXACTLY = 1.0  # that its title or file name is so to the letter: "C#" is not "C"
SAID = 0.5  # that the whole question stands in it, word by word

_SATURATES, _BY_LENGTH = 1.2, 0.75  # BM25's k1 and b
_IN_NAME = 2  # times that a word in a title or an alias counts
_NEAR = 0.7  # of a word's worth where another spelling of it was found
_TOLD = 0.25  # of a word's worth where it only says how a question is asked, or a time that is known as such
_LOG = 0.85  # of its score a note keeps that tells what was done or waits: it decides between near equals
_BELOW = 0.999  # of another note's score: next to it
_REPLACED = 0.8  # of its score a decision keeps that another one replaced
_OUTSIDE, _BEFORE, _AFTER = 0.7, 7, 21  # a day outside of those asked for: at most this much, nothing from so many off

_PLACES = 32  # of a word in one note that are looked at
_CLOSER = 40  # notes, the best so far, whose runs of letters are looked at;
_MANY, _CLOSER_OF_MANY = 1000, 20  # half of them where there are so many notes: what that changes is within chance
_READ = 10_000  # characters of a note that runs of letters are counted in

_HOW_ASKED = frozenset(
    "accord describ discuss exampl kind mani mention much recent say sort tell thing type way".split()
)
_MONTHS = frozenset("januari februari march april may june juli august septemb octob novemb decemb".split())
_LOGS = frozenset(("session", "inbox"))
_LOG_FILES = frozenset(("changelog.md", "review.md", "agents.md", "claude.md", "gemini.md"))
_LOG_FOLDERS = ("changelog/", ".")
_TEMPLATES = ("templates/", "template/", "_templates/")


class _Word(NamedTuple):
    """A word of the question. `forms`: as they stand in a note, between spaces, with what each counts; `pieces`: runs
    of four letters, its ends included."""

    weight: float
    forms: tuple[tuple[str, float], ...]
    pieces: tuple[str, ...]


class _Question(NamedTuple):
    words: tuple[_Word, ...]
    total: float  # of the words' weights
    whole: str  # its stems, as a title would have them
    typed: str  # as it was typed, in small letters
    length: float  # of a note, on average
    named: tuple[frozenset[str], ...]
    days: tuple[date, date] | None


def order(asked: Asked, candidates: Sequence[Candidate]) -> list[Scored]:
    """Best first; equals by what the index thinks of them, then by path. Whatever the texts are, it does not raise."""
    question = _question(asked)
    best = sorted((_scored(question, one) for one in candidates), key=_place_of)
    most = _CLOSER if asked.notes < _MANY else _CLOSER_OF_MANY
    closer = [_with_pieces(question, one) for one in best[:most]]
    found = {one.candidate.path: one for one in (*closer, *best[most:])}
    _put_logs_below(found)
    _put_below_their_successors(found)
    return sorted(found.values(), key=_place_of)


def _put_logs_below(found: dict[str, Scored]) -> None:
    """What was done or waits comes below every note that says as much of the question in one place: a session is told
    in the words of its task, and would stand above the note that it was about."""
    notes = [one for one in found.values() if not _is_log(one.candidate)]
    for path, one in found.items():
        if _is_log(one.candidate) and one.together:
            least = min((note.score for note in notes if note.together >= one.together), default=one.score)
            found[path] = one._replace(score=min(one.score, least * _BELOW))


def _place_of(one: Scored) -> tuple[float, bool, float, str]:
    return -one.score, bool(one.candidate.replaced), -one.candidate.bm25, one.candidate.path


# -- the question ------------------------------------------------------------------------------------------------


def _question(asked: Asked) -> _Question:
    made: list[_Word] = []
    of_time = 0.0
    for term in asked.terms:
        if term.kind == "stop" or not term.stem:
            continue
        form = f" {term.stem} "
        if term.kind == "near" and made:
            word = made[-1]
            forms = (*word.forms, (form, _NEAR))
            # A word that no note has is as rare as can be: what stands in for it says how rare it is.
            weight = term.idf if len(word.forms) == 1 else max(word.weight, term.idf)
            made[-1] = word._replace(forms=forms, weight=weight)
            continue
        weight = max(term.idf, 0.0)
        if asked.days[0] and _is_of_time(term.stem):
            of_time += weight * (1 - _TOLD)
            weight *= _TOLD
        elif term.stem in _HOW_ASKED:
            weight *= _TOLD
        made.append(_Word(weight, ((form, 1.0),), () if term.kind == "phrase" else _pieces(term.stem)))
    named = tuple(frozenset(group) for group in asked.named if group)
    total = sum(word.weight for word in made) + of_time  # the notes' days answer for the rest
    typed = " ".join(asked.text.lower().split())
    return _Question(
        tuple(made), total or 1.0, _plain(asked.text), typed, max(asked.length, 1.0), named, _days(asked.days)
    )


def _is_of_time(stem: str) -> bool:
    return stem in _MONTHS or (stem[:2].strip("0123456789") == "" and len(stem) <= 4)  # 2026, 4, 4th


def _pieces(stem: str) -> tuple[str, ...]:
    text = f" {stem} "
    return tuple(dict.fromkeys(text[n : n + 4] for n in range(len(text) - 3)))


def _plain(text: str) -> str:
    return " ".join(words.stems(text.replace("\n", " ")).split())


def _days(days: tuple[str, str]) -> tuple[date, date] | None:
    try:
        return date.fromisoformat(days[0]), date.fromisoformat(days[1])
    except ValueError:
        return None


# -- a note ------------------------------------------------------------------------------------------------------


def _scored(question: _Question, note: Candidate) -> Scored:
    """All but PIECES."""
    text, names = note.stems, _names(note)
    saturates = _saturates(question, note)
    of_words = 0.0
    has = called = 0
    own = 0
    lines: dict[int, tuple[int, int]] = {}
    for number, word in enumerate(question.words):
        counted = 0.0
        for form, worth in word.forms:
            times = text.count(form)
            if times:
                _enter(text, form, 1 << number, lines)
            if form in names:
                called |= 1 << number
                times += _IN_NAME
            if form in note.said:
                own |= 1 << number
                times = times or 1
            counted += worth * times
        if counted:
            has += 1
            of_words += word.weight * counted / (counted + saturates)
    of_lines, first, last, line = _best_lines(lines, called, question.words)
    of_said = sum(word.weight for number, word in enumerate(question.words) if (own | called) >> number & 1)
    if own and of_said > of_lines:
        of_lines, last, lines = of_said, 0, {}
    score = (WORDS * of_words + LINES * of_lines) / question.total
    why: list[str] = []
    if has:
        why.append(f"words {has} of {len(question.words)}")
    if last:
        shown = (note.first + first, note.first + last)
        why.append(f"line {shown[0]}" if first == last else f"lines {shown[0]}-{shown[1]}")
    if question.named:
        linked = {*note.links, link_mark(note.path)[1:]}
        names_here = [sorted(group & linked)[0] for group in question.named if group & linked]
        if names_here:
            score += NAMED * len(names_here) / len(question.named)
            why.append("names " + ", ".join(names_here))
    if question.days and note.day:
        near = _near(note.day, question.days)
        if near:
            score += DAY * near
            why.append(f"date {note.day}")
    if question.whole in map(str.strip, note.names.split("\n")) and question.whole and not _is_template(note):
        score += CALLED + (EXACTLY if question.typed in _spelled(note) else 0.0)
        why.append("called so")
    if " " in question.whole and (f" {question.whole} " in text or f" {question.whole} " in note.said):
        score += SAID
        why.append("says so")
    if _is_log(note):
        score *= _LOG
        why.append("a log, not a note")
    if not lines:
        return Scored(note, score, 0, tuple(why), together=of_lines)
    beside = note.first + (first if line == last else last) if first != last else 0
    return Scored(note, score, note.first + line, tuple(why), beside, of_lines)


def _with_pieces(question: _Question, one: Scored) -> Scored:
    note = one.candidate
    text, saturates = f"{_names(note)}{note.said}{note.stems[:_READ]}", _saturates(question, note)
    score = 0.0
    for word in question.words:
        share = 0.0
        for piece in word.pieces:
            times = text.count(piece)
            if times:
                share += times / (times + saturates)
        if share:
            score += word.weight * share / len(word.pieces)
    gained = PIECES * score / question.total
    return one._replace(score=one.score + gained * (_LOG if _is_log(note) else 1.0))


def _names(note: Candidate) -> str:
    """What a note is called, and its type: words of every line of it."""
    return f"{note.names}\n{words.stems(note.type)}"


def _spelled(note: Candidate) -> tuple[str, str]:
    return note.title.lower(), note.path.rpartition("/")[2].lower().removesuffix(".md")


def _saturates(question: _Question, note: Candidate) -> float:
    """How often a word has to stand in a note to count half: BM25's K."""
    length = note.length or note.stems.count(" ")
    return _SATURATES * (1 - _BY_LENGTH + _BY_LENGTH * length / question.length)


def _enter(text: str, form: str, bit: int, lines: dict[int, tuple[int, int]]) -> None:
    """Enters the lines that have a word: number from 0 -> the same with no empty line counted, words as bits."""
    line = full = 0
    before = 0
    at = text.find(form)
    for _ in range(_PLACES):
        breaks = text.count("\n", before, at)
        line += breaks
        if breaks:
            full += breaks - (text.count("\n \n", before, at) if breaks > 1 else 0)
        before = at
        lines[line] = (full, lines.get(line, (0, 0))[1] | bit)
        at = text.find(form, at + 1)
        if at < 0:
            return


def _best_lines(
    lines: Mapping[int, tuple[int, int]], called: int, asked: Sequence[_Word]
) -> tuple[float, int, int, int]:
    """Of two lines that follow each other, those that have most of the question: its weight, first and last line, and
    the one of both that has more. `called`: words of the title or an alias, which every line is about."""
    weights: dict[int, float] = {0: 0.0}

    def weight(bits: int) -> float:
        if bits not in weights:
            weights[bits] = sum(word.weight for number, word in enumerate(asked) if bits >> number & 1)
        return weights[bits]

    best, where = weight(called), (0, 0, 0)
    before, before_full, before_bits = 0, -2, 0
    for line, (full, bits) in sorted(lines.items()):
        bits |= called
        own = weight(bits)
        beside = weight(bits | before_bits) if full - before_full <= 1 else own
        if own > best and own >= beside:
            best, where = own, (line, line, line)
        elif beside > best:
            best, where = beside, (before, line, line if own > weight(before_bits) else before)
        before, before_full, before_bits = line, full, bits
    return best, *where


def _near(day: str, days: tuple[date, date]) -> float:
    """What happened is written down on the day or soon after."""
    try:
        of = date.fromisoformat(day)
    except ValueError:
        return 0.0
    if of < days[0]:
        return _OUTSIDE * max(0.0, 1 - (days[0] - of).days / _BEFORE)
    if of > days[1]:
        return _OUTSIDE * max(0.0, 1 - (of - days[1]).days / _AFTER)
    return 1.0


def _is_log(note: Candidate) -> bool:
    path = note.path.lower()
    if note.type in _LOGS or path.rpartition("/")[2] in _LOG_FILES:
        return True
    return path.startswith(_LOG_FOLDERS) or _is_template(note)


def _is_template(note: Candidate) -> bool:
    return note.path.lower().startswith(_TEMPLATES)


# -- decisions ---------------------------------------------------------------------------------------------------


def _put_below_their_successors(found: dict[str, Scored]) -> None:
    """What replaced a decision takes its place, where that is the better one; the decision itself goes below."""
    lowered: dict[str, Scored] = {}
    for path, one in found.items():
        seen = {path}
        newer = one.candidate.replaced
        while newer in found and newer not in seen:
            seen.add(newer)
            other = found[newer]
            if other.score < one.score:
                found[newer] = other._replace(score=one.score, why=(*other.why, f"in place of {path}"))
            newer = found[newer].candidate.replaced
        if one.candidate.replaced:
            times = len(seen) if len(seen) > 1 else 2  # the longer ago it was replaced, the lower
            score = one.score * _REPLACED ** (times - 1)
            lowered[path] = one._replace(score=score, why=(*one.why, f"replaced by {one.candidate.replaced}"))
    found.update(lowered)
