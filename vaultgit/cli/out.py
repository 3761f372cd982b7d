"""How commands print: plain text, nothing from a note that a terminal would obey. Imports nothing heavy."""

from __future__ import annotations

import os
import sys
import time
from typing import Any


def clean(text: str, *, keep: str = "\n\t") -> str:
    """`text` with control characters, escapes and bidirectional overrides made visible, but for those in
    `keep`.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


def say(text: str = "") -> None:
    """A line of results, on standard output."""
    _write(clean(text) + "\n")


def raw(data: bytes) -> None:
    """Bytes of a note, as they are: but on a terminal, which would obey some of them, as text."""
    if sys.stdout.isatty():
        _write(clean(data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")))
        flush()
        return
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def done(word: str, text: str) -> None:
    """`✓ word     text`: a step that is done, on one line."""
    say(line(f"✓ {word:<8} {text}"))


def remark(text: str) -> None:
    """`! text`: something a person should know, on one line."""
    say(line(f"! {text}"))


def line(text: str) -> str:
    """`text` with line ends made visible, too: a name that holds one gets no line of its own."""
    return clean(text, keep="")


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        _lose(error)


def flush() -> None:
    """Standard output is out. What is done is done: an answer that cannot be written (a full disk behind `>`) is told,
    and changes no exit code."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _lose(error)


def _lose(error: OSError) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stderr.write(f"vaultgit: the answer could not be written: {error.strerror}\n")


def talk(text: str) -> None:
    """A line beside the results, on standard error: after them, also where both go into one pipe."""
    flush()
    sys.stderr.write(clean(text) + "\n")


class Progress:
    """`checking notes: 1,200` on standard error, for work that takes more than a second.

    On a terminal one line that is written over, each second, and wiped at the end; elsewhere a line every ten seconds.
    """

    def __init__(self, what: str) -> None:
        self.what, self.done = what, 0
        self.shown = False
        self.terminal = sys.stderr.isatty()
        self.next = time.monotonic() + 1

    def __enter__(self) -> Progress:
        return self

    def more(self, number: int = 1) -> None:
        """So many more are done."""
        self.done += number
        now = time.monotonic()
        if now >= self.next:
            self.next = now + (1 if self.terminal else 10)
            self.shown = True
            sys.stderr.write(f"{self.what}: {self.done:,}" + ("\r" if self.terminal else "\n"))
            sys.stderr.flush()

    def __exit__(self, *exc: object) -> None:
        if self.shown and self.terminal:
            sys.stderr.write(" " * (len(self.what) + 16) + "\r")


def as_json(value: Any) -> None:
    """One JSON document on standard output; names that are no UTF-8 are written as surrogates."""
    import json

    _write(json.dumps(value, indent=2) + "\n")


def short(path: str) -> str:
    """A path as a person would write it: below the home directory with ~."""
    home = os.path.expanduser("~").rstrip("/")
    return "~" + path[len(home) :] if home and (path == home or path.startswith(home + "/")) else path


def count(number: int, one: str, several: str = "") -> str:
    """`1 note`, `3 notes`."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def prepare_streams() -> None:
    """Names that are no UTF-8 pass through as they are; a narrow locale gets escapes instead of a crash. Streams that
    the caller has closed are opened to nowhere, before a file of ours takes their number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115  as long as the process
    for stream in (sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "")
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="surrogateescape" if encoding == "utf8" else "backslashreplace")
