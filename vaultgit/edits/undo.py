"""Taking back an edit, a session, a note's last edit, or a merge: a new edit that holds what undoes them.

It is made beside the vault, against what is committed now: each commit's change is merged backwards into the notes
as they are, newest first, with the same note-aware merge that landing uses. Nothing conflicts half-way: either the
whole undo can be made, or it is refused with the note named and nothing is touched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.checks import protected
from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import changelog
from vaultgit.edits import ledger
from vaultgit.edits.edit import CARRIED
from vaultgit.edits.edit import ID
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import shorten
from vaultgit.edits.judge import Refused
from vaultgit.edits.merge import merge
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.errors import UsageError
from vaultgit.history import filters
from vaultgit.history import log
from vaultgit.history import refs
from vaultgit.history.log import Commit
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.follow import follower
from vaultgit.notes.follow import without_targets
from vaultgit.vault import Vault

ACCEPTED = "vaultgit: accepted"  # how the subject of a merge begins that brought a review branch in
_MERGED = re.compile(rf"(?:{ACCEPTED} |Merge branch ')([^' ]+)")


class Undo(NamedTuple):
    """What an undo would write. `commits`: what it takes back, newest first."""

    commits: list[Commit]
    changes: list[PathChange]
    subject: str
    reason: str
    trailers: list[tuple[str, str]]


def of_target(vault: Vault, target: str) -> list[Commit]:
    """The commits that a word names: an edit id, a revision of git's, a review branch (what was accepted of it), or a
    note (its last edit).

    Raises UsageError when it names nothing.
    """
    _refuse_unborn(vault)
    target = target.removeprefix("^")  # as it stands in changelog.md
    if not target:
        raise UsageError("an empty word names nothing to undo", "vaultgit log")
    if ID.fullmatch(target):
        found = log.commits(vault.repo, trailers=[("Edit", target)])
        if found:
            return [found[-1]]
        joined = next(ledger.carriers(vault, f"--grep=Edit: {target}", "--all-match", "-n1", "HEAD"), None)
        if joined is not None and set(CARRIED.findall(joined.body)) == {target}:
            return [log.commit(vault.repo, joined.oid)]
        if joined is not None:
            raise UsageError(f"{target} was joined with other edits in {joined.oid[:10]} {joined.subject}",
                             f"vaultgit undo {joined.oid[:10]} takes all of them back")  # fmt: skip
    taken_back = undone(vault)
    merged = _merges_of(vault, target)
    left = [commit for commit in merged if not _ids(vault, commit) or _ids(vault, commit) - taken_back]
    if merged and not left:
        raise UsageError(f"{target} is taken back already", "vaultgit log")
    if left:
        return left
    oid = vault.repo.resolve(target)
    if oid is not None:
        if not refs.is_ancestor(vault.repo, oid, "HEAD"):
            raise UsageError(f"{target} is not in the history of this branch", "git log --all shows where it is")
        return [log.commit(vault.repo, oid)]
    path = vault.relative(target)
    for problem in protected.path_problems(path.rstrip("/"), agent=False):  # git would be asked for what it never holds
        raise UsageError(f"{target} is no commit, and as a path it {problem.message} ({problem.code})", problem.mend)
    for commit in log.commits(vault.repo, paths=[vault.prefix + path]):
        if commit.trailer("Edit") and commit.trailer("Edit") not in taken_back and not commit.trailers_of("Undoes"):
            return [commit]
    raise UsageError(f"{target} is no commit, no edit id, and no note with an edit to undo", "vaultgit log")


def of_session(vault: Vault, session: str) -> list[Commit]:
    """The edits of a session that are not undone, newest first. Raises UsageError when there are none."""
    _refuse_unborn(vault)
    taken_back = undone(vault)
    found = [
        commit
        for commit in log.commits(vault.repo, trailers=[("Session", session)])
        if commit.trailer("Edit") not in taken_back and not commit.trailers_of("Undoes")
    ]
    if not found:
        raise UsageError(f"no edit of session {session} is left to undo", f"vaultgit log --session {session}")
    return found


def _refuse_unborn(vault: Vault) -> None:
    if refs.tip(vault.repo, "HEAD") is None:
        raise UsageError("nothing is committed on this branch yet", "vaultgit log shows what can be undone")


def undone(vault: Vault) -> set[str]:
    """Ids of edits that an undo in history takes back; an undo that was undone itself takes nothing back."""
    found: set[str] = set()
    for commit in log.commits(vault.repo, ["HEAD", "--fixed-strings", "--grep=Undoes: "]):  # newest first
        if commit.trailer("Edit") not in found:
            found.update(commit.trailers_of("Undoes"))
    return found


def _refuse_set_up(commits: Sequence[Commit]) -> None:
    """Taking back what `init` committed would leave hooks and git's config behind."""
    for commit in commits:
        if commit.subject in ("vaultgit: set up", "vaultgit: remove") and not commit.trailer("Edit"):
            raise UsageError(f"{commit.oid[:10]} is set-up, not an edit", "vaultgit init --remove, or vaultgit init")


