"""What the index hands to the ranking: the notes that may answer a question, and what is known of its words."""

from __future__ import annotations

import math
from typing import NamedTuple


def idf(df: int, notes: int) -> float:
    """How rare a word is that `df` of so many notes hold: BM25's, above 0 for every word."""
    return math.log(1 + (max(notes - df, 0) + 0.5) / (df + 0.5))


class Term(NamedTuple):
    """One word of a question as the index knows it. `df`: how many notes hold it; `idf`: how rare it is (BM25's).

    `kind`: "word"; "phrase" (several stems, joined by spaces, that stand side by side in a note: quoted, or typed as
    one, `multi-agent`); "near" (what stands in the notes for a word that does not, right after it and with the same
    `raw`: another spelling, or a longer word that begins so); "stop" (says nothing by itself, here for what looks at
    the words in their order).
    """

    stem: str
    raw: str  # as it was typed
    df: int
    idf: float
    kind: str = "word"


class Asked(NamedTuple):
    """A question taken apart. `text`: its words as typed, without filters; `terms`: in its order, each stem once.

    `named`: for each name in it the names of all notes that are called so by title, alias or file name (written as in
    Candidate.links), longest names first, none within another. `days`: first and last ISO day of what it says of time
    ("in May 2023"), both "" where it says nothing.
    """

    text: str
    terms: tuple[Term, ...]
    notes: int  # how many notes the view has
    length: float  # stems of a note, on average
    named: tuple[tuple[str, ...], ...] = ()
    days: tuple[str, str] = ("", "")


class Candidate(NamedTuple):
    """One note that may answer. Stems stand as words.stems makes them: those of a line between single spaces, with one
    before the first and one after the last, lines joined by "\\n"; so `" red fox " in stems` finds a phrase, and
    `stems.split("\\n")[n]` is line `first + n` of the note."""

    path: str
    oid: str
    type: str
    title: str
    names: str  # stems of the title, of the file's name, of each alias, a line each
    day: str  # ISO, "" where the note says none
    stems: str  # of the body
    first: int  # the body's first line, from 1
    links: tuple[str, ...]  # names that it links to (read.link_mark): folded, "·" for all that is no letter or digit
    bm25: float  # FTS5's, the greater the better
    replaced: str = ""  # path of the decision that replaces it
    length: int = 0  # how many spaces are in `stems`; 0: not counted yet
    said: str = ""  # stems of its properties' values, as of one line; one that stands in several may be there once


class Scored(NamedTuple):
    """A candidate in its place: what `rank.order(asked, candidates)` returns, best first. `line`: of the note, the one
    that answers best (0: none of the body does, only its names or properties); `why`: what counted, for --explain;
    `beside`: the line before or after it that adds to the answer, 0 where none does; `together`: how much of the
    question, by the weight of its words, stands in two lines or in what the note is called."""

    candidate: Candidate
    score: float
    line: int = 0
    why: tuple[str, ...] = ()
    beside: int = 0
    together: float = 0.0
