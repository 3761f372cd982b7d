from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any

import click

from vaultgit import errors
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError

if TYPE_CHECKING:
    from vaultgit.recall.index import View
    from vaultgit.recall.linked import Place
    from vaultgit.vault import Vault


@click.command("links")
@click.argument("path", required=False, shell_complete=options.complete_path)
@click.option("--unresolved", is_flag=True, help="Without PATH: all links of the vault that lead nowhere.")
@click.option("--at", "at", metavar="REF|DATE", help="As of a commit, a branch, or the end of a day, a month, a year.")
@options.vault_option
@options.json_option
def command(path: str | None, unresolved: bool, at: str | None, vault: str | None, as_json: bool) -> int:
    """Say what a note links to, and what links to it; each link as path:line:column.

    PATH may also be a name as links write it, a file that is no note, or what is yet to be written: then this says who
    links there. Where a link may mean several files, the first is the one that Obsidian opens.

    \b
    Example:
      vaultgit links projects/nova.md
      vaultgit links --unresolved
    """
    from vaultgit.recall import index

    if unresolved is (path is not None):
        raise UsageError("give a note, or --unresolved for the whole vault", "vaultgit links projects/nova.md")
    progress = out.Progress("reading notes for the index")
    with options.opened(vault) as opened, index.opened(opened, progress.more) as notes:
        with progress:
            view = notes.at(_commit(opened, at)) if at else notes.now()
        if path is None:
            return _nowhere(opened, view, as_json)
        return _of(opened, view, path, as_json)


def _commit(vault: Vault, at: str) -> str:
    from vaultgit.recall import when

    return when.commit_at(vault, at)


def _of(vault: Vault, view: View, path: str, as_json: bool) -> int:
    from vaultgit.recall import linked

    bare = path.removeprefix("[[").removesuffix("]]").partition("|")[0].partition("#")[0] or path
    means = linked.found(view, vault.relative(path)) or linked.found(view, vault.relative(bare))
    inside = means[0] if means else vault.relative(bare)
    found = linked.of(view, inside)
    if not means and not found.back:
        raise UsageError(f"there is no {path} in {out.short(vault.root)}, and nothing links there",
                         f"vaultgit search {bare.rpartition('/')[2].removesuffix('.md')!r}")  # fmt: skip
    if as_json:
        out.as_json(
            {
                "path": inside if means else None,
                "out": [_out(place) for place in found.out],
                "back": [_back(place, inside) for place in found.back],
                "unresolved": [_out(place) for place in found.unresolved],
            }
        )
        return errors.DONE
    _say(inside, means, found.out, found.back, found.unresolved)
    return errors.DONE


def _say(
    inside: str, means: Sequence[str], leads: Sequence[Place], back: Sequence[Place], unresolved: Sequence[Place]
) -> None:
    for place in leads:
        also = f"   (Obsidian opens this; may also mean {', '.join(place.means[1:])})" if place.means[1:] else ""
        out.say(_plain(f"out   {_at(place)} {place.written} -> {place.means[0]}{also}"))
    for place in unresolved:
        out.say(_plain(f"none  {_at(place)} {place.written} leads nowhere"))
    for place in back:
        other = f"   (Obsidian opens {place.means[0]})" if place.means and place.means[0] != inside else ""
        out.say(_plain(f"back  {_at(place)} {place.text}{other}"))
    if means:
        counts = [out.count(len(leads), "link") + " out", f"{len(back):,} back"]
        counts += [f"{len(unresolved):,} that lead{'s' if len(unresolved) == 1 else ''} nowhere"] if unresolved else []
        out.talk(_plain(f"{inside}: {', '.join(counts)}"))
    else:
        link = "1 link leads" if len(back) == 1 else f"{len(back):,} links lead"
        out.talk(_plain(f"{inside} is not there; {link} to it"))
    if means[1:]:
        out.talk(_plain(f"of that name, too: {', '.join(means[1:])}"))


def _nowhere(vault: Vault, view: View, as_json: bool) -> int:
    from vaultgit.recall import linked

    found: Iterable[Place] = linked.nowhere(vault, view)
    if as_json:
        out.as_json([{"path": place.path, **_out(place)} for place in found])
        return errors.DONE
    number = 0
    for number, place in enumerate(found, 1):  # noqa: B007  counted while they are printed
        out.say(_plain(f"{_at(place)} {place.written}"))
    out.talk(f"{out.count(number, 'link')} lead{'s' if number == 1 else ''} nowhere")
    return errors.DONE


def _at(place: Place) -> str:
    return f"{place.path}:{place.line}:{place.column}:"


def _out(place: Place) -> dict[str, Any]:
    means = {"path": place.means[0], "others": list(place.means[1:])} if place.means else {}
    return {
        "line": place.line, "column": place.column, "target": place.target, "embed": place.embed, **means,
        "text": place.text,
    }  # fmt: skip


def _back(place: Place, inside: str) -> dict[str, Any]:
    opens = {"opens": place.means[0]} if place.means and place.means[0] != inside else {}
    return {
        "path": place.path, "line": place.line, "column": place.column, "embed": place.embed, "text": place.text,
        **opens,
    }  # fmt: skip


def _plain(text: str) -> str:
    """One line, whatever a name holds."""
    return out.clean(text, keep="")
