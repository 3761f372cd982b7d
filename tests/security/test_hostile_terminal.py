"""What a terminal obeys never reaches one: escapes, C1 controls, carriage returns, bells and what turns the direction of
writing around, from notes, names, commits, settings, transcripts. Nor can a name with a newline in it say, in our words
and on a line of its own, what is not so."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from support import Folder

EVIL = "\x1b]0;owned\x07\x1b[31m\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://evil.invalid\x07x\x1b]8;;\x07\x9b31m\x9d0;y\x9c\x08\r\u202eabc\u2066\u200b\u2028\x85\x7f"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069]")
FORGED = "✓ forged   all is well"
NAME = f"people/\x1b[31mred\x07\r\u202e\u200b\x9b31m\n{FORGED}\n.md"

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("status",), ("doctor",), ("check",), ("check", "--all"), ("check", "--all", "--format", "github"), ("check", NAME),
    ("verify",), ("log",), ("log", NAME), ("log", "people/evil.md"), ("why", "people/evil.md"), ("why", "people/evil.md:5"),
    ("why", NAME), ("read", NAME, "--json"), ("search", "evil"), ("search", "forged"), ("search", "evil", "--explain"),
    ("search", EVIL), ("context", "evil forged red"), ("context", EVIL), ("links", "people/evil.md"), ("links", NAME),
    ("read", EVIL), ("move", "people/evil.md", f"people/{EVIL}.md", "--dry-run"), ("delete", NAME, "--dry-run"),
    ("append", "people/evil.md", "--dry-run", "--agent", "a1"), ("set", "people/evil.md", f"x={EVIL}", "--dry-run"),
    ("append", "people/evil.md", "-m", EVIL, "--agent", "a1"), ("append", NAME, "--agent", "a1"), ("undo", "HEAD", "--dry-run"), ("undo", EVIL),
    ("append", "people/evil.md", "--reason", EVIL, "--agent", EVIL, "--session", EVIL), ("record", "--dry-run"),
    ("session", "start", EVIL, "--agent", "a1"), ("session", "note", EVIL, "--agent", "a1"), ("session", "list"),
    ("session", "end", "--agent", "a1", "--session", EVIL), ("inbox", "add", "--target", "people/evil.md", "--reason", EVIL, "--agent", "a1"),
    ("inbox", "list"), ("inbox", "show", "1"), ("inbox", "show", EVIL), ("skill", "list"), ("skill", "show", EVIL), ("skill", "new", EVIL),
    ("review", "list"), ("review", "show", EVIL), ("review", "apply", "--dry-run"), ("dream", "--dry-run"), ("consolidate", "--dry-run"),
    ("capture", "--dry-run"), ("recap", "--dry-run"), ("schedule", "show"), ("agent", "list"), ("init", "--dry-run"), ("molt", EVIL, "--dry-run"),
    ("sync", EVIL), ("sync", "--dry-run"), (EVIL,), ("log", f"--{EVIL}"), ("search", "--limit", EVIL, "x"), ("--vault", EVIL, "status"),
    ("hook", EVIL), ("log", "--since", EVIL), ("search", "x", "--at", EVIL), ("check", "--from", EVIL, "--to", "HEAD"),
)  # fmt: skip


@pytest.fixture
def evil(vault: Folder) -> Folder:
    note = f'---\ntype: person\nname: "evil"\n---\n# evil {EVIL}\n\nevil {EVIL} [[{EVIL}]] [[people/none{EVIL}]]\n'
    vault.write("people/evil.md", note)
    vault.write(NAME, "---\ntype: person\nname: red\nwrong: [\n---\nevil red forged\n")
    vault.write(
        "inbox/x.md",
        f'---\ntype: inbox\ndate: 2026-11-01\nagent: "a"\ntarget: "[[people/evil]]"\nreason: x\n---\n{EVIL}\n',
    )
    vault.write(
        "skills/evil.md",
        f"---\ntype: skill\nname: evil\nversion: 1\ntrigger: evil\nlast_updated: 2026-11-01\n---\n1. {EVIL}\n",
    )
    vault.write(
        "daily/2026-11-28.md",
        f"---\ntype: daily\ndate: 2026-11-28\n---\n## Automatic capture, 10:00\n\n- {EVIL} decided\n",
    )
    vault.git("add", "-A")
    vault.git(
        "-c",
        f"user.name=N{EVIL}",
        "commit",
        "--no-verify",
        "-q",
        "-m",
        f"x {EVIL}\n\nreason {EVIL}\n\nAgent: a{EVIL}\nSession: s{EVIL}\nEdit: 0000000000000001\n",
    )
    vault.git("update-ref", "refs/heads/dream/\u202ex\u200b\x9b", "HEAD")
    vault.git("update-ref", "refs/heads/molt/\u2066x-v2", "HEAD")
    vault.git("config", "remote.o\u202e.url", f"/nowhere/{EVIL}")
    vault.git("config", "branch.main.remote", "o\u202e")
    vault.git("config", "branch.main.merge", "refs/heads/main")
    vault.write("review.md", f"# {EVIL}\n- [x] accept {EVIL}\n")
    logs = Path(os.environ["HOME"]) / ".claude/projects/-x"
    logs.mkdir(parents=True)
    (logs / f"a{EVIL.replace('/', '')}.jsonl").write_text(
        '{"type":"user","timestamp":"2026-11-28T10:00:00Z","sessionId":"a","message":{"role":"user","content":"\\u001b[31m we decided to use evil\\u009b31m"}}\n'
    )
    return vault


def test_nothing_that_a_terminal_obeys_is_printed_by_any_command(evil: Folder) -> None:
    bad = []
    for words in COMMANDS:
        done = evil.run(*words, stdin=b"text\n")
        for stream in (done.out, done.err):
            found = OBEYED.search(stream.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
            if found or any(line.startswith("✓ forged") for line in stream.splitlines()):
                bad.append((words, found and stream[max(0, found.start() - 40) : found.start() + 5], stream[:300]))
        if done.code == 3 or "Traceback" in done.err:
            bad.append((words, done.code, done.err))
    assert not bad


TYPED: tuple[tuple[str, ...], ...] = (
    ("molt", "NAME", "--trigger", "corrected", "--reason", "x"), ("skill", "show", "NAME"), ("skill", "import", "NAME"),
    ("inbox", "show", "NAME"), ("review", "show", "NAME"), ("review", "accept", "NAME"), ("undo", "NAME"), ("why", "NAME"),
    ("links", "NAME"), ("--vault", "NAME", "status"), ("init", "NAME"), ("init", "--server", "NAME"), ("sync", "NAME"),
    ("recap", "--conversation", "NAME"), ("check", "NAME"), ("read", "NAME"), ("delete", "NAME"), ("agent", "install", "NAME"),
    ("NAME",),
)  # fmt: skip


@pytest.mark.parametrize("words", TYPED, ids=" ".join)
def test_a_name_that_is_typed_gets_no_line_of_its_own_and_is_not_repeated_whole(
    vault: Folder, words: tuple[str, ...]
) -> None:
    done = vault.run(*(word.replace("NAME", f"a\n{FORGED}\nb") for word in words))
    assert done.code in (1, 2) and r"a\n✓ forged" in done.err, done
    assert not any(line.lstrip().startswith("✓ forged") for line in done.err.splitlines()), done.err
    done = vault.run(*(word.replace("NAME", "x" * 100_000) for word in words))
    assert done.code in (1, 2) and len(done.err) < 2000, done.err[:3000]


def test_errors_of_ours_are_printed_harmless_too(vault: Folder) -> None:
    """Exit 3 is printed by the same hand."""
    code = (
        "import sys\nfrom vaultgit.cli import main\n"
        f"def broken(args):\n    raise RuntimeError({EVIL!r})\n"
        "main._dispatch = broken\nsys.exit(main.main(['status']))\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=vault.root, capture_output=True, check=False)
    assert done.returncode == 3 and not OBEYED.search(done.stderr.decode())


def on_a_terminal(vault: Folder, *words: str) -> bytes:
    """What the command sends to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "vaultgit", *words], cwd=vault.root, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    sent = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        sent += part
    os.close(ours)
    assert process.wait(60) == 0, sent
    return sent


@pytest.mark.parametrize("words", [("read", "people/evil.md"), ("skill", "show", "evil")])
def test_bytes_go_into_a_pipe_as_they_are_and_to_a_terminal_harmless(evil: Folder, words: tuple[str, ...]) -> None:
    path = evil.root / ("people/evil.md" if words[0] == "read" else "skills/evil.md")
    piped = subprocess.run(
        [sys.executable, "-P", "-m", "vaultgit", *words], cwd=evil.root, capture_output=True, check=True
    )
    assert piped.stdout == path.read_bytes()
    sent = on_a_terminal(evil, *words).decode().replace("\r\n", "\n")
    assert not OBEYED.search(sent) and "\\x1b]0;owned" in sent


def test_json_is_ascii(evil: Folder) -> None:
    """What a program prints of it is its own matter; ours holds nothing that a terminal obeys."""
    for words in (
        ("search", "evil", "--json"),
        ("log", "--json"),
        ("check", "--all", "--json"),
        ("inbox", "list", "--json"),
        ("status", "--json"),
    ):
        assert evil.run(*words).out.isascii()
