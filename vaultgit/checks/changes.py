"""Where changes to judge come from: what is staged, a range of commits. (Files as they lie: `lying`.)"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.checks import around
from vaultgit.checks.around import Around
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.checks.message import parts
from vaultgit.history import filters
from vaultgit.history import ranges
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import Tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Iterator

    from vaultgit.history.repository import Repository
    from vaultgit.vault import Vault

LARGEST = 4_000_000  # bytes of an attachment that is still looked into for secrets
AGENTS_ADDRESS = "@agents.vaultgit.invalid"  # of an author: an agent's, even if no trailer says so
_LINE_ID = re.compile(rb"^- \d{4}-\d\d-\d\d \d\d:\d\d .* \^([0-9a-hjkmnp-tv-z]{16})\s*$")


class _Raw(NamedTuple):
    """One line of a raw diff: modes and oids of each parent and of the result ("" for no file)."""

    path: str
    before: tuple[str, ...]
    mode: str
    after: str


def staged(
    vault: Vault,
    *,
    index_file: str | None = None,
    message: str | None = None,
    agent: str | None = None,
    agent_environment: bool = False,
    amend: bool = False,
) -> Change:
    """What `git commit` would commit of the vault. `index_file`: the index it commits from, where that is not the
    repository's own (`git commit PATH`, `-a`). `amend`: it replaces HEAD, and is compared with HEAD's parents."""
    repo = vault.repo
    env = {"GIT_INDEX_FILE": index_file} if index_file else {}
    head = repo.object("HEAD")
    parents = [head[0]] if head else []
    if amend and head:
        header = head[2].partition(b"\n\n")[0].split(b"\n")
        parents = [line.split()[1].decode() for line in header if line.startswith(b"parent ")]
    base = parents[0] if parents else _empty_tree(repo)
    scope = [vault.prefix] if vault.prefix else []
    out = repo.run("diff-index", "--cached", "--raw", "-z", "--no-renames", "--abbrev=64", base, "--", *scope, env=env)
    raws = list(_raw(out))
    merging = _merge_heads(repo) or parents[1:]
    if merging:
        raws = [_also(repo, raw, merging) for raw in raws]
    files = _files(vault, raws, until=parents)
    return Change(
        tuple(files), vault.rules, agent=agent, message=message, agent_environment=agent_environment, today=_today(),
        paths=_paths(vault, files, index_file),
        around=Around(around.in_index(vault, Disk(vault.root), index_file), files),
    )  # fmt: skip


def committed(vault: Vault, base: str, head: str) -> Iterator[tuple[str, Change]]:
    """A range, as CI and servers judge it: each agent's commit by itself, with the rules of `base` (a branch is not
    judged by the schemas it brings along); what people did at the end of the range, so that a mended note
    blocks nothing. Zeros as `base` are all of history. Yields (oid or "", change); raises UsageError for a range that
    this clone does not show."""
    repo = vault.repo
    span = ranges.between(repo, base, head)
    start, end = span.start, span.end
    new_rules = Rules(Tree(repo, end, vault.prefix))
    # Settings that cannot be read are mended by a range; it must not be refused for what it mends.
    old_rules = Rules(Tree(repo, span.base, vault.prefix), lenient=True) if span.base else new_rules
    shape = "--format=%H%x00%P%x00%as%x00%ae%x00%B"
    tell = ("log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--no-color", "--encoding=UTF-8")
    out = repo.read(*tell, shape, *span.revisions, "--")
    fields = out.decode("utf-8", "surrogateescape").split("\0")
    agents = set(new_rules.settings.emails.values())
    for oid, parents, day, address, body in zip(*(fields[n::5] for n in range(5)), strict=False):
        agent = parts(body).trailers.get("agent")
        if agent:
            files = _files(vault, _of_commit(vault, oid, parents.split()), until=parents.split())
            files = [file for file in files if not is_projection(repo, oid, file)]
            here = Around(around.at_commit(vault, oid))
            yield oid, Change(tuple(files), old_rules, agent=agent, message=body, today=day, around=here)
        else:
            claims = address.endswith(AGENTS_ADDRESS) or address in agents
            yield oid, Change((), new_rules, message=body, agent_environment=claims)
    scope = [vault.prefix] if vault.prefix else []
    before = start or _empty_tree(repo)
    diff = repo.run("diff-tree", "-r", "--raw", "-z", "--no-renames", "--abbrev=64", before, end, "--", *scope)
    files = _files(vault, list(_raw(diff)), until=[start] if start else [])
    there = Around(around.at_commit(vault, end))
    paths = frozenset(around.commit_paths(vault, end))
    yield "", Change(tuple(files), new_rules, today=_today(), paths=paths, around=there)


# -- raw diffs ---------------------------------------------------------------------------------------------------


def _raw(out: bytes) -> Iterator[_Raw]:
    fields = out.split(b"\0")
    for meta, path in zip(fields[0::2], fields[1::2], strict=False):
        old_mode, mode, old, new, status = meta.decode().lstrip(":").split(" ")
        gone = status == "D"
        yield _Raw(
            os.fsdecode(path),
            ("" if status == "A" else old,),
            old_mode if gone else mode,
            "" if gone else new,
        )


def _of_commit(vault: Vault, oid: str, parents: list[str]) -> list[_Raw]:
    """What one commit changes; of a merge, what differs from every parent, with all parents' versions."""
    repo = vault.repo
    scope = ["--", vault.prefix] if vault.prefix else ["--"]
    options = ("-r", "--raw", "-z", "--no-renames", "--abbrev=64")
    if not parents:
        return list(_raw(repo.run("diff-tree", *options, "--root", "--no-commit-id", oid, *scope)))
    by_path: dict[str, list[_Raw]] = {}
    for parent in parents:
        for raw in _raw(repo.run("diff-tree", *options, parent, oid, *scope)):
            by_path.setdefault(raw.path, []).append(raw)
    return [
        raws[0]._replace(before=tuple(raw.before[0] for raw in raws))
        for raws in by_path.values()
        if len(raws) == len(parents)
    ]


