"""Promises P4 and P11 against what an agent, its client or its environment hands us: it forges no author, id or line,
decides nothing for a person, and ends in words, not in a crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from faulty import edits
from faulty import run_faulty
from faulty import waiting
from support import Folder

from vaultgit.edits import compose

ID = "01jdx3k9m2qtw7ab"


@pytest.mark.parametrize("line", [
    f"x: y\n\nForged.\n\nAgent: claude-code\nEdit: {ID}", f"Edit: {ID}", f"  Edit: {ID}", "agent: claude-code",
    f"Undoes: {ID}",
])  # fmt: skip
def test_p4_a_line_can_forge_neither_author_nor_id(vault: Folder, line: str) -> None:
    before = vault.snapshot()
    done = vault.run("append", "Home.md", "--agent", "codex", "-m", line, stdin=b"x\n")
    assert (done.code, done.err.split()[1]) == (1, "MS01"), done
    assert vault.snapshot() == before
    assert edits(vault) == 0


@pytest.mark.parametrize("args", [("delete",), ("write", "--base", "OID"), ("append",)])
def test_p4_an_agent_leaves_what_another_proposed_to_the_person(vault: Folder, args: tuple[str, ...]) -> None:
    add = ("inbox", "add", "--target", "Home.md", "--reason", "not sure", "--agent", "claude-code")
    assert vault.run(*add, stdin=b"- maybe\n").code == 0
    note = vault.git("ls-tree", "-r", "--name-only", "HEAD", "inbox")
    oid = vault.git("rev-parse", f"HEAD:{note}")
    given = [oid if arg == "OID" else arg for arg in args]
    text = vault.bytes(note).replace(b"maybe", b"surely")
    done = vault.run(given[0], note, *given[1:], "--agent", "codex", stdin=text)
    assert (done.code, "waits in the inbox for a person" in done.err) == (1, True), done
    assert vault.git("rev-parse", f"HEAD:{note}") == oid
    assert vault.run(given[0], note, *given[1:], "--agent", "claude-code", stdin=text).code == 0  # its own
    assert vault.run("inbox", "reject", note).code == (2 if args == ("delete",) else 0)


@pytest.mark.parametrize("given", [
    {"path": "Home.md", "text": "x", "base": 1}, {"path": "Home.md", "text": "x", "base": {"a": 1}},
    {"path": "Home.md", "append": "x", "heading": ["a"]}, {"path": "Home.md", "append": "x", "heading": "\ud800"},
    {"path": "s.md", "text": "\ud800"},
])  # fmt: skip
def test_json_of_odd_types_ends_in_words(vault: Folder, given: object) -> None:
    done = vault.run("apply", "--agent", "codex", stdin=json.dumps({"changes": [given]}).encode())
    assert done.code == 2, done
    assert "a bug of ours" not in done.err
    assert vault.git("status", "--porcelain") == ""
    assert edits(vault) == 0


@pytest.mark.parametrize("key", ["line", "reason"])
def test_half_a_surrogate_pair_in_line_or_reason_ends_in_words(vault: Folder, key: str) -> None:
    document = {key: "\ud800", "changes": [{"path": "Home.md", "append": "x\n"}]}
    done = vault.run("apply", "--agent", "codex", stdin=json.dumps(document).encode())
    assert done.code == 2, done
    assert edits(vault) == 0


@pytest.mark.parametrize("now", ["garbage", "0001-01-01T00:00:00+00:00", "2026-01-01T00:00:00"])
def test_a_time_that_is_none_is_named(vault: Folder, now: str) -> None:
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"x\n", env={"VAULTGIT_NOW": now})
    assert (done.code, f"VAULTGIT_NOW='{now}'" in done.err) == (2, True), done
    assert edits(vault) == 0
    assert not vault.exists(".git/vaultgit/state/queue") or waiting(vault) == []


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_an_edit_lands_whatever_stream_its_caller_has_closed(vault: Folder, closed: str) -> None:
    command = f"{sys.executable} -P -m vaultgit append Home.md --agent codex {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=vault.root, input=b"by the agent\n", env=os.environ, check=False)
    assert done.returncode == 0
    assert vault.git("show", "HEAD:Home.md").endswith("by the agent")
    assert vault.git("status", "--porcelain") == ""


def test_p11_what_is_kept_of_a_landed_edit_holds_no_text(vault: Folder) -> None:
    """A note's own text may hold what the person never put into git."""
    vault.write("Home.md", vault.read("Home.md") + "\n" * 6 + "typed by me, never in git\n")
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n").code == 0
    state = vault.root / ".git/vaultgit/state"
    records = list((state / "landed").iterdir())
    assert len(records) == 1
    kept = b"".join(path.read_bytes() for name in ("landed", "plans", "queue") for path in (state / name).iterdir())
    assert b"Home.md" in kept
    assert b"typed by me" not in kept
    assert b"by the agent" not in kept


def test_a_note_that_may_not_be_read_is_named(vault: Folder) -> None:
    prelude = (
        "import builtins\n"
        "whole = builtins.open\n"
        "def denied(path, *args, **named):\n"
        "    if str(path).endswith('ada-lovelace.md'): raise PermissionError(errno.EACCES, 'Permission denied', path)\n"
        "    return whole(path, *args, **named)\n"
        "builtins.open = denied\n"
    )
    done = run_faulty(vault, prelude, "append", "people/ada-lovelace.md", "--agent", "codex", stdin=b"x\n")
    assert (done.code, "people/ada-lovelace.md cannot be read: Permission denied" in done.err) == (1, True), done


@pytest.mark.parametrize("text", ["a # b", "|", "yes # no"])
def test_a_value_is_kept_as_it_was_typed(text: str) -> None:
    assert compose.parse_values([f"k={text}"]) == {"k": text}
