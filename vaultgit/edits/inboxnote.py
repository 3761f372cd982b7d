"""Inbox notes: what could not be merged, or what an agent was not sure of, whole, for a person to decide."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from vaultgit.checks.secrets import redact
from vaultgit.edits import judge
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.errors import VaultgitError
from vaultgit.history.filters import Space
from vaultgit.history.filters import spaces
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.vault import Vault


class Proposal(NamedTuple):
    """What an inbox note proposes."""

    target: str  # path in the vault
    agent: str
    reason: str
    action: str  # write, append, set, move, delete
    base: str  # oid, or ""
    edit: str  # id, or ""
    text: bytes | None  # None for delete


class Kept(NamedTuple):
    """A file's text that git holds: COMMIT:PATH, or a blob, with the path whose filters it goes through."""

    name: str
    path: str = ""

    @property
    def command(self) -> str:
        """What prints it as it lay on disk. (`git show` gives what git stores: ciphertext, a pointer.)"""
        where = ("--path", self.path) if self.path else ()
        return " ".join(map(shlex.quote, ("git", "cat-file", "--filters", *where, self.name)))


class Made(NamedTuple):
    """An inbox note: path, bytes, and the blob that it names where it must not hold the text itself ("" for none)."""

    path: str
    data: bytes
    kept: str = ""


class Whose(NamedTuple):
    """Who wanted what did not merge: a name, the line of the edit, its day, and its id ("" for none)."""

    name: str
    line: str
    day: str
    edit: str


def make(vault: Vault, edit: Edit, change: PathChange, conflict: str, space: Space) -> Made:
    """The inbox note for one change of an edit that did not merge. `space`: of the note that it is about."""
    whose = Whose(edit.agent or edit.author[0], edit.subject, edit.authored[:10], edit.id)
    path = path_of(vault, change.path, whose.day, edit.id)
    twins = [c.path for c in edit.changes if path_of(vault, c.path, whose.day, edit.id) == path]
    if change.path != twins[0]:  # of one edit: a move keeps the name
        path = f"{path.removesuffix('.md')}-{twins.index(change.path) + 1}.md"
    sealed = is_sealed(vault, path, space.program or space.missing)
    if not sealed or change.new is None:
        return Made(path, aside(vault, whose, change, conflict, sealed=sealed))
    text, _ = _without_secrets(vault, change)
    oid = space.to_blob(space.from_disk(text or b""))
    if not isinstance(oid, str):
        raise VaultgitError(f"{change.path} cannot be stored through the filter {space.missing}", "set it up here")
    return Made(path, named(vault, whose, change.path, conflict, Kept(oid, vault.prefix + change.path)), oid)


def is_sealed(vault: Vault, path: str, program: str) -> bool:
    """Whether an inbox note at `path` must not hold the text of a file that goes through this filter ("" for none) on
    its way into git: git-crypt would have been for nothing. One that goes through the same may."""
    full = vault.prefix + path
    return bool(program) and spaces(vault.repo, [full])[full].program != program


def named(vault: Vault, whose: Whose, target: str, conflict: str, kept: Kept) -> bytes:
    """The bytes of a note that does not hold what did not merge, and says how to get it."""
    said = f"{whose.name} wanted: {whose.line} (the file is in git: {kept.command})"
    return compose(vault, Proposal(target, whose.name, conflict, "write", "", whose.edit, None), whose.day, said)


def aside(vault: Vault, whose: Whose, change: PathChange, conflict: str, *, sealed: bool = False) -> bytes:
    """The bytes of a note that keeps what did not merge, whole. `sealed`: the text that it was based on is no plain
    blob either."""
    base, text, secret = "", *_without_secrets(vault, change)
    if change.base is not None and not (secret or sealed):
        base = vault.repo.run("hash-object", "-w", "--no-filters", "--stdin", input=change.base).decode().strip()
    action = "delete" if change.new is None else _action(change.action)
    proposal = Proposal(change.path, whose.name, conflict, action, base, whose.edit, text)
    return compose(vault, proposal, whose.day, f"{whose.name} wanted: {whose.line}")


def _without_secrets(vault: Vault, change: PathChange) -> tuple[bytes | None, bool]:
    """The text that did not merge, and whether it or what it was made from holds a secret: in a line that only the
    person has, it is not for history."""
    text = change.new
    if not judge.secrets(vault, change.path, (change.base or b"") + b"\n" + (text or b"")):
        return text, False
    if text is not None:
        text = redact(text.decode("utf-8", "surrogateescape"))[0].encode("utf-8", "surrogateescape")
    return text, True


def _action(asked: str) -> str:
    """What accepting the note would do, as its schema knows it: how an edit came to be is no matter there."""
    return asked if asked in ("append", "set", "move") else "write"


def path_of(vault: Vault, target: str, day: str, edit_id: str) -> str:
    """A path no other edit gets: the tail of the id makes it so, also in two clones."""
    name = target.rpartition("/")[2].removesuffix(".md")
    slug = re.sub(r"[^\w-]+", "-", name.casefold()).strip("-")[:40] or "note"
    folder = vault.rules.folder("inbox")
    return f"{folder}/{day}-{slug}-{edit_id[-4:]}.md" if folder else f"{day}-{slug}-{edit_id[-4:]}.md"


