"""Links that follow files which move: what each link means before and after, and how it has to be written then.

A link is written anew only where it would mean another file otherwise, and in the way it was written: a bare name stays
one as long as it is unique, a path from the vault's root stays one, a relative path stays relative.
"""

from __future__ import annotations

import json
import posixpath
import re
import unicodedata
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.links import Link
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import fold
from vaultgit.notes.links import links
from vaultgit.notes.links import rewrite

Replace = Callable[[Link], str | None]

_RELATIVE = ("./", "../")
_NO_WIKI_TARGET = re.compile(r"[\[\]|#\n]")
_JSON_STRING = r'"(?:[^"\\]|\\.)*"'
_ESCAPED = re.compile(rb"%[0-9A-Fa-f]{2}|\\[xu!-/:-@\[-`{-~]|''")  # a letter may be written in another way there
_MANY = 50  # names to look for, beyond which reading the links is faster
_COLON = re.compile(r"\s*:")
_CANVAS_PATHS = ('"file"', '"background"')  # of a file's card; of a group


class Unwritable(Exception):
    """A link cannot be written so that it leads to where it led; the text says which file it leads to."""


class Moves:
    """What links mean before and after files of the vault have moved."""

    def __init__(self, files: Iterable[str], moved: Mapping[str, str], *, relative: bool = False) -> None:
        """`files`: all files that links may mean, as they lie before. `moved`: old path -> new path. `relative`: links
        are read from the note's own folder by other programs, too, and what was such a link stays one."""
        files = list(files)
        self.moved = moved
        self.relative = relative
        self._before = Resolver(files)
        after = dict.fromkeys([*(moved.get(path, path) for path in files), *moved.values()])
        self._after = Resolver(path for path in after if not _hidden(path))
        self._known: dict[tuple[str, str, str, str], str | None] = {}
        # What a link may end with whose meaning can change, in a note that stays.
        files_named = {fold(path.rpartition("/")[2]) for pair in moved.items() for path in pair}
        self._names = files_named | {name.removesuffix(".md") for name in files_named}
        self._parts = [one for one in self._names if not any(other != one and other in one for other in self._names)]

    def may_change(self, data: bytes, source: str) -> bool:
        """Whether a note can hold a link that changes: a quick look, so that most notes need not be read for it."""
        if not may_link(data):
            return False
        if source in self.moved or len(self._parts) > _MANY or _ESCAPED.search(data):
            return True
        text = fold(data.decode("utf-8", "surrogateescape"))
        return any(name in text for name in self._parts)

    def target(self, link: Link, source: str) -> str | None:
        """The note part that `link`, which stands in `source` (its path before), needs after the move; None where it
        may stay as it is. Raises Unwritable."""
        if not link.target:
            return None
        named = link.target.startswith(("/", *_RELATIVE)) or fold(link.target.rpartition("/")[2]) in self._names
        if source not in self.moved and not named:
            return None
        return self._target(link.target, link.kind, source)

    def path(self, path: str) -> str | None:
        """Where the file at a path from the vault's root is after the move; None where it stays, or there is none."""
        found = self._before.resolve("/" + path, "")
        return self.moved.get(found[0]) if found else None

    def _target(self, target: str, kind: str, source: str) -> str | None:
        now = self.moved.get(source, source)
        folder, folder_now = posixpath.dirname(source), posixpath.dirname(now)
        key = (target, kind, folder, folder_now)
        if key not in self._known:
            self._known[key] = self._spelled(target, kind, source, now)
        return self._known[key]

    def _spelled(self, target: str, kind: str, source: str, now: str) -> str | None:
        found = self._before.resolve(target, source)
        if not found:
            return None
        meant = self.moved.get(found[0], found[0])
        if _hidden(meant):
            return None
        beside = kind == "markdown" and _from_folder(target, source) in (found[0], found[0].removesuffix(".md"))
        still = self._after.resolve(target, now)[:1] == [meant]
        if still and not (self.relative and beside and _from_folder(target, now) not in _spellings(meant)):
            return None
        return self._best(list(_ways(target, kind, beside, found[0], meant, source, now)), kind, meant, now)

    def _best(self, ways: list[str], kind: str, meant: str, now: str) -> str:
        if kind == "wiki":
            ways = [way for way in ways if not _NO_WIKI_TARGET.search(way)]
        for several in (False, True):
            for way in ways:
                found = self._after.resolve(way, now)
                if found == [meant] or (several and found[:1] == [meant]):
                    return way
        raise Unwritable(meant)


