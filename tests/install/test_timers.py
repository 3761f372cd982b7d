"""install/timers: how often, texts, quoting, and the bare environment that lines run in (case 051)."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies
from scheduling import Machine
from support import Folder

from vaultgit.errors import UsageError
from vaultgit.install import timers
from vaultgit.install.timers import cron
from vaultgit.install.timers import every
from vaultgit.install.timers import job
from vaultgit.install.timers import launchd
from vaultgit.install.timers import systemd

ODD = "Mon Värld 100% 'q' \"d\" $HOME `x` & <y>\N{NO-BREAK SPACE}z"


@pytest.fixture
def machine(vault: Folder, tmp_path: Path) -> Machine:
    return Machine(vault, tmp_path / "machine")


@pytest.fixture
def odd(machine: Machine) -> Machine:
    """The same, with a vault in a folder whose name has all that sh, cron, systemd and XML give a meaning to."""
    there = machine.vault.root.parent / ODD
    machine.vault.root.rename(there)
    machine.vault = Folder(there)
    return machine


def texts(machine: Machine, kind: str, *words: str) -> dict[str, str]:
    """What `install --dry-run` shows, by the file's ending."""
    done = machine.run("install", "--with", kind, "--dry-run", "--json", *words)
    assert done.code == 0, done.err
    return {re.sub(r"^.*?(capture|consolidate).*\.", r"\1.", Path(text["where"]).name): text["text"]
            for text in json.loads(done.out)["texts"]}  # fmt: skip


def lines(machine: Machine) -> list[str]:
    """The lines that cron reads, without the fields of time."""
    shown = texts(machine, "cron")["crontab"]
    return [line.split(None, 5)[5] for line in shown.splitlines() if not line.startswith("#")]


# -- how often -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "minutes"), [("1m", 1), ("10m", 10), ("60m", 60), ("1h", 60), ("2H", 120), (" 30m ", 30), ("24h", 1440)]
)
def test_times_that_come_round_evenly(text: str, minutes: int) -> None:
    assert every.minutes(text) == minutes


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("7m", "6m|10m"),
        ("0m", "1m"),
        ("59m", "30m|1h"),
        ("90m", "1h|2h"),
        ("5h", "4h|6h"),
        ("25h", "24h"),
        ("48h", "24h"),
    ],
)
def test_times_that_do_not_name_the_nearest(text: str, near: str) -> None:
    with pytest.raises(UsageError) as error:
        every.minutes(text)
    assert re.findall(r"--every (\w+)", error.value.hint) == near.split("|")


