"""Opening a vault that something may be wrong with, so that it can be told."""

from __future__ import annotations

import shlex

from vaultgit.errors import UsageError
from vaultgit.history.repository import MINIMUM
from vaultgit.history.repository import Repository
from vaultgit.install.doctor.default import default_gone
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import problem
from vaultgit.install.understand import git_version
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Vault
from vaultgit.vault import prefix_of
from vaultgit.vault import root_of


class _WithoutSchemas(Disk):
    def names(self, folder: str) -> list[str]:  # noqa: ARG002
        return []


def open_leniently(directory: str | None = None) -> Vault | Finding:
    """The vault that a command would work on, or what stands in the way. Raises UsageError where none is meant.

    Settings that cannot be used are taken for the defaults, schemas that cannot be used for none.
    """
    said, version = git_version()
    if version < MINIMUM:
        wanted = ".".join(map(str, MINIMUM))
        return problem(
            "git-too-old", said or "git", f"too old: {wanted} or newer is needed", "edits cannot land safely",
            f"install git {wanted} or newer",
        )  # fmt: skip
    try:
        root = root_of(directory)
    except UsageError:
        gone = default_gone(None)
        if gone is None:
            raise
        return gone
    try:
        repo = Repository.find(root)
    except UsageError as error:
        return _refused(root, error)
    if repo is None:
        return problem(
            "no-repository", root, "is in no git repository", "no edit can land here", f"vaultgit init {_quoted(root)}"
        )
    return Vault(root, repo, prefix_of(repo, root), _rules(root))


def _rules(root: str) -> Rules:
    try:
        return Rules(Disk(root), lenient=True)
    except UsageError:  # a schema's folder; the part on settings says so
        return Rules(_WithoutSchemas(root), lenient=True)


def _refused(root: str, error: UsageError) -> Finding:
    risk = "nothing can be read or written"
    if "dubious ownership" in error.message or "safe.directory" in error.message:
        mend = f"git config --global --add safe.directory {_quoted(root)}, if you trust who owns it"
        return problem("git-refuses", root, "git does not open it: another user owns the folder", risk, mend)
    return problem("git-refuses", root, " ".join(error.message.split()), risk, f"git -C {_quoted(root)} status")


def _quoted(path: str) -> str:
    return shlex.quote(path)
