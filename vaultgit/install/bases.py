"""Obsidian Bases on request: table views of skills, decisions, the inbox and sessions. Files whole and ours until a
person changes one (Obsidian drops our marks when it saves it); none is ever written twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from vaultgit import resources
from vaultgit.vault import Disk

TYPES = {"skills.base": "skill", "decisions.base": "decision", "inbox.base": "inbox", "sessions.base": "session"}
_FOLDER = "bases"


def paths(disk: Disk) -> dict[str, str]:
    """Where each base is or would be, by its name: in a folder `bases`, however it is spelled here."""
    spelled = [name for name in disk.names("") if name.casefold() == _FOLDER]
    folder = _FOLDER if _FOLDER in spelled or not spelled else spelled[0]
    there = {name.casefold(): name for name in disk.names(folder)}
    return {name: f"{folder}/{there.get(name, name)}" for name in TYPES}


def files(disk: Disk, folders: Mapping[str, str], type_key: str) -> dict[str, bytes]:
    """Path -> text of the bases that are not there yet. `folders`: note type -> its folder."""
    return {
        path: text(name, folders[TYPES[name]], type_key)
        for name, path in paths(disk).items()
        if disk.read(path) is None
    }


def text(name: str, folder: str, type_key: str) -> bytes:
    """The shipped base for notes in `folder`, "" for the whole vault."""
    lines = resources.read("hooks", f"bases/{name}").decode().splitlines(keepends=True)
    kept = [line for line in lines if folder or "{folder}" not in line]
    return "".join(kept).replace("{folder}", _quoted(folder)).replace("{key}", _quoted(type_key)).encode()


def _quoted(value: str) -> str:
    """For a text in double quotes, in an expression, in single quotes of YAML."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("'", "''")
