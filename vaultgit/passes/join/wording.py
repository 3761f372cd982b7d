"""What two blocks say, compared: the same, one within the other, the same in other words, or against one another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from vaultgit.notes.procedure import Block
from vaultgit.notes.procedure import unnumbered
from vaultgit.passes.likeness.tables import NEGATIONS
from vaultgit.passes.likeness.words import CLASS
from vaultgit.passes.likeness.words import OPPOSITE
from vaultgit.passes.likeness.words import is_ordinary
from vaultgit.passes.likeness.words import meaning
from vaultgit.passes.likeness.words import negations
from vaultgit.passes.likeness.words import tokens

_MARK = re.compile(r"^[ \t\r]*(?:>[ \t]*)*(?:[-+*]|\d{1,9}[.)])(?:[ \t\r]+|$)(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
_ESCAPE = re.compile(r"\\([^\w\s])|<(https?://[^>\s]+)>")
_EDGES = "*_`\"'()[]…"
_DENSE = "\u3040-\u30ff\u3400-\u9fff"  # scripts without spaces: each character is a word
_WORD = re.compile(rf"[{_DENSE}]|[^\s{_DENSE}]+")
_PLAIN = str.maketrans("“”„«»‘’‚‛\u00a0", '"""""\'\'\'\' ')
_DASHES = frozenset("-–—|·•")
_LIMITS = frozenset("only unless except optional optionally instead rarely seldom deprecated allowed permitted".split())
_SIGNS = re.compile("[❌✗✘🚫⛔✖]")
_LITTLE = frozenset(
    "a an the to of and or in on at for from with by as is are be do does did this that it its you your should must "
    "always will can may when if then any all how what which we our us i my".split()
) | frozenset(NEGATIONS.split())
_CODE = re.compile(r"`([^`\n]+)`")
_TARGET = re.compile(r"\]\(([^)\s]{1,2000})")
_VALUE = re.compile(r"[^\s`]*[^\s`.,;:!?)(\"'*]")
_LOOKS_CODED = re.compile(r"\d|\w[/_.=<>$\\:@#]+\w|[a-z][A-Z]|^[$~./-]\w")
_LABEL = re.compile(_MARK.pattern + r"(\*\*[^*\n]+\*\*|__[^_\n]+__|`[^`\n]+`|\[[^\]\n]+\]\()")  # of an item
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([\w+-]*)")
_FENCE_LINE = re.compile(r"[ \t]*(`{3,}(?=[^`]*\Z)|~{3,})")
_AS_WRITTEN = re.compile(  # a code span, a link's target
    r"(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)|(?<=\])\(([^)\s]{1,2000})\)", re.DOTALL
)
_FREE = frozenset(  # languages in which a formatter may break lines as it likes
    "json jsonc json5 js javascript jsx ts typescript tsx java kotlin scala c cpp c++ csharp cs go rust rs swift dart "
    "php css scss less graphql proto".split()
)
_COMMENT = re.compile(r"(?<!:)//|#")  # ends with its line
_SENTENCE = re.compile(r"\n|(?<=[.!?])\s+")
_REFERS = re.compile(r"\b(?:this|that|it|so|these|those|they|them)\b(?! skill)", re.IGNORECASE)
_PYTHON = ("python", "py", "python3")
_CONDITIONS = frozenset(
    "if when whenever while until till unless before after once during within in on at for from where wherever case "
    "provided assuming given depending".split()
)

_REVISED = 0.67  # share of words from which a step is not one in other words, but the same one after an edit
_INSIDE = 0.75
_SAME_MATTER = 0.6

Key = tuple[Any, ...]


def key(block: Block) -> Key:
    """Equal for two blocks that say the same: numbers, markers, emphasis, case, typographic quotes, the padding of a
    table and the tag of a fence do not count."""
    if block.kind == "heading":
        return ("heading", *words(unnumbered(block.words)))
    if block.kind == "code":
        return ("code", *_code(block))
    if block.kind == "table":
        return ("table", *rows(block))
    return (block.kind, *(words(block.text) or (block.words,)))


@lru_cache(50_000)
def words(text: str) -> tuple[str, ...]:
    """The words of prose, for comparing. What a reader would copy stays as it is written: code, targets of links, and
    options, as `-d` is not `-D`."""
    found: list[str] = []
    for part, is_code in _unfenced(text):
        if is_code:
            found.append(part)
            continue
        last = 0
        for copied in _AS_WRITTEN.finditer(part):
            found += [*_folded(part[last : copied.start()]), *(copied[2] or copied[3]).split()]
            last = copied.end()
        found += _folded(part[last:])
    return tuple(found)


def _folded(text: str) -> list[str]:
    found = []
    for word in _WORD.findall(_ESCAPE.sub(r"\1\2", text.translate(_PLAIN))):
        bare = word.strip(_EDGES).rstrip(".,;:!?").strip(_EDGES)
        if bare and not _DASHES.issuperset(bare):
            found.append(bare if bare.startswith("-") else bare.casefold().replace("-", ""))
    return found


