"""The staged reversal that git's own race leaves: `git commit` writes back the index it had read before an
edit landed. The pre-commit hook and the next drain mend it, and nothing that a person staged on purpose."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support import PERSON
from support import Folder

NOTE = "people/ada-lovelace.md"


def edit(vault: Folder, *args: str, stdin: str = "", second: int = 0) -> None:
    now = {"VAULTGIT_NOW": f"2026-11-29T21:10:{second:02}+01:00"}
    done = vault.run(*args, "--agent", "codex", stdin=stdin.encode(), env=now)
    assert done.code == 0, done


@contextmanager
def race(vault: Folder) -> Iterator[None]:
    """Within it edits land; after it the index is what it was before, as a slow `git commit` writes it back."""
    index = vault.root / ".git/index"
    shutil.copy(index, vault.root / ".git/read-before")
    yield
    os.rename(vault.root / ".git/read-before", index)


def staged(vault: Folder) -> list[str]:
    return vault.git("diff", "--cached", "--name-status").splitlines()


def age(vault: Folder, seconds: float = 3700) -> None:
    folder = vault.root / ".git/vaultgit/state/landed"
    for name in os.listdir(folder):
        then = os.stat(folder / name).st_mtime - seconds
        os.utime(folder / name, (then, then))


def append(vault: Folder) -> None:
    with race(vault):
        edit(vault, "append", NOTE, stdin="- by the agent\n")
    assert {"M\tchangelog.md", f"M\t{NOTE}"} <= set(staged(vault))


def test_p2_p3_the_persons_retry_keeps_the_edit(vault: Folder) -> None:
    """The real hook, in a real `git commit`."""
    vault.write("mine.md", "mine\n")
    vault.git("add", "mine.md")
    append(vault)
    vault.git("commit", "-q", "-m", "my work")
    assert vault.git("show", "--name-status", "--format=").splitlines() == ["A\tmine.md"]
    assert "- by the agent" in vault.git("show", f"HEAD:{NOTE}")
    assert vault.git("status", "--porcelain") == ""
    assert vault.run("verify").code == 0


def test_without_the_repair_the_retry_reverses_the_edit(vault: Folder) -> None:
    """What it is for: else the tests here could not fail."""
    vault.write("mine.md", "mine\n")
    vault.git("add", "mine.md")
    append(vault)
    vault.git("commit", "-q", "--no-verify", "-m", "my work")
    assert "- by the agent" not in vault.git("show", f"HEAD:{NOTE}")


@pytest.mark.parametrize("command", ["hook pre-commit", "status"])
def test_p2_hook_and_drain_repair_it(vault: Folder, command: str) -> None:
    append(vault)
    assert vault.run(*command.split()).code == 0
    assert vault.git("status", "--porcelain") == ""


def test_p2_two_edits_within_one_race(vault: Folder) -> None:
    with race(vault):
        edit(vault, "append", NOTE, stdin="- first\n")
        edit(vault, "append", NOTE, stdin="- second\n", second=1)
        edit(vault, "append", "Home.md", stdin="- third\n", second=2)
    assert len(staged(vault)) == 3
    assert vault.run("hook", "pre-commit").code == 0
    assert vault.git("status", "--porcelain") == ""


def test_p2_a_new_note_and_one_that_went(vault: Folder) -> None:
    with race(vault):
        edit(vault, "write", "people/babbage.md", stdin=PERSON.replace("Ada Lovelace", "Babbage"))
    assert staged(vault) == ["M\tchangelog.md", "D\tpeople/babbage.md"]
    assert vault.run("hook", "pre-commit").code == 0
    assert vault.git("status", "--porcelain") == ""
    with race(vault):
        edit(vault, "delete", "people/babbage.md", second=1)
    assert staged(vault) == ["M\tchangelog.md", "A\tpeople/babbage.md"]
    assert vault.run("hook", "pre-commit").code == 0
    assert vault.git("status", "--porcelain") == ""


def test_p3_what_the_person_had_staged_in_the_note_stays_and_the_edit_too(vault: Folder) -> None:
    text = vault.read(NOTE)
    vault.write(NOTE, text.replace("name: Ada Lovelace", "name: Countess"))
    vault.git("add", NOTE)
    with race(vault):
        edit(vault, "append", NOTE, stdin="- by the agent\n")
    assert vault.run("hook", "pre-commit").code == 0
    vault.git("commit", "-q", "-m", "my name for her")
    committed = vault.git("show", f"HEAD:{NOTE}")
    assert "Countess" in committed
    assert "- by the agent" in committed
    assert vault.git("status", "--porcelain") == ""


def test_p3_after_the_window_an_older_version_is_the_persons_wish(vault: Folder) -> None:
    append(vault)
    age(vault)
    assert vault.run("hook", "pre-commit").code == 0
    assert vault.run("status").code == 0
    assert staged(vault) == ["M\tchangelog.md", f"M\t{NOTE}"]


def test_p3_what_is_staged_otherwise_is_untouched(vault: Folder) -> None:
    append(vault)
    disk = vault.read(NOTE)
    vault.write(NOTE, disk + "mine\n")
    vault.git("add", NOTE)
    vault.write(NOTE, disk)
    assert vault.run("hook", "pre-commit").code == 0
    assert vault.git("show", f":{NOTE}") == (disk + "mine").rstrip("\n")
    assert staged(vault) == [f"M\t{NOTE}"]  # changelog.md is repaired, the note is not


def test_p3_where_the_person_changed_the_disk_too_the_index_is_theirs(vault: Folder) -> None:
    append(vault)
    older = vault.git("show", f":{NOTE}") + "\n"
    vault.write(NOTE, older)  # both taken back, by hand
    assert vault.run("hook", "pre-commit").code == 0
    assert staged(vault) == [f"M\t{NOTE}"]
    assert vault.read(NOTE) == older


def test_p3_a_new_note_that_the_person_takes_out_of_git_stays_out(vault: Folder) -> None:
    edit(vault, "write", "people/babbage.md", stdin=PERSON.replace("Ada Lovelace", "Babbage"))
    vault.git("rm", "-q", "--cached", "people/babbage.md")
    assert vault.run("hook", "pre-commit").code == 0
    assert vault.run("status").code == 0
    assert staged(vault) == ["D\tpeople/babbage.md"]
    assert vault.exists("people/babbage.md")


def test_p3_nothing_is_touched_while_an_operation_of_gits_is_under_way(vault: Folder) -> None:
    append(vault)
    vault.write(".git/MERGE_HEAD", vault.git("rev-parse", "HEAD") + "\n")
    assert vault.run("hook", "pre-commit").code == 0
    assert staged(vault) == ["M\tchangelog.md", f"M\t{NOTE}"]


def test_p10_a_damaged_record_is_passed_over(vault: Folder) -> None:
    append(vault)
    for name, data in {"0" * 16: "{", "1" * 16: "[]", "2" * 16: '{"round": "x"}'}.items():
        vault.write(f".git/vaultgit/state/landed/{name}.json", data)
    assert vault.run("hook", "pre-commit").code == 0
    assert vault.git("status", "--porcelain") == ""


def test_p3_a_commit_of_one_path_leaves_the_other_entries_to_the_next_run(vault: Folder) -> None:
    vault.write("mine.md", "mine\n")
    vault.git("add", "mine.md")
    append(vault)
    vault.git("commit", "-q", "-m", "only this", "--", "mine.md")
    assert vault.git("show", "--name-only", "--format=") == "mine.md"
    assert vault.run("status").code == 0
    assert vault.git("status", "--porcelain") == ""
    assert vault.run("verify").code == 0
