"""What a sync came to."""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.edits.round import Result
from vaultgit.passes.sync.count import Share
from vaultgit.passes.sync.travel import Travelled


class Aside(NamedTuple):
    """A text that did not merge, and waits in the inbox: the note there, the file that it is about, from the vault's
    root where they lie in it, and what is in the way, which stands."""

    path: str
    target: str
    why: str


class Synced(NamedTuple):
    """What a sync came to.

    `outcome`: unchanged, merged (something came in), pushed (something went out, and nothing came in), queued (`reason`
    says what it waits for), dry-run (what it would be is in the other fields). `oid`: the branch's tip. `fetched`,
    `pushed`: commits; `came`, `went`: whose. `paths`: files that changed here, from the repository's top; `inbox`:
    what did not merge. `waits`: edits still queued;
    `first`: the branch was not there before, and the remote is its upstream now; of a dry run: it is not there.
    """

    outcome: str
    remote: str
    branch: str
    oid: str = ""
    fetched: int = 0
    pushed: int = 0
    paths: tuple[str, ...] = ()
    inbox: tuple[Aside, ...] = ()
    branches: tuple[Travelled, ...] = ()
    reason: str = ""
    came: tuple[Share, ...] = ()
    went: tuple[Share, ...] = ()
    waits: tuple[Result, ...] = ()
    first: bool = False
