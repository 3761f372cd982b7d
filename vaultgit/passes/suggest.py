"""What could be molted: work that sessions did again and again without a skill, and what a person put right soon after
a session had used one. Nothing is invented: every word of a suggestion stands in a note or a commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from datetime import datetime
from datetime import timedelta
from typing import NamedTuple

from vaultgit.edits import changelog
from vaultgit.edits import compose
from vaultgit.history import walk
from vaultgit.history.walk import Step
from vaultgit.notes import frontmatter
from vaultgit.notes.links import Resolver
from vaultgit.passes.likeness import words
from vaultgit.recall import skills as recall
from vaultgit.recall import tree
from vaultgit.recall import uses
from vaultgit.recall.skills import Skill
from vaultgit.vault import Vault

REPEATED, CORRECTED = "repeated", "corrected"
OFTEN = 3  # sessions that did the same
_ALIKE = 0.5  # share of words and folders that two sessions have in common
_COVERED = 2 / 3  # of a task's words in a skill's name and trigger: then there is one
_LONGEST_TASK = 60  # words of a task that are looked at
_POSTINGS = 20  # newest groups of a word that a session is compared with: keeps it linear
_SOON = timedelta(hours=24)
_NEXT = 10  # commits
_NEAREST = 5  # newest sessions that a note is remembered for
_COMMITS = 20_000  # newest commits that are looked at
_MOST = 20  # suggestions of a kind
_EVIDENCE = 10  # of one suggestion


class Suggestion(NamedTuple):
    """One thing to molt. `kind`: repeated or corrected; `skill`: its name, "" for a new one; `trigger`: one to start
    from; `evidence`: notes of sessions, or commits in words."""

    kind: str
    skill: str
    trigger: str
    why: str
    evidence: tuple[str, ...]


class _Session(NamedTuple):
    """A session note. `touched`, `skills`: paths; `uses`: whether it says that it used any skill."""

    path: str
    day: str
    task: str
    touched: tuple[str, ...]
    skills: tuple[str, ...]
    uses: bool


def suggest(vault: Vault, commit: str) -> list[Suggestion]:
    """What the sessions and the history of a commit suggest, the best founded first."""
    skills = recall.at(vault, commit)
    sessions = _sessions(vault, commit, skills)
    return [*_repeated(sessions, skills.skills), *_corrected(vault, commit, sessions, skills.skills)]


def _sessions(vault: Vault, commit: str, skills: recall.Skills) -> list[_Session]:
    """All session notes, oldest first."""
    held = tree.files(vault, commit)
    resolver = Resolver(file.path for file in held)
    meant = recall.reader(resolver, skills)
    found = []
    for file, data in tree.notes(vault, held, uses.TYPE):
        values = frontmatter.read(data).values
        task, used = values.get("task"), uses.targets(values.get("skills"))
        touched = (resolver.resolve(target, file.path)[:1] for target in uses.targets(values.get("touched")))
        named = dict.fromkeys(path for target in used for path in meant(target, file.path.rpartition("/")[0]))
        found.append(
            _Session(
                file.path,
                uses.day(file.path, values),
                " ".join(compose.plain(task).split()) if isinstance(task, str) else "",
                tuple(path for paths in touched for path in paths),
                tuple(named),
                bool(used),
            )
        )
    return sorted(found, key=lambda session: (session.day, session.path))


# -- repeated --------------------------------------------------------------------------------------------------------


class _Group(NamedTuple):
    """Sessions that did the same. The first one stands for all, so that a group does not drift."""

    words: frozenset[str]
    places: frozenset[str]
    members: list[_Session]


def _repeated(sessions: Iterable[_Session], skills: Sequence[Skill]) -> list[Suggestion]:
    """Groups of sessions that used no skill. Those before the last one that did had one made for them since."""
    found = []
    for group in _groups(sessions):
        last = max((n for n, session in enumerate(group.members) if session.uses), default=-1)
        bare = group.members[last + 1 :]
        if len(bare) >= OFTEN:
            found.append(bare)
    found.sort(key=lambda bare: (-len(bare), bare[-1].path))
    known = [_task_words(f"{skill.name} {skill.trigger}") for skill in skills] if found else []
    wanted = (bare for bare in found if not _is_covered(bare, known))
    return [_new(bare) for bare, _ in zip(wanted, range(_MOST), strict=False)]


def _groups(sessions: Iterable[_Session]) -> list[_Group]:
    """Sessions of like tasks together, each compared with the newest groups that share a word with it."""
    groups: list[_Group] = []
    holders: dict[str, list[int]] = {}
    for session in sessions:
        said = _task_words(session.task)
        if not said:
            continue
        places = frozenset(path.rpartition("/")[0] for path in session.touched)
        near = Counter(number for word in sorted(said) for number in holders.get(word, ())[-_POSTINGS:])
        likeness = {number: _alike(said, places, groups[number]) for number in near}
        best = max(near, key=lambda number: (likeness[number], number), default=None)
        if best is None or likeness[best] < _ALIKE:
            best = len(groups)
            groups.append(_Group(said, places, []))
            for word in said:
                holders.setdefault(word, []).append(best)
        groups[best].members.append(session)
    return groups


def _alike(said: frozenset[str], places: frozenset[str], group: _Group) -> float:
    """Share of words, and of folders touched, that both have; one word alone says too little, unless it is all."""
    if len(said & group.words) < 2 and said != group.words:
        return 0.0
    common = len(said & group.words) + len(places & group.places)
    return common / (len(said | group.words) + len(places | group.places))


def _task_words(text: str) -> frozenset[str]:
    """The words that say what was done, folded; not the numbers, which differ each time."""
    said = (word for word in words.tokens(text)[:_LONGEST_TASK] if word not in words.NOISE and not _has_digit(word))
    return frozenset(words.meaning(word) for word in said)


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def _is_covered(bare: Sequence[_Session], known: Iterable[frozenset[str]]) -> bool:
    """Whether a skill says that it is for this: the sessions did not find it, but no second one is needed."""
    counted = Counter(word for session in bare for word in _task_words(session.task))
    common = {word for word, count in counted.items() if count * 2 > len(bare)}
    return any(len(common & named) >= _COVERED * len(common) for named in known)


def _new(bare: Sequence[_Session]) -> Suggestion:
    counted = Counter(session.task for session in bare)
    task = max(reversed(bare), key=lambda session: counted[session.task]).task  # of equals, the newest
    days = sorted({bare[0].day, bare[-1].day})
    why = f"{len(bare)} sessions did this without a skill, {' to '.join(days)}"
    return Suggestion(REPEATED, "", task, why, tuple(session.path for session in bare[::-1][:_EVIDENCE]))


# -- corrected -------------------------------------------------------------------------------------------------------


class _Correction(NamedTuple):
    """A person's commit that changed notes right after a session had touched them."""

    at: int  # place among the commits, oldest first
    step: Step
    session: _Session
    paths: tuple[str, ...]


