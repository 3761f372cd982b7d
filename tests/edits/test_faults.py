"""Promises P2 and P3 under kill -9: a writer is killed at every named step of landing, then a person acts, then
anything of ours runs. The edit ends in history once, whole, with its line; the person's text is where they left it."""

from __future__ import annotations

import os
import re
import signal

import pytest
import warm
from support import Folder

from vaultgit.edits import steps

KILLER = """
import os, signal, sys
from vaultgit.edits import steps
target, group = sys.argv[1], sys.argv[2] == "group"
def reached(name):
    if name == target:
        os.killpg(0, signal.SIGKILL) if group else os.kill(os.getpid(), signal.SIGKILL)
steps.reached = reached
from vaultgit.cli.main import main
raise SystemExit(main(sys.argv[3:]))
"""

PEOPLE = ("nothing", "add and commit all", "commit what is staged", "stash and pop")


def killed(vault: Folder, step: str, *args: str, stdin: bytes = b"", group: bool = False) -> None:
    done = warm.run(
        KILLER, step, "group" if group else "one", *args, cwd=vault.root, stdin=stdin, env=os.environ, new_session=True
    )
    assert done.code == -signal.SIGKILL, (step, done)


def act(vault: Folder, person: str) -> None:
    """What a person does before anything of ours runs; a lock left behind they delete, as git's message tells."""
    (vault.root / ".git/index.lock").unlink(missing_ok=True)
    for lock in (".git/HEAD.lock", ".git/refs/heads/main.lock"):
        (vault.root / lock).unlink(missing_ok=True)
    if person == "add and commit all":
        vault.git("add", "-A")
        vault.try_git("commit", "-q", "--no-verify", "-m", "my work")
    elif person == "commit what is staged":
        vault.git("commit", "-q", "--no-verify", "-m", "my work")
    elif person == "stash and pop":
        vault.git("stash", "-q")
        vault.git("stash", "pop", "-q")


def assert_landed_once(vault: Folder, text: str) -> None:
    """One commit with the edit's id, one line, the text in HEAD and on disk, and nothing left behind."""
    messages = vault.git("log", "--format=%B")
    ids = re.findall(r"^Edit: (\w{16})$", messages, re.MULTILINE)
    assert len(ids) == len(set(ids)) == 1, messages
    assert vault.read("changelog.md").count(f"^{ids[0]}") == 1
    assert vault.git("show", "HEAD:changelog.md").count(f"^{ids[0]}") == 1
    assert vault.git("show", "HEAD:Home.md").count(text) == 1
    assert vault.read("Home.md").count(text) == 1
    left = [name for name in ("index.lock", "HEAD.lock", "refs/heads/main.lock") if vault.exists(f".git/{name}")]
    assert not left
    assert vault.git("for-each-ref", "refs/vaultgit") == ""
    assert os.listdir(vault.root / ".git/vaultgit/state/queue") == []
    assert os.listdir(vault.root / ".git/vaultgit/state/plans") == []
    assert vault.git("fsck", "--no-dangling", "--no-progress") == ""


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("step", steps.NAMES)
def test_p2_p3_a_kill_at_every_step_and_then_a_person(vault: Folder, step: str, person: str) -> None:
    vault.write("Home.md", vault.read("Home.md") + "\n" * 6 + "typed by me, not in git\n")
    vault.write("mine.md", "staged by me\n")
    vault.git("add", "mine.md")
    killed(vault, step, "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    act(vault, person)
    assert vault.run("status").code == 0
    assert_landed_once(vault, "by the agent")
    assert vault.read("Home.md").count("typed by me, not in git") == 1
    assert vault.run("verify").code == 0, vault.run("verify").out
    if person in ("nothing", "stash and pop"):
        status = sorted(vault.git("status", "--porcelain").splitlines())
        assert status == [" M Home.md", "A  mine.md"], step
        assert "typed by me" not in vault.git("show", "HEAD:Home.md")
    agents = vault.git("log", "--author=codex", "--name-only", "--format=")
    assert "mine.md" not in agents


@pytest.mark.parametrize("step", [s for s in steps.NAMES if s != "queue-written"])
def test_p2_the_whole_process_group_is_killed(vault: Folder, step: str) -> None:
    """The git children die as well: the locks they held are told from a person's and removed."""
    killed(vault, step, "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n", group=True)
    assert vault.run("append", "people/ada-lovelace.md", "-m", "people/ada: next", stdin=b"more\n").code == 0
    messages = vault.git("log", "--format=%B")
    assert len(set(re.findall(r"^Edit: (\w{16})$", messages, re.MULTILINE))) == 2
    assert vault.git("show", "HEAD:Home.md").count("by the agent") == 1
    assert vault.git("status", "--porcelain") == ""
    assert vault.run("verify").code == 0
    for name in ("index.lock", "HEAD.lock", "refs/heads/main.lock", "packed-refs.lock"):
        assert not vault.exists(f".git/{name}"), step


@pytest.mark.parametrize("step", ["planned", "disk", "index", "ref"])
def test_p2_an_edit_that_a_person_reset_away_is_not_brought_back(vault: Folder, step: str) -> None:
    """Only what has landed can be reset away; what had not is still the agent's to land."""
    before = vault.git("rev-parse", "HEAD")
    killed(vault, step, "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    (vault.root / ".git/index.lock").unlink(missing_ok=True)
    vault.git("reset", "-q", "--hard", before)
    assert vault.run("status").code == 0
    assert vault.git("status", "--porcelain") == ""
    assert ("by the agent" in vault.read("Home.md")) is (step != "ref")
    assert vault.run("verify").code == 0


@pytest.mark.parametrize("step", ["disk", "index"])
def test_p2_a_redone_edit_that_no_longer_merges_goes_to_the_inbox_and_leaves_the_note(vault: Folder, step: str) -> None:
    killed(vault, step, "write", "people/ada-lovelace.md", "--agent", "codex", "--base",
           vault.git("rev-parse", "HEAD:people/ada-lovelace.md"), stdin=b"Born 1816.\n")  # fmt: skip
    (vault.root / ".git/index.lock").unlink(missing_ok=True)
    # The person commits another text for the same line, past the index that holds the agent's.
    mine = vault.git("show", "HEAD:people/ada-lovelace.md").replace("1815", "1817") + "\n"
    blob = vault.git("hash-object", "-w", "--stdin", stdin=mine.encode())
    other = {"GIT_INDEX_FILE": ".git/other"}
    vault.git("read-tree", "HEAD", env=other)
    vault.git("update-index", "--cacheinfo", f"100644,{blob},people/ada-lovelace.md", env=other)
    tree = vault.git("write-tree", env=other)
    vault.git("update-ref", "refs/heads/main", vault.git("commit-tree", tree, "-p", "HEAD", "-m", "mine"))
    assert vault.run("status").code == 0
    [note] = [name for name in os.listdir(vault.root / "inbox") if name.endswith(".md")]
    assert "Born 1816." in vault.read(f"inbox/{note}")
    assert "1817" in vault.git("show", "HEAD:people/ada-lovelace.md")
    assert "1816" not in vault.read("people/ada-lovelace.md")
    assert vault.run("verify").code == 0
