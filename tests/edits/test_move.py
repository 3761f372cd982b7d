"""A move on the write path: what only a person has goes along (P3), nothing is lost on the way (P2, P4), and what git says
of the file stays true."""

from __future__ import annotations

import fcntl
import json
import os
import stat

import pytest
from faulty import busy
from faulty import edits
from faulty import free
from faulty import killing
from faulty import queued
from faulty import reaching
from faulty import run_faulty
from faulty import waiting
from support import PERSON
from support import Folder
from support import Result

from vaultgit.clock import SystemClock
from vaultgit.edits import move as moving
from vaultgit.edits import steps
from vaultgit.edits.edit import PathChange
from vaultgit.edits.edit import moves
from vaultgit.notes import links
from vaultgit.vault import open_vault

OLD, NEW = "people/ada-lovelace.md", "people/ada.md"


def move(vault: Folder, *args: str, agent: str = "", code: int = 0) -> Result:
    done = vault.run("move", *(args or (OLD, NEW)), *(["--agent", agent] if agent else []))
    assert done.code == code, done
    return done


def committed(vault: Folder, path: str, revision: str = "HEAD") -> str:
    return vault.git("show", f"{revision}:{path}") + "\n"


# -- the person's own text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["", "codex"])
def test_p3_text_that_is_not_in_git_goes_along_with_the_note_and_stays_theirs(vault: Folder, agent: str) -> None:
    vault.write(OLD, PERSON + "typed by me, [[ada-lovelace]]\n")
    assert move(vault, agent=agent).out.startswith("committed ")
    assert vault.read(NEW) == PERSON + "typed by me, [[ada]]\n"
    assert committed(vault, NEW) == PERSON
    assert not vault.exists(OLD)
    assert vault.git("status", "--porcelain") == f" M {NEW}"
    assert vault.git("log", "--format=%s", "--grep=as it was") == ""


@pytest.mark.parametrize("agent", ["", "codex"])
def test_p3_what_is_staged_goes_along_too(vault: Folder, agent: str) -> None:
    vault.write(OLD, PERSON + "staged by me\n")
    vault.git("add", OLD)
    vault.write(OLD, PERSON + "staged by me\ntyped by me\n")
    move(vault, agent=agent)
    assert committed(vault, NEW) == PERSON
    assert committed(vault, NEW, "") == PERSON + "staged by me\n"
    assert vault.read(NEW) == PERSON + "staged by me\ntyped by me\n"
    assert vault.git("status", "--porcelain") == f"MM {NEW}"


def test_p3_links_follow_in_text_of_the_persons_on_the_same_line_and_it_stays_theirs(vault: Folder) -> None:
    vault.write("Home.md", "# Home\n\n[[people/ada-lovelace]] staged, [[ada-lovelace]]\n")
    vault.git("add", "Home.md")
    mine = "# Home\n\n[[people/ada-lovelace]] typed, [[ada-lovelace]]\n"
    vault.write("Home.md", mine)
    move(vault, agent="codex")
    assert vault.read("Home.md") == mine.replace("ada-lovelace", "ada")
    assert committed(vault, "Home.md", "") == "# Home\n\n[[people/ada]] staged, [[ada]]\n"
    assert committed(vault, "Home.md") == "# Home\n\n[[people/ada]]\n"
    assert vault.git("status", "--porcelain") == "MM Home.md"


def test_p3_a_link_that_only_the_person_has_follows_on_disk_alone(vault: Folder) -> None:
    vault.write("projects/nova.md", vault.read("projects/nova.md") + "[[ada-lovelace]]\n")
    vault.git("add", "projects/nova.md")
    move(vault, agent="codex")
    assert vault.git("show", "--name-only", "--no-renames", "--format=").split() == [
        "Home.md",
        "changelog.md",
        OLD,
        NEW,
    ]
    assert vault.read("projects/nova.md").endswith("\n[[ada]]\n")
    assert committed(vault, "projects/nova.md", "").endswith("\n[[ada]]\n")


def test_a_note_git_has_never_seen_is_committed_first_under_its_old_name(vault: Folder) -> None:
    vault.write("new.md", "mine [[new]]\n")
    vault.write("Home.md", vault.read("Home.md") + "[[new]]\n")
    move(vault, "new.md", "old.md", agent="codex")
    assert vault.git("log", "-2", "--format=%an|%s").split("\n") == [
        "codex|new: moved to old, 2 links followed", "Test Person|own: as it was"
    ]  # fmt: skip
    assert committed(vault, "new.md", "HEAD~1") == "mine [[new]]\n"
    assert vault.read("old.md") == committed(vault, "old.md") == "mine [[old]]\n"
    assert vault.git("status", "--porcelain") == " M Home.md"


