"""Capture with the real clients, against a scripted model: their hooks, our /recap, and Claude Code as the engine.
`make test-agents` installs them.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fakemodel import FakeModel
from realclients import BIN
from realclients import KEY
from realclients import needs
from support import Folder

from vaultgit.install import clients
from vaultgit.install.clients import codex

DEADLINE = 30.0  # seconds until what a hook started must have committed
DECIDED = "We decided: integer cents everywhere, the column is amount_cents."
REMIND = "Remind me that I have to ask Marta in accounting about rounding."
ALL_OFF = ("--settings", '{"disableAllHooks": true}')

pytestmark = pytest.mark.clients


@pytest.fixture
def notes(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A vault that takes every conversation, however short, and though no person typed it."""
    monkeypatch.delenv("VAULTGIT_NOW")  # the clients write the real time
    vault.write(".vaultgit.toml", "[capture]\nmin_chars = 1\ninclude_headless = true\n")
    vault.commit("settings")
    return vault


@pytest.fixture
def work(notes: Folder) -> Path:
    """Where the client works: elsewhere."""
    return notes.root.parent / "work"


def daily(notes: Folder) -> str:
    return "".join(path.read_text() for path in sorted((notes.root / "daily").glob("*.md")))


def captures(notes: Folder) -> int:
    return len(notes.git("log", "--format=%H", "--grep=^Captured: ").split())


def captured(notes: Folder, words: str) -> str:
    """The daily notes, once they have these words: a hook's work goes on after the client has ended."""
    until = time.monotonic() + DEADLINE
    while words not in daily(notes) or notes.git("status", "--porcelain"):
        assert time.monotonic() < until, daily(notes) + notes.git("log", "-3")
        threading.Event().wait(0.1)
    return daily(notes)


def only(path: Path, event: str) -> None:
    """Leaves one event's hooks in a client's settings: what happens is theirs."""
    settings = json.loads(path.read_text())
    settings["hooks"] = {event: settings["hooks"][event]}
    path.write_text(json.dumps(settings))


# -- Claude Code -----------------------------------------------------------------------------------