def _also(repo: Repository, raw: _Raw, others: list[str]) -> _Raw:
    found = [repo.blob(f"{other}:{raw.path}") if "\n" not in raw.path else None for other in others]
    return raw._replace(before=(*raw.before, *(blob.oid if blob else "" for blob in found)))


def _merge_heads(repo: Repository) -> list[str]:
    try:
        with open(os.path.join(repo.git_dir, "MERGE_HEAD"), encoding="ascii") as stream:
            return stream.read().split()
    except FileNotFoundError:
        return []


def _files(vault: Vault, raws: list[_Raw], *, until: list[str]) -> list[FileChange]:
    """File changes with their text; attachments larger than LARGEST come as empty files. `until`: the commits before
    the change, none for the first one."""
    repo = vault.repo
    inside = [raw for raw in raws if raw.path.startswith(vault.prefix)]
    space = filters.spaces(repo, (raw.path for raw in inside)) if inside else {}
    large = _large(repo, inside)

    def text(raw: _Raw, oid: str) -> bytes | None:
        if not oid or not oid.strip("0"):
            return None
        if oid in large or raw.mode in ("120000", "160000"):
            return b""
        blob = repo.blob(oid)
        return space[raw.path].from_blob(oid, blob.data) if blob else b""

    return [
        FileChange(
            raw.path[len(vault.prefix) :], () if not until else tuple(text(raw, oid) for oid in raw.before),
            text(raw, raw.after), raw.mode, _earlier(repo, raw, until),
        )
        for raw in inside
    ]  # fmt: skip


