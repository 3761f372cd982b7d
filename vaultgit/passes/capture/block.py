"""What a capture writes into a daily note: a block under a heading of its time, one line an item."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from datetime import tzinfo

from vaultgit.agents.dialogue import PERSON
from vaultgit.checks.secrets import redact
from vaultgit.edits import compose
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import shorten
from vaultgit.edits.submit import current
from vaultgit.notes.plain import plain
from vaultgit.passes.capture import aimed
from vaultgit.passes.capture import markup
from vaultgit.passes.capture.reading import Piece
from vaultgit.passes.engines.prompt import SENTINEL
from vaultgit.passes.engines.prompt import Prompt
from vaultgit.passes.engines.prompt import render
from vaultgit.vault import Vault

# Items by the conversation that they come from, "" where that is not known.
Items = list[tuple[str, list[str]]]

NOTHING = "NOTHING"
_SO_FAR = "so far, the note"
_MOST = 200  # items of one answer: more are none
_PROSE = 600  # characters of an answer without a bullet that is taken line by line
_NOTE = 8_000  # characters of the day's note that an engine sees: its end
_TASK = f"""\
Write down what is worth remembering of these conversations, for the daily note of the person who had them, and is not
in the note yet. One line an item, each beginning with "- ": decisions with their reason, corrections, open questions,
what is still to be done or asked of somebody, ideas, lasting facts and preferences, findings, dead ends. Keep names,
numbers and dates. Say who said it where that matters. At most 25 words a line, and 40 lines.
What the person says later replaces what was said before about the same thing. Leave out small talk, output of tools,
what was dropped, and every secret. Where nothing is worth remembering, answer with the one word {NOTHING}."""
_OURS = re.compile(rf"{SENTINEL}|What stands between the fences|Data \d+, |`{{3,}}|~{{3,}}")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_NONE = re.compile(
    rf"\W*(?:{NOTHING}\b|nothing (?:new|worth|is worth|to (?:add|note|remember|write))\b)", re.IGNORECASE
)
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_NO_PROSE = re.compile(r"\s*(?:<[!a-z]|[{\[]\s*[\"{\[]|%PDF|\x7fELF)", re.IGNORECASE)


def by_rules(pieces: Sequence[Piece]) -> Items:
    """What rules find in the pieces."""
    from vaultgit.passes.capture import rules  # here: most runs find nothing new, and it is slow to import

    found: dict[str, list[str]] = {}
    for piece in pieces:
        lines = [_safe(f"{line.kind}: {line.text}") for line in rules.worth(piece.turns, piece.before)]
        found.setdefault(name(piece), []).extend(line for line in lines if line)
    return [(conversation, lines) for conversation, lines in found.items() if lines]


def prompt(vault: Vault, path: str, pieces: Sequence[Piece]) -> Prompt:
    """What an engine is asked."""
    note = redact((current(vault, path) or b"").decode("utf-8", "replace"))[0][-_NOTE:]
    data = [(f"{_SO_FAR} {path}", note)] if note.strip() else []
    for piece in pieces:
        lines = [_spoken(turn.by, turn.text) for turn in piece.turns if turn.text.strip()]
        if piece.before:
            lines.insert(0, "[before, noted already]\n" + "\n".join(_spoken(t.by, t.text[-600:]) for t in piece.before))
            lines.insert(1, "[new]")
        data.append((name(piece) or "a conversation", "\n\n".join(lines)))
    return Prompt(_TASK, tuple(data))


def _spoken(by: str, text: str) -> str:
    return f"- {'person' if by == PERSON else 'agent'}: {text.strip()}"


def answered(text: str, asked: Prompt) -> tuple[Items, str]:
    """The items in an engine's answer, and what is wrong with it (without the conversation's name: the caller knows
    it). Items are lines, and only lines: nothing of them runs
    or hides anything in a note, and what the note says already, or the prompt, is none."""
    text = redact(_THOUGHT.sub("", text.replace("\r\n", "\n")))[0]  # a key has lines, and an item is one
    if _NO_PROSE.match(text) or text.count("\ufffd") > len(text) / 20:
        return [], "answered with something that is no text"
    lines = [line for line in text.split("\n") if line.strip()]
    bullets = [line for line in lines if _BULLET.match(line)]
    if not bullets and (not lines or _NONE.match(lines[0])):
        return [], ""
    if not bullets and len(text) > _PROSE:
        return [], f"answered with {len(text):,} characters, and no line of them is an item"
    ours = {line.strip() for line in render(asked)[0].split("\n")}  # of one that says its prompt back
    known = {line.strip() for label, data in asked.data if label.startswith(_SO_FAR) for line in data.split("\n")}
    wanted = [line for line in bullets or lines if line.strip() not in ours | known and not _OURS.search(line)]
    items = [item for line in wanted if (item := _safe(_BULLET.sub("", line))) and not _NONE.match(item)]
    if len(items) > _MOST:
        return [], f"answered with {len(items):,} items"
    return [("", items)] if items else [], ""


def _safe(line: str) -> str:
    """A line for the note: plain, with no secret that only its marks had hidden, no instruction to AI tools, no address
    that starts a program, and nothing that a plugin reads."""
    return plain(markup.unread(markup.unaddressed(aimed.without(redact(plain(line))[0])[0])))


def name(piece: Piece) -> str:
    """`In csv-import, with claude-code`: which conversation this is, for a person."""
    folder = next((turn.folder for turn in piece.turns if turn.folder), "")
    base = os.path.basename(folder.rstrip("/\\").replace("\\", "/"))
    shown = markup.neutral(base)
    base = "" if any(aimed.without(one)[1] or redact(one)[1] for one in (base, shown)) else plain(shown, 60)
    return f"In {base}, with {piece.found.client.NAME}" if base else f"With {piece.found.client.NAME}"


def heading(vault: Vault, pieces: Iterable[Piece], zone: tzinfo | None) -> str:
    """The heading's text: the time of the last words."""
    last = max(turn.when for piece in pieces for turn in piece.turns if turn.when is not None)
    return vault.settings.capture.heading.replace("{time}", f"{last.astimezone(zone):%H:%M}").lstrip("# ")


