"""A vault, or its repository, that belongs to another user: git's refusal, told in words by every command; nothing of
it is read, drained or run. And the folders above: a `.git` that somebody left in /tmp is not ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import Folder

NOBODY = 65534
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")

COMMANDS = [
    ["status"], ["doctor"], ["check", "--all"], ["verify"], ["search", "ada"], ["context", "ada"], ["read", "Home.md"],
    ["links", "Home.md"], ["log"], ["why", "Home.md:1"], ["write", "new.md"], ["append", "Home.md"], ["set", "Home.md", "a=b"],
    ["delete", "Home.md"], ["move", "Home.md", "x.md"], ["apply"], ["record", "--agent", "codex"], ["undo", "HEAD"], ["session", "start", "t"],
    ["session", "end"], ["inbox", "list"], ["inbox", "add", "--target", "Home.md", "--reason", "r"], ["inbox", "accept", "1"],
    ["skill", "list"], ["skill", "new", "a-b", "--trigger", "t"], ["molt", "review-a-pr", "--trigger", "repeated", "--reason", "r"],
    ["dream"], ["review", "list"], ["review", "apply"], ["capture"], ["consolidate"], ["schedule", "install"],
    ["init"], ["agent", "install", "claude-code"],
]  # fmt: skip


def give_away(path: Path, user: int = NOBODY) -> None:
    for one in (path, *path.rglob("*")):
        os.chown(one, user, user, follow_symlinks=False)


def plant(vault: Folder) -> None:
    """An edit that waits in the queue of the other user's vault."""
    vault.write(".git/MERGE_HEAD", vault.git("rev-parse", "HEAD") + "\n")
    assert vault.run("append", "Home.md", stdin=b"by the other user\n").code == 75
    (vault.root / ".git/MERGE_HEAD").unlink()


@pytest.mark.parametrize("whose", ["all", ".git", "root"])
def test_every_command_says_what_git_says_and_does_nothing(vault: Folder, whose: str) -> None:
    plant(vault)
    if whose == "root":
        os.chown(vault.root, NOBODY, NOBODY)
    else:
        give_away(vault.root if whose == "all" else vault.root / ".git")
    before = vault.snapshot()
    for args in COMMANDS if whose == "all" else COMMANDS[:3] + COMMANDS[10:12]:
        stdin = b'{"changes": [{"path": "Home.md", "append": "x"}]}' if args[0] != "record" else b""
        done = vault.run(*args, stdin=stdin)
        told = done.out + done.err
        assert done.code in (1, 2), done
        assert "safe.directory" in told, (args, done)
        assert "Traceback" not in told and "a bug of ours" not in told, done
    assert vault.snapshot() == before
    assert [path.name for path in (vault.root / ".git/vaultgit/state/queue").iterdir()] != []


def test_the_vault_of_another_user_serves_who_was_let_in(vault: Folder) -> None:
    """`git config --global safe.directory` is how git is told, and all that we ask for."""
    give_away(vault.root)
    subprocess.run(["git", "config", "--global", "safe.directory", str(vault.root)], check=True)
    assert vault.run("status").code == 0
    assert vault.run("append", "Home.md", stdin=b"x\n").out.startswith("committed")


def test_a_repository_that_somebody_left_above_is_not_used(tmp_path: Path) -> None:
    """As in /tmp, where anybody can make a `.git`."""
    above = Folder(tmp_path / "above")
    above.write("inside/.obsidian/app.json", "{}")
    above.write("inside/Home.md", "x\n")
    above.git("init", "-q")
    give_away(above.root / ".git")
    inside = Folder(above.root / "inside")
    for args in (["status"], ["append", "Home.md"]):
        done = inside.run(*args, stdin=b"y\n")
        assert done.code in (1, 2) and "dubious ownership" in done.err, done
    assert inside.read("Home.md") == "x\n"


def test_an_agents_hook_lets_the_agent_go_on(vault: Folder) -> None:
    """P10."""
    give_away(vault.root)
    for name in ("session-start", "prompt", "wrote", "session-end"):
        done = vault.run("hook", name, stdin=b'{"session_id": "s", "cwd": "%b"}' % os.fsencode(vault.root))
        assert done.code == 0 and "Traceback" not in done.err, done


def test_p11_another_user_reads_nothing_of_the_queue(vault: Folder) -> None:
    os.chmod(vault.root.parent, 0o755)
    plant(vault)
    program = "import os, sys; os.setgid(65534); os.setuid(65534); [print(open(os.path.join(sys.argv[1], n)).read()) for n in os.listdir(sys.argv[1])]"
    queue = vault.root / ".git/vaultgit/state/queue"
    done = subprocess.run([sys.executable, "-c", program, str(queue)], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "PermissionError" in done.stderr and "by the other user" not in done.stdout