def test_a_note_that_is_staged_and_was_never_committed_is_named(vault: Folder) -> None:
    vault.write("new.md", "mine\n")
    vault.git("add", "new.md")
    before = vault.git("ls-files", "-s")
    assert (
        "ED01 is staged and was never committed (commit it first: git commit)"
        in move(vault, "new.md", "x.md", code=1).err
    )
    assert vault.git("ls-files", "-s") == before and vault.read("new.md") == "mine\n"


# -- the file as git and the system see it -----------------------------------------------------------------------


def test_modes_stay(vault: Folder) -> None:
    vault.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    vault.commit()
    (vault.root / OLD).chmod(0o600)
    move(vault, "run.sh", "tools/go.sh")
    move(vault)
    assert vault.git("ls-files", "-s", "tools/go.sh").startswith("100755 ")
    assert stat.S_IMODE(os.stat(vault.root / "tools/go.sh").st_mode) == 0o755
    assert stat.S_IMODE(os.stat(vault.root / NEW).st_mode) == 0o600
    assert vault.git("status", "--porcelain") == ""


@pytest.mark.parametrize("attributes", ["*.md text=auto\n", "*.md ident\n", ""])
def test_line_endings_on_disk_stay(vault: Folder, attributes: str) -> None:
    vault.write(".gitattributes", vault.read(".gitattributes") + attributes)
    vault.commit()
    text = "---\r\ntype: person\r\n---\r\none\r\ntwo\n[[ada-lovelace]] three\r\n"
    vault.write(OLD, text)
    vault.write("Home.md", "[[ada-lovelace]] one\r\ntwo\n")
    vault.commit("mine")
    move(vault)
    assert vault.read(NEW) == text.replace("-lovelace", "")
    assert vault.read("Home.md") == "[[ada]] one\r\ntwo\n"
    assert vault.git("status", "--porcelain") == ""
    assert vault.run("undo", NEW).code == 0
    assert vault.read(OLD) == text


def test_a_vault_below_the_repositorys_root(vault: Folder) -> None:
    outer = vault.root.parent / "outer"
    (outer / "in").mkdir(parents=True)
    made = Folder(outer / "in/notes")
    made.write(".obsidian/app.json", "{}")
    made.write("people/x.md", "[[x]]\n")
    made.write("a b.md", "[[people/x]]\n")
    made.git("init", "-q", "../..")
    made.commit()
    assert made.run("init", ".", "--repository", "outer").code == 0
    move(made, "people/x.md", "people/y.md")
    assert (made.read("people/y.md"), made.read("a b.md")) == ("[[y]]\n", "[[people/y]]\n")
    move(made, "people", "persons")
    assert made.read("a b.md") == "[[persons/y]]\n"
    assert made.git("status", "--porcelain") == ""
    assert made.run("verify").code == 0


def test_names_of_any_script_and_form(vault: Folder) -> None:
    decomposed = "U\u0308ber uns.md"
    vault.write(decomposed, "[[Über uns]]\n")
    vault.write("日記/メモ.md", f"[[\u00dcber uns|x]] [t](<{decomposed}>) [t](U%CC%88ber%20uns.md)\n")
    vault.commit()
    move(vault, "Über uns.md", "日記/Ärger.md")
    assert vault.read("日記/メモ.md") == "[[Ärger|x]] [t](<Ärger.md>) [t](Ärger.md)\n"
    assert vault.read("日記/Ärger.md") == "[[Ärger]]\n" and not vault.exists(decomposed)
    assert vault.git("status", "--porcelain") == ""


# -- on the way --------------------------------------------------------------------------------------------------


def test_p2_a_move_that_waits_takes_along_what_was_done_meanwhile(vault: Folder) -> None:
    queued(vault, "move", OLD, NEW)
    assert vault.read(OLD) == PERSON
    assert vault.run("read", NEW, "--agent", "codex").out == PERSON  # its own queued edit
    vault.write(OLD, PERSON + "committed meanwhile\n")
    vault.write("Home.md", "# Home\n\n[[people/ada-lovelace]], also meanwhile\n")
    vault.commit("meanwhile")
    vault.write(OLD, PERSON + "committed meanwhile\nand typed\n")
    assert vault.run("status").code == 0
    assert committed(vault, NEW) == PERSON + "committed meanwhile\n"
    assert vault.read(NEW) == PERSON + "committed meanwhile\nand typed\n"
    assert vault.read("Home.md") == "# Home\n\n[[people/ada]], also meanwhile\n"
    assert not vault.exists(OLD) and not vault.exists("inbox")
    assert vault.run("verify").code == 0


