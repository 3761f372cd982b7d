"""Whether git's hooks are live, and which."""

from __future__ import annotations

import os
import shlex

from vaultgit.errors import UsageError
from vaultgit.history.repository import Repository
from vaultgit.install import hooks
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.vault import Vault

UNCHECKED = "your commits are not checked"
_STASHES = {
    "both": "pre-commit uninstall -t pre-commit -t commit-msg",  # it puts ours back
    "pre-commit": "vaultgit init --hooks native",
}


def look(vault: Vault) -> Part:
    repo = vault.repo
    status = hooks.status(repo)
    if not status.live:
        return Part("hooks", [problem("hook-not-live", "git hooks", status.words, UNCHECKED, _mend(repo))], "")
    found = [
        problem("hook-not-executable", shown(repo, path), "git passes it over: it is not executable", UNCHECKED,
                f"chmod +x {shlex.quote(path)}")
        for path in _standing(repo, status.layout)
        if os.path.isfile(path) and not os.access(path, os.X_OK)
    ]  # fmt: skip
    if not found:
        found += _outdated(repo, status.layout)
    if status.layout in _STASHES:
        risk = "a note saved in that moment, as Obsidian does every two seconds, can lose that text"
        found.append(remark("hook-stashes", "git hooks", status.words, risk, _STASHES[status.layout]))
    return Part("hooks", found, status.words)


def shown(repo: Repository, path: str) -> str:
    """A path as a person finds it: from the work tree where it lies in it."""
    inside = os.path.relpath(path, repo.worktree)
    return path if inside.startswith("..") else inside


def _mend(repo: Repository) -> str:
    try:
        hooks.plan(repo, "native")
    except UsageError as error:
        return error.hint
    return "vaultgit init"


def _standing(repo: Repository, layout: str) -> list[str]:
    setting = hooks.configured(repo)
    folder = setting.folder if setting else os.path.join(repo.common_dir, "hooks")
    names = list(hooks.NAMES)
    if layout == "both":
        names += [name + hooks.LEGACY for name in hooks.NAMES]
    return [os.path.join(folder, name) for name in names]


def _outdated(repo: Repository, layout: str) -> list[Finding]:
    try:
        steps = hooks.plan(repo, "pre-commit" if layout == "pre-commit" else "native")
    except UsageError:
        return []  # pre-commit beside a core.hooksPath: not as we would install it, and live all the same
    if not steps:
        return []
    risk = "they may judge by older rules, or leave another hook of yours out"
    return [remark("hook-outdated", ", ".join(steps), "not as this version writes it", risk, "vaultgit init")]
