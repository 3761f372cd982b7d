"""Notes whose filter is not set up in this clone: git-crypt that was never unlocked, git-lfs that is not installed."""

from __future__ import annotations

import pytest
from filtering import configured
from filtering import stored
from support import Folder

NOTE = "# Diary\n\nalpha\n\nbeta\n"


@pytest.fixture
def locked(vault: Folder) -> Folder:
    """A vault with an encrypted folder, as it lies where nobody unlocked it."""
    configured(vault)
    vault.write(".gitattributes", vault.read(".gitattributes") + "secret/* filter=crypt\n*.png filter=far\n")
    vault.write("secret/d.md", NOTE)
    vault.write("a.png", b"\x89PNG\0one")
    vault.commit("begun")
    vault.write("secret/d.md", NOTE + "more\n")
    vault.commit("more")
    return lock(vault)


def lock(vault: Folder) -> Folder:
    for name in ("crypt", "far"):
        vault.git("config", "--remove-section", f"filter.{name}")
    for path in ("secret/d.md", "a.png"):
        (vault.root / path).unlink()
        vault.git("checkout", "--", path)
    assert vault.bytes("secret/d.md")[:6] == b"SEALED"
    return vault


@pytest.mark.parametrize("args", [
    ["append", "secret/d.md"], ["set", "secret/d.md", "a=b"], ["write", "secret/new.md"],
    ["write", "secret/d.md", "--base", "BASE"], ["move", "Home.md", "secret/Home.md"],
    ["move", "secret/d.md", "open.md"], ["move", "a.png", "a.jpg"],
])  # fmt: skip
def test_p3_nothing_is_stored_past_a_filter_that_is_not_here(locked: Folder, args: list[str]) -> None:
    base = locked.git("rev-parse", "HEAD:secret/d.md")
    before = (locked.git("rev-parse", "HEAD"), locked.snapshot(), locked.git("ls-files", "-s"))
    given = [base if one == "BASE" else one for one in args]
    done = locked.run(*given, "--agent", "codex", stdin=b"- in plain\n")
    assert done.code == 1, done
    assert "PA03 passes through the filter " in done.err and "is not set up in this clone" in done.err
    assert "then again" in done.err and "refused: " in done.err
    assert (locked.git("rev-parse", "HEAD"), locked.snapshot(), locked.git("ls-files", "-s")) == before
    assert not locked.exists(".git/vaultgit/state/queue") or not list(
        (locked.root / ".git/vaultgit/state/queue").iterdir()
    )


def test_the_mend_is_said_by_the_program(vault: Folder) -> None:
    vault.write(".gitattributes", vault.read(".gitattributes") + "s/* filter=git-crypt\n*.png filter=lfs\n")
    vault.commit("rules")
    assert "(git-crypt unlock, then again)" in vault.run("write", "s/a.md", "--agent", "codex", stdin=b"x\n").err
    assert "(git lfs install --local" in vault.run("write", "a.png", "--agent", "codex", stdin=b"x\n").err


def test_a_file_may_go_move_as_it_lies_and_come_back(locked: Folder) -> None:
    was = stored(locked, "HEAD:secret/d.md")
    assert locked.run("move", "secret/d.md", "secret/e.md", "--agent", "codex").code == 0
    assert stored(locked, "HEAD:secret/e.md") == was
    assert locked.run("move", "a.png", "b.png", "--agent", "codex").code == 0
    assert locked.run("delete", "secret/e.md", "--agent", "codex").code == 0
    assert locked.run("undo", "HEAD").code == 0
    assert stored(locked, "HEAD:secret/e.md") == was
    assert locked.git("status", "--porcelain") == ""
    assert locked.run("append", "Home.md", "--agent", "codex", stdin=b"open\n").code == 0


def test_a_changelog_that_is_locked_takes_no_line(vault: Folder) -> None:
    vault.write(".gitattributes", vault.read(".gitattributes") + "changelog.md filter=crypt\n")
    vault.commit("rules")
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"x\n")
    assert done.code == 1 and "changelog.md:1:1: PA03" in done.err, done


def test_an_edit_that_waits_when_the_filter_goes_waits_on(locked: Folder) -> None:
    configured(locked)
    locked.git("checkout", "HEAD", "--", ".")
    (locked.root / "secret/d.md").unlink()
    locked.git("checkout", "--", "secret/d.md")
    locked.write(".git/MERGE_HEAD", locked.git("rev-parse", "HEAD") + "\n")
    assert locked.run("append", "secret/d.md", "--agent", "codex", stdin=b"SECRET\n").code == 75
    (locked.root / ".git/MERGE_HEAD").unlink()
    lock(locked)
    done = locked.run("append", "Home.md", "--agent", "codex", stdin=b"open\n")
    assert done.code == 0, done  # it blocks no other
    assert "not set up in this clone" in locked.run("status").out + locked.run("status").err
    assert stored(locked, "HEAD:secret/d.md")[:6] == b"SEALED" and not locked.exists("inbox")
    configured(locked)
    (locked.root / "secret/d.md").unlink()
    locked.git("checkout", "--", "secret/d.md")
    locked.run("status")
    assert locked.read("secret/d.md") == NOTE + "more\nSECRET\n"
    assert stored(locked, "HEAD:secret/d.md")[:6] == b"SEALED"
