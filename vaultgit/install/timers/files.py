"""Texts that are files of their own: put there all or none, told from what a person made of them, taken out again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Sequence

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.install import block
from vaultgit.install import plainfile
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
        data = plainfile.read(path)
        if data is not None:
            here = block.find(data, style)
            found.append(Standing(path, data, here is None or here.edited))
    return found


def put(texts: Sequence[Text]) -> Before:
    """Writes the files and returns what was there; where one cannot be written, none is. Raises VaultgitError."""
    before = [(one.where, plainfile.read(one.where)) for one in texts]
    try:
        for one in texts:
            _write(one.where, one.data)
    except OSError as error:
        restore(before)
        raise VaultgitError(f"{one.where}: {error.strerror}; nothing was changed", "vaultgit schedule show") from error
    return before


def restore(before: Before) -> None:
    """Makes the files what they were."""
    for path, data in reversed(before):
        if data is None:
            _delete(_target(path))
        elif plainfile.read(path) != data:
            _write(path, data)


def take_out(paths: Iterable[str]) -> None:
    """Takes the files out. Of a link that leads to a file of ours, that: the link is a person's."""
    for path in paths:
        _delete(_target(path))


def drop_link(path: str) -> None:
    """Takes out a name, wherever it leads."""
    _delete(path)


def _delete(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _target(path: str) -> str:
    """What is written and deleted. A link may lead to where a person keeps such files; one that leads to what is
    nothing of ours is replaced itself, and what it leads to stays."""
    target = os.path.realpath(path)
    data = plainfile.read(path) if os.path.islink(path) else None
    ours = data is None or any(block.find(data, style) for style in (block.HASH, block.HTML))
    return target if ours else path


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    target = _target(path)
    new = f"{target}.vaultgit-{os.getpid()}"
    with open(new, "xb") as stream:
        try:
            stream.write(data)
            stream.flush()
            os.replace(new, target)
        except OSError:
            _delete(new)
            raise
