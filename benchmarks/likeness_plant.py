"""Copies of a skill that are the same skill (D), and neighbours of it that are another one (N)."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import NamedTuple

from benchmarks import likeness_words as words
from vaultgit.passes.likeness import Text

_STEP = re.compile(r"\s*(?:[-+*]|\d+[.)])\s+\S")
_MARKER = re.compile(r"(\s*(?:[-+*]|\d+[.)])\s+)(.*)", re.DOTALL)
_SAFE = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|https?://\S+|\b\w+(?:[-_/.]\w+)+|\b[a-z]+\b")
PHRASES = (
    "Make sure to {}",
    "Remember to {}",
    "You should {}",
    "The next thing is to {}",
    "Take care to {}",
    "First of all, {}",
)


class Case(NamedTuple):
    """A way to change a skill. `same`: what comes out is still the same skill. It gives the two to be compared, or None
    where this skill cannot be changed so."""

    name: str
    same: bool
    make: Callable[[Text, random.Random, Text], tuple[Text, Text] | None]


def _renamed(text: Text, chance: random.Random) -> str:
    """Another name for the same thing: other order, a synonym, or a word more."""
    parts = text.name.lower().replace("_", "-").split("-")
    turned = [words.SYNONYMS.get(part, part) for part in parts]
    ways = [
        "-".join(turned),
        "-".join(reversed(parts)),
        "-".join([*parts, chance.choice(["guide", "workflow", "2", "how-to"])]),
    ]
    ways = [way for way in ways if way != text.name]
    return chance.choice(ways)


def _copy(text: Text, chance: random.Random, **changed: str) -> Text:
    return text._replace(key=text.key + "~", name=_renamed(text, chance))._replace(**changed)


def _outside_code(body: str, change: Callable[[str], str]) -> str:
    out, fence = [], ""
    for line in body.split("\n"):
        opened = re.match(r"[\s>]*(```+|~~~+)", line)
        out.append(line if fence or opened else change(line))
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
    return "\n".join(out)


def reword(text: str, share: float, salt: int) -> str:
    """The same words become the same synonyms all through a text: what a second author does."""

    def other(match: re.Match[str]) -> str:
        word = match[0]
        known = words.SYNONYMS.get(word)
        if known is None or random.Random(f"{salt}{word}").random() >= share:
            return word
        return known.replace("-", " ")

    return _SAFE.sub(other, text)


def _runs(body: str) -> list[tuple[int, int]]:
    """Where lists are: first line, line after the last. Flat ones outside code, of items that are one line long."""
    lines, found, start, inside = body.split("\n"), [], -1, False
    for n, line in enumerate([*lines, ""]):
        inside ^= line.lstrip().startswith(("```", "~~~"))
        step = not inside and bool(_STEP.match(line)) and not line.startswith((" ", "\t"))
        if step and start < 0:
            start = n
        elif not step and start >= 0:
            found.append((start, n - 1 if line.strip() else n))  # the last item may go on
            start = -1
    return found


def steps(body: str) -> list[int]:
    """Lines that are steps."""
    return [n for first, end in _runs(body) for n in range(first, end)]


def reorder(body: str, chance: random.Random) -> str:
    lines = body.split("\n")
    for first, end in _runs(body):
        part = [_MARKER.match(line) for line in lines[first:end]]
        said = [match[2] for match in part if match]
        chance.shuffle(said)
        lines[first:end] = [match[1] + text for match, text in zip(part, said, strict=True) if match]
    return "\n".join(lines)


def _add_and_drop(body: str, other: str, chance: random.Random) -> str:
    """Two steps less, two steps of another skill more."""
    lines = body.split("\n")
    lent = [other.split("\n")[n] for n in steps(other)]
    if len(steps(body)) > 4:
        for n in sorted(chance.sample(steps(body), 2), reverse=True):
            del lines[n]
    places = steps("\n".join(lines))
    if places and len(lent) >= 2:
        for step in chance.sample(lent, 2):
            lines.insert(chance.choice(places), step)
    return "\n".join(lines)


def rephrase(body: str, share: float, chance: random.Random) -> str:
    def said(line: str) -> str:
        match = _MARKER.match(line)
        if not match or not match[2][:1].isupper() or chance.random() >= share:
            return line
        text = match[2][0].lower() + match[2][1:]
        first, comma, rest = text.rstrip(".").partition(", ")
        if comma and chance.random() < 0.5:
            return f"{match[1]}{rest[:1].upper()}{rest[1:]} - {first}"
        return match[1] + chance.choice(PHRASES).format(text)

    return _outside_code(body, said)


def _verbatim(text: Text, chance: random.Random, _: Text) -> tuple[Text, Text]:
    return text, _copy(text, chance)


def _reordered(text: Text, chance: random.Random, _: Text) -> tuple[Text, Text]:
    return text, _copy(text, chance, body=reorder(text.body, chance))


def _reworded(text: Text, chance: random.Random, share: float) -> Text:
    salt = chance.randrange(1 << 30)
    name = "-".join(words.SYNONYMS.get(part, part) for part in text.name.split("-")) if chance.random() < share else ""
    made = _copy(text, chance, trigger=reword(text.trigger, share, salt))
    body = _outside_code(text.body, lambda line: reword(line, share, salt))
    return made._replace(body=body, name=name if name not in ("", text.name) else made.name)


def _lightly(text: Text, chance: random.Random, _: Text) -> tuple[Text, Text]:
    return text, _reworded(text, chance, 0.3)


def _cut(trigger: str) -> str:
    said = trigger.split()
    return " ".join(said[: max(6, len(said) * 7 // 10)])


def _halfway(text: Text, chance: random.Random, other: Text) -> tuple[Text, Text]:
    made = _reworded(text, chance, 0.6)
    body = _add_and_drop(reorder(made.body, chance), other.body, chance)
    return text, made._replace(body=body, trigger=_cut(made.trigger))


def _heavily(text: Text, chance: random.Random, other: Text) -> tuple[Text, Text]:
    made = _reworded(text, chance, 1.0)
    body = rephrase(_add_and_drop(reorder(made.body, chance), other.body, chance), 0.4, chance)
    return text, made._replace(body=body)


def _swap(text: str, old: str, new: str) -> str:
    """In whole words; half of those inside a longer one (`old-cli`, a URL) stay, as they do in real copies. So does the
    word that says what a block of code is in."""

    def put(match: re.Match[str]) -> str:
        word = match[0]
        if text[: match.start()].endswith(("```", "~~~")):
            return word
        before, after = text[: match.start()][-1:], text[match.end() :][:1]
        joined = before in tuple("-_/.") or after in tuple("-_/")
        if joined and match.start() % 2:
            return word
        return new.upper() if word.isupper() else new.capitalize() if word[0].isupper() else new

    return re.sub(rf"(?<![A-Za-z0-9]){re.escape(old)}(?![A-Za-z0-9])", put, text, flags=re.IGNORECASE)


def _said(text: str, word: str) -> int:
    return len(re.findall(rf"(?<![A-Za-z0-9`~]){re.escape(word)}(?![A-Za-z0-9])", text, re.IGNORECASE))


def _one_of(text: Text, table: list[str], least: int, where: str) -> tuple[str, str] | None:
    """The pair of the table of which the text names the one most and the other not at all."""
    best: tuple[int, str, str] | None = None
    for entry in table:
        old, new = entry.split(":")
        count = _said(where, old)
        if count >= least and not _said(f"{text.name} {text.trigger} {text.body}", new):
            best = max(best or (0, "", ""), (count, old, new))
    return best[1:] if best else None


def _swapped(
    table: list[str], everywhere: bool, paraphrase: bool
) -> Callable[[Text, random.Random, Text], tuple[Text, Text] | None]:
    def make(text: Text, chance: random.Random, _: Text) -> tuple[Text, Text] | None:
        found = _one_of(text, table, 3, text.body)
        if not found:
            return None
        made = _reworded(text, chance, 0.4) if paraphrase else _copy(text, chance)
        made = made._replace(body=_swap(made.body, *found))
        if _said(made.body, found[1]) < 2:  # it stood in joined words only
            return None
        if everywhere:
            made = made._replace(name=_swap(made.name, *found), trigger=_swap(made.trigger, *found))
        return text, made

    return make


def _specialised(text: Text, chance: random.Random, _: Text) -> tuple[Text, Text] | None:
    """Another edition of the tool: `Brex` and `Brex Staging`."""
    found = _one_of(text, words.TOOLS, 4, text.body)
    if not found:
        return None
    edition = chance.choice(("Staging", "Enterprise", "Mobile", "Nova"))
    more = re.compile(rf"(?<![\w`./-]){re.escape(found[0])}(?![\w`./-])", re.IGNORECASE)
    body, times = more.subn(lambda match: f"{match[0]} {edition}", text.body)
    if times < 3 or edition.lower() in text.body.lower():
        return None
    return text, _copy(text, chance, body=body, trigger=more.sub(lambda match: f"{match[0]} {edition}", text.trigger))


def _negated(count: int) -> Callable[[Text, random.Random, Text], tuple[Text, Text] | None]:
    def make(text: Text, chance: random.Random, _: Text) -> tuple[Text, Text] | None:
        lines = text.body.split("\n")
        told = [n for n in steps(text.body) if lines[n].lstrip("-+*0123456789.) ")[:1].isupper()]
        if len(told) < count:
            return None
        for n in chance.sample(told, count):
            match = _MARKER.match(lines[n])
            assert match
            said = chance.choice(("Do not ", "Never ", "Don't ", "Avoid this: "))
            lines[n] = match[1] + said + match[2][0].lower() + match[2][1:]
        return text, _copy(text, chance, body="\n".join(lines))

    return make


def _opposite(text: Text, chance: random.Random, _: Text) -> tuple[Text, Text] | None:
    found = _one_of(text, words.VERBS, 1, f"{text.name} {text.trigger}")
    if not found:
        return None
    trigger = _swap(text.trigger, *found)
    made = _copy(text, chance, trigger=trigger, body=_swap(text.body, *found))
    if trigger == text.trigger and _swap(text.name, *found) == text.name:  # it stood in joined words only
        return None
    return text, made._replace(name=_swap(made.name, *found))


def _version(text: Text, chance: random.Random, _: Text) -> tuple[Text, Text]:
    old = chance.randint(2, 8)
    shape = chance.choice((" For version {}.", " Written for v{}.", " Requires release {}.2.", " Covers API {}.x."))
    one = text._replace(trigger=text.trigger + shape.format(old))
    return one, _copy(text, chance, trigger=text.trigger + shape.format(old + 1))


PRODUCTS = (
    "Zelmark Quorvia Tandexo Brillum Okavi Pentrio Luxara Nimbol Fjordal Vextra Morando Celipso Darvent Ostrine".split()
)


def family(text: Text, count: int) -> list[Text]:
    """One template, filled with the names of so many products."""
    made = []
    for product in PRODUCTS[:count]:
        name = f"{product.lower()}-{text.name}"
        body = _outside_code(
            text.body, lambda line, name=product: re.sub(r"\b(?:the|your) (?=[a-z])", f"the {name} ", line)
        )  # type: ignore[misc]
        made.append(Text(f"{text.key}~{product}", name, f"{product}: {text.trigger}", f"# {product}\n\n{body}", {}))
    return made


def _family(text: Text, _: random.Random, __: Text) -> tuple[Text, Text]:
    one, other = family(text, 2)
    return one, other


CASES = (
    Case("verbatim, renamed", True, _verbatim),
    Case("steps in another order, renamed", True, _reordered),
    Case("reworded 30 %", True, _lightly),
    Case("reworded 60 %, other order, +2/-2 steps, trigger cut", True, _halfway),
    Case("reworded 100 %, 40 % re-phrased, other order, +2/-2", True, _heavily),
    Case("tool swapped everywhere", False, _swapped(words.TOOLS, True, False)),
    Case("tool swapped in the body only", False, _swapped(words.TOOLS, False, False)),
    Case("one step negated", False, _negated(1)),
    Case("three steps negated", False, _negated(3)),
    Case("opposite verb", False, _opposite),
    Case("another platform", False, _swapped(words.PLATFORMS, True, False)),
    Case("another version", False, _version),
    Case("paraphrased 40 % and tool swapped", False, _swapped(words.TOOLS, True, True)),
    Case("another edition of the tool", False, _specialised),
    Case("two of one template", False, _family),
)
