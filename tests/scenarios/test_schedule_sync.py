"""`vaultgit schedule install --sync`: a third job that is only there when it is asked for (P12), its own moment on each
machine, how its last run is told, and the real sync from its line (case 051).
"""

from __future__ import annotations

import json
import os
import platform
import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from scheduling import SYSTEMCTL
from scheduling import Machine
from support import Folder

from vaultgit.install import lastsync
from vaultgit.install.timers import cron
from vaultgit.install.timers import every
from vaultgit.install.timers import job

LOG = ".git/vaultgit/state/log/sync.log"


@pytest.fixture
def machine(vault: Folder, tmp_path: Path) -> Machine:
    return Machine(vault, tmp_path / "machine")


def lines(machine: Machine) -> list[str]:
    """What the crontab has of ours: command and vault."""
    return re.findall(r"(capture|consolidate --due|sync) --vault", (machine.table or b"").decode())


# -- only where it is asked for --------------------------------------------------------------------


def test_it_is_there_when_it_is_asked_for_and_stays_until_it_is_not(machine: Machine) -> None:
    machine.table = b"5 4 * * * mine\n"
    assert machine.run("install").code == 0
    without = machine.table
    assert lines(machine) == ["capture", "consolidate --due"]
    shown = machine.run("install", "--sync", "--dry-run")
    assert shown.code == 0 and " sync --vault " in shown.out and machine.table == without
    done = machine.run("install", "--sync")
    assert "capture every 10 minutes, consolidate every hour, sync every 10 minutes, by cron" in done.out
    assert lines(machine) == ["capture", "consolidate --due", "sync"]
    with_ = machine.table
    for words in (["install"], ["install", "--sync"], ["install", "--sync", "10m"]):
        assert machine.run(*words).out.startswith("✓ unchanged") and machine.table == with_
    assert "sync every 10 minutes" in machine.run("install", "--every", "30m").out
    assert (
        "capture every 30 minutes, consolidate every hour, sync every hour"
        in machine.run("install", "--sync", "1h").out
    )
    assert machine.run("install", "--every", "10m", "--sync", "off").code == 0 and machine.table == without
    assert not machine.vault.exists(LOG) and machine.vault.exists(LOG.replace("sync", "capture"))
    assert machine.run("install", "--sync").code == 0
    assert machine.run("remove").code == 0 and machine.table == b"5 4 * * * mine\n"
    assert not machine.vault.exists(".git/vaultgit/state/log")


def test_a_time_that_is_none_names_the_option(machine: Machine) -> None:
    for text, near in (("soon", "--sync 10m"), ("7m", "--sync 6m"), ("", "--sync 10m")):
        done = machine.run("install", "--sync", text)
        assert done.code == 2 and near in done.err and machine.table is None


@pytest.mark.parametrize("kind", ["systemd", "launchd"])
def test_its_files_come_and_go_alone(machine: Machine, tmp_path: Path, kind: str) -> None:
    """P12: what stands for the other jobs stands."""
    name = {"systemd": "systemctl", "launchd": "launchctl"}[kind]
    machine.has(name, SYSTEMCTL.replace("systemctl-asked", "asked-of-it"))
    folder = tmp_path / ("home/.config/systemd/user" if kind == "systemd" else "home/Library/LaunchAgents")
    assert machine.run("install", "--with", kind).code == 0
    without = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert machine.run("install", "--sync", "20m").code == 0
    with_ = {path.name for path in folder.iterdir()}
    extra = with_ - set(without)
    assert len(extra) == (2 if kind == "systemd" else 1) and all("sync" in one for one in extra)
    assert machine.run("install").out.startswith("✓ unchanged")
    assert "sync every 20 minutes" in machine.run("show").out
    before = len(machine.asked("asked-of-it"))
    assert machine.run("install", "--sync", "off").code == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == without
    stopped = [line for line in machine.asked("asked-of-it")[before:] if "disable" in line or "bootout" in line]
    assert any(next(iter(extra)).rpartition(".")[0] in line for line in stopped)
    assert machine.run("install", "--sync", "20m").code == 0 and machine.run("remove").code == 0
    assert list(folder.iterdir()) == []


