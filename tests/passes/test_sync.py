"""What comes in and goes out; over bare repositories on disk, through the real command line."""

from __future__ import annotations

import pytest
from support import Folder
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


@pytest.fixture
def other(there: Folder) -> Folder:
    return clone(there, "other")


def test_the_first_sync_pushes_and_sets_the_upstream(vault: Folder) -> None:
    there = with_remote(vault, pushed=False)
    done = vault.run("sync")
    assert (done.code, done.out) == (0, f"pushed {tip(vault)}\n")
    assert "origin/main is new, and this branch's upstream" in done.err
    assert vault.git("rev-parse", "--abbrev-ref", "main@{upstream}") == "origin/main"
    assert level(vault, there)


def test_a_second_remote_gets_the_branch_and_is_not_called_its_upstream(vault: Folder, there: Folder) -> None:
    backup = with_remote(vault, name="backup", bare="backup.git", pushed=False)
    done = vault.run("sync", "backup")
    assert (done.code, done.out) == (0, f"pushed {tip(vault)}\n")
    assert "upstream" not in done.err and "went out to backup/main" in done.err
    assert vault.git("rev-parse", "--abbrev-ref", "main@{upstream}") == "origin/main"
    assert level(vault, backup)


def test_nothing_new_is_unchanged(vault: Folder, there: Folder) -> None:
    before = vault.git("for-each-ref")
    done = vault.run("sync")
    assert (done.code, done.out, done.err) == (0, "unchanged\n", "level with origin/main\n")
    assert vault.git("for-each-ref") == before


def test_p1_edits_of_two_clones_are_each_there_once(vault: Folder, there: Folder, other: Folder) -> None:
    edit(vault, "from here")
    edit(other, "from there", "projects/nova.md", agent="claude-code")
    assert synced(vault)["outcome"] == "pushed"
    done = synced(other)
    assert (done["outcome"], done["fetched"], done["pushed"], done["inbox"]) == ("merged", 1, 2, [])
    assert "Home.md" in done["paths"]
    done = synced(vault)
    assert (done["outcome"], done["fetched"], done["pushed"]) == ("merged", 2, 0)
    assert synced(vault)["outcome"] == "unchanged"
    assert level(vault, other, there)
    assert vault.git("log", "--format=%B").count("\nEdit: ") == 2
    assert vault.read("changelog.md").count("\n- ") == 2


def test_p4_a_persons_line_stands_and_the_agents_text_is_in_the_inbox_of_both(
    vault: Folder, there: Folder, other: Folder
) -> None:
    vault.write("projects/nova.md", vault.read("projects/nova.md").replace("- started", "- started on Monday"))
    vault.commit("monday", "projects/nova.md")
    mine = other.read("projects/nova.md").replace("- started", "- started on Friday")
    base = other.git("rev-parse", "HEAD:projects/nova.md")
    done = other.run("write", "projects/nova.md", "--base", base, "--agent", "codex", stdin=mine.encode())
    assert done.code == 0, done
    synced(other)  # the agent is first
    done = vault.run("sync")
    assert done.code == 0, done
    assert synced(other)["outcome"] == "merged"
    assert level(vault, other, there)
    for place in (vault, other):
        assert "- started on Monday" in place.read("projects/nova.md")
        [note] = (place.root / "inbox").iterdir()
        assert "- started on Friday" in note.read_text()
    assert f"vaultgit inbox show inbox/{note.name}" in done.err


def test_p3_what_a_person_typed_and_staged_stays_theirs(vault: Folder, there: Folder, other: Folder) -> None:
    edit(other, "from there")
    synced(other)
    vault.write("people/ada-lovelace.md", vault.read("people/ada-lovelace.md") + "typed\n")
    vault.write("staged.md", "staged\n")
    vault.git("add", "staged.md")
    vault.write("Home.md", "# Mine\n" + vault.read("Home.md"))
    done = synced(vault)
    assert done["outcome"] == "merged"
    assert vault.read("Home.md").startswith("# Mine\n") and vault.read("Home.md").endswith("from there\n")
    assert vault.git("status", "--porcelain").splitlines() == [
        " M Home.md",
        " M people/ada-lovelace.md",
        "A  staged.md",
    ]
    assert "# Mine" not in vault.git("show", "HEAD:Home.md")


