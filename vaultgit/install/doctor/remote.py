"""The remote that the vault is synced with: whether there is one, how its address is written, how both stand, whether
syncs get through. Nothing is asked of the network."""

from __future__ import annotations

import os
import re
import shlex
from datetime import datetime
from datetime import timedelta

from vaultgit import obsidian
from vaultgit.checks import secrets
from vaultgit.errors import VaultgitError
from vaultgit.install import lastsync
from vaultgit.install import remote
from vaultgit.install import timers
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import counted
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.install.doctor.hook import shown
from vaultgit.install.remote import Level
from vaultgit.install.timers import Schedule
from vaultgit.vault import Disk
from vaultgit.vault import Vault

LONG = timedelta(days=3)  # that both sides have what the other lacks
_OBSIDIAN_GIT = "obsidian-git"
_WITH_USER = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/\s]+)@")  # to the last @: passwords hold some
_QUERY = re.compile(r"(://[^\s?]*)\?\S+")
_TOKEN = re.compile(r"[?&][^=&]*(token|secret|passw|key)[^=&]*=.", re.IGNORECASE)


def look(vault: Vault, now: datetime) -> Part:
    level = remote.level(vault)
    scheduled = _scheduled(vault)
    found = [*_addresses(vault), *_standing(vault, level, now), *_timer(vault, level, scheduled)]
    fine = "none: your notes and their history are on this machine only"
    if level is not None:
        when = f" ({level.seen:%Y-%m-%d %H:%M})" if level.seen else ""
        fine = level.words + when
    return Part("remote", found, fine)


# -- addresses -----------------------------------------------------------------------------------------------------


def _addresses(vault: Vault) -> list[Finding]:
    found = []
    for key, values in sorted(vault.repo.config.items()):
        match = re.fullmatch(r"remote\.(.+)\.(url|pushurl)", key)
        for url in dict.fromkeys(values) if match else ():
            assert match is not None
            name = shlex.quote(match[1])
            push = " --push" if match[2] == "pushurl" else ""
            if _holds_a_secret(url):
                found.append(_secret(key, url, f"git remote set-url{push} {name} {shlex.quote(_without_user(url))}"))
            if url.startswith("http://") and not re.match(r"http://([^/@]*@)?(localhost|127\.|\[::1\])", url):
                what = f"{masked(url)} is not encrypted"
                mend = f"git remote set-url{push} {name} {shlex.quote('https' + _without_user(url)[4:])}"
                risk = "whoever is on the way reads what is pushed, and any password with it"
                found.append(remark("remote-http", key, what, risk, mend))
    return found


def _holds_a_secret(url: str) -> bool:
    match = _WITH_USER.match(url)
    if _TOKEN.search(url):
        return True
    if match is None:
        return False
    user, colon, password = match[2].partition(":")
    return bool(colon and password) or bool(secrets.findings(user))


def _secret(key: str, url: str, mend: str) -> Finding:
    return problem(
        "remote-password", f"git config {key}", f"{masked(url)} has a password in it",
        "every program that asks git for the address gets it, and backups of .git hold it",
        f"{mend}; then have git ask your system for it (git config --global credential.helper NAME), and change it",
    )  # fmt: skip


def masked(url: str) -> str:
    """The address without what stands before its host, and without its query."""
    return _QUERY.sub(r"\1?***", _WITH_USER.sub(r"\1***@", url))


def _without_user(url: str) -> str:
    return _QUERY.sub(r"\1", _WITH_USER.sub(r"\1", url))


# -- how it stands -------------------------------------------------------------------------------------------------


def _standing(vault: Vault, level: Level | None, now: datetime) -> list[Finding]:
    if level is None:
        return []
    label = f"{level.upstream.remote}/{level.upstream.branch}"
    if level.ahead is None or level.behind is None:
        what = f"never fetched from there or pushed: {level.upstream.local} is on this machine only"
        return [remark("never-synced", label, what, "nobody else has it", "vaultgit sync")]
    if not (level.ahead and level.behind):
        return []
    both = [remote.since(vault, level.upstream, here=here) for here in (True, False)]
    since = max(one for one in both if one is not None)
    if now - since < LONG:
        return []
    what = f"{counted(level.ahead, 'commit')} here and {level.behind:,} there since {since:%Y-%m-%d}"
    return [remark("diverged", label, what, "the longer, the more of it conflicts", "vaultgit sync")]


# -- timers --------------------------------------------------------------------------------------------------------


def _scheduled(vault: Vault) -> Schedule | None:
    """None also where that cannot be told (a crontab that the person may not read)."""
    if not os.path.exists(lastsync.path(vault)):
        return None
    try:
        return timers.look(vault)
    except VaultgitError:
        return None


def _timer(vault: Vault, level: Level | None, scheduled: Schedule | None) -> list[Finding]:
    if scheduled is None or not scheduled.sync:
        return []
    found = []
    if level is None:
        what = "is scheduled, and there is no remote"
        found.append(remark("sync-nowhere", "vaultgit sync", what, "nothing leaves this machine",
                            "git remote add origin URL, or: vaultgit schedule install --sync off"))  # fmt: skip
    elif scheduled.synced is not None and scheduled.synced.outcome == "failed":
        log = shown(vault.repo, lastsync.path(vault))
        what = f"the last one, {scheduled.synced.time:%Y-%m-%d %H:%M}, failed: {masked(scheduled.synced.words)}"
        found.append(remark("sync-failed", log, what, "this machine and the remote drift apart", "vaultgit sync"))
    by_plugin = obsidian.syncs_by_itself(Disk(vault.root).read)
    if by_plugin:
        what = f"pulls or pushes by itself ({', '.join(by_plugin)}), and so does our timer"
        risk = "nothing is lost; but where both sides changed a line, its pull leaves markers in the note, ours none"
        mend = "take those out of its settings (its commits may stay); or: vaultgit schedule install --sync off"
        found.append(remark("two-syncers", _OBSIDIAN_GIT, what, risk, mend))
    return found
