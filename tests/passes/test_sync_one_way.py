"""Remotes that do not take all: branches that no push may delete, bundles; and remotes that say nothing at all."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
import reviewing
from reviewing import DREAM
from support import Folder
from syncing import edit
from syncing import has
from syncing import synced
from syncing import tip
from syncing import with_remote

REF = f"refs/heads/{DREAM}"
MOLT = "refs/heads/molt/plan-v2"


@pytest.fixture
def there(vault: Folder) -> Folder:
    reviewing.with_skills(vault)
    return with_remote(vault)


# -- a server from which nothing may be deleted --------------------------------------------------------------------


def propose(vault: Folder, name: str = DREAM) -> None:
    reviewing.propose(vault, reviewing.better(vault, "bake"), name=name)


@pytest.mark.parametrize("how", ["setting", "hook"])
def test_a_branch_that_may_not_be_deleted_there_is_named_and_fails_no_sync(
    vault: Folder, there: Folder, how: str
) -> None:
    propose(vault)
    synced(vault)
    if how == "setting":
        there.git("config", "receive.denyDeletes", "true")
    else:
        hook = there.write("hooks/update", '#!/bin/sh\ncase $3 in *[1-9a-f]*) exit 0;; esac\necho "ask Bea"; exit 1\n')
        hook.chmod(0o755)
    why = {"setting": "deletion prohibited", "hook": "hook declined; ask Bea"}[how]
    assert vault.run("review", "drop", DREAM).code == 0
    edit(vault, "from here")
    propose(vault, MOLT.removeprefix("refs/heads/"))
    done = vault.run("sync")
    assert (done.code, done.out) == (0, f"pushed {tip(vault)}\n"), done
    assert "went out to origin/main" in done.err and "molt/plan-v2 went out" in done.err
    line = (
        f"! {DREAM} was decided about here, but origin does not let it be deleted ({why}); "
        f"on the server: git branch -D {DREAM}"
    )
    assert line in done.err.splitlines()
    done = vault.run("sync")
    assert (done.code, done.out) == (0, "unchanged\n") and line in done.err.splitlines(), done
    assert not has(vault, REF)
    there.git("branch", "--quiet", "-D", DREAM)  # the way out
    done = vault.run("sync")
    assert (done.code, done.out, done.err) == (0, "unchanged\n", "level with origin/main\n")


def test_a_review_branch_that_is_refused_hides_not_that_the_vaults_branch_went_out(
    vault: Folder, there: Folder
) -> None:
    hook = there.write("hooks/update", '#!/bin/sh\ncase "$1" in refs/heads/dream/*) echo no dreams; exit 1;; esac\n')
    hook.chmod(0o755)
    propose(vault)
    edit(vault, "from here")
    done = vault.run("sync")
    assert done.code == 1 and "no dreams" in done.err, done
    assert "the vault's own branch is level with origin" in done.err
    assert tip(there, "main") == tip(vault)


# -- a bundle ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relative", [False, True])
def test_a_bundle_brings_in_and_says_that_it_takes_nothing(vault: Folder, there: Folder, relative: bool) -> None:
    hook = vault.write(".git/hooks/pre-push", "#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    bundle = vault.root.parent / "main.bundle"
    vault.git("bundle", "create", "--quiet", str(bundle), "main")
    vault.git("remote", "add", "stick", f"../{bundle.name}" if relative else str(bundle))
    assert synced(vault, "stick")["outcome"] == "unchanged"
    edit(vault, "from here")
    done = vault.run("sync", "stick")
    assert done.code == 1 and "stick is a bundle" in done.err and "git remote set-url --push stick" in done.err, done


# -- a server that says nothing ------------------------------------------------------------------------------------


@pytest.fixture
def mute() -> Iterator[str]:
    """An address where something accepts, and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@pytest.mark.parametrize("scheme", ["git", "https"])
def test_p10_a_server_that_accepts_and_never_answers_is_75_long_before_a_fetch_would_end(
    vault: Folder, there: Folder, mute: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaultgit.clock import SystemClock
    from vaultgit.passes.sync import run
    from vaultgit.passes.sync import talk
    from vaultgit.vault import open_vault

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    vault.git("remote", "set-url", "origin", f"{scheme}://{mute}/notes.git")
    assert talk.LOOK <= talk.LIMIT / 5
    monkeypatch.setattr(talk, "LOOK", 0.5)
    opened = open_vault(str(vault.root))
    with opened.repo:
        done = run.sync(opened, SystemClock())
    assert (done.outcome, "did not answer" in done.reason) == ("queued", True)
