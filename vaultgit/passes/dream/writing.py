"""The text of a merge: what the rules make of two skills, or an engine's, where one is asked and its text is fit.

Rules decide whether two skills are merged. An engine is asked for a better text, and where the rules know of nothing
against a merge but that they cannot tell how to put the two together.
"""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.edits.compose import endings_of
from vaultgit.notes import frontmatter
from vaultgit.notes.links import links
from vaultgit.passes.dream.pairs import Both
from vaultgit.passes.engines import Engine
from vaultgit.passes.engines import Prompt
from vaultgit.passes.engines import Showing
from vaultgit.passes.engines import accept
from vaultgit.passes.join import Declined
from vaultgit.passes.join import join
from vaultgit.recall.skills import Skill
from vaultgit.vault import Rules

_TASK = """\
Join two procedures that say the same into one. Keep every step of both, word for word, and every block of code and
table; a step that both have stands once. Keep the first one's order and headings. Write nothing that neither of them
says."""
_LEFT_TO_ENGINES = "a person or an engine should join them"  # ends what the rules say to a pair that is safe to merge


class Text(NamedTuple):
    """A joined body. `added`: what the rules took over from the skill that goes; `said`: where the body came from, for
    the commit, "" for the rules."""

    body: str
    added: tuple[str, ...] = ()
    said: str = ""


def joined(rules: Rules, both: Both, engine: Engine | None) -> Text | str:
    """The joined text of two skills, or why there is none. Where no engine's text can be used, that of the rules."""
    made = join(both.kept.body, both.gone.body, both.gone.name, both.there)
    ruled = made.why if isinstance(made, Declined) else Text(made.body, made.added)
    if engine is None or not _is_asked(ruled, both):
        return ruled
    body, why = _written(rules, both, engine)
    if not why:
        return Text(body, said=f"text by {engine.name}, held to every step of both")
    said = f"{engine.name}'s text was not used: {why}"
    if isinstance(engine, Showing):
        said = f"{engine.name} would be asked for a text"
    return f"{ruled}; {said}" if isinstance(ruled, str) else ruled._replace(said=said)


def _is_asked(ruled: Text | str, both: Both) -> bool:
    if isinstance(ruled, str):
        return ruled.endswith(_LEFT_TO_ENGINES)
    return both.kept.body.split() != both.gone.body.split()  # else there is nothing to join


def _written(rules: Rules, both: Both, engine: Engine) -> tuple[str, str]:
    """An engine's body and "", or "" and why it is not used."""
    originals = [skill.body.replace("\r\n", "\n") for skill in (both.kept, both.gone)]
    names = (both.kept.name, both.gone.name)
    answer = engine.write(Prompt(_TASK, tuple(zip(names, originals, strict=True))))
    if answer.failed:
        return "", answer.failed
    text = accept.unwrapped(answer.text)
    block = frontmatter.block(both.kept.data)
    head = both.kept.data[: block.body if block else 0]
    why = accept.refusal(originals, text, rules=rules, path=both.kept.path, head=head) or _links(originals, text)
    return ("", why) if why else (_fitted(both.kept, text), "")


def _links(originals: list[str], text: str) -> str:
    """Why a text is not used whose links are not those of what it was made from: what links mean is for code to say."""
    known = {link.target for one in originals for link in links(one)}
    there = {link.target for link in links(text)}
    new, lost = sorted(there - known), sorted(known - there)
    return f"it has a link of its own, to {new[0]}" if new else f"it lost the link to {lost[0]}" if lost else ""


def _fitted(kept: Skill, text: str) -> str:
    """The text with the line ends of the note that it goes into, and with the blank lines above."""
    above = kept.body[: len(kept.body) - len(kept.body.lstrip("\r\n"))]
    return above + endings_of(kept.data, text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
