"""What speaks against a merge of two skills that look alike: one small function each.

A guard gives "" or, for a person, why the two are not one. A wrong merge costs more trust than ten missed ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Set
from itertools import product

from vaultgit.passes.likeness import words
from vaultgit.passes.likeness.reading import CODE
from vaultgit.passes.likeness.reading import Reading
from vaultgit.passes.likeness.reading import Unit
from vaultgit.passes.likeness.score import Both
from vaultgit.passes.likeness.words import CLASS
from vaultgit.passes.likeness.words import OPPOSITE
from vaultgit.passes.likeness.words import is_ordinary
from vaultgit.passes.likeness.words import meaning
from vaultgit.passes.likeness.words import negations
from vaultgit.passes.likeness.words import tokens

SHORT = 20  # words: too little to tell by
STUB = 150  # words: a page that only points elsewhere has fewer
_STUB = re.compile(
    r"\b(?:deprecated|superseded|(?:has |is |was )?(?:moved|renamed|merged) (?:to|into)|replaced by|alias (?:of|for)|"
    r"redirects? to|(?:see|use) .{0,60}\bskill\b.{0,20} instead|no longer (?:maintained|used))\b",
    re.IGNORECASE,
)
_GIVEN_UP = re.compile(r"\W*(?:deprecated|superseded|redirect|alias)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![a-uw-z\d_.,:/#])(?<!\d[-–])(\d+(?:\.(?:\d+|x))*\+?)(?![\w:%/-]|\.\w)", re.IGNORECASE)
_VERSION = re.compile(  # v4, release 4, 4.1, Tailwind 4; not 29 rules
    r"(?<!\w)(?:v(?:ersion |\. ?)?|release |(?-i:(?P<thing>[A-Z][\w+#.]*|[\w+#]*[A-Z]))[ -])(\d+(?:\.(?:\d+|x))*)\b"
    r"|(\d+(?:\.(?:\d+|x))+)",
    re.IGNORECASE,
)


def why_not(both: Both) -> str:
    """The first thing that speaks against it, "" if nothing does."""
    return next((why for guard in GUARDS if (why := guard(both))), "")


def resources(both: Both) -> str:
    """What lies beside the skills under one name must be the same: a merge can keep only one."""
    one, other = both.one.text.resources, both.other.text.resources
    path = min((path for path in one.keys() & other.keys() if one[path] != other[path]), default="")
    return f"the files beside them differ: {path}" if path else ""


def stub(both: Both) -> str:
    """A page that says where the skill went is like every other such page."""
    for side in (both.one, both.other):
        match = _GIVEN_UP.match(side.text.trigger.strip())
        if not match and sum(len(unit.words) for unit in side.units) < STUB:
            match = _STUB.search(f"{side.text.trigger}\n{side.text.body}")
        if match:
            return f"{side.text.name} only points to another skill: “{match[0].strip()}”"
    return ""


def short(both: Both) -> str:
    """A few general words may be the same by chance."""
    for side in (both.one, both.other):
        said = len(tokens(side.text.body))
        if said < (STUB if both.same else SHORT) and not (both.same and both.trigger >= 0.5):
            return f"{side.text.name} says too little to tell"
    return ""


def language(both: Both) -> str:
    """A translation may have the same code in it; a trigger in another script has no words to compare."""
    triggers = [words.language([side.text.trigger]) for side in (both.one, both.other)]
    for one, other in ((both.one.language, both.other.language), triggers):
        if one != other and ((one and other) or not (words.is_latin(one) and words.is_latin(other))):
            return "they are written in different languages"
    return ""


def no_trigger(both: Both) -> str:
    """A trigger that is missing or cut off says nothing about what the skill is for."""
    for side in (both.one, both.other):
        text = side.text.trigger.strip()
        if (len(tokens(text)) < 4 or text.endswith(("...", "…"))) and not (both.same or both.rare[0] >= 0.9):
            return f"the trigger of {side.text.name} is missing or cut off, and the texts differ"
    return ""


def trigger(both: Both) -> str:
    if both.trigger < 0.3 and not both.same:
        return "they say much the same, but their triggers have little in common"
    return ""


def version(both: Both) -> str:
    """Different numbers in name or trigger; or one has the number of a version, and the other none."""
    one, other = both.one.text, both.other.text
    for what, a, b in (("trigger", one.trigger, other.trigger), ("name", _spoken(one.name), _spoken(other.name))):
        mine, theirs = _numbers(a) - _numbers(b), _numbers(b) - _numbers(a)
        if mine and theirs:
            return f"the {what} of one says {min(mine)}, of the other {min(theirs)}"
        only = set(mine or theirs)
        if what == "trigger":
            only &= _versions(a) | _versions(b)
        if only and (what == "trigger" or both.rare[0] < 0.8):
            return f"only one of them says {min(only)} in its {what}"
    return ""


def opposite(both: Both) -> str:
    """Create and update, add and remove: in name or trigger, or in a line that is otherwise the same."""
    for one, other in ((both.one.name, both.other.name), (both.one.trigger, both.other.trigger)):
        for a, b in _each(one - other, other - one):
            if (a, b) in OPPOSITE:
                return f"one is to {_spelt(both.one, a)}, the other to {_spelt(both.other, b)}"
    for word, to, _ in _swaps(both):
        if (meaning(word), meaning(to)) in OPPOSITE:
            return _instead(word, to)
    return ""


def another_of_its_kind(both: Both) -> str:
    """Python and Java, AWS and GCP: name or trigger, or most of the text, is about different members of one class."""
    one, other = both.one, both.other
    for mine, theirs in ((one.name, other.name), (one.name | one.trigger, other.name | other.trigger)):
        for a, b in _each(mine - theirs, theirs - mine):
            if _alternatives(a, b):
                return _about(both, a, b)
    for kind, a in sorted(one.about.items()):
        b = other.about.get(kind, a)
        if a != b and _shifted(both, a, b, 3):
            return _about(both, a, b)
    for word, to, _ in _swaps(both):
        if _alternatives(meaning(word), meaning(to)) and _replaced(both, meaning(word), meaning(to)):
            return _instead(word, to)
    return ""


def code(both: Both) -> str:
    """Their code is in different programming languages."""
    one, other = both.one.fences, both.other.fences
    if not one or not other or one.keys() & other.keys():
        return ""
    a, b = (max(sorted(side), key=lambda tag: side[tag]) for side in (one, other))
    return f"the code of one is {a}, of the other {b}"


def name(both: Both) -> str:
    """A name has a word of its own, and its text is full of it, or its trigger says it, where the other's does not."""
    mine, theirs = both.one.name - both.other.name, both.other.name - both.one.name
    for a, b in _each(mine, theirs):
        if _shifted(both, a, b, 2) or (_in_triggers(both, a, b) and not (both.same and _ordinary(both, a, b))):
            return _about(both, a, b)
    if mine and theirs and both.rare[1] < 0.5:
        return f"their names differ ({both.one.text.name}, {both.other.text.name}), and so does most of what they say"
    if bool(mine) == bool(theirs) or both.same:
        return ""
    side, rest = (both.one, both.other) if mine else (both.other, both.one)
    for word in sorted(mine or theirs):
        more = side.counts[word] - rest.counts[word]
        if more > 1 or word in CLASS or both.rare[0] < (0.8 if more > 0 else 0.5):
            return f"only one of them has “{_spelt(side, word)}” in its name, and the texts differ"
    return ""


