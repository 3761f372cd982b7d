"""Folders of Agent Skills kept in step with the vault's: planned as data, then written.

Only folders that carry our mark are ever written to or taken away, and in those only files that are as we wrote them.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

from vaultgit.edits import queue
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.notes.links import Link
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import fold
from vaultgit.passes import agentskills
from vaultgit.passes import exported
from vaultgit.passes import skills
from vaultgit.passes.exported import Folder
from vaultgit.passes.exported import Mark
from vaultgit.recall import skills as recall
from vaultgit.recall import tree
from vaultgit.recall.skills import Skill
from vaultgit.vault import Vault


class Item(NamedTuple):
    """What becomes of one NAME folder. `action`: write, remove, unchanged, left. `why`: in words; of "left", what is in
    the way. `edited`: somebody changed it there. `files`: what it shall hold; `gone`: files of ours that go; `mark`: as
    it is to be."""

    name: str
    action: str
    why: str = ""
    edited: bool = False
    files: Mapping[str, bytes] = {}
    gone: tuple[str, ...] = ()
    mark: Mark | None = None


class Plan(NamedTuple):
    """What keeping a folder in step does. `cut`: skills whose name or trigger is longer than clients take. `missing`:
    the folder is remembered, and is not there."""

    folder: Folder
    items: list[Item]
    cut: list[str]
    missing: bool = False

    def of(self, action: str) -> list[Item]:
        return [item for item in self.items if item.action == action]


class Source:
    """The skills of HEAD, with what lies beside each; read when they are first asked for, once for all folders."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault

    @cached_property
    def every(self) -> recall.Skills:
        return skills.committed(self.vault)

    @cached_property
    def by_name(self) -> dict[str, Skill]:
        """By name and old name, folded."""
        found = {fold(alias): skill for skill in self.every.skills for alias in skill.aliases}
        return found | {fold(skill.name): skill for skill in self.every.skills}

    @cached_property
    def held(self) -> list[tree.Held]:
        head = self.vault.repo.resolve("HEAD")
        return tree.files(self.vault, head) if head else []

    @cached_property
    def resolver(self) -> Resolver:
        return Resolver(file.path for file in self.held)

    @cached_property
    def beside(self) -> dict[str, list[tree.Held]]:
        return resources(self.held, self.every.skills)

    def chosen(self, names: Sequence[str]) -> list[Skill]:
        """Those with one of these names; all where none is given."""
        found = {self.by_name[fold(name)].path for name in names if fold(name) in self.by_name}
        return [skill for skill in self.every.skills if skill.path in found] if names else self.every.skills

    def named(self, word: str) -> str:
        """The name of the skill that a name, an old name or a path means. Raises UsageError."""
        found = self.by_name.get(fold(self.vault.relative(word).rpartition("/")[2].removesuffix(".md")))
        if found is None:
            raise UsageError(f"there is no skill {word} in history", "vaultgit skill list")
        return found.name


def resources(held: Sequence[tree.Held], skills: Iterable[Skill]) -> dict[str, list[tree.Held]]:
    """Path of each skill -> the files in the folder beside it that is named like it; other skills there are none."""
    notes = {skill.path for skill in skills}
    folders = {path.removesuffix(".md"): path for path in notes}
    found: dict[str, list[tree.Held]] = {path: [] for path in notes}
    for file in held:
        if file.path in notes:
            continue
        above = file.path.rpartition("/")[0]
        while above and above not in folders:
            above = above.rpartition("/")[0]
        if above:
            found[folders[above]].append(file)
    return found


def asked_for(source: Source, given: str, names: Sequence[str]) -> Folder:
    """The folder that was named, as it is remembered, unless it is to hold other skills from now on. Raises UsageError
    for one that lies in the vault, or a name that no skill has."""
    path = _outside(source.vault, given)
    if names:
        return Folder(path, tuple(sorted({source.named(name) for name in names})))
    known = [folder for folder in exported.remembered(source.vault) if folder.path == path]
    return known[0] if known else Folder(path)


