"""`vaultgit init`, as a person runs it: real command line, real git (promises P3, P12; cases 021, 023,
025).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support import Folder
from support import run_cli

LAID_DOWN = {
    "AGENTS.md", "CLAUDE.md", "changelog.md", ".vaultgit.toml", ".gitattributes", ".gitignore",
    ".pre-commit-config.yaml",
}  # fmt: skip


def git_state(folder: Folder) -> dict[str, bytes]:
    """Everything in .git but what git itself rewrites when it only looks (index stat data) and its logs."""
    inside = folder.root / ".git"
    return {
        str(path.relative_to(inside)): path.read_bytes()
        for path in sorted(inside.rglob("*"))
        if path.is_file() and path.name != "index" and path.relative_to(inside).parts[0] not in ("objects", "logs")
    }


def test_dry_run_says_what_it_would_write_and_writes_nothing(plain: Folder) -> None:
    before, inside = plain.snapshot(), git_state(plain)
    home = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes()
    done = plain.run("init", "--dry-run")
    assert done.code == 0, done.err
    assert "an Obsidian vault: 4 notes" in done.out and "yes, branch main" in done.out
    assert "person 1, project 1, skill 1" in done.out and "Home.md" in done.out
    assert all(path in done.out for path in LAID_DOWN) and ".git/hooks/pre-commit" in done.out
    assert "vaultgit init --remove" in done.out
    assert all(len(line) <= 100 for line in done.out.splitlines() if str(plain.root) not in line)
    assert plain.snapshot() == before and git_state(plain) == inside
    assert Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == home


def test_init_commits_its_files_as_the_person_and_touches_no_note(plain: Folder) -> None:
    before = plain.snapshot()
    done = plain.run("init")
    assert done.code == 0, done.err
    assert "0 of your 4 notes changed" in done.out and 'committed as you: "vaultgit: set up"' in done.out
    assert plain.git("log", "-1", "--format=%an|%cn|%s|%(trailers)") == "Test Person|Test Person|vaultgit: set up|"
    assert set(plain.git("diff", "--name-only", "HEAD~", "HEAD").splitlines()) == LAID_DOWN
    assert plain.git("status", "--porcelain") == ""
    now = plain.snapshot()
    assert {path: now[path] for path in before} == before
    assert plain.git("config", "--global", "vaultgit.vault") == str(plain.root)

    again = plain.run("init")
    assert again.code == 0 and again.out.startswith("nothing to do: ")
    assert plain.git("rev-list", "--count", "HEAD") == "2"


def test_what_a_person_has_not_committed_stays_as_it_was(plain: Folder) -> None:
    plain.write("Home.md", "# Home\n\nnot saved in git yet\n")
    plain.write("new.md", "never seen\n")
    plain.write("staged.md", "staged\n")
    plain.git("add", "staged.md")
    plain.write(".gitignore", "mine\n")
    status = plain.git("status", "--porcelain")
    done = plain.run("init")
    assert done.code == 0, done.err
    left = plain.git("status", "--porcelain").splitlines()
    assert set(status.splitlines()) - {"?? .gitignore"} <= set(left)
    assert "mine" in plain.read(".gitignore") and "workspace.json" in plain.read(".gitignore")
    assert "your " in done.out and "stayed as they were" in done.out
    assert "mine" not in plain.git("log", "-1", "--format=", "-p", "--", "Home.md", "staged.md", "new.md")


def test_remove_is_the_exact_inverse(plain: Folder) -> None:
    plain.write("AGENTS.md", "# My own\n")
    plain.write(".gitignore", "no newline at the end")
    plain.commit("mine")
    before, inside = plain.snapshot(), git_state(plain)
    home = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes()
    assert plain.run("init").code == 0
    assert "My own" in plain.read("AGENTS.md")
    shown = plain.run("init", "--remove", "--dry-run")
    assert shown.code == 0 and "AGENTS.md" in shown.out and (plain.root / ".git/vaultgit").exists()

    done = plain.run("init", "--remove")
    assert done.code == 0, done.err
    assert plain.snapshot() == before
    after = git_state(plain)
    for volatile in ("refs/heads/main", "COMMIT_EDITMSG", "ORIG_HEAD"):
        after.pop(volatile, None)
        inside.pop(volatile, None)
    assert after == inside
    assert Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == home
    assert plain.git("status", "--porcelain") == ""
    assert plain.git("log", "-1", "--format=%s") == "vaultgit: remove"
    again = plain.run("init", "--remove")
    assert again.code == 0 and "nothing to do" in again.out


def test_notes_that_were_wrong_before_block_nothing(plain: Folder) -> None:
    plain.write("people/bad.md", "---\ntype: person\naliases: 7\n---\n")
    plain.commit("mine")
    done = plain.run("init")
    assert done.code == 0, done.err
    assert "1 note of 4 has a problem from before" in done.out
    assert plain.run("check").code == 0
    assert "1 problem from before" in plain.run("check").err
    assert "people/bad.md:3:1: FM03" in plain.run("check", "--no-baseline").out
    assert "FM03" in plain.read(".vaultgit/baseline.json")
    plain.write("people/bad.md", plain.read("people/bad.md") + "more\n")
    plain.git("commit", "-am", "still wrong, and not my business today")
    assert plain.run("init", "--remove").code == 0
    assert not plain.exists(".vaultgit")


def test_adopt_notes_problems_later(vault: Folder) -> None:
    vault.write("people/bad.md", "---\ntype: person\naliases: 7\n---\n")
    vault.commit("past the hook")
    assert vault.run("init").out.startswith("nothing to do")
    done = vault.run("init", "--adopt")
    assert done.code == 0, done.err
    assert "people/bad.md" in vault.read(".vaultgit/baseline.json")


def test_an_agent_does_not_set_up_a_vault(plain: Folder) -> None:
    before = plain.snapshot()
    for arguments, env in (
        (["--agent", "codex"], {}),
        ([], {"CLAUDECODE": "1"}),
        ([], {"VAULTGIT_AGENT": "x"}),
    ):
        done = plain.run("init", *arguments, env=env)
        assert done.code == 1 and "for a person to decide" in done.err
    assert plain.snapshot() == before
    plain.git("config", "--global", "vaultgit.agentsMayDecide", "true")
    assert plain.run("init", "--agent", "codex").code == 0


def test_a_folder_without_git_gets_a_repository_and_init_says_so(folder: Folder) -> None:
    folder.write(".obsidian/workspace.json", "{}")
    before = folder.snapshot()
    shown = run_cli("init", str(folder.root), "--dry-run", cwd="/")
    assert shown.code == 0 and "a repository would be made" in shown.out and not folder.exists(".git")
    done = run_cli("init", str(folder.root), cwd="/")
    assert done.code == 0, done.err
    assert "made a repository" in done.out
    assert folder.git("symbolic-ref", "--short", "HEAD") == "main"
    assert "people/ada-lovelace.md" in folder.git("ls-files").splitlines()
    assert folder.git("log", "--format=%an", "--", "Home.md") == "Test Person"
    now = folder.snapshot()
    assert {path: now[path] for path in before} == before


def test_an_unborn_branch_keeps_its_name_and_the_owners_files_come_first(folder: Folder) -> None:
    # case 023
    folder.git("init", "--quiet", "-b", "trunk")
    folder.git("add", "Home.md")
    done = folder.run("init")
    assert done.code == 0, done.err
    assert folder.git("symbolic-ref", "--short", "HEAD") == "trunk"
    first = folder.git("rev-list", "--max-parents=0", "HEAD")
    assert "Home.md" in folder.git("ls-tree", "-r", "--name-only", first).splitlines()
    assert "AGENTS.md" not in folder.git("ls-tree", "-r", "--name-only", first).splitlines()
    assert folder.git("status", "--porcelain") == ""


@pytest.fixture
def larger(tmp_path: Path) -> Folder:
    """case 025: a vault's folder inside a repository of something else."""
    outer = Folder(tmp_path / "dotfiles")
    outer.write("Home.md", "hi\n")
    outer.write("notes/Old.md", "old\n")
    outer.git("init", "--quiet")
    outer.commit("start")
    outer.write("notes/New.md", "new\n")
    outer.write(".netrc", "secret\n")
    return outer


