"""Where changes to judge come from: what is staged. (Commits: `commits`. Files as they lie: `lying`.)"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.checks import around
from vaultgit.checks.around import Around
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.history import filters
from vaultgit.vault import Disk

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Collection
    from collections.abc import Container
    from collections.abc import Iterable
    from collections.abc import Iterator
    from collections.abc import Sequence

    from vaultgit.history.repository import Repository
    from vaultgit.vault import Vault

LARGEST = 4_000_000  # bytes of an attachment that is still looked into for secrets
_HEAD = 8192  # bytes that tell a picture from a text, as git tells them
_LINE_ID = re.compile(rb"^- \d{4}-\d\d-\d\d \d\d:\d\d .* \^([0-9a-hjkmnp-tv-z]{16})\s*$")


class Raw(NamedTuple):
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
    base = parents[0] if parents else empty_tree(repo)
    scope = [vault.prefix] if vault.prefix else []
    out = repo.run("diff-index", "--cached", "--raw", "-z", "--no-renames", "--abbrev=64", base, "--", *scope, env=env)
    found = list(raws(out))
    merging = _merge_heads(repo) or parents[1:]
    if merging:
        found = [_also(repo, raw, merging) for raw in found]
    files = files_of(vault, found, until=parents)
    return Change(
        tuple(files), vault.rules, agent=agent, message=message, agent_environment=agent_environment, today=today(),
        paths=_paths(vault, files, index_file),
        around=Around(around.in_index(vault, Disk(vault.root), index_file), files),
    )  # fmt: skip


# -- raw diffs ---------------------------------------------------------------------------------------------------


def raws(out: bytes) -> Iterator[Raw]:
    """The lines of `--raw -z --no-renames`."""
    fields = out.split(b"\0")
    for meta, path in zip(fields[0::2], fields[1::2], strict=False):
        yield raw_of(meta, path)


def raw_of(meta: bytes, path: bytes) -> Raw:
    """One of them, from its two fields."""
    old_mode, mode, old, new, status = meta.decode().lstrip(":").split(" ")
    gone = status == "D"
    return Raw(os.fsdecode(path), ("" if status == "A" else old,), old_mode if gone else mode, "" if gone else new)


def _also(repo: Repository, raw: Raw, others: list[str]) -> Raw:
    found = [repo.blob(f"{other}:{raw.path}") if "\n" not in raw.path else None for other in others]
    return raw._replace(before=(*raw.before, *(blob.oid if blob else "" for blob in found)))


def _merge_heads(repo: Repository) -> list[str]:
    try:
        with open(os.path.join(repo.git_dir, "MERGE_HEAD"), encoding="ascii") as stream:
            return stream.read().split()
    except FileNotFoundError:
        return []


def files_of(
    vault: Vault,
    found: list[Raw],
    *,
    until: Sequence[str],
    too_large: Collection[str] | None = None,
    read: Callable[[str], bytes] | None = None,
    tick: Callable[[str], None] | None = None,
) -> list[FileChange]:
    """File changes with their text; attachments that are larger than LARGEST, or no text, come as empty files. `until`:
    the commits before the change, none for the first one. `too_large`: blobs known to be. `read`: a blob's bytes.
    `tick` hears each path."""
    repo = vault.repo
    inside = [raw for raw in found if raw.path.startswith(vault.prefix)]
    space = filters.spaces(repo, (raw.path for raw in inside)) if inside else {}
    left_out = large(repo, inside) if too_large is None else too_large
    read = read or (lambda oid: data_of(repo, oid))

    def text(raw: Raw, oid: str) -> bytes | None:
        if not oid or not oid.strip("0"):
            return None
        if oid in left_out or raw.mode in ("120000", "160000"):
            return b""
        if tick is not None:
            tick(raw.path)
        data = space[raw.path].from_blob(oid, read(oid))
        return b"" if _is_picture(raw.path, data) else data

    return [
        FileChange(
            raw.path[len(vault.prefix) :], () if not until else tuple(text(raw, oid) for oid in raw.before),
            text(raw, raw.after), raw.mode, _earlier(repo, raw, until),
        )
        for raw in inside
    ]  # fmt: skip


def data_of(repo: Repository, oid: str) -> bytes:
    """A blob's bytes; b"" for what is none, or is not here."""
    blob = repo.blob(oid)
    return blob.data if blob else b""


