"""Words of a text, folded so that the same thing said twice looks the same.

Tokens are split at every `-`, `_`, `/` and `.`: the name of a tool inside `docker-compose.yml` or a URL is a word too.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from functools import cache
from functools import lru_cache
from zlib import crc32

from vaultgit.passes.likeness import tables

_ASCII = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_DENSE = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"  # written without spaces
_ANY = re.compile(rf"[{_DENSE}]+|(?:(?![{_DENSE}])[^\W_])+(?:'(?:(?![{_DENSE}])[^\W\d_])+)?")
_ODD = {
    "c++": "cpp", "c#": "csharp", " .net": " dotnet", "next.js": "nextjs", "nest.js": "nestjs",
    "spring boot": "springboot", "microsoft teams": "msteams", "google cloud": "gcp",
}  # fmt: skip
_DENSE_WORD = re.compile(rf"[{_DENSE}]")
_NOT_EQUAL = re.compile(r"!==?|<>|≠|n't\b")


def tokens(text: str) -> list[str]:
    """The words of a text in lower case. Scripts without spaces give their pairs of characters."""
    text = text.lower()
    for odd, plain in _ODD.items():
        if odd in text:
            text = text.replace(odd, plain)
    if text.isascii():
        return _ASCII.findall(text)
    found: list[str] = []
    for word in _ANY.findall(unicodedata.normalize("NFC", text).replace("’", "'")):
        if len(word) > 2 and _DENSE_WORD.match(word):
            found += (word[n : n + 2] for n in range(len(word) - 1))
        else:
            found.append(word)
    return found


def stem(word: str) -> str:
    """A word without its English ending; rough, but the same for all forms of a regular verb or noun."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and set(rest) & set("aeiouy"):
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    return word[:-1] if word[-1] == "e" and len(word) > 4 else word


def _first_of_line(table: str, fold: Callable[[str], str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in table.split("\n"):
        for word in line.split():
            found.setdefault(fold(word), fold(line.split()[0]))
    return found


_NAMES = _first_of_line(tables.ALIASES, str)
CLASS = {
    _NAMES.get(word, word): line.partition(":")[0]
    for line in tables.CLASSES.strip().split("\n")
    for word in line.partition(":")[2].split()
}
_NAMES.update((word, word) for word in CLASS)
_MEANING = _first_of_line(tables.SAME, stem)


@lru_cache(1 << 16)
def meaning(word: str) -> str:
    """One word for all that mean the same. Names of things stay as they are: staging is no form of stage."""
    word = word.removesuffix("'s")
    return _NAMES.get(word) or _MEANING.get(bare := stem(word), bare)


class Numbers(dict[str, int]):
    """The number of each word, the same in every process (Python's own hash of a string is not)."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, word: str) -> int:
        self[word] = number = crc32(self._fold(word).encode())
        return number


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    found = set()
    for pair in text.replace("\n", " ").split(","):
        one, other = (meaning(word) for word in pair.split())
        found |= {(one, other), (other, one)}
    return frozenset(found)


OPPOSITE = _pairs(tables.OPPOSITE)
_ORDINARY = frozenset(
    stem(word)
    for word in " ".join((tables.ORDINARY, tables.SAME, tables.OPPOSITE.replace(",", " "), tables.NEGATIONS)).split()
)
_ORDINARY_ENDINGS = (
    "ly",
    "tion",
    "ment",
    "ness",
    "able",
    "ible",
    "ful",
    "ive",
    "ous",
    "ing",
    "ed",
    "ity",
    "ance",
    "ence",
)
_NEGATIONS = frozenset(tables.NEGATIONS.split())
_NEGATIONS_DENSE = re.compile("|".join(tables.NEGATIONS_WITHOUT_SPACES.split()))
_STOP = {language: frozenset(words.split()) for language, words in tables.STOP.items()}
LITTLE = frozenset("a an the of for to in on and by at".split())
NOISE = _STOP["en"] | frozenset(
    "use using used user users skill skills when how what who will should help want wants need needs asks also any all "
    "other more into etc via such including like about has have its their they them".split()
)


@lru_cache(1 << 16)
def is_ordinary(word: str) -> bool:
    """A plain word of English, and not the name of a thing."""
    if meaning(word) in CLASS:
        return False
    return stem(word) in _ORDINARY or word in _STOP["en"] or word.endswith(_ORDINARY_ENDINGS)


def negations(text: str) -> int:
    """How often a text says no. What is done *to avoid* something is done."""
    said = tokens(text)
    count = sum(
        1
        for before, word in zip(("", *said), said, strict=False)
        if word in _NEGATIONS and not (before == "to" and word == "avoid")
    )
    count += len(_NOT_EQUAL.findall(text.replace("’", "'").lower()))
    return count if text.isascii() else count + len(_NEGATIONS_DENSE.findall(text))


_SCRIPTS = {"LATIN": "Latin", "CJK": "Han", "HIRAGANA": "Kana", "KATAKANA": "Kana", "HANGUL": "Hangul"}


@cache
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "").partition(" ")[0]
    return _SCRIPTS.get(name, name)


def language(texts: Iterable[str]) -> str:
    """The language of prose: its script, and for Latin the language whose little words it is full of ("" = unsure)."""
    text = "\n".join(texts)
    letters = Counter(_script(letter) for letter in text if letter.isalpha()) if not text.isascii() else Counter()
    total = letters.total()
    dense = letters["Han"] + letters["Kana"] + letters["Hangul"]
    if dense * 6 > total:  # one character of them says about as much as a word
        return "Kana" if letters["Kana"] * 10 > dense else "Hangul" if letters["Hangul"] * 2 > dense else "Han"
    if total and letters["Latin"] * 2 < total:
        return max(sorted(letters), key=lambda name: letters[name])
    said = Counter(tokens(text))
    little = Counter({name: sum(said[word] for word in stop) for name, stop in _STOP.items()})
    (first, most), (_, second) = little.most_common(2)
    return first if most >= 5 and most > 1.3 * second else ""


def is_latin(language: str) -> bool:
    return not language or language in _STOP
