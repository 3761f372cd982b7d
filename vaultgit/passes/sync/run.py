"""One sync: look, fetch, compare with what both sides had, bring in, push; again where the remote moved; then review
branches.

Only one runs in a clone at a time. The writers' lock is never held while git talks with the remote: edits land
meanwhile. A run that is killed leaves nothing to mend: each step is whole by itself, and the next run looks anew.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from vaultgit.clock import Clock
from vaultgit.edits import queue
from vaultgit.edits.lock import Lock
from vaultgit.edits.submit import drain
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.passes import publish
from vaultgit.passes.sync import agreed
from vaultgit.passes.sync import ahead
from vaultgit.passes.sync import count
from vaultgit.passes.sync import strangers
from vaultgit.passes.sync import travel
from vaultgit.passes.sync.outcome import Aside
from vaultgit.passes.sync.outcome import Synced
from vaultgit.passes.sync.remote import Remote
from vaultgit.passes.sync.remote import Update
from vaultgit.passes.sync.talk import silently
from vaultgit.passes.sync.words import Away
from vaultgit.passes.sync.words import Moved
from vaultgit.passes.sync.words import Shallow
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from vaultgit.edits.integrate import Brought

TRIES = 8  # looks at a remote that others keep pushing to
WAIT = 20.0  # seconds for another sync in this clone
PATIENCE = 4.0  # seconds for a repository that is busy
_PAUSE = 0.5
_DEEPEN = 200  # commits that a shallow clone gets first, where it ends too early


def sync(
    vault: Vault,
    clock: Clock,
    named: str | None = None,
    *,
    dry_run: bool = False,
    attended: bool = False,
    tick: Callable[[int], None] = silently,
    pause: Callable[[float], None] = time.sleep,
    wait: float = WAIT,
) -> Synced:
    """Brings the branch checked out and its counterpart on a remote in step, and the review branches.

    `named`: a configured remote; `attended`: a person may be asked for a passphrase; `tick` is told of git's progress;
    `pause` waits so many seconds before it looks again. Raises UsageError without such a remote, VaultgitError for what
    a person has to decide or mend; edits/integrate.ByHand is one.
    """
    remote = Remote(vault.repo, publish.remote_of(vault, named), attended=attended, tick=tick)
    try:
        queue.prepare(vault.state)
        lock = Lock(vault.state, "sync.lock")
    except OSError as error:
        raise VaultgitError(f"{error.filename or vault.state}: {error.strerror}", "vaultgit writes there") from error
    try:
        run = _Sync(vault, clock, remote, pause)
        if not lock.take(wait):
            return run.told("queued", "another sync is at work")
        return run.foresee() if dry_run else run.run()
    finally:
        lock.release()


class _Sync:
    def __init__(self, vault: Vault, clock: Clock, remote: Remote, pause: Callable[[float], None]) -> None:
        self.vault, self.repo, self.clock, self.remote, self.pause = vault, vault.repo, clock, remote, pause
        self.head = refs.head(self.repo)
        self.local = (self.head.branch or "").removeprefix("refs/heads/")
        self.branch = self._counterpart()
        self.known = self._known()
        self.so_far = Synced("unchanged", remote.name, self.branch)
        self.start: str | None = None  # our tip before anything came in
        self.stale = False  # the remote has moved since it was looked at
        self.travelled: dict[str, travel.Travelled] = {}

    def _counterpart(self) -> str:
        """The branch there: the upstream, else the one of the same name."""
        repo, key = self.repo, f"branch.{self.local}"
        upstream = repo.setting(f"{key}.merge") if repo.setting(f"{key}.remote") == self.remote.name else ""
        return upstream.removeprefix("refs/heads/") if upstream.startswith("refs/heads/") else self.local

    def _known(self) -> str | None:
        """The commit that both sides last had; before the first sync, the one that git last saw there."""
        return agreed.tip(self.repo, self.remote.name, self.branch) or self.remote.tracked(self.branch)

    def told(self, outcome: str, reason: str = "") -> Synced:
        tip = refs.tip(self.repo, self.head.branch) if self.head.branch else None
        return self.so_far._replace(outcome=outcome, reason=reason, oid=tip or "")

    # -- the whole way -----------------------------------------------------------------------------------------

    def run(self) -> Synced:
        from vaultgit.edits.landing import Waiting

        try:
            self._try(self._main)
            self._try(self._branches)
        except (Away, Waiting) as error:
            return self.told("queued", str(error))
        except VaultgitError as error:
            if self.so_far.fetched:
                here = f"what came in is here (commits: {self.so_far.fetched:,})"
                error.hint = "; ".join(filter(None, (here, error.hint)))
            raise
        return self.told("merged" if self.so_far.fetched else "pushed" if self.so_far.pushed else "unchanged")

    def _try(self, step: Callable[[], None]) -> None:
        for attempt in range(TRIES):
            try:
                return step()
            except Moved as error:
                last, self.stale = str(error), True
            except Shallow:
                self._deepen(whole=True)
                last = "the clone is shallow"
            if attempt < TRIES - 1:
                self.pause(random.uniform(0, min(2.0, 0.05 * 2**attempt)))
        raise Away(f"{self.remote.name} moved each time, {TRIES} times ({self.remote.masked(last)})")

    def _main(self) -> None:
        self._refuse_other_work()
        waits = tuple(one for one in drain(self.vault, self.clock) if one.outcome == "queued")
        self.so_far = self.so_far._replace(waits=waits)
        sides = self._fetched()
        if sides.theirs is not None:
            self._bring_in(sides.theirs, sides.label)
        self._push(sides)
        self.stale = False

    def foresee(self) -> Synced:
        """What a run would come to. Fetches, and changes nothing else."""
        from vaultgit.edits.integrate import integrate
        from vaultgit.edits.landing import Waiting

        try:
            self._refuse_other_work()
            sides = self._fetched()
            came = went = ours = sides.ours
            if sides.theirs is not None:
                self._have_texts(sides.theirs)
                strangers.refuse_settings(self.vault, sides.theirs, sides.label)
                brought = integrate(self.vault, self.clock, sides.theirs, sides.label, dry_run=True)
                self._brought(brought)
                came = sides.theirs
            travel.travel(self.vault, self.clock, self.remote, self.there, self.travelled, dry_run=True)
        except Moved as error:
            return self.told("queued", self.remote.masked(str(error)))
        except (Away, Waiting) as error:
            return self.told("queued", str(error))
        without = [f"^{sides.theirs}"] if sides.theirs else []
        return self.told("dry-run")._replace(
            fetched=count.number(self.vault, came, f"^{ours}"), came=count.shares(self.vault, came, f"^{ours}"),
            pushed=count.number(self.vault, went, *without), went=count.shares(self.vault, went, *without),
            first=sides.theirs is None, branches=tuple(self.travelled.values()),
        )  # fmt: skip

    def _refuse_other_work(self) -> None:
        """Raises Away where what is checked out is nothing to sync now."""
        now = refs.head(self.repo)
        if now.operation:
            from vaultgit.edits.busy import busy

            raise Away(busy(self.vault) or now.operation)
        if now.branch != self.head.branch:
            raise Away("another branch was checked out meanwhile")

    # -- the vault's branch ------------------------------------------------------------------------------------

    def _fetched(self) -> agreed.Sides:
        """Both sides as they are now, their commits here. Raises VaultgitError where theirs has lost what both had."""
        from vaultgit.edits import branches

        ours = refs.tip(self.repo, self.head.branch or "HEAD")
        if ours is None:
            raise VaultgitError(f"{self.local} has no commit yet", f"git pull {self.remote.name} {self.branch}")
        self.there = self.remote.heads()
        families = branches.begins(self.vault)
        self._refuse_own_branch(families)
        here = self.branch in self.there
        tracked = {name for name in self.there if name.startswith(families)} | ({self.branch} if here else set())
        gone = self._tracked_in(families) - self.there.keys()
        if gone or any(self.remote.tracked(name) != self.there[name] for name in tracked):
            self.remote.fetch([self.branch] if here else [], families)
        theirs = self.remote.tracked(self.branch) if here else None
        sides = agreed.Sides(
            self.remote.name, self.local, self.branch, ours, theirs, self.known, self.there.keys()
        )  # fmt: skip
        what = agreed.lost(self.repo, sides)
        if what in ("rewritten", "unrelated") and self._is_shallow():
            for whole in (False, True):  # history may only end too early here
                self._deepen(whole=whole)
                what = agreed.lost(self.repo, sides)
                if not what:
                    break
        if what:
            agreed.refuse(self.vault, sides, what)
        return sides

    def _refuse_own_branch(self, families: tuple[str, ...]) -> None:
        """A review branch, or one of a person's own that the remote does not have, is not synced because it happens to
        be checked out when a timer runs."""
        if self.local.startswith(families):
            raise Away(f"{self.local} is checked out, a review branch: git switch to the vault's branch")
        if self.branch in self.there or self.known or self._has_upstream():
            return
        remote, local = self.remote.name, self.local
        level = [name for name in agreed.every(self.repo, remote) if not name.startswith(families)]
        if level:
            raise Away(
                f"{local} is checked out, and {remote} has {level[0]} of this vault: git switch {level[0]}, or if this "
                f"one shall go there, too: git push -u {remote} {local}"
            )
        others = sorted(name for name in self.there if not name.startswith(families))
        if others:
            raise VaultgitError(
                f"{remote} has no branch {local}; it has {', '.join(others[:5])}",
                f"to sync with one of them: git fetch {remote}; git branch --set-upstream-to={remote}/{others[0]}\n  "
                f"to have this one there, too: git push -u {remote} {local}",
            )

    def _has_upstream(self) -> bool:
        """Whether the branch has a counterpart on some remote; one beside it in this repository is none."""
        return self.repo.setting(f"branch.{self.local}.remote") not in ("", ".")

    def _tracked_in(self, families: tuple[str, ...]) -> set[str]:
        begin = self.remote.tracking("")
        out = self.repo.run("for-each-ref", "--format=%(refname)", begin).decode("utf-8", "surrogateescape")
        names = {line.removeprefix(begin) for line in out.splitlines()}
        return {name for name in names if name.startswith(families)}

    def _bring_in(self, theirs: str, label: str) -> None:
        if not refs.is_ancestor(self.repo, theirs, self.head.branch or "HEAD"):
            self._refuse_other_work()
            self._have_texts(theirs)
            strangers.refuse_settings(self.vault, theirs, label)
            strangers.hold(self.repo, self.head.branch or "HEAD", theirs)
            brought = self._integrated(theirs, label)
            self.start = self.start or brought.old
            self._brought(brought)
            fetched = (theirs, f"^{self.start}")
            self.so_far = self.so_far._replace(
                fetched=count.number(self.vault, *fetched), came=count.shares(self.vault, *fetched)
            )
        self._remember(theirs)

    def _integrated(self, theirs: str, label: str) -> Brought:
        """With patience for what is over in a moment: a person's own git commit, a save."""
        from vaultgit.edits.integrate import integrate
        from vaultgit.edits.landing import Waiting

        until = time.monotonic() + PATIENCE
        for _ in range(round(PATIENCE / _PAUSE)):
            try:
                return integrate(self.vault, self.clock, theirs, label, ref=self.head.branch or "")
            except Waiting:
                if time.monotonic() > until:
                    raise
                self.pause(_PAUSE)
        return integrate(self.vault, self.clock, theirs, label, ref=self.head.branch or "")

    def _brought(self, brought: Brought) -> None:
        cut = self.vault.prefix
        asides = tuple(
            Aside(note.removeprefix(cut), target.removeprefix(cut), why)
            for (note, target), why in zip(brought.inbox, brought.why, strict=True)
        )
        every = tuple(dict.fromkeys(self.so_far.paths + brought.paths))
        self.so_far = self.so_far._replace(paths=every, inbox=self.so_far.inbox + asides)

    def _have_texts(self, theirs: str) -> None:
        """In a partial clone: fetches what differs now, in one go, so that no lock is held while git does; and so with
        what filters (git-lfs) fetch. Raises Away."""
        ours = self.head.branch or "HEAD"
        base = refs.merge_base(self.repo, ours, theirs)
        if base and any(key.startswith("remote.") and key.endswith(".promisor") for key in self.repo.config):
            for tip in (ours, theirs):
                self.remote.complete(base, tip)
        if base:
            ahead.read(self.remote, ours, theirs)

    def _push(self, sides: agreed.Sides) -> None:
        ref = self.head.branch or ""
        ours = refs.tip(self.repo, ref) or ""
        if ours == sides.theirs:
            return
        upstream = sides.theirs is None and not self._has_upstream()
        pushed, moved = self.remote.push([Update(self.branch, ref)], upstream=upstream)[self.branch]
        if moved:
            out = [pushed, f"^{sides.theirs}"] if sides.theirs else [pushed]
            self.so_far = self.so_far._replace(
                pushed=count.number(self.vault, *out), went=count.shares(self.vault, *out), first=upstream
            )
        # Where pushes go elsewhere, what both have is what can be fetched.
        seen = self.remote.at(self.branch) if self.remote.elsewhere else pushed
        if seen == pushed:
            self._remember(pushed)

    def _remember(self, oid: str) -> None:
        agreed.remember(self.repo, self.remote.name, self.branch, oid)
        self.known = oid

    # -- shallow clones ----------------------------------------------------------------------------------------

    def _is_shallow(self) -> bool:
        return self.repo.run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def _deepen(self, *, whole: bool) -> None:
        if self._is_shallow():
            self.remote.fetch([self.branch], (), "--unshallow" if whole else f"--deepen={_DEEPEN}")

    # -- review branches ---------------------------------------------------------------------------------------

    def _branches(self) -> None:
        if self.stale:
            self._fetched()
        try:
            travel.travel(self.vault, self.clock, self.remote, self.there, self.travelled)
        finally:
            self.so_far = self.so_far._replace(branches=tuple(self.travelled.values()))
