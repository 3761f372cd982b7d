"""Promises P2, P5 and P6: what was accepted elsewhere is recognised, what was taken back can come again, what was dropped does
not; a busy repository, a kill, another work tree or another writer loses nothing and does nothing twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import warm
from reviewing import DREAM
from reviewing import NAMES
from reviewing import at
from reviewing import better
from reviewing import bumped
from reviewing import dreamt
from reviewing import exists
from reviewing import merged
from reviewing import opened
from reviewing import propose
from reviewing import pruned
from reviewing import skill
from reviewing import sound
from reviewing import tips
from reviewing import waiting
from reviewing import with_skills
from support import Folder
from support import Result

from vaultgit.clock import SystemClock
from vaultgit.edits import branches
from vaultgit.edits import steps
from vaultgit.passes import acceptance
from vaultgit.passes import review

LATER = {"VAULTGIT_NOW": "2026-11-29T22:00:00+01:00"}


def run(vault: Folder, *args: str, code: int = 0, stdin: str = "", env: dict[str, str] = LATER) -> Result:
    done = vault.run("review", *args, stdin=stdin.encode(), env=env)
    assert done.code == code, done
    return done


def states(vault: Folder) -> dict[str, str]:
    return {row["branch"]: row["state"] for row in json.loads(run(vault, "list", "--json", "--dry-run").out)}


def edits(vault: Folder, revision: str = "HEAD") -> list[str]:
    return vault.git("log", "--format=%(trailers:key=Edit,valueonly)", revision).split()


# -- accepted elsewhere ------------------------------------------------------------------------------------------


def by_merge(vault: Folder) -> None:
    vault.git("merge", "-q", "--no-ff", "--no-edit", DREAM)


def by_moving_main(vault: Folder) -> None:
    vault.git("rebase", "-q", "main", DREAM)
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "--ff-only", DREAM)


def by_squash(vault: Folder) -> None:
    vault.git("merge", "-q", "--squash", DREAM)
    vault.git("commit", "-q", "--no-verify", "--no-edit")


def by_a_forges_squash(vault: Folder) -> None:
    text = "Dream (#12)\n\n" + "\n\n".join(
        f"* {vault.git('show', '-s', '--format=%B', oid)}"
        for oid in vault.git("rev-list", "--reverse", f"HEAD..{DREAM}").split()
    )
    vault.git("merge", "-q", "--squash", DREAM)
    vault.git("commit", "-q", "--no-verify", "-m", text)


def by_rebase(vault: Folder) -> None:
    vault.write("notes/other.md", "main moved on\n")
    vault.commit("mine")
    vault.git("checkout", "-q", "-b", "copy", DREAM)
    vault.git("rebase", "-q", "main")
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "--ff-only", "copy")


def by_cherry_picks(vault: Folder) -> None:
    vault.write("notes/other.md", "main moved on\n")
    vault.commit("mine")
    vault.git("cherry-pick", f"HEAD..{DREAM}")


WAYS = [by_merge, by_moving_main, by_squash, by_a_forges_squash, by_rebase, by_cherry_picks]


@pytest.mark.parametrize("way", WAYS)
def test_what_was_accepted_elsewhere_is_recognised_by_its_ids(vault: Folder, way: Any) -> None:
    dreamt(vault)
    run(vault, "list")
    assert vault.read("review.md").count("<!-- vaultgit ") == 3
    way(vault)
    assert states(vault) == {DREAM: "merged"}
    out = run(vault, "list").out
    delete = "-d" if way in (by_merge, by_moving_main) else "-D"
    assert out == f"{DREAM}  merged already    git branch {delete} {DREAM}\n"
    assert "<!-- vaultgit " not in vault.read("review.md")
    assert "nothing of dream/2026-11-29 waits" in run(vault, "accept", DREAM, code=2).err
    vault.git("branch", "-q", delete, DREAM)
    vault.run("append", "Home.md", "--agent", "codex", stdin=b"- on we go\n")
    assert sound(vault)


def test_one_that_was_picked_waits_no_longer_and_the_others_do(vault: Folder) -> None:
    dreamt(vault)
    vault.git("cherry-pick", f"{DREAM}~1")
    assert waiting(vault) == ["skills/bake: better", "skills/review: better"]
    run(vault, "accept", DREAM)
    assert sorted(edits(vault)) == sorted(set(edits(vault))) and len(edits(vault)) == 3
    assert not exists(vault) and sound(vault)


def test_a_persons_commit_without_an_id_is_recognised_by_what_it_does(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    vault.git("checkout", "-q", DREAM)
    vault.write(
        "skills/bake.md", vault.read("skills/bake.md").replace("part 2 of bake, better", "part 2 of bake, best")
    )
    vault.commit("better still")
    vault.git("checkout", "-q", "main")
    assert waiting(vault) == ["skills/bake: better", "better still"]
    vault.write("skills/bake.md", bumped(vault.read("skills/bake.md"), "part 8 of bake", "part 8, mine"))
    vault.commit("mine")
    tip = vault.git("rev-parse", DREAM)
    run(vault, "accept", DREAM)
    assert all(words in vault.read("skills/bake.md") for words in ("part 2 of bake, best", "part 8, mine"))
    assert not exists(vault) and sound(vault)
    vault.git("branch", DREAM, tip)  # somebody brings it back: it has landed, under other commits
    assert states(vault) == {DREAM: "merged"}


def test_a_branch_that_took_main_in_is_still_its_own_actions(vault: Folder) -> None:
    dreamt(vault)
    vault.write("notes/other.md", "main moved on\n")
    vault.commit("mine")
    vault.git("checkout", "-q", DREAM)
    vault.git("merge", "-q", "--no-edit", "main")
    vault.git("checkout", "-q", "main")
    assert len(waiting(vault)) == 3
    run(vault, "accept", DREAM, "--only", "bake")
    assert len(waiting(vault)) == 2
    run(vault, "accept", DREAM)
    assert vault.read("notes/other.md") == "main moved on\n" and sound(vault)


def test_branches_that_are_none_of_ours(vault: Folder) -> None:
    dreamt(vault)
    vault.git("checkout", "-q", "--orphan", "dream/strange")
    vault.git("commit", "-q", "--no-verify", "-m", "no history in common")
    vault.git("checkout", "-q", "main")
    vault.git("branch", "dreams-of-mine")
    assert states(vault) == {DREAM: "waits"}
    for name in ("dream/strange", "dreams-of-mine", "dream/none", "main", "HEAD"):
        done = run(vault, "show", name, code=2)
        assert f"{name} is no review branch" in done.err and f"waiting: {DREAM}" in done.err
    vault.git("checkout", "-q", DREAM)
    assert states(vault) == {}
    assert f"{DREAM} is checked out here" in run(vault, "accept", DREAM, code=2).err


# -- merged, and taken back --------------------------------------------------------------------------------------


def back_by_git(vault: Folder) -> None:
    vault.git("revert", "--no-edit", "-m", "1", "HEAD")


def back_by_undo(vault: Folder) -> None:
    assert vault.run("undo", "HEAD").code == 0


def back_by_name(vault: Folder) -> None:
    assert vault.run("undo", DREAM).code == 0


@pytest.mark.parametrize("back", [back_by_git, back_by_undo, back_by_name])
def test_p6_merged_and_taken_back_says_so_and_is_proposed_anew(vault: Folder, back: Any) -> None:
    dreamt(vault)
    before = vault.bytes("skills/bake.md")
    by_merge(vault)
    back(vault)
    assert vault.bytes("skills/bake.md") == before
    assert states(vault) == {DREAM: "taken back"}
    again = f"vaultgit review accept {DREAM} --again"
    assert run(vault, "list").out == f"{DREAM}  merged, and taken back since    {again}, or git branch -d {DREAM}\n"
    old = set(edits(vault))
    refs = tips(vault)
    assert run(vault, "accept", DREAM, "--again", "--dry-run").out.count("would propose anew and accept: ") == 3
    assert tips(vault) == refs
    run(vault, "accept", DREAM, "--again")
    assert "part 2 of bake, better" in vault.read("skills/bake.md")
    renewed = vault.git("log", "--format=%(trailers:key=Again,valueonly)", "HEAD^1..HEAD^2").split()
    assert len(renewed) == 3 and set(renewed) <= old
    assert not exists(vault) and sound(vault)


def test_p6_main_was_moved_to_it_and_its_commits_were_reverted(vault: Folder) -> None:
    dreamt(vault)
    before = vault.git("rev-parse", "HEAD:skills")
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"- an edit of an agent's\n").code == 0
    by_moving_main(vault)
    vault.git("revert", "--no-edit", "HEAD~3..HEAD")
    assert vault.git("rev-parse", "HEAD:skills") == before
    assert states(vault) == {DREAM: "taken back"}
    with opened(vault) as found:
        assert len(branches.listed(found)[0].landed) == 3
    run(vault, "accept", DREAM, "--again")
    assert "part 2 of bake, better" in vault.read("skills/bake.md") and sound(vault)


def test_a_revert_that_was_reverted_takes_nothing_back(vault: Folder) -> None:
    dreamt(vault)
    by_merge(vault)
    back_by_git(vault)
    vault.git("revert", "--no-edit", "HEAD")
    assert states(vault) == {DREAM: "merged"}
    assert f"nothing of {DREAM} was taken back" in run(vault, "accept", DREAM, "--again", code=2).err
    vault.git("revert", "--no-edit", "HEAD")
    assert states(vault) == {DREAM: "taken back"}
    assert vault.run("undo", "HEAD").code == 0
    assert states(vault) == {DREAM: "merged"}


def test_a_squash_that_was_reverted_takes_all_its_edits_back(vault: Folder) -> None:
    dreamt(vault)
    by_squash(vault)
    vault.git("revert", "--no-edit", "HEAD")
    with opened(vault) as found:
        assert len(review.taken_back(found)) == 3
    assert states(vault) == {DREAM: "taken back"}
    run(vault, "accept", DREAM, "--again")
    assert "part 2 of bake, better" in vault.read("skills/bake.md")
    assert not exists(vault) and sound(vault)


def test_one_of_it_taken_back_and_proposed_anew_beside_what_waits(vault: Folder) -> None:
    dreamt(vault)
    vault.git("cherry-pick", f"{DREAM}~2")
    vault.git("revert", "--no-edit", "HEAD")
    assert states(vault) == {DREAM: "waits"}
    assert "1 of it merged, and taken back since" in run(vault, "list").out
    run(vault, "accept", DREAM, "--again", "--only", "bake")
    assert "part 2 of bake, better" in vault.read("skills/bake.md")
    assert waiting(vault) == ["skills/deploy: better", "skills/review: better"]
    assert sound(vault)


# -- dropping ----------------------------------------------------------------------------------------------------


def declined(vault: Folder) -> list[str]:
    return vault.read(".vaultgit/declined.md").splitlines()


def test_what_is_dropped_is_remembered_once_and_the_rest_is_a_clean_diff(vault: Folder) -> None:
    dreamt(vault)
    oid = vault.git("rev-parse", "HEAD:skills/deploy.md")
    edit = vault.git("show", "-s", "--format=%(trailers:key=Edit,valueonly)", f"{DREAM}~1").strip()
    rest = vault.git("diff", f"HEAD...{DREAM}", "--", "skills/bake.md", "skills/review.md")
    tip = vault.git("rev-parse", DREAM)
    done = run(vault, "drop", DREAM, "--only", "deploy", "--reason", "I deploy by hand")
    assert done.out == f"dropped 1 suggestion of {DREAM}\n"
    assert declined(vault) == [f"- 2026-11-29 molt {oid} skills/deploy ^{edit}"]
    assert vault.git("log", "-1", "--format=%an|%s|%b").rstrip() == (
        f"Test Person|vaultgit: dropped 1 of {DREAM}|I deploy by hand\n- skills/deploy: better"
    )
    assert vault.git("diff", f"HEAD...{DREAM}") == rest
    assert waiting(vault) == ["skills/bake: better", "skills/review: better"]
    vault.git("branch", "-f", DREAM, tip)  # somebody brings it back
    run(vault, "drop", DREAM, "--only", "deploy")
    assert len(declined(vault)) == 1
    run(vault, "drop", DREAM)
    assert len(declined(vault)) == 3 and not exists(vault)
    assert sound(vault)


def test_what_builds_on_it_goes_with_it(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "tag"), better(vault, "bake", step=2), better(vault, "bake", step=8, words="later"))
    done = run(vault, "drop", DREAM, "--only", vault.git("rev-parse", f"{DREAM}^"))
    assert "with it, since they build on each other: skills/bake: later" in done.err
    assert waiting(vault) == ["skills/tag: better"]


def test_each_kind_of_action_has_its_key(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "review"), merged(vault, "bake", "deploy"), pruned(vault, "tag"))
    oids = {name: vault.git("rev-parse", f"HEAD:skills/{name}.md") for name in NAMES}
    with opened(vault) as found:
        [branch] = branches.pending(found)
        keys = [review.declined_key(found, commit) for commit in branch.commits]
        assert review.declined(found) == set()
    both = " ".join(sorted((oids["bake"], oids["deploy"])))
    assert keys == [f"molt {oids['review']}", f"dream merge {both}", f"dream prune {oids['tag']}"]
    run(vault, "drop", DREAM)
    with opened(vault) as found:
        assert review.declined(found) == set(keys)


def test_the_persons_own_text_in_declined_md_stays(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    vault.write(".vaultgit/declined.md", "my own words, with no line's end")
    run(vault, "drop", DREAM)
    assert declined(vault)[0] == "my own words, with no line's end" and len(declined(vault)) == 2
    assert not exists(vault)


def test_a_drop_that_cannot_be_made_writes_nothing(vault: Folder, tmp_path: Path) -> None:
    dreamt(vault)
    vault.git("worktree", "add", "-q", str(tmp_path / "elsewhere"), DREAM)
    done = run(vault, "drop", DREAM, "--only", "bake", code=1)
    assert f"{DREAM} is checked out in {tmp_path / 'elsewhere'}" in done.err
    assert not vault.exists(".vaultgit/declined.md")
    assert len(waiting(vault)) == 3


# -- editing -----------------------------------------------------------------------------------------------------


def test_a_suggestion_is_changed_before_it_is_accepted(vault: Folder) -> None:
    built = dreamt(vault, ["bake", "tag"])
    text = (at(vault, "skills/bake.md", DREAM) or b"").decode().replace("better", "best of all")
    assert run(vault, "edit", DREAM, "skills/bake.md", "--dry-run", stdin=text).out.count("\n+") == 2
    assert vault.git("rev-parse", DREAM) == built.oids[-1]
    done = run(vault, "edit", DREAM, "bake", stdin=text)
    assert done.out == f"edited skills/bake.md on {DREAM}\n"
    shape = "--format=%an %aI %B"
    now = vault.git("rev-list", "--reverse", f"HEAD..{DREAM}").split()
    mine = "Co-authored-by: Test Person <test@example.invalid>\n"
    told = [vault.git("show", "-s", shape, oid) for oid in now]
    assert mine in told[0] and mine not in told[1]
    assert [one.replace(mine, "") for one in told] == [vault.git("show", "-s", shape, oid) for oid in built.oids]
    assert run(vault, "edit", DREAM, "bake", stdin=text).out == "unchanged\n"
    shown = json.loads(run(vault, "edit", DREAM, "tag", "--json", stdin="# tag\n\n1. by hand\n").out)
    assert (shown["outcome"], shown["path"], shown["branch"]) == ("edited", "skills/tag.md", DREAM)
    assert "+1. by hand" in shown["diff"].splitlines()
    run(vault, "accept", DREAM)
    assert vault.read("skills/bake.md") == text and vault.read("skills/tag.md").endswith("\n1. by hand\n")
    assert sound(vault)


def test_a_body_alone_keeps_the_front_matter_and_one_skill_need_not_be_named(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    run(vault, "edit", DREAM, stdin="# bake\n\n1. buy it\n")
    assert (at(vault, "skills/bake.md", DREAM) or b"").decode() == bumped(
        skill("bake"), skill("bake").split("---\n")[2], "# bake\n\n1. buy it\n"
    )


def test_at_a_terminal_it_opens_the_editor_that_git_would(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    terminal, inside = os.openpty()
    for editor, said in (("true", "unchanged\n"), ("sed -i s/better/best/", f"edited skills/bake.md on {DREAM}\n")):
        args = [sys.executable, "-P", "-m", "vaultgit", "review", "edit", DREAM]
        env = {**os.environ, "GIT_EDITOR": editor}
        done = subprocess.run(args, cwd=vault.root, env=env, stdin=inside, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, said), done
    os.close(terminal)
    os.close(inside)
    assert b"part 2 of bake, best" in (at(vault, "skills/bake.md", DREAM) or b"")


def test_what_cannot_be_edited_so_changes_nothing(vault: Folder) -> None:
    dreamt(vault)
    tip = vault.git("rev-parse", DREAM)
    text = (at(vault, "skills/bake.md", DREAM) or b"").decode()
    assert "name one" in run(vault, "edit", DREAM, stdin=text, code=2).err
    assert "writes no such note" in run(vault, "edit", DREAM, "tag", stdin=text, code=2).err
    done = run(vault, "edit", DREAM, "bake", stdin=text.replace("version: 2", "version: 7"), code=1)
    assert "SK01" in done.err and "skills/bake.md:4:1" in done.err
    assert vault.git("rev-parse", DREAM) == tip


def test_what_follows_is_built_on_the_changed_text(vault: Folder) -> None:
    with_skills(vault)
    propose(vault, better(vault, "bake", step=2), better(vault, "bake", step=8, words="later"))
    first = vault.git("rev-parse", f"{DREAM}^")
    with opened(vault) as found:
        branch = branches.named(found, DREAM)
        text = (at(vault, "skills/bake.md", first) or b"").replace(b"better", b"best")
        review.edited(found, SystemClock(), branch, branch.commits[0], "skills/bake.md", text)
    end = at(vault, "skills/bake.md", DREAM) or b""
    assert b"part 2 of bake, best" in end and b"part 8 of bake, later" in end and b"version: 3" in end


# -- a busy repository -------------------------------------------------------------------------------------------


def in_a_rebase(vault: Folder) -> None:
    vault.git("config", "advice.detachedHead", "false")
    editor = 'sed -i -e "1s/^pick/edit/"'
    vault.git("rebase", "-q", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": editor})


def test_p2_in_a_rebase_it_waits_lands_and_is_tidied(vault: Folder) -> None:
    dreamt(vault)
    in_a_rebase(vault)
    head = vault.git("rev-parse", "HEAD", DREAM)
    done = run(vault, "accept", DREAM, "--only", "bake", "deploy", code=75)
    assert done.out.startswith("queued ") and "a rebase is in progress" in done.err
    assert vault.git("rev-parse", "HEAD", DREAM) == head
    # It is accepted already, and not to be accepted twice.
    assert waiting(vault) == ["skills/review: better"]
    assert "2 accepted, and to land when the repository is free" in run(vault, "list", "--dry-run").out
    assert "touches bake" in run(vault, "accept", DREAM, "--only", "bake", code=2).err
    vault.git("gc", "-q", "--prune=now")  # what it will bring is kept
    vault.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    run(vault, "list")
    assert "part 2 of bake, better" in vault.read("skills/bake.md")
    assert waiting(vault) == ["skills/review: better"]
    assert vault.git("diff", "--name-only", f"HEAD...{DREAM}") == "skills/review.md"
    assert len(edits(vault)) == len(set(edits(vault))) == 2 and sound(vault)


def test_p2_it_lands_with_any_writer_and_the_next_review_command_tidies(vault: Folder) -> None:
    dreamt(vault)
    in_a_rebase(vault)
    run(vault, "accept", DREAM, code=75)
    assert f"{DREAM} is accepted, and lands when the repository is free" in run(vault, "accept", DREAM, code=2).err
    vault.git("rebase", "--abort")
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"- on we go\n").code == 0
    assert "part 2 of bake, better" in vault.read("skills/bake.md") and exists(vault)
    assert run(vault, "list").out == ""
    assert not exists(vault) and sound(vault)


def test_what_is_accepted_in_a_rebase_is_for_the_branch_not_for_where_the_rebase_stands(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    vault.write("skills/bake.md", bumped(vault.read("skills/bake.md"), "part 8 of bake", "part 8, mine"))
    vault.commit("mine")
    vault.git("rebase", "-q", "-i", "HEAD~2", env={"GIT_SEQUENCE_EDITOR": 'sed -i -e "1s/^pick/edit/"'})
    assert "version: 1" in vault.read("skills/bake.md")
    run(vault, "accept", DREAM, code=75)
    vault.git("rebase", "--abort")
    run(vault, "list")
    assert "version: 3" in vault.read("skills/bake.md") and "part 2 of bake, better" in vault.read("skills/bake.md")
    assert not exists(vault) and sound(vault)


def test_a_branch_that_was_rewritten_meanwhile_gets_nothing_of_its_past_back(vault: Folder) -> None:
    dreamt(vault)
    vault.write("notes/secret.md", "what I take out of history\n")
    vault.commit("to be taken out")
    in_a_rebase(vault)
    vault.write("notes/other.md", "main moves on\n")
    run(vault, "accept", DREAM, "--only", "bake", code=75)
    vault.git("rm", "-q", "-f", "notes/secret.md")
    vault.git("add", "notes/other.md")
    vault.git("commit", "-q", "--no-verify", "--amend", "-m", "taken out")
    vault.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    status = vault.run("status").out
    assert (
        "needs you   what you accepted did not land: the vault's branch was rewritten since you accepted it" in status
    )
    assert "secret" not in vault.git("log", "--name-only", "--format=", "HEAD")
    assert len(waiting(vault)) == 3
    run(vault, "accept", DREAM, "--only", "bake")
    assert "secret" not in vault.git("log", "--name-only", "--format=", "HEAD") and sound(vault)


def test_a_skill_that_moved_on_while_it_waited_keeps_its_versions_apart(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    in_a_rebase(vault)
    run(vault, "accept", DREAM, code=75)
    vault.git("rebase", "--abort")
    vault.write("skills/bake.md", bumped(vault.read("skills/bake.md"), "part 8 of bake", "step 8, mine"))
    vault.commit("mine")
    assert "skills/bake.md got another version since you accepted it" in vault.run("status").out
    assert waiting(vault) == ["skills/bake: better"]
    run(vault, "accept", DREAM)
    assert "version: 3" in vault.read("skills/bake.md") and sound(vault)


def test_p2_a_held_index_lock(vault: Folder) -> None:
    dreamt(vault)
    lock = vault.write(".git/index.lock", "")
    done = run(vault, "accept", DREAM, code=75)
    assert "index.lock is held by another git command" in done.err
    assert "3 accepted, and to land" in run(vault, "list", "--dry-run").out
    lock.unlink()
    run(vault, "list")
    assert not exists(vault) and len(edits(vault)) == 3 and sound(vault)


# -- killed ------------------------------------------------------------------------------------------------------

KILLER = """
import os, signal, sys
from vaultgit.edits import steps
target, call = sys.argv[1], int(sys.argv[2])
def reached(name):
    if name == target:
        os.kill(os.getpid(), signal.SIGKILL)
