"""The wire: nothing but messages on it, whatever happens; garbage, the end, signals, a vault that is gone."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from mcpwire import HELLO
from mcpwire import Wire
from mcpwire import assert_pure
from mcpwire import at_rest
from mcpwire import words
from support import Folder

BOB = "---\ntype: person\nname: Bob\n---\nMet.\n"


def wrapper(folder: Path, body: str) -> str:
    """A PATH on which `git` is a script of ours; $REAL is the real one."""
    real = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True, check=True).stdout.strip()
    folder.mkdir()
    script = folder / "git"
    script.write_text(f"#!/bin/sh\nREAL={real}\n{body}\n")
    script.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_059_twenty_calls_with_a_git_that_warns_and_prints(vault: Folder, tmp_path: Path) -> None:
    """A stray copy among the refs, as sync services leave it, and a git that is loud on every call."""
    (vault.root / ".git/refs/heads/main 2").write_text(vault.git("rev-parse", "HEAD") + "\n")
    path = wrapper(tmp_path / "bin", 'echo "warning: ignoring ref with broken name" >&2\nexec "$REAL" "$@"')
    with Wire(vault, env={"PATH": path, "GIT_TRACE": "1"}) as wire:
        for number in range(5):
            wire.does("read", path="Home.md")
            wire.does("write", path="projects/nova.md", action="append", text=f"- {number}")
            wire.fails("read", path="../../etc/hostname")
            wire.fails("write", path="projects/nova.md", text="x")
        assert wire.does("read", path="projects/nova.md")["text"].endswith("- 4\n")
        assert wire.close() == 0
    assert_pure(wire.stdout)
    assert len(wire.lines) == 22


def test_a_child_has_neither_the_clients_input_nor_its_output(vault: Folder, tmp_path: Path) -> None:
    """What is started with the process's own streams finds an empty input, and prints where errors go."""
    seen = tmp_path / "seen"
    path = wrapper(tmp_path / "bin", f'ls -l /proc/$$/fd >> {seen}\nexec "$REAL" "$@"')
    with Wire(vault, env={"PATH": path}) as wire:
        pipes = {
            os.readlink(f"/proc/self/fd/{stream.fileno()}")
            for stream in (wire.process.stdin, wire.process.stdout)
            if stream
        }
        wire.does("write", path="people/bob.md", text=BOB)
    assert seen.read_text() and not [pipe for pipe in pipes if pipe in seen.read_text()]


