"""What an engine gives back, and how an error that came instead is told from it."""

from __future__ import annotations

import re
from typing import NamedTuple

from vaultgit.checks.secrets import redact

SHORT = 600  # characters: an error is not longer, and a longer skill may well speak of errors

# Clients print these where the answer should stand, and some end with 0. At the start of a short answer.
_ERRORS = (
    r"api error", r"failed to authenticate", r"authentication (?:error|failed)", r"not logged in", r"please run /login",
    r"invalid api key", r"oauth token", r"execution error", r"internal server error", r"service unavailable",
    r"bad gateway", r"gateway time-?out", r"overloaded", r"connection (?:error|lost|refused|closed)",
    r"request timed out", r"stream (?:error|disconnected)", r"(?:prompt|input) (?:is )?too (?:long|large)",
    r"(?:context|token) (?:length|window|limit) exceeded", r"credit balance", r"quota exceeded", r"too many requests",
    r"insufficient (?:quota|credits?|balance)", r"resource[ _]exhausted",
    r"rate[ _-]limit(?:ed|s?[ _-](?:is |was )?(?:reached|exceeded|error|hit))\b",
    r"you(?:'ve| have) (?:hit|reached|exceeded|run out of|used all) your\b", r"you're out of\b",
    r"(?:the |your )?(?:[\w-]+ ){0,4}limit (?:has been |is |was )?(?:reached|hit|exceeded)\b",
    r"there's an issue with the selected model", r"model (?:is )?not found",
    r"your (?:account|organi[sz]ation) (?:does not|doesn't|has (?:been |no )|is (?:disabled|suspended|not))",
    r"(?:error|fatal|exception|traceback)\b\s*(?:[:(]|$)",
    r"\{\s*\"error\"", r"\{\s*\"type\"\s*:\s*\"error\"", r"<!doctype html", r"<html",
    # What a model says that will not do it.
    r"(?:i'm|i am) (?:very |so )?sorry\b", r"i apologi[sz]e\b", r"i (?:can't|cannot|can not|am unable to|won't)\b",
    r"as an ai\b",
)  # fmt: skip
_ERROR = re.compile(f"(?:error:? )?(?:{'|'.join(_ERRORS)})", re.IGNORECASE | re.MULTILINE)
_SIGNS = "*_`■⚠\ufe0f❌ \n"  # before a sentence; not "#": a skill's heading may name the error that it is about
_BROKEN_OFF = re.compile(r"api error: ", re.IGNORECASE)  # the last line of an answer that was cut


class Answer(NamedTuple):
    """`failed`: in words, why there is no text; "" where there is. `chars`: of prompt and answer. `seconds`: it took
    so long."""

    text: str
    failed: str = ""
    chars: int = 0
    seconds: float = 0.0


def error_sentence(text: str) -> str:
    """The error that stands where an answer should; "" where there is none."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines:
        return ""
    if len(text) <= SHORT and _ERROR.match(text.lstrip(_SIGNS).replace("’", "'")):
        return next((line for line in lines if any(map(str.isalpha, line))), lines[0])
    return lines[-1] if _BROKEN_OFF.match(lines[-1]) else ""


def quoted(text: str, most: int = 80) -> str:
    """Words of somebody else for a message of ours, and perhaps a commit's: one line, no secret, nothing hidden."""
    plain = "".join(c if c.isprintable() else " " for c in redact(text)[0])
    line = " ".join(plain.replace("%%", "").replace("<!--", "").split())
    return line if len(line) <= most else line[: most - 1] + "…"
