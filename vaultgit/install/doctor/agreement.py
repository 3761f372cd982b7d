"""Whether changelog.md and history agree."""

from __future__ import annotations

import os

from vaultgit.edits import changelog
from vaultgit.edits.verify import verify
from vaultgit.install.doctor.clone import promisors
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import counted
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.vault import Vault


def look(vault: Vault) -> Part | None:
    """None where looking would fetch: in a partial clone that has not checked changelog.md out."""
    if promisors(vault.repo) and (
        vault.repo.flag("core.sparsecheckout") or not os.path.isfile(vault.full(changelog.FILE))
    ):
        return None
    report = verify(vault)
    unknown = report.unknown if report.complete else []
    found: list[Finding] = []
    if unknown or report.edited:
        counts = [counted(len(lines), f"line {word}", f"lines {word}") for word, lines in
                  (("unknown", unknown), ("edited", report.edited), ("behind", report.behind)) if lines]  # fmt: skip
        risk = "who reads it does not see what happened; the next edit restores it"
        found.append(problem("changelog-differs", changelog.FILE, ", ".join(counts), risk, "vaultgit verify"))
    elif report.behind:
        what = f"{counted(len(report.behind), 'line')} behind"
        risk = "none: a merge or a revert came since, and the next edit adds them"
        found.append(remark("changelog-behind", changelog.FILE, what, risk, "vaultgit verify"))
    return Part("changelog", found, f"agrees with history: {counted(report.edits, 'edit')}")
