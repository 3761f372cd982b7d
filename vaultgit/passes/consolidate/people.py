"""People, by how a line speaks of them: ask NAME, our lead NAME, NAME is on call, NAME says.

One such cue is enough (right almost always at one mention); so it counts only where a person can stand,
and not for a firm, which is asked things as well: `the Norrland portal` elsewhere tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from vaultgit.passes.consolidate import stop
from vaultgit.passes.consolidate.reading import Line
from vaultgit.passes.consolidate.reading import Token


class Person(NamedTuple):
    """`sure`: the cue fits no firm or tool."""

    name: str
    key: str
    line: int
    cue: str
    sure: bool
    weak: bool = False  # counts only with another cue beside it


_ASK = stop.word_set(
    "ask asked asking tell told telling remind reminded thank thanked invite invited phone phoned nudge"
)
# What one does to firms as well: it takes a second sign.
_WEAK_ASK = stop.word_set("email e-mail emailed message messaged ping pinged chase consult interview cc call called")
_TO = stop.word_set(
    "talk talked talking speak spoke speaking write wrote chat chatted listen apologise apologize reply"
)
_WITH = stop.word_set(
    """talk talked speak spoke check checked chat chatted agree agreed lunch dinner breakfast coffee 1:1 pair paired
    met confirm confirmed clarify catch-up clear cleared"""
)
_BY = stop.word_set("approved reviewed proofread owned signed-off run led chaired drafted")
_TO_WHOM = stop.word_set("assigned promised introduced handed hand give forward")
_SAYS = stop.word_set(
    """says said thinks thought prefers preferred agrees agreed promised promises insists insisted objected
    reckons asked asks complained complains replied volunteered refuses refused suggested suggests proposed proposes
    wants wanted told likes liked loves loved hates confirmed approved argues argued mentioned reminded offered
    believes disagrees disagreed pointed apologised worries warned"""
)
_SURE_SAYS = stop.word_set(
    """thinks thought reckons volunteered apologised loves loved hates worries disagrees disagreed believes insists
    insisted asked asks told complained mentioned"""
)
_STATES = stop.word_set("call leave holiday vacation sick parental maternity paternity sabbatical")
_OWNS = stop.word_set(
    """birthday wife husband kids mother father daughter son mic microphone desk opinion reply holiday leave phone
    feedback wedding flat desk boss email handwriting allergy surgery appointment advice"""
)
_SURE_ROLES = stop.ROLES - {"head", "lead", "contact", "vet", "coach", "chair", "intern"}
_DETERMINERS = stop.word_set("our my the their his her your a new")
_TITLES = stop.word_set("dr prof mr mrs ms herr frau professor doctor")
_PARTICLES = stop.word_set("van der von de den da di du la le bin ibn ter ten zu del dos al el")
_THING_BEFORE = stop.word_set("at the via supplier vendor customer client company firm bank brand shop tool a an in on")
_THING_AFTER = stop.word_set(
    """gmbh ab ltd inc bv ag llc plc sa oy as api portal dashboard account invoice invoices server app cli repo
    contract shop store support website site warehouse order orders shipment catalogue price prices account accounts
    subscription licence license file files feed export format schema migration branch release rows ships bills
    charges charged delivers sells hosts crashes crashed rejects outage bug ticket gateway cloud servers data"""
)
_TRADE = stop.word_set(
    "price prices quote quotation offer invoice refund discount contract licence license voucher receipt"
)
_PRONOUNS = stop.word_set("he she his her him hers himself herself")
_WITHIN = re.compile(r"(?<!^Mc)(?<!^Mac)(?<!^De)(?<!^Di)(?<!^Fitz)(?<=[a-z])[A-Z]")  # OpenSSH is nobody
_LONGEST = 3


def find(lines: Sequence[Line], usage: stop.Usage) -> list[Person]:
    """Every person that some line has a cue for, one entry a cue, in the order of the lines."""
    things = _things(lines)
    found = []
    for number, line in enumerate(lines):
        pronoun = any(token.key in _PRONOUNS for token in line.tokens)
        for start, stop_at, cue, sure, weak in _cues(line.tokens):
            tokens = line.tokens[start:stop_at]
            if not _is_name(tokens, usage):
                continue
            sure = sure or pronoun or (stop_at - start > 1 and not things.get(tokens[-1].key))
            if not sure and (any(things.get(token.key) for token in tokens) or _is_trade(line.tokens, stop_at)):
                continue
            name, key = " ".join(token.text for token in tokens), " ".join(token.key for token in tokens)
            found.append(Person(name, key, number, cue, sure, weak and not sure))
    cues: dict[str, set[int]] = {}
    for person in found:
        cues.setdefault(person.key, set()).add(person.line)
    strong = {person.key for person in found if not person.weak}
    return _cut([person for person in found if person.key in strong or len(cues[person.key]) > 1], lines)


def _is_trade(tokens: Sequence[Token], end: int) -> bool:
    """Whether what follows a name speaks of a firm: ask X for the price, X says it will not …"""
    after = [token.key for token in tokens[end : end + 5]]
    if after[:1] == ["for"] and any(word in _TRADE for word in after):
        return True
    return len(after) > 2 and after[0] in _SAYS and after[1] in ("it", "they") and after[2] in ("will", "won't", "can")


def _cues(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str, bool, bool]]:
    """First token and end of what may be a name, the words that say so, whether they fit people alone, whether they
    are weak."""
    for i, token in enumerate(tokens):
        key = token.key
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        two = key + " " + after.key if after is not None else key
        at, sure = 0, False
        if key in _ASK or key in _WEAK_ASK:
            at = i + 1
        elif key in ("with", "for", "to", "from") and any(one.key in ("she", "he") for one in tokens[i + 2 : i + 12]):
            at, sure = i + 1, sum(_may_name(one) and not one.opens for one in tokens) == 1
            at = at if sure else 0
        elif (two.endswith(" to") and (key in _TO or key in _TO_WHOM)) or (two.endswith(" with") and key in _WITH):
            at, sure = (
                i + 2,
                key not in ("write", "wrote", "check", "checked", "confirm", "agree", "agreed", "confirmed"),
            )
        elif two.endswith(" by") and key in _BY:
            at = i + 2
        elif two in ("according to", "waiting for", "waiting on", "wait for", "depends on", "hear from", "heard from"):
            at = i + 2 if two not in ("depends on", "waiting on") else 0
        elif key in ("said", "says") and i and not tokens[i].joined:
            at, sure = i + 1, False
        elif key in stop.ROLES and _is_role(tokens, i):
            at, sure = i + 1, True
        elif key in _TITLES and token.text[:1].isupper():
            at, sure = i + 1, True
        if at and at < len(tokens) and _joined(tokens, at, key):
            end = _right(tokens, at)
            if end > at and not _is_thing_after(tokens, end):
                said = _said(tokens[i:end])
                yield at, end, said, sure, key in _WEAK_ASK
        for start, stop_at, said, sure in _subject(tokens, i):
            yield start, stop_at, said, sure, False


def _said(tokens: Sequence[Token]) -> str:
    """The words as they stand in the line."""
    return "".join((one.gap if at else "") + one.text + ("'s" if one.owns else "") for at, one in enumerate(tokens))


def _joined(tokens: Sequence[Token], at: int, key: str) -> bool:
    gap = tokens[at].gap
    return gap.strip() == "" or (key in _TITLES and gap == ". ") or (key in stop.ROLES and gap in (", ", " ("))


def _is_role(tokens: Sequence[Token], i: int) -> bool:
    """Whether a word that can be a role is one here: our lead, not to lead."""
    if tokens[i].text[:1].isupper() and not tokens[i].opens:
        return False
    return tokens[i].key in _SURE_ROLES or any(one.key in _DETERMINERS for one in tokens[max(0, i - 3) : i])


def _subject(tokens: Sequence[Token], i: int) -> Iterator[tuple[int, int, str, bool]]:
    """The name that ends right before token `i`, where what follows speaks of a person."""
    if i == 0 or not tokens[i - 1].text[:1].isupper():
        return
    key, gap, before = tokens[i].key, tokens[i].gap, tokens[i - 1]
    rest = [one.key for one in tokens[i : i + 4]]
    sure = joined = False
    if gap == " ":
        if before.owns:
            joined = sure = key in _OWNS
        elif key in _SAYS:
            joined, sure = True, key in _SURE_SAYS
        elif key in ("is", "was", "will") and len(rest) > 1:
            tail = rest[1:]
            joined = sure = (
                (tail[0] == "on" and any(one in _STATES for one in tail[1:3]))
                or tail[0] in ("sick", "away", "pregnant", "retiring")
                or (tail[0] in ("our", "my", "the") and any(one in stop.ROLES for one in tail[1:3]))
            )
        elif key == "from" and len(rest) > 1:
            joined = sure = rest[1] in stop.DEPARTMENTS and rest[1] != "production"
        elif key == "in" and len(rest) > 1:
            joined = sure = rest[1] in stop.DEPARTMENTS - {"production", "design", "support", "security", "research"}
        elif key == "and" and len(rest) > 1:
            joined = sure = tokens[i + 1].text == "I"
    elif gap == " (":
        joined = sure = key in stop.DEPARTMENTS or (key in stop.ROLES and not tokens[i].text[:1].isupper()) or (
            key in _DETERMINERS and len(rest) > 1 and any(one in stop.ROLES for one in rest[1:3])
        )  # fmt: skip
    elif gap == ", ":
        roles = [one for one in tokens[i + 1 : i + 3] if one.joined and not one.text.istitle()]
        joined = sure = key in ("who", "whose", "she", "he") or (
            key in ("our", "my", "the", "a") and any(one.key in stop.ROLES for one in roles)
        )
    if joined:
        start = _left(tokens, i)
        if start < i:
            yield (
                start,
                i,
                _said(tokens[start : i + (3 if key in ("is", "was", "will", "in", "from", "and") else 1)]),
                sure,
            )


def _right(tokens: Sequence[Token], at: int) -> int:
    """End of the run of name words that begins at `at`."""
    end = at
    while end < len(tokens) and end - at < _LONGEST and _may_name(tokens[end]) and (end == at or tokens[end].joined):
        end += 1
        if tokens[end - 1].owns:
            break
        skip = end
        while skip < len(tokens) and tokens[skip].joined and tokens[skip].key in _PARTICLES and skip - end < 2:
            skip += 1
        if skip > end and skip < len(tokens) and tokens[skip].joined and _may_name(tokens[skip]):
            return skip + 1
    return end


def _left(tokens: Sequence[Token], end: int) -> int:
    start = end
    while start > 0 and end - start < _LONGEST and _may_name(tokens[start - 1]):
        if tokens[start - 1].opens and stop.is_ordinary(tokens[start - 1].key):
            break
        start -= 1
        if not tokens[start].joined:
            break
    return start


def _may_name(token: Token) -> bool:
    text = token.text
    return (
        len(text) > 1
        and text[0].isupper()
        and not text[:2].isupper()
        and not text.isupper()
        and not any(sign.isdigit() or sign == "_" for sign in text)
        and not _WITHIN.search(text)
        and token.key not in stop.NEVER
        and token.key not in stop.FUNCTION
        and token.key not in stop.DEPARTMENTS
        and token.key not in stop.ROLES
        and token.key not in _TITLES
    )


def _is_name(tokens: Sequence[Token], usage: stop.Usage) -> bool:
    """Whether words with a capital are a name and no sentence's beginning, nor words the vault writes small."""
    if not tokens:
        return False
    first = tokens[0]
    if first.opens and (stop.is_ordinary(first.key) or usage.lower[first.key] > usage.inside[first.key]):
        return False
    if usage.lower[first.key] > usage.inside[first.key] + 1 and len(tokens) == 1:
        return False
    return not (first.key.endswith("s") and usage.lower[first.key[:-1]] and len(tokens) == 1)


