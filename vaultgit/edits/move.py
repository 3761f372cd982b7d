"""Moving files: one edit that holds the files under their new names and every note whose links follow them.

What a link meant before (`notes.follow` says how it is told) is what it means afterwards; a note in which nothing would
change its meaning is not touched. What must not be written (kept out of git, a symbolic link, for agents what only a
person may change) keeps its old links, and is named.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit import config
from vaultgit import obsidian
from vaultgit.checks import protected
from vaultgit.checks.around import visible
from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem
from vaultgit.clock import Clock
from vaultgit.edits import changelog
from vaultgit.edits import compose
from vaultgit.edits import queue
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import shorten
from vaultgit.edits.judge import Refused
from vaultgit.edits.place import in_the_way
from vaultgit.edits.submit import current
from vaultgit.edits.submit import is_kept_out
from vaultgit.edits.submit import refuse_path
from vaultgit.errors import UsageError
from vaultgit.history import refs
from vaultgit.notes import follow
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import fold
from vaultgit.vault import BASELINE
from vaultgit.vault import Disk
from vaultgit.vault import Vault
from vaultgit.walk import walk

LARGEST = 50_000_000  # bytes of all files that one edit moves: the queue holds them as text, several times their size

Seen = Callable[[list[str]], Iterable[str]]


class Kept(NamedTuple):
    """A note that keeps old links, and why."""

    path: str
    links: int
    reason: str


class Move(NamedTuple):
    """What a move would write. Paths of notes are those after the move."""

    changes: list[PathChange]
    line: str
    moved: dict[str, str]  # old path -> new path
    followed: dict[str, int]  # note -> links in it that change
    versions: dict[str, int]  # skill whose text changes -> its new version
    kept: list[Kept]
    remarks: list[str]  # what else a person should know
    folders: list[str]  # that move as a whole, under their old names


def plan(
    vault: Vault,
    clock: Clock,
    wanted: Sequence[tuple[str, str]],
    *,
    agent: str | None = None,
    reason: str = "",
    seen: Seen = iter,
) -> Move:
    """The edit that moves files or folders, (old, new) each, with all links to them and in them.

    `seen` gets the notes that are looked at and hands them on, for whoever shows progress. Raises UsageError for a path
    that is not there, Refused for what must not move or cannot have the new name; nothing is written.
    """
    remarks: list[str] = []
    moved: dict[str, str] = {}
    for old, new in wanted:
        moved |= _files(vault, old, new, agent, remarks)
    texts = _Texts(vault, agent)
    _refuse(vault, moved, texts, agent)
    files = texts.files()
    moves = follow.Moves(files, moved, relative=_reads_from_folder(vault))
    skills = _Skills(vault, clock, moved, agent, reason)
    changes: list[PathChange] = []
    followed: dict[str, int] = {}
    kept: list[Kept] = []
    for path, new in moved.items():
        data = texts.read(path)
        if data is None:
            raise compose.no_such_note(vault, path)
        linked, count = _rewritten(data, path, moves)
        if count:
            followed[new] = count
        linked = skills.moved(path, data, linked)
        changes += [PathChange(new, None, linked, "move"), PathChange(path, data, None, "move")]
    notes = [path for path in files if path not in moved and path.lower().endswith((".md", ".canvas"))]
    for path in seen(notes):
        data = texts.read(path)
        linked, count = _rewritten(data, path, moves) if data is not None else (b"", 0)
        if data is None or not count:
            continue
        why = _kept(vault, path, agent)
        if why:
            kept.append(Kept(path, count, why))
        else:
            followed[path] = count
            changes.append(PathChange(path, data, skills.linked(path, data, linked), "move"))
    written = {os.path.realpath(vault.full(path)) for path in (*moved, *followed)}
    kept = [one for one in kept if os.path.realpath(vault.full(one.path)) not in written]  # through a symbolic link
    changes += _baseline(vault, moved, agent)
    remarks += _bases(vault, files, moved) + _links_to_files(vault, files, moved) + _settings(vault, wanted)
    remarks += _unmanaged(vault, texts, moved, agent)
    line = _line(wanted, moved, sum(followed.values()))
    folders = [old.rstrip("/") for old, _ in wanted if moved and os.path.isdir(vault.full(old))]
    return Move(changes, line, moved, followed, skills.versions, kept, remarks, folders)


def tidy(vault: Vault, planned: Move) -> None:
    """Takes away what a folder that has moved leaves behind: folders with nothing in them."""
    found: list[str] = []
    for folder in planned.folders:
        for here, folders, _ in walk(vault.full(folder)):
            found.append(here)
            # An empty folder inside a repository means something to git.
            folders[:] = [
                name
                for name in folders
                if not name.startswith(".") and not os.path.lexists(os.path.join(here, name, ".git"))
            ]
    for here in reversed(found):
        try:
            os.rmdir(here)
        except OSError:
            continue  # something lies in it


# -- what moves where ------------------------------------------------------------------------------------------------


def _files(vault: Vault, old: str, new: str, agent: str | None, remarks: list[str]) -> dict[str, str]:
    """Old path -> new path of each file that moves. `new` may be a folder: names are kept then."""
    into = new.endswith("/")
    old, new = old.rstrip("/") or old, new.rstrip("/") or new
    folder = os.path.isdir(vault.full(old))
    _refuse_ours(old)
    if folder:
        _refuse_folder(vault, old, agent)
    else:
        refuse_path(vault, old, agent)
        if current(vault, old, agent) is None:
            raise compose.no_such_note(vault, old)
    name = old.rpartition("/")[2]
    if new in ("", "."):
        new = name
    elif (into or os.path.isdir(vault.full(new))) and not _same_file(vault, old, new):
        new = f"{new}/{name}"
    elif not folder and "." not in new.rpartition("/")[2]:
        new += os.path.splitext(name)[1]
    if not folder:
        return {old: new} if new != old else {}
    if (new + "/").startswith(old + "/") and new != old:
        raise UsageError(f"{old} cannot be moved into itself", "choose a folder outside it")
    return {path: new + path[len(old) :] for path in _below(vault, old, remarks)} if new != old else {}


def _refuse_ours(old: str) -> None:
    """Settings, changelog and what agents read are looked for where they are, also by a person's tools."""
    found = protected.path_problems(old, agent=True)
    if found:
        raise Refused([found[0]._replace(message="is looked for where it is", mend="git mv moves it all the same")])


