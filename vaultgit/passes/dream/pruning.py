"""Taking out a skill that nobody used for long. git keeps it: a revert of the commit brings it back."""

from __future__ import annotations

from vaultgit.edits.branches import Action
from vaultgit.edits.edit import shorten
from vaultgit.history import log
from vaultgit.passes.dream.plan import Planned
from vaultgit.passes.dream.reading import Reading
from vaultgit.passes.stale import Stale
from vaultgit.passes.stale import line
from vaultgit.recall.skills import Skill


def key(skill: Skill) -> str:
    """What pruning a skill is about, for what a person has answered."""
    return f"dream prune {skill.oid}"


def pruned(reading: Reading, one: Stale) -> Planned | str:
    """The action that takes a stale skill out, with the files beside it; or why it stays."""
    skill = reading.by_path[one.path]
    if _a_persons(reading, one.path):
        return "a person put files beside it"
    use = reading.uses.of(skill.path)
    reason = (
        f"Nobody used it for {one.idle_days} days ({one.what} {one.since}). git revert of this commit brings it back."
    )
    evidence = (
        f"{f'last used {use.last}' if use.last else 'never used'}; uses on record: {use.count}",
        f"{len(reading.uses.recorded)} sessions since {reading.uses.first} say which skills they used",
        "no note that stays links to it, and no script or timer names it",
        f"trigger: {skill.trigger}",
    )
    body = "\n".join([reason, "", *(f"- {line}" for line in evidence)])
    action = Action(tuple(reading.taken_out(skill)), shorten(line(one)), body)
    return Planned("prune", (skill.path,), key(skill), reason, evidence, action)


def _a_persons(reading: Reading, path: str) -> bool:
    """Whether a person had a hand in what lies in the folder of a skill's name: it may be there for another reason."""
    if path not in reading.resources:
        return False
    folder = reading.vault.prefix + path.removesuffix(".md")
    return any(not one.trailer("Agent") for one in log.commits(reading.vault.repo, [reading.commit], paths=[folder]))
