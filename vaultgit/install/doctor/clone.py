"""What kind of clone this is, and whether `init` has run in it."""

from __future__ import annotations

import os
import re
import shlex

from vaultgit import config
from vaultgit.edits import sealed
from vaultgit.history import beside
from vaultgit.history.repository import Repository
from vaultgit.install import hooks
from vaultgit.install.count import read
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.vault import Disk
from vaultgit.vault import Vault


def look(vault: Vault) -> Part:
    repo = vault.repo
    if repo.bare:
        return Part("clone", [_bare(vault.root)], "")
    found = [] if is_set_up(vault) else [_not_set_up(vault)]
    if os.path.exists(os.path.join(repo.common_dir, "shallow")):
        found.append(
            remark(
                "shallow", ".git/shallow", "this clone does not have all of history",
                "verify cannot tell unknown lines, check --from may not find its start", "git fetch --unshallow",
            )
        )  # fmt: skip
    promising = promisors(repo)
    if promising:
        unset = [f"git config --unset-all {key}" for key in promising]
        found.append(
            remark(
                "partial", ", ".join(promising), "this clone fetches what it lacks when it is asked for",
                "verify and check need the network, and may be slow",
                " && ".join(["git fetch --refetch --no-filter", *unset]),
            )
        )  # fmt: skip
    if repo.flag("core.sparsecheckout"):
        found.append(
            remark(
                "sparse", "git config core.sparseCheckout", "some notes are not on disk",
                "check --all and links see only those that are; verify sees all", "git sparse-checkout disable",
            )
        )  # fmt: skip
    if os.path.realpath(repo.git_dir) != os.path.realpath(repo.common_dir):
        found.append(
            remark(
                "linked-work-tree", repo.worktree, f"a linked work tree of {repo.common_dir}",
                "hooks and queue are shared; verify judges the branch that is checked out here", "git worktree list",
            )
        )  # fmt: skip
    found += _filters(repo)
    return Part("clone", found, "set up, all of history, all notes on disk")


def is_set_up(vault: Vault) -> bool:
    """Whether `init` has run in this clone: what it sets in git's config does not travel with the notes."""
    return (vault.prefix.rstrip("/") or ".") in vault.repo.config.get("vaultgit.folder", [])


def promisors(repo: Repository) -> list[str]:
    """The settings that let objects be missing, which git fetches then when something asks for them."""
    ends = (".promisor", ".partialclonefilter")
    return [
        key
        for key in repo.config
        if key == "extensions.partialclone" or (key.startswith("remote.") and key.endswith(ends))
    ]


def _filters(repo: Repository) -> list[Finding]:
    """Filter programs that .gitattributes names, and that git's config here does not: git stores and lays out what they
    are for as it is."""
    named: dict[str, list[str]] = {}
    for path in sorted({beside.ATTRIBUTES, *beside.in_index(repo)}):
        for name in re.findall(rb"(?m)^[^#\n].*[ \t]filter=([^\s]+)", read(Disk(repo.worktree), path)):
            named.setdefault(os.fsdecode(name), []).append(path)
    return [
        problem(
            "filter-gone", path, f"names the filter {name}, which git's config here does not have",
            "what it is for lies here as git stores it, and edits of it are refused", sealed.mend(name),
        )
        for name, (path, *_) in named.items()
        if not any(repo.setting(f"filter.{name}.{way}") for way in ("clean", "process"))
    ]  # fmt: skip


def _not_set_up(vault: Vault) -> Finding:
    cloned = os.path.isfile(vault.full(config.FILE))
    what = "the vault was cloned, but not set up here" if cloned else "the vault is not set up"
    status = hooks.status(vault.repo)
    return problem(
        "not-set-up", vault.root, what, f"hooks are {status.words}; notes merge as plain text",
        f"vaultgit init {shlex.quote(vault.root)}",
    )  # fmt: skip


def _bare(root: str) -> Finding:
    return remark(
        "bare", root, "a bare repository: no notes on disk",
        "only verify works here; git runs none of our hooks on a push", f"git clone {shlex.quote(root)}",
    )  # fmt: skip
