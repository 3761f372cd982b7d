"""Pushing a review branch, and where to open the pull request."""

from __future__ import annotations

import re
from typing import NamedTuple

from vaultgit.edits.branches import Branch
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.vault import Vault

# `https://host/path`, `ssh://git@host:22/path`, `git@host:path`; not a path on disk.
_HOST = re.compile(
    r"(?:(?:https?|ssh|git(?:\+ssh)?)://(?:[^@/]+@)?([^:/]+)(?::\d+)?/|(?:[^@/:]+@)?([^:/@]+):)/?(.+?)(?:\.git)?/?"
)


class Pushed(NamedTuple):
    """`where`: the page on which to open the pull request, "" for a remote that is no forge."""

    remote: str
    where: str


def remote_of(vault: Vault, named: str | None) -> str:
    """The remote that was named, else the one of the vault's branch, else origin or the only one. Raises UsageError."""
    repo = vault.repo
    known = repo.run("remote").decode("utf-8", "replace").split()
    branch = (refs.head(repo).branch or "").removeprefix("refs/heads/")
    own = repo.setting(f"branch.{branch}.remote")  # may be an address, or "." for a branch beside it
    wanted = named or (own if own in known else "") or ("origin" if "origin" in known else "")
    wanted = wanted or (known[0] if len(known) == 1 else "")
    if wanted not in known:
        shown = re.sub(r"://[^/\s]*@", "://***@", wanted)  # no password
        if known:
            what = f"there is no remote {shown}" if wanted else "there are several remotes, and none is this branch's"
            raise UsageError(what, f"name one of those that are here: {', '.join(known)}")
        what = f"there is no remote {shown}" if wanted else "there is no remote to push to"
        raise UsageError(what, "git remote add origin URL")
    return wanted


def push(vault: Vault, branch: Branch, remote: str) -> Pushed:
    """Pushes the branch. What is there is overwritten only where it is what we last saw of it: a branch that was built
    anew replaces its older self, never somebody's own commits. Raises VaultgitError with git's words."""
    repo = vault.repo
    seen = refs.tip(repo, f"refs/remotes/{remote}/{branch.name}") or ""
    done = repo.call(
        "push", "--quiet", f"--force-with-lease=refs/heads/{branch.name}:{seen}", remote,
        f"refs/heads/{branch.name}:refs/heads/{branch.name}",
    )  # fmt: skip
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip()
        raise VaultgitError(f"{branch.name} was not pushed: {words}", f"git fetch {remote}, then look at what is there")
    url = repo.run("remote", "get-url", remote).decode("utf-8", "replace").strip()
    return Pushed(remote, page(url, branch.name, _target(vault)))


def page(url: str, branch: str, target: str) -> str:
    """Where a forge compares the branch with `target`; "" for what is no forge's address."""
    found = _HOST.fullmatch(url)
    if found is None:
        return ""
    from urllib.parse import quote

    host, path = found[1] or found[2], found[3]
    if "." not in host:  # a name from somebody's ssh configuration, or a drive
        return ""
    ours, theirs = quote(branch, safe=""), quote(target, safe="")
    if "gitlab" in host:
        query = f"merge_request%5Bsource_branch%5D={ours}&merge_request%5Btarget_branch%5D={theirs}"
        return f"https://{host}/{path}/-/merge_requests/new?{query}"
    if "bitbucket" in host:
        return f"https://{host}/{path}/pull-requests/new?source={ours}&dest={theirs}"
    return f"https://{host}/{path}/compare/{quote(target)}...{quote(branch)}"


def _target(vault: Vault) -> str:
    branch = (refs.head(vault.repo).branch or "").removeprefix("refs/heads/")
    merge = vault.repo.setting(f"branch.{branch}.merge").removeprefix("refs/heads/")
    return merge or branch or "main"
