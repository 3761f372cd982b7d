"""What is wrong with YAML, in words that say what to do."""

from __future__ import annotations

import re
from typing import Any

QUOTE = "put the whole value in quotes"
ONE_A_LINE = "write one `key: value` a line"


def explained(text: str, error: Any) -> tuple[int, str, str]:
    """What the parser says: the place in the text that a person has to look at, what is there, what to do."""
    context, problem = error.context or "", error.problem or "not YAML"
    mark = error.problem_mark
    if error.context_mark and not context.startswith(("while parsing a block", "while scanning a plain")):
        mark = error.context_mark  # the parser notices a missing quote or bracket only lines later
    place = mark.index if mark else 0
    if context.startswith("while parsing a flow") and text[place : place + 1] not in ("[", "{"):
        place = max(text.rfind("[", 0, place), text.rfind("{", 0, place), 0)  # nothing at all stands after it
    before, sign = text[text.rfind("\n", 0, place) + 1 : place], text[place : place + 1]
    message, mend = problem.replace("<", "").replace(">", ""), ONE_A_LINE
    if sign == "\t" or "tab character" in problem:
        message, mend = "a tab where YAML wants blanks", "use spaces instead of the tab"
    elif "mapping values" in problem and before[:1] == " " and ": " not in before:
        message, mend = "an indented line with no value open", "begin every property at the margin"
    elif "mapping values" in problem:
        message, mend = "a colon and a blank inside a value", QUOTE
    elif "quoted scalar" in context and "end of stream" in problem:
        message, mend = "a quote that is not closed", "close the quote"
    elif "quoted scalar" in context:
        message, mend = "a backslash that means nothing in double quotes", "use single quotes"
    elif "while parsing a flow" in context and "[[" in text[max(place - 1, 0) : place + 2]:
        message, mend = "a link that YAML cannot read", "put the link in quotes"
    elif "while parsing a flow" in context:
        message, mend = f"a {sign} that is not closed", f"close it, or {QUOTE}"
    elif "simple key" in context:
        glued = re.match(r"[^\s:#]+:\S", text[place:])
        message = "no blank after the colon" if glued else "a line that is no property"
    elif sign in tuple("`@%*&!|>"):
        message, mend = f"a value cannot begin with {sign} like this", QUOTE
    elif "expected key" in problem and before.strip():
        message, mend = "text after the end of the value", QUOTE
    return place, message, mend
