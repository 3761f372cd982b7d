from __future__ import annotations

import pytest

from vaultgit.checks import skill
from vaultgit.checks.change import FileChange
from vaultgit.checks.problem import MESSAGE

WHY = "skills/tidy: again\n\nIt was asked for three times.\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab\n"
TODAY = "2026-11-29"


def note(version=1, updated="2026-11-01", body="1. tidy up\n", name="tidy", more=""):
    return (
        f"---\ntype: skill\nname: {name}\nversion: {version}\ntrigger: the desk is full\n"
        f"last_updated: {updated}\n{more}---\n{body}"
    ).encode()


def places(problems):
    return [(p.path, p.line, p.code) for p in problems]


PATH = "skills/tidy.md"
OLD = note()
NEXT = note(2, TODAY, "1. tidy up now\n")


@pytest.mark.parametrize("agent", [None, "codex"])
def test_a_proper_molt(change, agent):
    assert skill.check(change((PATH, OLD, NEXT), agent=agent, message=WHY, today=TODAY)) == []


@pytest.mark.parametrize("agent", [None, "codex"])
def test_a_new_skill_has_any_version_and_needs_no_reason(change, agent):
    assert skill.check(change((PATH, None, note(7)), agent=agent, message="skills/tidy: new", today=TODAY)) == []
    assert skill.check(change(FileChange(PATH, (), note(7)), agent=agent, message="x")) == []


@pytest.mark.parametrize("agent", [None, "codex"])
@pytest.mark.parametrize("body", ["other\n", "1. tidy up \n", "1. tidy up\r\n"])
def test_sk01_changed_without_a_new_version(change, agent, body):
    found = skill.check(change((PATH, OLD, note(1, TODAY, body)), agent=agent, message=WHY, today=TODAY))
    assert places(found) == [(PATH, 4, "SK01")] and "version: 2" in found[0].mend


def test_sk01_an_agent_goes_one_up_a_person_further(change):
    after = note(4, TODAY)
    assert skill.check(change((PATH, OLD, after), today=TODAY)) == []
    assert places(skill.check(change((PATH, OLD, after), agent="codex", message=WHY, today=TODAY))) == [
        (PATH, 4, "SK01")
    ]


def test_sk01_in_a_merge(change):
    ours, theirs = note(2, body="a\n"), note(3, body="b\n")

    def merged(version):
        return change(FileChange(PATH, (ours, theirs), note(version, TODAY, "a\nb\n")), today=TODAY)

    assert skill.check(merged(4)) == []
    assert places(skill.check(merged(3))) == [(PATH, 4, "SK01")]
    assert skill.check(change(FileChange(PATH, (ours, theirs), theirs), today=TODAY)) == []
    assert skill.check(change(FileChange(PATH, (None, theirs), theirs), today=TODAY)) == []


def test_sk01_taken_back_to_earlier_bytes(change):
    back = FileChange(PATH, (NEXT,), OLD, earlier=lambda data: data == OLD)
    assert skill.check(change(back, today=TODAY)) == []
    assert skill.check(change(back, agent="codex", message="x", today=TODAY)) == []
    other = back._replace(after=OLD + b"more")
    assert {p.code for p in skill.check(change(other, today=TODAY))} == {"SK01", "SK02"}


def test_earlier_is_asked_only_where_it_matters(change):
    def never(data):
        raise AssertionError("asked")

    assert skill.check(change(FileChange(PATH, (None,), OLD, earlier=never))) == []
    assert skill.check(change(FileChange(PATH, (OLD,), OLD, earlier=never))) == []
    assert skill.check(change(FileChange("notes/a.md", (OLD,), NEXT, earlier=never))) == []


@pytest.mark.parametrize("agent", [None, "codex"])
@pytest.mark.parametrize(
    ("before", "after", "today", "fine"),
    [
        ("2026-11-01", "2026-11-01", TODAY, False),
        ("2026-11-01", "2026-11-02", TODAY, True),
        (TODAY, TODAY, TODAY, True),  # a second molt of the day
        ("2026-11-30", "2026-11-30", TODAY, True),  # dated ahead, cannot move
        (TODAY, "2026-11-28", TODAY, False),
        (TODAY, TODAY, None, False),
        ("2026-11-01", TODAY, None, True),
    ],
)
def test_sk02(change, agent, before, after, today, fine):
    given = change((PATH, note(1, before), note(2, after, "new\n")), agent=agent, message=WHY, today=today)
    assert places(skill.check(given)) == ([] if fine else [(PATH, 6, "SK02")])


def test_sk03_an_agent_gives_a_reason(change):
    bare = "skills/tidy: again\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab\n"
    found = skill.check(change((PATH, OLD, NEXT), agent="codex", message=bare, today=TODAY))
    assert places(found) == [(MESSAGE, 1, "SK03")]
    assert skill.check(change((PATH, OLD, NEXT), message=bare, today=TODAY)) == []
    assert skill.check(change((PATH, OLD, NEXT), agent="codex", today=TODAY)) == []


@pytest.mark.parametrize("before", ["", "pinned: false\n", "pinned: true\n"])
@pytest.mark.parametrize("after", ["", "pinned: null\n", "pinned: true\n"])
def test_sk04_pinned_is_a_persons(change, before, after):
    files = (PATH, note(more=before), note(2, TODAY, "x\n", more=after))
    same = ("true" in before) == ("true" in after)
    found = skill.check(change(files, agent="codex", message=WHY, today=TODAY))
    assert [p.code for p in found] == ([] if same else ["SK04"])
    assert skill.check(change(files, today=TODAY)) == []


def test_sk04_at_its_line_and_by_deletion(change):
    found = skill.check(change((PATH, OLD, note(2, TODAY, more="pinned: true\n")), agent="a", message=WHY, today=TODAY))
    assert places(found) == [(PATH, 7, "SK04")]
    pinned = note(more="pinned: true\n")
    assert places(skill.check(change((PATH, pinned, None), agent="codex"))) == [(PATH, 1, "SK04")]
    assert skill.check(change((PATH, pinned, None))) == []
    assert skill.check(change((PATH, OLD, None), agent="codex")) == []


def test_fm03_the_name_is_the_files(change):
    found = skill.check(change((PATH, None, note(name="clean"))))
    assert places(found) == [(PATH, 3, "FM03")]
    assert "'clean'" in found[0].message and "name: tidy" in found[0].mend
    assert skill.check(change(("skills/home/tidy.md", None, note()))) == []


@pytest.mark.parametrize("after", [b"---\ntype: [skill\n---\n", b"---\ntype: recipe\n---\n", b"text\n"])
def test_what_is_no_skill_or_does_not_parse_is_left_to_front_matter(change, after):
    assert skill.check(change((PATH, OLD, after), agent="codex", message="x")) == []
    assert skill.check(change((PATH, b"text\n", OLD), agent="codex", message="x")) == []


def test_a_version_that_is_no_number_is_left_to_the_schema(change):
    assert skill.check(change((PATH, OLD, note("two", TODAY)), today=TODAY)) == []
