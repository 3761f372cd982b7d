"""The three-way merge of text: by lines, and what was only appended side by side."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from vaultgit.history.beside import MERGING as MERGING
from vaultgit.history.repository import GitError
from vaultgit.history.repository import Repository

TextMerge = Callable[[bytes, bytes, bytes], bytes | None]  # of base, ours, theirs; None on a conflict

_FENCE = re.compile(rb"[ \t>]*(`{3,}(?=[^`]*\Z)|~{3,})(.*)", re.DOTALL)  # of code; also in a list or a quote
_HEADING = re.compile(rb" {0,3}#{1,6}(?:\s|\Z)")


class Merged(NamedTuple):
    """The outcome. `data` is None for a file that is not there; with conflicts it counts only where the merge was told
    to favour a side, and holds that side's text at them."""

    data: bytes | None
    conflicts: tuple[str, ...] = ()  # what clashed: names of properties, "lines 12-14", or a sentence


def one_sided(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> Merged | None:
    """The cases in which nothing has to be merged."""
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if ours is not None and theirs is not None and lf(ours) == lf(theirs):
        return Merged(ours)
    if base is not None and theirs is not None and lf(base) == lf(theirs):
        return Merged(ours)
    if base is not None and ours is not None and lf(base) == lf(ours):
        return Merged(None if theirs is None else ended_like(ours, theirs))
    return None


def merged_text(
    base: bytes, ours: bytes, theirs: bytes, first_line: int, text_merge: TextMerge, favour: TextMerge | None = None
) -> Merged:
    """Text by lines; where that conflicts, what one side appended to `base` goes below the other's text, or `favour`
    decides."""
    base, theirs = ended_like(ours, base), ended_like(ours, theirs)
    simple = one_sided(base, ours, theirs)
    if simple is not None:
        return simple
    newline = line_end(ours)
    # A last line without its newline would clash with the same line that has one. Whether the result has it
    # at its end is decided like everything else: the side that changed it wins.
    ends = [not data or data.endswith(b"\n") for data in (base, ours, theirs)]
    whole = [data if end else data + newline for data, end in zip((base, ours, theirs), ends, strict=True)]
    simple = one_sided(*whole)
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
        if _times(there[start:place], added[start:]):  # they are there already
            return ours
    elif _times(there, added[start:]) > _times(base.splitlines(keepends=True), added[start:]):
        return ours
    else:
        was, now = [added[at] for at in added_headings if at < start], [there[at] for at in headings]
        renamed = len(was) == len(now) and was[:-1] == now[:-1]
        if was[-1:] != now[-1:] and not renamed and _first(added, start) not in added_headings:
            return None
    if code[place] != added_code[start]:
        return None
    return b"".join((*there[:place], *added[start:], *there[place:]))


def _times(lines: Sequence[bytes], run: Sequence[bytes]) -> int:
    """How often lines stand in others, one below the other."""
    return sum(lines[at : at + len(run)] == run for at in range(len(lines) - len(run) + 1))


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


def lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def line_end(data: bytes) -> bytes:
    """How most lines end."""
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def ended_like(ours: bytes, other: bytes) -> bytes:
    """`other` with the line endings of `ours`, where the two differ in them; in a mixed file line by line."""
    kinds = [(b"\r\n" in data, data.count(b"\n") > data.count(b"\r\n")) for data in (ours, other)]
    if kinds[0] == kinds[1] or b"\n" not in ours:
        return other
    newline = line_end(ours)
    if kinds[0] != (True, True):
        return lf(other).replace(b"\n", newline)
    own = {line.rstrip(b"\r\n"): line for line in ours.splitlines(keepends=True)}
    lines = lf(other).split(b"\n")
    return b"".join(own.get(line, line + newline) for line in lines[:-1]) + lines[-1]


# -- git --------------------------------------------------------------------------------------------------


def git_text_merge(repo: Repository) -> TextMerge:
    """`git merge-file` as a function; None on a conflict or a binary file. Raises GitError if git fails.

    Its files lie in our state folder, which is private, and where recovery sweeps up what a killed one left.
    """
    return text_merge_by(repo.call, _place(repo))


def git_text_merge_ours(repo: Repository) -> TextMerge:
    """`git merge-file --ours`: our lines wherever both sides changed the same ones. None for a binary file."""
    return text_merge_by(repo.call, _place(repo), "--ours")


def git_text_merge_union(repo: Repository) -> TextMerge:
    """`git merge-file --union`: the lines of both sides wherever both changed the same ones. None for a binary file."""
    return text_merge_by(repo.call, _place(repo), "--union")


def _place(repo: Repository) -> str | None:
    folder = os.path.join(repo.common_dir, "vaultgit", "state", "tmp")
    return folder if os.path.isdir(folder) else None


def text_merge_by(git: Callable[..., Any], place: str | None = None, *options: str) -> TextMerge:
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