def test_a_unit_of_the_sync_takes_75_for_no_failure_and_comes_at_its_own_moment(machine: Machine) -> None:
    shown = json.loads(machine.run("install", "--sync", "--with", "systemd", "--dry-run", "--json").out)
    texts = {Path(text["where"]).name: text["text"] for text in shown["texts"]}
    for name, text in texts.items():
        assert ("\nSuccessExitStatus=75\n" in text) == (name.startswith("vaultgit-sync") and name.endswith(".service"))
        assert ("\nRandomizedDelaySec=120\n" in text) == (name.startswith("vaultgit-sync") and name.endswith(".timer"))
    shown = json.loads(machine.run("install", "--sync", "--with", "launchd", "--dry-run", "--json").out)
    assert plistlib.loads(shown["texts"][-1]["text"].encode())["StartInterval"] == 600


def test_moving_to_another_kind_takes_the_sync_along(machine: Machine) -> None:
    assert machine.run("install", "--sync", "30m").code == 0
    machine.has("systemctl", SYSTEMCTL)
    done = machine.run("install", "--with", "systemd")
    assert "sync every 30 minutes, by systemd" in done.out and machine.table is None


# -- when ------------------------------------------------------------------------------------------


def test_machines_come_to_the_server_at_moments_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same each time on one machine, so that installing again changes nothing; within the interval."""
    found = set()
    for number in range(40):
        monkeypatch.setattr(platform, "node", lambda number=number: f"machine-{number}")
        minute, second = job.moment("0123abcd", 10)
        assert (minute, second) == job.moment("0123abcd", 10) and 0 <= minute < 10 and 0 <= second < 60
        found.add((minute, second))
    assert len(found) > 30


def test_each_possible_time_comes_round_evenly_whatever_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, minutes in enumerate(every.POSSIBLE):
        monkeypatch.setattr(platform, "node", lambda number=number: f"machine-{number}")
        one = job.jobs(10, minutes)[-1]
        minute, hour = cron._fields(one, "0123abcd").split()[:2]
        assert len(_starts(minute, 60)) * len(_starts(hour, 24)) * minutes == 24 * 60, (minutes, minute, hour)


def _starts(field: str, top: int) -> list[int]:
    span, _, step = field.partition("/")
    first, _, last = span.partition("-")
    if first == "*":
        first, last = "0", str(top - 1)
    return list(range(int(first), int(last or first) + 1, int(step or 1)))


# -- how the last one went -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("log", "shown", "next_"),
    [
        ("", "none yet", "vaultgit status"),
        ("2 edits of codex came in: 1 note: Home.md\nmerged 0123456789\n", "fine: merged 0123456789", "vaultgit status"),
        ("vaultgit: origin/main was rewritten\n  put it back\nunchanged\nlevel with origin/main\n", "fine: unchanged", "vaultgit status"),
        ("unchanged\nqueued origin is offline\n", "later: queued origin is offline", "vaultgit status"),
        ("unchanged\nvaultgit: origin/main is gone: refused\n  git push\n", "failed: origin/main is gone: refused", "vaultgit sync, which says it again"),
        ("sh: 1: /old/vaultgit: not found\n", "failed: sh: 1: /old/vaultgit: not found", "vaultgit sync, which says it again"),
    ],
)  # fmt: skip
def test_show_tells_the_last_sync_and_75_is_later(machine: Machine, log: str, shown: str, next_: str) -> None:
    assert machine.run("install").code == 0
    assert "last sync" not in machine.run("show").out and json.loads(machine.run("show", "--json").out)["sync"] is None
    assert machine.run("install", "--sync").code == 0
    machine.vault.write(LOG, log)
    os.utime(machine.vault.root / LOG, (1764450600, 1764450600))
    done = machine.run("show")
    assert re.search(r"^last sync  (2025-11-29 22:10  )?" + re.escape(shown) + "$", done.out, re.M), done.out
    assert f"Next:  {next_}" in done.out.replace("Next:  sudo service cron start", f"Next:  {next_}")
    told = json.loads(machine.run("show", "--json").out)["sync"]
    assert told["minutes"] == 10 and (told["last"] is None) == (not log)


def test_only_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    log = tmp_path / "sync.log"
    log.write_text("queued long ago\n" + "x" * 200_000 + "\npushed 0123\n" + "level with origin/main\n" * 10)
    found = lastsync.last(str(log))
    assert found is not None and (found.outcome, found.words) == ("done", "pushed 0123")
    assert lastsync.last(str(tmp_path / "none")) is None


# -- the real one ----------------------------------------------------------------------------------


def bare(line: str, home: str) -> subprocess.CompletedProcess[bytes]:
    """Case 051: what cron gives a line, and no more."""
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": home}
    return subprocess.run(["sh", "-c", f"cd / && {line}"], env=env, capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=120, check=False)  # fmt: skip


def test_the_real_sync_runs_from_its_line(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 051: nothing on PATH, no terminal, no agent for keys; done, later, and what only a person can mend."""
    monkeypatch.setattr(platform, "node", lambda: "machine")
    vault, home = machine.vault, str(tmp_path / "home")
    server = tmp_path / "server.git"
    vault.git("init", "--quiet", "--bare", str(server))
    vault.git("remote", "add", "origin", server.as_uri())
    assert machine.run("install", "--sync").code == 0
    [line] = [
        line.split(None, 5)[5] for line in (machine.table or b"").decode().splitlines() if " sync --vault " in line
    ]
    line = re.sub(r"sleep \d+; ", "", line)

    assert bare(line, home).returncode == 0
    assert Folder(server).git("rev-parse", "main") == vault.git("rev-parse", "HEAD")
    assert (
        "last sync" in machine.run("show").out
        and f"fine: pushed {vault.git('rev-parse', 'HEAD')}" in machine.run("show").out
    )
    vault.git("remote", "set-url", "origin", "http://127.0.0.1:1/notes.git")
    assert bare(line, home).returncode == 75
    assert re.search(r"last sync  .*  later: queued ", machine.run("show").out), machine.run("show").out
    vault.git("remote", "set-url", "origin", server.as_uri())
    shutil.rmtree(server)
    vault.git("init", "--quiet", "--bare", str(server))
    assert bare(line, home).returncode == 1
    shown = machine.run("show").out
    assert re.search(r"last sync  .*  failed: origin is empty", shown), shown


