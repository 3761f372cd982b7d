from __future__ import annotations

import os

import click

from vaultgit import errors
from vaultgit.checks.change import Change
from vaultgit.checks.problem import Problem
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.vault import Vault

MANY = 500  # notes from which on progress is worth a line


@click.command("check")
@click.argument("paths", metavar="PATH…", nargs=-1)
@click.option("--staged", "staged", is_flag=True, help="What `git commit` would commit.")
@click.option("--all", "everything", is_flag=True, help="Every note of the vault.")
@click.option("--from", "start", metavar="REF", help="A range of commits: from here (as CI does) …")
@click.option("--to", "end", metavar="REF", default="HEAD", show_default=True, help="… to here.")
@click.option("--only", metavar="CHECK", multiple=True, help="Only this check; may be given several times.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
@options.vault_option
@options.json_option
def command(
    paths: tuple[str, ...], staged: bool, everything: bool, start: str | None, end: str, only: tuple[str, ...],
    shape: str, vault: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Hold notes to their rules: exit 1 and a line for each problem, with how to mend it.

    Without a path and an option it checks every note, like --all.

    \b
    Example:
      vaultgit check skills/review-a-pr.md
      vaultgit check --from origin/main --to HEAD
    """
    from vaultgit.checks import changes

    if sum((bool(paths), staged, everything, start is not None)) > 1:
        raise UsageError("give paths, or one of --staged, --all, --from", "vaultgit check --help")
    found: list[tuple[str, Problem]] = []
    with options.opened(vault) as opened:
        if staged:
            found = _problems("", changes.staged(opened), only)
        elif start is not None:
            for oid, change in changes.committed(opened, start, end):
                found += _problems(oid, change, only)
        else:
            notes = _under(opened, paths)
            if len(notes) > MANY:
                out.talk(f"checking {out.count(len(notes), 'note')}")
            found = _problems("", changes.lying(opened, notes), only)
    found = sorted(set(found), key=lambda pair: pair[1])
    if as_json or shape == "json":
        out.as_json([problem.as_json() | ({"commit": oid} if oid else {}) for oid, problem in found])
    else:
        for oid, problem in found:
            out.say(f"{oid[:10]} {problem}" if oid else str(problem))
        out.talk(out.count(len(found), "problem") if found else "no problem")
    return errors.REFUSED if found else errors.DONE


def _problems(oid: str, change: Change, only: tuple[str, ...]) -> list[tuple[str, Problem]]:
    from vaultgit import checks

    return [(oid, problem) for problem in checks.run(change, only or None)]


def _under(vault: Vault, paths: tuple[str, ...]) -> list[str]:
    """Files to check: those named; all notes below a folder; all of the vault without any."""
    wanted: list[str] = []
    for path in paths or ("",):
        inside = vault.relative(path).rstrip("/") if path not in ("", ".") else ""
        full = vault.full(inside)
        if os.path.isdir(full):
            wanted += _notes_below(vault, inside)
        elif os.path.isfile(full):
            wanted.append(inside)
        else:
            raise UsageError(f"there is no note {inside}", "paths are relative to the vault's root")
    return list(dict.fromkeys(wanted))


def _notes_below(vault: Vault, folder: str) -> list[str]:
    """Notes of a folder, without hidden folders, other repositories and what a link leads to."""
    found: list[str] = []
    for here, folders, files in os.walk(vault.full(folder) if folder else vault.root):
        folders[:] = sorted(
            name for name in folders
            if not name.startswith(".") and not os.path.lexists(os.path.join(here, name, ".git"))
            and not os.path.islink(os.path.join(here, name))
        )  # fmt: skip
        inside = os.path.relpath(here, vault.root)
        found += [
            name if inside == "." else f"{inside}/{name}" for name in sorted(files) if name.lower().endswith(".md")
        ]
    return found
