"""Review branches travel: made, changed, accepted and dropped in one clone, they are so in the others."""

from __future__ import annotations

from typing import Any

import pytest
import reviewing
from reviewing import DREAM
from support import Folder
from syncing import clone
from syncing import edit
from syncing import has
from syncing import level
from syncing import synced
from syncing import tip
from syncing import with_remote

REF = f"refs/heads/{DREAM}"


@pytest.fixture
def there(vault: Folder) -> Folder:
    reviewing.with_skills(vault)
    return with_remote(vault)


@pytest.fixture
def other(there: Folder) -> Folder:
    return clone(there, "other")


def dream(vault: Folder, *names: str, name: str = DREAM) -> None:
    reviewing.propose(vault, *(reviewing.better(vault, one) for one in names or ("bake", "deploy")), name=name)


def shared(vault: Folder, other: Folder, *names: str) -> None:
    """A dream that all three have."""
    dream(vault, *names)
    synced(vault)
    synced(other)


def told(done: dict[str, Any], name: str = DREAM) -> str:
    """What was said about a branch, "" where nothing was."""
    found = [one["what"] for one in done["branches"] if one["name"] == name]
    return found[0] if found else ""


def nowhere(*places: Folder, name: str = DREAM) -> bool:
    assert not [place.root.name for place in places if has(place, f"refs/heads/{name}")]
    return True


def quiet(*places: Folder) -> bool:
    """Whether another sync of each has nothing to do, and says nothing."""
    for place in places:
        done = synced(place)
        assert (done["outcome"], done["branches"]) == ("unchanged", []), done
    return True


def test_a_dream_goes_out_and_comes_in(vault: Folder, there: Folder, other: Folder) -> None:
    dream(vault)
    assert told(synced(vault)) == "went out"
    before = other.snapshot()
    done = synced(other)
    assert (done["outcome"], told(done)) == ("unchanged", "came in")
    assert other.snapshot() == before
    assert tip(vault, REF) == tip(there, REF) == tip(other, REF)
    assert len(reviewing.waiting(other)) == 2
    assert quiet(vault, other)


def test_a_server_that_takes_no_branch_is_quoted_and_the_branch_stays(vault: Folder, there: Folder) -> None:
    hook = there.write("hooks/update", '#!/bin/sh\ncase "$1" in refs/heads/dream/*) echo no dreams; exit 1;; esac\n')
    hook.chmod(0o755)
    dream(vault)
    edit(vault, "from here")
    done = vault.run("sync")
    assert done.code == 1 and "no dreams" in done.err and "went out" not in done.err, done
    assert has(vault, REF) and not has(there, REF)
    assert tip(there, "main") == tip(vault)
    hook.unlink()
    assert told(synced(vault)) == "went out"


def test_accepted_elsewhere_it_disappears_here(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other)
    assert other.run("review", "accept", DREAM).code == 0
    assert "gone" in told(synced(other))
    assert "gone" in told(synced(vault))
    assert nowhere(vault, there, other)
    assert quiet(vault, other)
    edit(vault, "one more")
    synced(vault)
    synced(other)
    assert level(vault, other, there)


def test_accepted_in_part_elsewhere_what_waits_is_the_same_everywhere(
    vault: Folder, there: Folder, other: Folder
) -> None:
    shared(vault, other, "bake", "deploy", "tag")
    assert other.run("review", "accept", DREAM, "--only", "skills/bake.md").code == 0
    synced(other)
    synced(vault)
    assert tip(vault, REF) == tip(there, REF) == tip(other, REF)
    assert reviewing.waiting(vault) == ["skills/deploy: better", "skills/tag: better"]
    assert quiet(vault, other)


def test_squashed_by_a_forge_it_disappears_everywhere(vault: Folder, there: Folder, other: Folder) -> None:
    """Told by edit ids: none of the branch's commits is on main."""
    shared(vault, other)
    forge = clone(there, "forge")
    forge.git("merge", "--quiet", "--squash", f"origin/{DREAM}")
    forge.git("commit", "--quiet", "--no-edit")
    forge.git("push", "--quiet", "origin", "main")
    assert "has landed" in told(synced(vault))
    synced(other)
    assert nowhere(vault, there, other)
    assert quiet(vault, other)


def test_a_part_that_a_person_picked_is_no_longer_proposed(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other)
    other.git("cherry-pick", f"{REF}~1")
    synced(other)
    synced(vault)
    assert reviewing.waiting(vault) == reviewing.waiting(other) == ["skills/deploy: better"]
    assert tip(vault, REF) == tip(there, REF) == tip(other, REF)
    assert vault.git("rev-list", "--count", f"main..{DREAM}") == "1"
    assert quiet(vault, other)