def _is_thing_after(tokens: Sequence[Token], end: int) -> bool:
    """Asked Norrland support: a firm."""
    return end < len(tokens) and tokens[end].joined and tokens[end].key in _THING_AFTER and not tokens[end - 1].owns


def _things(lines: Sequence[Line]) -> dict[str, int]:
    """Words that some line uses as the name of a thing or firm -> how often."""
    found: dict[str, int] = {}
    for line in lines:
        for i, token in enumerate(line.tokens):
            if not token.text[:1].isupper():
                continue
            before = line.tokens[i - 1].key if i and token.joined else ""
            following = line.tokens[i + 1] if i + 1 < len(line.tokens) else None
            is_thing = (
                before in _THING_BEFORE
                or (following is not None and following.joined and following.key in _THING_AFTER)
                or _is_trade(line.tokens, i + 1)
            )
            if is_thing:
                found[token.key] = found.get(token.key, 0) + 1
    return found


def _cut(found: list[Person], lines: Sequence[Line]) -> list[Person]:
    """Tell Ilse Kassabon is out: two names side by side that otherwise stand apart; the first is the person."""
    cut = []
    for person in found:
        first, _, rest = person.key.partition(" ")
        if rest and " " not in rest:
            whole = f" {person.key} "
            holding = [line.words for line in lines if rest in line.words or first in line.words]
            apart = [words.replace(whole, " | ") for words in holding]
            stands = all(any(f" {word} " in words for words in apart) for word in (first, rest))
            if stands and sum(whole in words for words in holding) == 1:
                person = person._replace(name=person.name.split()[0], key=first)
        cut.append(person)
    return cut
