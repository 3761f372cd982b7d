"""MS01 and MS02: an agent's commit says what it does, in words that hide nothing, and who made it.

The subject becomes a line of changelog.md, so it may hold nothing that a reader of the log or of the note
would not see. A person's message is free (obsidian-git's `vault backup: …` is fine).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem

if TYPE_CHECKING:
    from vaultgit.checks.change import Change

LONGEST = 100  # characters of a subject

# Control characters, Unicode's own line ends, bidirectional embeddings, overrides and isolates (they make
# text read otherwise than it is), halves of surrogate pairs (no UTF-8), and what Obsidian or HTML would hide.
_HIDING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]|%%|<!--")
_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]*): *(\S.*)")
_EDIT = re.compile(r"(?m)^[^\S\n]*Edit: [0-9a-hjkmnp-tv-z]{16}[^\S\n]*$")
_TRAILERS = frozenset(
    ("agent", "session", "edit", "trigger", "undoes", "again", "recorded-in", "captured", "proposed-by",
     "signed-off-by", "co-authored-by", "reviewed-by", "change-id")
)  # fmt: skip


class Parts(NamedTuple):
    subject: str
    reason: str
    trailers: dict[str, str]  # by lower-case key, the last value wins


def parts(message: str) -> Parts:
    """A commit message taken apart: first line, body without trailers, trailers.

    The last paragraph holds trailers if each of its lines looks like one and git or vaultgit knows at least
    one of the keys; so `Because: the register says so` alone is a reason.
    """
    subject, _, body = message.replace("\r\n", "\n").partition("\n")
    paragraphs = [part for part in re.split(r"\n[ \t]*(?=\n)", "\n" + body.rstrip()) if part.strip()]
    trailers: dict[str, str] = {}
    if paragraphs:
        lines = paragraphs[-1].strip("\n").split("\n")
        found = [_TRAILER.fullmatch(line) for line in lines if not _goes_on(line)]
        keys = {match[1].lower(): match[2].strip() for match in found if match}
        if found and all(found) and _TRAILERS.intersection(keys):
            trailers = keys
            del paragraphs[-1]
    return Parts(subject.strip(), "\n\n".join(part.strip("\n") for part in paragraphs).strip(), trailers)


def _goes_on(line: str) -> bool:
    return line[:1] in (" ", "\t") or line.startswith("(cherry picked from commit ")


def problems_of_subject(text: str) -> list[Problem]:
    """What forbids `text` as the subject of an agent's commit (MS01)."""
    if not text.strip("# \t\u200b\u200c\u200d\u2060\ufeff"):
        return [_problem(1, 1, "the subject says nothing", "say in one line what the edit does: NOTE: WHAT")]
    lines = text.splitlines()
    if len(lines) > 1:
        column = len(lines[0]) + 1
        return [_problem(1, column, "the subject is more than one line", "one line; the rest is the reason")]
    found = _hidden(text, 1)
    if len(text) > LONGEST:
        what = f"the subject has {len(text)} characters, {LONGEST} is the most"
        found.append(_problem(1, LONGEST + 1, what, "shorten it; details belong into the reason"))
    return found


def without_hiding(line: str) -> str:
    """A line with a blank in place of what would hide text (MS01), for what we write ourselves."""
    return _HIDING.sub(" ", line)


def problems_of_reason(text: str, first_line: int = 3) -> list[Problem]:
    """What forbids `text` as the body of an agent's commit (MS01). `first_line`: its line in the message."""
    return [
        problem
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), first_line)
        for problem in _hidden(line, number)
    ]


def check(change: Change) -> list[Problem]:
    """MS01, MS02."""
    if change.message is None:
        return []
    found = _unsigned(change.message) if change.agent_environment else []
    if change.agent is None:
        return found
    subject, _, body = change.message.rstrip("\n").partition("\n")
    found += problems_of_subject(subject.rstrip("\r"))
    if body.partition("\n")[0].strip():
        found.append(_problem(2, 1, "the subject is more than one line", "leave the second line empty"))
    return found + problems_of_reason(body, 2)


def _unsigned(message: str) -> list[Problem]:
    missing = [] if "agent" in parts(message).trailers else ["Agent"]
    if _EDIT.search(message) is None:
        missing.append("Edit")
    if not missing:
        return []
    what = f"an agent's commit without its trailers ({', '.join(missing)})"
    mend = "vaultgit write, set, append or apply commit for you; a person commits outside the agent's environment"
    return [Problem(MESSAGE, 1, 1, "MS02", what, mend)]


def _hidden(line: str, number: int) -> list[Problem]:
    match = _HIDING.search(line)
    if match is None:
        return []
    what = match[0] if len(match[0]) > 1 else f"U+{ord(match[0]):04X}"
    return [_problem(number, match.start() + 1, f"{what} would hide text from a reader of the log", "leave it out")]


def _problem(line: int, column: int, message: str, mend: str) -> Problem:
    return Problem(MESSAGE, line, column, "MS01", message, mend)