def test_two_clones_that_both_built_it_anew_agree_again(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other)
    vault.git("cherry-pick", f"{REF}~1")
    synced(vault)
    other.git("fetch", "--quiet", "origin")
    other.git("merge", "--quiet", "--ff-only", "origin/main")
    found = reviewing.waiting(other)
    assert found == ["skills/deploy: better"]
    with reviewing.opened(other) as opened:
        from vaultgit.clock import SystemClock
        from vaultgit.edits import branches
        from vaultgit.passes import acceptance

        one = branches.named(opened, DREAM)
        acceptance.rebuild(opened, SystemClock(), one, one.waiting)
    synced(other)
    synced(vault)
    assert tip(vault, REF) == tip(there, REF) == tip(other, REF)
    assert quiet(vault, other)


def test_dropped_elsewhere_it_disappears_here(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other)
    assert other.run("review", "drop", DREAM).code == 0
    assert "gone there" in told(synced(other))
    assert "decided about elsewhere" in told(synced(vault))
    assert nowhere(vault, there, other)
    assert quiet(vault, other)


def test_dropped_in_part_elsewhere_the_rest_waits_everywhere(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other)
    assert other.run("review", "drop", DREAM, "--only", "skills/bake.md").code == 0
    synced(other)
    synced(vault)
    assert reviewing.waiting(vault) == ["skills/deploy: better"]
    assert quiet(vault, other)


def test_what_was_dropped_here_does_not_come_back_from_a_slow_clone(
    vault: Folder, there: Folder, other: Folder
) -> None:
    shared(vault, other)
    assert vault.run("review", "drop", DREAM).code == 0
    synced(vault)
    edit(other, "slow")
    synced(other)
    synced(vault)
    assert nowhere(vault, there, other)


def test_a_new_clone_gets_no_branch_that_was_dropped(vault: Folder, there: Folder) -> None:
    """Somebody pushed it again."""
    dream(vault)
    synced(vault)
    was = tip(vault, REF)
    assert vault.run("review", "drop", DREAM).code == 0
    synced(vault)
    vault.git("push", "--quiet", "origin", f"{was}:{REF}")
    late = clone(there, "late")
    assert told(synced(late)) == ""
    assert nowhere(late)


def test_deleted_there_without_a_decision_it_stays_and_is_told(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other)
    there.git("update-ref", "-d", REF)
    was = tip(vault, REF)
    for _ in range(2):
        done = vault.run("sync")
        assert done.code == 0 and f"{DREAM} was deleted there, and waits here still" in done.err, done
        assert tip(vault, REF) == was and not has(there, REF)
    assert vault.run("review", "push", DREAM).code == 0
    assert told(synced(vault)) == "" and tip(there, REF) == was


def test_changed_in_one_clone_it_is_changed_in_the_other(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other, "bake")
    reword(other, "my way")
    assert "went out" in told(synced(other))
    assert "brought up to date" in told(synced(vault))
    assert "my way" in vault.git("show", f"{DREAM}:skills/bake.md")
    assert quiet(vault, other)


def test_changed_in_both_both_stay_and_it_is_told_how_to_look(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other, "bake")
    reword(other, "their way")
    synced(other)
    reword(vault, "my way", more=True)
    was = (tip(vault, REF), tip(there, REF))
    done = vault.run("sync")
    assert done.code == 0 and "both stay" in done.err and f"git log -p origin/{DREAM}" in done.err, done
    assert (tip(vault, REF), tip(there, REF)) == was
    assert "their way" in vault.git("log", "-p", f"origin/{DREAM}")
    vault.git("update-ref", REF, was[1])  # the person takes theirs
    synced(vault)
    assert quiet(vault, other)


def reword(place: Folder, words: str, *, more: bool = False) -> None:
    """A person changes what the branch proposes; with `more`, as another action."""
    if more:
        reviewing.propose(place, reviewing.better(place, "tag", words=words), name="dream/more")
        place.git("update-ref", REF, "refs/heads/dream/more")
        place.git("update-ref", "-d", "refs/heads/dream/more")
        return
    text = place.git("show", f"{DREAM}:skills/bake.md") + f"\n\n{words}\n"
    done = place.run("review", "edit", DREAM, "skills/bake.md", stdin=text.encode())
    assert done.code == 0, done


