"""Recall with the real clients, against a scripted model: what a conversation is given, and what is left of it.
`make test-agents` installs them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fakemodel import FakeModel
from hooking import ASKED
from hooking import PROTOCOL
from hooking import eventually
from hooking import fill
from hooking import repository
from realclients import BIN
from realclients import KEY
from realclients import needs
from support import Folder

pytestmark = pytest.mark.clients


@pytest.fixture
def notes(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.delenv("VAULTGIT_NOW")  # the clients write the real time
    return fill(vault)


@pytest.fixture
def work(notes: Folder) -> Path:
    """A code repository, elsewhere, that is called as a project of the vault."""
    return repository(notes, "nova")


def session_note(notes: Folder) -> str:
    def written() -> str:
        texts = [path.read_text() for path in (notes.root / "sessions").glob("*.md")]
        return "" if notes.git("status", "--porcelain") else "".join(texts)

    return str(eventually(written, lambda: notes.git("log", "-3") + notes.git("status", "--porcelain")))


def no_bug(home: Path) -> bool:
    """No hook of ours left a log of a bug."""
    return not (home / ".local/state/vaultgit").exists()


# -- Claude Code -----------------------------------------------------------------------------------


def claude(model: FakeModel, work: Path, *args: str) -> dict[str, Any]:
    """One prompt, whatever the hooks do: no word of theirs is seen."""
    env = {
        "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": model.url, "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }  # fmt: skip
    done = subprocess.run(
        [BIN / "claude", "-p", *args, "--output-format", "json"], cwd=work, env={**os.environ, **env},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def asked(model: FakeModel) -> str:
    """The last request that had tools: the conversation's own, not one for its title."""
    return json.dumps([one for one in model.requests if one.get("tools")][-1], ensure_ascii=False)


@needs("claude")
def test_a_conversation_is_given_what_it_needs_and_leaves_its_edits_and_its_note(
    model: FakeModel, notes: Folder, home: Path, work: Path
) -> None:
    """Acceptance: a real `claude -p` in another folder. The protocol and the project's notes at its start, those that
    the prompt calls for with it; the client's own Write is one commit of that agent; its end writes the session's note.
    """
    assert notes.run("agent", "install", "claude").code == 0
    before = notes.git("rev-parse", "HEAD")
    text = notes.read("projects/nova.md").replace("- started", "- started\n- cards sorted by date")
    note = str(notes.root / "projects/nova.md")
    model.calls = [("Read", {"file_path": note}), ("Write", {"file_path": note, "content": text})]
    talk = claude(model, work, ASKED, "--permission-mode", "acceptEdits", "--add-dir", str(notes.root))
    first = json.dumps(next(one for one in model.requests if one.get("tools")), ensure_ascii=False)
    assert talk["result"] == "Understood."
    assert PROTOCOL in first and f"search WORDS --vault {notes.root}" in first  # from hook and instructions
    assert "projects/nova.md" in first and "the column is amount_cents" in first  # for the folder
    assert "Sorts punched cards by date." in first  # for the prompt
    assert notes.read("projects/nova.md") == text and not model.calls

    told = session_note(notes)
    log = notes.git("log", "--format=%an|%s|%(trailers:key=Session,valueonly,separator=%x2C)", f"{before}..").split(
        "\n"
    )
    assert [line.split("|")[0] for line in log] == ["claude-code"] * 2
    assert log[1].split("|")[1] == "projects/nova: added “- cards sorted by date”"
    assert {line.split("|")[2] for line in log} == {talk["session_id"]}
    assert "agent: claude-code" in told and "[[projects/nova" in told and ASKED in told
    assert notes.run("verify").code == 0 and no_bug(home)


