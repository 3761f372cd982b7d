"""The note-aware three-way merge: front matter by property, the body as text, appends side by side.

A property is merged as the lines it stands on, so that quoting and comments stay; `version` and dates that
both sides moved go to the later one (reverting an old molt of a skill must not conflict there, promise P6).
What is left to decide is a conflict, in words; a result with conflict markers does not exist here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.notes import frontmatter
from vaultgit.notes import patch
from vaultgit.notes.frontmatter import Entry
from vaultgit.notes.frontmatter import FrontMatterError
from vaultgit.notes.frontmatter import same

TextMerge = Callable[[bytes, bytes, bytes], bytes | None]

MERGING = "vaultgit-merge-"  # what its temporary folders are called
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FENCE = re.compile(rb"[ \t>]*(`{3,}(?=[^`]*\Z)|~{3,})(.*)", re.DOTALL)  # of code; also in a list or a quote
_HEADING = re.compile(rb" {0,3}#{1,6}(?:\s|\Z)")


class Merged(NamedTuple):
    """The outcome. `data` is None for a file that is not there; with conflicts it counts only where the merge was told
    to favour a side, and holds that side's text at them."""

    data: bytes | None
    conflicts: tuple[str, ...] = ()  # what clashed: names of properties, "lines 12-14", or a sentence


def merge(
    base: bytes | None,
    ours: bytes | None,
    theirs: bytes | None,
    *,
    text_merge: TextMerge,
    favour: TextMerge | None = None,
) -> Merged:
    """What both sides made of `base` (None: no such file), or what stands in the way.

    `text_merge(base, ours, theirs)` merges plain text and answers None on a conflict (see `git_text_merge`).
    Line endings are ours where the sides differ in them. Front matter that does not parse on some side, or
    that a side no longer has, makes the whole note plain text. `favour` merges text with ours at each conflict (see
    `git_text_merge_ours`): then `data` is what all but the conflicts make of the note, with ours at these.
    """
    merged = _merged_notes(base, ours, theirs, text_merge, favour)
    return Merged(None, merged.conflicts) if merged.conflicts and favour is None else merged


def _merged_notes(
    base: bytes | None, ours: bytes | None, theirs: bytes | None, text_merge: TextMerge, favour: TextMerge | None
) -> Merged:
    simple = _one_sided(base, ours, theirs)
    if simple is not None:
        return simple
    if ours is None or theirs is None:
        return Merged(ours, ("deleted on one side and changed on the other",))
    if base is None:
        return Merged(ours, () if _alike(ours, theirs) else ("added on both sides with different text",))
    try:
        parts = [_Note.of(data) for data in (base, ours, theirs)]
    except FrontMatterError:
        return _still_parsed(ours, _merged_text(base, ours, theirs, 1, text_merge, favour))
    fenced = [frontmatter.block(data) is not None for data in (base, ours, theirs)]
    if fenced[0] and not all(fenced):
        return _still_parsed(ours, _merged_text(base, ours, theirs, 1, text_merge, favour))
    head = _merged_heads(parts[0].head, parts[1].head, parts[2].head, text_merge, favour=favour is not None)
    first_line = parts[1].head.count(b"\n") + 1
    body = _merged_text(parts[0].body, parts[1].body, parts[2].body, first_line, text_merge, favour)
    conflicts = head.conflicts + body.conflicts
    if head.data is None or body.data is None:
        return Merged(ours, conflicts)
    unended = frontmatter.block(head.data) is not None and not head.data.endswith(b"\n")
    return Merged(head.data + (_newline(head.data) if unended and body.data else b"") + body.data, conflicts)


def _still_parsed(ours: bytes, merged: Merged) -> Merged:
    """A text merge of a whole note: not where it would break front matter that parses on our side."""
    if merged.data is None or not frontmatter.read(merged.data).problems or frontmatter.read(ours).problems:
        return merged
    return Merged(ours, merged.conflicts or ("the front matter",))


