"""Files that go through a filter program which git's config here does not have: git-crypt is locked, git-lfs not
installed in this clone.

What lies there is what git stores, and git stores what is written there as it is: a line below ciphertext, which no
machine can read any more, or a note in plain where all others are encrypted. So no edit writes there; a file may go, or
move as it lies.
"""

from __future__ import annotations

from vaultgit.checks.problem import Problem
from vaultgit.edits import changelog
from vaultgit.edits.edit import Edit
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import moves
from vaultgit.edits.judge import Refused
from vaultgit.history import filters
from vaultgit.history import refs
from vaultgit.vault import Vault

_MENDS = {
    "git-crypt": "git-crypt unlock, then again",
    "lfs": "git lfs install --local, git lfs pull, then again",
}


def problems(vault: Vault, edit: Edit) -> list[Problem]:
    """PA03 for what an edit would write through a filter that is not here."""
    full = {path: vault.prefix + path for path in (*(change.path for change in edit.changes), changelog.FILE)}
    unknown = filters.unknown(vault.repo, full.values())
    if not unknown:
        return []
    sources = {new.path: old for new, old in moves(edit.changes)}
    found: dict[str, str] = {}
    for change in edit.changes:
        program, old = unknown.get(full[change.path], ""), sources.get(change.path)
        before = unknown.get(full[old.path], "") if old else program
        as_it_lies = old is not None and old.base == change.new
        if change.new is None or not (program or before):
            continue
        if before != program or not (as_it_lies or _was_there(vault, full[change.path], change)):
            found[change.path] = program or before
    if full[changelog.FILE] in unknown:  # each edit writes there, too
        found.setdefault(changelog.FILE, unknown[full[changelog.FILE]])
    return [Problem(path, 1, 1, "PA03", words(program), mend(program)) for path, program in found.items()]


def refuse(vault: Vault, path: str) -> None:
    """Raises Refused for such a file where an edit is to be made of what stands in it."""
    program = filters.unknown(vault.repo, [vault.prefix + path]).get(vault.prefix + path)
    if program:
        raise Refused([Problem(path, 1, 1, "PA03", words(program), mend(program))])


def words(program: str) -> str:
    return (
        f"passes through the filter {program} on its way into git (.gitattributes), which is not set up in this clone: "
        "git would store it as it is"
    )


def mend(program: str) -> str:
    return _MENDS.get(program, f"set up filter.{program} in git's config, as on the other machines; then again")


def _was_there(vault: Vault, full: str, change: PathChange) -> bool:
    """Whether the file was like this at some time: what an undo brings back is as git stores it."""
    from vaultgit.checks.changes import held_before

    if change.new == change.base:
        return True
    oid = vault.repo.run("hash-object", "--no-filters", "--stdin", input=change.new or b"").decode().strip()
    tip = refs.tip(vault.repo, "HEAD")
    return held_before(vault.repo, full, oid, [tip] if tip else [])
