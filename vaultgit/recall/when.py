"""`--at`: the commit that a ref or a day means."""

from __future__ import annotations

import re

from vaultgit.errors import UsageError
from vaultgit.notes.schema import is_date
from vaultgit.vault import Vault

_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?))?")
_HINT = "a commit (HEAD~20, a branch, a tag) or a day (2026-10-12, 2026-10-12T18:00)"


def commit_at(vault: Vault, ref_or_date: str) -> str:
    """The oid of the commit that is meant: of a day (the machine's zone), the last one made until its end; of a time,
    until then. Days go along the history that is checked out. Raises UsageError, with a hint, where there is none."""
    text = ref_or_date.strip()
    match = _DAY.fullmatch(text)
    if match and is_date(match[1]):
        until = f"{match[1]}T{match[2] or '23:59:59'}"
        # --first-parent: what a branch held that was merged later was not in the vault yet.
        done = vault.repo.call("rev-list", "-1", "--first-parent", f"--before={until}", "HEAD", "--")
        found = done.stdout.decode().strip()
        if done.returncode or not found:
            raise UsageError(f"the vault has no commit from {text} or before", "vaultgit log shows what there is")
        return found
    commit = vault.repo.resolve(text) if text and "\0" not in text else None
    if commit is None:
        raise UsageError(f"{ref_or_date!r} is no commit and no day", _HINT)
    return commit