def test_inside_a_larger_repository_init_stops_and_names_both_choices(larger: Folder) -> None:
    before, inside = larger.snapshot(), git_state(larger)
    done = larger.run("init", str(larger.root / "notes"))
    assert done.code == 2
    assert str(larger.root) in done.err and "--repository own" in done.err and "--repository outer" in done.err
    assert larger.snapshot() == before and git_state(larger) == inside


def test_own_repository_inside_a_larger_one(larger: Folder) -> None:
    inside = git_state(larger)
    head, index = larger.git("rev-parse", "HEAD"), larger.git("ls-files", "-s")
    done = larger.run("init", "--repository", "own", str(larger.root / "notes"))
    assert done.code == 0, done.err
    assert "notes/Old.md" in done.out
    assert git_state(larger) == inside
    assert (larger.git("rev-parse", "HEAD"), larger.git("ls-files", "-s")) == (head, index)
    notes = Folder(larger.root / "notes")
    assert notes.git("rev-parse", "--show-toplevel") == str(notes.root)
    assert notes.run("init").out.startswith("nothing to do")


def test_outer_repository_takes_only_our_files(larger: Folder) -> None:
    notes = Folder(larger.root / "notes")
    done = larger.run("init", "--repository", "outer", str(notes.root))
    assert done.code == 0, done.err
    assert {path.split("/")[0] for path in larger.git("diff", "--name-only", "HEAD~", "HEAD").splitlines()} == {"notes"}
    status = larger.git("status", "--porcelain").splitlines()
    assert status == ["?? .netrc", "?? notes/New.md"]
    assert not larger.exists(".pre-commit-config.yaml")
    assert notes.run("init").out.startswith("nothing to do")
    notes.write("skills/a.md", "---\ntype: skill\n---\n")
    larger.git("add", "notes/skills")
    refused = larger.try_git("commit", "-m", "bad")
    assert refused.code == 1 and "notes/skills/a.md:" in refused.err
    larger.git("rm", "-q", "--cached", "notes/skills/a.md")
    (notes.root / "skills/a.md").unlink()
    clone = Folder(larger.root.parent / "clone")  # as in CI: only what is tracked
    larger.git("clone", "-q", ".", str(clone.root))
    clone.write("notes/skills/a.md", "---\ntype: skill\n---\n")
    judged = clone.run("hook", "framework", "notes/skills/a.md", "notes/Old.md")
    assert judged.code == 1 and "notes/skills/a.md:" in judged.err
    assert notes.run("init", "--remove").code == 0
    assert larger.try_git("config", "--local", "--get-regexp", "vaultgit").code == 1


