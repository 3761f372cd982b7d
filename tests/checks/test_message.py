from __future__ import annotations

import pytest

from vaultgit.checks import message
from vaultgit.checks.problem import MESSAGE

SIGNED = "\n\nAgent: claude-code\nEdit: 01jdx3k9m2qtw7ab\n"


def places(problems):
    return [(p.path, p.line, p.column, p.code) for p in problems]


@pytest.mark.parametrize(
    "subject",
    ["x", "people/ada: born 1815", "#42 tidy the shelf", "; semicolon first", "猫" * 100, "a % b",
     "# heading", "עברית", "emoji 👩‍🚀"]
)  # fmt: skip
def test_ms01_lets_a_subject_pass(change, subject):
    assert message.check(change(agent="a", message=subject + SIGNED)) == []


@pytest.mark.parametrize(
    ("subject", "column"),
    [("", 1), ("   ", 1), ("#", 1), ("​", 1), ("a" * 101, 101), ("a\x07b", 2), ("a\tb", 2), ("ab‮c", 3),
     ("⁦x", 1), ("a %%b%%", 3), ("<!-- x", 1), ("a\x85b", 2), ("a\ud800", 2), ("\x1b[2J", 1)]
)  # fmt: skip
def test_ms01_refuses_a_subject(change, subject, column):
    given = change(agent="a", message=subject + SIGNED)
    assert places(message.check(given)) == [(MESSAGE, 1, column, "MS01")]
    assert message.problems_of_subject(subject) != []


def test_ms01_is_for_agents_only(change):
    for text in ("", "vault backup: 2026-11-29 21:10:00", "a" * 300, "%%"):
        assert message.check(change(message=text)) == []


def test_ms01_nothing_to_judge_before_there_is_a_message(change):
    assert message.check(change(agent="a")) == []


def test_ms01_one_line(change):
    assert places(message.check(change(agent="a", message="one\ntwo\n"))) == [(MESSAGE, 2, 1, "MS01")]
    assert places(message.problems_of_subject("one\ntwo")) == [(MESSAGE, 1, 4, "MS01")]


@pytest.mark.parametrize("bad", ["a\x00", "<!-- gone", "%%", "‮x"])
def test_ms01_judges_the_reason_too(change, bad):
    found = message.check(change(agent="a", message=f"x: y\n\nfine\n{bad}{SIGNED}"))
    assert [(p.line, p.code) for p in found] == [(4, "MS01")]
    assert [p.line for p in message.problems_of_reason(f"fine\n{bad}")] == [4]


def test_ms02_in_an_agents_environment(change):
    found = message.check(change(message="quick fix", agent_environment=True))
    assert places(found) == [(MESSAGE, 1, 1, "MS02")]
    assert "Agent, Edit" in found[0].message
    found = message.check(change(message="x\n\nAgent: codex", agent="codex", agent_environment=True))
    assert [p.code for p in found] == ["MS02"] and "(Edit)" in found[0].message
    assert message.check(change(message="x" + SIGNED, agent="claude-code", agent_environment=True)) == []


def test_ms02_not_elsewhere(change):
    assert message.check(change(message="quick fix")) == []
    assert message.check(change(agent_environment=True)) == []


def test_ms02_an_agent_named_in_the_reason_is_no_trailer(change):
    text = "x\n\nAgent: codex\nwrote this, not me.\n\nEdit: 01jdx3k9m2qtw7ab\n"
    assert "Agent" in message.check(change(message=text, agent_environment=True))[0].message


def test_parts():
    text = "a: b\n\nFirst.\n  Agent: quoted\n\nSecond.\n\nAgent: old\nAgent: new\nEdit: 01jdx3k9m2qtw7ab\n"
    got = message.parts(text)
    assert got.subject == "a: b"
    assert got.reason == "First.\n  Agent: quoted\n\nSecond."
    assert got.trailers == {"agent": "new", "edit": "01jdx3k9m2qtw7ab"}
    assert message.parts("a").reason == "" and message.parts("a").trailers == {}
    assert message.parts("a\r\n\r\nb\r\n\r\nAgent: c\r\n") == ("a", "b", {"agent": "c"})


def test_parts_a_reason_that_looks_like_a_trailer_is_a_reason():
    assert message.parts("a\n\nBecause: the register says so").reason == "Because: the register says so"
    assert message.parts("a\n\nSigned-off-by: Ada <a@b>\n(cherry picked from commit 12)").reason == ""
