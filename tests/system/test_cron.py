"""Cron's own daemon, and systemd's own check of units: `make test-system` (once cron and systemd are installed).

The user's crontab is written, so a user who has one is left alone.
"""

from __future__ import annotations

import json
import os
import plistlib
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from installed import SYSTEM
from installed import tool
from support import Folder

from vaultgit.install import settings
from vaultgit.install.timers import cron

DEADLINE = 150  # seconds: the daemon looks once a minute

pytestmark = SYSTEM


@pytest.fixture
def odd(vault: Folder) -> Folder:
    """The vault, under a name with all that sh, cron, systemd and XML give a meaning to."""
    there = vault.root.parent / "Mon Värld 100% 'q' \"d\" $HOME & <x>"
    vault.root.rename(there)
    return Folder(there)


@pytest.fixture
def daemon() -> Iterator[None]:
    """A cron daemon that runs while the test does: this machine's own, else one that the test starts."""
    program = tool("cron")
    if not cron.asleep(""):
        yield
        return
    if os.getuid() != 0:
        pytest.skip("no cron daemon runs here, and only root can start one")
    started = subprocess.Popen([program, "-f"], env={"PATH": "/usr/bin:/bin"})
    yield
    started.terminate()
    started.wait(10)


@pytest.fixture
def crontab() -> Iterator[None]:
    """This user's crontab, which is none before and after."""
    tool("crontab")
    said = subprocess.run(["crontab", "-l"], capture_output=True, text=True, check=False)
    if "no crontab" not in said.stderr:
        pytest.skip("you have a crontab; this test wants one of its own")
    yield
    subprocess.run(["crontab", "-r"], capture_output=True, check=False)


def last(vault: Folder) -> dict[str, object]:
    try:
        found = json.loads(vault.read(".git/vaultgit/state/capture.json"))["last"]
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    assert isinstance(found, dict)
    return found


def spoken(home: Path) -> None:
    """A decision of ten minutes ago, in a log of Claude Code, long enough to be captured (case 051)."""
    text = (
        "We decided: Grüße an Zoë go out on Fridays. " + "Amounts are integer cents, floats lost a cent in March. " * 8
    )
    row = {
        "type": "user", "uuid": "k1", "sessionId": "k", "cwd": "/p", "isSidechain": False,
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 600)),
        "message": {"role": "user", "content": text},
    }  # fmt: skip
    log = home / ".claude/projects/p/k.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")


def test_cron_runs_the_installed_line_twice(odd: Folder, crontab: None, daemon: None) -> None:
    """Acceptance 5, case 051: the line as it was installed, under the daemon's environment, twice within the minutes."""
    assert os.access(settings.program(), os.X_OK), f"{settings.program()}: not installed in {sys.prefix}"
    home = Path(os.environ["HOME"])
    spoken(home)

    done = odd.run("schedule", "install", "--every", "1m", "--with", "cron")
    assert done.code == 0 and done.out.startswith("✓ scheduled capture every minute"), done.err
    lines = subprocess.run(["crontab", "-l"], capture_output=True, check=True).stdout
    # The daemon gives the home of the password file; the conversations of whoever runs this are nobody's business.
    private = f'HOME="{home}"\n'.encode()
    subprocess.run(["crontab", "-"], input=private + lines, check=True)

    log = odd.root / ".git/vaultgit/state/log/capture.log"
    times: list[object] = []
    until = time.monotonic() + DEADLINE
    while len(times) < 2 and time.monotonic() < until:
        threading.Event().wait(0.5)
        seen = last(odd).get("time")
        if seen and seen not in times:
            assert last(odd)["ok"] is True, (last(odd), log.read_text())
            times.append(seen)
    assert len(times) == 2, log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600 and log.parent.stat().st_mode & 0o777 == 0o700
    assert "Grüße an Zoë" in "".join(path.read_text() for path in odd.root.rglob("20*.md")), log.read_text()

    shown = odd.run("schedule", "show")
    assert "last run   none yet" not in shown.out and "no cron daemon" not in shown.out, shown.out
    assert odd.run("schedule", "remove").code == 0
    assert subprocess.run(["crontab", "-l"], capture_output=True, check=True).stdout == private


def test_what_the_crontab_held_is_what_it_holds(vault: Folder, crontab: None) -> None:
    """P12, with Debian's crontab: also carriage returns, which its `crontab -l` prints as backslash and r."""
    held = b"# of mine \xc3\xa4 \xff\r\n#\r\nMAILTO=me\r\n5 4 * * 1 mine \\% \\\\ x\n"
    subprocess.run(["crontab", "-"], input=held, check=True)
    as_printed = subprocess.run(["crontab", "-l"], capture_output=True, check=True).stdout
    assert vault.run("schedule", "install", "--with", "cron").code == 0
    assert vault.run("schedule", "install", "--with", "cron").out.startswith("✓ unchanged")
    there = subprocess.run(["crontab", "-l"], capture_output=True, check=True).stdout
    assert there.startswith(b"# vaultgit begin") and there.endswith(as_printed)
    assert vault.run("schedule", "remove").code == 0

    copy = vault.root.parent / "copy"
    editor = f'f() {{ cat "$1" >{copy}; exit 1; }}; f'
    subprocess.run(["crontab", "-e"], env={**os.environ, "VISUAL": editor}, capture_output=True, check=False)
    assert copy.read_bytes() == held


def test_a_line_that_debians_crontab_finds_too_long_is_never_made(vault: Folder, crontab: None, tmp_path: Path) -> None:
    more = []
    for number in range(12):
        folder = tmp_path / f"{number:02}-{'x' * 90}"
        folder.mkdir()
        more.append(str(folder))
    done = vault.run("schedule", "install", "--with", "cron", env={"PATH": ":".join([*more, os.environ["PATH"]])})
    assert done.code == 0, done.err


def test_systemd_takes_the_units(odd: Folder, tmp_path: Path) -> None:
    analyze = tool("systemd-analyze")
    said = odd.run("schedule", "install", "--sync", "--with", "systemd", "--dry-run", "--json")
    folder = tmp_path / "units"
    folder.mkdir()
    for text in json.loads(said.out)["texts"]:
        (folder / Path(text["where"]).name).write_text(text["text"])
    units = sorted(str(path) for path in folder.iterdir())
    assert len(units) == 6
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}

    def verify() -> subprocess.CompletedProcess[str]:
        command = [analyze, "--user", "verify", *units]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    done = verify()
    assert (done.returncode, str(folder) in done.stderr) == (0, False), done.stderr
    # It would say so: the same with a word too many.
    service = Path(next(unit for unit in units if unit.endswith(".service")))
    service.write_text(service.read_text().replace("Type=oneshot", "Type=oneshot\nExecStart=vault/git"))
    assert verify().returncode != 0


def test_a_property_list_is_read_back(odd: Folder) -> None:
    said = odd.run("schedule", "install", "--with", "launchd", "--dry-run", "--json")
    for text in json.loads(said.out)["texts"]:
        told = plistlib.loads(text["text"].encode())
        assert told["ProgramArguments"][-2:] == ["--vault", str(odd.root)]
        plutil = shutil.which("plutil")
        if plutil:
            subprocess.run([plutil, "-lint", "-"], input=text["text"].encode(), check=True)
