"""Texts that are files of their own: put there all or none, told from what a person made of them, taken out again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Sequence

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.install import block
from vaultgit.install.block import Style
from vaultgit.install.timers.job import Standing
from vaultgit.install.timers.job import Text

Before = list[tuple[str, bytes | None]]


def text(where: str, body: str, style: Style, head: str = "") -> Text:
    """A file that is ours, with the mark that tells later whether somebody edited it. `head`: lines before the mark.
    Raises UsageError for what is no UTF-8: systemd and launchd read nothing else."""
    try:
        made = block.add(None, body.encode(), style)
    except UnicodeEncodeError as error:
        raise UsageError(f"{where}: the vault's path is no UTF-8", "--with cron takes it") from error
    return Text(where, head.encode() + made)


def standing(paths: Iterable[str], style: Style) -> list[Standing]:
    """Those of the files that are there. One without our mark counts as edited."""
    found = []
    for path in paths:
        data = _read(path)
        if data is not None:
            here = block.find(data, style)
            found.append(Standing(path, data, here is None or here.edited))
    return found


def put(texts: Sequence[Text]) -> Before:
    """Writes the files and returns what was there; where one cannot be written, none is. Raises VaultgitError."""
    before: Before = []
    try:
        for one in texts:
            before.append((one.where, _read(one.where)))
            _write(one.where, one.data)
    except OSError as error:
        restore(before)
        raise VaultgitError(f"{one.where}: {error.strerror}; nothing was changed", "vaultgit schedule show") from error
    return before


def restore(before: Before) -> None:
    """Makes the files what they were."""
    for path, data in reversed(before):
        if data is not None:
            _write(path, data)
        elif os.path.lexists(path):
            os.unlink(path)


def take_out(paths: Iterable[str]) -> None:
    for path in paths:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    target = os.path.realpath(path)  # kept with a person's dotfiles, perhaps
    new = target + ".vaultgit-new"
    try:
        with open(new, "wb") as stream:
            stream.write(data)
        os.replace(new, target)
    except OSError:
        take_out([new])
        raise
