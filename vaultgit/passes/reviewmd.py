"""review.md itself, which suggestions of several passes share: what in it is ours, and whether we may write it now."""

from __future__ import annotations

import os

from vaultgit import checks
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.edits import branches
from vaultgit.errors import UsageError
from vaultgit.history import log
from vaultgit.vault import Vault

FILE = "review.md"
HEADER = "# Review\n\nWhat waits for you. Tick one box of a suggestion, then run: vaultgit review apply\n\n"


def by_us(vault: Vault) -> set[int]:
    """The lines that stand there because a commit of ours put them there."""
    try:
        blamed = log.blame(vault.repo, vault.prefix + FILE, None)
    except UsageError:
        return set()
    made = {oid: log.commit(vault.repo, oid) for oid in {oid for _, oid, _ in blamed} if oid.strip("0")}
    ours = {oid for oid, one in made.items() if one.subject.startswith("vaultgit: ") and not one.trailer("Agent")}
    return {line for line, oid, _ in blamed if oid in ours}


def held_up(vault: Vault, data: bytes | None) -> tuple[int, str]:
    """Why no commit of ours may take review.md along now: a line, and words; "" where one may.

    What a person typed into it may look like a secret. What they staged is theirs: a commit past it would not merge.
    """
    if os.path.islink(vault.full(FILE)):
        return 1, "is a link: put the file itself there, then run this again"
    if data and data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return 1, "is UTF-16: save it as UTF-8, then run this again"
    tip = branches.here(vault)
    held = vault.repo.blob(f"{tip}:{vault.prefix}{FILE}") if tip else None
    file = FileChange(FILE, () if held is None else (held.data,), data)
    found = checks.run(Change((file,), vault.rules), only=["secrets"]) if data else []
    if found:
        what = "take it out, then run this again; until then the file stays as it is"
        return found[0].line, f"{found[0].code} {found[0].message}: {what}"
    staged = vault.repo.call("diff-index", "--cached", "--quiet", tip or "", "--", vault.prefix + FILE) if tip else None
    if staged is not None and staged.returncode == 1:
        return 1, f"is staged, and not committed: git commit {FILE}, then run this again; until then it stays as it is"
    return 0, ""