def _refuse_folder(vault: Vault, folder: str, agent: str | None) -> None:
    """As `refuse_path`, which takes a folder for something in a note's way."""
    found = protected.path_problems(folder, agent=agent is not None) or in_the_way(vault, f"{folder}/x.md")
    if found:
        raise Refused([found[0]._replace(path=folder)])


def _below(vault: Vault, folder: str, remarks: list[str]) -> list[str]:
    """The files of a folder that can move: those in git, and what is visible and not kept out of it."""
    git = vault.repo.run("ls-files", "-z", "--", vault.prefix + folder)
    tracked = {os.fsdecode(name)[len(vault.prefix) :] for name in git.split(b"\0")}
    git = vault.repo.run("ls-files", "--others", "--exclude-standard", "-z", "--", vault.prefix + folder)
    unseen = {os.fsdecode(name)[len(vault.prefix) :] for name in git.split(b"\0")}
    found: list[str] = []
    for here, folders, names in walk(vault.full(folder)):
        inside = folder + here[len(vault.full(folder)) :]
        for name in sorted(folders):
            if os.path.lexists(os.path.join(here, name, ".git")):
                remarks.append(f"{inside}/{name} stays: it is a repository of its own")
                folders.remove(name)
            elif os.path.islink(os.path.join(here, name)):
                remarks.append(f"{inside}/{name} stays: it is a symbolic link")
        folders.sort()
        for name in sorted(names):
            path = f"{inside}/{name}"
            if os.path.islink(os.path.join(here, name)):
                remarks.append(f"{path} stays: it is a symbolic link")
            elif path in tracked or (path in unseen and not name.startswith(".")):
                found.append(path)
            elif not name.startswith("."):
                remarks.append(f"{path} stays: it is kept out of git by .gitignore")
    if not found:
        raise UsageError(f"{folder} holds no file that can be moved", "\n  ".join(remarks))
    return found


