"""A person's own editor, for a text that is not on disk."""

from __future__ import annotations

import os
import subprocess

import click

from vaultgit.history.repository import clean_environment
from vaultgit.vault import Vault


def edited(vault: Vault, text: bytes) -> bytes | None:
    """The text as the person leaves it; None where they changed nothing, or emptied it. Raises click's exceptions
    where the editor cannot be started or fails."""
    said: bytes | None = click.edit(text, editor=_editor(vault), extension=".md", require_save=True)
    return said if said and said.strip() and said != text else None


def _editor(vault: Vault) -> str:
    """The one that git would start: our own git processes have none."""
    env = clean_environment()
    env.pop("GIT_EDITOR")
    given = os.environ.get("GIT_EDITOR")
    said = subprocess.run(
        ["git", "var", "GIT_EDITOR"], cwd=vault.root, env=env | ({"GIT_EDITOR": given} if given else {}),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return said.stdout.strip() or "vi"
