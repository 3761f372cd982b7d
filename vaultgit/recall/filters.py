"""Filters of a question: which notes may answer at all.

FTS5 narrows them down by marks (read.py); whoever is left is held against the filter itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vaultgit.notes.links import fold
from vaultgit.recall import read
from vaultgit.recall import words
from vaultgit.recall.question import Filter
from vaultgit.recall.question import Question

if TYPE_CHECKING:
    from vaultgit.recall.index import Note
    from vaultgit.vault import Rules

_WIKI = re.compile(r"\[\[([^\[\]|#\n]*)(?:#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")


def expression(filters: Sequence[Filter]) -> str:
    """What FTS5 looks for, "" for nothing: filters of one key are alternatives, those of several hold together."""
    groups = []
    for key in dict.fromkeys(one.key for one in filters):
        alternatives = [_marks(one) for one in filters if one.key == key]
        if all(alternatives):
            groups.append("(" + " OR ".join(alternatives) + ")")
    return " AND ".join(groups)


def _marks(one: Filter) -> str:
    if one.key == "path":
        return ""
    if one.key in ("name", "title"):
        return _all("names", words.asked_all(one.value))
    value = one.value.lstrip("#").partition("/")[0] if one.key == "tag" else one.value
    return _all("marks", [read.value_mark(one.key, stem) for stem in words.asked_all(value)])


def _all(column: str, tokens: Sequence[str]) -> str:
    return f"({column} : ({' AND '.join(quoted(token) for token in tokens)}))" if tokens else ""


def quoted(token: str) -> str:
    """A word, or words that stand side by side, as FTS5 takes them literally."""
    return '"' + token.replace('"', " ") + '"'


def holds(note: Note, question: Question, rules: Rules) -> bool:
    """Whether a note is what all filters ask for."""
    if question.since and not note.day >= question.since:
        return False
    if question.until and not "" < note.day <= question.until:
        return False
    for key in dict.fromkeys(one.key for one in question.filters):
        if not any(_holds(note, one, rules) for one in question.filters if one.key == key):
            return False
    return True


def _holds(note: Note, one: Filter, rules: Rules) -> bool:
    value = fold(one.value)
    if one.key == "path":
        path = fold(note.path)
        if any(sign in value for sign in "*?["):
            from fnmatch import fnmatchcase

            return fnmatchcase(path, value)
        return f"/{path}".find(f"/{value.removeprefix('/')}") >= 0
    if one.key in ("name", "title"):
        stem = note.path.rpartition("/")[2].rpartition(".")[0]
        return any(_has_words(text, one.value) for text in (note.title, stem, *note.aliases))
    if one.key == "tag":
        wanted = value.lstrip("#").rstrip("/")
        return any(tag == wanted or tag.startswith(wanted + "/") for tag in map(fold, note.tags))
    if one.key == "type" and value == fold(note.type or rules.expected_type(note.path) or ""):
        return True
    asked = read.key_mark(one.key)
    given = [text for key, found in note.values.items() if read.key_mark(key) == asked for text in read.texts(found)]
    return any(_says(text, one.value) for text in given)


def _says(text: str, value: str) -> bool:
    """Whether a property's text names the note `value`, or holds its words."""
    linked = _WIKI.findall(text)
    if not linked:
        return _has_words(text, value)
    wanted = fold(value.removeprefix("[[").removesuffix("]]")).removesuffix(".md")
    for target, shown in linked:
        whole = fold(target.strip()).removesuffix(".md")
        if wanted in (whole, whole.rpartition("/")[2]) or whole.endswith("/" + wanted) or fold(shown) == wanted:
            return True
    return _has_words(_WIKI.sub(" ", text), value)


def _has_words(text: str, value: str) -> bool:
    wanted = words.asked_all(value)
    return bool(wanted) and set(wanted) <= set(words.stems(text).split())
