"""`vaultgit schedule`: other people's lines kept to the byte, exact inverses, what a person changed (P12)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from scheduling import SYSTEMCTL
from scheduling import Machine
from support import Folder
from support import run_cli

from vaultgit.history.repository import Repository
from vaultgit.install import timers
from vaultgit.install.doctor import schedule as doctors
from vaultgit.install.timers import cron
from vaultgit.install.timers import job
from vaultgit.vault import open_vault


@pytest.fixture
def machine(vault: Folder, tmp_path: Path) -> Machine:
    return Machine(vault, tmp_path / "machine")


# -- the crontab -----------------------------------------------------------------------------------

HELD = {
    "none": None,
    "a line": b"5 4 * * * mine\n",
    "no newline at the end": b"MAILTO=me\n5 4 * * * mine",
    "carriage returns": b"# a\r\nSHELL=/bin/fish\r\n5 4 * * * mine\r\n",
    "no text": b"5 4 * * * \xff\xfe \\% \\\\ %in\n\n\n",
    "much like ours": b"# vaultgit begin 01234567\n5 4 * * * mine\n# vaultgit end\n# vaultgit begin 01234567 01234567 /x\n",
}


@pytest.mark.parametrize("debian", [False, True])
@pytest.mark.parametrize("held", HELD)
def test_other_lines_stay_as_they_are_to_the_byte(machine: Machine, held: str, debian: bool) -> None:
    """P12: before, behind, and again when ours are out."""
    machine.table = HELD[held]
    if debian:
        (machine.folder / "debian").touch()
    done = machine.run("install")
    assert done.code == 0 and done.out.startswith(
        "✓ scheduled capture every 10 minutes, consolidate every hour, by cron"
    )
    there = machine.table or b""
    assert there.endswith(HELD[held] or b"") and there.startswith(b"# vaultgit begin ")
    ours = there.removesuffix(HELD[held] or b"").decode()
    assert str(machine.vault.root) in ours.splitlines()[0] and ours.count("\n") == 5 and "\r" not in ours

    before = machine.asked()
    assert machine.run("install").out.startswith("✓ unchanged")
    assert machine.table == there and set(machine.asked()[len(before) :]) <= {"-l", "-e"}

    done = machine.run("remove")
    assert done.code == 0 and done.out.startswith("✓ removed")
    assert machine.table == HELD[held]
    assert not machine.vault.exists(".git/vaultgit/state/log")
    assert machine.run("remove").out.startswith("nothing to remove")
    assert machine.table == HELD[held]


def test_vaults_side_by_side_are_taken_out_alone(machine: Machine, tmp_path: Path) -> None:
    machine.table = b"5 4 * * * mine\n"
    other = Folder(tmp_path / "other")
    shutil.copytree(machine.vault.root, other.root)
    env = {"PATH": machine.path}
    assert machine.run("install").code == 0
    first = machine.table
    assert run_cli("schedule", "install", "--every", "1h", cwd=other.root, env=env).code == 0
    both = machine.table
    assert both is not None and both.endswith(first) and both.count(b"# vaultgit begin") == 2
    assert machine.run("install").out.startswith("✓ unchanged")
    assert machine.run("install", "--every", "30m").code == 0
    assert machine.table is not None and machine.table.count(b"# vaultgit begin") == 2 and b"*/30" in machine.table
    assert machine.run("remove").code == 0
    assert "every hour, consolidate every hour" in run_cli("schedule", "show", cwd=other.root, env=env).out
    shutil.rmtree(other.root)  # its folder gone, its lines still go
    done = run_cli("schedule", "remove", "--vault", str(other.root), cwd=tmp_path, env=env)
    assert done.code == 0 and machine.table == b"5 4 * * * mine\n"


def test_what_was_chosen_stays_until_something_else_is(machine: Machine) -> None:
    assert machine.run("install", "--every", "2h").code == 0
    assert "capture every 2 hours" in machine.run("install").out
    assert "capture every 10 minutes" in machine.run("install", "--every", "10m").out


def test_after_the_program_moved_install_brings_the_lines_up_to_date(machine: Machine) -> None:
    root = str(machine.vault.root)
    old = job.start(root, f"{root}/.git/vaultgit/state", os.environ)._replace(program=("/old/vaultgit",))
    machine.table = cron.texts(old, job.jobs(30))[0].data + b"5 4 * * * mine\n"
    shown = machine.run("show")
    assert "program    /old/vaultgit   is gone" in shown.out and "changed our lines" not in shown.out
    assert machine.run("install").out.startswith("✓ scheduled capture every 30 minutes")
    assert machine.table is not None and b"/old/vaultgit" not in machine.table
    assert machine.table.endswith(b"5 4 * * * mine\n")
    shown = machine.run("show")
    assert f"program    {timers.settings.program()}\n" in shown.out


def test_lines_that_a_person_edited_stay(machine: Machine) -> None:
    machine.table = b"5 4 * * * mine\n"
    assert machine.run("install").code == 0
    ours = machine.table
    assert ours is not None
    theirs = ours.replace(b"*/10 * * * *", b"*/10 8-18 * * *")
    machine.table = theirs
    for words in (["install"], ["install", "--every", "1h"], ["remove"]):
        done = machine.run(*words)
        assert done.code == 1 and "you changed our lines" in done.err and f"{words[0]} --force" in done.err
        assert machine.table == theirs
    assert "you changed our lines since" in machine.run("show").out
    assert "stay, unless you say --force" in machine.run("remove", "--dry-run").out
    assert machine.run("install", "--force").code == 0 and machine.table == ours
    machine.table = theirs
    assert machine.run("remove", "--force").code == 0 and machine.table == b"5 4 * * * mine\n"


@pytest.mark.parametrize("mark", [b"# vaultgit begin", b"# vaultgit end"])
def test_half_of_our_lines_are_a_persons_to_mend(machine: Machine, mark: bytes) -> None:
    assert machine.run("install").code == 0
    assert machine.table is not None
    machine.table = b"".join(line for line in machine.table.splitlines(keepends=True) if not line.startswith(mark))
    half = machine.table
    for words in (["install"], ["remove"], ["install", "--force"], ["remove", "--force"]):
        done = machine.run(*words)
        assert done.code == 1 and machine.table == half
    assert "crontab -e" in done.err


@pytest.mark.parametrize("trouble", ["denied", "unreadable", "full"])
def test_where_crontab_refuses_nothing_has_changed(machine: Machine, trouble: str) -> None:
    machine.table = b"5 4 * * * mine\n"
    (machine.folder / trouble).touch()
    done = machine.run("install", "--with", "cron")
    said = {"denied": "not allowed", "unreadable": "Permission denied", "full": "no space left"}[trouble]
    assert done.code == 1 and said in done.err and machine.table == b"5 4 * * * mine\n"
    assert not machine.vault.exists(".git/vaultgit/state/log")
    assert machine.vault.run("doctor", env={"PATH": machine.path}).out.count("schedule") == 0


def test_a_dry_run_shows_the_text_and_changes_nothing(machine: Machine) -> None:
    machine.table = b"5 4 * * * mine\n"
    before = machine.vault.snapshot()
    done = machine.run("install", "--dry-run")
    shown = done.out.split("\n\n")[1]
    assert done.code == 0 and set(machine.asked()) == {"-l"} and machine.table == b"5 4 * * * mine\n"
    assert not machine.vault.exists(".git/vaultgit/state/log") and machine.vault.snapshot() == before
    assert machine.run("install").code == 0
    assert machine.table == f"{shown}\n5 4 * * * mine\n".encode()
    taken = machine.run("remove", "--dry-run")
    assert shown in taken.out and machine.table == f"{shown}\n5 4 * * * mine\n".encode()


def test_where_nothing_starts_programs_it_says_what_would(machine: Machine) -> None:
    (machine.folder / "crontab").unlink()
    only = machine.folder / "only"
    only.mkdir()
    for name in ("git", "sh", "env"):
        (only / name).symlink_to(shutil.which(name) or "")
    path = f"{machine.folder}:{only}"
    done = machine.run("install", PATH=path)
    assert (
        done.code == 2 and "systemctl --user does not work here" in done.err and "there is no crontab here" in done.err
    )
    shown = machine.run("install", "--dry-run", PATH=path)
    assert shown.code == 0 and "# vaultgit begin" in shown.out and "! there is no crontab here" in shown.out
    assert machine.run("show", PATH=path).out.startswith("not scheduled")


@pytest.mark.parametrize("words", [["install"], ["remove"]])
def test_what_is_started_by_the_clock_is_a_persons_to_decide(machine: Machine, words: list[str]) -> None:
    """DESIGN 9: a recognised agent is refused; looking is free."""
    assert machine.run("install").code == 0
    there = machine.table
    done = machine.run(*words, CLAUDECODE="1")
    assert done.code == 1 and "for a person to decide" in done.err and machine.table == there
    assert machine.run(*words, "--dry-run", CLAUDECODE="1").code == 0
    assert machine.run("show", CLAUDECODE="1").code == 0


# -- systemd and launchd ---------------------------------------------------------------------------


def test_systemd_is_used_where_it_works_and_taken_out_again(machine: Machine, tmp_path: Path) -> None:
    machine.has("systemctl", SYSTEMCTL)
    folder = tmp_path / "home/.config/systemd/user"
    done = machine.run("install")
    assert done.code == 0 and "by systemd" in done.out and "loginctl enable-linger" in done.out
    key = job.key_of(str(machine.vault.root))
    there = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(there) == 4 and all(key in name for name in there) and machine.table is None
    asked = machine.asked("systemctl-asked")
    timer_names = f"vaultgit-capture-{key}.timer vaultgit-consolidate-{key}.timer"
    assert asked.index("--user --no-pager daemon-reload") < asked.index(f"--user --no-pager enable --now {timer_names}")
    assert machine.run("install").out.startswith("✓ unchanged")
    shown = json.loads(machine.run("show", "--json").out)
    assert shown["with"] == ["systemd"] and shown["minutes"] == 10 and shown["gone"] == [] and shown["asleep"] is None
    assert shown["programs"] == [timers.settings.program()]

    service = folder / f"vaultgit-capture-{key}.service"
    service.write_bytes(there[service.name].replace(b"Nice=10", b"Nice=5"))
    assert machine.run("remove").code == 1 and service.exists()
    service.write_bytes(there[service.name])
    (folder / "mine.timer").write_text("mine")
    assert machine.run("remove").code == 0
    assert [path.name for path in folder.iterdir()] == ["mine.timer"]
    assert f"--user --no-pager disable --now {timer_names}" in machine.asked("systemctl-asked")


def test_where_systemd_fails_all_is_as_it_was(machine: Machine, tmp_path: Path) -> None:
    machine.has("systemctl", SYSTEMCTL)
    folder = tmp_path / "home/.config/systemd/user"
    (machine.folder / "failing").write_text("enable")
    done = machine.run("install")
    assert done.code == 1 and "it failed" in done.err and list(folder.iterdir()) == []
    assert not machine.vault.exists(".git/vaultgit/state/log")
    (machine.folder / "failing").unlink()
    assert machine.run("install").code == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (machine.folder / "failing").write_text("restart")
    assert machine.run("install", "--every", "1h").code == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("there", ["folder", "pipe", "device", "circle"])
def test_what_is_no_file_where_a_unit_goes_is_named_and_not_waited_for(
    machine: Machine, tmp_path: Path, there: str
) -> None:
    machine.has("systemctl", SYSTEMCTL)
    unit = tmp_path / f"home/.config/systemd/user/vaultgit-capture-{job.key_of(str(machine.vault.root))}.service"
    unit.parent.mkdir(parents=True)
    if there in ("device", "circle"):
        unit.symlink_to("/dev/zero" if there == "device" else unit.name)
    else:
        {"folder": os.mkdir, "pipe": os.mkfifo}[there](unit)
    for words in (["install"], ["install", "--force"], ["install", "--dry-run"], ["show"], ["remove", "--force"]):
        done = machine.run(*words)
        if words[-1] != "--dry-run":
            assert done.code == 2 and f"{unit} cannot be read: " in done.err and f"ls -l {unit}" in done.err
    assert os.listdir(unit.parent) == [unit.name] and machine.table is None
    told = json.loads(machine.vault.run("doctor", "--json", env={"PATH": machine.path}).out)
    assert "schedule-unreadable" in [one["kind"] for one in told["findings"]]
    done = machine.run("install", "--with", "cron")
    assert done.code == 0 and machine.table


def test_a_unit_may_be_a_link_which_stays_and_leads_to_nothing_that_is_not_ours(
    machine: Machine, tmp_path: Path
) -> None:
    machine.has("systemctl", SYSTEMCTL)
    key = job.key_of(str(machine.vault.root))
    folder, dotfiles = tmp_path / "home/.config/systemd/user", tmp_path / "dotfiles"
    folder.mkdir(parents=True)
    dotfiles.mkdir()
    unit, mine = folder / f"vaultgit-capture-{key}.service", dotfiles / "capture.service"
    unit.symlink_to(mine)
    assert machine.run("install").code == 0 and unit.is_symlink() and b"vaultgit begin" in mine.read_bytes()
    assert machine.run("install", "--every", "1h").code == 0 and unit.is_symlink()
    assert machine.run("remove").code == 0
    assert os.listdir(folder) == [unit.name] and unit.is_symlink() and os.listdir(dotfiles) == []

    mine.write_text("dear diary\n")
    assert machine.run("install").code == 1 and mine.read_text() == "dear diary\n"
    assert machine.run("install", "--force").code == 0 and not unit.is_symlink()
    assert machine.run("remove").code == 0 and os.listdir(folder) == []
    unit.symlink_to(mine)
    assert machine.run("remove", "--force").code == 0 and os.listdir(folder) == []
    assert mine.read_text() == "dear diary\n"


def test_who_may_have_no_crontab_has_systemds_timers(machine: Machine) -> None:
    (machine.folder / "denied").touch()
    done = machine.run("show")
    assert done.code == 1 and "not allowed" in done.err
    machine.has("systemctl", SYSTEMCTL)
    assert "by systemd" in machine.run("install").out and "by systemd" in machine.run("show").out
    assert machine.run("install").out.startswith("✓ unchanged")
    assert machine.run("remove").code == 0


def test_moving_from_one_to_the_other_leaves_one(machine: Machine, tmp_path: Path) -> None:
    machine.table = b"5 4 * * * mine\n"
    assert machine.run("install", "--every", "5m").code == 0
    machine.has("systemctl", SYSTEMCTL)
    assert "by cron" in machine.run("install").out  # as it is, though systemd would come first
    done = machine.run("install", "--with", "systemd")
    assert done.code == 0 and "✓ removed  what cron started" in done.out
    assert machine.table == b"5 4 * * * mine\n" and len(list((tmp_path / "home/.config/systemd/user").iterdir())) == 4


def test_launchd_is_loaded_and_taken_out_again(machine: Machine, tmp_path: Path) -> None:
    machine.has("launchctl", SYSTEMCTL.replace("systemctl-asked", "launchctl-asked"))
    folder = tmp_path / "home/Library/LaunchAgents"
    documents = tmp_path / "home/Documents"
    documents.mkdir()
    machine.vault.root.rename(documents / "Notes")
    machine.vault = Folder(documents / "Notes")
    done = machine.run("install", "--with", "launchd")
    assert done.code == 0 and "Full Disk Access" in done.out and len(list(folder.iterdir())) == 2
    key, uid = job.key_of(str(machine.vault.root)), os.getuid()
    asked = machine.asked("launchctl-asked")
    assert f"bootstrap gui/{uid} {folder}/vaultgit.capture.{key}.plist" in asked
    shown = json.loads(machine.run("show", "--json").out)
    assert (shown["with"], shown["minutes"], shown["gone"], shown["edited"]) == (["launchd"], 10, [], [])
    assert machine.run("install").out.startswith("✓ unchanged")
    path = folder / f"vaultgit.capture.{key}.plist"
    path.write_bytes(path.read_bytes().replace(b"600", b"900"))
    assert machine.run("install").code == 1
    assert machine.run("install", "--force", "--every", "10m").code == 0 and b"600" in path.read_bytes()
    assert machine.run("remove").code == 0 and list(folder.iterdir()) == []
    assert f"bootout gui/{uid}/vaultgit.consolidate.{key}" in machine.asked("launchctl-asked")


# -- show, doctor, init --remove -------------------------------------------------------------------


def test_show_says_how_it_went(machine: Machine) -> None:
    done = machine.run()
    assert done.out.startswith("not scheduled") and done.out.endswith("Next:  vaultgit schedule install --dry-run\n")
    assert json.loads(machine.run("show", "--json").out)["scheduled"] is False
    assert machine.run("install").code == 0
    assert "last run   none yet" in machine.run("show").out
    state = ".git/vaultgit/state/capture.json"
    last = {"time": "2026-11-29T20:10:00+00:00", "ok": False, "words": "claude is not there\nlooked in /bin"}
    for text in ("", "[]", '{"last": 3}', '{"last": {"ok": true}}', "\xff"):
        machine.vault.write(state, text)
        assert "last run   none yet" in machine.run("show").out
    machine.vault.write(state, json.dumps({"last": last}))
    assert "last run   2026-11-29 21:10  failed: claude is not there looked in /bin" in machine.run("show").out
    assert json.loads(machine.run("show", "--json").out)["last"] == last


Change = Callable[[Folder, Path], object]


def _gone(vault: Folder, units: Path) -> None:
    service = next(units.glob("vaultgit-capture-*.service"))
    service.write_text(service.read_text().replace('ExecStart=:"', 'ExecStart=:"/nowhere'))


@pytest.mark.parametrize(
    ("kind", "level", "change"),
    [
        ("schedule-program-gone", "problem", _gone),
        ("schedule-log-gone", "problem", lambda vault, units: shutil.rmtree(vault.root / ".git/vaultgit/state/log")),
        ("schedule-asleep", "problem", lambda vault, units: (vault.root.parent / "machine/failing").write_text("is-active")),
        ("schedule-failed", "remark", lambda vault, units: vault.write(
            ".git/vaultgit/state/capture.json", '{"last": {"time": "2026-11-29T20:10:00Z", "ok": false, "words": "no"}}')),
    ],
)  # fmt: skip
def test_the_doctor_sees_what_keeps_it_from_running(
    machine: Machine, tmp_path: Path, kind: str, level: str, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.has("systemctl", SYSTEMCTL)
    monkeypatch.setenv("PATH", machine.path)
    opened = open_vault(str(machine.vault.root))
    with opened.repo:
        assert doctors.look(opened) is None
        assert machine.run("install").code == 0
        part = doctors.look(opened)
        assert part is not None and (part.findings, part.fine) == ([], "systemd, every 10 minutes")
        change(machine.vault, tmp_path / "home/.config/systemd/user")
        part = doctors.look(opened)
        assert part is not None and [(one.kind, one.level) for one in part.findings] == [(kind, level)]
    assert kind in machine.vault.run("doctor", "--json", env={"PATH": machine.path}).out


def test_taking_the_vault_out_takes_its_schedule_out(machine: Machine) -> None:
    """P12: `init --remove` leaves nothing that starts; what a person edited it names."""
    machine.table = b"5 4 * * * mine\n"
    assert machine.run("install").code == 0
    ours = machine.table
    env = {"PATH": machine.path}
    assert "schedule (cron)" in machine.vault.run("init", "--remove", "--dry-run", env=env).out
    assert machine.table == ours
    done = machine.vault.run("init", "--remove", env=env)
    assert done.code == 0 and "schedule (cron)" in done.out and machine.table == b"5 4 * * * mine\n"
    assert machine.vault.run("init", env=env).code == 0 and machine.run("install").code == 0
    assert machine.table is not None
    machine.table = machine.table.replace(b"*/10", b"*/20")
    theirs = machine.table
    done = machine.vault.run("init", "--remove", env=env)
    assert "stays: what is scheduled" in done.out and machine.table == theirs


def test_a_schedule_changes_no_file_of_the_vault(machine: Machine) -> None:
    before, head = machine.vault.snapshot(), machine.vault.git("rev-parse", "HEAD")
    assert machine.run("install").code == 0
    assert machine.vault.snapshot() == before and machine.vault.git("rev-parse", "HEAD") == head
    with Repository.find(str(machine.vault.root)) as repo:  # type: ignore[union-attr]
        assert repo.run("status", "--porcelain") == b""