def _refuse(vault: Vault, moved: Mapping[str, str], texts: _Texts, agent: str | None) -> None:
    """Raises Refused with all that stands against the new names, and for what cannot leave its old one."""
    problems = [problem for new in moved.values() for problem in protected.path_problems(new, agent=agent is not None)]
    if problems:
        raise Refused(problems)
    tip = refs.tip(vault.repo, "HEAD")
    committed = {
        path: bool(tip) and vault.repo.blob(f"{tip}:{vault.prefix}{path}") is not None
        for path in (*moved, *moved.values())
    }
    for old, new in moved.items():
        if not _same_file(vault, old, new):
            problems += _taken(vault, new, committed[new], texts)
    twice = [new for new, count in Counter(moved.values()).items() if count > 1]
    problems += [Problem(new, 1, 1, "ED01", "two files would get this name", "move one of them") for new in twice]
    problems += _staged_only(vault, [old for old in moved if not committed[old]])
    if problems:
        raise Refused(problems)
    size = sum(os.path.getsize(vault.full(path)) for path in moved if os.path.isfile(vault.full(path)))
    if size > LARGEST:
        what = f"{size // 1_000_000} MB are more than one edit can move"
        raise UsageError(what, "move large attachments with git mv, or folder by folder")


def _taken(vault: Vault, new: str, committed: bool, texts: _Texts) -> list[Problem]:
    """What has a name already."""
    if os.path.isfile(vault.full(new)) and not os.path.islink(vault.full(new)):
        mend = f"choose another name, or delete it first: vaultgit delete {new}"
        return [Problem(new, 1, 1, "ED01", "is there already", mend)]
    found = in_the_way(vault, new)
    if found:
        return found
    if texts.read(new) is not None:
        return [Problem(new, 1, 1, "ED01", "waits in the queue already", "vaultgit status lands what waits")]
    if committed:
        mend = f"choose another name, or commit that it is gone: git rm {new}"
        return [Problem(new, 1, 1, "ED01", "is in git already, and gone from disk only", mend)]
    return []


def _staged_only(vault: Vault, uncommitted: Sequence[str]) -> list[Problem]:
    """Files that a person has staged and never committed: no commit of ours can move them."""
    if not uncommitted:
        return []
    out = vault.repo.run("ls-files", "-z", "--", *(vault.prefix + path for path in uncommitted))
    staged = [os.fsdecode(name)[len(vault.prefix) :] for name in out.split(b"\0") if name]
    what = "is staged and was never committed"
    return [Problem(path, 1, 1, "ED01", what, "commit it first: git commit") for path in staged]


def _same_file(vault: Vault, old: str, new: str) -> bool:
    """Whether two names that differ by case only are one file, on a file system that does not tell them apart."""
    if fold(old) != fold(new):
        return False
    try:
        return os.path.samefile(vault.full(old), vault.full(new))
    except OSError:
        return False


# -- what follows ----------------------------------------------------------------------------------------------------


class _Texts:
    """The notes as this agent sees them: on disk, with its own queued edits on top."""

    def __init__(self, vault: Vault, agent: str | None) -> None:
        self.vault, self.agent = vault, agent
        waiting = queue.entries(vault.repo, vault.state, vault.prefix)
        self.queued = {change.path for edit in waiting if edit.agent == agent for change in edit.changes}

    def files(self) -> list[str]:
        """All that Obsidian shows, or will when they have landed."""
        there = dict.fromkeys(Disk(self.vault.root).files())
        for path in sorted(self.queued):
            if self.read(path) is None:
                there.pop(path, None)
            elif visible(path):
                there[path] = None
        return list(there)

    def read(self, path: str) -> bytes | None:
        if path in self.queued or not os.path.isfile(self.vault.full(path)):
            return current(self.vault, path, self.agent) if path in self.queued else None
        try:
            return Disk(self.vault.root).read(path)
        except OSError:
            return current(self.vault, path, self.agent)  # says so


