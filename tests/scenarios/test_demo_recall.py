"""Plain questions over the vault that the demo begins with: what a newcomer types first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import Folder

from vaultgit.cli.demonotes import NOTES

QUESTIONS = {
    "who is allergic to peanuts": "people/marta-olsen.md",
    "when did I lend The Dispossessed to Jonas": "notes/Books.md",
    "which tube does my bike need": "notes/Bicycle.md",
    "what does F28 on the boiler mean": "notes/Heating.md",
    "how hot do I bake bread": "notes/Sourdough.md",
    "when is the rent for the plot due": "projects/allotment.md",
    "what does the kiosk print on now": "decisions/2026-09-03-label-printer.md",
    "why did the paper roll jam": "sessions/2026-09-02-why-the-roll-jams.md",
    "electrician's price per hour": "people/jonas-weber.md",
    "when should I phone my father": "people/Dad.md",
    "a flat in Lisbon that takes dogs": "notes/Lissabon 2027.md",
}


@pytest.fixture
def demo(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "Notes")
    for path, text in NOTES.items():
        made.write(path, text)
    made.git("init", "-q")
    made.git("add", "-A")
    made.git("commit", "-qm", "my notes")
    return made


def test_plain_questions_find_their_note_first(demo: Folder) -> None:
    missed = {}
    for question, path in QUESTIONS.items():
        done = demo.run("search", question, "--json", "--limit", "3")
        assert done.code == 0, done.err
        found = [hit["path"] for hit in json.loads(done.out)]
        if found[:1] != [path]:
            missed[question] = found
    assert len(missed) <= 1, missed


def test_a_correction_in_an_editor_is_in_the_next_answer(demo: Folder) -> None:
    note = demo.read("people/marta-olsen.md")
    demo.write("people/marta-olsen.md", note.replace("peanuts", "walnuts"))
    now = json.loads(demo.run("search", "what is Marta allergic to", "--json").out)
    assert now[0]["path"] == "people/marta-olsen.md" and "walnuts" in now[0]["text"]
    then = json.loads(demo.run("search", "what is Marta allergic to", "--json", "--at", "HEAD").out)
    assert then[0]["path"] == "people/marta-olsen.md" and "peanuts" in then[0]["text"]
    assert "walnuts" in demo.run("context", "cook for Marta").out
    assert "peanuts" in demo.run("context", "cook for Marta", "--at", "HEAD").out
