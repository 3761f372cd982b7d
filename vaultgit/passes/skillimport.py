"""Agent Skills taken into the vault: found in folders, made into edits (one a skill), landed together."""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.checks import protected
from vaultgit.clock import Clock
from vaultgit.edits import batch
from vaultgit.edits import compose
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import shorten
from vaultgit.edits.judge import Refused
from vaultgit.edits.round import Result
from vaultgit.edits.submit import By
from vaultgit.edits.submit import current
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import Link
from vaultgit.notes.links import fold
from vaultgit.passes import agentskills
from vaultgit.passes import exported
from vaultgit.passes import skills
from vaultgit.passes.exported import Mark
from vaultgit.recall.skills import stem
from vaultgit.vault import Vault
from vaultgit.walk import walk

LARGEST = 1 << 20  # bytes of a file beside a skill
MOST = 500  # files beside a skill: more are a project that has a SKILL.md at its top
SIZE = 32 << 20  # bytes beside a skill, and
TOGETHER = 200 << 20  # of all that one command imports: they lie in memory
_OURS = ("version", "last_updated", "pinned", "replaces", "aliases", "trigger", "source")  # they mean something else


class Found(NamedTuple):
    """A SKILL.md on disk. `source`: what the note will say about where it is from. `files`: what lies beside it, by
    path; `left_out`: what of that is not taken, with why."""

    folder: str
    source: str
    data: bytes
    files: dict[str, bytes]
    left_out: list[str]

    @property
    def size(self) -> int:
        """Bytes of all of it."""
        return len(self.data) + sum(map(len, self.files.values()))


class Draft(NamedTuple):
    """What becomes of one skill. `outcome`: new, changed (one that was exported and edited there), unchanged, taken,
    refused. `why`: of the last two."""

    source: str
    name: str
    outcome: str
    why: str = ""
    path: str = ""
    changes: tuple[PathChange, ...] = ()
    left_out: tuple[str, ...] = ()
    folder: str = ""  # of "changed": the exported one


class Imported(NamedTuple):
    """What became of it. `outcome`: those of Draft, and those of an edit in place of new and changed."""

    source: str
    name: str
    outcome: str
    why: str
    path: str
    oid: str
    left_out: tuple[str, ...]


# -- on disk -------------------------------------------------------------------------------------------------------


def find(*folders: str) -> list[Found | Draft]:
    """The skills in folders (of one, or a tree of them), or in one SKILL.md, which comes without what lies beside it.
    What cannot be read is a refused draft. Raises UsageError where there is none, and for more than fits in memory."""
    found: list[Found | Draft] = []
    size = 0
    for given in folders:
        for one in _find(given):
            size += one.size if isinstance(one, Found) else 0
            if size > TOGETHER:
                what = f"these skills have over {TOGETHER >> 20} MB together; nothing was written"
                raise UsageError(what, "import them in parts: vaultgit skill import FOLDER/NAME…")
            found.append(one)
    return found


def _find(given: str) -> Iterator[Found | Draft]:
    top = os.path.abspath(os.path.expanduser(given))
    if os.path.isfile(top):
        folder, name = os.path.split(top)
        if not _is_skill(name):
            raise UsageError(f"{given} is no {agentskills.FILE}", "vaultgit skill import FOLDER")
        yield _read(folder, name, os.path.basename(folder), None)
        return
    if not os.path.isdir(top):
        raise UsageError(f"there is no folder {given}", "name a folder of skills, or one SKILL.md")
    places = list(_folders(top))
    if not places:
        raise UsageError(f"{given} holds no {agentskills.FILE}", "each skill is a folder with a SKILL.md in it")
    within = {folder for folder, _ in places}
    for folder, name in places:
        source = posixpath.join(os.path.basename(top), os.path.relpath(folder, top).replace(os.sep, "/"))
        yield _read(folder, name, posixpath.normpath(source), within)


def _folders(top: str) -> Iterator[tuple[str, str]]:
    """Folders with a SKILL.md, and how that is spelled there."""
    for folder, below, names in walk(top):
        below[:] = sorted(name for name in below if name != ".git")
        name = next((name for name in sorted(names) if _is_skill(name)), None)
        if name:
            yield folder, name


