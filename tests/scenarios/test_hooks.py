"""The git hook, as it runs: real git, real pre-commit (promises P3, P10; cases 027, 029; acceptance 3, 8,
9).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import SKILL
from support import Folder
from support import Result

NAME = "skills/review-a-pr.md"
BAD = SKILL + "2. think\n"  # changed, and the version is not
GOOD = BAD.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-29")
PRE_COMMIT = [sys.executable, "-P", "-m", "pre_commit"]


def refused(done: Result) -> None:
    assert done.code == 1, done
    shown = done.out + done.err
    assert f"{NAME}:" in shown and "SK01" in shown
    line = next(line for line in shown.splitlines() if "SK01" in line)
    path, number, column, _ = line.split(":", 3)
    assert path.endswith(NAME) and int(number) == 4 and int(column) >= 1 and line.endswith(")")


def pre_commit(vault: Folder, *args: str) -> Result:
    done = subprocess.run([*PRE_COMMIT, *args], cwd=vault.root, capture_output=True, text=True, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


def config(vault: Folder, hook: str) -> None:
    vault.write(".pre-commit-config.yaml", vault.read(".pre-commit-config.yaml") + hook)
    vault.commit("their own hook")


THEIRS = """\
- repo: local
  hooks:
  - id: theirs
    name: theirs
    entry: sh -c 'printf "%s\\n" "$@" >> "$HOME/ran"' --
    language: system
