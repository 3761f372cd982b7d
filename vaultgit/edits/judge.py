"""The checks, as the write path asks them: is this edit fit to land?"""

from __future__ import annotations

import os
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from functools import cache
from functools import partial

from vaultgit import checks
from vaultgit.checks.around import Around
from vaultgit.checks.around import Place
from vaultgit.checks.around import in_index
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.checks.changes import held_before
from vaultgit.checks.problem import Problem
from vaultgit.edits import queue
from vaultgit.edits.edit import Edit
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.vault import BASELINE
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Vault
from vaultgit.walk import walk

_TAKES_BACK = ("Undoes", "Again")  # trailers of an undo


class Refused(VaultgitError):
    """The edit has problems; nothing was written, not even to the queue."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in problems))


def problems(
    vault: Vault, edit: Edit, changes: Sequence[tuple[str, bytes | None, bytes | None]], *, today: str
) -> list[Problem]:
    """Problems of (path, before, after) as this edit's author would have them."""
    files = tuple(
        FileChange(path, () if before is None else (before,), after, earlier=partial(_earlier, vault, path))
        for path, before, after in changes
    )
    message = edit.message.decode("utf-8", "surrogateescape")
    change = Change(
        files, _rules(vault, changes), agent=edit.agent, message=message, today=today,
        paths=_beside(vault, [f.path for f in files if f.added], {f.path for f in files if f.after is None}),
        around=around(vault, files),
    )  # fmt: skip
    found = checks.run(change)
    if edit.agent is None and any(key in _TAKES_BACK for key, _ in edit.trailers):
        # What was there before comes back as it was, as with `git revert`.
        return [problem for problem in found if problem.code in ("SE01", "MK01", "PA01", "PA02", "PA03")]
    return found


def _rules(vault: Vault, changes: Sequence[tuple[str, bytes | None, bytes | None]]) -> Rules:
    """The vault's rules; where the edit itself changes the baseline (a move, and taking one back), with both."""
    texts = [data for path, *both in changes if path == BASELINE for data in both if data is not None]
    return vault.rules.with_baselines(texts) if texts else vault.rules


def around(vault: Vault, files: Sequence[FileChange]) -> Around:
    """The vault as the edit will find it: with what waits in the queue before it."""
    place = in_index(vault, Disk(vault.root))

    @cache
    def queued() -> dict[str, bytes]:  # most edits have no link field and never ask
        every = queue.entries(vault.repo, vault.state, vault.prefix)
        return {change.path: change.new for edit in every for change in edit.changes if change.new is not None}

    def read(path: str) -> bytes | None:
        data = place.read(path)
        return queued().get(path) if data is None else data

    def exists(path: str) -> bool:
        return place.exists(path) or path in queued()

    return Around(Place(read, exists, lambda names: [*place.named(names), *queued()]), files)


def _earlier(vault: Vault, path: str, data: bytes) -> bool:
    """Whether the note was like this at some time: taking a molt back needs no new version."""
    full = vault.prefix + path
    oid = vault.repo.run("hash-object", f"--path={full}", "--stdin", input=data).decode().strip()
    tip = refs.tip(vault.repo, "HEAD")
    return held_before(vault.repo, full, oid, [tip] if tip else [])


def _beside(vault: Vault, added: Sequence[str], gone: Collection[str]) -> frozenset[str]:
    """What lies in the folders that new files go into, for the twins that other systems cannot tell apart; not folders
    that the change empties (they may be the same one under its old name)."""
    disk = Disk(vault.root)
    into = _folders(added) | {""} if added else set()
    there = {f"{folder}/{name}" if folder else name for folder in into for name in disk.names(folder)}
    emptied = {folder for folder in there & _folders(gone) if _all_below(vault, folder, gone)}
    return frozenset(there - emptied)


def _folders(paths: Iterable[str]) -> set[str]:
    return {path[:end] for path in paths for end, sign in enumerate(path) if sign == "/"}


def _all_below(vault: Vault, folder: str, gone: Collection[str]) -> bool:
    cut = len(vault.full(""))
    below = (os.path.join(here, name)[cut:] for here, _, names in walk(vault.full(folder)) for name in names)
    return all(path in gone for path in below)


def secrets(vault: Vault, path: str, data: bytes) -> list[Problem]:
    """What looks like a secret in a file."""
    return checks.run(Change((FileChange(path, (), data),), vault.rules), only=["secrets"])
