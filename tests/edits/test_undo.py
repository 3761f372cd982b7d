"""Promise P6: an edit, a session, a note's last edit, a merge, an undo and an acceptance can be taken back, wholly or not at
all; and P3: what a person has staged or typed meanwhile stays theirs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support import PERSON
from support import SKILL
from support import Folder
from support import Result

NOTE = "people/ada-lovelace.md"


def run(
    vault: Folder, *args: str, stdin: str = "", code: int = 0, agent: str = "codex", session: str = ""
) -> dict[str, Any]:
    extra = [*(["--agent", agent] if agent else []), *(["--session", session] if session else [])]
    done = vault.run(*args, *extra, "--json", stdin=stdin.encode())
    assert done.code == code, done
    return dict(json.loads(done.out))


def append(vault: Folder, text: str, path: str = "Home.md", **more: Any) -> dict[str, Any]:
    return run(vault, "append", path, stdin=text, **more)


def undo(vault: Folder, *args: str, code: int = 0, agent: str = "") -> dict[str, Any]:
    return run(vault, "undo", *args, code=code, agent=agent)


def untouched(vault: Folder, *args: str, code: int, agent: str = "") -> Result:
    """`undo ARGS`, which must not change anything."""
    before, head, index = vault.snapshot(), vault.git("rev-parse", "HEAD"), vault.git("ls-files", "-s")
    done = vault.run("undo", *args, *(["--agent", agent] if agent else []))
    assert done.code == code, done
    assert (vault.snapshot(), vault.git("rev-parse", "HEAD"), vault.git("ls-files", "-s")) == (before, head, index)
    return done


def trailers(vault: Folder, key: str, commit: str = "HEAD") -> list[str]:
    return vault.git("log", "-1", f"--format=%(trailers:key={key},valueonly)", commit).split()


def clean(vault: Folder) -> bool:
    return vault.git("status", "--porcelain") == "" and vault.run("verify").code == 0


# -- what can be taken back --------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["short oid", "edit", "path"])
def test_p6_an_edit_by_each_of_its_names(vault: Folder, by: str) -> None:
    before = vault.read("Home.md")
    done = append(vault, "- one\n")
    word = {"short oid": done["oid"][:9], "edit": done["edit"], "path": "Home.md"}[by]
    assert undo(vault, word)["outcome"] == "committed"
    assert vault.read("Home.md") == before
    assert trailers(vault, "Undoes") == [done["edit"]]
    assert trailers(vault, "Agent") == []
    assert vault.git("log", "-1", "--format=%s|%b").startswith("Home: undone: added “- one”|Takes back ")
    assert clean(vault)


def test_p6_undo_of_undo_of_undo(vault: Folder) -> None:
    before = vault.read("Home.md")
    first = append(vault, "- one\n")
    after = vault.read("Home.md")
    target = first["oid"]
    for expected in (before, after, before, after):
        target = undo(vault, target)["oid"]
        assert vault.read("Home.md") == expected
    assert trailers(vault, "Again", "HEAD~2") == [first["edit"]]
    assert clean(vault)


def test_p6_a_path_names_its_last_edit_that_still_stands(vault: Folder) -> None:
    before = vault.read("Home.md")
    append(vault, "- one\n")
    one = vault.read("Home.md")
    two = append(vault, "- two\n")
    undo(vault, "Home.md")
    assert vault.read("Home.md") == one
    again = undo(vault, undo(vault, vault.git("rev-parse", "HEAD"))["oid"])  # two came back, and went once more
    assert again["outcome"] == "committed"
    assert trailers(vault, "Undoes", "HEAD~2") == [two["edit"]]
    undo(vault, "Home.md")
    assert vault.read("Home.md") == before
    assert "no note with an edit to undo" in untouched(vault, "Home.md", code=2).err


def test_p6_a_session_and_only_what_is_left_of_it(vault: Folder) -> None:
    before = vault.snapshot()
    append(vault, "- one\n", session="s-1")
    two = append(vault, "- two\n", NOTE, session="s-1")
    run(vault, "write", "people/babbage.md", stdin=PERSON.replace("Ada Lovelace", "Babbage"), session="s-1")
    append(vault, "- other\n", "projects/nova.md", session="s-2")
    undo(vault, two["oid"])
    undo(vault, "--session", "s-1")
    assert len(trailers(vault, "Undoes")) == 2
    assert vault.git("log", "-1", "--format=%s") == "session s-1: 2 edits undone"
    after = vault.snapshot()
    assert {path for path in {*before, *after} if before.get(path) != after.get(path)} == {
        "projects/nova.md",
        "changelog.md",
    }
    assert clean(vault)
    untouched(vault, "--session", "s-1", code=2)
    undo(vault, vault.git("rev-parse", "HEAD"))
    assert vault.exists("people/babbage.md")
    assert vault.read(NOTE) == PERSON  # undone before, on its own
    assert clean(vault)


def test_p6_a_merge_and_its_undo(vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "side")
    brought = {append(vault, f"- {n}\n", NOTE)["edit"] for n in range(2)}
    vault.git("checkout", "-q", "main")
    append(vault, "- main\n")
    vault.git("merge", "-q", "--no-edit", "side")
    merged = vault.read(NOTE)
    done = undo(vault, "HEAD")
    assert set(trailers(vault, "Undoes")) == brought
    assert vault.read(NOTE) == PERSON
    assert vault.read("Home.md").endswith("- main\n")
    undo(vault, done["oid"])
    assert vault.read(NOTE) == merged
    assert clean(vault)


@pytest.mark.parametrize("count", [1, 2])
def test_p6_a_squash_as_a_whole(vault: Folder, count: int) -> None:
    vault.git("checkout", "-q", "-b", "side")
    joined = [append(vault, f"- {n}\n", NOTE)["edit"] for n in range(count)]
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "--squash", "side")
    vault.git("commit", "-q", "--no-edit")
    if count > 1:
        assert (
            f"joined with other edits in {vault.git('rev-parse', 'HEAD')[:10]}"
            in untouched(vault, joined[0], code=2).err
        )
    undo(vault, "HEAD" if count > 1 else joined[0])
    assert sorted(trailers(vault, "Undoes")) == sorted(joined)
    assert vault.read(NOTE) == PERSON
    assert clean(vault)


def test_p6_an_acceptance_and_an_edit_that_went_to_the_inbox(vault: Folder) -> None:
    run(vault, "inbox", "add", "--target", NOTE, "--reason", "heard once", stdin="- likes tea\n")
    [note] = json.loads(vault.run("inbox", "list", "--json").out)
    waiting = vault.read(note["path"])
    assert vault.run("inbox", "accept", "1").code == 0
    assert vault.read(NOTE).endswith("- likes tea\n")
    undo(vault, "HEAD")
    assert vault.read(NOTE) == PERSON
    assert vault.read(note["path"]) == waiting
    assert vault.run("inbox", "accept", "1").code == 0  # it waits again
    assert vault.read(NOTE).endswith("- likes tea\n")

    vault.write("Home.md", vault.read("Home.md").replace("# Home", "# My home"))
    base = vault.git("rev-parse", "HEAD:Home.md")
    went = run(vault, "write", "Home.md", "--base", base, "-m", "Home: other", stdin="# The agent's home\n")
    assert went["outcome"] == "inbox"
    undo(vault, went["edit"])
    assert not vault.exists(went["inbox"])
    assert vault.read("Home.md").startswith("# My home\n")
    assert vault.git("status", "--porcelain") == " M Home.md"


@pytest.mark.parametrize("unborn", [True, False])
def test_p6_a_first_commit(folder: Folder, unborn: bool) -> None:
    folder.git("init", "-q")
    if not unborn:
        folder.commit("mine")
        done = run(folder, "undo", "HEAD", "--dry-run", agent="")
        assert done
        undo(folder, "HEAD")
        assert vault_files(folder) == ["changelog.md"]
        undo(folder, "HEAD")
        assert folder.read(NOTE) == PERSON
        return
    first = run(folder, "write", "new.md", "-m", "new: first", stdin="new\n")
    assert folder.git("rev-list", "--count", "HEAD") == "1"
    undo(folder, first["oid"])
    assert not folder.exists("new.md")
    assert folder.read(NOTE) == PERSON
    assert folder.run("verify").code == 0


def vault_files(vault: Folder) -> list[str]:
    return vault.git("ls-files").splitlines()


def test_p6_a_deletion_and_an_edit_of_several_notes(vault: Folder) -> None:
    gone = run(vault, "delete", "skills/review-a-pr.md")
    undo(vault, gone["edit"])
    assert vault.read("skills/review-a-pr.md") == SKILL
    both = {"changes": [{"path": NOTE, "delete": True}, {"path": "people/ada.md", "text": PERSON}]}
    moved = run(vault, "apply", "-m", "people: ada", stdin=json.dumps(both))
    assert not vault.exists(NOTE)
    undo(vault, moved["edit"])
    assert vault.read(NOTE) == PERSON
    assert not vault.exists("people/ada.md")
    assert clean(vault)


def version(vault: Folder, number: int, step: str) -> dict[str, Any]:
    text = re.sub(r"version: \d+", f"version: {number}", vault.read("skills/review-a-pr.md"))
    text = re.sub(r"last_updated: .*", f"last_updated: 2026-11-{number + 10}", text) + step + "\n"
    base = vault.git("rev-parse", "HEAD:skills/review-a-pr.md")
    return run(
        vault,
        "write",
        "skills/review-a-pr.md",
        "--base",
        base,
        "-m",
        f"skills: v{number}",
        "--reason",
        "needed",
        stdin=text,
    )


def test_p6_a_skill_taken_back_under_a_newer_version_gets_the_next_one(vault: Folder) -> None:
    two = version(vault, 2, "2. two" + "\n" * 4)
    version(vault, 3, "3. three")
    undo(vault, two["oid"])
    skill = vault.read("skills/review-a-pr.md")
    assert "2. two" not in skill
    assert "3. three" in skill
    assert "version: 4\n" in skill
    assert "last_updated: 2026-11-29\n" in skill
    assert vault.run("check", "--from", "HEAD~1", "--to", "HEAD").code == 0
    assert clean(vault)


def test_p6_the_newest_version_of_a_skill_taken_back_is_the_one_before(vault: Folder) -> None:
    version(vault, 2, "2. two")
    before = vault.read("skills/review-a-pr.md")
    three = version(vault, 3, "3. three")
    undo(vault, three["oid"])
    assert vault.read("skills/review-a-pr.md") == before
    assert vault.run("check", "--from", "HEAD~1", "--to", "HEAD").code == 0


# -- what a person has there -------------------------------------------------------------------------------------


def test_p6_a_conflict_refuses_the_whole(vault: Folder) -> None:
    append(vault, "- one\n", session="s")
    append(vault, "- two\n", NOTE, session="s")
    vault.write("Home.md", vault.read("Home.md").replace("- one\n", "- one, as I know\n"))
    vault.commit("mine")
    done = untouched(vault, "--session", "s", code=1)
    assert "Home.md:1:1: ED01" in done.out + done.err
    assert "git show" in done.out + done.err
    assert vault.git("for-each-ref", "refs/vaultgit") == ""
    refused = json.loads(vault.run("undo", "--session", "s", "--json").out)
    assert [problem["code"] for problem in refused["problems"]] == ["ED01"]


def test_p3_staged_and_unsaved_text_stays(vault: Folder) -> None:
    vault.write("Home.md", "one\n" + "\n" * 8 + "nine\n")
    vault.commit()
    done = run(
        vault,
        "write",
        "Home.md",
        "--base",
        vault.git("rev-parse", "HEAD:Home.md"),
        "-m",
        "Home: ten",
        stdin="ten\n" + "\n" * 8 + "nine\n",
    )
    vault.write("Home.md", "ten\n" + "\n" * 8 + "nine\nstaged\n")
    vault.write("mine.md", "mine\n")
    vault.git("add", "Home.md", "mine.md")
    vault.write("Home.md", "ten\n\n\n\n\ntyped\n\n\n\nnine\nstaged\n")
    undo(vault, done["oid"])
    assert vault.read("Home.md") == "one\n\n\n\n\ntyped\n\n\n\nnine\nstaged\n"
    assert vault.git("show", ":Home.md") == "one\n" + "\n" * 8 + "nine\nstaged"
    assert vault.git("show", "HEAD:Home.md") == "one\n" + "\n" * 8 + "nine"
    assert sorted(vault.git("status", "--porcelain").splitlines()) == ["A  mine.md", "MM Home.md"]


def test_p4_a_note_that_the_person_has_deleted_stays_deleted(vault: Folder) -> None:
    done = append(vault, "- one\n")
    (vault.root / "Home.md").unlink()
    taken = undo(vault, done["oid"])
    assert taken["outcome"] == "inbox"
    assert not vault.exists("Home.md")
    assert vault.git("status", "--porcelain") == " D Home.md"
    assert "\n- one" not in vault.read(taken["inbox"])
    assert vault.run("verify").code == 0


def test_p4_an_undo_that_meets_the_persons_unsaved_line_waits_in_the_inbox(vault: Folder) -> None:
    done = append(vault, "- one\n")
    mine = vault.read("Home.md").replace("- one\n", "- one, mine\n")
    vault.write("Home.md", mine)
    assert undo(vault, done["oid"])["outcome"] == "inbox"
    assert vault.read("Home.md") == mine
    assert vault.git("show", "HEAD:Home.md").endswith("- one")


def test_p2_an_undo_during_a_rebase_lands_after_it(vault: Folder) -> None:
    done = append(vault, "- one\n")
    vault.write("mine.md", "mine\n")
    vault.commit("mine")
    vault.git("rebase", "-q", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i 1s/^pick/edit/"})
    taken = undo(vault, done["oid"], code=75)
    assert taken["outcome"] == "queued"
    assert "rebase" in taken["reason"]
    assert vault.read("Home.md").endswith("- one\n")
    vault.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert vault.run("status").code == 0
    assert not vault.read("Home.md").endswith("- one\n")
    assert trailers(vault, "Undoes") == [done["edit"]]
    assert clean(vault)


# -- who and how -------------------------------------------------------------------------------------------------


def test_an_agent_takes_back_only_its_own(vault: Folder) -> None:
    mine, theirs = append(vault, "- mine\n"), append(vault, "- theirs\n", NOTE, agent="gemini", session="s")
    persons = run(vault, "append", "projects/nova.md", stdin="- a person's\n", agent="")
    for word in (theirs["oid"], theirs["edit"], NOTE, persons["oid"], "HEAD~3"):
        assert "for a person to decide" in untouched(vault, word, code=1, agent="codex").err
    assert "for a person to decide" in untouched(vault, "--session", "s", code=1, agent="codex").err
    undo(vault, mine["oid"], agent="codex")
    assert trailers(vault, "Agent") == ["codex"]
    vault.git("config", "vaultgit.agentsMayDecide", "true")
    undo(vault, theirs["oid"], agent="codex")
    assert vault.read(NOTE) == PERSON


def test_dry_run_shows_and_writes_nothing(vault: Folder) -> None:
    done = append(vault, "- one\n")
    said = untouched(vault, done["oid"], "--dry-run", code=0).out
    assert "-- one" in said
    assert json.loads(untouched(vault, done["oid"], "--dry-run", "--json", code=0).out)
    assert vault.git("log", "--format=%s", "-1") == "Home: added “- one”"


@pytest.mark.parametrize(
    ("args", "code"), [([], 2), (["HEAD", "--session", "s"], 2), (["nothing.md"], 2), (["--session", "none"], 2),
                       (["0" * 16], 2), (["--", "--output=x"], 2), (["side"], 2)],
)  # fmt: skip
def test_what_names_nothing_is_wrong_use(vault: Folder, args: list[str], code: int) -> None:
    vault.git("branch", "side", vault.git("commit-tree", "HEAD^{tree}", "-m", "elsewhere"))
    untouched(vault, *args, code=code)


def test_nothing_left_to_take_back(vault: Folder) -> None:
    done = append(vault, "- one\n")
    vault.git("revert", "--no-edit", "HEAD")
    assert "nothing is left" in untouched(vault, done["oid"], code=2).err


# -- inbox notes -------------------------------------------------------------------------------------------------


def test_p4_a_move_that_does_not_merge_keeps_both_halves(vault: Folder) -> None:
    """Both notes of a move have one name: neither may take the other's place in the inbox."""
    vault.write(NOTE, PERSON + "typed, not in git\n")
    base = vault.git("show", f"HEAD:{NOTE}") + "\n"
    both = {"changes": [{"path": NOTE, "delete": True}, {"path": "notes/ada-lovelace.md", "text": "whole\n"}]}
    done = vault.run("apply", "-m", "ada moves", "--agent", "codex", "--json", stdin=json.dumps(both).encode())
    assert json.loads(done.out)["outcome"] == "inbox", done
    notes = json.loads(vault.run("inbox", "list", "--json").out)
    assert sorted(note["target"] for note in notes) == ["notes/ada-lovelace", "people/ada-lovelace"]
    assert len({note["path"] for note in notes}) == 2
    assert vault.read(NOTE) == base + "typed, not in git\n"


