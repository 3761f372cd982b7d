"""The CI workflows' commands as written, in a clone as a runner has it: depth 1, a home of its own, nothing of ours but
the program (acceptance 5; promise P1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from forging import Forge
from forging import Runner
from forging import filled
from forging import forge_of
from forging import runner_in
from support import SKILL
from support import Folder
from support import Result

from vaultgit.install import ci

ZEROS = "0" * 40
BAD = "---\ntype: person\naliases: 7\n---\n"
GOOD = "---\ntype: person\naliases: [x]\n---\n"
ALL_JUDGED = "nothing to compare with (the branch is new, or was replaced): all of history is judged"


@pytest.fixture
def forge(vault: Folder, tmp_path: Path) -> Forge:
    return forge_of(vault, tmp_path)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return runner_in(tmp_path / "runner")


def check_out(runner: Runner, forge: Forge, ref: str) -> str:
    """As actions/checkout and GitLab's runner do with a depth of 1: one commit, fetched by itself, HEAD detached."""
    work = runner.work
    work.git("init", "--quiet")
    if "origin" not in work.git("remote"):
        work.git("remote", "add", "origin", forge.bare.root.as_uri())
    work.git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", f"+{ref}:refs/remotes/pull/head")
    work.git("checkout", "--quiet", "--detach", "refs/remotes/pull/head")
    assert work.git("rev-list", "--count", "HEAD") == "1"
    return work.git("rev-parse", "HEAD")


# -- GitHub ------------------------------------------------------------------------------------------------------------


def event(ref: str, *, before: str = "", base: str = "") -> dict[str, str]:
    """What GitHub knows of an event: its variables, and its context under the names that workflows use."""
    return {
        "GITHUB_ACTIONS": "true", "GITHUB_REF": ref, "GITHUB_REF_NAME": ref.removeprefix("refs/heads/"),
        "GITHUB_BASE_REF": base, "GITHUB_EVENT_NAME": "pull_request" if base else "push",
        "github.event.before": before, "github.event.repository.default_branch": "main",
        "vars.VAULTGIT || 'vaultgit'": "vaultgit",
    }  # fmt: skip


def push(before: str, branch: str = "main") -> dict[str, str]:
    return event(f"refs/heads/{branch}", before=before)


def pull_request(base: str = "main") -> dict[str, str]:
    return event("refs/pull/7/merge", base=base)


def workflow(forge: Forge) -> list[dict[str, Any]]:
    shipped = ci.text("github", forge.prefix)
    return list(yaml.load(shipped, yaml.BaseLoader)["jobs"]["check"]["steps"])


def github(runner: Runner, forge: Forge, happened: Mapping[str, str]) -> list[Result]:
    """What each step's commands end with; like there, a step that asks for it runs also after one that failed."""
    done: list[Result] = []
    for step in workflow(forge):
        if "run" not in step or (any(result.code for result in done) and "failure()" not in step.get("if", "")):
            continue
        known = {key: value for key, value in happened.items() if key.isupper()}
        done.append(runner.bash("-e", script=step["run"], env={**known, **filled(step, happened)}))
    return done


def fine(results: list[Result]) -> None:
    install, check, verify = results
    assert install.code == 0, install
    assert check.code == 0 and check.err.endswith("no problem\n") and "::error" not in check.out, check
    assert verify.code == 0 and "agrees: " in verify.out, verify


def refused(results: list[Result], *codes: str) -> None:
    _, check, verify = results
    assert check.code == 1, check
    found = [line for line in check.out.splitlines() if line.startswith("::error ")]
    assert sorted(re.findall(r"title=(\w+)", "\n".join(found))) == sorted(codes)
    assert verify.code == 0, verify


def test_a_push_is_judged_from_what_the_branch_was(runner: Runner, forge: Forge) -> None:
    before = forge.by_agent("people/ada-lovelace.md", BAD)  # judged when it came
    forge.by_agent("people/eve.md", GOOD)
    forge.by_agent("people/ada-lovelace.md", GOOD)
    forge.push()
    assert check_out(runner, forge, "refs/heads/main") == forge.person.git("rev-parse", "HEAD")
    fine(github(runner, forge, push(before)))


def test_a_bad_commit_of_an_agent_stays_bad_when_the_next_one_mends_it(runner: Runner, forge: Forge) -> None:
    before = forge.push()
    bad = forge.by_agent("people/eve.md", BAD)
    forge.by_agent("people/eve.md", GOOD)
    forge.push()
    check_out(runner, forge, "refs/heads/main")
    results = github(runner, forge, push(before))
    refused(results, "FM03")
    assert "file=people/eve.md,line=3" in results[1].out and bad[:10] in results[1].out


