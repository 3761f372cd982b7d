"""What is named by its form: links to notes that are not there, tags, identifiers in code, phrases of two words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.consolidate import stop
from vaultgit.passes.consolidate.reading import SOURCE_FILE
from vaultgit.passes.consolidate.reading import Line
from vaultgit.passes.consolidate.reading import fold
from vaultgit.passes.consolidate.reading import name_key


class Thing(NamedTuple):
    """`lines`: those that name it. `told`: some line says what it is, or that it is being built."""

    name: str
    key: str
    lines: tuple[int, ...]
    told: bool = False


_DAY = re.compile(r"\d{4}(?:-?W?\d{1,2}){0,2}(?:-\d{1,2})?")
_ATTACHMENT = re.compile(
    r"\.(?:png|jpe?g|gif|webp|svg|pdf|mp3|m4a|wav|mp4|mov|webm|zip|canvas|base|csv|xlsx|docx)$", re.IGNORECASE
)
_CODE_ENDING = re.compile(rf"{SOURCE_FILE}$", re.IGNORECASE)
_OID = re.compile(r"[0-9a-f]{6,}|[0-9]+|v?[0-9][\w.+-]*|0x[0-9a-f]+", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][\w.-]*\w")
_CALL = re.compile(r"\(\s*[^()]*\)$")
_SPAN = re.compile(r"`[^`]*`")
_TOOL = (
    r"(?:tool|script|cli|library|bot|crate|package|module|plugin|extension|service|daemon|command|app|program|helper"
    r"|importer|exporter|parser|scraper|wrapper|firmware)"
)
_VERB = (
    r"(?:build|building|built|write|writing|wrote|ship|shipping|shipped|release|released|publish|published|rename|renamed"
    r"|create|created|start|started)"
)
# What stands before and after the name of something that is being built: "a daemon called", "is a small library".
_IS_MADE = re.compile(
    rf"\b(?:{_VERB}(?:\s+(?:a|an|the|our|my|new|small|little))*(?:\s+[\w-]+){{0,2}}?|{_TOOL}(?:\s+is)?\s+(?:called|named))\s*\Z",
    re.IGNORECASE,
)
_IS_ONE = re.compile(rf"\s*(?:is|,|will be)\s+(?:a|an|the|our|my)(?:\s+[\w-]+){{0,3}}?\s+{_TOOL}\b", re.IGNORECASE)


def links(lines: Sequence[Line]) -> list[Thing]:
    """Targets of wikilinks, by their last part: no days, no attachments."""
    spelled: dict[str, Counter[str]] = {}
    where: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for target in line.links:
            name = " ".join(target.rpartition("/")[2].removesuffix(".md").split())
            key = name_key(name)
            if (
                key
                and any(sign.isalpha() for sign in key)
                and not _DAY.fullmatch(name)
                and not _ATTACHMENT.search(name)
            ):
                spelled.setdefault(key, Counter())[name] += 1
                where.setdefault(key, set()).add(number)
    return [Thing(_most(spelled[key]), key, tuple(sorted(where[key]))) for key in sorted(where)]


def tags(lines: Sequence[Line]) -> list[Thing]:
    """Tags; of a nested one the whole."""
    spelled: dict[str, Counter[str]] = {}
    where: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for tag in line.tags:
            key = name_key(tag)
            if len(key) > 2 and not key.isdigit() and key not in _EVERYDAY_TAGS:
                spelled.setdefault(key, Counter())[tag.strip("/").rpartition("/")[2]] += 1
                where.setdefault(key, set()).add(number)
    return [Thing(_most(spelled[key]), key, tuple(sorted(where[key]))) for key in sorted(where)]


_EVERYDAY_TAGS = stop.word_set(
    """todo idea ideas question open decision decisions note notes daily inbox draft later important urgent done wip
    fixme followup follow-up project projects work personal meeting meetings person people archive"""
)


def identifiers(lines: Sequence[Line]) -> list[Thing]:
    """Names of tools and files in code; files folded by their last part, with and without their ending."""
    spelled: dict[str, Counter[str]] = {}
    where: dict[str, set[int]] = {}
    told: set[str] = set()
    for number, line in enumerate(lines):
        for code in line.codes:
            name = _identifier(code)
            if not name:
                continue
            key = name_key(_CODE_ENDING.sub("", name))
            if len(key) < 3 or key in stop.COMMON_CODE:
                continue
            spelled.setdefault(key, Counter())[name] += 1
            where.setdefault(key, set()).add(number)
            if _is_told(line.text, name):
                told.add(key)
    return [Thing(_most(spelled[key]), key, tuple(sorted(where[key])), key in told) for key in sorted(where)]


def _identifier(code: str) -> str:
    """The name that a span of code is, "" for commands, flags, values, paths to folders, what everybody has."""
    name = _CALL.sub("", code.strip())
    if any(sign.isspace() for sign in name) or name.startswith(("-", "=", "$", "/etc", "/usr", "/var")):
        return ""
    name = name.replace("\\", "/").rpartition("/")[2].rpartition("::")[2]
    if not _NAME.fullmatch(name) or _OID.fullmatch(name) or name.startswith("_"):
        return ""
    low = name.lower()
    if low in stop.FILES or low in stop.COMMON_CODE or low in stop.NEVER or low in stop.FUNCTION:
        return ""
    return "" if name.isupper() or (name.isalpha() and low in stop.ORDINARY) else name


def is_tool(name: str) -> bool:
    """Whether a name is one of a program or file, rather than of a field or function in one."""
    return bool(_CODE_ENDING.search(name)) or "-" in name or (name.isalpha() and name.islower())


def _is_told(text: str, name: str) -> bool:
    return any(
        name in span[0]
        and (_IS_MADE.search(text, max(0, span.start() - 80), span.start()) or _IS_ONE.match(text, span.end()))
        for span in _SPAN.finditer(text)
    )


def phrases(lines: Sequence[Line], usage: stop.Usage) -> list[Thing]:
    """Two words that stand side by side on three lines or more, and mostly there: `conflict resolution`."""
    if not usage.words_tell:
        return []
    where: dict[str, set[int]] = {}
    spelled: dict[str, str] = {}
    for number, line in enumerate(lines):
        for one, other in zip(line.tokens, line.tokens[1:], strict=False):
            if other.joined and not one.owns and all(_may_be_in_phrase(t.key, t.text) for t in (one, other)):
                key = name_key(f"{one.key} {other.key}")
                where.setdefault(key, set()).add(number)
                spelled.setdefault(key, f"{one.text.lower() if one.opens else one.text} {other.text}")
    found = []
    for key in sorted(where):
        often = sorted(usage.all[fold(word)] for word in spelled[key].split())
        count = len(where[key])
        if count >= 3 and count >= 0.6 * often[0] and count >= 0.34 * often[-1]:
            found.append(Thing(spelled[key], key, tuple(sorted(where[key]))))
    return found


def _may_be_in_phrase(key: str, text: str) -> bool:
    return (
        len(key) > 2 and not text.isupper() and key not in stop.FUNCTION and key not in stop.NEVER
        and not key.endswith(("ly", "n't", "n’t")) and key not in _NO_PHRASE
    )  # fmt: skip


_NO_PHRASE = stop.word_set(
    """add ask tell use used using make made need needs want wants keep keeps run runs check checks fix fixed move
    moved remove removed drop dropped send sent get got put take took give gave go goes went come came say says said
    think thinks know knows look looks see seen try tried wait waiting start started stop finish finished write
    wrote read decided agreed instead week weeks day days month months year years hour hours minute minutes morning
    afternoon evening night time times decision idea context fact reminder correction question assistant version way
    lot bit thing things people everything remind remember let call called ordered order orders paid pay costs cost"""
)


def _most(spelled: Counter[str]) -> str:
    return min(spelled, key=lambda name: (-spelled[name], -len(name), name))
