"""An engine's program may do anything: its output is text or a failure in words, and nothing of it stays behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.passes import engines
from vaultgit.passes.engines import Limits
from vaultgit.passes.engines import Prompt
from vaultgit.passes.engines.command import Command
from vaultgit.passes.engines.prompt import SENTINEL
from vaultgit.passes.engines.prompt import render
from vaultgit.vault import open_vault

PROMPT = Prompt("Join them.", (("skills/a.md", "1. go\n"),))
ENOUGH = Limits(1000, 100_000_000)
HELP = {
    "claude": "-p --safe-mode --no-session-persistence --tools <tools...> --strict-mcp-config --disable-slash-commands"
    " --system-prompt <prompt> --output-format <format>",
    "codex": "-C, --cd <DIR> --ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check --sandbox --disable"
    " --color -o, --output-last-message <FILE>",
}
GOOD = '{"type": "result", "is_error": false, "result": "- done\\n"}'
OK = f"printf %s '{GOOD}'"

Make = Callable[..., Command]


@pytest.fixture
def client(vault: Folder, tmp_path: Path) -> Iterator[Make]:
    """An engine whose program is a shell script. `$D` in it: a folder of the test's."""
    opened = open_vault(str(vault.root))

    def make(script: str, name: str = "fake", seconds: float = 60.0, words: str = "") -> Command:
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        asks = f'case " $* " in *" --help "*) echo asked >> "$D/helped"; echo "{HELP.get(name, "")}"; exit 0;; esac\n'
        program.write_text(f"#!/bin/sh\nD='{tmp_path}'\n{asks}{script}\n")
        program.chmod(0o755)
        vault.git("config", "vaultgit.engine", f"'{program}' {words}")
        opened.repo._config = None
        engine = engines.chosen(opened, SystemClock(), "command", ENOUGH)
        assert engine is not None
        engine.seconds, engine.grace = seconds, 0.2
        return engine

    with opened.repo:
        yield make


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """A pipe `$D/alive` that scripts hold open: reading it returns what they wrote once the last of them is gone."""
    path = tmp_path / "alive"
    os.mkfifo(path)
    os.mkfifo(tmp_path / "never")  # nobody writes: who reads it waits
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def read() -> str:
        said = b""
        while True:
            ready, _, _ = select.select([fd], [], [], 20)
            assert ready, f"something is still alive: {said!r}"
            data = os.read(fd, 1000)
            if not data:
                return said.decode()
            said += data

    yield read
    os.close(fd)


# A client that hangs, and whose child hangs too; neither minds SIGTERM.
HANGS = """
trap '' TERM
exec 7<>"$D/never" 8>"$D/alive"
sh -c 'trap "" TERM; echo child >&8; read x <&7' &
echo parent >&8
"""


def test_a_good_answer_is_taken_as_it_is(client: Make, tmp_path: Path) -> None:
    engine = client('cat > "$D/got"; printf "1. go\\n2. stay\\n"; echo talk >&2')
    answer = engine.write(PROMPT)
    system, message = render(PROMPT)
    assert (answer.text, answer.failed) == ("1. go\n2. stay\n", "")
    assert (tmp_path / "got").read_text() == f"{system}\n\n{message}"
    assert answer.chars == len(system) + len(message) + len(answer.text) == engine.spent.chars
    assert engine.spent.calls == 1 and answer.seconds > 0


def test_it_runs_in_an_empty_folder_of_its_own_which_goes(client: Make, tmp_path: Path) -> None:
    engine = client('cat >/dev/null; pwd > "$D/where"; ls -A > "$D/there"; touch left; echo "- done"')
    assert engine.write(PROMPT).failed == ""
    where = Path((tmp_path / "where").read_text().strip())
    assert where.parent.name.startswith("vaultgit-engine-") and not where.parent.exists()
    assert (tmp_path / "there").read_text() == ""


