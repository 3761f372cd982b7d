"""What sync refuses, with what would be lost; each way out in plain git, and that the next sync then simply works."""

from __future__ import annotations

import json
import shlex

import pytest
from support import Folder
from syncing import clone
from syncing import edit
from syncing import has
from syncing import level
from syncing import refs
from syncing import refused
from syncing import synced
from syncing import tip
from syncing import ways_out
from syncing import with_remote


@pytest.fixture
def there(vault: Folder) -> Folder:
    """A remote that has two edits of the vault."""
    made = with_remote(vault)
    edit(vault, "one")
    edit(vault, "two")
    synced(vault)
    return made


def do(vault: Folder, commands: list[str]) -> None:
    """What a person types."""
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "git"
        vault.git(*words, env={"GIT_MERGE_AUTOEDIT": "no"})


def rewritten(there: Folder) -> None:
    """Somebody forces another history onto the remote: without the last edit, and with a commit of its own."""
    other = clone(there, "rewriter", who="Rex")
    other.git("reset", "--quiet", "--hard", "HEAD~1")
    other.write("notes/rex.md", "mine\n")
    other.commit("rex", "notes/rex.md")
    other.git("push", "--quiet", "--force", "origin", "main")


# -- emptied -----------------------------------------------------------------------------------------------------


def test_p2_an_emptied_remote_is_refused_and_can_be_filled_again(vault: Folder, there: Folder) -> None:
    there.git("update-ref", "-d", "refs/heads/main")
    done = refused(vault)
    assert "origin is empty" in done.err and "2 edits" in done.err and "Home: added “two”" in done.err
    assert not has(there, "refs/heads/main")
    do(vault, ways_out(done, "put it back"))
    assert synced(vault)["outcome"] == "unchanged"
    assert level(vault, there)


def test_p2_also_before_the_first_sync_of_a_clone(vault: Folder, there: Folder) -> None:
    """What git saw there when it cloned is known, too."""
    other = clone(there, "other")
    there.git("update-ref", "-d", "refs/heads/main")
    done = refused(other)
    do(other, ways_out(done, "put it back"))
    assert synced(other)["outcome"] == "unchanged"


def test_a_branch_that_was_renamed_there_is_refused_and_the_others_are_named(vault: Folder, there: Folder) -> None:
    there.git("branch", "-m", "main", "trunk")
    done = refused(vault)
    assert "origin/main is gone" in done.err and "it has trunk" in done.err
    vault.git("fetch", "--quiet", "origin")
    vault.git("branch", "--set-upstream-to=origin/trunk")
    edit(vault, "three")
    done = synced(vault)
    assert (done["outcome"], done["branch"], done["pushed"]) == ("pushed", "trunk", 1)


def test_refused_as_json(vault: Folder, there: Folder) -> None:
    there.git("update-ref", "-d", "refs/heads/main")
    said = json.loads(refused(vault, "--json").out)
    assert said["outcome"] == "refused" and "is empty" in said["reason"] and "git push origin main" in said["mend"]


def test_a_dry_run_refuses_too(vault: Folder, there: Folder) -> None:
    rewritten(there)
    refused(vault, "--dry-run")


# -- rewritten ---------------------------------------------------------------------------------------------------


def test_p2_a_remote_set_back_is_refused(vault: Folder, there: Folder) -> None:
    there.git("update-ref", "refs/heads/main", "refs/heads/main~1")
    done = refused(vault)
    assert "was rewritten" in done.err and "1 commit" in done.err
    assert [line.strip() for line in done.err.splitlines()].count("Home: added “two”") == 1
    do(vault, ways_out(done, "put ours back"))
    assert synced(vault)["outcome"] == "unchanged"


def test_p2_a_rewritten_remote_is_refused_ours_back(vault: Folder, there: Folder) -> None:
    rewritten(there)
    before = tip(there, "main")
    done = refused(vault)
    assert tip(there, "main") == before
    [command] = ways_out(done, "put ours back")
    assert f"--force-with-lease=main:{before}" in command
    do(vault, [command])
    assert synced(vault)["outcome"] == "unchanged"
    assert level(vault, there)


def test_p2_a_rewritten_remote_is_refused_theirs_followed(vault: Folder, there: Folder) -> None:
    rewritten(there)
    was = tip(vault)
    do(vault, ways_out(refused(vault), "follow theirs"))
    assert tip(vault, "mine") == was
    assert synced(vault)["outcome"] == "unchanged"
    edit(vault, "three")
    assert synced(vault)["pushed"] == 1
    assert level(vault, there)
    assert "two" not in vault.read("Home.md")


@pytest.mark.parametrize("pushed", [True, False])
def test_p2_a_rewritten_remote_is_refused_both_kept(vault: Folder, there: Folder, pushed: bool) -> None:
    rewritten(there)
    merge, push = ways_out(refused(vault), "both")
    do(vault, [merge, push] if pushed else [merge])
    assert synced(vault)["outcome"] == ("unchanged" if pushed else "pushed")
    assert vault.exists("notes/rex.md") and "two" in vault.read("Home.md")
    assert level(vault, there)


