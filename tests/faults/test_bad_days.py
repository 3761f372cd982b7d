"""Promises P2, P3 and P4 on bad days: each kind of fault once, always the same one. `make soak` tries them with others for
as long as you like, and prints what came of them (docs/faults.md)."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from pathlib import Path

import kills
import pytest
import syscalls
from acts import NAMED
from faulty import busy
from faulty import free
from registry import FAULTS
from support import examples
from syscalls import Call
from trial import Fault
from trial import Trial


@pytest.mark.faults
@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_p2_p3_p4_a_bad_day(fault: Fault, tmp_path: Path) -> None:
    missing = fault.missing()
    if missing:
        pytest.skip(missing)
    for number in range(examples(1)):
        seed = zlib.crc32(f"{fault.name} {number}".encode())
        folder = tmp_path / str(number)
        folder.mkdir()
        fault.run(folder, random.Random(seed))


@pytest.mark.parametrize("name, number", [("fsync", 1), ("rename", 2), ("unlink", 2)])
def test_p2_a_kill_where_nothing_can_be_traced(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syscalls, "tracing", lambda: False)
    word = kills.killed_at("append", "alone", Call(0, name, number), tmp_path, random.Random(1))
    assert word.startswith("not answered") and "did not come" not in word


def an_edit_lost(trial: Trial) -> None:
    [queued] = (trial.vault.root / ".git/vaultgit/state/queue").glob("*.json")
    queued.unlink()


def an_edit_twice(trial: Trial) -> None:
    trial.vault.git("commit", "-q", "--no-verify", "--allow-empty", "--only", "-m", trial.act.subject)


def staged_text_gone(trial: Trial) -> None:
    trial.vault.git("reset", "-q", "mine.md")


def unsaved_text_gone(trial: Trial) -> None:
    trial.vault.git("checkout", "-q", "--", "journal/mine.md")


def a_lock_left(trial: Trial) -> None:
    trial.vault.write(".git/packed-refs.lock", "")


def a_stash_left(trial: Trial) -> None:
    trial.vault.git("update-ref", "--create-reflog", "refs/stash", "HEAD")


def a_ref_left(trial: Trial) -> None:
    trial.vault.git("update-ref", "refs/vaultgit/merging/x", "HEAD")


def a_line_lost(trial: Trial) -> None:
    trial.vault.write("changelog.md", "# Changelog\n")
    trial.vault.git("update-index", "--add", "changelog.md")


@pytest.mark.parametrize(
    "harm",
    [
        an_edit_lost, an_edit_twice, staged_text_gone, unsaved_text_gone, a_lock_left, a_stash_left, a_ref_left,
        a_line_lost,
    ],
)  # fmt: skip
def test_the_proof_finds_what_it_is_for(harm: Callable[[Trial], None], tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    busy(trial.vault)
    done = trial.do()
    free(trial.vault)
    assert done.code == 75
    harm(trial)
    with pytest.raises(AssertionError):
        trial.prove(done, random.Random(1))


def test_the_proof_gives_a_pass_the_seconds_that_a_dead_lock_needs(tmp_path: Path) -> None:
    """A git that was killed leaves the lock of a ref of ours; for five seconds it could be a living one's."""
    trial = Trial(tmp_path, NAMED["sync"])
    trial.vault.write(".git/refs/vaultgit/synced/origin/main.lock", "")
    assert trial.do().code == 75
    assert trial.prove(None, random.Random(1)) == "done by the next run, seconds later"
