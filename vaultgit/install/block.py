"""Owned blocks: our lines between markers in a file that is somebody else's.

    # vaultgit begin 3f2a9c1b
    ...
    # vaultgit end

The number is a hash of the lines between, so that a block a person edited since is told from one that is as
we left it. `remove` is the exact inverse of `add`: line endings and a missing final newline are kept. A block always
ends with a newline, so that what is written behind it (`echo x >> .gitignore`) is a line of its own; where the file
had none at its end, the number says so (it is another hash of the same lines), and the newline before the block goes
with it. A file that was made for the block goes with it as well.

Earlier blocks ended such a file without a newline, and something may be glued to their last line: they are read as what
they are, and `add` mends them.
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
    """An owned block: its span in the file's bytes, and whether somebody edited it since. `glued`: something else
    stands on its last line, behind the mark."""

    start: int
    end: int
    edited: bool
    glued: bool = False


def find(data: bytes, style: Style) -> Found | None:
    """The block in `data`; None when there is none (or only half of one)."""
    match = _match(data, style)
    if match is None:
        return None
    begin, end = match.span()
    # What is ours of the line above only while nothing stands below: else two lines of the person's became one.
    start = begin - _newline_before(data[:begin], match[2]) if end == len(data) and _unended(match) else begin
    return Found(start, end, not _is_ours(match), not match[4] and end < len(data))


def add(data: bytes | None, text: bytes, style: Style, *, at: int | None = None) -> bytes:
    """`data` with `text` as our block: at the start of the line at offset `at`, else at the end.

    `data` None: the file does not exist. A block that is there already is brought up to date in its place,
    and left alone where a person edited it (but for the newline behind it).
    """
    old = data or b""
    match = _match(old, style)
    if match is not None:
        block = match[0] if match[4] else match[0] + match[2]
        if _is_ours(match) and (not match[4] or _plain(match[3]) != _plain(_lines(text))):
            block = _block(text, style, unended=_unended(match), newline=match[2])
        return old[: match.start()] + block + old[match.end() :]
    if data is None:
        return _block(text, style)
    return _put(data, text, style, len(data) if at is None else at)


def remove(data: bytes, style: Style) -> bytes | None:
    """`data` without our block; None when the file was made for it and holds nothing else."""
    match, here = _match(data, style), find(data, style)
    if match is None or here is None:
        return data
    if here.start == 0 and here.end == len(data) and not _unended(match):
        return None
    return data[: here.start] + data[here.end :]


def _match(data: bytes, style: Style) -> re.Match[bytes] | None:
    """Groups: number, the newline of the first line, the lines between, the newline of the last line."""
    before, after = re.escape(style.before.encode()), re.escape(style.after.encode())
    pattern = rb"^%svaultgit begin ([0-9a-f]{8})%s(\r?\n)((?:(?!^%svaultgit begin ).)*?)^%svaultgit end%s(\r?\n|)"
    return re.search(pattern % (before, after, before, before, after), data, re.M | re.S)


def _unended(match: re.Match[bytes]) -> bool:
    """Whether the file had no newline at its end when the block was put there."""
    return not match[4] or match[1] == _hash(match[3], unended=True)


def _newline_before(above: bytes, newline: bytes) -> int:
    return next((len(end) for end in (newline, b"\n") if above.endswith(end)), 0)


def _put(data: bytes, text: bytes, style: Style, at: int) -> bytes:
    newline = b"\r\n" if data.partition(b"\n")[0].endswith(b"\r") and b"\n" in data else b"\n"
    unended = at == len(data) and not data.endswith(b"\n")
    block = _block(text, style, unended=unended, newline=newline)
    return data[:at] + (newline if unended and data else b"") + block + data[at:]


def _block(text: bytes, style: Style, *, unended: bool = False, newline: bytes = b"\n") -> bytes:
    before, after, lines = style.before.encode(), style.after.encode(), _lines(text)
    number = _hash(lines, unended=unended)
    block = b"%svaultgit begin %s%s\n%s%svaultgit end%s\n" % (before, number, after, lines, before, after)
    return block.replace(b"\n", newline)


def _lines(text: bytes) -> bytes:
    return text if text.endswith(b"\n") else text + b"\n"


def _plain(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")


def _is_ours(match: re.Match[bytes]) -> bool:
    return match[1] in (_hash(match[3]), _hash(match[3], unended=True))


def _hash(text: bytes, *, unended: bool = False) -> bytes:
    return hashlib.sha256(_plain(text) + b"\0" * unended).hexdigest()[:8].encode()
