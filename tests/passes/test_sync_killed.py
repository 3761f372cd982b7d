"""A sync that is killed, by kill -9 between any two of its steps: the next one goes on, and nothing is lost or twice."""

from __future__ import annotations

import pytest
import reviewing
from faulty import killing
from faulty import run_faulty
from support import Folder
from syncing import clone
from syncing import edit
from syncing import has
from syncing import level
from syncing import synced
from syncing import tip
from syncing import with_remote

KILL = "os.kill(os.getpid(), signal.SIGKILL)"

# What is killed: the function, and whether before it runs or after.
POINTS = (
    ("remote.Remote", "fetch", "before"),
    ("remote.Remote", "fetch", "after"),
    ("run._Sync", "_bring_in", "before"),
    ("run._Sync", "_bring_in", "after"),
    ("remote.Remote", "push", "before"),
    ("remote.Remote", "push", "after"),
    ("agreed", "remember", "before"),
    ("agreed", "remember", "after"),
)
LANDING = ("objects", "temporaries", "planned", "index-locked", "ref-prepared", "disk-first", "disk", "index", "ref")


def at(where: str, name: str, when: str) -> str:
    """A prelude that kills before or after a function of the pass."""
    module = where.split(".")[0]
    order = [KILL, "done = whole(*args, **more)"] if when == "before" else ["done = whole(*args, **more)", KILL]
    body = "".join(f"    {line}\n" for line in [*order, "return done"])
    begin = f"from vaultgit.passes.sync import {module}\nwhole = {where}.{name}\ndef killed(*args, **more):\n"
    return f"{begin}{body}{where}.{name} = killed\n"


@pytest.fixture
def there(vault: Folder) -> Folder:
    return with_remote(vault)


@pytest.fixture
def other(there: Folder) -> Folder:
    return clone(there, "other")


def both_changed(vault: Folder, other: Folder) -> None:
    """Work of a person and of agents on both sides; some of it in the same lines."""
    edit(other, "from there")
    for place, day in ((vault, "Monday"), (other, "Friday")):
        place.write("projects/nova.md", place.read("projects/nova.md").replace("- started", f"- started on {day}"))
        place.commit(day, "projects/nova.md")
    synced(other)
    edit(vault, "from here", "people/ada-lovelace.md")
    vault.write("mine.md", "not in git\n")


def all_there(vault: Folder, other: Folder, there: Folder) -> None:
    assert vault.read("mine.md") == "not in git\n"
    (vault.root / "mine.md").unlink()
    synced(other)
    assert level(vault, other, there)
    assert "from there" in vault.read("Home.md") and "from here" in vault.read("people/ada-lovelace.md")
    texts = vault.read("projects/nova.md") + "".join(p.read_text() for p in (vault.root / "inbox").glob("*.md"))
    assert texts.count("- started on Monday") == texts.count("- started on Friday") == 1
    assert vault.git("log", "--format=%B").count("\nEdit: ") == 2
    assert vault.read("changelog.md").count("\n- ") == 2


@pytest.mark.faults
@pytest.mark.parametrize(("where", "name", "when"), POINTS)
def test_p2_killed_between_steps(vault: Folder, there: Folder, other: Folder, where: str, name: str, when: str) -> None:
    both_changed(vault, other)
    assert run_faulty(vault, at(where, name, when), "sync").code == -9
    synced(vault)
    all_there(vault, other, there)


@pytest.mark.faults
@pytest.mark.parametrize("step", LANDING)
def test_p2_killed_while_it_lands(vault: Folder, there: Folder, other: Folder, step: str) -> None:
    both_changed(vault, other)
    assert run_faulty(vault, killing(step), "sync").code == -9
    synced(vault)
    all_there(vault, other, there)


@pytest.mark.faults
@pytest.mark.parametrize(
    ("where", "name", "when"),
    [("travel", "_set", "after"), ("travel", "_here", "after"), ("remote.Remote", "push", "after")],
)
def test_killed_between_the_steps_of_a_branch(
    vault: Folder, there: Folder, other: Folder, where: str, name: str, when: str
) -> None:
    reviewing.dreamt(vault)
    synced(vault)
    ref = f"refs/heads/{reviewing.DREAM}"
    synced(other)
    assert other.run("review", "accept", reviewing.DREAM, "--only", "skills/bake.md").code == 0
    run_faulty(other, at(where, name, when), "sync")
    synced(other)
    run_faulty(vault, at(where, name, when), "sync")
    synced(vault)
    assert tip(vault, ref) == tip(there, ref) == tip(other, ref)
    assert len(reviewing.waiting(vault)) == 2
    assert vault.run("review", "accept", reviewing.DREAM).code == 0
    run_faulty(vault, at(where, name, when), "sync")
    synced(vault)
    run_faulty(other, at(where, name, when), "sync")
    synced(other)
    assert not has(vault, ref) and not has(there, ref) and not has(other, ref)
    assert level(vault, other, there)


@pytest.mark.faults
def test_p2_a_server_that_is_killed_in_the_middle_of_a_push(vault: Folder, there: Folder) -> None:
    hook = there.write("hooks/pre-receive", "#!/bin/sh\nkill -9 $PPID\n")
    hook.chmod(0o755)
    edit(vault, "from here")
    done = vault.run("sync")
    assert done.code in (1, 75), done
    hook.unlink()
    assert synced(vault)["pushed"] == 1
    assert level(vault, there)
