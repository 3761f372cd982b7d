"""The note that a candidate would become, as it would be written: captured words and links, no sentence of ours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from collections.abc import Iterable
from datetime import date
from typing import Any
from typing import NamedTuple

from vaultgit.checks import names
from vaultgit.checks.secrets import redact
from vaultgit.notes import patch
from vaultgit.notes.links import fold
from vaultgit.passes.consolidate.finding import CONCEPT
from vaultgit.passes.consolidate.finding import DECISION
from vaultgit.passes.consolidate.finding import PROJECT
from vaultgit.passes.consolidate.finding import Candidate
from vaultgit.passes.consolidate.finding import Mention
from vaultgit.passes.consolidate.inert import heading as as_heading
from vaultgit.passes.consolidate.inert import inert
from vaultgit.passes.consolidate.reading import one_line
from vaultgit.vault import Rules

CREATE, ADD = "create", "add"
STATUS = "active"  # of a project that captures speak of
MOST = 12  # lines of a draft, the newest; a person reads it in seconds
_LONGEST_NAME = 80  # characters of a file's name
_NOT_IN_LINKS = re.compile(r"[#^|\\\[\]`]+|%%")
_NO_TARGET = re.compile(r"[#^|\[\]\n\r]|%%")


class Draft(NamedTuple):
    """`path` of the note; `action`: create, or add (`text` is what is appended then, without front matter)."""

    path: str
    type: str
    action: str
    text: str


def draft(candidate: Candidate, rules: Rules, day: date, taken: Callable[[str], bool]) -> Draft:
    """The candidate as a note, or as lines for the note it adds to.

    `day`: today, for a decision whose daily note has no date in its name. `taken`: whether there is a file of that
    path, in any spelling. A user's own, stricter schema may ask for what captures do not say: the checks tell then.
    """
    mentions = candidate.mentions[-MOST:]
    lines = "".join(f"{one}\n" for one in dict.fromkeys(bullet(mention, rules) for mention in mentions))
    if candidate.note:
        return Draft(candidate.note, candidate.type, ADD, lines)
    name = redact(one_line(candidate.name))[0] or candidate.type
    path = _path(name, candidate, rules, taken)
    head = patch.set_properties(b"", _properties(candidate, name, mentions, rules, day)).decode()
    return Draft(path, candidate.type, CREATE, f"{head}\n# {as_heading(name)}\n\n{lines}")


def bullet(mention: Mention, rules: Rules) -> str:
    """A mention as a list item: its words, and a link to the heading they stand under. It tells what a note holds
    already, too."""
    words = redact(inert(mention.line))[0]
    link = link_to(mention.path, mention.heading, rules)
    return f"- {words} ({link})" if words and link else f"- {words or link}".rstrip()


def link_to(path: str, heading: str, rules: Rules) -> str:
    """A link to a heading as Obsidian makes it, "" to a note whose name no link can hold. Daily notes by their name,
    others, and those whose format makes folders, by their path."""
    target = _target(path)
    if not target:
        return ""
    if "/" not in rules.daily.format and rules.daily.day(path) is not None:
        target = target.rpartition("/")[2]
    within = " ".join(_NOT_IN_LINKS.sub(" ", one_line(heading)).split())
    return f"[[{target}#{within}]]" if within else f"[[{target}]]"


def _target(path: str) -> str:
    target = path.removesuffix(".md")
    return "" if _NO_TARGET.search(target) or one_line(target) != target or not target else target


def _properties(
    candidate: Candidate, name: str, mentions: Iterable[Mention], rules: Rules, day: date
) -> dict[str, Any]:
    key = rules.settings.type_key
    values: dict[str, Any] = {key: candidate.type}
    if candidate.type == DECISION:
        said = (rules.daily.day(mention.path) for mention in mentions)
        values["date"] = next((one for one in said if one is not None), day).isoformat()
        values["project"] = f"[[{_target(candidate.project)}]]"
        if candidate.replaces:
            values["replaces"] = f"[[{_target(candidate.replaces)}]]"
        return values
    values["name"] = name
    if candidate.type == PROJECT:
        values["status"] = STATUS
    elif candidate.type == CONCEPT:
        # By their paths: a name may be that of a second note some day, and then the field would mean two.
        sources = dict.fromkeys(target for mention in mentions if (target := _target(mention.path)))
        values["sources"] = [f"[[{target}]]" for target in sources]
    return values


# -- paths -------------------------------------------------------------------------------------------------------


def _path(name: str, candidate: Candidate, rules: Rules, taken: Callable[[str], bool]) -> str:
    folder = rules.folder(candidate.type)
    prefix = f"{folder}/" if folder else ""
    stem = _linked(name, candidate.mentions) or kebab(name)
    number = 1
    while True:
        path = names.suggest(f"{prefix}{stem}{f'-{number}' if number > 1 else ''}.md")
        if not taken(path):
            return path
        stem = kebab(name)
        number += 1


def kebab(name: str) -> str:
    """A name as a file's: small letters of any script, words joined by hyphens; never empty."""
    words = re.findall(r"\w+", re.sub(r"['’]", "", unicodedata.normalize("NFC", fold(one_line(name)))))
    stem = "-".join(words).replace("_", "-")
    stem = re.sub(r"-{2,}", "-", stem)[:_LONGEST_NAME].strip("-")
    return stem or "note"


def _linked(name: str, mentions: Iterable[Mention]) -> str:
    """The name as captures link it, where every system can hold it: a link finds a note by its file's name alone."""
    target = re.compile(rf"\[\[{re.escape(name)}(?:[#|][^\[\]]*)?\]\]")
    if not any(target.search(mention.line) for mention in mentions):
        return ""
    return name if names.suggest(f"{name}.md") == f"{name}.md" and "/" not in name and not name.startswith(".") else ""