def git_text_merge(repo: Repository) -> TextMerge:
    """`git merge-file` as a function; None on a conflict or a binary file. Raises GitError if git fails.

    Its files lie in our state folder, which is private, and where recovery sweeps up what a killed one left.
    """
    return _text_merge(repo.call, _place(repo))


def git_text_merge_ours(repo: Repository) -> TextMerge:
    """`git merge-file --ours`: our lines wherever both sides changed the same ones. None for a binary file."""
    return _text_merge(repo.call, _place(repo), "--ours")


def git_text_merge_union(repo: Repository) -> TextMerge:
    """`git merge-file --union`: the lines of both sides wherever both changed the same ones. None for a binary file."""
    return _text_merge(repo.call, _place(repo), "--union")


def _place(repo: Repository) -> str | None:
    folder = os.path.join(repo.common_dir, "vaultgit", "state", "tmp")
    return folder if os.path.isdir(folder) else None


def merge_driver(
    repo: Repository | None, base_path: str, ours_path: str, theirs_path: str, path: str, marker_size: int = 7
) -> int:
    """What `merge=vaultgit` in .gitattributes runs with %O %A %B %P %L; the result goes to `ours_path`.

    0: merged. 1: a conflict, and `ours_path` holds what git's own text merge makes of it, with its markers:
    this is a person's own git command. Whatever goes wrong here, git's text merge is what they get.
    """
    git = repo.call if repo is not None else _git_alone
    files = [os.path.abspath(name) for name in (base_path, ours_path, theirs_path)]
    is_note = path.lower().endswith(".md")
    if is_note:
        try:
            base, ours, theirs = (_read(name) for name in files)
            # For a file that both sides added git hands over an empty base.
            known = base if base or not (ours and theirs) else None
            merged = merge(known, ours, theirs, text_merge=_text_merge(git))
            if merged.data is not None and not merged.conflicts:
                _replace(files[1], merged.data)
                return 0
        except Exception:  # noqa: S110  the text merge below is the answer to every failure
            pass
    size = f"--marker-size={marker_size}"
    labels = ("-L", "ours", "-L", "base", "-L", "theirs")
    done = git("merge-file", "-q", size, *labels, files[1], files[0], files[2])
    if done.returncode != 0 or not is_note:
        return int(done.returncode != 0)
    # A clean text merge can still give a property twice, where each side added it in another place.
    return int(any(problem.code == "FM02" for problem in frontmatter.read(_read(files[1])).problems))


# -- the parts of a note ----------------------------------------------------------------------------------


class _Note(NamedTuple):
    head: bytes  # up to and with the closing fence line; without front matter the byte order mark or nothing
    body: bytes

    @classmethod
    def of(cls, data: bytes) -> _Note:
        """Raises FrontMatterError where the front matter cannot be taken apart."""
        found = frontmatter.block(data)
        mark = len(frontmatter.BOM) if data.startswith(frontmatter.BOM) else 0
        frontmatter.entries(data)
        cut = found.body if found else mark
        return cls(data[:cut], data[cut:])