def test_a_pull_request_is_judged_from_where_it_branched_off(runner: Runner, forge: Forge) -> None:
    forge.person.git("checkout", "-q", "-b", "dream/2026-11-29")
    forge.by_agent("Home.md", "# Home\n\nshorter\n", agent="vaultgit")
    forge.push("HEAD:refs/pull/7/head")  # of a fork: no branch of this repository has it
    forge.person.git("checkout", "-q", "main")
    forge.person.write("skills/review-a-pr.md", SKILL.replace("version: 1", "version: 2").replace("11-01", "11-29"))
    forge.person.write("people/bob.md", BAD)
    forge.person.commit("main went on, and not well")
    forge.push()
    check_out(runner, forge, "refs/pull/7/head")
    fine(github(runner, forge, pull_request()))

    forge.person.git("checkout", "-q", "dream/2026-11-29")
    forge.by_agent("skills/review-a-pr.md", SKILL + "2. more\n", agent="vaultgit")
    forge.push("HEAD:refs/pull/7/head")
    check_out(runner, forge, "refs/pull/7/head")
    refused(github(runner, forge, pull_request()), "SK01", "SK02", "SK03")


def test_a_branch_is_compared_with_the_default_one(runner: Runner, forge: Forge) -> None:
    """Whatever was pushed before, so that its last push does not hide an earlier one."""
    forge.push()
    forge.person.git("checkout", "-q", "-b", "side")
    forge.by_agent("people/eve.md", BAD)
    before = forge.by_agent("people/eve.md", GOOD)
    forge.by_agent("Home.md", "# Home\n\nmore\n")
    forge.push()
    for old in (before, ZEROS):
        check_out(runner, forge, "refs/heads/side")
        refused(github(runner, forge, push(old, "side")), "FM03")


@pytest.mark.parametrize("before", [ZEROS, "", "1" * 40])
def test_with_nothing_to_compare_with_all_of_history_is_judged(runner: Runner, forge: Forge, before: str) -> None:
    """A new repository, a run that was asked for by hand, a forced push whose old tip is gone."""
    forge.by_agent("people/eve.md", BAD)
    forge.by_agent("people/eve.md", GOOD)
    forge.push()
    check_out(runner, forge, "refs/heads/main")
    results = github(runner, forge, push(before))
    refused(results, "FM03")
    assert ALL_JUDGED in results[1].out


def test_a_forced_push_is_judged_from_the_common_ground(runner: Runner, forge: Forge) -> None:
    forge.by_agent("people/eve.md", BAD)
    forge.by_agent("people/eve.md", GOOD)
    forge.person.write("Home.md", "first try\n")
    forge.person.commit("first try")
    before = forge.push()
    forge.person.git("reset", "-q", "--hard", "HEAD~")
    forge.person.write("Home.md", "second try\n")
    forge.person.commit("second try")
    forge.push()
    check_out(runner, forge, "refs/heads/main")
    results = github(runner, forge, push(before))
    fine(results)
    assert ALL_JUDGED not in results[1].out


def test_a_clone_that_cannot_fetch_what_is_missing_never_says_that_all_is_well(runner: Runner, forge: Forge) -> None:
    before = forge.push()
    forge.by_agent("people/eve.md", GOOD)
    forge.push()
    check_out(runner, forge, "refs/heads/main")
    runner.work.git("remote", "set-url", "origin", "file:///nowhere")
    _, check, verify = github(runner, forge, push(before))
    assert check.code not in (0, 1) and "no problem" not in check.err and "nowhere" in check.err
    # By hand, what the program itself says:
    by_hand = runner.bash("-e", script=f"vaultgit check --from {before} --to HEAD", env={})
    assert by_hand.code == 2 and "git fetch --unshallow" in by_hand.err and "no problem" not in by_hand.err
    assert verify.code == 0


def test_a_line_that_no_edit_wrote_is_told(runner: Runner, forge: Forge) -> None:
    before = forge.push()
    log = forge.person.read("changelog.md")
    forge.person.write("changelog.md", log + "- 2026-11-29 21:10 Home: never was (codex) ^01jdx3k9m2qtw7ab\n")
    forge.person.commit("a person's")
    forge.push()
    check_out(runner, forge, "refs/heads/main")
    _, check, verify = github(runner, forge, push(before))
    assert check.code == 0 and verify.code == 1 and "unknown " in verify.out


def test_the_program_is_installed_where_it_is_missing_in_the_version_that_is_asked_for(
    runner: Runner, forge: Forge
) -> None:
    (runner.work.root.parent / "bin" / "vaultgit").unlink()
    pipx = runner.work.root.parent / "bin" / "pipx"
    pipx.write_text('#!/bin/sh\necho "pipx $*"\nexit 7\n')
    pipx.chmod(0o755)
    check_out(runner, forge, "refs/heads/main")
    happened = {**push(ZEROS), "vars.VAULTGIT || 'vaultgit'": "vaultgit==0.1.0"}
    install = github(runner, forge, happened)[0]
    assert (install.code, install.out) == (7, "pipx install vaultgit==0.1.0\n")


