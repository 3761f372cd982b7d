"""Text that is made to take long: each function that reads notes, messages, transcripts or answers is given the same few
signs again and again, and its time grows with the length only. Nothing raises."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from support import examples

from vaultgit.agents import applypatch
from vaultgit.agents import speech
from vaultgit.checks import message
from vaultgit.checks import secrets
from vaultgit.edits import changelog
from vaultgit.edits import edit
from vaultgit.notes import follow
from vaultgit.notes import frontmatter
from vaultgit.notes import links
from vaultgit.notes import patch
from vaultgit.notes import plain
from vaultgit.notes import procedure
from vaultgit.notes import reviewfile
from vaultgit.passes import join
from vaultgit.passes import stepview
from vaultgit.passes.capture import aimed
from vaultgit.passes.capture import covered
from vaultgit.passes.capture import cues
from vaultgit.passes.capture import markup
from vaultgit.passes.capture import sentences
from vaultgit.passes.consolidate import blocks
from vaultgit.passes.consolidate import reading
from vaultgit.passes.engines import accept
from vaultgit.passes.engines import answer
from vaultgit.passes.engines.prompt import Prompt
from vaultgit.passes.engines.prompt import render
from vaultgit.passes.likeness import reading as likeness
from vaultgit.recall import question
from vaultgit.recall import words

LENGTH = 20_000 if examples(1) == 1 else 60_000  # bytes of text, or so
SECONDS = 1.0 if examples(1) == 1 else 1.5  # for them: what grows with the square takes many times as long

UNITS = (
    " ", "a", "1", "-", "`", "~", "[", "]", "[[", "](", "[a](", "[a](b \"", "[a](<", "![[", "\n", " \n", "\n\n", "\t", "\r", "\r\n",
    "a ", "- ", "- a\n", "# ", "#", "# a\n", "> ", "\"", "'", "<", "<!--", "<a ", "<think>", "<system-reminder>", "(", "((", ")", "a-",
    "a.", "a/", ".", ",", "A", "aA", "*", "**", "* ", "_", "|", "| a |\n", "\\", "{{", "<%", "%%", "=", "$", "é", "\u0300", "\u200b", "\x1b[",
    "\x1b]", "\0", "！", "。", "```\n", "````\n```\n", "~~~\n", "---\n", "a: b\n", "a: ", "? ", "&a ", "*a ", "<<: ", "[", "{", "- - ", "^", "^a ",
    "Edit: ", "Edit: 0000000000000001\n", "Agent: a\n", "Captured: ", "* a\n\n", "- 2026-01-01 10:00 a ", "- [ ] a\n", "- [x] accept\n",
    "<!-- vaultgit 0000000000000001 -->\n", "1. ", "1. a\n", "a\n===\n", "http://", "http://a ", "a@", "://", "+", "AKIA", "sk-", "eyJ", "-----BEGIN ",
    "0x", "token=", "password: ", "ignore previous instructions ", "you are now ", "*** Update File: a\n", "@@\n", "+a\n", " ^0000000000000001",
    "\U0001F468\u200d", "```a\n", "~~~a\n```b\n", "- ```a\n", "\ud83d", "ａ", "漢", "or ", "type:", "\"a\" ",
)  # fmt: skip


def _note(read: Callable[[bytes], Any]) -> Callable[[str], Any]:
    return lambda text: read(text.encode("utf-8", "replace"))


def _front(read: Callable[[bytes], Any]) -> Callable[[str], Any]:
    return lambda text: read(b"---\na: " + text.encode("utf-8", "replace") + b"\n---\nbody\n")


def _quietly(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def wrapped(given: Any) -> Any:
        try:
            return read(given)
        except frontmatter.FrontMatterError:
            return None

    return wrapped


def _doc(data: bytes) -> Any:
    from vaultgit.recall import read
    from vaultgit.vault import Rules

    class Nothing:
        def read(self, path: str) -> bytes | None:
            return None

        def names(self, folder: str) -> list[str]:
            return []

        def __getattr__(self, name: str) -> Any:
            return lambda *a, **k: None

    return read.doc(Rules(Nothing()), "a.md", "0" * 40, data)  # type: ignore[arg-type]


CAPTURES = blocks.pattern("Automatic capture, {time}")
READERS: dict[str, Callable[[str], Any]] = {
    "front matter": _front(frontmatter.read),
    "front matter without an end": _note(lambda data: frontmatter.read(b"---\na: " + data)),
    "properties patched": _front(_quietly(lambda data: patch.set_properties(data, {"a": "x"}))),
    "front matter kept": _front(_quietly(lambda data: patch.keep_front_matter(data, b"new\n"))),
    "links": links.links,
    "links rewritten": lambda text: links.rewrite(text, lambda link: None),
    "links followed": _note(lambda data: follow.in_note(data, lambda *_: "b")),
    "steps": procedure.blocks,
    "review file": reviewfile.read,
    "plain": plain.plain,
    "visible": plain.visible,
    "secrets": secrets.findings,
    "redacted": secrets.redact,
    "message": message.parts,
    "subject": message.problems_of_subject,
    "carried ids": edit.CARRIED.findall,
    "captured ranges": lambda text: list(covered.parsed(text)),
    "changelog": _note(changelog.every),
    "speech": speech.clean,
    "speech without a tag": lambda text: speech.without(text, "system-reminder"),
    "instructions taken out": aimed.without,
    "markup made neutral": markup.neutral,
    "sentences": sentences.sentences,
    "options": sentences.options,
    "acknowledgement": cues.without_ack,
    "weight": lambda text: cues.weight(text, text),
    "patch of a client": applypatch.wrote,
    "answer of an engine": accept.unwrapped,
    "prompt": lambda text: render(Prompt("task", (("a note", text),))),
    "question": question.parse,
    "words": words.stems,
    "index": _note(_doc),
    "captures": lambda text: blocks.of_note("daily/a.md", f"## Automatic capture, 10:00\n{text}".encode("utf-8", "replace"), CAPTURES),
    "a captured line": lambda text: reading.read(text, 1),
    "steps compared": lambda text: stepview.compare(b"1. a\n", text.encode("utf-8", "replace")),
    "skills joined": lambda text: join.join("1. a\n2. b\n", text, "x"),
    "the other way": lambda text: join.join(text, "1. a\n2. b\n", "x"),
    "lines of a skill": likeness.lines,
    "error of an engine": answer.error_sentence,
}  # fmt: skip


class TooLong(Exception):
    pass


def _ring(*_: object) -> None:
    raise TooLong


@pytest.mark.parametrize("name", READERS)
def test_time_grows_with_the_length_only(name: str) -> None:
    read = READERS[name]
    read("a [[b]] c\n")  # what is imported and compiled at first
    slow = {}
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        for unit in UNITS:
            often = unit * (LENGTH // len(unit))
            for text in (often, f"```\na{often}\0!\n"):
                began = time.process_time()
                signal.setitimer(signal.ITIMER_REAL, 4 * SECONDS)
                try:
                    read(text)
                except TooLong:
                    pass
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                spent = time.process_time() - began
                if spent > SECONDS:
                    slow[unit] = max(spent, slow.get(unit, 0.0))
                    break
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not slow
