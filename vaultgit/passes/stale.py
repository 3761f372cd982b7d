"""Which skills nobody used for long, and which of them may be pruned.

A use outside the vault is seen by nobody, so doubt keeps a skill: it is pruned only where sessions have said for long
enough which skills they use, and where nothing and nobody can be seen to count on it. All else is a remark.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from datetime import date
from datetime import timedelta
from typing import NamedTuple

from vaultgit.config import Dream
from vaultgit.edits import branches
from vaultgit.edits import ledger
from vaultgit.history import refs
from vaultgit.history import walk
from vaultgit.history.walk import Step
from vaultgit.notes import frontmatter
from vaultgit.notes.follow import without_targets
from vaultgit.notes.links import fold
from vaultgit.notes.schema import is_date
from vaultgit.passes import exported
from vaultgit.passes import mentions
from vaultgit.recall import skills as recall
from vaultgit.recall import tree
from vaultgit.recall.skills import Skill
from vaultgit.recall.skills import Skills
from vaultgit.recall.uses import Uses
from vaultgit.vault import Vault

USED_OFTEN = 3  # uses ever, from which on a skill is never pruned: a yearly procedure
OTHERS_USED = 5  # other skills that sessions used meanwhile: else it is the record that went quiet
MOST_AT_ONCE = 10


class Stale(NamedTuple):
    """A skill that nobody used for long. `since`: the day that the clock counts from, `what`: the event of that day.

    `kept_because`: why it is only remarked; "" where it may be pruned.
    """

    path: str
    name: str
    idle_days: int
    since: str
    what: str
    prune: bool
    kept_because: str


def judge(
    vault: Vault,
    commit: str,
    skills: Skills,
    uses: Uses,
    dream: Dream,
    today: date,
    kept: Mapping[str, str] = {},
) -> list[Stale]:
    """The stale skills of a commit, longest idle first. `skills`, `uses`: those of the commit. `kept`: path -> why this
    pass must not prune a skill (it merges it, it has text that is not in git); those leave room for others."""
    if not uses.first:
        return []  # nothing ever said which skills are used: that is no sign of anything
    unused = [skill for skill in skills.skills if _idle(_last_use(skill, uses)[0], today) >= dream.stale_days]
    clocks = _clocks(vault, commit, unused, uses) if unused else []
    quiet = [clock for clock in clocks if _idle(clock.since, today) >= dream.stale_days]
    quiet.sort(key=lambda clock: (clock.since, clock.skill.path))
    why = _kept(vault, quiet, uses, dream, today, kept) if quiet else {}
    candidates = [clock.skill for clock in quiet if clock.skill.path not in why]
    why |= _counted_on(vault, commit, skills, candidates, dream) if candidates else {}
    return [
        Stale(path, skill.name, _idle(since, today), since, what, path not in why, why.get(path, ""))
        for (skill, since, what, _), path in ((clock, clock.skill.path) for clock in quiet)
    ]


def _idle(day: str, today: date) -> int:
    return (today - date.fromisoformat(day)).days


def _last_use(skill: Skill, uses: Uses) -> tuple[str, str]:
    last = uses.of(skill.path).last
    return (last, "last used") if last >= uses.first else (uses.first, "uses recorded since")


# -- the clock -------------------------------------------------------------------------------------------------------


class _Clock(NamedTuple):
    """Of one skill: since when nothing happened to it, what that was, and whether a person may have written it."""

    skill: Skill
    since: str
    what: str
    person: str  # in words, "" where an agent wrote the text as it is


class _Event(NamedTuple):
    """A commit that wrote a file. `before`, `after`: its blobs."""

    step: Step
    before: str
    after: str


def _clocks(vault: Vault, commit: str, skills: Iterable[Skill], uses: Uses) -> list[_Clock]:
    """The newest thing that happened to each skill. (When a link to it was added is not asked: a linked skill is not
    pruned.)"""
    events = _events(vault, commit)
    complete = ledger.history_is_complete(vault.repo)
    found = []
    for skill in skills:
        of_skill = events.get(skill.path, [])
        since, what = max(_last_use(skill, uses), _last_edit(skill, of_skill), key=lambda pair: pair[0])
        found.append(_Clock(skill, since, what, _person(vault, skill, of_skill, complete)))
    return found


def _events(vault: Vault, commit: str) -> dict[str, list[_Event]]:
    """Path of each file among the skills now -> the commits that wrote it, newest first. A file that got another name
    and kept its bytes is followed."""
    folder = vault.rules.folder(recall.TYPE)
    follow: dict[str, str] = {}  # path at that time -> path now, "" for another file of that name
    found: dict[str, list[_Event]] = {}
    for step in walk.steps(vault.repo, commit, vault.prefix + (f"{folder}/" if folder else "")):
        gone = {touch.before: touch.path for touch in step.touches if not touch.after}
        renamed = {}
        for path, before, after in step.touches:
            now = follow.get(path, path)
            if not before and after in gone and not step.is_merge:
                renamed[path] = ("", gone[after], now)
            elif after:
                found.setdefault(now, []).append(_Event(step, before, after))
        for path, (nothing, old, now) in renamed.items():
            follow[path] = nothing
            follow[old] = now
    return {path[len(vault.prefix) :]: events for path, events in found.items() if path}


def _person(vault: Vault, skill: Skill, events: Sequence[_Event], complete: bool) -> str:
    """Whether a person wrote the text that is there, or may have. A merge that made a text of its own is its author."""
    plain = [event for event in events if not event.step.is_merge]
    start = next((n for n, event in enumerate(plain) if event.after == skill.oid), None)
    wrote = plain[start:] if start is not None else [event for event in events if event.after == skill.oid] or plain
    author = next((event.step for event in wrote if not _leaves_words(vault, skill, event)), None)
    if author is None or not (complete or author.parents):  # the first commit of a clone that is cut off there
        return "its history is not in this clone"
    return "" if author.agent else "a person edited it last"


def _leaves_words(vault: Vault, skill: Skill, event: _Event) -> bool:
    """Whether an agent left the words to whoever wrote them: it made links follow, changed front matter, proposed a
    merge in a pass."""
    if not event.step.agent or not event.before:
        return False
    if event.step.agent == branches.AGENT:
        return True
    held = [tree.Held(skill.path, event.before), tree.Held(skill.path, event.after)]
    bodies = [without_targets(_body(data), skill.path) for _, data in tree.texts(vault, held)]
    return len(bodies) == 2 and bodies[0] == bodies[1]


def _body(data: bytes) -> bytes:
    block = frontmatter.block(data)
    return data[block.body :] if block else data


def _last_edit(skill: Skill, events: Sequence[_Event]) -> tuple[str, str]:
    """The day of the newest commit that touched a skill, by its author's clock, and what it did."""
    if not events:
        return "", ""
    own = skill.values.get("last_updated")
    newest = max(events, key=lambda event: event.step.day)
    step, who = newest.step, newest.step.agent or "a person"
    if step.is_merge:
        return step.day, "merged"
    if newest.before:
        return step.day, f"last edited by {who}"
    if any(event.after == newest.after for event in events if event is not newest):
        return step.day, f"restored by {who}"
    if len(events) == 1 and not step.agent and isinstance(own, str) and is_date(own) and own < step.day:
        return own, "last_updated says"  # a person brought it into git, who had written it before
    return step.day, f"created by {who}"