def _one_sided(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Merged | None:
    """The cases in which nothing has to be merged."""
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if ours is not None and theirs is not None and _lf(ours) == _lf(theirs):
        return Merged(ours)
    if base is not None and theirs is not None and _lf(base) == _lf(theirs):
        return Merged(ours)
    if base is not None and ours is not None and _lf(base) == _lf(ours):
        return Merged(None if theirs is None else _ended_like(ours, theirs))
    return None


def _alike(ours: bytes, theirs: bytes) -> bool:
    """The same properties and the same body, however written."""
    try:
        one, other = _Note.of(ours), _Note.of(theirs)
    except FrontMatterError:
        return False
    mine, yours = frontmatter.read(ours).values, frontmatter.read(theirs).values
    return same(mine, yours) and _lf(one.body).rstrip(b"\n") == _lf(other.body).rstrip(b"\n")


# -- front matter -----------------------------------------------------------------------------------------


def _merged_heads(base: bytes, ours: bytes, theirs: bytes, text_merge: TextMerge, *, favour: bool = False) -> Merged:
    """`favour`: a property that conflicts keeps our lines, and the rest is merged."""
    simple = _one_sided(base, ours, theirs)
    if simple is not None:
        return simple
    base, theirs = _ended_like(ours, base), _ended_like(ours, theirs)
    heads = (base, ours, theirs)
    was, mine, yours = ({entry.key: entry for entry in frontmatter.entries(head)} for head in heads)
    chosen: dict[str, bytes | None] = {}  # the lines a property ends up with
    values: dict[str, Any] = {}
    lists: dict[str, list[Any]] = {}
    conflicts = []
    for key in dict.fromkeys((*mine, *yours, *was)):
        sides = [
            (entry, head[entry.start : entry.end]) if entry else None
            for entry, head in zip((was.get(key), mine.get(key), yours.get(key)), heads, strict=True)
        ]
        winner = _winner(key, *sides)
        if isinstance(winner, list):
            lists[key] = values[key] = winner
            chosen[key] = sides[1][1] if sides[1] else None
        else:
            if winner == -1:
                conflicts.append(key)
                winner = 1
            side = sides[winner]
            chosen[key] = side[1] if side else None
            if side is not None:
                values[key] = side[0].value
    if conflicts and not favour:
        return Merged(None, tuple(conflicts))
    result = _composed(base, ours, theirs, chosen, lists, values)
    if result is None:
        # Comments changed on both sides, or lines that do not fit together: perhaps as text they do.
        result = text_merge(base, ours, theirs)
        if result is None or not _holds(result, values):
            return Merged(ours if favour else None, (*conflicts, "the comments in the front matter"))
    return Merged(result, tuple(conflicts))


_Side = tuple[Entry, bytes] | None


def _winner(key: str, was: _Side, mine: _Side, yours: _Side) -> int | list[Any]:
    """Whose lines a property takes (1 ours, 2 theirs, -1 a conflict), or the items of a merged list."""
    for equal in (_same_lines, _same_value):
        if equal(mine, yours) or equal(yours, was):
            return 1
        if equal(mine, was):
            return 2
    if mine is None or yours is None:
        return -1
    before, one, other = was[0].value if was else None, mine[0].value, yours[0].value
    if _is_items(one) and _is_items(other):
        items = before if isinstance(before, list) else [] if before is None else [before]
        return _merged_items(items, one, other)
    known = [one, other] if was is None else [before, one, other]
    if key == "version" and all(type(value) is int for value in known):
        return 1 if one > other else 2
    if was is not None and all(isinstance(value, str) and _DATE.fullmatch(value) for value in known):
        return 1 if one > other else 2
    return -1


def _same_lines(one: _Side, other: _Side) -> bool:
    return (one and one[1]) == (other and other[1])


def _same_value(one: _Side, other: _Side) -> bool:
    if one is None or other is None:
        return one is other
    return same(one[0].value, other[0].value)


def _is_items(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, (list, dict)) for item in value)


def _merged_items(before: Sequence[Any], ours: Sequence[Any], theirs: Sequence[Any]) -> list[Any]:
    """Lists as sets: what either side took out is out, what either added is in; ours first."""
    was, mine, yours = ({repr(item) for item in items} for items in (before, ours, theirs))
    kept = [item for item in ours if repr(item) in yours or repr(item) not in was]
    return kept + [item for item in theirs if repr(item) not in mine and repr(item) not in was]


def _composed(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    chosen: dict[str, bytes | None],
    lists: dict[str, list[Any]],
    values: dict[str, Any],
) -> bytes | None:
    """The chosen lines put into the side whose comments changed; None where that does not come out right."""
    comments = [_between(head) for head in (base, ours, theirs)]
    if comments[2] in (comments[0], comments[1]):
        host = ours
    elif comments[1] == comments[0]:
        host = theirs
    else:
        return None
    there = {entry.key for entry in frontmatter.entries(host)}
    try:
        result = patch.splice(
            host,
            {key: lines for key, lines in chosen.items() if key in there},
            [lines for key, lines in chosen.items() if lines is not None and key not in there],
        )
        result = patch.set_properties(result, lists)
    except FrontMatterError:
        return None
    return result if _holds(result, values) else None