def names_in_trigger(both: Both) -> str:
    """Each trigger names a thing that the other text never does."""
    one, other = both.one, both.other
    for a, b in _each(one.trigger - other.trigger, other.trigger - one.trigger):
        never = not (other.counts[a] or one.counts[b]) and min(one.counts[a], other.counts[b]) > 1
        if never and not _ordinary(both, a, b):
            return _about(both, a, b)
    return ""


def names_in_text(both: Both) -> str:
    """The name of a thing stands throughout where the other text has another one."""
    times: Counter[tuple[str, str]] = Counter()
    for word, to, in_code in _swaps(both):
        a, b = meaning(word), meaning(to)
        if a != b and not a.isdigit() and not b.isdigit() and (in_code or not (is_ordinary(word) or is_ordinary(to))):
            times[a, b] += 1
    for (a, b), count in sorted(times.items()):
        if count > 1 and _replaced(both, a, b):
            return _instead(_spelt(both.one, a), _spelt(both.other, b))
    return ""


def added_throughout(both: Both) -> str:
    """The same word stands in more lines of one (“Brex Staging” for “Brex”), and in the other not at all."""
    more = [change.to for change in both.changes if not change.words]
    less = [change.words for change in both.changes if not change.to]
    for added, side, rest in ((more, both.other, both.one), (less, both.one, both.other)):
        times = Counter(meaning(word) for words in added for word in set(words))
        for word, count in sorted(times.items()):
            is_name = word.isalpha() and len(word) > 1 and (word in side.marked or not is_ordinary(word))
            if count > 1 and is_name and not rest.counts[word]:
                return f"one says “{_spelt(side, word)}” throughout, the other never"
    return ""