def _is_skill(name: str) -> bool:
    return name.lower() == agentskills.FILE.lower()


def _read(folder: str, name: str, source: str, within: set[str] | None) -> Found | Draft:
    """`within`: the folders of all skills, none of which is part of another; None takes nothing beside the file."""
    files: dict[str, bytes] = {}
    left_out: list[str] = []
    size = 0
    try:
        data = _content(os.path.join(folder, name))
        for path in _beside(folder, name, within) if within is not None else ():
            inside = os.path.relpath(path, folder).replace(os.sep, "/")
            try:
                files[inside] = _content(path)
                size += len(files[inside])
            except _NotTaken as error:
                left_out.append(f"{inside}: {error}")
            if len(files) > MOST:
                return Draft(source, source, "refused", f"has over {MOST} files beside it: a project, not a skill")
            if size > SIZE:
                what = f"has over {SIZE >> 20} MB beside it: a project, not a skill"
                return Draft(source, source, "refused", what)
    except (_NotTaken, OSError) as error:
        return Draft(source, source, "refused", str(error))
    return Found(folder, source, data, files, left_out)


class _NotTaken(Exception):
    """A file that stays where it is; the text says why."""


def _beside(folder: str, skill: str, within: set[str]) -> Iterator[str]:
    """The files beside a skill and below, but hidden ones: those are a client's, a system's or ours."""
    for here, below, names in walk(folder):
        below[:] = sorted(n for n in below if not n.startswith(".") and os.path.join(here, n) not in within)
        links = [name for name in below if os.path.islink(os.path.join(here, name))]
        for name in sorted([*names, *links]):
            if not name.startswith(".") and (here, name) != (folder, skill):
                yield os.path.join(here, name)


def _content(path: str) -> bytes:
    if stat.S_ISLNK(os.lstat(path).st_mode):
        raise _NotTaken("a symbolic link")
    try:
        # What it is now: it may have become a link or a pipe since.
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise _NotTaken("no plain file")
            if found.st_size > LARGEST:
                raise _NotTaken(f"{found.st_size / LARGEST:.1f} MB, over 1 MB")
            return stream.read(LARGEST + 1)
    except IsADirectoryError as error:
        raise _NotTaken("no plain file") from error
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise _NotTaken("no plain file") from error
        raise _NotTaken(f"cannot be read: {error.strerror}") from error


# -- what becomes of it --------------------------------------------------------------------------------------------


def drafts(vault: Vault, clock: Clock, found: Sequence[Found | Draft], agent: str | None) -> list[Draft]:
    """What each would become. Pure but for reading the vault."""
    return _Import(vault, clock, agent).drafts(found)


class _Read(NamedTuple):
    """A skill that was read: its name and note in the vault. `mark`: it is an exported one of ours."""

    found: Found
    document: agentskills.Document
    name: str
    path: str
    mark: Mark | None

    @property
    def beside(self) -> str:
        return self.path.removesuffix(".md")


