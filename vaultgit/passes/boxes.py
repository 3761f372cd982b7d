"""review.md: what waits on review branches as accept and reject boxes, for people who live in Obsidian.

Each write is a housekeeping commit of the person's. A tick counts where a person made it: one that came with an agent's
commit does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import branches
from vaultgit.edits import chain
from vaultgit.edits.branches import Branch
from vaultgit.edits.compose import plain
from vaultgit.edits.edit import ANSWERED
from vaultgit.edits.edit import ID
from vaultgit.edits.edit import PathChange
from vaultgit.edits.round import Result
from vaultgit.edits.submit import current
from vaultgit.edits.submit import submit
from vaultgit.errors import UsageError
from vaultgit.history.log import Commit
from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block
from vaultgit.passes import reviewmd
from vaultgit.passes import stepview
from vaultgit.passes.reviewmd import FILE
from vaultgit.passes.reviewmd import HEADER
from vaultgit.passes.sealed import Seals
from vaultgit.passes.ticks import Ticks
from vaultgit.vault import Vault

_EXCERPT, _PATHS, _WHY = 40, 4, 300  # lines, notes that are named, characters


class Ticked(NamedTuple):
    """What the boxes say. `branches`: name -> actions to accept and to drop. `slips`: line -> why what looks like a
    tick does not count."""

    branches: dict[str, tuple[list[Commit], list[Commit]]]
    slips: dict[int, str]


def write(vault: Vault, clock: Clock, waiting: Iterable[Branch]) -> Result | None:
    """Puts pending actions into review.md, and takes out those that wait no longer. None where nothing changed;
    "unchanged", with why, where no commit of ours may take the file along."""
    there = current(vault, FILE)
    text = (there or b"").decode("utf-8", "surrogateescape")
    wanted: dict[str, Block] = {}
    seals = Seals(vault)
    for branch in waiting:
        made = chain.changes(vault, branch.waiting)
        for commit in branch.waiting:
            if _id(commit) and _id(commit) not in wanted:  # else a later molt stands on it as well
                wanted[_id(commit)] = _block(vault, branch, commit, made[commit.oid], seals)
    over = {one.id for one in reviewfile.read(text) if _of_branch(one)} - wanted.keys()
    new = reviewfile.put(reviewfile.take(text, over), wanted.values())
    if new == text or (there is None and not wanted):
        return None
    line, why = reviewmd.held_up(vault, there)
    if why:
        return Result("unchanged", "", path=FILE, reason=f"{FILE}:{line}: {why}")
    if there is None:
        new = HEADER + new
    changes = [PathChange(FILE, there, new.encode("utf-8", "surrogateescape"), ANSWERED)]
    count = f"{len(wanted)} suggestion{'s' if len(wanted) != 1 else ''}"
    return submit(vault, clock, changes, subject=f"vaultgit: {count} in review.md", housekeeping=True)


def in_use(vault: Vault) -> bool:
    """Whether review.md holds actions of review branches."""
    text = (current(vault, FILE) or b"").decode("utf-8", "surrogateescape")
    return any(_of_branch(one) for one in reviewfile.read(text))


def _block(vault: Vault, branch: Branch, commit: Commit, changes: Sequence[PathChange], seals: Seals) -> Block:
    """One action, as a block of review.md; without the text of notes that git encrypts, and review.md not."""
    skills = [change for change in changes if vault.rules.expected_type(change.path) == "skill"]
    shown = skills or changes
    fields = [
        ("branch", branch.name),
        *(("path", change.path) for change in shown[:_PATHS]),
        ("why", plain(" ".join(commit.reason.split()))[:_WHY] or "no reason given"),
    ]
    lines: list[str] = []
    seals.learn([FILE, *(change.path for change in shown)])
    for change in sorted(shown, key=lambda change: change.new is None):
        lines.append(f"{change.path}{' (goes)' if change.new is None else ''}")
        if not seals.may_quote(change.path, FILE):
            blob = vault.repo.blob(f"{commit.oid}:{vault.prefix}{change.path}")  # a tick is for this text alone
            kept = f"; stored as {blob.oid[:12]}" if blob else ""
            lines.append(f"(git stores it through a filter, and {FILE} not{kept}: vaultgit review show {branch.name})")
        elif change.new is not None or len(shown) == 1:  # what goes beside others is in those
            lines += stepview.compare(change.base, change.new).lines() if skills else []
            lines += stepview.text_diff(change.base, change.new) if change.new is not None else []
    others = [change.path for change in changes if change not in shown]
    if others:
        lines.append(f"{', '.join(others[:_PATHS])}{', …' if len(others) > _PATHS else ''} (with it: {len(others)})")
    if len(lines) > _EXCERPT:
        lines[_EXCERPT:] = [f"… {len(lines) - _EXCERPT} more lines: vaultgit review show {branch.name}"]
    return Block(_id(commit), plain(commit.subject), tuple(fields), "\n".join(lines) + "\n")


def ticked(vault: Vault) -> Ticked:
    """What a person has decided in review.md about review branches. Raises UsageError where there is no such file."""
    there = current(vault, FILE)
    if there is None:
        raise UsageError(
            f"there is no {FILE}", "vaultgit review list and vaultgit consolidate write it where something waits"
        )
    found = Ticked({}, {})
    waiting = {_id(commit): (branch, commit) for branch in branches.pending(vault)[::-1] for commit in branch.waiting}
    review, ticks, seals = there.decode("utf-8", "surrogateescape"), Ticks(vault), Seals(vault)
    every = reviewfile.read(review)
    times = Counter(one.id for one in every)
    for one in every:
        if not _of_branch(one) or one.id not in waiting:
            continue
        found.slips.update(dict(one.slips))
        if not one.decided:
            continue
        branch, commit = waiting[one.id]
        line, why = ticks.against(review, one)
        if times[one.id] > 1:
            found.slips[one.tick_line] = "stands here twice: delete one of the two"
        elif why:
            found.slips[line] = why
        elif one.draft != _block(vault, branch, commit, branches.changes_of(vault, commit), seals).draft:
            found.slips[one.tick_line] = "it shows no longer what waits: untick it, vaultgit review list, read it again"
        else:
            accepted, dropped = found.branches.setdefault(branch.name, ([], []))
            (accepted if one.decided == "accept" else dropped).append(commit)
    return found


def _id(commit: Commit) -> str:
    edit = commit.trailer("Edit")
    return edit if ID.fullmatch(edit) else ""


def _of_branch(one: Block) -> bool:
    return any(key == "branch" for key, _ in one.fields)
