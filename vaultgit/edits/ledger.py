"""Which lines changelog.md should hold: a projection of history.

A commit carries an edit id if any line of its message says so. The line of an id comes from the oldest commit that
has it as a trailer; of a squash, from the part of its message that the id ends.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from vaultgit.edits import changelog
from vaultgit.edits import queue
from vaultgit.edits.changelog import Line
from vaultgit.edits.edit import CARRIED
from vaultgit.history import filters
from vaultgit.history import private
from vaultgit.history import refs
from vaultgit.history import stamps
from vaultgit.history.repository import Repository
from vaultgit.vault import Vault

_FORMAT = "%H%x00%an%x00%aI%x00%ct%x00%(trailers:key=Edit,valueonly,separator=%x20)%x00%B"


class Carrier(NamedTuple):
    """A commit whose message carries edit ids."""

    oid: str
    author: str
    authored: datetime
    committed: int
    own: str  # the id it has as a trailer (the last one), or ""
    body: str

    @property
    def subject(self) -> str:
        return " ".join(self.body.strip().split("\n\n")[0].split("\n"))


def ids(carrier: Carrier) -> set[str]:
    """The ids of edits that a commit carries."""
    return set(CARRIED.findall(carrier.body))


def carriers(vault: Vault, *revisions: str) -> Iterator[Carrier]:
    """Commits of a range that carry ids, newest first. `revisions`: oids or refs, `^oid` excludes, `-nN` limits.

    In a vault below the repository's root those that touch it: another vault beside it has a changelog of its own.
    """
    if not revisions:
        return
    scope = ["--full-history", "--", vault.prefix] if vault.prefix else ["--"]
    out = vault.repo.run(
        "log", "-z", "--no-show-signature", "--no-color", "--no-decorate", "--encoding=UTF-8", "--extended-regexp",
        "--grep", "^[[:space:]]*Edit: [0-9a-z]{16}[[:space:]]*$", f"--format={_FORMAT}", *revisions, *scope,
    ).decode("utf-8", "surrogateescape")  # fmt: skip
    fields = out.split("\0")
    for oid, author, authored, committed, own, body in zip(*(fields[n::6] for n in range(6)), strict=False):
        if CARRIED.search(body):
            ids = own.split()
            yield Carrier(oid, author, stamps.moment(authored), stamps.seconds(committed), ids[-1] if ids else "", body)


def lines(found: Iterator[Carrier]) -> dict[str, Line]:
    """The line of every id that these commits carry."""
    best: dict[str, tuple[tuple[bool, int, str], Line]] = {}
    for carrier in found:
        for edit_id in dict.fromkeys(CARRIED.findall(carrier.body)):
            rank = (edit_id != carrier.own, carrier.committed, carrier.oid)
            if edit_id not in best or rank < best[edit_id][0]:
                best[edit_id] = (rank, _line(carrier, edit_id))
    return {edit_id: line for edit_id, (_, line) in best.items()}


def _line(carrier: Carrier, edit_id: str) -> Line:
    if set(CARRIED.findall(carrier.body)) == {carrier.own}:
        return changelog.line(carrier.subject, carrier.author, carrier.authored, edit_id)
    return _squashed_line(carrier, edit_id)


_HEADER = re.compile(r"^(commit [0-9a-f]{40,64}|Author: .*|AuthorDate: .*|Commit: .*|Date: .*|Merge: .*|)$")


def _squashed_line(carrier: Carrier, edit_id: str) -> Line:
    """The line of an edit whose message was joined with others: by `merge --squash`, a forge, or `rebase -i`."""
    part: list[str] = []
    for raw in carrier.body.split("\n"):
        carried = CARRIED.match(raw)
        if carried and carried[1] == edit_id:
            break
        part = [] if carried or re.match(r"^commit [0-9a-f]{40,64}$", raw) else [*part, raw]
    # A forge's message: `* subject` in a paragraph of its own; the last one, since commits without an id have one, too.
    starred = [n for n, raw in enumerate(part) if re.match(r"^\* \S", raw) and not "".join(part[n + 1 : n + 2]).strip()]
    part = part[starred[-1] :] if starred else part
    author, authored, subject = carrier.author, carrier.authored, ""
    for raw in part:
        if raw.startswith("Author: "):
            author = raw.removeprefix("Author: ").split(" <")[0].strip()
        elif raw.startswith("Date: "):
            try:
                authored = datetime.strptime(raw.removeprefix("Date: ").strip(), "%a %b %d %H:%M:%S %Y %z")
            except ValueError:
                continue
        elif not subject and not _HEADER.match(raw):
            subject = raw.strip().removeprefix("* ").strip()
        elif raw.strip().startswith("Agent: "):
            author = raw.strip().removeprefix("Agent: ").strip() if author == carrier.author else author
    return changelog.line(subject or carrier.body.strip().split("\n")[0], author, authored, edit_id)


class Projection(NamedTuple):
    """Lines by changelog file, for the files that a write has to look at."""

    files: dict[str, dict[str, Line]]
    last: str | None  # the write of ours that they start from; None: rendered from all of history

    def place(self, vault: Vault, newest: str) -> None:
        """Moves lines of months that are over from changelog.md to their month's file (changelog.file_of).

        `newest` is the day of the newest edit.
        """
        recent = self.files[changelog.FILE]
        newest = max([newest, *(line.day for line in recent.values())])
        for edit_id, line in list(recent.items()):
            path = changelog.file_of(line.day, newest, vault.settings.months_kept)
            if path != changelog.FILE:
                if path not in self.files:
                    self.files[path] = changelog.parse(committed(vault, self.last, path)) if self.last else {}
                self.files[path][edit_id] = recent.pop(edit_id)


def project(vault: Vault, ref: str, tip: str | None) -> Projection:
    """What the changelog files should hold at `tip`, before a write adds its own lines.

    From the last write of ours on this branch, where that is an ancestor: its lines plus the commits since, whatever
    HEAD's copy says (a person's revert of the newest edit takes its line away). Else from all of history.
    """
    if tip is None:
        return Projection({changelog.FILE: {}}, None)
    last = _last_write(vault, ref)
    if last is None or not (last == tip or refs.is_ancestor(vault.repo, last, tip)):
        return _from_history(vault, tip)
    files = {changelog.FILE: changelog.parse(committed(vault, last, changelog.FILE))}
    if last != tip:
        added = lines(carriers(vault, tip, f"^{last}"))
        if added and any(
            added.keys() & changelog.parse(committed(vault, last, path)).keys() for path in files_at(vault, last)
        ):
            return _from_history(vault, tip)  # a twin of an old commit: which one is older takes a full look
        for path in _months_changed(vault, last, tip):
            files[path] = changelog.parse(committed(vault, last, path))
        files[changelog.FILE].update(added)
    return Projection(files, last)


def _months_changed(vault: Vault, last: str, tip: str) -> list[str]:
    """Files of older months that a person or a merge has changed since: they are looked at again."""
    folder = vault.prefix + changelog.FOLDER
    before, after = (vault.repo.object(f"{commit}:{folder}") for commit in (last, tip))
    if (before and before[0]) == (after and after[0]):
        return []
    was, now = _blobs_at(vault, last), _blobs_at(vault, tip)
    return sorted(path for path in was.keys() | now.keys() if was.get(path) != now.get(path) and path != changelog.FILE)


def _from_history(vault: Vault, tip: str) -> Projection:
    every = lines(carriers(vault, tip))
    if not history_is_complete(vault.repo):
        for path in files_at(vault, tip):
            for edit_id, line in changelog.parse(committed(vault, tip, path)).items():
                every.setdefault(edit_id, line)
    return Projection({**{path: {} for path in files_at(vault, tip)}, changelog.FILE: every}, None)


def committed(vault: Vault, commit: str, path: str) -> bytes | None:
    """A changelog file as a commit holds it, as text."""
    full = vault.prefix + path
    blob = vault.repo.blob(f"{commit}:{full}")
    return filters.spaces(vault.repo, [full])[full].from_blob(blob.oid, blob.data) if blob else None


def files_at(vault: Vault, commit: str) -> list[str]:
    """The changelog files a commit holds, relative to the vault."""
    return list(_blobs_at(vault, commit))


def _blobs_at(vault: Vault, commit: str) -> dict[str, str]:
    names = [vault.prefix + changelog.FILE, vault.prefix + changelog.FOLDER + "/"]
    found: dict[str, str] = {}
    for entry in vault.repo.run("ls-tree", "-r", "-z", commit, "--", *names).split(b"\0"):
        meta, _, name = entry.partition(b"\t")
        path = os.fsdecode(name)[len(vault.prefix) :]
        if meta.startswith(b"100") and changelog.is_ours(path):
            found[path] = meta.split()[2].decode()
    return found


def history_is_complete(repo: Repository) -> bool:
    """False in a shallow or grafted clone, where a line's commit may lie beyond the edge."""
    return not any(os.path.exists(os.path.join(repo.common_dir, name)) for name in ("shallow", "info/grafts"))


# -- the last agreed tip: cache, rebuilt from history when lost -----------------------------------------------------


def _tips(vault: Vault) -> str:
    return os.path.join(vault.cache, "tips.json")


def _last_write(vault: Vault, ref: str) -> str | None:
    try:
        oid = (queue.read_json(_tips(vault)) or {}).get(f"{vault.prefix}\n{ref}")
    except (ValueError, AttributeError, OSError):
        return None
    return oid if isinstance(oid, str) and re.fullmatch(r"[0-9a-f]{40,64}", oid) else None


def remember(vault: Vault, ref: str, commit: str) -> None:
    """Notes that `commit` is a write of ours whose changelog agrees with its history."""
    try:
        tips = queue.read_json(_tips(vault)) or {}
        tips = tips if isinstance(tips, dict) else {}
    except (ValueError, OSError):
        tips = {}
    try:
        private.make(vault.cache)
        temporary = f"{_tips(vault)}.{os.getpid()}.tmp"
        record = json.dumps({**tips, f"{vault.prefix}\n{ref}": commit}).encode()
        queue.write_file(temporary, record, 0o600, sync=False)
        os.rename(temporary, _tips(vault))
    except OSError:
        pass  # a cache: the next write renders from history