def _rewritten(data: bytes, path: str, moves: follow.Moves) -> tuple[bytes, int]:
    """A file with its links as they have to be after the move, and how many changed."""
    try:
        if path.lower().endswith(".canvas"):
            return follow.in_canvas(data, moves.path)
        if path.lower().endswith(".md"):
            read = moves.may_change(data, path)
            return follow.in_note(data, lambda link: moves.target(link, path)) if read else (data, 0)
    except follow.Unwritable as error:
        what = f"has a name that the links in {path} cannot be written with"
        mend = "choose a name without brackets, quotes, # and |"
        raise Refused([Problem(str(error), 1, 1, "NA01", what, mend)]) from error
    return data, 0


def _kept(vault: Vault, path: str, agent: str | None) -> str:
    """Why a note keeps its old links, in words; "" where they follow."""
    if changelog.is_ours(path):
        return "it is written from history"
    if protected.path_problems(path, agent=agent is not None):
        return "only a person may change it"
    if os.path.islink(vault.full(path)):
        return "it is a symbolic link"
    if is_kept_out(vault, path):
        return "it is kept out of git by .gitignore"
    return ""


def _reads_from_folder(vault: Vault) -> bool:
    """Whether a markdown link is meant from the note's folder: where Obsidian writes them so, or is not used at all."""
    if not os.path.isdir(vault.full(obsidian.FOLDER)):
        return True
    settings = obsidian.table(Disk(vault.root).read, f"{obsidian.FOLDER}/app.json") or {}
    return settings.get("newLinkFormat") == "relative"


class _Skills:
    """Skills say in their front matter what they are called and which text they are."""

    def __init__(self, vault: Vault, clock: Clock, moved: Mapping[str, str], agent: str | None, reason: str) -> None:
        self.vault, self.today, self.files = vault, clock.now().strftime("%Y-%m-%d"), moved
        self.needs_reason = agent is not None and not reason.strip()
        self.versions: dict[str, int] = {}

    def linked(self, path: str, data: bytes, text: bytes) -> bytes:
        """A note whose links follow: a skill's next version."""
        return self._next(path, path, text, {}) if self._is_skill(path, data) else text

    def moved(self, path: str, data: bytes, text: bytes) -> bytes:
        """A note under its new name: a skill has the name of its file, and its old one as an alias."""
        new = self.files[path]
        if not self._is_skill(path, data) or not self._is_skill(new, data):
            return text
        name, old = (one.rpartition("/")[2].rpartition(".")[0] for one in (new, path))
        if name == old:
            return text if text == data else self._next(path, new, text, {})
        known = frontmatter.read(text).values.get("aliases")
        aliases = known if isinstance(known, list) else [] if known in (None, "") else [known]
        aliases = [alias for alias in aliases if alias != name]
        return self._next(path, new, text, {"name": name, "aliases": aliases if old in aliases else [*aliases, old]})

    def _is_skill(self, path: str, data: bytes) -> bool:
        return self.vault.rules.managed(path, data) == "skill"

    def _next(self, path: str, new: str, text: bytes, more: Mapping[str, object]) -> bytes:
        """The next version, which is somebody's doing: an agent says why."""
        values = dict(more)
        before = frontmatter.read(text).values
        version, date = before.get("version"), before.get("last_updated")
        if isinstance(version, int) and not isinstance(version, bool):
            values["version"] = self.versions[new] = version + 1
        values["last_updated"] = max(self.today, date if isinstance(date, str) else "")
        if self.needs_reason:
            what = f"{path} changes, and the edit gives no reason"
            raise Refused([Problem(MESSAGE, 1, 1, "SK03", what, "say why: --reason TEXT")])
        try:
            return patch.set_properties(text, values)
        except frontmatter.FrontMatterError:
            return text  # the checks say what is wrong with it