def plan(vault: Vault, clock: Clock, commits: Sequence[Commit], *, session: str = "") -> Undo:
    """The edit that takes `commits` back. Raises Refused (ED01) with the notes that were changed since in the same
    place, UsageError when there is nothing to take back."""
    _refuse_set_up(commits)
    tip = refs.tip(vault.repo, "HEAD")
    now: dict[str, bytes | None] = {}
    was: dict[str, bytes | None] = {}
    conflicts: list[Problem] = []
    text_merge = git_text_merge(vault.repo)
    back: dict[str, str] = {}  # where a file goes back to -> where it lies now
    for commit in commits:
        parent = commit.parents[0] if commit.parents else None
        taken: dict[str, _Change] = {}
        changed = log.changed(vault.repo, parent, commit.oid, vault.prefix)
        spaces = filters.spaces(vault.repo, [full for full, _, _ in changed])
        for full, old, new in changed:
            path, space = full[len(vault.prefix) :], spaces[full]
            if changelog.is_ours(path):
                continue
            if path not in now:
                blob = vault.repo.blob(f"{tip}:{full}")
                now[path] = was[path] = space.from_blob(blob.oid, blob.data) if blob else None
            taken[path] = _Change(_text(vault, space, old), _text(vault, space, new))
        moved = _moved(vault, taken)
        for old_path, path in moved.items():
            # The file goes back as it is now, with what was done to it since.
            if now[old_path] is None and now[path] is not None:
                now[old_path], now[path] = now[path], None
                back[old_path] = back.pop(path, path)
                taken[old_path] = _Change(taken[old_path].before, taken.pop(path).after)
        for path, (before, after) in taken.items():
            follow = follower(after, before, path) if moved else _as_it_is
            merged = merge(follow(after), follow(now[path]), before, text_merge=text_merge)
            if merged.conflicts and not moved:  # links that were rewritten go back on lines that changed since, too
                follow = follower(after, before, path)
                merged = merge(follow(after), follow(now[path]), before, text_merge=text_merge)
            if merged.conflicts:
                what = f"was changed since in the same place ({', '.join(merged.conflicts)})"
                mend = f"git show {commit.oid[:10]} -- {vault.prefix}{path}; then edit the note by hand"
                conflicts.append(Problem(path, 1, 1, "ED01", what, mend))
            else:
                now[path] = merged.data
    if conflicts:
        raise Refused(conflicts)
    for path in now:
        now[path] = _bumped(vault, clock, path, was[path], now[path])
    changes = _changes(was, now, back)
    if not changes:
        raise UsageError("nothing is left of that to take back", "vaultgit log shows what was done since")
    return Undo(list(commits), changes, _subject(commits, session), _reason(commits), _trailers(vault, commits))


class _Change(NamedTuple):
    """What a commit made of a file."""

    before: bytes | None
    after: bytes | None


def _moved(vault: Vault, taken: Mapping[str, _Change]) -> dict[str, str]:
    """Files that a commit moved, old path -> new path: one is gone, one is new, and they differ in links alone (a
    skill's front matter in its name and version, too)."""

    def outline(path: str, data: bytes) -> bytes:
        skill = vault.rules.managed(path, data) == "skill"
        found = frontmatter.block(data) if skill else None
        return without_targets(data[found.body :] if found else data, path)

    gone = {path: one.before for path, one in taken.items() if one.before is not None and one.after is None}
    new = {path: one.after for path, one in taken.items() if one.before is None and one.after is not None}
    if not gone or not new:
        return {}
    names: dict[bytes, list[str]] = {}
    for path, data in new.items():
        names.setdefault(outline(path, data), []).append(path)
    found = {}
    for path, data in gone.items():
        alike = names.get(outline(path, data), [])
        same_name = [one for one in alike if one.rpartition("/")[2] == path.rpartition("/")[2]]
        if alike:
            found[path] = (same_name or alike)[0]
            alike.remove(found[path])
    return found