class _Last(NamedTuple):
    """Where a session's own commits ended."""

    at: int
    when: datetime


def _corrected(vault: Vault, commit: str, sessions: Iterable[_Session], skills: Sequence[Skill]) -> list[Suggestion]:
    using = [session for session in sessions if session.skills]
    if not using:
        return []
    steps = list(walk.steps(vault.repo, commit, vault.prefix, limit=_COMMITS))[::-1]
    changed = {touch.path[len(vault.prefix) :]: at for at, step in enumerate(steps) for touch in step.touches}
    found: dict[str, list[_Correction]] = {}
    for correction in _corrections(vault, steps, using):
        for path in correction.session.skills:
            if correction.at > changed.get(path, -1):  # else the skill was changed since, or with it
                found.setdefault(path, []).append(correction)
    newest = {path: of_skill[::-1][:_EVIDENCE] for path, of_skill in found.items()}
    lines = _lines(vault, [one.step.oid for of_skill in newest.values() for one in of_skill])
    suggestions = []
    for skill in skills:
        said = [text for one in newest.get(skill.path, ()) if (text := _said(one, lines))]
        if said:
            commits = f"{len(said)} commit{'s' if len(said) > 1 else ''} of a person"
            why = f"{commits} changed what sessions that used it had just written"
            suggestions.append(Suggestion(CORRECTED, skill.name, skill.trigger, why, tuple(said)))
    return sorted(suggestions, key=lambda one: (-len(one.evidence), one.skill))[:_MOST]


