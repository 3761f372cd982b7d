"""What a round of consolidate proposes, once, and when it is due (promises P3, P11)."""

from __future__ import annotations

import json

from consolidating import DAYS
from consolidating import TEN
from consolidating import about
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import daily
from consolidating import data
from consolidating import head
from consolidating import rounds
from consolidating import sound
from consolidating import tick
from support import Folder

from vaultgit.passes.consolidate import proposals

TOKEN = "ghp" + "_" + "Zz9" * 12


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


def test_captures_that_are_not_in_git_are_counted_and_read_once_they_are(vault: Folder) -> None:
    for at, day in enumerate(DAYS):
        vault.write(f"daily/{day}.md", daily(day, ("21:10", (about("Norrland")[at],))))
    vault.write("daily/2026-11-03.md", daily("2026-11-03"))  # no capture in it
    before = head(vault)
    wait = "2 daily notes hold captures that are not in git yet: commit them first, then again\n"
    assert consolidate(vault).err == wait and consolidate(vault, "--dry-run").err == wait
    assert consolidate(vault, "--due").err == "" and head(vault) == before
    vault.write("daily/2026-11-04.md", daily("2026-11-04", ("21:10", ("context: “there was soup” (you)",))))
    vault.commit("nothing that lasts", "daily/2026-11-04.md")
    assert consolidate(vault).err == f"nothing recurs in the captures that is not there already; {wait}"
    vault.commit("all", "daily")
    assert consolidate(vault).out.startswith("proposed concepts/Norrland.md")
    vault.write("daily/2026-11-01.md", vault.read("daily/2026-11-01.md") + "\nMore of mine.\n")  # no new capture
    assert consolidate(vault).err == "no capture is new since the last suggestions\n"


def test_without_captures_there_is_nothing(vault: Folder) -> None:
    before = head(vault)
    assert consolidate(vault).err == "no daily note in git holds a capture\n"
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
