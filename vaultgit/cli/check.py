from __future__ import annotations

import os
from typing import TYPE_CHECKING
from typing import NamedTuple

import click

from vaultgit import errors
from vaultgit.checks.problem import Problem
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.cli import report
from vaultgit.errors import UsageError
from vaultgit.vault import Disk
from vaultgit.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command("check")
@click.argument("paths", shell_complete=options.complete_path, metavar="[PATH…]", nargs=-1)
@click.option("--staged", "staged", is_flag=True, help="What `git commit` would commit.")
@click.option("--all", "everything", is_flag=True, help="Every note of the vault.")
@click.option("--from", "start", metavar="REF", help="A range of commits: from here (as CI does) …")
@click.option("--to", "end", metavar="REF", help="… to here (default: HEAD).")
@click.option("--no-baseline", is_flag=True, help="Also what was there when the vault was set up.")
@click.option("--only", metavar="CHECK", multiple=True, help="Only this one (links, names, secrets, …), also several.")
@click.option("--format", "shape", type=click.Choice(list(report.SHAPES)), default="text", show_default=True)
@options.vault_option
@options.json_option
def command(
    paths: tuple[str, ...],
    staged: bool,
    everything: bool,
    start: str | None,
    end: str | None,
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
    if sum((bool(paths), staged, everything, start is not None)) > 1:
        raise UsageError("give paths, or one of --staged, --all, --from", "vaultgit check --help")
    if end is not None and start is None:
        raise UsageError("--to belongs to --from", "vaultgit check --from origin/main --to HEAD")
    with options.opened(vault) as opened:
        if staged or start is not None:
            found = _of_changes(opened, start, end or "HEAD", only, baseline=not no_baseline)
        else:
            found = _lying(opened, paths, only, baseline=not no_baseline)
        shape = "json" if as_json else shape
        report.problems(shape, sorted(found.shown), found.shown, before=found.before, prefix=opened.prefix)
        if shape == "text":
            for path, why in _held_to_no_type(opened, paths):
                out.talk(f"{path}: {why}")
        if found.mended and shape != "json":
            out.talk(f"{out.count(found.mended, 'problem')} of the baseline mended since: vaultgit init takes them out")
    return errors.REFUSED if found.shown else errors.DONE


class _Found(NamedTuple):
    """Problems, with the commit that was judged by itself; how many are from before, and how many were and are not."""

    shown: dict[Problem, str]
    before: int
    mended: int


def _of_changes(vault: Vault, start: str | None, end: str, only: tuple[str, ...], *, baseline: bool) -> _Found:
    from vaultgit import checks
    from vaultgit.checks import changes
    from vaultgit.checks import commits

    shown: dict[Problem, str] = {}
    before = set()
    for oid, change in commits.committed(vault, start, end) if start is not None else [("", changes.staged(vault))]:
        for problem in checks.run(change, only or None, baseline=False):
            if baseline and checks.is_old(change, problem, only or None):
                before.add(problem)
            else:
                shown.setdefault(problem, oid)
    return _Found(shown, len(before), 0)


def _lying(vault: Vault, paths: tuple[str, ...], only: tuple[str, ...], *, baseline: bool) -> _Found:
    from vaultgit import checks
    from vaultgit.checks import lying

    notes = _under(vault, paths) if paths else None
    with out.Progress("checking notes") as progress:
        found = lying.judge(vault.root, vault.rules, notes, vault=vault, only=only or None, tick=progress.more)
    old = {problem for problem in found if baseline and checks.from_before(vault.rules, problem)}
    everything = notes is None and not only
    known = {(path, key) for path, keys in vault.rules.baseline.items() for key in keys}
    mended = known - {(problem.path, problem.key) for problem in found} if everything else ()
    return _Found({problem: "" for problem in found if problem not in old}, len(old), len(mended))


def _held_to_no_type(vault: Vault, paths: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Notes that were named and whose front matter nobody checks: they are the person's own. And why."""
    from vaultgit.notes import frontmatter

    for path in dict.fromkeys(vault.relative(path) for path in paths):
        data = Disk(vault.root).read(path) if path.lower().endswith(".md") else None
        if data is None or vault.rules.managed(path, data):
            continue
        expected = vault.rules.expected_type(path)
        key = vault.settings.type_key
        if vault.rules.obsidian.is_template(path):
            why = "a template"
        elif expected:
            why = f"no `{key}: {expected}`"
        else:
            why = "in no type's folder"
        broken = frontmatter.read(data).problems if why != "a template" else []
        also = f" (it does not parse: line {broken[0].line}: {broken[0].message}; {broken[0].mend})" if broken else ""
        yield path, f"front matter not checked: {why}{also}"


def _under(vault: Vault, paths: tuple[str, ...]) -> list[str]:
    """Files to check: those named, and all notes below a folder."""
    wanted: list[str] = []
    for path in paths:
        inside = _inside(vault, path)
        full = vault.full(inside)
        if os.path.isdir(full):
            wanted += Disk(vault.root).notes(inside)
        elif os.path.isfile(full):
            wanted.append(inside)
        else:
            raise UsageError(f"there is no note or folder {inside}", "paths are relative to the vault's root")
    return list(dict.fromkeys(wanted))


def _inside(vault: Vault, path: str) -> str:
    """A path as it was typed, as one of a note or folder of the vault; "" for all of it. Raises UsageError for what is
    none: problems with it would be told by names that the vault does not have."""
    given = vault.relative(path)
    if given in ("", ".") or os.path.realpath(vault.full(given)) == os.path.realpath(vault.root):
        return ""
    parts = given.split("/")
    if given.startswith("/") or ".." in parts:
        raise UsageError(f"{path} is outside the vault", f"paths are relative to its root, {out.short(vault.root)}")
    if any(part.lower() == ".git" for part in parts):
        raise UsageError(f"{path} belongs to git: it is no note", "vaultgit check without a path checks every note")
    return given.rstrip("/")
