"""What an agent's own tools changed on disk becomes its edit: with what they replaced as the base.

The bytes lie on disk already, so landing changes branch and index only, and a person's text in the same note stays
theirs. What was replaced says the client's hook, or the agent (`--base`); else it is what is committed, for notes that
were clean before (see `seen`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.agents import tool
from vaultgit.agents.tool import Wrote
from vaultgit.checks.around import visible
from vaultgit.checks.protected import path_problems
from vaultgit.edits import changelog
from vaultgit.edits import compose
from vaultgit.edits import seen
from vaultgit.edits.edit import CARRIED
from vaultgit.edits.edit import RECORD
from vaultgit.edits.edit import RECORDED_IN
from vaultgit.edits.edit import PathChange
from vaultgit.edits.merge import merge
from vaultgit.edits.seen import Look
from vaultgit.edits.submit import is_kept_out
from vaultgit.edits.textmerge import git_text_merge
from vaultgit.history import log
from vaultgit.notes import frontmatter
from vaultgit.notes.frontmatter import BOM
from vaultgit.vault import Disk
from vaultgit.vault import Vault

_KINDS = (".md", ".canvas", ".base")  # what an agent's tools write for a vault; the rest by name only
_LOOK_BACK = 30  # commits of a note in which its change may have been swept along


class Left(NamedTuple):
    """A file that was not recorded, and why."""

    path: str
    why: str


class Found(NamedTuple):
    changes: list[PathChange]
    left: list[Left]


def from_report(vault: Vault, wrote: Sequence[Wrote], folder: str) -> Found:
    """What a client's hook reports; files outside the vault are nobody's business here. `folder`: where relative paths
    start."""
    changes: list[PathChange] = []
    left: list[Left] = []
    disk = Disk(vault.root)
    for one in wrote:
        if "\0" in one.path:
            continue
        path = vault.relative(_followed(vault, os.path.normpath(os.path.join(folder, one.path))))
        if path.startswith("/") or ".." in path.split("/"):
            continue
        now = disk.read(path)
        if now is None:
            left += _gone(vault, path)
        elif not (one := _before(one, now)).known:
            left.append(Left(path, "the client does not say what it replaced: vaultgit record PATH --base OID"))
        else:
            before = _as_on_disk(one.before, now)
            after = now if one.after is None else _as_on_disk(one.after, now)
            changes.append(PathChange(path, before, after, RECORD))
    return Found(changes, left)


def _followed(vault: Vault, full: str) -> str:
    """Where a tool's bytes went, links followed, as a path below the vault's root; as it is where that is elsewhere."""
    root, real = os.path.realpath(vault.root), os.path.realpath(full)
    return os.path.join(vault.root, real[len(root) + 1 :]) if real.startswith(root + os.sep) else full


def _gone(vault: Vault, path: str) -> list[Left]:
    """What to do about a note that a tool took away: with the oid, which `vaultgit read` cannot tell any more."""
    blob = vault.repo.blob(f"HEAD:{vault.prefix}{path}") if "\n" not in path else None
    return [Left(path, f"it is gone: vaultgit record PATH --base {blob.oid[:10]} makes that your edit")] if blob else []


def _before(one: Wrote, now: bytes) -> Wrote:
    """A report with the text before, where it says which lines were swapped."""
    if not one.known or not one.swaps:
        return one
    text = now.removeprefix(BOM).replace(b"\r\n", b"\n")
    try:
        before = tool.undone(text.decode(), one.swaps)
    except UnicodeDecodeError:
        before = None
    return one._replace(before=before, known=before is not None)


def from_disk(vault: Vault, paths: Sequence[str], look: Look | None, base: str | None = None) -> Found:
    """Files that differ from what is committed: those named, else all that were clean at `look`.

    `base`: the oid of what a single named note was before. A file in which a person's own text stood already is left.
    """
    changes: list[PathChange] = []
    left: list[Left] = []
    disk = Disk(vault.root)
    staged = _staged(vault)
    for path in paths or [path for path in seen.unsaved(vault) if is_ours_to_find(vault, path)]:
        now = disk.read(path)
        if base is not None:
            before: bytes | None = compose.blob_text(vault, path, base)
        elif path in staged:
            left.append(Left(path, "something of it is staged: vaultgit record PATH --base OID says what was replaced"))
            continue
        elif look is not None and path in look.dirty:
            if paths or not seen.is_as_seen(vault, path, look):
                left.append(Left(path, "it held your own text before: vaultgit record PATH --base OID says which"))
            continue
        elif look is None and vault.repo.blob(f"HEAD:{vault.prefix}{path}" if "\n" not in path else "") is not None:
            left.append(Left(path, "it is not known what it was before: vaultgit record PATH --base OID"))
            continue
        else:
            blob = vault.repo.blob(f"HEAD:{vault.prefix}{path}") if "\n" not in path else None
            before = compose.blob_text(vault, path, blob.oid) if blob else None
        if before != now:
            changes.append(PathChange(path, before, now, RECORD))
    return Found(changes, left)


def _staged(vault: Vault) -> set[str]:
    """Files of which something else than the last commit's is staged: a person's doing."""
    if vault.repo.resolve("HEAD") is None:
        return set()
    scope = ["--", vault.prefix] if vault.prefix else ["--"]
    out = vault.repo.run("diff-index", "--cached", "--name-only", "--no-renames", "-z", "HEAD", *scope)
    return {os.fsdecode(name)[len(vault.prefix) :] for name in out.split(b"\0") if name}


def swept(vault: Vault, change: PathChange) -> str:
    """The person's commit that took the change of a note along already, as an auto-backup does; "" for none."""
    if change.base == change.new or "\n" in change.path or vault.repo.resolve("HEAD") is None:
        return ""
    if not _holds(vault, change, "HEAD"):
        return ""  # as usual: and history is not even looked at, which costs a hook half of its time
    full = vault.prefix + change.path
    for commit in log.commits(vault.repo, paths=[full], limit=_LOOK_BACK):
        held = [_holds(vault, change, oid) for oid in (commit.oid, *commit.parents[:1])]
        if not held[0]:
            return ""
        if not any(held[1:]):
            return "" if CARRIED.search(commit.message) else commit.oid
    return ""