def test_stray_prints_reach_no_client(vault: Folder, tmp_path: Path) -> None:
    """Ours, a library's, and a child's that inherits the streams."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Loud:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.startswith(('mcp', 'vaultgit.edits.submit')):\n"
        "            import os, subprocess\n"
        "            print('STRAY', name); sys.stdout.flush(); os.write(1, b'STRAY raw\\n'); subprocess.run(['echo', 'STRAY child']); subprocess.run(['timeout', '5', 'cat'], check=True)\n"
        "sys.meta_path.insert(0, Loud())\n"
    )
    with Wire(vault, env={"PYTHONPATH": f"{tmp_path}:{os.environ['PYTHONPATH']}"}) as wire:
        wire.does("write", path="people/bob.md", text=BOB)
        assert wire.close() == 0
    assert b"STRAY" not in wire.stdout and "STRAY child" in wire.errors.read_text()
    assert_pure(wire.stdout)


GARBAGE: list[bytes] = [
    b"\n", b"   \n", b"garbage\n", b"{\n", b"[]\n", b"null\n", b"1e999\n", b"\xff\xfe\x00\x80\n", b"\x00" * 100 + b"\n",
    b'{"jsonrpc":"2.0"}\n', b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":{},"method":"x"}\n', b'{"jsonrpc":"2.0","method":"notifications/nonsense"}\n',
    b'{"jsonrpc":"2.0","id":900,"method":"tools/call"}\n', b'{"jsonrpc":"2.0","id":901,"method":"tools/call","params":[]}\n',
    b'{"jsonrpc":"2.0","id":902,"method":"tools/call","params":{"name":7}}\n',
    b'{"jsonrpc":"2.0","id":903,"method":"tools/call","params":{"name":"read","arguments":[]}}\n',
    b'{"jsonrpc":"2.0","id":904,"method":"tools/call","params":{"name":"read","arguments":{"path":{"a":[1]}}}}\n',
    b'{"jsonrpc":"2.0","id":905,"method":"tools/call","params":{"name":"","arguments":{}}}\n',
    b'{"jsonrpc":"2.0","id":906,"method":"resources/list"}\n', b'{"jsonrpc":"2.0","id":907,"method":"initialize"}\n',
    b'{"jsonrpc":"2.0","id":908,"result":{}}\n', b'{"jsonrpc":"2.0","id":909,"error":{"code":1,"message":"x"}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}\n',
    b"[" * 5000 + b"]" * 5000 + b"\n",
    b'{"jsonrpc":"2.0","id":910,"method":"tools/call","params":{"name":"write","arguments":{"path":"x.md","values":'
    + b'{"a":' * 400 + b"1" + b"}" * 400 + b"}}}\n",
]  # fmt: skip


def test_garbage_is_survived(vault: Folder) -> None:
    before = vault.snapshot()
    random_ = random.Random(59)
    made = [
        bytes(random_.randrange(256) for _ in range(random_.randrange(200))).replace(b"\n", b"") + b"\n"
        for _ in range(100)
    ]
    with Wire(vault) as wire:
        for line in [*GARBAGE, *made]:
            wire.send(line)
        assert wire.does("read", path="Home.md")["text"] == vault.read("Home.md")
        assert wire.close() == 0
    assert_pure(wire.stdout)
    assert vault.snapshot() == before


def test_garbage_before_the_handshake_is_survived(vault: Folder) -> None:
    with Wire(vault, hello=False) as wire:
        for line in GARBAGE[:8]:
            wire.send(line)
        answer = wire.ask("initialize", {**HELLO, "clientInfo": {"name": "c", "version": "1"}})
        assert answer["result"]["serverInfo"]["name"] == "vaultgit"


QUESTIONS = [
    b'{"jsonrpc":"2.0","id":80,"method":"tools/call","params":[]}\n',
    b'{"jsonrpc":"2.0","id":80,"method":"tools/call","params":"read"}\n',
    b'{"id":80,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":80,"method":"tools/call","params":{"name":"write","arguments":{"path":"x.md","values":'
    + b'{"a":' * 400 + b"1" + b"}" * 400 + b"}}}\n",
]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_that_the_sdk_takes_for_garbage_is_answered(vault: Folder, question: bytes) -> None:
    with Wire(vault) as wire:
        wire.send(question)
        assert wire.wait(80)["error"]["code"] == -32602


def test_half_of_an_emoji_is_answered(vault: Folder) -> None:
    """Clients cut texts anywhere: JSON.stringify writes the half as \\ud83d, which is no text."""
    with Wire(vault) as wire:
        wire.send(b'{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"write","arguments":'
                  b'{"path":"projects/nova.md","action":"append","text":"- \\ud83d\\ude00 and \\ud83d"}}}\n')  # fmt: skip
        assert not wire.wait(70)["result"]["isError"]
        assert wire.does("read", path="projects/nova.md")["text"].endswith("- \U0001f600 and ?\n")


def test_what_a_note_holds_breaks_no_message(vault: Folder) -> None:
    """Bytes that are no text, values that are no JSON, names that are no UTF-8, lines that Unicode ends."""
    vault.write(
        "odd.md",
        b"---\nx: .inf\ny: " + b"9" * 400 + b"\nz: .nan\n---\nlatin \xe9, nul \0, \xe2\x80\xa8 line, \xed\xa0\x80\r\n",
    )
    vault.write("deep.md", "---\na: " + "[" * 60 + "]" * 60 + "\n---\nx\n")
    (vault.root / os.fsdecode(b"caf\xe9.md")).write_text("x\n")
    with Wire(vault) as wire:
        assert "latin \ufffd" in wire.does("read", path="odd.md")["text"]
        assert wire.does("read", path="deep.md")["path"] == "deep.md"
        assert "caf\ufffd.md" in wire.does("read", path=".")["names"]
        assert "did you mean caf\ufffd.md?" in wire.fails("read", path="cafe.md")
        assert wire.close() == 0
    assert_pure(wire.stdout)
    assert len(wire.lines) == 5


def test_the_end_of_input_is_the_end_with_all_answers(vault: Folder) -> None:
    """Whoever pipes all of a session in at once gets all of it answered, then exit 0."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {**HELLO, "clientInfo": {"name": "c", "version": "1"}},
    }
    asked: list[Any] = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    for number in range(2, 32):
        arguments = {"path": "projects/nova.md", "action": "append", "text": f"- line {number}"}
        asked.append(
            {
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call",
                "params": {"name": "write", "arguments": arguments},
            }
        )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "vaultgit", "mcp"], cwd=vault.root, capture_output=True, check=False, timeout=60,
        input=b"".join(json.dumps(one).encode() + b"\n" for one in asked),
    )  # fmt: skip
    assert done.returncode == 0
    assert_pure(done.stdout)
    answers = {message["id"]: message for message in map(json.loads, done.stdout.splitlines())}
    assert sorted(answers) == list(range(1, 32))
    assert all(f"- line {number}\n" in vault.read("projects/nova.md") for number in range(2, 32))
    assert at_rest(vault) and vault.run("verify").code == 0