# -- what keeps a skill ----------------------------------------------------------------------------------------------


def _kept(
    vault: Vault, quiet: Iterable[_Clock], uses: Uses, dream: Dream, today: date, kept: Mapping[str, str]
) -> dict[str, str]:
    """Path -> why a stale skill is kept, as far as that can be told without reading other files."""
    names = exported.names(vault)
    short = _short_record(uses, dream, today)

    def why(skill: Skill, since: str, person: str) -> str:
        count = uses.of(skill.path).count
        if skill.pinned:
            return "pinned"
        if skill.path in kept:
            return kept[skill.path]
        if {skill.name, recall.stem(skill.path)} & names:
            return "exported"
        if skill.values.get("source") and skill.version == 1:
            return "imported and never touched"
        if person:
            return person
        if count >= USED_OFTEN:
            return f"used {count} times"
        if _idle(since, today) < dream.prune_days:
            return f"pruned only after {dream.prune_days} days"
        return short

    reasons = {skill.path: why(skill, since, person) for skill, since, _, person in quiet}
    return {path: reason for path, reason in reasons.items() if reason}


def _short_record(uses: Uses, dream: Dream, today: date) -> str:
    """Why silence proves nothing yet, "" where it does."""
    start = (today - timedelta(days=dream.prune_days)).isoformat()
    recent = [record for record in uses.recorded if record.day > start]
    if len(recent) < dream.min_sessions:
        number = f"{len(recent)} of {dream.min_sessions} sessions"
        return f"the record is too short: {number} say which skills they used"
    others = {path for record in recent for path in record.skills}
    if len(others) < OTHERS_USED:
        return f"the record is too narrow: {len(others)} of {OTHERS_USED} other skills were used"
    return ""


