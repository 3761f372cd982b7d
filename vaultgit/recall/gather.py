"""The notes that may answer a question, in order: which words to look for, which notes may answer at all.

FTS5 finds them by words, the ranking (recall/rank.py) puts them in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

from vaultgit.recall import filters
from vaultgit.recall import rank
from vaultgit.recall import read
from vaultgit.recall import words
from vaultgit.recall.candidate import Asked
from vaultgit.recall.candidate import Candidate
from vaultgit.recall.candidate import Scored
from vaultgit.recall.store import AT_ONCE
from vaultgit.recall.store import path_of
from vaultgit.recall.view import note_of
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from vaultgit.recall.question import Question
    from vaultgit.recall.view import Note
    from vaultgit.recall.view import View
    from vaultgit.vault import Rules

_BY_WORDS, _BY_OTHERS, _BY_DAY, _BY_NAME = 60, 40, 30, 20  # candidates of each kind
_FREQUENT = 4  # a word that stands in more than one note of so many is not looked for where there are
_MANY = 1000  # so many notes
_POSTINGS = 12_000  # entries of FTS5 that one question may cost; the rarest words come first
_BROWSED = 2000  # notes that are held against filters, where no word narrows them down
_OF_A_TEMPLATE = 0.5  # of its score
_DAYS_BEFORE, _DAYS_AFTER = 3, 14  # days around those asked for: what happened is written down later
_WIDER = 4  # times as many candidates where filters will take some out again
_WEIGHTS = "4.0, 1.0, 0.3"  # of a word in names, body, properties


def scored(vault: Vault, view: View, question: Question, asked: Asked, limit: int) -> list[Scored]:
    """Best first; `limit` of them are shown, maybe more are returned."""
    narrowed = filters.expression(question.filters)
    required = [filters.quoted(" ".join(words.stems(one).split())) for one in question.phrases if words.found(one)]
    looked_for = _looked_for(asked)
    if not looked_for and not required:
        return _browsed(vault, view, question, narrowed, limit) if _is_filtered(question) else []
    within = " AND ".join(f"({one})" for one in (*required, narrowed) if one)
    any_word = " OR ".join(map(filters.quoted, looked_for))
    found: dict[int, float] = {}

    def look(expression: str, most: int, condition: str = "", values: tuple[str, ...] = ()) -> None:
        whole = f"({expression}) AND {within}" if expression and within else expression or within
        for number, score in matching(view, whole, most, condition, values):
            found[number] = max(score, found.get(number, score))

    since, until = question.since, question.until
    span = ("day >= ? AND day <= ?", (since or "0", until or "9999")) if since or until else ("", ())
    wide = _WIDER if narrowed or since or until else 1
    look(any_word, max(_BY_WORDS, limit) * wide, *span)
    if required and len(found) < limit:
        look("", max(_BY_WORDS, limit) * wide, *span)
    if not (since or until):
        names = {stem for group in asked.named for name in group for stem in name.split("\u00b7")}
        others = [one for one in looked_for if not set(one.split()) <= names]
        if names and others and len(others) < len(looked_for):
            look(" OR ".join(map(filters.quoted, others)), _BY_OTHERS)
        if asked.days[0] and any_word:
            look(any_word, _BY_DAY, "day >= ? AND day <= ?", _around(asked.days))
    called = [filters.quoted(read.name_mark(name)) for group in asked.named for name in group]
    if called:
        look(f"marks : ({' OR '.join(called)})", _BY_NAME, *span)
    candidates = _candidates(vault, view, question, found)
    ordered = rank.order(asked, candidates)
    return ordered if question.filters else _below(ordered, vault.rules)


def _below(scored: list[Scored], rules: Rules) -> list[Scored]:
    """Templates come after notes that people wrote to be read."""
    if not any(rules.obsidian.is_template(one.candidate.path) for one in scored):
        return scored
    lower = [
        one._replace(score=one.score * _OF_A_TEMPLATE) if rules.obsidian.is_template(one.candidate.path) else one
        for one in scored
    ]
    return sorted(lower, key=lambda one: -one.score)


def _is_filtered(question: Question) -> bool:
    return bool(question.filters or question.since or question.until)


def _looked_for(asked: Asked) -> list[str]:
    """The words that FTS5 looks for. Where notes are many, words that stand in very many are left out: they tell little
    and cost most."""
    terms = [term for term in asked.terms if term.kind in ("word", "near") and term.df]
    if asked.notes < _MANY or len(terms) < 2:
        return [term.stem for term in terms]
    names = {stem for group in asked.named for name in group for stem in name.split("\u00b7")}
    kept: list[str] = []
    cost = 0
    for term in sorted(terms, key=lambda term: term.df):
        rare = term.df * _FREQUENT < asked.notes and cost + term.df <= _POSTINGS
        if not kept or rare or (term.stem in names and cost + term.df <= 2 * _POSTINGS):
            kept.append(term.stem)
            cost += term.df
    return kept


def matching(
    view: View, expression: str, most: int, condition: str, values: tuple[str, ...]
) -> list[tuple[int, float]]:
    """Rows that match, with FTS5's score, the greater the better."""
    found: list[tuple[int, float]] = []
    for table in ("fts", "past") if view.commit else ("fts",):
        scope = [f"+rowid IN (SELECT id FROM doc WHERE {condition})"] if condition else []
        scope += [view.rows] if view.commit else []
        where = " AND ".join([f"{table} MATCH ?", *scope])
        sql = f"SELECT rowid, bm25({table}, {_WEIGHTS}) AS score FROM {table} WHERE {where} ORDER BY score LIMIT {most}"
        found += [(number, -score) for number, score in view.ask(sql, (expression, *values))]
    found.sort(key=lambda pair: -pair[1])
    return found[:most]


