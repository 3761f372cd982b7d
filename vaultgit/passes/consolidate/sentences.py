"""Whether an engine's text is sentences, and nothing besides: once accepted it lies in a note, where queries run, tags
and fields are indexed, boxes are tasks, and addresses are opened.

What is let through is told, not what is kept out: prose, one list, an own title, and the links, the code and the
addresses that the text was made from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence

from vaultgit.notes.links import links

_EVERYWHERE = (
    (re.compile(r"<[A-Za-z/!?%]"), "it has HTML"),
    (re.compile(r"!\["), "it embeds something"),
    (re.compile(r"`{3,}|~{3,}"), "it has a block of code"),
    (re.compile(r"`\s*\$?="), "it has a formula"),
    (re.compile(r"\{[{%]"), "it has a field of a template"),
    (re.compile(r"%%"), "it has a comment, which a reader would not see"),
)
# Where no code and no link that it was made from stands any more.
_BESIDE_LINKS = (
    (re.compile(r"\[\^|\^\["), "it has a footnote"),
    (re.compile(r"\][(\[]|\[\[|^[^\S\n]*\[[^\]\n]*\]:", re.MULTILINE), "it has a link of its own"),
    (re.compile(r"(?<!\\)\$[^$]*(?<!\\)\$"), "it has a formula"),
    (re.compile(r"(?<![\w\\])#(?=[^\s#]*[^\W\d])[\w/-]"), "it has a tag"),
    (re.compile(r"(?:^|\s)\^[\w-]+\s*$", re.MULTILINE), "it has the id of a block"),
)
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
_STARTS = (
    (re.compile(r">"), "it has a quotation"),
    (re.compile(r"#{1,6}(?:\s|$)"), "it has a heading"),
    (re.compile(r"\[[^\[\]]\](?:\s|$)"), "it has a task"),
    (re.compile(r"\||(?=[^-]*-)(?=[^|]*\|)[\s:|-]+$"), "it has a table"),
    (re.compile(r"(?:[-=*_]\s*)+$"), "it has a line across"),
    (_ITEM, "it has a list in a list's line"),
)
_CODE = re.compile(r"(`+)(?!`)[^`]+\1(?!`)")
_FIELD = re.compile(r"(?<!\S)\S*::\S*")
_OUTWARD = re.compile(r"\[[^\[\]\n]*\]\([^()\s]*\)")  # to an address; what leads to notes is a link
_IN_A_WORD = re.compile(r"\w+(?:::\w+)+\W*")  # std::string
# Whatever a program could open: `scheme:` before a sign, or what is made into an address without one.
_ADDRESS = re.compile(
    r"(?<!\w)[A-Za-z][A-Za-z0-9+.-]{1,30}:[\w/\\%(?&.~][^\s<>()\[\]\"'`]*|\bwww\.[^\s<>()\[\]\"'`]+"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_CLOSES = ".,;:!?”’»…"


def more_than_sentences(text: str, originals: Sequence[str]) -> str:
    """What a text has besides sentences, in words; "" where nothing. `originals`: what it was made from."""
    return next(_reasons(text, originals), "")


def _reasons(text: str, originals: Sequence[str]) -> Iterator[str]:
    yield from (why for sign, why in _EVERYWHERE if sign.search(text))
    codes = [found[0] for found in _CODE.finditer(text)]
    if any(not any(code in one for one in originals) for code in codes):
        yield "it has code of its own"
    known = {(link.target, link.subpath) for one in originals for link in links(one)}
    there = links(text)
    new = [link for link in there if (link.target, link.subpath) not in known]
    if new:
        yield f"it has a link of its own, to {new[0].target[:60]}"
    bare = text
    for link in sorted(there, key=lambda link: -link.start):
        bare = f"{bare[: link.start]}link{bare[link.end :]}"
    bare = _OUTWARD.sub(lambda found: "link" if any(found[0] in one for one in originals) else found[0], bare)
    bare = _CODE.sub("code", bare)
    addresses = [found[0].rstrip(_CLOSES) for found in _ADDRESS.finditer(bare)]
    own = [one for one in addresses if not any(one in text for text in originals)]
    if own:
        yield f"it has an address of its own: {own[0][:60]}"
    yield from (why for sign, why in _BESIDE_LINKS if sign.search(bare))
    yield from _of_lines(bare, originals)


def _of_lines(bare: str, originals: Sequence[str]) -> Iterator[str]:
    listed = begun = False
    for line in bare.split("\n"):
        item = _ITEM.match(line)
        said = line[item.end() :] if item else line.lstrip()
        if not said:
            continue
        if not listed and not item and re.match(r" {0,3}\t| {4}", line):
            yield "it has a block of code"
        listed = listed or bool(item)
        title = not begun and not item and line.startswith("# ")
        begun = True
        yield from (why for sign, why in _STARTS if sign.match(said) and not title)
        for field in _FIELD.finditer(said):
            word = field[0].rstrip(_CLOSES)
            if not field.start() or not _IN_A_WORD.fullmatch(word) or not any(word in one for one in originals):
                yield "it has a field"
