"""Conversation logs on disk: finding them, and reading of each only what is asked for, in bounded memory.

The clients write while we read, so a record counts once its newline is there; nothing is split but at LF (JSON holds
U+2028 and the like as they are). A line that is no JSON, or far too long for speech, is passed over and counted.
"""

from __future__ import annotations

import errno
import fnmatch
import glob
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from collections.abc import Mapping
from datetime import datetime
from datetime import timedelta
from typing import Any
from typing import NamedTuple

from vaultgit.agents.dialogue import Log

LONGEST = 1_000_000  # bytes of a line that is read: longer ones hold images and copies of whole histories
WITH_IMAGES = 32 << 20  # of one that a person may have typed beside images
UNREAD = " cannot be read: "  # between a path and why, in what is told
_CHUNK = 1 << 20
_ENDS = 4096  # bytes of the start and of the end that tell whether a file is still the same
_MOST = 2**63 - 1  # nanoseconds reach to 2262; a file system may hold more
_SCAN = 8 << 20  # a span that is not worth halving further
_IMAGE = re.compile(rb'"[A-Za-z0-9+/=_-]{10000,}"')
_BEGINS = re.compile(rb'\{"(?:parentUuid|type|timestamp)"')  # a record, where another one broke off before it
_BACK = timedelta(hours=1)  # times in a log are in order but for less than this


class Found(NamedTuple):
    """A log, as it lay there when it was looked for. Times and numbers are within what SQLite holds."""

    client: Log
    path: str
    conversation: str
    size: int
    mtime_ns: int
    inode: int


class Record(NamedTuple):
    """A line of a log. `data`: None where it cannot be read as a record. `start`, `end`: bytes, `end` after the LF."""

    start: int
    end: int
    data: dict[str, Any] | None


def find(clients: tuple[Log, ...], environ: Mapping[str, str], home: str) -> tuple[list[Found], list[str]]:
    """All logs of these clients, oldest change first; and the folders and files that cannot be read, in words."""
    found: list[Found] = []
    problems: list[str] = []
    for client in clients:
        for pattern in client.logs(environ, home):
            for path in _matching(pattern, problems):
                try:
                    state = os.stat(path)
                except OSError as error:
                    _note(problems, path, error)
                    continue
                if stat.S_ISREG(state.st_mode):
                    name = client.conversation(path)
                    mtime, inode = max(-_MOST, min(state.st_mtime_ns, _MOST)), min(state.st_ino, _MOST)
                    found.append(Found(client, path, name, state.st_size, mtime, inode))
    return sorted(set(found), key=lambda one: (one.mtime_ns, one.path)), problems


def records(path: str, start: int, *, rest: bool = False) -> Iterator[Record]:
    """The whole records from byte `start` on, which is the beginning of a line. `rest`: also a last one that has no end
    of line and is whole: nobody writes there any more. Raises OSError."""
    with open(path, "rb") as stream:
        stream.seek(start)
        begin, at, parts, length = start, start, list[bytes](), 0
        while chunk := stream.read(_CHUNK):
            done = 0
            while (end := chunk.find(b"\n", done)) >= 0:
                piece = chunk[done:end]
                at += len(piece) + 1
                yield Record(
                    begin, at, _parsed(b"".join((*parts, piece))) if _is_kept(parts, length + len(piece)) else None
                )
                begin, parts, length, done = at, [], 0, end + 1
            left = chunk[done:]
            at += len(left)
            length += len(left)
            parts = [*parts, left] if _is_kept(parts or [left], length) else parts[:1] or [left[:_ENDS]]
        last = _parsed(b"".join(parts)) if rest and length and _is_kept(parts, length) else None
        if last is not None:
            yield Record(begin, at, last)


def _is_kept(parts: list[bytes], length: int) -> bool:
    """Whether a line of that length is read. A person's may hold images."""
    if length <= LONGEST:
        return True
    head = parts[0][:_ENDS] if parts else b""
    return length <= WITH_IMAGES and b'"user"' in head and b'"compacted"' not in head


