"""`vaultgit move`, as a person and an agent see it: one edit, links follow, nothing else changes, and it can be taken back."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest
from support import PERSON
from support import SKILL
from support import Folder
from support import Result

OLD, NEW = "people/ada-lovelace.md", "people/ada.md"
BEFORE = {
    "links.md": (
        "\ufeff---\r\nup: [[ada-lovelace]]\r\nlist:\r\n  - \"[[people/ada-lovelace|Ada]]\"\r\n  - '[[ada-lovelace.md#H]]'\r\n"
        "---\r\n[[Ada-Lovelace]] ![[ada-lovelace#^b]] [t](people/ada-lovelace.md#h) [u](<people/ada-lovelace.md>)\r\n"
        "| [[ada-lovelace\\|A]] |\r\n\r\n`[[ada-lovelace]]` ada-lovelace [[nobody]] [[nova]]\r\n    trailing  \r\n"
    ),
    "projects/log.md": "[a](../people/ada-lovelace.md) [[../people/ada-lovelace]] [[nova]]",
    "map.canvas": '{"nodes":[{"file":"people/ada-lovelace.md","text":"people/ada-lovelace.md"}]}\n',
    "view.base": 'filters: file.path == "people/ada-lovelace.md"\n',
}
AFTER = {
    "links.md": (
        "\ufeff---\r\nup: [[ada]]\r\nlist:\r\n  - \"[[people/ada|Ada]]\"\r\n  - '[[ada.md#H]]'\r\n"
        "---\r\n[[ada]] ![[ada#^b]] [t](people/ada.md#h) [u](<people/ada.md>)\r\n"
        "| [[ada\\|A]] |\r\n\r\n`[[ada-lovelace]]` ada-lovelace [[nobody]] [[nova]]\r\n    trailing  \r\n"
    ),
    "projects/log.md": "[a](../people/ada.md) [[../people/ada]] [[nova]]",
    "map.canvas": '{"nodes":[{"file":"people/ada.md","text":"people/ada-lovelace.md"}]}\n',
    "view.base": BEFORE["view.base"],
}


def move(vault: Folder, *args: str, code: int = 0, agent: str = "") -> Result:
    done = vault.run("move", *args, *(["--agent", agent] if agent else []))
    assert done.code == code, done
    return done


def unchanged(vault: Folder, *args: str, code: int = 0, agent: str = "") -> Result:
    """`move ARGS`, which must not change anything."""
    before, index = vault.snapshot(), vault.git("ls-files", "-s")
    head = vault.git("rev-parse", "HEAD")
    done = move(vault, *args, code=code, agent=agent)
    assert (vault.snapshot(), vault.git("ls-files", "-s"), vault.git("rev-parse", "HEAD")) == (before, index, head)
    return done


def notes(vault: Folder) -> dict[str, bytes]:
    """All files but the changelog."""
    return {path: data for path, data in vault.snapshot().items() if path != "changelog.md"}


def clean(vault: Folder) -> bool:
    return vault.git("status", "--porcelain") == "" and vault.run("verify").code == 0


@pytest.fixture
def linked(vault: Folder) -> Folder:
    for path, text in BEFORE.items():
        vault.write(path, text.encode())
    vault.commit("links")
    return vault


# -- one edit ----------------------------------------------------------------------------------------------------


def test_links_in_bodies_properties_embeds_and_canvases_follow_and_nothing_else_changes(linked: Folder) -> None:
    before = notes(linked)
    done = move(linked, OLD, NEW)
    assert done.out.startswith("committed ")
    assert "view.base names an old path" in done.err
    expected = {path: data for path, data in before.items() if path != OLD}
    expected |= {NEW: PERSON.encode(), "Home.md": b"# Home\n\n[[people/ada]]\n"}
    assert notes(linked) == expected | {path: text.encode() for path, text in AFTER.items()}
    assert clean(linked)
    assert linked.git("log", "-1", "--format=%s") == f"people/ada-lovelace: moved to {NEW[:-3]}, 12 links followed"
    assert linked.git("log", "-1", "--format=%an") == "Test Person"
    names = linked.git("show", "--name-status", "-M100%", "--format=").split("\n")
    assert f"R100\t{OLD}\t{NEW}" in names and len(names) == 6


def test_a_dry_run_says_what_would_follow_and_changes_nothing(linked: Folder) -> None:
    said = unchanged(linked, OLD, NEW, "--dry-run").out
    assert said.startswith("would commit: people/ada-lovelace: moved to people/ada, 12 links followed\n")
    for line in ("  people/ada-lovelace.md -> people/ada.md", "  links.md: 8 links", "  projects/log.md: 2 links"):
        assert line in said.split("\n")
    assert "\n-up: [[ada-lovelace]]" in said and "rename to people/ada.md\n" in said
    shown = json.loads(unchanged(linked, OLD, NEW, "--dry-run", "--json").out)
    assert shown["moved"] == {OLD: NEW}
    assert shown["links"] == {"Home.md": 1, "links.md": 8, "map.canvas": 1, "projects/log.md": 2}
    assert (shown["outcome"], shown["would"], shown["path"]) == ("dry-run", "committed", NEW)


def test_by_an_agent_with_a_line_a_reason_and_json(linked: Folder) -> None:
    done = move(linked, OLD, NEW, "-m", "people/ada: a shorter name", "--reason", "typing", "--json", agent="codex")
    shown = json.loads(done.out)
    assert (shown["outcome"], shown["path"], shown["problems"]) == ("committed", NEW, [])
    assert linked.git("log", "-1", "--format=%an|%s|%(trailers:key=Agent,valueonly)").strip() == (
        "codex|people/ada: a shorter name|codex"
    )
    assert linked.run("check", "--from", "HEAD~1", "--to", "HEAD").code == 0
    assert clean(linked)


# -- where to ----------------------------------------------------------------------------------------------------


def test_into_a_folder_that_is_there_or_is_to_be_made(vault: Folder) -> None:
    move(vault, "Home.md", "projects")
    assert vault.exists("projects/Home.md") and not vault.exists("Home.md")
    move(vault, "projects/Home.md", "some/where/")
    assert vault.exists("some/where/Home.md")
    move(vault, "some/where/Home.md", ".")
    assert vault.exists("Home.md")
    move(vault, "Home.md", "Start")  # a note stays a note
    assert vault.exists("Start.md")
    assert clean(vault)


def test_a_folder_moves_as_one_edit(vault: Folder) -> None:
    vault.write("notes/deep/a.md", "[[b]] [x](./c.md) [[../../Home]]\n")
    vault.write("notes/deep/c.md", "[[notes/deep/a]]\n")
    vault.write("notes/b.md", "[[a]] ![[p.png]]\n")
    vault.write("notes/p.png", bytes(range(256)))
    vault.write(".git/info/exclude", "draft.md\n")
    vault.write("z.md", "[[notes/b]] [[deep/a|x]] [p](notes/p.png)\n")
    vault.commit()
    vault.write("notes/deep/draft.md", "nobody's\n")
    done = move(vault, "notes", "archive/old")
    assert "archive/old/deep/draft.md" not in notes(vault) and vault.read("notes/deep/draft.md") == "nobody's\n"
    assert "notes/deep/draft.md stays" in done.err
    assert vault.read("z.md") == "[[archive/old/b]] [[deep/a|x]] [p](archive/old/p.png)\n"
    assert vault.read("archive/old/deep/a.md") == "[[b]] [x](./c.md) [[../../../Home]]\n"
    assert vault.read("archive/old/deep/c.md") == "[[archive/old/deep/a]]\n"
    assert vault.bytes("archive/old/p.png") == bytes(range(256))
    assert vault.git("log", "-1", "--format=%s") == "notes: moved to archive/old, 4 files, 4 links followed"
    assert clean(vault)


def test_of_a_folder_repositories_and_links_stay_and_are_named(vault: Folder) -> None:
    vault.write("notes/a.md", "[[b]]\n")
    vault.write("notes/.order", "a\n")
    vault.commit()
    vault.write("notes/lib/b.md", "theirs\n")
    vault.git("init", "-q", "notes/lib")
    vault.write("notes/.junk", "x\n")
    os.symlink("a.md", vault.root / "notes/link.md")
    done = move(vault, "notes", "texts")
    assert sorted(path for path in vault.snapshot() if path.startswith("texts/")) == ["texts/.order", "texts/a.md"]
    assert vault.read("notes/lib/b.md") == "theirs\n" and vault.exists("notes/.junk")
    assert vault.git("-C", "notes/lib", "rev-parse", "--show-prefix") == ""
    assert vault.exists("notes/lib/.git/refs/tags")
    assert "notes/lib stays: it is a repository of its own" in done.err
    assert "notes/link.md stays: it is a symbolic link" in done.err
    assert "PA01" in unchanged(vault, "Home.md", "notes/lib/", code=1).err
    assert "PA01" in unchanged(vault, "notes/lib", "lib", code=1).err
    assert vault.run("undo", "texts/a.md").code == 0
    assert vault.read("notes/a.md") == "[[b]]\n" and not vault.exists("texts/a.md")


@pytest.mark.parametrize(("form", "expected"), [("relative", "[t](../a/z.md)\n"), ("shortest", "[t](z.md)\n")])
def test_relative_links_stay_so_where_obsidian_writes_them_so(vault: Folder, form: str, expected: str) -> None:
    vault.write(".obsidian/app.json", json.dumps({"newLinkFormat": form}))
    vault.write("a/z.md", "z\n")
    vault.write("a/s.md", "[t](z.md)\n")
    vault.commit()
    move(vault, "a/s.md", "b/s.md")
    assert vault.read("b/s.md") == expected


def test_an_emptied_folder_goes_and_a_folder_into_itself_does_not(vault: Folder) -> None:
    vault.write("notes/deep/a.md", "x\n")
    vault.commit()
    assert "itself" in unchanged(vault, "notes", "notes/more/", code=2).err
    move(vault, "notes", "projects")
    assert vault.read("projects/notes/deep/a.md") == "x\n" and not vault.exists("notes")
    move(vault, OLD, "people/sub/")
    move(vault, "people/sub/ada-lovelace.md", "people/")
    assert vault.exists("people/sub")  # one note moved, not its folder
    apply(vault, {"path": "projects/notes", "move": "notes"})
    assert vault.read("notes/deep/a.md") == "x\n" and not vault.exists("projects/notes")


def test_nothing_is_overwritten(linked: Folder) -> None:
    said = unchanged(linked, "links.md", "projects/log.md", code=1).err
    assert re.search(r"projects/log\.md:1:1: ED01 is there already .*vaultgit delete", said)
    linked.write("projects/links.md", "x\n")
    assert "ED01" in unchanged(linked, "links.md", "projects", code=1).err
    os.symlink("links.md", linked.root / "link.md")
    assert "PA03" in unchanged(linked, "links.md", "link.md", code=1).err
    assert "PA03" in unchanged(linked, "link.md", "other.md", code=1).err
    assert "PA03" in unchanged(linked, "links.md", "Home.md/links.md", code=1).err
    (linked.root / "projects/log.md").unlink()
    assert "ED01 is in git already" in unchanged(linked, "links.md", "projects/log.md", code=1).err


def test_to_the_name_it_has_is_no_edit(vault: Folder) -> None:
    assert unchanged(vault, "Home.md", "Home.md").out == "unchanged\n"
    assert unchanged(vault, "people", "./people/").out == "unchanged\n"


@pytest.mark.parametrize(
    ("old", "near"), [("people/ada-lovelac.md", OLD), ("people/ada-lovelace", OLD), ("[[Home]]", "Home.md")]
)
def test_what_is_not_there_is_named_with_the_nearest(vault: Folder, old: str, near: str) -> None:
    assert f"did you mean {near}?" in unchanged(vault, old, "x.md", code=2).err


def test_only_the_case_of_a_name(linked: Folder) -> None:
    move(linked, OLD, "people/Ada-Lovelace.md")
    assert not linked.exists(OLD) and linked.exists("people/Ada-Lovelace.md")
    assert linked.read("links.md") == BEFORE["links.md"]  # Obsidian does not tell the two apart
    move(linked, "projects", "Projects")
    assert sorted(path for path in notes(linked) if "ojects" in path) == ["Projects/log.md", "Projects/nova.md"]
    assert clean(linked)
    assert "NA02" in unchanged(linked, "Home.md", "LINKS.md", code=1).err


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("changelog.md", "x.md", "PA01"), (OLD, "AGENTS.md", "PA01"), ("people", ".hidden", "PA01"), (OLD, "../x.md", "PA02"),
     ("/etc/hostname", "x.md", "PA02"), ("..", "x", "PA02"), (OLD, ".git/x.md", "PA01"), (OLD, "/", "PA02"),
     (OLD, "people/what?.md", "NA01"), (OLD, "people/a#b.md", "NA01"), ("skills/review-a-pr.md", "skills/CON/", "NA01")],
)  # fmt: skip
def test_paths_that_an_agent_may_not_touch(vault: Folder, old: str, new: str, code: str) -> None:
    assert code in unchanged(vault, old, new, "--reason", "why", code=1, agent="codex").err


def test_an_agent_takes_no_note_out_of_its_schema(vault: Folder) -> None:
    said = unchanged(vault, OLD, "archive/ada.md", code=1, agent="codex").err
    assert "archive/ada.md:1:1: FM04" in said and "people/" in said
    assert "no schema holds 1 of the moved notes" in move(vault, OLD, "archive/ada.md").err
    assert vault.read("archive/ada.md") == PERSON


# -- what is left alone ------------------------------------------------------------------------------------------


def test_notes_that_must_not_be_written_keep_their_links_and_are_named(linked: Folder) -> None:
    linked.write(".git/info/exclude", "private.md\n")
    linked.write("private.md", "[[ada-lovelace]] ![[people/ada-lovelace]] [[nova]]\n")
    linked.write("real.txt", "[[ada-lovelace]]\n")
    os.symlink("real.txt", linked.root / "link.md")
    os.symlink("links.md", linked.root / "same.md")  # follows by itself
    os.symlink(OLD, linked.root / "people-link.md")
    linked.write("AGENTS.md", linked.read("AGENTS.md") + "see [[ada-lovelace]]\n")
    linked.write("changelog.md", linked.read("changelog.md") + "\nmine: [[ada-lovelace]]\n")
    linked.write(".trash/t.md", "[[ada-lovelace]]\n")
    linked.commit("more")
    linked.write("other/n.md", "[[ada-lovelace]]\n")
    linked.git("init", "-q", "other")
    left = ("private.md", "real.txt", "AGENTS.md", ".trash/t.md", "other/n.md")
    before = {path: linked.read(path) for path in left}
    said = move(linked, OLD, NEW, agent="codex").err.split("\n")
    assert {path: linked.read(path) for path in left} == before
    assert sorted(line for line in said if line.startswith("! ")) == [
        "! AGENTS.md keeps 1 old link: only a person may change it",
        "! changelog.md keeps 1 old link: it is written from history",
        "! link.md keeps 1 old link: it is a symbolic link",
        f"! people-link.md is a symbolic link to {OLD}, which is {NEW} now",
        "! private.md keeps 2 old links: it is kept out of git by .gitignore",
        "! view.base names an old path, and is left to you",
    ]
    assert linked.read("same.md") == AFTER["links.md"]
    assert linked.run("verify").code == 0


def test_a_note_kept_out_of_git_does_not_move(vault: Folder) -> None:
    vault.write(".git/info/exclude", "private.md\n")
    vault.write("private.md", "nobody's business\n")
    assert "PA01 is kept out of git" in unchanged(vault, "private.md", "public.md", code=1).err


def test_a_suggestion_that_waits_follows_its_note(vault: Folder) -> None:
    add = ("inbox", "add", "--target", OLD, "--reason", "not sure", "--agent", "claude-code")
    assert vault.run(*add, stdin=b"- maybe\n").code == 0
    move(vault, OLD, NEW, agent="codex")
    assert vault.run("inbox", "accept", "1").code == 0
    assert vault.read(NEW) == PERSON + "- maybe\n" and not vault.exists(OLD)
    assert clean(vault)


def test_of_a_decision_that_moves_the_project_keeps_its_list(vault: Folder) -> None:
    decision = "---\ntype: decision\ndate: 2026-11-01\nproject: '[[nova]]'\n---\nyes\n"
    vault.write("decisions/one.md", decision)
    vault.write("decisions/two.md", decision.replace("---\nyes", "replaces: '[[one]]'\n---\nno"))
    vault.write("projects/nova.md", vault.read("projects/nova.md").replace("---\n#", "decisions: ['[[one]]']\n---\n#"))
    vault.commit()
    before = vault.read("projects/nova.md")
    move(vault, "decisions/one.md", "decisions/first.md", agent="codex")
    assert vault.read("projects/nova.md") == before.replace("[[one]]", "[[first]]")
    move(vault, "decisions/two.md", "decisions/second.md", agent="codex")  # not in the list, and the move adds nothing
    move(vault, "projects/nova.md", "projects/supernova.md", agent="codex")
    assert vault.read("projects/supernova.md") == before.replace("[[one]]", "[[first]]")
    assert "project: '[[supernova]]'\nreplaces: '[[first]]'\n" in vault.read("decisions/second.md")
    assert vault.run("check", "--from", "HEAD~3", "--to", "HEAD").code == 0
    assert clean(vault)


# -- skills ------------------------------------------------------------------------------------------------------


def test_a_skill_gets_its_new_name_and_its_next_version(vault: Folder) -> None:
    start = vault.git("rev-parse", "HEAD")
    vault.write("skills/other.md", SKILL.replace("review-a-pr", "other").replace("read it", "as in [[review-a-pr]]"))
    vault.commit("other")
    said = unchanged(vault, "skills/review-a-pr.md", "skills/review.md", code=1, agent="codex").err
    assert "SK03" in said and "--reason" in said
    args = ("skills/review-a-pr.md", "skills/review.md", "--reason", "shorter")
    shown = unchanged(vault, *args, "--dry-run", agent="codex").out
    assert "  skills/other.md: version 2, since its text changes" in shown.split("\n")
    assert json.loads(unchanged(vault, *args, "--dry-run", "--json", agent="codex").out)["versions"] == {
        "skills/review.md": 2, "skills/other.md": 2,
    }  # fmt: skip
    move(vault, *args, agent="codex")
    assert vault.read("skills/review.md") == (
        "---\ntype: skill\nname: review\nversion: 2\ntrigger: user asks for a review\nlast_updated: 2026-11-29\n"
        "aliases:\n  - review-a-pr\n---\n1. read it\n"
    )
    assert vault.read("skills/other.md") == (
        "---\ntype: skill\nname: other\nversion: 2\ntrigger: user asks for a review\nlast_updated: 2026-11-29\n"
        "---\n1. as in [[review]]\n"
    )
    assert vault.run("check", "--from", start, "--to", "HEAD").code == 0
    move(vault, "skills/review.md", "skills/review-a-pr.md")  # a person needs no reason
    values = vault.read("skills/review-a-pr.md")
    assert "version: 3\n" in values and "aliases:\n  - review\n---" in values
    assert clean(vault)


def test_a_skill_that_keeps_its_name_keeps_its_bytes(vault: Folder) -> None:
    move(vault, "skills/review-a-pr.md", "skills/code/", agent="codex")
    assert vault.read("skills/code/review-a-pr.md") == SKILL


def test_a_pinned_skill_is_a_persons_to_move(vault: Folder) -> None:
    vault.write("skills/review-a-pr.md", SKILL.replace("version: 1", "version: 1\npinned: true"))
    vault.commit("pin")
    args = ("skills/review-a-pr.md", "skills/review.md", "--reason", "shorter")
    assert "SK04" in unchanged(vault, *args, code=1, agent="codex").err
    move(vault, *args)
    assert "pinned: true\n" in vault.read("skills/review.md")


# -- taking it back ----------------------------------------------------------------------------------------------


def test_undo_brings_the_note_and_all_links_back_and_so_does_its_undo(linked: Folder) -> None:
    before = notes(linked)
    move(linked, OLD, NEW)
    after = notes(linked)
    for target, expected in ((NEW, before), ("HEAD", after), ("HEAD", before)):
        assert linked.run("undo", target).out.startswith("committed ")
        assert notes(linked) == expected
        assert clean(linked)


def test_undo_keeps_what_was_done_since(linked: Folder) -> None:
    move(linked, OLD, NEW)
    oid = linked.git("rev-parse", "HEAD")
    assert linked.run("append", NEW, "--agent", "codex", stdin=b"- since\n").code == 0
    assert linked.run("append", "links.md", "--agent", "codex", stdin=b"- since\n").code == 0
    same_line = linked.read("projects/log.md") + " [[../people/ada|A]] since"
    linked.write("projects/log.md", same_line)
    linked.commit("since")
    linked.write(NEW, linked.read(NEW).replace("Born 1815.", "Born 1815, mine."))
    linked.write("Home.md", "# Home\n\n[[people/ada]] mine\n")
    assert linked.run("undo", oid).out.startswith("merged ")
    assert not linked.exists(NEW)
    assert linked.read(OLD) == PERSON.replace("Born 1815.", "Born 1815, mine.") + "- since\n"
    assert linked.read("links.md") == BEFORE["links.md"] + "- since\r\n"
    assert linked.read("projects/log.md") == BEFORE["projects/log.md"] + " [[../people/ada-lovelace|A]] since"
    assert linked.read("Home.md") == "# Home\n\n[[people/ada-lovelace]] mine\n"
    assert linked.git("show", f"HEAD:{OLD}") == (PERSON + "- since\n").rstrip("\n")
    assert linked.git("diff", "--name-only").split() == ["Home.md", OLD]
    assert linked.run("verify").code == 0


def test_undo_where_another_note_has_the_old_name_now_says_so(linked: Folder) -> None:
    move(linked, OLD, NEW)
    oid = linked.git("rev-parse", "HEAD")
    linked.write(OLD, "---\ntype: person\n---\nanother Ada\n")
    linked.commit("another")
    before = linked.snapshot()
    done = linked.run("undo", oid)
    assert (done.code, f"{OLD}:1:1: ED01" in done.err) == (1, True), done
    assert linked.snapshot() == before


def test_undo_of_a_session_that_moved_a_note_twice(linked: Folder) -> None:
    before = notes(linked)
    for old, new in ((OLD, NEW), (NEW, "people/countess.md")):
        move(linked, old, new, "--session", "s1", agent="codex")
    assert linked.run("undo", "--session", "s1").out.startswith("committed ")
    assert notes(linked) == before
    assert clean(linked)


def test_git_revert_takes_it_back_as_well(linked: Folder) -> None:
    before = notes(linked)
    move(linked, OLD, NEW)
    linked.git("revert", "--no-edit", "HEAD")
    assert notes(linked) == before
    assert linked.run("verify", "--allow-behind").code == 0


def test_undo_and_revert_of_a_moved_skill(vault: Folder) -> None:
    for how in ("undo", "revert"):
        move(vault, "skills/review-a-pr.md", "skills/review.md")
        assert (
            vault.run("undo", "skills/review.md").code == 0
            if how == "undo"
            else vault.git("revert", "--no-edit", "HEAD")
        )
        assert vault.read("skills/review-a-pr.md") == SKILL and not vault.exists("skills/review.md")


# -- several at once ---------------------------------------------------------------------------------------------


def apply(vault: Folder, *changes: dict[str, Any], code: int = 0, **more: Any) -> Result:
    done = vault.run("apply", "--agent", "codex", stdin=json.dumps({"changes": changes, **more}).encode())
    assert done.code == code, done
    return done


def test_apply_moves_notes_along_with_other_changes(linked: Folder) -> None:
    apply(
        linked, {"path": OLD, "move": NEW}, {"path": "projects/nova.md", "move": "projects/supernova.md"},
        {"path": "people/bob.md", "text": "---\ntype: person\n---\nknows [[people/ada]]\n"},
    )  # fmt: skip
    assert linked.read("links.md") == AFTER["links.md"].replace("[[nova]]", "[[supernova]]")
    assert linked.git("show", "--name-status", "-M100%", "--format=").count("R100") == 2
    assert clean(linked)
    apply(linked, {"path": "people/ada.md", "move": OLD})
    assert linked.git("log", "-1", "--format=%s") == "people/ada: moved to people/ada-lovelace, 13 links followed"


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ([{"path": OLD, "move": NEW}, {"path": "links.md", "append": "x"}], 2, "links.md"),
        ([{"path": OLD, "move": NEW}, {"path": NEW, "text": "x"}], 2, NEW),
        ([{"path": OLD, "move": 3}], 2, OLD),
        ([{"path": OLD, "move": NEW, "delete": True}], 2, OLD),
        ([{"path": OLD, "move": "Home.md"}], 1, "ED01"),
        ([{"path": OLD, "move": NEW}, {"path": "links.md", "move": NEW}], 1, "ED01"),
        ([{"path": "gone.md", "move": NEW}], 2, "gone.md"),
        ([{"path": OLD, "move": OLD}], 2, "nothing would move"),
    ],
)
def test_apply_refuses_moves_that_do_not_go_together(
    linked: Folder, changes: list[dict[str, Any]], code: int, said: str
) -> None:
    before = linked.snapshot()
    assert said in apply(linked, *changes, code=code).err
    assert linked.snapshot() == before


def test_p6_a_move_of_a_note_from_before_can_be_undone(plain: Folder) -> None:
    plain.write("projects/old.md", "---\ntype: project\nname: Old\n---\n")
    plain.commit()
    assert plain.run("init").code == 0
    before = plain.snapshot()
    move(plain, "projects/old.md", "projects/older.md")
    assert plain.run("check", "--all").code == 0
    done = plain.run("undo", "HEAD")
    assert done.code == 0, done
    del before["changelog.md"]
    assert {path: data for path, data in plain.snapshot().items() if path != "changelog.md"} == before
    move(plain, "projects", "work")
    assert plain.run("undo", "HEAD").code == 0 and plain.run("check", "--all").code == 0


@pytest.mark.parametrize("old", [".obsidian", "AGENTS.md", "changelog.md", ".vaultgit.toml", ".gitignore"])
def test_what_is_looked_for_where_it_is_stays_there(vault: Folder, old: str) -> None:
    assert "PA01" in unchanged(vault, old, "elsewhere.md", code=1).err


def test_settings_that_name_a_moved_folder_are_told(vault: Folder) -> None:
    vault.write(".obsidian/templates.json", '{"folder": "Templates"}')
    vault.write("Templates/day.md", "{{date}}\n")
    vault.commit()
    assert '[layout] person = "folk" in .vaultgit.toml' in move(vault, "people", "folk").err
    assert "Obsidian looks for templates in Templates/" in move(vault, "Templates", "Vorlagen").err
