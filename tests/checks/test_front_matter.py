from __future__ import annotations

from pathlib import Path

import pytest

from vaultgit.checks import front_matter
from vaultgit.checks.change import FileChange

CASES = Path(__file__).parents[1] / "cases"

PERSON = b"---\ntype: person\nname: Ada\n---\nborn 1815\n"
PROJECT = b"---\ntype: project\nname: Engine\nstatus: active\n---\n"
OWN = b"---\ntype: contact\n---\nx\n"


def places(problems):
    return [(p.line, p.column, p.code) for p in problems]


@pytest.mark.parametrize("agent", [None, "codex"])
def test_a_note_that_its_schema_allows(change, agent):
    files = [("people/ada.md", None, PERSON), ("projects/e.md", PROJECT, PROJECT + b"more")]
    assert front_matter.check(change(*files, agent=agent)) == []


@pytest.mark.parametrize("agent", [None, "codex"])
def test_fm01_not_yaml(change, agent):
    broken = PERSON.replace(b"name: Ada", b"name: Ada: a life")
    for before in (None, PERSON):
        found = front_matter.check(change(("people/ada.md", before, broken), agent=agent))
        assert [(p.line, p.code) for p in found] == [(3, "FM01")]
        assert found[0].mend


def test_fm01_breaking_the_yaml_is_no_way_out(change):
    found = front_matter.check(change(("people/ada.md", PERSON, b"---\ntype: [person\n---\n")))
    assert [p.code for p in found] == ["FM01"]
    assert front_matter.check(change(("people/ada.md", OWN, b"---\ntype: [contact\n---\n"))) == []


def test_fm02_a_key_twice(change):
    twice = PERSON.replace(b"name: Ada", b"name: Ada\nname: Byron")
    found = front_matter.check(change(("people/ada.md", None, twice)))
    assert places(found) == [(4, 1, "FM02")] and "lines 3 and 4" in found[0].message


def test_fm03_at_the_line_of_the_property(change):
    wrong = PROJECT.replace(b"name: Engine", b"name: 7")
    found = front_matter.check(change(("projects/e.md", PROJECT, wrong)))
    assert places(found) == [(3, 1, "FM03")] and found[0].mend


def test_fm03_what_is_missing_at_the_top(change):
    found = front_matter.check(change(("projects/e.md", None, b"---\ntype: project\n---\n")))
    assert {p.code for p in found} == {"FM03"} and found[0].line == 1
    assert "name" in "".join(p.message for p in found)


@pytest.mark.parametrize("path", ["ada.md", "notes/ada.md", "people/ada.txt", "people/.hidden/ada.md"])
@pytest.mark.parametrize("agent", [None, "codex"])
def test_notes_that_no_schema_holds(change, path, agent):
    assert front_matter.check(change((path, None, b"---\ntype: person\nname: [\n---\n"), agent=agent)) == []


def test_templates_are_nobodys(change, rules_of):
    rules = rules_of({".obsidian/templates.json": b'{"folder": "people/templates"}'})
    file = ("people/templates/t.md", None, b"---\ntype: person\ndate: {{date}}\n---\n")
    assert front_matter.check(change(file, rules=rules, agent="codex")) == []
    assert front_matter.check(change(file, agent="codex")) != []


@pytest.mark.parametrize("data", [b"", b"no front matter\n", OWN, b"---\nname: Ada\n---\n"])
def test_fm04_an_agent_creates_an_unmanaged_note(change, data):
    found = front_matter.check(change(("people/ada.md", None, data), agent="codex"))
    assert [p.code for p in found] == ["FM04"] and "type: person" in found[0].mend
    assert front_matter.check(change(("people/ada.md", None, data))) == []
    assert front_matter.check(change(("people/ada.md", OWN, data), agent="codex")) == []
    assert front_matter.check(change(("ada.md", None, data), agent="codex")) == []


@pytest.mark.parametrize(("data", "line"), [(OWN, 2), (b"born 1815\n", 1), (b"---\nname: Ada\n---\n", 1)])
def test_fm04_an_agent_makes_a_managed_note_unmanaged(change, data, line):
    assert places(front_matter.check(change(("people/ada.md", PERSON, data), agent="codex"))) == [(line, 1, "FM04")]
    assert front_matter.check(change(("people/ada.md", PERSON, data))) == []