def test_it_begins_after_a_pause_of_this_machines_own(machine: Machine) -> None:
    minute, second = job.moment(job.key_of(str(machine.vault.root)), 10)
    assert machine.run("install", "--sync").code == 0
    [line] = [line for line in (machine.table or b"").decode().splitlines() if " sync --vault " in line]
    assert line.startswith(f"{minute}-59/10 " if minute else "*/10 ") and (f"; sleep {second}; " in line) == bool(
        second
    )
    assert (machine.table or b"").count(b"sleep") == bool(second)


@pytest.mark.parametrize(
    ("url", "env", "said"),
    [
        (None, {}, "there is nothing to sync with yet: git remote add origin URL"),
        ("https://git.example/notes.git", {}, "a timer cannot answer when git asks for a password: git config --global credential.helper"),
        ("git@git.example:me/notes.git", {"SSH_AUTH_SOCK": "/tmp/agent"}, "your ssh agent may not be there when a timer runs"),
        ("git@git.example:me/notes.git", {}, None),
        ("/srv/notes.git", {}, None),
    ],
)  # fmt: skip
def test_what_a_timer_cannot_answer_is_said_when_it_is_installed(
    machine: Machine, url: str | None, env: dict[str, str], said: str | None
) -> None:
    if url:
        machine.vault.git("remote", "add", "origin", url)
    without = machine.run("install", **env).out
    assert "timer cannot" not in without and "nothing to sync with" not in without
    done = machine.run("install", "--sync", **env)
    remarks = [line for line in done.out.splitlines() if line.startswith("! ") and "cron" not in line.partition(":")[0]]
    assert [said is not None and said in line for line in remarks] == ([True] if said else []), done.out
    if url and url.startswith("https"):
        machine.vault.git("config", "credential.helper", "cache")
        assert "timer cannot" not in machine.run("install", "--sync").out


def test_words_of_a_person_who_wants_a_sync_are_shell(machine: Machine) -> None:
    """The line that `ls-remote` is tried with can be copied."""
    machine.vault.git("remote", "add", "origin", "ssh://git.example/notes.git")
    done = machine.run("install", "--sync", SSH_AUTH_SOCK="/tmp/agent")
    tried = done.out.partition("try: ")[2].splitlines()[0]
    assert shlex.split(tried)[:2] == ["env", "-i"] and str(machine.vault.root) in shlex.split(tried)
