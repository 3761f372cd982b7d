"""Notes that are made to hurt: YAML bombs, front matter without an end, very long lines, very many links or headings,
bytes that are no text. Every command ends in words and in time, and the notes beside them stay what they are."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from support import Folder
from support import examples

from vaultgit.notes import frontmatter

SECONDS = 20.0  # of work of a whole command; what is no trouble takes one
MEMORY = 1_500  # MB of address space that a command may ask for


def head(*lines: str) -> bytes:
    return ("---\ntype: person\nname: evil\n" + "\n".join(lines) + "\n---\nevil text\n").encode()


def laughs() -> str:
    levels = ["a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol,lol]"]
    levels += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 20)]
    return "\n".join(levels)


BOMBS: dict[str, Callable[[], bytes]] = {
    "a billion laughs": lambda: head(laughs()),
    "a loop": lambda: head("a: &a [*a]", "b: &b {c: *b}"),
    "merge keys": lambda: head("base: &b {x: 1}", "<<: *b", "c:", "  <<: [*b, *b]"),
    "objects": lambda: head('a: !!python/object/apply:os.system ["touch owned"]', "b: !!binary aGk=", "c: !<tag:x> y"),
    "100,000 deep, flow": lambda: head("a: " + "[" * 100_000),
    "100,000 deep, closed": lambda: head("a: " + "[" * 100_000 + "]" * 100_000),
    "100,000 maps deep": lambda: head("a: " + "{a: " * 100_000),
    "2,000 deep, by indent": lambda: head("a:", *(" " * n + "- a:" for n in range(1, 2000))),
    "numbers": lambda: head("a: 1e999999", "b: " + "9" * 100_000, "c: -.inf", "d: .nan", "e: 0x" + "f" * 100_000, "f: 1:2:3:4", "g: 1e-999999", "h: 0b1", "i: 1_000"),
    "a key of a megabyte": lambda: head("k" * 1_000_000 + ": x"),
    "a key that is a list": lambda: head("? [a, b]", ": c", "? {a: b}", ": c"),
    "very many keys": lambda: head(*(f"k{n}: {n}" for n in range(examples(20_000)))),
    "one key very often": lambda: head(*("k: 1" for _ in range(examples(20_000)))),
    "ten megabytes of it": lambda: head("a: |", *(["  " + "x" * 98] * 100_000)),
    "never closed": lambda: b"---\ntype: person\nname: evil\n" + b"a: b\n" * 500_000,
    "closed by ten thousand": lambda: b"---\n" * 10_000 + b"evil\n",
    "two marks of byte order": lambda: b"\xef\xbb\xbf\xef\xbb\xbf" + head("a: b"),
    "NUL": lambda: head("a: b\0c") + b"evil\0" * 1000,
    "halves of pairs": lambda: head("a: b") + b"\xed\xa0\x80\xed\xb0\x80 evil\n" + b"\xff\xfe",
    "separators": lambda: head("a: b\u2028c: d\x85e: f") + "evil\u2028evil\u2029\x0b\x0c\x1c\x1d\x1e".encode(),
    "a line of many MB": lambda: head("a: b") + b"evil " * examples(1_000_000),
    "very many links": lambda: head("a: b") + b"[[ada-lovelace]] [a](nova.md)\n" * examples(50_000),
    "100,000 headings": lambda: head("a: b") + b"# evil\n" * 100_000,
    "a fence, and headings": lambda: head("a: b").replace(b"name: evil\n", b"") + b"```\n" + b"# evil\n" * 100_000,
    "brackets": lambda: head("a: b") + b"[" * 1_000_000 + b"(" * 1_000_000,
    "a table of a megabyte": lambda: head("a: b") + b"|" * 1_000_000,
    "backticks": lambda: head("a: b") + b"".join(b"`" * n + b" " for n in range(1500)),
}  # fmt: skip

MOVE = ("move", "people/ada-lovelace.md", "people/ada.md", "-m", "people: Ada moved")
READERS: tuple[tuple[str, ...], ...] = (
    ("check", "--all"), ("search", "evil"), ("context", "evil and Ada Lovelace"), ("links", "people/evil.md"), ("doctor",), ("status",),
    MOVE, ("capture", "--dry-run"), ("dream", "--dry-run"), ("consolidate", "--dry-run"),
    ("append", "people/evil.md", "--agent", "a1", "-m", "people/evil: a fact"), ("set", "people/evil.md", "x=1", "--agent", "a1", "-m", "people/evil: x"),
    ("verify",),
)  # fmt: skip


def bounded(vault: Folder, *words: str, stdin: bytes = b"") -> tuple[int, str, str, float]:
    """A command in a process of its own with so much memory."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY << 20, MEMORY << 20))

    began = _spent()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "vaultgit", *words], cwd=vault.root, input=stdin, capture_output=True, check=False, preexec_fn=limit, timeout=300
    )  # fmt: skip
    return (
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
        _spent() - began,
    )


