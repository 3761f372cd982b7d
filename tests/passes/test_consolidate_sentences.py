"""What an engine may put into a draft: sentences, and of all else only what its text was made from (promise P8)."""

from __future__ import annotations

import pytest

from vaultgit.passes.consolidate.sentences import more_than_sentences

MADE_FROM = (
    "# Norrland\n\n- fact: “the depot, see `x.py`, is in [[Norrland]]; std::string at https://a.example/x and"
    " [here](https://a.example/y)” (you) ([[2026-11-20#Automatic capture, 10:00]])\n"
)
MORE = {
    "> ```dataviewjs\n> x\n> ```": "a block of code",
    "> > ~~~dataviewjs\n> > x": "a block of code",
    "- > ```x": "a block of code",
    "1. ```x": "a block of code",
    "    code": "a block of code",
    "\tcode": "a block of code",
    "[x](javascript:alert)": "an address of its own: javascript:alert",
    "[x](JavaScript&colon;alert)": "a link of its own",
    "[a\nb](javascript:x)": "an address of its own",
    "[[Norrland|x]](javascript:x)": "an address of its own",
    "[x][1]\n\n[1]: /run": "a link of its own",
    "[x]: /run": "a link of its own",
    "obsidian://run": "an address of its own",
    "mailto:a": "an address of its own",
    "a@b.example": "an address of its own: a@b.example",
    "data:text/html,x": "an address of its own",
    "www.b.example": "an address of its own",
    "see https://a.example/xy": "an address of its own",
    "[[Elsewhere]]": "a link of its own, to Elsewhere",
    "[Norrland](Other.md)": "a link of its own, to Other.md",
    "a $\\href{x}{y}$ b": "a formula",
    "$$\nx\n$$": "a formula",
    "`= this.file`": "a formula",
    "`button-x`": "code of its own",
    "`` `= x` ``": "a formula",
    "status:: done": "a field",
    "it is (status:: done) now": "a field",
    "- [due:: 2026-11-29]": "a field",
    "std::string is it": "a field",
    "other::thing": "a field",
    "#tag first": "a tag",
    "a #tag": "a tag",
    "a (#tag/x)": "a tag",
    "a #1a": "a tag",
    "text ^abc": "the id of a block",
    "a[^1]": "a footnote",
    "a ^[note]": "a footnote",
    "- [x] done": "a task",
    "* [ ] done": "a task",
    "1. [/] done": "a task",
    "- - [x] done": "a list in a list's line",
    "> quoted": "a quotation",
    "- > quoted": "a quotation",
    "## Heading": "a heading",
    "text\n# Heading": "a heading",
    "text\n===": "a line across",
    "text\n---\ntype: x": "a line across",
    "| a | b |": "a table",
    "a | b\n-|-\nc | d": "a table",
    "<script>": "HTML",
    "![[Norrland]]": "embeds something",
    "{{date}}": "a field of a template",
    "{% x %}": "a field of a template",
    "%%x": "a comment",
}
SENTENCES = (
    "Norrland is a place. It opens at 10:30: see `x.py`.",
    "# Norrland\n\n- one\n- two of [[Norrland]]\n  - three\n    - four\n\n    and more of it\n",
    "1. one\n2. two\n\nAnd the rest, *really* **so** (it says) [sic].",
    "It costs $5, not \\$6. C# is fine, and so is issue #12.",
    "It is std::string there, as [[2026-11-20#Automatic capture, 10:00]] says: https://a.example/x.",
    "It is [here](https://a.example/y), a | b, 3 * 4 - 5.",
)


@pytest.mark.parametrize("text", MORE)
def test_p8_what_is_more_than_sentences_is_told(text: str) -> None:
    for whole in (text, f"A depot.\n\n{text}\n"):
        if whole == text or not text.startswith("# "):
            assert MORE[text] in more_than_sentences(whole, [MADE_FROM]), whole


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_are_used(text: str) -> None:
    assert more_than_sentences(text, [MADE_FROM]) == ""