def test_p2_a_rewritten_remote_is_refused_though_it_was_fetched_by_git(vault: Folder, there: Folder) -> None:
    """What a person's `git fetch` moves is not what was agreed."""
    rewritten(there)
    vault.git("fetch", "--quiet", "origin")
    refused(vault)


def test_p2_new_work_here_does_not_hide_a_rewritten_remote(vault: Folder, there: Folder) -> None:
    rewritten(there)
    edit(vault, "three")
    assert (
        "It no longer has 1 commit of the last sync; of what is here it lacks 2 commits, 2 edits" in refused(vault).err
    )


def test_a_second_refusal_says_the_same(vault: Folder, there: Folder) -> None:
    rewritten(there)
    assert refused(vault).err == refused(vault).err


# -- another repository ------------------------------------------------------------------------------------------


def test_p2_another_history_is_refused(vault: Folder, there: Folder, tmp_path: object) -> None:
    stranger = Folder(vault.root.parent / "stranger")
    stranger.root.mkdir()
    stranger.git("init", "--quiet")
    stranger.write("other.md", "x\n")
    stranger.commit("other")
    vault.git("remote", "add", "second", str(stranger.root / ".git"))
    done = refused(vault, "second")
    assert "no common history" in done.err
    stranger.git("switch", "--quiet", "-c", "away")
    do(vault, ways_out(done, "both"))
    assert synced(vault, "second")["outcome"] == "unchanged"
    assert vault.exists("other.md")


def test_p2_most_notes_deleted_in_ordinary_commits_is_for_a_person(vault: Folder, there: Folder) -> None:
    for number in range(12):
        vault.write(f"notes/n{number}.md", f"{number}\n")
    vault.commit("notes")
    synced(vault)
    other = clone(there, "other")
    other.git("rm", "-r", "--quiet", "notes", "people", "projects", "skills")
    other.commit("all gone")
    synced(other)
    done = refused_keeping_notes(vault)
    assert "would be deleted" in done
    vault.git("merge", "--quiet", "origin/main")  # the person means it
    assert synced(vault)["outcome"] == "unchanged"


def refused_keeping_notes(vault: Folder) -> str:
    before = {ref: oid for ref, oid in refs(vault).items() if ref.startswith("refs/heads/")}
    done = vault.run("sync")
    assert done.code == 1, done
    assert {ref: oid for ref, oid in refs(vault).items() if ref.startswith("refs/heads/")} == before
    assert vault.exists("notes/n3.md")
    return done.err


# -- what the other side, or a hook, does not let in ----------------------------------------------------------------


def test_p2_a_server_hook_that_refuses_is_quoted_and_nothing_is_lost(vault: Folder, there: Folder) -> None:
    hook = there.write("hooks/pre-receive", "#!/bin/sh\necho 'projects/nova.md:3:1: FM03 status' >&2\nexit 1\n")
    hook.chmod(0o755)
    oid = edit(vault, "three")
    done = vault.run("sync")
    assert done.code == 1 and "projects/nova.md:3:1: FM03 status" in done.err, done
    assert "everything is safe here" in done.err
    assert tip(vault) == oid
    hook.unlink()
    assert synced(vault)["pushed"] == 1


def test_a_persons_pre_push_hook_runs_and_its_words_are_passed_on(vault: Folder, there: Folder) -> None:
    hook = vault.write(".git/hooks/pre-push", "#!/bin/sh\necho told on output\necho told on error >&2\nexit 1\n")
    hook.chmod(0o755)
    edit(vault, "three")
    done = vault.run("sync")
    assert done.code == 1 and "pre-push hook" in done.err, done
    assert "told on output" in done.err and "told on error" in done.err
    hook.write_text('#!/bin/sh\ncat > "$GIT_DIR/pushed"\n')
    assert synced(vault)["pushed"] == 1
    assert "refs/heads/main" in (vault.root / ".git/pushed").read_text()


def test_a_repository_that_is_not_there_is_named(vault: Folder) -> None:
    vault.git("remote", "add", "origin", str(vault.root.parent / "nowhere.git"))
    done = vault.run("sync")
    assert done.code == 1 and "does not appear to be a git repository" in done.err, done


def test_offline_is_75_and_later_it_works(vault: Folder, there: Folder) -> None:
    url = vault.git("remote", "get-url", "origin")
    vault.git("remote", "set-url", "origin", "http://127.0.0.1:9/notes.git")
    edit(vault, "three")
    done = vault.run("sync")
    assert done.code == 75 and done.out.startswith("queued origin could not be reached"), done
    assert "everything is safe here" in done.err
    vault.git("remote", "set-url", "origin", url)
    assert synced(vault)["pushed"] == 1


def test_a_disk_that_is_not_plugged_in_is_75(vault: Folder, there: Folder) -> None:
    there.root.rename(there.root.parent / "away.git")
    assert vault.run("sync").code == 75
    (there.root.parent / "away.git").rename(there.root)
    assert synced(vault)["outcome"] == "unchanged"


