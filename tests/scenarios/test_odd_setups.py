"""Promises P10 and P12 where a person's set-up is unusual: their commits go through, and what is taken out is out."""

from __future__ import annotations

import json
import os

import pytest
from support import SKILL
from support import Folder


def test_p12_no_hook_is_left_that_would_fail_every_commit(plain: Folder) -> None:
    for layout in ("pre-commit", "native"):
        done = plain.run("init", "--hooks", layout)
        assert done.code == 0, done
    assert plain.run("init", "--remove").code == 0
    plain.write("Home.md", "mine\n")
    plain.git("commit", "-qam", "mine")
    assert [name for name in os.listdir(plain.root / ".git/hooks") if not name.endswith(".sample")] == []


def test_p10_a_person_ends_a_cherry_pick_of_an_agents_edit(vault: Folder) -> None:
    vault.git("checkout", "-q", "-b", "side")
    assert vault.run("set", "projects/nova.md", "status=paused", "--agent", "codex").code == 0
    vault.git("checkout", "-q", "main")
    vault.write("projects/nova.md", vault.read("projects/nova.md").replace("active", "done"))
    vault.git("commit", "-qam", "mine")
    assert vault.try_git("cherry-pick", "side").code != 0
    vault.write("projects/nova.md", vault.git("show", "main:projects/nova.md") + "\n")
    vault.git("add", "-A")
    done = vault.try_git("commit", env={"GIT_EDITOR": "true"})
    assert done.code == 0, done
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"x\n").code == 0
    assert vault.run("verify").code == 0


def test_p10_amending_a_molt_compares_it_with_the_commit_before(vault: Folder) -> None:
    vault.write("skills/review-a-pr.md", SKILL.replace("version: 1", "version: 2").replace("11-01", "11-29"))
    vault.git("commit", "-qam", "molt")
    vault.write("skills/review-a-pr.md", vault.read("skills/review-a-pr.md") + "2. more\n")
    vault.git("commit", "-q", "--amend", "--no-edit", "-a")
    vault.write("skills/review-a-pr.md", vault.read("skills/review-a-pr.md") + "3. more\n")
    assert vault.try_git("commit", "-qam", "no bump").code == 1


def test_p11_a_secret_in_a_persons_message_is_refused(vault: Folder) -> None:
    token = "ghp" + "_" + "Zz9" * 12
    vault.write("Home.md", "x\n")
    done = vault.try_git("commit", "-qam", f"my token {token}")
    assert done.code == 1
    assert "SE01" in done.err
    assert token not in done.err


@pytest.mark.parametrize("names", [("Untitled.md", "Untitled 2.md"), ("Dune.md", "Dune 2.md")])
def test_p10_a_persons_numbered_notes_are_no_conflict_copies(vault: Folder, names: tuple[str, str]) -> None:
    for name in names:
        vault.write(name, f"{name}\n")
    vault.git("add", "-A")
    vault.git("commit", "-qm", "mine")
    done = vault.run("write", "Home 2.md", "--agent", "codex", stdin=b"x\n")
    assert done.code == 1
    assert "NA03" in done.err


def test_a_changelog_of_the_persons_beside_ours_blocks_nothing(plain: Folder) -> None:
    plain.write("CHANGELOG.md", "# 1.0\n")
    plain.commit("theirs")
    assert plain.run("init").code == 0
    assert plain.run("check").code == 0
    assert plain.run("check", "--from", "HEAD~1").code == 0


@pytest.mark.parametrize("link", ["CLAUDE.md", "AGENTS.md"])
def test_p12_agents_and_claude_may_be_one_file(plain: Folder, link: str) -> None:
    target = {"CLAUDE.md": "AGENTS.md", "AGENTS.md": "CLAUDE.md"}[link]
    plain.write(target, "mine\n")
    (plain.root / link).symlink_to(target)
    plain.commit("theirs")
    before = plain.snapshot()
    assert plain.run("init").code == 0
    once = plain.read(target)
    assert "Never save" in once
    again = plain.run("init")
    assert again.code == 0
    assert "nothing to do" in again.out
    assert plain.read(target) == once
    assert plain.run("init", "--remove").code == 0
    assert plain.snapshot() == before


def test_p10_a_hooks_path_that_ours_could_not_override_is_named_and_nothing_written(plain: Folder) -> None:
    plain.write(".git/included", "[core]\n\thooksPath = .git/hk\n")
    plain.git("config", "include.path", "included")
    before = plain.snapshot()
    done = plain.run("init")
    assert done.code == 2, done
    assert "core.hooksPath" in done.err
    assert "included" in done.err
    assert plain.snapshot() == before
    assert plain.git("status", "--porcelain") == ""


def test_p10_a_home_that_cannot_be_written_leaves_no_half_set_up_vault(plain: Folder) -> None:
    done = plain.run("init", env={"GIT_CONFIG_GLOBAL": "/nowhere/at/all"})
    assert done.code == 0, done
    assert "could not be set" in done.out
    assert plain.exists(".git/hooks/pre-commit")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".obsidian/templates.json", '"x"'),
        (".obsidian/daily-notes.json", "[" * 100_000),
        (".vaultgit/baseline.json", '{"people/ada.md": 5}'),
        (".vaultgit/baseline.json", "5"),
        (".vaultgit/schemas/person.schema.json", '{"a":' * 100_000),
        (".vaultgit.toml", "agents = 1\n"),
    ],
)
def test_p10_odd_settings_do_not_switch_the_checks_off(vault: Folder, path: str, text: str) -> None:
    vault.write(path, text)
    vault.git("add", "-f", path)
    vault.git("commit", "-q", "--no-verify", "-m", "odd")
    vault.write("skills/bad.md", SKILL.replace("version: 1", "version: one"))
    vault.git("add", "-A")
    done = vault.try_git("commit", "-qm", "bad")
    assert done.code == 1, done
    assert "FM03" in done.err


def test_p10_an_agent_commits_code_beside_the_vault(tmp_path, folder: Folder) -> None:
    outer = Folder(tmp_path / "outer")
    outer.write("code.c", "int x;\n")
    outer.git("init", "-q")
    folder.root.rename(outer.root / "notes")
    outer.commit("start")
    vault = Folder(outer.root / "notes")
    assert vault.run("init", "--repository", "outer").code == 0
    outer.write("code.c", "int y;\n")
    outer.git("commit", "-qam", "fix", env={"CLAUDECODE": "1"})
    vault.write("Home.md", "x\n")
    done = outer.try_git("commit", "-qam", "notes", env={"CLAUDECODE": "1"})
    assert done.code == 1
    assert "MS02" in done.err


def test_a_line_that_says_agent_in_a_persons_message_makes_no_agent(vault: Folder) -> None:
    vault.write("Home.md", "x\n")
    vault.write(".vaultgit.toml", "# mine\n")
    vault.git("commit", "-q", "--no-verify", "-am", "notes\n\nAgent: Smith\nwas here\n\nand left")
    assert json.loads(vault.run("check", "--from", "HEAD~1", "--json").out) == []
