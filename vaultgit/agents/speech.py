"""What the readers of logs share: words as they may be kept, times, and keys. Takes any JSON value, raises nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC
from datetime import datetime
from typing import Any

# A terminal's sequences: CSI; a string (OSC, DCS, …) with its end; all others.
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PLAIN_ID = re.compile(r"[\w.:-]{1,100}", re.ASCII)


def clean(text: str) -> str:
    """The words as a note can hold them: lone surrogates replaced, terminal sequences and control characters but
    newline and tab left out, a carriage return as the newline that it stands for; no white space around."""
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text)).strip()


def line(value: Any) -> str:
    """A name or path on one line; "" for what is no text."""
    return " ".join(clean(value).split("\n")) if isinstance(value, str) else ""


def texts(content: Any, kinds: Iterable[str]) -> list[str]:
    """The texts in a message's content, which is one text or a list of blocks that each name their kind."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    found = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") in tuple(kinds)]
    return [text for text in found if isinstance(text, str)]


def without(text: str, tag: str) -> str:
    """The text without each <tag>…</tag>. One that has no end is left: it is a word about the tag. Linear in time."""
    opened, closed, kept, at = f"<{tag}>", f"</{tag}>", [], 0
    while (start := text.find(opened, at)) >= 0 and (end := text.find(closed, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(closed)
    return "".join([*kept, text[at:]])


def when(value: Any) -> datetime | None:
    """The time in an ISO timestamp, with its zone (the logs' own is UTC). None for what is no time of a log: outside
    of 2000 to 2199, it could not be told in every zone."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) and "T" in value else None
    except ValueError:
        return None
    if found is None or not 2000 <= found.year < 2200:
        return None
    return found if found.utcoffset() is not None else found.replace(tzinfo=UTC)


def identity(value: Any) -> str:
    """A record's own id as part of a key: itself, or a digest of one that is long or odd; "" where it is none."""
    if not isinstance(value, str) or not value:
        return ""
    return value if _PLAIN_ID.fullmatch(value) else digest(value)


def digest(*parts: Any) -> str:
    """A short name for these texts and whole numbers (what else is given counts as nothing), the same in each process
    and version: of the texts as the log has them."""
    import hashlib  # milliseconds, and a hook has nothing to digest

    told = "\0".join(part if isinstance(part, str) else hex(part) if isinstance(part, int) else "" for part in parts)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
