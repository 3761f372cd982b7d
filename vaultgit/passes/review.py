"""What a person decides about review branches: to accept actions, to drop them, to change one first.

Accepting brings the chosen actions in as one merge commit, landed like an edit; what waits still is built anew on top
of it. An action that does not merge with what is committed, staged or typed stays pending and is named. A killed run
leaves the branch as it was, or the merge done: the next `tidy` then does the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import branches
from vaultgit.edits import queue
from vaultgit.edits import undo
from vaultgit.edits.branches import Branch
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import new_id
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.slots import Slots
from vaultgit.edits.submit import current
from vaultgit.edits.submit import submit
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import log
from vaultgit.history import refs
from vaultgit.history.log import Commit
from vaultgit.notes import frontmatter
from vaultgit.passes.inbox import DECLINED
from vaultgit.vault import Vault

_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40,64})")
MERGING = "refs/vaultgit/merging/"  # keeps rebuilt actions alive until the merge of them has landed


class Choice(NamedTuple):
    """Actions that were asked for, in the branch's order, and those that have to go with them."""

    asked: list[Commit]
    along: list[Commit]

    @property
    def all(self) -> list[Commit]:
        return [*self.asked, *self.along]


class Accepted(NamedTuple):
    """What accepting came to. `left`: actions that stay pending -> why (by oid); `remaining`: how many still wait."""

    result: Result
    taken: list[Commit]
    left: dict[str, str]
    remaining: int


# -- choosing ----------------------------------------------------------------------------------------------------


def paths_of(vault: Vault, commit: Commit) -> list[str]:
    """The notes that an action changes."""
    changed = log.changed(vault.repo, commit.parents[0] if commit.parents else None, commit.oid, vault.prefix)
    return [full[len(vault.prefix) :] for full, _, _ in changed]


def choose(vault: Vault, branch: Branch, only: Sequence[str], *, dropping: bool = False) -> Choice:
    """The actions that touch one of the notes in `only` (also given as an edit id or a commit), all of them without
    `only`. An action is built on the earlier ones that touch the same skill: those come along (when dropping, the
    later ones). Raises UsageError for a word that names none."""
    if not branch.waiting:
        raise UsageError(f"nothing of {branch.name} waits", "vaultgit review list")
    paths = {commit.oid: set(paths_of(vault, commit)) for commit in branch.waiting}
    asked: list[Commit] = []
    for word in only:
        near = {vault.relative(word), f"{vault.relative(word)}.md", f"{vault.rules.folder('skill')}/{word}.md"}
        found = [c for c in branch.waiting if near & paths[c.oid] or word.removeprefix("^") == c.trailer("Edit")
                 or (len(word) >= 7 and c.oid.startswith(word))]  # fmt: skip
        if not found:
            raise UsageError(f"no action of {branch.name} touches {word}", f"vaultgit review show {branch.name}")
        asked += found
    wanted = {commit.oid for commit in (asked if only else branch.waiting)}
    along: set[str] = set()
    order = branch.waiting if dropping else branch.waiting[::-1]
    skills = {
        oid: {path for path in found if vault.rules.expected_type(path) == "skill"} for oid, found in paths.items()
    }
    for number, commit in enumerate(order):
        before = {path for other in order[:number] if other.oid in wanted | along for path in skills[other.oid]}
        if commit.oid not in wanted and skills[commit.oid] & before:
            along.add(commit.oid)
    return Choice(
        [commit for commit in branch.waiting if commit.oid in wanted],
        [commit for commit in branch.waiting if commit.oid in along],
    )


# -- accepting ---------------------------------------------------------------------------------------------------


class _Fitting(NamedTuple):
    """Actions built on the vault's branch, of which each merges with what is on disk, too."""

    built: branches.Onto
    left: dict[str, str]


