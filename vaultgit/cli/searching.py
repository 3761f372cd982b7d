"""What `vaultgit search` does and prints, reached without click where the command line is a plain one: click costs a
third of such a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.cli import out
from vaultgit.vault import open_vault

if TYPE_CHECKING:
    from vaultgit.recall.search import Found
    from vaultgit.recall.search import Hit
    from vaultgit.recall.view import View
    from vaultgit.vault import Vault

MOST = 1000  # notes
_COLUMNS = 100  # characters of a printed line
_FLAGS = {"--json": "as_json", "--explain": "explain"}
_VALUES = {"--vault": "vault", "--at": "at", "--limit": "limit", "--agent": "agent"}


class Line(NamedTuple):
    """A command line, read. cli/search.py says what its parts mean."""

    query: tuple[str, ...]
    limit: int = 10
    at: str | None = None
    explain: bool = False
    vault: str | None = None
    as_json: bool = False
    agent: str | None = None


def plain(args: Sequence[str]) -> Line | None:
    """What stands behind `search`, where click would surely read it so; None for all else: help, errors, completion."""
    found: dict[str, str | bool] = {}
    query: list[str] = []
    left = iter(args)
    for arg in left:
        if arg in _FLAGS:
            found[_FLAGS[arg]] = True
        elif arg in _VALUES:
            found[_VALUES[arg]] = next(left, "-")
        elif arg == "--":
            query += left
        elif arg[:1] == "-":
            return None
        else:
            query.append(arg)
    limit = str(found.pop("limit", "10"))
    said = [limit, *(value for value in found.values() if isinstance(value, str))]
    if not query or any(value[:1] in ("", "-") for value in said) or not (limit.isascii() and limit.isdecimal()):
        return None
    return Line(tuple(query), int(limit), **found) if 1 <= int(limit[:9]) <= MOST else None  # type: ignore[arg-type]


def run(line: Line) -> int:
    """The exit code; raises what commands raise."""
    from vaultgit.recall import index
    from vaultgit.recall.search import search

    opened, query = open_vault(line.vault), " ".join(line.query)
    with opened.repo, out.Progress("reading notes for the index") as progress:
        commit = _commit(opened, line.at)
        with index.opened(opened, progress.more) as indexed:
            view = indexed.at(commit) if commit else indexed.now(queued=_queued(opened, line.agent))
            found = search(opened, view, query, limit=line.limit, explain=line.explain)
            if indexed.trouble:
                out.talk(f"the index cannot be kept, so every note was read for this search: {indexed.trouble}")
        if view.stale:
            out.talk("not every note is as fresh as the disk yet")
        if line.as_json:
            out.as_json([_as_json(opened, view, hit) for hit in found.hits])
        else:
            _print(found)
        _say_what_is_missing(found, query)
    return 0


def _commit(vault: Vault, at: str | None) -> str:
    if at is None:
        return ""
    from vaultgit.recall.when import commit_at

    return commit_at(vault, at)


def _queued(vault: Vault, agent: str | None) -> dict[str, bytes | None]:
    """What waits in the queue of whoever asks; nearly always nothing."""
    from vaultgit.edits import unlanded

    if not unlanded.is_any(vault):
        return {}
    from vaultgit.cli import options

    return unlanded.notes(vault, options.agent_name(agent))


def _as_json(vault: Vault, view: View, hit: Hit) -> dict[str, object]:
    return hit.as_json() if view.commit else hit.as_json() | {"oid": _stored(vault, view, hit)}


def _stored(vault: Vault, view: View, hit: Hit) -> str:
    """The oid to print: bytes that are not in git yet are put there, so that it can serve as --base."""
    if vault.repo.blob(hit.oid) is not None:
        return hit.oid
    from vaultgit.edits import compose

    data = view.queued[hit.path] if hit.queued else vault.rules.source.read(hit.path)
    return hit.oid if data is None else compose.blob_of(vault, hit.path, data)


def _print(found: Found) -> None:
    for hit in found.hits:
        title = hit.title if hit.title != hit.path.rpartition("/")[2].removesuffix(".md") else ""
        place = f"{_flat(hit.path)}:{hit.line}"  # whole, as it is copied from here
        out.say(max(place, _cut(f"{place}  {_flat(title)}".rstrip()), key=len))
        for line in hit.text.split("\n") if hit.text else ():
            out.say(_cut(f"    {_flat(line)}"))
        if hit.remark:
            out.say(f"    ! {_flat(hit.remark)}")
        if hit.why:
            out.say(f"    {hit.score:g}: {_flat('; '.join(hit.why))}")


def _say_what_is_missing(found: Found, query: str) -> None:
    for filter in found.no_days:
        out.talk(f"{_cut(_flat(filter))} is no day, month or year (2026-10-03, 2026-10, 2026): left out")
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