def heads(path: str, number: int = 20) -> Iterator[dict[str, Any]]:
    """The first records of a log that can be read. Raises OSError."""
    for count, record in enumerate(records(path, 0)):
        if record.data is not None:
            yield record.data
        if count + 1 >= number:
            break


def proof(path: str, end: int) -> str:
    """What tells that the bytes before `end` are those that were read: a hash of their length, first and last 4 KB (of
    a log each record has its own id and time). "" where the file is shorter. Raises OSError."""
    with open(path, "rb") as stream:
        if os.fstat(stream.fileno()).st_size < end:
            return ""
        head = stream.read(min(_ENDS, end))
        stream.seek(max(0, end - _ENDS))
        tail = stream.read(min(_ENDS, end))
    return hashlib.sha256(b"%d\n" % end + head + tail).hexdigest()[:32]


def digest(path: str, start: int, end: int) -> str:
    """The first 16 digits of the SHA-256 of a range; "" where the file does not reach so far. Raises OSError."""
    found, left = hashlib.sha256(), end - start
    with open(path, "rb") as stream:
        stream.seek(start)
        while left > 0 and (chunk := stream.read(min(_CHUNK, left))):
            found.update(chunk)
            left -= len(chunk)
    return found.hexdigest()[:16] if left == 0 else ""


def since(path: str, size: int, when: datetime) -> int:
    """The beginning of a line, before the first record that is as young as `when`. Times in a log are nearly in order,
    so the span is halved; what is older is left out by its own time. Raises OSError."""
    low, high, when = 0, size, when - _BACK
    with open(path, "rb") as stream:
        while high - low > _SCAN:
            middle = (low + high) // 2
            at, found = _next_time(stream, middle, min(high, middle + _SCAN))
            if found is None or found >= when:
                high = middle
            else:
                low = at
    return low


def _next_time(stream: Any, start: int, end: int) -> tuple[int, datetime | None]:
    """The first line that begins in a span and says its time."""
    stream.seek(start)
    begin = start + len(stream.readline(end - start))
    while begin < end:
        line = stream.readline(end - begin)
        stamp = (_json(line) or {}).get("timestamp") if len(line) <= LONGEST else None
        try:
            found = datetime.fromisoformat(stamp) if isinstance(stamp, str) else None
        except ValueError:
            found = None
        if found is not None and found.tzinfo is not None:
            return begin, found
        begin += len(line)
        if not line:
            break
    return start, None


def _parsed(line: bytes) -> dict[str, Any] | None:
    """A record. Where a writer was killed, a stub and the next record stand on one line: the record counts."""
    if len(line) > LONGEST:
        line = _IMAGE.sub(b'""', line)
        if len(line) > LONGEST:
            return None
    found = _json(line.removeprefix(b"\xef\xbb\xbf"))
    if found is None and line[:1] == b"{":
        tails = [match.start() for match in _BEGINS.finditer(line, 1)]
        found = next((one for at in tails[-3:] if (one := _json(line[at:])) is not None), None)
    return found


def _json(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


# -- looking for files ------------------------------------------------------------------------------------------


def _matching(pattern: str, problems: list[str]) -> Iterator[str]:
    """As glob does it, but what may not be read is told."""
    top, *parts = pattern.split(os.sep)
    folders = [top or os.sep]
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        folders = [path for folder in folders for path in _inside(folder, part, last, problems)]
    yield from folders


def _inside(folder: str, part: str, last: bool, problems: list[str]) -> list[str]:
    if not glob.has_magic(part.replace("[[]", "").replace("[*]", "").replace("[?]", "")):
        path = os.path.join(folder, _plain(part))
        return [path] if last or os.path.isdir(path) else []
    try:
        names = sorted(name for name in os.listdir(folder) if fnmatch.fnmatchcase(name, part))
    except OSError as error:
        _note(problems, folder, error)
        return []
    return [os.path.join(folder, name) for name in names if not name.startswith(".")]


def _plain(part: str) -> str:
    """A name that glob.escape wrote."""
    return re.sub(r"\[([*?[])\]", r"\1", part)


def _note(problems: list[str], path: str, error: OSError) -> None:
    if error.errno not in (errno.ENOENT, errno.ENOTDIR):
        problems.append(f"{path}{UNREAD}{error.strerror}")
