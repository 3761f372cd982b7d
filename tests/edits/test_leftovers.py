"""Promises P2 and P4: what a kill, or a broken file, leaves behind is taken away or said, and blocks nobody for ever."""

from __future__ import annotations

import os

import pytest
from faulty import queued
from faulty import run_faulty
from faulty import waiting
from reviewing import opened
from support import Folder

from vaultgit.history import refs

LANDING = "refs/vaultgit/landing/0000000000000000"


def aged(vault: Folder, path: str) -> None:
    os.utime(vault.root / path, ns=(0, 0))


def test_p4_half_a_plan_holds_nothing_of_its_round(vault: Folder) -> None:
    """Killed while it was written: neither its temporaries nor its ref stay for it."""
    queued(vault)
    vault.write(".git/vaultgit/state/plans/0000000000000000.json.1.tmp", "{")
    vault.write(".git/vaultgit/state/plans/1111111111111111.locks", "{}")
    vault.write(".git/vaultgit/state/tmp/0000000000000000.index", "")
    vault.git("update-ref", LANDING, "HEAD")
    assert vault.run("status").code == 0
    assert os.listdir(vault.root / ".git/vaultgit/state/plans") == []
    assert not vault.exists(".git/vaultgit/state/tmp/0000000000000000.index")
    assert vault.git("for-each-ref", "refs/vaultgit") == ""


def test_p4_a_landing_ref_that_a_gc_packed_goes_as_well(vault: Folder) -> None:
    queued(vault)
    vault.git("update-ref", LANDING, "HEAD")
    vault.git("pack-refs", "--all")
    assert vault.run("status").code == 0
    assert vault.git("for-each-ref", "refs/vaultgit") == ""


def test_p4_the_lock_of_a_ref_of_ours_goes_once_it_is_old(vault: Folder) -> None:
    queued(vault)
    vault.write(f".git/{LANDING}.lock", "")
    vault.write(f".git/{LANDING}1.lock", "")
    aged(vault, f".git/{LANDING}.lock")
    assert vault.run("status").code == 0
    assert not vault.exists(f".git/{LANDING}.lock")
    assert vault.exists(f".git/{LANDING}1.lock")


def test_p4_half_written_records_go_once_they_are_old(vault: Folder) -> None:
    queued(vault)
    for path in (".git/vaultgit/cache/seen.json.1.tmp", ".git/vaultgit/state/capture.json.2.tmp"):
        vault.write(path, "{")
        aged(vault, path)
    vault.write(".git/vaultgit/cache/seen.json.3.tmp", "{")
    assert vault.run("status").code == 0
    assert [path.name for path in (vault.root / ".git/vaultgit").rglob("*.tmp")] == ["seen.json.3.tmp"]


@pytest.mark.parametrize("packed", [False, True])
def test_p4_a_ref_of_ours_is_deleted_wherever_git_keeps_it(vault: Folder, packed: bool) -> None:
    vault.git("update-ref", LANDING, "HEAD")
    if packed:
        vault.git("pack-refs", "--all")
    with opened(vault) as found:
        refs.drop_own(found.repo, LANDING)
    assert vault.git("for-each-ref", "refs/vaultgit") == ""
    assert vault.git("rev-parse", "HEAD")


@pytest.mark.parametrize("content, stays", [("ours", False), ("", False), ("another's", True)])
def test_p4_a_killed_git_leaves_no_lock_of_the_branch(vault: Folder, content: str, stays: bool) -> None:
    new = vault.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "next")
    with opened(vault) as found:
        update = refs.RefUpdate(found.repo, os.open(os.devnull, os.O_RDONLY))
        vault.write(
            ".git/refs/heads/main.lock", {"ours": f"{new}\n", "": ""}.get(content, vault.git("rev-parse", "HEAD"))
        )
        update.process.kill()
        with pytest.raises(refs.RefMoved):
            update.prepare("refs/heads/main", new, vault.git("rev-parse", "HEAD"))
        update.drop(LANDING)
    assert vault.exists(".git/refs/heads/main.lock") is stays


def test_p2_an_edit_made_while_head_is_cut_short_lands_when_it_is_whole(vault: Folder) -> None:
    head = vault.read(".git/HEAD")
    vault.write(".git/HEAD", "ref: refs/")
    done = vault.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n")
    assert done.code == 75, done
    vault.write(".git/HEAD", head)
    assert vault.run("status").code == 0
    assert waiting(vault) == []
    assert vault.git("show", "HEAD:Home.md").endswith("by the agent")


def test_p4_a_commit_that_cannot_be_read_is_said(vault: Folder) -> None:
    oid = vault.git("rev-parse", "HEAD")
    path = vault.root / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:40])
    done = vault.run("status")
    assert (done.code, done.out) == (1, "")
    assert "git" in done.err


def test_p4_settings_that_are_a_folder_are_none(vault: Folder) -> None:
    (vault.root / ".vaultgit.toml").unlink(missing_ok=True)
    (vault.root / ".vaultgit.toml").mkdir()
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"by the agent\n").code == 0


@pytest.mark.parametrize(
    "fault, words", [("OSError(errno.ENOSPC, 'No space left on device', 'x')", "x: No space left on device"),
                     ("ImportError('cannot open shared object file', name='rpds')", "a library cannot be loaded")]
)  # fmt: skip
def test_p4_what_the_machine_lacks_is_no_bug_of_ours(vault: Folder, fault: str, words: str) -> None:
    prelude = (
        f"from vaultgit.edits import submit\ndef broken(*args, **named):\n    raise {fault}\nsubmit.drain = broken\n"
    )
    done = run_faulty(vault, prelude, "status")
    assert done.code == 1, done
    assert words in done.err


def test_p4_a_lock_that_git_could_not_remove_goes_once_git_has_ended(vault: Folder) -> None:
    """The disk refused it: the edit has landed, and the lock would stop everybody's next commit."""
    prelude = (
        "from vaultgit.history import refs\n"
        "commit = refs.RefUpdate.commit\n"
        "def leaves(update):\n"
        "    import os\n"
        "    os.link('.git/HEAD.lock', '.git/kept')\n"
        "    commit(update)\n"
        "    os.rename('.git/kept', '.git/HEAD.lock')\n"
        "refs.RefUpdate.commit = leaves\n"
    )
    assert run_faulty(vault, prelude, "append", "Home.md", "--agent", "codex", stdin=b"by the agent\n").code == 0
    assert vault.git("show", "HEAD:Home.md").endswith("by the agent")
    assert not vault.exists(".git/HEAD.lock")
