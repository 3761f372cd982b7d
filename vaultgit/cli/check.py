from __future__ import annotations

import os
from collections.abc import Iterator

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
@click.option("--no-baseline", is_flag=True, help="Also what was there when the vault was set up.")
@click.option("--only", metavar="CHECK", multiple=True, help="Only this check; may be given several times.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)
@options.vault_option
@options.json_option
def command(
    paths: tuple[str, ...],
    staged: bool,
    everything: bool,
    start: str | None,
    end: str,
    no_baseline: bool,
    only: tuple[str, ...],
    shape: str,
    vault: str | None,
    as_json: bool,
) -> int:
    """Hold notes to their rules: exit 1 and a line for each problem, with how to mend it.

    Without a path and an option it checks every note, like --all.

    \b
    Example:
      vaultgit check skills/review-a-pr.md
      vaultgit check --from origin/main --to HEAD
    """
    from vaultgit.checks import changes
    from vaultgit.checks import from_before
    from vaultgit.checks import run

    if sum((bool(paths), staged, everything, start is not None)) > 1:
        raise UsageError("give paths, or one of --staged, --all, --from", "vaultgit check --help")
    found: dict[Problem, str] = {}  # with the commit, where it was judged by itself
    with options.opened(vault) as opened:
        judged = [("", changes.staged(opened))] if staged else changes.committed(opened, start, end) if start else None
        for oid, change in judged or _lying(opened, paths):
            for problem in run(change, only or None, baseline=False):
                found.setdefault(problem, oid)
        before = [] if no_baseline else [problem for problem in found if from_before(opened.rules, problem)]
    shown = sorted(problem for problem in found if problem not in before)
    if as_json or shape == "json":
        out.as_json([p.as_json() | ({"commit": found[p]} if found[p] else {}) for p in shown])
    else:
        for problem in shown:
            out.say(f"{found[problem][:10]} {problem}".lstrip())
        out.talk(out.count(len(shown), "problem") if shown else "no problem")
        if before:
            out.talk(
                f"{out.count(len(before), 'problem')} from before, which block nothing: vaultgit check --no-baseline"
            )
    return errors.REFUSED if shown else errors.DONE


def _lying(vault: Vault, paths: tuple[str, ...]) -> Iterator[tuple[str, Change]]:
    from vaultgit.checks import changes

    notes = _under(vault, paths)
    if len(notes) > MANY:
        out.talk(f"checking {out.count(len(notes), 'note')}")
    return (("", change) for change in changes.lying(vault, notes))


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
            raise UsageError(f"there is no note or folder {inside}", "paths are relative to the vault's root")
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