def _hidden(path: str) -> bool:
    """Whether Obsidian does not show a file, so that no link can lead to it."""
    return path.startswith(".") or "/." in path


def _from_folder(target: str, source: str) -> str:
    """The path that a target means for programs that read it from the note's folder; "" where it leaves the vault."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    return "" if target.startswith("/") or path.startswith("..") else path


def _spellings(path: str) -> tuple[str, str]:
    return path, path.removesuffix(".md")


def _ways(target: str, kind: str, beside: bool, was: str, meant: str, source: str, now: str) -> Iterator[str]:
    """How a link to `meant` (before: `was`) may be written, what is most like `target` first."""
    # As many characters as the whole name, not as the name without .md. (Case may be another one.)
    named, name = (_nfc(path.rpartition("/")[2]) for path in (target, was))
    extension = len(named) == len(name) or not meant.lower().endswith(".md")
    whole = meant if extension else meant[:-3]
    from_here = posixpath.relpath("/" + whole, "/" + posixpath.dirname(now))
    inside = not from_here.startswith("../")
    if target.startswith("/"):
        yield "/" + whole
    elif target.startswith(_RELATIVE):
        if inside and not (kind == "markdown" and target.startswith("../")):
            yield "./" + from_here
        yield from_here
        if inside:
            yield "./" + from_here
    elif beside and "/" in source:
        yield from_here
        if inside:
            yield "./" + from_here
    elif "/" in target and _nfc(target).lower() in (_nfc(one).lower() for one in _spellings(was)):
        yield whole
    parts = whole.split("/")
    for count in range(min(target.strip("/").count("/") + 1, len(parts)), len(parts) + 1):
        yield "/".join(parts[-count:])
    yield from (meant, "/" + meant)


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


# -- texts -------------------------------------------------------------------------------------------------------


def may_link(data: bytes) -> bool:
    """Whether a note's bytes can hold a link at all: most texts need not be read for that."""
    return b"[[" in data or b"](" in data


def in_note(data: bytes, replace: Replace) -> tuple[bytes, int]:
    """The note with the targets that `replace` gives (None: as it is), and how many links that changed; no other byte
    changes. Raises Unwritable where a link would not be read back."""
    if not may_link(data):
        return data, 0
    text = data.decode("utf-8", "surrogateescape")
    wanted: list[str] = []
    changed = 0

    def noted(link: Link) -> str | None:
        nonlocal changed
        target = replace(link)
        wanted.append(link.target if target is None else target)
        changed += target is not None and target != link.target
        return target

    result = rewrite(text, noted)
    if not changed:
        return data, 0
    made = result.encode("utf-8", "surrogateescape")
    if frontmatter.read(made).problems and not frontmatter.read(data).problems:
        made = _in_quotes(data, replace)
    read_back = [link.target for link in links(made.decode("utf-8", "surrogateescape"))]
    if sorted(read_back) != sorted(wanted):
        raise Unwritable(next((target for target in wanted if target not in read_back), wanted[0]))
    return made, changed


def _in_quotes(data: bytes, replace: Replace) -> bytes:
    """For a link in a property without quotes whose new name is no YAML: the property is written anew, in quotes."""
    block = frontmatter.block(data)
    start = len(data[: block.body].decode("utf-8", "surrogateescape")) if block else 0
    text = data.decode("utf-8", "surrogateescape")
    body = rewrite(text, lambda link: replace(link) if link.start >= start else None)

    def renewed(value: object) -> object:
        if isinstance(value, str):
            return rewrite(value, lambda link: replace(link) if link.kind == "wiki" else None)
        return [renewed(item) for item in value] if isinstance(value, list) else value

    values = frontmatter.read(data).values
    try:
        return patch.set_properties(
            body.encode("utf-8", "surrogateescape"), {key: renewed(value) for key, value in values.items()}
        )
    except frontmatter.FrontMatterError as error:
        raise Unwritable(str(error)) from error