def fitting(vault: Vault, clock: Clock, branch: Branch, wanted: Sequence[Commit]) -> _Fitting:
    """Which of the actions merge now. Writes nothing."""
    here = refs.tip(vault.repo, "HEAD") or ""
    left: dict[str, str] = {}
    rest = [commit for commit in branch.waiting if commit in wanted]
    while True:
        built = branches.onto(vault, clock, here, rest, since=branch.base)
        left |= built.left
        trial = Slots(vault, here, checked_out=refs.head(vault.repo).branch is not None)
        blocked = {commit.oid: why for commit, changes in built.made if (why := trial.fits(changes))}
        if not blocked:
            return _Fitting(built, left)
        left |= blocked
        rest = [commit for commit, _ in built.made if commit.oid not in blocked]


def accept(vault: Vault, clock: Clock, branch: Branch, wanted: Sequence[Commit]) -> Accepted:
    """Brings the actions in as one merge commit. Raises Refused where the checks have something against them."""
    here = refs.tip(vault.repo, "HEAD") or ""
    fits = fitting(vault, clock, branch, wanted)
    taken = [commit for commit, _ in fits.built.made]
    if not taken:
        return Accepted(Result("pending", ""), [], fits.left, len(branch.waiting))
    whole = taken == branch.waiting and not branch.landed and not _moved_on(vault, branch, here)
    number = f"{len(taken)} of {len(branch.waiting)} actions" if len(branch.waiting) > 1 else "it"
    subject = f"{undo.ACCEPTED} {branch.name}" + ("" if taken == branch.waiting else f" ({number})")
    reason = "\n".join(f"- {commit.subject}" for commit in taken)
    with fits.built.chain.written() as oids:
        second = branch.tip if whole else oids[-1]
        problems = branches.problems_of(vault, here, second)
        if problems:
            raise Refused(problems)
        # The merge's own base: what both sides have in common.
        changes = branches.changes_between(vault, branch.base if whole else here, second) or _as_it_is(vault, taken)
        keep = MERGING + second
        vault.repo.run("update-ref", keep, second)
        result = submit(vault, clock, changes, subject=subject, reason=reason, housekeeping=True, merges=second)
    if result.outcome == "queued":
        return Accepted(result, taken, fits.left, len(branch.waiting) - len(taken))
    vault.repo.run("update-ref", "-d", keep)
    if result.outcome == "pending":
        left = fits.left | {commit.oid: result.reason for commit in taken}
        return Accepted(result, [], left, len(branch.waiting))
    remaining = tidy(vault, clock, branch.name)
    return Accepted(result, taken, fits.left, remaining)


def _as_it_is(vault: Vault, taken: Sequence[Commit]) -> list[PathChange]:
    """For actions whose content the vault has already: the merge brings their commits, and changes nothing."""
    path = paths_of(vault, taken[0])[0]
    there = current(vault, path)
    return [PathChange(path, there, there)]


def _moved_on(vault: Vault, branch: Branch, here: str) -> bool:
    """Whether the vault's branch has changed a note that the review branch changes, too."""
    touched = {full for full, _, _ in log.changed(vault.repo, branch.base, branch.tip)}
    return any(full in touched for full, _, _ in log.changed(vault.repo, branch.base, here))


def tidy(vault: Vault, clock: Clock, name: str) -> int:
    """Brings a review branch up to what the vault's branch has: built anew on it without the actions that landed, or
    deleted when none waits. Returns how many wait. Raises VaultgitError where the branch is checked out somewhere."""
    branch = branches.named(vault, name)
    if not branch.waiting:
        branches.move(vault, branch, None)
    elif branch.landed:
        _rebuild(vault, clock, branch, branch.waiting)
    _forget_merged(vault)
    return len(branch.waiting)


