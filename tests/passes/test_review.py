"""Promises P3, P4 and P6: a person accepts all of a review branch or part of it; their own text stays, what does not go with
it stays pending and is named, and the rest of the branch is a clean diff."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reviewing import DREAM
from reviewing import NAMES
from reviewing import at
from reviewing import better
from reviewing import bumped
from reviewing import changes
from reviewing import dreamt
from reviewing import exists
from reviewing import merged
from reviewing import propose
from reviewing import pruned
from reviewing import skill
from reviewing import sound
from reviewing import waiting
from reviewing import with_skills
from support import Folder

from vaultgit.edits.branches import Action

LATER = {"VAULTGIT_NOW": "2026-11-29T22:00:00+01:00"}  # a branch waits: what is built anew has another date


def accept(vault: Folder, *args: str, name: str = DREAM, code: int = 0) -> dict[str, Any]:
    done = vault.run("review", "accept", name, *args, "--json", env=LATER)
    assert done.code == code, done
    return dict(json.loads(done.out))


def ids(vault: Folder, *revisions: str) -> list[str]:
    return sorted(vault.git("log", "--format=%(trailers:key=Edit,valueonly)", *revisions).split())


def files(vault: Folder, revisions: str) -> list[str]:
    return vault.git("diff", "--name-only", revisions).split()


# -- all of it ---------------------------------------------------------------------------------------------------


def test_p1_all_of_it_is_a_plain_merge_of_the_branchs_tip(vault: Folder) -> None:
    dreamt(vault)
    tip, old = vault.git("rev-parse", DREAM), vault.git("rev-parse", "HEAD")
    done = accept(vault)
    assert done["outcome"] == "committed" and done["oid"] == vault.git("rev-parse", "HEAD")
    assert (
        vault.git("log", "-1", "--format=%P|%an|%s|%(trailers)")
        == f"{old} {tip}|Test Person|vaultgit: accepted {DREAM}|"
    )
    assert vault.git("log", "-1", "--format=%b").strip() == "\n".join(f"- skills/{name}: better" for name in NAMES[:3])
    assert not exists(vault)
    assert vault.git("status", "--porcelain") == ""
    lines = [line for line in vault.read("changelog.md").splitlines() if line.startswith("- ")]
    assert len(lines) == 3 and all("(vaultgit)" in line for line in lines)
    assert sound(vault)


def test_all_of_it_while_main_moved_on_in_other_notes(vault: Folder) -> None:
    dreamt(vault)
    tip = vault.git("rev-parse", DREAM)
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"- by an agent\n").code == 0
    vault.write("notes/new.md", "mine\n")
    vault.commit("mine")
    accept(vault)
    assert vault.git("rev-parse", "HEAD^2") == tip
    assert vault.git("diff", "--name-only", "HEAD^1", "HEAD").split() == [
        "changelog.md", *(f"skills/{name}.md" for name in NAMES[:3])
    ]  # fmt: skip
    assert sound(vault)


def test_the_last_action_ends_the_branch(vault: Folder) -> None:
    dreamt(vault)
    for number, name in enumerate(NAMES[:3]):
        assert accept(vault, "--only", name)["remaining"] == 2 - number
    assert not exists(vault)
    assert len(set(ids(vault, "HEAD"))) == len(ids(vault, "HEAD")) == 3
    assert sound(vault)


def test_git_branch_d_works_after_a_plain_merge(vault: Folder) -> None:
    dreamt(vault)
    vault.git("merge", "-q", "--no-edit", DREAM)
    assert vault.git("branch", "-d", DREAM).startswith(f"Deleted branch {DREAM}")


# -- part of it --------------------------------------------------------------------------------------------------


def test_part_of_it_keeps_author_date_and_id_and_the_rest_is_a_clean_diff(vault: Folder) -> None:
    built = dreamt(vault)
    shape = "--format=%an|%ae|%aI|%B"
    before = {oid: vault.git("show", "-s", shape, oid) for oid in built.oids}
    rest = vault.git("diff", f"HEAD...{DREAM}", "--", "skills/review.md")
    done = accept(vault, "--only", "skills/bake.md", "deploy")
    assert done["accepted"] == ["skills/bake: better", "skills/deploy: better"] and done["remaining"] == 1
    assert vault.git("log", "-1", "--format=%s") == f"vaultgit: accepted {DREAM} (2 of 3 actions)"
    brought = vault.git("rev-list", "--reverse", "HEAD^1..HEAD^2").split()
    assert [vault.git("show", "-s", shape, oid) for oid in brought] == [before[oid] for oid in built.oids[:2]]
    assert vault.git("diff", f"HEAD...{DREAM}") == vault.git("diff", f"HEAD..{DREAM}") == rest
    assert vault.git("show", "-s", shape, DREAM) == before[built.oids[2]]
    assert waiting(vault) == ["skills/review: better"]
    assert sound(vault)


@pytest.mark.parametrize("way", ["path", "name", "edit", "^edit", "oid", "short oid"])
def test_each_way_to_name_an_action(vault: Folder, way: str) -> None:
    built = dreamt(vault)
    oid = built.oids[1]
    edit = vault.git("show", "-s", "--format=%(trailers:key=Edit,valueonly)", oid)
    words = {"path": "skills/deploy.md", "name": "deploy", "edit": edit, "^edit": f"^{edit}", "oid": oid,
             "short oid": oid[:8]}  # fmt: skip
    assert accept(vault, "--only", words[way])["accepted"] == ["skills/deploy: better"]


def test_a_word_that_names_none_changes_nothing(vault: Folder) -> None:
    dreamt(vault)
    head = vault.git("rev-parse", "HEAD", DREAM)
    for args in (["--only", "skills/tag.md"], ["--only", "bake", "nobody"], ["bake"], ["--only", "../bake"]):
        done = vault.run("review", "accept", DREAM, *args)
        assert done.code == 2, done
    assert vault.git("rev-parse", "HEAD", DREAM) == head


def test_what_an_action_builds_on_comes_along_and_is_named(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "tag"), merged(vault, "bake", "deploy"), better(vault, "bake", step=8, words="later"))
    done = vault.run("review", "accept", DREAM, "--only", "skills/bake.md", "--dry-run")
    assert done.out.splitlines()[:2] == [
        "would accept: skills/bake: deploy merged into it",
        "would accept: skills/bake: later",
    ]
    later = vault.git("rev-parse", DREAM)
    done = vault.run("review", "accept", DREAM, "--only", later)
    assert done.code == 0
    assert "with it, since they build on each other: skills/bake: deploy merged into it" in done.err
    assert waiting(vault) == ["skills/tag: better"]
    assert vault.git("show", "HEAD:notes/mine.md").count("[[bake]]") == 2
    assert sound(vault)


def test_an_earlier_action_alone_leaves_the_later_one_a_clean_diff(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "bake", step=2), better(vault, "bake", step=8, words="later"))
    accept(vault, "--only", vault.git("rev-parse", f"{DREAM}^"))
    diff = [
        line
        for line in vault.git("diff", f"HEAD...{DREAM}").splitlines()
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert diff == ["-version: 2", "+version: 3", "-8. part 8 of bake", "+8. part 8 of bake, later"]
    assert sound(vault)


# -- a person's own text -----------------------------------------------------------------------------------------


def test_p3_text_that_is_not_in_git_and_what_is_staged_stay_the_persons(vault: Folder) -> None:
    dreamt(vault)
    for name, where in (("bake", "typed"), ("deploy", "staged")):
        vault.write(f"skills/{name}.md", vault.read(f"skills/{name}.md") + f"{where} by me\n")
    vault.git("add", "skills/deploy.md")
    vault.write("notes/mine.md", vault.read("notes/mine.md") + "typed here as well\n")
    vault.write("new.md", "never in git\n")
    done = accept(vault)
    assert len(done["accepted"]) == 3 and done["left"] == []
    for name, where in (("bake", "typed"), ("deploy", "staged")):
        text = vault.read(f"skills/{name}.md")
        assert text.endswith(f"{where} by me\n") and f"part 2 of {name}, better" in text
        assert f"{where} by me" not in vault.git("log", "-p", "HEAD")
    assert vault.git("status", "--porcelain").splitlines() == [
        " M notes/mine.md", " M skills/bake.md", "M  skills/deploy.md", "?? new.md"
    ]  # fmt: skip
    assert vault.git("diff", "--cached", "--shortstat").strip() == "1 file changed, 1 insertion(+)"
    assert sound(vault)


def test_p4_what_does_not_go_with_unsaved_text_stays_pending_and_is_named(vault: Folder) -> None:
    dreamt(vault)
    mine = vault.read("skills/bake.md").replace("part 2 of bake", "part 2, as I do it")
    vault.write("skills/bake.md", mine)
    done = vault.run("review", "accept", DREAM)
    assert done.code == 0
    assert (
        "stays on the branch: skills/bake: better: conflict with your text on disk that is not in git: line" in done.err
    )
    assert vault.read("skills/bake.md") == mine
    assert waiting(vault) == ["skills/bake: better"]
    head = vault.git("rev-parse", "HEAD", DREAM)
    done = vault.run("review", "accept", DREAM)
    assert done.code == 1 and done.out == f"pending {DREAM}\n"
    assert (vault.git("rev-parse", "HEAD", DREAM), vault.read("skills/bake.md")) == (head, mine)
    assert vault.git("ls-files", "inbox") == ""
    assert sound(vault)


def test_p4_what_conflicts_with_staged_text_or_a_new_file_stays_pending(vault: Folder) -> None:
    with_skills(vault)
    fresh = Action(changes(vault, {"skills/fresh.md": skill("fresh")}), "skills/fresh: new", "because")
    propose(vault, better(vault, "bake"), fresh, merged(vault, "review", "tag"))
    vault.write("skills/bake.md", vault.read("skills/bake.md").replace("part 2 of", "2 of"))
    vault.git("add", "skills/bake.md")
    vault.write("skills/fresh.md", "mine, and git has never seen it\n")
    vault.write("skills/tag.md", vault.read("skills/tag.md") + "I still use it\n")
    before = vault.snapshot()
    done = accept(vault, code=1)
    assert [one["subject"] for one in done["left"]] == ["skills/bake: better", "skills/fresh: new",
                                                       "skills/review: tag merged into it"]  # fmt: skip
    assert "what you have staged" in done["left"][0]["reason"] or "on disk" in done["left"][0]["reason"]
    assert "skills/tag.md: " in done["left"][2]["reason"]
    assert vault.snapshot() == before


def test_what_builds_on_an_action_that_stays_stays_with_it(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "bake", step=2), better(vault, "bake", step=8, words="later"), better(vault, "tag"))
    vault.write("skills/bake.md", vault.read("skills/bake.md").replace("part 2 of bake", "my step"))
    done = accept(vault)
    assert done["accepted"] == ["skills/tag: better"]
    assert [one["reason"] for one in done["left"]][1] == "it builds on one that stays"
    assert waiting(vault) == ["skills/bake: better", "skills/bake: later"]


def test_links_in_text_that_is_not_in_git_stay_as_they_were_typed(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, merged(vault, "bake", "deploy"))
    vault.write("notes/mine.md", vault.read("notes/mine.md") + "\n\nnot in git: [[deploy]]\n")
    accept(vault)
    assert vault.read("notes/mine.md").endswith("\n\nnot in git: [[deploy]]\n")
    assert vault.git("show", "HEAD:notes/mine.md").count("[[bake]] a lot") == 2
    assert sound(vault)


def test_a_link_on_a_line_that_was_changed_meanwhile_leaves_the_action_pending(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, merged(vault, "bake", "deploy"))
    typed = vault.read("notes/mine.md").replace("I use [[deploy]] a lot", "[[deploy]] is what I use")
    vault.write("notes/mine.md", typed)
    left = accept(vault, code=1)["left"]
    assert "notes/mine.md: conflict with your text on disk" in left[0]["reason"]
    assert vault.read("notes/mine.md") == typed
    assert sound(vault)


# -- main moves on -----------------------------------------------------------------------------------------------


def version(text: bytes | str | None) -> int:
    found = text.decode() if isinstance(text, bytes) else text or ""
    return int(found.split("version: ")[1].split("\n")[0])


def test_a_skill_that_moved_on_gets_the_version_after_the_one_it_has(vault: Folder) -> None:
    dreamt(vault, ["bake", "tag"])
    for step in (5, 8):
        vault.write("skills/bake.md", bumped(vault.read("skills/bake.md"), f"part {step} of bake", f"my step {step}"))
        vault.commit("mine")
    done = accept(vault)
    text = vault.read("skills/bake.md")
    assert version(text) == 4 and all(words in text for words in ("part 2 of bake, better", "my step 5", "my step 8"))
    assert version(vault.read("skills/tag.md")) == 2
    assert done["accepted"] == ["skills/bake: better", "skills/tag: better"]
    assert vault.run("check", "--from", "HEAD~3", "--to", "HEAD").code == 0
    assert sound(vault)


def test_a_skill_renamed_on_main_is_changed_under_its_new_name(vault: Folder) -> None:
    dreamt(vault, ["bake", "tag"])
    assert vault.run("move", "skills/bake.md", "skills/bake-bread.md").code == 0
    moved = version(vault.read("skills/bake-bread.md"))
    accept(vault)
    text = vault.read("skills/bake-bread.md")
    assert "part 2 of bake, better" in text and version(text) == moved + 1 and "name: bake-bread" in text
    assert not vault.exists("skills/bake.md")
    assert sound(vault)


def test_a_skill_deleted_on_main_stays_deleted_and_the_action_pending(vault: Folder) -> None:
    dreamt(vault, ["bake", "tag"])
    vault.git("rm", "-q", "skills/bake.md")
    vault.git("commit", "-q", "--no-verify", "-m", "not needed")
    done = accept(vault)
    assert done["accepted"] == ["skills/tag: better"]
    assert "deleted on one side" in done["left"][0]["reason"]
    assert not vault.exists("skills/bake.md")
    assert waiting(vault) == ["skills/bake: better"]
    assert sound(vault)


def test_a_conflict_with_what_main_has_stays_pending_and_can_be_dropped(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    vault.write("skills/bake.md", bumped(vault.read("skills/bake.md"), "part 2 of bake", "step 2, mine"))
    vault.commit("mine")
    done = vault.run("review", "accept", DREAM)
    assert done.code == 1
    assert "stays on the branch: skills/bake: better: conflict with what is committed: line" in done.err
    assert vault.run("review", "drop", DREAM).code == 0
    assert not exists(vault) and sound(vault)


def test_the_same_skill_changed_by_two_branches(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "bake", step=2), name="molt/bake-v2")
    propose(vault, better(vault, "bake", step=8, words="later"), name=DREAM)
    accept(vault, name="molt/bake-v2")
    accept(vault)
    text = vault.read("skills/bake.md")
    assert version(text) == 3 and "part 2 of bake, better" in text and "part 8 of bake, later" in text
    assert sound(vault)


def test_a_molt_on_a_molt_that_waits(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "bake", step=2), name="molt/bake-v2")
    propose(vault, better(vault, "bake", step=8, words="later", base="molt/bake-v2"), name="molt/bake-v3",
            base="molt/bake-v2")  # fmt: skip
    assert waiting(vault, "molt/bake-v3") == ["skills/bake: better", "skills/bake: later"]
    vault.write("skills/bake.md", bumped(vault.read("skills/bake.md"), "part 5 of bake", "my step"))
    vault.commit("mine")
    accept(vault, name="molt/bake-v2")
    assert not exists(vault, "molt/bake-v2")
    # The second one is built anew, too: what it shows is exactly what waits.
    assert waiting(vault, "molt/bake-v3") == ["skills/bake: later"]
    diff = vault.git("diff", "HEAD...molt/bake-v3")
    assert "+version: 4" in diff and "better" not in diff.replace(" 2. part 2 of bake, better", "")
    accept(vault, name="molt/bake-v3")
    assert version(vault.read("skills/bake.md")) == 4
    assert len(ids(vault, "HEAD")) == 2 and sound(vault)


def test_what_the_vault_has_already_is_accepted_with_no_change(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    vault.write("skills/bake.md", at(vault, "skills/bake.md", DREAM) or b"")
    vault.commit("the same, by hand")
    done = accept(vault)
    assert done["accepted"] == ["skills/bake: better"]
    assert files(vault, "HEAD^1..HEAD") == ["changelog.md"]
    assert not exists(vault) and sound(vault)


def test_a_prune_and_a_merge_are_accepted_and_taken_back_by_name(vault: Folder) -> None:
    with_skills(vault)
    before = {
        path: vault.bytes(path) for path in ("skills/bake.md", "skills/deploy.md", "skills/tag.md", "notes/mine.md")
    }
    propose(vault, merged(vault, "bake", "deploy"), pruned(vault, "tag"))
    accept(vault, "--only", "tag")
    accept(vault)
    assert not vault.exists("skills/deploy.md") and not vault.exists("skills/tag.md")
    vault.write("notes/mine.md", vault.read("notes/mine.md") + "typed since\n")
    done = vault.run("undo", DREAM)
    assert done.code == 0, done
    assert vault.bytes("notes/mine.md") == before.pop("notes/mine.md") + b"typed since\n"
    assert {path: vault.bytes(path) for path in before} == before
    assert "taken back already" in vault.run("undo", DREAM).err
    assert vault.run("undo", "HEAD").code == 0  # the undo, undone
    assert not vault.exists("skills/deploy.md") and not vault.exists("skills/tag.md")
    assert sound(vault)