"""


# -- the native hook -------------------------------------------------------------------------------


def test_a_skill_changed_without_its_version_is_refused_with_place_and_mend(vault: Folder) -> None:
    vault.write(NAME, BAD)
    vault.git("add", NAME)
    refused(vault.try_git("commit", "-m", "bad"))
    assert vault.git("diff", "--cached", "--name-only") == NAME
    vault.write(NAME, GOOD)
    vault.git("commit", "-qam", "good")
    assert vault.git("log", "-1", "--format=%s") == "good"
    assert vault.git("status", "--porcelain") == ""


def test_what_is_staged_is_judged_and_not_what_lies_there(vault: Folder) -> None:
    vault.write(NAME, GOOD)
    vault.git("add", NAME)
    vault.write(NAME, BAD)
    vault.git("commit", "-qm", "the staged one is good")
    assert vault.read(NAME) == BAD


@pytest.mark.parametrize("arguments", [["-a"], ["--", NAME], ["-i", NAME]])
def test_commits_through_another_index_are_judged_as_well(vault: Folder, arguments: list[str]) -> None:
    vault.write("Home.md", "staged, and staying so\n")
    vault.git("add", "Home.md")
    vault.write(NAME, BAD)
    refused(vault.try_git("commit", "-m", "bad", *arguments))
    vault.write(NAME, GOOD)
    vault.git("commit", "-qm", "good", *arguments)
    assert NAME in vault.git("show", "--name-only", "--format=", "HEAD").splitlines()
    left = vault.git("status", "--porcelain")
    assert left == ("M  Home.md" if arguments[0] == "--" else "")


def test_a_commit_of_one_path_is_not_stopped_by_what_else_is_staged(vault: Folder) -> None:
    vault.write(NAME, BAD)
    vault.git("add", NAME)
    vault.write("Home.md", "only this\n")
    vault.git("commit", "-qm", "home", "--", "Home.md")
    assert vault.git("show", "--name-only", "--format=", "HEAD") == "Home.md"
    assert vault.git("diff", "--cached", "--name-only") == NAME


def test_the_first_commit_of_all_is_judged(folder: Folder) -> None:
    # case 023: unborn, with the hook already there
    folder.git("init", "--quiet", "-b", "trunk")
    assert folder.run("init").code == 0
    folder.git("update-ref", "-d", "HEAD")
    folder.write("people/bad.md", "---\ntype: person\nname: [\n---\n")
    folder.git("add", "-A")
    done = folder.try_git("commit", "-m", "first")
    assert done.code == 1 and "people/bad.md:" in done.err and "FM01" in done.err
    assert "fatal" not in done.err


def test_a_persons_deletion_goes_through(vault: Folder) -> None:
    vault.git("rm", "-q", NAME)
    vault.git("commit", "-qm", "gone")
    assert vault.git("ls-files", NAME) == ""


def test_unmanaged_notes_and_obsidian_git_are_left_in_peace(vault: Folder) -> None:
    vault.write("people/dad.md", "---\ntype: [what, ever]\n---\n")
    vault.write("notes/x.md", "---\n: broken: [\n---\n")
    vault.git("add", "-A")
    vault.git("commit", "-qm", "vault backup: 2026-11-29 21:10:00")


def test_people_warn_lets_a_skill_go_but_no_secret_marker_or_broken_yaml(vault: Folder) -> None:
    vault.git("config", "vaultgit.people", "warn")
    vault.write(NAME, BAD)
    done = vault.try_git("commit", "-am", "warned")
    assert done.code == 0 and "warning: " in done.err and "SK01" in done.err
    for text, code in (
        ("ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "SE01"),
        ("<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs", "MK01"),
    ):
        vault.write("Home.md", f"{text}\n")
        done = vault.try_git("commit", "-am", "no")
        assert done.code == 1 and code in done.err, done
        vault.git("checkout", "-q", "HEAD", "--", "Home.md")
    vault.write("people/ada-lovelace.md", "---\ntype: person\nname: [\n---\n")
    done = vault.try_git("commit", "-am", "no")
    assert done.code == 1 and "FM01" in done.err


def test_an_agents_commit_is_refused_even_under_warn(vault: Folder) -> None:
    vault.git("config", "vaultgit.people", "warn")
    vault.write(NAME, BAD)
    done = vault.try_git("commit", "-am", "x", env={"CLAUDECODE": "1"})
    assert done.code == 1 and "SK01" in done.err


def test_an_agents_own_commit_needs_its_trailers(vault: Folder) -> None:
    vault.write("Home.md", "by an agent\n")
    done = vault.try_git("commit", "-am", "no trailers", env={"CLAUDECODE": "1"})
    assert done.code == 1 and "MS02" in done.err
    vault.git("commit", "-qam", "a person's")


def test_a_signed_agents_commit_of_a_protected_path_is_refused(vault: Folder) -> None:
    vault.write(".pre-commit-config.yaml", "repos: []\n")
    trailers = "settings: better\n\nAgent: codex\nSession: s\nEdit: 01jdx3k9m2qtw7ab"
    done = vault.try_git("commit", "-am", trailers)
    assert done.code == 1 and "PA01" in done.err
    vault.git("commit", "-qam", "a person may")


def test_comments_in_the_editor_are_not_the_message(vault: Folder) -> None:
    editor = vault.root.parent / "editor"
    editor.write_text(
        '#!/bin/sh\nprintf "mine\\n# Agent: codex\\n'
        '# ------------------------ >8 ------------------------\\nAgent: x\\n" > "$1"\n'
    )
    editor.chmod(0o755)
    vault.write("Home.md", "mine\n")
    vault.git("add", "-A")
    vault.git("commit", "-q", "--verbose", env={"GIT_EDITOR": str(editor)})


def test_a_commit_in_a_linked_worktree_goes_to_that_worktree(vault: Folder) -> None:
    # case 029: GIT_INDEX_FILE is absolute there
    side = Folder(vault.root.parent / "side")
    vault.git("worktree", "add", "-q", "-b", "side", str(side.root))
    side.write(NAME, BAD)
    side.git("add", NAME)
    refused(side.try_git("commit", "-m", "bad"))
    side.write(NAME, GOOD)
    side.git("commit", "-qam", "good")
    assert side.git("show", "--name-only", "--format=", "HEAD") == NAME
    assert side.git("status", "--porcelain") == "" == vault.git("status", "--porcelain")
    assert vault.git("fsck", "--no-dangling") == ""


def test_what_the_hook_starts_sees_no_git_variables(vault: Folder, tmp_path: Path) -> None:
    # case 029: a stand-in for git that logs what it was given
    side = Folder(tmp_path / "side")
    vault.git("worktree", "add", "-q", "-b", "side", str(side.root))
    real = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True, check=True).stdout.strip()
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    stand_in = bin_folder / "git"
    stand_in.write_text(
        '#!/bin/sh\n{ echo "$*"; env | grep -E "^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX)="; } '
        f'>> {tmp_path}/seen\nexec {real} "$@"\n'
    )
    stand_in.chmod(0o755)
    side.write("W.md", "w\n")
    side.git("add", "-A")
    # git puts its own folder in front of PATH for hooks; ours is named in the program instead
    program = side.git("config", "vaultgit.program")
    side.git("config", "vaultgit.program", f"env PATH={bin_folder}:/usr/bin:/bin {program}")
    side.git("commit", "-qm", "w")
    seen = (tmp_path / "seen").read_text()
    assert "diff-index" in seen
    assert "GIT_DIR=" not in seen and "GIT_WORK_TREE=" not in seen and "GIT_PREFIX=" not in seen
    assert "GIT_INDEX_FILE=" not in seen.replace(f"GIT_INDEX_FILE={vault.root}/.git/worktrees/side/", "")


def test_a_bare_environment_is_enough(vault: Folder) -> None:
    # a GUI or cron; PYTHONPATH stands for the installed package
    env = {name: os.environ[name] for name in ("HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "PYTHONPATH")}
    vault.write(NAME, BAD)
    done = subprocess.run(
        ["git", "commit", "-am", "bad"], cwd=vault.root, env={**env, "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    refused(Result(done.returncode, done.stdout, done.stderr))


@pytest.mark.parametrize(
    "program",
    [
        "/nowhere/vaultgit",
        "'/no where/vaultgit'",
        f"{sys.executable} -m no_such_module",
        "",
        "false",
        "sh -c 'exit 3'",
    ],
)
def test_a_program_that_is_gone_or_broken_lets_the_commit_go_and_says_so(vault: Folder, program: str) -> None:
    vault.git("config", "vaultgit.program", program)
    vault.write(NAME, BAD)
    done = vault.try_git("commit", "-am", "unchecked")
    assert done.code == 0, done
    assert done.err.count("this commit was not checked") == 2  # pre-commit and commit-msg
    assert vault.git("log", "-1", "--format=%s") == "unchecked"


def test_a_bug_in_a_check_lets_the_commit_go(vault: Folder, tmp_path: Path) -> None:
    broken = tmp_path / "broken/sitecustomize.py"
    broken.parent.mkdir()
    broken.write_text("import vaultgit.checks\ndef run(*args): raise RuntimeError('boom')\nvaultgit.checks.run = run\n")
    vault.write(NAME, BAD)
    done = vault.try_git(
        "commit",
        "-am",
        "unchecked",
        env={"PYTHONPATH": f"{broken.parent}{os.pathsep}{os.environ['PYTHONPATH']}"},
    )
    assert done.code == 0 and "a bug of ours: RuntimeError: boom" in done.err and "Traceback" not in done.err


def test_settings_that_cannot_be_read_are_named(vault: Folder) -> None:
    vault.write(".vaultgit.toml", "[layout\n")
    done = vault.try_git("commit", "-am", "broken settings")
    assert ".vaultgit.toml" in done.err and "line" in done.err


def test_the_commit_in_progress_leaves_its_mark_while_the_editor_is_open(vault: Folder, tmp_path: Path) -> None:
    marks = vault.root / ".git/vaultgit/state/committing"
    editor = tmp_path / "editor"
    editor.write_text(
        f'#!/bin/sh\nls {marks} > {tmp_path}/marks\nps -o ppid= -p $PPID > {tmp_path}/parent\necho x > "$1"\n'
    )
    editor.chmod(0o755)
    vault.write("Home.md", "mine\n")
    vault.git("add", "-A")
    commit = subprocess.Popen(["git", "commit", "-q"], cwd=vault.root, env={**os.environ, "GIT_EDITOR": str(editor)})
    assert commit.wait(60) == 0
    assert (tmp_path / "marks").read_text().split() == [str(commit.pid)]
    assert (marks / str(commit.pid)).read_text() == f"{commit.pid}\n"
    assert marks.stat().st_mode & 0o077 == 0


def test_an_interrupted_check_stops_the_commit(vault: Folder) -> None:
    vault.git("config", "vaultgit.program", f"sh -c 'exit {128 + signal.SIGINT}'")
    vault.write("Home.md", "mine\n")
    before = vault.git("rev-parse", "HEAD")
    done = vault.try_git("commit", "-am", "x")
    assert (done.code, done.err) == (1, "")  # neither a problem nor "was not checked"
    assert vault.git("rev-parse", "HEAD") == before


# -- other people's hooks --------------------------------------------------------------------------


def their_hook(path: Path, log: Path, code: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "{path.name} $*" >> {log}\nexit {code}\n')
    path.chmod(0o755)


def test_a_hook_that_was_there_runs_after_ours_and_decides_as_before(plain: Folder, tmp_path: Path) -> None:
    log = tmp_path / "ran"
    for name in ("pre-commit", "commit-msg", "prepare-commit-msg"):
        their_hook(plain.root / ".git/hooks" / name, log)
    assert plain.run("init").code == 0
    plain.write("Home.md", "x\n")
    plain.git("commit", "-qam", "x")
    assert [line.split()[0].partition(".")[0] for line in log.read_text().splitlines()] == [
        "pre-commit", "prepare-commit-msg", "commit-msg"
    ]  # fmt: skip
    log.unlink()
    plain.write(NAME, BAD)
    refused(plain.try_git("commit", "-am", "bad"))
    assert not log.exists()
    their_hook(plain.root / ".git/hooks/pre-commit.vaultgit-kept", log, code=7)
    plain.write(NAME, GOOD)
    assert plain.try_git("commit", "-am", "good").code == 1 and log.exists()


@pytest.mark.parametrize("scope", ["--global", "--local"])
def test_with_a_hooks_path_set_both_hooks_run_and_nothing_global_changes(
    plain: Folder, tmp_path: Path, scope: str
) -> None:
    # case 027
    log, elsewhere = tmp_path / "ran", tmp_path / "home/githooks"
    their_hook(elsewhere / "pre-commit", log)
    plain.git("config", scope, "core.hooksPath", str(elsewhere))
    home, theirs = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes(), (elsewhere / "pre-commit").read_bytes()
    done = plain.run("init")
    assert done.code == 0, done.err
    assert "hooks" in done.out and str(elsewhere) in done.out
    if scope == "--global":
        assert Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == home
    assert (elsewhere / "pre-commit").read_bytes() == theirs and len(list(elsewhere.iterdir())) == 1

    plain.write(NAME, BAD)
    plain.git("add", "-A")
    refused(plain.try_git("commit", "-m", "bad"))
    plain.write(NAME, GOOD)
    plain.git("commit", "-qam", "good")
    assert log.read_text() == "pre-commit \n"

    assert plain.run("init", "--remove").code == 0
    assert plain.git("config", "core.hooksPath") == str(elsewhere)
    plain.git("commit", "-q", "--allow-empty", "-m", "after")
    assert log.read_text() == "pre-commit \n" * 2


def test_hooks_of_the_pre_commit_configuration_run_and_unstaged_text_stays_on_disk(vault: Folder) -> None:
    config(vault, THEIRS.replace('>> "$HOME/ran"', '>> "$HOME/ran"; cat Home.md >> "$HOME/ran"'))
    vault.write("Home.md", "typed, not staged\n")
    vault.write("a note.md", "x\n")
    vault.git("rm", "-q", "projects/nova.md")
    vault.git("add", "a note.md")
    vault.git("commit", "-qm", "x")
    ran = (Path(os.environ["HOME"]) / "ran").read_text().splitlines()
    assert ran == ["a note.md", "typed, not staged"]
    assert vault.read("Home.md") == "typed, not staged\n"


def test_a_failing_hook_of_the_pre_commit_configuration_refuses(vault: Folder) -> None:
    config(vault, THEIRS.replace("sh -c", "false"))
    vault.write("Home.md", "x\n")
    done = vault.try_git("commit", "-am", "x")
    assert done.code == 1 and "theirs" in done.out + done.err and "Failed" in done.out + done.err, done
    assert vault.try_git("commit", "-am", "x", env={"SKIP": "theirs"}).code == 0


def test_without_hooks_of_others_pre_commit_is_not_started(vault: Folder) -> None:
    vault.write("Home.md", "x\n")
    vault.git("commit", "-qam", "x")
    assert not (Path(os.environ["HOME"]) / ".cache/pre-commit").exists()


def test_pre_commit_that_was_installed_first_runs_without_its_stash_and_comes_back(plain: Folder) -> None:
    plain.write(".pre-commit-config.yaml", "repos:\n" + THEIRS)
    plain.commit("theirs")
    assert pre_commit(plain, "install").code == 0
    installed = plain.bytes(".git/hooks/pre-commit")
    assert plain.run("init").code == 0
    plain.write("Home.md", "typed, not staged\n")
    plain.write("b.md", "x\n")
    plain.git("add", "b.md")
    done = plain.try_git("commit", "-m", "x")
    assert (
        done.code == 0 and "Stashing" not in done.out + done.err and "nstaged files detected" not in done.out + done.err
    )
    assert (Path(os.environ["HOME"]) / "ran").read_text() == "b.md\n"
    assert plain.run("init", "--remove").code == 0
    assert plain.bytes(".git/hooks/pre-commit") == installed


# -- pre-commit ------------------------------------------------------------------------------------


def test_pre_commit_install_on_top_keeps_ours_and_uninstall_restores_it(vault: Folder) -> None:
    config(vault, THEIRS)
    ours = vault.bytes(".git/hooks/pre-commit")
    assert pre_commit(vault, "install").code == 0
    assert vault.bytes(".git/hooks/pre-commit.legacy") == ours
    assert vault.run("init").out.startswith("nothing to do")

    vault.write(NAME, BAD)
    vault.git("add", NAME)
    refused(vault.try_git("commit", "-m", "bad"))
    vault.write(NAME, GOOD)
    vault.git("add", NAME)
    vault.git("commit", "-qm", "good")
    assert (Path(os.environ["HOME"]) / "ran").read_text().splitlines().count(NAME) == 2  # once a commit

    assert pre_commit(vault, "uninstall").code == 0
    assert vault.bytes(".git/hooks/pre-commit") == ours
    vault.write(NAME, GOOD + "again\n")
    refused(vault.try_git("commit", "-am", "bad"))


def test_the_mark_names_the_commit_under_pre_commit_too(vault: Folder) -> None:
    assert pre_commit(vault, "install", "-t", "pre-commit").code == 0
    theirs = THEIRS.replace('printf "%s\\n" "$@" >> "$HOME/ran"', 'ls .git/vaultgit/state/committing > "$HOME/ran"')
    config(vault, theirs)
    vault.write("Home.md", "x\n")
    vault.git("add", "-A")
    commit = subprocess.Popen(["git", "commit", "-qm", "x"], cwd=vault.root, stderr=subprocess.PIPE)
    commit.communicate()
    assert str(commit.pid) in (Path(os.environ["HOME"]) / "ran").read_text().split()


def test_run_all_files_judges_every_note_as_it_lies(vault: Folder) -> None:
    assert pre_commit(vault, "run", "--all-files").code == 0
    vault.write("people/ada-lovelace.md", "---\ntype: person\nname: [\n---\n")
    done = pre_commit(vault, "run", "--all-files")
    assert done.code == 1 and "people/ada-lovelace.md:" in done.out and "FM01" in done.out


def test_run_sees_a_deletion(vault: Folder) -> None:
    # an agent's deletion of a protected file: no file name is passed, and it is refused all the same
    vault.git("rm", "-q", "AGENTS.md")
    done = subprocess.run(
        [*PRE_COMMIT, "run"],
        cwd=vault.root,
        env={**os.environ, "CLAUDECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "AGENTS.md" in done.stdout and "PA01" in done.stdout


def test_the_plain_layout(plain: Folder) -> None:
    before = {path.name for path in (plain.root / ".git/hooks").iterdir()}
    assert plain.run("init", "--hooks", "pre-commit").code == 0
    assert b"generated by pre-commit" in plain.bytes(".git/hooks/pre-commit")
    assert not plain.exists(".git/hooks/pre-commit.legacy")
    again = plain.run("init")
    assert again.out.startswith("nothing to do") and "takes text that is not staged off the disk" in again.out
    plain.write(NAME, BAD)
    plain.git("add", NAME)
    refused(plain.try_git("commit", "-m", "bad"))
    plain.write(NAME, GOOD)
    plain.git("add", NAME)
    done = plain.try_git("commit", "-m", "x", env={"CLAUDECODE": "1"})
    assert done.code == 1 and "MS02" in done.out + done.err
    plain.git("commit", "-qm", "good")
    assert plain.run("init", "--remove").code == 0
    assert {path.name for path in (plain.root / ".git/hooks").iterdir()} == before


def test_framework_takes_one_check(vault: Folder) -> None:
    vault.write(NAME, BAD)
    vault.git("add", NAME)
    assert vault.run("hook", "framework", "--check", "markers", NAME).code == 0
    done = vault.run("hook", "framework", "--check", "skill")
    assert done.code == 1 and "SK01" in done.err
    assert vault.run("hook", "framework", "--check", "nonsense").code == 2


def test_the_manifest_names_checks_that_exist() -> None:
    import yaml

    from vaultgit import checks

    manifest = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())
    named = {entry["id"]: entry["entry"].split("--check ")[1:] for entry in manifest}
    assert named.pop("vaultgit") == []
    assert {name for [name] in named.values()} == {name.replace("_", "-") for name in checks.ALL}
    assert all(f"vaultgit-{name}" == identity for identity, [name] in named.items())
    assert all(entry["always_run"] and entry.get("pass_filenames", True) for entry in manifest)


# -- the merge driver ----------------------------------------------------------------------------------


def two_sides(vault: Folder, mine: str, theirs: str) -> Result:
    vault.git("checkout", "-q", "-b", "side")
    vault.write(NAME, theirs)
    vault.commit("theirs")
    vault.git("checkout", "-q", "main")
    vault.write(NAME, mine)
    vault.commit("mine")
    return vault.try_git("merge", "--no-edit", "side")


HIGHER = SKILL.replace("version: 1", "version: 3").replace("2026-11-01", "2026-11-30")


def test_git_merge_by_property(vault: Folder) -> None:
    done = two_sides(vault, GOOD, HIGHER)
    assert done.code == 0, done
    assert "version: 3" in vault.read(NAME) and "2026-11-30" in vault.read(NAME) and "2. think" in vault.read(NAME)
    assert "<<<<<<<" not in vault.read(NAME) and vault.git("status", "--porcelain") == ""


def test_what_does_not_merge_has_gits_own_markers(vault: Folder) -> None:
    done = two_sides(vault, GOOD.replace("1. read it", "1. read"), HIGHER.replace("1. read it", "1. skim it"))
    assert done.code == 1
    assert vault.git("diff", "--name-only", "--diff-filter=U") == NAME
    assert "<<<<<<< ours" in vault.read(NAME) and ">>>>>>> theirs" in vault.read(NAME)


@pytest.mark.parametrize("program", ["/nowhere/vaultgit", f"{sys.executable} -m no_such_module", "sh -c 'exit 3'"])
def test_without_the_program_git_merges_as_it_would_without_us(vault: Folder, program: str) -> None:
    driver = vault.git("config", "merge.vaultgit.driver")
    ours = vault.git("config", "vaultgit.program")
    vault.git("config", "merge.vaultgit.driver", driver.replace(ours, program))
    done = two_sides(vault, GOOD, SKILL + "3. also\n")
    assert done.code == 1 and "<<<<<<< ours" in vault.read(NAME) and "3. also" in vault.read(NAME)


@pytest.mark.network
def test_try_repo_from_a_clone_of_the_project(vault: Folder, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    clone = Folder(tmp_path / "clone")
    clone.root.mkdir()
    for name in (
        "vaultgit",
        "hooks",
        "schemas",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        ".pre-commit-hooks.yaml",
    ):
        subprocess.run(["cp", "-R", str(root / name), str(clone.root)], check=True)
    clone.git("init", "--quiet")
    clone.commit("as it is now")
    done = pre_commit(vault, "try-repo", str(clone.root), "vaultgit", "--all-files")
    if "No matching distribution" in done.out or "Failed to establish a new connection" in done.out:
        pytest.skip("no package index answers")
    assert done.code == 0, done.out
    assert "Passed" in done.out
    vault.write(NAME, BAD)
    vault.git("add", NAME)
    refused(pre_commit(vault, "try-repo", str(clone.root), "vaultgit", "--all-files"))
