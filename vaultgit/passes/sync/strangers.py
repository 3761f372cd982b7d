"""What comes in and would act on this machine: programs of .pre-commit-config.yaml, settings that stop everything."""

from __future__ import annotations

from vaultgit import config
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.history import trees
from vaultgit.history.repository import Repository
from vaultgit.vault import Vault

FILE = ".pre-commit-config.yaml"
AGREED = "vaultgit.otherHooks"  # git config; cli/otherhooks runs none of them where it is "false"


def hold(repo: Repository, ours: str, theirs: str) -> None:
    """Before `theirs` is brought in: where it changes that file and nobody has agreed to hooks in this clone, none is
    run until somebody does. A sync by a timer shows nobody what it brings, unlike `git pull`."""
    if repo.setting(AGREED.lower()):
        return
    base = refs.merge_base(repo, ours, theirs)
    if base and any(one.path == FILE and one.new is not None for one in trees.changed(repo, base, theirs)):
        repo.run("config", "--local", AGREED, "false")


def refuse_settings(vault: Vault, theirs: str, label: str) -> None:
    """Settings that cannot be read would stop every command here, and the sync that could bring the mended ones. Raises
    VaultgitError."""
    found = vault.repo.blob(f"{theirs}:{vault.prefix}{config.FILE}")
    try:
        config.parse(found.data if found else b"")
    except UsageError as error:
        raise VaultgitError(
            f"{label} has settings that cannot be read: {error.message}; nothing was brought in",
            f"mend it where it was made and push, or here: git merge {label}, then mend {config.FILE}",
        ) from error