class _Import:
    """One run: the names that are taken, and where files go, so that links between skills follow too."""

    def __init__(self, vault: Vault, clock: Clock, agent: str | None) -> None:
        self.vault, self.clock, self.agent = vault, clock, agent
        self.holders = skills.holders(vault)
        self.taken: dict[str, str] = {}  # names of this run -> source
        self.places: dict[str, str] = {}  # absolute path -> path in the vault

    def drafts(self, found: Sequence[Found | Draft]) -> list[Draft]:
        read = [one if isinstance(one, Draft) else self._read(one) for one in found]
        for folder in {os.path.dirname(one.found.folder) for one in read if isinstance(one, _Read) and one.mark}:
            for name, mark in exported.marks(self.vault, folder).items():
                self._goes(os.path.join(folder, name), mark.note, mark.files)
        for one in read:
            if isinstance(one, _Read):
                self._goes(one.found.folder, one.path, one.found.files)
        return [self._draft(one) if isinstance(one, _Read) else one for one in read]

    def _goes(self, folder: str, note: str, files: Iterable[str]) -> None:
        beside = note.removesuffix(".md")
        moved = {os.path.join(folder, path): f"{beside}/{path}" for path in files}
        self.places |= agentskills.with_folders(moved) | {os.path.join(folder, agentskills.FILE): note}

    def _read(self, found: Found) -> _Read | Draft:
        if self.agent is not None:  # a person may have them; a skill is used without
            for path in [path for path in found.files if protected.is_instructions(path)]:
                del found.files[path]
                found.left_out.append(f"{path}: clients take it for instructions, and a person imports it")
        refused = Draft(found.source, found.source, "refused", left_out=tuple(found.left_out))
        try:
            document = agentskills.parse(found.data)
        except agentskills.Unreadable as error:
            hint = f" ({error.hint})" if error.hint else ""
            return refused._replace(why=f"{agentskills.FILE} {error.message}{hint}")
        mark = exported.mark(found.folder)
        if mark is not None and exported.is_ours(self.vault, mark) and self._there(mark.note) is not None:
            return _Read(found, document, stem(mark.note), mark.note, mark)
        name = skills.kebab(document.name) or skills.kebab(os.path.basename(found.folder))
        if not name:
            return refused._replace(why="has no name that could be written in kebab-case")
        return _Read(found, document, name, skills.path_of(self.vault, name), None)

    def _there(self, path: str) -> bytes | None:
        return current(self.vault, path, self.agent)

    def _draft(self, one: _Read) -> Draft:
        about = Draft(one.found.source, one.name, "refused", path=one.path, left_out=tuple(one.found.left_out))
        try:
            return self._next(about, one, one.mark) if one.mark else self._first(about, one)
        except VaultgitError as error:
            return about._replace(why=error.message)

    def _first(self, about: Draft, one: _Read) -> Draft:
        """A skill that the vault does not have, unless its name or a file of it is there."""
        ours = (*_OURS, self.vault.settings.type_key)
        others = {key: value for key, value in one.document.others.items() if key not in ours}
        values = {"trigger": one.document.description, "source": one.found.source, **others}
        body = self._body(one)
        files = {f"{one.beside}/{path}": data for path, data in one.found.files.items()}
        now = {path: self._there(path) for path in (one.path, *files)}
        there = now.pop(one.path)
        if there is not None and now == files and _same(there, values, body):
            return about._replace(outcome="unchanged")
        holder = one.path if there is not None else self.holders.get(fold(one.name))
        if holder:
            return about._replace(outcome="taken", why=f"{one.name} is a name of {holder}")
        if one.name in self.taken:
            return about._replace(outcome="taken", why=f"{self.taken[one.name]} has that name, too")
        other = next((path for path, data in now.items() if data not in (None, files[path])), None)
        if other:
            return about._replace(outcome="taken", why=f"{other} is there with another text")
        self.taken[one.name] = one.found.source
        note = skills.note(self.vault, self.clock, one.name, values, _fence(one.found.data) + body)
        changes = [PathChange(path, None, data) for path, data in files.items() if now[path] is None]
        return about._replace(outcome="new", changes=(PathChange(one.path, None, note), *changes))

    def _next(self, about: Draft, one: _Read, mark: Mark) -> Draft:
        """A skill of ours that was edited where it is exported: its next version, made from what was exported."""
        changes = []
        if exported.digest(one.found.data) not in mark.files.get(agentskills.FILE, ()):
            base = compose.blob_text(self.vault, mark.note, mark.oid)
            changes.append(PathChange(mark.note, base, self._next_version(one, base)))
        for path, data in one.found.files.items():
            if exported.digest(data) not in mark.files.get(path, ()):
                full = f"{one.beside}/{path}"
                changes.append(PathChange(full, self._there(full), data))
        if all(change.base == change.new for change in changes):
            return about._replace(outcome="unchanged")
        return about._replace(outcome="changed", changes=tuple(changes), folder=one.found.folder)

    def _next_version(self, one: _Read, base: bytes) -> bytes:
        known, now = (frontmatter.read(data).values for data in (base, self._there(one.path) or b""))
        versions = [value for value in (known.get("version"), now.get("version")) if isinstance(value, int)]
        today = self.clock.now().strftime("%Y-%m-%d")
        values = {"version": max(versions, default=0) + 1, "last_updated": max(today, str(known.get("last_updated")))}
        if one.document.description != agentskills.exported_description(str(known.get("trigger"))):
            values["trigger"] = one.document.description
        block = frontmatter.block(base)
        return patch.set_properties(base[: block.body if block else 0] + self._body(one), values)

    def _body(self, one: _Read) -> bytes:
        """The body, with links that lead from the note to where they led from the SKILL.md."""
        source, root = os.path.join(one.found.folder, agentskills.FILE), f"{os.path.realpath(self.vault.root)}/"

        def moved(link: Link) -> str | None:
            if link.target.startswith(root):  # as an export writes a link to a note that is no skill
                return posixpath.relpath(link.target.removeprefix(root), posixpath.dirname(one.path) or ".")
            return agentskills.follow(link.target, source, self.places, one.path)

        fence = _fence(b"")
        return agentskills.with_targets(fence + one.document.body, moved)[len(fence) :]


