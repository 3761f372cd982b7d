"""Whether what an engine wrote may become a note's body: the last word before its text is used (promise P9).

Who is refused here gets the text of the rules, so it is strict: a lost step costs more than a clumsy sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence

from vaultgit import checks
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.notes import frontmatter
from vaultgit.notes import procedure
from vaultgit.passes.engines.answer import error_sentence
from vaultgit.passes.engines.answer import quoted
from vaultgit.passes.engines.prompt import SENTINEL
from vaultgit.vault import Rules

LONGER = 1.5  # than the longest original, at most
FREE = 400  # characters that are never too long: a step more in a short skill
_JUDGES = ("front_matter", "secrets", "markers")
_AGENT = "vaultgit"  # whose text it is judged as: what only people may allow is not allowed
_KEPT = (("code", "a block of code"), ("table", "a table"))  # what an engine has no reason to touch
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([^`\n]*)")
_WRAPS = ("markdown", "md", "text", "")
_COMMENT = "a comment, which a reader would not see"
_NOT_NEW = {"<!--": _COMMENT, "%%": _COMMENT, "[REDACTED ": "a gap where a secret was"}


def unwrapped(answer: str) -> str:
    """The answer as a body: without a fence around the whole, which clients like to add; LF, one newline at the end."""
    text = answer.replace("\r\n", "\n").strip("\n")
    lines = text.strip().split("\n")
    opening = _FENCE.fullmatch(lines[0].rstrip())
    if opening and len(lines) > 2 and _is_whole(opening[1], opening[2].strip().lower(), lines[1:]):
        text = "\n".join(lines[1:-1]).strip("\n")
    return text.rstrip() + "\n" if text.strip() else ""


def _is_whole(run: str, info: str, lines: Sequence[str]) -> bool:
    """Whether a fence that opens before `lines` ends with the last of them."""
    if info not in _WRAPS or not _closes(lines[-1], run):
        return False
    first = next(number for number, line in enumerate(lines) if _closes(line, run))
    return first == len(lines) - 1 or (info in ("markdown", "md") and _nests(lines[:-1], run))


def _nests(lines: Sequence[str], run: str) -> bool:
    """Whether each bare fence ends one that names a language: fences inside are often as long as the one around."""
    inside = ""
    for line in lines:
        fence = _FENCE.fullmatch(line.strip())
        if inside:
            inside = "" if _closes(line, inside) else inside
        elif fence and fence[2].strip():
            inside = fence[1]
        elif _closes(line, run):
            return False
    return not inside


def _closes(line: str, run: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(run) and set(bare) == {run[0]}


def refusal(
    originals: Sequence[str],
    text: str,
    *,
    rules: Rules,
    path: str,
    head: bytes,
    must_keep: Sequence[str] | None = None,
) -> str:
    """In words, why `text` may not become the body of the note at `path`; "" where it may.

    `originals`: the bodies it was made from. `head`: the note's front matter to be, with its fences. `must_keep`: the
    bodies whose steps must all be there by their words; all originals, where it is not given.
    """
    keep = originals if must_keep is None else must_keep
    return next(_reasons(originals, keep, text), "") or _by_checks(originals, text, rules, path, head)


def _reasons(originals: Sequence[str], keep: Sequence[str], text: str) -> Iterator[str]:
    if not text.strip():
        yield "it is empty"
    sentence = error_sentence(text)
    if sentence and not any(sentence in one for one in originals):
        yield f"it is an error: {quoted(sentence)}"
    if SENTINEL in text:
        yield "it repeats the prompt"
    odd = sorted({c for c in text if _hidden(c)} - set("".join(originals)))
    if odd:
        yield f"it has a character that nobody sees: U+{ord(odd[0]):04X}"
    new = [sign for sign in _NOT_NEW if sign in text and not any(sign in one for one in originals)]
    if new:
        yield f"it has {_NOT_NEW[new[0]]}"
    if frontmatter.block(_bytes(text)) is not None:
        yield "it begins with front matter, which is not the engine's to write"
    longest = max((len(one) for one in originals), default=0)
    if len(text) > max(longest * LONGER, longest + FREE):
        yield f"it has {len(text):,} characters, and the longest it was made from {longest:,}"
    yield from _lost(keep, text)


def _hidden(sign: str) -> bool:
    """Control and format characters, halves of surrogate pairs, private ones, fillers that carry data, and what stands
    for a broken one. Joiners are letters in some scripts."""
    if sign in "\n\t\u200c\u200d":
        return False
    return (
        unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        or "\U000e0100" <= sign <= "\U000e01ef"
        or (sign in "\ufffd\u115f\u1160\u3164\uffa0")
    )


def _lost(keep: Sequence[str], text: str) -> Iterator[str]:
    there = procedure.blocks(text)
    for original in keep:
        blocks = procedure.blocks(original)
        steps = procedure.lost([b for b in blocks if b.is_step], [b for b in there if b.is_step])
        if steps:
            number = "a step" if len(steps) == 1 else f"{len(steps)} steps"
            yield f"it lost {number}: {quoted(steps[0].words)}"
        for kind, name in _KEPT:
            if Counter(b.text for b in blocks if b.kind == kind) - Counter(b.text for b in there if b.kind == kind):
                yield f"it lost {name}"


def _by_checks(originals: Sequence[str], text: str, rules: Rules, path: str, head: bytes) -> str:
    before = tuple(head + _bytes(one) for one in originals)
    file = FileChange(path, before, head + _bytes(text))
    found = checks.run(Change((file,), rules, agent=_AGENT), _JUDGES, baseline=False)
    return f"{found[0].code} {found[0].message}" if found else ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # an original may have what is no UTF-8