def _changes(
    was: Mapping[str, bytes | None], now: Mapping[str, bytes | None], back: Mapping[str, str]
) -> list[PathChange]:
    """The changes from `was` to `now`; files that go back move there, with what a person has typed into them."""
    found: list[PathChange] = []
    done: set[str] = set()
    for path, there in back.items():
        if was[path] is now[there] is None and None not in (now[path], was[there]):
            found += [PathChange(path, None, now[path], "move"), PathChange(there, was[there], None, "move")]
            done |= {path, there}
    action = "move" if back else "write"
    changed = [path for path, data in sorted(now.items()) if path not in done and data != was[path]]
    return found + [PathChange(path, was[path], now[path], action) for path in changed]


def _as_it_is(data: bytes | None) -> bytes | None:
    return data


def _text(vault: Vault, space: filters.Space, oid: str) -> bytes | None:
    blob = vault.repo.blob(oid) if oid else None
    return space.from_blob(oid, blob.data) if blob else None


def _bumped(vault: Vault, clock: Clock, path: str, was: bytes | None, now: bytes | None) -> bytes | None:
    """A skill that is neither gone nor what it was at some time gets a version of its own: the next one."""
    if now is None or was is None or now == was or vault.rules.managed(path, now) != "skill":
        return now
    old, new = frontmatter.read(was).values.get("version"), frontmatter.read(now).values.get("version")
    if not isinstance(old, int) or not isinstance(new, int) or new < old:
        return now  # earlier bytes, with the version of then
    values = {"version": old + 1, "last_updated": clock.now().strftime("%Y-%m-%d")}
    return patch.set_properties(now, values)


def _merges_of(vault: Vault, branch: str) -> list[Commit]:
    """The merges that brought a review branch in, newest first: ours, and plain ones of git's."""
    names = {branch, vault.settings.review_prefix + branch}
    tell = ["--merges", "--fixed-strings", f"--grep={branch}"]
    return [commit for commit in log.commits(vault.repo, ["HEAD", *tell]) if _branch_of(commit) in names]


def _branch_of(commit: Commit) -> str:
    """The review branch that a merge brought in, "" for another commit."""
    found = _MERGED.match(commit.subject) if len(commit.parents) > 1 else None
    return found[1] if found else ""


def _ids(vault: Vault, merge_commit: Commit) -> set[str]:
    """The ids of what a merge brought in."""
    every = log.commits(vault.repo, [merge_commit.oid, f"^{merge_commit.parents[0]}"])
    return {edit_id for one in every for edit_id in CARRIED.findall(one.message)}


def _subject(commits: Sequence[Commit], session: str) -> str:
    branch = _branch_of(commits[0])
    if branch:
        return shorten(f"{branch}: undone")
    if session:
        edits = f"{len(commits)} edit{'s' if len(commits) != 1 else ''}"
        return shorten(f"session {session}: {edits} undone")
    scope, colon, what = commits[0].subject.partition(": ")
    return shorten(f"{scope}: undone: {what}" if colon and " " not in scope else f"undone: {commits[0].subject}")


def _reason(commits: Sequence[Commit]) -> str:
    return "\n".join(f"Takes back {commit.oid[:12]} {commit.subject}" for commit in commits)


def _trailers(vault: Vault, commits: Sequence[Commit]) -> list[tuple[str, str]]:
    """Undoes: each id taken back (of a merge: all that it brought). Again: what an undone undo had taken back."""
    found: list[tuple[str, str]] = []
    for commit in commits:
        brought = [commit]
        if len(commit.parents) > 1:
            brought += log.commits(vault.repo, [commit.oid, f"^{commit.parents[0]}"])
        for one in brought:
            found.extend(("Undoes", edit_id) for edit_id in CARRIED.findall(one.message))
            found.extend(("Again", again) for again in one.trailers_of("Undoes"))
    return list(dict.fromkeys(found))