def test_an_idle_server_goes_at_once_when_the_client_goes(vault: Folder) -> None:
    with Wire(vault) as wire:
        wire.does("read", path="Home.md")
        began = time.monotonic()
        assert wire.close() == 0
    assert time.monotonic() - began < 8


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_with_0(vault: Folder, number: int) -> None:
    with Wire(vault) as wire:
        wire.does("write", path="people/bob.md", text=BOB)
        wire.process.send_signal(number)
        assert wire.process.wait(15) == 0
    assert "Traceback" not in wire.errors.read_text()
    assert vault.read("people/bob.md") == BOB and len(at_rest(vault)) == 1


def test_a_client_that_reads_no_more_ends_it(vault: Folder) -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "vaultgit", "mcp"], cwd=vault.root, stdin=subprocess.PIPE, stdout=write,
        stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        os.close(write)
        os.close(read)
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(
            json.dumps(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "initialize",
                    "params": HELLO | {"clientInfo": {"name": "c", "version": "1"}},
                }
            ).encode()
            + b"\n"
        )
        process.stdin.flush()
        assert process.wait(30) == 0  # though its input stays open
        assert b"Traceback" not in process.stderr.read()


def test_a_vault_that_is_gone_makes_errors_and_can_come_back(vault: Folder, tmp_path: Path) -> None:
    with Wire(vault) as wire:
        vault.root.rename(tmp_path / "elsewhere")
        assert "there is no folder" in wire.fails("read", path="Home.md")
        assert "there is no folder" in wire.fails("write", path="people/bob.md", text=BOB)
        (tmp_path / "elsewhere").rename(vault.root)
        assert wire.does("write", path="people/bob.md", text=BOB)["outcome"] == "committed"
        vault.write(".vaultgit.toml", "this is no toml\n")
        assert ".vaultgit.toml" in wire.fails("read", path="Home.md")
        assert wire.close() == 0
    assert_pure(wire.stdout)


def test_no_vault_at_all_is_an_answer(tmp_path: Path) -> None:
    with Wire(tmp_path / "nowhere") as wire:
        assert wire.ask("tools/list")["result"]["tools"]
        assert "vault" in wire.fails("read", path="Home.md")
        assert wire.close() == 0


def test_a_git_that_hangs_is_given_up_and_the_rest_goes_on(vault: Folder, tmp_path: Path) -> None:
    """A call's own time: the client gets an answer, and its other calls do, too."""
    stuck = tmp_path / "stuck"
    body = f'if [ -e {stuck} ]; then case "$*" in *fast-import*) exec sleep 60;; esac; fi\nexec "$REAL" "$@"'
    path = wrapper(tmp_path / "bin", body)
    with Wire(vault, "--timeout", "6", env={"PATH": path}) as wire:
        wire.does("write", path="projects/nova.md", action="append", text="- before")
        stuck.touch()
        held = wire.start("write", path="projects/nova.md", action="append", text="- held")
        assert wire.does("read", path="Home.md")["path"] == "Home.md"
        said = words(wire.wait(held)["result"])
        assert "longer than 6 s" in said and "may land" in said
        assert wire.does("read", path="Home.md")["path"] == "Home.md"
        assert "still at work" in wire.fails("write", path="projects/nova.md", action="append", text="- next")
    assert_pure(wire.stdout)


def test_search_and_read_work_while_a_write_does(vault: Folder, tmp_path: Path) -> None:
    go = tmp_path / "go"
    body = f'case "$*" in *fast-import*) until [ -e {go} ]; do sleep 0.02; done;; esac\nexec "$REAL" "$@"'
    with Wire(vault, env={"PATH": wrapper(tmp_path / "bin", body)}) as wire:
        held = wire.start("write", path="projects/nova.md", action="append", text="- held")
        assert wire.does("read", path="Home.md")["path"] == "Home.md"
        assert "hits" in wire.does("search", query="Ada")
        assert not any(b"committed" in line for line in wire.lines)
        go.touch()
        assert not wire.wait(held)["result"]["isError"]


def test_a_folder_that_the_client_takes_away_is_not_missed(
    vault: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    with Wire(vault) as wire:
        (tmp_path / "project").rmdir()
        assert wire.does("write", path="people/bob.md", text=BOB)["outcome"] == "committed"
        assert wire.does("context", task="meet Bob")["notes"]
        assert wire.close() == 0
    monkeypatch.chdir(tmp_path)
    assert len(at_rest(vault)) == 1
