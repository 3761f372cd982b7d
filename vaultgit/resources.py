"""Where the data folders lie that ship with the package: `hooks/` and `schemas/`."""

from __future__ import annotations

import os


def folder(name: str) -> str:
    """Absolute path of a data folder: inside the installed package, else beside it in a checkout."""
    package = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(package, name)
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), name)


def read(name: str, file: str) -> bytes:
    """Bytes of one shipped file."""
    with open(os.path.join(folder(name), file), "rb") as stream:
        return stream.read()
