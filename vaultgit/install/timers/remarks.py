"""What a person should know of a schedule that was just made."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

from vaultgit.install import remote
from vaultgit.install.timers import KINDS
from vaultgit.install.timers import Planned
from vaultgit.install.timers import cron
from vaultgit.install.timers import job
from vaultgit.install.timers.run import run
from vaultgit.vault import Vault

# What macOS lets no program read in the background until the person says so.
_GUARDED = ("Documents", "Desktop", "Downloads", "Library/Mobile Documents", "Library/CloudStorage")


def remarks(vault: Vault, planned: Planned) -> list[str]:
    """One sentence each, with what mends it."""
    begun = job.start(vault.root, vault.state, os.environ)
    found = [*_asleep(vault, planned), *_gone_soon(begun.program[0]), *_engine(vault, dict(begun.environment)["PATH"])]
    if any(one.name == "sync" for one in planned.jobs):
        found += _unasked(vault)
    if planned.kind == "systemd":
        found += _linger()
    if sys.platform == "darwin" or planned.kind == "launchd":
        found += _guarded(vault.root, begun.program[0])
    return found


def _asleep(vault: Vault, planned: Planned) -> list[str]:
    why = KINDS[planned.kind].asleep(job.key_of(vault.root))
    if not why:
        return []
    mend = cron.MEND if planned.kind == "cron" else "vaultgit schedule install --with cron"
    return [f"{why}: nothing starts this until it does: {mend}"]


def _gone_soon(program: str) -> list[str]:
    if "/.cache/" not in program and "/uv/archive-" not in program:
        return []
    return [f"{program} lies in a cache and may go: uv tool install vaultgit, then its: vaultgit schedule install"]


def _engine(vault: Vault, path: str) -> list[str]:
    try:
        name = (shlex.split(vault.repo.setting("vaultgit.engine")) or [""])[0]
    except ValueError:
        return []
    if not name or shutil.which(name, path=path):
        return []
    return [f"the engine {name} is nowhere on the scheduled PATH: git config vaultgit.engine /whole/path/of/{name}"]


def _unasked(vault: Vault) -> list[str]:
    """Nobody sits there when git asks for a password."""
    address = remote.address(vault)
    if address is None:
        return ["there is nothing to sync with yet: git remote add origin URL, then: git push -u origin HEAD"]
    if address.startswith(("http://", "https://")) and not remote.helper(vault, address):
        return ["a timer cannot answer when git asks for a password: git config --global credential.helper NAME (your "
                "system has: libsecret, osxkeychain, manager), then once by hand: vaultgit sync"]  # fmt: skip
    if remote.is_ssh(address) and os.environ.get("SSH_AUTH_SOCK"):
        return ["your ssh agent may not be there when a timer runs: a key without a passphrase, or IdentityAgent in "
                "~/.ssh/config; try: env -i HOME=$HOME PATH=/usr/bin:/bin git -C "
                f"{shlex.quote(vault.root)} ls-remote"]  # fmt: skip
    return []


def _linger() -> list[str]:
    if b"Linger=yes" in run("loginctl", "show-user", str(os.getuid()), "--property=Linger").out:
        return []
    return ["timers run while you are logged in; always, once you say: loginctl enable-linger"]


def _guarded(root: str, program: str) -> list[str]:
    home = os.path.realpath(os.path.expanduser("~"))
    if not any(os.path.realpath(root).startswith(os.path.join(home, name) + "/") for name in _GUARDED):
        return []
    real = os.path.realpath(sys.executable)
    return [
        f"macOS keeps background programs out of {os.path.relpath(root, home)} until you give {real} Full Disk Access: "
        f"System Settings, Privacy & Security ({program} is run by it); without, runs end in 'Operation not permitted'"
    ]
