"""A sync that is killed half-way and cannot be finished leaves nothing in the notes that looks typed: P2 and P3."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from faulty import killing
from faulty import run_faulty
from support import Folder
from support import run_cli

CAME = "- from the other clone\n"
TYPED = "- typed in an editor\n"
HALF_WAY = ("disk-first", "disk", "index")


class Shared(NamedTuple):
    here: Folder
    there: Folder


@pytest.fixture
def shared(vault: Folder, tmp_path: Path) -> Shared:
    """Two clones of a bare repository; there has an edit that is to come in, here has one that has not gone out."""
    bare, there = tmp_path / "bare.git", Folder(tmp_path / "there")
    vault.git("clone", "-q", "--bare", str(vault.root), str(bare))
    vault.git("remote", "add", "origin", str(bare))
    vault.git("fetch", "-q", "origin")
    vault.git("branch", "-q", "--set-upstream-to=origin/main")
    vault.git("clone", "-q", str(bare), str(there.root))
    assert run_cli("init", "--yes", cwd=there.root).code == 0
    for note in ("Home.md", "projects/nova.md"):
        assert there.run("append", note, "--agent", "codex", stdin=CAME.encode()).code == 0
    assert there.run("sync").code == 0
    assert vault.run("append", "people/ada-lovelace.md", "--agent", "codex", stdin=b"- from here\n").code == 0
    return Shared(vault, there)


@pytest.mark.parametrize("step", HALF_WAY)
def test_p3_what_a_killed_sync_left_is_not_what_the_person_typed(shared: Shared, step: str) -> None:
    here = shared.here
    before = here.snapshot()
    assert run_faulty(here, killing(step), "sync").code == -9
    here.write("Home.md", here.read("Home.md") + TYPED)
    assert here.run("status").code == 0
    assert here.snapshot() == {**before, "Home.md": before["Home.md"] + TYPED.encode()}
    assert here.git("status", "--porcelain") == " M Home.md"
    assert here.run("sync").code == 0
    assert here.read("Home.md").count(CAME) == here.read("Home.md").count(TYPED) == 1
    assert CAME in here.git("show", "HEAD:Home.md") + "\n" and TYPED not in here.git("show", "HEAD:Home.md") + "\n"
    assert here.run("verify").code == 0


@pytest.mark.parametrize("step", HALF_WAY)
def test_p2_what_the_person_has_committed_since_stays(shared: Shared, step: str) -> None:
    here = shared.here
    assert run_faulty(here, killing(step), "sync").code == -9
    (here.root / ".git/index.lock").unlink(missing_ok=True)  # as git's own words advise
    here.commit("mine")
    lies = here.snapshot()
    assert here.run("status").code == 0
    assert {**here.snapshot(), "changelog.md": b""} == {**lies, "changelog.md": b""}
    assert here.run("sync").code == 0
    assert here.read("Home.md").count(CAME) == here.read("projects/nova.md").count(CAME) == 1
    assert here.git("status", "--porcelain") == ""
    assert here.run("verify").code == 0


def test_p3_an_index_lock_of_somebody_elses_puts_it_off(shared: Shared) -> None:
    here = shared.here
    before = here.snapshot()
    assert run_faulty(here, killing("disk"), "sync").code == -9
    here.write("Home.md", here.read("Home.md") + TYPED)
    lock = here.root / ".git/index.lock"
    lock.unlink()
    lock.write_bytes(b"")
    assert here.run("status").code == 0
    assert CAME in here.read("projects/nova.md")
    lock.unlink()
    assert here.run("status").code == 0
    assert here.snapshot() == {**before, "Home.md": before["Home.md"] + TYPED.encode()}
