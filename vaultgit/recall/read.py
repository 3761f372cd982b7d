"""From a note's bytes to what the index keeps of it. Pure: no disk, no git."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any
from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.notes import links
from vaultgit.notes.schema import is_date
from vaultgit.recall import words
from vaultgit.vault import Rules

MOST = 1_000_000  # bytes of a note that are read; a longer one is found by what stands in these
EDITION = "5"  # another one builds the index anew

_TITLE = 500  # characters of a title or an alias that count
_HEADING = re.compile(r"(?m)^ {0,3}# +(\S.*)")
_FENCE = re.compile(r"(?m)^ {0,3}(?:```|~~~)")
_TAG = re.compile(r"#(?<![^\s(\[,;]#)([^\W\d][\w/-]*|\d+[^\W\d][\w/-]*)")  # begins with what is quickly found
_DAY = re.compile(r"(?<!\d)(\d{4})-?([01]\d)-?([0-3]\d)(?!\d)")
_NOT_A_TOKEN = re.compile(r"[\x00-\x2f\x3a-\x60\x7b-\x7f]+")
MARKS = " \x01 "  # in Doc.marks, between the words of properties and the marks
_WIKI = re.compile(r"\[\[([^\[\]\n]*)\]\]")


class Doc(NamedTuple):
    """One version of a note as the index keeps it. `names`, `body`: stems by line; `marks`: the words of properties,
    and marks that filters and links are looked up by; `first`: the body's first line, from 1."""

    path: str
    oid: str
    type: str
    title: str
    day: str
    first: int
    names: str
    body: str
    marks: str
    length: int  # spaces in `body`
    record: str  # JSON: aliases, values, links, tags
    words: frozenset[str]  # of the body and of what it is called, as they stand there


def doc(rules: Rules, path: str, oid: str, data: bytes) -> Doc:
    """Never raises, whatever the bytes are."""
    data = _bounded(data)
    values = frontmatter.read(data).values
    block = frontmatter.block(data)
    start = block.body if block else 0
    text = data.decode("utf-8", "replace")
    body = data[start:].decode("utf-8", "replace")
    stem = path.rpartition("/")[2].removesuffix(".md").removesuffix(".MD")
    file_name = stem.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    title = _title(values, body) or file_name
    aliases = tuple(_line(one) for key in ("aliases", "alias") for one in _texts(values.get(key)) if one.strip())
    kind = rules.expected_type(path) or ""
    type_key = rules.settings.type_key
    managed = kind if values.get(type_key) == kind else ""
    found = links.links(text) if b"[[" in data or b"](" in data else []
    tags = [*_tags(values), *(_TAG.findall(body) if "#" in body else [])]
    names = dict.fromkeys((title, file_name, *aliases))
    linked = tuple((one.target, one.subpath, one.line, one.embed, one.kind) for one in found)
    said, marks = _said_and_marks(values, managed or kind, tags, linked)
    marked = (said, [*map(name_mark, names), *marks])
    record = json.dumps((aliases, values, linked, tags))
    found_words = words.cut(body)
    stems = words.stemmed(found_words)
    called = [words.cut(name) for name in names]
    return Doc(
        path, oid, managed, title, _day(rules, path, values), data.count(b"\n", 0, start) + 1,
        "\n".join(map(words.stemmed, called)), stems,
        MARKS.join(" ".join(dict.fromkeys(one)) for one in marked), stems.count(" "), record,
        frozenset(chain(found_words, *called)),
    )  # fmt: skip


def texts(value: Any) -> list[str]:
    """What a property says, as a list of texts, whatever kind it is."""
    return list(_texts(value))


def link_mark(name: str, key: str = "") -> str:
    """The mark of a note that links (in the property `key`) to a note of this name."""
    return f"{_token(key)}\u2192{_token(name_of(name))}"


def name_mark(name: str) -> str:
    """The mark of a note that is called so: by title, file name or alias."""
    return f"\u225c{_token(name)}"


def value_mark(key: str, stem: str) -> str:
    """The mark of a note whose property `key` has a word."""
    return f"{key_mark(key)}\u2261{stem}"


def key_mark(key: str) -> str:
    """A property's name as filters compare it: "Created By" is `created-by` and `created_by`, too."""
    return _token(key)


def name_of(target: str) -> str:
    """The last part of a link's target as names are compared, without .md."""
    return links.fold(target.rpartition("/")[2]).removesuffix(".md")


def _bounded(data: bytes) -> bytes:
    if len(data) <= MOST:
        return data
    end = data.rfind(b"\n", 0, MOST) + 1
    return data[: end or MOST]


def _title(values: dict[str, Any], body: str) -> str:
    for key in ("title", "name"):
        value = values.get(key)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool) and str(value).strip():
            return _line(str(value))
    fences = done = 0
    for match in _HEADING.finditer(body):
        fences, done = fences + len(_FENCE.findall(body, done, match.start())), match.start()
        if fences % 2 == 0:
            said = match[1].rstrip()
            bare = said.rstrip("#")
            return _line(bare if bare[-1:] in (" ", "\t") else said)  # "C#" keeps its sign
    return ""


def _line(text: str) -> str:
    """One line that can be stored and shown: no control characters, no halves of surrogate pairs."""
    clean = "".join(c if c.isprintable() else " " for c in text) if not text.isprintable() else text
    return " ".join(clean[:_TITLE].split())


def _day(rules: Rules, path: str, values: dict[str, Any]) -> str:
    value = values.get("date")
    if isinstance(value, str) and value[:10] and is_date(value[:10]):
        return value[:10]
    of_daily = rules.daily.day(path)
    if of_daily is not None:
        return of_daily.isoformat()
    named = _DAY.search(path.rpartition("/")[2])
    day = "-".join(named.groups()) if named else ""
    return day if day and is_date(day) else ""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, (int, float)):
        yield str(value)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)


def _tags(values: dict[str, Any]) -> Iterator[str]:
    for key in ("tags", "tag"):
        value = values.get(key)
        given = re.split(r"[,\s]+", value) if isinstance(value, str) else _texts(value)
        yield from (one.strip().removeprefix("#") for one in given if one.strip("# \t"))


def _said_and_marks(
    values: dict[str, Any], kind: str, tags: Iterable[str], linked: Iterable[tuple[str, str, int, bool, str]]
) -> tuple[list[str], list[str]]:
    said: list[str] = []
    made = [value_mark("type", kind)] if kind else []
    for key, value in values.items():
        first = value_mark(key, "")
        for text in _texts(value):
            found = _stems_of(text)
            said += found
            made += [first + stem for stem in found]
            if "[[" in text:
                for inner in _WIKI.findall(text):
                    made.append(link_mark(re.split(r"[#|]", inner, maxsplit=1)[0], key))
    for tag in tags:
        made += [value_mark("tag", stem) for stem in _stems_of(tag.partition("/")[0])]
    made += [link_mark(one[0]) for one in linked]
    return said, made


@lru_cache(maxsize=10_000)
def _stems_of(text: str) -> list[str]:
    """Of a property's value: the same ones stand in many notes."""
    return words.stems(text).split()


@lru_cache(maxsize=20_000)
def _token(text: str) -> str:
    """Letters and digits that FTS5 keeps as one word."""
    folded = words.fold(text).encode("utf-8", "replace").decode()
    return _NOT_A_TOKEN.sub("\u00b7", folded)
