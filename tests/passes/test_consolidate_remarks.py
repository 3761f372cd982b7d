"""What cannot be done stays in review.md, with a line of ours below its boxes that goes when it is mended (promise P4)."""

from __future__ import annotations

import pytest
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import data
from consolidating import edits
from consolidating import head
from consolidating import line
from consolidating import sound
from consolidating import tick
from hypothesis import given
from hypothesis import strategies as st
from support import Folder

from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block
from vaultgit.passes.consolidate import proposals

TOKEN = "ghp" + "_" + "Zz9" * 12


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


# -- what is large -------------------------------------------------------------------------------------------------


def test_what_cannot_be_done_is_not_repeated_whole(vault: Folder) -> None:
    captured(vault, "Norrland", "Vestmark", "Ostholm")
    consolidate(vault)
    tick(vault, "Norrland", old="path: concepts/Norrland.md", new=f"path: concepts/{'a' * 50_000}.txt")
    tick(vault, "Vestmark", old="action: create", new=f"action: {'b' * 50_000}")
    tick(vault, "Ostholm", "reject", old="## Ostholm", new=f"## {'c' * 50_000}")
    told = consolidate(vault, "--apply", code=1)
    assert "a" * 100 in told.err and "b" * 100 in told.err and "rejected ccc" in told.out
    assert len(told.err) + len(told.out) < 3000 and "is neither create nor add" in told.err
    assert len(vault.git("log", "-3", "--format=%B")) < 3000 and len(vault.run("status").out) < 6000
    left = data(vault, "--apply", code=1)["left"]
    assert len(left) == 2 and all(len(one["reason"]) < 1000 for one in left)