_COLUMNS = "id, path, oid, type, title, names, day, body, first, marks, length, record"


def _candidates(vault: Vault, view: View, question: Question, found: dict[int, float]) -> list[Candidate]:
    numbers = list(found)
    made: list[Candidate] = []
    for first in range(0, len(numbers), AT_ONCE):
        part = numbers[first : first + AT_ONCE]
        sql = f"SELECT {_COLUMNS} FROM doc WHERE id IN ({','.join('?' * len(part))})"
        if _is_filtered(question):
            rows = view.made(_row, sql, part)
            made += [row.candidate for row in rows if filters.holds(row.note, question, vault.rules)]
        else:
            made += view.made(_candidate, sql, part)
    # Of a commit it would depend on which other versions the index happens to know: there equals stand by path.
    made = [one._replace(bm25=0.0 if view.commit else found[int(one.bm25)]) for one in made]
    return sorted(_with_replacing(view, made, add=not _is_filtered(question)), key=lambda one: one.path)


class _Row(NamedTuple):
    candidate: Candidate
    note: Note


def _row(row: tuple[Any, ...]) -> _Row:
    _, path, oid, kind, title, _, day, _, _, _, _, record = row
    return _Row(_candidate(row), note_of((path, oid, kind, title, day, record)))


def _candidate(row: tuple[Any, ...]) -> Candidate:
    """With the row's number where FTS5's score will stand."""
    number, path, oid, kind, title, names, day, body, first, marks, length, _ = row
    said, _, marked = str.partition(marks, read.MARKS)  # TypeError for what is no text, as int() for no number
    links = tuple(one.partition(" ")[0] for one in f" {marked}".split(" \u2192")[1:])
    return Candidate(
        path_of(path), oid, kind, title, names, day, body, int(first), links, float(number), length=int(length),
        said=f" {said} ",
    )  # fmt: skip


def _with_replacing(view: View, candidates: list[Candidate], *, add: bool) -> list[Candidate]:
    """Decisions say which one replaces them; with `add`, that one is a candidate, too."""
    there = {one.path for one in candidates}
    made = []
    for one in candidates:
        if one.type != "decision":
            made.append(one)
            continue
        mark = read.link_mark(one.path, "replaces")
        for row in view.matching(f'marks : "{mark}"', _COLUMNS, _row):
            newer = row.note
            meant = [path for target in replaced_by(newer) for path in view.resolve(target, newer.path)]
            if newer.type == "decision" and newer.path != one.path and one.path in meant:
                one = one._replace(replaced=newer.path)
                if add and newer.path not in there:
                    there.add(newer.path)
                    made.append(row.candidate._replace(bm25=one.bm25))
        made.append(one)
    return made


def replaced_by(note: Note) -> list[str]:
    """What the decisions are called that a decision replaces: targets of its links."""
    from vaultgit.notes.links import link_target

    targets = (link_target(text.strip()) for text in read.texts(note.values.get("replaces")))
    return [target for target in targets if target]


def _browsed(vault: Vault, view: View, question: Question, narrowed: str, limit: int) -> list[Scored]:
    """Filters alone: the newest notes first, then by path."""
    condition, values = view.scope, []
    if question.since or question.until:
        condition += " AND day >= ? AND day <= ? AND day <> ''"
        values = [question.since or "0", question.until or "9999"]
    paths = [one.value for one in question.filters if one.key == "path"]
    if narrowed:
        tables = ("fts", "past") if view.commit else ("fts",)
        matched = " OR ".join(f"id IN (SELECT rowid FROM {table} WHERE {table} MATCH ?)" for table in tables)
        condition += f" AND ({matched})"
        values += [narrowed] * len(tables)
    most = "" if paths else f" LIMIT {max(_BROWSED, limit)}"
    rows = view.made(_row, f"SELECT {_COLUMNS} FROM doc WHERE {condition} ORDER BY day DESC, path{most}", values)
    kept = [row.candidate for row in rows if filters.holds(row.note, question, vault.rules)][: max(limit, 50)]
    return [Scored(one, 0.0) for one in _with_replacing(view, kept, add=False)]


def _around(days: tuple[str, str]) -> tuple[str, str]:
    """The same, with _DAYS_BEFORE and _DAYS_AFTER."""
    from datetime import date
    from datetime import timedelta

    try:
        first = date.fromisoformat(days[0]) - timedelta(_DAYS_BEFORE)
        last = date.fromisoformat(days[1]) + timedelta(_DAYS_AFTER)
    except (ValueError, OverflowError):
        return days
    return first.isoformat(), last.isoformat()