@needs("claude")
def test_a_refusal_reaches_the_agent_which_mends_it(model: FakeModel, notes: Folder, work: Path) -> None:
    """The client's own tool knows no schema: what it broke is told with its answer, and one edit is what comes of it."""
    assert notes.run("agent", "install", "claude").code == 0
    note, before = str(notes.root / "projects/orchard.md"), notes.git("rev-parse", "HEAD")
    good = "---\ntype: project\nname: Orchard\nstatus: active\n---\n"
    texts = (good.replace("name: Orchard", "name: 7"), good)
    model.calls = [("Write", {"file_path": note, "content": text}) for text in texts]
    claude(model, work, ASKED, "--permission-mode", "acceptEdits", "--add-dir", str(notes.root))
    requests = [json.dumps(one) for one in model.requests if one.get("tools")]
    assert "a rule refused it" not in requests[0] and "FM03" in requests[1] and "a rule refused it" in requests[1]
    assert not model.calls and notes.read("projects/orchard.md") == good
    log = notes.git("log", "--reverse", "--format=%an|%s", f"{before}..").splitlines()
    assert log[0] == "claude-code|projects/orchard: created"


@needs("claude")
def test_a_note_that_a_person_corrects_is_in_the_next_prompts_context(
    model: FakeModel, notes: Folder, work: Path
) -> None:
    """Acceptance: "a person corrects a note, and no agent has to be told": what was given once comes again when it
    says something else, and only then."""
    assert notes.run("agent", "install", "claude").code == 0
    talk = claude(model, work, ASKED)
    assert asked(model).count("Sorts punched cards by date.") == 1
    claude(model, work, ASKED, "--resume", talk["session_id"])
    assert asked(model).count("Sorts punched cards by date.") == 1  # from before
    notes.write("people/ada-lovelace.md", notes.read("people/ada-lovelace.md").replace("by date", "by colour"))
    claude(model, work, ASKED, "--resume", talk["session_id"])
    assert asked(model).count("Sorts punched cards by colour.") == 1
    claude(model, work, "ok, go on", "--resume", talk["session_id"])
    assert asked(model).count("Sorts punched cards by colour.") == 1


@needs("claude")
def test_compaction_leaves_the_notes_and_gives_again_what_matters(
    model: FakeModel, notes: Folder, home: Path, work: Path
) -> None:
    """Before a conversation is compacted, it is in the daily note, and its session's note is written."""
    notes.write(".vaultgit.toml", "[capture]\nmin_chars = 1\ninclude_headless = true\n")
    notes.commit("settings")
    assert notes.run("agent", "install", "claude").code == 0
    model.calls = [("Write", {"file_path": str(notes.root / "notes/cards.md"), "content": "sorted\n"})]
    talk = claude(
        model, work, "We decided: punched cards are sorted by date.", "--permission-mode", "acceptEdits",
        "--add-dir", str(notes.root),
    )  # fmt: skip
    assert "notes/cards" in session_note(notes)
    settings = home / ".claude/settings.json"
    hooks = json.loads(settings.read_text())
    del hooks["hooks"]["SessionEnd"]
    settings.write_text(json.dumps(hooks))

    def daily() -> str:
        return "".join(path.read_text() for path in (notes.root / "daily").glob("*.md"))

    eventually(lambda: "sorted by date" in daily() and not notes.git("status", "--porcelain"), lambda: notes.git("log"))
    claude(model, work, "We decided as well: blue cards go first.", "--resume", talk["session_id"])
    assert "blue cards" not in daily()
    before, model.answer = len(model.requests), "SUMMARY: cards."
    claude(model, work, "--resume", talk["session_id"], "/compact")
    eventually(lambda: "blue cards" in daily() and not notes.git("status", "--porcelain"), lambda: notes.git("log"))
    assert not any("vaultgit:" in json.dumps(one.get("system", "")) for one in model.requests[before:])
    model.requests.clear()
    model.answer = "Understood."
    claude(model, work, "Which cards go first?", "--resume", talk["session_id"])
    assert "the column is amount_cents" in asked(model) and PROTOCOL in asked(model) and no_bug(home)