def _is_picture(path: str, data: bytes) -> bool:
    """Whether these bytes are of no text that a check reads: thousands of such files need not be held in memory."""
    if path.lower().endswith((".md", ".toml", ".json")) or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return b"\0" in data[:_HEAD]


def large(repo: Repository, found: Iterable[Raw]) -> set[str]:
    """Blobs of attachments that are larger than LARGEST."""
    oids = {oid for raw in found if not raw.path.endswith(".md") for oid in (*raw.before, raw.after) if oid.strip("0")}
    if not oids:
        return set()
    out = repo.run("cat-file", "--batch-check", input="\n".join(oids).encode() + b"\n").decode()
    sizes = (line.split() for line in out.splitlines())
    return {fields[0] for fields in sizes if len(fields) == 3 and int(fields[2]) > LARGEST}


def _earlier(repo: Repository, raw: Raw, until: Sequence[str]) -> Callable[[bytes], bool]:
    return lambda data: held_before(repo, raw.path, raw.after, until)  # noqa: ARG005


def held_before(repo: Repository, full: str, oid: str, until: Sequence[str]) -> bool:
    """Whether a file was this blob at some time in the history of `until`, that is before the change itself: a revert
    brings earlier bytes back, and needs no new version."""
    if not until:
        return False
    out = repo.run("log", "--format=", "--raw", "-z", "--abbrev=64", "--no-renames", "-m", *until, "--", full)
    return any(oid == meta.decode().split(" ")[3] for meta in out.split(b"\0") if meta.startswith(b":"))


def is_projection(
    repo: Repository, revision: str, file: FileChange, message: str = "", known: Container[str] | None = None
) -> bool:
    """Whether a changelog file in an agent's commit changes only as landing changes it: lines of ids in history, or of
    the commit's own `message`, where it is not made yet. `known`: the ids of history, where the caller has them."""
    if not (file.path == "changelog.md" or file.path.startswith("changelog/")):
        return False
    texts, result = [data or b"" for data in file.before], file.after or b""
    if len(texts) == 1:
        texts[0], result = _differing(texts[0], result)
    old, new = {line for text in texts for line in text.split(b"\n")}, result.split(b"\n")
    added = [line for line in new if line not in old and line.strip()]
    ids = [match[1].decode() for match in map(_LINE_ID.match, added) if match]
    if len(ids) != len(added) and any(file.before):
        return False
    there = set(new)
    gone = [line for line in old if line.strip() and line not in there and not _LINE_ID.match(line)]
    if gone or not ids:
        return not gone and not added
    if known is not None:
        return all(one in known for one in ids)
    wanted = "|".join(f"Edit: {one}" for one in ids)
    found = repo.run("log", "--extended-regexp", "--grep", wanted, "--format=%B", revision, "--") + message.encode()
    return all(f"Edit: {one}".encode() in found for one in ids)


def _differing(one: bytes, other: bytes) -> tuple[bytes, bytes]:
    """Two texts without the whole lines that both begin and end with: of a changelog of 10,000 lines, what is new."""
    most = min(len(one), len(other))
    begin = _alike(most, lambda at, size: one[at : at + size] == other[at : at + size])
    begin = one.rfind(b"\n", 0, begin) + 1
    last, end = len(one), len(other)
    back = _alike(most - begin, lambda at, size: one[last - at - size : last - at] == other[end - at - size : end - at])
    line = one.find(b"\n", last - back)
    back = last - line - 1 if back and line >= 0 else 0
    return one[begin : last - back], other[begin : end - back]


def _alike(most: int, equal: Callable[[int, int], bool]) -> int:
    """How far two texts go together: steps twice as long each time, then half as long."""
    at, size, growing = 0, 64, True
    while at < most:
        step = min(size, most - at)
        if equal(at, step):
            at += step
            size = size * 2 if growing else size
        elif step == 1:
            break
        else:
            size, growing = step // 2, False
    return at


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


def empty_tree(repo: Repository) -> str:
    return repo.run("hash-object", "-t", "tree", "-w", "--stdin").decode().strip()


def today() -> str:
    from vaultgit.clock import SystemClock

    return SystemClock().now().strftime("%Y-%m-%d")