def test_nothing_of_the_caller_leaks_into_it(client: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = client('cat >/dev/null; env > "$D/env"; echo "- done"')
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID",
                 "CLAUDE_CODE_ENTRYPOINT", "VAULTGIT_SESSION", "VAULTGIT_AGENT"):  # fmt: skip
        monkeypatch.setenv(name, "leak")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/kept")
    assert engine.write(PROMPT).failed == ""
    lines = (tmp_path / "env").read_text().split("\n")
    assert not [line for line in lines if line.endswith("=leak")]
    assert "VAULTGIT_CAPTURE=1" in lines and "CLAUDE_CONFIG_DIR=/kept" in lines
    assert not [line for line in lines if line.startswith(("GIT_", "VAULTGIT_")) and line != "VAULTGIT_CAPTURE=1"]


def test_claude_is_started_with_exactly_its_safe_flags(client: Make, tmp_path: Path) -> None:
    save = 'cat > "$D/got"; for a in "$@"; do printf "%s\\0" "$a"; done > "$D/argv"; env > "$D/env"'
    engine = client(f"{save}\n{OK}", "claude", words="--model haiku")
    assert engine.write(PROMPT) == ("- done\n", "", engine.spent.chars, engine.spent.seconds)
    system, message = render(PROMPT)
    assert (tmp_path / "argv").read_text().split("\0")[:-1] == [
        "--model", "haiku", "-p", "--safe-mode", "--no-session-persistence", "--tools", "", "--strict-mcp-config",
        "--disable-slash-commands", "--system-prompt", system, "--output-format", "json",
    ]  # fmt: skip
    assert (tmp_path / "got").read_text() == message and message.startswith(SENTINEL)
    env = (tmp_path / "env").read_text().split("\n")
    assert "CLAUDE_CODE_MAX_RETRIES=1" in env and "API_TIMEOUT_MS=60000" in env


def test_codex_is_started_with_exactly_its_safe_flags(client: Make, tmp_path: Path) -> None:
    save = 'cat > "$D/got"; for a in "$@"; do printf "%s\\0" "$a"; done > "$D/argv"; pwd > "$D/where"'
    answers = 'while [ "$1" != -o ]; do shift; done; echo "- from the file" > "$2"; echo "- from the file"'
    engine = client(f"{save}\n{answers}", "codex", words="exec -c model=small")
    assert engine.write(PROMPT).text == "- from the file\n"
    where = (tmp_path / "where").read_text().strip()
    argv = (tmp_path / "argv").read_text().split("\0")[:-1]
    out = argv[-2]
    assert argv == [
        "exec", "-c", "model=small", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check",
        "-C", where, "--sandbox", "read-only", "--disable", "hooks", "--disable", "shell_tool", "--disable",
        "unified_exec", "--disable", "plugins", "--disable", "multi_agent", "--disable", "goals",
        "-c", "web_search=disabled", "-c", "project_doc_max_bytes=0", "--color", "never", "-o", out, "-",
    ]  # fmt: skip
    assert os.path.dirname(out) == os.path.dirname(where) and not os.path.exists(out)
    system, message = render(PROMPT)
    assert (tmp_path / "got").read_text() == f"{system}\n\n{message}"


# -- what is no answer -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "failed"),
    [
        ("cat >/dev/null", "fake answered nothing"),
        ("cat >/dev/null; echo; echo '  '", "fake answered nothing"),
        ("cat >/dev/null; echo 'API Error: 500 overloaded'", "fake answered with an error: API Error: 500 overloaded"),
        (
            "echo 'You’ve hit your limit · resets 3pm'",
            "fake answered with an error: You’ve hit your limit · resets 3pm",
        ),
        (
            "echo '1. go'; echo; echo 'API Error: Connection lost'",
            "fake answered with an error: API Error: Connection lost",
        ),
        ("echo '1. go'; exit 1", "fake ended with 1: 1. go"),
        ("echo '1. go'; echo 'ERROR: no quota' >&2; echo tail >&2; exit 7", "fake ended with 7: ERROR: no quota"),
        ("cat >/dev/null; exit 3", "fake ended with 3: it did not say why"),
        ("kill -9 $$", "fake ended with -9: it did not say why"),
        ("exec 2>/dev/null; head -c 10000000 /dev/zero | tr '\\0' a", "fake printed more than 1,000,000 bytes"),
    ],
)
def test_a_failure_is_told_in_words_and_gives_no_text(client: Make, script: str, failed: str) -> None:
    answer = client(script).write(PROMPT)
    assert (answer.text, answer.failed) == ("", failed)


