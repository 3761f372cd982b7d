"""PA01, PA02, PA03: where edits may not go.

`path_problems` judges a path as it was given and is what the write path asks before it looks at any disk. It
knows a name in the spellings that some file system takes for the same one: other case, zero-width characters
(HFS+), trailing dots and blanks, `:stream` and `GIT~1` short names (NTFS).
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from vaultgit import config
from vaultgit.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from vaultgit.checks.change import Change

_AT_THE_ROOT = frozenset(("review.md", "changelog.md", "changelog"))
_KINDS = {"120000": "a symbolic link", "160000": "another repository", "040000": "a folder"}

# What HFS+ leaves out when it compares names (git's utf8.c, next_hfs_char), and other characters without a
# width.
_NO_WIDTH = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufe00-\ufe0f\ufeff]")
_SHORT_NAME = re.compile(r"[^~.]{1,7}~[0-9]+(?:\.[^.]{0,3})?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|file:", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:(?!\s)")


def path_problems(path: str, *, agent: bool) -> list[Problem]:
    """What forbids an edit of `path`, relative to the vault: PA02, `.git`, and for an agent the rest of PA01.

    For people too, whose shell or script may hand over anything. At most one problem: the first is reason
    enough.
    """
    return _problems(path, _protected if agent else None, "a person can make this change")


def reading_problems(path: str) -> list[Problem]:
    """What forbids to read `path`, relative to the vault: PA02, and of PA01 `.git` and what is hidden."""
    return _problems(path, lambda _, parts: _hidden(parts), "give the path of a note")


def is_instructions(path: str) -> bool:
    """Whether agents' clients take a file of this name for instructions."""
    return any(_folded(part) in config.INSTRUCTIONS for part in path.split("/"))


def _problems(path: str, rule: Callable[[str, list[str]], str | None] | None, mend: str) -> list[Problem]:
    outside = _outside(path)
    if outside:
        return [_problem(path, "PA02", outside, "give a path inside the vault, relative to its root, with /")]
    for spelling in _decoded(path):
        parts = [_folded(part) for part in spelling.split("/")]
        if any(part == ".git" or re.fullmatch(r"git~[0-9]+", part) for part in parts):
            return [_problem(path, "PA01", "belongs to git, not to the vault", "give the path of a note")]
        forbidden = rule(path, parts) if rule else None
        if forbidden:
            return [_problem(path, "PA01", forbidden, mend)]
    return []


def leads_astray(path: str) -> bool:
    """Whether a path from the work tree's root, as history or a file of ours may name it, leads outside or into `.git`.

    git checks out none of those, and keeps and sends them nevertheless; a person's other odd names may well be there.
    """
    parts = path.split("/")
    return "\0" in path or any(part in ("", ".", "..") or _folded(part) == ".git" for part in parts)


def mode_problems(path: str, mode: str) -> list[Problem]:
    """PA03 for what is no plain file: a symbolic link (120000), another repository (160000), a folder."""
    kind = _KINDS.get(mode)
    if kind is None:
        return []
    return [_problem(path, "PA03", f"is {kind}, not a plain file", "edit the file that it stands for")]


def check(change: Change) -> list[Problem]:
    """PA01, PA02, PA03.

    All of them hold an agent. (Landing writes changelog.md along with an agent's edit: who judges finished
    commits leaves out what landing wrote.) A person's commit is judged only where it adds a path that leads
    outside or into `.git`: their links, dot-files and repositories inside the vault are their own business.
    """
    found: list[Problem] = []
    for file in change.files:
        if change.agent is None:
            found += path_problems(file.path, agent=False) if file.added else []
            continue
        found += path_problems(file.path, agent=True)
        found += mode_problems(file.path, file.mode)
    return found


def _outside(path: str) -> str | None:
    """Why a path is not one inside the vault; None when it is."""
    if not path:
        return "the path is empty"
    if re.search(r"[\x00\r\n]", path):
        return "holds a line end or a NUL"
    if path.startswith("/") or _DRIVE.match(path) or _SCHEME.match(path) or path.split("/")[0] == "~":
        return "is no path relative to the vault"
    if "\\" in path:
        return "holds a backslash"
    for spelling in _decoded(path):
        parts = re.split(r"[/\\]", spelling)
        # Windows drops trailing dots and blanks: `.. ` and `...` lead upwards there.
        if any(_NO_WIDTH.sub("", part).rstrip(". ") == "" and "." in part for part in parts):
            return "leads out of its folder with dots"
        if spelling != path and ("\\" in spelling or spelling.startswith("/") or re.search(r"[\x00\r\n]", spelling)):
            return "leads outside in percent code"
        if any(not _NO_WIDTH.sub("", part).strip() for part in parts):
            return "has a part without a name"
    if not _NO_WIDTH.sub("", path.rpartition("/")[2].rpartition(".")[0] or path).strip():
        return "has a name of nothing but blanks"
    return None


def _decoded(path: str) -> list[str]:
    """The path, and what it becomes where something takes it for a URL, twice over."""
    if "%" not in path:
        return [path]
    from urllib.parse import unquote

    once = unquote(path)
    return [path, once, unquote(once)]


def _folded(part: str) -> str:
    plain = _NO_WIDTH.sub("", unicodedata.normalize("NFC", part)).casefold()
    return plain.partition(":")[0].rstrip(". ")


def _protected(path: str, parts: list[str]) -> str | None:
    if parts[0] in _AT_THE_ROOT:
        return f"{path.split('/')[0]} is not for agents to edit"
    if any(part in config.INSTRUCTIONS for part in parts):
        return f"{path.rpartition('/')[2]} is not for agents to edit: their clients take it for instructions"
    if any(part.startswith(".") for part in parts):
        return "dot-files and dot-folders are not for agents to edit"
    return _hidden(parts)


def _hidden(parts: list[str]) -> str | None:
    if any(part.startswith(".") for part in parts):
        return "is hidden, or lies in a hidden folder"
    if any(_SHORT_NAME.fullmatch(part) for part in parts):
        return "is spelled like a short name that Windows may take for another file"
    return None


def _problem(path: str, code: str, message: str, mend: str) -> Problem:
    return Problem(path, 1, 1, code, message, mend)