@needs("claude")
@pytest.mark.parametrize("harm", ["gone", "settings", "index", "state", "no repository"])
def test_a_vault_that_is_broken_or_gone_disturbs_no_conversation(
    model: FakeModel, notes: Folder, work: Path, harm: str
) -> None:
    """P10."""
    assert notes.run("agent", "install", "claude").code == 0
    own = notes.root / ".git/vaultgit"
    if harm == "gone":
        notes.root.rename(notes.root.parent / "elsewhere")
    elif harm == "settings":
        notes.write(".vaultgit.toml", "[capture\n")
    elif harm == "index":
        for path in (own / "cache/search").iterdir():
            path.write_bytes(b"no index at all" * 1000)
    elif harm == "state":
        shutil.rmtree(own)
        own.write_text("in the way")
    else:
        (notes.root / ".git").rename(notes.root / "git")
    talk = claude(model, work, ASKED)
    assert talk["result"] == "Understood."
    assert ("Sorts punched cards by date." in asked(model)) == (harm in ("index", "state"))
    assert "Traceback" not in asked(model) and "bug of ours" not in asked(model)


# -- Codex -----------------------------------------------------------------------------------------


def codex(model: FakeModel, work: Path, *args: str) -> None:
    """One prompt. Hooks that nobody trusted run here all the same. The model is one that Codex knows, so that it has
    its tool for patches."""
    provider = (
        f'{{name="fake",base_url="{model.url}/v1",env_key="FAKE_KEY",wire_api="responses",request_max_retries=0}}'
    )
    done = subprocess.run(
        [BIN / "codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-c", "model=gpt-5.5",
         "-c", "model_provider=fake", "-c", f"model_providers.fake={provider}", *args],
        cwd=work, env={**os.environ, "FAKE_KEY": KEY}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.strip() == "Understood.", done.stdout + done.stderr


@needs("codex")
def test_codex_is_given_the_same_and_its_patches_are_its_edits(
    model: FakeModel, notes: Folder, home: Path, work: Path
) -> None:
    """Its tool for patches writes two notes: one edit. A person's own text in one of them stays theirs."""
    assert notes.run("agent", "install", "codex").code == 0
    notes.write("projects/nova.md", notes.read("projects/nova.md").replace("# Nova\n", "# Nova\n\nmine, not in git\n"))
    before, root = notes.git("rev-parse", "HEAD"), notes.root
    model.calls = [(
        "apply_patch",
        f"*** Begin Patch\n*** Update File: {root}/projects/nova.md\n@@\n ## Log\n \n-- started\n+- started, in cents\n"
        f"*** Add File: {root}/notes/cards.md\n+# Cards\n+sorted\n*** End Patch\n",
    )]  # fmt: skip
    codex(model, work, "--dangerously-bypass-approvals-and-sandbox", ASKED)
    first = json.dumps(model.requests[0], ensure_ascii=False)
    assert PROTOCOL in first and f"search WORDS --vault {notes.root}" in first
    assert "the column is amount_cents" in first and "Sorts punched cards by date." in first
    assert not model.calls and "- started, in cents" in notes.read("projects/nova.md")

    def told() -> str:
        return "".join(path.read_text() for path in (notes.root / "sessions").glob("*.md"))

    eventually(told, lambda: notes.git("log", "-3"))
    eventually(lambda: notes.git("status", "--porcelain") == " M projects/nova.md", lambda: notes.git("status"))
    log = notes.git("log", "--format=%an|%s", f"{before}..").split("\n")
    assert [line.split("|")[0] for line in log] == ["codex"] * 2, log
    assert notes.git("show", "--format=", "--name-only", "HEAD~1").split() == [
        "changelog.md", "notes/cards.md", "projects/nova.md",
    ]  # fmt: skip
    assert "mine, not in git" not in notes.git("show", "HEAD:projects/nova.md")
    assert "agent: codex" in told() and "[[notes/cards" in told()
    assert notes.run("verify").code == 0 and no_bug(home)


@needs("codex")
def test_codex_gets_a_corrected_note_again(model: FakeModel, notes: Folder, work: Path) -> None:
    assert notes.run("agent", "install", "codex").code == 0
    codex(model, work, ASKED)
    assert json.dumps(model.requests[-1]).count("Sorts punched cards by date.") == 1
    codex(model, work, "resume", "--last", ASKED)
    assert json.dumps(model.requests[-1]).count("Sorts punched cards by date.") == 1
    notes.write("people/ada-lovelace.md", notes.read("people/ada-lovelace.md").replace("by date", "by colour"))
    codex(model, work, "resume", "--last", ASKED)
    assert json.dumps(model.requests[-1]).count("Sorts punched cards by colour.") == 1
