"""Takes instructions that are aimed at AI tools out of a text.

They stand in what people paste and what an assistant repeats of it: an issue, a web page, a log. What is captured is
read by agents again, so none of it may get there. Taken out are the sentence that gives it away and all that follows it
to the end of its paragraph, of its quotation or of its hidden block. What a person says to their own agent ("ignore
that", "from now on …") has no such mark and stays.

Every pattern is of bounded length and is tried in windows around its key words: time grows with the length of the text
only.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from vaultgit.passes.capture import aimed_words as words

MARK = "[left out: an instruction to AI tools]"

_BLOCK = re.compile(
    r"<(system[-_]reminder|system[-_]prompt|system|(?:secret|ai)[-_]instructions?|instructions?|assistant"
    r"|developer|admin"
    r"|important|im_start|ai|prompt)\b(?!-)[^<>\n]{0,200}>"
    r"|<\|(?:im_start|system|assistant|start_header_id)\|>|\[INST\]|<<SYS>>",
    re.IGNORECASE,
)
_CLOSING = {"[inst]": "[/inst]", "<<sys>>": "<</sys>>"}
_POSING = ("system", "secret", "ai", "developer", "admin")  # tags that no person writes
_COMMENT = re.compile(r"<!--")
_COMMENT_CUE = re.compile(
    r"\b(?:ai|llms?|agents?|assistants?|claude|gpt|copilot|gemini|codex|language model|chatbot"
    r"|system (?:prompt|override|message|instruction)s?|instructions?|ignore|override|you (?:must|should"
    r"|are|will)|trusted|do not tell|without asking|secretly|prompt)\b",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    r"(?<![\U0001F3F4\U000E0000-\U000E007F])[\U000E0000-\U000E007F]{2,}"
    r"|[\u200b\u200c\u200d\u2060\ufeff\u2061-\u2064]{8,}|[\U000E0100-\U000E01EF]{4,}"
)
_FLAG = re.compile(r"\U0001F3F4[\U000E0020-\U000E007E]{1,8}\U000E007F")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u2061-\u2064\u202a-\u202e\u2066-\u2069\u180e]+")
_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "‹": "›", "‘": "’", "`": "`", "「": "」", "『": "』", "'": "'"}
_STARTS = ".!?\n;:。！？：；"
_PARAGRAPH = re.compile(r"\n[ \t>*#-]{0,8}\n")
_BACK = 240  # characters that a sentence is followed back
_BLOCK_LONGEST = 20_000
_WEAK_WITHIN = 2000
_BEFORE, _BEHIND = 120, 300  # characters around a key that a pattern may need
_CLAUSE_END = re.compile(r"[;!?\n]|\.(?:\s|$)")
_BLANKS_OR_NOT = re.compile(r"\s+|\S+")
# Letters of other scripts that look like Latin ones, so that "іgnore" with a Cyrillic "і" is read as it looks.
_LOOKALIKES = str.maketrans(
    "авеіјкмнорсухтѕԁԍһɡαεικνοτυχАВЕКМНОРСТХІЈЅΑΒΕΗΙΚΜΝΟΡΤΧΥΖ",
    "abeijkmhopcyxtsdghgaeikvotuxABEKMHOPCTXIJSABEHIKMNOPTXYZ",
)


def without(text: str) -> tuple[str, int]:
    """The text with `MARK` in place of each instruction to AI tools, and how many there were."""
    plain, hidden = _visible(text)
    paragraphs = _Paragraphs(plain)
    spans = _joined([*_blocks(plain, paragraphs), *_passages(plain, paragraphs)])
    if not spans:
        return plain, hidden
    out: list[str] = []
    done = 0
    for start, end in spans:
        out += [plain[done:start], MARK]
        done = end
    return "".join([*out, plain[done:]]), hidden + len(spans)


def _visible(text: str) -> tuple[str, int]:
    """The text without characters that nobody sees, and how many runs of them were long enough to say something."""
    if text.isascii():
        return text, 0
    flags = {match.span() for match in _FLAG.finditer(text)}
    count = 0

    def mark(match: re.Match[str]) -> str:
        nonlocal count
        if any(start < match.end() and match.start() < end for start, end in flags):
            return match.group()
        count += 1
        return MARK

    plain = _HIDDEN.sub(mark, text)
    return _INVISIBLE.sub("", plain), count


def _blocks(text: str, paragraphs: _Paragraphs) -> Iterator[tuple[int, int]]:
    """Hidden comments that speak to an AI, and blocks that pose as a client's own."""
    find = _Finder(text)
    end = 0
    for match in _COMMENT.finditer(text):
        if match.start() < end:
            continue
        end = find.behind("-->", match.end()) or paragraphs.end(match.end())
        if _COMMENT_CUE.search(text, match.end(), min(end, match.end() + _BLOCK_LONGEST)):
            yield match.start(), end
    end = 0
    for match in _BLOCK.finditer(text):
        if match.start() < end:
            continue
        name = (match.group(1) or "").lower()
        closing = f"</{name}>" if name else _CLOSING.get(match.group().lower(), "<|im_end|>")
        closed = find.behind(closing, match.end())
        if name and not closed and not (_line_start(text, match.start()) and name.startswith("system")):
            continue  # a tag in talk about code
        end = closed or paragraphs.end(match.end())
        inside = _COMMENT_CUE.search(text, match.end(), min(end, match.end() + _BLOCK_LONGEST))
        if not name or inside or (closed and name.startswith(_POSING)):
            yield match.start(), end