def _rebuild(vault: Vault, clock: Clock, branch: Branch, commits: Sequence[Commit]) -> None:
    """The branch with these actions alone: on the vault's branch, or where one does not go there, on its old base."""
    here = refs.tip(vault.repo, "HEAD") or ""
    built = branches.onto(vault, clock, here, commits, since=branch.base)
    if built.left:
        built = branches.onto(vault, clock, branch.base, commits, since=branch.base)
    if built.left:
        why = next(iter(built.left.values()))
        raise VaultgitError(f"{branch.name} stays as it is: what waits cannot be built without the rest ({why})")
    with built.chain.written() as oids:
        branches.move(vault, branch, oids[-1])


def _forget_merged(vault: Vault) -> None:
    """Drops refs that kept rebuilt actions alive for a merge that is no longer queued."""
    waiting = {edit.merges for edit in queue.entries(vault.repo, vault.state, vault.prefix)}
    for ref in vault.repo.run("for-each-ref", "--format=%(refname)", MERGING).decode().split():
        if ref.removeprefix(MERGING) not in waiting:
            vault.repo.run("update-ref", "-d", ref)


# -- dropping ----------------------------------------------------------------------------------------------------


def drop(vault: Vault, clock: Clock, branch: Branch, unwanted: Sequence[Commit], why: str = "") -> int:
    """Takes actions off the branch and remembers them in .vaultgit/declined.md. Returns how many still wait."""
    known = current(vault, DECLINED) or b""
    day = clock.now().strftime("%Y-%m-%d")
    lines = [
        f"- {day} {key} ^{commit.trailer('Edit') or new_id(clock)}\n"
        for commit in unwanted
        if (key := declined_key(vault, commit)) not in declined(vault)
    ]
    if lines:
        gap = b"" if not known or known.endswith(b"\n") else b"\n"
        new = known + gap + "".join(lines).encode("utf-8", "surrogateescape")
        subject = f"vaultgit: dropped {len(unwanted)} of {branch.name}"
        changes = [PathChange(DECLINED, known or None, new, "append")]
        reason = "\n".join([*([why] if why else []), *(f"- {commit.subject}" for commit in unwanted)])
        submit(vault, clock, changes, subject=subject, reason=reason, housekeeping=True)
    rest = [commit for commit in branch.waiting if commit not in unwanted]
    if rest:
        _rebuild(vault, clock, branch, rest)
    else:
        branches.move(vault, branch, None)
    return len(rest)


def declined_key(vault: Vault, commit: Commit) -> str:
    """What an action is about: its kind, and the skills as they were before it. The same proposal, made again of the
    same skills, has the same key; a skill that changes since makes it another one. Skills whose links alone follow a
    merge do not count."""
    skills = [
        change for change in branches.changes_of(vault, commit) if vault.rules.expected_type(change.path) == "skill"
    ]
    gone = [change for change in skills if change.new is None]
    kept = [change for change in skills if change.new is not None]
    about = skills
    if commit.trailer("Trigger"):
        kind = "molt"
    elif commit.trailer("Agent") and gone:
        names = {_stem(change.path) for change in gone}
        about = gone + [change for change in kept if names & _aliases(change.new)]
        kind = "dream merge" if len(about) > len(gone) else "dream prune"
    else:
        kind = "dream links"
    parent = commit.parents[0] if commit.parents else ""
    blobs = [vault.repo.blob(f"{parent}:{vault.prefix}{change.path}") for change in about if change.base is not None]
    return " ".join((kind, *sorted(blob.oid for blob in blobs if blob)))


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _aliases(data: bytes | None) -> set[str]:
    aliases = frontmatter.read(data or b"").values.get("aliases")
    return {alias for alias in (aliases if isinstance(aliases, list) else [aliases]) if isinstance(alias, str)}


def declined(vault: Vault) -> set[str]:
    """Keys of what a person has dropped: `molt OID`, `dream merge OID OID`."""
    found = set()
    for line in (current(vault, DECLINED) or b"").decode("utf-8", "replace").splitlines():
        words = line.split()
        if len(words) > 3 and words[0] == "-" and words[-1].startswith("^"):
            found.add(" ".join(words[2:-1]))
    return found