def negation(both: Both) -> str:
    """A line says no more often than its counterpart: no score sees that, and it turns the meaning round."""
    for one, other in both.pairs:
        if one.text != other.text and negations(one.text) != negations(other.text):
            said = max(one.text, other.text, key=negations)
            return f"one step is negated in one of them: “{_start(said)}”"
    return ""


GUARDS: tuple[Callable[[Both], str], ...] = (
    resources, stub, short, language, no_trigger, trigger, version, opposite, another_of_its_kind, code,
    name, names_in_trigger, names_in_text, added_throughout, negation,
)  # fmt: skip


def _start(text: str) -> str:
    return text if len(text) <= 60 else text[:60].rsplit(" ", 1)[0] + " …"


def _spoken(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")


def _spelt(side: Reading, word: str) -> str:
    return side.spelling.get(word, word)


def _about(both: Both, a: str, b: str) -> str:
    return f"one is about {_spelt(both.one, a)}, the other about {_spelt(both.other, b)}"


def _instead(word: str, to: str) -> str:
    return f"where one says “{word}”, the other says “{to}”"


def _numbers(text: str) -> Counter[str]:
    return Counter(match[1] for match in _NUMBER.finditer(text))


def _versions(text: str) -> set[str]:
    found = (match for match in _VERSION.finditer(text) if not is_ordinary((match["thing"] or "v").lower()))
    return {match[2] or match[3] for match in found}


def _each(mine: Set[str], theirs: Set[str]) -> Iterator[tuple[str, str]]:
    return product(sorted(mine), sorted(theirs))


def _alternatives(a: str, b: str) -> bool:
    return a != b and a in CLASS and CLASS.get(b) == CLASS[a]


def _swaps(both: Both) -> Iterator[tuple[str, str, bool]]:
    """Words that stand in one another's place, and whether that is in code."""
    for change in both.changes:
        for word, to in change.swaps:
            yield word, to, _in_code(change.one, word) and _in_code(change.other, to)


def _in_code(unit: Unit, word: str) -> bool:
    return unit.kind == CODE or any(word in tokens(span) for span in unit.text.split("`")[1::2])


def _in_triggers(both: Both, a: str, b: str) -> bool:
    """A trigger says the word that is in its own name only, and the other trigger does not."""
    one, other = both.one.trigger, both.other.trigger
    return a in one - other or b in other - one


def _ordinary(both: Both, a: str, b: str) -> bool:
    """At least one of them is a plain word."""
    return is_ordinary(_spelt(both.one, a)) or is_ordinary(_spelt(both.other, b))


def _shifted(both: Both, a: str, b: str, least: int) -> bool:
    """`a` is clearly more frequent in the one text, `b` in the other."""
    one, other = both.one.counts, both.other.counts
    return one[a] >= max(least, 2 * other[a] + 1) and other[b] >= max(least, 2 * one[b] + 1)


def _replaced(both: Both, a: str, b: str) -> bool:
    """One of them (almost) does not occur in the text that has the other in its place."""
    return _gone(both.one, both.other, a) or _gone(both.other, both.one, b)


def _gone(here: Reading, there: Reading, word: str) -> bool:
    return there.counts[word] * 5 <= here.counts[word]
