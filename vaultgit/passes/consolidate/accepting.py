"""The edit that accepting a proposal makes: a new note, more text in one that is there, or an inbox note."""

from __future__ import annotations

import re
from typing import NamedTuple

from vaultgit.clock import Clock
from vaultgit.edits import inboxnote
from vaultgit.edits.compose import endings_of
from vaultgit.edits.compose import plain
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import shorten
from vaultgit.edits.inboxnote import Proposal
from vaultgit.edits.submit import current
from vaultgit.edits.submit import refuse_path
from vaultgit.errors import VaultgitError
from vaultgit.notes import frontmatter
from vaultgit.notes.reviewfile import Block
from vaultgit.passes.consolidate import proposals
from vaultgit.passes.consolidate.proposals import field
from vaultgit.passes.sealed import Seals
from vaultgit.vault import Vault

AGENT = "vaultgit"  # whose text a draft is as long as nobody has accepted it: what only people may change, it may not
_LINK = re.compile(r"\[\[[^\[\]\n]+\]\]")


class Wanted(NamedTuple):
    """`changes`: none where the note says it already. `inbox`: the inbox note that it makes, and `reason` why."""

    changes: list[PathChange]
    subject: str
    inbox: str = ""
    reason: str = ""


def wanted(vault: Vault, clock: Clock, one: Block) -> Wanted:
    """The edit that accepting makes. Raises Refused, or VaultgitError where the block is not one that can be done."""
    given, action = field(one, "path"), field(one, "action")
    if one.draft is None or not one.draft.strip():
        raise VaultgitError("it has no draft any more: put the text back, or tick reject")
    if not given or action not in (proposals.CREATE, proposals.ADD):
        what = "`path` is gone" if not given else f"`action: {action}` is neither create nor add"
        raise VaultgitError(f"{what}: mend its line, or tick reject")
    path = vault.relative(given)
    # As an agent's: whoever put the path there, what is protected is not for a draft.
    refuse_path(vault, path, AGENT)
    if not path.lower().endswith(".md"):
        raise VaultgitError(f"{path} is no note's path: it ends in .md")
    text, there = draft(one), current(vault, path)
    scope = path.removesuffix(".md")
    if action == proposals.ADD:
        return _added(path, there, text, scope)
    if there is None or not there.removeprefix(frontmatter.BOM).strip():
        expected = vault.rules.expected_type(path)
        if expected is not None and vault.rules.managed(path, text) != expected:
            raise VaultgitError(_of_another_type(vault, path, text, expected))
        return Wanted([PathChange(path, there, text, "write")], _subject(scope, _new(one)))
    if _plain(there) == _plain(text):
        return Wanted([], "")
    note_type = vault.rules.managed(path, there)
    if note_type is None or vault.rules.managed(path, text) != note_type:
        return _to_inbox(vault, clock, one, path, text, note_type)
    return _added(path, there, text, scope)


def _of_another_type(vault: Vault, path: str, text: bytes, expected: str) -> str:
    """Which line counts: the list above the draft has a `type` as well, and who changed that sees it stand there."""
    key, values = vault.settings.type_key, frontmatter.read(text).values
    says = f"the draft says `{key}: {values[key]}`" if values.get(key) else f"the draft has no `{key}`"
    where = path.rpartition("/")[0] or "the vault"
    return f"in {where} a note needs `{key}: {expected}`, and {says}: change it there, too"


def _new(one: Block) -> str:
    captures = len(_LINK.findall(field(one, "seen")))
    many = f"{captures} capture{'s' if captures != 1 else ''}" if captures else "captures"
    return f"new {field(one, 'type')}".rstrip() + f", from {many}"


def _subject(scope: str, what: str) -> str:
    return shorten(plain(f"{scope}: {what}"))


def draft(one: Block) -> bytes:
    """The text of a draft, with what a person edited in it. Blanks at the end of each and every line are an editor's:
    they are no text."""
    text = (one.draft or "").removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    if all(line != line.rstrip(" \t") for line in lines[:-1]):
        text = "\n".join(line.rstrip(" \t") for line in lines)
    return text.encode("utf-8", "surrogateescape")


def _plain(data: bytes) -> bytes:
    return data.removeprefix(frontmatter.BOM).replace(b"\r\n", b"\n").strip()


def _added(path: str, there: bytes | None, text: bytes, scope: str) -> Wanted:
    """The draft's body below what the note has; its properties stay as they are."""
    if there is None:
        raise VaultgitError(f"{path} is not there any more: mend `path`, or write `action: create`")
    block = frontmatter.block(text)
    body = text[block.body if block else 0 :].strip(b"\n")
    title = body.partition(b"\n")[0].strip()
    if title.startswith(b"# ") and title in {line.strip() for line in there.split(b"\n")}:
        body = body.partition(b"\n")[2].strip(b"\n")
    if not body.strip() or body in there.replace(b"\r\n", b"\n"):
        return Wanted([], "")
    listed = _is_item(body.partition(b"\n")[0]) and _is_item(there.rstrip().rpartition(b"\n")[2])
    gap = b"" if there.endswith(b"\n") else b"\n"
    gap += b"" if listed or there.endswith((b"\n\n", b"\n\r\n")) else b"\n"
    new = there + endings_of(there, gap + body + b"\n")
    return Wanted([PathChange(path, there, new, "append")], _subject(scope, "added what captures say"))


def _is_item(line: bytes) -> bool:
    return line.lstrip().startswith((b"- ", b"* ", b"+ "))


def _to_inbox(vault: Vault, clock: Clock, one: Block, path: str, text: bytes, note_type: str | None) -> Wanted:
    """The whole draft as an inbox note, beside a note that it cannot be merged with."""
    what = f"a {note_type} is there" if note_type else "a note of your own is there"
    reason = f"{path}: {what}, with another text"
    day = clock.now().strftime("%Y-%m-%d")
    proposal = Proposal(path, AGENT, reason, "write", "", "", text)
    target = inboxnote.path_of(vault, path, day, one.id)
    if current(vault, target) is not None:
        raise VaultgitError(f"{target} is in the inbox already: vaultgit inbox show {target}")
    if not Seals(vault).may_quote(path, target):
        raise VaultgitError(f"{reason}; git stores it through a filter, and {target} not: mend `path`, or that note")
    data = inboxnote.compose(vault, proposal, day, f"You accepted this as {path}, where {what}.")
    scope = target.removesuffix(".md")
    subject = _subject(scope, f"accepted as {path.removesuffix('.md')}")
    return Wanted([PathChange(target, None, data)], subject, target, reason)
