"""The index's file may be damaged, read-only, locked, gone, or made by several at once: no answer changes (P7)."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from indexing import cache
from indexing import finds
from indexing import fresh
from indexing import indexed
from indexing import now
from indexing import told
from support import Folder
from support import run_cli

from vaultgit.recall.search import search
from vaultgit.vault import Vault

HEADER = 100  # bytes of an SQLite file that say what it is


# -- the file --------------------------------------------------------------------------------------------------------


def _garbage(path: Path) -> None:
    path.write_bytes(hashlib.sha256(b"x").digest() * 500)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _holes(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for start in range(HEADER + 4000, len(data), 8192):
        data[start : start + 4096] = b"\xa5" * len(data[start : start + 4096])
    path.write_bytes(bytes(data))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").write_text("x")


def _other_edition(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = 'older'")
    db.close()


def _other_tables(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE file")
        db.execute("DROP TABLE doc")
        db.execute("CREATE TABLE doc (x)")
    db.close()


@pytest.mark.parametrize("harm", [_garbage, _cut, _holes, _empty, _folder, _other_edition, _other_tables])
def test_a_damaged_index_loses_no_word(plain: Folder, harm: Any) -> None:
    """P7."""
    for n in range(60):
        plain.write(f"notes/{n}.md", f"zebra number{n} [[Home]]\n" + f"text {n} more words\n" * 40)
    expected = now(plain)
    file = cache(plain) / "index.db"
    for ending in ("-wal", "-shm"):
        (cache(plain) / f"index.db{ending}").unlink(missing_ok=True)
    harm(file)
    plain.write("later.md", "zebra\n")
    assert set(finds(plain, "zebra", limit=100)) == {"later.md", *(f"notes/{n}.md" for n in range(60))}
    assert [note for note in now(plain) if note[0] != "later.md"] == expected
    assert finds(plain, "number33")[0] == "notes/33.md"


def test_what_else_the_index_knows_changes_no_answer_of_a_commit(plain: Folder) -> None:
    """P7: scores and order are those of an index that knows this commit alone."""
    plain.write("z.md", "zebra here\n")
    plain.write("b.md", "zebra here\n")
    plain.write("c.md", "lion here\n")
    asked = plain.commit("asked for")
    plain.write("b.md", "nothing of it\n")
    for n in range(9):
        plain.write(f"more/{n}.md", "zebra lion " * n + "\n")
    later = plain.commit("later")

    def answer(*before: str) -> list[tuple[str, float]]:
        shutil.rmtree(cache(plain), ignore_errors=True)
        with indexed(plain) as opened:
            for commit in before:
                told(opened.at(commit) if commit else opened.now())
            view = opened.at(asked)
            found = [search(opened.vault, view, text).hits for text in ("zebra", "lion zebra here")]
            return [(hit.path, hit.score) for hits in found for hit in hits]

    alone = answer()
    assert [path for path, _ in alone] == ["b.md", "z.md", "c.md", "b.md", "z.md"]
    assert answer(later, "") == alone
    for path in ("c.md", *(f"more/{n}.md" for n in range(9))):
        (plain.root / path).unlink()
    assert answer(later, "") == alone


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM fts_data WHERE id = 1",
        "UPDATE doc SET record = '['",
        "UPDATE doc SET path = NULL",
        "UPDATE doc SET first = 'x', marks = NULL",
        "UPDATE file SET path = 7.5 WHERE path = 'notes/a.md'",
        "UPDATE file SET doc = 'x'",
    ],
)
def test_damage_that_sqlite_does_not_see_is_mended(plain: Folder, harm: str) -> None:
    """P7: a value is wrong, the file is not."""
    plain.write("notes/a.md", "zebra\n")
    commit = plain.commit("as it is")
    expected = finds(plain, "zebra"), finds(plain, "tag:x zebra"), now(plain)
    with indexed(plain) as opened:
        told(opened.at(commit))
    with sqlite3.connect(cache(plain) / "index.db") as db:
        db.execute(harm)
    db.close()
    with indexed(plain) as opened:
        told(opened.at(commit))
    assert (finds(plain, "zebra"), finds(plain, "tag:x zebra"), now(plain)) == expected


def test_damage_during_a_view_is_mended(plain: Folder) -> None:
    commit = plain.commit("as it is")
    with indexed(plain) as opened:
        view, past = opened.now(), opened.at(commit)
        before = told(view), told(past)
        opened.store.db.execute("DROP TABLE doc")
        assert told(view) == before[0]
        assert told(past) == before[1]


@pytest.mark.parametrize("how", ["a file in the folder's place", "no room", "locked"])
def test_without_a_file_it_works_in_memory(plain: Folder, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from vaultgit.recall import store

    expected = now(plain)
    holder = None
    if how == "a file in the folder's place":
        shutil.rmtree(cache(plain))
        cache(plain).write_text("")
    elif how == "locked":
        monkeypatch.setattr(store, "_WAIT", 0.05)
        holder = sqlite3.connect(cache(plain) / "index.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
    else:
        shutil.rmtree(cache(plain))
        real = sqlite3.connect

        def small(path: str, **options: Any) -> sqlite3.Connection:
            made = real(path, **options)
            if path != ":memory:":
                made.execute("PRAGMA max_page_count = 1")
            return made

        monkeypatch.setattr(store.sqlite3, "connect", small)
    (plain.root / "Home.md").write_text("# Home\n\n[[people/ada-lovelace]]\n")
    plain.write("new.md", "zebra\n")
    with indexed(plain) as opened:
        found = told(opened.now())
        assert opened.trouble
        assert [hit.path for hit in search(opened.vault, opened.now(), "zebra").hits] == ["new.md"]
    if holder is not None:
        holder.close()
    assert [note for note in found if note[0] != "new.md"] == expected


def test_a_read_only_cache(plain: Folder) -> None:
    now(plain)
    cache(plain).chmod(0o500)
    (cache(plain) / "index.db").chmod(0o400)
    # Root may write anywhere, unless it gives that up.
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    command = [*bound, sys.executable, "-P", "-m", "vaultgit", "search", "zebra", "--json"]
    try:
        plain.write("new.md", "zebra\n")
        done = subprocess.run(command, cwd=plain.root, capture_output=True, text=True, check=False)
        assert (done.returncode, [hit["path"] for hit in json.loads(done.stdout)]) == (0, ["new.md"]), done
        assert "cannot be kept" in done.stderr
    finally:
        cache(plain).chmod(0o700)


def test_deleting_the_cache_changes_no_answer(plain: Folder) -> None:
    """P7."""
    before = now(plain)
    shutil.rmtree(plain.root / ".git/vaultgit/cache")
    assert now(plain) == before


def test_other_settings_are_read_at_once(plain: Folder) -> None:
    plain.write("menschen/bob.md", "---\ntype: person\nname: Bob\n---\n")
    with indexed(plain) as opened:
        assert [note.path for note in opened.now().of_type("person")] == ["people/ada-lovelace.md"]
    plain.write(".vaultgit.toml", '[layout]\nperson = "menschen"\n')
    with indexed(plain) as opened:
        assert [note.path for note in opened.now().of_type("person")] == ["menschen/bob.md"]


# -- time ------------------------------------------------------------------------------------------------------------


def test_within_gives_what_is_known(plain: Folder) -> None:
    with indexed(plain) as opened:
        view = opened.now(within=0)
        assert view.stale and list(view.notes()) == []
        assert not opened.now(within=60).stale
        plain.write("new.md", "zebra\n")
        late = opened.now(within=0)
        assert late.stale and late.get("Home.md") is not None and late.get("new.md") is None
        assert opened.now().get("new.md") is not None


def test_within_does_not_wait_for_another_process(plain: Folder) -> None:
    """P10: hooks have hard limits."""
    now(plain)
    plain.write("new.md", "zebra\n")
    holder = sqlite3.connect(cache(plain) / "index.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with indexed(plain) as opened:
        view = opened.now(within=0.3)
        assert view.stale and view.get("Home.md") is not None and opened.trouble == ""
        holder.execute("ROLLBACK")
        holder.close()
        assert opened.now(within=60).get("new.md") is not None


# -- processes -------------------------------------------------------------------------------------------------------


def test_several_processes_at_once_are_all_right(plain: Folder) -> None:
    for n in range(400):
        plain.write(f"notes/{n}.md", f"zebra number{n}\n" + "some text\n" * 30)
    command = [sys.executable, "-P", "-m", "vaultgit", "search", "--limit", "1000", "--json", "zebra"]
    for round_ in range(2):
        running = [
            subprocess.Popen(command, cwd=plain.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
        ]
        answers = [process.communicate() for process in running]
        assert [process.returncode for process in running] == [0] * 4, answers
        assert len({out for out, _ in answers}) == 1
        assert answers[0][0].count(b'"path"') == 400 + round_
        plain.write(f"more {round_}.md", "zebra\n")
    assert now(plain) == fresh(plain)


@pytest.mark.faults
@pytest.mark.parametrize("share", [0.4, 0.5, 0.6, 0.7, 0.8, 0.9])  # of the time that it takes, Python's start included
def test_killed_while_it_builds(plain: Folder, share: float) -> None:
    for n in range(1500):
        plain.write(f"notes/{n}.md", f"zebra number{n}\n" + f"some text {n}\n" * 60)
    command = [sys.executable, "-P", "-m", "vaultgit", "search", "zebra"]
    begun = time.monotonic()
    subprocess.run(command, cwd=plain.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    patience = (time.monotonic() - begun) * share
    killed = False
    while not killed:  # where it was faster this time, sooner
        shutil.rmtree(cache(plain))
        process = subprocess.Popen(command, cwd=plain.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            killed = process.wait() == -signal.SIGKILL
        patience *= 0.8
    assert run_cli("search", "number1499", cwd=plain.root).out.startswith("notes/1499.md:1")
    assert now(plain) == fresh(plain)


def test_vault_named(vault: Folder) -> None:
    """A vault that is set up: its own files are notes like others."""
    with indexed(vault) as opened:
        paths = [note.path for note in opened.now().notes()]
        assert isinstance(opened.vault, Vault)
    assert "AGENTS.md" in paths and "changelog.md" in paths and paths == sorted(paths)
