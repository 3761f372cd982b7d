"""Skills as people and agents handle them: finding one, making one, listing them, and noting that one was used.

A use makes no commit. It stands in the session's use log, in the state folder, until the session's note takes it over;
when a skill was last used is told from those notes (recall/uses).
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import quote

from vaultgit.clock import Clock
from vaultgit.edits import compose
from vaultgit.edits import judge
from vaultgit.edits import queue
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import session_word
from vaultgit.edits.edit import shorten
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.edits.submit import current
from vaultgit.edits.submit import refuse_path
from vaultgit.edits.submit import submit
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import fold
from vaultgit.notes.links import link_target
from vaultgit.passes import session_store
from vaultgit.recall import skills as recall
from vaultgit.recall import uses
from vaultgit.recall.skills import TYPE
from vaultgit.vault import Vault
from vaultgit.vault import leads_away

FIELD = "skills"  # of a session note: links to the skills it used
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


# -- names ---------------------------------------------------------------------------------------------------------


def kebab(text: str) -> str:
    """A name in kebab-case as near to `text` as there is one; "" where nothing of it can stay."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).replace("'", "").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def path_of(vault: Vault, name: str) -> str:
    """Where a new skill of that name goes."""
    folder = vault.rules.folder(TYPE)
    return f"{folder}/{name}.md" if folder else f"{name}.md"


def committed(vault: Vault) -> recall.Skills:
    """The skills as HEAD holds them; none before the first commit."""
    head = vault.repo.resolve("HEAD")
    return recall.at(vault, head) if head else recall.Skills([], {})


class Found(NamedTuple):
    """A skill that a word means. `alias`: the word is an old name of it."""

    path: str
    data: bytes
    alias: bool = False


def find(vault: Vault, word: str, agent: str | None) -> Found:
    """The skill that a path, a name or an alias means, with the agent's own queued edits in it. Raises UsageError."""
    inside = vault.relative(word)
    for path in dict.fromkeys((inside, f"{inside}.md", path_of(vault, word))):
        data = _text(vault, path, agent)
        if data is not None:
            return Found(path, data)
    folded = fold(word.rpartition("/")[2].removesuffix(".md"))
    every = committed(vault).skills
    named = [skill for skill in every if fold(skill.name) == folded]
    meant = named or [skill for skill in every if folded in map(fold, skill.aliases)]
    if len(meant) > 1:
        raise UsageError(f"{word} means several skills", f"name one: {', '.join(skill.path for skill in meant)}")
    data = _text(vault, meant[0].path, agent) if meant else None
    if data is None:
        import difflib

        near = difflib.get_close_matches(folded, [skill.name for skill in every], n=1)
        raise UsageError(f"there is no skill {word}", f"did you mean {near[0]}?" if near else "vaultgit skill list")
    return Found(meant[0].path, data, alias=not named)


def _text(vault: Vault, path: str, agent: str | None) -> bytes | None:
    """A note of the skills' folder as it lies there; None where there is none."""
    if vault.rules.expected_type(path) != TYPE or ".." in path.split("/") or path.startswith("/"):
        return None
    if leads_away(vault.root, vault.full(path)):
        return None
    return current(vault, path, agent)


# -- the list ------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """One skill in the list. `last`: the day of its last use, "" for none on record."""

    name: str
    path: str
    version: int
    trigger: str
    last: str
    uses: int
    pinned: bool


class Listing(NamedTuple):
    """The skills of a commit, and those that are left alone, with why."""

    rows: list[Row]
    broken: dict[str, str]


def listed(vault: Vault, commit: str) -> Listing:
    """The skills that a commit holds, by name, and when its session notes say that each was last used."""
    every = recall.at(vault, commit)
    used = uses.at(vault, commit, every)
    rows = [
        Row(s.name, s.path, s.version, s.trigger, used.of(s.path).last, used.of(s.path).count, s.pinned)
        for s in every.skills
    ]
    return Listing(sorted(rows), every.broken)


# -- a new one -----------------------------------------------------------------------------------------------------


def new(vault: Vault, clock: Clock, name: str, trigger: str, body: bytes, agent: str | None) -> PathChange:
    """A skill that is not there yet. Raises UsageError for a name or a body that cannot be, VaultgitError for a name
    that is taken."""
    if not _KEBAB.fullmatch(name):
        near = kebab(name)
        raise UsageError(
            f"{name!r} is not in kebab-case", f"call it {near}" if near else "small letters: release-notes"
        )
    if not trigger.strip():
        raise UsageError("a skill says when to use it", '--trigger "release notes are wanted"')
    block = frontmatter.block(body)
    if not body[block.body if block else 0 :].strip():
        raise UsageError("a skill needs a body: nothing came on standard input but blanks", "… < body.md")
    path = path_of(vault, name)
    refuse_path(vault, path, agent)
    data = note(vault, clock, name, {"trigger": " ".join(trigger.split())}, body)
    there = current(vault, path, agent)
    if there == data:
        return PathChange(path, there, data)  # sent again
    holder = path if there is not None else holders(vault).get(fold(name))
    if holder:
        what = f"{name} is the name of {holder}" if there is not None else f"{name} is a name of {holder} already"
        raise VaultgitError(what, f"read it: vaultgit skill show {name}")
    return PathChange(path, None, data)


def note(vault: Vault, clock: Clock, name: str, values: dict[str, object], body: bytes) -> bytes:
    """The note of a new skill."""
    head = {vault.settings.type_key: TYPE, "name": name, "version": 1}
    dated = {"last_updated": clock.now().strftime("%Y-%m-%d")}
    return patch.set_properties(body, {**head, **values, **dated})


