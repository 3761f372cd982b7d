"""What became of proposals, so that the same one is not made twice: the same text for the same note.

One waits, or will once it lands; or was declined, by `inbox reject` (a line of declined.md) or by a person who deleted
its file, which history tells; or was accepted, with or without changes. A line that a person takes out of declined.md
allows it again, also where it was written for a file that they had deleted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from typing import NamedTuple

from vaultgit.edits import inboxnote
from vaultgit.edits import queue
from vaultgit.errors import VaultgitError
from vaultgit.history import refs
from vaultgit.history import walk
from vaultgit.history.walk import Step
from vaultgit.history.walk import Touch
from vaultgit.vault import Vault

DECLINED = ".vaultgit/declined.md"
REJECTED = "vaultgit: declined "  # how the subject of a rejection's commit begins
BY = "inbox@"  # value of Proposed-by, in front of the agent: the commit accepts an inbox note


class Known(NamedTuple):
    """Why a proposal need not be made again, in words. `deleted`: the inbox note that a person's commit deleted, where
    declined.md does not say so yet."""

    words: str
    deleted: str = ""


def digest(text: bytes | None) -> str:
    """64 bits of SHA-256 in hex: what a proposed text is known by. None proposes that the note be deleted."""
    return hashlib.sha256(text or b"").hexdigest()[:16]


def entry(day: str, target: str, text: bytes | None, edit_id: str) -> bytes:
    """The line of declined.md for a proposal."""
    return f"- {day} inbox {target} {digest(text)} ^{edit_id}\n".encode("utf-8", "surrogateescape")


def with_lines(there: bytes | None, lines: bytes) -> bytes:
    """declined.md with more lines at its end. `there`: as it is, None where it is not."""
    gap = b"\n" if there and not there.endswith(b"\n") else b""
    return (there or b"") + gap + lines


def known(vault: Vault, target: str, text: bytes | None) -> Known | None:
    """What became of this proposal; None where it is new, or may be made again."""
    from vaultgit.edits.submit import current

    waits = next((path for path in _on_disk(vault) if _same(vault, path, _file(vault, path), target, text)), "")
    if waits:
        return Known(f"it waits already: {waits}")
    queued = next((path for path, data in _queued(vault) if _same(vault, path, data, target, text)), "")
    if queued:
        return Known(f"it waits to land in the inbox: {queued}")
    sign = f" inbox {target} {digest(text)} "
    lines = (current(vault, DECLINED) or b"").decode("utf-8", "surrogateescape").splitlines()
    declined = next((line for line in lines if sign in line), "")
    if declined:
        return Known(f"a person declined this on {declined[2:12]} (a line of {DECLINED})")
    tip = refs.tip(vault.repo, "HEAD")
    if tip is None:
        return None
    for path in _deleted_on_disk(vault):
        blob = vault.repo.blob(f"HEAD:{vault.prefix}{path}")
        if blob is not None and _same(vault, path, blob.data, target, text):
            return Known(f"a person deleted it, which declines it: {path}")
    return _in_history(vault, tip, target, text, sign)


def earlier(vault: Vault, path: str, target: str) -> list[bytes | None]:
    """The texts that an inbox note proposed for its note in what git holds of it."""
    tip = refs.tip(vault.repo, "HEAD")
    touches = (
        (touch for step in walk.steps(vault.repo, tip, vault.prefix + path) for touch in step.touches) if tip else ()
    )
    texts: list[bytes | None] = []
    for data in _blobs(vault, (touch.after for touch in touches)):
        try:
            found = inboxnote.parse(vault, path, data)
        except VaultgitError:
            continue
        texts += [found.text] if found.target == target else []
    return texts


def age(vault: Vault) -> dict[str, int]:
    """Paths that history brought into the inbox, numbered from the oldest."""
    tip = refs.tip(vault.repo, "HEAD")
    steps = list(walk.steps(vault.repo, tip, vault.prefix + _folder(vault))) if tip else []
    added = (touch.path for step in reversed(steps) for touch in step.touches if not touch.before)
    return {path[len(vault.prefix) :]: number for number, path in enumerate(dict.fromkeys(added))}


def _folder(vault: Vault) -> str:
    folder = vault.rules.folder("inbox")
    return f"{folder}/" if folder else ""


def _on_disk(vault: Vault) -> list[str]:
    folder = _folder(vault)
    return [folder + name for name in queue.listing(vault.full(folder)) if name.endswith(".md")]


def _file(vault: Vault, path: str) -> bytes:
    try:
        with open(vault.full(path), "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def _queued(vault: Vault) -> list[tuple[str, bytes]]:
    """Inbox notes that are saved, and land later."""
    waiting = queue.entries(vault.repo, vault.state, vault.prefix)
    made = [(change.path, change.new) for edit in waiting for change in edit.changes]
    return [(path, new) for path, new in made if new is not None and _is_note(vault, path)]


def _deleted_on_disk(vault: Vault) -> list[str]:
    """Notes of the inbox that are committed, and gone from disk or index."""
    scope = ["--", vault.prefix + _folder(vault)] if vault.prefix + _folder(vault) else ["--"]
    out = vault.repo.call("diff-index", "--name-only", "-z", "--diff-filter=D", "--no-renames", "HEAD", *scope).stdout
    inside = [os.fsdecode(name)[len(vault.prefix) :] for name in out.split(b"\0") if name]
    return [path for path in inside if _is_note(vault, path)]


def _is_note(vault: Vault, path: str) -> bool:
    folder = _folder(vault)
    return path.startswith(folder) and "/" not in path[len(folder) :] and path.endswith(".md")


def _same(vault: Vault, path: str, data: bytes, target: str, text: bytes | None) -> bool:
    """Whether an inbox note proposes this text for this note."""
    name = target.removesuffix(".md").rpartition("/")[2].encode("utf-8", "surrogateescape")
    if name not in data and b"\\" not in data:  # `\`: a name that YAML had to escape
        return False
    try:
        found = inboxnote.parse(vault, path, data)
    except VaultgitError:
        return False
    return (found.target, found.text) == (target, text)


def _in_history(vault: Vault, tip: str, target: str, text: bytes | None, sign: str) -> Known | None:
    """By a note that still waits, with other text since, or by the newest commit that took one out of the inbox."""
    added: list[tuple[Touch, int]] = []
    every = [step for step in walk.steps(vault.repo, tip, vault.prefix + _folder(vault)) if not step.is_merge]
    cut = len(vault.prefix)
    for number, step in enumerate(every):
        added += [(touch, number) for touch in step.touches if not touch.before]
    there = set(_on_disk(vault))
    for touch, _ in added:
        path = touch.path[cut:]
        if path in there and any(_same(vault, path, data, target, text) for data in _blobs(vault, (touch.after,))):
            return Known(f"it waits already, and a person has changed it since: {path}")
    for number, step in enumerate(every):
        for touch in step.touches:
            path = touch.path[cut:]
            if touch.after or not _is_note(vault, path):
                continue
            first = next((one.after for one, at in added if at > number and one.path == touch.path), "")
            if any(_same(vault, path, data, target, text) for data in _blobs(vault, (touch.before, first))):
                return _told(vault, step, path, sign)
    return None


def _blobs(vault: Vault, oids: Iterable[str]) -> list[bytes]:
    found = [vault.repo.blob(oid) for oid in dict.fromkeys(oids) if oid]
    return [blob.data for blob in found if blob is not None]


def _told(vault: Vault, step: Step, path: str, sign: str) -> Known | None:
    """What a commit says that took an inbox note out."""
    if step.trailer("Proposed-by").startswith(BY) or step.trailer("Again"):
        return Known(f"a person accepted it on {step.day} ({step.oid[:10]}: {step.subject})")
    if step.agent or step.subject.startswith(REJECTED):
        return None  # withdrawn; or declined by a line that is no longer there
    told = ("-n1", "--format=%H", f"-S{sign}", "--no-textconv", "HEAD")
    out = vault.repo.call("log", *told, "--", vault.prefix + DECLINED).stdout
    written = out.decode().strip()
    if written and refs.is_ancestor(vault.repo, step.oid, written):
        return None  # its line was there, and a person has taken it out
    return Known(f"a person deleted it on {step.day}, which declines it: {path}", path)