def test_dropped_here_and_changed_there_it_is_back(vault: Folder, there: Folder, other: Folder) -> None:
    """Nothing that a person wrote is thrown away unseen."""
    shared(vault, other, "bake")
    reviewing.propose(other, reviewing.better(other, "tag", words="theirs"), name="dream/more")
    other.git("update-ref", REF, "refs/heads/dream/more")
    other.git("update-ref", "-d", "refs/heads/dream/more")
    synced(other)
    assert vault.run("review", "drop", DREAM).code == 0
    assert "it is back" in told(synced(vault))
    assert reviewing.waiting(vault) == ["skills/tag: theirs"]


def test_p5_a_branch_that_is_checked_out_is_left_as_it_is(vault: Folder, there: Folder, other: Folder) -> None:
    shared(vault, other, "bake")
    tree = vault.root.parent / "tree"
    vault.git("worktree", "add", "--quiet", str(tree), DREAM)
    reword(other, "their way")
    synced(other)
    was = tip(vault, REF)
    assert told(synced(vault)) == "checked out: left as it is"
    assert tip(vault, REF) == was and has(there, REF)
    vault.git("worktree", "remove", str(tree))
    assert "brought up to date" in told(synced(vault))


def test_a_review_branch_that_is_checked_out_is_not_what_is_synced(vault: Folder, there: Folder) -> None:
    dream(vault)
    vault.git("switch", "--quiet", DREAM)
    before = there.git("for-each-ref")
    done = vault.run("sync")
    assert done.code == 75 and "git switch" in done.out, done
    assert there.git("for-each-ref") == before


def test_p3_a_persons_own_branches_stay_where_they_are(vault: Folder, there: Folder, other: Folder) -> None:
    for name in ("mine", "dream/ideas"):
        vault.git("switch", "--quiet", "-c", name)
        vault.commit("an idea of my own")
        vault.git("switch", "--quiet", "main")
    other.git("push", "--quiet", "origin", "main:theirs")
    before = there.git("for-each-ref")
    synced(vault)
    assert there.git("for-each-ref") == before
    assert has(vault, "refs/heads/mine") and has(vault, "refs/heads/dream/ideas")
    assert not has(vault, "refs/heads/theirs") and not has(vault, "refs/remotes/origin/theirs")
    vault.git("merge", "--quiet", "--no-edit", "--no-ff", "dream/ideas")
    synced(vault)
    assert has(vault, "refs/heads/dream/ideas")


def test_branches_behind_a_prefix_travel_and_others_do_not(vault: Folder, there: Folder) -> None:
    vault.write(".vaultgit.toml", '[review]\nprefix = "vaultgit/"\n')
    vault.commit("prefix", ".vaultgit.toml")
    synced(vault)
    dream(vault)
    assert told(synced(vault), f"vaultgit/{DREAM}") == "went out"
    other = clone(there, "late")
    there.git("update-ref", REF, "refs/heads/main")
    assert told(synced(other), f"vaultgit/{DREAM}") == "came in"
    assert not has(other, REF)


def test_a_dry_run_tells_what_would_become_of_branches(vault: Folder, there: Folder, other: Folder) -> None:
    dream(vault)
    before = (vault.git("for-each-ref", "refs/heads", "refs/vaultgit"), there.git("for-each-ref"))
    done = vault.run("sync", "--dry-run")
    assert f"{DREAM} went out" in done.out, done
    assert (vault.git("for-each-ref", "refs/heads", "refs/vaultgit"), there.git("for-each-ref")) == before


def test_branches_of_another_vault_in_the_repository_are_its_own(vault: Folder, tmp_path: Any) -> None:
    outer = Folder(tmp_path / "outer")
    outer.root.mkdir()
    outer.git("init", "--quiet")
    for name in ("one", "two"):
        outer.write(f"{name}/.obsidian/app.json", "{}")
        outer.write(f"{name}/skills/bake.md", reviewing.skill("bake"))
    outer.commit("two vaults")
    for name in ("one", "two"):
        assert outer.run("init", "--yes", "--repository", "outer", cwd=outer.root / name).code == 0
    there = Folder(tmp_path / "outer.git")
    outer.git("init", "--quiet", "--bare", str(there.root))
    outer.git("remote", "add", "origin", str(there.root))
    text = reviewing.bumped(reviewing.skill("bake"), "part 2 of bake\n", "part 2 of bake, better\n")
    from vaultgit.edits.branches import Action
    from vaultgit.edits.edit import PathChange

    change = PathChange("skills/bake.md", reviewing.skill("bake").encode(), text.encode())
    action = Action((change,), "skills/bake: better", "because", (("Trigger", "corrected"),))
    reviewing.propose(outer, action, inside="two")
    assert outer.run("sync", cwd=outer.root / "one").code == 0
    assert has(there, "refs/heads/main") and not has(there, REF)
    assert outer.run("sync", cwd=outer.root / "two").code == 0
    assert has(there, REF)