def _unfenced(text: str) -> Iterator[tuple[str, bool]]:
    """A text without its markers and fences: (part, whether it is a line of code)."""
    plain: list[str] = []
    fence, indent = "", 0
    for line in text.split("\n"):
        bare = line if fence else _MARK.sub("", line)
        mark = _FENCE_LINE.match(bare)
        if mark and (not fence or mark[1].startswith(fence)):
            yield "\n".join(plain), False
            plain, fence, indent = [], "" if fence else mark[1], _indent(line)
        elif not fence:
            plain.append(bare)
        elif line.strip():
            yield " " * max(_indent(line) - indent, 0) + " ".join(line.split()), True
    yield "\n".join(plain), False


def lines(block: Block) -> tuple[str, ...]:
    """The lines of code without its fences and blank ones; runs of white space are one space."""
    return tuple(line for _, line in _laid(block))


def _laid(block: Block) -> tuple[tuple[int, str], ...]:
    """The lines of code, and how deep each one is indented: in steps, not in spaces."""
    text = block.text.rstrip("\r\n").split("\n")
    if _FENCE.match(text[0]):
        text = text[1:-1] if _FENCE.match(text[-1]) else text[1:]
    found: list[tuple[int, str]] = []
    above: list[int] = []
    for line in text:
        if not line.strip():
            continue
        indent = _indent(line)
        above = [outer for outer in above if outer < indent]
        above.append(indent)
        found.append((len(above), " ".join(line.split())))
    return tuple(found)


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())


def _code(block: Block) -> Key:
    """Code as any formatter would leave it, where one is free to: white space beside signs, quotes, and in some
    languages the breaks of lines. Else line by line and as deep as it is: a command, or a block, is made by it."""
    fence = _FENCE.match(block.text)
    tag = fence[1].casefold() if fence else ""
    laid = _laid(block)
    if tag in _FREE and not any(_COMMENT.search(line) for _, line in laid):
        return (_formatted(" ".join(line for _, line in laid)),)
    return tuple((depth, _formatted(line) if tag in _PYTHON else line) for depth, line in laid)


def _formatted(code: str) -> str:
    code = re.sub(r"\s*([(){}\[\],:;=<>|&+])\s*", r"\1", code.translate(_PLAIN))
    return re.sub(r";\s*", " ", re.sub(r",(?=[)}\]])", "", code).replace("'", '"')).strip()


