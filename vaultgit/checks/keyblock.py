"""A private key in a text: where it begins and where it ends, also where its first line is missing, or its last.

Texts reach us that others have cut, or that were copied in part: what is left of a key is as secret as the whole. A key
may be quoted, numbered, a list, or a JSON string with its line ends escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PHRASES = ("PRIVATE KEY", "PuTTY-User-Key-File-", "Private-Lines: ", "Private-MAC: ")  # one of them is in each
# Not compiled until a text needs them.
_EDGE = (
    r"(?P<first>BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|PuTTY-User-Key-File-[0-9])"
    r"|(?P<within>Private-Lines: [0-9]{1,6})"
    r"|(?P<last>END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|Private-MAC: [0-9a-f]+)"
)
_DASHES_BEFORE, _DASHES_BEHIND = r"[-–—]{1,5} ?\Z", r" ?[-–—]{1,5}"  # or made prettier
# Of a key's block; up to here from the block's first line, with its headers between.
_LINE = (
    r"(?:[\s\"'`>#*+,|-]|\\[nrt])(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])[A-Za-z0-9+/]{32,}={0,2}"
    r"(?![\w+/=.-])"
)
_LINE_WITHIN = 600
_WORD = r"[\w+/=]{16,}"
_SURELY = 32  # characters of one that has capitals and small letters: base64. Of fewer a digit, too
_ESCAPED = r"\\{1,4}[nrt]"
# Between two lines of a key; the same from behind, where escaped line ends are blanks already.
_BETWEEN = r"(?:\\{1,4}[nrt]|[\s\"'`>#*,|]|[+-](?=[\s\"'`]|\Z)|\d{1,5}[.:)|]?(?=[ \t]))"
_BETWEEN_BACK = r"(?:[\s\"'`>#*,|]|[+-](?=[\s\"'`]|\Z)|[.:)]?\d{1,5}(?=\s|\Z))"


def _taken(name: str, pattern: str) -> str:
    """What `pattern` matches, and no less of it: a possessive quantifier, which re gets wrong of such patterns before
    Python 3.11.5 (gh-106052)."""
    return f"(?=(?P<{name}>{pattern}))(?P={name})"


_ON = (
    rf"(?:{_taken('a', f'{_BETWEEN}*')}[\w+/=]{{16,}})*"
    rf"(?:{_taken('b', f'{_BETWEEN}+')}(?:[\w+/]{{1,63}}={{1,2}}|[\w+/]{{1,15}}\Z))?"  # the last line, if it is short
)
_BACK = (  # of the text reversed: the last line and a checksum, if they are short, and lines
    rf"(?:{_taken('c', f'{_BETWEEN_BACK}*')}[\w+/=]{{1,15}}(?![\w+/=])){{0,2}}"
    rf"{_taken('d', f'{_BETWEEN_BACK}*')}[\w+/=]{{16,}}(?:{_taken('e', f'{_BETWEEN_BACK}+')}[\w+/=]{{16,}})*"
    rf"(?:{_taken('f', f'{_BETWEEN_BACK}+')}[\w+/=]{{1,15}}\Z)?"
)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each key in `text`, in order. Where its first and its last line stand there, all between them is
    key."""
    if not any(phrase in text for phrase in _PHRASES):
        return
    edges = [(match.lastgroup, *_with_dashes(text, *match.span())) for match in re.finditer(_EDGE, text)]
    done = at = 0
    while at < len(edges):
        kind, start, end = edges[at]
        at += 1
        found = _begins(text, done, start) if kind == "last" else start if follows(text, start) else None
        if kind != "last" and found is not None:
            while at < len(edges) and edges[at][0] == "within":
                end, at = edges[at][2], at + 1
            if at < len(edges) and edges[at][0] == "last":
                end, at = edges[at][2], at + 1
            else:
                end = _ends(text, end, edges[at][1] if at < len(edges) else len(text))
        if found is not None:
            yield found, end
        done = end


def follows(text: str, start: int) -> bool:
    """Whether key material stands behind the first line of a key at `start`; a mention of one has none."""
    return re.compile(_LINE).search(text, start, start + _LINE_WITHIN) is not None


def _with_dashes(text: str, start: int, end: int) -> tuple[int, int]:
    before = re.search(_DASHES_BEFORE, text[max(0, start - 6) : start])
    behind = re.match(_DASHES_BEHIND, text[end : end + 6])
    return start - len(before[0] if before else ""), end + len(behind[0] if behind else "")


def _ends(text: str, start: int, most: int) -> int:
    """Where a key ends that has no last line: behind the lines that are still key."""
    line = re.compile(_LINE).search(text, start, min(start + _LINE_WITHIN, most))
    found = re.compile(_ON).match(text, line.start(), most) if line else None
    return found.end() if found else start


def _begins(text: str, least: int, end: int) -> int | None:
    """Where a key begins that has no first line; None where what stands before its last line is no key."""
    before = re.sub(_ESCAPED, lambda match: " " * len(match[0]), text[least:end])
    found = re.match(_BACK, before[::-1])
    if found is None or not any(map(_is_key, re.compile(_WORD).findall(before, len(before) - found.end()))):
        return None
    return end - found.end()


def _is_key(word: str) -> bool:
    mixed = any(map(str.isupper, word)) and any(map(str.islower, word))
    return mixed and (len(word) >= _SURELY or any(map(str.isdigit, word)))