@pytest.mark.parametrize(
    ("reply", "code", "failed"),
    [
        ('{"subtype": "success", "is_error": true, "result": "API Error: Rate limit reached"}', 0,
         "claude failed: it calls this an error: API Error: Rate limit reached"),
        ('{"subtype": "success", "is_error": true, "result": "API Error: 401"}', 1,
         "claude ended with 1: it calls this an error: API Error: 401"),
        ('{"is_error": false, "result": "Execution error"}', 0, "claude answered with an error: Execution error"),
        ('{"is_error": false, "result": ""}', 0, "claude answered nothing"),
        ('{"result": "1. go"}', 0, "claude failed: it calls this an error: 1. go"),
        ('{"is_error": false, "result": "1. go", "stop_reason": null}', 0,
         "claude failed: the answer broke off (stop_reason: None)"),
        ('{"is_error": false, "result": "1. go", "stop_reason": "max_tokens"}', 0,
         "claude failed: the answer broke off (stop_reason: max_tokens)"),
        ('{"is_error": false}', 0,
         'claude failed: the answer is not the JSON that was asked for: {"is_error": false}'),
        ("API Error: 500 overloaded", 0,
         "claude failed: the answer is not the JSON that was asked for: API Error: 500 overloaded"),
        ("\n", 0, "claude answered nothing"),
        ("[" * 100_000, 0,
         "claude failed: the answer is not the JSON that was asked for: " + "[" * 152 + "…"),
    ],
)  # fmt: skip
def test_claude_is_believed_only_where_it_calls_its_answer_no_error(
    client: Make, tmp_path: Path, reply: str, code: int, failed: str
) -> None:
    (tmp_path / "reply").write_text(reply)
    answer = client(f'cat >/dev/null; cat "$D/reply"; exit {code}', "claude").write(PROMPT)
    assert (answer.text, answer.failed) == ("", failed)


def test_an_unknown_option_is_told_as_the_client_says_it(client: Make) -> None:
    answer = client("echo \"error: unknown option '--safe-mode'\" >&2; exit 1", "claude").write(PROMPT)
    assert answer.failed == "claude ended with 1: error: unknown option '--safe-mode'"


def test_p11_a_complaint_carries_no_secret_and_no_control_characters(client: Make) -> None:
    token = "ghp_" + "Zk8" * 12
    answer = client(f"printf 'ERROR: \\033[31mbad token {token} %%%% <!-- x\\n' >&2; exit 1").write(PROMPT)
    assert answer.failed == "fake ended with 1: ERROR: [31mbad token [REDACTED GitHub Token] x"


def test_a_program_that_reads_nothing_may_answer(client: Make) -> None:
    engine = client("echo '- done'")
    assert engine.write(Prompt("x", (("big", "word " * 400_000),))).text == "- done\n"


def test_a_program_that_reads_and_talks_at_once_is_not_waited_for(client: Make) -> None:
    text = "".join(f"line {number}\n" for number in range(40_000))
    answer = client("tee /dev/stderr").write(Prompt("x", (("big", text),)))
    assert answer.failed == "" and "line 39999\n" in answer.text


def test_half_a_letter_does_not_get_out(client: Make, tmp_path: Path) -> None:
    (tmp_path / "reply").write_text('{"is_error": false, "result": "a \\ud83d b \\ud83d\\ude00"}')
    assert client('cat "$D/reply"', "claude").write(PROMPT).text == "a � b 😀"


# -- nothing stays behind ----------------------------------------------------------------------------------------


