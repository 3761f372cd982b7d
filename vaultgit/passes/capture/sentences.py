"""A turn's text as sentences, and measures of them. Made for prose; code, tables and quoted logs are left out."""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST = 20_000  # characters of a turn that are read: what is longer is a paste
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)")
_ROW = re.compile(r"^ {0,3}\|(.+)\|\s*$")
_RULER = re.compile(r"^[\s|:-]+$")
_NO_PROSE = re.compile(r"^(?: {4,}|\t|\||>|#{1,6} |[-=*_]{3,}$|\$ |[+-]{3} |@@ |diff |Traceback |  File )")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
# A full stop ends a sentence before a blank; not in "e.g.", "3.12", "v. 2" or after one letter.
_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|(?<=[。！？])\s*")
_SHORT_FORMS = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|dr|mr|mrs|ms|prof|st|no|nr|approx|ca|bzw|z\.B|d\.h|[A-Z]"
    r"|(?:am|der|den|dem|vom|zum|bis|ab) \d{1,2})\.$"
)
_OPTION = re.compile(
    r"(?:^\s*|(?<=\s))\(?([1-9a-eA-E])[.)]\s+(.+?)"
    r"(?=[\s,;]+(?:(?:and|or|und|oder)\s+)?\(?[1-9a-eA-E]\)\s|$)"
)
_WORD = re.compile(r"\d+|[^\W\d_]+")
_WIDE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts without blanks, or few
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ied", "ies", "ed", "es", "er", "ly", "s", "e")
_STOP_ENGLISH = frozenset(
    """a about after again all also am an and any are as at back be because been before being but by can cannot could
    did do does doing done down for from get gets give go goes going gone good got had has have having he her
    here hers him his how however i if in into is it its itself just keep know let like little look lot made
    make makes many may maybe me might more most much must my need needs never new next no nor not nothing now
    of off oh ok okay old on once one only or other our out over own per please put quite rather really right
    said same say says see she should since so some something still such sure take than thanks that the their
    them then there these they thing things think this those though through to too two under until up us use
    used uses using very want was way we well went were what when where whether which while who whole why will
    with within without wont would yeah yes yet you your s t d ll m re ve don isn doesn won didn aren wasn
    couldn shouldn today tomorrow yesterday day time people""".split()
)
_STOP_OTHER = """
    aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da damit dann das
    dass dein deine dem den denn der des die dies diese dir doch dort du ein eine einem einen einer eines er
    es etwas euch für gibt hab habe haben hat hatte hier ich ihm ihn ihr ihre im in ist ja jetzt kann kein
    keine man mehr mein meine mich mir mit muss nach nein nicht noch nun nur ob oder ohne schon sehr sein
    seine sich sie sind so soll sonst und uns unser unter vom von vor war was weil wenn wer wie will wir wird
    wo zu zum zur über au aux avec ce ces cette dans de des du elle en est et être il ils je la le les leur
    lui ma mais me mon ne nos nous on ou où par pas pour qu que qui sa se ses son sont sur ta te tes tu un une
    vos vous al como con cuando del donde el ella entre era es esa ese eso esta este esto ha hay la las lo los
    más mi mis muy no nos para pero por que quien se ser si sin su sus también te tiene todo tu un una y ya
""".split()
STOP = _STOP_ENGLISH | frozenset(_STOP_OTHER)


def sentences(text: str) -> list[str]:
    """The sentences of the prose in `text`, in order, each on one line."""
    found: list[str] = []
    fenced = False
    for line in text[:_LONGEST].splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (row := _ROW.match(line)):
            if not _RULER.match(line):
                found.append(", ".join(filter(None, map(str.strip, row[1].split("|")))))
            elif found:
                found.pop()  # the names of the columns
        elif not fenced and not _NO_PROSE.match(line):
            found += _split(_BULLET.sub("", line).strip())
    return found


def options(text: str) -> list[str]:
    """What a text offers as a list with numbers or letters, in lines of their own or in one; of several, the last."""
    found: list[str] = []
    for line in text[:_LONGEST].splitlines():
        for mark, item in _OPTION.findall(line):
            if mark in "1aA":
                found = []
            found.append(item.strip())
    return found if len(found) > 1 else []


def _split(line: str) -> list[str]:
    out: list[str] = []
    for piece in filter(None, map(str.strip, _END.split(line))):
        if out and _SHORT_FORMS.search(out[-1]):
            out[-1] += " " + piece
        else:
            out.append(piece)
    return out


def size(text: str) -> int:
    """The number of words; of a script without blanks, two characters count as one."""
    return len(text.split()) + len(_WIDE.findall(text)) // 2


def meaning(text: str) -> int:
    """How many words of the text mean something; of a script without blanks, by its length."""
    return len(stems(text)) + len(_WIDE.findall(text)) // 4


def clip(text: str, words: int) -> str:
    """The text, cut behind `words` words, at the last comma or the like where that is near; with `…` then."""
    if size(text) <= words and len(text) <= words * 12:
        return text
    parts = text.split()
    kept = " ".join(parts[:words])
    if size(kept) > words or len(kept) > words * 12:
        kept = kept[: words * (2 if _WIDE.search(kept) else 12)]
    near = max(kept.rfind(mark) for mark in (", ", "; ", " - ", ": ", ". "))
    if near > len(kept) * 2 // 3:
        kept = kept[:near]
    return kept.rstrip(" ,;:-.") + " …"


def stems(text: str) -> set[str]:
    """Stems of the words that mean something."""
    words = (word for word in map(str.lower, _WORD.findall(text)) if word not in STOP)
    return {stem(word) for word in words if len(word) > 1 or word.isdigit()}


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without its English ending: enough to find "stored" in "store"."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls" else word