@pytest.mark.parametrize("text", ["30s", "10", "m", "-1m", "1d", "", "1.5h", "10m; rm", "٣m"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        every.minutes(text)


def test_each_possible_time_is_said_to_cron_and_systemd_alike() -> None:
    for minutes in every.POSSIBLE:
        one = job.Job("capture", ("capture",), minutes)
        minute, hour = cron._fields(one, "0").split()[:2]
        starts = _starts(minute, 60), _starts(hour, 24)
        assert len(starts[0]) * len(starts[1]) * minutes == 24 * 60, minutes
        clock = systemd._calendar(one).split()[-1].split(":")
        assert _starts(clock[1].replace("0/", "*/"), 60) == starts[0]
        assert _starts(clock[0].replace("0/", "*/"), 24) == starts[1]
        assert every.minutes(every.short(minutes)) == minutes


def _starts(field: str, top: int) -> list[int]:
    first, _, step = field.partition("/")
    return list(range(0, top, int(step or 1))) if first == "*" else [int(first)]


# -- the line of cron ------------------------------------------------------------------------------


def as_cron_reads(line: str) -> str:
    r"""What Vixie's cron gives to sh: `\%` and `\\` lose the backslash, a bare % would end the command."""
    out, escaped = "", False
    for char in line:
        if escaped:
            out = out[:-1] + char if char in "%\\" else out + char
            escaped = False
        elif char == "%":
            return out
        else:
            out, escaped = out + char, char == "\\"
    return out


@given(strategies.text(strategies.characters(min_codepoint=32, exclude_characters="\\\x7f", exclude_categories=["Cs"])))
def test_a_word_is_the_same_for_sh_and_for_cron(text: str) -> None:
    word = cron.quoted(text)
    for line in (word, as_cron_reads(word)):
        said = subprocess.run(["sh", "-c", f"printf %s {line}"], capture_output=True, check=True)
        assert said.stdout.decode() == text


def stand_in(machine: Machine, text: str) -> list[str]:
    """The lines for the vault with a program of our own in vaultgit's place."""
    machine.has("our 100% program", text)
    root = str(machine.vault.root)
    start = job.start(root, f"{root}/.git/vaultgit/state", os.environ)
    (made,) = cron.texts(start._replace(program=(f"{machine.folder}/our 100% program",)), job.jobs(10))
    return [line.split(None, 5)[5] for line in made.data.decode().splitlines() if not line.startswith("#")]


def bare(line: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Case 051: what cron gives a line, and no more."""
    return subprocess.run(
        ["sh", "-c", f"cd / && {line}"], env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", **env}, capture_output=True, timeout=60,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def test_a_line_runs_in_a_bare_environment(odd: Machine, tmp_path: Path) -> None:
    """Case 051: whole paths, PATH with ~/.local/bin, UTF-8, words and output where they belong, the exit code kept."""
    log = odd.vault.root / ".git/vaultgit/state/log"
    assert odd.run("install", "--with", "cron").code == 0
    capture, consolidate = stand_in(odd, 'echo "Grüße $0|$*|$PATH|$LC_ALL|$PYTHONUTF8|$HOME"; echo trouble >&2; exit 7')
    home = str(tmp_path / "home")
    for line in (capture, as_cron_reads(capture)):
        done = bare(line, HOME=home)
        assert (done.returncode, done.stdout, done.stderr) == (7, b"", b"")
        said, trouble = (log / "capture.log").read_text().splitlines()[-2:]
        program, words, path, *rest = said.split("|")
        assert program == f"Grüße {odd.folder}/our 100% program" and trouble == "trouble"
        assert words == f"capture --vault {odd.vault.root}"
        assert f"{home}/.local/bin" in path.split(":") and rest == ["C.UTF-8", "1", home]
    assert bare(consolidate, HOME=home).returncode == 7
    assert f"|consolidate --due --vault {odd.vault.root}|" in (log / "consolidate.log").read_text()
    for name in ("capture.log", "consolidate.log"):
        assert (log / name).stat().st_mode & 0o777 == 0o600
    assert log.stat().st_mode & 0o777 == 0o700


def test_a_log_stays_small(odd: Machine) -> None:
    log = odd.vault.root / ".git/vaultgit/state/log/capture.log"
    assert odd.run("install", "--with", "cron").code == 0
    line = stand_in(odd, "echo new")[0]
    for before, after in ((job.LIMIT - 1000, job.LIMIT - 996), (1_000_000, 4)):
        log.write_bytes(b"x" * before)
        assert bare(line).returncode == 0
        assert log.stat().st_size == after and log.read_bytes().endswith(b"new\n")
        assert log.stat().st_mode & 0o777 == 0o600
    log.write_bytes(b"x" * 1_000_000)
    timers.keep_small(str(log))
    assert log.read_bytes() == b""


def test_the_real_capture_runs_from_its_line(odd: Machine, tmp_path: Path) -> None:
    """Case 051, with the program itself: done where HOME is set, one line and no success where it is not; also a line
    that was only printed."""
    line, log = lines(odd)[0], odd.vault.root / ".git/vaultgit/state/log/capture.log"
    assert not log.parent.exists()
    done = bare(line, HOME=str(tmp_path / "home"))
    assert done.returncode == 0 and log.parent.stat().st_mode & 0o777 == 0o700, done.stderr
    assert json.loads(odd.vault.read(".git/vaultgit/state/capture.json"))["last"]["ok"] is True
    assert odd.run("install", "--with", "cron").code == 0
    assert "last run   none yet" not in odd.run("show").out
    log.write_bytes(b"")
    assert bare(line).returncode != 0
    assert "HOME" in log.read_text().splitlines()[0] and "Traceback" not in log.read_text()


def test_where_the_vault_is_gone_nothing_is_started_or_made(odd: Machine) -> None:
    assert odd.run("install", "--with", "cron").code == 0
    line = stand_in(odd, f"touch {shlex.quote(str(odd.folder))}/started")[0]
    shutil.rmtree(odd.vault.root)
    assert bare(line).returncode != 0
    assert not (odd.folder / "started").exists() and not odd.vault.root.exists()


def begun(root: str = "/notes", **environ: str) -> job.Start:
    return job.start(root, f"{root}/.git/vaultgit/state", environ)


def test_a_line_is_never_longer_than_crontab_takes(tmp_path: Path) -> None:
    """What PATH names goes first, but for folders that hold what is needed; then it is refused."""
    empty, full = tmp_path / ("e" * 200), tmp_path / ("f" * 200)
    for folder in (empty, full):
        folder.mkdir()
    (full / "claude").write_text("")
    (full / "claude").chmod(0o755)
    many = [empty / str(number) for number in range(4)]
    for folder in many:
        folder.mkdir()
    start = begun(HOME="/home/me", PATH=":".join(map(str, [*many, full, "/usr/bin"])))
    assert len(dict(start.environment)["PATH"]) > 900
    (text,) = cron.texts(start, job.jobs(10))
    commands = [line.split(None, 5)[5] for line in text.data.decode().splitlines() if not line.startswith("#")]
    assert all(
        len(command) <= cron.LONGEST and str(full) in command and str(many[0]) not in command for command in commands
    )
    assert all(":/home/me/.local/bin:/usr/local/bin:/opt/homebrew/bin:/bin " in command for command in commands)
    with pytest.raises(UsageError):
        cron.texts(begun("/" + "n" * 500, HOME="/home/me", PATH="/usr/bin"), job.jobs(10))


@pytest.mark.parametrize("root", ["/a\nb", "/a\rb", "/a\x7fb", "/a\tb"])
def test_a_path_that_is_no_line_is_refused(root: str) -> None:
    with pytest.raises(UsageError):
        begun(root)


def test_a_backslash_is_refused_for_cron_alone() -> None:
    start = begun("/a\\b")
    with pytest.raises(UsageError):
        cron.texts(start, job.jobs(10))
    assert systemd.texts(start, job.jobs(10)) and launchd.texts(start, job.jobs(10))


# -- the environment -------------------------------------------------------------------------------


def test_path_is_that_of_the_person_without_what_passes(tmp_path: Path) -> None:
    own, virtual = tmp_path / "own", tmp_path / "venv"
    for folder in (own, virtual / "bin"):
        folder.mkdir(parents=True)
    ours = str(Path(sys.executable).parent)
    named = [str(virtual / "bin"), ours, "relative", "", str(tmp_path / "gone"), f"{own}/", str(own), "/bin"]
    found = job.path({"HOME": "/home/me", "VIRTUAL_ENV": str(virtual), "PATH": ":".join(named)})
    assert found == [str(own), "/bin", "/home/me/.local/bin", "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"]


def test_what_says_where_logs_and_settings_lie_is_carried_and_no_key() -> None:
    start = begun(
        HOME="/home/me", PATH="", CLAUDE_CONFIG_DIR="/c", CODEX_HOME="codex", XDG_CONFIG_HOME="/home/me/.config/",
        XDG_DATA_HOME="/data", TZ="Europe/Berlin", ANTHROPIC_API_KEY="sk-" + "x", GIT_DIR="/g",
    )  # fmt: skip
    found = dict(start.environment)
    found.pop("PATH")
    assert found == {
        "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "CLAUDE_CONFIG_DIR": "/c", "XDG_DATA_HOME": "/data", "TZ": "Europe/Berlin",
    }  # fmt: skip


# -- units and property lists -----------------------------------------------------------------------


def test_a_unit_says_words_as_they_are(odd: Machine, tmp_path: Path) -> None:
    """Read back as systemd reads a quoted word: `\\"` and `\\\\`, `%%`."""
    units = texts(odd, "systemd")
    assert set(units) == {"capture.service", "capture.timer", "consolidate.service", "consolidate.timer"}
    service = units["capture.service"]
    words = shlex.split(service.split("ExecStart=:")[1].splitlines()[0].replace("%%", "%"))
    assert words[1:] == ["capture", "--vault", str(odd.vault.root)] and os.access(words[0], os.X_OK)
    assert re.search(r"(?<!%)%(?!%)", service.replace("%%", "")) is None
    log = f"{odd.vault.root}/.git/vaultgit/state/log/capture.log".replace("%", "%%")
    assert f"\nStandardOutput=append:{log}\nStandardError=append:{log}\n" in service
    assert f"{tmp_path}/home/.local/bin" in service and "Type=oneshot\nTimeoutStartSec=" in service
    assert "OnCalendar=*:0/10:00\n" in units["capture.timer"] and "OnCalendar=*:07:00\n" in units["consolidate.timer"]
    assert "Persistent=true" in units["capture.timer"] and "WantedBy=timers.target" in units["capture.timer"]


def test_a_property_list_is_read_back(odd: Machine, tmp_path: Path) -> None:
    made = texts(odd, "launchd", "--every", "1h")
    told = plistlib.loads(made["capture.plist"].encode())
    assert told["ProgramArguments"][1:] == ["capture", "--vault", str(odd.vault.root)] and told["StartInterval"] == 3600
    assert told["EnvironmentVariables"]["LC_ALL"] == "C.UTF-8"
    assert f"{tmp_path}/home/.local/bin" in told["EnvironmentVariables"]["PATH"].split(":")
    log = f"{odd.vault.root}/.git/vaultgit/state/log/capture.log"
    assert told["StandardOutPath"] == told["StandardErrorPath"] == log
    other = plistlib.loads(made["consolidate.plist"].encode())
    assert other["ProgramArguments"][1:3] == ["consolidate", "--due"] and other["Label"] != told["Label"]
