"""What `init` says of a vault: what it is, what is understood of it, what a person should know. Words, nothing else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING
from typing import Any

from vaultgit import config
from vaultgit.install.first import LARGE
from vaultgit.install.first import First
from vaultgit.install.first import ignoring
from vaultgit.install.understand import Understanding
from vaultgit.obsidian import FORMAT

if TYPE_CHECKING:
    from vaultgit.recall.index import Note

_OURS = re.compile(r"(?:AGENTS|CLAUDE|changelog|review)\.md|changelog/.*")


def described(found: Understanding, shown: str, git: str) -> list[str]:
    """What the vault is. `shown`: its folder as people write it; `git`: how it stands in git."""
    kind = "an Obsidian vault" if found.obsidian else "a folder of notes"
    facts = [_count(found.notes, "note")]
    if found.links is not None:
        facts.append(_count(found.links, "link"))
    if found.daily.source:
        facts.append(f"daily notes {_at(found.daily.folder)}{_named(found.daily.format)}")
    if found.templates:
        facts.append(f"templates in {', '.join(folder + '/' for folder in found.templates[:2])}")
    lines = [f"{shown} is {kind}: {', '.join(facts)}. In git: {git}."]
    if found.managed:
        known = ", ".join(f"{name} {number:,}" for name, number in sorted(found.managed.items()))
        lines.append(f"Already here and understood:   {known}")
    if found.alone_notes:
        lines.append(f"Left alone, not ours to check: {_count(found.alone_notes, 'note')} ({_some(found.alone, 4)})")
    if found.homes.mapped:
        lines.append(f"Mapped: {mapped(found)}")
    return lines


def mapped(found: Understanding) -> str:
    """`people -> People/, inbox -> 00 Inbox/`; "" where no folder is mapped."""
    pairs = found.homes.mapped.items()
    return ", ".join(f"{config.LAYOUT[note_type]} -> {folder}/" for note_type, folder in pairs)


def remarks(found: Understanding) -> list[str]:
    """What a person should know, one line each; what needs them comes first."""
    return [*_of_folders(found), *_of_names(found), *_of_surroundings(found)]


def question(notes: Iterable[Note]) -> str:
    """Something to search for that is there: what a project, person or other note is called; "" without one. Daily
    notes are called like nothing that a person would ask for."""
    kinds = ("project", "person", "decision", "concept", "skill", "")
    named = [note for note in notes if note.type in kinds and 0 < len(note.title) <= 60]
    best = min(named, key=lambda note: (kinds.index(note.type), note.day != "", note.path), default=None)
    return best.title if best else ""


def is_ours(path: str) -> bool:
    """Whether a note is one that vaultgit writes, no knowledge of anybody's."""
    return bool(_OURS.fullmatch(path))


def taken(first: First) -> str:
    """`your 3,004 files (153 MB)`."""
    return f"your {_count(first.files, 'file')} ({size(first.size)})"


def of_first(first: First | None, *, done: bool = False, made: bool = False) -> list[str]:
    """What a person should know of the first commit. `done`: it is made; `made`: the repository with it."""
    if first is None:
        return []
    lines = [
        f"not put into git: {one.path} holds what looks like a secret ({_keeping_out(one.path, one.line)})"
        for one in first.held.values()
    ]
    if first.large:
        path, number = first.large[0]
        more = f"; {_count(len(first.large) - 1, 'more file')} over {size(LARGE)}" if first.large[1:] else ""
        ignore = f"echo {shlex.quote(ignoring(path))} >> .gitignore"
        if not done:
            advice = f"to leave it out, first: {ignore}"
        elif made:
            advice = f"to begin again without it: rm -r .git; {ignore}; vaultgit init"
        else:
            advice = "vaultgit init --dry-run tells that beforehand"
        lines.append(f"{path} has {size(number)}, which history keeps for ever{more}; {advice}")
    return lines


def _keeping_out(path: str, line: int) -> str:
    """A note is mended; of another file, such as a plugin's settings, git is told that it stays out."""
    if path.lower().endswith(".md"):
        return f"vaultgit check {shlex.quote(path)}"
    return f"line {line}; so that it stays out: echo {shlex.quote(ignoring(path))} >> .gitignore"