def _counted_on(vault: Vault, commit: str, skills: Skills, candidates: Sequence[Skill], dream: Dream) -> dict[str, str]:
    """Path -> what else keeps it: a script, a link from what stays, the limit of one pass. Candidates come longest idle
    first."""
    why = {path: f"named in {where}" for path, where in mentions.named(vault, commit, candidates).items()}
    links = mentions.linked(vault, commit, skills, candidates)
    to: dict[str, list[str]] = {}
    for path, sources in links.items():
        for source in sources:
            to.setdefault(source, []).append(path)
    going = dict.fromkeys(skill.path for skill in candidates if skill.path not in why)
    asked = deque(going)
    while asked:  # what is linked from what stays, stays, and so does what that links to
        path = asked.popleft()
        stays = next((source for source in links[path] if source not in going), "")
        if path in going and stays:
            why[path] = f"linked from {stays}:{links[path][stays]}"
            del going[path]
            asked.extend(to.get(path, ()))
    limit, number = _limit(len(skills.skills), dream), len(skills.skills)
    chosen = _first(going, links, limit)
    over = f"over the limit of this pass: {limit} of {number} skill{'s' if number != 1 else ''}"
    return why | {path: over for path in going if path not in chosen}


def _limit(number: int, dream: Dream) -> int:
    return min(MOST_AT_ONCE, max(1, int(number * dream.max_prune))) if dream.max_prune else 0


def _first(order: Iterable[str], links: Mapping[str, Mapping[str, int]], limit: int) -> set[str]:
    """As many as the limit allows. One that others link to goes only together with those."""
    chosen: set[str] = set()
    for path in order:
        group, grown = {path}, [path]
        while grown and len(chosen | group) <= limit:
            more = links[grown.pop()].keys() - group
            group |= more
            grown += more
        if len(chosen | group) <= limit:
            chosen |= group
    return chosen


# -- what was pruned before ------------------------------------------------------------------------------------------

_PRUNED = re.compile(r"(?P<scope>.+): pruned, (?P<since>.+)")


def line(stale: Stale) -> str:
    """The subject of the commit that prunes a skill; `dropped_before` reads it."""
    return f"{stale.path.removesuffix('.md')}: pruned, {stale.what} {stale.since}"


def dropped_before(vault: Vault, name: str, trigger: str) -> str:
    """Whether a skill of this name, or with this trigger, was pruned and is still gone: in words, "" where none was."""
    if refs.tip(vault.repo, "HEAD") is None:
        return ""
    out = vault.repo.run(
        "log", "-z", "--no-merges", "--no-show-signature", "--no-color", "--encoding=UTF-8", "--extended-regexp",
        "--grep=^[^:]+: pruned, ", "--format=%H%x00%as%x00%(trailers:key=Agent,valueonly,separator=%x20)%x00%s", "HEAD",
    ).decode("utf-8", "replace")  # fmt: skip
    fields = out.split("\0")
    for oid, day, agent, subject in zip(*(fields[n::4] for n in range(4)), strict=False):
        said = _PRUNED.fullmatch(subject)
        skill = _taken_out(vault, oid, f"{said['scope']}.md") if said and agent else None
        if said and skill and _is_alike(skill, name, trigger):
            return f"pruned on {day}, {said['since']}; git revert {oid[:10]} brings it back"
    return ""


def _taken_out(vault: Vault, oid: str, path: str) -> Skill | None:
    """The skill that a commit took out, and that is not there again."""
    before, after, now = (vault.repo.blob(f"{at}:{vault.prefix}{path}") for at in (f"{oid}^", oid, "HEAD"))
    if before is None or after or now or vault.rules.expected_type(path) != recall.TYPE:
        return None
    [(_, data)] = tree.texts(vault, [tree.Held(path, before.oid)])
    return Skill(path, before.oid, data, frontmatter.read(data).values, "")


def _is_alike(skill: Skill, name: str, trigger: str) -> bool:
    names = {fold(one) for one in (skill.name, recall.stem(skill.path), *skill.aliases)}
    return fold(name) in names or (bool(_words(trigger)) and _words(trigger) == _words(skill.trigger))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
