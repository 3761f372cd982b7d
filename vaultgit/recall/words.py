"""Words as search compares them: folded, cut, reduced to a stem. One path for notes and for questions.

The stemmer is Snowball's for English (PyStemmer); what it cannot know, irregular forms, is a table. Scripts written
without spaces become pairs of characters (and the last one alone, so that a single character is found as the
beginning of a pair). Stems hold letters and digits only, so a space ends one everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from collections.abc import Iterable

import Stemmer

_LONGEST = 40  # characters of a word that count; a line of base64 is no word
_KEPT = 200_000  # words whose stem is remembered

# Signs that belong to the letter before them and that no composition takes in (Indic vowels, Hebrew and Arabic points).
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0df3"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18-\u0f39\u0f71-\u0f84\u0f86-\u0fbc"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u135d-\u135f"
    "\u17b4-\u17d3\u18a9\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1aff\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73"
    "\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cf9\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
    "\ua66f-\ua672\ua674-\ua67d\ua823-\ua827\ua880\ua881\ua8b4-\ua8c5\ufe20-\ufe2f"
)
# Written without spaces between words: Thai, Lao, Burmese, Khmer, kana, Chinese characters; Korean glues its particles.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"  # arrows, signs, emoji: each a word of its own

_PLAIN = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z][A-Za-z0-9]*)*")
_QUOTES = re.compile(r"'(?:(?<![A-Za-z0-9]')|(?![A-Za-z]))")  # apostrophes that are none
_SPACES = str.maketrans({chr(n): " " for n in range(128) if not chr(n).isalnum() and chr(n) not in "'\n"})
_LINE = "\x01"  # a line's end, which no word can be
# What texts are full of that are ASCII but for it.
_TYPOGRAPHY = (("\u2019", "'"), *((sign, " ") for sign in "\u201c\u201d\u2018\u2013\u2014\u2026\u00a0\u2022\ufeff"))
_ANY_SOURCE = rf"(?:[^\W_]|[{_MARKS}])+(?:['\u2019][^\W\d_](?:[^\W_]|[{_MARKS}])*)*|[{_PICTURES}]"
_lazy: dict[str, re.Pattern[str]] = {}
_english: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord  # 0: what is remembered, _Stems remembers

_LETTERS = str.maketrans({
    "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "ħ": "h", "ŧ": "t", "ς": "σ",
})  # fmt: skip
_ACCENTS = re.compile("[\u0300-\u036f]")


def stems(text: str) -> str:
    """The stems of a text, line by line: " red fox \\n jump \\n" (candidate.Candidate says how it is read)."""
    return stemmed(cut(text))


def cut(text: str) -> list[str]:
    """The words of a text in their order as they stand there, with a sign for each line's end."""
    if not text.isascii():
        for sign, plain in _TYPOGRAPHY:
            text = text.replace(sign, plain)
        if not text.isascii():
            lines = (_split(line) if line.isascii() else _any().findall(line) for line in text.split("\n"))
            return [word for line in lines for word in (*line, _LINE)][:-1]
    return _split(text)


def stemmed(found: Iterable[str]) -> str:
    """What `cut` found, as stems."""
    return f" {' '.join(map(_stems.__getitem__, found))} "


def forms(found: Iterable[str]) -> set[tuple[str, str]]:
    """Stem and folded word of what `cut` found. A word of several stems is none of theirs: each stands for itself."""
    made = set()
    for word in found:
        parts = _stems[word].split()
        made.update([(parts[0], fold(word))] if len(parts) == 1 else [(part, part) for part in parts])
    return made


def _split(text: str) -> list[str]:
    """As _PLAIN finds the words of an ASCII text, with line ends between them, in a third of its time."""
    if "'" in text:
        text = _QUOTES.sub(" ", text)
    return text.translate(_SPACES).replace("\n", f" {_LINE} ").split()


def stem(word: str) -> str:
    """The stem of one word as it stands in a text; several, joined by spaces, where it is more than one."""
    return _stems[word]


def asked(word: str) -> list[str]:
    """The stems of a word in a question: of a run without spaces the pairs alone, as it may stand inside another."""
    made = _stems.of(word).split()
    if len(made) > 1 and is_unspaced(word):
        made = [one for one in made if len(one) > 1 or not is_unspaced(one)]
    return list(dict.fromkeys(made))


def asked_all(text: str) -> list[str]:
    """The stems of a text in a question, each once."""
    return list(dict.fromkeys(stem for word in found(text) for stem in asked(word)))


def new(word: str) -> str:
    """The stem of a word that nobody wrote: not remembered."""
    return _stems.one(word)


def found(text: str) -> list[str]:
    """The words of a text as they stand there."""
    return (_PLAIN if text.isascii() else _any()).findall(text)


def places(text: str) -> list[tuple[str, int, int]]:
    """The words of a text with start and end."""
    pattern = _PLAIN if text.isascii() else _any()
    return [(match[0], match.start(), match.end()) for match in pattern.finditer(text)]