def holders(vault: Vault) -> dict[str, str]:
    """Each name and alias of the committed skills, folded -> the path of the skill that holds it."""
    every = committed(vault)
    found = {fold(alias): skill.path for skill in every.skills for alias in skill.aliases}
    found |= {fold(recall.stem(path)): path for path in every.broken}
    return found | {fold(skill.name): skill.path for skill in every.skills}


# -- uses ----------------------------------------------------------------------------------------------------------


class Used(NamedTuple):
    """A use that no session note has yet. `skill`: its path; `time`: HH:MM."""

    skill: str
    day: str
    time: str


def record(vault: Vault, clock: Clock, by: By, paths: Sequence[str]) -> None:
    """Notes that the session used these skills; of each, its latest use. When this returns it survives kill -9."""
    now = clock.now()
    with _log(vault, by) as path:
        known = {one.skill: one for one in _read(path)}
        for skill in paths:
            known[skill] = Used(skill, now.strftime("%Y-%m-%d"), now.strftime("%H:%M"))
        queue.write_json(path, [one._asdict() for one in known.values()])


def recorded(vault: Vault, by: By) -> list[Used]:
    """What the session has used and no note has yet."""
    return _read(_log_path(vault, by))


def noted(vault: Vault) -> set[str]:
    """Paths of skills whose use some session has noted, and no session note has taken over yet."""
    folder, begin = session_store.place(vault), quote(vault.prefix, safe="")
    names = [name for name in queue.listing(folder) if name.endswith(".json") and name.startswith(begin)]
    return {one.skill for name in names for one in _read(os.path.join(folder, name))}


@contextmanager
def _log(vault: Vault, by: By) -> Iterator[str]:
    """The session's use log, for one process at a time: an agent may start several at once."""
    path = _log_path(vault, by)
    with session_store.locked(vault):
        yield path


def _log_path(vault: Vault, by: By) -> str:
    who = session_word(by.session or "") or by.agent
    if not who:
        raise UsageError("it is not known which session this is", "name it: --session ID, or --agent NAME")
    return os.path.join(session_store.place(vault), f"{session_store.name(vault, who)}.json")


def _read(path: str) -> list[Used]:
    try:
        return [Used(str(one["skill"]), str(one["day"]), str(one["time"])) for one in queue.read_json(path) or ()]
    except (ValueError, KeyError, TypeError):
        return []  # damaged: the uses are lost, the next ones are not


class Taken(NamedTuple):
    """A session note that takes uses over. `written`: what the log drops then; `skills`: those that get a link; `gone`:
    those that are no longer there."""

    change: PathChange
    written: list[Used]
    skills: list[str]
    gone: list[str]

    @property
    def subject(self) -> str:
        names = ", ".join(recall.stem(path) for path in self.skills)
        return shorten(compose.plain(f"{self.change.path.removesuffix('.md')}: used {names}"))

    @property
    def known(self) -> str:
        """Why nothing is to be written, in words."""
        if self.skills:
            return ""
        return "it lists them already" if self.written else "this session has used no skill since"


def take_over(vault: Vault, by: By, path: str) -> Taken:
    """What the session note at `path` is with the recorded uses in its list. Raises UsageError for what is none."""
    refuse_path(vault, path, by.agent)
    there = current(vault, path, by.agent)
    if there is None:
        raise compose.no_such_note(vault, path)
    if vault.rules.managed(path, there) != uses.TYPE:
        raise UsageError(f"{path} is no session note", f"--note {vault.rules.folder(uses.TYPE)}/NOTE.md")
    written = recorded(vault, by)
    value = frontmatter.read(there).values.get(FIELD)
    listed = value if isinstance(value, list) else [] if value is None else [value]
    known = {_means(vault, one, path) for one in listed}
    there_now, gone = still_there(vault, by, written)
    added = [skill for skill in there_now if skill not in known]
    links = [f"[[{skill.removesuffix('.md')}]]" for skill in added]
    new = compose.set_properties(vault, path, {FIELD: [*listed, *links]}, by.agent).new if links else there
    return Taken(PathChange(path, there, new, "set"), written, added, gone)


def still_there(vault: Vault, by: By, written: Sequence[Used]) -> tuple[list[str], list[str]]:
    """Paths of the used skills as they are called now, and of those that are gone."""
    names: dict[str, str] | None = None
    found: list[str] = []
    gone = []
    for one in written:
        skill: str | None = one.skill
        if current(vault, one.skill, by.agent) is None:  # merged into another meanwhile, or pruned
            names = holders(vault) if names is None else names
            skill = names.get(fold(recall.stem(one.skill)))
        if skill is None:
            gone.append(one.skill)
        elif skill not in found:
            found.append(skill)
    return found, gone


def _means(vault: Vault, link: object, source: str) -> str | None:
    target = link_target(link) if isinstance(link, str) else None
    return judge.around(vault, []).one(target, source) if target else None


def carry_out(vault: Vault, clock: Clock, taken: Taken, by: By) -> Result:
    """Writes the session note, and drops from the log what it took over: only once that cannot be lost any more."""
    if taken.known:
        done = Result("unchanged", "", path=taken.change.path, reason=taken.known)
    else:
        done = submit(vault, clock, [taken.change], subject=taken.subject, by=by)
    if done.outcome != "inbox":
        forget(vault, by, taken.written)
    return done


def forget(vault: Vault, by: By, written: Sequence[Used]) -> None:
    """Drops uses from the session's log that its note has."""
    if written:
        with _log(vault, by) as path:
            left = [one for one in _read(path) if one not in written]
            queue.write_json(path, [one._asdict() for one in left])
