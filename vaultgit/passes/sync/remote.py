"""A configured remote: what it has, fetching from it, pushing to it.

Refspecs are explicit: what a person's git config says of their own `git fetch` and `git push` (push.default, mirror,
tags, submodules, prune) does not decide what a sync does.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.history.repository import Repository
from vaultgit.passes.sync import deadlocks
from vaultgit.passes.sync import talk
from vaultgit.passes.sync.talk import Talk
from vaultgit.passes.sync.talk import silently
from vaultgit.passes.sync.words import AT_ONCE
from vaultgit.passes.sync.words import NOT_PUSHED
from vaultgit.passes.sync.words import PAGE
from vaultgit.passes.sync.words import RACED
from vaultgit.passes.sync.words import Away
from vaultgit.passes.sync.words import Moved
from vaultgit.passes.sync.words import Shallow
from vaultgit.passes.sync.words import answers
from vaultgit.passes.sync.words import is_away
from vaultgit.passes.sync.words import is_later
from vaultgit.passes.sync.words import masked

LATELY = 7 * 24 * 3600.0  # seconds since something came or went, in which a web page there is taken for a login page
_BUNDLE = re.compile(rb"# v\d+ git bundle")


class Update(NamedTuple):
    """One branch there: to become `source` (a commit or a full ref; "" deletes it). `expected`: the commit that it must
    be at ("": it must not exist), None for a move that only adds to it."""

    branch: str
    source: str
    expected: str | None = None


class Now(NamedTuple):
    """What a branch there is after a push: its commit, "" where it is gone; `moved`: the push did that."""

    oid: str
    moved: bool


class Remote:
    """One of the repository's remotes, by name. `attended`: a person sits there and may be asked by git and ssh; `tick`
    is told how many more objects git has worked on."""

    def __init__(
        self, repo: Repository, name: str, *, attended: bool = False, tick: Callable[[int], None] = silently
    ) -> None:
        self.repo, self.name = repo, name
        self.talk = Talk(repo, name, attended, tick)
        self._urls: tuple[list[str], list[str]] | None = None

    # -- where it is -------------------------------------------------------------------------------------------

    @property
    def urls(self) -> tuple[list[str], list[str]]:
        """Where git fetches from, and where it pushes to."""
        if self._urls is None:
            both = []
            for push in ((), ("--push",)):
                done = self.repo.call("remote", "get-url", "--all", *push, "--", self.name)
                both.append(os.fsdecode(done.stdout).split("\n")[:-1])
            self._urls = (both[0], both[1])
        return self._urls

    @property
    def elsewhere(self) -> bool:
        """Whether pushes go to another address: it may be another repository, or the same by another way."""
        return self.urls[0] != self.urls[1]

    def masked(self, words: str) -> str:
        """Words of git's without a user name or password that an address holds."""
        return masked(words, (*self.urls[0], *self.urls[1]))

    # -- reading -----------------------------------------------------------------------------------------------

    def heads(self) -> dict[str, str]:
        """All branches there: name -> commit. Raises Away, VaultgitError."""
        code, out, words = self.talk.run("ls-remote", "--quiet", "--heads", "--", self.name, limit=talk.LOOK)
        if code:
            self._fail(words, "looked at")
        rows = (line.split("\t") for line in os.fsdecode(out).splitlines() if "\t" in line)
        return {ref.removeprefix("refs/heads/"): oid for oid, ref in rows if ref.startswith("refs/heads/")}

    def tracked(self, branch: str) -> str | None:
        """The commit that a branch there had when it was last fetched."""
        return refs.tip(self.repo, self.tracking(branch))

    def tracking(self, branch: str) -> str:
        """The ref that stands for a branch there."""
        return f"refs/remotes/{self.name}/{branch}"

    def fetch(self, branches: Iterable[str], families: Iterable[str] = (), *more: str) -> None:
        """Fetches branches, and all those below the folders `families`, into refs/remotes. `more`: options of git's.
        Raises Away, Moved, VaultgitError; nothing but refs/remotes has changed then."""
        deadlocks.sweep(self.repo, self.name)
        specs = [f"+refs/heads/{name}:{self.tracking(name)}" for name in branches]
        specs += [f"+refs/heads/{family}*:{self.tracking(family)}*" for family in families]
        code, _, words = self.talk.run(
            "fetch", "--progress", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--prune",
            "--no-auto-maintenance", "--no-show-forced-updates", "--refmap=", *more, "--", self.name, *specs,
        )  # fmt: skip
        if code:
            if "couldn't find remote ref" in words or AT_ONCE.search(words):
                raise Moved(words)
            self._fail(words, "fetched from")

    # -- writing -----------------------------------------------------------------------------------------------

    def push(
        self, updates: Sequence[Update], *, upstream: bool = False, kept: dict[str, str] | None = None
    ) -> dict[str, Now]:
        """Moves branches there, each by itself. Returns what each is now.

        Raises Moved where one was not what was expected of it (others may have moved), Shallow, Away, VaultgitError
        with the server's or a hook's words. `kept`, where all are to be deleted: gets those that the server does not
        let go, and why; that is no error then, and they are not in what is returned.
        """
        leases = [f"--force-with-lease=refs/heads/{u.branch}:{u.expected}" for u in updates if u.expected is not None]
        specs = [f"{u.source}:refs/heads/{u.branch}" for u in updates]
        options = (
            "--porcelain", "--progress", "--no-follow-tags", "--recurse-submodules=no",
            *(["--set-upstream"] if upstream else []),
        )  # fmt: skip
        # A person's pre-push hook may need the paths and hooks that they know (git-lfs sends its files in one).
        code, out, words = self.talk.run(
            "-c", f"core.hooksPath={self._hooks()}", "-c", "core.abbrev=no",
            "push", *options, *leases, "--", self.name, *specs,
            env={"GIT_LITERAL_PATHSPECS": "0"}, mute=talk.LIMIT,
        )  # fmt: skip
        found = {branch: (sign, why) for sign, branch, why in answers(out)}
        failed = {branch: why for branch, (sign, why) in found.items() if sign == "!"}
        if failed and (kept is None or any(not _by_server(why) or RACED.search(why) for why in failed.values())):
            self._rejected(failed, words)
        if kept is not None:
            kept |= {branch: self._why_kept(why, words) for branch, why in failed.items()}
        if code and not failed:
            if AT_ONCE.search(words):
                raise Moved(words)
            beside = [line for line in os.fsdecode(out).splitlines() if line and not line.startswith("To ")]
            words = "\n".join([*beside, words])  # what a hook has said
            self._fail(words, "pushed to", hook=not found and self._has_hook() and NOT_PUSHED in words)
        done = {}
        for update in updates:
            if update.branch in failed:
                continue
            sign, said = found.get(update.branch, ("", ""))
            at = re.search(r"\.\.\.?([0-9a-f]{40,64})\b", said)  # a ref may have moved since it was asked for
            oid = at[1] if at else (self.repo.resolve(update.source) or "") if update.source else ""
            done[update.branch] = Now(oid, sign != "=")
            self._track(update.branch, oid)
        return done

    def complete(self, old: str, new: str) -> None:
        """In a partial clone: gets the texts that differ between two commits, in one go. Raises Away, VaultgitError."""
        code, _, words = self.talk.run("diff-tree", "-r", "--numstat", "--no-renames", old, new)
        if code:
            self._fail(words, "fetched from")

    def at(self, branch: str) -> str | None:
        """The commit that a branch has where fetches come from; None where it cannot be told."""
        try:
            return self.heads().get(branch)
        except (Away, VaultgitError):
            return None

    def _track(self, branch: str, oid: str) -> None:
        """As git does by itself where remote.NAME.fetch is the usual one."""
        change = [self.tracking(branch), oid] if oid else ["-d", self.tracking(branch)]
        self.repo.call("update-ref", "--no-deref", *change)

    def _has_hook(self) -> bool:
        folder = os.path.join(self.repo.worktree, os.path.expanduser(self._hooks()))
        return os.access(os.path.join(folder, "pre-push"), os.X_OK)

    def _hooks(self) -> str:
        known = self.repo.config.get("core.hookspath", [])[:-1]  # the last one is the gate's own
        return known[-1] if known else os.path.join(self.repo.common_dir, "hooks")

    def _rejected(self, failed: Mapping[str, str], words: str) -> None:
        why = "; ".join(f"{branch} {reason}" for branch, reason in failed.items())
        if any("shallow" in reason for reason in failed.values()):
            raise Shallow(why)
        server = [reason for reason in failed.values() if _by_server(reason)]
        if all(RACED.search(reason) for reason in server):
            raise Moved(why)
        text = "\n  ".join([self.masked(why), *self._said_there(words)])
        raise VaultgitError(f"{self.name} refused it: {text}", "everything is safe here; mend what it names, then: "
                            f"vaultgit sync {self.name}")  # fmt: skip

    def _said_there(self, words: str) -> list[str]:
        """The server's own lines among git's words: what a hook of its has said."""
        said = [line.removeprefix("remote:").strip() for line in words.splitlines() if line.startswith("remote:")]
        return [self.masked(line) for line in said if line]

    def _why_kept(self, reason: str, words: str) -> str:
        why = self.masked(reason).removeprefix("[remote rejected]").strip().removeprefix("(").removesuffix(")")
        said = [line for line in self._said_there(words) if not line.startswith("error: ")]  # git's own, the same again
        return "; ".join([why, *said]) if "hook" in why else why

    # -- talking -----------------------------------------------------------------------------------------------

    def _fail(self, words: str, what: str, *, hook: bool = False) -> None:
        """Raises what git's words mean."""
        said = self.masked(words).strip() or "git gave no reason"
        pushing = what == "pushed to"
        if self._not_mounted():
            raise Away(f"{self.name} is not there now ({self.masked(self.urls[0][0])})")
        if is_later(words):
            first = next((line for line in said.splitlines() if is_away(line)), said)
            raise Away(f"{self.name} could not be reached: {first.removeprefix('fatal: ').strip()}")
        if PAGE.search(words) and self._worked_lately():
            where = self.masked(self.urls[0][0])
            raise Away(f"{self.name} answered with a web page, no repository: the login page of a network? ({where})")
        if pushing and self._is_bundle():
            raise VaultgitError(f"{self.name} is a bundle: what is new in it is here, and nothing can be pushed to one",
                                f"to push elsewhere: git remote set-url --push {self.name} ADDRESS")  # fmt: skip
        if hook:
            said = "\n  ".join(line for line in said.splitlines() if NOT_PUSHED not in line)
            raise VaultgitError(f"your pre-push hook let nothing go to {self.name}: {said}",
                                f"everything is safe here; mend it, then: vaultgit sync {self.name}")  # fmt: skip
        command = "push" if pushing else "ls-remote"
        raise VaultgitError(f"{self.name} could not be {what}: {said}",
                            f"everything is safe here; git {command} {self.name} must work first")  # fmt: skip

    def _not_mounted(self) -> bool:
        """Whether it is a folder that is not there, and was: a disk that is not plugged in."""
        url = self.urls[0][0] if self.urls[0] else ""
        path = url.removeprefix("file://")
        known = self.repo.call("for-each-ref", "--count=1", f"refs/remotes/{self.name}/").stdout.strip()
        return os.path.isabs(path) and not os.path.exists(path) and bool(known)

    def _worked_lately(self) -> bool:
        """Whether something came from it or went there in the last days, as git's reflogs tell."""
        folder = os.path.join(self.repo.common_dir, "logs", "refs", "remotes", self.name)
        paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
        try:
            return time.time() - max((os.stat(path).st_mtime for path in paths), default=0.0) < LATELY
        except FileNotFoundError:  # a branch that another git takes away this moment
            return True

    def _is_bundle(self) -> bool:
        path = os.path.join(self.repo.worktree, self.urls[1][0]) if self.urls[1] else ""
        try:
            with open(path, "rb") as stream:
                return bool(_BUNDLE.match(stream.read(20)))
        except (OSError, ValueError):
            return False


def _by_server(reason: str) -> bool:
    """Whether the server refused it, rather than git here."""
    return "[remote rejected]" in reason or "unpacker" in reason
