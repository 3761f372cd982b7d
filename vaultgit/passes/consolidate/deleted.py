"""Proposals that a person deleted from review.md: that declines them, as a tick would.

A block is missed that stood there when a round or a decision of ours last wrote the file. A file that is gone whole,
emptied, in conflict, or that we cannot read says nothing about any of them.
"""

from __future__ import annotations

from vaultgit.edits import branches
from vaultgit.edits import queue
from vaultgit.edits.submit import current
from vaultgit.history import log
from vaultgit.notes.reviewfile import Block
from vaultgit.passes.consolidate import proposals
from vaultgit.passes.inbox import DECLINED
from vaultgit.passes.reviewmd import FILE
from vaultgit.passes.reviewmd import held_up
from vaultgit.vault import Vault

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
    return [one for one in gone if not (_accepted(vault, tip, one) or _declined(vault, one))]


def _accepted(vault: Vault, tip: str, one: Block) -> bool:
    """Also in another clone, whose history was merged."""
    tell = [tip, "--fixed-strings", f"--grep=Edit: {one.id}"]
    return queue.get(vault.state, one.id) is not None or bool(log.commits(vault.repo, tell, limit=1))


def _declined(vault: Vault, one: Block) -> bool:
    """Whether its line stands in declined.md, or stood there."""
    if f"^{one.id}".encode() in (current(vault, DECLINED) or b""):
        return True
    tell = ("-n1", "--format=%H", f"-S^{one.id}", "--no-textconv", "HEAD")
    return bool(vault.repo.call("log", *tell, "--", vault.prefix + DECLINED).stdout.strip())