class _Finder:
    """Finds closing tags, in small letters, and remembers up to where there is none."""

    def __init__(self, text: str) -> None:
        self._text = text.lower() if text.isascii() else "".join(map(_lower, text))
        self._none: dict[str, int] = {}

    def behind(self, closing: str, start: int) -> int:
        """The place behind the next `closing`; 0 where there is none near."""
        stop = start + _BLOCK_LONGEST
        found = self._text.find(closing, max(start, self._none.get(closing, 0)), stop)
        if found < 0:
            self._none[closing] = max(start, stop - len(closing))
            return 0
        return found + len(closing)


def _line_start(text: str, at: int) -> bool:
    return not text[max(0, at - 8) : at].rpartition("\n")[2].strip()


def _passages(text: str, paragraphs: _Paragraphs) -> Iterator[tuple[int, int]]:
    for reading, place in _readings(text):
        for key, patterns in _strong():
            windows = list(_windows(reading, key))
            for pattern in patterns:
                covered = 0
                for first, last in windows:
                    for match in pattern.finditer(reading, first, last):
                        start, end = place(match.start()), place(match.end() - 1) + 1
                        if end > covered:
                            span = _around(text, start, end, paragraphs)
                            covered = span[1]
                            yield span
        for first, last in _windows(reading, _reported()[0]):
            for match in _reported()[1].finditer(reading, first, last):
                end = place(match.end() - 1) + 1
                stop = _CLAUSE_END.search(text, end, end + _BEHIND)
                yield place(match.start()), stop.start() if stop else min(paragraphs.end(end), end + _BEHIND)
        yield from _twice_weak(text, reading, place, paragraphs)


@cache
def _strong() -> list[tuple[re.Pattern[str], list[re.Pattern[str]]]]:
    return [(re.compile(key), [re.compile(one) for one in patterns]) for key, patterns in words.STRONG]


@cache
def _reported() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(words.REPORTED[0]), re.compile(words.REPORTED[1])


@cache
def _weak() -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
    return [(re.compile(key), re.compile(pattern)) for key, pattern in words.WEAK]


def _windows(text: str, key: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Parts of the text around the places where `key` stands."""
    first = last = -1
    for match in key.finditer(text):
        if match.start() - _BEFORE > last:
            if last >= 0:
                yield first, last
            first = max(0, match.start() - _BEFORE)
        last = match.end() + _BEHIND
    if last >= 0:
        yield first, last


def _readings(text: str) -> Iterator[tuple[str, Callable[[int], int]]]:
    """The text in small letters, and as it reads where letters are disguised or blanks doubled.

    With each, the place in the text of a character.
    """
    lowered = text.lower() if text.isascii() else "".join(map(_lower, text))
    yield lowered, lambda at: at
    folded = lowered if text.isascii() else "".join(_lower(_look(c)) for c in text)
    places: list[int] = []
    out: list[str] = []
    for match in _BLANKS_OR_NOT.finditer(folded):
        piece = match.group()
        if piece[0].isspace() and "\n" not in piece.replace("\n", "", 1):
            piece = " "
        out.append(piece)
        places.extend(range(match.start(), match.start() + len(piece)))
    read = "".join(out)
    if read != lowered:
        yield read, places.__getitem__


def _twice_weak(
    text: str, reading: str, place: Callable[[int], int], paragraphs: _Paragraphs
) -> Iterator[tuple[int, int]]:
    """Paragraphs in which two of the weak signs stand."""
    found = sorted(
        (place(match.start()), place(match.end() - 1) + 1, n)
        for n, (key, pattern) in enumerate(_weak())
        for first, last in _windows(reading, key)
        for match in pattern.finditer(reading, first, last)
    )
    covered = 0
    for (start, end, sort), (later, last, other) in pairwise(found):
        if sort != other and last > covered and later - end <= _WEAK_WITHIN and later <= paragraphs.end(end):
            span = _around(text, start, end, paragraphs)
            covered = max(span[1], last)
            yield span[0], covered


def _around(text: str, start: int, end: int, paragraphs: _Paragraphs) -> tuple[int, int]:
    """From the start of the sentence that holds the span to the end of its paragraph, or of the quotation around it."""
    while start < end and (text[start].isspace() or text[start] in _STARTS or text[start] in '"“(>*#'):
        start += 1
    least = max(0, start - _BACK)
    begin = start
    while begin > least:
        c = text[begin - 1]
        if c in _STARTS or c in '"“„«「『(>*':
            break
        if c in "'‘`" and (begin < 2 or not text[begin - 2].isalnum()):
            break
        begin -= 1
    while begin < start and text[begin].isspace():
        begin += 1
    stop = paragraphs.end(end)
    opener = text[begin - 1 : begin]
    if opener in _QUOTES:
        closes = [text.find(c, end, min(stop, end + _BLOCK_LONGEST)) for c in _QUOTES[opener]]
        inside = [close for close in closes if close >= 0]
        if inside:
            return begin, min(inside)
    return begin, stop


class _Paragraphs:
    """Where the paragraphs of a text end; found once, since a text may hold a thousand passages."""

    def __init__(self, text: str) -> None:
        self._ends = [match.start() for match in _PARAGRAPH.finditer(text)]
        self._ends.append(len(text.rstrip()))
        self._length = len(text)

    def end(self, at: int) -> int:
        found = bisect_left(self._ends, at)
        return self._ends[found] if found < len(self._ends) else self._length


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def _lower(c: str) -> str:
    lowered = c.lower()
    return lowered if len(lowered) == 1 else c


def _look(c: str) -> str:
    """The Latin letter that a letter looks like; one character for one."""
    if c.isascii():
        return c
    plain = unicodedata.normalize("NFKC", c)
    return (plain if len(plain) == 1 else c).translate(_LOOKALIKES)