def test_during_a_rebase_nothing_is_written(plain: Folder) -> None:
    # case 021
    plain.write("N.md", "one\n")
    plain.commit("n1")
    plain.git("checkout", "-qb", "topic")
    plain.write("N.md", "topic\n")
    plain.commit("topic")
    plain.git("checkout", "-q", "main")
    plain.write("N.md", "main\n")
    plain.commit("mainline")
    plain.git("checkout", "-q", "topic")
    assert plain.try_git("rebase", "main").code != 0
    before, status = plain.snapshot(), plain.git("status", "--porcelain=v2")
    rebase = {path.name: path.read_bytes() for path in (plain.root / ".git/rebase-merge").iterdir() if path.is_file()}
    done = plain.run("init")
    assert done.code == 2 and "rebase" in done.err
    assert plain.snapshot() == before and plain.git("status", "--porcelain=v2") == status
    assert rebase == {
        path.name: path.read_bytes() for path in (plain.root / ".git/rebase-merge").iterdir() if path.is_file()
    }
    assert plain.try_git("config", "vaultgit.program").code == 1


def test_a_vault_in_a_sync_folder_is_told(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "Dropbox" / "Notes")
    folder.write("Home.md", "hi\n")
    assert "Dropbox" in run_cli("init", str(folder.root), cwd="/").out


def test_git_variables_of_a_surrounding_hook_are_ignored(plain: Folder, tmp_path: Path) -> None:
    # case 029
    other = Folder(tmp_path / "other")
    other.write("o", "o\n")
    other.git("init", "--quiet")
    other.commit("o")
    inside = git_state(other)
    env = {"GIT_DIR": str(other.root / ".git"), "GIT_INDEX_FILE": str(other.root / ".git/index")}
    assert plain.run("init", str(plain.root), env=env).code == 0
    assert git_state(other) == inside and other.git("status", "--porcelain") == ""
    assert plain.git("log", "-1", "--format=%s") == "vaultgit: set up"