steps.reached = reached
from vaultgit.history.repository import Repository
real = Repository.call
left = [call]
def counted(self, *args, **more):
    if "update-ref" in args:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return real(self, *args, **more)
Repository.call = counted
from vaultgit.cli.main import main
raise SystemExit(main(sys.argv[3:]))
"""


def killed(vault: Folder, step: str, call: int, *args: str) -> bool:
    done = warm.run(KILLER, step, str(call), "review", *args, cwd=vault.root, env={**os.environ, **LATER})
    assert done.code in (0, -signal.SIGKILL), done
    return done.code != 0


def accepted_once(vault: Folder) -> None:
    """The two that were accepted are in, once, and the third one waits on a clean branch."""
    assert len(edits(vault)) == len(set(edits(vault))) == 2
    for name in ("bake", "deploy"):
        assert f"part 2 of {name}, better" in vault.read(f"skills/{name}.md")
    assert waiting(vault) == ["skills/review: better"]
    assert vault.git("diff", "--name-only", f"HEAD...{DREAM}") == "skills/review.md"
    assert vault.git("status", "--porcelain") == " M notes/mine.md"
    assert sound(vault)


@pytest.mark.faults
@pytest.mark.parametrize("step", steps.NAMES)
def test_p2_killed_at_any_step_of_landing(vault: Folder, step: str) -> None:
    dreamt(vault)
    vault.write("notes/mine.md", vault.read("notes/mine.md") + "typed by me\n")
    assert killed(vault, step, 0, "accept", DREAM, "--only", "bake", "deploy")
    for lock in (".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"):
        (vault.root / lock).unlink(missing_ok=True)
    run(vault, "list")
    (vault.root / "review.md").unlink()  # as list wrote it; this is about the rest
    vault.commit("no review.md", "review.md")
    accepted_once(vault)


@pytest.mark.faults
def test_p2_killed_before_any_move_of_a_ref(vault: Folder) -> None:
    dreamt(vault)
    vault.write("notes/mine.md", vault.read("notes/mine.md") + "typed by me\n")
    start = vault.git("rev-parse", "HEAD")
    old = vault.git("rev-parse", DREAM)
    for call in range(1, 30):
        dead = killed(vault, "", call, "accept", DREAM, "--only", "bake", "deploy")
        if not dead:
            break
        run(vault, "list", "--json")
        if len(waiting(vault)) == 3:  # nothing was acknowledged: nothing happened
            assert edits(vault) == []
            run(vault, "accept", DREAM, "--only", "bake", "deploy")
        (vault.root / "review.md").unlink()
        vault.commit("no review.md", "review.md")
        accepted_once(vault)
        vault.git("update-ref", "refs/heads/main", start)
        vault.git("reset", "-q")
        vault.git("checkout", "-q", "--", "changelog.md", "skills")
        vault.git("branch", "-f", DREAM, old)
    assert call > 3
    accepted_once(vault)


@pytest.mark.faults
def test_p2_killed_while_dropping(vault: Folder) -> None:
    dreamt(vault)
    for call in range(1, 30):
        if not killed(vault, "", call, "drop", DREAM, "--only", "bake"):
            break
        assert len(waiting(vault)) in (2, 3)
        if len(waiting(vault)) == 2:
            break
    else:
        raise AssertionError("it never ended")
    assert len(declined(vault)) == 1 and waiting(vault) == ["skills/deploy: better", "skills/review: better"]
    run(vault, "list", "--json")
    assert sound(vault)


# -- others at work ----------------------------------------------------------------------------------------------


def test_a_branch_that_is_checked_out_elsewhere_stays_and_the_merge_is_made(vault: Folder, tmp_path: Path) -> None:
    dreamt(vault)
    other = Folder(tmp_path / "elsewhere")
    vault.git("worktree", "add", "-q", str(other.root), DREAM)
    tip = vault.git("rev-parse", DREAM)
    done = run(vault, "accept", DREAM, "--only", "bake")
    assert done.out.startswith("committed ")
    assert f"{DREAM} is checked out in {other.root}: it stays as it is" in done.err
    assert vault.git("rev-parse", DREAM) == tip and other.git("status", "--porcelain") == ""
    assert waiting(vault) == ["skills/deploy: better", "skills/review: better"]
    assert "checked out" in run(vault, "edit", DREAM, "deploy", stdin="# x\n\n1. y\n", code=1).err
    vault.git("worktree", "remove", str(other.root))
    run(vault, "list")
    assert vault.git("diff", "--name-only", f"HEAD...{DREAM}").split() == ["skills/deploy.md", "skills/review.md"]
    assert sound(vault)


def test_a_branch_that_somebody_moved_meanwhile_is_not_overwritten(vault: Folder) -> None:
    dreamt(vault)
    with opened(vault) as found:
        [branch] = branches.pending(found)
        theirs = vault.git("rev-parse", f"{DREAM}^")
        vault.git("update-ref", f"refs/heads/{DREAM}", theirs)
        for tip in (branch.base, None):
            with pytest.raises(Exception, match=f"{DREAM} was changed meanwhile"):
                branches.move(found, branch, tip)
    assert vault.git("rev-parse", DREAM) == theirs


def test_two_who_accept_the_same_bring_it_in_once(vault: Folder) -> None:
    dreamt(vault)
    vault.write("notes/other.md", "main moved on\n")
    vault.commit("mine")
    with opened(vault) as one, opened(vault) as other:
        [mine], [theirs] = branches.pending(one), branches.pending(other)
        first = acceptance.accept(one, SystemClock(), mine, mine.waiting[:2])
        second = acceptance.accept(other, SystemClock(), theirs, theirs.waiting[:2])
    assert (first.result.outcome, second.result.outcome) == ("committed", "pending")
    assert set(second.left.values()) == {"it is accepted already"}
    assert len(edits(vault)) == len(set(edits(vault))) == 2
    assert waiting(vault) == ["skills/review: better"]
    assert vault.git("diff", "--name-only", f"HEAD...{DREAM}") == "skills/review.md"
    assert sound(vault)


def test_an_acceptance_that_waits_in_one_work_tree_is_not_another_ones(vault: Folder, tmp_path: Path) -> None:
    dreamt(vault)
    other = Folder(tmp_path / "elsewhere")
    vault.git("worktree", "add", "-q", "-b", "side", str(other.root))
    in_a_rebase(vault)
    run(vault, "accept", DREAM, code=75)
    run(other, "list")
    other.git("gc", "-q", "--prune=now")
    vault.git("rebase", "--abort")
    run(vault, "list")
    assert not exists(vault) and "part 2 of bake, better" in vault.read("skills/bake.md")


UNSEEN = """
import sys
from vaultgit.passes import acceptance
whole = acceptance.submit
def submit(vault, *args, **more):
    # Another writer takes our edit from the queue, and it does not merge there.
    with open(vault.full("skills/bake.md"), "a") as stream:
        stream.write("typed at the last moment\\n")
    text = open(vault.full("skills/bake.md")).read().replace("part 2 of bake", "my own part")
    open(vault.full("skills/bake.md"), "w").write(text)
    whole(vault, *args, **more)
    from vaultgit.edits.round import Result
    return Result("committed", "")
