"""The lines that invite an agent to look into the vault, in the file of instructions that its client gives it in every
folder. What a hook or a server says forbids well and invites badly; what stands there invites.
"""

from __future__ import annotations

from vaultgit import resources
from vaultgit.errors import UsageError
from vaultgit.install import block
from vaultgit.install import plainfile
from vaultgit.install.block import HTML
from vaultgit.install.clients import files
from vaultgit.install.clients.plan import Step

_TEMPLATE = "clients/instructions.md"


def text(program: str, vault: str) -> bytes:
    """The lines. `program`, `vault`: words quoted for sh. Raises UsageError where they cannot hold them."""
    if set(program + vault) & set("`\n\r"):
        raise UsageError(
            f"instructions cannot hold this path: {program} {vault}", "move it to one without ` and newline"
        )
    shipped = resources.read("hooks", _TEMPLATE).decode()
    return shipped.replace("{program}", program).replace("{vault}", vault).encode("utf-8", "surrogateescape")


def stand(path: str) -> bool:
    """Whether lines of ours are there. Raises UsageError for what is no plain file."""
    return block.find(plainfile.read(path) or b"", HTML) is not None


def put(path: str, program: str, vault: str) -> tuple[list[Step], list[str]]:
    """The step that puts our lines there, or brings them up to date; and what is left alone."""
    before, lines = plainfile.read(path), text(program, vault)
    here = block.find(before or b"", HTML)
    if here is not None and here.edited:
        return [], [f"{path}: our lines there were edited, so they are yours"]
    after = block.add(before, lines, HTML)
    if after == before:
        return [], []
    kept = before if here is None else None
    if kept is not None:
        files.backup_of(path, kept)
    number = lines.count(b"\n")
    words = f"+{number} lines between markers" if here is None else "our lines brought up to date"
    words += " (yours kept)" if before and here is None else ""
    return [Step(path, before, after, words, kept, needed=False)], []


def take_out(path: str) -> tuple[list[Step], list[str], dict[str, bytes]]:
    """The step that takes them out again, what is left alone, and the backups that are not needed then."""
    before, backups, former = plainfile.read(path), files.backups(path), files.former_backup(path)
    here = block.find(before or b"", HTML)
    if before is None or here is None:
        return [], [], backups
    if here.edited:
        return [], [f"{path}: our lines there were edited and are yours; delete them if you do not want them"], backups
    after = block.remove(before, HTML)
    if after is None and (backups or former == b""):
        after = b""  # an empty file was there
    words = "deleted: it held nothing else" if after is None else "our lines taken out"
    words += "; every byte as it was before" if after is not None and after in [*backups.values(), former] else ""
    if former is not None and former == after:
        backups[path + files.BACKUP] = former
    return [Step(path, before, after, words)], [], backups
