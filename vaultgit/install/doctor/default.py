"""The default vault, which commands work on where none is around them."""

from __future__ import annotations

import os
import shlex

from vaultgit.install import settings
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import problem


def default_gone(root: str | None) -> Finding | None:
    """The finding that `git config --global vaultgit.vault` names a folder that is gone; None where it does not.

    `root`: a vault that could take its place.
    """
    named = settings.global_value("vaultgit.vault")
    if not named or os.path.isdir(os.path.expanduser(named)):
        return None
    mend = f"git config --global vaultgit.vault {shlex.quote(root) if root else 'DIR'}"
    return problem(
        "default-gone", "git config --global vaultgit.vault", f"the default vault {named} is gone",
        "agents in other folders find no vault", mend,
    )  # fmt: skip