def test_p2_several_moves_that_wait_land_in_order(vault: Folder) -> None:
    vault.write(OLD, PERSON + "typed\n")
    queued(vault, "move", OLD, NEW)
    queued(vault, "move", NEW, "people/countess.md")
    queued(vault, "append", "people/countess.md", stdin="- hers\n")
    assert vault.run("status").code == 0
    assert vault.read("people/countess.md") == PERSON + "typed\n- hers\n"
    assert committed(vault, "people/countess.md") == PERSON + "- hers\n"
    assert vault.read("Home.md") == "# Home\n\n[[people/countess]]\n"
    assert edits(vault) == 3
    assert vault.git("status", "--porcelain") == " M people/countess.md"


def test_p4_a_name_that_was_taken_meanwhile_sends_it_to_the_inbox_and_nothing_is_lost(vault: Folder) -> None:
    vault.write(OLD, PERSON + "typed by me\n")
    queued(vault, "move", OLD, NEW)
    vault.write(NEW, "---\ntype: person\n---\nsomebody else\n")
    before = vault.snapshot()
    assert vault.run("status").code == 0
    assert {path: data for path, data in vault.snapshot().items() if path in before and path != "changelog.md"} == {
        path: data for path, data in before.items() if path != "changelog.md"
    }
    names = vault.git("ls-tree", "-r", "--name-only", "HEAD", "inbox").split()
    assert len(names) == 3  # the note, that the old one goes, and Home.md
    assert vault.git("status", "--porcelain").split("\n") == [f" M {OLD}", f"?? {NEW}"]
    assert waiting(vault) == []


@pytest.mark.parametrize("step", ["planned", "disk-first", "disk", "index", "ref"])
@pytest.mark.parametrize("typed", ["", "typed by me\n"])
def test_p2_p3_a_kill_on_the_way_leaves_all_of_it_or_none(vault: Folder, step: str, typed: str) -> None:
    vault.write(OLD, PERSON + typed)
    assert run_faulty(vault, killing(step), "move", OLD, NEW, "--agent", "codex").code == -9
    assert vault.run("status").code == 0
    assert (vault.exists(OLD), vault.read(NEW), committed(vault, NEW)) == (False, PERSON + typed, PERSON)
    assert vault.read("Home.md") == committed(vault, "Home.md") == "# Home\n\n[[people/ada]]\n"
    assert edits(vault) == 1
    assert vault.git("status", "--porcelain") == (f" M {NEW}" if typed else "")
    assert vault.run("verify").code == 0


