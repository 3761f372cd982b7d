"""An engine's words for a draft: the body alone, made of captured lines, and only where nothing speaks against it.

What is proposed, where it goes, its properties and its links are the rules' (promises P8, P9).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.notes import frontmatter
from vaultgit.passes.consolidate.sentences import more_than_sentences
from vaultgit.passes.engines import Engine
from vaultgit.passes.engines import Prompt
from vaultgit.passes.engines import Showing
from vaultgit.passes.engines import accept
from vaultgit.vault import Rules

_TASK = """\
Write the body of a short note from lines that were captured in conversations. Say what they say about its subject and
nothing else: no guess, no advice, no greeting. Where two lines contradict each other, the later one holds. Plain
sentences or a short list, no title. Use only links that stand in the data, as they stand there; no HTML, no code block,
no embedded file."""
_LINES = 60  # captured lines that are sent


class Worded(NamedTuple):
    """A draft's text, and what an engine had to do with it, in words ("": nothing)."""

    text: str
    said: str = ""


def worded(rules: Rules, path: str, name: str, text: str, lines: Sequence[str], engine: Engine | None) -> Worded:
    """The draft with an engine's body; where that cannot be used, the rules' draft as it is, and why."""
    if engine is None or not lines:
        return Worded(text)
    data = text.encode("utf-8", "surrogateescape")
    block = frontmatter.block(data)
    cut = block.body if block else 0
    head, body = data[:cut].decode("utf-8", "surrogateescape"), data[cut:].decode("utf-8", "surrogateescape")
    captured = "".join(f"- {line}\n" for line in lines[-_LINES:])
    given = (("the subject", name), ("captured lines, oldest first", captured), ("the note as rules wrote it", body))
    answer = engine.write(Prompt(_TASK, given))
    if isinstance(engine, Showing):
        return Worded(text, f"{engine.name} would be asked for a text")
    why = answer.failed
    written = "" if why else accept.unwrapped(answer.text)
    if not why:
        originals = [body, captured]
        why = accept.refusal(originals, written, rules=rules, path=path, head=data[:cut], must_keep=())
        why = why or more_than_sentences(written, originals)
    if why:
        return Worded(text, f"{engine.name}'s text was not used: {why}")
    title = re.match(r"\s*# .*\n+", body)
    own = re.match(r"\s*# ", written)
    return Worded(head + (title[0] if title and not own else "") + written, f"text by {engine.name}")
