"""Sync over http, with git's own server: logins, who is asked for one, and what only looks like a repository."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from overhttp import Web
from overhttp import at_terminal
from overhttp import served
from support import Folder
from syncing import edit
from syncing import synced
from syncing import tip
from syncing import with_remote

SYNC = (sys.executable, "-P", "-m", "vaultgit", "sync")
WORD = "hunter" + "2" * 3


@pytest.fixture
def there(vault: Folder) -> Folder:
    made = with_remote(vault)
    made.git("config", "http.receivepack", "true")
    return made


@pytest.fixture
def web(vault: Folder, there: Folder, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """The vault's remote, now behind http."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with served(there.root.parent) as web:
        vault.git("remote", "set-url", "origin", f"{web.url}/{there.root.name}")
        yield web


def asker(vault: Folder, answers: str = "") -> tuple[str, Path]:
    """A program as SSH_ASKPASS names one, and the file in which it notes that it was started."""
    noted = vault.root.parent / "asked"
    case = f'case "$1" in User*) echo ada;; *) echo {answers};; esac' if answers else "exit 1"
    program = Folder(vault.root.parent / "bin").write("asks", f'#!/bin/sh\necho "$1" >> {noted}\n{case}\n')
    program.chmod(0o755)
    return str(program), noted


# -- logins, and nobody there --------------------------------------------------------------------------------------


def test_without_a_terminal_no_window_of_the_desktops_asks(vault: Folder, web: Web) -> None:
    web.login = f"ada:{WORD}"
    program, noted = asker(vault)
    done = vault.run("sync", env={"SSH_ASKPASS": program, "SSH_ASKPASS_REQUIRE": "prefer", "DISPLAY": ":0"})
    assert done.code == 1 and "could not read Username" in done.err, done
    assert not noted.exists()


@pytest.mark.parametrize("how", ["GIT_ASKPASS", "core.askPass"])
def test_a_program_that_was_set_for_git_answers(vault: Folder, web: Web, how: str) -> None:
    web.login = f"ada:{WORD}"
    program, noted = asker(vault, WORD)
    edit(vault, "from here")
    if how == "core.askPass":
        vault.git("config", how, program)
    done = vault.run("sync", env={how: program} if how.startswith("GIT") else {})
    assert done.code == 0 and WORD not in done.out + done.err, done
    assert "Password for" in noted.read_text()


def test_ssh_opens_no_window_either_not_even_a_persons_own(vault: Folder, there: Folder) -> None:
    noted = vault.root.parent / "ssh.env"
    ssh = Folder(vault.root.parent / "bin").write("ssh", f"#!/bin/sh\nenv > {noted}\nexit 255\n")
    ssh.chmod(0o755)
    vault.git("remote", "set-url", "origin", "ssh://git@notes.invalid/notes.git")
    vault.git("config", "core.sshCommand", str(ssh))
    vault.run("sync", env={"SSH_ASKPASS": "/usr/bin/ksshaskpass", "SSH_ASKPASS_REQUIRE": "prefer", "DISPLAY": ":0"})
    seen = noted.read_text().splitlines()
    assert "SSH_ASKPASS=" in seen and "SSH_ASKPASS_REQUIRE=never" in seen


def test_where_only_pushing_needs_a_login_that_is_what_must_work_first(vault: Folder, web: Web) -> None:
    web.login, web.guarded = f"ada:{WORD}", "receive-pack"
    assert synced(vault)["outcome"] == "unchanged"
    edit(vault, "from here")
    done = vault.run("sync")
    assert done.code == 1 and "git push origin must work first" in done.err, done
    web.pages["receive-pack"] = (403, "")
    done = vault.run("sync")
    assert done.code == 1 and "403" in done.err and "git push origin must work first" in done.err, done
    web.guarded, web.pages = "", {}
    done = vault.run("sync")
    assert done.code == 1 and "git ls-remote origin must work first" in done.err, done


