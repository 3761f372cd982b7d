"""Generated skills: name, trigger, sections, steps, code. Their words grow in number as a language's do: each is drawn
from all words so far, the common ones far more often, and each skill brings a few new ones.
"""

from __future__ import annotations

import math
import os
import random
import re
from collections.abc import Callable
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks import likeness_plant as plant
from benchmarks import likeness_words as words
from vaultgit.passes.likeness import Text

COPY_EVERY = 20  # every 20th skill is a copy of an earlier one: 5 %
FAMILY_EVERY = 33  # ... and about every 33rd is made from a template that others are made from too
FAMILY_HOLDS = 60
KNOWN, NEW = 3000, 3  # words that there are at first, and that a skill adds
TOOLS = sorted({entry.partition(":")[0] for entry in (*words.TOOLS, *words.PLATFORMS)})
SYLLABLES = (
    "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru sta tre pli sko mni".split()
)
VERBS = (
    "open close read check load sort filter compare collect write send remove rename count sign test build "
    "run watch stop start archive publish copy merge split draw label measure report review plan tag store fetch print"
).split()
STEPS = (
    "{v} the {n} of the {n} and note which {n} is missing.",
    "{v} every {n} that the {n} lists, then {w} the {n}.",
    "When the {n} is older than the {n}, {w} it and {v} the {n} again.",
    "{v} the {n} with `{t} {w} --{n}` and keep its {n}.",
    "Ask the owner of the {n} before you {w} a {n}.",
    "{v} {n} by {n}; a {n} without a {n} belongs to the {n}.",
    "Put the {n} beside the {n} in `{n}/{n}.md`.",
    "{v} the first {n}, look at the {n}, and only then {w} the others.",
    "Never {w} a {n} while the {n} is being read.",
    "If `{t} {w}` says {n}, {v} the {n} by hand.",
    "{v} what the {n} says about the {n} into the {n} of the day.",
    "Tell the {n} which {n} was {w}ed, and why.",
    "Look for {n} in `{n}.toml`: two of them mean that the {n} was {w}ed twice.",
    "{v} the {n} on a copy of the {n}, so that the {n} can still {w} it.",
    "Wait for the {n}; it takes as long as the {n} before it did.",
    "Set {n} to the {n} of the {n} and {w} once more.",
    "{v} both: the {n} for people, the {n} for the {n}.",
    "Leave {n} and {n} as they are, they belong to another {n}.",
    "What is left of the {n} goes to the {n}, with the date and the {n} in its name.",
    "Start {t} and {v} the {n}; a {n} that {t} does not know is one to {w}.",
    "{v} until no {n} is red, at most three times, then {w} the {n} as {n}.",
)
HEADINGS = ("Before you start", "Steps", "When it goes wrong", "Notes", "Afterwards", "The {n}", "How to {w} the {n}")
CODE = (
    "{t} {w} {n} --out {n}.txt",
    "for one in {n}/*; do {t} {w} $one; done",
    "cat {n}.log | grep {n} > {n}",
    "{t} {n}",
)
TRIGGERS = (
    "Use when the {n} of a {n} has to be {w}ed and the {n} must not notice.",
    "Use to {v} {n} and {n} for the {n}, when someone asks about the {n}.",
    "{v} the {n} after each {n}. Use it when the {n} is late or a {n} is asked for.",
    "How to {w} a {n} with {t}: use when the {n} or the {n} has changed.",
)


class Made(NamedTuple):
    """Skills, with the number of the first one that each is a copy of (itself if of none), and how it was copied."""

    texts: list[Text]
    origin: dict[str, str]
    case: dict[str, str]


def word(number: int) -> str:
    said, number = "", number + 30
    while number:
        number, at = divmod(number, len(SYLLABLES))
        said += SYLLABLES[at]
    return said


