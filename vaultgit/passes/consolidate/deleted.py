"""Proposals that a person deleted from review.md: that declines them, as a tick would.

A block is missed that stood there when a round or a decision of ours last wrote the file. A file that is gone whole,
emptied, in conflict, or that we cannot read says nothing about any of them.
"""

from __future__ import annotations

import re

from vaultgit.edits import branches
from vaultgit.edits import queue
from vaultgit.edits.edit import ID
from vaultgit.edits.submit import current
from vaultgit.history import log
from vaultgit.notes.reviewfile import Block
from vaultgit.passes.consolidate import proposals
from vaultgit.passes.consolidate.landed import landed
from vaultgit.passes.inbox import DECLINED
from vaultgit.passes.reviewmd import FILE
from vaultgit.passes.reviewmd import held_up
from vaultgit.passes.ticks import Ticks
from vaultgit.vault import Vault

_ID = re.compile(rf"\^({ID.pattern})")
_OURS = rf"^vaultgit: [0-9]+ (proposals? in|decided in) {FILE.replace('.', '[.]')}$"


def blocks(vault: Vault) -> list[Block]:
    """The deleted ones that declined.md has no line for, nor ever had: a line that a person took out allows them."""
    tip, there = branches.here(vault), current(vault, FILE)
    if tip is None or there is None or not there.strip() or b"<<<<<<< " in there or held_up(vault, there)[1]:
        return []
    tell = [tip, "--extended-regexp", f"--grep={_OURS}"]
    last = log.commits(vault.repo, tell, paths=[vault.prefix + FILE], limit=1)
    blob = vault.repo.blob(f"{last[0].oid}:{vault.prefix}{FILE}") if last else None
    if blob is None:
        return []
    now = proposals.of(proposals.text(vault))
    ids, keys = {one.id for one in now}, {proposals.key(one) for one in now}
    before = proposals.of(blob.data.decode("utf-8", "surrogateescape"))
    gone = [one for one in before if one.id not in ids and proposals.key(one) not in keys]
    if not gone:
        return []
    # Also in another clone, whose history was merged.
    accepted = landed(vault, [one.id for one in gone]).there
    ticks, declined = Ticks(vault), _declined(vault)
    return [
        one
        for one in gone
        if one.id not in accepted | declined
        and queue.get(vault.state, one.id) is None
        and not ticks.deleted_by_agent(one.id)
    ]


def _declined(vault: Vault) -> set[str]:
    """The ids of the lines that stand in declined.md, or stood there."""
    tell = ("log", "-p", "-U0", "--format=", "--no-textconv", "--no-ext-diff", "--no-color", "HEAD", "--")
    history = vault.repo.run(*tell, vault.prefix + DECLINED).decode("utf-8", "replace")
    there = (current(vault, DECLINED) or b"").decode("utf-8", "replace")
    return set(_ID.findall(history)) | set(_ID.findall(there))
