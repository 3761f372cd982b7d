"""The dream: one look at all skills, and a plan of what could be cleaned up, as a branch that waits for a person.

It keeps content and invents none: rules say which skills are duplicates, how they are joined, what nobody uses. What a
person has dropped, or taken back after it was merged, is not proposed again until the skills change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from vaultgit.clock import Clock
from vaultgit.edits import branches
from vaultgit.edits.branches import Built
from vaultgit.edits.judge import Refused
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.passes import mentions
from vaultgit.passes import skills
from vaultgit.passes import stale
from vaultgit.passes.dream import merging
from vaultgit.passes.dream import pairs
from vaultgit.passes.dream import waiting
from vaultgit.passes.dream import writing
from vaultgit.passes.dream.drawing import Drawing
from vaultgit.passes.dream.linking import Note
from vaultgit.passes.dream.linking import linking
from vaultgit.passes.dream.mending import mended
from vaultgit.passes.dream.pairs import Chosen
from vaultgit.passes.dream.plan import Left
from vaultgit.passes.dream.plan import Plan
from vaultgit.passes.dream.plan import Planned
from vaultgit.passes.dream.plan import Related
from vaultgit.passes.dream.pruning import key as prune_key
from vaultgit.passes.dream.pruning import pruned
from vaultgit.passes.dream.reading import Reading
from vaultgit.passes.dream.reading import read
from vaultgit.passes.dream.waiting import Answered
from vaultgit.passes.engines import Engine
from vaultgit.passes.likeness import Found
from vaultgit.passes.likeness import Pair
from vaultgit.passes.likeness import Text
from vaultgit.passes.likeness import find
from vaultgit.recall.skills import stem
from vaultgit.vault import Vault

CARDS = (".canvas",)  # whose links follow
Tick = Callable[[int], None]


def _quiet(_: int) -> None:
    pass


def plan(vault: Vault, clock: Clock, *, engine: Engine | None = None, again: bool = False, tick: Tick = _quiet) -> Plan:
    """What could be done about the skills of the vault's last commit. Writes nothing.

    `again`: also what a person has dropped or taken back. Raises UsageError where nothing is committed yet.
    """
    base = branches.here(vault)
    if base is None:
        raise UsageError("nothing is committed on this branch yet", 'git add -A && git commit -m "my notes"')
    today = clock.now().date()
    reading = read(vault, base, waiting.waiting(vault), tick)
    found = find([_text(reading, path) for path in reading.by_path], tick)
    drawing = Drawing(reading, Answered({}) if again else waiting.answered(vault))
    drawing.related += [Related(pair.one, pair.other, pair.why) for pair in found.related]
    _merges(drawing, found, engine, today)
    _links(drawing, today)
    remarks = _prunes(drawing, today)
    return Plan(
        base, len(reading.every.skills), drawing.actions, drawing.left_out, drawing.related, drawing.later, remarks,
        _families(reading, found), drawing.stopped(),
    )  # fmt: skip


def _text(reading: Reading, path: str) -> Text:
    skill, beside = reading.by_path[path], reading.resources.get(path, {})
    # What lies beside a skill is linked by the skill's name: that is no difference.
    body = re.sub(rf"(?<![\w-]){re.escape(stem(path))}/", "", skill.body) if beside else skill.body
    return Text(path, skill.name, skill.trigger, body, beside)


# -- what is suggested -------------------------------------------------------------------------------------------


def _merges(drawing: Drawing, found: Found, engine: Engine | None, today: date) -> None:
    """A merge for each pair of duplicates, those first that are most alike; a skill is in one merge at most, since what
    it says then is new. Notes are read once for all."""
    reading = drawing.reading
    chosen = _chosen(drawing, found)
    notes = linking(reading, [both.gone for _, both in chosen])
    for pair, both in chosen:
        paths = (both.kept.path, both.gone.path)
        busy = drawing.in_the_way(paths)
        if not busy and drawing.is_full():
            drawing.put_off(paths)
        elif not busy:
            action = _merge(reading, pair, both, notes, engine, today)
            if isinstance(action, str):
                drawing.related.append(Related(pair.one, pair.other, action))
            else:
                busy = drawing.add(action)
        if busy:
            drawing.later.append(Related(pair.one, pair.other, busy))


def _chosen(drawing: Drawing, found: Found) -> list[tuple[Pair, Chosen]]:
    """The pairs of duplicates that nothing stands against but perhaps their text."""
    reading = drawing.reading
    paths = dict.fromkeys(path for pair in found.duplicates for path in (pair.one, pair.other))
    named = (
        mentions.named(reading.vault, reading.commit, [reading.by_path[path] for path in paths], but=CARDS)
        if paths
        else {}
    )
    chosen = []
    for pair in sorted(found.duplicates, key=_likest):
        both = pairs.choose(reading, reading.by_path[pair.one], reading.by_path[pair.other], named)
        if isinstance(both, str):
            drawing.related.append(Related(pair.one, pair.other, both))
        elif not drawing.is_answered(both.key, both.kept.path, f"merging it with {both.gone.name}"):
            chosen.append((pair, both))
    return chosen


def _likest(pair: Pair) -> tuple[float | str, ...]:
    """The same text first."""
    return (*(-pair.score.get(name, 0) for name in ("same", "jaccard", "trigger")), pair.one, pair.other)


def _merge(
    reading: Reading,
    pair: Pair,
    chosen: Chosen,
    notes: dict[str, list[Note]],
    engine: Engine | None,
    today: date,
) -> Planned | str:
    both = pairs.side_by_side(reading, chosen)
    if isinstance(both, str):
        return both
    text = writing.joined(reading.vault.rules, both, engine)
    if isinstance(text, str):
        return text
    return merging.planned(reading, pair, chosen, both, text, notes[chosen.gone.path], today)


def _links(drawing: Drawing, today: date) -> None:
    """Links mended, but in what is merged now: the next dream sees to that."""
    for action in mended(drawing.reading, today):
        if not drawing.is_answered(action.key, action.paths[0], "mending its links"):
            drawing.add(action)


def _prunes(drawing: Drawing, today: date) -> list[Left]:
    """Takes up what may be pruned, and returns what is said about other stale skills."""
    reading, settings = drawing.reading, drawing.reading.vault.settings.dream
    elsewhere = drawing.touched | reading.left_out.keys()  # said there
    kept = dict.fromkeys(elsewhere, "part of another suggestion")
    kept |= dict.fromkeys(skills.noted(reading.vault), "used in a session whose note does not say so yet")
    for path, skill in reading.by_path.items():
        # Before they are counted: what a person has kept leaves room for others.
        if how := drawing.answered.how(prune_key(skill)):
            kept.setdefault(path, f"{how} (vaultgit dream --again)")
    remarks = []
    for one in stale.judge(reading.vault, reading.commit, reading.every, reading.uses, settings, today, kept):
        if one.path in elsewhere:
            continue
        why = one.kept_because
        if one.prune:
            action = pruned(reading, one)
            if isinstance(action, str):
                why = action
            elif reading.waiting.prunes:
                why = f"{reading.waiting.prunes} prunes others, and waits for your answer"
            else:
                drawing.add(action)
        if why:
            remarks.append(Left(one.path, f"{one.idle_days} days ({one.what} {one.since}); kept: {why}"))
    return remarks


def _families(reading: Reading, found: Found) -> list[str]:
    lines = []
    for family in found.families:
        names = [reading.by_path[key].name for key in family.keys]
        lines.append(f"{len(names)} skills from one template, not compared with each other: {', '.join(names[:5])} …")
    return lines


# -- the branch --------------------------------------------------------------------------------------------------


def propose(vault: Vault, clock: Clock, drawn: Plan, by: By) -> tuple[Built, dict[str, str]] | None:
    """Makes the branch dream/DATE from a plan; None where there is nothing to propose. Also returns actions that the
    checks refuse, by their subject, with why: they are left out. Raises VaultgitError in the middle of a rebase."""
    operation = refs.head(vault.repo).operation
    if operation in _ELSEWHERE:
        raise VaultgitError(
            f"a {operation} is in progress: what your branch will hold is not known yet",
            "vaultgit dream, when it has ended; vaultgit dream --dry-run works meanwhile",
        )
    refused: dict[str, str] = {}
    actions = [planned.action for planned in drawn.actions]
    while actions:
        try:
            built = branches.build(vault, clock, f"dream/{clock.now():%Y-%m-%d}", drawn.base, actions, by)
        except Refused as error:
            bad = {problem.path: str(problem) for problem in error.problems}
            out = [action for action in actions if any(change.path in bad for change in action.changes)]
            if not out:
                raise
            for action in out:
                refused[action.subject] = next(bad[c.path] for c in action.changes if c.path in bad)
            actions = [action for action in actions if action not in out]
            continue
        refused |= {action.subject: why for action, why in built.left.items()}
        return built, refused
    return None


_ELSEWHERE = ("rebase", "git am")  # they move the branch to commits that are yet to be made
