"""Promises P2 and P3 with many at once: eight writers of four agents, and a person who loops git commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

from support import Folder

WRITERS, EDITS = 8, 15

WRITER = """
import json, os, sys
from vaultgit.clock import SystemClock
from vaultgit.edits import compose, submit
from vaultgit.vault import open_vault
number, edits = int(sys.argv[1]), int(sys.argv[2])
by = submit.By(f"agent-{number % 4}")
vault = open_vault(os.getcwd())
with vault.repo:
    for n in range(edits):
        path = "shared.md" if n % 2 else f"own-{number}.md"
        change = compose.append(vault, path, b"- writer %d edit %d\\n" % (number, n), None, by.agent)
        result = submit.submit(vault, SystemClock(), [change], subject=f"{path}: writer {number} edit {n}", by=by)
        print(json.dumps([result.outcome, result.edit, number, n]), flush=True)
"""


def test_p2_p3_every_acknowledged_edit_once_and_nothing_of_the_persons_in_it(vault: Folder) -> None:
    vault.write("shared.md", "# Shared\n")
    vault.commit()
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(number), str(EDITS)], cwd=vault.root,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ))
        for number in range(WRITERS)
    ]  # fmt: skip
    rounds = 0
    while rounds < 5 or any(writer.poll() is None for writer in writers):
        vault.write("mine.md", f"typed by me, round {rounds}\n")
        for args in (
            ["add", "-A"],
            ["commit", "-q", "-m", "mine", *(["--no-verify"] if rounds % 3 else [])],
            ["status", "--short"],
            ["stash", "list"],
        ):
            vault.try_git(*args)
        rounds += 1
    acknowledged = {}
    for writer in writers:
        out, err = writer.communicate()
        assert writer.returncode == 0, err.decode()
        for line in out.decode().splitlines():
            outcome, edit, number, n = json.loads(line)
            acknowledged[edit] = (outcome, number, n)
    assert len(acknowledged) == WRITERS * EDITS
    for _ in range(3):
        assert vault.run("status").code == 0
    assert json.loads(vault.run("status", "--json").out)["queue"] == []

    ids = re.findall(r"^Edit: (\w{16})$", vault.git("log", "--format=%B"), re.MULTILINE)
    assert sorted(ids) == sorted(acknowledged)
    assert vault.run("verify").out == f"agrees: {WRITERS * EDITS} edits\n"
    inbox = "".join(vault.read(str(p.relative_to(vault.root))) for p in vault.root.glob("inbox/*.md"))
    for outcome, number, n in acknowledged.values():
        path = "shared.md" if n % 2 else f"own-{number}.md"
        text = f"- writer {number} edit {n}\n"
        assert vault.read(path).count(text) == 1 or text in inbox, (outcome, number, n)
    agents = vault.git("log", "--author=agent-", "--name-only", "--format=").split("\n")
    assert "mine.md" not in agents
    assert vault.git("fsck", "--no-dangling", "--no-progress") == ""
    for name in ("index.lock", "HEAD.lock", "refs/heads/main.lock"):
        assert not vault.exists(f".git/{name}")
    vault.commit("mine, the last")
    assert vault.git("status", "--porcelain") == ""
