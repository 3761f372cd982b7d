"""The file that gives a client our /recap. It is ours as long as nobody edits it: a hash in it says so."""

from __future__ import annotations

import hashlib
import re

from vaultgit import resources
from vaultgit.errors import UsageError

_MARK = re.compile(rb"(?m)^# written by `vaultgit agent install` \(([0-9a-f]{8})\)")
_BLANK = b"00000000"


def text(template: str, program: str, vault: str) -> bytes:
    """The file. `program`, `vault`: words quoted for sh. Raises UsageError where it cannot hold them."""
    if set(program + vault) & set("`\n\r"):
        raise UsageError(
            f"a command file cannot hold this path: {program} {vault}", "move it to one without ` and newline"
        )
    shipped = resources.read("hooks", template).decode()
    filled = shipped.replace("{program}", program).replace("{vault}", vault)
    data = filled.encode("utf-8", "surrogateescape")
    return _marked(data, _hash(data))


def is_ours(data: bytes) -> bool:
    """Whether we wrote it, and nobody edited it since."""
    found = _MARK.search(data)
    return found is not None and _hash(_marked(data, _BLANK)) == found[1]


def _marked(data: bytes, mark: bytes) -> bytes:
    found = _MARK.search(data)
    return data if found is None else data[: found.start(1)] + mark + data[found.end(1) :]


def _hash(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest()[:8].encode()