# -- logins, and a person at a terminal ----------------------------------------------------------------------------


def test_at_a_terminal_git_may_ask_and_later_a_timer_needs_not(vault: Folder, web: Web) -> None:
    web.login = f"ada:{WORD}"
    vault.git("config", "credential.helper", "store")
    edit(vault, "from here")
    code, said = at_terminal(*SYNC, cwd=vault.root, answers={"Username": "ada", "Password": WORD})
    assert code == 0 and f"pushed {tip(vault)}" in said and said.count("Username for") == 1, said
    assert WORD not in said
    edit(vault, "more")
    assert synced(vault)["pushed"] == 1


def test_in_the_background_of_a_terminal_nothing_asks(vault: Folder, web: Web) -> None:
    """The question would stop it, with the lock that other syncs wait for."""
    web.login = f"ada:{WORD}"
    command = " ".join(SYNC)
    bash = shutil.which("bash") or "sh"
    code, said = at_terminal(bash, "-c", f"set -m; {command} & wait $!", cwd=vault.root)
    assert code == 1 and "could not read Username" in said, said


# -- what passes by itself, and what does not ----------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 425, 429, 503, 511])
def test_what_a_server_says_for_now_is_75(vault: Folder, web: Web, status: int) -> None:
    edit(vault, "from here")
    web.pages["receive-pack"] = (status, "")
    done = vault.run("sync")
    assert done.code == 75 and str(status) in done.out, done
    web.pages = {}
    assert synced(vault)["pushed"] == 1


@pytest.mark.parametrize("page", [(200, ""), (302, "/login?from=you")])
def test_a_networks_login_page_is_75(vault: Folder, web: Web, page: tuple[int, str]) -> None:
    web.pages = {"info/refs": page, "login": (200, "")}
    done = vault.run("sync")
    assert done.code == 75 and "answered with a web page" in done.out and web.url in done.out, done
    web.pages = {}
    assert synced(vault)["outcome"] == "unchanged"


def test_a_wrong_address_is_not_put_off_for_ever(vault: Folder, web: Web) -> None:
    web.pages = {"info/refs": (200, "")}
    for path in (vault.root / ".git/logs/refs/remotes/origin").iterdir():
        os.utime(path, (0, path.stat().st_mtime - 8 * 24 * 3600))
    done = vault.run("sync")
    assert done.code == 1 and "is this a git repository?" in done.err, done


def test_an_address_that_never_worked_is_wrong_at_once(vault: Folder, web: Web) -> None:
    web.pages = {"info/refs": (200, "")}
    vault.git("remote", "add", "second", f"{web.url}/second.git")
    done = vault.run("sync", "second")
    assert done.code == 1 and "is this a git repository?" in done.err, done


# -- a server that judges for long ---------------------------------------------------------------------------------


def asked_of_git(vault: Folder) -> Path:
    """A pre-push hook that notes what git's config is while it pushes."""
    noted = vault.root.parent / "slow"
    hook = vault.write(".git/hooks/pre-push", f"#!/bin/sh\ngit config --get-regexp 'http.lowspeed.*' > {noted}\n")
    hook.chmod(0o755)
    return noted


def test_a_push_waits_for_the_servers_judgement_for_as_long_as_a_sync_may_take(vault: Folder, web: Web) -> None:
    noted = asked_of_git(vault)
    edit(vault, "from here")
    assert synced(vault)["pushed"] == 1
    assert noted.read_text().splitlines() == ["http.lowspeedlimit 100", "http.lowspeedtime 900"]


def test_a_persons_own_patience_with_http_holds(vault: Folder, web: Web) -> None:
    vault.git("config", "http.lowSpeedTime", "30")
    noted = asked_of_git(vault)
    edit(vault, "from here")
    assert synced(vault)["pushed"] == 1
    assert noted.read_text().splitlines() == ["http.lowspeedtime 30", "http.lowspeedlimit 100"]
