"""Which notes were clean when vaultgit last looked: what `record` may take for an agent's work.

A look is a list of the files that differ from what git holds. It is derived and lies in the cache: without one `record`
asks for the notes by name.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from typing import Any
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.history import private
from vaultgit.history import refs
from vaultgit.vault import Vault

OWN = 3600  # seconds that an agent's own look is good for
SET_UP = "init"  # who looked when the vault was set up
FRESH = 600  # seconds that that one is good for; nobody else's is: meanwhile a person may have typed
_FILE = "seen.json"


class Look(NamedTuple):
    """`dirty`: path -> what told its bytes from others then."""

    when: datetime
    who: str
    dirty: dict[str, list[int]]


def unsaved(vault: Vault) -> list[str]:
    """Files of the vault that differ from the last commit, or that git does not hold (nor ignores)."""
    out = vault.repo.run(
        "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", vault.prefix or "."
    )
    return [os.fsdecode(entry[3:])[len(vault.prefix) :] for entry in out.split(b"\0") if entry]


def look(vault: Vault, clock: Clock, who: str | None, dirty: list[str] | None = None) -> None:
    """Notes what is unsaved now (`dirty`, where the caller knows it). `who`: the agent's session or name, or SET_UP;
    what a person looks at takes nobody's look away."""
    if not who:
        return
    found = {path: stamp(vault, path) for path in (unsaved(vault) if dirty is None else dirty)}
    head = refs.tip(vault.repo, "HEAD") or ""
    record = {"when": clock.now().isoformat(), "who": who, "where": _where(vault), "head": head, "dirty": found}
    target = os.path.join(vault.cache, _FILE)
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        private.make(vault.cache)
        with open(temporary, "w", encoding="ascii") as stream:
            json.dump(record, stream)
        os.rename(temporary, target)
    except OSError:
        pass  # then the next `record` asks


def last(vault: Vault, clock: Clock, who: str | None) -> Look | None:
    """The last look, where it is still good for `who`."""
    try:
        with open(os.path.join(vault.cache, _FILE), encoding="ascii") as stream:
            record: dict[str, Any] = json.load(stream)
        found = Look(datetime.fromisoformat(record["when"]), str(record["who"]), dict(record["dirty"]))
        age = (clock.now() - found.when).total_seconds()
        here = record["where"] == _where(vault) and _follows(vault, str(record["head"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    good = OWN if who and found.who == who else FRESH if found.who == SET_UP else 0
    return found if here and 0 <= age < good else None


def _where(vault: Vault) -> list[str]:
    """Which work tree and which vault of a repository: they share one cache."""
    return [vault.repo.place, vault.prefix]


def _follows(vault: Vault, head: str) -> bool:
    """Whether history went on since: after a reset a person's own commits would lie there like an agent's work."""
    tip = refs.tip(vault.repo, "HEAD") or ""
    return head == tip or (bool(head and tip) and refs.is_ancestor(vault.repo, head, tip))


def is_as_seen(vault: Vault, path: str, seen: Look) -> bool:
    """Whether a note that was dirty at a look still lies there as it did."""
    return seen.dirty.get(path) == stamp(vault, path)


def stamp(vault: Vault, path: str) -> list[int]:
    """How many bytes a file has, and when it was written (nanoseconds); [] where there is none."""
    try:
        stat = os.lstat(vault.full(path))
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]
