"""What a remote's branch and ours were last known to share, and the refusal of a remote that has lost it.

A ref for each branch, so that git keeps the objects: it is what would be missed.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection
from typing import NamedTuple

from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.history.repository import Repository
from vaultgit.passes.sync import count
from vaultgit.passes.sync.words import AT_ONCE
from vaultgit.passes.sync.words import Away
from vaultgit.vault import Vault

SYNCED = "refs/vaultgit/synced/"
_SHOWN = 3  # subjects


def ref(remote: str, branch: str) -> str:
    return f"{SYNCED}{remote}/{branch}"


def tip(repo: Repository, remote: str, branch: str) -> str | None:
    """The commit that both sides had at the end of the last sync; None where there was none."""
    return refs.tip(repo, ref(remote, branch))


def every(repo: Repository, remote: str) -> dict[str, str]:
    """All branches of the remote that were ever level: name -> commit."""
    begin = f"{SYNCED}{remote}/"
    out = repo.run("for-each-ref", "--format=%(objectname) %(refname)", begin).decode("utf-8", "surrogateescape")
    rows = (line.partition(" ") for line in out.splitlines())
    return {name.removeprefix(begin): oid for oid, _, name in rows}


def remember(repo: Repository, remote: str, branch: str, oid: str | None) -> None:
    """Notes that both sides have this commit; None: that neither has the branch. Raises Away, VaultgitError."""
    name = ref(remote, branch)
    if oid is None:
        repo.call("update-ref", "-d", name)
    elif repo.call("update-ref", name, oid).returncode:
        # A branch is where there was a folder of branches, or the other way round: those are gone from there.
        for other in every(repo, remote):
            if other.startswith(f"{branch}/") or branch.startswith(f"{other}/"):
                repo.call("update-ref", "-d", ref(remote, other))
        done = repo.call("update-ref", name, oid)
        words = done.stderr.decode("utf-8", "replace").strip()
        if AT_ONCE.search(words):  # of a sync that was killed this moment: the next writer takes it away
            raise Away(f"a lock of a git that was killed is in the way ({name}.lock)")
        if done.returncode:
            raise VaultgitError(f"{name} could not be noted: {words}", "everything is safe here; then sync again")


class Sides(NamedTuple):
    """A branch and its counterpart. `ours`, `theirs`: where they are (None: it is not there); `known`: where both were
    last; `there`: all branches of the remote."""

    remote: str
    local: str
    branch: str
    ours: str
    theirs: str | None
    known: str | None
    there: Collection[str]

    @property
    def label(self) -> str:
        return f"{self.remote}/{self.branch}"


def related(repo: Repository, one: str, other: str) -> bool:
    """Whether two commits have history in common."""
    return refs.merge_base(repo, one, other) is not None


def lost(repo: Repository, sides: Sides) -> str:
    """What has become of what both had, where sync must stop: "gone", "rewritten", "unrelated"; "" where it may go on.

    A person who has made up their mind with git is believed: theirs holds ours, or ours holds theirs and theirs is not
    just an older state of what both had.
    """
    known, ours, theirs = sides.known, sides.ours, sides.theirs
    if theirs is None:
        return "gone" if known is not None else ""
    if not related(repo, ours, theirs):
        return "unrelated"
    if known is None or refs.is_ancestor(repo, known, theirs) or refs.is_ancestor(repo, ours, theirs):
        return ""
    return "" if refs.is_ancestor(repo, theirs, ours) and not refs.is_ancestor(repo, theirs, known) else "rewritten"


def refuse(vault: Vault, sides: Sides, what: str) -> None:
    """Raises VaultgitError: what the remote has lost, and the ways out in plain git."""
    repo, known, ours, theirs = vault.repo, sides.known, sides.ours, sides.theirs
    without = [f"^{theirs}"] if theirs else []
    words = [_first(sides, what)]
    missing = count.number(vault, ours, *without)
    edits = count.edits(vault, ours, *without)
    lacks = f"{_commits(missing)}, {edits:,} edit{'s' if edits != 1 else ''} among them. The newest:"
    if known is not None and what != "unrelated":
        before = count.number(vault, known, *without)
        words.append(f"It no longer has {_commits(before)} of the last sync; of what is here it lacks {lacks}")
    else:
        words.append(f"Of what is here it lacks {lacks}")
    words += [f"  {subject}" for subject in count.subjects(vault, _SHOWN, ours, *without)]
    words.append("Nothing was changed, here or there.")
    raise VaultgitError("\n  ".join(words), "\n  ".join(_ways_out(repo, sides, what)))


def _commits(number: int) -> str:
    return f"{number:,} commit{'s' if number != 1 else ''}"


def _first(sides: Sides, what: str) -> str:
    if what == "gone" and not sides.there:
        return f"{sides.remote} is empty, and it had {sides.branch}: refused, so that nothing is lost"
    if what == "gone":
        return f"{sides.label} is gone, deleted or renamed there: refused, so that nothing is lost"
    if what == "unrelated":
        return f"{sides.label} and {sides.local} have no common history: refused"
    return f"{sides.label} was rewritten: refused, so that nothing is lost"


def _ways_out(repo: Repository, sides: Sides, what: str) -> list[str]:
    remote, branch, local = (shlex.quote(word) for word in (sides.remote, sides.branch, sides.local))
    spec = branch if branch == local else shlex.quote(f"{sides.local}:{sides.branch}")
    theirs, again = shlex.quote(sides.label), f"then: vaultgit sync {remote}"
    if sides.theirs is None:
        ways = [f"put it back:     git push {remote} {spec}"]
        if sides.there:
            names = ", ".join(sorted(sides.there)[:5])
            other = f"git fetch {remote}; git branch --set-upstream-to={remote}/BRANCH"
            ways.append(f"another branch:  {other}   (it has {names})")
        return [*ways, again]
    forward = refs.is_ancestor(repo, sides.theirs, sides.ours)
    force = "" if forward else f"--force-with-lease={shlex.quote(f'{sides.branch}:{sides.theirs}')} "
    ways = [
        f"put ours back:   git push {force}{remote} {spec}",
        f"follow theirs:   git branch mine; git status; git reset --keep {theirs}   (ours stays as the branch mine)",
    ]
    if not forward:
        allow = " --allow-unrelated-histories" if what == "unrelated" else ""
        ways.append(f"both:            git merge{allow} {theirs}; git push {remote} {spec}")
    return [*ways, again]
