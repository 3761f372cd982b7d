"""What a person decides is refused to agents by every door: the deciding commands, and the files that decisions stand in."""

from __future__ import annotations

import json

import pytest
from support import Folder

DECIDING = [
    ["review", "accept", "dream/2026-11-29"], ["review", "drop", "dream/2026-11-29"], ["review", "edit", "dream/2026-11-29"],
    ["review", "push", "dream/2026-11-29"], ["review", "apply"], ["inbox", "accept", "1"], ["inbox", "edit", "1"], ["inbox", "reject", "1"],
    ["consolidate", "--apply"], ["init"], ["init", "--remove"], ["init", "--adopt"], ["agent", "install", "codex"], ["agent", "remove", "codex"],
    ["schedule", "install"], ["schedule", "remove"], ["skill", "export", "../elsewhere"], ["undo", "HEAD"],
]  # fmt: skip
RECOGNISED = [{"VAULTGIT_AGENT": "codex"}, {"CLAUDECODE": "1"}, {"CODEX_THREAD_ID": "x", "CODEX_SANDBOX": "x"}]
RECORDS = [
    "review.md",
    ".vaultgit/declined.md",
    ".vaultgit/baseline.json",
    "changelog.md",
    "REVIEW.md",
    "review.md ",
    "./review.md",
]


@pytest.mark.parametrize("args", DECIDING, ids=" ".join)
@pytest.mark.parametrize("env", RECOGNISED[:2], ids=lambda env: next(iter(env)))
def test_no_agent_decides(vault: Folder, args: list[str], env: dict[str, str]) -> None:
    vault.commit("a person's")
    assert (
        vault.run("inbox", "add", "--target", "Home.md", "--reason", "r", "--agent", "gemini-cli", stdin=b"more\n").code
        == 0
    )
    vault.commit("a person's, again")
    before, head, refs = vault.snapshot(), vault.git("rev-parse", "HEAD"), vault.git("for-each-ref", "refs/heads")
    config = vault.git("config", "--local", "--list")
    done = vault.run(*args, env=env)
    assert done.code in (1, 2), done
    told = done.out + done.err
    assert "for a person to decide" in told or "there is no" in told or "no review branch" in told, done
    assert vault.snapshot() == before and vault.git("rev-parse", "HEAD") == head
    assert vault.git("for-each-ref", "refs/heads") == refs and vault.git("config", "--local", "--list") == config


@pytest.mark.parametrize("path", RECORDS)
def test_no_agent_writes_what_decisions_stand_in(vault: Folder, path: str) -> None:
    vault.write("review.md", "<!-- vaultgit 01jdx3k9m2qtw7ab -->\n- [ ] accept\n")
    vault.write(".vaultgit/declined.md", "- 2026-11-01 proposal x ^01jdx3k9m2qtw7ab\n")
    vault.commit("records")
    before = vault.snapshot()
    text = "- [x] accept\n"
    for args, stdin in (
        (["write", path], text), (["append", path], text), (["delete", path], ""), (["set", path, "a=b"], ""),
        (["move", path, "x.md"], ""), (["move", "Home.md", path], ""), (["apply"], json.dumps({"changes": [{"path": path, "append": text}]})),
        (["inbox", "add", f"--target={path}", "--reason", "r"], text),
    ):  # fmt: skip
        done = vault.run(*args, env={"VAULTGIT_AGENT": "codex"}, stdin=stdin.encode())
        assert done.code in (1, 2), done
    assert vault.snapshot() == before


def test_an_agent_neither_answers_nor_takes_away_what_another_suggested(vault: Folder) -> None:
    said = vault.run(
        "inbox", "add", "--target", "Home.md", "--reason", "r", "--agent", "gemini-cli", "--json", stdin=b"more\n"
    )
    path = json.loads(said.out)["inbox"] or json.loads(said.out)["path"]
    assert vault.exists(path), said
    text = vault.bytes(path)
    for args in (["delete", path], ["move", path, "x.md"], ["append", path], ["set", path, "reason=other"]):
        done = vault.run(*args, env={"VAULTGIT_AGENT": "codex"}, stdin=b"x\n")
        assert done.code == 1 and ("PA01" in done.err or "person" in done.err), done
    assert vault.bytes(path) == text


def test_a_tick_in_an_agents_commit_is_refused_and_on_disk_is_recorded_as_nobodys(vault: Folder) -> None:
    """With a shell an agent can tick a box as a person can: docs/security.md says so. What is signed as its own is seen."""
    vault.write("review.md", "- [x] accept\n")
    vault.git("add", "review.md")
    done = vault.try_git("commit", "-m", "review: x\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab\n")
    assert done.code == 1 and "PA01" in done.err, done
    done = vault.run("record", "--agent", "codex")
    assert "review.md" not in vault.git("log", "--author=codex", "--name-only", "--format=")


def test_a_person_may_let_agents_decide(vault: Folder) -> None:
    vault.git("config", "vaultgit.agentsMayDecide", "true")
    assert vault.run("init", env={"VAULTGIT_AGENT": "codex"}).code == 0