def in_canvas(data: bytes, replace: Callable[[str], str | None]) -> tuple[bytes, int]:
    """The canvas with the paths of files that `replace` gives, and how many that changed. What is no JSON stays."""
    if not any(name.encode() in data for name in _CANVAS_PATHS):
        return data, 0
    text = data.decode("utf-8", "surrogateescape")
    return _in_strings(text, _canvas_paths(text), replace)


def in_keys(data: bytes, replace: Callable[[str], str | None]) -> bytes:
    """JSON with the names of properties that `replace` gives. What is no JSON stays."""
    text = data.decode("utf-8", "surrogateescape")
    keys = [token.span() for token in _strings(text) if _COLON.match(text, token.end())]
    return _in_strings(text, keys, replace)[0]


def _in_strings(text: str, spans: Iterable[tuple[int, int]], replace: Callable[[str], str | None]) -> tuple[bytes, int]:
    """The text with some of its JSON strings replaced, and how many; every other byte stays."""
    parts: list[str] = []
    done = changed = 0
    for start, end in spans:
        old = json.loads(text[start:end], strict=False)
        new = replace(old)
        if new is not None and new != old:
            parts += text[done:start], _json_like(text[start:end], new)
            done = end
            changed += 1
    return "".join((*parts, text[done:])).encode("utf-8", "surrogateescape"), changed


def _canvas_paths(text: str) -> Iterator[tuple[int, int]]:
    """Where the strings stand that are paths of files."""
    key, after_key = "", 0
    for token in _strings(text):
        if key in _CANVAS_PATHS and text[after_key : token.start()].strip() == ":":
            yield token.span()
        key, after_key = token[0], token.end()


def _strings(text: str) -> list[re.Match[str]]:
    """The strings of a JSON text; [] for what is no JSON."""
    try:
        json.loads(text.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        return []
    return list(re.finditer(_JSON_STRING, text))


def _json_like(token: str, value: str) -> str:
    """A JSON string, with the escapes that the one in its place had."""
    written = json.dumps(value, ensure_ascii="\\u" in token)
    return written.replace("/", "\\/") if "\\/" in token else written


# -- the same again, in another version of the text --------------------------------------------------------------


def follower(base: bytes | None, new: bytes | None, path: str) -> Callable[[bytes | None], bytes | None]:
    """What turned the links of `base` into those of `new`, as a function for other versions of the file at `path`, so
    that links follow in text that was typed meanwhile, on the same line too. Changes nothing where the two differ in
    more than targets of links."""
    if base is None or new is None or base == new:
        return _unchanged
    canvas = path.lower().endswith(".canvas")
    mapping = _paired(_targets(base, canvas), _targets(new, canvas))
    if not mapping:
        return _unchanged

    def follow(data: bytes | None) -> bytes | None:
        if data is None:
            return None
        try:
            if canvas:
                return in_canvas(data, lambda value: mapping.get(("canvas", value)))[0]
            return in_note(data, lambda link: mapping.get((link.kind, link.target)))[0]
        except Unwritable:
            return data

    return follow


def _unchanged(data: bytes | None) -> bytes | None:
    return data


_Target = tuple[str, str]  # kind, target


def _targets(data: bytes, canvas: bool) -> list[_Target]:
    text = data.decode("utf-8", "surrogateescape")
    if canvas:
        return [("canvas", json.loads(text[start:end], strict=False)) for start, end in _canvas_paths(text)]
    return [(link.kind, link.target) for link in links(text)]


def _paired(old: list[_Target], new: list[_Target]) -> dict[_Target, str]:
    """Each target that changed -> what it became; {} where the two are not the same links one by one."""
    if [kind for kind, _ in old] != [kind for kind, _ in new]:
        return {}
    mapping: dict[_Target, str] = {}
    for before, (_, target) in zip(old, new, strict=True):
        if mapping.setdefault(before, target) != target:
            return {}
    return {before: target for before, target in mapping.items() if before[1] != target}


def without_targets(data: bytes, path: str) -> bytes:
    """The file with every target of a link made the same: equal for two files that differ in nothing else."""
    if path.lower().endswith(".canvas"):
        return in_canvas(data, lambda _: "x")[0]
    text = data.decode("utf-8", "surrogateescape")
    return rewrite(text, lambda _: "x").encode("utf-8", "surrogateescape") if may_link(data) else data