class Claude:
    """The real client, in a folder of its own. `url`: of the model."""

    def __init__(self, url: str, work: Path) -> None:
        self.url, self.work = url, work

    def env(self) -> dict[str, str]:
        return {
            "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": self.url, "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }  # fmt: skip

    def says(self, *args: str) -> dict[str, Any]:
        done = subprocess.run(
            [BIN / "claude", "-p", *args, "--output-format", "json"], cwd=self.work, env={**os.environ, **self.env()},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def claude(model: FakeModel, notes: Folder, work: Path) -> Claude:
    return Claude(model.url, work)


@needs("claude")
def test_a_conversation_that_ends_is_captured(claude: Claude, notes: Folder, home: Path) -> None:
    """Issue "at once when a client is about to end a session"; P10: the client says what it says without us."""
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"cleanupPeriodDays": 99}')  # what no version of the client brings up to date by itself
    assert notes.run("agent", "install", "claude").code == 0
    assert claude.says(DECIDED)["result"] == "Understood."
    assert "In work, with claude-code:" in captured(notes, "integer cents everywhere")
    assert captures(notes) == 1 and not (home / ".local/state/vaultgit").exists()  # no log of a bug
    assert notes.run("agent", "remove", "claude").code == 0
    assert settings.read_text() == '{"cleanupPeriodDays": 99}'


@needs("claude")
def test_a_conversation_is_captured_before_it_is_compacted(
    claude: Claude, model: FakeModel, notes: Folder, home: Path
) -> None:
    assert notes.run("agent", "install", "claude").code == 0
    only(home / ".claude/settings.json", "PreCompact")
    talk = claude.says(DECIDED, *ALL_OFF)["session_id"]
    assert claude.says("--resume", talk, REMIND, *ALL_OFF)["session_id"] == talk
    assert daily(notes) == ""
    model.answer = "<summary>We decided nothing at all: SUMMARY.</summary>"
    before = len(model.requests)
    claude.says("--resume", talk, "/compact")
    text = captured(notes, "Marta")
    assert "integer cents everywhere" in text and "SUMMARY" not in text and captures(notes) == 1
    # What a hook prints would stand in the instructions of the summary.
    assert len(model.requests) > before and "vaultgit:" not in json.dumps(model.requests[before:])
    done = notes.run("capture")
    assert done.code == 0 and captures(notes) == 1, done.out


@needs("claude")
def test_our_recap_command_captures_what_is_new_and_tells_the_model(
    claude: Claude, model: FakeModel, notes: Folder
) -> None:
    """In front of the client's own /recap, with no question of leave."""
    assert notes.run("agent", "install", "claude").code == 0
    talk = claude.says(DECIDED, *ALL_OFF)["session_id"]
    claude.says("--resume", talk, "/recap", *ALL_OFF)
    assert "integer cents everywhere" in daily(notes) and captures(notes) == 1
    asked = json.dumps(model.requests[-1])
    assert "This is what `vaultgit recap` said" in asked and f"committed {notes.git('rev-parse', 'HEAD')}" in asked


@needs("claude")
def test_a_vault_that_is_gone_disturbs_no_conversation(claude: Claude, notes: Folder, home: Path) -> None:
    """P10."""
    assert notes.run("agent", "install", "claude").code == 0
    notes.root.rename(notes.root.parent / "elsewhere")
    talk = claude.says(DECIDED)
    assert talk["result"] == "Understood."
    claude.says("--resume", talk["session_id"], "/compact")


# -- Claude Code as the engine of a capture: acceptance 3 ------------------------------------------


@pytest.fixture
def spoken(claude: Claude, notes: Folder) -> Claude:
    """A conversation that waits to be captured, and the engine set."""
    claude.says(DECIDED)
    notes.git("config", "vaultgit.engine", shlex.quote(str(BIN / "claude")))
    return claude


def logs(home: Path) -> dict[str, int]:
    return {str(path): path.stat().st_size for path in (home / ".claude/projects").rglob("*.jsonl")}


@needs("claude")
def test_the_engine_answers_well(spoken: Claude, model: FakeModel, notes: Folder, home: Path) -> None:
    before, model.answer = logs(home), "- decision: amounts are integers, in cents, column amount_cents"
    model.requests.clear()
    done = notes.run("capture", env=spoken.env())
    assert done.code == 0 and captures(notes) == 1, done.err
    assert "- decision: amounts are integers, in cents, column amount_cents\n" in daily(notes)
    [request] = model.requests
    assert "the column is amount_cents" in json.dumps(request) and not request.get("tools")
    assert logs(home) == before  # the engine keeps no session, which would be captured in its turn
    again = notes.run("capture", env=spoken.env())
    assert again.code == 0 and captures(notes) == 1 and len(model.requests) == 1


@needs("claude")
def test_the_engine_finds_nothing(spoken: Claude, model: FakeModel, notes: Folder) -> None:
    model.answer = "NOTHING"
    head = notes.git("rev-parse", "HEAD")
    assert notes.run("capture", env=spoken.env()).code == 0
    assert notes.git("rev-parse", "HEAD") == head and daily(notes) == ""
    model.requests.clear()
    assert notes.run("capture", env=spoken.env()).code == 0 and not model.requests  # read is read


@needs("claude")
@pytest.mark.parametrize("fault", ["e500", "e401", "empty", "cut", "hang", "sentence"])
def test_an_engine_that_fails_loses_nothing(spoken: Claude, model: FakeModel, notes: Folder, fault: str) -> None:
    """No word of an error gets into a note, also where it comes with exit 0, and the next run has all of it."""
    notes.git("config", "vaultgit.engineTimeout", "8")
    spoken.url = model.url if fault == "sentence" else f"{model.url}/{fault}"
    model.answer = "API Error: 529 Overloaded. Repeated server overload errors" if fault == "sentence" else "cut off"
    head = notes.git("rev-parse", "HEAD")
    began = time.monotonic()
    done = notes.run("capture", env=spoken.env())
    assert done.code == 75 and "postponed: claude" in done.err, done.out + done.err
    assert time.monotonic() - began < 60
    assert notes.git("rev-parse", "HEAD") == head and daily(notes) == "" and not notes.git("status", "--porcelain")
    assert "claude" in notes.run("status").out
    spoken.url, model.answer = model.url, "- decision: cents"
    assert notes.run("capture", env=spoken.env()).code == 0
    assert daily(notes).count("- decision: cents") == 1 and captures(notes) == 1


# -- Codex -----------------------------------------------------------------------------------------


def codex_words(url: str) -> list[str]:
    provider = f'{{name="fake",base_url="{url}/v1",env_key="FAKE_KEY",wire_api="responses",request_max_retries=0}}'
    return ["-c", "model=scripted", "-c", "model_provider=fake", "-c", f"model_providers.fake={provider}"]


def codex_says(url: str, work: Path, *args: str) -> str:
    """Hooks that nobody trusted run here all the same."""
    done = subprocess.run(
        [BIN / "codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", *codex_words(url), *args],
        cwd=work, env={**os.environ, "FAKE_KEY": KEY}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs("codex")
def test_codex_conversation_that_ends_is_captured(model: FakeModel, notes: Folder, work: Path) -> None:
    assert notes.run("agent", "install", "codex").code == 0
    assert codex_says(model.url, work, DECIDED).strip() == "Understood."
    assert "In work, with codex:" in captured(notes, "integer cents everywhere")
    assert captures(notes) == 1


@needs("codex")
def test_codex_conversation_is_captured_before_it_is_compacted(
    model: FakeModel, notes: Folder, home: Path, work: Path
) -> None:
    assert notes.run("agent", "install", "codex").code == 0
    only(home / ".codex/hooks.json", "PreCompact")
    tight = ("-c", "model_auto_compact_token_limit=15")  # the scripted answer says that it took more
    codex_says(model.url, work, *tight, DECIDED)
    assert daily(notes) == ""
    model.answer = "SUMMARY: we decided nothing at all."
    before = len(model.requests)
    codex_says(model.url, work, *tight, "resume", "--last", "Go on.")
    text = captured(notes, "integer cents everywhere")
    assert "SUMMARY" not in text and captures(notes) == 1
    assert len(model.requests) > before + 1 and "vaultgit:" not in json.dumps(model.requests)


def codex_lists(home: Path, work: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """The hooks and the skills that Codex itself knows of, and what it warns of."""
    process = subprocess.Popen(
        [BIN / "codex", "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    answers = []
    with process:
        asked = (
            ("initialize", {"clientInfo": {"name": "test", "version": "0"}}),
            ("hooks/list", {"cwds": [str(work)]}),
            ("skills/list", {"cwds": [str(work)]}),
        )
        for number, (method, params) in enumerate(asked):
            print(json.dumps({"id": number, "method": method, "params": params}), file=process.stdin, flush=True)
            for line in process.stdout:
                answer = json.loads(line)
                if answer.get("id") == number:
                    answers.append(answer["result"])
                    break
            if number == 0:
                print(json.dumps({"method": "initialized"}), file=process.stdin, flush=True)
        process.terminate()
    [hooks], [skills] = answers[1]["data"], answers[2]["data"]
    return hooks["hooks"], skills["skills"], [*hooks["warnings"], *hooks["errors"]]


@needs("codex")
def test_what_we_say_of_trust_is_what_codex_thinks(notes: Folder, home: Path, work: Path) -> None:
    """Hooks of others before and behind ours; our /recap is a skill that Codex finds."""
    other = [{"hooks": [{"type": "command", "command": "true"}]}]
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").write_text(json.dumps({"hooks": {"PreCompact": other, "Stop": other}}))
    assert notes.run("agent", "install", "codex").code == 0
    hooks, skills, warnings = codex_lists(home, work)
    assert not warnings and [one["enabled"] for one in skills if one["name"] == "recap"] == [True]
    ours = {one["key"]: one for one in hooks if "vaultgit" in one["command"]}
    assert len(ours) == 5 and {one["trustStatus"] for one in ours.values()} == {"untrusted"}
    state = clients.state(codex, str(home / ".codex"))
    assert {codex.hash_of(one) for one in state.found} == {one["currentHash"] for one in ours.values()}
    assert [note.kind for note in state.notes] == ["client-not-trusted"]

    lines = [f'[hooks.state."{key}"]\ntrusted_hash = "{one["currentHash"]}"\n' for key, one in ours.items()]
    (home / ".codex/config.toml").write_text("".join(lines))
    hooks, _, _ = codex_lists(home, work)
    assert {one["trustStatus"] for one in hooks if one["key"] in ours} == {"trusted"}
    assert clients.state(codex, str(home / ".codex")).notes == []