def test_fm04_what_a_skill_brings_along_is_no_skill(change):
    skill = b"---\ntype: skill\nname: pdf\nversion: 1\ntrigger: x\nlast_updated: 2026-11-01\n---\n1. x\n"
    beside = ("skills/pdf/references/forms.md", None, b"---\nname: {{x}}\n---\n")
    assert front_matter.check(change(("skills/pdf.md", None, skill), beside, agent="codex")) == []
    assert front_matter.check(change(("skills/pdf.md", None, b"no skill\n"), beside, agent="codex")) != []
    assert front_matter.check(change(beside, agent="codex")) != []


def test_fm04_in_a_merge(change):
    file = FileChange("people/ada.md", (OWN, PERSON), OWN)
    assert [p.code for p in front_matter.check(change(file, agent="codex"))] == ["FM04"]
    assert front_matter.check(change(file)) == []


def test_a_deletion(change):
    assert front_matter.check(change(("people/ada.md", PERSON, None), agent="codex")) == []


# -- the cases -----------------------------------------------------------------------------------------------


def of_the_case(change, rules_of, name):
    case = CASES / name
    rules = rules_of(
        {
            ".vaultgit.toml": b'[layout]\nnote = "notes"\n',
            ".vaultgit/schemas/note.schema.json": (case / "schema.json").read_bytes(),
        }
    )
    files = [FileChange(f"notes/{path.name}", (), path.read_bytes()) for path in sorted((case / "input").iterdir())]
    return front_matter.check(change(*files, rules=rules))


def test_bad_yaml_stays_local(change, rules_of):
    found = of_the_case(change, rules_of, "005-bad-yaml-stays-local")
    assert {(p.path, p.line, p.code) for p in found} == {
        ("notes/colon.md", 2, "FM01"),
        ("notes/path.md", 4, "FM01"),
        ("notes/star.md", 2, "FM01"),
        ("notes/tab.md", 5, "FM01"),
        ("notes/twice.md", 4, "FM02"),
    }
    assert "lines 2 and 4" in "".join(p.message for p in found if p.code == "FM02")


def test_bare_dates(change, rules_of):
    name = "007-bare-dates"
    schema = (CASES / name / "schema.json").read_bytes()
    rules = rules_of({".vaultgit/schemas/note.schema.json": schema, ".vaultgit.toml": b'[layout]\nnote = "notes"\n'})
    files = []
    for path in sorted((CASES / name / "input").iterdir()):
        data = path.read_bytes().replace(b"---\n", b"---\ntype: note\n", 1)
        files.append(FileChange(f"notes/{path.name}", (), data))
    found = front_matter.check(change(*files, rules=rules))
    assert [(p.path, p.line, p.code) for p in found] == [
        ("notes/feb30.md", 3, "FM03"),
        ("notes/word.md", 3, "FM03"),
    ]
    assert all("created" in p.message for p in found)


def test_an_unmanaged_note_that_an_agent_renames_is_not_a_new_one(change):
    before, after = b"see [[old]]\n", b"see [[new name]]\n"  # its links follow
    gone = FileChange("people/dad.md", (before,), None)
    assert front_matter.check(change(gone, ("people/father.md", None, after), agent="codex")) == []
    for added, was in (("people/x.md", "notes/dad.md"), ("skills/x.md", "people/dad.md")):  # that one comes in anew
        moved = change(FileChange(was, (before,), None), (added, None, after), agent="codex")
        assert [p.code for p in front_matter.check(moved)] == ["FM04"]
    assert front_matter.check(change(gone, ("people/x.md", None, b"other text\n"), agent="codex")) != []


def test_the_property_that_says_the_type_may_have_another_name(vault):
    vault.write(".vaultgit.toml", '[types]\nkey = "kind"\n')
    vault.write("people/bob.md", "---\nkind: person\n---\nBob\n")
    vault.write("people/eve.md", "---\nkind: person\naliases: 7\n---\nEve\n")
    found = vault.run("check", "people/bob.md", "people/eve.md")
    assert found.code == 1
    assert "eve.md" in found.out
    assert "bob.md" not in found.out
