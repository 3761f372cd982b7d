"""What a check judges: the files that change, by whom, and in which words."""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from vaultgit.checks.around import Around
    from vaultgit.vault import Rules


class FileChange(NamedTuple):
    """One file of a change.

    `path`: relative to the vault, with "/". `before`: its plain bytes in each parent, None where a parent has
    no such file; () for no parent at all (a new repository, or a check of files as they are). `after`: None
    when the change deletes it. `mode`: as git writes it. `earlier`: says whether the file had exactly these
    bytes at some time in history; asked only where a rule needs it.
    """

    path: str
    before: tuple[bytes | None, ...]
    after: bytes | None
    mode: str = "100644"
    earlier: Callable[[bytes], bool] | None = None

    @property
    def added(self) -> bool:
        """There now and in no parent."""
        return self.after is not None and all(data is None for data in self.before)


class Change(NamedTuple):
    """One commit to be, one commit that is, or files as they lie.

    `agent`: who makes it, None for a person. `message`: the whole commit message, None while there is none
    yet. `agent_environment`: an agent's client runs the command. `today`: YYYY-MM-DD where and when it is
    made. `paths`: all files of the vault that are known, before or after the change. `around`: the rest of the vault,
    None where nothing is known of it.
    """

    files: tuple[FileChange, ...]
    rules: Rules
    agent: str | None = None
    message: str | None = None
    agent_environment: bool = False
    today: str | None = None
    paths: frozenset[str] | None = None
    around: Around | None = None
