"""Many writers at once, on one vault and over three clones: a small part of `python -m benchmarks --load` and
`--clones`, which prove the same after many more edits (docs/load.md). Promises P1 to P4."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks import load
from benchmarks import load_clones
from benchmarks import load_doors
from benchmarks import load_kills
from benchmarks import load_proof
from benchmarks import place
from benchmarks.load_doors import Wanted
from benchmarks.load_writer import PARAGRAPHS

PROCESSES, EDITS = 8, 5


@pytest.fixture(autouse=True)
def _out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "OUT", str(tmp_path / "out"))
    for name, value in place.environment().items():
        monkeypatch.setenv(name, value)


def test_p2_writers_through_every_door_beside_a_person_with_git(tmp_path: Path) -> None:
    folder = str(tmp_path / "load")
    figures, failures = load.run(PROCESSES, EDITS, 5, folder, loops=False, floors=False, pause=0.6)
    assert failures == []
    assert figures["writers"]["edits"] == PROCESSES * EDITS
    assert {"cli", "mcp"} <= figures["writers"].keys()
    assert figures["person"]["lines typed"] > 0


def test_p4_three_clones_become_alike_and_nobody_loses_a_line(tmp_path: Path) -> None:
    """Each round every clone gets edits and a person's line in the same paragraph, and syncs, in turn."""
    folder = str(tmp_path / "clones")
    vaults = load_clones.make(folder)
    people = [
        load_clones.InClone(vaults["a"], 1, folder, ("mine.md",), 0, by_git=True),
        load_clones.InClone(vaults["b"], 2, folder, ("desk.md",), load_clones.FIRST_OF_EDITOR, by_git=False),
    ]
    told: list[load_proof.Ack] = []
    for number in range(2):
        for clone, (name, vault) in enumerate(vaults.items()):
            door = load_doors.CommandLine(vault, load_clones.WRITERS[name][0])
            for nth, (do, path) in enumerate((("append", "Home.md"), ("para", PARAGRAPHS))):
                mark = f"w{clone}x{number}n{nth}"
                wanted = Wanted(do, path, mark, f"- {mark} by {name}\n", "Paragraph 0:" if do == "para" else "")
                done = asyncio.run(door.edit(wanted))
                told.append(load_proof.Ack(*done[:2], mark, path, done.reason, "cli", do, "", 0.0, 0.0))
        for person in people:
            person.longer()
            person.type_hot()
            person.type_own()
        people[0].git("commit", "-q", "-am", "mine")
        for vault in vaults.values():
            assert load_doors.run(vault, "sync").returncode == 0
        for person in people:
            person.look(f"round {number}")
    assert {ack.outcome for ack in told} <= set(load_proof.LANDS)
    rounds = load_clones.settle(vaults, people)
    failures, figures = load_clones.prove(folder, vaults, told, people)
    assert failures == []
    assert rounds <= 3
    assert figures["merges"] and figures["inbox notes"]


def test_killing_finds_its_own_processes_only() -> None:
    assert load_kills.processes("nobody's") == []
