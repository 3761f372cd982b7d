"""Settings files of other programs: written whole or not at all. A symbolic link stays one (settings often lie in a
repository of dot-files), a mode and an owner stay what they were.

What a file held before us is kept beside it: `settings.json.vaultgit-backup-3f2a9c1b40de`. The number is a hash of the
bytes, so that a backup that we made is told from everything else of such a name: that is never followed, written over
or deleted. Earlier ones had no number.
"""

from __future__ import annotations

import hashlib
import os
import stat

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.install import plainfile

BACKUP = ".vaultgit-backup"


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
        raise _not_written(target, error) from error


# -- backups ---------------------------------------------------------------------------------------


def backup_of(path: str, data: bytes) -> str:
    """Where the backup of a file lies that holds `data`. Raises UsageError where something else does."""
    backup = f"{path}{BACKUP}-{hashlib.sha256(data).hexdigest()[:12]}"
    if os.path.lexists(backup) and not _is_ours(path, backup):
        what = f"{backup} is in the way, and no backup that was made here; nothing was written"
        raise UsageError(what, f"look at it, and move it away: ls -l {backup}")
    return backup


def backups(path: str) -> dict[str, bytes]:
    """The backups that we made of a file, the newest first, and what they hold."""
    folder, name = os.path.split(path)
    try:
        names = [os.path.join(folder, one) for one in os.listdir(folder) if one.startswith(f"{name}{BACKUP}-")]
    except OSError:
        return {}
    ours = sorted((one for one in names if _is_ours(path, one)), key=lambda one: -os.lstat(one).st_mtime_ns)
    return {one: _read_own(one) or b"" for one in ours}


def former_backup(path: str) -> bytes | None:
    """What a file holds that may be a backup of an earlier version, or a person's own."""
    return _read_own(path + BACKUP)


def keep(path: str, data: bytes) -> None:
    """Keeps what a file held in a backup beside it, with its mode. Raises VaultgitError."""
    backup = backup_of(path, data)
    if os.path.lexists(backup):
        return
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        _write(backup, backup, None, data)
        os.chmod(backup, mode)
        _sync_folder(os.path.dirname(backup))
    except OSError as error:
        raise _not_written(backup, error) from error


def drop(backup: str, data: bytes) -> None:
    """Deletes a backup that holds `data`; what has become something else stays. Raises VaultgitError."""
    try:
        if _read_own(backup) == data:
            os.unlink(backup)
    except OSError as error:
        raise _not_written(backup, error) from error


def _is_ours(path: str, backup: str) -> bool:
    data = _read_own(backup)
    return data is not None and backup == f"{path}{BACKUP}-{hashlib.sha256(data).hexdigest()[:12]}"


def _read_own(path: str) -> bytes | None:
    """The bytes of a plain file; None for all else, a link too."""
    try:
        return plainfile.read(path, follow=False)
    except UsageError:
        return None


# -- writing ---------------------------------------------------------------------------------------


def remove_empty(folder: str) -> None:
    """Removes a folder that holds nothing."""
    try:
        os.rmdir(folder)
    except OSError:
        pass


def _not_written(path: str, error: OSError) -> VaultgitError:
    why = (error.strerror or str(error)).lower()
    return VaultgitError(f"{path} cannot be written: {why}", "mend that, and say it again")


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
    if plainfile.read(path) != before:
        raise VaultgitError(f"{path} was changed at this moment by something else; it stays so", "say it again")


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
