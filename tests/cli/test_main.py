"""cli/main: dispatch, exit codes, help; nothing raised, no traceback on the screen."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from support import Folder
from support import run_cli

import vaultgit
from vaultgit import agents
from vaultgit.cli import main as program
from vaultgit.cli import options
from vaultgit.cli import out
from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history.repository import Repository

CLI = Path(program.__file__).parent
NO_GIT = "git is not installed, or not on PATH"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--version"]) == 0
    assert capsys.readouterr().out == f"vaultgit {vaultgit.__version__}\n"


def test_help_lists_every_command_by_group_and_imports_none(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--help"]):
        assert program.main(arguments) == 0
        shown = capsys.readouterr().out
        assert all(f"  {name} " in shown for name in program.COMMANDS)
        assert shown.index("Every day:") < shown.index("Agents:") < shown.index("Set-up:")
    code = (
        "import sys; from vaultgit.cli.main import main, COMMANDS; main(['--help']);"
        "print([name for name in COMMANDS if f'vaultgit.cli.{name}' in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_commands_and_their_files_are_the_same() -> None:
    files = {path.stem for path in CLI.glob("*.py") if re.search(r"(?m)^(def command\(|command = )", path.read_text())}
    assert files | {"hook"} == set(program.COMMANDS)
    assert {group for group, _ in program.COMMANDS.values()} <= set(program.GROUPS)


@pytest.mark.parametrize("name", [name for name in program.COMMANDS if name != "hook"])
def test_every_command_is_a_click_command_with_help(name: str) -> None:
    command = importlib.import_module(f"vaultgit.cli.{name}").command
    assert isinstance(command, click.Command)
    assert command.help or isinstance(command, click.Group)
    assert program.main([name, "--help"]) == 0


def test_an_unknown_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["stauts"]) == 2
    assert "vaultgit status" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["init", "--nonsense"], ["init", "--hooks", "x"], ["hook"], ["hook", "x"], ["--x"]]
)
def test_wrong_use_is_2_with_a_way_on(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith("vaultgit: ") and len(shown.err.splitlines()) == 2


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (VaultgitError("what happened", "what to do"), 1, "vaultgit: what happened\n  what to do\n"),
        (UsageError("no such thing"), 2, "vaultgit: no such thing\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
        (FileNotFoundError(2, "No such file", "git"), 2, f"vaultgit: {NO_GIT}\n  apt-get install git\n"),
    ],
)  # fmt: skip
def test_errors_become_exit_codes(
    error: BaseException,
    code: int,
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def fails(args: list[str]) -> int:
        raise error

    monkeypatch.setattr(program, "_dispatch", fails)
    keep = os.dup(1)
    try:
        assert program.main(["status"]) == code
    finally:
        os.dup2(keep, 1)
        os.close(keep)
    assert capfd.readouterr().err == shown


def test_a_bug_is_one_line_and_a_log_without_what_was_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fails(args: list[str]) -> int:
        secret = args[1]
        raise ValueError(f"broke on\n{secret}")

    monkeypatch.setattr(program, "_dispatch", fails)
    assert program.main(["status", "hunter2"]) == 3
    err = capsys.readouterr().err
    assert err.startswith("vaultgit: a bug of ours: ValueError: broke on hunter2; details are in ~/")
    assert len(err.splitlines()) == 1
    [log] = (tmp_path / "home/.local/state/vaultgit").iterdir()
    text = log.read_text()
    assert "ValueError" in text and "in fails" in text and "hunter2" not in text
    assert log.parent.stat().st_mode & 0o077 == 0


def test_a_log_that_cannot_be_written_hides_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/x")
    monkeypatch.setattr(program, "_dispatch", lambda args: 1 // 0)
    assert program.main([]) == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -P -m vaultgit --help | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 141) and done.stderr == ""


def test_a_narrow_locale_does_not_crash() -> None:
    done = run_cli(
        "init",
        "--nonsense\u2713",
        cwd=".",
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    )
    assert done.code == 2 and "--nonsense\\" in done.err


def test_completion_is_clicks() -> None:
    done = run_cli(cwd=".", env={"_VAULTGIT_COMPLETE": "bash_source"})
    assert done.code == 0 and "_vaultgit_completion" in done.out


def test_text_from_notes_cannot_drive_a_terminal() -> None:
    assert out.clean("a\x1b[2Jb\u202ec\td\n") == "a\\x1b[2Jb\\u202ec\td\n"


# -- who runs it -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}, ("claude-code", "s1")),
        ({"CLAUDECODE": "0"}, None),
        ({"CLAUDECODE": ""}, None),
        ({"CODEX_THREAD_ID": "t"}, ("codex", "t")),
        ({"CODEX_SANDBOX": "seatbelt"}, ("codex", None)),
        ({"GEMINI_CLI": "1", "GEMINI_SESSION_ID": "g", "CLAUDE_PROJECT_DIR": "/x"}, ("gemini-cli", "g")),
        ({"OPENCODE": "1"}, ("opencode", None)),
    ],
)
def test_clients_are_recognised(
    environment: dict[str, str], expected: tuple[str, str | None] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert agents.recognise(environment) == expected
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    name, session = expected or (None, None)
    assert options.agent_name(None) == name and options.session_id(None) == session
    monkeypatch.setenv("VAULTGIT_AGENT", "second")
    monkeypatch.setenv("VAULTGIT_SESSION", "s2")
    assert options.agent_name(None) == "second" and options.session_id(None) == "s2"
    assert options.agent_name("first") == "first" and options.session_id("s3") == "s3"


def test_deciding_is_a_persons_unless_they_said_otherwise(plain: Folder) -> None:
    def decide(agent: str | None) -> None:
        repo = Repository.find(str(plain.root))
        assert repo is not None
        with repo:
            options.deciding_is_a_persons(repo, agent, "undoing what is not yours")

    decide(None)
    with pytest.raises(VaultgitError, match=r"undoing what is not yours.*claude-code") as caught:
        decide("claude-code")
    assert caught.value.exit_code == 1 and "agentsMayDecide" not in caught.value.hint  # no agent is told the way round
    plain.git("config", "vaultgit.agentsMayDecide", "true")
    decide("claude-code")


def test_completion_knows_notes(vault: Folder) -> None:
    def completed(words: str) -> list[str]:
        env = {"_VAULTGIT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        return run_cli(cwd=vault.root / "projects", env=env).out.split()

    assert completed("vaultgit read pe") == ["plain,people/"]
    assert completed("vaultgit check people/a") == ["plain,people/ada-lovelace.md"]
    assert completed("vaultgit undo Ho") == ["plain,Home.md"]
    assert completed("vaultgit chec") == ["plain,check"]
