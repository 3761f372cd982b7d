"""Files in other programs' folders, read as what they are: nothing else is waited for, or read without an end."""

from __future__ import annotations

import os
import stat

from vaultgit.errors import UsageError


def read(path: str, *, follow: bool = True) -> bytes | None:
    """The bytes; None where nothing is. `follow`: also what a symbolic link leads to. Raises UsageError for what is no
    plain file or cannot be read."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        # A pipe would be waited for.
        with open(os.open(path, flags), "rb") as stream:
            if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return stream.read()
            why = "it is no plain file"
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        why = "it is a folder"
    except OSError as error:
        why = (error.strerror or str(error)).lower()
    raise UsageError(f"{path} cannot be read: {why}; nothing was written", f"look at it: ls -l {path}")