def _baseline(vault: Vault, moved: Mapping[str, str], agent: str | None) -> list[PathChange]:
    """What was wrong with a note when the vault was set up is from before under its new name, too. Only a person may
    say so: an agent mends the note first."""
    known = {old: new for old, new in moved.items() if old in vault.rules.baseline}
    if agent is not None or not known:
        return []
    data = Disk(vault.root).read(BASELINE)
    if data is None:
        return []
    vault.rules.baseline.update({new: vault.rules.baseline[old] for old, new in known.items()})
    return [PathChange(BASELINE, data, follow.in_keys(data, known.get), "move")]


# -- what is said ----------------------------------------------------------------------------------------------------


def _settings(vault: Vault, wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Settings that go on naming a folder that moves."""
    rules, found = vault.rules, []
    olds = [(old.rstrip("/"), new.rstrip("/")) for old, new in wanted if os.path.isdir(vault.full(old))]
    for old, new in olds:
        for name in rules.types.names:
            folder = rules.folder(name)
            if folder == old or folder.startswith(old + "/"):
                mend = f'[layout] {name} = "{new}" in {config.FILE}'
                found.append(f"notes of type {name} are looked for in {folder}/: {mend}")
        named = [folder for folder in rules.templates if folder == old or folder.startswith(old + "/")]
        found += [f"Obsidian looks for templates in {folder}/: change it in its settings" for folder in named]
    return found


def _line(wanted: Sequence[tuple[str, str]], moved: Mapping[str, str], links: int) -> str:
    """`people/x: moved to people/y, 3 links followed`."""
    pairs = list(moved.items())
    if len(wanted) == 1 and len(pairs) == 1:
        old, new = (path.removesuffix(".md") for path in pairs[0])
        what = f"{old}: moved to {new}"
    elif len(wanted) == 1 and pairs:
        old = wanted[0][0].rstrip("/")
        what = f"{old}: moved to {pairs[0][1][: -len(pairs[0][0]) + len(old)]}, {len(pairs)} files"
    else:
        what = f"vault: {len(pairs)} files moved"
    return shorten(compose.plain(f"{what}, {links} link{'s' if links != 1 else ''} followed" if links else what))


def _bases(vault: Vault, files: Iterable[str], moved: Mapping[str, str]) -> list[str]:
    """Bases are queries, which nobody but a person can read: those that name an old path are named."""
    bases = [path for path in files if path.lower().endswith(".base")]
    names = {name.encode("utf-8", "surrogateescape") for old in moved for name in _mentions(old)} if bases else set()
    return [
        f"{path} names an old path, and is left to you"
        for path in bases
        if (data := Disk(vault.root).read(path)) and any(name in data for name in names)
    ]


def _mentions(old: str) -> tuple[str, ...]:
    return (old, old.removesuffix(".md")) if "/" in old else (old,)


def _links_to_files(vault: Vault, files: Iterable[str], moved: Mapping[str, str]) -> list[str]:
    """Symbolic links that led to a moved file."""
    real = {os.path.realpath(vault.full(old)): old for old in moved}
    return [
        f"{path} is a symbolic link to {real[target]}, which is {moved[real[target]]} now"
        for path in files
        if path not in moved and os.path.islink(vault.full(path))
        if (target := os.path.realpath(vault.full(path))) in real
    ]


def _unmanaged(vault: Vault, texts: _Texts, moved: Mapping[str, str], agent: str | None) -> list[str]:
    """Notes that no schema holds any more: an agent may not take them out, a person is told."""
    rules, out = vault.rules, []
    for old, new in moved.items():
        note_type = rules.managed(old, texts.read(old)) if rules.expected_type(old) else None
        if note_type and rules.expected_type(new) != note_type:
            out.append((new, note_type))
    if out and agent is not None:
        raise Refused([
            Problem(new, 1, 1, "FM04", f"would no longer be a note of type {note_type}",
                    f"keep it below {rules.folder(note_type)}/; a person can move it out")
            for new, note_type in out
        ])  # fmt: skip
    kinds = ", ".join(sorted({f"{note_type} in {rules.folder(note_type)}/" for _, note_type in out}))
    return [f"no schema holds {len(out)} of the moved notes any more ({kinds})"] if out else []
