"""A captured line, read: its words, and what in it is code, a link or a tag."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from vaultgit.checks.secrets import redact
from vaultgit.notes.links import links


class Token(NamedTuple):
    """A word. `key`: case and accents folded. `opens`: it begins a sentence. `joined`: one blank is all that stands
    before it and the word in front. `owns`: it has a possessive 's, which `text` leaves out. `linked`: it is part of a
    link's target. `gap`: what stands before it."""

    text: str
    key: str
    opens: bool
    joined: bool
    owns: bool
    linked: bool
    gap: str


class Line(NamedTuple):
    """`kind`: decision, open, … or "". `words`: the folded words, each between blanks, a bar where they do not follow
    on each other; code, links and tags included. `proper`: the same, with only what is written like a name."""

    block: int
    text: str
    kind: str
    tokens: tuple[Token, ...]
    codes: tuple[str, ...]
    links: tuple[str, ...]
    tags: tuple[str, ...]
    words: str
    proper: str


_HOLE = "\ufffc"
_LONGEST = 4000  # characters of a bullet; more is no sentence
_KIND = re.compile(r"\s*(?:\*\*|__)?([A-Za-z][A-Za-z-]{2,15})(?:\*\*|__)?:(?:\*\*|__)?\s")
KINDS = frozenset(
    """decision open idea context fact reminder correction question todo task note finding dead-end done preference
    constraint""".split()
)
_CODE = re.compile(r"(`+)(?!`)([^`]{1,200})\1(?!`)")
_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|www\.|mailto:)[^\s<>\"”)]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_WHO = re.compile(r"\((?:you|assistant|user|person)\)", re.IGNORECASE)
_TAG = re.compile(r"(?<![\w&/#])#([^\W\d][\w/-]*)")
_PATH = re.compile(r"(?<![\w/.~-])[~.]{0,2}/?(?:[\w.@+-]+/)+[\w.@+-]*")
SOURCE_FILE = r"\.(?:py|rs|go|js|mjs|ts|tsx|jsx|sh|rb|pl|c|cc|cpp|h|hpp|java|kt|swift|lua|sql|ipynb|r|vue|scad|ino|tex)"
_FILE = rf"[\w.-]*\w{SOURCE_FILE}"
_BARE = re.compile(rf"(?<![\w.-])(?:{_FILE}|[A-Za-z]\w*_\w+|[a-z]{{2,}}[a-z0-9]*(?:[A-Z][a-z0-9]+)+)(?![\w-]|\.\w)")
_WORDS = re.compile(r"\w+")
_COLOUR = re.compile(r"[0-9a-fA-F]{3}|[0-9a-fA-F]{6}")
_OWNER = re.compile(r"['’]s\b|['’]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
_MARKUP = re.compile(r"\*+|~~+|==|__")
_WORD = re.compile(r"[^\W\d_](?:\w|['’\-](?=\w))*")
_BREAK = re.compile(rf"[.!?:;…•·|\"“”„«»()\[\]{_HOLE}—–=>→]|\s-\s|^-|-$")
_TITLES = frozenset("dr mr mrs ms prof st vs".split())
_CALLED = frozenset("called named codename codenamed name".split())


@lru_cache(maxsize=20_000)
def fold(text: str) -> str:
    """Case and accents folded: Łukasz keeps its bar, Óscar is oscar."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part)))


@lru_cache(maxsize=20_000)
def name_key(name: str) -> str:
    """What two spellings of a name have in common: its folded words, one blank between them."""
    return " ".join(_WORDS.findall(_OWNER.sub("", fold(name)).replace("_", " ")))


def one_line(text: str) -> str:
    """The text without line ends, control characters and what turns the direction of writing around."""
    return " ".join(_INVISIBLE.sub(" ", _SURROGATES.sub("\ufffd", text)).split())


def read(text: str, block: int) -> Line:
    """Reads one bullet. Never raises; text of any kind may come."""
    text = one_line(text)
    text = text if len(text) <= _LONGEST else redact(text)[0][:_LONGEST]
    kind = _KIND.match(text)
    codes: list[str] = []
    plain = list(text)

    def hide(start: int, end: int) -> None:
        plain[start:end] = _HOLE * (end - start)

    for match in _CODE.finditer(text):
        codes.append(match[2].strip())
        hide(*match.span())
    targets: list[str] = []
    linked: set[int] = set()
    for link in links(text):
        if plain[link.start] == _HOLE:
            continue
        if link.kind == "wiki":
            hide(link.start, link.end)
            at = text.find(link.target, link.start, link.end) if link.target else -1
            if at >= 0 and not link.embed:
                plain[link.start : link.end] = " " * (link.end - link.start)
                plain[at : at + len(link.target)] = link.target
                linked.update(range(at, at + len(link.target)))
            if link.target and not link.embed:
                targets.append(link.target)
        else:
            hide(link.start + 1 + len(link.alias or ""), link.end)
    rest = "".join(plain)
    for match in [*_ADDRESS.finditer(rest), *_WHO.finditer(rest)]:
        hide(*match.span())
    rest = "".join(plain)
    tags = []
    for match in _TAG.finditer(rest):
        if not _COLOUR.fullmatch(match[1]):
            tags.append(match[1])
        hide(*match.span())
    for match in _PATH.finditer("".join(plain)):
        if not linked.intersection(range(*match.span())):
            if "." in match[0].rpartition("/")[2][1:]:
                codes.append(match[0])
            hide(*match.span())
    for match in _BARE.finditer("".join(plain)):
        if not linked.intersection(range(*match.span())):
            codes.append(match[0])
            hide(*match.span())
    rest = _MARKUP.sub(lambda m: " " * len(m[0]), "".join(plain))
    tokens = _tokens(rest, linked)
    named = [*codes, *targets, *tags]
    words = "".join(f" {_spaced(token)}" if token.joined else f" | {_spaced(token)}" for token in tokens)
    proper = "".join(
        f" {_spaced(token)}"
        if _is_proper(token) and token.joined
        else f" | {_spaced(token) if _is_proper(token) else ''}"
        for token in tokens
    )
    extra = "".join(f" | {name_key(name)}" for name in named)
    return Line(
        block, text, kind[1].lower() if kind and kind[1].lower() in KINDS else "", tokens, tuple(codes),
        tuple(targets), tuple(tags), f"{words}{extra} |", f"{proper}{extra} |",
    )  # fmt: skip


def _is_proper(token: Token) -> bool:
    return token.linked or "-" in token.text or (not token.opens and not token.text[:1].islower())


def _spaced(token: Token) -> str:
    return name_key(token.key)


def _tokens(plain: str, linked: set[int]) -> tuple[Token, ...]:
    found: list[Token] = []
    end = 0
    for match in _WORD.finditer(plain):
        gap = plain[end : match.start()]
        before = found[-1].key if found else ""
        opens = not found or bool(_BREAK.search(gap))
        if opens and ((gap == ". " and before in _TITLES) or (gap in (' "', " “", " ‘") and before in _CALLED)):
            opens = False
        text = match[0]
        bare = text[:-2] if text.endswith(("'s", "’s")) else text
        is_linked = match.start() in linked
        found.append(
            Token(bare, fold(bare), opens and not is_linked, bool(found) and gap == " ", bare != text, is_linked, gap)
        )
        end = match.end()
    return tuple(found)
