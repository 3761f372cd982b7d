"""The programs that git's config names: what the hook, the merge driver and pre-commit start."""

from __future__ import annotations

import shlex
import shutil
import subprocess

from vaultgit import __version__
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.install import hooks
from vaultgit.install import settings
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.install.doctor.hook import UNCHECKED
from vaultgit.vault import Vault

PATIENCE = 10  # seconds for `--version`


def look(vault: Vault) -> Part:
    noted = vault.repo.setting("vaultgit.program")
    found = [*_noted(vault.repo, noted), *_for_pre_commit(vault.repo), *_on_path(), *_engine(vault.repo)]
    return Part("program", found, noted)


def is_gone(words: str) -> str:
    """The program that `words`, written for sh, start, where it is gone; "" where it is there."""
    try:
        name = (shlex.split(words) or [""])[0]
    except ValueError:
        return words
    return "" if name and shutil.which(name) else name or words


def _noted(repo: Repository, noted: str) -> list[Finding]:
    about = "git config vaultgit.program"
    if not noted:
        return [problem("program-gone", about, "the hook knows no program to start", UNCHECKED, "vaultgit init")]
    gone = is_gone(noted)
    if gone:
        return [problem("program-gone", about, f"{gone} is gone", UNCHECKED, "install it, then: vaultgit init")]
    if noted == settings.program():
        return []  # this one
    said = _version(repo, noted)
    if said is None:
        return [problem("program-gone", about, f"{noted} does not work any more", UNCHECKED, "vaultgit init")]
    if said == f"vaultgit {__version__}":
        return []
    what = f"{noted} is {said}, this is vaultgit {__version__}"
    return [remark("program-version", about, what, "your commits are held to that one's rules", "vaultgit init")]


def _engine(repo: Repository) -> list[Finding]:
    """What writes text for passes, if a person set one."""
    setting = repo.setting("vaultgit.engine").strip()
    gone = is_gone(setting) if setting else ""
    if not gone:
        return []
    about, what = "git config vaultgit.engine", f"there is no program {gone}"
    mend = "install it, or name another; for none: git config --unset vaultgit.engine"
    return [problem("engine-gone", about, what, "captures wait for it; other passes use their rules", mend)]


def _version(repo: Repository, words: str) -> str | None:
    """What `WORDS --version` says, started as the hook starts it; None where that fails."""
    try:
        done = subprocess.run(
            ["sh", "-c", f"{words} --version"], cwd=repo.worktree, env=clean_environment(), capture_output=True,
            stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _for_pre_commit(repo: Repository) -> list[Finding]:
    """pre-commit's entry is `git vaultgit`: an alias, or a program of that name."""
    if hooks.status(repo).layout not in ("pre-commit", "both"):
        return []
    alias = repo.setting("alias.vaultgit")
    gone = is_gone(alias[1:]) if alias.startswith("!") else ""
    if (alias and not gone) or shutil.which("git-vaultgit"):
        return []
    what = f"{gone} is gone" if gone else "is not set, and pre-commit starts `git vaultgit`"
    risk = "pre-commit refuses every commit"
    return [problem("alias-gone", "git config alias.vaultgit", what, risk, "vaultgit init")]


def _on_path() -> list[Finding]:
    if shutil.which("vaultgit"):
        return []
    risk = "agents that do as AGENTS.md says cannot start it; git's hook can"
    return [remark("not-on-path", "PATH", "vaultgit is not on it", risk, "pipx ensurepath, or: uv tool update-shell")]
