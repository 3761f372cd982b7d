"""Files beside a skill: what points to one that is not known to be there is nothing to bring over."""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Iterable

from vaultgit.passes.join import wording
from vaultgit.passes.join.joints import Misplaced
from vaultgit.passes.join.sections import Text
from vaultgit.passes.join.versions import ALIKE

_NAMED = re.compile(r"`([^`\n]+)`|\]\(([^)\s]{1,2000})")
_FILE = re.compile(r"(?<![\w/.~$:@-])(?:\./)*((?:[\w.@-]+/)+[\w.-]*\w\.[A-Za-z]\w{0,5})(?![\w/])")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_DOCUMENT = re.compile(r"\.(?:md|mdx|txt|rst|pdf|html)\b", re.IGNORECASE)
_POINTS = re.compile(
    r"\b(?:see|read|refer|open|consult|moved|lives?|details?|detailed|documented|described|examples?|templates?|originally)\b",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"\b(?:run|write|save|create|update|add|append|commit|generate|copy|edit|put|store|delete|remove|execute|fill|"
    r"must|never|always|not)\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:that|this|the) (?:file|document|section|reference)\b|\bit (?:has|holds|contains)\b", re.IGNORECASE
)
_ORIGIN = re.compile(r"[\s*_>(]*Originally a \d+-byte section", re.IGNORECASE)
_FIRST = re.compile(r"[\s*_]*(?:[-+*]\s+)?[*_]*(?:`|\[[^\]\n]*\]\()")


def unknown(text: Text, blocks: Iterable[int], known: str, files: Collection[str]) -> set[int]:
    """The blocks that name a relative file, in code or as a link's target, that neither the other text nor `files`
    names. Code in a fence is not looked at: it makes the files it names."""
    found = set()
    for at in blocks:
        block = text.blocks[at]
        names = _files(block.text) if block.kind != "code" else ()
        if any(name not in known and name not in files for name in names):
            found.add(at)
    return found


def alone(base: Text, mine: list[int], other: Text, new: Collection[int], unknown: set[int]) -> None:
    """Raises Misplaced where new blocks that name such files do more than point to them, are not all that is new, or
    say in other words what the base says. `mine`: the blocks that only the base has."""
    if not unknown:
        return
    told = [at for at in unknown if not points(other, at)]
    told += [at for at in unknown for own in mine if wording.share(base.blocks[own], other.blocks[at]) >= ALIKE]
    if told or any(at not in unknown and not _only_leads(other, at, unknown) for at in new):
        words = wording.short(other.blocks[min(told or unknown)].words)
        raise Misplaced(f"it leans on files of its own: “{words}”")


def trimmed(base: Text, mine: list[int], known: str, files: Collection[str]) -> None:
    """Raises Misplaced where the base moved to a file what would now be added again."""
    for at in sorted(unknown(base, mine, known, files)):
        if points(base, at):
            raise Misplaced(f"the other one has itself what this points to: “{wording.short(base.blocks[at].words)}”")


def points(text: Text, at: int) -> bool:
    """It says where to read more, and nothing to do: no step, no command."""
    block = text.blocks[at]
    if block.kind != "prose":
        return False
    return all(_is_pointer(sentence) for sentence in _SENTENCE.split(block.text.strip()))


def _is_pointer(sentence: str) -> bool:
    plain = _NAMED.sub(" ", sentence)
    names = _files(sentence)
    if not names:
        return bool(_BACK.search(sentence) or _ORIGIN.match(sentence)) and not _ACTS.search(plain)
    said = bool(_POINTS.search(plain) or _FIRST.match(sentence)) and not _ACTS.search(plain)
    return said and all(_DOCUMENT.search(name) for name in names)


def _files(text: str) -> list[str]:
    found = []
    for code, target in _NAMED.findall(text):
        if "://" not in (code or target):
            found += _FILE.findall(code or target)
    return [name for name in found if not name.startswith("../")]  # a link to another note: who calls moves it along


def _only_leads(text: Text, at: int, unknown: set[int]) -> bool:
    """A heading of nothing else, or a sentence that leads to what points there."""
    block = text.blocks[at]
    if block.kind == "heading":
        return not block.is_step
    return block.kind == "prose" and at + 1 in unknown and block.words.rstrip("*_ ").endswith(":")