def test_p2_what_waits_in_the_queue_goes_out_too(vault: Folder, there: Folder) -> None:
    from faulty import queued

    queued(vault)
    assert synced(vault)["pushed"] == 1
    assert level(vault, there)


def test_several_clones_that_push_at_once_all_end_level(vault: Folder, there: Folder, other: Folder) -> None:
    from concurrent.futures import ThreadPoolExecutor

    third = clone(there, "third", who="Cem")
    places = [vault, other, third]

    def work(place: Folder) -> list[int]:
        codes = []
        for number in range(4):
            edit(place, f"{place.root.name} {number}", "projects/nova.md")
            codes.append(place.run("sync").code)
        return codes

    with ThreadPoolExecutor(3) as pool:
        codes = [code for found in pool.map(work, places) for code in found]
    assert set(codes) <= {0, 75}
    for place in (*places, *places):
        synced(place)
    assert level(*places, there)
    text = vault.read("projects/nova.md") + "".join(p.read_text() for p in (vault.root / "inbox").glob("*.md"))
    assert all(f"{place.root.name} {number}" in text for place in places for number in range(4))
    assert vault.read("changelog.md").count("\n- ") == 12


def test_several_syncs_at_once_in_one_clone_take_turns(vault: Folder, there: Folder) -> None:
    from concurrent.futures import ThreadPoolExecutor

    edit(vault, "one")
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: vault.run("sync"), range(4)))
    assert [one.code for one in done] == [0] * 4, done
    assert sorted(one.out.split()[0] for one in done) == ["pushed", "unchanged", "unchanged", "unchanged"]


def test_a_dry_run_fetches_and_changes_nothing_else(vault: Folder, there: Folder, other: Folder) -> None:
    edit(other, "from there")
    synced(other)
    edit(vault, "from here")
    before = (vault.git("for-each-ref", "refs/heads", "refs/vaultgit"), vault.snapshot(), tip(there, "main"))
    done = vault.run("sync", "--dry-run")
    assert done.code == 0, done
    assert done.out.startswith("would bring in 1 commit, and push 1 commit\n")
    assert (vault.git("for-each-ref", "refs/heads", "refs/vaultgit"), vault.snapshot(), tip(there, "main")) == before
    assert tip(vault, "refs/remotes/origin/main") == tip(there, "main")


def test_a_dry_run_tells_whose_text_would_stand(vault: Folder, there: Folder, other: Folder) -> None:
    for place, day, agent in ((vault, "Monday", ()), (other, "Friday", ("--agent", "codex"))):
        text = place.read("projects/nova.md").replace("- started", f"- started on {day}")
        base = place.git("rev-parse", "HEAD:projects/nova.md")
        assert place.run("write", "projects/nova.md", "--base", base, *agent, stdin=text.encode()).code == 0
    synced(vault)
    done = other.run("sync", "--dry-run")
    assert "projects/nova.md: conflict with what Test Person wrote" in done.out, done
    assert "that would stand" in done.out


def test_it_retries_where_the_remote_moved_in_between(vault: Folder, there: Folder, other: Folder) -> None:
    """Between our fetch and our push others push, twice."""
    from vaultgit.clock import SystemClock
    from vaultgit.passes.sync import remote
    from vaultgit.passes.sync import run
    from vaultgit.vault import open_vault

    edit(vault, "from here")
    before, pauses = list(range(2)), []
    whole = remote.Remote.push

    def push(self: remote.Remote, *args: object, **more: object) -> object:
        if before:
            edit(other, f"from there {before.pop()}", "projects/nova.md")
            synced(other)
        return whole(self, *args, **more)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(remote.Remote, "push", push)
        opened = open_vault(str(vault.root))
        with opened.repo:
            done = run.sync(opened, SystemClock(), pause=pauses.append)
    assert (done.outcome, done.fetched, len(pauses)) == ("merged", 2, 2)
    synced(other)
    assert level(vault, other, there)


