"""consolidate in a busy vault, and killed at any step: nothing is lost and nothing is done twice (promise P2)."""

from __future__ import annotations

import os
import re
import signal

import pytest
import warm
from consolidating import LATER
from consolidating import TEN
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import data
from consolidating import edits
from consolidating import head
from consolidating import rounds
from consolidating import sound
from consolidating import tick
from support import Folder

from vaultgit.edits import steps

# -- a busy vault ------------------------------------------------------------------------------------------------


def test_p2_in_a_rebase_what_is_accepted_waits_and_lands_once(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark", "Ostholm")
    consolidate(vault)
    tick(vault, "Norrland")
    tick(vault, "Vestmark", "reject")
    vault.write(".git/MERGE_HEAD", head(vault) + "\n")
    before = vault.read("review.md"), head(vault)
    for _ in range(2):
        done = consolidate(vault, code=75)
        assert (
            re.match(r"queued [0-9a-z]{16} concepts/Norrland.md\n", done.out) and "a merge is in progress" in done.err
        )
        assert (vault.read("review.md"), head(vault)) == before
    assert len(os.listdir(vault.root / ".git/vaultgit/state/queue")) == 1
    (vault.root / ".git/MERGE_HEAD").unlink()
    done = data(vault, "--apply")
    assert (len(done["applied"]), len(done["rejected"])) == (0, 1)
    assert len(edits(vault)) == 1 and set(blocks(vault)) == {"Ostholm"}
    sound(vault)


def test_a_held_index_lock_lets_it_wait(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "Norrland")
    lock = vault.write(".git/index.lock", "")
    consolidate(vault, "--apply", code=75)
    lock.unlink()
    assert set(blocks(vault)) == {"Norrland"}
    vault.run("status")
    assert vault.exists("concepts/Norrland.md")
    consolidate(vault, "--apply")
    assert blocks(vault) == {} and len(edits(vault)) == 1
    sound(vault)


# -- killed ------------------------------------------------------------------------------------------------------

KILLER = """
import os, signal, sys
from vaultgit.edits import steps
target, left = sys.argv[1], [int(sys.argv[2])]
def reached(name):
    if name == target:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
steps.reached = reached
from vaultgit.cli.main import main
raise SystemExit(main(sys.argv[3:]))
"""


def killed(vault: Folder, step: str, time: int, *args: str) -> bool:
    done = warm.run(KILLER, step, str(time), *args, cwd=vault.root, env={**os.environ, "VAULTGIT_NOW": LATER})
    assert done.code in (0, -signal.SIGKILL), done
    return done.code != 0


@pytest.mark.faults
@pytest.mark.parametrize(
    ("step", "time"),
    [(step, 2) for step in steps.NAMES]
    + [(step, time) for time in (1, 3, 4) for step in ("queue-written", "disk", "ref")],
)  # what each step leaves is the write path's to see to; here counts between which two submits it is
def test_p2_killed_at_any_step_nothing_is_lost_and_nothing_done_twice(vault: Folder, step: str, time: int) -> None:
    """The first two times in the two notes, the third in review.md and declined.md, the fourth in the next proposals."""
    captured(vault, *TEN[:4])
    consolidate(vault)
    captured(vault, "Hallsund", days=("2026-11-03", "2026-11-04"))
    tick(vault, TEN[0], old=f"# {TEN[0]}\n", new=f"# {TEN[0]}\n\nMine.\n")
    tick(vault, TEN[1])
    tick(vault, TEN[2], "reject")
    undecided = vault.read("review.md")
    undecided = undecided[blocks(vault)[TEN[3]].start : blocks(vault)[TEN[3]].end]
    vault.write("notes/mine.md", "typed, not in git\n")
    assert killed(vault, step, time, "consolidate")
    for lock in (".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"):
        (vault.root / lock).unlink(missing_ok=True)
    consolidate(vault)
    assert "\nMine.\n" in vault.read(f"concepts/{TEN[0]}.md") and vault.exists(f"concepts/{TEN[1]}.md")
    assert len(edits(vault)) == len(set(edits(vault))) == 2
    assert vault.read(".vaultgit/declined.md").count(" proposal ") == 1
    assert sorted(blocks(vault)) == sorted([TEN[3], "Hallsund"])
    assert undecided in vault.read("review.md")
    assert len(rounds(vault)) == 2
    assert vault.git("status", "--porcelain") == "?? notes/"
    sound(vault)
    before = head(vault)
    consolidate(vault)
    assert head(vault) == before


@pytest.mark.faults
@pytest.mark.parametrize("step", steps.NAMES)
def test_p2_killed_while_a_deleted_file_is_made_anew(vault: Folder, step: str) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    captured(vault, "Hallsund", days=("2026-11-03", "2026-11-04"))
    (vault.root / "review.md").unlink()
    assert killed(vault, step, 1, "consolidate")
    for lock in (".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"):
        (vault.root / lock).unlink(missing_ok=True)
    consolidate(vault)
    assert set(blocks(vault)) == {"Hallsund"} and not vault.exists("inbox")
    assert vault.git("status", "--porcelain") == "" and len(rounds(vault)) == 2
    sound(vault)


@pytest.mark.parametrize("change", ["edited", "deleted", "undone"])
def test_p2_what_a_person_does_to_the_note_after_a_kill_stays(vault: Folder, change: str) -> None:
    """The block is still there and ticked, and the note was written: its id in history says so."""
    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "Norrland")
    assert killed(vault, "queue-written", 2, "consolidate", "--apply")
    assert set(blocks(vault)) == {"Norrland"} and vault.exists("concepts/Norrland.md")
    for path in (vault.root / ".git/vaultgit/state/queue").iterdir():
        path.unlink()  # what the killed run wanted to say about review.md
    mine = "---\ntype: concept\nname: Norrland\nsources: []\n---\nOnly this.\n"
    if change == "edited":
        vault.write("concepts/Norrland.md", mine)
    elif change == "deleted":
        (vault.root / "concepts/Norrland.md").unlink()
    else:
        assert vault.run("undo", "concepts/Norrland.md").code == 0
    made = edits(vault)
    done = data(vault, "--apply")
    assert done["applied"] == [] and blocks(vault) == {} and edits(vault) == made
    assert vault.exists("concepts/Norrland.md") == (change == "edited")
    assert change != "edited" or vault.read("concepts/Norrland.md") == mine
