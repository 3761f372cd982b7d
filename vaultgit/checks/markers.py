"""MK01: markers of a merge that nobody finished.

A run of seven `=` alone is a heading's underline and one of seven `>` a nested quotation, so two of git's
three markers must follow each other. A set that begins inside a code fence is an example (a note about git),
except in a merge, where git itself may have put it there. A set that stood in the note before does not block
its next edit. In other files than notes only a merge leaves them: elsewhere they belong to what the file is about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vaultgit.checks.problem import Problem
from vaultgit.checks.secrets import third_party

if TYPE_CHECKING:
    from vaultgit.checks.change import Change
    from vaultgit.checks.change import FileChange

_MARKER = re.compile(rb"(?:(<{7})(?: .*)?|(={7})|(>{7})(?: .*)?)\r?", re.DOTALL)
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)


def check(change: Change) -> list[Problem]:
    """MK01, one problem a file: the place of its first marker."""
    return [problem for file in change.files for problem in _of_file(file)]


def _of_file(file: FileChange) -> list[Problem]:
    data = file.after
    if data is None or (b"<<<<<<<" not in data and b">>>>>>>" not in data) or b"\0" in data:
        return []
    merged = len(file.before) > 1
    if third_party(file.path) or not (merged or file.path.lower().endswith(".md")):
        return []
    line = _unfinished(data, fences=not merged)
    if line is None or any(old is not None and _markers(data) == _markers(old) for old in file.before):
        return []
    what = "a merge conflict is not resolved"
    mend = "keep what should stay and delete the marker lines"
    return [Problem(file.path, line, 1, "MK01", what, mend, _fingerprint(_markers(data)))]


def _fingerprint(markers: list[bytes]) -> str:
    from hashlib import sha256

    return sha256(b"\n".join(markers)).hexdigest()[:16]


def _markers(data: bytes) -> list[bytes]:
    return [line.rstrip(b"\r") for line in data.split(b"\n") if _MARKER.fullmatch(line)]


def _unfinished(data: bytes, *, fences: bool) -> int | None:
    """Line of the first of two markers in git's order, `<` `=` `>`; None where there is no such pair.

    Only the first must be outside a fence: the fences of both sides, one below the other, are no fences to
    trust.
    """
    fence = b""
    first: tuple[int, int] | None = None  # line, rank of its marker
    for number, line in enumerate(data.split(b"\n"), 1):
        marker = _MARKER.fullmatch(line)
        if marker is not None:
            rank = marker.lastindex or 0
            if first is not None and rank > first[1]:
                return first[0]
            if rank < 3:
                # An example in a fence that begins here ends what a heading's underline above seemed to
                # begin.
                first = None if fence else (number, rank)
        elif fences:
            fence = _fence_after(line.rstrip(b"\r"), fence)
    return None


def _fence_after(line: bytes, fence: bytes) -> bytes:
    """The opening run of the fence that is open after `line` (CommonMark 4.5), b"" for none."""
    match = _FENCE.fullmatch(line)
    if match is None:
        return fence
    run, rest = match[1], match[2]
    if not fence:
        return b"" if run[:1] == b"`" and b"`" in rest else run
    closes = run[:1] == fence[:1] and len(run) >= len(fence) and not rest.strip()
    return b"" if closes else fence
