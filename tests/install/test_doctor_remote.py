"""install/doctor/remote and install/remote: how a vault stands to its remote, told without the network; each kind of
finding, and what is no such thing; passwords are masked (P11).
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from datetime import datetime
from datetime import timedelta
from pathlib import Path

import pytest
from scheduling import Machine
from support import NOW
from support import Folder

from vaultgit.history.repository import Repository
from vaultgit.install import remote
from vaultgit.install.doctor import remote as doctors
from vaultgit.install.doctor.finding import Finding
from vaultgit.vault import open_vault

LATE = datetime.fromisoformat(NOW)
PASSWORD = "hunter" + "2hunter" + "2"


@pytest.fixture
def synced(vault: Folder, tmp_path: Path) -> Folder:
    """A vault that is level with a bare repository."""
    vault.git("init", "--quiet", "--bare", str(tmp_path / "server.git"))
    vault.git("remote", "add", "origin", str(tmp_path / "server.git"))
    vault.git("push", "--quiet", "--set-upstream", "origin", "main")
    return vault


def looked(vault: Folder, now: datetime = LATE) -> tuple[dict[str, Finding], str]:
    opened = open_vault(str(vault.root))
    with opened.repo:
        part = doctors.look(opened, now)
    return {finding.kind: finding for finding in part.findings}, part.fine


def committed(vault: Folder, days_ago: int, name: str) -> None:
    when = (LATE - timedelta(days=days_ago)).isoformat()
    vault.write(name, f"{days_ago}\n")
    vault.git("add", name)
    vault.git("commit", "--quiet", "--no-verify", "-m", name, env={"GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when})


def fetched(vault: Folder, *days_ago: int) -> None:
    """The server has gone on without us."""
    vault.git("branch", "kept")
    for number in days_ago:
        committed(vault, number, f"theirs-{number}.md")
    vault.git("push", "--quiet", "origin", "main")
    vault.git("reset", "--quiet", "--hard", "kept")


# -- how it stands ---------------------------------------------------------------------------------------------------


def test_without_a_remote_it_says_so_and_that_is_nothing_wrong(vault: Folder) -> None:
    assert looked(vault) == ({}, "none: your notes and their history are on this machine only")
    assert vault.run("status").out.splitlines()[0].endswith("  main")
    assert json.loads(vault.run("status", "--json").out)["remote"] is None


def test_status_begins_with_how_the_branch_stands(synced: Folder) -> None:
    first = synced.run("status").out.splitlines()[0]
    seen = datetime.fromisoformat(json.loads(synced.run("status", "--json").out)["remote"]["seen"])
    assert abs(seen.timestamp() - os.stat(synced.root / ".git/logs/refs/remotes/origin/main").st_mtime) < 0.001
    assert first.endswith(f"  main, level with origin ({seen:%Y-%m-%d %H:%M})")
    findings, fine = looked(synced)
    assert findings == {} and fine.startswith("level with origin (")
    for number in (1, 2):
        committed(synced, number, f"mine-{number}.md")
    assert synced.run("status").out.splitlines()[0].endswith("  main, 2 ahead of origin: vaultgit sync")
    synced.git("reset", "--quiet", "--hard", "HEAD~2")
    fetched(synced, 3, 2, 1)
    assert synced.run("status").out.splitlines()[0].endswith("  main, 3 behind origin: vaultgit sync")
    committed(synced, 1, "mine.md")
    assert synced.run("status").out.splitlines()[0].endswith("  main, 1 ahead, 3 behind origin: vaultgit sync")
    told = json.loads(synced.run("status", "--json").out)["remote"]
    assert (told["remote"], told["branch"], told["ahead"], told["behind"]) == ("origin", "main", 1, 3)


def test_a_branch_of_another_name_there_is_named(synced: Folder) -> None:
    synced.git("push", "--quiet", "origin", "main:refs/heads/notes")
    synced.git("branch", "--quiet", "--set-upstream-to", "origin/notes")
    assert ", level with origin/notes (" in synced.run("status").out


def test_a_branch_that_was_never_seen_there_is_a_remark(synced: Folder) -> None:
    synced.git("switch", "--quiet", "-c", "side")
    assert ", never seen on origin: vaultgit sync" in synced.run("status").out.splitlines()[0]
    found, _ = looked(synced)
    assert (found["never-synced"].level, found["never-synced"].about) == ("remark", "origin/side")


def test_a_detached_head_and_an_unborn_branch_say_nothing_of_it(synced: Folder) -> None:
    synced.git("checkout", "--quiet", "--detach")
    assert synced.run("status").out.splitlines()[0].endswith("  no branch")
    synced.git("checkout", "--quiet", "--orphan", "new")
    assert synced.run("status").out.splitlines()[0].endswith("  new")


def test_two_git_processes_are_too_many(synced: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `status` asks this: one git, and no network."""
    opened = open_vault(str(synced.root))
    with opened.repo:
        assert opened.repo.config
        started: list[tuple[str, ...]] = []
        call = Repository.call
        monkeypatch.setattr(
            Repository, "call", lambda self, *args, **more: started.append(args) or call(self, *args, **more)
        )
        monkeypatch.setattr(socket, "socket", None)
        level = remote.level(opened)
    assert level is not None and (level.ahead, level.behind) == (0, 0)
    assert [words[0] for words in started] == ["rev-list"]


@pytest.mark.parametrize(("mine", "theirs", "told"), [(4, 5, True), (4, 1, False), (1, 4, False), (0, 9, False)])
def test_what_has_diverged_for_days_is_a_remark(synced: Folder, mine: int, theirs: int, told: bool) -> None:
    fetched(synced, theirs)
    if mine:
        committed(synced, mine, "mine.md")
    found, _ = looked(synced)
    assert ("diverged" in found) == told
    if told:
        assert found["diverged"].level == "remark"
        assert found["diverged"].what == "1 commit here and 1 there since 2026-11-25"
        assert found["diverged"].mend == "vaultgit sync"


