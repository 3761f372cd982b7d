"""`init --ci`: what is laid down for GitHub and GitLab, what is left alone, and its exact inverse (P12)."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import Folder

from vaultgit.install import ci

DREAM = ".github/workflows/vaultgit-dream.yml"
PLACES = {"github": ".github/workflows/vaultgit.yml", "gitlab": ".gitlab-ci.yml"}
INCLUDED = ".gitlab/vaultgit.yml"


def document(data: bytes) -> Any:
    """YAML as the services read it: `on` is a key, not a truth value."""
    return yaml.load(data, yaml.BaseLoader)


def scripts(data: bytes) -> str:
    found = document(data)
    if "jobs" in found:
        return "\n".join(step["run"] for step in found["jobs"]["check"]["steps"] if "run" in step)
    return "\n".join(found["vaultgit"]["script"])


@pytest.mark.parametrize("service", PLACES)
def test_it_is_laid_down_once_and_taken_out_again(plain: Folder, service: str) -> None:
    before = plain.snapshot()
    shown = plain.run("init", "--ci", service, "--dry-run")
    assert shown.code == 0 and PLACES[service] in shown.out and plain.snapshot() == before
    done = plain.run("init", "--ci", service)
    assert done.code == 0, done.err
    assert PLACES[service] in plain.git("show", "--name-only", "--format=%an %s", "HEAD")
    assert "vaultgit check --from" in scripts(plain.bytes(PLACES[service]))
    for args in (["--ci", service], []):
        assert plain.run("init", *args).out.startswith("nothing to do")
    assert plain.run("init", "--remove").code == 0
    assert plain.snapshot() == before
    assert not plain.exists(".github") and not plain.exists(".gitlab")


@pytest.mark.parametrize("service", PLACES)
def test_a_vault_that_is_set_up_gets_it_alone(vault: Folder, service: str) -> None:
    done = vault.run("init", "--ci", service, "--json")
    assert done.code == 0, done.err
    assert [step["path"] for step in json.loads(done.out)["files"]] == [PLACES[service]]
    assert vault.git("show", "--name-only", "--format=", "HEAD") == PLACES[service]
    assert vault.run("check", "--all").code == 0


def test_without_the_option_there_is_none(plain: Folder) -> None:
    assert plain.run("init").code == 0
    assert not any(plain.exists(path) for path in ci.FILES)


@pytest.mark.parametrize("path", PLACES.values())
def test_an_older_one_of_ours_is_brought_up_to_date(vault: Folder, path: str) -> None:
    """Also by a plain `init`, as after an upgrade."""
    service = "github" if "github" in path else "gitlab"
    assert vault.run("init", "--ci", service).code == 0
    now = vault.read(path)
    vault.write(path, "# vaultgit begin e3b0c442\n# vaultgit end\n")  # ours, and nothing of it edited
    vault.commit("as an older version wrote it")
    assert vault.run("init").code == 0
    assert vault.read(path) == now


@pytest.mark.parametrize("service", PLACES)
def test_an_edited_one_stays_and_is_named(vault: Folder, service: str) -> None:
    path = PLACES[service]
    assert vault.run("init", "--ci", service).code == 0
    mine = vault.read(path).replace("vaultgit verify --allow-behind", "vaultgit verify")
    vault.write(path, mine)
    vault.commit("mine")
    assert vault.run("init", "--ci", service).out.startswith("nothing to do")
    done = vault.run("init", "--remove")
    assert f"stays: {path} (edited since" in done.out and vault.read(path) == mine


def test_a_workflow_of_that_name_that_is_not_ours_is_left_alone(vault: Folder) -> None:
    path = PLACES["github"]
    vault.write(path, "name: mine\n")
    vault.commit("mine")
    before = vault.snapshot()
    done = vault.run("init", "--ci", "github")
    assert done.code == 0 and f"! {path} is not ours; it was left alone" in done.out
    assert vault.run("init", "--remove").code == 0
    assert vault.read(path) == "name: mine\n" and set(vault.snapshot()) < set(before)


def test_a_gitlab_ci_that_is_somebodys_gets_a_file_to_include(vault: Folder) -> None:
    own = "stages: [test]\nbuild:\n  script: [make]\n"
    vault.write(PLACES["gitlab"], own)
    vault.commit("mine")
    done = vault.run("init", "--ci", "gitlab")
    assert done.code == 0 and vault.read(PLACES["gitlab"]) == own
    line = done.out.partition("add to it: ")[2].partition("\n")[0]
    assert yaml.safe_load(line) == {"include": [{"local": f"/{INCLUDED}"}]}
    vault.write(PLACES["gitlab"], own + line + "\n")
    vault.commit("included")
    again = vault.run("init", "--ci", "gitlab")
    assert again.out.startswith("nothing to do") and "include" not in again.out
    assert vault.run("init", "--remove").code == 0
    assert not vault.exists(".gitlab") and vault.read(PLACES["gitlab"]) == own + line + "\n"


def test_jobs_that_were_added_around_ours_are_kept(vault: Folder) -> None:
    path = PLACES["gitlab"]
    assert vault.run("init", "--ci", "gitlab").code == 0
    vault.write(path, vault.read(path) + "build:\n  script: [make]\n")
    vault.commit("mine")
    assert vault.run("init", "--ci", "gitlab").out.startswith("nothing to do")
    assert vault.run("init", "--remove").code == 0
    assert vault.read(path) == "build:\n  script: [make]\n"


# -- the dream's -------------------------------------------------------------------------------------------------------


def test_the_dream_is_a_workflow_of_its_own_only_where_it_is_asked_for(plain: Folder) -> None:
    """P12. What may write to the repository is never there by itself."""
    before = plain.snapshot()
    assert plain.run("init", "--ci", "github").code == 0 and not plain.exists(DREAM)
    shown = plain.run("init", "--ci", "github", "--dream", "--dry-run")
    assert shown.code == 0 and f"  {DREAM}" in shown.out and not plain.exists(DREAM)
    assert plain.run("init", "--ci", "github", "--dream").code == 0
    assert plain.git("show", "--name-only", "--format=", "HEAD") == DREAM
    assert document(plain.bytes(DREAM)) == document(ci.text("github-dream"))
    there = plain.snapshot()
    for args in (["--ci", "github", "--dream"], ["--ci", "github"], []):
        assert plain.run("init", *args).out.startswith("nothing to do")
    assert plain.snapshot() == there
    assert plain.run("init", "--remove").code == 0 and plain.snapshot() == before
    assert not plain.exists(".github")


def test_the_dream_is_a_job_of_the_gitlab_file_and_stays_there(vault: Folder) -> None:
    path = PLACES["gitlab"]
    before = vault.snapshot()
    assert vault.run("init", "--ci", "gitlab").code == 0
    assert set(document(vault.bytes(path))) == {"vaultgit"}
    assert vault.run("init", "--ci", "gitlab", "--dream").code == 0
    assert set(document(vault.bytes(path))) == {"vaultgit", "vaultgit-dream"}
    for args in (["--ci", "gitlab", "--dream"], ["--ci", "gitlab"], []):
        assert vault.run("init", *args).out.startswith("nothing to do")
    assert vault.run("init", "--remove").code == 0
    assert not vault.exists(path) and set(vault.snapshot()) < set(before)


def test_the_dream_goes_into_the_file_that_is_included(vault: Folder) -> None:
    vault.write(PLACES["gitlab"], f"include: [{{local: /{INCLUDED}}}]\n")
    vault.commit("mine")
    assert vault.run("init", "--ci", "gitlab", "--dream").code == 0
    assert set(document(vault.bytes(INCLUDED))) == {"vaultgit", "vaultgit-dream"}
    assert vault.read(PLACES["gitlab"]) == f"include: [{{local: /{INCLUDED}}}]\n"


def test_a_dream_that_was_edited_stays(vault: Folder) -> None:
    assert vault.run("init", "--ci", "github", "--dream").code == 0
    mine = vault.read(DREAM).replace("23 4 * * 1", "0 5 * * 5")
    vault.write(DREAM, mine)
    vault.commit("on Fridays")
    assert vault.run("init", "--ci", "github", "--dream").out.startswith("nothing to do")
    assert f"stays: {DREAM} (edited since" in vault.run("init", "--remove").out and vault.read(DREAM) == mine


def test_a_dream_without_a_forge_is_wrong_use(vault: Folder) -> None:
    before = vault.snapshot()
    done = vault.run("init", "--dream")
    assert done.code == 2 and "vaultgit init --ci github --dream" in done.err and vault.snapshot() == before


# -- in a larger repository --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("service", PLACES)
def test_inside_a_larger_repository_the_text_is_shown_and_nothing_outside_is_written(
    tmp_path: Path, service: str
) -> None:
    outer = Folder(tmp_path / "outer")
    outer.write("main.c", "int main;\n")
    outer.write("my notes/people/ada.md", "---\ntype: person\n---\n")
    outer.git("init", "--quiet")
    outer.commit("start")
    done = outer.run("init", "my notes", "--repository", "outer", "--ci", service, "--dream")
    assert done.code == 0, done.err
    assert not any(outer.exists(path) or outer.exists(f"my notes/{path}") for path in ci.FILES)
    shown = ci.text(service, "my notes/")
    assert all(ci.text(name, "my notes/").decode() in done.out for name in ci.WORDS if name.startswith(f"{service}-"))
    assert f"put this into {PLACES[service]}" in done.out and shown.decode() in done.out
    assert {"vaultgit check --vault 'my notes' --from", "vaultgit verify --vault 'my notes' --allow-behind"} <= {
        part for line in scripts(shown).splitlines() for part in (line.strip(), line.strip().partition(' "$base')[0])
    }


@pytest.mark.parametrize("folder", ["notes", "my notes", "Übung", "it's", "a[1]*", 'say "x"'])
def test_a_folder_is_named_as_shell_and_yaml_read_it(folder: str) -> None:
    for service in PLACES:
        commands = [line.strip() for line in scripts(ci.text(service, folder + "/")).splitlines()]
        ours = [line for line in commands if line.startswith(("vaultgit check", "vaultgit verify"))]
        assert len(ours) == 2
        assert all(shlex.split(line)[2:4] == ["--vault", folder] for line in ours)
        dream = ci.text(f"{service}-dream", folder + "/").decode()
        found = re.findall(r"^ +(?:said|listed)=\$\((vaultgit .*)\)$", dream, re.M)
        assert [folder in shlex.split(line)[3:5] for line in found] == [True, True]
    events = document(ci.text("github", folder + "/"))["on"]
    for event in ("push", "pull_request"):
        pattern, own = events[event]["paths"]
        assert own == PLACES["github"] and pattern.replace("\\", "") == folder + "/**"


def test_the_workflow_asks_for_no_more_than_it_needs() -> None:
    found = document(ci.text("github"))
    assert found["permissions"] == {"contents": "read"}
    assert set(found["on"]) == {"push", "pull_request", "workflow_dispatch"}
    assert "paths" not in found["on"]["push"] and not found["on"]["pull_request"]  # any file may be a protected one
    text = ci.text("github").decode()
    assert "secrets." not in text and "pull_request_target" not in text
    steps = found["jobs"]["check"]["steps"]
    assert [step["uses"].partition("@")[0] for step in steps if "uses" in step] == ["actions/checkout"]
    assert steps[0]["with"]["fetch-depth"] == "0" and steps[0]["with"]["persist-credentials"] == "false"
    # What a stranger may name (branches, titles) comes as variables only, never as text of a script.
    assert all("${{" not in step["run"] for step in steps if "run" in step)


def test_the_gitlab_job_has_all_of_history() -> None:
    [job] = document(ci.text("gitlab")).values()
    assert job["variables"] == {"GIT_DEPTH": "0", "VAULTGIT": "vaultgit"}
