"""Which parts of which logs stand in the vault already, as history says it: `Captured:` trailers.

    Captured: CLIENT CONVERSATION START-END SHA16

A conversation is called as its log is, or by a digest of that name where it looks like a secret: no message may hold
one. START-END are bytes of the conversation's log, SHA16 the first digits of the SHA-256 of just these bytes: proof
that a file of that name is still the one that was read. A commit carries its ranges however it was merged, squashed or
picked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote
from urllib.parse import unquote

from vaultgit.checks.secrets import redact
from vaultgit.clock import time_in
from vaultgit.edits import queue
from vaultgit.history import log
from vaultgit.vault import Vault

TRAILER = "Captured"
UNTIL = "Spoken until "  # begins a line of the reason: the time of the last words
_UNTIL = re.compile(rf"^[^\S\n]*{UNTIL}(\S+?)\.?[^\S\n]*$", re.MULTILINE)
_LINE = re.compile(r"^[^\S\n]*Captured: (\S+) (\S+) (\d{1,18})-(\d{1,18}) ([0-9a-f]{16})[^\S\n]*$", re.MULTILINE)


class Range(NamedTuple):
    """A part of a log that was captured. `when`: what was written there was said until then."""

    client: str
    conversation: str
    start: int
    end: int
    sha: str
    when: datetime | None = None

    @property
    def value(self) -> str:
        """As a trailer holds it."""
        return f"{self.client} {_quoted(called(self.conversation))} {self.start}-{self.end} {self.sha}"


def called(conversation: str) -> str:
    """What a conversation is called in the ranges of history: its name, or a digest of one that looks like a secret."""
    if not (redact(conversation)[1] or redact(_quoted(conversation))[1]):
        return conversation
    return f"redacted-{sha256(os.fsencode(conversation)).hexdigest()[:16]}"


def _quoted(conversation: str) -> str:
    return quote(os.fsencode(conversation), safe="")


def in_history(vault: Vault, after: str = "") -> list[Range]:
    """The ranges of all commits; with `after`, a commit, of those since. Raises GitError where it is gone."""
    which = ["HEAD", f"^{after}"] if after else ["--all"]
    found = log.commits(vault.repo, [*which, "--extended-regexp", f"--grep=^[[:space:]]*{TRAILER}: "])
    return [one for commit in found for one in parsed(commit.message, commit.authored)]


def in_queue(vault: Vault) -> list[Range]:
    """Those of edits that have not landed yet."""
    waiting = queue.entries(vault.repo, vault.state, vault.prefix)
    return [one for edit in waiting for one in parsed(edit.message.decode("utf-8", "replace"), edit.when)]


def parsed(message: str, when: datetime | None = None) -> Iterable[Range]:
    """The ranges that a commit message names. `when`: of the commit."""
    said = [found for text in _UNTIL.findall(message) if (found := time_in(text)) is not None]
    until = max(said, default=when)
    for client, conversation, start, end, sha in _LINE.findall(message):
        if int(start) < int(end):
            yield Range(client, unquote(conversation, errors="surrogateescape"), int(start), int(end), sha, until)