def trailers(vault: Vault, changes: Sequence[PathChange]) -> list[tuple[str, str]]:
    """Which commits of the person's took the changes along, for the edit's message."""
    commits = dict.fromkeys(filter(None, (swept(vault, change) for change in changes)))
    return [(RECORDED_IN, oid) for oid in commits]


def line(changes: Sequence[PathChange]) -> str:
    """The changelog line, derived from what changed."""
    if len(changes) != 1 or changes[0].base is None or changes[0].new is None:
        return compose.subject(list(changes))
    path = changes[0].path
    base, new = ((data or b"").replace(b"\r\n", b"\n") for data in (changes[0].base, changes[0].new))
    old, now = frontmatter.read(base).values, frontmatter.read(new).values
    values = {key: now.get(key) for key in old | now if now.get(key) != old.get(key)}
    bodies = [data[block.body if (block := frontmatter.block(data)) else 0 :] for data in (base, new)]
    if values and bodies[0] == bodies[1]:
        return compose.subject([changes[0]._replace(action="set")], values)
    words, how = compose.first_words(compose.inserted(base, new)), "added" if len(new) > len(base) else "changed"
    return compose.derived(path.removesuffix(".md"), f"{how} {words}", f"text {how}")


def _holds(vault: Vault, change: PathChange, commit: str) -> bool:
    """Whether a commit's note has the change: making it again would change nothing."""
    blob = vault.repo.blob(f"{commit}:{vault.prefix}{change.path}")
    there = compose.blob_text(vault, change.path, blob.oid) if blob else None
    merged = merge(change.base, there, change.new, text_merge=git_text_merge(vault.repo))
    return not merged.conflicts and merged.data == there


def is_ours_to_find(vault: Vault, path: str) -> bool:
    """Whether `record` looks at a file that nobody named."""
    ordinary = visible(path) and path.lower().endswith(_KINDS) and not changelog.is_ours(path)
    return ordinary and not path_problems(path, agent=True) and not is_kept_out(vault, path)


def _as_on_disk(text: str | None, now: bytes | None) -> bytes | None:
    """Text as a client reports it, with the byte order mark and the line endings that the file has: some leave them
    out."""
    if text is None:
        return None
    data = text.encode("utf-8", "replace")  # half a surrogate pair is no text
    if now is None:
        return data
    if now.startswith(BOM) and not data.startswith(BOM):
        data = BOM + data
    return compose.endings_of(now, data)
