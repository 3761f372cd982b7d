"""Whether what is scheduled for the vault can run, and did."""

from __future__ import annotations

import os

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.install import timers
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.install.doctor.hook import shown
from vaultgit.install.timers import Schedule
from vaultgit.install.timers import cron
from vaultgit.install.timers import every
from vaultgit.vault import Vault

UNFED = "no conversation gets into the vault by itself"


def look(vault: Vault) -> Part | None:
    """None where nothing is scheduled, or that cannot be told (a crontab that the person may not read)."""
    try:
        found = timers.look(vault)
    except UsageError as error:  # what is no file stands where a unit of ours would
        what = error.message.removesuffix("; nothing was written")
        return Part("schedule", [problem("schedule-unreadable", "schedule", what, UNFED, error.hint)], "")
    except VaultgitError:
        return None
    if found is None:
        return None
    how = every.words(found.minutes) if found.minutes else "as you wrote it"
    return Part("schedule", _findings(vault, found), f"{found.kind}, {how}")


def _findings(vault: Vault, found: Schedule) -> list[Finding]:
    again = "vaultgit schedule install"
    if found.gone:
        return [problem("schedule-program-gone", ", ".join(found.gone), "is scheduled, and gone", UNFED, again)]
    if not os.path.isfile(found.log):
        where = shown(vault.repo, os.path.dirname(found.log))
        return [problem("schedule-log-gone", where, "the folder that runs write their log to is gone", UNFED, again)]
    if found.asleep:
        mend = cron.MEND if found.kind == "cron" else again
        return [problem("schedule-asleep", found.kind, found.asleep, UNFED, mend)]
    if found.last is not None and not found.last["ok"]:
        what = f"the last run failed: {found.last['words']}"
        return [remark("schedule-failed", shown(vault.repo, found.log), what, UNFED, "vaultgit schedule show")]
    return []