def _large(repo: Repository, raws: list[_Raw]) -> set[str]:
    oids = {oid for raw in raws if not raw.path.endswith(".md") for oid in (*raw.before, raw.after) if oid.strip("0")}
    if not oids:
        return set()
    out = repo.run("cat-file", "--batch-check", input="\n".join(oids).encode() + b"\n").decode()
    sizes = (line.split() for line in out.splitlines())
    return {fields[0] for fields in sizes if len(fields) == 3 and int(fields[2]) > LARGEST}


def _earlier(repo: Repository, raw: _Raw, until: list[str]) -> Callable[[bytes], bool]:
    return lambda data: held_before(repo, raw.path, raw.after, until)  # noqa: ARG005


def held_before(repo: Repository, full: str, oid: str, until: list[str]) -> bool:
    """Whether a file was this blob at some time in the history of `until`, that is before the change itself: a revert
    brings earlier bytes back, and needs no new version."""
    if not until:
        return False
    out = repo.run("log", "--format=", "--raw", "-z", "--abbrev=64", "--no-renames", "-m", *until, "--", full)
    return any(oid == meta.decode().split(" ")[3] for meta in out.split(b"\0") if meta.startswith(b":"))


def is_projection(repo: Repository, revision: str, file: FileChange, message: str = "") -> bool:
    """Whether a changelog file in an agent's commit changes only as landing changes it: lines of ids in history, or of
    the commit's own `message`, where it is not made yet."""
    if not (file.path == "changelog.md" or file.path.startswith("changelog/")):
        return False
    old = {line for data in file.before for line in (data or b"").split(b"\n")}
    new = (file.after or b"").split(b"\n")
    added = [line for line in new if line not in old and line.strip()]
    ids = [match[1].decode() for match in map(_LINE_ID.match, added) if match]
    if len(ids) != sum(1 for line in added if _LINE_ID.match(line)) or any(
        not _LINE_ID.match(line) and file.before and any(file.before) for line in added
    ):
        return False
    gone = [line for line in old if line.strip() and line not in new and not _LINE_ID.match(line)]
    if gone or not ids:
        return not gone and not added
    wanted = "|".join(f"Edit: {one}" for one in ids)
    known = repo.run("log", "--extended-regexp", "--grep", wanted, "--format=%B", revision, "--") + message.encode()
    return all(f"Edit: {one}".encode() in known for one in ids)


MANY_ADDED = 100  # from here on all names are listed once


def _paths(vault: Vault, files: list[FileChange], index_file: str | None) -> frozenset[str] | None:
    """Paths of the vault that an added file may be a twin or a copy of; None where none is added."""
    added = [vault.prefix + file.path for file in files if file.added]
    if not added:
        return None
    env = {"GIT_INDEX_FILE": index_file} if index_file else {}
    if len(added) > MANY_ADDED or not all(path.isascii() for path in added):
        out = vault.repo.run("ls-files", "-z", *(["--", vault.prefix] if vault.prefix else []), env=env)
    else:
        # Only names that differ by case: listing 100,000 of them for one note takes half a second.
        env = {**env, "GIT_LITERAL_PATHSPECS": "0"}
        originals = [re.sub(r" [2-9](?=\.[^./]*$)", "", path) for path in added]
        folders = sorted({path[:n] for path in added for n, c in enumerate(path) if c == "/"})
        same = [f":(top,literal,icase){path}" for path in dict.fromkeys([*added, *originals])]
        others = [f":(top,literal,icase){f}" for f in folders] + [f":(top,exclude,literal){f}/" for f in folders]
        out = vault.repo.run("ls-files", "-z", "--", *same, env=env)
        out += vault.repo.run("ls-files", "-z", "--", *others, env=env) if folders else b""
    return frozenset(os.fsdecode(name)[len(vault.prefix) :] for name in out.split(b"\0") if name)


def _empty_tree(repo: Repository) -> str:
    return repo.run("hash-object", "-t", "tree", "-w", "--stdin").decode().strip()


def _today() -> str:
    from vaultgit.clock import SystemClock

    return SystemClock().now().strftime("%Y-%m-%d")
