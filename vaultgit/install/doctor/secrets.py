"""Secrets that history holds: whoever reads the repository has them."""

from __future__ import annotations

from collections.abc import Sequence

from vaultgit import checks
from vaultgit.checks import lying
from vaultgit.checks.problem import Problem
from vaultgit.install.baseline import is_committed
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import counted
from vaultgit.install.doctor.finding import first
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.vault import Vault

_RISK = "who has a copy of the repository has them"


def look(vault: Vault, unreadable: Sequence[str] = ()) -> Part:
    """`unreadable`: notes that are left out."""
    held = [one for one in lying.secrets(vault, unreadable) if is_committed(one, vault.rules, vault.repo, vault.prefix)]
    old = [one for one in held if checks.from_before(vault.rules, one)]
    new = [one for one in held if one not in old]
    found: list[Finding] = []
    if new:
        mend = "renew them where they are used, take them out; vaultgit check --only secrets names each"
        found.append(problem("secret", "notes and other files", _what(new), _RISK, mend, _lines(new)))
    if old:
        what = f"{_what(old)}, from before the vault was set up"
        mend = "renew them where they are used; vaultgit check --only secrets --no-baseline names each"
        found.append(remark("secret-old", "notes and other files", what, _RISK, mend, _lines(old)))
    return Part("secrets", found, "none that history holds was found")


def _what(found: Sequence[Problem]) -> str:
    files = len({one.path for one in found})
    return f"{counted(files, 'file')} in git {'holds' if files == 1 else 'hold'} what looks like a secret"


def _lines(found: Sequence[Problem]) -> list[str]:
    return first([f"{one.path}:{one.line}:{one.column}" for one in found])
