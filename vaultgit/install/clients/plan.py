"""What an install, or its inverse, is going to write."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Step(NamedTuple):
    """A file to write (`after` None: to delete). `words`: what changes; `backup`: what it held, to keep beside it;
    `needed`: whether all stops where it cannot be written."""

    path: str
    before: bytes | None
    after: bytes | None
    words: str
    backup: bytes | None = None
    needed: bool = True


class Plan(NamedTuple):
    """What is to be done. `stays`: what was left alone, and why; `backups`: that are not needed any more,
    and what they hold."""

    steps: list[Step]
    stays: list[str]
    backups: Mapping[str, bytes] = MappingProxyType({})

    @property
    def empty(self) -> bool:
        return not self.steps and not self.backups
