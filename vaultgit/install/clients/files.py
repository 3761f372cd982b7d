"""Settings files of other programs: read, and written whole or not at all. A symbolic link stays one (settings often
lie in a repository of dot-files), a mode and an owner stay what they were."""

from __future__ import annotations

import os
import stat

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError

BACKUP = ".vaultgit-backup"


def read(path: str) -> bytes | None:
    """The bytes; None where nothing is. Raises UsageError for what is no plain file or cannot be read."""
    try:
        # A pipe would be waited for.
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
            if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return stream.read()
            why = "it is no plain file"
    except FileNotFoundError:
        return None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
    raise UsageError(f"{path} cannot be read: {why}; nothing was written", f"look at it: ls -l {path}")


def change(path: str, before: bytes | None, after: bytes | None) -> None:
    """Writes `after`, or deletes the file where that is None, unless it is no longer as it was `before`.

    Raises VaultgitError where it is not, or cannot be written.
    """
    target = os.path.realpath(path)
    try:
        if after is None:
            _refuse_changed(path, before)
            os.unlink(target)
        else:
            _write(path, target, before, after)
        _sync_folder(os.path.dirname(target))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise VaultgitError(f"{target} cannot be written: {why}", "mend that, and say it again") from error


def keep(path: str, data: bytes) -> None:
    """Keeps what a file held in a backup beside it, with its mode."""
    mode = stat.S_IMODE(os.stat(path).st_mode)
    backup = path + BACKUP
    change(backup, read(backup), data)
    os.chmod(backup, mode)


def remove_empty(folder: str) -> None:
    """Removes a folder that holds nothing."""
    try:
        os.rmdir(folder)
    except OSError:
        pass


def _write(path: str, target: str, before: bytes | None, after: bytes) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)
    new = f"{target}.vaultgit-{os.getpid()}"
    try:
        # Made for its owner alone: what is in it may be secret, and it gets the old file's mode below.
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as stream:
            if before is not None:
                was = os.stat(target)
                if (was.st_uid, was.st_gid) != (os.geteuid(), os.getegid()):
                    os.fchown(stream.fileno(), was.st_uid, was.st_gid)
                os.fchmod(stream.fileno(), stat.S_IMODE(was.st_mode))
            stream.write(after)
            stream.flush()
            os.fsync(stream.fileno())
        _refuse_changed(path, before)
        os.replace(new, target)
    except BaseException:
        if os.path.lexists(new):
            os.unlink(new)
        raise


def _refuse_changed(path: str, before: bytes | None) -> None:
    if read(path) != before:
        raise VaultgitError(f"{path} was changed at this moment by something else; it stays so", "say it again")


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