def taken_back(vault: Vault) -> set[str]:
    """Ids of edits that were undone: by `vaultgit undo`, by a revert of their commit or of the merge that brought
    them."""
    undone = set(undo.undone(vault))
    for commit in log.commits(vault.repo, ["HEAD", "--fixed-strings", "--grep=This reverts commit "]):
        for oid in _REVERTS.findall(commit.message):
            if vault.repo.resolve(oid) is None:
                continue
            reverted = log.commit(vault.repo, oid)
            brought = [reverted]
            if len(reverted.parents) > 1:
                brought += log.commits(vault.repo, [oid, f"^{reverted.parents[0]}"])
            undone.update(one.trailer("Edit") for one in brought)
    return undone - {""}


def again(vault: Vault, clock: Clock, branch: Branch) -> Branch:
    """The branch with what was merged and taken back since as new actions, with ids of their own, on top of what the
    vault holds now. Raises UsageError where nothing of it was taken back."""
    undone = taken_back(vault)
    back = [commit for commit in branch.landed if commit.trailer("Edit") in undone]
    if branch.waiting or not back:
        raise UsageError(f"nothing of {branch.name} was taken back", "vaultgit review list")
    here = refs.tip(vault.repo, "HEAD") or ""
    renewed = []
    for commit in back:
        old = commit.trailer("Edit")
        text = commit.message.replace(f"Edit: {old}", f"Again: {old}\nEdit: {new_id(clock)}")
        renewed.append(commit._replace(message=text))
    # Against what they were made from: the vault holds that again.
    built = branches.onto(vault, clock, here, renewed, since=here)
    if built.left:
        raise VaultgitError(f"{branch.name} does not go on what the vault holds now: {next(iter(built.left.values()))}")
    with built.chain.written() as oids:
        branches.move(vault, branch, oids[-1])
    return branches.named(vault, branch.name)


# -- changing ----------------------------------------------------------------------------------------------------


def one_change(vault: Vault, branch: Branch, path: str | None) -> tuple[Commit, PathChange]:
    """The action and the note of it that `path` names; without one, the only skill that the branch writes. Raises
    UsageError."""
    wanted = [branch_change for commit in branch.waiting for branch_change in _written(vault, commit)]
    if path is not None:
        near = {vault.relative(path), f"{vault.relative(path)}.md", f"{vault.rules.folder('skill')}/{path}.md"}
        wanted = [(commit, change) for commit, change in wanted if change.path in near]
    else:
        wanted = [both for both in wanted if vault.rules.expected_type(both[1].path) == "skill"]
    if not wanted:
        raise UsageError(f"{branch.name} writes no such note", f"vaultgit review show {branch.name}")
    if len({change.path for _, change in wanted}) > 1:
        names = ", ".join(sorted({change.path for _, change in wanted}))
        raise UsageError(
            f"{branch.name} writes several notes: name one", f"vaultgit review edit {branch.name} PATH: {names}"
        )
    return wanted[-1]


def _written(vault: Vault, commit: Commit) -> list[tuple[Commit, PathChange]]:
    return [(commit, change) for change in branches.changes_of(vault, commit) if change.new is not None]


def edited(vault: Vault, clock: Clock, branch: Branch, commit: Commit, path: str, text: bytes) -> None:
    """The branch with another text for what one action makes of a note; all else as it is. Raises Refused."""
    every = [*branch.landed, *branch.waiting] if branch.landed else branch.waiting
    built = branches.onto(
        vault, clock, branch.base, every, since=branch.base, instead={(commit.oid, path): text}
    )  # fmt: skip
    if built.left:
        why = next(iter(built.left.values()))
        raise VaultgitError(f"{path}: what follows in {branch.name} does not fit this text any more ({why})")
    with built.chain.written() as oids:
        problems = branches.problems_of(vault, branch.base, oids[-1])
        if problems:
            raise Refused(problems)
        branches.move(vault, branch, oids[-1])