@pytest.mark.parametrize(
    "url",
    ["http://me:{}@127.0.0.1:9/x.git", "http://{}@127.0.0.1:9/x.git", "http://127.0.0.1:9/x.git?private_token={}"],
)
def test_p11_a_password_in_an_address_is_in_nothing_that_is_said(vault: Folder, url: str) -> None:
    word = "hunter" + "2" * 3
    vault.git("remote", "add", "origin", url.format(word))
    for args in ((), ("--json",), ("--dry-run",)):
        done = vault.run("sync", *args)
        assert done.code == 75 and word not in done.out + done.err, done
        assert "127.0.0.1" in done.out


@pytest.mark.parametrize("word", ["https://example.invalid/x.git", "--upload-pack=touch x", "../other", "ext::sh -c x"])
def test_only_a_configured_remotes_name_is_taken(vault: Folder, there: Folder, word: str) -> None:
    done = vault.run("sync", "--", word)
    assert done.code == 2 and "there is no remote" in done.err, done


def test_without_a_remote_it_says_how_to_add_one(vault: Folder) -> None:
    done = vault.run("sync")
    assert done.code == 2 and "git remote add origin URL" in done.err, done


def test_a_vault_without_a_commit_says_so(vault: Folder, there: Folder) -> None:
    empty = Folder(vault.root.parent / "empty")
    empty.root.mkdir()
    empty.git("init", "--quiet")
    empty.write(".obsidian/app.json", "{}")
    empty.git("remote", "add", "origin", str(there.root))
    done = empty.run("sync")
    assert done.code == 1 and "git pull origin main" in done.err, done


def test_p11_addresses_lose_user_and_password_in_whatever_git_says() -> None:
    from vaultgit.passes.sync.words import masked

    word = "hunter" + "2" * 3
    for url in (f"https://me:{word}@h.invalid/x", f"https://{word}@h.invalid/x", f"ssh://me:{word}@h.invalid:22/x"):
        assert word not in masked(f"fatal: unable to access '{url}/': no", [])
        assert word not in masked(f"warning: {url.split('//')[1]} has moved", [url])
    assert masked("git@h.invalid: Permission denied", ["ssh://git@h.invalid/x"]).startswith("git@h.invalid")


def test_p11_an_address_given_for_a_name_is_told_without_its_password(vault: Folder) -> None:
    word = "hunter" + "2" * 3
    done = vault.run("sync", f"https://me:{word}@h.invalid/x.git")
    assert done.code == 2 and word not in done.out + done.err, done


def test_a_vault_whose_branch_has_another_name_there_does_not_push_a_second_one(vault: Folder, there: Folder) -> None:
    vault.git("update-ref", "-d", "refs/vaultgit/synced/origin/main")
    vault.git("branch", "-m", "main", "master")
    for key in ("remote", "merge"):
        vault.git("config", "--unset", f"branch.master.{key}")
    done = vault.run("sync")
    assert done.code == 1 and "it has main" in done.err, done
    assert not has(there, "refs/heads/master")
    vault.git("branch", "--set-upstream-to=origin/main")
    edit(vault, "three")
    assert synced(vault)["branch"] == "main"


def test_a_branch_that_follows_one_beside_it_is_not_pushed(vault: Folder, there: Folder) -> None:
    vault.git("switch", "--quiet", "--track", "-c", "mine", "main")
    assert vault.run("sync").code == 75
    assert not has(there, "refs/heads/mine")


def test_p10_a_hook_that_hangs_ends_where_nobody_waits(vault: Folder, there: Folder) -> None:
    from vaultgit.clock import SystemClock
    from vaultgit.passes.sync import run
    from vaultgit.passes.sync import talk
    from vaultgit.vault import open_vault

    hook = vault.write(".git/hooks/pre-push", "#!/bin/sh\nexec sleep 30\n")
    hook.chmod(0o755)
    edit(vault, "three")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(talk, "LIMIT", 0.5)
        opened = open_vault(str(vault.root))
        with opened.repo:
            done = run.sync(opened, SystemClock())
    assert (done.outcome, "did not answer" in done.reason) == ("queued", True)
    hook.unlink()
    assert synced(vault)["pushed"] == 1


def test_settings_that_cannot_be_read_stop_nobody_elsewhere(vault: Folder, there: Folder) -> None:
    other = clone(there, "other")
    other.write(".vaultgit.toml", "x = [\n")
    other.git("commit", "--quiet", "--all", "-m", "broken")
    other.git("push", "--quiet")
    for args in (("--dry-run",), ()):
        done = vault.run("sync", *args)
        assert done.code == 1 and "origin/main has settings that cannot be read: .vaultgit.toml" in done.err, done
    edit(vault, "work goes on")
    other.git("revert", "--no-edit", "HEAD")
    other.git("push", "--quiet")
    assert synced(vault)["outcome"] == "merged"