acceptance.submit = submit
from vaultgit.cli.main import main
raise SystemExit(main(sys.argv[1:]))
"""


def test_p2_what_another_writer_could_not_merge_is_not_called_accepted(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    done = warm.run(UNSEEN, "review", "accept", DREAM, cwd=vault.root, env={**os.environ, **LATER})
    assert done.code == 1 and done.out == f"pending {DREAM}\n", done
    assert "another writer found that it does not merge" in done.err
    assert waiting(vault) == ["skills/bake: better"] and sound(vault)


# -- who decides, and what may come in ---------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["environment", "--agent", "VAULTGIT_AGENT"])
def test_an_agent_may_look_and_not_decide(vault: Folder, who: str) -> None:
    dreamt(vault)
    env = {"environment": {"CLAUDECODE": "1"}, "VAULTGIT_AGENT": {"VAULTGIT_AGENT": "codex"}}.get(who, {})
    extra = ["--agent", "codex"] if who == "--agent" else []
    before = tips(vault), vault.snapshot(), vault.git("rev-parse", "HEAD")
    vault.write("review.md", "- [x] accept\n")
    for args in (["accept", DREAM], ["drop", DREAM], ["edit", DREAM, "bake"], ["push", DREAM], ["apply"]):
        done = run(vault, *args, *extra, code=1, env=env)
        assert "is for a person to decide, and" in done.err
    assert DREAM in run(vault, "list", *extra, env=env).out
    assert "part 2 of bake, better" in run(vault, "show", DREAM, env=env).out
    (vault.root / "review.md").unlink()
    assert (tips(vault), vault.snapshot(), vault.git("rev-parse", "HEAD")) == before
    vault.git("config", "vaultgit.agentsMayDecide", "true")
    run(vault, "accept", DREAM, *extra, env=env)
    assert not exists(vault)


SMUGGLED = {
    "a protected path": ({".obsidian/plugins/x.js": "evil()\n"}, ".obsidian/plugins/x.js:1:1: PA01"),
    "the review file": ({"review.md": "- [x] accept\n"}, "review.md:1:1: PA01"),
    "a program at the next commit": ({".pre-commit-config.yaml": "repos: []\n"}, ".pre-commit-config.yaml:1:1: PA01"),
    "a secret": ({"skills/bake.md": "SECRET"}, "skills/bake.md:19:17: SE01"),
    "a symbolic link": ({"notes/link.md": "LINK"}, "notes/link.md:1:1: PA03"),
}


@pytest.mark.parametrize("agent", [True, False], ids=["as an agent", "as a person"])
@pytest.mark.parametrize("what", SMUGGLED)
def test_p11_what_was_smuggled_onto_a_branch_is_refused_with_its_place(vault: Folder, what: str, agent: bool) -> None:
    dreamt(vault, ["bake", "tag"])
    vault.git("checkout", "-q", DREAM)
    for path, text in SMUGGLED[what][0].items():
        if text == "SECRET":
            token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"[:36]
            text = bumped(vault.read(path)) + f"10. log in with {token}\n"
        if text == "LINK":
            os.symlink("/etc/passwd", vault.root / path)
        else:
            vault.write(path, text)
    vault.git("add", "-A")
    body = "because\n\nAgent: codex\nEdit: 0123456789abcdef" if agent else "because"
    vault.git("commit", "-q", "--no-verify", "-m", "skills: more", "-m", body)
    vault.git("checkout", "-q", "main")
    before = tips(vault), vault.snapshot(), vault.git("rev-parse", "HEAD")
    done = run(vault, "accept", DREAM, code=1)
    assert SMUGGLED[what][1] in done.err and "refused" in done.err
    assert (tips(vault), vault.snapshot(), vault.git("rev-parse", "HEAD")) == before
    assert json.loads(run(vault, "accept", DREAM, "--json", code=1).out)["outcome"] == "refused"
    run(vault, "accept", DREAM, "--only", "tag")
    assert "part 2 of tag, better" in vault.read("skills/tag.md") and sound(vault)


def test_what_init_adopt_proposes_is_accepted_like_any_other(vault: Folder) -> None:
    vault.write("people/grace.md", "Found the bug.\n")
    vault.write("projects/atlas.md", "---\nname: Atlas\nstatus: active\n---\nA map.\n")
    vault.commit("notes without a type")
    assert vault.run("init", "--adopt").code == 0
    [name] = states(vault)
    assert name.startswith("adopt/")
    run(vault, "accept", name, "--only", "people/grace.md")
    assert vault.read("people/grace.md").startswith("---\ntype: person\n")
    run(vault, "drop", name)
    assert not vault.exists(".vaultgit/declined.md")  # there is no skill that it would be about
    assert states(vault) == {} and sound(vault)


def test_p1_a_changelog_on_the_branch_is_ignored(vault: Folder) -> None:
    dreamt(vault, ["bake"])
    vault.git("checkout", "-q", DREAM)
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"- on the branch\n").code == 0
    vault.git("checkout", "-q", "main")
    assert vault.run("append", "projects/nova.md", "--agent", "codex", stdin=b"- on main\n").code == 0
    run(vault, "accept", DREAM)
    lines = re.findall(r"^- .*\^(\w+)$", vault.read("changelog.md"), re.MULTILINE)
    assert sorted(lines) == sorted(edits(vault)) and len(lines) == 3
    assert "changelog.md" not in vault.git("log", "--name-only", "--format=", "HEAD^1..HEAD^2")
    assert "- on the branch\n" in vault.read("Home.md") and sound(vault)
