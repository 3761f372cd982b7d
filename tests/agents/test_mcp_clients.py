"""The real clients, calling our MCP server, against a scripted model. `make test-agents` installs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakemodel import FakeModel
from realclients import BIN
from realclients import KEY
from realclients import needs
from support import Folder

TRIES, DEADLINE = 4, 20.0
BOB = {"path": "people/bob.md", "text": "---\ntype: person\nname: Bob\n---\nMet.\n", "reason": "he came by"}

pytestmark = pytest.mark.clients


@pytest.fixture
def model() -> Iterator[FakeModel]:
    made = FakeModel("Done.")
    yield made
    made.close()


@pytest.fixture
def work(vault: Folder) -> Path:
    """Where the client works: elsewhere."""
    return vault.root.parent / "work"


def server(root: Path) -> list[str]:
    return ["-P", "-m", "vaultgit", "mcp", "--vault", str(root)]


def run(*args: str | Path, work: Path, **env: str) -> str:
    done = subprocess.run(
        args, cwd=work, env={**os.environ, **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def claude(model: FakeModel, work: Path, root: Path) -> dict[str, Any]:
    config = {"mcpServers": {"vaultgit": {"command": sys.executable, "args": server(root)}}}
    (work.parent / "mcp.json").write_text(json.dumps(config))
    for _ in range(TRIES):  # it does not wait for a server that is slow to start
        said = run(
            BIN / "claude", "-p", "Note that Bob came by.", "--mcp-config", str(work.parent / "mcp.json"),
            "--strict-mcp-config", "--allowedTools", "mcp__vaultgit", "--output-format", "json", work=work,
            ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=model.url, DISABLE_TELEMETRY="1", DISABLE_ERROR_REPORTING="1",
            DISABLE_AUTOUPDATER="1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", MCP_CONNECTION_NONBLOCKING="0",
            MCP_CONNECT_TIMEOUT_MS="30000", ENABLE_TOOL_SEARCH="false",  # else the model has to load each tool first
        )  # fmt: skip
        if not model.calls:
            break
    found: dict[str, Any] = json.loads(said)
    return found


def codex(model: FakeModel, work: Path, root: Path) -> str:
    provider = (
        f'{{name="fake",base_url="{model.url}/v1",env_key="FAKE_KEY",wire_api="responses",request_max_retries=0}}'
    )
    env = ",".join(
        f"{name}={json.dumps(os.environ[name])}" for name in ("PYTHONPATH", "VAULTGIT_NOW", "GIT_CONFIG_GLOBAL")
    )
    words = f"command={json.dumps(sys.executable)},args={json.dumps(server(root))},env={{{env}}},required=true"
    return run(
        BIN / "codex", "exec", "--skip-git-repo-check", "-c", "model=scripted", "-c", "model_provider=fake", "-c",
        f"model_providers.fake={provider}", "-c", f"mcp_servers.vaultgit={{{words}}}", "Note that Bob came by.",
        work=work, FAKE_KEY=KEY,
    )  # fmt: skip


def edit(vault: Folder) -> dict[str, str]:
    """The commit that made the note: the only one of that note."""
    [oid] = vault.git("log", "--format=%H", "--", "people/bob.md").split()
    lines = vault.git("show", "-s", "--format=author: %an%nreason: %b%n%(trailers:only)", oid).splitlines()
    return {
        "files": vault.git("show", "--name-only", "--format=", oid),
        **dict(line.split(": ", 1) for line in lines if ": " in line),
    }


def ended(vault: Folder) -> list[Path]:
    """The session's note: the server writes it when its client has gone."""
    until = time.monotonic() + DEADLINE
    while not list((vault.root / "sessions").glob("*.md")) or vault.git("status", "--porcelain"):
        assert time.monotonic() < until, vault.run("session", "list").out
        threading.Event().wait(0.1)
    return list((vault.root / "sessions").glob("*.md"))


def assert_is_one_commit(vault: Folder, agent: str) -> dict[str, str]:
    found = edit(vault)
    assert found["author"] == found["Agent"] == agent and found["reason"] == "he came by"
    assert found["files"].split() == ["changelog.md", "people/bob.md"]
    assert vault.read("people/bob.md") == BOB["text"]
    [note] = ended(vault)
    assert f"agent: {agent}" in note.read_text() and "people/bob" in note.read_text()
    assert vault.git("status", "--porcelain") == "" and vault.run("verify").code == 0
    return found


@needs("claude")
def test_a_call_by_claude_code_becomes_one_commit_of_its_session(model: FakeModel, vault: Folder, work: Path) -> None:
    model.calls = [("mcp__vaultgit__write", BOB)]
    said = claude(model, work, vault.root)
    assert said["result"] == "Done." and not said["permission_denials"]
    assert assert_is_one_commit(vault, "claude-code")["Session"] == said["session_id"]
    asked = json.dumps(model.requests)
    assert "No passwords, keys or tokens" in asked and '\\"outcome\\":\\"committed\\"' in asked


@needs("codex")
def test_a_call_by_codex_becomes_one_commit(model: FakeModel, vault: Folder, work: Path) -> None:
    model.calls = [("mcp__vaultgit/write", BOB)]
    assert codex(model, work, vault.root).strip() == "Done."
    assert_is_one_commit(vault, "codex")
    asked = json.dumps(model.requests)
    assert "No passwords, keys or tokens" in asked and "committed" in asked


@needs("claude")
def test_claude_code_is_told_why_it_is_refused_and_goes_on(model: FakeModel, vault: Folder, work: Path) -> None:
    before = vault.snapshot()
    model.calls = [("mcp__vaultgit__write", {"path": ".git/hooks/pre-commit", "text": "x"})]
    assert claude(model, work, vault.root)["result"] == "Done."
    assert "PA01" in json.dumps(model.requests[-1]["messages"]) and vault.snapshot() == before


@pytest.mark.parametrize(
    "client", [pytest.param("claude", marks=needs("claude")), pytest.param("codex", marks=needs("codex"))]
)
def test_a_vault_that_is_missing_disturbs_no_client(model: FakeModel, vault: Folder, work: Path, client: str) -> None:
    """P10."""
    root = vault.root.parent / "nowhere"
    model.calls = [("mcp__vaultgit__search" if client == "claude" else "mcp__vaultgit/search", {"query": "Bob"})]
    said = claude(model, work, root)["result"] if client == "claude" else codex(model, work, root).strip()
    assert said == "Done." and "there is no folder" in json.dumps(model.requests)
