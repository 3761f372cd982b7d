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
    """What is not to be read: as what an agent may not write, but that the vault's own records are there to be read."""
    if path == ".":
        return
    found = protected.path_problems(path, agent=True)
    if found and protected.path_problems(path, agent=False):
        raise Refused(found)
    if found and _is_hidden(path):
        hidden = any(part.startswith(".") for part in path.split("/"))
        what = "is hidden, or lies in a hidden folder" if hidden else found[0].message
        raise Refused([found[0]._replace(message=what, mend="give the path of a note")])


def _is_hidden(path: str) -> bool:
    """Whether the path is protected for another reason than that it is one of the vault's own records."""
    first, _, rest = path.partition("/")
    if first not in ("review.md", "changelog.md", "changelog", "AGENTS.md", "CLAUDE.md"):
        return True
    return bool(rest) and (first != "changelog" or bool(protected.path_problems(rest, agent=True)))
