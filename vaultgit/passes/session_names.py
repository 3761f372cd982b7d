"""What session notes are called: `DATE-slug.md` in their folder, `-2` and so on where that is taken."""

from __future__ import annotations

import os
from datetime import datetime

from vaultgit.checks.names import LONGEST
from vaultgit.edits import queue
from vaultgit.history import refs
from vaultgit.notes.links import fold
from vaultgit.passes import session_note
from vaultgit.passes import session_store as store
from vaultgit.passes.session_store import Record
from vaultgit.vault import Vault

TYPE = "session"


def folder(vault: Vault) -> str:
    """Where they lie, with "/" at its end; "" for the vault's root."""
    name = vault.rules.folder(TYPE)
    return f"{name}/" if name else ""


def new_id(vault: Vault, now: datetime, task: str) -> str:
    """`DATE-slug`, "-2" and so on where a session or a note is called that, or a session was that left no note: what
    that one was given was not given to this one. The caller holds the lock."""
    first = f"{now:%Y-%m-%d}-{session_note.slug(task)}"
    taken, number, name = _taken(vault, ""), 1, first
    while fold(folder(vault) + f"{name}.md") in taken or store.load(vault, name) is not None or store.log(vault, name):
        number += 1
        name = f"{first}-{number}"
    return name


def free(vault: Vault, record: Record, task: str) -> str:
    """A path that no note has, nor will have."""
    taken = _taken(vault, record.id)
    if record.path and fold(record.path) not in taken:
        return record.path
    first = f"{record.began:%Y-%m-%d}-{session_note.slug(task)}"[:LONGEST]
    number, path = 1, f"{folder(vault)}{first}.md"
    while fold(path) in taken:
        number += 1
        path = f"{folder(vault)}{first}-{number}.md"
    return path


def _taken(vault: Vault, session: str) -> set[str]:
    """Folded paths that the new note of a session cannot have: of files, of what is committed or queued, and of what
    other sessions will write."""
    inside = folder(vault)
    names = [inside + name for name in queue.listing(vault.full(inside))] if os.path.isdir(vault.full(inside)) else []
    if refs.tip(vault.repo, "HEAD"):
        out = vault.repo.call("ls-tree", "-z", "--name-only", f"HEAD:{vault.prefix}{inside}").stdout
        names += [inside + os.fsdecode(name) for name in out.split(b"\0") if name]
    names += [change.path for one in queue.entries(vault.repo, vault.state, vault.prefix) for change in one.changes]
    others = [one.path for one in store.opened(vault) if one.path and one.id != session]
    return {fold(name) for name in (*names, *others)}
