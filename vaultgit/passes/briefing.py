"""The context of a task as text for a model or a person: notes between fences, marked as data (promise P9).

What a note says to AI tools stays in it and is shown; a fence that nothing inside can close says what it is. Secrets
and signs that nobody sees are taken out (P11).
"""

from __future__ import annotations

import contextlib
import os
import subprocess

from vaultgit.checks.secrets import redact
from vaultgit.errors import UsageError
from vaultgit.history.repository import clean_environment
from vaultgit.notes.plain import visible
from vaultgit.recall.context import Context
from vaultgit.recall.context_fill import counted
from vaultgit.recall.context_fill import heading
from vaultgit.recall.context_fill import shown
from vaultgit.recall.index import View
from vaultgit.vault import Vault


def text(context: Context) -> str:
    """A line that says what is given and that it is data, then each note in its fence; "" where there is none."""
    if not context.notes:
        return ""
    used = min(context.tokens, counted(context.notes, context.budget))  # whoever asked may have taken notes out
    return heading(len(context.notes), used, context.budget) + "".join(map(shown, safe(context).notes))


def safe(context: Context) -> Context:
    """The same without secrets, and without characters that a terminal obeys or that hide what is written."""
    notes = [note._replace(text=redact(visible(note.text))[0]) for note in context.notes]
    return context._replace(notes=notes)


def with_bases(vault: Vault, view: View, context: Context) -> Context:
    """The same with oids that serve as --base: what is not in git yet is stored there (not what a person keeps out of
    it, nor a secret)."""
    notes = []
    for note in context.notes:
        if vault.repo.object(note.oid) is None:
            from vaultgit.edits import compose  # here: it brings the whole write path, and a prompt waits for us

            with contextlib.suppress(UsageError):  # gone meanwhile
                note = note._replace(oid=compose.blob_of(vault, note.path, view.text(note.path)))
        notes.append(note)
    return context._replace(notes=notes)


def folder_names(vault: Vault, folder: str) -> tuple[str, ...]:
    """What the folder that an agent works in is called: itself, its repository, its remote. () inside the vault."""
    here = os.path.realpath(folder)
    root = os.path.realpath(vault.root)
    if here == root or here.startswith(root + os.sep):
        return ()
    asked = ("rev-parse", "--show-toplevel"), ("config", "--get", "remote.origin.url")
    said = [_git(here, *args) for args in asked] if os.path.isdir(here) else []
    if said and said[0] and os.path.realpath(said[0]) in (root, os.path.realpath(vault.repo.worktree)):
        return ()
    lasts = [one.replace("\\", "/").rstrip("/").removesuffix(".git").rpartition("/")[2] for one in (*said, here) if one]
    return tuple(dict.fromkeys(last.rpartition(":")[2] for last in lasts if last))


def _git(folder: str, *args: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", folder, *args], env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True,
            check=False, timeout=5,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return os.fsdecode(done.stdout).strip() if done.returncode == 0 else ""
