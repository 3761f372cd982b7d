"""`--at`: the commit that a ref or a day means."""

from __future__ import annotations

import re
from datetime import date

from vaultgit.errors import UsageError
from vaultgit.history import stamps
from vaultgit.notes.schema import is_date
from vaultgit.recall.question import span_of
from vaultgit.vault import Vault

_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?))?")
_SPAN = re.compile(r"(?:19|20)\d\d(?:-\d\d)?")  # no other year: four digits may begin a commit's id
_BACK = re.compile(r"(.+?)(?:~\d*|\^)+")
_HINT = "a commit (HEAD~20, a branch, a tag) or a day (2026-10-12, 2026-10-12T18:00, 2026-10)"


def commit_at(vault: Vault, ref_or_date: str) -> str:
    """The oid of the commit that is meant: of a day (the machine's zone), a month or a year, the last one made until
    its end; of a time, until then. Days go along the history that is checked out. Raises UsageError, with a hint, where
    there is none."""
    text = ref_or_date.strip()
    span = span_of(text) if _SPAN.fullmatch(text) else None
    match = _DAY.fullmatch(span[1] if span else text)
    if match and is_date(match[1]):
        until = f"{match[1]}T{match[2] or '23:59:59'}"
        # --first-parent: what a branch held that was merged later was not in the vault yet.
        done = vault.repo.call("rev-list", "-1", "--first-parent", f"--before={until}", "HEAD", "--")
        found = done.stdout.decode().strip()
        if done.returncode or not found:
            raise UsageError(
                f"the vault has no commit from {text} or before", _reach(vault, "HEAD") or "nothing is committed yet"
            )
        return found
    commit = vault.repo.resolve(text) if text and "\0" not in text else None
    if commit is None:
        back = _BACK.fullmatch(text) if len(text) < 200 else None
        reach = _reach(vault, back[1]) if back and "\0" not in text else ""
        if reach:
            raise UsageError(f"{text} is further back than history goes", reach)
        raise UsageError(f"{ref_or_date!r} is no commit and no day", _HINT)
    return commit


def _reach(vault: Vault, ref: str) -> str:
    """How far back the line of commits that ends at `ref` goes, in words; "" where there is none."""
    tip = vault.repo.resolve(ref)
    if tip is None:
        return ""
    days = vault.repo.run("log", "--first-parent", "--format=%cs", tip).decode().split()
    return f"it has {len(days)} commit{'' if len(days) == 1 else 's'}, the first of {days[-1]}: vaultgit log"


def day_of(vault: Vault, commit: str) -> date:
    """The day on which a commit was made, in its own zone."""
    return stamps.day(vault.repo.run("show", "-s", "--format=%cs", commit).decode().strip())