def test_p3_an_inbox_note_for_a_name_with_a_hash_reaches_that_note(vault: Folder) -> None:
    vault.write("notes/c.md", "the language C\n")
    vault.write("notes/c#.md", "another language\n")
    vault.commit("mine")
    run(vault, "inbox", "add", "--target", "notes/c#.md", "--reason", "heard once", stdin="- from 2000\n")
    assert vault.run("inbox", "accept", "1").code == 0
    assert vault.read("notes/c.md") == "the language C\n"
    assert vault.read("notes/c#.md") == "another language\n- from 2000\n"


def test_p3_an_agent_cannot_reach_a_protected_path_by_way_of_the_inbox(vault: Folder) -> None:
    run(vault, "inbox", "add", "--target", NOTE, "--reason", "heard once", stdin="repos: []\n")
    [note] = json.loads(vault.run("inbox", "list", "--json").out)
    text = vault.read(note["path"]).replace("[[people/ada-lovelace]]", "[[.pre-commit-config.yaml]]")
    run(
        vault,
        "write",
        note["path"],
        "--base",
        vault.git("rev-parse", f"HEAD:{note['path']}"),
        "-m",
        "inbox: x",
        stdin=text,
    )
    before = vault.read(".pre-commit-config.yaml")
    refused = vault.run("inbox", "accept", "1")
    assert refused.code == 1
    assert "PA01" in refused.out + refused.err
    assert vault.read(".pre-commit-config.yaml") == before


def test_a_broken_inbox_note_can_be_rejected(vault: Folder) -> None:
    run(vault, "inbox", "add", "--target", NOTE, "--reason", "heard once", stdin="- x\n")
    [note] = json.loads(vault.run("inbox", "list", "--json").out)
    vault.write(note["path"], vault.read(note["path"]).replace("````", ""))
    assert vault.run("inbox", "accept", "1").code == 1
    assert vault.run("inbox", "reject", "1").code == 0
    assert not vault.exists(note["path"])
    assert note["path"] in vault.read(".vaultgit/declined.md")


@pytest.mark.parametrize(
    "path", ["../outside.md", "../../x", "notes/../../x", "/etc/hostname", "-rf.md/../../x", ".git/config", "%2e%2e/x"]
)
def test_a_path_that_is_none_of_the_vault_is_refused_in_words(vault: Folder, path: str) -> None:
    append(vault, "x\n")
    done = untouched(vault, "--", path, code=2)
    assert ("PA01" if path == ".git/config" else "PA02") in done.err and "ended with" not in done.err