def _outside(vault: Vault, given: str) -> str:
    path = os.path.abspath(os.path.expanduser(given))
    root, real = os.path.realpath(vault.root), os.path.realpath(path)
    if f"{real}/".startswith(root.rstrip("/") + "/"):
        raise UsageError(f"{given} lies in the vault, where the skills are already", "name a client's folder of skills")
    if os.path.lexists(path) and not os.path.isdir(path):
        raise UsageError(f"{given} is no folder", "name a client's folder of skills: ~/.claude/skills")
    return path


def plan(
    source: Source, folder: Folder, *, force: bool = False, make: bool = True,
    tick: Callable[[int], None] = lambda _: None,
) -> Plan:  # fmt: skip
    """What brings `folder` into step. With `force`, what was edited there is written over; without `make`, a folder
    that is not there stays away."""
    if not make and not os.path.isdir(folder.path):
        return Plan(folder, [], [], missing=True)
    targets: dict[str, Skill] = {}
    items = []
    for skill in source.chosen(folder.names):
        name = agentskills.exported_name(skill.name)
        if name in targets:
            items.append(Item(name, "left", f"{skill.path} would have the same name there as {targets[name].path}"))
        else:
            targets[name] = skill
    places = _places(source, targets)
    ours = exported.marks(source.vault, folder.path)
    for name, skill in targets.items():
        files = _wanted(source, name, skill, places)
        items.append(_item(source.vault, folder.path, name, skill, files, ours.get(name), force))
        tick(1)
    for name, mark in ours.items():
        if name not in targets:
            items.append(_removed(folder.path, name, mark, _whither(source, mark, folder), force))
    cut = [skill.name for skill in targets.values() if agentskills.is_cut(skill)]
    return Plan(folder, sorted(items, key=lambda item: item.name), cut)


def taken_out(vault: Vault, folder: Folder, *, force: bool = False) -> Plan:
    """What takes all that is ours out of a folder."""
    ours = exported.marks(vault, folder.path)
    return Plan(folder, [_removed(folder.path, name, mark, "", force) for name, mark in ours.items()], [])


def _whither(source: Source, mark: Mark, folder: Folder) -> str:
    """Why an exported skill is no longer one, in words."""
    name = recall.stem(mark.note)
    now = source.by_name.get(fold(name))
    if now is not None and fold(now.name) != fold(name):
        return f"it is {now.name} now"
    if now is not None:
        return "it is not among those you named" if folder.names else "it has another name there"
    return "its note is broken" if mark.note in source.every.broken else "it is gone from the vault"


def _places(source: Source, targets: Mapping[str, Skill]) -> dict[str, str]:
    """Where files of the vault lie in the exported folder."""
    found = {}
    for name, skill in targets.items():
        found[skill.path] = f"{name}/{agentskills.FILE}"
        beside = len(skill.path.removesuffix(".md")) + 1
        found |= {file.path: f"{name}/{file.path[beside:]}" for file in source.beside[skill.path]}
    return found


def _wanted(source: Source, name: str, skill: Skill, places: Mapping[str, str]) -> dict[str, bytes]:
    """The files of one exported folder."""
    beside = len(skill.path.removesuffix(".md")) + 1
    held = [file for file in source.beside[skill.path] if not _reserved(file.path[beside:])]
    own = agentskills.with_folders({file.path: places[file.path] for file in held})
    now = f"{name}/{agentskills.FILE}"

    def moved(link: Link) -> str | None:
        direct = agentskills.follow(link.target, skill.path, own, now)
        if direct is not None or not link.target:
            return direct
        meant = source.resolver.resolve(link.target, skill.path)
        if link.kind == "wiki" or not meant:
            return None  # [[another-skill]] is its name, for a client too
        if meant[0] in places:
            return posixpath.relpath(places[meant[0]], name)
        return os.path.join(os.path.realpath(source.vault.root), meant[0])

    files = {agentskills.FILE: agentskills.document(skill, moved)}
    return files | {file.path[beside:]: data for file, data in tree.texts(source.vault, held)}


def _reserved(path: str) -> bool:
    return path in (agentskills.FILE, exported.MARK)


