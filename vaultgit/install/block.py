"""Owned blocks: our lines between markers in a file that is somebody else's.

    # vaultgit begin 3f2a9c1b
    ...
    # vaultgit end

The number is a hash of the lines between, so that a block a person edited since is told from one that is as
we left it. `remove` is the exact inverse of `add`: line endings and a missing final newline are kept (a
block that ends the file without a newline owns the newline before it; a file that was made for the block
goes with it).
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple


class Style(NamedTuple):
    """How a comment is written in a kind of file."""

    before: str
    after: str


HASH = Style("# ", "")  # .gitignore, .gitattributes, YAML, TOML
HTML = Style("<!-- ", " -->")  # markdown


class Found(NamedTuple):
    """An owned block: its span in the file's bytes, and whether somebody edited it since."""

    start: int
    end: int
    edited: bool


def find(data: bytes, style: Style) -> Found | None:
    """The block in `data`; None when there is none (or only half of one)."""
    before, after = re.escape(style.before.encode()), re.escape(style.after.encode())
    pattern = rb"^%svaultgit begin ([0-9a-f]{8})%s(\r?\n)(.*?)^%svaultgit end%s(\r?\n|\Z)"
    match = re.search(pattern % (before, after, before, after), data, re.M | re.S)
    if match is None:
        return None
    # Without a newline behind it the block owns the one before it, which is of the same kind as its others.
    start = match.start() if match[4] else max(0, match.start() - len(match[2]))
    return Found(start, match.end(), _hash(match[3]) != match[1])


def add(data: bytes | None, text: bytes, style: Style, *, at: int | None = None) -> bytes:
    """`data` with `text` as our block: at the start of the line at offset `at`, else at the end.

    `data` None: the file does not exist. A block that is there already is brought up to date in its place,
    and left alone where a person edited it.
    """
    old = data or b""
    here = find(old, style)
    if here is not None:
        if here.edited:
            return old
        data, at = remove(old, style), here.start
    if data is None:
        return _block(text, style)
    return _put(data, text, style, len(data) if at is None else at)


def remove(data: bytes, style: Style) -> bytes | None:
    """`data` without our block; None when the file was made for it and holds nothing else."""
    here = find(data, style)
    if here is None:
        return data
    if here.start == 0 and here.end == len(data) and data.endswith(b"\n"):
        return None
    return data[: here.start] + data[here.end :]


def _put(data: bytes, text: bytes, style: Style, at: int) -> bytes:
    newline = b"\r\n" if data.partition(b"\n")[0].endswith(b"\r") and b"\n" in data else b"\n"
    block = _block(text, style).replace(b"\n", newline)
    if at == len(data) and not data.endswith(b"\n"):
        block = (newline if data else b"") + block.removesuffix(newline)
    return data[:at] + block + data[at:]


def _block(text: bytes, style: Style) -> bytes:
    before, after = style.before.encode(), style.after.encode()
    text = text if text.endswith(b"\n") else text + b"\n"
    return b"%svaultgit begin %s%s\n%s%svaultgit end%s\n" % (before, _hash(text), after, text, before, after)


def _hash(text: bytes) -> bytes:
    return hashlib.sha256(text.replace(b"\r\n", b"\n")).hexdigest()[:8].encode()