def fold(text: str) -> str:
    """Without case, accents, and the several ways to write one character: Über -> uber, ﬁ -> fi, Straße -> strasse."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", plain)).translate(_LETTERS)


def is_stop(word: str) -> bool:
    """Whether a word as typed says nothing by itself: "the", "don't"."""
    return fold(word).replace("'", "").replace("\u2019", "") in STOP_WORDS


def is_unspaced(word: str) -> bool:
    """Whether a word holds a script that is written without spaces, so that it became pairs."""
    return not word.isascii() and bool(_unspaced().search(word))


def _any() -> re.Pattern[str]:
    return _lazy.get("any") or _lazy.setdefault("any", re.compile(_ANY_SOURCE))


def _unspaced() -> re.Pattern[str]:
    return _lazy.get("unspaced") or _lazy.setdefault("unspaced", re.compile(f"[{UNSPACED}]+"))


class _Stems(dict[str, str]):
    """Word as it stands in a text -> its stem; filled as words come."""

    def __init__(self) -> None:
        super().__init__({"\n": "\n", _LINE: "\n"})

    def __missing__(self, word: str) -> str:
        lower = word.lower()
        if lower.isascii() and lower.isalpha() and len(lower) <= _LONGEST:  # nearly all words
            stem = self.one(lower) if lower == word else self[lower]
        else:
            stem = self.of(word)
        if len(word) <= _LONGEST:
            if len(self) > _KEPT:
                self.clear()
                self.update({"\n": "\n", _LINE: "\n"})
            self[word] = stem
        return stem

    def of(self, word: str) -> str:
        folded = fold(word)
        if "'" in folded or "\u2019" in folded:
            folded = _without_apostrophe(folded.replace("\u2019", "'"))
        if not folded.isascii():
            return " ".join(map(self.foreign, _any().findall(folded)))
        return " ".join(map(self.one, _PLAIN.findall(folded))) or word  # of ≠ nothing but = would be left

    def one(self, word: str) -> str:
        word = word[:_LONGEST]
        irregular = IRREGULAR.get(word)
        if irregular is not None:
            return irregular
        if len(word) < 3 or word[0].isdigit():
            return word
        stem = _english(word)
        return IRREGULAR.get(stem, stem)

    def foreign(self, word: str) -> str:
        parts: list[str] = []
        done = 0
        for run in _unspaced().finditer(word):
            if run.start() > done:
                parts.append(self.one(word[done : run.start()]))
            text = run[0]
            parts += [text[n : n + 2] for n in range(len(text))]
            done = run.end()
        if done < len(word):
            parts.append(self.one(word[done:]))
        return " ".join(parts)


def _without_apostrophe(word: str) -> str:
    """Ada's -> ada, don't -> dont, l'homme -> l homme, O'Brien -> o brien."""
    first, _, rest = word.partition("'")
    if rest in ("s", ""):
        return first
    if len(first) == 1 and len(rest) > 2:
        return f"{first} {rest.replace(chr(39), '')}"
    return word.replace("'", "")


STOP_WORDS = frozenset(
    "a about am an and any are arent as at be because been being but by can cannot cant could couldnt did didnt do "
    "does doesnt doing dont for from had hadnt has hasnt have havent having he hed her here hers him his how i id if "
    "ill im in into is isnt it its ive just let lets me my of on or our ours shall she should shouldnt so some "
    "such than that thats the their theirs them then there theres these they theyre this those to too us very was "
    "wasnt we were werent weve what whats when where which while who whom whose why will with wont would wouldnt "
    "yet you youd youll your youre yours please".split()
)

_FORMS = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beaten|become became|begin began begun|bend bent|bind bound
bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought
catch caught|choose chose chosen|cling clung|come came|creep crept|cut|deal dealt|dig dug|draw drew drawn|dream dreamt
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled
fly flew flown flies|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen
get got gotten|give gave given|go went gone goes|grow grew grown|hang hung|hear heard|hide hid hidden|hold held
keep kept|kneel knelt|know knew known|lay laid|lead led|lean leant|leap leapt|learn learnt|leave left|lend lent
lie lay lain lying|light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|overcome overcame
pay paid|prove proven|rebuild rebuilt|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen
seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk
sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|smell smelt|speak spoke spoken|spell spelt|spend spent
spill spilt|spin spun|spit spat|spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung
strike struck|strive strove striven|swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|undergo underwent undergone
understand understood|undertake undertook|wake woke woken|wear wore worn|weave wove woven|weep wept|win won|wind wound
withdraw withdrew withdrawn|write wrote written|die dying dies died|tie tying ties tied
child children|man men|woman women|person people|foot feet|tooth teeth|goose geese|mouse mice|ox oxen|leaf leaves
life lives|knife knives|wife wives|half halves|shelf shelves|wolf wolves|thief thieves|loaf loaves|calf calves
self selves
criterion criteria|phenomenon phenomena|index indices|matrix matrices|vertex vertices|appendix appendices
analysis analyses|thesis theses|hypothesis hypotheses|crisis crises|basis bases|axis axes|datum data|medium media
good better best|bad worse worst
"""


def _irregular() -> dict[str, str]:
    """Every irregular form -> the stem of the form that a dictionary lists ("left", "saw" count as the verb)."""
    forms: dict[str, str] = {}
    for entry in _FORMS.replace("\n", "|").split("|"):
        head, *others = entry.split() or [""]
        for form in others:
            forms.setdefault(form, _english(head))
    return forms


IRREGULAR = _irregular()
_stems = _Stems()
