"""NA01, NA02, NA03: names of new files that another system cannot hold, or cannot tell apart.

Only what a change adds is judged: a note that is there already keeps its name and stays editable (nothing of
ours renames it by itself).
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from vaultgit.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vaultgit.checks.change import Change

LONGEST = 200  # bytes of one part; file systems end at 255, some encrypting ones earlier

# Windows refuses the first, and a git checkout there fails as a whole; the second break links in Obsidian; a
# lone surrogate is a byte that is no UTF-8.
_NOWHERE = re.compile(r'[\x00-\x1f\x7f*"\\<>:|?\ud800-\udfff]')
_NO_LINK = re.compile(r"[#^\[\]]")
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])\s*(?:\..*)?", re.IGNORECASE)
_COPY = re.compile(
    r" ?\([^()]*conflicted copy[^()]*\)"  # Dropbox, Nextcloud, Obsidian Sync
    r"|\.sync-conflict-[0-9]{8}-[0-9]{6}(?:-[A-Z0-9]+)?",  # Syncthing
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(.+) [2-9]")  # iCloud, Finder
_OBSIDIAN_GIT = "conflict-files-obsidian-git.md"


def check(change: Change) -> list[Problem]:
    """NA01, NA02, NA03."""
    added = [file.path for file in change.files if file.added]
    if not added:
        return []
    gone = {file.path for file in change.files if file.after is None}
    there = ((change.paths or frozenset()) - gone) | {file.path for file in change.files if file.after is not None}
    # `Untitled 2.md` is how Obsidian names a person's next note: only an agent's is taken for iCloud's copy.
    numbered = there if change.agent is not None else frozenset()
    return [*not_portable(added), *twins(added, there), *conflict_copies(added, numbered)]


def suggest(path: str) -> str:
    """A path as near to `path` as every system can hold, and Obsidian can link to."""
    *folders, name = path.split("/")
    note = _is_note(path)
    extended = re.fullmatch(r"(.*)(\.\w{1,10})" if note else r"(.+)(\.\w{1,10})", name, re.DOTALL)
    stem, extension = extended.groups() if extended else (name, "")
    return "/".join([*(_suggest_part(part, note) for part in folders), _suggest_part(stem, note, extension)])


# -- NA01 ----------------------------------------------------------------------------------------------------


def not_portable(added: Iterable[str]) -> list[Problem]:
    """NA01."""
    found = []
    for path in added:
        parts = path.split("/")
        for depth, part in enumerate(parts, 1):
            reason = _reason(part, note=_is_note(path), last=depth == len(parts))
            if reason:
                found.append(Problem(path, 1, 1, "NA01", reason, f"call it {suggest(path)}"))
                break
    return found


def _reason(part: str, *, note: bool, last: bool) -> str | None:
    """What is wrong with one part of a path; None when nothing is."""
    bad = _NOWHERE.search(part)
    if bad:
        shown = bad[0] if bad[0].isprintable() else f"U+{ord(bad[0]):04X}"
        return f"{shown} in a name is refused by Windows"
    bad = _NO_LINK.search(part) if note else None
    if bad:
        return f"{bad[0]} in a note's name breaks links to it"
    if part.endswith((".", " ")):
        return f"Windows cannot hold {part!r}: it ends with a dot or a blank"
    if _DEVICE.fullmatch(part):
        return f"{part} is the name of a device on Windows"
    if _size(part) > LONGEST:
        return f"a name of {_size(part)} bytes, {LONGEST} is the most that every system takes"
    if note and last and part.startswith("."):
        return "a name that begins with a dot is hidden from Obsidian"
    return None


def _suggest_part(stem: str, note: bool, extension: str = "") -> str:
    hidden = "." if stem.startswith(".") and not note else ""
    stem = re.sub(r"\s*[:|\\]\s+", " - ", stem).replace('"', "'")
    stem = _NOWHERE.sub("", re.sub(r"[:|\\]", "-", stem))
    stem = _NO_LINK.sub("", stem) if note else stem
    stem = re.sub(r"\s+", " ", stem).strip(" .") or "note"
    device = _DEVICE.fullmatch(stem)
    if device:
        stem = f"{device[1]}_{stem[len(device[1]) :]}"
    while _size(stem + extension) >= LONGEST:
        stem = stem[:-1].rstrip(" .")
    return hidden + stem + extension


def _size(part: str) -> int:
    return len(part.encode("utf-8", "surrogatepass"))


def _is_note(path: str) -> bool:
    """A file that Obsidian shows and links: inside no dot-folder."""
    return path.lower().endswith((".md", ".canvas", ".base")) and not any(
        part.startswith(".") for part in path.split("/")[:-1]
    )


# -- NA02 ----------------------------------------------------------------------------------------------------


def twins(added: Iterable[str], there: Iterable[str]) -> list[Problem]:
    """NA02: paths, or folders on their way, that differ from another one only by case or Unicode normalisation."""
    added, there = list(added), list(there)
    every = _with_folders(there)
    folded = {_folded(path) for path in every}
    if len(folded) == len(every) and all(path in every for path in added):
        return []
    spellings: dict[str, set[str]] = {}
    wanted = {_folded(prefix) for path in added for prefix in _prefixes(path)}
    for prefix in every:
        key = _folded(prefix)
        if key in wanted:
            spellings.setdefault(key, set()).add(prefix)
    found = []
    for path in added:
        for prefix in _prefixes(path):
            others = sorted(spellings.get(_folded(prefix), set()) - {prefix})
            if others:
                what = f"differs from {others[0]} only by case or by how its accents are written"
                mend = f"write to {others[0]}{path[len(prefix) :]}, or choose another name"
                found.append(Problem(path, 1, 1, "NA02", what, mend))
                break
    return found


def _with_folders(paths: Iterable[str]) -> set[str]:
    """The paths and all folders on their way."""
    found = set(paths)
    folders = {path.rpartition("/")[0] for path in found}
    while folders := folders - found - {""}:
        found |= folders
        folders = {path.rpartition("/")[0] for path in folders}
    return found


def _prefixes(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _folded(path: str) -> str:
    return path.casefold() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


# -- NA03 ----------------------------------------------------------------------------------------------------


def conflict_copies(added: Iterable[str], there: frozenset[str] | set[str]) -> list[Problem]:
    """NA03. `there`: where a numbered copy (`Home 2.md`) must have its original to be one."""
    found = []
    for path in added:
        original = copy_of(path, there)
        if original:
            what = f"looks like a sync service's conflict copy of {original}"
            mend = f"merge it into {original} and delete it, or give it a name of its own"
            found.append(Problem(path, 1, 1, "NA03", what, mend))
        elif path.rpartition("/")[2] == _OBSIDIAN_GIT:
            what = "is obsidian-git's list of conflicts"
            found.append(Problem(path, 1, 1, "NA03", what, "resolve the conflicts and delete it"))
    return found


def copy_of(path: str, there: frozenset[str] | set[str]) -> str | None:
    """The path that a conflict copy is one of; None for a path that does not look like a copy."""
    folder, slash, name = path.rpartition("/")
    if _COPY.search(name):
        return folder + slash + _COPY.sub("", name)
    stem, dot, extension = name.rpartition(".")
    numbered = _NUMBERED.fullmatch(stem)
    if numbered and extension.lower() == "md":
        original = folder + slash + numbered[1] + dot + extension
        return original if original in there else None
    return None
