"""Promise P3 against editors: a save at the worst moment is put back or merged, never lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import Folder

from vaultgit.edits import exchange


def test_what_was_read_is_replaced_and_what_came_out_is_kept(tmp_path: Path) -> None:
    note, temporary = tmp_path / "note.md", tmp_path / "1"
    note.write_bytes(b"old")
    temporary.write_bytes(b"new")
    exchange.swap(str(note), str(temporary), b"old", b"new")
    assert (note.read_bytes(), temporary.read_bytes()) == (b"new", b"old")


def test_a_save_that_slipped_in_is_put_back_in_the_same_file(tmp_path: Path) -> None:
    note, temporary = tmp_path / "note.md", tmp_path / "1"
    note.write_bytes(b"saved meanwhile")
    temporary.write_bytes(b"new")
    inode = note.stat().st_ino
    with pytest.raises(exchange.Changed):
        exchange.swap(str(note), str(temporary), b"old", b"new")
    assert note.read_bytes() == b"saved meanwhile"
    assert note.stat().st_ino == inode  # an editor that has it open goes on writing into the note


def test_a_file_that_appeared_or_went_is_left_alone(tmp_path: Path) -> None:
    note, temporary = tmp_path / "note.md", tmp_path / "1"
    temporary.write_bytes(b"new")
    note.write_bytes(b"appeared")
    with pytest.raises(exchange.Changed):
        exchange.swap(str(note), str(temporary), None, b"new")
    assert note.read_bytes() == b"appeared"
    with pytest.raises(exchange.Changed):
        exchange.swap(str(note), str(temporary), b"old", None)
    assert note.read_bytes() == b"appeared"
    note.unlink()
    with pytest.raises(exchange.Changed):
        exchange.swap(str(note), str(temporary), b"old", b"new")
    assert not note.exists()


def later(vault: Folder, seconds: float) -> None:
    """Time goes by: what lies in our state folder is that much older."""
    for folder, _, files in os.walk(vault.root / ".git/vaultgit/state/tmp"):
        for path in (folder, *(os.path.join(folder, name) for name in files)):
            found = os.stat(path)
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns - int(seconds * 1e9)))


def test_p3_a_file_that_an_editor_has_emptied_is_no_save(vault: Folder) -> None:
    """It truncates first, and writes then: between the two nothing may be made of it."""
    oid = vault.git("rev-parse", "HEAD:Home.md")
    with open(vault.root / "Home.md", "r+b") as editor:
        assert vault.run("write", "Home.md", "--agent", "codex", "--base", oid, stdin=b"AGENT\n").code == 0
        editor.truncate(0)
        later(vault, 10)
        assert vault.run("append", "people/ada-lovelace.md", "--agent", "codex", stdin=b"x\n").code == 0
        assert vault.read("Home.md") == "AGENT\n"
        editor.write(b"all of it, saved by me\n")
    later(vault, 10)
    assert vault.run("status").code == 0
    [kept] = os.listdir(vault.root / ".git/vaultgit/state/late")
    assert (vault.root / ".git/vaultgit/state/late" / kept).read_bytes() == b"all of it, saved by me\n"
    assert vault.read("Home.md") == "AGENT\n"


@pytest.mark.parametrize("merges", [True, False])
def test_p3_an_editor_that_writes_into_the_old_file_after_the_exchange(vault: Folder, merges: bool) -> None:
    """As an editor does that keeps a note open and saves in place."""
    vault.write("Home.md", "one\ntwo\nthree\nfour\nfive\n")
    vault.commit()
    new = b"ONE\ntwo\nthree\nfour\nfive\n"
    with open(vault.root / "Home.md", "r+b") as editor:
        oid = vault.git("rev-parse", "HEAD:Home.md")
        assert vault.run("write", "Home.md", "--agent", "codex", "--base", oid, stdin=new).code == 0
        editor.write(b"one\ntwo\nthree\nfour\nfive, typed late\n" if merges else b"mine\ntwo\nthree\nfour\nfive\n")
        editor.truncate()
    assert vault.run("status").code == 0
    assert vault.bytes("Home.md") == new  # it may still be writing
    later(vault, 10)
    said = vault.run("status").out
    if merges:
        assert vault.bytes("Home.md") == b"ONE\ntwo\nthree\nfour\nfive, typed late\n"
        assert vault.git("diff", "--numstat") == "1\t1\tHome.md"
        assert "needs you" not in said
    else:
        assert vault.bytes("Home.md") == new
        [kept] = os.listdir(vault.root / ".git/vaultgit/state/late")
        assert (vault.root / ".git/vaultgit/state/late" / kept).read_bytes().startswith(b"mine\n")
        assert kept in said
    assert vault.run("verify").code == 0


def test_p3_a_late_save_is_not_swept_while_it_is_young(vault: Folder) -> None:
    """However old the round is: what was written a moment ago is looked at once it has been quiet."""
    oid = vault.git("rev-parse", "HEAD:Home.md")
    new = b"ONE\n" + vault.bytes("Home.md")
    with open(vault.root / "Home.md", "r+b") as editor:
        assert vault.run("write", "Home.md", "--agent", "codex", "--base", oid, stdin=new).code == 0
        later(vault, 120)
        editor.seek(0, os.SEEK_END)
        editor.write(b"\n\n\ntyped late\n")
    assert vault.run("status").code == 0
    later(vault, 10)
    assert vault.run("status").code == 0
    assert vault.bytes("Home.md") == new + b"\n\n\ntyped late\n"


def test_p3_a_late_save_over_text_that_is_not_in_git_is_kept_whole(vault: Folder) -> None:
    """What it was based on is not known any more: nothing is doubled, nothing is lost."""
    vault.write("Home.md", vault.read("Home.md") + "mine, not in git\n")
    with open(vault.root / "Home.md", "r+b") as editor:
        assert vault.run("set", "Home.md", "seen=yes", "--agent", "codex").code == 0
        editor.seek(0, os.SEEK_END)
        editor.write(b"typed late\n")
    later(vault, 10)
    said = vault.run("status").out
    assert vault.read("Home.md").count("mine, not in git") == 1
    [kept] = os.listdir(vault.root / ".git/vaultgit/state/late")
    assert (vault.root / ".git/vaultgit/state/late" / kept).read_bytes().endswith(b"mine, not in git\ntyped late\n")
    assert kept in said
