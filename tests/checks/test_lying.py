"""`check --all`: verdicts are remembered, and never stale. The baseline."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from support import PERSON
from support import Folder

from vaultgit.checks import lying
from vaultgit.vault import open_vault

BAD = PERSON.replace("name: Ada Lovelace", "aliases: 7")
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def problems(vault: Folder, *args: str) -> list[str]:
    done = vault.run("check", "--all", *args)
    assert done.code == int(bool(done.out)), done
    return [" ".join(line.split(" ")[:2]) for line in done.out.splitlines()]


def judged(vault: Folder) -> int:
    """How many notes a run reads and judges anew."""
    read: list[str] = []
    original = lying.checks.run

    def counted(change, *args, **kwargs):  # type: ignore[no-untyped-def]
        read.extend(file.path for file in change.files if file.path.endswith(".md"))
        return original(change, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lying.checks, "run", counted)
        opened = open_vault(str(vault.root))
        with opened.repo:
            lying.judge(opened.root, opened.rules, vault=opened)
    return len(read)


def test_p7_an_unchanged_note_is_judged_once(vault: Folder) -> None:
    vault.write("people/bad.md", BAD)
    vault.commit()
    assert problems(vault) == ["people/bad.md:3:1: FM03"]
    assert judged(vault) == 0
    assert problems(vault) == ["people/bad.md:3:1: FM03"]
    vault.write("people/bad.md", PERSON)  # not in git yet, found all the same
    assert problems(vault) == []
    vault.write("people/bad.md", BAD)
    assert problems(vault) == ["people/bad.md:3:1: FM03"]
    vault.write("people/untracked.md", BAD)
    assert len(problems(vault)) == 2
    os.rename(vault.root / "people/bad.md", vault.root / "elsewhere.md")
    assert problems(vault) == ["people/untracked.md:3:1: FM03"]


def test_a_new_schema_or_a_mapped_folder_counts_at_once(vault: Folder) -> None:
    assert problems(vault) == []
    stricter = {"type": "object", "required": ["born"]}
    vault.write(".vaultgit/schemas/person.schema.json", json.dumps(stricter))
    assert problems(vault) == ["people/ada-lovelace.md:1:1: FM03"]
    vault.write(".vaultgit/schemas/person.schema.json", "{")
    assert problems(vault) == [".vaultgit/schemas/person.schema.json:1:1: SC01"]
    shutil.rmtree(vault.root / ".vaultgit/schemas")
    assert problems(vault) == []


@pytest.mark.parametrize("damage", [b"", b"{", b'{"key": 1}', b"[]", b"\xff"])
def test_p7_a_damaged_cache_is_made_anew(vault: Folder, damage: bytes) -> None:
    vault.write("people/bad.md", BAD)
    assert len(problems(vault)) == 1
    (vault.root / ".git/vaultgit/cache/verdicts.json").write_bytes(damage)
    assert len(problems(vault)) == 1
    shutil.rmtree(vault.root / ".git/vaultgit/cache")
    assert len(problems(vault)) == 1


def test_many_notes_are_judged_by_several_processes_alike(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        vault.write(f"people/p{number}.md", BAD if number % 3 else PERSON)
    opened = open_vault(str(vault.root))
    with opened.repo:
        one = lying.judge(opened.root, opened.rules)
        monkeypatch.setattr(lying, "MANY", 10)
        monkeypatch.setattr(lying, "PORTION", 4)
        told: list[int] = []
        assert lying.judge(opened.root, opened.rules, tick=told.append) == one
    assert len(one) == 20 and sum(told) == len(list((vault.root).rglob("*.md")))


def test_twins_anywhere_in_the_vault(vault: Folder) -> None:
    vault.write("notes/Note.md", "a\n")
    vault.write("notes/note.md", "b\n")
    vault.write("Notes/x.md", "c\n")
    assert {line.rpartition(" ")[2] for line in problems(vault)} == {"NA02"}
    assert len(problems(vault)) == 3
    assert "NA02" in vault.run("check", "notes/Note.md").out and "NA02" in vault.run("check", "notes").out
    assert vault.run("check", "people/ada-lovelace.md").code == 0


# -- the baseline ------------------------------------------------------------------------------------------------


@pytest.fixture
def old(plain: Folder) -> Folder:
    """A vault with a debt: a note against its schema, one with a dangling link, a name, a token, markers."""
    plain.write("people/bad.md", BAD)
    plain.write("decisions/a.md", '---\ntype: decision\ndate: 2026-01-01\nproject: "[[gone]]"\n---\n')
    plain.write("notes/What?.md", "x\n")
    plain.write("notes/token.md", f"my key {TOKEN}\n")
    plain.write("notes/merge.md", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
    plain.commit("old")
    assert plain.run("init").code == 0
    return plain


def test_the_first_day_is_clean_and_the_debt_is_shown_on_request(old: Folder) -> None:
    assert problems(old) == []
    codes = sorted(line.rpartition(" ")[2] for line in problems(old, "--no-baseline"))
    assert codes == ["FM03", "LN01", "MK01", "NA01", "SE01"]
    old.write("Home.md", old.read("Home.md") + "more\n")
    old.git("add", "-A")
    assert old.try_git("commit", "-m", "as ever").code == 0


def test_another_secret_in_the_same_note_is_a_new_one(old: Folder) -> None:
    old.write("notes/token.md", f"my key {TOKEN}\nand {TOKEN[:4]}{TOKEN[:3:-1]}\n")
    assert problems(old) == ["notes/token.md:2:5: SE01"]


def test_p11_a_secret_that_git_does_not_hold_is_in_no_baseline(plain: Folder) -> None:
    plain.write("notes/token.md", f"my key {TOKEN}\n")
    assert plain.run("init").code == 0
    assert problems(plain) == ["notes/token.md:1:8: SE01"]
    plain.git("add", "-A")
    assert plain.try_git("commit", "-m", "x").code != 0


def test_what_was_mended_does_not_come_back(old: Folder) -> None:
    old.write("people/bad.md", PERSON)
    old.commit("mended")
    assert "1 problem of the baseline mended since: vaultgit init" in old.run("check", "--all").err
    old.write("people/bad.md", BAD)
    old.git("add", "-A")
    refused = old.try_git("commit", "-m", "bad again")
    assert refused.code != 0 and "FM03" in refused.err
    old.git("checkout", "-q", "HEAD", "--", "people/bad.md")
    assert old.run("init").code == 0
    assert "people/bad.md" not in json.loads(old.read(".vaultgit/baseline.json"))
    old.write("people/bad.md", BAD)
    assert problems(old) == ["people/bad.md:3:1: FM03"]
    assert "nothing to do" in old.run("init").out  # it never grows by itself
    old.commit("bad again")
    assert old.run("init", "--adopt").code == 0
    assert problems(old) == []


def test_a_note_from_before_can_be_edited(old: Folder) -> None:
    assert old.run("append", "people/bad.md", "--agent", "codex", stdin=b"more\n").code == 0
    assert old.run("append", "notes/token.md", "--agent", "codex", stdin=b"more\n").code == 0
    assert old.run("append", "notes/What?.md", "--agent", "codex", stdin=b"more\n").code == 0
    assert problems(old) == []
    assert old.run("check", "--from", "HEAD~3").code == 0


def test_what_is_no_plain_file_is_no_note(vault: Folder) -> None:
    os.symlink("loop.md", vault.root / "loop.md")
    os.symlink("/dev/zero", vault.root / "zero.md")
    os.mkfifo(vault.root / "people/pipe.md")
    assert problems(vault) == []
