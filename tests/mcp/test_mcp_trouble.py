"""Trouble: kill -9, two servers on one vault, long notes, secrets, what a person has typed meanwhile."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from mcpwire import Wire
from mcpwire import at_rest
from mcpwire import words
from support import Folder

BOB = "---\ntype: person\nname: Bob\n---\nMet.\n"
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.mark.parametrize("moment", [0.0, 0.01, 0.03, 0.05, 0.08])
def test_p2_a_server_that_is_killed_in_a_write_leaves_all_of_it_or_nothing(vault: Folder, moment: float) -> None:
    with Wire(vault) as wire:
        wire.does("write", path="projects/nova.md", action="append", text="- first")
        wire.start("write", path="people/bob.md", text=BOB)
        until = time.monotonic() + moment
        while time.monotonic() < until:
            pass
        os.kill(wire.process.pid, signal.SIGKILL)
    assert vault.run("status").code == 0
    assert vault.exists("people/bob.md") == (vault.try_git("cat-file", "-e", "HEAD:people/bob.md").code == 0)
    assert vault.git("status", "--porcelain") == "" and vault.run("verify").code == 0
    with Wire(vault) as wire:  # and the same sent again is there once
        assert wire.call("write", path="people/bob.md", text=BOB)["structuredContent"]["outcome"] in (
            "committed", "unchanged", "refused"
        )  # fmt: skip
    assert vault.read("people/bob.md") == BOB
    assert vault.read("changelog.md").count("people/bob: created") == 1


def test_two_servers_write_to_one_vault_and_nothing_is_lost(vault: Folder) -> None:
    with Wire(vault, client="one") as one, Wire(vault, client="two") as two:
        asked = []
        for number in range(6):
            for wire, name in ((one, "one"), (two, "two")):
                asked.append(
                    (wire, wire.start("write", path="projects/nova.md", action="append", text=f"- {name} {number}"))
                )
        results = [wire.wait(number)["result"] for wire, number in asked]
        assert not [found for found in results if found["isError"]]
        assert one.close() == 0 and two.close() == 0
    assert len(at_rest(vault)) == 2
    text, inbox = (
        vault.read("projects/nova.md"),
        "".join(path.read_text() for path in (vault.root / "inbox").glob("*.md")),
    )
    for number in range(6):
        for name in ("one", "two"):
            assert f"- {name} {number}" in text + inbox, (name, number)
    assert vault.git("status", "--porcelain") == "" and vault.run("verify").code == 0


def test_a_note_that_a_person_changes_meanwhile_keeps_their_line(vault: Folder) -> None:
    """P3, P4: merged where it merges; what does not, waits whole in the inbox."""
    with Wire(vault) as wire:
        base = wire.does("read", path="people/ada-lovelace.md")["oid"]
        vault.write("people/ada-lovelace.md", vault.read("people/ada-lovelace.md").replace("1815", "1815, in London"))
        done = wire.does("write", path="people/ada-lovelace.md", base=base, text="Born in December 1815.\n")
        assert done["outcome"] == "inbox" and vault.exists(done["inbox"]) and "person" in done["means"]
    assert vault.read("people/ada-lovelace.md").endswith("Born 1815, in London.\n")


def test_what_waits_for_a_rebase_is_queued_and_no_error(vault: Folder) -> None:
    (vault.root / ".git/rebase-merge").mkdir()
    with Wire(vault) as wire:
        done = wire.does("write", path="people/bob.md", text=BOB)
        assert done["outcome"] == "queued" and "do not retry" in done["means"]
        assert wire.does("read", path="people/bob.md")["text"] == BOB  # its own queued edits
        (vault.root / ".git/rebase-merge").rmdir()
    assert vault.run("status").code == 0 and vault.read("people/bob.md") == BOB


@pytest.mark.parametrize("tool", ["write", "append", "propose", "line", "reason", "note", "skill"])
def test_p11_a_secret_enters_by_no_tool(vault: Folder, tool: str) -> None:
    text = f"the token is {TOKEN}\n"
    calls = {
        "write": ("write", {"path": "notes.md", "text": text}),
        "append": ("write", {"path": "projects/nova.md", "action": "append", "text": text}),
        "propose": ("propose", {"path": "projects/nova.md", "text": text, "reason": "r"}),
        "line": ("write", {"path": "people/bob.md", "text": BOB, "line": f"people/bob: {TOKEN}"}),
        "reason": ("write", {"path": "people/bob.md", "text": BOB, "reason": text}),
        "note": ("session", {"action": "note", "text": text}),
        "skill": ("skill", {"action": "new", "name": "x-y", "trigger": "t", "text": text}),
    }
    with Wire(vault) as wire:
        found = wire.call(calls[tool][0], **calls[tool][1])
        assert tool == "note" or (found["isError"] and "SE01" in words(found)), found
        assert wire.close() == 0
    assert not [path for path in Path(vault.root).rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert TOKEN not in vault.git("log", "-p", "--all") and TOKEN not in wire.errors.read_text()


def test_a_key_in_the_environment_is_written_nowhere(vault: Folder) -> None:
    """Claude Code hands its own to every server that it starts."""
    with Wire(vault, env={"ANTHROPIC_API_KEY": TOKEN}) as wire:
        wire.does("write", path="people/bob.md", text=BOB)
        wire.fails("read", path="../x")
        assert wire.close() == 0
    assert TOKEN.encode() not in wire.stdout and TOKEN not in wire.errors.read_text()
    home = vault.root.parent
    assert not [path for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]


def test_a_long_note_is_cut_and_gives_no_base(vault: Folder) -> None:
    lines = [f"line {number:06}\n" for number in range(1, 10_001)]
    vault.write("long.md", "".join(lines))
    with Wire(vault) as wire:
        first = wire.does("read", path="long.md")
        assert first["oid"] is None and "go on with line" in first["remark"] and len(first["text"]) <= 40_000
        got, start = first["text"], first["text"].count("\n") + 1
        while len(got) < 10_000 * 12:
            part = wire.does("read", path="long.md", line=start)
            assert part["oid"] is None and part["text"]
            got, start = got + part["text"], start + part["text"].count("\n")
        assert got == "".join(lines)
        assert "10,000 lines" in wire.fails("read", path="long.md", line=10_001)


def test_a_note_of_50_mb_is_read_in_part_and_added_to(vault: Folder) -> None:
    vault.write("huge.md", b"x" * 25_000_000 + b"\n" + b"y\n" * 12_500_000)
    with Wire(vault) as wire:
        found = wire.does("read", path="huge.md")
        assert found["oid"] is None and len(found["text"]) == 40_000
        assert wire.does("read", path="Home.md")["text"]
    assert max(map(len, wire.lines)) < 200_000


def test_a_folder_of_many_is_cut(vault: Folder) -> None:
    for number in range(700):
        vault.write(f"many/{number:04}.md", "x\n")
    with Wire(vault) as wire:
        found = wire.does("read", path="many/")
        assert len(found["names"]) == 500 and found["total"] == 700