@pytest.mark.parametrize("step", ["disk-first", "disk", "index"])
@pytest.mark.parametrize("typed", ["", "typed by me\n"])
@pytest.mark.parametrize("new", [NEW, "people/Ada-Lovelace.md"])
def test_p2_a_person_who_commits_everything_after_a_kill_commits_no_note_away(
    vault: Folder, step: str, typed: str, new: str
) -> None:
    vault.write(OLD, PERSON + typed)
    assert run_faulty(vault, killing(step), "move", OLD, new, "--agent", "codex").code == -9
    with open(vault.root / ".git/vaultgit/state/lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the killed one's git has gone
    (vault.root / ".git/index.lock").unlink()  # as git tells a person
    assert PERSON + typed in [vault.read(path) for path in (OLD, new) if vault.exists(path)]
    vault.git("add", "-A")
    vault.git("commit", "-q", "--no-verify", "-m", "mine")
    assert vault.run("status").code == 0
    assert (vault.exists(OLD), vault.read(new), committed(vault, new)) == (False, PERSON + typed, PERSON + typed)
    link = "people/ada" if new == NEW else "people/ada-lovelace"  # names are compared without case
    assert committed(vault, "Home.md") == f"# Home\n\n[[{link}]]\n"
    assert not vault.exists("inbox") and edits(vault) == 1
    assert vault.git("status", "--porcelain") == ""
    assert vault.run("verify").code == 0


def test_p3_a_save_in_the_last_moment_goes_along(vault: Folder) -> None:
    saving = f"open({OLD!r}, 'a').write('in the last moment\\n')"
    done = run_faulty(vault, reaching("planned", saving), "move", OLD, NEW, "--agent", "codex")
    assert done.code == 0, done
    assert vault.read(NEW) == PERSON + "in the last moment\n"
    assert not vault.exists(OLD)
    assert vault.git("status", "--porcelain") == f" M {NEW}"


def test_a_retry_is_one_edit(vault: Folder) -> None:
    busy(vault)
    for _ in range(2):
        assert vault.run("move", OLD, NEW, "--agent", "claude-code").code == 75 or waiting(vault)
    free(vault)
    assert vault.run("status").code == 0
    assert edits(vault) == 1


def plan(vault: Folder) -> moving.Move:
    opened = open_vault(str(vault.root))
    with opened.repo:
        return moving.plan(opened, SystemClock(), [(OLD, NEW)])


# -- the plan ----------------------------------------------------------------------------------------------------


def test_the_plan_is_pure_and_the_new_name_stands_beside_the_old_one(vault: Folder) -> None:
    before = vault.snapshot()
    planned = plan(vault)
    assert vault.snapshot() == before
    assert planned.changes == [
        PathChange(NEW, None, PERSON.encode(), "move"), PathChange(OLD, PERSON.encode(), None, "move"),
        PathChange("Home.md", b"# Home\n\n[[people/ada-lovelace]]\n", b"# Home\n\n[[people/ada]]\n", "move"),
    ]  # fmt: skip
    assert moves(planned.changes) == [(planned.changes[0], planned.changes[1])]
    assert planned.line == "people/ada-lovelace: moved to people/ada, 1 link followed"


def test_what_was_wrong_before_is_from_before_under_the_new_name(vault: Folder) -> None:
    vault.write("people/bob.md", "---\ntype: person\naliases: 3\n---\nx\n")
    vault.write(".vaultgit/baseline.json", json.dumps({"people/bob.md": ["FM03"], "x.md": ["SE01"]}, indent=1) + "\n")
    vault.commit("adopted")
    assert "FM03" in move(vault, "people/bob.md", "people/rob.md", agent="codex", code=1).err
    move(vault, "people/bob.md", "people/rob.md")
    assert json.loads(vault.read(".vaultgit/baseline.json")) == {"people/rob.md": ["FM03"], "x.md": ["SE01"]}
    assert vault.run("check", "--all").code == 0


def test_only_notes_that_can_hold_a_link_are_read_as_text(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(50):
        vault.write(f"notes/{number}.md", f"no link in {number}\n")
    read: list[str] = []
    whole = links._scan

    def scan(text: str) -> list[links._Found]:
        read.append(text)
        return whole(text)

    monkeypatch.setattr(links, "_scan", scan)
    plan(vault)
    assert not [text for text in read if "no link" in text]
    assert len(read) <= 8


def test_every_step_that_is_killed_here_is_one_of_landing() -> None:
    assert {"planned", "disk-first", "disk", "index", "ref"} <= set(steps.NAMES)


# -- a note that is gone when its move lands ---------------------------------------------------------------------


def test_p4_a_move_whose_note_is_gone_waits_in_the_inbox_and_breaks_no_link(vault: Folder) -> None:
    busy(vault)
    assert move(vault, agent="codex", code=75).out.startswith("queued ")
    free(vault)
    vault.git("mv", OLD, "people/countess.md")
    vault.commit("mine")
    before = vault.read("Home.md")
    landed = vault.run("status").out
    assert " inbox " in landed and vault.read("Home.md") == before
    assert not vault.exists(NEW) and vault.exists("people/countess.md")
    assert vault.run("verify").code == 0


def test_p2_two_moves_of_a_note_end_with_one_note(vault: Folder) -> None:
    busy(vault)
    move(vault, OLD, "people/a.md", agent="codex", code=75)
    move(vault, OLD, "people/b.md", agent="gemini-cli", code=75)
    free(vault)
    assert vault.run("status").code == 0
    assert vault.exists("people/a.md") and not vault.exists("people/b.md") and not vault.exists(OLD)
    assert "[[people/a" in vault.read("Home.md")


def test_p4_half_a_move_is_not_accepted_before_the_other(vault: Folder) -> None:
    busy(vault)
    move(vault, agent="codex", code=75)
    free(vault)
    vault.write(NEW, "mine, meanwhile\n")
    vault.run("status")
    waiting = json.loads(vault.run("inbox", "list", "--json").out)
    number = next(n for n, note in enumerate(waiting, 1) if note["target"] == OLD.removesuffix(".md"))
    refused = vault.run("inbox", "accept", str(number))
    assert refused.code == 1 and "vaultgit inbox accept inbox/" in refused.err
    assert vault.exists(OLD)
