"""The real clients, asked as an engine asks them, against a scripted model: `make test-agents` installs them.

Each test first shows that the client would keep a session and run a hook, where it is started without our flags.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakemodel import FakeModel
from realclients import BIN
from realclients import KEY
from realclients import needs
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.passes import engines
from vaultgit.passes.engines import Prompt
from vaultgit.passes.engines.command import Command
from vaultgit.passes.engines.prompt import SENTINEL
from vaultgit.passes.engines.prompt import render
from vaultgit.vault import open_vault

PROMPT = Prompt("Join both.", (("skills/a.md", "1. go\n"), ("skills/b.md", "2. stay\n")))
ANSWER = "1. go\n2. stay"
INSTRUCTIONS = "INSTRUCTIONS-OF-THE-USER"

pytestmark = pytest.mark.clients


@pytest.fixture
def model() -> Iterator[FakeModel]:
    made = FakeModel(ANSWER)
    yield made
    made.close()


Make = Callable[..., Command]


@pytest.fixture
def engine(vault: Folder) -> Iterator[Make]:
    opened = open_vault(str(vault.root))

    def make(name: str, words: list[str]) -> Command:
        vault.git("config", "vaultgit.engine", shlex.join([str(BIN / name), *words]))
        made = engines.chosen(opened, SystemClock(), "command")
        assert made is not None
        return made

    with opened.repo:
        yield make


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with hooks and instructions of the user for both clients; the hooks make `tmp_path/hooked`."""
    home = tmp_path / "home"
    hook = [{"hooks": [{"type": "command", "command": f"touch {tmp_path}/hooked"}]}]
    hooks = {"hooks": dict.fromkeys(("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"), hook)}
    for path, text in {
        ".claude/settings.json": json.dumps(hooks),
        ".claude/CLAUDE.md": INSTRUCTIONS,
        ".codex/hooks.json": json.dumps(hooks),
    }.items():
        (home / path).parent.mkdir(exist_ok=True)
        (home / path).write_text(text)
    return home


def kept(home: Path) -> list[str]:
    """Files below the home that hold something of the prompt or of the answer."""
    return [
        str(path.relative_to(home))
        for path in sorted(home.rglob("*"))
        if path.is_file() and any(part in path.read_bytes() for part in (SENTINEL.encode(), b"Join both", b"2. stay"))
    ]


def by_hand(name: str, *args: str, cwd: Path) -> str:
    """The client, started as a person would, with the same prompt."""
    text = "\n".join(render(PROMPT))
    command = [str(BIN / name), *args]
    done = subprocess.run(command, cwd=cwd, input=text, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# -- Claude ------------------------------------------------------------------------------------------------------


def for_claude(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    for key, value in {
        "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url, "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(key, value)


@needs("claude")
def test_claude_answers_and_leaves_nothing(
    engine: Make, model: FakeModel, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for_claude(monkeypatch, model.url)
    answer = engine("claude", []).write(PROMPT)
    assert (answer.text, answer.failed) == (ANSWER, "")
    assert kept(home) == [] and not (home / ".claude/projects").exists() and not (tmp_path / "hooked").exists()
    sent = json.dumps(model.requests)
    assert len(model.requests) == 1 and not model.requests[0].get("tools") and INSTRUCTIONS not in sent
    assert SENTINEL in sent and "Join both." in sent

    by_hand("claude", "-p", cwd=tmp_path)
    assert kept(home) and (tmp_path / "hooked").exists() and INSTRUCTIONS in json.dumps(model.requests[1:])


@needs("claude")
@pytest.mark.parametrize("fault", ["e400", "e401", "e500", "empty", "cut"])
def test_claude_in_trouble_is_a_failure(
    engine: Make, model: FakeModel, home: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    for_claude(monkeypatch, f"{model.url}/{fault}")
    answer = engine("claude", []).write(PROMPT)
    assert answer.text == "" and answer.failed.startswith("claude ") and model.requests
    assert kept(home) == []


@needs("claude")
def test_claude_without_a_key_is_a_failure(engine: Make, home: Path) -> None:
    answer = engine("claude", []).write(PROMPT)
    assert answer.text == "" and "login" in answer.failed


@needs("claude")
def test_claude_that_waits_for_ever_is_ended(
    engine: Make, model: FakeModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for_claude(monkeypatch, f"{model.url}/hang")
    asked = engine("claude", [])
    asked.seconds = 6.0
    answer = asked.write(PROMPT)
    assert answer.text == "" and answer.failed and answer.seconds < 20 and kept(home) == []


# -- Codex -------------------------------------------------------------------------------------------------------


def for_codex(monkeypatch: pytest.MonkeyPatch, url: str) -> list[str]:
    monkeypatch.setenv("FAKE_KEY", KEY)
    provider = f'{{name="fake",base_url="{url}/v1",env_key="FAKE_KEY",wire_api="responses",request_max_retries=1,stream_max_retries=1}}'
    # Else a new hook is left out anyway, and nothing would be shown.
    trust = "--dangerously-bypass-hook-trust"
    return [trust, "-c", "model=scripted", "-c", "model_provider=fake", "-c", f"model_providers.fake={provider}"]


@needs("codex")
def test_codex_answers_and_leaves_nothing(
    engine: Make, model: FakeModel, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = for_codex(monkeypatch, model.url)
    answer = engine("codex", words).write(PROMPT)
    assert (answer.text.rstrip(), answer.failed) == (ANSWER, "")
    assert kept(home) == [] and not (home / ".codex/sessions").exists() and not (tmp_path / "hooked").exists()
    (request,) = model.requests
    names = {tool.get("name") for tool in request["tools"]}
    assert not names & {"exec_command", "shell", "local_shell", "apply_patch", "web_search"}, names
    assert SENTINEL in json.dumps(request) and "Join both." in json.dumps(request)

    by_hand("codex", "exec", *words, "--skip-git-repo-check", cwd=tmp_path)
    assert kept(home) and (home / ".codex/sessions").exists() and (tmp_path / "hooked").exists()


@needs("codex")
@pytest.mark.parametrize("fault", ["e400", "e401", "e500", "empty", "cut"])
def test_codex_in_trouble_is_a_failure(
    engine: Make, model: FakeModel, home: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    answer = engine("codex", for_codex(monkeypatch, f"{model.url}/{fault}")).write(PROMPT)
    assert answer.text == "" and answer.failed.startswith("codex ") and model.requests
    assert kept(home) == []


@needs("codex")
def test_codex_that_waits_for_ever_is_ended(
    engine: Make, model: FakeModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = engine("codex", for_codex(monkeypatch, f"{model.url}/hang"))
    asked.seconds = 6.0
    answer = asked.write(PROMPT)
    assert answer.failed == "codex gave no answer within 6 s" and kept(home) == []
