"""What an agent's own tools wrote into a note and a rule refused: what the note was before, until the agent mends it.

The refused text lies on disk, where the agent's next change starts from it. Without this that change would be compared
with what is committed as if a person had written the refused text. Derived (P7): without it the mended note waits in
the inbox. No text is kept here: it may be a secret.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence

from vaultgit.edits import compose
from vaultgit.edits.edit import PathChange
from vaultgit.history import private
from vaultgit.vault import Vault

_FILE = "refused.json"
_KEPT = 100  # notes


def since_before(vault: Vault, changes: Sequence[PathChange]) -> list[PathChange]:
    """The changes, those that start from a refused text taken from what was there before that."""
    known = _load(vault)
    return [
        change._replace(base=_text(vault, change.path, before)) if before is not None else change
        for change in changes
        for before in [_before(vault, known, change)]
    ]


def remember(vault: Vault, changes: Sequence[PathChange]) -> None:
    """These were refused: what they would have replaced, where that is what is committed. Never fails."""
    known = _load(vault)
    for change in changes:
        known.pop(_key(vault, change.path), None)
        blob = vault.repo.blob(f"HEAD:{vault.prefix}{change.path}") if "\n" not in change.path else None
        oid = blob.oid if blob else ""
        if change.new is not None and change.base == _text(vault, change.path, oid):
            known[_key(vault, change.path)] = [_digest(change.new), oid]
    _save(vault, known)


def forget(vault: Vault, changes: Sequence[PathChange]) -> None:
    """These have landed. Never fails."""
    known = _load(vault)
    keys = {_key(vault, change.path) for change in changes} & known.keys()
    if keys:
        _save(vault, {key: value for key, value in known.items() if key not in keys})


def _before(vault: Vault, known: dict[str, list[str]], change: PathChange) -> str | None:
    """The oid of what was there before the refused text that a change starts from, "" for nothing; None where it does
    not start from one."""
    digest, oid = known.get(_key(vault, change.path)) or ("", "")
    return oid if change.base is not None and digest == _digest(change.base) else None


def _text(vault: Vault, path: str, oid: str) -> bytes | None:
    return compose.blob_text(vault, path, oid) if oid else None


def _key(vault: Vault, path: str) -> str:
    return "\0".join((vault.repo.place, vault.prefix, path))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _load(vault: Vault) -> dict[str, list[str]]:
    try:
        with open(os.path.join(vault.cache, _FILE), encoding="ascii") as stream:
            found = json.load(stream)
    except (OSError, ValueError):
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {key: value for key, value in pairs if isinstance(value, list) and len(value) == 2}


def _save(vault: Vault, known: dict[str, list[str]]) -> None:
    target = os.path.join(vault.cache, _FILE)
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        private.make(vault.cache)
        with open(temporary, "w", encoding="ascii") as stream:
            json.dump(dict(list(known.items())[-_KEPT:]), stream)
        os.rename(temporary, target)
    except OSError:
        pass