def _between(head: bytes) -> bytes:
    """What is no property: mark, fences, comments, blank lines. Without front matter: plain fences."""
    if frontmatter.block(head) is None:
        head += b"---" + _newline(head) + b"---" + _newline(head)
    parts, done = [], 0
    for entry in frontmatter.entries(head):
        parts.append(head[done : entry.start])
        done = entry.end
    return b"".join((*parts, head[done:])).rstrip()


def _holds(head: bytes, values: dict[str, Any]) -> bool:
    found = frontmatter.read(head)
    return not found.problems and same(found.values, values)


# -- text -------------------------------------------------------------------------------------------------


def _merged_text(
    base: bytes, ours: bytes, theirs: bytes, first_line: int, text_merge: TextMerge, favour: TextMerge | None = None
) -> Merged:
    """Text by lines; where that conflicts, what one side appended to `base` goes below the other's text, or `favour`
    decides."""
    base, theirs = _ended_like(ours, base), _ended_like(ours, theirs)
    simple = _one_sided(base, ours, theirs)
    if simple is not None:
        return simple
    newline = _newline(ours)
    # A last line without its newline would clash with the same line that has one. Whether the result has it
    # at its end is decided like everything else: the side that changed it wins.
    ends = [not data or data.endswith(b"\n") for data in (base, ours, theirs)]
    whole = [data if end else data + newline for data, end in zip((base, ours, theirs), ends, strict=True)]
    simple = _one_sided(*whole)
    result = simple.data if simple else text_merge(*whole)
    ended = ends[1] if ends[1] != ends[0] else ends[2]
    if result is None and not any(b"\0" in data for data in whole):
        result = _appended(*whole)
        # Here the last line is an appended one, and ends as the side ends that appended it.
        last = whole[2].splitlines(keepends=True)[-1:]
        by_theirs = whole[2].startswith(whole[0]) and result is not None and result.endswith(b"".join(last))
        ended = ends[2] if by_theirs else ends[1]
    conflicts: tuple[str, ...] = ()
    if result is None:
        conflicts = (_clash(whole[0], whole[1], whole[2], first_line),)
        result, ended = favour(*whole) if favour else None, ends[1]
    if result is not None and not ended:
        result = result.removesuffix(b"\n").removesuffix(b"\r")
    return Merged(result, conflicts)


def _appended(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """The other side and what was only put after `base`; None where neither side is `base` and more lines.

    All three end with a newline or are empty. Paragraphs that both sides appended first are there once. None
    too where the lines would come to stand in another section, or in code that was none around them.
    """
    if not theirs.startswith(base):
        if not ours.startswith(base):
            return None
        ours, theirs = theirs, ours
    there, added = ours.splitlines(keepends=True), theirs.splitlines(keepends=True)
    code, added_code = _code(there), _code(added)
    headings, added_headings = _headings(there, code), _headings(added, added_code)
    start, place = len(base.splitlines()), len(there)
    if ours.startswith(base):
        shared = start
        while shared < min(len(there), len(added)) and there[shared] == added[shared]:
            shared += 1
        if shared == min(len(there), len(added)):
            return max(ours, theirs, key=len)  # one went on where the other stopped
        start = _paragraphs_end(added, added_code, start, shared)
        heading = next((at for at in headings if at >= start), None)
        if heading is not None and _first(added, start) not in added_headings:
            # What belongs to the section that `base` ends with goes above the next one.
            if added_code[-1] or any(at >= start for at in added_headings):
                return None
            place = heading
            while place > start and not there[place - 1].strip():
                place -= 1
        if there[start:place][start - len(added) :] == added[start:]:  # they are there already
            return ours
    elif there[start - len(added) :] == added[start:]:
        return ours
    else:
        was, now = [added[at] for at in added_headings if at < start], [there[at] for at in headings]
        renamed = len(was) == len(now) and was[:-1] == now[:-1]
        if was[-1:] != now[-1:] and not renamed and _first(added, start) not in added_headings:
            return None
    if code[place] != added_code[start]:
        return None
    return b"".join((*there[:place], *added[start:], *there[place:]))


def _first(lines: Sequence[bytes], start: int) -> int:
    """The first line from `start` on that is not blank."""
    return next((at for at in range(start, len(lines)) if lines[at].strip()), start)


def _paragraphs_end(lines: Sequence[bytes], code: Sequence[bytes], start: int, end: int) -> int:
    """Where the last paragraph ends that lies whole in `lines[start:end]`; the blank line below is not in it."""
    while end > start and (lines[end - 1].strip() or code[end]):
        end -= 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _code(lines: Sequence[bytes]) -> list[bytes]:
    """The fence of the code block that is open before each line, and after the last; empty for none."""
    found = [b""]
    for line in lines:
        fence, match = found[-1], _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence) and not match[2].strip():
            fence = b""
        found.append(fence)
    return found