def _item(
    vault: Vault, folder: str, name: str, skill: Skill, files: dict[str, bytes], mark: Mark | None, force: bool
) -> Item:
    place = os.path.join(folder, name)
    if mark is None and not exported.is_free(place):
        other = exported.mark(place)
        whose = f"it comes from the vault {other.vault}" if other else "it is not vaultgit's"
        return Item(name, "left", f"a folder of that name is there, and {whose}")
    new = Mark(os.path.realpath(vault.root), skill.path, skill.oid, {p: [exported.digest(d)] for p, d in files.items()})
    known = mark.files if mark else {}
    gone = tuple(path for path in known if path not in files)
    there = {path: exported.read(place, path) for path in {*known, *files}}
    there |= {path: None for path, data in there.items() if data == exported.NO_FILE and _takes_the_place(path, gone)}
    edited = sorted(
        path for path, data in there.items()
        if data is not None and data != files.get(path) and exported.digest(data) not in known.get(path, ())
    )  # fmt: skip
    if edited and not (force and exported.NO_FILE not in there.values()):
        return Item(name, "left", _edited(edited), edited=True)
    if mark == new and all(there[path] == data for path, data in files.items()):
        return Item(name, "unchanged")
    return Item(name, "write", files=files, gone=gone, mark=new)


def _takes_the_place(path: str, gone: Sequence[str]) -> bool:
    """Whether a file takes the place of a folder of ours that goes, or a folder that of a file."""
    return any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in gone)


def _removed(folder: str, name: str, mark: Mark, why: str, force: bool) -> Item:
    there = {path: exported.read(os.path.join(folder, name), path) for path in mark.files}
    edited = sorted(
        path for path, data in there.items() if data is not None and exported.digest(data) not in mark.files[path]
    )
    if edited and not (force and exported.NO_FILE not in there.values()):
        return Item(name, "left", f"{why}, but {_edited(edited)}" if why else _edited(edited), edited=True)
    return Item(name, "remove", why, gone=tuple(mark.files), mark=mark)


def _edited(paths: Sequence[str]) -> str:
    return f"{', '.join(paths[:3])}{' and more' if len(paths) > 3 else ''} was edited there since"


# -- writing -------------------------------------------------------------------------------------------------------


def carry_out(vault: Vault, planned: Plan) -> None:
    """Remembers the folder, and writes what is planned. Killed at any point, the next run goes on from there."""
    if planned.missing:
        return
    with exported.alone(vault), _told(planned):
        exported.remember(vault, planned.folder)
        exported.make(vault, planned.folder.path)
        _do(planned)


def stop(vault: Vault, planned: Plan) -> None:
    """Takes out what is planned, and forgets the folder."""
    with exported.alone(vault), _told(planned):
        _do(planned)
        exported.unmake(vault, planned.folder.path)
        exported.forget(vault, planned.folder.path)


@contextmanager
def _told(planned: Plan) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"{error.filename or planned.folder.path} cannot be written: {error.strerror}"
        raise VaultgitError(what, "mend that, and run it again: it goes on from there") from error


def _do(planned: Plan) -> None:
    for item in planned.items:
        place = os.path.join(planned.folder.path, item.name)
        if item.action == "write":
            _write(place, item)
        elif item.action == "remove":
            _take_away(place, (*item.gone, exported.MARK))


def _write(place: str, item: Item) -> None:
    assert item.mark is not None
    os.makedirs(place, exist_ok=True)
    before = exported.mark(place)
    known = before.files if before else {}
    both = {path: [*known.get(path, ()), *item.mark.files.get(path, ())] for path in {*known, *item.files}}
    # First say that old and new are both ours, so that a run that is cut short looks like no edit of anybody's.
    exported.write_mark(place, item.mark._replace(files=both))
    _take_away(place, item.gone)
    for path, data in item.files.items():
        full = os.path.join(place, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if exported.read(place, path) == data:
            exported.sweep(full)
        else:
            exported.put(full, data, 0o755 if data.startswith(b"#!") else 0o644)
    exported.write_mark(place, item.mark)


def _take_away(place: str, paths: Iterable[str]) -> None:
    """Removes files of ours, and folders that are empty then; what else lies there stays."""
    for path in paths:
        full = os.path.join(place, path)
        queue.unlink(full)
        exported.sweep(full)
        while (full := os.path.dirname(full)).startswith(place):
            try:
                os.rmdir(full)
            except OSError:
                break
