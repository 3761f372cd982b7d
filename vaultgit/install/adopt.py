"""`init --adopt`: front matter for notes that lie in a type's folder and have none of that type, as a review branch.

Only what can be told is proposed: the type, a name or a day from the file's name, what the note says already. A note
that would not fit its schema then is named and left, and so is one whose `type` says something else. One commit a type,
built from objects: the vault that a person has open is not touched. Every other byte of a note stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any
from typing import NamedTuple

from vaultgit.checks import message as message_rules
from vaultgit.checks import protected
from vaultgit.clock import Clock
from vaultgit.edits.edit import agent_author
from vaultgit.edits.edit import message
from vaultgit.edits.edit import new_id
from vaultgit.history import filters
from vaultgit.history import objects
from vaultgit.history import refs
from vaultgit.history.objects import File
from vaultgit.history.objects import NewCommit
from vaultgit.history.repository import Identity
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.vault import Vault

AGENT = "vaultgit"
_WRITTEN_BY_AGENTS = ("inbox", "session")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?!\d)")


class Adoption(NamedTuple):
    """`proposed`: type -> path -> the note with its front matter, as git stores it. `needs`: path -> what a person has
    to say first."""

    proposed: dict[str, dict[str, File]]
    needs: dict[str, str]

    @property
    def number(self) -> int:
        return sum(len(notes) for notes in self.proposed.values())


def plan(vault: Vault, tick: Callable[[int], None] = lambda _: None) -> Adoption:
    """What can be proposed for the notes of the vault as they are committed."""
    rules, found = vault.rules, Adoption({}, {})
    entries = _candidates(vault)
    spaces = filters.spaces(vault.repo, [vault.prefix + path for path, _, _ in entries])
    for path, mode, oid in entries:
        tick(1)
        unfit = _unfit(path)
        if unfit:
            found.needs[path] = unfit
            continue
        blob, space = vault.repo.blob(oid), spaces[vault.prefix + path]
        data = space.from_blob(oid, blob.data) if blob else b""
        properties, note_type = frontmatter.read(data), rules.expected_type(path) or ""
        if properties.problems or rules.managed(path, data) or properties.values.get(rules.settings.type_key):
            continue
        new = _with_front_matter(vault, note_type, path, data, properties.values)
        if isinstance(new, str):
            found.needs[path] = new
        else:
            found.proposed.setdefault(note_type, {})[path] = File(space.to_blob(new), mode)
    return found


def _candidates(vault: Vault) -> list[tuple[str, str, str]]:
    """Path, mode and oid of committed notes that lie in the folder of a type that a person writes."""
    scope = ["--", vault.prefix] if vault.prefix else []
    found = []
    for entry in vault.repo.run("ls-tree", "-r", "-z", "HEAD", *scope).split(b"\0"):
        meta, _, name = entry.partition(b"\t")
        path = os.fsdecode(name)[len(vault.prefix) :]
        note_type = vault.rules.expected_type(path)
        if note_type is not None and note_type not in _WRITTEN_BY_AGENTS and meta.startswith(b"100"):
            mode, _, oid = meta.decode().split(" ")
            found.append((path, mode, oid))
    return found


def _unfit(path: str) -> str:
    """Why a note can be part of no review branch, in words; "" where it can. Its name stands in the message, and the
    branch is judged as an agent's."""
    problems = protected.path_problems(path, agent=True) or message_rules.problems_of_reason(path)
    return f"its name: {problems[0].message}" if problems else ""


def propose(vault: Vault, clock: Clock, adoption: Adoption) -> str:
    """Makes the branch, and returns its name; that of one which waits already with just these notes."""
    repo, tip = vault.repo, refs.tip(vault.repo, "HEAD")
    author, now, person = Identity(*agent_author(AGENT, vault.settings.emails)), clock.now(), vault.repo.person()
    committer = Identity(person.name, person.email)
    commits = []
    for note_type, notes in sorted(adoption.proposed.items()):
        paths = list(notes)
        count = f"{len(paths)} note{'s' if len(paths) > 1 else ''}"
        subject = f"{vault.rules.folder(note_type) or 'vault'}: front matter for {count} of type {note_type}"
        reason = "They lie in the folder of that type and do not say it. Nothing else in them changes.\n\n"
        reason += "\n".join(f"- {path}" for path in paths)
        trailers = [("Agent", AGENT), ("Edit", new_id(clock))]
        files: dict[str, File | None] = {vault.prefix + path: file for path, file in notes.items()}
        commits.append(NewCommit(author, now, committer, now, message(subject, reason, trailers), files))
    scratch = f"{refs.LANDING}{new_id(clock)}"
    made = objects.write(repo, scratch, tip, commits).commits[-1]
    try:
        waiting = _same_tree(vault, made)
        if waiting:
            return waiting
        name = _free(vault, f"adopt/{now:%Y-%m-%d}")
        repo.run("update-ref", f"refs/heads/{name}", made, refs.null_oid(repo))
        return name
    finally:
        refs.drop_own(repo, scratch)


def _with_front_matter(vault: Vault, note_type: str, path: str, data: bytes, there: dict[str, Any]) -> bytes | str:
    """The note with what can be told, or in words what is missing."""
    values = {vault.settings.type_key: note_type}
    for key, value in _told(vault, note_type, path, there).items():
        if value is not None and there.get(key) is None:
            values[key] = value
    problems = vault.rules.types.validate(note_type, there | values)
    if problems:
        return "; ".join(problem.message for problem in problems)
    try:
        return patch.set_properties(data, values)
    except frontmatter.FrontMatterError as error:
        return error.message


def _told(vault: Vault, note_type: str, path: str, there: dict[str, Any]) -> dict[str, Any]:
    """What the file's name, its history and what stands in it say."""
    stem = path.rpartition("/")[2].removesuffix(".md")
    day = _DAY.search(stem)
    told: dict[str, Any] = {}
    if note_type in ("project", "concept", "skill"):
        told["name"] = stem
    if note_type == "decision":
        told["date"] = day[1] if day else None
    if note_type == "daily":
        daily = vault.rules.daily.day(path)
        told["date"] = daily.isoformat() if daily else day[1] if day else None
    if note_type == "skill":
        description = there.get("description")
        told |= {"version": 1, "trigger": description if isinstance(description, str) else None}
        told["last_updated"] = _last_change(vault, path)
    return told


def _last_change(vault: Vault, path: str) -> str | None:
    out = vault.repo.run("log", "-1", "--format=%as", "HEAD", "--", vault.prefix + path).decode().strip()
    return out or None


def _same_tree(vault: Vault, commit: str) -> str:
    """A branch of an earlier adoption that would bring just the same."""
    listed = vault.repo.run("for-each-ref", "--format=%(tree) %(refname:short)", "refs/heads/adopt/").decode()
    tree = vault.repo.run("rev-parse", f"{commit}^{{tree}}").decode().strip()
    return next((line.partition(" ")[2] for line in listed.splitlines() if line.startswith(tree)), "")


def _free(vault: Vault, name: str) -> str:
    taken = vault.repo.run("for-each-ref", "--format=%(refname:short)", "refs/heads/adopt/").decode().split("\n")
    names = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
    return next(one for one in names if one not in taken)