def size(number: int) -> str:
    """Bytes as people say them."""
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")):
        if number >= unit:
            return f"{number / unit:,.0f} {name}" if number >= 10 * unit else f"{number / unit:.1f} {name}"
    return f"{number} bytes"


def facts(found: Understanding) -> dict[str, Any]:
    """The same for programs."""
    daily = found.daily
    return {
        "obsidian": found.obsidian,
        "notes": found.notes,
        "links": found.links,
        "types": found.managed,
        "alone": {"notes": found.alone_notes, "where": found.alone},
        "folders": found.folders,
        "mapped": found.homes.mapped,
        "several": found.homes.several,
        "daily": {
            "folder": daily.folder,
            "format": daily.format,
            "from": daily.source or None,
            "missing": found.daily_missing,
            "ignored": found.daily_ignored,
            "problem": found.daily_problem or None,
        },
        "templates": list(found.templates),
        "timer": found.timer,
        "sync": found.sync,
        "names": found.names,
        "vaults": found.vaults,
        "repositories": found.repositories,
        "filters": found.filters,
        "branches": found.branches,
        "kept": found.kept,
    }


def _of_folders(found: Understanding) -> list[str]:
    lines = []
    for note_type, folders in found.homes.several.items():
        fixed = config.LAYOUT[note_type]
        these = ", ".join(folder + "/" for folder in folders)
        lines.append(f"{these} may each mean {fixed}: none is mapped, {fixed}/ is used; or say it in {config.FILE}")
    daily = found.daily
    if found.daily_problem:
        lines.append(f"{daily.source}: {found.daily_problem}")
    if found.daily_missing:
        ignored = ", and which git ignores" if found.daily_ignored else ""
        lines.append(f"{daily.source} names {daily.folder}/ for daily notes, which is not there{ignored}")
    elif found.daily_ignored:
        lines.append(f"git ignores the daily notes {_at(daily.folder)}: they stay out of it, and agents out of them")
    return lines


def _of_names(found: Understanding) -> list[str]:
    if not found.names:
        return []
    one = len(found.names) == 1
    what, kept = ("1 name", "kept as it is") if one else (f"{len(found.names):,} names", "kept as they are")
    return [f"{what} that other systems cannot check out, {kept}: {_some(found.names, 12)}"]


def _of_surroundings(found: Understanding) -> list[str]:
    lines = []
    if found.sync:
        lines.append(f"this vault lies in {found.sync}, which may damage .git; better sync it with git")
    if found.vaults:
        lines.append(f"other vaults inside, for agents a part of this one: {_some_folders(found.vaults)}")
    if found.repositories:
        lines.append(f"other repositories inside, left alone: {_some_folders(found.repositories)}")
    if found.filters:
        lines.append(f"{' and '.join(found.filters)}: files that pass through it (.gitattributes) go on doing so")
    if found.kept:
        what = "is yours: its text stays" if len(found.kept) == 1 else "are yours: their text stays"
        lines.append(f"{' and '.join(found.kept)} {what}, our lines go below it")
    return lines + _of_branches(found.branches)


def _of_branches(branches: list[str]) -> list[str]:
    lines = [
        f"a branch {name} is here, beside which git can make none of ours, {name}/…: git branch -m {name} NEW-NAME"
        for name in branches
        if "/" not in name
    ]
    alike = [name for name in branches if "/" in name]
    if alike:
        lines.append(f"branches here that are called as suggestions will be: {_some(alike, 3)}; they stay as they are")
    return lines


def _at(folder: str) -> str:
    return f"in {folder}/" if folder else "at its top"


def _named(fmt: str) -> str:
    return "" if fmt == FORMAT else f" as {fmt}"


def _some_folders(paths: list[str]) -> str:
    return _some([path + "/" for path in paths], 4)


def _some(names: list[str], most: int) -> str:
    left = len(names) - most
    return ", ".join(names[:most]) + (f" and {left:,} more" if left > 0 else "")


def _count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"
