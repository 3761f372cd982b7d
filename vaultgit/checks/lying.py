"""Notes as they lie on disk, compared with nothing: what `vaultgit check` of paths or of a whole vault finds. Of a
whole vault, files of other kinds that git holds are looked into for secrets.

A note's verdict (what its own path and bytes are to blame for, and which links its fields hold) is remembered by path
and blob id, so that an unchanged note is neither read nor judged again: git's index knows which are unchanged. What
needs more than one note (twins, links, decisions) is judged every time, from the verdicts. Many notes without a verdict
are judged on all cores.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from hashlib import sha1
from hashlib import sha256
from typing import Any
from typing import NamedTuple

from vaultgit import checks
from vaultgit import config
from vaultgit.checks import around
from vaultgit.checks import attachments
from vaultgit.checks import decision
from vaultgit.checks import links
from vaultgit.checks.around import Around
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.checks.links import Target
from vaultgit.checks.names import twins
from vaultgit.checks.problem import Problem
from vaultgit.history import index
from vaultgit.history import private
from vaultgit.history.repository import Repository
from vaultgit.vault import SCHEMAS
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Source
from vaultgit.vault import Vault

PORTION = 200  # notes judged at a time, so that a large vault fits into memory
MANY = 1500  # notes without a verdict from which on another process pays
# Checks of one note by itself; "names" has a part for all of them together.
ALONE = ("names", "front_matter", "skill", "secrets", "markers")
_FILE = "verdicts.json"


class Verdict(NamedTuple):
    """What a note by itself is to blame for, and the links of its link fields."""

    oid: str
    problems: tuple[Problem, ...]
    targets: tuple[Target, ...]


def judge(
    root: str,
    rules: Rules,
    paths: Sequence[str] | None = None,
    *,
    vault: Vault | None = None,
    only: Collection[str] | None = None,
    others: Sequence[str] | None = None,
    tick: Callable[[int], None] = lambda _: None,
) -> list[Problem]:
    """Problems of these files as they lie, by place; of every note, with settings and schemas, where `paths` is None.

    The baseline is not asked. `vault`: where it is set up; its git is asked what is unchanged. `others`: files that are
    no notes, to look into for secrets, None for those that the vault's git holds. `tick` is told how many more notes
    have been judged.
    """
    wanted = checks.modules(only)
    alone = [name for name in ALONE if name in wanted]
    disk = Disk(root)
    if paths is not None:
        verdicts = dict(_judged(root, rules, paths, alone, {}, tick))
        place = around.in_index(vault, disk) if vault else around.on_disk(disk)
        together = list(twins(paths, _beside(disk, paths))) if "names" in wanted else []
    else:
        files = frozenset(disk.files())
        notes = sorted(path for path in files if path.lower().endswith(".md"))
        remembered = vault if only is None else None
        if others is None:
            others = attachments.tracked(vault.repo, vault.prefix) if vault else ()
        verdicts = _verdicts(root, rules, notes, others if "secrets" in wanted else (), alone, remembered, tick)
        place = around.on_disk(disk, files)
        together = list(twins(notes, files)) if "names" in wanted else []
        together += _of_settings(rules, disk) if "schemas" in wanted else []
    together += _of_links(rules, disk, verdicts, Around(place), wanted)
    return sorted({problem for one in verdicts.values() for problem in one.problems}.union(together))


def secrets(vault: Vault, leave_out: Collection[str] = ()) -> list[Problem]:
    """Every secret in notes, and in files of other kinds that git holds, by place. The baseline is not asked, and
    nothing is remembered of what is judged here. `leave_out`: notes that cannot be read."""
    known = _load(vault, _key(vault.rules))
    oids = _unchanged(vault.repo, vault.prefix) if known else {}
    notes = [path for path in Disk(vault.root).notes() if path not in leave_out]
    found = {path: old for path in notes if (old := known.get(path)) is not None and old.oid == oids.get(path)}
    unsure = [path for path in notes if path not in found]
    found.update(_judged(vault.root, vault.rules, unsure, ["secrets"], {}, lambda _: None))
    others = attachments.tracked(vault.repo, vault.prefix)
    found.update(_of_others(vault.root, vault.rules, others, known, oids))
    return sorted(problem for one in found.values() for problem in one.problems if problem.code == "SE01")


def _beside(disk: Disk, paths: Sequence[str]) -> set[str]:
    """The paths, and what lies in the folders on their way."""
    folders = {path[:n] for path in paths for n, c in enumerate(path) if c == "/"} | {""}
    return {*paths, *(f"{folder}/{name}".lstrip("/") for folder in folders for name in disk.names(folder))}


def _of_links(
    rules: Rules, disk: Disk, verdicts: Mapping[str, Verdict], here: Around, wanted: Collection[str]
) -> Iterator[Problem]:
    if "links" in wanted:
        yield from links.problems({path: one.targets for path, one in verdicts.items() if one.targets}, here)
    if "decision" in wanted:
        replacing = [path for path, one in verdicts.items() if any(t.field == decision.FIELD for t in one.targets)]
        changed = (FileChange(path, (), disk.read(path)) for path in replacing)
        yield from decision.check(Change(tuple(changed), rules, around=here))


def _of_settings(rules: Rules, disk: Disk) -> list[Problem]:
    paths = [config.FILE, *(f"{SCHEMAS}/{name}" for name in disk.names(SCHEMAS))]
    files = tuple(FileChange(path, (), disk.read(path)) for path in paths)
    return checks.run(Change(files, rules), ["schemas"], baseline=False)


# -- verdicts ----------------------------------------------------------------------------------------------------


def _verdicts(
    root: str,
    rules: Rules,
    paths: Sequence[str],
    others: Sequence[str],
    alone: Sequence[str],
    vault: Vault | None,
    tick: Callable[[int], None],
) -> dict[str, Verdict]:
    """Verdicts of all notes of a vault, and of other files: those that are remembered, and new ones, which are
    remembered then."""
    if vault is None:
        return dict(_judged(root, rules, paths, alone, {}, tick)) | _of_others(root, rules, others, {}, {})
    key = _key(rules)
    known = _load(vault, key)
    oids = _unchanged(vault.repo, vault.prefix) if known or others else {}
    found = {path: old for path in paths if (old := known.get(path)) is not None and old.oid == oids.get(path)}
    tick(len(found))
    unsure = [path for path in paths if path not in found]
    found.update(_judged(root, rules, unsure, alone, known, tick))
    found.update(_of_others(root, rules, others, known, oids))
    if found != known:
        _save(vault, key, found)
    return found


def _of_others(
    root: str, rules: Rules, paths: Sequence[str], known: Mapping[str, Verdict], oids: Mapping[str, str]
) -> dict[str, Verdict]:
    """Verdicts of files that are no notes: only secrets are sought there. `oids`: of those that lie as git holds
    them."""
    found: dict[str, Verdict] = {}
    for path in paths:
        oid, old = oids.get(path, ""), known.get(path)
        if old is not None and oid and old.oid == oid:
            found[path] = old
            continue
        data = attachments.text(os.path.join(root, path))
        if data is not None:
            problems = checks.run(Change((FileChange(path, (), data),), rules), ["secrets"], baseline=False)
            found[path] = Verdict(oid, tuple(problems), ())
    return found


def _judged(
    root: str,
    rules: Rules,
    paths: Sequence[str],
    alone: Sequence[str],
    known: Mapping[str, Verdict],
    tick: Callable[[int], None],
) -> Iterator[tuple[str, Verdict]]:
    portions = [paths[start : start + PORTION] for start in range(0, len(paths), PORTION)]
    cores = os.cpu_count() or 1
    if len(paths) < MANY or cores < 2:
        for portion in portions:
            yield from _portion(root, rules, alone, known, portion)
            tick(len(portion))
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(cores, initializer=_begin, initargs=(root, rules.source, alone)) as pool:
        olds = ({path: known[path] for path in portion if path in known} for portion in portions)
        for portion, verdicts in zip(portions, pool.map(_in_worker, olds, portions), strict=True):
            yield from verdicts
            tick(len(portion))


_worker: tuple[str, Rules, Sequence[str]]


def _begin(root: str, source: Source, alone: Sequence[str]) -> None:
    global _worker
    _worker = (root, Rules(source, lenient=True), alone)  # rules themselves hold what no process can be sent


def _in_worker(known: Mapping[str, Verdict], paths: Sequence[str]) -> list[tuple[str, Verdict]]:
    return _portion(*_worker, known, paths)


def _portion(
    root: str, rules: Rules, alone: Sequence[str], known: Mapping[str, Verdict], paths: Sequence[str]
) -> list[tuple[str, Verdict]]:
    disk = Disk(root)
    found: list[tuple[str, Verdict]] = []
    for path in paths:
        data = disk.read(path)
        if data is None:
            continue
        old = known.get(path)
        oid = _blob_id(data, 64 if old is not None and len(old.oid) == 64 else 40)
        if old is not None and old.oid == oid:
            found.append((path, old))
            continue
        problems = checks.run(Change((FileChange(path, (), data),), rules), alone, baseline=False)
        found.append((path, Verdict(oid, tuple(problems), tuple(links.targets(rules, path, data)))))
    return found


def _blob_id(data: bytes, digits: int) -> str:
    """git's id of a blob of these bytes."""
    algorithm = sha256 if digits == 64 else sha1
    return algorithm(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _unchanged(repo: Repository, prefix: str) -> dict[str, str]:
    """Blob ids of files that lie on disk as they are in the index, as far as git knows without reading them."""
    scope = ["--", prefix] if prefix else []
    listed, differing = repo.together(
        ["ls-files", "-s", "-v", "-z", *scope], ["diff-files", "--name-only", "-z", "--ignore-submodules", *scope]
    )
    try:
        entries = index.parsed(listed)
    except index.Unmerged:
        return {}
    dirty = {os.fsdecode(name) for name in differing.split(b"\0")}
    return {
        path[len(prefix) :]: entry.oid
        for path, entry in entries.items()
        if not entry.flags and entry.mode in ("100644", "100755") and path not in dirty
    }


# -- the file of verdicts: derived, may be deleted (promise P7) --------------------------------------------------


def _key(rules: Rules) -> str:
    """Hash of all that a verdict depends on beside path and bytes: the rules of the vault, and the program."""
    package = os.path.dirname(os.path.dirname(__file__))
    code = [
        (name, stat.st_size, stat.st_mtime_ns)
        for folder in ("checks", "notes")
        for name in sorted(os.listdir(os.path.join(package, folder)))
        if name.endswith(".py")
        for stat in (os.stat(os.path.join(package, folder, name)),)
    ]
    types = {name: (rules.types.fingerprint(name), rules.folder(name)) for name in rules.types.names}
    material = [code, types, rules.settings.type_key, rules.obsidian, rules.daily]
    return sha256(json.dumps(material, sort_keys=True).encode()).hexdigest()


def _load(vault: Vault, key: str) -> dict[str, Verdict]:
    try:
        with open(os.path.join(vault.cache, _FILE), encoding="utf-8") as stream:
            record = json.load(stream)
        if record["key"] != key:
            return {}
        return {path: _unpacked(path, *fields) for path, fields in record["notes"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _unpacked(path: str, oid: str, problems: Sequence[list[Any]] = (), targets: Sequence[list[Any]] = ()) -> Verdict:
    if not problems and not targets:
        return Verdict(oid, (), ())
    made = tuple(Problem(path, *fields) for fields in problems)
    return Verdict(oid, made, tuple(Target(*fields) for fields in targets))


def _save(vault: Vault, key: str, verdicts: Mapping[str, Verdict]) -> None:
    record = {"key": key, "notes": {path: _packed(one) for path, one in verdicts.items()}}
    target = os.path.join(vault.cache, _FILE)
    temporary = f"{target}.{os.getpid()}.tmp"
    try:
        private.make(vault.cache)
        with open(temporary, "w", encoding="ascii") as stream:
            json.dump(record, stream, separators=(",", ":"))
        os.rename(temporary, target)
    except OSError:
        pass  # without it the next run judges anew


def _packed(one: Verdict) -> list[object]:
    packed: list[object] = [one.oid]
    if one.problems or one.targets:
        packed += [[tuple(problem)[1:] for problem in one.problems], one.targets]
    return packed
