"""Text of an agent's own tools that a person's commit takes along while its record waits stands once: P1 and P2."""

from __future__ import annotations

import os

import pytest
from faulty import busy
from faulty import free
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits import compose
from vaultgit.edits import land
from vaultgit.edits import steps
from vaultgit.edits import submit
from vaultgit.vault import open_vault

HOME = "Home.md"


@pytest.mark.parametrize(
    ("above", "below"), [("", ""), ("- above\n", ""), ("", "- below\n"), ("- above\n", "- below\n")]
)
def test_p2_a_record_that_waits_does_not_land_a_second_time(vault: Folder, above: str, below: str) -> None:
    base, text = vault.git("rev-parse", f"HEAD:{HOME}"), vault.read(HOME)
    vault.write(HOME, text + "- by its own tool\n")
    busy(vault)
    assert vault.run("record", HOME, "--base", base, "--agent", "codex").code == 75
    free(vault)
    vault.write(HOME, text + above + "- by its own tool\n" + below)
    taken = vault.commit("backup")
    assert vault.run("status").code == 0
    assert vault.read(HOME) == vault.git("show", f"HEAD:{HOME}") + "\n" == text + above + "- by its own tool\n" + below
    assert f"Recorded-in: {taken}" in vault.git("log", "-1", "--format=%B")
    assert vault.run("verify").code == 0


def test_p2_the_same_where_the_note_was_changed_above_too(vault: Folder) -> None:
    base, text = vault.git("rev-parse", f"HEAD:{HOME}"), vault.read(HOME)
    vault.write(HOME, text + "- by its own tool\n")
    busy(vault)
    assert vault.run("record", HOME, "--base", base, "--agent", "codex").code == 75
    free(vault)
    mine = text.replace("# Home", "# My home").replace("[[people/ada-lovelace]]", "[[people/ada-lovelace|Ada]]")
    assert mine != text
    vault.write(HOME, mine + "- by its own tool\n- below\n")
    vault.commit("backup")
    assert vault.run("status").code == 0
    assert vault.read(HOME) == mine + "- by its own tool\n- below\n"


def test_p3_a_round_that_holds_index_lock_is_small(vault: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody changes the index each time before a round is through: the last try holds its lock meanwhile."""
    busy(vault)
    opened = open_vault(str(vault.root))
    with opened.repo:
        for number in range(40):
            change = compose.append(opened, HOME, f"- {number}\n".encode(), None, "codex")
            done = submit.submit(opened, SystemClock(), [change], subject=f"Home: {number}", by=submit.By("codex"))
            assert done.outcome == "queued"
        free(vault)
        index, lock = (os.path.join(opened.repo.git_dir, name) for name in ("index", "index.lock"))
        held: list[int] = []
        at_hand: list[str] = []

        def reached(name: str) -> None:
            if name == "locked":
                at_hand[:] = ["held"] if os.path.exists(lock) else []
            elif name == "temporaries":
                os.utime(index)
            elif name == "dequeued" and at_hand:
                held.append(len(vault.git("rev-list", f"{before[0]}..HEAD").splitlines()))
                before[0] = vault.git("rev-parse", "HEAD")

        before = [vault.git("rev-parse", "HEAD")]
        monkeypatch.setattr(steps, "reached", reached)
        results = submit.drain(opened, SystemClock())
    assert [one.outcome for one in results] == ["committed"] * 40
    assert sum(held) == 40 and max(held) <= land.LEAST_ROOM
    assert vault.run("verify").code == 0
