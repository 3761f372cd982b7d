from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vaultgit.cli import options
from vaultgit.cli import out

if TYPE_CHECKING:
    from vaultgit.recall.search import Found
    from vaultgit.recall.search import Hit
    from vaultgit.vault import Vault

_COLUMNS = 100


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most so many notes.")
@click.option("--at", metavar="REF|DATE", help="The vault as a commit, or the end of a day, had it.")
@click.option("--explain", is_flag=True, help="Say what counted for each note.")
@options.vault_option
@options.json_option
def command(query: tuple[str, ...], limit: int, at: str | None, explain: bool, vault: str | None, as_json: bool) -> int:
    """Find notes by plain words, "a phrase", and filters: type: project: agent: name: tag: path: since: until: and any
    property. What is on disk is searched, in git or not.

    \b
    --json prints [{path, oid, type, title, score, line, text}], best first; oid serves as --base.
    A query that begins with - goes behind --.

    \b
    Example:
      vaultgit search who is allergic to peanuts
      vaultgit search 'type:decision project:nova since:2026-10 "release date"' --at HEAD~20
    """
    from vaultgit.recall import index
    from vaultgit.recall.search import search

    with options.opened(vault) as opened, out.Progress("reading notes for the index") as progress:
        commit = _commit(opened, at)
        with index.opened(opened, progress.more) as indexed:
            view = indexed.at(commit) if commit else indexed.now()
            found = search(opened, view, " ".join(query), limit=limit, explain=explain)
            if indexed.trouble:
                out.talk(f"the index cannot be kept, so every note was read for this search: {indexed.trouble}")
        if view.stale:
            out.talk("not every note is as fresh as the disk yet")
        if as_json:
            out.as_json([_as_json(opened, hit, stored=bool(commit)) for hit in found.hits])
        else:
            _print(found)
        _say_what_is_missing(found, " ".join(query))
    return 0


def _commit(vault: Vault, at: str | None) -> str:
    if at is None:
        return ""
    from vaultgit.recall.when import commit_at

    return commit_at(vault, at)


def _as_json(vault: Vault, hit: Hit, *, stored: bool) -> dict[str, object]:
    shown = {name: value for name, value in hit._asdict().items() if value or name not in ("remark", "why")}
    return shown if stored else {**shown, "oid": _stored(vault, hit)}


def _stored(vault: Vault, hit: Hit) -> str:
    """The oid to print: bytes that are not in git yet are put there, so that it can serve as --base."""
    if vault.repo.blob(hit.oid) is not None:
        return hit.oid
    from vaultgit.edits import compose

    data = vault.rules.source.read(hit.path)
    return hit.oid if data is None else compose.blob_of(vault, hit.path, data)


def _print(found: Found) -> None:
    for hit in found.hits:
        title = hit.title if hit.title != hit.path.rpartition("/")[2].removesuffix(".md") else ""
        out.say(_cut(f"{_flat(hit.path)}:{hit.line}  {_flat(title)}".rstrip()))
        if hit.text:
            out.say(_cut(f"    {_flat(hit.text)}"))
        if hit.remark:
            out.say(f"    ! {_flat(hit.remark)}")
        if hit.why:
            out.say(f"    {hit.score:g}: {_flat('; '.join(hit.why))}")


def _say_what_is_missing(found: Found, query: str) -> None:
    for word, others in found.instead.items():
        out.talk(f'nothing has "{_flat(word)}"; looked for {_listed(others)}')
    if found.hits:
        return
    if not found.nearest:
        out.talk(f"nothing found for {_cut(_flat(query))!r}" if query.strip() else "nothing to look for")
        return
    near = ", ".join(dict.fromkeys(one for of_word in found.nearest.values() for one in of_word))
    out.talk(f"nothing has {_listed(list(found.nearest))}." + (f" Nearest words here: {_flat(near)}" if near else ""))


def _listed(words: list[str]) -> str:
    quoted = [f'"{_flat(word if len(word) < 40 else word[:39] + "…")}"' for word in words[:8]]
    return " or ".join(([", ".join(quoted[:-1])] if len(quoted) > 1 else []) + quoted[-1:])


def _flat(text: str) -> str:
    """On one line, with nothing that a terminal obeys."""
    return out.clean(" ".join(text.split()) if "\n" in text or "\t" in text else text, keep="")


def _cut(text: str) -> str:
    return text if len(text) <= _COLUMNS else text[: _COLUMNS - 1] + "…"
