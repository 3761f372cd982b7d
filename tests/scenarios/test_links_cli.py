"""`vaultgit links`, as a person and an agent run it (cases 015 and 017)."""

from __future__ import annotations

import json
import time
import unicodedata
from typing import Any

import pytest
from support import Folder

LINKS = """\
---
type: project
name: Nova
status: active
owner: "[[ada-lovelace]]"
---
# Nova

See [[people/ada-lovelace#Life|Ada]] and ![[plan.png]], or [the plan](../notes/The%20plan.md).

| a | b |
|---|---|
| [[Home\\|start]] | `[[no link]]` |

[[Missing]] and ![[gone.png]] %% [[hidden]] %% [[#Nova]] [web](https://example.invalid)
"""


@pytest.fixture
def notes(vault: Folder) -> Folder:
    vault.write("projects/nova.md", LINKS)
    vault.write("notes/The plan.md", "# The plan\n\nFor [[nova]].\n")
    vault.write("notes/plan.png", b"\x89PNG")
    return vault


def asked(vault: Folder, *args: str) -> Any:
    done = vault.run("links", *args, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def test_out_back_and_what_leads_nowhere_each_with_its_place(notes: Folder) -> None:
    found = asked(notes, "projects/nova.md")
    assert [(one["line"], one["column"], one["target"], one["path"]) for one in found["out"]] == [
        (5, 9, "ada-lovelace", "people/ada-lovelace.md"),
        (9, 5, "people/ada-lovelace#Life", "people/ada-lovelace.md"),
        (9, 42, "plan.png", "notes/plan.png"),
        (9, 60, "../notes/The plan.md", "notes/The plan.md"),
        (13, 3, "Home", "Home.md"),
    ]
    assert [one["embed"] for one in found["out"]] == [False, False, True, False, False]
    assert [(one["line"], one["target"]) for one in found["unresolved"]] == [(15, "Missing"), (15, "gone.png")]
    assert found["back"] == [
        {"path": "notes/The plan.md", "line": 3, "column": 5, "embed": False, "text": "For [[nova]]."}
    ]


def test_plain_output_names_the_places(notes: Folder) -> None:
    done = notes.run("links", "projects/nova.md")
    assert done.code == 0, done
    lines = done.out.splitlines()
    assert "out   projects/nova.md:5:9: [[ada-lovelace]] -> people/ada-lovelace.md" in lines
    assert "none  projects/nova.md:15:1: [[Missing]] leads nowhere" in lines
    assert "back  notes/The plan.md:3:5: For [[nova]]." in lines
    assert done.err == "projects/nova.md: 5 links out, 1 back, 2 that lead nowhere\n"


def test_a_file_that_is_no_note_has_only_links_back(notes: Folder) -> None:
    found = asked(notes, "notes/plan.png")
    assert (found["out"], found["unresolved"]) == ([], [])
    assert [(one["path"], one["line"], one["embed"]) for one in found["back"]] == [("projects/nova.md", 9, True)]


@pytest.mark.parametrize("typed", ["Missing", "Missing.md", "[[Missing]]", "missing"])
def test_who_links_to_what_is_not_there(notes: Folder, typed: str) -> None:
    found = asked(notes, typed)
    assert found["path"] is None
    assert [(one["path"], one["line"]) for one in found["back"]] == [("projects/nova.md", 15)]
    assert "is not there; 1 link leads to it" in notes.run("links", typed).err


def test_what_is_not_there_and_nothing_links_to_is_wrong_use(notes: Folder) -> None:
    done = notes.run("links", "nowhere-at-all")
    assert done.code == 2
    assert "there is no nowhere-at-all" in done.err and "vaultgit search" in done.err
    assert notes.run("links").code == 2
    assert notes.run("links", "Home.md", "--unresolved").code == 2


def test_a_name_as_links_write_it_is_found(notes: Folder) -> None:
    assert asked(notes, "nova")["path"] == "projects/nova.md"
    assert asked(notes, "[[nova#Log|x]]")["path"] == "projects/nova.md"


def test_ambiguous_links_say_which_one_obsidian_opens(vault: Folder) -> None:
    vault.write("a/Twin.md", "one\n")
    vault.write("b/Twin.md", "two\n")
    vault.write("b/near.md", "[[Twin]]\n")
    [link] = asked(vault, "b/near.md")["out"]
    assert (link["path"], link["others"]) == ("b/Twin.md", ["a/Twin.md"])
    assert "(Obsidian opens this; may also mean a/Twin.md)" in vault.run("links", "b/near.md").out
    [back] = asked(vault, "a/Twin.md")["back"]
    assert back["opens"] == "b/Twin.md"
    assert "(Obsidian opens b/Twin.md)" in vault.run("links", "a/Twin.md").out
    assert "opens" not in asked(vault, "b/Twin.md")["back"][0]
    assert "of that name, too: b/Twin.md" in vault.run("links", "Twin").err


def test_circles_of_links_and_links_to_oneself(vault: Folder) -> None:
    vault.write("a.md", "[[b]] [[a]] [[#here]]\n")
    vault.write("b.md", "[[a]]\n")
    found = asked(vault, "a.md")
    assert [one["path"] for one in found["out"]] == ["b.md", "a.md"]
    assert [one["path"] for one in found["back"]] == ["b.md"]


def test_ten_thousand_links_in_one_note(vault: Folder) -> None:
    vault.write("many.md", " ".join(f"[[Home|{n}]]" for n in range(10_000)) + "\n")
    began = time.monotonic()
    assert len(asked(vault, "many.md")["out"]) == 10_000
    back = asked(vault, "Home.md")["back"]
    assert sum(one["path"] == "many.md" for one in back) == 10_000
    assert all(len(one["text"]) < 250 for one in back)
    assert time.monotonic() - began < 30


def test_017_names_that_differ_by_normalisation_are_one(vault: Folder) -> None:
    decomposed, composed = (unicodedata.normalize(form, "Über uns.md") for form in ("NFD", "NFC"))
    vault.write(decomposed, "nfd\n")
    vault.write("Links.md", f"[[{composed.removesuffix('.md')}]]\n")
    assert asked(vault, "Links.md")["out"][0]["path"] == decomposed
    for typed in (decomposed, composed):
        assert [one["path"] for one in asked(vault, typed)["back"]] == ["Links.md"]


def test_names_with_escapes_do_not_reach_the_terminal(vault: Folder) -> None:
    vault.write("evil\x1b[31m.md", "[[Home]] \x1b[2J\n")
    done = vault.run("links", "Home.md")
    assert done.code == 0 and "\x1b" not in done.out + done.err


def test_at_a_commit_the_links_of_that_commit(notes: Folder) -> None:
    before = notes.git("rev-parse", "HEAD")
    notes.commit("links")
    assert len(asked(notes, "projects/nova.md")["out"]) == 5
    found = asked(notes, "projects/nova.md", "--at", before)
    assert (found["out"], found["back"]) == ([], [])


def test_an_unsaved_correction_counts_at_once(notes: Folder) -> None:
    notes.write("notes/The plan.md", "no link any more\n")
    assert asked(notes, "projects/nova.md")["back"] == []


# -- all links that lead nowhere ---------------------------------------------------------------------------------


def test_015_unresolved_are_those_that_the_doctor_names(notes: Folder) -> None:
    notes.write("skills/old.md", "---\ntype: skill\nname: old\nversion: 1\ntrigger: x\nlast_updated: 2026-01-01\n"
                                 'replaces: "[[gone-skill]]"\n---\n[[away]]\n')  # fmt: skip
    notes.write("notes/folders.md", "[a folder](../people/) [[../out]]\n")
    done = notes.run("links", "--unresolved")
    doctor = notes.run("doctor", "--links")
    assert done.code == 0
    assert done.out == doctor.out != ""
    assert done.err == "4 links lead nowhere\n"
    listed = json.loads(notes.run("links", "--unresolved", "--json").out)
    assert [(one["path"], one["line"], one["target"]) for one in listed] == [
        ("notes/folders.md", 1, "../out"), ("projects/nova.md", 15, "Missing"), ("projects/nova.md", 15, "gone.png"),
        ("skills/old.md", 9, "away"),
    ]  # fmt: skip
