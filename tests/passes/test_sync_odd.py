"""Sync in clones, repositories and configurations that are not the usual ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Folder
from support import set_up
from syncing import clone
from syncing import edit
from syncing import has
from syncing import level
from syncing import synced
from syncing import tip
from syncing import with_remote


@pytest.fixture
def there(vault: Folder) -> Folder:
    return with_remote(vault)


# -- shallow and partial -----------------------------------------------------------------------------------------


def test_a_shallow_clone_syncs(vault: Folder, there: Folder) -> None:
    for number in range(3):
        edit(vault, f"{number}")
    synced(vault)
    shallow = clone(there, "shallow", "--depth=1")
    edit(shallow, "from there", "projects/nova.md")
    edit(vault, "one more")
    synced(vault)
    assert synced(shallow)["outcome"] == "merged"
    assert synced(vault)["outcome"] == "merged"
    assert tip(vault) == tip(shallow) == tip(there, "main")
    assert vault.run("verify").code == 0


def test_a_shallow_clone_that_ends_after_the_parting_is_deepened(vault: Folder, there: Folder) -> None:
    """What comes in parted from ours before the first commit that this clone has."""
    vault.git("branch", "old")
    for number in range(3):
        edit(vault, f"{number}")
    synced(vault)
    shallow = clone(there, "shallow", "--depth=1")
    assert shallow.git("rev-list", "--count", "HEAD") == "1"
    vault.git("push", "--quiet", "origin", "old:refs/heads/side")
    side = clone(there, "side", "--branch=side", "--depth=1")
    edit(side, "aside", "projects/nova.md")
    side.git("push", "--quiet", "origin", "HEAD:refs/heads/side")
    shallow.git("config", "branch.main.merge", "refs/heads/side")
    edit(shallow, "from there", "people/ada-lovelace.md")
    done = synced(shallow)
    assert (done["outcome"], done["branch"]) == ("merged", "side")
    assert "aside" in shallow.read("projects/nova.md") and "2" in shallow.read("Home.md")


def test_a_partial_clone_fetches_what_it_needs(vault: Folder, there: Folder) -> None:
    there.git("config", "uploadpack.allowFilter", "true")
    there.git("config", "uploadpack.allowAnySHA1InWant", "true")
    edit(vault, "early")
    synced(vault)
    partial = clone(there, "partial", "--filter=blob:none")
    edit(partial, "from there", "projects/nova.md")
    edit(vault, "late")
    synced(vault)
    assert synced(partial)["outcome"] == "merged"
    synced(vault)
    assert tip(vault) == tip(partial)
    assert partial.read("Home.md").endswith("early\nlate\n")


def test_a_partial_clone_that_cannot_fetch_texts_waits(vault: Folder, there: Folder) -> None:
    there.git("config", "uploadpack.allowFilter", "true")
    partial = clone(there, "partial", "--filter=blob:none")
    edit(vault, "late")
    synced(vault)
    partial.git("fetch", "--quiet", "origin")
    away = there.root.parent / "away.git"
    there.root.rename(away)
    before = partial.snapshot()
    assert partial.run("sync").code == 75
    away.rename(there.root)
    assert partial.snapshot() == before
    assert synced(partial)["outcome"] == "merged"


# -- repositories ------------------------------------------------------------------------------------------------


def test_a_sha256_repository(tmp_path: Path) -> None:
    vault = Folder(tmp_path / "vault")
    vault.root.mkdir()
    vault.git("init", "--quiet", "--object-format=sha256")
    vault.write("Home.md", "# Home\n")
    vault.write(".obsidian/app.json", "{}\n")
    vault.commit("start")
    set_up(vault)
    there = with_remote(vault)
    other = clone(there, "other")
    edit(vault, "from here")
    edit(other, "from there")
    synced(vault)
    assert synced(other)["outcome"] == "merged"
    synced(vault)
    assert len(tip(vault)) == 64
    assert level(vault, other, there)


def test_a_vault_that_is_a_folder_of_a_larger_repository(tmp_path: Path) -> None:
    outer = Folder(tmp_path / "outer")
    outer.root.mkdir()
    outer.git("init", "--quiet")
    outer.write("my notes/.obsidian/app.json", "{}")
    outer.write("my notes/Home.md", "# Home\n")
    outer.write("main.py", "print(1)\n")
    outer.commit("start")
    assert outer.run("init", "--yes", "--repository", "outer", cwd=outer.root / "my notes").code == 0
    there = with_remote(outer, pushed=False)
    inside = Folder(outer.root / "my notes")
    synced(inside)
    other = clone(there, "other")
    edit(Folder(other.root / "my notes"), "from there")
    other.write("main.py", "print(2)\n")
    other.commit("code", "main.py")
    synced(Folder(other.root / "my notes"))
    edit(inside, "from here")
    done = synced(inside)
    assert (done["outcome"], done["fetched"]) == ("merged", 2)
    assert {"main.py", "my notes/Home.md"} <= set(done["paths"])
    assert outer.read("main.py") == "print(2)\n"
    assert outer.git("status", "--porcelain") == ""


def test_a_linked_work_tree(vault: Folder, there: Folder) -> None:
    tree = Folder(vault.root.parent / "tree")
    vault.git("worktree", "add", "--quiet", "-b", "second", str(tree.root))
    edit(tree, "from the tree")
    assert tree.run("sync").code == 75  # it is not what the remote has
    tree.git("push", "--quiet", "-u", "origin", "second")
    edit(tree, "more")
    assert synced(tree)["pushed"] == 1
    assert tip(there, "second") == tip(tree) != tip(there, "main")


@pytest.mark.parametrize(("remote", "branch"), [("main", "main"), ("über", "nötizen"), ("a.b=c", "notes/of-mine")])
def test_names_that_are_odd(vault: Folder, remote: str, branch: str) -> None:
    vault.git("branch", "-m", "main", branch)
    there = with_remote(vault, name=remote, bare="bare of notes ü.git")
    other = clone(there, "other", f"--branch={branch}")
    edit(other, "from there")
    synced(other)
    edit(vault, "from here", "projects/nova.md")
    assert synced(vault)["outcome"] == "merged"
    assert tip(there, f"refs/heads/{branch}") == tip(vault)
    there.git("update-ref", "-d", f"refs/heads/{branch}")
    assert vault.run("sync").code == 1


def test_the_upstream_may_be_called_otherwise(vault: Folder, there: Folder) -> None:
    vault.git("push", "--quiet", "-u", "origin", "main:trunk")
    edit(vault, "from here")
    done = synced(vault)
    assert (done["branch"], done["pushed"]) == ("trunk", 1)
    assert tip(there, "trunk") == tip(vault) != tip(there, "main")


# -- configurations ----------------------------------------------------------------------------------------------

ODD = {
    "push.default": "nothing",
    "push.followTags": "true",
    "push.autoSetupRemote": "true",
    "push.recurseSubmodules": "check",
    "push.useForceIfIncludes": "true",
    "remote.origin.mirror": "true",
    "remote.origin.prune": "true",
    "remote.origin.tagOpt": "--tags",
    "remote.pushDefault": "nowhere",
    "fetch.prune": "true",
    "fetch.pruneTags": "true",
    "fetch.writeCommitGraph": "true",
    "submodule.recurse": "true",
    "color.ui": "always",
    "core.abbrev": "4",
    "core.quotePath": "true",
    "merge.ff": "only",
    "pull.rebase": "true",
    "receive.denyCurrentBranch": "ignore",
    "gc.auto": "1",
    "log.showSignature": "true",
    "transfer.fsckObjects": "true",
}


def test_what_a_persons_git_config_says_of_push_and_fetch_does_not_count(vault: Folder, there: Folder) -> None:
    other = clone(there, "other")
    for key, value in ODD.items():
        vault.git("config", key, value)
    vault.git("config", "remote.origin.push", "refs/heads/*:refs/heads/*")
    vault.git("config", "remote.origin.fetch", "+refs/heads/*:refs/heads/*")
    vault.git("branch", "mine")
    vault.git("tag", "-a", "-m", "a tag", "v1")
    other.git("push", "--quiet", "origin", "HEAD:refs/heads/theirs")
    other.git("tag", "v2")
    other.git("push", "--quiet", "origin", "v2")
    edit(other, "from there", "projects/nova.md")
    synced(other)
    edit(vault, "from here")
    done = vault.run("sync")
    assert (done.code, "\x1b" in done.out + done.err) == (0, False), done
    assert done.out == f"merged {tip(vault)}\n"
    assert synced(vault)["outcome"] == "unchanged"
    assert there.git("for-each-ref", "--format=%(refname)").splitlines() == [
        "refs/heads/main", "refs/heads/theirs", "refs/tags/v2",
    ]  # fmt: skip
    assert vault.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags").splitlines() == [
        "refs/heads/main", "refs/heads/mine", "refs/tags/v1",
    ]  # fmt: skip
    assert not vault.exists(".git/FETCH_HEAD")


def test_another_address_to_push_to_the_same_repository(vault: Folder, there: Folder) -> None:
    vault.git("remote", "set-url", "--push", "origin", there.root.as_uri())
    edit(vault, "from here")
    assert synced(vault)["pushed"] == 1
    assert synced(vault)["outcome"] == "unchanged"
    there.git("update-ref", "refs/heads/main", "refs/heads/main~1")
    assert vault.run("sync").code == 1


def test_pushes_that_go_to_another_repository_are_no_rewriting(vault: Folder, there: Folder) -> None:
    second = Folder(vault.root.parent / "second.git")
    vault.git("init", "--quiet", "--bare", str(second.root))
    vault.git("remote", "set-url", "--push", "origin", str(second.root))
    edit(vault, "from here")
    assert synced(vault)["pushed"] == 1
    assert tip(second, "main") == tip(vault)
    assert synced(vault)["outcome"] == "unchanged"
    other = clone(there, "other")
    edit(other, "from there", "projects/nova.md")
    synced(other)
    assert synced(vault)["outcome"] == "merged"
    assert tip(second, "main") == tip(vault)


def test_a_remote_with_a_work_tree_says_why_it_takes_nothing(vault: Folder, there: Folder) -> None:
    other = clone(there, "other")
    vault.git("remote", "add", "laptop", str(other.root))
    edit(vault, "from here")
    done = vault.run("sync", "laptop")
    assert done.code == 1 and "branch is currently checked out" in done.err, done


def test_nothing_of_ours_waits_for_a_question(vault: Folder, there: Folder) -> None:
    """ssh that would ask, from a timer; and a person's own ssh command is left as it is."""
    log = vault.root.parent / "ssh.log"
    ssh = Folder(vault.root.parent / "bin").write("ssh", f'#!/bin/sh\necho "$@" >> {log}\nexit 255\n')
    ssh.chmod(0o755)
    vault.git("remote", "set-url", "origin", "ssh://git@notes.invalid/notes.git")
    import os

    path = {"PATH": f"{ssh.parent}:{os.environ['PATH']}"}
    vault.run("sync", env=path)
    assert "BatchMode=yes" in log.read_text() and "ConnectTimeout" in log.read_text()
    log.unlink()
    vault.git("config", "core.sshCommand", str(ssh))
    vault.run("sync", env=path)
    assert "BatchMode" not in log.read_text()
    assert has(vault, "refs/heads/main")
