"""What an agent wrote that waits in the queue is found by that agent, as `read` shows it, and by nobody else."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from typing import Any

import pytest
from faulty import busy
from faulty import free
from faulty import queued
from faulty import waiting
from support import Folder

BOB = "---\ntype: person\nname: Bob\n---\nBob keeps quokkas.\n"
CODEX = ("--agent", "codex")


def found(vault: Folder, *args: str, **options: Any) -> list[dict[str, Any]]:
    done = vault.run("search", "--json", *args, **options)
    assert done.code == 0, done
    made: list[dict[str, Any]] = json.loads(done.out)
    return made


def paths(vault: Folder, *args: str, **options: Any) -> list[str]:
    return [hit["path"] for hit in found(vault, *args, **options)]


def given(vault: Folder, *args: str) -> list[dict[str, Any]]:
    done = vault.run("context", "--json", *args)
    assert done.code == 0, done
    made: list[dict[str, Any]] = json.loads(done.out)["notes"]
    return made


def kept(vault: Folder) -> tuple[list[Any], bytes]:
    """What the index has in its rows, and all bytes of its folder."""
    folder = vault.root / ".git/vaultgit/cache/search"
    rows = []
    with contextlib.closing(sqlite3.connect(folder / "index.db")) as opened:
        for asked in (
            "path, oid, body, record FROM doc",
            "path, doc FROM file",
            "stem, word FROM spelled",
            "* FROM word",
        ):
            rows.append(sorted(opened.execute(f"SELECT {asked}")))
    return rows, b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_what_waits_behind_somebodys_index_lock_is_found_by_who_wrote_it(vault: Folder) -> None:
    lock = vault.write(".git/index.lock", "")
    os.utime(lock, (lock.stat().st_mtime - 172800,) * 2)
    assert vault.run("write", "people/bob.md", *CODEX, stdin=BOB.encode()).code == 75
    [hit] = found(vault, "quokkas", *CODEX)
    assert (hit["path"], hit["line"], hit["text"], hit["queued"]) == ("people/bob.md", 5, "Bob keeps quokkas.", True)
    assert (hit["type"], hit["title"]) == ("person", "Bob")
    assert hit["oid"] in vault.run("read", "people/bob.md", *CODEX).err
    said = vault.run("search", "quokkas", env={"VAULTGIT_AGENT": "codex"}).out
    assert said.startswith("people/bob.md:5  Bob\n") and "    ! waits in the queue, not on disk yet\n" in said
    assert not vault.exists("people/bob.md") and lock.exists()
    lock.unlink()
    assert vault.run("status").code == 0 and vault.exists("people/bob.md")
    [landed] = found(vault, "quokkas", *CODEX)
    assert "queued" not in landed and "remark" not in landed
    assert {key: value for key, value in hit.items() if key not in ("queued", "remark", "score")} == {
        key: value for key, value in landed.items() if key != "score"
    }


def test_nobody_else_finds_it_and_no_index_keeps_it(vault: Folder) -> None:
    assert paths(vault, "quokkas", *CODEX) == []  # an index is there before
    before, _ = kept(vault)
    queued(vault, "write", "people/bob.md", stdin=BOB)
    for _ in range(2):
        assert paths(vault, "quokkas", *CODEX) == ["people/bob.md"]
        assert [note["path"] for note in given(vault, "feed the quokkas of Bob", *CODEX)] == ["people/bob.md"]
        rows, everything = kept(vault)
        assert rows == before and b"quokka" not in everything and b"people/bob.md" not in everything
    for who in ((), ("--agent", "claude-code")):
        assert paths(vault, "quokkas", *who) == [] and given(vault, "feed the quokkas of Bob", *who) == []
        assert "nothing has" in vault.run("search", "quokkas", *who).err
    assert paths(vault, "quokkas", *CODEX, "--at", "HEAD") == []
    assert given(vault, "feed the quokkas of Bob", *CODEX, "--at", "HEAD") == []


def test_a_person_finds_their_own_and_an_agent_does_not(vault: Folder) -> None:
    """As `read` does it."""
    busy(vault)
    assert vault.run("append", "Home.md", stdin=b"Quokkas live on Rottnest.\n").code == 75
    free(vault)
    assert "Rottnest" in vault.run("read", "Home.md").out and "Rottnest" not in vault.run("read", "Home.md", *CODEX).out
    assert paths(vault, "Rottnest") == ["Home.md"] and paths(vault, "Rottnest", *CODEX) == []
    assert given(vault, "quokkas on Rottnest")[0]["path"] == "Home.md"
    assert "Rottnest" not in json.dumps(given(vault, "quokkas on Rottnest", *CODEX))


def test_edits_are_seen_one_upon_the_other_with_what_a_person_typed_meanwhile(vault: Folder) -> None:
    lines = [f"line {number}\n" for number in range(9)]
    vault.write("notes.md", "".join(lines))
    vault.commit("notes")
    queued(vault, "append", "notes.md", stdin="first quokka\n")
    queued(vault, "append", "notes.md", stdin="second quokka\n")
    vault.write("notes.md", "".join(["a wombat\n", *lines[1:]]))
    [hit] = found(vault, "quokka", *CODEX)
    assert (hit["line"], hit["queued"]) == (10, True)
    [other] = found(vault, "wombat", *CODEX)
    assert (other["line"], other["queued"]) == (1, True)
    text = vault.git("cat-file", "-p", hit["oid"])
    assert text.startswith("a wombat\nline 1\n") and text.endswith("first quokka\nsecond quokka")
    assert paths(vault, "wombat") == ["notes.md"] and "queued" not in found(vault, "wombat")[0]
    assert (
        vault.run("write", "notes.md", "--base", hit["oid"], *CODEX, stdin=f"{text}\nthird quokka\n".encode()).code == 0
    )
    assert vault.read("notes.md").endswith("first quokka\nsecond quokka\nthird quokka\n")


def test_what_a_person_changed_at_the_same_place_stands(vault: Folder) -> None:
    """A queued edit that would go to the inbox is no text of the note: as `read` has it."""
    base = vault.git("rev-parse", "HEAD:people/ada-lovelace.md")
    queued(vault, "write", "people/ada-lovelace.md", "--base", base, stdin="Born in quokka 1815.\n")
    vault.write("people/ada-lovelace.md", vault.read("people/ada-lovelace.md").replace("1815", "1815, in London"))
    assert paths(vault, "quokka", *CODEX) == []
    hit = found(vault, "born in London", *CODEX)[0]
    assert hit["text"] == "Born 1815, in London." and "queued" not in hit


def test_a_note_that_will_be_gone_is_not_found_and_one_that_moves_only_there(vault: Folder) -> None:
    queued(vault, "delete", "projects/nova.md", stdin="")
    queued(vault, "move", "people/ada-lovelace.md", "people/countess.md", stdin="")
    assert "projects/nova.md" in paths(vault, "nova") and "projects/nova.md" not in paths(vault, "nova", *CODEX)
    assert vault.run("read", "projects/nova.md", *CODEX).code == 2
    [moved] = found(vault, "type:person lovelace", *CODEX)
    assert (moved["path"], moved["queued"]) == ("people/countess.md", True)
    [linking] = found(vault, "path:Home.md countess", *CODEX)
    assert (linking["text"], linking["queued"]) == ("[[people/countess]]", True)
    assert paths(vault, "type:person lovelace") == ["people/ada-lovelace.md"]
    assert "people/countess.md" not in paths(vault, "countess")


def test_filters_phrases_and_ranks_hold_for_it(vault: Folder) -> None:
    queued(vault, "write", "people/bob.md", stdin=BOB.replace("---\nBob", "aliases: [Bobby]\ntags: [zoo]\n---\nBob"))
    for query in ("type:person tag:zoo", "name:bobby", '"keeps quokkas"', "quokk*", "quokkaz", "path:people/bob.md"):
        assert paths(vault, query, *CODEX) == ["people/bob.md"], query
    assert paths(vault, "bobby", *CODEX)[0] == "people/bob.md"


def test_context_says_which_of_its_notes_wait(vault: Folder) -> None:
    queued(vault, "append", "projects/nova.md", stdin="- the quokka engine is mounted\n")
    notes = given(vault, "mount the engine of Nova", *CODEX)
    [nova] = [note for note in notes if note["path"] == "projects/nova.md"]
    assert nova["queued"] is True and nova["why"] == "project named in the task; waits in the queue, not on disk yet"
    assert "quokka engine" in nova["text"] and all("queued" not in note for note in notes if note is not nova)
    assert nova["oid"] == vault.run("read", "projects/nova.md", *CODEX).err.split()[1]
    said = vault.run("context", "mount the engine of Nova", *CODEX).out
    assert "projects/nova.md (project named in the task; waits in the queue, not on disk yet; base " in said
    assert "quokka" not in vault.run("context", "mount the engine of Nova").out
    assert vault.run("status").code == 0
    [nova] = [note for note in given(vault, "mount the engine of Nova", *CODEX) if note["path"] == "projects/nova.md"]
    assert "quokka engine" in nova["text"] and "queued" not in nova


def test_context_with_it_stays_in_its_budget(vault: Folder) -> None:
    queued(vault, "write", "people/bob.md", stdin=BOB + "".join(f"Quokka {n} is fed at noon.\n" for n in range(200)))
    for budget in ("60", "120", "400"):
        done = vault.run("context", "feed the quokkas of Bob", *CODEX, "--budget", budget, "--json")
        assert json.loads(done.out)["tokens"] <= int(budget)


@pytest.mark.parametrize("kept", ["no index yet", "no index ever"])
def test_a_search_is_as_good_where_the_index_is_new_or_may_not_be_written(vault: Folder, kept: str) -> None:
    queued(vault, "write", "people/bob.md", stdin=BOB)
    if kept == "no index ever":
        vault.write(".git/vaultgit/cache/search", "no folder\n")
    assert (
        paths(vault, "quokkas", *CODEX) == ["people/bob.md"]
        and "born" in found(vault, "born 1815", *CODEX)[0]["text"].lower()
    )
    assert waiting(vault) != []
