"""An edit: some paths, their new bytes, what they were based on, a line, a reason. And the commit message it makes."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any
from typing import NamedTuple

from vaultgit.checks.message import without_hiding
from vaultgit.checks.secrets import redact
from vaultgit.clock import Clock
from vaultgit.errors import UsageError

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
ID = re.compile(r"[0-9a-hjkmnp-tv-z]{16}")
# A commit carries an id wherever a line of its message says so: squash merges indent the messages they join.
CARRIED = re.compile(r"^[^\S\n]*Edit: ([0-9a-hjkmnp-tv-z]{16})[^\S\n]*$", re.MULTILINE)
OWN_TRAILER = re.compile(r"(Agent|Session|Edit|Trigger|Undoes|Again|Recorded-in|Captured|Proposed-by): ", re.IGNORECASE)
_TRAILER = re.compile(r"^([A-Za-z][A-Za-z0-9-]*): |^\(cherry picked from")
_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SUBJECT_LIMIT = 100  # characters
SESSION_LIMIT = 200  # characters
RECORD = "record"  # action of a change that lies on disk before it is an edit
ANSWERED = "answer"  # action of a change to what a person answers in: their ticks are committed first, as theirs
RECORDED_IN = "Recorded-in"  # trailer: the person's commit that took the change along


class Derived(str):
    """A line that was derived from a change. `bare`: the same without words of the notes, for those that git stores
    through a filter (git-crypt): the line stands in the commit's message and in changelog.md."""

    bare: str

    @classmethod
    def of(cls, line: str, bare: str) -> Derived:
        made = cls(line)
        made.bare = bare
        return made


class By(NamedTuple):
    """Who edits. `agent` None: a person, as git knows them."""

    agent: str | None = None
    session: str | None = None


class PathChange(NamedTuple):
    """One path's part of an edit: text as it lies on disk, None where there is no file.

    `path` is relative to the vault. `action` says what was asked for (write, append, set, delete, move, record).
    """

    path: str
    base: bytes | None
    new: bytes | None
    action: str = "write"


def moves(changes: Sequence[PathChange]) -> list[tuple[PathChange, PathChange]]:
    """The files that an edit moves: (under the new name, under the old one). The two stand side by side."""
    return [
        (new, old)
        for new, old in pairwise(changes)
        if new.action == old.action == "move" and new.base is None is old.new and None not in (new.new, old.base)
    ]


class Edit(NamedTuple):
    """One intended change, as the queue keeps it."""

    id: str
    changes: tuple[PathChange, ...]
    subject: str
    reason: str
    author: tuple[str, str]  # name, address
    agent: str | None  # None: a person's
    trailers: tuple[tuple[str, str], ...]  # all of them, in order
    authored: str  # ISO 8601 with zone
    branch: str | None  # full ref name; None: whichever is checked out when it lands
    place: str  # of the work tree it was made in (Repository.place)
    prefix: str  # of the vault in that work tree
    fingerprint: str  # equal for an identical edit: same paths, bytes, base
    order: int  # nanoseconds: in which order edits were made, also within a millisecond
    attempts: int = 0
    merges: str = ""  # the commit that it brings in as a second parent: a review branch that a person accepts
    upon: str = ""  # of such a one: the commit of the vault's branch that it was made for

    @property
    def when(self) -> datetime:
        return datetime.fromisoformat(self.authored)

    @property
    def message(self) -> bytes:
        return message(self.subject, self.reason, self.trailers)


def new_id(clock: Clock) -> str:
    """16 characters: 45 bits of time in milliseconds, then 35 random bits, so that ids sort by time."""
    number = (clock.millis() & (1 << 45) - 1) << 35 | int.from_bytes(clock.random(5), "big") & (1 << 35) - 1
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(75, -1, -5))


def agent_author(agent: str, emails: dict[str, str]) -> tuple[str, str]:
    """The author of an agent's commits. Raises UsageError for a name that is no plain word, or a secret."""
    if not _AGENT.fullmatch(agent):
        raise UsageError(f"{agent!r} is no agent's name", "use letters, digits, dots, dashes: --agent claude-code")
    if redact(agent)[1]:
        raise UsageError("that is no agent's name, but a secret", "say who edits: --agent claude-code")
    return agent, emails.get(agent, f"{agent}@agents.vaultgit.invalid")


def session_word(session: str) -> str:
    """A session's id as its trailer has it: clients may call theirs anything. Secrets in it are masked. "" where
    nothing of it can stay."""
    return " ".join(without_hiding(redact(session)[0]).split())[:SESSION_LIMIT].strip()


def message(subject: str, reason: str, trailers: Sequence[tuple[str, str]]) -> bytes:
    """A commit message: subject, reason, trailers. Lines of the reason that look like trailers are indented, and one
    that would claim an edit's id (ids count indented, too) is quoted."""
    lines = [
        f"  > {line.strip()}" if CARRIED.match(line) else f"  {line}" if _TRAILER.match(line) else line.rstrip()
        for line in reason.strip().splitlines()
    ]
    parts = [subject]
    if lines:
        parts.append("\n".join(lines))
    if trailers:
        parts.append("\n".join(f"{key}: {value}" for key, value in trailers))
    return ("\n\n".join(parts) + "\n").encode("utf-8", "surrogateescape")


def shorten(subject: str) -> str:
    """A derived subject, cut to the limit."""
    subject = " ".join(subject.split())
    return subject if len(subject) <= SUBJECT_LIMIT else subject[: SUBJECT_LIMIT - 1].rstrip() + "…"


def scope(paths: Sequence[str]) -> str:
    """What a subject starts with: the note's path without .md; for several notes their folder, else "vault"."""
    if len(paths) == 1:
        return paths[0].removesuffix(".md")
    common = os.path.commonpath(paths) if paths else ""
    return common or "vault"


# -- as the queue and the plans store it: JSON, bytes as text with surrogate escapes (lossless, PEP 383) ---------


def pack(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def unpack(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def to_json(edit: Edit) -> dict[str, Any]:
    record = edit._asdict()
    record["changes"] = [[c.path, pack(c.base), pack(c.new), c.action] for c in edit.changes]
    return record


def from_json(record: dict[str, Any]) -> Edit:
    """The inverse of to_json. Raises KeyError, TypeError or ValueError for what is no edit."""
    changes = tuple(PathChange(p, unpack(b), unpack(n), a) for p, b, n, a in record["changes"])
    fields = {**record, "changes": changes, "author": tuple(record["author"])}
    fields["trailers"] = tuple((k, v) for k, v in record["trailers"])
    return Edit(**fields)


def fingerprint(changes: Sequence[PathChange], who: tuple[str | None, ...]) -> str:
    """Recognises the same edit sent again (a client that retries after a time-out). `who`: agent, session, line."""
    import hashlib

    digest = hashlib.sha256(repr(who).encode())
    for change in sorted(changes):
        for part in (change.path.encode("utf-8", "surrogateescape"), change.base, change.new):
            digest.update(b"\0-" if part is None else b"%d:" % len(part) + part)
    return digest.hexdigest()