# -- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "mend"),
    [
        (f"https://me:{PASSWORD}@git.example/notes.git", "git remote set-url origin https://git.example/notes.git"),
        ("https://" + "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8@git.example/n.git", "git remote set-url origin https://git.example/n.git"),
    ],
)  # fmt: skip
def test_p11_a_password_in_an_address_is_a_problem_and_is_not_shown(vault: Folder, url: str, mend: str) -> None:
    vault.git("remote", "add", "origin", url)
    finding = looked(vault)[0]["remote-password"]
    secret = url.partition("//")[2].partition("@")[0].rpartition(":")[2]
    assert finding.level == "problem" and finding.about == "git config remote.origin.url" and mend in finding.mend
    assert "https://***@git.example/" in finding.what and not any(secret in str(word) for word in finding)
    done = vault.run("doctor")
    assert done.code == 1 and secret not in done.out + done.err


@pytest.mark.parametrize(
    "url", [f"http://me:p@{PASSWORD}@git.example/n.git", f"http://git.example/n.git?private_token={PASSWORD}"]
)
def test_p11_nor_one_with_an_at_sign_or_in_the_query(vault: Folder, url: str) -> None:
    vault.git("remote", "add", "origin", url)
    assert looked(vault)[0]["remote-password"].level == "problem"
    done = vault.run("doctor")
    assert done.code == 1 and PASSWORD not in done.out + done.err
    assert "git remote set-url origin http://git.example/n.git" in done.out, done


@pytest.mark.parametrize(
    "url", ["https://me@git.example/n.git", "ssh://git@git.example/n.git", "git@git.example:n.git", "/n:m@x"]
)
def test_a_user_name_in_an_address_is_none(vault: Folder, url: str) -> None:
    vault.git("remote", "add", "origin", url)
    assert set(looked(vault)[0]) == {"never-synced"}


def test_the_address_of_pushes_alone_is_looked_at_too(vault: Folder) -> None:
    vault.git("remote", "add", "backup", "/srv/n.git")
    vault.git("remote", "set-url", "--push", "backup", f"http://me:{PASSWORD}@git.example/n.git")
    found, _ = looked(vault)
    assert "git remote set-url --push backup http://git.example/n.git" in found["remote-password"].mend
    assert (
        found["remote-http"].level == "remark"
        and found["remote-http"].what == "http://***@git.example/n.git is not encrypted"
    )
    assert found["remote-http"].mend == "git remote set-url --push backup https://git.example/n.git"


@pytest.mark.parametrize("url", ["https://git.example/n.git", "http://localhost:3000/n.git", "http://127.0.0.1/n.git"])
def test_what_stays_on_this_machine_or_is_encrypted_is_fine(vault: Folder, url: str) -> None:
    vault.git("remote", "add", "origin", url)
    assert "remote-http" not in looked(vault)[0]


# -- timers ----------------------------------------------------------------------------------------------------------

GIT_PLUGIN = ".obsidian/plugins/obsidian-git/data.json"
Change = Callable[[Folder], object]


def plugin(**data: object) -> Change:
    def change(vault: Folder) -> None:
        vault.write(".obsidian/community-plugins.json", '["obsidian-git"]')
        vault.write(GIT_PLUGIN, json.dumps(data))

    return change


def logged(text: str) -> Change:
    return lambda vault: vault.write(".git/vaultgit/state/log/sync.log", text)


TIMED: dict[str, tuple[Change, Change]] = {
    "sync-failed": (
        logged(f"vaultgit: https://me:{PASSWORD}@git.example/n.git refused: no entry\n"), logged("queued origin is offline\n"),
    ),
    "two-syncers": (plugin(autoPullInterval=10), plugin(autoPullInterval=0, autoPushInterval=10, disablePush=True)),
    "sync-nowhere": (lambda vault: vault.git("remote", "remove", "origin"), lambda vault: vault.git("remote", "rename", "origin", "other")),
}  # fmt: skip


@pytest.mark.parametrize("kind", TIMED)
def test_what_keeps_a_timers_sync_from_its_work_is_a_remark(
    synced: Folder, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(synced, tmp_path / "machine")
    monkeypatch.setenv("PATH", machine.path)
    wrong, near = TIMED[kind]
    assert machine.run("install").code == 0
    wrong(synced)
    assert kind not in looked(synced)[0]  # without a timer it is nobody's business
    if kind == "sync-nowhere":
        synced.git("remote", "add", "origin", str(tmp_path / "server.git"))
        synced.git("fetch", "--quiet", "origin")
        synced.git("branch", "--quiet", "--set-upstream-to", "origin/main")
    else:
        near(synced)
    assert machine.run("install", "--sync").code == 0
    near(synced)
    assert kind not in looked(synced)[0]
    if kind == "sync-nowhere":
        synced.git("remote", "rename", "other", "origin")
    wrong(synced)
    found = looked(synced)[0][kind]
    assert found.level == "remark" and found.about and found.what and found.risk and found.mend
    assert PASSWORD not in str(found)


def test_status_tells_of_a_sync_that_failed_until_one_gets_through(synced: Folder) -> None:
    logged("vaultgit: origin/main is gone: refused\n  git push\n")(synced)
    assert (
        "needs you   sync, " in synced.run("status").out
        and ": origin/main is gone: refused" in synced.run("status").out
    )
    for text in ("queued origin is offline\n", "unchanged\n", ""):
        logged(text)(synced)
        assert "sync, " not in synced.run("status").out
