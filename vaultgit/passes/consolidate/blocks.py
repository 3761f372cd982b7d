"""Capture blocks: what stands under a capture's heading in the daily notes of a commit, and which of it is new.

A block is told by its heading alone, whoever committed it and whatever its date. What was read is told by history: the
commit that puts proposals into review.md says up to which commit the captures were read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import unquote

from vaultgit.config import Capture
from vaultgit.edits import seen
from vaultgit.history import log
from vaultgit.notes import frontmatter
from vaultgit.passes.sealed import Seals
from vaultgit.recall import tree
from vaultgit.recall.tree import Held
from vaultgit.vault import DAILY
from vaultgit.vault import Disk
from vaultgit.vault import Vault

READ = "Captures read up to "  # begins a line of a round's commit: "Captures read up to OID."
NO_ROOM = "Waits for room: "  # and one of what a round had no room for: "Waits for room: TYPE FOLDED%20NAME"
_UNMERGED = re.compile(r"\A[^\n]*\n\nNot merged: ")
_ROUNDS = 20  # commits that say they are rounds, of which the newest that is one counts

_TIME = r"\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?(?: ?[ap]\.?m\.?)?"
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+$")
_FENCE = re.compile(r"\s*(?:[-*+]\s+)?(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[.\])?[ \t]+(\S.*)")
_CONVERSATION = re.compile(r"In (.+), with .+:")  # "In csv-import, with claude-code:" says whose lines follow


class CaptureBlock(NamedTuple):
    """One block. `path` of the note; `heading` without its signs; `lines`: its items, without `- `; `folders`: names of
    the folders of its conversations."""

    path: str
    heading: str
    lines: tuple[str, ...]
    folders: tuple[str, ...] = ()


class Blocks(NamedTuple):
    """All capture blocks of a commit, in the order of their notes, and those that no earlier round read. `kept_out`:
    daily notes that were not read, since review.md may not quote them, and their filter."""

    every: list[CaptureBlock]
    new: set[CaptureBlock]
    kept_out: Mapping[str, str] = {}


class Round(NamedTuple):
    """The last round: its commit, when it was made, up to where it read ("": nobody can tell) and what it had no room
    for: (type, folded name)."""

    oid: str
    when: datetime
    read: str
    no_room: frozenset[tuple[str, str]]


# -- one note ----------------------------------------------------------------------------------------------------


def pattern(heading: str) -> re.Pattern[str]:
    """What capture headings look like: the one of the settings, and ours for blocks that are older than those."""
    each = {r"\s+".join(_words(one)) for one in (heading, Capture().heading)}
    return re.compile("|".join(sorted(each)), re.IGNORECASE)


def _words(heading: str) -> list[str]:
    return [_TIME.join(re.escape(part) for part in word.split("{time}")) for word in heading.lstrip("# ").split()]


def of_note(path: str, data: bytes, headings: re.Pattern[str]) -> list[CaptureBlock]:
    """The capture blocks of a note. Never raises: bytes that are no UTF-8 are replaced."""
    block = frontmatter.block(data)
    text = data[block.body if block else 0 :].decode("utf-8", "replace").removeprefix("\ufeff")
    found: list[tuple[str, list[str]]] = []
    level = 0  # of the capture heading above; 0: none
    for line in _outside_code([line.rstrip() for line in text.split("\n")]):
        mark = _HEADING.match(line)
        if mark:
            title = _BLOCK_ID.sub("", mark[2] or "")
            if headings.fullmatch(title):
                level = len(mark[1])
                found.append((title, []))
            elif len(mark[1]) <= level:
                level = 0
        elif level:
            found[-1][1].append(line)
    return [CaptureBlock(path, title, lines, _folders(inside)) for title, inside in found if (lines := _items(inside))]


def _folders(lines: list[str]) -> tuple[str, ...]:
    """The folders that "In FOLDER, with CLIENT:" names, each once."""
    said = (_CONVERSATION.fullmatch(" ".join(line.split())) for line in lines)
    return tuple(dict.fromkeys(match[1] for match in said if match))


def _outside_code(lines: list[str]) -> Iterator[str]:
    """The lines that are no code. A fence that nothing closes hides nothing: a capture may stand below it."""
    at = 0
    open_from: dict[str, int] = {}  # sign of a fence -> length of the shortest one that nothing closes
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        run = fence[1] if fence else ""
        searched = bool(run) and len(run) < open_from.get(run[0], len(run) + 1)
        end = _closing(lines, at, run) if searched else None
        if searched and end is None:
            open_from[run[0]] = len(run)
        if end is None:
            yield lines[at]
            at += 1
        else:
            at = end + 1


def _closing(lines: list[str], at: int, run: str) -> int | None:
    for place in range(at + 1, len(lines)):
        bare = lines[place].strip()
        if len(bare) >= len(run) and set(bare) == {run[0]}:
            return place
    return None


def _items(lines: list[str]) -> tuple[str, ...]:
    """The items, each on one line; where there is no list, the paragraphs."""
    listed = any(_ITEM.match(line) for line in lines)
    found: list[str] = []
    running = False  # whether a line goes on with the item above
    for line in lines:
        item = _ITEM.match(line)
        words = " ".join((item[1] if item else line).split())
        if not words or _CONVERSATION.fullmatch(words):
            running = False
        elif running and not item:
            found[-1] = f"{found[-1]} {words}"
        elif item or not listed:
            found.append(words)
            running = True
    return tuple(found)


# -- a commit ----------------------------------------------------------------------------------------------------


def at(vault: Vault, commit: str) -> list[CaptureBlock]:
    """All capture blocks of the daily notes of a commit."""
    return read(vault, commit, "").every


def read(vault: Vault, commit: str, before: str) -> Blocks:
    """All capture blocks of a commit; new are those that the commit `before` does not hold ("": all)."""
    headings = pattern(vault.settings.capture.heading)
    known = {file.path: file for file in _daily(vault, before)} if before else {}
    held = _daily(vault, commit)
    kept_out = Seals(vault).kept_out(file.path for file in held)
    every: list[CaptureBlock] = []
    changed: list[CaptureBlock] = []
    old: list[Held] = []
    for file, data in tree.texts(vault, [file for file in held if file.path not in kept_out]):
        found = of_note(file.path, data, headings)
        every += found
        there = known.get(file.path)
        if there is None or there.oid != file.oid:
            changed += found
            old += [there] if there else []
    read_before = {block for file, data in tree.texts(vault, old) for block in of_note(file.path, data, headings)}
    return Blocks(every, set(changed) - read_before, kept_out)


def _daily(vault: Vault, commit: str) -> list[Held]:
    return [file for file in tree.files(vault, commit) if vault.rules.expected_type(file.path) == DAILY]


def unsaved(vault: Vault, found: Blocks) -> str:
    """Which captures are not read because git does not hold them yet, in words; "" where it holds all."""
    headings, known = pattern(vault.settings.capture.heading), set(found.every)
    daily = [path for path in seen.unsaved(vault) if vault.rules.expected_type(path) == DAILY]
    kept_out = Seals(vault).kept_out(daily)
    daily = [path for path in daily if path not in kept_out]
    texts = ((path, Disk(vault.root).read(path) or b"") for path in daily)
    notes = sum(not known.issuperset(of_note(path, data, headings)) for path, data in texts)
    if not notes:
        return ""
    hold, them = ("note holds", "it") if notes == 1 else ("notes hold", "them")
    return f"{notes:,} daily {hold} captures that are not in git yet: commit {them} first, then again"


# -- what was read -----------------------------------------------------------------------------------------------


def last_round(vault: Vault, tip: str) -> Round | None:
    """The newest round in the history of `tip`; None where there was none.

    The tree of the commit that it names is what was read, also where a rebase has rewritten that commit since. Where it
    is no object here (a clone of what was rebased), the parent of the round's own commit stands for it.
    """
    for commit in log.commits(vault.repo, [tip, "--fixed-strings", f"--grep={READ}", f"-n{_ROUNDS}"]):
        said = re.search(rf"^[^\S\n]*{READ}([0-9a-f]{{40,64}})\.[^\S\n]*$", commit.message, re.MULTILINE)
        # What could not be put into review.md waits in an inbox note, and its captures are not done with.
        if said and not commit.trailer("Agent") and not _UNMERGED.search(commit.message):
            there = next((oid for oid in (said[1], *commit.parents[:1]) if _is_here(vault, oid)), "")
            no_room = re.findall(rf"^[^\S\n]*{NO_ROOM}(\S+) (\S+)[^\S\n]*$", commit.message, re.MULTILINE)
            return Round(commit.oid, commit.authored, there, frozenset((kind, unquote(name)) for kind, name in no_room))
    return None


def _is_here(vault: Vault, oid: str) -> bool:
    found = vault.repo.object(oid)  # None too where a shallow clone does not have it
    return found is not None and found[1] == "commit"
