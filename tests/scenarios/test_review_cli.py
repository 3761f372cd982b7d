"""Review as a person does it: git and `vaultgit review` on a dream that waits, boxes in review.md, a pull request."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from reviewing import DREAM
from reviewing import at
from reviewing import better
from reviewing import dreamt
from reviewing import exists
from reviewing import merged
from reviewing import propose
from reviewing import pruned
from reviewing import sound
from reviewing import tips
from reviewing import waiting
from reviewing import with_skills
from support import Folder
from support import Result

from vaultgit.passes import publish

SIX = ("bake", "brew", "deploy", "review", "tag", "write")
LATER = {"VAULTGIT_NOW": "2026-11-29T22:00:00+01:00"}


def run(vault: Folder, *args: str, code: int = 0, env: dict[str, str] = LATER) -> Result:
    done = vault.run(*args, env=env)
    assert done.code == code, done
    return done


@pytest.fixture
def dream(vault: Folder) -> Folder:
    """Six skills; a dream that merges two, prunes one and mends two."""
    with_skills(vault, SIX)
    propose(
        vault, merged(vault, "bake", "brew"), pruned(vault, "tag"), better(vault, "deploy"), better(vault, "review")
    )
    return vault


def held(vault: Folder) -> dict[str, bytes]:
    """What people and skills hold: no file of ours."""
    return {path: data for path, data in vault.snapshot().items() if path.startswith(("skills/", "notes/"))}


# -- the acceptance cases ----------------------------------------------------------------------------------------


def test_accept_two_drop_one_and_the_diff_is_exactly_the_rest(dream: Folder) -> None:
    assert "changelog" not in dream.git("log", "--stat", f"main..{DREAM}")
    done = run(dream, "review", "accept", DREAM, "--only", "skills/bake.md", "skills/deploy.md")
    assert "2 suggestions accepted. 2 still wait in" in done.err
    run(dream, "review", "drop", DREAM, "--only", "skills/tag.md")
    assert dream.git("diff", "--name-only", f"main...{DREAM}") == "skills/review.md"
    assert re.findall(r"^[-+](?![-+]).*", dream.git("diff", f"main...{DREAM}"), re.MULTILINE) == [
        "-version: 1", "+version: 2", "-last_updated: 2026-11-01", "+last_updated: 2026-11-29",
        "-2. part 2 of review", "+2. part 2 of review, better",
    ]  # fmt: skip
    assert run(dream, "verify").out == "agrees: 2 edits\n"
    assert sound(dream)


@pytest.mark.parametrize("way", ["git revert", "vaultgit undo"])
def test_p6_one_accepted_action_is_taken_back_skill_and_links_byte_for_byte(dream: Folder, way: str) -> None:
    before = held(dream)
    after_others = dream.git("rev-parse", "HEAD:skills/review.md")
    run(dream, "review", "accept", DREAM)
    assert "[[brew]]" not in dream.read("notes/mine.md") and not dream.exists("skills/brew.md")
    oid = dream.git("log", "--format=%H", "--grep=brew merged into it", "--no-merges", "HEAD")
    if way == "git revert":
        dream.git("revert", "--no-edit", oid)
    else:
        run(dream, "undo", oid)
    for path in ("skills/bake.md", "skills/brew.md", "notes/mine.md"):
        assert dream.bytes(path) == before[path]
    assert dream.git("rev-parse", "HEAD:skills/review.md") != after_others  # the others stay
    assert dream.run("append", "Home.md", "--agent", "codex", stdin=b"- on we go\n").code == 0
    assert sound(dream)


def test_p6_twenty_edits_on_main_then_a_plain_merge_and_a_plain_revert_without_a_conflict(dream: Folder) -> None:
    for number in range(20):
        path = ("Home.md", "projects/nova.md", "skills/write.md", "notes/mine.md")[number % 4]
        if path == "skills/write.md":
            version = 1 + number // 4
            args = ["set", path, f"version={version + 1}", "last_updated=2026-11-29", "--reason", "it was needed"]
            done = dream.run(*args, "--agent", "codex")
        else:
            done = dream.run("append", path, "--agent", "codex", stdin=f"- edit {number}\n".encode())
        assert done.code == 0, done
    before, edits = held(dream), run(dream, "verify").out
    assert edits == "agrees: 20 edits\n"
    dream.git("merge", "-q", "--no-edit", DREAM)
    assert not dream.exists("skills/brew.md") and "part 2 of review, better" in dream.read("skills/review.md")
    assert "- edit 3\n" in dream.read("notes/mine.md") and "[[brew]]" not in dream.read("notes/mine.md")
    dream.git("branch", "-d", DREAM)
    assert run(dream, "verify", "--allow-behind").out.count("behind   - ") == 4
    assert dream.run("append", "Home.md", "--agent", "codex", stdin=b"- on we go\n").code == 0
    assert run(dream, "verify").out == "agrees: 25 edits\n"
    merge = dream.git("log", "--merges", "-1", "--format=%H")
    dream.git("revert", "--no-edit", "-m", "1", merge)
    assert held(dream) == before
    assert dream.run("append", "Home.md", "--agent", "codex", stdin=b"- and on\n").code == 0
    assert run(dream, "verify").out == "agrees: 26 edits\n"


def test_p6_our_own_merge_is_reverted_by_git_after_more_edits(dream: Folder) -> None:
    before = held(dream)
    oid = json.loads(run(dream, "review", "accept", DREAM, "--json").out)["oid"]
    for number in range(3):
        assert dream.run("append", "Home.md", "--agent", "codex", stdin=f"- edit {number}\n".encode()).code == 0
    dream.git("revert", "--no-edit", "-m", "1", oid)
    assert held(dream) == before and dream.read("Home.md").count("- edit ") == 3
    assert dream.run("append", "Home.md", "--agent", "codex", stdin=b"- on we go\n").code == 0
    assert run(dream, "verify").out == "agrees: 8 edits\n"


def test_p6_undo_of_a_dream_by_name_keeps_what_was_done_since(vault: Folder) -> None:
    with_skills(vault, SIX)
    vault.write("notes/plan.md", "first [[brew]], then eat\n")
    vault.commit("mine")
    propose(vault, merged(vault, "bake", "brew"), pruned(vault, "tag"), better(vault, "deploy"))
    before = held(vault)
    run(vault, "review", "accept", DREAM, "--only", "bake", "tag")
    run(vault, "review", "accept", DREAM)
    vault.write("notes/plan.md", "last of all [[bake]], then sleep\n")
    vault.commit("changed on the same line")
    vault.write("notes/mine.md", vault.read("notes/mine.md") + "typed since\n")
    done = run(vault, "undo", DREAM)
    assert done.out.startswith("merged ")
    before |= {
        "notes/plan.md": b"last of all [[brew]], then sleep\n", "notes/mine.md": before["notes/mine.md"] + b"typed since\n"
    }  # fmt: skip
    assert held(vault) == before
    assert vault.git("status", "--porcelain") == " M notes/mine.md"
    assert f"{DREAM} is taken back already" in run(vault, "undo", DREAM, code=2).err
    assert sound(vault)


def test_p6_an_undo_that_would_change_a_line_typed_since_touches_nothing(dream: Folder) -> None:
    run(dream, "review", "accept", DREAM)
    dream.write("skills/review.md", dream.read("skills/review.md").replace("part 2 of review, better", "part 2, mine"))
    dream.commit("mine")
    before = dream.snapshot(), dream.git("rev-parse", "HEAD")
    done = run(dream, "undo", DREAM, code=1)
    assert done.err.startswith("skills/review.md:1:1: ED01 was changed since in the same place (line")
    assert "-- skills/review.md; then edit the note by hand" in done.err
    assert (dream.snapshot(), dream.git("rev-parse", "HEAD")) == before


def test_p6_undo_by_name_after_one_action_was_taken_back_alone(dream: Folder) -> None:
    before = held(dream)
    run(dream, "review", "accept", DREAM)
    edit = dream.git("log", "-1", "--format=%(trailers:key=Edit,valueonly)", "--grep=brew merged into it",
                     "--no-merges").strip()  # fmt: skip
    run(dream, "undo", edit)
    assert dream.exists("skills/brew.md") and not dream.exists("skills/tag.md")
    run(dream, "undo", DREAM)
    assert held(dream) == before and sound(dream)


def test_p6_undo_by_name_of_a_plain_merge(dream: Folder) -> None:
    before = held(dream)
    dream.git("merge", "-q", "--no-ff", "--no-edit", DREAM)
    run(dream, "undo", DREAM)
    assert held(dream) == before and sound(dream)


def test_a_recognised_agent_is_refused(dream: Folder) -> None:
    done = run(dream, "review", "accept", DREAM, code=1, env={"CLAUDECODE": "1"})
    assert done.err.startswith(
        "vaultgit: accepting a review branch is for a person to decide, and claude-code runs this"
    )
    assert len(waiting(dream)) == 4


# -- boxes -------------------------------------------------------------------------------------------------------


def boxes(vault: Folder) -> str:
    run(vault, "review", "list")
    return vault.read("review.md")


def tick(text: str, title: str, box: str) -> str:
    """The file with one line of a suggestion changed: `- [x] accept` and the like."""
    head, block, rest = re.split(rf"(?=^## {re.escape(title)}$)()", text, maxsplit=1, flags=re.MULTILINE)
    word = re.search(r"accept|reject", box.lower())
    assert word and not block
    return head + rest.replace(f"- [ ] {word[0]}", box, 1)


def test_two_boxes_are_ticked_in_an_editor_and_applied(dream: Folder) -> None:
    text = boxes(dream)
    assert dream.git("log", "-1", "--format=%an|%s") == "Test Person|vaultgit: 4 suggestions in review.md"
    assert text.count("<!-- vaultgit ") == 4 and text.count("- [ ] accept") == 4
    for line in (f"- branch: {DREAM}", "- path: skills/deploy.md", "- why: sessions show that deploy needs it",
                 "~ part 2 of deploy -> part 2 of deploy, better", "skills/brew.md (goes)",
                 "notes/mine.md (with it: 1)"):  # fmt: skip
        assert line in text.splitlines(), line
    text = tick(text, "skills/deploy: better", "- [x] accept")
    text = tick(text, "skills/tag: nobody used it", "- [X] reject") + "\nmy own words\n"
    dream.write("review.md", text)
    before = tips(dream), dream.snapshot(), dream.git("rev-parse", "HEAD")
    done = run(dream, "review", "apply", "--dry-run")
    assert done.out.splitlines() == ["would accept skills/deploy: better", "would drop skills/tag: nobody used it"]
    assert (tips(dream), dream.snapshot(), dream.git("rev-parse", "HEAD")) == before
    done = run(dream, "review", "apply")
    assert done.out.splitlines() == ["accepted skills/deploy: better", "dropped skills/tag: nobody used it"]
    assert waiting(dream) == ["skills/bake: brew merged into it", "skills/review: better"]
    left = dream.read("review.md")
    assert left.count("<!-- vaultgit ") == 2 and left.endswith("my own words\n") and "[x]" not in left.lower()
    assert dream.read(".vaultgit/declined.md").count("dream prune") == 1
    assert dream.git("status", "--porcelain") == ""
    assert sound(dream)


@pytest.mark.parametrize(
    "box", ["- [x] accept", "- [X] accept", "* [x] accept", "+ [ x ] accept", "1. [x] accept",
            "- [x] accept ✅ 2026-11-29", "  - [x] Accept"],
)  # fmt: skip
def test_a_tick_in_all_its_forms(dream: Folder, box: str) -> None:
    dream.write("review.md", tick(boxes(dream), "skills/deploy: better", box))
    assert run(dream, "review", "apply").out == "accepted skills/deploy: better\n"


@pytest.mark.parametrize("box", ["- [v] accept", "- [x accept", "-[x] accept", "- [x] accept, but shorter"])
def test_what_only_looks_like_a_tick_is_named_by_its_line(dream: Folder, box: str) -> None:
    text = tick(boxes(dream), "skills/deploy: better", box)
    dream.write("review.md", text)
    done = run(dream, "review", "apply")
    assert done.out == "" and "nothing is ticked in review.md" in done.err
    assert f"review.md:{text.splitlines().index(box) + 1}: `{box}" in done.err
    assert len(waiting(dream)) == 4 and box in dream.read("review.md")


def test_both_boxes_ticked_decide_nothing(dream: Folder) -> None:
    text = tick(tick(boxes(dream), "skills/deploy: better", "- [x] accept"), "skills/deploy: better", "- [x] reject")
    dream.write("review.md", text)
    run(dream, "review", "apply")
    assert len(waiting(dream)) == 4


def test_an_agents_tick_does_not_count(dream: Folder) -> None:
    text = tick(boxes(dream), "skills/deploy: better", "- [x] accept")
    dream.write("review.md", text)
    dream.git("add", "review.md")
    dream.git("commit", "-q", "--no-verify", "-m", "review: ticked", "-m", "Agent: codex\nEdit: 0123456789abcdef")
    done = run(dream, "review", "apply")
    line = text.splitlines().index("- [x] accept") + 1
    assert f"review.md:{line}: ticked by an agent's commit: it does not count" in done.err
    assert len(waiting(dream)) == 4
    # Nor does listing as an agent make its tick on disk the person's.
    dream.write("review.md", tick(dream.read("review.md"), "skills/review: better", "- [x] accept"))
    head = dream.git("rev-parse", "HEAD")
    run(dream, "review", "list", env={"CLAUDECODE": "1"})
    assert dream.git("rev-parse", "HEAD") == head


def test_a_tick_for_another_text_than_what_waits_does_not_count(dream: Folder) -> None:
    dream.write("review.md", tick(boxes(dream), "skills/deploy: better", "- [x] accept"))
    new = (at(dream, "skills/deploy.md", DREAM) or b"").replace(b"better", b"worse")
    done = dream.run("review", "edit", DREAM, "deploy", stdin=new, env=LATER)
    assert done.code == 0, done
    done = run(dream, "review", "apply")
    assert "it shows no longer what waits: untick it" in done.err and len(waiting(dream)) == 4


def test_a_message_cannot_hide_the_boxes_below_it(dream: Folder) -> None:
    dream.git("checkout", "-q", DREAM)
    dream.write("skills/deploy.md", dream.read("skills/deploy.md") + "10. more\n")
    dream.git("commit", "-q", "-a", "--no-verify", "-m", "fine <!-- x", "-m", "so it is %% y", "-m",
              "Agent: codex\nEdit: 0123456789abcdef")  # fmt: skip
    dream.git("checkout", "-q", "main")
    text = boxes(dream)
    assert text.count("<!--") == text.count("<!-- vaultgit ") == 5 and "%%" not in text


def test_listing_writes_only_what_changed(dream: Folder) -> None:
    boxes(dream)
    head = dream.git("rev-parse", "HEAD")
    run(dream, "review")
    run(dream, "review", "list", "--json")
    assert dream.git("rev-parse", "HEAD") == head
    run(dream, "review", "drop", DREAM)
    assert "<!-- vaultgit " not in dream.read("review.md")
    assert run(dream, "review").err == "nothing waits for a review\n"


def test_a_vault_with_nothing_to_review_gets_no_review_file(vault: Folder) -> None:
    assert run(vault, "review").err == "nothing waits for a review\n"
    assert not vault.exists("review.md")
    assert run(vault, "review", "apply", code=2).err.startswith("vaultgit: there is no review.md")


def test_what_does_not_merge_is_left_and_the_others_are_applied(dream: Folder) -> None:
    text = tick(boxes(dream), "skills/deploy: better", "- [x] accept")
    dream.write("review.md", tick(text, "skills/review: better", "- [x] accept"))
    dream.write("skills/deploy.md", dream.read("skills/deploy.md").replace("part 2 of deploy", "my step"))
    done = run(dream, "review", "apply", code=1)
    assert done.out.splitlines()[0] == "accepted skills/review: better"
    assert done.out.splitlines()[1].startswith(
        f"stays on {DREAM}: skills/deploy: better: conflict with your text on disk"
    )
    assert "my step" in dream.read("skills/deploy.md")


# -- pushing -----------------------------------------------------------------------------------------------------


def test_a_branch_is_pushed_and_pushed_anew_and_never_over_somebodys_commits(dream: Folder, tmp_path: Path) -> None:
    bare = Folder(tmp_path / "bare.git")
    bare.root.mkdir()
    bare.git("init", "-q", "--bare")
    assert "there is no remote to push to" in run(dream, "review", "push", DREAM, code=2).err
    dream.git("remote", "add", "origin", str(bare.root))
    dream.git("push", "-q", "-u", "origin", "main")
    assert run(dream, "review", "push", DREAM, "--dry-run").out == f"would push {DREAM} to origin\n"
    assert bare.git("for-each-ref", "--format=%(refname:short)") == "main"
    done = run(dream, "review", "push", DREAM)
    assert done.out == f"pushed {DREAM} to origin\n"  # a folder is no forge
    assert bare.git("rev-parse", DREAM) == dream.git("rev-parse", DREAM)
    run(dream, "review", "accept", DREAM, "--only", "bake")
    run(dream, "review", "push", DREAM)  # built anew: its older self is replaced
    assert bare.git("rev-parse", DREAM) == dream.git("rev-parse", DREAM)
    other = Folder(tmp_path / "other")
    dream.git("clone", "-q", str(bare.root), str(other.root))
    other.git("checkout", "-q", DREAM)
    other.write("skills/review.md", other.read("skills/review.md") + "10. from my phone\n")
    other.commit("mine")
    other.git("push", "-q", "origin", DREAM)
    theirs = bare.git("rev-parse", DREAM)
    done = run(dream, "review", "push", DREAM, code=1)
    assert f"{DREAM} was not pushed: " in done.err and "git fetch origin" in done.err
    assert bare.git("rev-parse", DREAM) == theirs


GITHUB = "https://github.com/me/notes/compare/main...dream/2026-11-29"
PAGES = {
    "https://github.com/me/notes.git": GITHUB,
    "https://someone:word@github.com/me/notes": GITHUB,
    "git@github.com:me/notes.git": GITHUB,
    "ssh://git@github.com:22/me/notes.git/": GITHUB,
    "https://codeberg.org/me/notes": "https://codeberg.org/me/notes/compare/main...dream/2026-11-29",
    "git@gitlab.example.org:group/sub/notes.git": "https://gitlab.example.org/group/sub/notes/-/merge_requests/new"
    "?merge_request%5Bsource_branch%5D=dream%2F2026-11-29&merge_request%5Btarget_branch%5D=main",
    "git@bitbucket.org:me/notes.git": "https://bitbucket.org/me/notes/pull-requests/new"
    "?source=dream%2F2026-11-29&dest=main",
    "/srv/git/notes.git": "",
    "../notes.git": "",
    "backup/notes.git": "",
    "file:///srv/git/notes.git": "",
    "C:/git/notes.git": "",
    "work:me/notes.git": "",  # a name from somebody's ssh settings
}


@pytest.mark.parametrize("url", PAGES)
def test_where_to_open_the_pull_request(url: str) -> None:
    assert publish.page(url, DREAM, "main") == PAGES[url]


def test_the_page_is_printed(dream: Folder, tmp_path: Path) -> None:
    bare = Folder(tmp_path / "bare.git")
    bare.root.mkdir()
    bare.git("init", "-q", "--bare")
    dream.git("remote", "add", "forge", "https://github.com/me/notes.git")
    dream.git("config", "remote.forge.pushurl", str(bare.root))
    dream.git("config", "branch.main.remote", "forge")
    dream.git("config", "branch.main.merge", "refs/heads/main")
    assert run(dream, "review", "push", DREAM).out.splitlines() == [
        f"pushed {DREAM} to forge", f"open the pull request: {GITHUB}"
    ]  # fmt: skip
    assert json.loads(run(dream, "review", "push", DREAM, "--json").out) == {
        "outcome": "pushed", "branch": DREAM, "remote": "forge", "where": GITHUB
    }  # fmt: skip


# -- what it says ------------------------------------------------------------------------------------------------


def test_show_has_the_steps_before_the_diff(dream: Folder) -> None:
    out = run(dream, "review", "show", DREAM, "--only", "deploy").out
    order = ["skills/deploy: better  (vaultgit, ", "    sessions show that deploy needs it", "  steps of skills/deploy.md:",
             "    ~ part 2 of deploy -> part 2 of deploy, better", "--- a/skills/deploy.md", "+version: 2"]  # fmt: skip
    places = [out.index(words) for words in order]
    assert places == sorted(places)
    whole = run(dream, "review", "show", DREAM).out
    assert whole.count("  steps of ") == 5 and "--- a/skills/tag.md\n+++ /dev/null" in whole


def test_shapes_of_json(dream: Folder) -> None:
    [row] = json.loads(run(dream, "review", "list", "--json").out)
    assert list(row) == ["branch", "state", "base", "actions", "queued", "taken_back"]
    assert (row["branch"], row["state"], row["queued"]) == (DREAM, "waits", [])
    assert [list(action) for action in row["actions"]] == [["edit", "oid", "subject", "paths"]] * 4
    assert row["actions"][0]["paths"] == ["notes/mine.md", "skills/bake.md", "skills/brew.md"]
    shown = json.loads(run(dream, "review", "show", DREAM, "--json").out)
    assert [one["edit"] for one in shown] == [one["edit"] for one in row["actions"]]
    assert shown[2]["steps"]["skills/deploy.md"] == {
        "added": [], "removed": [], "reworded": [["part 2 of deploy", "part 2 of deploy, better"]], "kept": [0, ""]
    }  # fmt: skip
    would = json.loads(run(dream, "review", "accept", DREAM, "--only", "deploy", "--dry-run", "--json").out)
    assert would == {
        "outcome": "dry-run",
        "would": "accept",
        "actions": ["skills/deploy: better"],
        "along": [],
        "left": [],
    }
    done = json.loads(run(dream, "review", "accept", DREAM, "--only", "deploy", "--json").out)
    assert done == {
        "outcome": "committed", "oid": dream.git("rev-parse", "HEAD^"), "edit": None, "path": DREAM, "inbox": None,
        "problems": [], "accepted": ["skills/deploy: better"], "along": [], "left": [], "remaining": 3, "remarks": [],
    }  # fmt: skip
    dropped = json.loads(run(dream, "review", "drop", DREAM, "--only", "tag", "--json").out)
    assert dropped == {"outcome": "dropped", "path": DREAM, "dropped": ["skills/tag: nobody used it"], "along": [],
                       "remaining": 2}  # fmt: skip
    dream.write("review.md", tick(dream.read("review.md"), "skills/review: better", "- [x] reject"))
    applied = json.loads(run(dream, "review", "apply", "--json").out)
    assert applied == {"branches": [{"branch": DREAM, "outcome": "done", "accepted": [],
                                     "dropped": ["skills/review: better"], "left": []}], "slips": {},
                       "proposals": {"applied": [], "left": [], "rejected": [], "waiting": []}}  # fmt: skip


def test_a_dry_run_writes_nothing(dream: Folder, tmp_path: Path) -> None:
    dream.git("remote", "add", "origin", str(tmp_path / "nowhere"))
    before = tips(dream), dream.snapshot(), dream.git("rev-parse", "HEAD"), dream.git("count-objects", "-v")
    dream.write("skills/review.md", dream.read("skills/review.md").replace("part 2 of review", "my step"))
    done = run(dream, "review", "accept", DREAM, "--dry-run")
    assert done.out.count("would accept: ") == 3
    assert "stays on the branch: skills/review: better: conflict with your text on disk" in done.err
    dream.git("checkout", "-q", "--", "skills/review.md")
    run(dream, "review", "list", "--dry-run")
    run(dream, "review", "drop", DREAM, "--dry-run")
    run(dream, "review", "push", DREAM, "--dry-run")
    assert dream.run("review", "edit", DREAM, "deploy", "--dry-run", stdin=b"# deploy\n\n1. not at all\n").code == 0
    assert (tips(dream), dream.snapshot(), dream.git("rev-parse", "HEAD"), dream.git("count-objects", "-v")) == before


def test_status_says_what_waits(dream: Folder) -> None:
    assert f"needs you   4 suggestions on {DREAM}    vaultgit review show {DREAM}\n" in run(dream, "status").out
    shown: dict[str, Any] = json.loads(run(dream, "status", "--json").out)
    assert shown["branches"] == [DREAM]
    dream.git("branch", "-q", "-D", DREAM)
    assert json.loads(run(dream, "status", "--json").out)["branches"] == []


def test_a_branch_that_is_gone_is_named(vault: Folder) -> None:
    dreamt(vault)
    vault.git("branch", "-q", "-D", DREAM)
    for verb in ("show", "accept", "drop", "push"):
        assert f"{DREAM} is no review branch of this vault" in run(vault, "review", verb, DREAM, code=2).err
    assert not exists(vault)
