"""Painful repositories, found in public, with a person's work in them (cases 021 to 035, 063, 065), and their like."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support import SKILL
from support import Folder
from support import run_cli

BAD = {"skills/review-a-pr.md": SKILL + "2. think\n"}  # changed, and the version is not


def edit(vault: Folder, *args: str, stdin: bytes = b"", code: int = 0) -> str:
    done = vault.run(*args, "--agent", "codex", stdin=stdin)
    assert done.code == code, done
    return done.out + done.err


def frozen(vault: Folder) -> dict[str, bytes]:
    """Every file, also in .git, but for what is ours there, and objects (they may be added)."""
    ours = (".git/objects/", ".git/vaultgit/")
    files = {path.relative_to(vault.root).as_posix(): path for path in vault.root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in sorted(files.items()) if not name.startswith(ours)}


def edits(vault: Folder) -> int:
    return len(vault.git("log", "--author=codex", "--format=%h").split())


# -- 021: in the middle of something ------------------------------------------------------------------


def branched(vault: Folder) -> None:
    """main and topic, which is checked out, changed the same line."""
    vault.write("N.md", "one\n")
    vault.commit("n")
    vault.git("checkout", "-q", "-b", "topic")
    vault.write("N.md", "topic\n")
    vault.commit("topic")
    vault.git("checkout", "-q", "main")
    vault.write("N.md", "main\n")
    vault.commit("mainline")
    vault.git("checkout", "-q", "topic")


def test_021_all_that_writes_waits_for_the_end_of_a_rebase_and_all_that_reads_works(vault: Folder) -> None:
    edit(vault, "set", "people/ada-lovelace.md", "born=1815")
    branched(vault)
    assert vault.try_git("rebase", "main").code != 0
    vault.write("Extra.md", "kept\n")
    before = frozen(vault)
    writing: list[tuple[list[str], bytes]] = [
        (["append", "Home.md"], b"- more\n"), (["set", "projects/nova.md", "status=done"], b""),
        (["write", "new.md"], b"new\n"), (["delete", "skills/review-a-pr.md"], b""), (["append", "Extra.md"], b"- more\n"),
        (["inbox", "add", "--target", "Home.md", "--reason", "r"], b"- maybe\n"), (["undo", "people/ada-lovelace.md"], b""),
        (["move", "projects/nova.md", "projects/vega.md"], b""),
    ]  # fmt: skip
    for args, stdin in writing:
        said = edit(vault, *args, stdin=stdin, code=75)
        assert "rebase is in progress" in said and "do not retry" in said, args
    for look in (["check"], ["log"], ["verify"], ["status"], ["doctor"]):
        done = vault.run(*look)
        assert done.code in (0, 1) and "fatal" not in done.err, (look, done)
    assert frozen(vault) == before
    assert vault.git("status", "--porcelain").splitlines() == ["UU N.md", "?? Extra.md"]
    vault.write("N.md", "both\n")
    vault.git("add", "N.md")
    vault.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
    assert vault.run("status").code == 0
    assert vault.git("symbolic-ref", "HEAD") == "refs/heads/topic"
    assert (edits(vault), vault.git("status", "--porcelain")) == (1 + len(writing), "")
    assert vault.run("verify").out == f"agrees: {1 + len(writing)} edits\n"
    assert vault.read("Extra.md") == "kept\n- more\n"
    assert vault.read("projects/vega.md").count("status: done") == 1


START: dict[str, Callable[[Folder], object]] = {
    "merge": lambda vault: vault.try_git("merge", "main"),
    "cherry-pick": lambda vault: vault.try_git("cherry-pick", "main"),
    "revert": lambda vault: vault.try_git("revert", "--no-edit", "HEAD~1"),
    "bisect": lambda vault: (vault.git("bisect", "start"), vault.git("bisect", "bad"), vault.git("bisect", "good", "HEAD~2")),
    "am": lambda vault: vault.try_git("am", "-3", stdin=(vault.git("format-patch", "-1", "--stdout", "main") + "\n").encode()),
}  # fmt: skip
END = {"merge": ["merge", "--abort"], "bisect": ["bisect", "reset"]}


@pytest.mark.parametrize("operation", START)
def test_021_so_does_an_edit_in_the_middle_of_anything_else(vault: Folder, operation: str) -> None:
    branched(vault)
    START[operation](vault)
    before = frozen(vault)
    said = edit(vault, "append", "Home.md", stdin=b"- more\n", code=75)
    assert f"{operation} is in progress" in said
    assert frozen(vault) == before
    vault.git(*END.get(operation, [operation, "--abort"]))
    assert vault.run("status").code == 0
    assert edits(vault) == 1 and vault.read("Home.md").endswith("- more\n")
    assert vault.git("symbolic-ref", "HEAD") == "refs/heads/topic" and vault.git("status", "--porcelain") == ""


# -- 023: nothing committed yet ------------------------------------------------------------------------


@pytest.mark.parametrize("orphan", [False, True])
def test_023_before_the_first_commit_of_a_branch_no_command_fails_in_gits_words(folder: Folder, orphan: bool) -> None:
    folder.git("init", "-q", "-b", "trunk")
    if orphan:
        folder.commit("old life")
        folder.git("checkout", "-q", "--orphan", "fresh")
        folder.git("rm", "-q", "--cached", "-r", ".")
    folder.git("add", "Home.md")
    before, branch = folder.snapshot(), folder.git("symbolic-ref", "HEAD")
    codes = {}
    for look in (["check", "--staged"], ["doctor"], ["why", "Home.md:1"], ["undo", "HEAD"]):
        done = folder.run(*look)
        assert "fatal" not in done.err and "ambiguous" not in done.err and "Traceback" not in done.err, (look, done)
        codes[look[0]] = done.code
    assert codes == {"check": 0, "doctor": 1, "why": 2, "undo": 2}  # doctor: not set up
    assert folder.snapshot() == before and folder.git("diff", "--cached", "--name-only") == "Home.md"
    assert edit(folder, "append", "people/ada-lovelace.md", stdin=b"- more\n").startswith("committed ")
    assert folder.git("symbolic-ref", "HEAD") == branch
    assert folder.git("diff", "--cached", "--name-only") == "Home.md"
    assert folder.git("log", "--format=%an|%s", "--", "people").splitlines()[1] == "Test Person|own: as it was"


# -- 025: inside another repository ----------------------------------------------------------------------


def test_025_however_deep_below_the_home_directory_the_choice_is_a_persons(tmp_path: Path) -> None:
    home = Folder(tmp_path / "home")  # dotfiles in a repository
    notes = Folder(home.root / "documents/my notes")
    notes.write("Home.md", "hi\n")
    home.write(".gitignore", "documents\n")
    home.git("init", "-q")
    home.commit("dotfiles", ".gitignore")
    before = frozen(home)
    done = notes.run("init")
    assert done.code == 2, done
    assert str(home.root) in done.err and "--repository own" in done.err and "--repository outer" in done.err
    assert frozen(home) == before
    assert notes.run("init", "--repository", "own").code == 0
    now = frozen(home)
    assert {name: now[name] for name in before if name != ".gitconfig"} == {
        name: data for name, data in before.items() if name != ".gitconfig"
    }  # the default vault is noted there
    assert edit(notes, "append", "Home.md", stdin=b"- more\n").startswith("committed ")
    assert frozen(home)[".git/index"] == before[".git/index"]
    assert home.git("log", "--format=%s") == "dotfiles"


def test_025_a_submodule_is_its_own_repository(plain: Folder, tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    outer.root.mkdir()
    outer.git("init", "-q")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(plain.root), "notes")
    outer.commit("with notes")
    inner, before = Folder(outer.root / "notes"), outer.git("ls-files", "-s")
    assert inner.run("init").code == 0
    assert edit(inner, "append", "Home.md", stdin=b"- more\n").startswith("committed ")
    assert (outer.git("ls-files", "-s"), outer.git("status", "--porcelain")) == (before, " M notes")
    assert not [name for name in os.listdir(outer.root / ".git/hooks") if not name.endswith(".sample")]
    for path, text in BAD.items():
        inner.write(path, text)
    assert "SK01" in inner.try_git("commit", "-am", "bad").err


# -- 027: other people's hooks -----------------------------------------------------------------------------


def test_027_beside_husky_both_run(plain: Folder) -> None:
    husky = plain.write(".husky/_/pre-commit", "#!/bin/sh\necho husky >> .git/ran\n")
    husky.chmod(0o755)
    plain.git("config", "core.hooksPath", ".husky/_")
    plain.commit("husky")
    done = plain.run("init")
    assert done.code == 0, done
    for path, text in BAD.items():
        plain.write(path, text)
    done = plain.try_git("commit", "-am", "bad")
    assert done.code == 1 and "SK01" in done.err
    plain.git("checkout", "-q", "--", ".")
    plain.write("Home.md", "mine\n")
    plain.git("commit", "-qam", "mine")
    assert plain.read(".git/ran") == "husky\n"
    assert husky.read_text() == "#!/bin/sh\necho husky >> .git/ran\n" and os.listdir(husky.parent) == ["pre-commit"]


# -- 029: variables of another git --------------------------------------------------------------------------


def test_029_no_variable_of_a_surrounding_git_leads_elsewhere(vault: Folder, tmp_path: Path) -> None:
    other = Folder(tmp_path / "other")
    other.write("Home.md", "the other's\n")
    other.git("init", "-q")
    other.commit("o")
    there = str(other.root / ".git")
    env = {
        "GIT_DIR": there, "GIT_COMMON_DIR": there, "GIT_WORK_TREE": str(other.root), "GIT_INDEX_FILE": f"{there}/index",
        "GIT_OBJECT_DIRECTORY": f"{there}/objects", "GIT_PREFIX": "people/", "GIT_NAMESPACE": "elsewhere",
        "GIT_QUARANTINE_PATH": f"{there}/objects/incoming", "GIT_REFLOG_ACTION": "commit", "GIT_ICASE_PATHSPECS": "1",
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
        "GIT_CONFIG_PARAMETERS": "'core.bare'='true'", "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_TRACE": "1",
    }  # fmt: skip
    before = frozen(other)
    where = ("--vault", str(vault.root), "--agent", "codex")
    done = run_cli("set", "Home.md", "seen=yes", *where, cwd=other.root, env=env)
    assert done.code == 0, done
    assert vault.git("log", "-1", "--format=%an %ad", "--date=format:%Y") == "codex 2026"
    for args in (["check"], ["verify"], ["log"], ["read", "Home.md"], ["undo", "HEAD", "--agent", "codex"]):
        done = run_cli(*args, "--vault", str(vault.root), cwd=other.root, env=env)
        assert done.code == 0 and "trace" not in done.err, (args, done)
    assert frozen(other) == before
    assert vault.git("status", "--porcelain") == "" and vault.git("fsck", "--no-dangling") == ""


# -- 033: signing -----------------------------------------------------------------------------------------


def test_033_no_commit_of_ours_starts_a_program_that_signs(plain: Folder) -> None:
    """test_edits has the same for an edit and OpenPGP."""
    program = plain.write(".git/sign", "#!/bin/sh\necho started >> .git/signed\nexec sleep 600\n")
    program.chmod(0o755)
    settings = {"commit.gpgsign": "true", "tag.gpgsign": "true", "user.signingkey": "ABCD", "gpg.format": "ssh",
                "gpg.program": str(program), "gpg.ssh.program": str(program)}  # fmt: skip
    for key, value in settings.items():
        plain.git("config", "--global", key, value)
    assert plain.run("init").code == 0
    edit(plain, "append", "Home.md", stdin=b"- more\n")
    assert plain.run("undo", "HEAD").code == 0
    assert "gpgsig" not in plain.git("cat-file", "--batch-all-objects", "--batch", "--buffer")
    assert not plain.exists(".git/signed")
    assert plain.git("config", "commit.gpgsign") == "true"


# -- 035: locks -------------------------------------------------------------------------------------------


def test_035_a_lock_that_goes_away_is_waited_for(vault: Folder) -> None:
    edit(vault, "append", "Home.md", stdin=b"- first\n")
    lock, queue = vault.write(".git/index.lock", ""), vault.root / ".git/vaultgit/state/queue"
    command = [sys.executable, "-P", "-m", "vaultgit", "append", "Home.md", "--agent", "codex"]
    with subprocess.Popen(command, cwd=vault.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdin and writer.stdout
        writer.stdin.write(b"- more\n")
        writer.stdin.close()
        while not os.listdir(queue) and writer.poll() is None:
            os.sched_yield()
        lock.unlink()
        said = writer.stdout.read()
    assert (writer.returncode, said.split()[0]) == (0, b"committed")
    assert vault.read("Home.md").endswith("- first\n- more\n")


@pytest.mark.parametrize("name", ["HEAD.lock", "refs/heads/main.lock"])
def test_035_other_locks_are_as_little_ours_to_take(vault: Folder, name: str) -> None:
    lock = vault.write(f".git/{name}", "")
    before = frozen(vault)
    said = edit(vault, "append", "Home.md", stdin=b"- more\n", code=75)
    assert said.startswith("queued ") and name in said
    assert frozen(vault) == before
    lock.unlink()
    assert vault.run("status").code == 0
    assert vault.read("Home.md").count("- more\n") == 1 and edits(vault) == 1
    assert vault.run("verify").out == "agrees: 1 edits\n"


# -- 063: a full disk -----------------------------------------------------------------------------------------


def limited(vault: Folder, blocks: int, *args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """`vaultgit ARGS` where no file may grow beyond `blocks` kB."""
    command = ["bash", "-c", f'ulimit -f {blocks}; exec "$0" -P -m vaultgit "$@"', sys.executable, *args]
    return subprocess.run(command, cwd=vault.root, input=stdin, capture_output=True, check=False)


@pytest.mark.parametrize("args", [["append", "Big.md"], ["move", "Big.md", "Bigger.md"]])
def test_063_whatever_needs_room_leaves_the_note_whole_and_succeeds_later_once(vault: Folder, args: list[str]) -> None:
    vault.write("Big.md", "---\ntitle: Big\n---\n" + "".join(f"word {n}\n" for n in range(600)))
    vault.commit("big")
    before, head = frozen(vault), vault.git("rev-parse", "HEAD")
    done = limited(vault, 4, *args, "--agent", "codex", stdin=b"- more\n")
    assert done.returncode in (1, 75), done
    assert b"Big.md" in done.stderr + done.stdout
    assert frozen(vault) == before and vault.git("rev-parse", "HEAD") == head
    done = limited(
        vault, 1000, *(["status"] if done.returncode == 75 else [*args, "--agent", "codex"]), stdin=b"- more\n"
    )
    assert done.returncode == 0, done
    assert edits(vault) == 1 and vault.git("status", "--porcelain") == ""
    assert vault.run("verify").out == "agrees: 1 edits\n"


def test_063_a_set_up_without_room_sets_nothing_up(plain: Folder) -> None:
    before = frozen(plain)
    done = limited(plain, 1, "init")
    assert done.returncode not in (0, 3), done
    assert b"Traceback" not in done.stderr
    assert frozen(plain) == before
    assert plain.run("init").code == 0
    assert plain.git("status", "--porcelain") == ""


# -- 065: another object format ---------------------------------------------------------------------------------


def test_065_all_of_it_in_a_sha256_repository(folder: Folder) -> None:
    folder.git("init", "-q", "--object-format=sha256")
    folder.commit("start")
    notes = folder.snapshot()
    assert folder.run("init").code == 0
    for path, text in BAD.items():
        folder.write(path, text)
    assert "SK01" in folder.try_git("commit", "-am", "bad").err
    folder.git("checkout", "-q", "--", ".")
    said = edit(folder, "move", "people/ada-lovelace.md", "people/ada.md")
    oid = re.match(r"committed ([0-9a-f]{64})\n", said)
    assert oid and folder.git("rev-parse", "HEAD") == oid[1]
    assert folder.read("Home.md") == "# Home\n\n[[people/ada]]\n"
    assert folder.run("check").code == 0
    assert folder.run("check", "--from", "HEAD~1", "--to", "HEAD").code == 0
    assert json.loads(folder.run("why", "Home.md:3", "--json").out)[0]["oid"] == oid[1]
    assert folder.run("undo", oid[1][:12]).code == 0
    assert folder.run("verify").out == "agrees: 2 edits\n"
    done = folder.run("doctor")
    assert (done.code, folder.git("fsck", "--no-dangling")) == (0, ""), done
    assert folder.run("init", "--remove").code == 0
    assert {path: folder.bytes(path) for path in notes} == notes