def test_the_time_limit_ends_it_and_its_children_also_those_that_mind_no_sigterm(
    client: Make, alive: Callable[[], str]
) -> None:
    answer = client(HANGS + "read x <&7", seconds=2.0).write(PROMPT)
    assert answer.failed == "fake gave no answer within 2 s" and answer.text == ""
    assert sorted(alive().split()) == ["child", "parent"]
    with suppress(ChildProcessError):
        assert os.waitpid(-1, os.WNOHANG) == (0, 0)  # none that ended unseen; tests/warm.py has one that lives


def test_what_it_leaves_behind_ends_with_it(client: Make, alive: Callable[[], str]) -> None:
    # The child keeps standard output open: that is not waited for.
    waits = 'read x < "$D/up"; echo "- done"'
    up = HANGS.replace("echo child >&8", 'echo child >&8; echo up > "$D/up"')
    engine = client(f'mkfifo "$D/up"; export D; {up}\n{waits}')
    assert engine.write(PROMPT).text == "- done\n"
    assert sorted(alive().split()) == ["child", "parent"]


def test_the_time_limit_holds_for_one_that_closed_its_output(client: Make, alive: Callable[[], str]) -> None:
    alone = "trap '' TERM; exec 7<>\"$D/never\" 8>\"$D/alive\"; echo parent >&8; echo '- half'"
    answer = client(f"{alone}; exec >/dev/null 2>&1; read x <&7", seconds=1.0).write(PROMPT)
    assert answer.failed == "fake gave no answer within 1 s"
    assert alive() == "parent\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_interrupts_us_ends_it_too(client: Make, vault: Folder, alive: Callable[[], str], number: int) -> None:
    client(HANGS.replace("echo child", "echo child up") + "read x <&7")
    code = (
        # What started the tests may ignore them, and children inherit that.
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "from vaultgit.clock import SystemClock\n"
        "from vaultgit.passes import engines\n"
        "from vaultgit.vault import open_vault\n"
        "engine = engines.chosen(open_vault(), SystemClock(), None)\n"
        "engine.grace = 0.2\n"
        "engine.write(engines.Prompt('x'))\n"
    )
    ours = subprocess.Popen([sys.executable, "-P", "-c", code], cwd=vault.root, stderr=subprocess.PIPE)
    fd = os.open(vault.root.parent / "alive", os.O_RDONLY)  # opens when a script has opened its end
    try:
        said = b""
        while b"child up" not in said:
            said += os.read(fd, 1000)
        ours.send_signal(number)
        _, err = ours.communicate(timeout=60)
    finally:
        os.close(fd)
    assert ours.returncode != 0 and b"KeyboardInterrupt" in err
    alive()


# -- old clients -------------------------------------------------------------------------------------------------


def test_an_old_client_is_told_apart_from_one_that_fails(client: Make, tmp_path: Path) -> None:
    """It does not know a flag, and ends before it has done anything; its help says which it lacks."""
    engine = client("echo \"error: unknown option '--safe-mode'\" >&2; exit 1", "claude")
    program = tmp_path / "bin" / "claude"
    program.write_text(program.read_text().replace("--safe-mode ", "").replace("--tools", "--allowedTools, --toolset"))
    answer = engine.write(PROMPT)
    lacks = "its help has no --safe-mode, --tools; update it"
    assert answer.failed == f"claude ended with 1: {program} is too old: {lacks}"
    assert (tmp_path / "helped").read_text() == "asked\n"
    assert client(OK, "claude").write(PROMPT).failed == ""
    assert "too old" not in client("echo 'error: no network' >&2; exit 1", "claude").write(PROMPT).failed
    assert (tmp_path / "helped").read_text() == "asked\n"  # only where a flag was unknown


def test_after_three_failures_it_is_left_alone(client: Make, tmp_path: Path) -> None:
    engine = client('echo x >> "$D/calls"; exit 1')
    said = [engine.write(PROMPT).failed for _ in range(5)]
    assert said[3:] == ["not asked: the 3 calls before failed"] * 2
    assert (tmp_path / "calls").read_text() == "x\nx\nx\n" and engine.spent.calls == 3
