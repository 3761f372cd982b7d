"""What a note links to and what links to it, each link with its place; and the links that lead nowhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.notes.links import Link
from vaultgit.notes.links import fold
from vaultgit.notes.links import link_target
from vaultgit.notes.links import links

if TYPE_CHECKING:
    from vaultgit.recall.index import View
    from vaultgit.vault import Vault

_BEFORE, _BEHIND = 80, 120  # characters of a link's line that are shown around it
_OURS = re.compile(r"changelog\.md|changelog/\d{4}-\d\d\.md")


class Place(NamedTuple):
    """One link where it stands.

    `path`: the note it stands in; `line` and `column` from 1, in characters. `target`: what it names, decoded, with its
    `#Heading`. `means`: the files it may mean, Obsidian opens the first; () where it leads nowhere. `written`: the link
    as it stands; `text`: its line, cut around it where that is long.
    """

    path: str
    line: int
    column: int
    target: str
    means: tuple[str, ...]
    embed: bool
    written: str
    text: str


class Links(NamedTuple):
    """`out`: links that lead to a file; `unresolved`: those that do not; `back`: links of other notes to this one. By
    place."""

    out: list[Place]
    back: list[Place]
    unresolved: list[Place]


def of(view: View, path: str) -> Links:
    """The links of the note or file at `path`. It need not be there: then `back` is what would lead to it."""
    if _is_there(view, path):
        own = places(view, path) if view.get(path) is not None else []
        sources = {source for source, _ in view.back(path)} - {path}
        back = [place for source in sorted(sources) for place in places(view, source) if path in place.means]
        return Links([one for one in own if one.means], back, [one for one in own if not one.means])
    from vaultgit.recall import read
    from vaultgit.recall.store import path_of

    named = sorted(view.matching(f'marks : "{read.link_mark(path)}"', "path", lambda row: path_of(row[0])))
    waiting = [
        place
        for source in named
        for place, link in _read(view, source, view.text(source))
        if not place.means and _would_lead(link.target, source, path)
    ]
    return Links([], waiting, [])


def found(view: View, wanted: str) -> list[str]:
    """The files that a path or a link's target as a person types it means, Obsidian's choice first; [] for none."""
    exact = view.resolve("/" + wanted, "")
    return exact or view.resolve(wanted, "")


def nowhere(vault: Vault, view: View) -> Iterator[Place]:
    """The links of the whole vault that lead to nothing, by place.

    Not those of templates, of the changelog, which only history can mend, nor of the inbox, where what is proposed may
    be yet to be written; nor links of properties that may name what need not be there.
    """
    for note in view.notes():
        path = note.path
        if vault.rules.obsidian.is_template(path) or _OURS.fullmatch(path) or note.type == "inbox":
            continue
        if all(not link.target or view.resolve(link.target, path) for link in note.links):
            continue
        data = view.text(path)
        head, gone = may_be_gone(vault, path, data)
        for place, link in _read(view, path, data):
            if place.means or (link.line <= head and link.target in gone):
                continue
            if view.commit or not leads_to_a_file(vault, path, link):
                yield place


def places(view: View, path: str) -> list[Place]:
    """All links of a note to other notes and files, by place."""
    return [place for place, _ in _read(view, path, view.text(path))]


def may_be_gone(vault: Vault, path: str, data: bytes) -> tuple[int, set[str]]:
    """How many lines the properties of a note take, and which of their links name what need not be there (any more)."""
    note_type, block = vault.rules.managed(path, data), frontmatter.block(data)
    if note_type is None or block is None:
        return 0, set()
    values = frontmatter.read(data).values
    named = [values.get(field) for field in vault.rules.types.unresolved_fields(note_type)]
    items = [item for value in named for item in (value if isinstance(value, list) else [value])]
    targets = {link_target(item) for item in items if isinstance(item, str)}
    return data[: block.body].count(b"\n"), {target for target in targets if target}


def leads_to_a_file(vault: Vault, path: str, link: Link) -> bool:
    """Whether a markdown link leads to what Obsidian does not show, but other readers do: a folder, a hidden file,
    something beside the vault."""
    if link.kind != "markdown" or "\0" in link.target:
        return False
    rooted = link.target.startswith("/")
    target = link.target.lstrip("/") if rooted else os.path.join(os.path.dirname(path), link.target)
    try:
        return os.path.exists(vault.full(target))
    except (OSError, UnicodeError):
        return False


def _read(view: View, path: str, data: bytes) -> Iterable[tuple[Place, Link]]:
    text = data.decode("utf-8", "surrogateescape")
    for link in links(text):
        if link.target:
            means = tuple(view.resolve(link.target, path))
            written = text[link.start : link.end]
            target = link.target + link.subpath
            line = _line(text, link)
            yield Place(path, link.line, link.column, target, means, link.embed, written, line), link


def _line(text: str, link: Link) -> str:
    start = max(link.start - link.column + 1, link.start - _BEFORE)
    end = text.find("\n", link.end, link.end + _BEHIND)
    cut = end < 0 and link.end + _BEHIND < len(text)
    end = link.end + _BEHIND if end < 0 else end
    line = " ".join(text[start:end].split())
    return ("…" if start > link.start - link.column + 1 else "") + line + ("…" if cut else "")


def _is_there(view: View, path: str) -> bool:
    return path in view.resolve("/" + path, "")


def _would_lead(target: str, source: str, path: str) -> bool:
    """Whether a link that leads nowhere would lead to `path`, or names the same without its folders."""
    if not target:
        return False
    if target.startswith(("./", "../", "/")):
        folder = "" if target.startswith("/") else source.rpartition("/")[0]
        target = os.path.normpath(os.path.join(folder, target.lstrip("/") if target.startswith("/") else target))
    one, other = (fold(name).removesuffix(".md").strip("/") for name in (target, path))
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)
