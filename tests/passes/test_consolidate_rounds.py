"""Rounds of consolidate: what is proposed once, what is decided once, what stays; killed at any step nothing is lost and
nothing is done twice (promises P2, P3, P4, P8, P11)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import Any

import pytest
from consolidating import LATER
from consolidating import TEN
from consolidating import about
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import daily
from consolidating import data
from consolidating import edits
from consolidating import rounds
from consolidating import sound
from consolidating import tick
from hypothesis import given
from hypothesis import strategies as st
from support import Folder

from vaultgit.edits import steps
from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block
from vaultgit.passes.consolidate import proposals

TOKEN = "ghp" + "_" + "Zz9" * 12


def status(vault: Folder) -> Any:
    return json.loads(vault.run("status", "--json").out)


def head(vault: Folder) -> str:
    return vault.git("rev-parse", "HEAD")


def line(vault: Folder, text: str) -> int:
    return vault.read("review.md").split("\n").index(text) + 1


# -- proposing ---------------------------------------------------------------------------------------------------


def test_a_round_proposes_and_writes_nothing_else(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    before = vault.snapshot()
    read_at = head(vault)
    done = data(vault)
    assert [one["path"] for one in done["proposed"]] == ["concepts/Norrland.md", "concepts/Vestmark.md"]
    assert vault.git("diff", "--name-only", "HEAD^") == "review.md"
    assert {path: text for path, text in vault.snapshot().items() if path != "review.md"} == before
    assert vault.git("log", "-1", "--format=%an|%s|%(trailers)") == "Test Person|vaultgit: 2 proposals in review.md|"
    assert f"Captures read up to {read_at}." in rounds(vault)[0].splitlines()
    one = blocks(vault)["Norrland"]
    assert dict(one.fields) == {
        "path": "concepts/Norrland.md", "type": "concept", "action": "create", "since": "2026-11-29",
        "seen": "[[2026-11-01#Automatic capture, 21:10]], [[2026-11-02#Automatic capture, 21:10]]",
        "why": "linked as Norrland, on 2 lines, in 2 notes",
    }  # fmt: skip
    assert [key for key, _ in one.fields] == ["path", "type", "action", "seen", "since", "why"]
    assert "type: concept\nname: Norrland\n" in (one.draft or "")
    sound(vault)


def test_again_there_is_nothing_and_no_commit(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    before = head(vault), vault.snapshot()
    done = consolidate(vault)
    assert (done.out, done.err) == ("", "no capture is new since the last suggestions\n")
    assert (head(vault), vault.snapshot()) == before


def test_without_captures_there_is_nothing(vault: Folder) -> None:
    before = head(vault)
    assert "no capture is new" in consolidate(vault).err
    assert head(vault) == before and not vault.exists("review.md")


def test_what_waits_is_not_proposed_again_when_more_is_captured(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    before = vault.read("review.md")
    captured(vault, "Norrland", "Vestmark", days=("2026-11-03", "2026-11-04"))
    assert [one["title"] for one in data(vault)["proposed"]] == ["Vestmark"]
    assert vault.read("review.md").startswith(before)


def test_what_has_a_note_gets_an_addition_and_only_of_what_it_does_not_say(vault: Folder) -> None:
    vault.write("concepts/norrland.md", "---\ntype: concept\nname: Norrland\nsources: []\n---\nA place.\n")
    vault.commit("mine")
    captured(vault, "Norrland")
    consolidate(vault)
    [one] = blocks(vault).values()
    assert proposals.field(one, "action") == "add" and proposals.field(one, "path") == "concepts/norrland.md"
    assert (one.draft or "").count("\n") == 2 and "---" not in (one.draft or "")
    tick(vault, one.title)
    consolidate(vault, "--apply")
    text = vault.read("concepts/norrland.md")
    assert text.startswith("---\ntype: concept\nname: Norrland\nsources: []\n---\nA place.\n\n- context: ")
    # Where nobody can tell what was read, lines that the note has are not added again.
    vault.git("update-ref", "-d", "refs/heads/old")
    vault.write("review.md", "")
    vault.commit("emptied", "review.md")
    tree = vault.git("rev-parse", "HEAD^{tree}")
    alone = vault.git("commit-tree", "-m", "squashed", tree)
    vault.git("reset", "-q", "--hard", alone)
    assert data(vault)["proposed"] == []


def test_a_person_known_by_an_alias_gets_no_second_note(vault: Folder) -> None:
    vault.write(
        "people/ada-lovelace.md", "---\ntype: person\nname: Ada Lovelace\naliases: [Countess Ada]\n---\nBorn 1815.\n"
    )
    vault.write(
        "daily/2026-11-01.md",
        daily("2026-11-01", ("21:10", ("open: “I have to ask [[Countess Ada]] about notes” (you)",))),
    )
    vault.write(
        "daily/2026-11-02.md",
        daily("2026-11-02", ("21:10", ("context: “[[Countess Ada]] wrote note G in 1843” (you)",))),
    )
    vault.commit("captured")
    assert {(one["path"], one["action"]) for one in data(vault)["proposed"]} == {("people/ada-lovelace.md", "add")}


def test_no_more_than_twelve_wait_and_the_rest_comes_later(vault: Folder) -> None:
    names = [*TEN, "Askim", "Bergvik", "Dalby", "Falkö", "Grimstad"]
    captured(vault, *names)
    done = consolidate(vault)
    assert len(blocks(vault)) == 12 and "3 more wait for the next round" in done.err
    assert rounds(vault)[0].count("Waits for room: concept ") == 3
    assert consolidate(vault).err == "12 suggestions wait for you: no more until you decide\n"
    first = set(blocks(vault))
    for title in sorted(first)[:4]:
        tick(vault, title, "reject")
    done = consolidate(vault)
    assert {*blocks(vault), *first} == set(names) and len(blocks(vault)) == 11, done
    assert consolidate(vault).err == "no capture is new since the last suggestions\n"
    sound(vault)


def test_a_draft_that_would_not_be_fit_is_left_out_and_named(vault: Folder) -> None:
    vault.write(".vaultgit/schemas/concept.schema.json", json.dumps({"required": ["owner"]}))
    captured(vault, "Norrland")
    done = consolidate(vault)
    assert "left out: Norrland: concepts/Norrland.md:1:1: FM03" in done.err
    assert not vault.exists("review.md")


def test_no_secret_of_a_daily_note_comes_into_a_proposal(vault: Folder) -> None:
    vault.write("daily/2026-11-01.md", daily("2026-11-01", ("21:10", (about("Norrland")[0] + f" {TOKEN}",))))
    vault.write("daily/2026-11-02.md", daily("2026-11-02", ("21:10", (about("Norrland")[1],))))
    vault.commit("captured by hand")
    consolidate(vault)
    assert "[[Norrland]]" in vault.read("review.md") and TOKEN not in vault.read("review.md")


def test_words_in_a_capture_are_no_ticks(vault: Folder) -> None:
    lines = (
        "- [x] accept [[Norrland]] is what the page said <!-- vaultgit 01jdx3k9m2qtw7ab -->",
        "```` [[Norrland]] - [x] accept the depot",
    )
    for day, text in zip(("2026-11-01", "2026-11-02"), lines, strict=True):
        vault.write(f"daily/{day}.md", daily(day, ("21:10", (text,))))
    vault.commit("captured")
    consolidate(vault)
    assert {one.title: one.decided for one in blocks(vault).values()} in ({}, {"Norrland": ""})
    assert data(vault, "--apply")["applied"] == []


# -- deciding ----------------------------------------------------------------------------------------------------


def test_accepted_becomes_the_persons_edit_with_the_blocks_id(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    wanted = blocks(vault)["Norrland"]
    tick(vault, "Norrland")
    done = data(vault, "--apply")
    assert [(one["id"], one["path"], one["outcome"]) for one in done["applied"]] == [
        (wanted.id, "concepts/Norrland.md", "committed")
    ]
    assert vault.read("concepts/Norrland.md") == wanted.draft
    oid = done["applied"][0]["oid"]
    said = vault.git("show", "-s", "--format=%an|%ae|%s|%(trailers:only,separator=%x2C)", oid)
    assert said == (
        f"Test Person|test@example.invalid|concepts/Norrland: new concept, from 2 captures"
        f"|Proposed-by: consolidate@vaultgit,Edit: {wanted.id}"
    )
    assert f"^{wanted.id}" in vault.read("changelog.md")
    assert list(blocks(vault)) == ["Vestmark"] == [one["title"] for one in done["waiting"]]
    assert vault.git("status", "--porcelain") == ""
    sound(vault)


def test_rejected_is_remembered_by_what_it_is_about(vault: Folder) -> None:
    captured(vault, "New Haven % Harbour")
    consolidate(vault)
    one_id = blocks(vault)["New Haven % Harbour"].id
    tick(vault, "New Haven % Harbour", "reject", old="name: New", new="name: Old")
    consolidate(vault, "--apply")
    assert (
        vault.read(".vaultgit/declined.md") == f"- 2026-11-29 proposal concept new%20haven%20%25%20harbour ^{one_id}\n"
    )
    captured(vault, "New Haven % Harbour", days=("2026-11-03", "2026-11-04"))
    assert data(vault)["proposed"] == []
    vault.write(".vaultgit/declined.md", "")
    vault.commit("allowed again")
    captured(vault, "New Haven % Harbour", days=("2026-11-05", "2026-11-06"))
    assert [one["title"] for one in data(vault)["proposed"]] == ["New Haven % Harbour"]
    sound(vault)


def test_what_review_declines_is_not_touched_by_our_lines(vault: Folder) -> None:
    from reviewing import opened

    from vaultgit.passes import review

    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "Norrland", "reject")
    consolidate(vault, "--apply")
    with opened(vault) as found:
        assert not any(key.startswith(("molt ", "dream ")) for key in review.declined(found))
        assert proposals.declined(found) == {("concept", "norrland")}


def test_a_note_that_is_there_by_then_and_says_the_same(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "Norrland")
    vault.write("concepts/Norrland.md", "\ufeff" + (blocks(vault)["Norrland"].draft or "").replace("\n", "\r\n"))
    vault.commit("by hand", "concepts")
    before = vault.bytes("concepts/Norrland.md")
    assert [one["outcome"] for one in data(vault, "--apply")["applied"]] == ["unchanged"]
    assert vault.bytes("concepts/Norrland.md") == before and blocks(vault) == {} and edits(vault) == []


def test_a_note_that_is_there_by_then_keeps_all_and_gets_the_drafts_body(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    mine = (
        "---\r\ntype: concept\r\nname: The North\r\nsources: []\r\nmine: yes\r\n---\r\n# Norrland\r\n\r\nA place.\r\n"
    )
    vault.write("concepts/Norrland.md", mine)
    vault.commit("by hand", "concepts")
    vault.write("concepts/Norrland.md", mine + "not in git yet\r\n")
    tick(vault, "Norrland")
    assert [one["outcome"] for one in data(vault, "--apply")["applied"]] == ["committed"]
    now = vault.bytes("concepts/Norrland.md").decode()
    assert now.startswith(mine + "not in git yet\r\n\r\n- context: “the depot")
    assert now.count("# Norrland") == 1 and now.count("---") == 2 and now.count("\n") == now.count("\r\n")
    assert "not in git yet" not in vault.git("show", "HEAD:concepts/Norrland.md")
    sound(vault)


@pytest.mark.parametrize("there", ["# Norrland\n\nmine, no type\n", "---\ntype: person\n---\nmine\n"])
def test_p4_a_note_it_cannot_be_merged_with_sends_it_whole_to_the_inbox(vault: Folder, there: str) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    draft = blocks(vault)["Norrland"].draft or ""
    vault.write("concepts/Norrland.md", there)
    tick(vault, "Norrland")
    done = consolidate(vault, "--apply")
    assert done.out.startswith("inbox ") and "concepts/Norrland.md: a note of your own is there" in done.err
    [path] = vault.git("ls-tree", "-r", "--name-only", "HEAD", "inbox").splitlines()
    assert draft in vault.read(path) and vault.read("concepts/Norrland.md") == there
    assert blocks(vault) == {} and vault.git("log", "-1", "--format=%an", "--", path) == "Test Person"
    assert vault.run("inbox", "accept", "1", "--whole").code == 0
    assert vault.read("concepts/Norrland.md") == draft
    sound(vault)


def test_an_empty_file_that_obsidian_made_becomes_the_note(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    vault.write("concepts/Norrland.md", "\n")
    tick(vault, "Norrland")
    draft = blocks(vault)["Norrland"].draft
    consolidate(vault, "--apply")
    assert vault.read("concepts/Norrland.md") == draft


def test_an_addition_to_a_note_that_is_gone_stays(vault: Folder) -> None:
    vault.write("concepts/norrland.md", "---\ntype: concept\nname: Norrland\nsources: []\n---\nA place.\n")
    vault.commit("mine")
    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "norrland")
    vault.git("mv", "concepts/norrland.md", "concepts/north.md")
    vault.commit("moved")
    before = vault.read("review.md")
    done = consolidate(vault, "--apply", code=1)
    assert "concepts/norrland.md is not there any more: mend `path`" in done.err
    assert vault.read("review.md").startswith(before)
    vault.write("review.md", vault.read("review.md").replace("path: concepts/norrland.md", "path: concepts/north.md"))
    consolidate(vault, "--apply")
    assert "A place.\n\n- context: " in vault.read("concepts/north.md") and "not done" not in vault.read("review.md")


BAD = {
    "schema": ("type: concept\nname: Norrland\n", "type: concept\nname: [a]\n", "FM03"),
    "yaml": ("name: Norrland\n", "name: Norrland\nname: twice\n", "FM02"),
    "type": (
        "type: concept\nname",
        "type: place\nname",
        "in concepts a note needs `type: concept`, and the draft says `type: place`: change it there, too",
    ),
    "no type": ("type: concept\nname", "name", "and the draft has no `type`: change it there, too"),
    "markers": ("\n# Norrland\n", "\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", "MK01"),
    "secret": ("\n# Norrland\n", f"\n# Norrland\n\ntoken = {TOKEN}\n", "SE01"),
    "protected": ("path: concepts/Norrland.md", "path: AGENTS.md", "PA01"),
    "hidden": ("path: concepts/Norrland.md", "path: .obsidian/x.md", "PA01"),
    "outside": ("path: concepts/Norrland.md", "path: ../x.md", "PA02"),
    "git": ("path: concepts/Norrland.md", "path: .git/x.md", "PA01"),
    "no note": ("path: concepts/Norrland.md", "path: concepts/Norrland.sh", "it ends in .md"),
    "no path": ("- path: concepts/Norrland.md\n", "", "`path` is gone"),
    "no action": ("action: create", "action: destroy", "neither create nor add"),
    "link": ("daily/2026-11-01]]", "daily/1999-01-01]]", "LN01"),
    "name": ("path: concepts/Norrland.md", "path: concepts/con.md", "NA01"),
}


@pytest.mark.parametrize("what", BAD)
def test_p4_a_draft_that_does_not_pass_stays_with_a_sentence_and_takes_no_other_along(vault: Folder, what: str) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    old, new, said = BAD[what]
    tick(vault, "Norrland", old=old, new=new)
    tick(vault, "Vestmark")
    one = blocks(vault)["Norrland"]
    text = vault.read("review.md")[one.start : one.end]
    done = consolidate(vault, "--apply", code=1)
    there = blocks(vault)["Norrland"]
    at = line(vault, "- [x] accept")
    assert f"review.md:{at}: Norrland: " in done.err and said in done.err, done.err
    assert vault.read("review.md")[there.start : there.end] == text, "to the byte"
    assert vault.exists("concepts/Vestmark.md")
    assert not vault.exists("concepts/Norrland.md") and not vault.exists("concepts/Norrland.sh")
    assert TOKEN not in vault.git("log", "-p", "--all"), "not by our commit"
    if what == "secret":
        assert "take it out, then run this again" in done.err
        assert set(blocks(vault)) == {"Norrland", "Vestmark"}, "no commit of ours takes the file along"
    else:
        assert set(blocks(vault)) == {"Norrland"}
        assert said in vault.read("review.md")[there.end :].split("\n")[0]
        assert any("Norrland: " in words for words in vault.run("status").out.splitlines() if "review.md:" in words)
    again = data(vault, "--apply", code=1)
    assert again["applied"] == []
    [left] = [one for one in again["left"] if one["title"] == "Norrland"]
    assert said in left["reason"] and left["line"] == at
    sound(vault)


def test_a_line_of_ours_goes_when_it_is_done_and_no_other_byte(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    vault.write(
        "review.md", vault.read("review.md").replace("- [ ] reject\n", "- [ ] reject\n  \nmine\n> a quote\n", 1)
    )
    vault.commit("mine", "review.md")
    before = vault.read("review.md")
    for word in ("accept", "reject"):
        for title in ("Norrland", "Vestmark"):
            tick(vault, title, word)
    ticked = vault.read("review.md")
    consolidate(vault, "--apply")
    remark = "> not done: both boxes are ticked: untick one\n"
    assert vault.read("review.md") == ticked.replace("- [x] reject\n", "- [x] reject\n" + remark)
    once = head(vault)
    consolidate(vault, "--apply")
    assert head(vault) == once, "what is told already is no commit"
    vault.write("review.md", vault.read("review.md").replace("[x]", "[ ]"))
    consolidate(vault, "--apply")
    assert vault.read("review.md") == before


def test_another_type_in_the_list_and_not_in_the_draft_names_the_draft(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    tick(
        vault,
        "Norrland",
        old="- path: concepts/Norrland.md\n- type: concept",
        new="- path: people/Norrland.md\n- type: person",
    )
    said = consolidate(vault, "--apply", code=1).err
    assert "in people a note needs `type: person`, and the draft says `type: concept`: change it there, too" in said


def test_a_line_of_ours_stands_below_the_last_box_and_goes_with_its_block(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    before = vault.read("review.md")
    vault.write("review.md", before.replace("- [ ] reject\n", "- [x] reject   (already have it)\n", 1))
    typed = vault.read("review.md")
    consolidate(vault, "--apply")
    remark = "> not done: `- [x] reject (already have it)` says more than reject: put the words on a line below\n"
    box = "- [x] reject   (already have it)\n"
    assert vault.read("review.md") == typed.replace(box, box + remark), "the blank line below stays, too"
    # The person mends the line above ours, then below it, as an editor may have it.
    for mended in (f"- [x] reject\n{remark}already have it\n", f"{remark}- [x] reject\nalready have it\n"):
        vault.write("review.md", typed.replace(box, mended))
        vault.commit("mended", "review.md")
        assert consolidate(vault, "--apply").out == "rejected Norrland\n"
        text = vault.read("review.md")
        assert "not done" not in text and "\nalready have it\n" in text and set(blocks(vault)) == {"Vestmark"}
        vault.write(".vaultgit/declined.md", "")


def test_a_line_of_ours_never_outlives_its_block_and_a_persons_own_does(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    for word in ("accept", "reject"):
        tick(vault, "Norrland", word)
    consolidate(vault, "--apply")
    one, text = blocks(vault)["Norrland"], vault.read("review.md")
    assert text[one.end :].startswith("> not done: both boxes")
    mine = "> not done: call the plumber\n"
    vault.write("review.md", text[: one.start] + mine + text[one.end :])
    consolidate(vault, "--apply")
    assert vault.read("review.md").count("> not done: ") == 1 and f"\n{mine}" in vault.read("review.md")
    assert set(blocks(vault)) == {"Vestmark"}
    once = head(vault)
    consolidate(vault, "--apply")
    assert head(vault) == once


def test_a_block_without_boxes_is_told_and_how_to_mend_it(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    before = vault.read("review.md")
    boxes = "- [ ] accept\n- [ ] reject\n"
    vault.write("review.md", before.replace(boxes, ""))
    at = line(vault, f"<!-- vaultgit {blocks(vault)['Norrland'].id} -->")
    said = f"review.md:{at}: Norrland: has no boxes any more: put - [ ] accept and - [ ] reject below its text"
    assert said in vault.run("status").out
    for command in (("consolidate",), ("review", "apply")):
        done = vault.run(*command)
        assert said in done.err and done.code == 0, done
    assert "> not done: has no boxes any more" in vault.read("review.md")
    vault.write("review.md", vault.read("review.md") + boxes.replace("[ ] accept", "[x] accept"))
    assert consolidate(vault, "--apply").out.startswith("accepted concepts/Norrland.md ")
    assert "not done" not in vault.read("review.md")


def test_what_is_ticked_below_an_open_fence_cannot_be_done(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    text = vault.read("review.md").replace("\n````\n", "\n").replace("\n`````\n", "\n")
    vault.write("review.md", text)
    assert "nothing closes" in consolidate(vault, "--apply").err
    vault.write("review.md", text.replace("- [ ] accept", "- [x] accept"))
    for command in (("consolidate",), ("consolidate", "--apply"), ("review", "apply")):
        done = vault.run(*command)
        assert done.code == 1 and "nothing closes" in done.err, done
    assert "not done" not in vault.read("review.md"), "it would be in the draft"


def test_what_looks_like_a_tick_is_told_wherever_it_stands_at_the_boxes(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark", "Ostholm")
    consolidate(vault)
    tick(vault, "Norrland", box="-[x]")
    tick(vault, "Vestmark", "reject", box="-[x]")
    one, text = blocks(vault)["Ostholm"], vault.read("review.md")
    vault.write("review.md", text[: one.end] + "-[x] accept\n" + text[one.end :])
    shown = vault.run("status").out
    done = vault.run("review", "apply")
    assert done.code == 0 and done.err.count("is no tick: write - [x] in front of the word") == 3
    assert shown.count("is no tick: write - [x] in front of the word") == 3
    assert edits(vault) == [] and len(blocks(vault)) == 3


def test_a_block_that_a_person_removed_comes_back_only_when_a_capture_mentions_it_again(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    one, text = blocks(vault)["Norrland"], vault.read("review.md")
    vault.write("review.md", text[: one.start] + text[one.end :])
    assert data(vault)["proposed"] == [] and set(blocks(vault)) == {"Vestmark"}
    captured(vault, "Ostholm", days=("2026-11-03", "2026-11-04"))
    assert [one["title"] for one in data(vault)["proposed"]] == ["Ostholm"]
    captured(vault, "Norrland", days=("2026-11-05", "2026-11-06"))
    assert [one["title"] for one in data(vault)["proposed"]] == ["Norrland"]


# -- a file that a person deletes ----------------------------------------------------------------------------------


def test_p3_a_review_file_that_a_person_deleted_is_made_anew(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    (vault.root / "review.md").unlink()
    before = head(vault)
    consolidate(vault)
    assert head(vault) == before and not vault.exists("review.md"), "nothing is new"
    captured(vault, "Ostholm", days=("2026-11-03", "2026-11-04"))
    assert "not in git yet" in consolidate(vault, env={"CLAUDECODE": "1"}).err and not vault.exists("review.md")
    read_at = head(vault)
    done = consolidate(vault)
    assert done.out.startswith("proposed concepts/Ostholm.md") and "1 suggestion in review.md" in done.err
    assert set(blocks(vault)) == {"Ostholm"} and vault.read("review.md").startswith("# Review\n")
    log = vault.git("log", "-2", "--format=%an|%s|%(trailers)", "--name-status").splitlines()
    assert [words for words in log if words] == [
        "Test Person|vaultgit: 1 proposal in review.md|", "A\treview.md", "Test Person|own: as it was|", "D\treview.md"
    ]  # fmt: skip
    assert f"Captures read up to {read_at}." in rounds(vault)[0].splitlines()
    assert vault.git("status", "--porcelain") == "" and not vault.exists("inbox")
    assert vault.run("check", "--all").code == 0
    sound(vault)


def test_p3_with_declined_md_deleted_too_what_is_rejected_is_remembered(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    tick(vault, "Norrland", "reject")
    consolidate(vault, "--apply")
    (vault.root / ".vaultgit/declined.md").unlink()
    tick(vault, "Vestmark", "reject")
    assert consolidate(vault, "--apply").out == "rejected Vestmark\n"
    assert vault.read(".vaultgit/declined.md").count("\n") == 1 and blocks(vault) == {}
    assert vault.git("status", "--porcelain") == ""


def test_actions_of_review_branches_come_into_a_file_made_anew(vault: Folder) -> None:
    from reviewing import dreamt

    dreamt(vault)
    vault.run("review", "list")
    assert len(blocks(vault)) == 3
    (vault.root / "review.md").unlink()
    done = vault.run("review", "list")
    assert "review.md has them as boxes to tick, committed as yours" in done.err, done
    assert len(blocks(vault)) == 3 and vault.git("status", "--porcelain") == "" and not vault.exists("inbox")
    assert vault.git("show", "--format=", "--name-status", "HEAD^") == "D\treview.md"


def test_a_staged_deletion_is_the_persons_to_commit(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    vault.git("rm", "-q", "review.md")
    vault.write("daily/2026-11-03.md", daily("2026-11-03", ("21:10", about("Ostholm"))))
    vault.git("add", "daily")
    vault.git("commit", "-q", "--no-verify", "-m", "captured", "--", "daily")
    assert "is staged, and not committed: git commit review.md" in consolidate(vault).err
    assert vault.git("status", "--porcelain") == "D  review.md"
    vault.git("commit", "-q", "--no-verify", "-m", "mine", "--", "review.md")
    assert data(vault)["proposed"] != [] and set(blocks(vault)) == {"Ostholm"}


def test_p2_what_could_not_come_into_the_file_is_proposed_again(vault: Folder) -> None:
    """Queued behind another git, and then the person deletes what it was made for: the inbox note is one that checks
    pass, and the captures are not done with."""
    captured(vault, "Norrland")
    consolidate(vault)
    captured(vault, "Ostholm", days=("2026-11-03", "2026-11-04"))
    lock = vault.write(".git/index.lock", "")
    consolidate(vault, code=75)
    lock.unlink()
    (vault.root / "review.md").unlink()
    vault.run("status")
    [note] = json.loads(vault.run("inbox", "list", "--json").out)
    assert note["target"] == "review" and "action: write\n" in vault.read(note["path"])
    assert vault.run("check", "--all").code == 0
    vault.git("rm", "-q", note["path"])
    vault.git("commit", "-q", "--no-verify", "-m", "rejected", "--", note["path"])
    assert [one["title"] for one in data(vault)["proposed"]] == ["Ostholm"]
    assert set(blocks(vault)) == {"Ostholm"}
    assert data(vault)["proposed"] == []
    sound(vault)


def test_a_decision_that_needs_its_project_is_done_after_it(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    text = vault.read("review.md")
    decision = '---\ntype: decision\ndate: 2026-11-01\nproject: "[[projects/apollo]]"\n---\nCents.\n'
    project = "---\ntype: project\nname: apollo\nstatus: active\n---\n"
    made = [
        Block(f"01jdx3k9m2qtw7a{tail}", name, (("path", path), ("type", kind), ("action", "create")), draft, "accept")
        for tail, name, path, kind, draft in (
            ("b", "Cents", "decisions/cents.md", "decision", decision),
            ("c", "apollo", "projects/apollo.md", "project", project),
        )
    ]
    vault.write("review.md", reviewfile.put(text, made))
    assert [one["path"] for one in data(vault, "--apply")["applied"]] == ["projects/apollo.md", "decisions/cents.md"]
    assert "[[decisions/cents]]" in vault.read("projects/apollo.md")
    assert list(blocks(vault)) == ["Norrland"]
    sound(vault)


def test_a_block_that_stands_twice_is_done_by_neither(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault)
    tick(vault, "Norrland")
    one = blocks(vault)["Norrland"]
    text = vault.read("review.md")
    vault.write("review.md", text + "\n" + text[one.start : one.end].replace("# Norrland", "# Elsewhere"))
    done = consolidate(vault, "--apply")
    assert done.err.count("stands here twice: delete one of the two") == 1 and done.out == ""
    assert not vault.exists("concepts/Norrland.md")


def test_an_agents_tick_does_not_count_nor_becomes_a_persons(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    tick(vault, "Norrland")
    vault.git("commit", "-qam", "ticked", "--no-verify", "-m", "Agent: codex\nEdit: 0123456789abcdef")
    at = line(vault, "- [x] accept")
    done = consolidate(vault, "--apply")
    assert done.err == (f"review.md:{at}: Norrland: ticked by an agent's commit: it does not count\n")
    assert not vault.exists("concepts/Norrland.md")
    # An agent's run commits nothing that lies in the file as if a person had written it, and decides nothing.
    tick(vault, "Vestmark")
    captured(vault, "Ostholm", days=("2026-11-03", "2026-11-04"))
    before = head(vault), vault.snapshot()
    done = consolidate(vault, env={"CLAUDECODE": "1"})
    assert "review.md has text of a person's that is not in git yet" in done.err
    assert (head(vault), vault.snapshot()) == before
    assert "for a person to decide" in consolidate(vault, "--apply", code=1, env={"VAULTGIT_AGENT": "codex"}).err
    vault.git("checkout", "-q", "review.md")
    assert [one["title"] for one in data(vault, env={"CLAUDECODE": "1"})["proposed"]] == ["Ostholm"]
    assert vault.git("log", "-1", "--format=%an|%(trailers)") == "Test Person|"


def test_blocks_of_review_branches_are_not_ours(vault: Folder) -> None:
    from reviewing import dreamt

    dreamt(vault)
    vault.run("review", "list")
    captured(vault, "Norrland")
    consolidate(vault)
    listed = vault.run("review", "list")
    assert "proposals: 1 in review.md" in listed.out and "dream/2026-11-29  3 suggestions" in listed.out
    of_branch = [title for title, one in blocks(vault).items() if title != "Norrland"]
    assert len(of_branch) == 3
    tick(vault, of_branch[0])
    before = vault.read("review.md")
    consolidate(vault, "--apply")
    assert vault.read("review.md") == before
    tick(vault, "Norrland")
    done = vault.run("review", "apply")
    assert (
        done.code == 0
        and done.out.splitlines()[0].startswith("accepted skills/")
        and "accepted concepts/Norrland.md" in done.out
    )
    assert len(blocks(vault)) == 2 and vault.exists("concepts/Norrland.md")
    sound(vault)


def test_p3_what_a_person_has_staged_stays_and_is_named(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    tick(vault, "Norrland")
    vault.git("add", "review.md")
    tick(vault, "Vestmark", "reject")
    before = vault.read("review.md"), vault.git("rev-parse", ":review.md")
    for _ in range(2):
        done = consolidate(vault, "--apply", code=1)
        assert "review.md:1: review.md: is staged, and not committed: git commit review.md" in done.err
        assert (vault.read("review.md"), vault.git("rev-parse", ":review.md")) == before
        assert len(edits(vault)) == 1 and not vault.exists("inbox")
    vault.git("commit", "-qm", "mine", "--no-verify", "review.md")
    assert consolidate(vault, "--apply").out == "rejected Vestmark\n"
    assert blocks(vault) == {} and len(edits(vault)) == 1
    sound(vault)


def test_a_line_taken_out_of_declined_md_is_no_conflict(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark")
    consolidate(vault)
    tick(vault, "Norrland", "reject")
    consolidate(vault, "--apply")
    vault.write(".vaultgit/declined.md", "")
    tick(vault, "Vestmark", "reject")
    consolidate(vault, "--apply")
    assert vault.read(".vaultgit/declined.md").count("\n") == 1 and "vestmark" in vault.read(".vaultgit/declined.md")
    assert blocks(vault) == {} and vault.git("status", "--porcelain") == ""


def test_in_a_vault_inside_a_larger_repository(vault: Folder) -> None:
    """Paths of git and of the vault are not the same there."""
    outer = Folder(vault.root.parent / "outer")
    outer.write("code.py", "x = 1\n")
    inside = Folder(outer.root / "notes")
    for path, text in vault.snapshot().items():
        inside.write(path, text)
    outer.git("init", "-q")
    outer.commit("all")
    captured(inside, "Norrland", "Vestmark")
    consolidate(inside)
    assert outer.git("diff", "--name-only", "HEAD^") == "notes/review.md"
    tick(inside, "Norrland")
    tick(inside, "Vestmark", "reject")
    consolidate(inside)
    assert inside.exists("concepts/Norrland.md") and blocks(inside) == {}
    assert outer.git("status", "--porcelain") == ""
    captured(inside, "Vestmark", days=("2026-11-03", "2026-11-04"))
    assert "nothing recurs in the captures that is not there already" in consolidate(inside).err


# -- when --------------------------------------------------------------------------------------------------------


def at_day(day: int, hour: int = 9) -> dict[str, str]:
    return {"VAULTGIT_NOW": f"2026-12-{day:02}T{hour:02}:00:00+01:00"}


def test_due_is_silent_before_the_days_are_over_but_for_ticks(vault: Folder) -> None:
    captured(vault, "Norrland")
    assert consolidate(vault, "--due", env=at_day(1)).out.startswith("proposed ")
    captured(vault, "Vestmark", days=("2026-11-03", "2026-11-04"))
    for env in (at_day(1), at_day(2), at_day(4, 8)):
        assert consolidate(vault, "--due", env=env)[1:] == ("", "")
    tick(vault, "Norrland")
    done = consolidate(vault, "--due", env=at_day(2))
    assert done.out.startswith("accepted concepts/Norrland.md") and "Vestmark" not in done.out + done.err
    assert consolidate(vault, "--due", env=at_day(4)).out.startswith("proposed concepts/Vestmark.md")


def test_due_waits_after_a_run_that_found_nothing_too(vault: Folder) -> None:
    assert consolidate(vault, "--due", env=at_day(1))[1:] == ("", "")
    captured(vault, "Norrland")
    assert consolidate(vault, "--due", env=at_day(3))[1:] == ("", "")
    assert consolidate(vault, "--due", env=at_day(4)).out.startswith("proposed ")


def test_due_says_once_what_cannot_be_done(vault: Folder) -> None:
    captured(vault, "Norrland")
    consolidate(vault, env=at_day(1))
    tick(vault, "Norrland", old="action: create", new="action: no")
    assert "neither create nor add" in consolidate(vault, "--due", env=at_day(2)).err
    assert consolidate(vault, "--due", env=at_day(2, 10))[1:] == ("", "")


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
    done = subprocess.run([sys.executable, "-P", "-c", KILLER, step, str(time), *args], cwd=vault.root, capture_output=True,
                          env={**os.environ, "VAULTGIT_NOW": LATER}, check=False)  # fmt: skip
    assert done.returncode in (0, -signal.SIGKILL), done
    return done.returncode != 0


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


# -- lines of ours in a file that is a person's --------------------------------------------------------------------

PARTS = st.lists(
    st.sampled_from(["mine\n", "\n", "> a quote\n", "- [x] buy milk\n", "BLOCK", "## Mine\n", "  \n", "BOTH"]),
    max_size=8,
)
REASONS = st.sampled_from(["", "both boxes are ticked", "FM03 `x` <!-- y", "a\nb"])


def composed(parts: list[str]) -> str:
    text = ""
    for number, part in enumerate(parts):
        one = Block(f"01jdx3k9m2qtw7a{number}", f"N{number}", (("path", "x.md"),), "text\n")
        word = reviewfile.render(one)
        text += word if part == "BLOCK" else word.replace("[ ]", "[x]") if part == "BOTH" else part
    return text


@given(PARTS, REASONS, REASONS, st.booleans())
def test_our_lines_come_and_go_and_leave_every_other_line(parts: list[str], one: str, other: str, crlf: bool) -> None:
    text = composed(parts).replace("\n", "\r\n" if crlf else "\n")
    ids = [block.id for block in proposals.of(text)]
    said = proposals.remarked(text, dict.fromkeys(ids, one))
    assert [block._replace(start=0, end=0, line=0, tick_line=0, slips=()) for block in proposals.of(said)] == [
        block._replace(start=0, end=0, line=0, tick_line=0, slips=()) for block in proposals.of(text)
    ]
    assert len(proposals.remarks(said)) == (len(ids) if one else 0)
    assert proposals.remarked(said, dict.fromkeys(ids, one)) == said
    assert proposals.remarked(proposals.remarked(said, dict.fromkeys(ids, other)), {}) == text
