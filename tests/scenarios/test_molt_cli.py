"""`vaultgit molt` as people and agents type it: the answers, the exit codes, and what stays untouched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import SKILL
from support import Folder
from support import Result

PATH = "skills/review-a-pr.md"
BRANCH = "molt/review-a-pr-v2"
BODY = b"1. read it\n2. run the tests\n"
WHY = ("--trigger", "corrected", "--reason", "Ada wants the tests to run, too.")


def molt(vault: Folder, *args: str, stdin: bytes = BODY, agent: str = "codex", **env: str) -> Result:
    return vault.run("molt", *args, *(("--agent", agent) if agent else ()), stdin=stdin, env=env)


def program(vault: Folder, text: str) -> str:
    """A shell script outside the vault; its path."""
    path = vault.root.parent / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def engine(vault: Folder, text: str) -> None:
    vault.git("config", "vaultgit.engine", f"'{program(vault, text)}'")


def untouched(vault: Folder) -> tuple[object, ...]:
    index = (vault.root / ".git/index").read_bytes()
    return vault.snapshot(), index, vault.git("rev-parse", "HEAD"), (vault.root / ".git/HEAD").read_text()


# -- proposing -------------------------------------------------------------------------------------------------


def test_a_molt_is_a_branch_and_nothing_else_moves(vault: Folder) -> None:
    vault.write(PATH, SKILL + "2. mine, not in git\n")
    vault.write("Home.md", "# staged\n")
    vault.git("add", "Home.md")
    before = untouched(vault)
    done = molt(vault, "review-a-pr", *WHY, "--session", "s-1")
    oid = vault.git("rev-parse", BRANCH)
    assert (done.code, done.out) == (0, f"proposed {BRANCH} {oid}\n")
    assert f"git diff main...{BRANCH}\nvaultgit review show {BRANCH}\n" in done.err
    assert f"{PATH} on disk has text that is not in git" in done.err
    assert untouched(vault) == before
    assert vault.git("diff", "--name-only", f"main...{BRANCH}") == PATH
    trailers = vault.git("show", "-s", "--format=%(trailers:only)", BRANCH).splitlines()
    assert [line.partition(":")[0] for line in trailers] == ["Trigger", "Agent", "Session", "Edit"]
    assert vault.run("check", "--from", "main", "--to", BRANCH).code == 0


def test_json_names_branch_commit_and_edit(vault: Folder) -> None:
    said = json.loads(molt(vault, "review-a-pr", *WHY, "--json").out)
    assert said == {
        "outcome": "proposed", "oid": vault.git("rev-parse", BRANCH), "path": PATH, "branch": BRANCH, "on": None,
        "edit": vault.git("show", "-s", "--format=%(trailers:key=Edit,valueonly)", BRANCH).strip(),
        "inbox": None, "problems": [],
    }  # fmt: skip


def test_an_agent_without_a_reason_is_refused(vault: Folder) -> None:
    done = molt(vault, "review-a-pr", "--trigger", "corrected")
    assert (done.code, done.out) == (1, "")
    assert "SK03" in done.err and "--reason TEXT" in done.err
    refused = json.loads(molt(vault, "review-a-pr", "--trigger", "corrected", "--json").out)
    assert (refused["outcome"], [one["code"] for one in refused["problems"]]) == ("refused", ["SK03"])
    assert vault.git("branch", "--list", "molt/*") == ""


def test_an_agent_may_not_pin(vault: Folder) -> None:
    done = molt(vault, "review-a-pr", *WHY, stdin=b"---\npinned: true\n---\n" + BODY)
    assert done.code == 1 and f"{PATH}:" in done.err and "SK04" in done.err
    assert vault.git("branch", "--list", "molt/*") == ""


@pytest.mark.parametrize(
    ("args", "stdin", "said"),
    [
        ((), BODY, "no skill was named"),
        (("review-a-pr", "--reason", "x"), BODY, "--trigger repeated"),
        (("review-a-pr", "--trigger", "boredom", "--reason", "x"), BODY, "boredom"),
        (("review-pr", *WHY), BODY, "did you mean review-a-pr?"),
        (("review-a-pr", *WHY), b"", "no new body"),
        (("review-a-pr", *WHY), b"---\ntrigger: x\n---\n\n", "needs a body"),
        (("review-a-pr", *WHY, "--edit"), BODY, "an agent runs this"),
        (("review-a-pr", *WHY, "--edit", "--engine", "command"), BODY, "not from both"),
        (("review-a-pr", *WHY, "--engine", "rules"), BODY, "the rules write no new version"),
        (("review-a-pr", *WHY, "--engine", "command"), BODY, "no engine is set"),
    ],
)
def test_wrong_use_says_what_to_type(vault: Folder, args: tuple[str, ...], stdin: bytes, said: str) -> None:
    done = molt(vault, *args, stdin=stdin)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert vault.git("branch", "--list", "molt/*") == ""


def test_a_broken_skill_is_named(vault: Folder) -> None:
    vault.write(PATH, SKILL.replace("trigger: user", "trigger: [user"))
    vault.commit()
    done = molt(vault, "review-a-pr", *WHY)
    assert done.code == 2 and f"{PATH} is broken" in done.err and "FM01" in done.err


def test_the_same_body_is_unchanged(vault: Folder) -> None:
    done = molt(vault, "review-a-pr", *WHY, stdin=b"1. read it")
    assert (done.code, done.out) == (0, "unchanged\n")
    molt(vault, "review-a-pr", *WHY)
    done = molt(vault, "review-a-pr", *WHY)
    assert (done.code, done.out) == (0, "unchanged\n") and f"{BRANCH} has that text already" in done.err
    assert vault.git("branch", "--list", "molt/*").split() == [BRANCH]


def test_dry_run_shows_the_diff_and_makes_nothing(vault: Folder) -> None:
    done = molt(vault, "review-a-pr", *WHY, "--dry-run", "--trigger-text", "on every push")
    assert done.code == 0
    assert done.out.startswith(f"would propose {BRANCH}: skills/review-a-pr: v2, Ada wants the tests to run, too.\n")
    assert "+2. run the tests" in done.out and "+trigger: on every push" in done.out
    said = json.loads(molt(vault, "review-a-pr", *WHY, "--dry-run", "--json").out)
    assert (said["outcome"], said["would"], said["branch"]) == ("dry-run", "proposed", BRANCH)
    refused = molt(vault, "review-a-pr", *WHY, "--dry-run", stdin=b"---\npinned: true\n---\n" + BODY)
    assert refused.code == 1 and "SK04" in refused.err
    pinned = molt(vault, "review-a-pr", *WHY, "--dry-run", stdin=b"---\npinned: true\n---\n" + BODY, agent="")
    assert pinned.code == 1, "what would be proposed is judged as it will be"
    assert vault.git("branch", "--list", "molt/*") == ""


def test_the_prefix_makes_room_for_a_persons_own_branch(vault: Folder) -> None:
    vault.git("branch", "molt")
    done = molt(vault, "review-a-pr", *WHY)
    assert done.code == 2 and 'prefix = "vaultgit/"' in done.err
    vault.write(".vaultgit.toml", '[review]\nprefix = "vaultgit/"\n')
    assert molt(vault, "review-a-pr", *WHY).out.startswith(f"proposed vaultgit/{BRANCH} ")
    assert molt(vault, "review-a-pr", *WHY, stdin=BODY + b"3. end\n").out.startswith(
        "proposed vaultgit/molt/review-a-pr-v3 "
    )


def test_a_vault_inside_a_larger_repository(vault: Folder, tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    outer.write("notes/.vaultgit.toml", "")
    outer.write(f"notes/{PATH}", SKILL)
    outer.git("init", "--quiet")
    outer.commit()
    done = outer.run("--vault", "notes", "molt", "review-a-pr", *WHY, "--agent", "codex", stdin=BODY)
    assert done.code == 0, done
    assert outer.git("diff", "--name-only", f"main...{BRANCH}") == f"notes/{PATH}"


# -- what waits ------------------------------------------------------------------------------------------------


def test_a_second_molt_stands_on_the_first_and_both_are_accepted_at_once(vault: Folder) -> None:
    molt(vault, "review-a-pr", *WHY)
    done = molt(vault, "review-a-pr", *WHY, stdin=BODY + b"3. say thanks\n")
    assert done.out.startswith("proposed molt/review-a-pr-v3 ")
    assert f"it stands on {BRANCH}, which waits too" in done.err
    assert f"git diff {BRANCH}...molt/review-a-pr-v3" in done.err
    assert vault.git("rev-list", "--count", f"{BRANCH}..molt/review-a-pr-v3") == "1"
    accepted = vault.run("review", "accept", "molt/review-a-pr-v3")
    assert accepted.code == 0, accepted
    assert vault.read(PATH).endswith("2. run the tests\n3. say thanks\n") and "version: 3" in vault.read(PATH)
    assert vault.run("verify").code == 0


def test_what_an_agent_read_on_disk_is_told_from_what_waits(vault: Folder) -> None:
    molt(vault, "review-a-pr", *WHY)
    done = molt(vault, "review-a-pr", *WHY, stdin=b"0. get it\n1. read it\n")
    assert done.code == 0 and "taken as made from what main has" in done.err
    assert vault.git("show", f"molt/review-a-pr-v3:{PATH}").endswith("0. get it\n1. read it\n2. run the tests")
    assert f"--base $(git rev-parse {BRANCH}:{PATH})" in done.err
    old = molt(vault, "review-a-pr", *WHY, stdin=b"1. read it\n")
    assert old.out == "unchanged\n" and "it is what main has, and takes nothing from molt/review-a-pr-v3" in old.err
    newest = f"molt/review-a-pr-v3:{PATH}"
    refused = molt(vault, "review-a-pr", *WHY, stdin=b"1. look at it\n")
    assert refused.code == 1 and "ED01" in refused.err and f"--base $(git rev-parse {newest})" in refused.err
    base = vault.git("rev-parse", newest)
    assert molt(vault, "review-a-pr", *WHY, "--base", base, stdin=b"1. read it\n").code == 0


def test_the_first_of_two_can_be_accepted_alone(vault: Folder) -> None:
    molt(vault, "review-a-pr", *WHY)
    molt(vault, "review-a-pr", *WHY, stdin=BODY + b"3. say thanks\n")
    assert vault.run("review", "accept", BRANCH).code == 0
    assert "version: 2" in vault.read(PATH)
    assert vault.run("review", "accept", "molt/review-a-pr-v3").code == 0
    assert "version: 3" in vault.read(PATH) and "3. say thanks" in vault.read(PATH)
    assert vault.run("verify").code == 0


def test_a_skill_that_changed_meanwhile_is_built_on_or_the_lines_are_named(vault: Folder) -> None:
    steps = "".join(f"{number}. step {number}\n" for number in range(1, 9))
    vault.write(PATH, SKILL.replace("1. read it\n", steps))
    vault.commit()
    molt(vault, "review-a-pr", *WHY, stdin=steps.replace("step 1\n", "first\n").encode())
    later = SKILL.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-20")
    vault.write(PATH, later.replace("1. read it\n", steps.replace("step 8", "last")))
    vault.commit()
    assert vault.run("review", "accept", BRANCH).code == 0
    text = vault.read(PATH)
    assert "1. first" in text and "8. last" in text and "version: 3" in text and "2026-11-29" in text
    molt(vault, "review-a-pr", *WHY, stdin=steps.replace("step 4\n", "middle\n").encode())
    vault.write(PATH, text.replace("step 4\n", "otherwise\n"))
    vault.commit()
    done = vault.run("review", "accept", "molt/review-a-pr-v4")
    assert done.code == 1 and "line" in done.out + done.err
    assert "molt/review-a-pr-v4" in vault.git("branch", "--list", "molt/*")


def test_two_that_stand_on_one_another_follow_a_skill_that_changed_meanwhile(vault: Folder) -> None:
    steps = "".join(f"{number}. step {number}\n" for number in range(1, 9))
    vault.write(PATH, SKILL.replace("1. read it\n", steps))
    vault.commit()
    first = steps.replace("step 1\n", "first\n")
    molt(vault, "review-a-pr", *WHY, stdin=first.encode())
    molt(vault, "review-a-pr", *WHY, stdin=first.replace("step 4\n", "middle\n").encode())
    ids = vault.git("log", "--format=%(trailers:key=Edit,valueonly)%an %ad", "main..molt/review-a-pr-v3")
    later = SKILL.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-20")
    vault.write(PATH, later.replace("1. read it\n", steps.replace("step 8", "last")))
    before = vault.commit()
    assert vault.run("review", "accept", "molt/review-a-pr-v3").code == 0
    text = vault.read(PATH)
    assert all(part in text for part in ("1. first", "4. middle", "8. last", "version: 4"))
    assert vault.git("log", "--format=%(trailers:key=Edit,valueonly)%an %ad", "--no-merges", f"{before}..main") == ids
    assert vault.run("verify").code == 0


def test_a_molt_of_what_a_person_dropped_says_so(vault: Folder) -> None:
    molt(vault, "review-a-pr", *WHY)
    assert vault.run("review", "drop", BRANCH).code == 0
    done = molt(vault, "review-a-pr", *WHY)
    assert done.code == 0 and "a person has dropped a molt of this version before" in done.err


def test_a_molt_is_taken_back_by_plain_git_revert(vault: Folder) -> None:
    before = vault.bytes(PATH)
    molt(vault, "review-a-pr", *WHY)
    vault.git("merge", "--quiet", "--no-ff", "-m", "take it", BRANCH)
    assert vault.bytes(PATH) != before
    vault.git("revert", "--no-edit", "-m", "1", "HEAD")
    assert vault.bytes(PATH) == before


# -- directly --------------------------------------------------------------------------------------------------


def test_direct_needs_the_settings_and_says_which(vault: Folder) -> None:
    done = molt(vault, "review-a-pr", *WHY, "--direct")
    assert done.code == 1 and "[molt] direct = true" in done.err
    vault.write(".vaultgit.toml", "[molt]\ndirect = true\n")
    vault.commit()
    molt(vault, "review-a-pr", *WHY, stdin=b"1. read it\n2. wait\n")
    vault.write(PATH, SKILL.replace("---\n1.", "---\nmine, not in git\n\n1."))
    done = molt(vault, "review-a-pr", *WHY, "--direct")
    assert (done.code, done.out.split()[0]) == (0, "merged")
    assert (
        vault.git("show", "-s", "--format=%an %s") == "codex skills/review-a-pr: v2, Ada wants the tests to run, too."
    )
    assert "Trigger: corrected" in vault.git("show", "-s", "--format=%B")
    assert vault.read(PATH).endswith("---\nmine, not in git\n\n1. read it\n2. run the tests\n")
    assert "mine" not in vault.git("show", f"HEAD:{PATH}")
    assert "version: 2" in vault.read(PATH) and vault.git("branch", "--list", "molt/*").split() == [BRANCH]
    assert vault.run("verify").code == 0


# -- by hand and by an engine ----------------------------------------------------------------------------------


def test_edit_opens_the_editor_that_git_would(vault: Folder) -> None:
    script = program(vault, 'sed -i "s/1. read it/1. read it twice/; s/^version: 1/version: 5/" "$1"')
    vault.git("config", "core.editor", f"'{script}'")
    done = molt(vault, "review-a-pr", *WHY, "--edit", agent="", stdin=b"", GIT_EDITOR="")
    assert (done.code, done.out.split()[:2]) == (0, ["proposed", BRANCH])
    text = vault.git("show", f"{BRANCH}:{PATH}")
    assert "1. read it twice" in text and "version: 2" in text


def test_what_a_person_takes_out_in_the_editor_is_out(vault: Folder) -> None:
    molt(vault, "review-a-pr", *WHY)
    script = program(vault, 'sed -i "/run the tests/d" "$1"')
    assert molt(vault, "review-a-pr", *WHY, "--edit", agent="", stdin=b"", GIT_EDITOR=script).code == 0
    assert vault.git("show", f"molt/review-a-pr-v3:{PATH}").endswith("---\n1. read it")


@pytest.mark.parametrize("script", ["true", ': > "$1"'])
def test_an_editor_that_leaves_the_text_or_empties_it_does_nothing(vault: Folder, script: str) -> None:
    done = molt(vault, "review-a-pr", *WHY, "--edit", agent="", stdin=b"", GIT_EDITOR=program(vault, script))
    assert (done.code, done.out) == (0, "unchanged\n")
    assert vault.git("branch", "--list", "molt/*") == ""


def test_an_editor_that_fails_makes_nothing(vault: Folder) -> None:
    done = molt(vault, "review-a-pr", *WHY, "--edit", agent="", stdin=b"", GIT_EDITOR="false")
    assert done.code == 2 and "Traceback" not in done.err
    assert vault.git("branch", "--list", "molt/*") == ""


def test_an_engine_writes_the_body_and_says_what_it_cost(vault: Folder) -> None:
    engine(vault, "cat > ../asked; printf '1. read it\\n2. run the tests\\n'")
    done = molt(vault, "review-a-pr", *WHY, "--engine", "command")
    assert (done.code, done.out.split()[:2]) == (0, ["proposed", BRANCH]), done
    assert "program: 1 call, " in done.err
    assert vault.git("show", f"{BRANCH}:{PATH}").endswith("1. read it\n2. run the tests")
    assert "Text by program, held to every step" in vault.git("show", "-s", "--format=%B", BRANCH)


def test_the_engine_that_git_names_is_asked_where_no_body_came(vault: Folder) -> None:
    engine(vault, "cat > ../asked; printf '1. read it\\n2. run the tests\\n'")
    done = molt(vault, "review-a-pr", *WHY, stdin=b"")
    assert done.code == 0
    assert done.out.startswith("proposed molt/review-a-pr-v2 ")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("cat > /dev/null; echo 'API Error: overloaded'", "error"),
        ("cat > /dev/null; echo '1. something else'", "lost a step"),
        ("cat > /dev/null; exit 3", "ended with 3"),
        ("sleep 60", "no answer within 1 s"),
    ],
)
def test_an_engine_that_fails_makes_nothing_and_says_why(vault: Folder, script: str, why: str) -> None:
    engine(vault, script)
    vault.git("config", "vaultgit.engineTimeout", "1")
    done = molt(vault, "review-a-pr", *WHY, "--engine", "command")
    assert (done.code, done.out) == (1, "")
    assert why in done.err and "program: 1 call, " in done.err
    assert vault.git("branch", "--list", "molt/*") == ""


def test_show_prompt_and_dry_run_ask_no_engine(vault: Folder) -> None:
    asked = vault.root.parent / "asked"
    engine(vault, f"touch '{asked}'")
    shown = molt(vault, "review-a-pr", *WHY, "--show-prompt")
    assert shown.code == 0 and "1. read it" in shown.out and "Ada wants the tests to run, too." in shown.out
    done = molt(vault, "review-a-pr", *WHY, "--engine", "command", "--dry-run")
    assert done.code == 0 and done.out.startswith("would ask program: ")
    refused = molt(vault, "review-a-pr", "--trigger", "corrected", "--engine", "command")
    assert refused.code == 1 and "SK03" in refused.err, "before anything is spent"
    assert not asked.exists()


# -- suggesting ------------------------------------------------------------------------------------------------


def session(day: int, task: str, skills: str = "") -> str:
    used = f"skills: ['[[{skills}]]']\n" if skills else ""
    head = f"type: session\ndate: 2026-11-0{day}\nagent: codex\ntask: {task}\ntouched: ['[[projects/nova]]']\n"
    return f"---\n{head}{used}---\nDone.\n"


def test_suggest_names_the_sessions_and_the_command(vault: Folder) -> None:
    assert vault.run("molt", "--suggest").err.startswith("nothing to suggest")
    assert json.loads(vault.run("molt", "--suggest", "--json").out) == []
    for day in (1, 2, 3):
        vault.write(f"sessions/2026-11-0{day}-report.md", session(day, "write Ada's monthly report"))
    vault.commit()
    done = vault.run("molt", "--suggest")
    assert done.code == 0 and done.out.startswith("repeated   write Ada's monthly report: 3 sessions")
    assert "           sessions/2026-11-03-report.md\n" in done.out
    assert """vaultgit skill new NAME --trigger 'write Ada'"'"'s monthly report' < steps.md""" in done.out
    [said] = json.loads(vault.run("molt", "--suggest", "--json").out)
    assert (said["kind"], said["skill"], len(said["evidence"])) == ("repeated", "", 3)


def test_suggest_names_a_skill_whose_outcome_a_person_corrected(vault: Folder) -> None:
    vault.write("sessions/2026-11-01-review.md", session(1, "review the change", "review-a-pr"))
    env = {"GIT_AUTHOR_DATE": "2026-11-01T10:00:00", "GIT_COMMITTER_DATE": "2026-11-01T10:00:00"}
    vault.git("add", "-A")
    vault.git(
        "commit", "--quiet", "--no-verify", "-m", "sessions: done\n\nAgent: codex\nSession: 2026-11-01-review", env=env
    )
    vault.write("projects/nova.md", vault.read("projects/nova.md").replace("- started", "- begun"))
    oid = vault.commit("not how we say it")
    done = vault.run("molt", "--suggest")
    assert done.out.startswith("corrected  review-a-pr: 1 commit of a person")
    assert oid[:10] in done.out
    assert "vaultgit molt review-a-pr --trigger corrected --reason … < body.md" in done.out
