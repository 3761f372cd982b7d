"""The remote of the vault's branch, as git's config and refs tell it: no network, nothing is changed."""

from __future__ import annotations

import os
import re
from datetime import datetime
from typing import NamedTuple

from vaultgit.history import refs
from vaultgit.install import lastsync
from vaultgit.vault import Vault

# `ssh://…`, `git@host:path`; not a path on disk, nor a drive.
_SSH = re.compile(r"(?:git\+)?ssh://|(?:[^@/:]+@)?[^:/@]{2,}:(?!//)")


class Upstream(NamedTuple):
    """A branch's counterpart. `local`: the branch here; `ref`: where git keeps what it last saw of the other."""

    local: str
    remote: str
    branch: str
    ref: str

    @property
    def label(self) -> str:
        """`origin`, where the branch is called the same there; else `origin/other`."""
        return self.remote if self.branch == self.local else f"{self.remote}/{self.branch}"


class Level(NamedTuple):
    """How a branch stands to its counterpart, as that was last seen. `ahead`, `behind`: commits, None where it never
    was; `seen`: when that was, None where it cannot be told."""

    upstream: Upstream
    ahead: int | None
    behind: int | None
    seen: datetime | None

    @property
    def words(self) -> str:
        """`level with origin`, `2 ahead, 3 behind origin`."""
        if self.ahead is None:
            return f"never seen on {self.upstream.label}"
        parts = [f"{number:,} {word}" for number, word in ((self.ahead, "ahead"), (self.behind, "behind")) if number]
        if not parts:
            return f"level with {self.upstream.label}"
        return f"{', '.join(parts)}{'' if self.behind else ' of'} {self.upstream.label}"


def upstream(vault: Vault) -> Upstream | None:
    """As `vaultgit sync` chooses it: the branch's own remote, else origin or the only one; None where there is none."""
    repo = vault.repo
    local = (refs.head(repo).branch or "").removeprefix("refs/heads/")
    known = sorted({key[len("remote.") : -len(".url")] for key in repo.config if re.fullmatch(r"remote\..*\.url", key)})
    remote = repo.setting(f"branch.{local}.remote") or ("origin" if "origin" in known else "")
    remote = remote or (known[0] if len(known) == 1 else "")
    if remote not in known or not local:
        return None
    merge = repo.setting(f"branch.{local}.merge") if repo.setting(f"branch.{local}.remote") == remote else ""
    branch = merge.removeprefix("refs/heads/") or local
    return Upstream(local, remote, branch, f"refs/remotes/{remote}/{branch}")


def level(vault: Vault) -> Level | None:
    """None where there is no remote, or nothing is committed yet. Starts one git."""
    found = upstream(vault)
    if found is None:
        return None
    both = f"refs/heads/{found.local}...{found.ref}"
    said = vault.repo.call("rev-list", "--left-right", "--count", both, "--").stdout.split()
    ahead, behind = (int(number) for number in said) if len(said) == 2 else (None, None)
    if ahead is None and refs.tip(vault.repo, f"refs/heads/{found.local}") is None:
        return None
    return Level(found, ahead, behind, None if ahead is None else _seen(vault, found))


def _seen(vault: Vault, found: Upstream) -> datetime | None:
    """When git last fetched, or last moved what it keeps of the branch there (a push does that), or a timer's sync got
    through."""
    repo = vault.repo
    times = []
    for path in (os.path.join(repo.git_dir, "FETCH_HEAD"), os.path.join(repo.common_dir, "logs", found.ref)):
        try:
            times.append(os.stat(path).st_mtime)
        except OSError:
            continue
    last = lastsync.last(lastsync.path(vault))
    times += [last.time.timestamp()] if last is not None and last.outcome == "done" else []
    return datetime.fromtimestamp(max(times)).astimezone() if times else None


def since(vault: Vault, found: Upstream, *, here: bool) -> datetime | None:
    """When the oldest commit was made that one side has alone; None where it has none."""
    local, there = f"refs/heads/{found.local}", found.ref
    one, other = (local, there) if here else (there, local)
    said = vault.repo.call("log", "--no-show-signature", "--format=%ct", one, f"^{other}", "--").stdout.split()
    return datetime.fromtimestamp(min(int(number) for number in said)).astimezone() if said else None


def address(vault: Vault) -> str | None:
    """Where git pushes to, with what `url.….insteadOf` makes of it; None without a remote."""
    found = upstream(vault)
    if found is None:
        return None
    said = vault.repo.call("remote", "get-url", "--push", "--", found.remote)
    return os.fsdecode(said.stdout).strip() or None


def helper(vault: Vault, address: str) -> bool:
    """Whether something answers for a person when a server at this address asks for a password."""
    if re.match(r"https?://[^/@]+:[^/@]+@", address):
        return True
    set_ = [key for key in vault.repo.config if re.fullmatch(r"credential\.(.*\.)?helper", key)]
    return bool(set_ or vault.repo.setting("core.askpass") or os.path.exists(os.path.expanduser("~/.netrc")))


def is_ssh(address: str) -> bool:
    return _SSH.match(address) is not None