def test_a_vault_in_a_folder_of_a_larger_repository(runner: Runner, tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    outer.write("main.c", "int main;\n")
    outer.write("my notes/people/ada.md", GOOD)
    outer.git("init", "--quiet")
    outer.commit("start")
    assert outer.run("init", "my notes", "--repository", "outer", "--ci", "github").code == 0
    forge = forge_of(outer, tmp_path, "my notes/")
    before = forge.push()
    forge.by_agent("people/eve.md", BAD)
    outer.write("people/not-a-note.md", BAD)
    outer.commit("outside")
    forge.push()
    check_out(runner, forge, "refs/heads/main")
    results = github(runner, forge, push(before))
    assert results[1].code == 1, results
    # Once as the agent's commit, and once as what stands there at the end.
    assert {line.partition(",")[0] for line in results[1].out.splitlines()} == {"::error file=my notes/people/eve.md"}


# -- GitLab ------------------------------------------------------------------------------------------------------------


def gitlab(runner: Runner, head: str, **known: str) -> Result:
    [job] = yaml.load(ci.text("gitlab"), yaml.BaseLoader).values()
    env = {
        "CI_DEFAULT_BRANCH": "main",
        "CI_COMMIT_SHA": head,
        "CI_COMMIT_BEFORE_SHA": ZEROS,
        **job["variables"],
        **known,
    }
    return runner.bash("-eo", "pipefail", script="\n".join(job["script"]), env=env)


def test_gitlab_judges_pushes_branches_and_merge_requests(runner: Runner, forge: Forge) -> None:
    before = forge.push()
    forge.by_agent("people/ada-lovelace.md", GOOD)
    forge.push()
    head = check_out(runner, forge, "refs/heads/main")
    done = gitlab(runner, head, CI_COMMIT_BRANCH="main", CI_COMMIT_BEFORE_SHA=before)
    assert done.code == 0 and "no problem" in done.err and "agrees: 1 edits" in done.out, done

    forge.person.git("checkout", "-q", "-b", "side")
    bad = forge.by_agent("people/eve.md", BAD)
    forge.by_agent("people/eve.md", GOOD)
    forge.push()
    forge.person.git("checkout", "-q", "main")
    forge.person.write("people/bob.md", BAD)
    forge.person.commit("main went on, and not well")
    forge.push()
    for known in ({"CI_COMMIT_BRANCH": "side"}, {"CI_MERGE_REQUEST_DIFF_BASE_SHA": head}):
        tip = check_out(runner, forge, "refs/heads/side")
        done = gitlab(runner, tip, **known)
        assert done.code == 1 and f"{bad[:10]} people/eve.md:3:1: FM03" in done.out and "bob" not in done.out, done


def test_gitlab_judges_a_merged_result_as_it_was_pushed(runner: Runner, forge: Forge) -> None:
    base = forge.push()
    forge.person.git("checkout", "-q", "-b", "side")
    pushed = forge.by_agent("people/eve.md", GOOD)
    forge.push()
    forge.person.git("checkout", "-q", "main")
    forge.person.write("people/bob.md", BAD)
    forge.person.commit("main went on, and not well")
    forge.person.git("merge", "-q", "--no-edit", "side")
    merged = forge.push("HEAD:refs/merge-requests/7/merge")
    check_out(runner, forge, "refs/merge-requests/7/merge")
    known = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": pushed}
    done = gitlab(runner, merged, **known)
    assert done.code == 0 and "no problem" in done.err, done


@pytest.mark.parametrize("before", [ZEROS, "1" * 40])
def test_gitlab_judges_all_of_history_where_there_is_nothing_to_compare_with(
    runner: Runner, forge: Forge, before: str
) -> None:
    forge.by_agent("people/eve.md", BAD)
    forge.push()
    head = check_out(runner, forge, "refs/heads/main")
    done = gitlab(runner, head, CI_COMMIT_BRANCH="main", CI_COMMIT_BEFORE_SHA=before)
    assert done.code == 1 and ALL_JUDGED in done.out and "FM03" in done.out, done


# -- what a shallow clone says of changelog.md -----------------------------------------------------------------------


def test_p1_verify_cannot_tell_in_a_shallow_clone_and_lets_it_pass(runner: Runner, forge: Forge) -> None:
    for text in (b"one\n", b"two\n"):
        assert forge.person.run("append", "Home.md", "--agent", "codex", stdin=text).code == 0
    forge.push()
    check_out(runner, forge, "refs/heads/main")
    done = runner.bash("-e", script="vaultgit verify --allow-behind", env={})
    assert done.code == 0 and done.out.count("cannot tell") == 1, done
    assert "this clone does not have all of history (git fetch --unshallow)" in done.err

    log = runner.work.read("changelog.md")
    runner.work.write("changelog.md", log.replace("“two”", "“too”"))  # of the commit that is here
    done = runner.bash("-e", script="vaultgit verify --allow-behind", env={})
    assert done.code == 1 and "edited " in done.out, done
