"""git on this machine, and who it says commits."""

from __future__ import annotations

from vaultgit.install.doctor.default import default_gone
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.install.understand import git_version
from vaultgit.vault import Vault


def look(vault: Vault) -> Part:
    gone = default_gone(None if vault.repo.bare else vault.root)
    found = [*_identity(vault), *([gone] if gone else [])]
    said, _ = git_version()
    return Part("git", found, f"{said.removeprefix('git version ')}; commits here are {vault.repo.person().name}'s")


def _identity(vault: Vault) -> list[Finding]:
    person = vault.repo.person()
    if person.name == "vaultgit":  # where none is set
        what, risk = "is not set", "what you accept or undo is signed vaultgit, and git may refuse your own commits"
        return [problem("identity", "git config user.name", what, risk, 'git config --global user.name "Your Name"')]
    if not person.email:
        what, risk = "is not set", "git may refuse your own commits"
        return [remark("identity", "git config user.email", what, risk, "git config --global user.email ADDRESS")]
    return []
