"""What else a person decides about review branches: to drop actions, to change one, to have one proposed again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vaultgit.clock import Clock
from vaultgit.edits import branches
from vaultgit.edits import chain
from vaultgit.edits import compose
from vaultgit.edits import undo
from vaultgit.edits.branches import Branch
from vaultgit.edits.edit import CARRIED
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import new_id
from vaultgit.edits.inboxmemory import with_lines
from vaultgit.edits.judge import Refused
from vaultgit.edits.submit import current
from vaultgit.edits.submit import submit
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import log
from vaultgit.history.log import Commit
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import link_target
from vaultgit.passes.acceptance import alone
from vaultgit.passes.inbox import DECLINED
from vaultgit.vault import Vault

_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REVERTS = re.compile(r"^(?:This reverts commit|Takes back) ([0-9a-f]{7,64})", re.MULTILINE)


# -- dropping ----------------------------------------------------------------------------------------------------


def drop(vault: Vault, clock: Clock, branch: Branch, unwanted: Sequence[Commit], why: str = "") -> int:
    """Takes actions off the branch and remembers them in .vaultgit/declined.md. Returns how many still wait."""
    rest = [commit for commit in branch.commits if commit not in unwanted and commit not in branch.landed]
    branches.refuse_checked_out(vault, branch)
    built = alone(vault, clock, branch, rest) if rest else None
    _remember(vault, clock, branch, unwanted, why)
    if built is None:
        branches.move(vault, branch, None)
    else:
        with built.chain.written() as oids:
            branches.move(vault, branch, oids[-1])
    return len(rest) - len(branch.queued)


def _remember(vault: Vault, clock: Clock, branch: Branch, unwanted: Sequence[Commit], why: str) -> None:
    known, there, day = declined(vault), current(vault, DECLINED), clock.now().strftime("%Y-%m-%d")
    lines = []
    for commit in unwanted:
        key = declined_key(vault, commit)
        if key and key not in known:
            about = " ".join(path.removesuffix(".md").replace(" ", "%20") for path in _about(vault, commit))
            lines.append(f"- {day} {key} {about} ^{commit.trailer('Edit') or new_id(clock)}\n")
            known.add(key)
    if not lines:
        return
    new = with_lines(there, "".join(lines).encode("utf-8", "surrogateescape"))
    subject = f"vaultgit: dropped {len(unwanted)} of {branch.name}"
    reason = "\n".join([*([why] if why else []), *(f"- {commit.subject}" for commit in unwanted)])
    submit(vault, clock, [PathChange(DECLINED, there, new, "append")], subject=subject, reason=reason,
           housekeeping=True)  # fmt: skip


def declined_key(vault: Vault, commit: Commit) -> str:
    """What an action is about: its kind, and the skills as they were before it; "" where it is about none. The same
    proposal, made again of the same skills, has the same key; a skill that changes since makes it another one. Skills
    whose links alone follow a merge do not count."""
    about = _about(vault, commit)
    parent = commit.parents[0] if commit.parents else ""
    blobs = [vault.repo.blob(f"{parent}:{vault.prefix}{path}") for path in about]
    gone = [path for path, after in about.items() if after is None]
    kind = "molt" if commit.trailer("Trigger") else "dream links"
    if gone and kind != "molt":
        kind = "dream merge" if len(about) > len(gone) else "dream prune"
    return " ".join((kind, *sorted(blob.oid for blob in blobs if blob))) if any(blobs) else ""


def _about(vault: Vault, commit: Commit) -> dict[str, bytes | None]:
    """The skills that an action is about, those that stay first, and what becomes of each. Not those whose links alone
    follow a merge."""
    skills = [
        change for change in branches.changes_of(vault, commit) if vault.rules.expected_type(change.path) == "skill"
    ]
    gone = {change.path: change.new for change in skills if change.new is None}
    kept = {change.path: change.new for change in skills if change.new is not None}
    if gone and not commit.trailer("Trigger"):
        kept = {path: new for path, new in kept.items() if gone.keys() & _replaced(new)}
    return kept | gone


def _replaced(data: bytes | None) -> set[str]:
    """The notes that a skill says it replaces."""
    given = frontmatter.read(data or b"").values.get("replaces")
    links = given if isinstance(given, list) else [given]
    return {f"{target}.md" for link in links if isinstance(link, str) and (target := link_target(link))}


def declined(vault: Vault) -> set[str]:
    """Keys of what a person has dropped: `molt OID`, `dream merge OID OID`."""
    found = set()
    for line in (current(vault, DECLINED) or b"").decode("utf-8", "replace").splitlines():
        words = line.split()
        if len(words) > 3 and words[0] == "-" and words[-1].startswith("^"):
            kind = words[2:4] if words[2] == "dream" else words[2:3]
            found.add(" ".join((*kind, *sorted(word for word in words if _OID.fullmatch(word)))))
    return found


def taken_back(vault: Vault) -> set[str]:
    """Ids of edits that were undone: by `vaultgit undo`, by a revert of their commit or of the merge that brought
    them. What was taken back itself takes nothing back."""
    found = undo.undone(vault)
    over: set[str] = set()  # commits that a later one takes back
    tell = ("--fixed-strings", "--grep=This reverts commit ", "--grep=Takes back ")
    for commit in log.commits(vault.repo, ["HEAD", *tell]):  # newest first
        if commit.oid in over:
            continue
        for word in _REVERTS.findall(commit.message):
            reverted = vault.repo.object(word)
            if reverted is None or reverted[1] != "commit":
                continue
            oid, _, text = reverted
            over.add(oid)
            if not commit.trailer("Edit"):  # else it says itself what it undoes
                found |= _brought(vault, oid, text.decode("utf-8", "replace"))
    return found


def _brought(vault: Vault, oid: str, text: str) -> set[str]:
    """The ids that a commit carries; of a merge, those of all that it brought."""
    header, _, body = text.partition("\n\n")
    parents = re.findall(r"^parent ([0-9a-f]+)$", header, re.MULTILINE)
    if len(parents) < 2:
        return set(CARRIED.findall(body))
    every = log.commits(vault.repo, [oid, f"^{parents[0]}"])
    return {edit_id for commit in every for edit_id in CARRIED.findall(commit.message)}


def undone_of(vault: Vault, branch: Branch) -> list[Commit]:
    """What of a branch was merged and taken back since. Raises UsageError where nothing was."""
    undone = taken_back(vault)
    back = [commit for commit in branch.landed if commit.trailer("Edit") in undone]
    if not back:
        raise UsageError(f"nothing of {branch.name} was taken back", "vaultgit review list")
    return back


def again(vault: Vault, clock: Clock, branch: Branch) -> Branch:
    """The branch with what was merged and taken back since as new actions, with ids of their own, beside what waits, on
    top of what the vault holds now. Raises UsageError where nothing of it was taken back."""
    back = undone_of(vault, branch)
    tip = branches.here(vault) or ""
    wanted = [
        _renewed(clock, commit) if commit in back else commit
        for commit in branch.commits
        if commit in back or commit not in branch.landed
    ]
    # Of a branch that was merged against what it was made from: the vault holds that again.
    built = chain.onto(vault, clock, tip, wanted, since=tip if branch.base == branch.tip else branch.base)
    if built.left:
        raise VaultgitError(f"{branch.name} does not go on what the vault holds now: {next(iter(built.left.values()))}")
    with built.chain.written() as oids:
        branches.move(vault, branch, oids[-1])
    return branches.named(vault, branch.name)


def _renewed(clock: Clock, commit: Commit) -> Commit:
    old = commit.trailer("Edit")
    lines = f"Again: {old}\nEdit: {new_id(clock)}"
    return commit._replace(message=re.sub(rf"^Edit: {old}$", lines, commit.message, flags=re.MULTILINE))


# -- changing ----------------------------------------------------------------------------------------------------


def one_change(vault: Vault, branch: Branch, path: str | None) -> tuple[Commit, PathChange]:
    """The action and the note of it that `path` names; without one, the only skill that the branch writes. Raises
    UsageError."""
    made = chain.changes(vault, branch.waiting)
    wanted = [(commit, change) for commit in branch.waiting for change in made[commit.oid] if change.new is not None]
    if path is not None:
        near = {vault.relative(path), f"{vault.relative(path)}.md", f"{vault.rules.folder('skill')}/{path}.md"}
        wanted = [both for both in wanted if both[1].path in near]
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


def whole(model: bytes, text: bytes) -> bytes:
    """A text that a person gives for a note, as one; without front matter it keeps what was proposed there."""
    text = compose.endings_of(model, text)
    bare = frontmatter.block(text) is None and frontmatter.block(model) is not None
    return patch.keep_front_matter(model, text) if bare else text


def edited(vault: Vault, clock: Clock, branch: Branch, commit: Commit, path: str, text: bytes) -> None:
    """The branch with another text for what one action makes of a note; all else as it is. Raises Refused."""
    branches.refuse_checked_out(vault, branch)
    every = [_with_author(vault, one) if one.oid == commit.oid else one for one in branch.commits]
    built = chain.onto(
        vault, clock, branch.base, every, since=branch.base, instead={(commit.oid, path): text}
    )  # fmt: skip
    if built.left:
        why = next(iter(built.left.values()))
        raise VaultgitError(f"{path}: what follows in {branch.name} does not fit this text any more ({why})")
    with built.chain.written() as oids:
        problems = chain.problems_of(vault, branch.base, oids[-1])
        if problems:
            raise Refused(problems)
        branches.move(vault, branch, oids[-1])


def _with_author(vault: Vault, commit: Commit) -> Commit:
    """The action with the person beside its author: what they changed is theirs, too."""
    person = vault.repo.person()
    line = f"Co-authored-by: {person.name} <{person.email}>"
    if line in commit.message.splitlines():
        return commit
    edit = commit.trailer("Edit")
    if not edit:
        return commit._replace(message=f"{commit.message.rstrip()}\n\n{line}\n")
    return commit._replace(
        message=re.sub(rf"^Edit: {edit}$", f"{line}\nEdit: {edit}", commit.message, flags=re.MULTILINE)
    )
