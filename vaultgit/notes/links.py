"""Links between notes: where they stand in a text, and which note each one means.

The grammar is Obsidian's: `[[Note#Heading|alias]]`, `![[embed]]`, `[text](Note.md)`, in the body and in
properties. No library reads it, so it is read here, in two steps: `_runs` walks the lines and yields what
CommonMark takes for running text (no fenced, no indented code), `_in_text` then reads each run from left to
right. The tests hold both to markdown-it-py. Not read: links by reference (`[text][id]`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any
from typing import Literal
from typing import NamedTuple


class Link(NamedTuple):
    """One link. `start` and `end` span the whole of it, `![[` included, in characters of the text."""

    start: int
    end: int
    target: str  # the note part, decoded: "folder/Note"; "" for a link within the same note
    subpath: str  # "#Heading", "#^block" or ""
    alias: str | None
    embed: bool
    kind: Literal["wiki", "markdown"]
    line: int  # from 1
    column: int  # from 1, in characters


class _Found(NamedTuple):
    link: Link
    start: int  # span of the target alone
    end: int
    written: str  # how the target is written: "" plain, ' or " in that YAML quote, "(" as a URL, "<" as <URL>


class _Pattern:
    """A regular expression, compiled at its first use: most processes read no links but would pay 8 ms."""

    match: Callable[..., re.Match[str] | None]
    search: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]

    def __init__(self, source: str) -> None:
        self.source = source

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.source)
        self.match, self.search, self.finditer = compiled.match, compiled.search, compiled.finditer
        return getattr(compiled, name)


_FRONT_MATTER = _Pattern(r"\A\ufeff?---[ \t]*\r?\n((?:.*\n)*?)---[ \t]*\r?(?:\n|\Z)")
_WIKI = re.compile(
    r"(?P<embed>!?)\[\[(?P<target>[^\[\]|#\n]*)(?P<subpath>#[^\[\]|\n]*)?"
    r"(?:\|(?P<alias>(?:[^\[\]\n]|\[(?!\[)|\](?!\]))*))?\]\]"
)
_DESTINATION = _Pattern(
    r"[ \t\r\n]*(?:<(?P<angle>[^<>\n]*)>|"
    r"(?P<bare>(?:[^\x00-\x20\x7f()<>\\]|\\.|\((?:[^\x00-\x20()\\]|\\.)*\))+))"
    r"""(?:[ \t\r\n]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t\r\n]*\)"""
)
_TOKEN = _Pattern(
    r"\\[!-/:-@\[-`{-~]"  # an escaped sign is no syntax
    r"|(?P<ticks>`+)|(?P<hidden>%%|<!--|<%)|\{\{[^{}\n]*\}\}"
    rf"|(?P<wiki>{_WIKI.pattern})"
    r"|(?P<image>!?)\[(?P<text>(?:[^\[\]\\`\n]|\n(?![ \t\r]*\n)|\\.|`[^`]*`|\[[^\[\]]*\])*+)\]\("
)
_SIGN = _Pattern(r"[\\`%<{!\[]")  # what a token begins with: looking for it first is faster
_OTHER_SIGNS = "\\`%<{"  # that begin a token, besides "[" and "!["
_CLOSES = {"%%": "%%", "<!--": "-->", "<%": "%>"}
_TICKS = _Pattern("`+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:mailto|tel|data):", re.IGNORECASE)
_ANY_SCHEME = _Pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_YAML_QUOTED = _Pattern(r"""(?<![^\s\[,{:-])(?:'(?:[^'\n]|'')*'|"(?:[^"\\\n]|\\.)*")""")


def links(text: str) -> list[Link]:
    """All links to notes and files, in the order in which they start.

    Not links: what stands in code, in `%%comments%%` or HTML comments, targets with template fields (`{{…}}`,
    `<%…%>`), external addresses.
    """
    return [found.link for found in _scan(text)]


def link_target(value: str) -> str | None:
    """The note that a property's text names: "[[a/b#c|d]]" -> "a/b"; None when it is no wikilink, or more.

    A link within the same note ("[[#Heading]]") gives "".
    """
    match = _WIKI.fullmatch(value)
    if match is None or match["embed"]:
        return None
    target, subpath = match["target"], match["subpath"] or ""
    return None if _is_no_note(target, subpath) else target.rstrip("\\").strip()


def rewrite(text: str, replace: Callable[[Link], str | None]) -> str:
    """The text with other link targets; nothing else of a link changes, and no byte outside.

    `replace` gets each link and returns the new note part, not encoded, or None to leave the link as it is.
    """
    parts: list[str] = []
    done = 0
    for found in sorted(_scan(text), key=lambda found: found.start):
        target = replace(found.link)
        if target is not None and target != found.link.target:
            parts += (text[done : found.start], _encode(target, found.written))
            done = found.end
    return "".join((*parts, text[done:]))


class Resolver:
    """Finds the files that a link means, as Obsidian does. Built once from all paths of the vault.

    Names are compared in NFC and lower case. (Case folding proper would make Straße and Strasse one note.)
    """

    def __init__(self, paths: Iterable[str]) -> None:
        """`paths`: all files of the vault, relative to it, with "/"; links may mean any of them."""
        self._by_name: dict[str, list[str]] = {}
        by_name = self._by_name
        for path in paths:
            name = fold(path.rpartition("/")[2])
            if name in by_name:
                by_name[name].append(path)
            else:
                by_name[name] = [path]

    def resolve(self, target: str, source_path: str) -> list[str]:
        """Paths that `target`, written in the note `source_path`, may mean: none, one, or several.

        A path relative to the note (`./`, `../`) or exact from the vault's root means that one file. Any
        other target is the end of a path. Several are ambiguous; they come in the order in which Obsidian
        likes them (in or below the note's folder, then the shorter path; it opens the first unasked).
        """
        if not target:
            return [source_path]
        folder = source_path.rpartition("/")[0]
        rooted = target.startswith(("./", "../", "/"))
        path = _join("" if target.startswith("/") else folder, target) if rooted else target
        if not path:
            return []
        for wanted in (path, path + ".md"):
            folded = fold(wanted)
            named = self._by_name.get(folded.rpartition("/")[2], ())
            exact = [path for path in named if fold(path) == folded]
            if exact:  # of twins, the one that is spelled like the link
                alike = [path for path in exact if _nfc(path) == _nfc(wanted)]
                return [wanted] if wanted in exact else alike or exact
            ends = [path for path in named if fold(path).endswith("/" + folded)] if not rooted else []
            if ends:
                below = folder + "/" if folder else ""
                return sorted(ends, key=lambda path: (not path.startswith(below), len(path), path))
        return []


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold(name: str) -> str:
    """A name as Obsidian compares names: NFC, lower case."""
    if name.isascii():
        return name.lower()
    # Whether lower() ends a word on a final sigma depends on what follows, ".md" included. Obsidian reads a
    # non-breaking space as a space.
    lower = unicodedata.normalize("NFC", name).lower().replace("ς", "σ").replace("\u00a0", " ")
    return unicodedata.normalize("NFC", lower)


def _join(folder: str, target: str) -> str:
    """`target` seen from `folder`; "" when it leaves the vault."""
    parts = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _is_no_note(target: str, subpath: str) -> bool:
    if not target.strip(" \\") and len(subpath) < 2:
        return True
    return bool(_SCHEME.match(target.lstrip())) or any(field in target + subpath for field in ("{{", "<%"))


def _scan(text: str) -> list[_Found]:
    if "[[" not in text and "](" not in text:
        return []
    place = _Place(text)
    head = _FRONT_MATTER.match(text)
    found = list(_in_properties(text, head.start(1), head.end(1), place)) if head else []
    for start, end in _runs(text, head.end() if head else 0):
        found += _in_text(text, start, end, place)
    return found


class _Place:
    """Line and column of growing offsets."""

    def __init__(self, text: str) -> None:
        self.text, self.line, self.start, self.done = text, 1, 0, 0

    def of(self, at: int) -> tuple[int, int]:
        passed = self.text.count("\n", self.done, at)
        if passed:
            self.line += passed
            self.start = self.text.rindex("\n", self.done, at) + 1
        self.done = max(self.done, at)
        return self.line, at - self.start + 1


def _in_properties(text: str, start: int, end: int, place: _Place) -> Iterator[_Found]:
    while start < end:
        stop = text.index("\n", start) + 1
        if "[[" in text[start:stop] and not text[start:stop].lstrip().startswith("#"):
            quoted = [(match.start(), match.end()) for match in _YAML_QUOTED.finditer(text, start, stop)]
            for match in _WIKI.finditer(text, start, stop):
                within = next((text[a] for a, b in quoted if a < match.start() < b), "")
                yield from _wiki(match, match.start(), within, place)
        start = stop


def _in_text(text: str, at: int, end: int, place: _Place) -> Iterator[_Found]:
    """Links of one run of text. What opens first wins: code, comment, template field or link."""
    unclosed: set[str] = set()  # without it, many openers of a kind with no closer would cost a square
    plain = not any(text.find(sign, at, end) >= 0 for sign in _OTHER_SIGNS)
    while (sign := _bracket(text, at, end) if plain else _sign(text, at, end)) >= 0:
        token = _TOKEN.match(text, sign, end)
        at = token.end() if token else sign + 1
        if token is None:
            continue
        if opener := token["ticks"] or token["hidden"]:
            if opener not in unclosed:
                closed = _closed(text, opener, at, end)
                if closed:
                    at = closed
                else:
                    unclosed.add(opener)
        elif token["wiki"]:
            yield from _wiki(token, token.start(), "", place)
        elif token["text"] is not None:
            inside = _DESTINATION.match(text, at, end)
            # An image or a code span may stand in the link's text, so the reading goes on there.
            at = token.start("text")
            if inside:
                yield from _markdown(token, inside, place)


def _sign(text: str, at: int, end: int) -> int:
    found = _SIGN.search(text, at, end)
    return found.start() if found else -1


def _bracket(text: str, at: int, end: int) -> int:
    """The same where no other sign is there: many times as fast."""
    found = text.find("[", at, end)
    return found - 1 if found > at and text[found - 1] == "!" else found


def _closed(text: str, opener: str, at: int, end: int) -> int:
    """Offset behind what closes `opener`, 0 when nothing does in this run."""
    if opener[0] == "`":
        runs = _TICKS.finditer(text, at, end)
        return next((run.end() for run in runs if len(run[0]) == len(opener)), 0)
    closer = _CLOSES[opener]
    found = text.find(closer, at, end)
    return found + len(closer) if found >= 0 else 0


def _wiki(match: re.Match[str], start: int, within: str, place: _Place) -> Iterator[_Found]:
    raw, subpath, alias = match["target"], match["subpath"] or "", match["alias"]
    if _is_no_note(raw, subpath):
        return
    if alias is not None:  # in a table the bar is written \|
        raw, subpath, alias = raw.rstrip("\\"), subpath.rstrip("\\"), alias.replace("\\|", "|")
    written = raw.strip()
    at = match.start("target") + len(raw) - len(raw.lstrip())
    target, embed = _unquote_yaml(written, within), match["embed"] == "!"
    link = Link(start, match.end(), target, subpath.strip(), alias, embed, "wiki", *place.of(start))
    yield _Found(link, at, at + len(written), within)


def _markdown(token: re.Match[str], inside: re.Match[str], place: _Place) -> Iterator[_Found]:
    group = "bare" if inside["bare"] is not None else "angle"
    raw, mark, fragment = inside[group].partition("#")
    if _ANY_SCHEME.match(raw) or not (raw or fragment) or "{{" in raw + fragment or "<%" in raw + fragment:
        return
    start, at = token.start(), inside.start(group)
    target, subpath, embed = _unquote_url(raw), mark and mark + _unquote_url(fragment), token["image"] == "!"
    link = Link(start, inside.end(), target, subpath, token["text"], embed, "markdown", *place.of(start))
    yield _Found(link, at, at + len(raw), "(" if group == "bare" else "<")


def _unquote_yaml(written: str, within: str) -> str:
    if within == "'":
        return written.replace("''", "'")
    if within == '"' and "\\" in written:
        escape = r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))"
        return re.sub(escape, lambda m: m[3] or chr(int(m[1] or m[2], 16)), written)
    return written