class Writer:
    """Writes skill after skill; the same for the same seed."""

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.template = ""

    def skill(self, number: int, key: str = "") -> Text:
        chance = random.Random(f"{self.seed}/{number}")
        known = KNOWN + NEW * number
        topic = [self._any(chance, known) for _ in range(5)] + [word(known + n) for n in range(NEW)]
        tool = chance.choice(TOOLS) if chance.random() < 0.7 else self._any(chance, known)
        say = self._sayer(chance, known, topic, tool)
        name = f"{chance.choice(VERBS)}-{chance.choice(topic)}-{chance.choice(topic)}"
        parts = [f"# {name.replace('-', ' ').capitalize()}", say("This is how we {w} the {n} for the {n}, with {t}.")]
        for _ in range(chance.randint(4, 7)):
            parts.append(f"## {say(chance.choice(HEADINGS))}")
            marks = (f"{n}." for n in range(1, 99)) if chance.random() < 0.6 else iter("-" * 99)
            steps = (say(chance.choice(STEPS)) for _ in range(chance.randint(4, 9)))
            parts.append("\n".join(f"{mark} {step}" for step, mark in zip(steps, marks, strict=False)))
            if chance.random() < 0.4:
                code = "\n".join(say(chance.choice(CODE)) for _ in range(chance.randint(2, 5)))
                parts.append(f"```bash\n{code}\n```")
        return Text(key or f"skills/{number:06d}.md", name, say(chance.choice(TRIGGERS)), "\n\n".join(parts) + "\n", {})

    def member(self, number: int, family: int) -> Text:
        """A skill made from the template of a family: only the product is its own."""
        text = self.skill(-1 - family, f"skills/{number:06d}.md")
        product = word(10_000_000 + number).capitalize()
        body = re.sub(r"\bthe (?=[a-z])", f"the {product} ", text.body, count=12)
        name = f"{product.lower()}-{text.name}"
        return text._replace(name=name, trigger=f"{product}: {text.trigger}", body=body)

    def _any(self, chance: random.Random, known: int) -> str:
        return word(int(math.exp(chance.random() * math.log(known))))

    def _sayer(self, chance: random.Random, known: int, topic: list[str], tool: str) -> Callable[[str], str]:
        def put(match: re.Match[str]) -> str:
            what = match[1]
            if what == "t":
                return tool
            if what == "n":
                return chance.choice(topic) if chance.random() < 0.35 else self._any(chance, known)
            verb = chance.choice(VERBS)
            return verb if what == "w" else verb.capitalize()

        return lambda text: re.sub(r"\{(\w)\}", put, text)


def skills(size: int, seed: int = 1) -> Made:
    writer, made = Writer(seed), Made([], {}, {})
    cases = [case for case in plant.CASES if case.same]
    for number in range(size):
        chance = random.Random(f"{seed}-{number}")
        if number % COPY_EVERY == COPY_EVERY - 1:
            of = made.texts[chance.randrange(number)]
            case = cases[number // COPY_EVERY % len(cases)]
            _, copy = case.make(of, chance, made.texts[chance.randrange(number)]) or (of, of)
            text = copy._replace(key=f"skills/{number:06d}.md")
            made.origin[text.key], made.case[text.key] = made.origin[of.key], case.name
        else:
            family = number // FAMILY_EVERY // FAMILY_HOLDS
            text = writer.member(number, family) if number % FAMILY_EVERY == 7 else writer.skill(number)
            made.origin[text.key] = text.key
        made.texts.append(text)
    return made


def from_folders(folders: list[str], limit: int) -> list[Text]:
    """The skills in folders of SKILL.md files that can be changed in all the ways: several steps, a whole trigger, no
    body twice. In an order that has nothing to do with their names."""
    found: dict[str, Text] = {}
    for path in sorted(_files(folders)):
        with open(path, encoding="utf-8", errors="replace") as stream:
            text = _text(path, stream.read())
        if text and len(plant.steps(text.body)) >= 6 and len(text.trigger.split()) >= 8:
            found.setdefault(" ".join(text.body.lower().split()), text)
    texts = list({text.name: text for text in found.values()}.values())
    random.Random(1).shuffle(texts)
    return texts[:limit]


def _files(folders: list[str]) -> Iterator[str]:
    for folder in folders:
        for place, _, names in os.walk(folder):
            if "SKILL.md" in names:
                yield os.path.join(place, "SKILL.md")


def _text(path: str, data: str) -> Text | None:
    import yaml

    front = re.match(r"\ufeff?---\r?\n(.*?)\r?\n---[ \t]*\r?\n(.*)", data, re.DOTALL)
    try:
        values = yaml.safe_load(front[1]) if front else None
    except (yaml.YAMLError, ValueError):
        return None
    if not front or not isinstance(values, dict):
        return None
    return Text(path, str(values.get("name", "")), str(values.get("description", "")), front[2], {})
