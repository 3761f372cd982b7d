"""What an agent client's own tool did to a file."""

from __future__ import annotations

from typing import NamedTuple


class Wrote(NamedTuple):
    """A file that a tool wrote. `path`: as the client gave it, absolute or below its working folder. `before`: the text
    that was replaced, None for a new file. `after`: the text the tool left, None where it is what lies on disk.
    `known`: whether `before` is what the client saw; else it is not known."""

    path: str
    before: str | None
    after: str | None
    known: bool