@pytest.mark.parametrize("staged", [True, False])
def test_where_our_lines_do_not_merge_nothing_is_written(plain: Folder, staged: bool) -> None:
    plain.write(".gitignore", "mine\n")
    plain.commit("mine")
    (plain.root / ".gitignore").unlink()
    if staged:
        plain.git("add", "-A")
    status = plain.git("status", "--porcelain")
    done = plain.run("init")
    assert done.code == 2 and ".gitignore" in done.err
    assert plain.git("status", "--porcelain") == status
    assert plain.git("rev-list", "--count", "HEAD") == "2"
    assert plain.try_git("config", "vaultgit.program").code == 1
    assert not plain.exists("inbox") and not plain.exists(".git/hooks/pre-commit")


def test_lines_a_person_is_typing_in_those_files_stay_theirs(plain: Folder) -> None:
    plain.write(".gitignore", "a\n")
    plain.write("AGENTS.md", "# mine\n")
    plain.commit("mine")
    plain.write(".gitignore", "a\nb\n")
    plain.write("AGENTS.md", "# mine, changed\n")
    plain.git("add", "AGENTS.md")
    assert plain.run("init").code == 0
    assert plain.git("show", "HEAD:.gitignore").startswith("a\n# vaultgit begin")
    assert plain.read(".gitignore").startswith("a\nb\n# vaultgit begin")
    assert plain.git("status", "--porcelain").splitlines() == [" M .gitignore", "M  AGENTS.md"]
    # Their change stands right beside the lines to take out: that does not merge, and is said.
    done = plain.run("init", "--remove")
    assert done.code == 2 and "AGENTS.md" in done.err and "commit AGENTS.md first" in done.err
    plain.git("commit", "-qam", "mine")
    assert plain.run("init", "--remove").code == 0
    assert plain.read(".gitignore") == "a\nb\n" and plain.read("AGENTS.md") == "# mine, changed\n"
    assert plain.git("status", "--porcelain") == ""


def test_a_file_of_that_name_that_is_staged_and_new(plain: Folder) -> None:
    plain.write("AGENTS.md", "# mine\n")
    plain.git("add", "AGENTS.md")
    done = plain.run("init")
    if done.code == 2:
        assert "AGENTS.md" in done.err and plain.git("status", "--porcelain") == "A  AGENTS.md"
    else:
        assert plain.read("AGENTS.md").startswith("# mine\n<!-- vaultgit begin")


def test_json_says_what_the_words_say(plain: Folder) -> None:
    shown = json.loads(plain.run("init", "--dry-run", "--json").out)
    assert {step["path"] for step in shown["files"]} == LAID_DOWN and shown["done"] is False
    done = json.loads(plain.run("init", "--json").out)
    assert done == {**shown, "done": True}
    assert json.loads(plain.run("init", "--json").out)["files"] == []
    gone = json.loads(plain.run("init", "--remove", "--json").out)
    assert {step["path"] for step in gone["files"] if step["what"] == "delete"} == LAID_DOWN and gone["done"]


def test_an_agent_makes_no_repository_either(folder: Folder) -> None:
    done = folder.run("init", "--agent", "codex")
    assert done.code == 1 and not folder.exists(".git")
    subprocess.run(["git", "config", "--global", "vaultgit.agentsMayDecide", "true"], check=True)
    assert folder.run("init", "--agent", "codex").code == 0


def test_p11_a_note_with_a_secret_is_not_put_into_the_first_commit(folder: Folder) -> None:
    token = "ghp" + "_" + "Zz9" * 12
    folder.write("keys.md", f"my token {token}\n")
    done = folder.run("init")
    assert done.code == 0, done
    assert "not put into git: keys.md holds what looks like a secret" in done.out
    assert "keys.md" not in folder.git("ls-files")
    assert token not in folder.git("log", "-p", "--all")
    assert "Home.md" in folder.git("ls-files")