def _corrections(vault: Vault, steps: Iterable[Step], using: Iterable[_Session]) -> Iterator[_Correction]:
    """A person's commits, within a day or ten commits after a session, that touch what the session touched."""
    by_name = {recall.stem(session.path): session for session in using}
    by_path = {session.path: session for session in by_name.values()}
    last: dict[str, _Last] = {}
    touched: dict[str, dict[str, None]] = {}  # note -> sessions that touched it, the newest last
    for at, step in enumerate(steps):
        paths = [touch.path[len(vault.prefix) :] for touch in step.touches]
        if step.is_merge:
            continue
        if not step.agent and not step.trailer("Proposed-by") and not step.subject.startswith("vaultgit: "):
            yield from _after(at, step, paths, touched, last, by_path)
        ended = [by_path[path] for path in paths if path in by_path]
        if step.agent and step.trailer("Session") in by_name:
            ended.append(by_name[step.trailer("Session")])
        for session in ended:
            last[session.path] = _Last(at, step.authored)
            for path in (*session.touched, *(paths if step.agent else ())):
                if not _says_nothing(path, by_path):
                    near = touched.setdefault(path, {})
                    near.pop(session.path, None)
                    near[session.path] = None
                    if len(near) > _NEAREST:
                        del near[next(iter(near))]


def _after(
    at: int,
    step: Step,
    paths: Iterable[str],
    touched: Mapping[str, Mapping[str, None]],
    last: Mapping[str, _Last],
    by_path: Mapping[str, _Session],
) -> Iterator[_Correction]:
    """What a person's commit corrects: of each session that ended shortly before, the notes of it that it changes."""
    hit: dict[str, list[str]] = {}
    for path in paths:
        for name in touched.get(path, ()):
            if at - last[name].at <= _NEXT or step.authored - last[name].when <= _SOON:
                hit.setdefault(name, []).append(path)
    for name, changed in hit.items():
        yield _Correction(at, step, by_path[name], tuple(changed))


def _says_nothing(path: str, sessions: Mapping[str, _Session]) -> bool:
    return path in sessions or changelog.is_ours(path) or path == "review.md"


def _lines(vault: Vault, oids: Iterable[str]) -> dict[tuple[str, str], tuple[int, int]]:
    """(commit, path) -> lines that came and that went."""
    asked = "".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode()
    out = vault.repo.run("diff-tree", "--stdin", "--root", "-r", "-z", "--numstat", "--no-renames", input=asked)
    found, oid = {}, ""
    for field in out.decode("utf-8", "surrogateescape").split("\0"):
        came, _, rest = field.partition("\t")
        went, _, path = rest.partition("\t")
        if not path:
            oid = field.strip()
        elif came.isdigit() and went.isdigit():
            found[oid, path[len(vault.prefix) :]] = (int(came), int(went))
    return found


def _said(one: _Correction, lines: Mapping[tuple[str, str], tuple[int, int]]) -> str:
    """A correction in words; "" where the person only added to what was there."""
    counted = {path: lines.get((one.step.oid, path), (0, 0)) for path in one.paths}
    put_right = [f"{path} (+{came} -{went})" for path, (came, went) in counted.items() if went]
    if not put_right:
        return ""
    return f"{one.step.oid[:10]} {compose.plain(one.step.subject)}: {', '.join(put_right)}, after {one.session.path}"
