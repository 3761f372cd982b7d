"""Whether changelog.md and history agree (promise P1)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from vaultgit.edits import changelog
from vaultgit.edits import ledger
from vaultgit.edits.changelog import Line
from vaultgit.edits.lock import Lock
from vaultgit.history import refs
from vaultgit.vault import Vault

_WAIT = 5.0  # seconds for a writer that lands
_ROUNDS = 5


class Report(NamedTuple):
    """What differs. `behind`: edits without a line; `unknown`: lines without an edit; `edited`: (line as it is, as it
    should be)."""

    edits: int
    behind: list[Line]
    unknown: list[Line]
    edited: list[tuple[Line, Line]]
    complete: bool  # the whole history is here: else unknown lines may lie beyond its edge

    def agrees(self, *, allow_behind: bool) -> bool:
        unknown = self.unknown if self.complete else []
        return not (unknown or self.edited or (self.behind and not allow_behind))


def verify(vault: Vault) -> Report:
    """Compares the ids and lines of history with those of changelog.md and changelog/, in HEAD and on disk.

    What differs is looked at again while no writer of ours lands (it writes the disk first and then moves HEAD), and
    again where git itself moved HEAD meanwhile.
    """
    report = _compared(vault, refs.tip(vault.repo, "HEAD"))
    if not report.agrees(allow_behind=False):
        with _nobody_lands(vault):
            for _ in range(_ROUNDS):
                tip = refs.tip(vault.repo, "HEAD")
                report = _compared(vault, tip)
                if report.agrees(allow_behind=False) or tip == refs.tip(vault.repo, "HEAD"):
                    break
    return report


@contextmanager
def _nobody_lands(vault: Vault) -> Iterator[None]:
    """Keeps our writers from landing for a moment. Where that cannot be had (a state folder that is not ours, one who
    does not let go) the work is done without it: reading asks for no right to write."""
    try:
        lock = Lock(vault.state)
    except OSError:
        yield
        return
    try:
        lock.take(_WAIT)
        yield
    finally:
        lock.release()


def _compared(vault: Vault, tip: str | None) -> Report:
    wanted = ledger.lines(ledger.carriers(vault, tip)) if tip else {}
    copies = [_in_commit(vault, tip)]
    if not vault.repo.bare:
        on_disk = _on_disk(vault)
        if on_disk is not None and on_disk != copies[0]:
            copies.append(on_disk)
    behind: dict[str, Line] = {}
    unknown: dict[str, Line] = {}
    edited: dict[str, tuple[Line, Line]] = {}
    for lines in copies:
        there = {line.id for line in lines}
        behind.update({edit_id: line for edit_id, line in wanted.items() if edit_id not in there})
        for line in lines:
            should = wanted.get(line.id)
            if should is None:
                unknown[line.id] = line
            elif line != should:
                edited[line.id] = (line, should)
    complete = ledger.history_is_complete(vault.repo)
    return Report(len(wanted), list(behind.values()), list(unknown.values()), list(edited.values()), complete)


def behind(vault: Vault) -> list[Line]:
    """Edits without a line, as far as the commits since the last write of ours tell: quick, for `status`."""
    ref, tip = refs.head(vault.repo).branch or "HEAD", refs.tip(vault.repo, "HEAD")
    if tip is None:
        return []
    wanted = ledger.project(vault, ref, tip).files
    there = {edit_id for path in wanted for edit_id in changelog.parse(ledger.committed(vault, tip, path))}
    return [line for lines in wanted.values() for edit_id, line in lines.items() if edit_id not in there]


def _in_commit(vault: Vault, commit: str | None) -> list[Line]:
    paths = ledger.files_at(vault, commit) if commit else []
    return [line for path in paths for line in changelog.every(ledger.committed(vault, commit or "", path))]


def _on_disk(vault: Vault) -> list[Line] | None:
    """Lines as they lie on disk; None where changelog.md is not checked out."""
    if not os.path.isfile(vault.full(changelog.FILE)):
        return None
    paths = [changelog.FILE]
    if os.path.isdir(vault.full(changelog.FOLDER)):
        paths += [f"{changelog.FOLDER}/{name}" for name in sorted(os.listdir(vault.full(changelog.FOLDER)))]
    lines: list[Line] = []
    for path in paths:
        if changelog.is_ours(path) and os.path.isfile(vault.full(path)) and not os.path.islink(vault.full(path)):
            with open(vault.full(path), "rb") as stream:
                lines += changelog.every(stream.read())
    return lines