def rows(block: Block) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The rows of a table as cells of words, without the line below the header."""
    cells = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in block.text.split("\n") if line.strip()]
    return tuple(tuple(words(cell) for cell in row) for n, row in enumerate(cells) if n != 1)


def within(small: Block, large: Block) -> bool:
    """`large` says all that `small` says, in its order, and what it says more neither denies nor limits it."""
    if small.kind != large.kind or small.kind in ("heading", "rule"):
        return False
    if small.kind == "table":
        few, many = rows(small), rows(large)
        return few[:1] == many[:1] and set(few) <= set(many)
    if small.kind == "code":
        return bool(_laid(small)) and _in_order(_laid(small), _laid(large))
    few_words, many_words = _stream(small.text), _stream(large.text)
    if len(few_words) < 2 or not _in_order(few_words, many_words) or _denials(small.text) != _denials(large.text):
        return False
    if _narrows(small.text, large.text):
        return False  # a step for all cases is not said by one for some
    together = any(few_words == many_words[n : n + len(few_words)] for n in range(len(many_words)))
    # else they are words that stand anywhere in a long text
    return len(few_words) * 2 >= len(many_words) or (together and len(few_words) > 2)


def share(one: Block, other: Block) -> float:
    """The share of telling words (of code and tables: of lines) that two blocks of one kind have in common."""
    if one.kind != other.kind:
        return 0.0
    mine, others = (_telling(block.words) for block in (one, other))
    if one.kind in ("code", "table"):
        parts = (set(lines(one)), set(lines(other))) if one.kind == "code" else (set(rows(one)), set(rows(other)))
        small = min(len(part) for part in parts)
        if small and len(parts[0] & parts[1]) * 2 >= small:
            return 1.0
        mine, others = (frozenset(tokens(block.words)) for block in (one, other))
    small, shared = min(len(mine), len(others)), len(mine & others)
    if one.kind in ("item", "prose") and small >= 4 and shared >= _INSIDE * small:
        return 1.0  # most of the shorter one is in the longer one
    return shared / len(mine | others) if small else 0.0


def clash(one: Block, other: Block, together: bool) -> str:
    """Why two blocks that are alike cannot stand in one text; "" where they can. `together`: in one section."""
    pair = f"“{short(one.words)}” / “{short(other.words)}”"
    own = f"each has its own version of {pair}"
    if one.kind in ("code", "table"):
        return own if together or (one.kind == "code" and " ".join(lines(one)) == " ".join(lines(other))) else ""
    if _denials(one.words) != _denials(other.words):
        return f"one denies or limits what the other says: {pair}"
    if not together:
        return ""
    mine, others = (set(tokens(block.words)) for block in (one, other))
    for a in mine - others:
        for b in others - mine:
            kind = CLASS.get(meaning(a))
            if (meaning(a), meaning(b)) in OPPOSITE or (kind and kind == CLASS.get(meaning(b))):
                return f"one says “{a}” where the other says “{b}”: {pair}"
    values = [_values(block.words) for block in (one, other)]
    only = [sorted(values[0] - values[1]), sorted(values[1] - values[0])]
    if only[0] and only[1]:
        return f"one says “{only[0][0]}” where the other says “{only[1][0]}”: {pair}"
    reworded = one.kind == "item" and not _denials(one.words) and share(one, other) < _REVISED
    return "" if reworded else own


def short(words: str) -> str:
    return words if len(words) <= 60 else words[:60].rsplit(" ", 1)[0] + " …"


def repeats(one: Block, other: Block) -> str:
    """Why two blocks of one section cannot stand in one text, though they are not alike as a whole; "" where they can:
    a line, a sentence or the label of an item stands in both, or one of one denies one of the other."""
    if not {one.kind, other.kind} <= {"item", "prose"}:
        return ""
    pair = f"“{short(one.words)}” / “{short(other.words)}”"
    mine, others = _pieces(one.text), _pieces(other.text)
    for a, telling, denials in mine:
        for b, others_telling, others_denials in others:
            small = min(len(telling), len(others_telling))
            about = small >= 3 and len(telling & others_telling) >= _SAME_MATTER * small
            if about and denials != others_denials:
                return f"one denies or limits what the other says: {pair}"
            if a == b and len(a) >= 4 and one.kind == other.kind:
                return f"each has its own version of {pair}"
    labels = [_LABEL.match(block.text) for block in (one, other)]
    if labels[0] and labels[1] and words(labels[0][1]) == words(labels[1][1]):
        return f"each has its own version of {pair}"
    return ""


def same_title(one: str, other: str) -> bool:
    """Two headings name the same thing: `When to Use This Skill` and `Use this skill when`, not `When not to use`."""
    if _denials(one) != _denials(other):
        return False
    mine, others = (
        frozenset(words(unnumbered(title))) - {"the", "a", "this", "skill", "your"} for title in (one, other)
    )
    return bool(mine | others) and len(mine & others) / len(mine | others) >= 0.65


def opposed(one: str, other: str) -> bool:
    """Two headings that cannot stand for one another."""
    mine, others = (set(tokens(title)) for title in (one, other))
    return _denials(one) != _denials(other) or any((meaning(a), meaning(b)) in OPPOSITE for a in mine for b in others)


def _denials(text: str) -> int:
    limits = sum(word in _LIMITS for word in tokens(text))
    return negations(text) + limits + len(_SIGNS.findall(text))


def _stream(text: str) -> tuple[str, ...]:
    return tuple(word for word in words(text) if word not in ("a", "an", "and", "the"))


def _narrows(small: str, large: str) -> bool:
    """What `large` says more may say when, or where, what both say is to be done. A sentence of its own does not, if
    it neither begins with a condition nor refers to another one."""
    if _CONDITIONS.isdisjoint(Counter(_stream(large)) - Counter(_stream(small))):
        return False
    few = [_stream(piece) for piece in _SENTENCE.split(small)]
    own = [piece for piece in _SENTENCE.split(large) if _stream(piece) not in few]
    if not all(few_words in map(_stream, _SENTENCE.split(large)) for few_words in few):
        return True
    return any(
        not _CONDITIONS.isdisjoint(said := _stream(piece)) and (said[0] in _CONDITIONS or bool(_REFERS.search(piece)))
        for piece in own
    )


def _telling(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word not in _LITTLE and not word.endswith("n't"))


def _values(text: str) -> set[str]:
    """What a reader would copy: numbers, names in code, paths, options, names of things."""
    coded = {" ".join(span.split()) for span in _CODE.findall(text)} | set(_TARGET.findall(text))
    plain = _TARGET.sub(" ", _CODE.sub(" ", text))
    named = {word for word in re.findall(r"(?<=[a-z,] )[A-Z][\w+#]+", plain) if not is_ordinary(word.casefold())}
    return coded | named | {word for word in _VALUE.findall(plain) if _LOOKS_CODED.search(word)}


@lru_cache(5_000)
def _pieces(text: str) -> list[tuple[tuple[str, ...], frozenset[str], int]]:
    """The lines and sentences of a text: words, telling words, how often it says no."""
    return [(words(piece), _telling(piece), _denials(piece)) for piece in _SENTENCE.split(text)]


def _in_order(few: tuple[object, ...], many: tuple[object, ...]) -> bool:
    rest = iter(many)
    return all(part in rest for part in few)
