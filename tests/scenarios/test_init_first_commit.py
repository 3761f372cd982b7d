"""What `vaultgit init` puts into the first commit of a vault: no secret (promise P11), and not more than it said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import pytest
from support import Folder


def test_p11_a_note_with_a_secret_is_not_put_into_the_first_commit(folder: Folder) -> None:
    token = "ghp" + "_" + "Zz9" * 12
    folder.write("keys.md", f"my token {token}\n")
    done = folder.run("init")
    assert done.code == 0, done
    assert "not put into git: keys.md holds what looks like a secret" in done.out
    assert "keys.md" not in folder.git("ls-files")
    assert token not in folder.git("log", "-p", "--all")
    assert "Home.md" in folder.git("ls-files")


SECRETS = {
    ".obsidian/plugins/rest/data.json": '{"apiKey": "%s"}\n' % ("ghp" + "_" + "Zz9" * 12),
    ".obsidian/plugins/ai chat/data.json": '{\n "key": "%s"\n}\n' % ("sk-" + "proj-" + "aB3dE5fG7hJ9" * 4),
    "scripts/env.sh": "export TOKEN=%s\n" % ("ghp" + "_" + "Zz9" * 12),
    "Reference/Keys.md": "my token %s\n" % ("ghp" + "_" + "Zz9" * 12),
}


@pytest.mark.parametrize("begun", [False, True])
def test_p11_files_of_every_kind_with_a_secret_are_held_back_and_named(folder: Folder, begun: bool) -> None:
    for path, text in SECRETS.items():
        folder.write(path, text)
    folder.write("picture.png", b"\x89PNG\0" + SECRETS["scripts/env.sh"].encode())
    if begun:
        folder.git("init", "--quiet")
    before = folder.snapshot()
    shown = folder.run("init", "--dry-run", *(() if begun else (str(folder.root),)))
    facts = json.loads(folder.run("init", "--dry-run", "--json").out)["first"]
    assert folder.snapshot() == before and folder.exists(".git") is begun
    done = folder.run("init")
    assert done.code == 0, done
    tracked = folder.git("-c", "core.quotePath=false", "ls-files").splitlines()
    for path in SECRETS:
        for said in (shown, done):
            assert f"! not put into git: {path} holds what looks like a secret (" in said.out
        assert path not in tracked
    ignored = "; so that it stays out: echo '/.obsidian/plugins/ai chat/data.json' >> .gitignore)"
    assert f"data.json holds what looks like a secret (line 2{ignored}" in done.out
    assert facts["held_back"] == sorted(SECRETS) and "picture.png" in tracked and "Home.md" in tracked
    assert facts["files"] == len(before) - len(SECRETS)
    assert "unsaved change" not in done.out
    everything = folder.git("log", "-p", "--all")
    assert "Zz9" not in everything and "aB3dE5fG7hJ9" not in everything
    # The advice does what it says.
    for line in done.out.splitlines():
        if " >> .gitignore)" in line:
            subprocess.run(["sh", "-c", line.partition("stays out: ")[2][:-1]], cwd=folder.root, check=True)
    assert folder.git("status", "--porcelain").splitlines() == [" M .gitignore", "?? Reference/"]


def test_p11_a_secret_in_a_name_is_held_back_and_not_shown(folder: Folder) -> None:
    token = "ghp" + "_" + "Zz9" * 12
    folder.write(f"{token}.png", b"\x89PNG\0")
    done = folder.run("init")
    assert done.code == 0 and "not put into git: [REDACTED GitHub Token].png" in done.out and token not in done.out
    assert folder.git("ls-files", "--others") == f"{token}.png" and "unsaved" not in done.out
    (folder.root / ".git").rename(folder.root.parent / "away")
    folder.git("init", "--quiet")
    folder.git("add", "--all")
    assert folder.run("init").code == 2 and folder.try_git("rev-parse", "HEAD").code != 0


@pytest.mark.parametrize("begun", [False, True])
def test_p11_a_secret_beside_our_own_lines_stops_set_up(folder: Folder, begun: bool) -> None:
    if begun:
        folder.git("init", "--quiet")
        folder.commit("notes")
    folder.write("CLAUDE.md", f"# Mine\n\nTOKEN={SECRETS['scripts/env.sh'].partition('=')[2]}")
    before = folder.snapshot()
    done = folder.run("init")
    assert done.code == 2 and "CLAUDE.md holds what looks like a secret (line 3)" in done.err, done
    assert folder.snapshot() == before and folder.exists(".git") is begun
    if begun:
        assert folder.git("log", "--format=%s") == "notes" and folder.git("status", "--porcelain") == "?? CLAUDE.md"


def test_p11_a_secret_that_is_staged_already_stops_set_up(folder: Folder) -> None:
    folder.write("env.sh", SECRETS["scripts/env.sh"])
    folder.git("init", "--quiet")
    folder.git("add", "env.sh")
    assert "not put into git: env.sh" in folder.run("init", "--dry-run").out
    before = folder.snapshot()
    done = folder.run("init")
    assert done.code == 2 and "env.sh is staged" in done.err and "git rm --cached env.sh" in done.err
    assert folder.snapshot() == before and folder.try_git("rev-parse", "HEAD").code != 0
    folder.git("rm", "-q", "--cached", "env.sh")
    assert folder.run("init").code == 0 and "env.sh" not in folder.git("ls-files")


def test_p11_what_is_in_git_already_is_told_by_check_and_doctor(plain: Folder) -> None:
    for path, text in SECRETS.items():
        plain.write(path, text)
    plain.commit("all of it")
    plain.write("later.sh", SECRETS["scripts/env.sh"])
    done = plain.run("init")
    assert done.code == 0 and "4 notes have problems from before" in done.out, done
    assert plain.run("check", "--all").code == 0
    for _ in range(2):  # the second time from what is remembered
        told = plain.run("check", "--all", "--no-baseline")
        assert told.code == 1 and {line.partition(":")[0] for line in told.out.splitlines()} == set(SECRETS)
    looked = plain.run("doctor")
    assert looked.code == 0 and "4 files in git hold what looks like a secret" in looked.out, looked
    plain.write("scripts/other.sh", SECRETS["scripts/env.sh"])
    plain.commit("past the hook", "scripts")
    looked = plain.run("doctor")
    assert looked.code == 1 and "\nproblem secrets: " in looked.out, looked
    assert "\n    scripts/other.sh:1:14\n" in looked.out
    assert plain.run("check", "--all").code == 1


def test_how_much_comes_into_history_is_said_and_what_remove_leaves_of_it(folder: Folder) -> None:
    big = folder.write("film [1].mp4", b"")
    os.truncate(big, 30_000_000)
    shown = folder.run("init", str(folder.root), "--dry-run")
    assert "Would put into git first, as they are: your 6 files (30 MB)." in shown.out, shown
    advice = "echo '/film \\[1].mp4' >> .gitignore"
    assert f"! film [1].mp4 has 30 MB, which history keeps for ever; to leave it out, first: {advice}" in shown.out
    done = folder.run("init")
    assert 'committed as you: your 6 files (30 MB) as they were, then "vaultgit: set up"' in done.out, done
    assert "! film [1].mp4 has 30 MB" in done.out and "rm -r .git" in done.out
    removed = folder.run("init", "--remove", "--yes")
    assert removed.code == 0 and "! stays: .git, " in removed.out and f"rm -r {folder.root}/.git" in removed.out
    shutil.rmtree(folder.root / ".git")
    subprocess.run(["sh", "-c", advice], cwd=folder.root, check=True)
    again = folder.run("init")
    assert "your 6 files (" in again.out and "film" not in again.out and "film" not in folder.git("ls-files"), again


def test_a_repository_that_was_there_is_not_said_to_stay(plain: Folder) -> None:
    assert plain.run("init").code == 0
    assert "stays: .git" not in plain.run("init", "--remove", "--yes").out