def _headings(lines: Sequence[bytes], code: Sequence[bytes]) -> list[int]:
    return [at for at, line in enumerate(lines) if not code[at] and _HEADING.match(line)]


def _clash(base: bytes, ours: bytes, theirs: bytes, first_line: int) -> str:
    """Which lines of ours both sides changed, in words."""
    import difflib

    lines = [data.splitlines() for data in (base, ours, theirs)]
    if sum(map(len, lines)) > 2000:
        return "the text"
    matchers = (difflib.SequenceMatcher(None, lines[0], side, autojunk=False) for side in lines[1:])
    mine, yours = ([step for step in one.get_opcodes() if step[0] != "equal"] for one in matchers)
    hit = [step for step in mine for other in yours if step[1] <= other[2] and other[1] <= step[2]]
    if not hit:
        return "the text"
    start, end = first_line + min(step[3] for step in hit), first_line + max(step[4] for step in hit) - 1
    return f"lines {start}-{end}" if end > start else f"line {start}"


def _lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _newline(data: bytes) -> bytes:
    """How most lines end."""
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def _ended_like(ours: bytes, other: bytes) -> bytes:
    """`other` with the line endings of `ours`, where the two differ in them; in a mixed file line by line."""
    kinds = [(b"\r\n" in data, data.count(b"\n") > data.count(b"\r\n")) for data in (ours, other)]
    if kinds[0] == kinds[1] or b"\n" not in ours:
        return other
    newline = _newline(ours)
    if kinds[0] != (True, True):
        return _lf(other).replace(b"\n", newline)
    own = {line.rstrip(b"\r\n"): line for line in ours.splitlines(keepends=True)}
    lines = _lf(other).split(b"\n")
    return b"".join(own.get(line, line + newline) for line in lines[:-1]) + lines[-1]


# -- git --------------------------------------------------------------------------------------------------


def _text_merge(git: Callable[..., Any], place: str | None = None, *options: str) -> TextMerge:
    def text_merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        import tempfile

        with tempfile.TemporaryDirectory(prefix=MERGING, dir=place) as folder:
            paths = [os.path.join(folder, name) for name in ("ours", "base", "theirs")]
            for path, data in zip(paths, (ours, base, theirs), strict=True):
                with open(path, "wb") as stream:
                    stream.write(data)
            done = git("merge-file", "-p", *options, *paths)
        if done.returncode == 0:
            return bytes(done.stdout)
        if 0 < done.returncode < 128 or b"binary" in done.stderr:
            return None
        raise GitError(["merge-file"], done.returncode, done.stderr)

    return text_merge


def _git_alone(*args: str) -> Any:
    """git where no repository is known: `git merge-file` needs none."""
    import subprocess

    return subprocess.run(["git", *args], env=clean_environment(), capture_output=True, check=False)


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


def _replace(path: str, data: bytes) -> None:
    """Whole or not at all: the text merge after a failure still needs what was there."""
    beside = f"{path}.vaultgit"
    try:
        with open(beside, "wb") as stream:
            stream.write(data)
        os.replace(beside, path)
    except OSError:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
