"""Which paths of a vault are there to be read, by whoever asks for one by name."""

from __future__ import annotations

import os

from vaultgit.checks import protected
from vaultgit.checks.problem import Problem
from vaultgit.edits.judge import Refused
from vaultgit.vault import Vault


def readable(vault: Vault, path: str) -> str:
    """The same path, if it is one to be read: nothing outside the vault, in `.git` or hidden, nor through a link.
    Raises Refused."""
    refuse(path)
    inside = os.path.relpath(os.path.realpath(vault.full(path)), os.path.realpath(vault.root))
    if inside != path:
        try:
            refuse(inside)
        except Refused as error:
            what = "leads to what is not to be read here, through a symbolic link"
            raise Refused([Problem(path, 1, 1, "PA02", what, "give the path of a note in the vault")]) from error
    return path


def refuse(path: str) -> None:
    """What is not to be read: what lies outside, in `.git` or hidden. The vault's own records are there to be read.
    Raises Refused."""
    found = protected.reading_problems(path) if path != "." else []
    if found:
        raise Refused(found)
