"""What a question asks for, in the words of one view: how rare each word is, whom it names, which days it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaultgit.recall import nearest
from vaultgit.recall import question as questions
from vaultgit.recall import read
from vaultgit.recall import words
from vaultgit.recall.candidate import Asked
from vaultgit.recall.candidate import Term
from vaultgit.recall.candidate import idf
from vaultgit.recall.store import path_of

if TYPE_CHECKING:
    from vaultgit.recall.question import Question
    from vaultgit.recall.view import View

_NAME_WORDS, _NAMES = 5, 8  # words of a name in a question, names of one question


def properties(view: View, text: str) -> set[str]:
    """Which of the keys in a question are properties of some note."""
    found = set()
    for key in questions.keys(text):
        first = read.value_mark(key, "")
        for table in ("word", "pastword") if view.commit else ("word",):
            if view.ask(f"SELECT 1 FROM {table} WHERE term >= ? AND term < ? LIMIT 1", (first, first + "\U0010ffff")):
                found.add(key)
    return found


def asked(view: View, question: Question) -> Asked:
    """Words that no note has get others that come near; where all words say nothing by themselves, they count."""
    notes, length = view.size
    made: dict[str, Term] = {}

    def add(stem: str, raw: str, kind: str) -> Term:
        df = view.df(stem) if kind != "phrase" else min((view.df(one) for one in stem.split()), default=0)
        return made.setdefault(stem, Term(stem, raw, df, idf(df, notes), kind))

    for word in question.words:
        pieces = words.found(word)
        single = len(pieces) == 1
        all_stems: list[str] = []
        for piece in pieces:
            if single and words.is_stop(piece):
                add(words.stem(piece), piece, "stop")
                continue
            stems = words.asked(piece)
            all_stems += stems
            prefix = single and word.rstrip("?!.,;").endswith("*")
            for stem in stems:
                term = add(stem, piece, "word")
                if term.df and not prefix:
                    continue
                if prefix or words.is_unspaced(stem) or len(stem) > 2:
                    near = nearest.beginning(view, piece if len(stems) == 1 else stem)
                    near = near if near or prefix else nearest.spelled_like(view, piece)
                    for other in near:
                        add(other, piece, "near")
        if len(all_stems) > 1:
            add(" ".join(all_stems), word, "phrase")
    for phrase in question.phrases:
        stems = words.stems(phrase.replace("\n", " ")).split()
        for piece in words.found(phrase):
            for stem in words.asked(piece):
                add(stem, piece, "word")
        if len(stems) > 1:
            add(" ".join(stems), phrase, "phrase")
    if not any(term.kind in ("word", "near") for term in made.values()):
        made = {stem: term._replace(kind="word") if term.kind == "stop" else term for stem, term in made.items()}
    named = _named(view, question.text)
    return Asked(question.text, tuple(made.values()), notes, length, named, _days(view, question.days))


def _named(view: View, text: str) -> tuple[tuple[str, ...], ...]:
    """The notes that the question names, by what they are called, the longest names first."""
    said = [piece.replace("\u2019", "'").removesuffix("'s").removesuffix("'") for piece in words.found(text)]
    taken: set[int] = set()
    found: list[tuple[str, ...]] = []
    for size in range(min(_NAME_WORDS, len(said)), 0, -1):
        for start in range(len(said) - size + 1):
            span = range(start, start + size)
            part = said[start : start + size]
            if taken.intersection(span) or all(words.is_stop(word) or word.isdigit() for word in part):
                continue
            mark = read.name_mark(" ".join(part))
            if len(found) < _NAMES and view.df(mark):
                named = view.matching(f'marks : "{mark}"', "path", lambda row: read.link_mark(path_of(row[0]))[1:])
                found.append(tuple(sorted(named)))
                taken.update(span)
    return tuple(one for one in found if one)


def _days(view: View, days: tuple[str, str]) -> tuple[str, str]:
    """A month without a year is the latest one of which some note is."""
    if not days[0].startswith("*"):
        return days
    rows = view.ask(
        f"SELECT max(day) FROM doc WHERE day <> '' AND substr(day, 6) BETWEEN ? AND ? AND {view.scope}",
        (days[0][2:], days[1][2:]),
    )
    year = (rows[0][0] or "")[:4]
    return (days[0].replace("*", year), days[1].replace("*", year)) if year else ("", "")