def test_a_remote_that_never_holds_still_is_left_for_later(vault: Folder, there: Folder, other: Folder) -> None:
    from vaultgit.clock import SystemClock
    from vaultgit.passes.sync import remote
    from vaultgit.passes.sync import run
    from vaultgit.passes.sync import words
    from vaultgit.vault import open_vault

    edit(vault, "from here")
    pauses: list[float] = []

    def push(self: remote.Remote, *args: object, **more: object) -> object:
        raise words.Moved("main [rejected] (fetch first)")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(remote.Remote, "push", push)
        opened = open_vault(str(vault.root))
        with opened.repo:
            done = run.sync(opened, SystemClock(), pause=pauses.append)
    assert (done.outcome, len(pauses)) == ("queued", run.TRIES - 1)
    assert synced(vault)["outcome"] == "pushed"


def test_another_sync_at_work_ends_with_75(vault: Folder, there: Folder) -> None:
    from vaultgit.clock import SystemClock
    from vaultgit.edits.lock import Lock
    from vaultgit.passes.sync import run
    from vaultgit.vault import open_vault

    held = Lock(str(vault.root / ".git/vaultgit/state"), "sync.lock")
    assert held.take(0)
    opened = open_vault(str(vault.root))
    with opened.repo:
        done = run.sync(opened, SystemClock(), wait=0)
    held.release()
    assert (done.outcome, done.reason) == ("queued", "another sync is at work")


def test_p10_a_persons_commit_that_is_under_way_is_waited_for_a_little(
    vault: Folder, there: Folder, other: Folder
) -> None:
    import subprocess

    from vaultgit.clock import SystemClock
    from vaultgit.passes.sync import run
    from vaultgit.vault import open_vault

    edit(other, "from there")
    synced(other)
    edit(vault, "from here", "projects/nova.md")
    with subprocess.Popen(["git", "cat-file", "--batch"], cwd=vault.root, stdin=subprocess.PIPE) as commit:
        assert commit.stdin is not None
        mark = vault.write(f".git/vaultgit/state/committing/{commit.pid}", "")
        pauses: list[float] = []
        opened = open_vault(str(vault.root))
        with opened.repo:
            done = run.sync(opened, SystemClock(), pause=pauses.append)
            assert (done.outcome, len(pauses)) == ("queued", 8)
            assert "git commit is under way" in done.reason
            done = run.sync(opened, SystemClock(), pause=lambda _: mark.unlink(missing_ok=True))
        commit.stdin.close()
    assert done.outcome == "merged"


@pytest.mark.parametrize("state", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"])
def test_p3_beside_a_merge_of_obsidian_git_it_waits(vault: Folder, there: Folder, state: str) -> None:
    edit(vault, "from here")
    before = tip(there, "main")
    vault.write(f".git/{state}", tip(vault) + "\n")
    done = vault.run("sync")
    assert done.code == 75 and done.out.startswith("queued a "), done
    assert tip(there, "main") == before
    (vault.root / f".git/{state}").unlink()
    assert synced(vault)["outcome"] == "pushed"


def test_a_detached_head_waits(vault: Folder, there: Folder) -> None:
    vault.git("checkout", "--quiet", "--detach")
    done = vault.run("sync")
    assert done.code == 75 and "no branch is checked out" in done.out, done


def test_p3_a_branch_of_a_persons_own_is_not_pushed_because_it_is_checked_out(vault: Folder, there: Folder) -> None:
    vault.git("switch", "--quiet", "-c", "mine")
    vault.commit("a draft")
    done = vault.run("sync")
    assert done.code == 75 and "git push -u origin mine" in done.out, done
    assert not has(there, "refs/heads/mine")
    vault.git("push", "--quiet", "-u", "origin", "mine")
    assert synced(vault)["branch"] == "mine"


def test_a_merge_that_git_made_by_itself_goes_out_as_it_is(vault: Folder, there: Folder, other: Folder) -> None:
    """obsidian-git pulls, commits and pushes beside us."""
    edit(vault, "from here")
    synced(vault)
    edit(other, "from there", "projects/nova.md")
    other.git("pull", "--quiet", "--no-rebase", "--no-edit")
    done = synced(other)
    assert done["outcome"] == "pushed"
    synced(vault)
    edit(vault, "one more")
    synced(vault)
    synced(other)
    assert level(vault, other, there)