def _same(there: bytes, values: dict[str, Any], body: bytes) -> bool:
    """Whether a skill of the vault is one that would be imported; where it came from does not count."""
    block, known = frontmatter.block(there), frontmatter.read(there).values
    alike = all(frontmatter.same(known.get(key), value) for key, value in values.items() if key != "source")
    return alike and block is not None and there[block.body :] == body


def _fence(data: bytes) -> bytes:
    """Empty front matter, with the line ends of the SKILL.md."""
    return b"---\r\n---\r\n" if data.partition(b"\n")[0].endswith(b"\r") else b"---\n---\n"


# -- landing -------------------------------------------------------------------------------------------------------


def foreseen(vault: Vault, clock: Clock, planned: Sequence[Draft], by: By) -> list[Imported]:
    """What would become of every draft."""
    wanted = [_edit(draft) for draft in planned if draft.changes]
    answers = iter(batch.judged(vault, clock, wanted, by))
    found = [(draft, next(answers) if draft.changes else None) for draft in planned]
    return [_told(draft, answer if isinstance(answer, Refused) else None) for draft, answer in found]


def carry_out(
    vault: Vault, clock: Clock, planned: Sequence[Draft], by: By, tick: Callable[[int], None] = lambda _: None
) -> list[Imported]:
    """Lands the new and changed ones, one edit each, and says what became of every draft."""
    wanted = [_edit(draft) for draft in planned if draft.changes]
    answers = iter(batch.submit_all(vault, clock, wanted, by, tick))
    done = [_told(draft, next(answers) if draft.changes else None) for draft in planned]
    for draft, one in zip(planned, done, strict=True):
        if draft.folder and one.outcome in ("committed", "merged"):
            _taken_over(draft.folder)
    return done


def _told(draft: Draft, answer: Result | Refused | None) -> Imported:
    outcome, why, oid = draft.outcome, draft.why, ""
    if isinstance(answer, Refused):
        outcome, why = "refused", answer.message
    elif answer is not None:
        outcome, oid = answer.outcome, answer.oid
        why = f"vaultgit inbox show {answer.inbox}" if answer.inbox else answer.reason
    return Imported(draft.source, draft.name, outcome, why, draft.path, oid, draft.left_out)


def _edit(draft: Draft) -> batch.Wanted:
    scope = draft.path.removesuffix(".md")
    if draft.outcome == "changed":
        return batch.Wanted(
            draft.changes, shorten(f"{scope}: edited where it is exported"),
            f"Edited in the exported folder {draft.source}, and taken over from there.",
        )  # fmt: skip
    return batch.Wanted(draft.changes, shorten(f"{scope}: imported"), f"From {draft.source}.")


def _taken_over(folder: str) -> None:
    """The vault has what was edited there, so that the next export may write over it."""
    mark = exported.mark(folder)
    if mark is None:
        return
    there = {path: exported.read(folder, path) for path in mark.files}
    files = {path: [*mark.files[path], exported.digest(data)] for path, data in there.items() if data is not None}
    exported.write_mark(folder, mark._replace(files=files))