def change(vault: Vault, path: str, new: bytes, title: str, items: Items, agent: str) -> PathChange:
    """The note with one block more; `new`: what it is made of where there is none. Raises Refused where the path cannot
    be written."""
    added = text(items).encode("utf-8", "replace")
    there = current(vault, path, agent)
    if there is None:
        gap = b"" if new.endswith(b"\n\n") else b"\n" if new.endswith(b"\n") else b"\n\n"
        return PathChange(path, None, new + gap + f"## {title}\n\n".encode() + added, "append")
    if _holds(there, title):
        added = b"\n" + added  # two captures of one minute
    return compose.append(vault, path, added, title, agent)


def _holds(note: bytes, title: str) -> bool:
    return f"## {title}" in note.decode("utf-8", "replace").splitlines()


def text(items: Items) -> str:
    """The block below its heading."""
    return "\n".join(_lines(items)) + "\n"


def _lines(items: Items) -> Iterator[str]:
    for number, (conversation, lines) in enumerate(items):
        if number:
            yield ""
        if conversation:
            yield f"{conversation}:"
            yield ""
        yield from (f"- {line}" for line in lines)


def subject(path: str, items: Items, pieces: Sequence[Piece]) -> str:
    """The line of the edit."""
    number = sum(len(lines) for _, lines in items)
    from_ = list(dict.fromkeys(name(piece).removeprefix("In ").partition(",")[0] for piece in pieces))
    what = f"captured {number} item{'s' if number != 1 else ''} from {', '.join(from_[:3])}"
    return shorten(compose.plain(f"{path.removesuffix('.md')}: {what}{' and others' if len(from_) > 3 else ''}"))
