"""Uses of skills: what session notes say, exact for any commit."""

from __future__ import annotations

import pytest
from past import Did
from past import Past
from past import go_on
from past import session
from past import skill

from vaultgit.recall import uses
from vaultgit.recall.uses import Use

KNIT, SEW = "skills/knit.md", "skills/deep/sew.md"
SKILLS = {KNIT: skill("knit", more="aliases: [socks, Old Way]\n"), SEW: skill("sew")}


def test_the_last_use_and_all_sessions_are_told(past: Past) -> None:
    notes = {
        "sessions/2026-03-01-a.md": session("2026-03-01", "knit"),
        "sessions/2026-05-01-b.md": session("2026-05-01", "knit", "sew"),
        "sessions/2026-06-01-c.md": session("2026-06-01"),
    }
    vault = past([Did("2026-07-01", {**SKILLS, **notes})])
    found = uses.at(vault, "HEAD")
    assert found.of(KNIT) == Use("2026-05-01", 2, ("sessions/2026-05-01-b.md", "sessions/2026-03-01-a.md"))
    assert found.of(SEW) == Use("2026-05-01", 1, ("sessions/2026-05-01-b.md",))
    assert found.first == "2026-03-01"
    assert [(one.day, one.skills) for one in found.recorded] == [
        ("2026-05-01", (KNIT, SEW)),
        ("2026-03-01", (KNIT,)),
    ]


@pytest.mark.parametrize(
    "link",
    [
        "knit",
        "Knit",
        "skills/knit",
        "skills/knit.md",
        "skills/knit|how to knit",
        "knit#Steps",
        "../skills/knit",
        "socks",
        "skills/socks",
        "old way",
    ],
)
def test_a_link_means_what_obsidian_opens_and_an_alias_counts(past: Past, link: str) -> None:
    vault = past([Did("2026-07-01", {**SKILLS, "sessions/2026-03-01-a.md": session("2026-03-01", link)})])
    assert uses.at(vault, "HEAD").of(KNIT).count == 1


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ('skills: "[[knit]]"', 1),
        ("skills: [[knit]]", 1),
        ('skills:\n  - "[[knit]]"\n  - "[[socks]]"', 1),  # both are the same skill: one use a session
        ('skills: ["[knit](../skills/knit.md)"]', 0),  # markdown style is no link in a property
        ("skills: [knit]", 0),
        ('skills: ["[[knit]] and [[sew]]"]', 0),  # a property holds one link
        ("skills: []", 0),
        ("skills:", 0),
        ("skills: {a: b}", 0),
        ("skills: [1, [2]]", 0),
    ],
)
def test_what_a_property_may_hold(past: Past, line: str, count: int) -> None:
    note = session("2026-03-01").replace("touched: []\n", f"touched: []\n{line}\n")
    vault = past([Did("2026-07-01", {**SKILLS, "sessions/2026-03-01-a.md": note})])
    assert uses.at(vault, "HEAD").of(KNIT).count == count


def test_a_skill_is_meant_before_another_note_of_that_name(past: Past) -> None:
    notes = {"sessions/sew.md": "my sewing\n", "sessions/2026-03-01-a.md": session("2026-03-01", "sew")}
    vault = past([Did("2026-07-01", {**SKILLS, **notes})])
    assert uses.at(vault, "HEAD").of(SEW).count == 1


def test_of_two_skills_of_a_name_the_one_that_obsidian_opens_was_used(past: Past) -> None:
    notes = {"skills/sew.md": skill("sew"), "sessions/2026-03-01-a.md": session("2026-03-01", "sew")}
    found = uses.at(past([Did("2026-07-01", {**SKILLS, **notes})]), "HEAD")
    assert found.by_path.keys() == {"skills/sew.md"}


def test_a_name_that_is_there_is_not_an_alias_of_another(past: Past) -> None:
    both = {**SKILLS, "skills/socks.md": skill("socks"), "sessions/2026-03-01-a.md": session("2026-03-01", "socks")}
    found = uses.at(past([Did("2026-07-01", both)]), "HEAD")
    assert found.by_path.keys() == {"skills/socks.md"}


def test_a_use_of_a_skill_that_is_gone_is_still_on_record(past: Past) -> None:
    vault = past([Did("2026-07-01", {"sessions/2026-03-01-a.md": session("2026-03-01", "weave")})])
    found = uses.at(vault, "HEAD")
    assert found.by_path == {} and found.first == "2026-03-01"
    assert [one.skills for one in found.recorded] == [()]


def test_a_broken_skill_is_used_all_the_same(past: Past) -> None:
    notes = {KNIT: "---\ntype: skill\nname: [\n---\n", "sessions/2026-03-01-a.md": session("2026-03-01", "knit")}
    assert uses.at(past([Did("2026-07-01", notes)]), "HEAD").of(KNIT).count == 1


def test_only_session_notes_say_what_was_used(past: Past) -> None:
    note = session("2026-03-01", "knit")
    notes = {
        "sessions/2026-03-01-a.md": note.replace("type: session", "type: note"),
        "notes/2026-03-01-b.md": note,
        "skills/c.md": note,
    }
    found = uses.at(past([Did("2026-07-01", {**SKILLS, **notes})]), "HEAD")
    assert found == uses.Uses({}, "", [])


def test_the_day_is_the_notes_else_its_names(past: Past) -> None:
    notes = {
        "sessions/2026-03-01-a.md": session("some day", "knit"),
        "sessions/b.md": session("2026-02-30", "sew"),
        "sessions/2026-01-05-c.md": session("2026-01-04", "knit"),
    }
    found = uses.at(past([Did("2026-07-01", {**SKILLS, **notes})]), "HEAD")
    assert found.of(KNIT).last == "2026-03-01" and found.first == "2026-01-04"
    assert found.of(SEW) == Use("", 1, ("sessions/b.md",))


def test_p7_it_is_exact_for_any_commit(past: Past) -> None:
    vault = past([Did("2026-03-01", {**SKILLS, "sessions/2026-03-01-a.md": session("2026-03-01", "knit")})])
    first = vault.repo.resolve("HEAD")
    assert first is not None
    go_on(vault, [Did("2026-04-01", {"sessions/2026-04-01-b.md": session("2026-04-01", "knit")})])
    assert uses.at(vault, first).of(KNIT).last == "2026-03-01"
    assert uses.at(vault, "HEAD").of(KNIT).last == "2026-04-01"
    go_on(vault, [Did("2026-04-02", {"sessions/2026-04-01-b.md": None})])
    assert uses.at(vault, "HEAD") == uses.at(vault, first)


def test_a_skill_that_was_renamed_keeps_its_uses_by_its_alias(past: Past) -> None:
    vault = past([Did("2026-03-01", {**SKILLS, "sessions/2026-03-01-a.md": session("2026-03-01", "sew")})])
    go_on(vault, [Did("2026-04-01", {SEW: None, "skills/tailor.md": skill("tailor", more="aliases: sew\n")})])
    assert uses.at(vault, "HEAD").of("skills/tailor.md").last == "2026-03-01"