def _unquote_url(raw: str) -> str:
    if "\\" in raw:
        raw = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", raw)
    if "%" in raw:
        from urllib.parse import unquote

        raw = unquote(raw)
    return raw


def _encode(target: str, written: str) -> str:
    if written == "'":
        return target.replace("'", "''")
    if written == '"':
        return target.replace("\\", "\\\\").replace('"', '\\"')
    if written:
        # As Obsidian writes it: other scripts stay readable, only what would end the address is encoded.
        unsafe = r"[\x00-\x20\x7f%#<>\\()]" if written == "(" else r"[\x00-\x1f\x7f%#<>\\]"
        return re.sub(unsafe, lambda m: f"%{ord(m[0]):02X}", target)
    return target


_QUOTE = -1  # among the open containers, where a list item is the width of its indentation
_MARKS = frozenset(">-+*0123456789")  # what a line that opens a container begins with,
_LINES = frozenset("=-#*_`~<%")  # and a heading, rule, fence or comment
_QUOTE_MARK = _Pattern(r" {0,3}> ?")
_ITEM = _Pattern(r" {0,3}(?:[-+*]|(\d{1,9})[.)])(?= |$)")
_RULE = _Pattern(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_FENCE = _Pattern(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_UNDERLINE = _Pattern(r" {0,3}(?:=+|-+) *$")
_HEADING = _Pattern(r" {0,3}#{1,6}(?: |$)")
_HIDING = ("`", "~", "%", "\t", "    ", "<!--")
_BLOCK_COMMENT = _Pattern(r" {0,3}(<!--|%%)")


def _runs(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Spans of running text from offset `at`: paragraphs, headings, table rows.

    Leaves out fenced code, indented code and comments of several lines. Code spans and the like never reach
    over the end of a run.
    """
    if not any(text.find(sign, at) >= 0 for sign in _HIDING):
        yield at, len(text)
        return
    containers: list[int] = []
    fence = ""
    depth_of_fence = 0
    run = -1  # where the open paragraph began
    marks = counted = 0  # of %% in it, up to there
    bare_item = False  # the line before opened a list item and left it empty
    size = len(text)
    while at < size:
        start, stop = at, text.find("\n", at)
        at = stop + 1 if stop >= 0 else size
        if not containers and not fence and text[start].isalpha():  # nothing begins with a letter
            run = start if run < 0 else run
            continue
        rest = text[start:at].rstrip("\r\n").expandtabs(4)
        depth, rest = _continued(containers, rest)
        if fence and depth >= depth_of_fence:
            closing = _FENCE.match(rest)
            if closing and closing[1].startswith(fence) and not rest[closing.end() :].strip():
                fence = ""
            continue
        fence = ""
        in_paragraph = run >= 0 and depth == len(containers)
        underline = in_paragraph and rest.lstrip()[:1] in _LINES and _UNDERLINE.match(rest)
        opened, rest = ([], "") if underline else _opened(rest, in_paragraph)
        begins = rest.lstrip()[:1] in _LINES  # spares ordinary text the questions that follow
        line = begins and (_HEADING.match(rest) or _RULE.match(rest))
        comment = _BLOCK_COMMENT.match(rest) if begins else None
        opening = _FENCE.match(rest) if begins else None
        if run >= 0 and comment and comment[1] == "%%":
            marks += text.count("%%", max(run, counted), start)
            counted = start
            comment = None if marks % 2 else comment  # it closes one
        breaks = line or comment or opening or rest.startswith("|")
        if run >= 0 and rest.strip() and not opened and not breaks:
            continue  # the paragraph goes on, perhaps lazily
        if run >= 0:
            yield run, start
            run, marks = -1, 0
        containers[depth:] = opened
        if bare_item and not opened and not rest.strip() and depth:
            containers.pop()  # an item that begins with two blank lines is over
        bare_item = bool(opened) and opened[-1] != _QUOTE and not rest.strip()
        if not rest.strip() or rest.startswith("    "):
            continue
        if opening:
            fence, depth_of_fence = opening[1], len(containers)
        elif line:
            yield start, at
        else:
            run = start
            if comment:
                closer = _CLOSES[comment[1]]
                closed = text.find(closer, text.index(comment[1], start) + len(comment[1]))
                if closed < 0:
                    return
                if closed >= at:
                    run = closed + len(closer)
                    stop = text.find("\n", run)
                    at = stop + 1 if stop >= 0 else size
                    if not text[run:at].strip():
                        run = -1
    if 0 <= run < size:
        yield run, size


def _continued(containers: list[int], rest: str) -> tuple[int, str]:
    """How many of the open containers the line belongs to, and the line within them."""
    for depth, width in enumerate(containers):
        if width == _QUOTE:
            mark = _QUOTE_MARK.match(rest)
            if mark is None:
                return depth, rest
            rest = rest[mark.end() :]
        elif not rest.strip():
            rest = ""
        elif rest.startswith(" " * width):
            rest = rest[width:]
        else:
            return depth, rest
    return len(containers), rest


def _opened(rest: str, in_paragraph: bool) -> tuple[list[int], str]:
    """Containers that the line opens, and the line within them."""
    opened: list[int] = []
    while rest.lstrip()[:1] in _MARKS:
        if mark := _QUOTE_MARK.match(rest):
            opened.append(_QUOTE)
            rest = rest[mark.end() :]
            continue
        item = _ITEM.match(rest)
        if item is None or _RULE.match(rest):
            return opened, rest
        content = rest[item.end() :]
        if in_paragraph and not opened and (not content.strip() or (item[1] and int(item[1]) != 1)):
            return opened, rest  # only a bullet, or 1., with text may interrupt a paragraph
        spaces = len(content) - len(content.lstrip())
        width = item.end() + (spaces if 1 <= spaces <= 4 and content.strip() else 1)
        opened.append(width)
        rest = rest[width:]
    return opened, rest
