"""Notes that git stores through a filter program (git-crypt, say): what is quoted of them elsewhere can be read there.

review.md, declined.md and a note that is made of others quote what they were made from. They may only where git keeps
them in the same way, or what was encrypted would stand in the open, and be pushed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping

from vaultgit.history import filters
from vaultgit.passes.inbox import DECLINED
from vaultgit.passes.reviewmd import FILE
from vaultgit.vault import Vault

_AT_ONCE = 1000  # paths that git is asked about in one command line


class Seals:
    """Which filter each path has, by git's attributes as they are now; "" for none. Asked once for each."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._known: dict[str, str] = {}

    def learn(self, paths: Iterable[str]) -> None:
        """Asks about many at once."""
        new = [path for path in dict.fromkeys(paths) if path not in self._known]
        for first in range(0, len(new), _AT_ONCE):
            part = new[first : first + _AT_ONCE]
            found = filters.through(self._vault.repo, [self._vault.prefix + path for path in part])
            self._known |= {path: found.get(self._vault.prefix + path, "") for path in part}

    def of(self, path: str) -> str:
        self.learn([path])
        return self._known[path]

    def may_quote(self, source: str, *targets: str) -> bool:
        """Whether what a note says may stand in these files."""
        seal = self.of(source)
        return not seal or all(self.of(target) == seal for target in targets)

    def kept_out(self, paths: Iterable[str]) -> dict[str, str]:
        """Those that suggestions may not quote: path -> filter."""
        paths = list(paths)
        self.learn([*paths, FILE, DECLINED])
        return {path: self.of(path) for path in paths if not self.may_quote(path, FILE, DECLINED)}


def counted(kept_out: Mapping[str, str]) -> dict[str, int]:
    """How many notes each filter keeps out."""
    return dict(sorted(Counter(kept_out.values()).items()))


def in_words(counts: Mapping[str, int]) -> str:
    """What is left out and why; "" where nothing is."""
    if not counts:
        return ""
    number, seals = sum(counts.values()), ", ".join(counts)
    notes, them = ("daily note is", "it") if number == 1 else ("daily notes are", "them")
    which = f"which {FILE} and {DECLINED} do not both have"
    return f"{number:,} {notes} left out: git stores {them} through a filter ({seals}), {which}"