def compose(vault: Vault, proposal: Proposal, day: str, said: str) -> bytes:
    """The note's bytes: properties, one sentence, and the proposed text in a fence longer than any run inside."""
    properties = {
        vault.settings.type_key: "inbox",
        "date": day,
        "agent": proposal.agent,
        "target": f"[[{proposal.target.removesuffix('.md')}]]",
        "reason": " ".join(proposal.reason.split()) or "not sure",
        "edit": proposal.edit or None,
        "action": proposal.action,
        "base": proposal.base or None,
    }
    head = patch.set_properties(b"", {k: v for k, v in properties.items() if v is not None})
    sentence = " ".join(said.split()).encode("utf-8", "surrogateescape")
    if proposal.text is None:
        return head + sentence + b"\n"
    return head + sentence + b"\n\n" + _fenced(proposal.text) + b"\n"


def with_text(data: bytes, text: bytes) -> bytes:
    """An inbox note with another proposed text; all else stays."""
    block = frontmatter.block(data)
    found = _FENCE.search(data, block.body if block else 0)
    return data if found is None else data[: found.start()] + _fenced(text) + data[found.end() :]


def _fenced(text: bytes) -> bytes:
    runs = re.findall(rb"`+", text)
    fence = b"`" * max(4, max((len(run) for run in runs), default=0) + 1)
    # The text's own last newline ends its last line; without one, the info string says so, for the way back.
    mark = b"markdown" if text.endswith(b"\n") or not text else b"markdown no-final-newline"
    gap = b"" if text.endswith(b"\n") or not text else b"\n"
    return fence + mark + b"\n" + text + gap + fence


_WANTED = re.compile(rb"(?m)^\S+ wanted: (.{1,400})$")


def wanted(data: bytes) -> str:
    """The line of the edit that did not merge, as the note tells it; "" in a note that an agent proposed."""
    block = frontmatter.block(data)
    found = _WANTED.match(data, block.body) if block else None
    return found[1].decode("utf-8", "replace").strip() if found else ""


_IN_GIT = re.compile(rb"\(the file is in git: git (?:show|cat-file --filters) (.+)\)$", re.MULTILINE)
_COMMITTED = re.compile(r"([0-9a-f]{4,64}):(.+)", re.DOTALL)
_ACTIONS = ("append", "write", "set", "move", "delete")
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FENCE = re.compile(rb"^(`{4,})markdown( no-final-newline)?[ \t]*\r?\n(.*?)^\1[ \t]*\r?$", re.MULTILINE | re.DOTALL)


def parse(vault: Vault, path: str, data: bytes) -> Proposal:
    """What an inbox note proposes, with what a person changed in the fence. Raises VaultgitError with the place."""
    properties = frontmatter.read(data)
    if properties.problems:
        problem = properties.problems[0]
        raise VaultgitError(f"{path}:{problem.line}: {problem.message}", problem.mend)
    values = properties.values
    target = re.fullmatch(r"\[\[(.+)\]\]", str(values.get("target", "")))
    if values.get(vault.settings.type_key) != "inbox" or target is None:
        raise VaultgitError(f"{path} is no inbox note: it needs type: inbox and a target link")
    action = str(values.get("action") or "write")
    if action not in _ACTIONS:
        raise VaultgitError(f"{path}: there is no action {action}", f"action: one of {', '.join(_ACTIONS)}")
    block = frontmatter.block(data)
    found = _FENCE.search(data, block.body if block else 0)
    kept = _IN_GIT.search(data, block.body if block else 0)
    if found is None and kept and action != "delete":
        there, name = _kept(kept[1].decode("utf-8", "surrogateescape"))
        raise VaultgitError(
            f"{path} keeps no text: the file is in git",
            f"{there.command} > {shlex.quote(name)}   (at the repository's top), or reject it",
        )
    if found is None and action != "delete":
        raise VaultgitError(f"{path}: the fence with the proposed text is gone or broken", "restore it, or reject it")
    text = None
    if found is not None and action != "delete":
        text = found[3].removesuffix(b"\n") if found[2] else found[3]
    base = str(values.get("base") or "")
    return Proposal(
        _path(vault, target[1]),
        str(values.get("agent") or ""), str(values.get("reason") or ""), action,
        base if _OID.fullmatch(base) else "",  # git would look up names, too
        str(values.get("edit") or ""), text,
    )  # fmt: skip


def _kept(said: str) -> tuple[Kept, str]:
    """What stands behind git's command in an inbox note, and the path that the file belongs at."""
    try:
        words = shlex.split(said)
    except ValueError:
        words = [said]
    if len(words) == 3 and words[0] == "--path" and _OID.fullmatch(words[2]):
        return Kept(words[2], words[1]), words[1]
    name = words[0] if len(words) == 1 else said  # as earlier versions wrote it: without quotes
    found = _COMMITTED.fullmatch(name)
    return Kept(name), found[2] if found else name


def _path(vault: Vault, link: str) -> str:
    """The note a target link names. `c#` may be a note's whole name, or `c` and what a person put behind it."""
    import os

    names = list(dict.fromkeys(name.strip() for name in (link, re.split(r"[|#]", link)[0]) if name.strip()))
    found = [path for name in names for path in (f"{name}.md", name) if os.path.isfile(vault.full(path))]
    return found[0] if found else f"{names[0]}.md"