def _spent() -> float:
    """Seconds of work of all children until now, whatever else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_note_stops_no_command_and_spoils_no_other_note(vault: Folder, name: str) -> None:
    vault.write("people/evil.md", BOMBS[name]())
    vault.write("daily/2026-11-28.md", b"---\ntype: daily\ndate: 2026-11-28\n---\n" + BOMBS[name]()[:2_000_000])
    vault.commit("evil")
    number = list(BOMBS).index(name)
    for words in (
        READERS if examples(1) > 1 else dict.fromkeys((*READERS[number % 3 :: 3], MOVE))
    ):  # all of them: make test-long
        code, out, err, seconds = bounded(vault, *words, stdin=b"a fact\n")
        assert code in (0, 1, 2), (words, code, err[-1500:])
        assert seconds < SECONDS, (words, seconds)
        if words[0] != "links":  # which are what was asked for
            assert len(out) + len(err) < 200_000, (words, len(out), len(err))
        if words[0] == "search":
            assert "evil" in out, (words, out, err)
    assert not vault.exists("owned")
    assert vault.exists("people/ada.md") and "Born 1815" in vault.read("people/ada.md")
    assert "Ada" in vault.run("search", "Lovelace").out
    assert vault.run("append", "people/ada.md", "--agent", "a1", "-m", "Ada: one more", stdin=b"One more.\n").code == 0
    assert vault.run("verify").code == 0


@pytest.mark.parametrize("name", [name for name in BOMBS if "MB" not in name])
def test_front_matter_is_read_in_bounded_time_and_into_json(name: str) -> None:
    """No alias, no tag, no merge key, no number that JSON has not: nothing can grow, and nothing is made but text."""
    data = BOMBS[name]()
    began = time.process_time()
    found = frontmatter.read(data)
    assert time.process_time() - began < 5
    assert len(json.dumps(found.values, allow_nan=False)) < 2 * len(data) + 100


def test_a_persons_commit_of_a_bomb_is_named_at_its_line(vault: Folder) -> None:
    vault.write("people/evil.md", BOMBS["a billion laughs"]())
    vault.git("add", "-A")
    done = vault.try_git("commit", "-m", "evil")
    assert done.code == 1 and "people/evil.md:5:" in done.err + done.out and "alias" in done.err + done.out


def test_mcp_reads_a_bomb(vault: Folder) -> None:
    from vaultgit.mcp import desk

    for name in ("a billion laughs", "100,000 deep, flow", "halves of pairs", "NUL", "never closed"):
        vault.write("people/evil.md", BOMBS[name]())
        found = desk.Desk(str(vault.root), "a1", 30).answer("read", {"path": "people/evil.md"}, "x")
        json.dumps(found.data).encode()
        assert sum(map(len, found.texts)) < 500_000
        found = desk.Desk(str(vault.root), "a1", 30).answer("search", {"query": "evil"}, "x")
        assert not found.failed
