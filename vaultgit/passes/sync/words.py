"""What git says about a remote, and what it means: later, look again, or something for a person.

Patterns are git's own English words: LC_ALL=C.UTF-8 holds for every child.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

_NO_ENTRY = re.compile(
    r"permission denied|authentication failed|could not read (?:username|password)|host key verification failed|"
    r"access denied|not authori[sz]ed|unauthori[sz]ed|terminal prompts disabled|returned error: 4(?:0[0-79]|1[0-9])|"
    r"repository .*not found|does not appear to be a git repository|no such repository|certificate|"
    r"dubious ownership|not allowed|no space left|disk quota|read-only file system",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"could not resolve|name resolution|name or service not known|nodename nor servname|no address associated|"
    r"connection (?:refused|reset|closed|timed out|was reset)|timed out|timeout|network is (?:unreachable|down)|"
    r"no route to host|host is down|failed to connect|couldn't connect|could ?n[o']t connect|empty reply|"
    r"hung up unexpectedly|early eof|unexpected disconnect|rpc failed|returned error: (?:5\d\d|408|425|429)|too slow|"
    r"gnutls_handshake|ssl_error_syscall|ssl_connect|connection closed|broken pipe|kex_exchange|transfer closed",
    re.IGNORECASE,
)
# An answer, and not git's: the login page of a hotel's network, or a wrong address.
PAGE = re.compile(r"not valid: is this a git repository|unable to update url base from redirection", re.IGNORECASE)
AT_ONCE = re.compile(r"cannot lock ref|unable to lock|\.lock': file exists|could not lock config", re.IGNORECASE)
RACED = re.compile(r"lock|failed to update ref|old value|is at [0-9a-f]+ but expected|reference already exists", re.I)
NOT_PUSHED = "error: failed to push some refs"
COUNTED = re.compile(r"(Receiving objects|Resolving deltas|Writing objects|remote: Counting objects):.*\((\d+)/\d+\)")
_PROGRESS = re.compile(r"^(?:remote: )?[A-Z][a-z]+ (?:objects|deltas)|^Delta compression|^(?:remote: )?Total \d|^hint:")


class Away(Exception):
    """Nothing can be done now, and the next sync does it; the text says why."""


class Moved(Exception):
    """The remote, or a ref of it here, changed while it was looked at; the text says what. Look again."""


class Shallow(Exception):
    """The remote cannot take a push from a clone that ends where this one does."""


def is_away(line: str) -> bool:
    """Whether a line says that the remote cannot be reached now."""
    return bool(_AWAY.search(line))


def is_later(words: str) -> bool:
    """Whether the next try may do: the remote is away, and nobody was turned away."""
    return is_away(words) and not _NO_ENTRY.search(words)


def without_progress(err: bytes) -> str:
    """What git said on standard error, but for how far it was."""
    lines = re.split(r"[\r\n]+", err.decode("utf-8", "replace"))
    return "\n".join(line.rstrip() for line in lines if line.strip() and not _PROGRESS.match(line))


def masked(words: str, urls: Iterable[str]) -> str:
    """Words of git's without the user names, passwords and query that addresses hold: those of `urls`, and any
    other."""
    for url in urls:
        query = url.partition("?")[2]  # ?private_token=…
        if query and "://" in url:
            words = words.replace(query, "***")
        held = re.match(r"[a-z+]+://([^/\s]+)@", url)
        if held and (":" in held[1] or url.startswith("http")):
            words = words.replace(f"{held[1]}@", "***@")
    words = re.sub(r"\b(https?://)[^/\s'\"]+@", r"\1***@", words)
    return re.sub(r"\b([a-z+]+://)[^/\s'\"@:]+:[^/\s'\"]*@", r"\1***@", words)


def answers(out: bytes) -> list[tuple[str, str, str]]:
    """Sign, branch and words of each ref that `git push --porcelain` tells about."""
    found = []
    for line in os.fsdecode(out).splitlines():
        parts = line.split("\t")
        if len(parts) == 3 and ":refs/heads/" in parts[1]:
            found.append((parts[0], parts[1].partition(":refs/heads/")[2], parts[2]))
    return found
