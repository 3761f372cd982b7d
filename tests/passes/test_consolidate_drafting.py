"""Drafts as they would be written: valid by their schema, portable, of captured words alone (P9, P11)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from vaultgit import checks
from vaultgit.checks.around import Around
from vaultgit.checks.around import on_disk
from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.checks.problem import Problem
from vaultgit.notes import frontmatter
from vaultgit.notes.links import links
from vaultgit.passes.consolidate.drafting import MOST
from vaultgit.passes.consolidate.drafting import Draft
from vaultgit.passes.consolidate.drafting import bullet
from vaultgit.passes.consolidate.drafting import draft
from vaultgit.passes.consolidate.drafting import kebab
from vaultgit.passes.consolidate.drafting import link_to
from vaultgit.passes.consolidate.finding import Candidate
from vaultgit.passes.consolidate.finding import Mention
from vaultgit.passes.consolidate.inert import inert
from vaultgit.vault import Disk
from vaultgit.vault import Rules

TODAY = date(2026, 11, 29)
HEADING = "Automatic capture, 21:10"
DAILY = "daily/2026-11-01.md"
PROJECT = "projects/csv-import.md"
LATEST = "decisions/floats.md"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("vault")
    notes = {
        DAILY: "---\ntype: daily\ndate: 2026-11-01\n---\n",
        "daily/2026-11-02.md": "---\ntype: daily\ndate: 2026-11-02\n---\n",
        PROJECT: "---\ntype: project\nname: csv-import\nstatus: active\n---\n",
        LATEST: '---\ntype: decision\ndate: 2026-10-01\nproject: "[[projects/csv-import]]"\n---\n',
        "archive/2026-11-01.md": "a second note of that name\n",
    }
    for path, text in notes.items():
        (made / path).parent.mkdir(exist_ok=True)
        (made / path).write_text(text)
    return made


@pytest.fixture(scope="module")
def rules(root: Path) -> Rules:
    return Rules(Disk(str(root)))


@pytest.fixture(scope="module")
def judge(root: Path, rules: Rules) -> Callable[[Draft], list[Problem]]:
    """All problems that an agent's commit of a draft would have."""

    def problems(made: Draft) -> list[Problem]:
        file = FileChange(made.path, (None,), made.text.encode())
        disk = Disk(str(root))
        paths = frozenset((*disk.files(), made.path))
        around = Around(on_disk(disk), (file,))
        change = Change((file,), rules, agent="vaultgit", today="2026-11-29", paths=paths, around=around)
        return checks.run(change, [name for name in checks.ALL if name != "message"])

    return problems


def said(*lines: str, path: str = DAILY) -> tuple[Mention, ...]:
    return tuple(Mention(path, HEADING, line) for line in lines)


def nothing_taken(_path: str) -> bool:
    return False


MARTA = Candidate("person", "Marta", said("open: “I have to ask Marta in accounting” (you)"), "a person: “ask Marta”")


def test_a_person(rules: Rules, judge: Callable[[Draft], list[Problem]]) -> None:
    made = draft(MARTA, rules, TODAY, nothing_taken)
    assert made == Draft(
        "people/marta.md" if rules.folder("person") == "people" else f"{rules.folder('person')}/marta.md", "person", "create",
        "---\ntype: person\nname: Marta\n---\n\n# Marta\n\n"
        "- open: “I have to ask Marta in accounting” (you) ([[2026-11-01#Automatic capture, 21:10]])\n",
    )  # fmt: skip
    assert judge(made) == []


def test_a_project_a_concept_and_a_decision(rules: Rules, judge: Callable[[Draft], list[Problem]]) -> None:
    lines = said("decision: “Integer cents everywhere” (you)")
    project = draft(Candidate("project", "talk plan", lines, "why"), rules, TODAY, nothing_taken)
    concept = draft(Candidate("concept", "dialects.py", lines, "why"), rules, TODAY, nothing_taken)
    decision = draft(
        Candidate("decision", "Integer cents everywhere", lines, "why", "", PROJECT, LATEST),
        rules,
        TODAY,
        nothing_taken,
    )
    values = [frontmatter.read(one.text.encode()).values for one in (project, concept, decision)]
    assert values == [
        {"type": "project", "name": "talk plan", "status": "active"},
        {"type": "concept", "name": "dialects.py", "sources": ["[[daily/2026-11-01]]"]},
        {"type": "decision", "date": "2026-11-01", "project": "[[projects/csv-import]]", "replaces": "[[decisions/floats]]"},
    ]  # fmt: skip
    assert [one.path.rpartition("/")[2] for one in (project, concept, decision)] == [
        "talk-plan.md", "dialects-py.md", "integer-cents-everywhere.md",
    ]  # fmt: skip
    assert [judge(one) for one in (project, concept, decision)] == [[], [], []]


@pytest.mark.parametrize(
    "name", ["NO", "12:30", "null", "1.10", "a: b", "- x", "[[x]]", "2026-11-01", "“x”", "#tag", "'s"]
)
def test_names_that_need_quotes_have_them(name: str, rules: Rules, judge: Callable[[Draft], list[Problem]]) -> None:
    made = draft(MARTA._replace(name=name), rules, TODAY, nothing_taken)
    assert frontmatter.read(made.text.encode()).values["name"] == name
    assert judge(made) == []


def test_an_addition_is_the_lines_alone(rules: Rules) -> None:
    made = draft(MARTA._replace(note="people/ml.md"), rules, TODAY, nothing_taken)
    assert (made.path, made.action) == ("people/ml.md", "add")
    assert made.text == f"{bullet(MARTA.mentions[0], rules)}\n"


def test_the_newest_lines_of_many(rules: Rules) -> None:
    every = said(*(f"fact: “Marta wrote line {n}” (you)" for n in range(40)))
    made = draft(MARTA._replace(mentions=every), rules, TODAY, nothing_taken)
    assert re.findall(r"line (\d+)", made.text) == [str(n) for n in range(40 - MOST, 40)]


def test_a_name_that_is_taken_gets_a_number(rules: Rules) -> None:
    first = draft(MARTA, rules, TODAY, nothing_taken).path
    second = draft(MARTA, rules, TODAY, lambda path: path == first).path
    third = draft(MARTA, rules, TODAY, lambda path: path in (first, second)).path
    assert [path.rpartition("/")[2] for path in (first, second, third)] == ["marta.md", "marta-2.md", "marta-3.md"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Ada van der Berg", "ada-van-der-berg"), ("dialects.py", "dialects-py"), ("O'Brien", "obrien"), ("Zürich", "zürich"),
        ("a_b", "a-b"), ("CON", "con"), ("...", "note"), ("日本", "日本"), ("C++ / Qt", "c-qt"),
    ],
)  # fmt: skip
def test_kebab(name: str, stem: str) -> None:
    assert kebab(name) == stem


def test_devices_of_windows_and_long_names(rules: Rules, judge: Callable[[Draft], list[Problem]]) -> None:
    for name in ("CON", "aux", "x" * 400, "日" * 400, "ﷺ" * 50):
        assert judge(draft(MARTA._replace(name=name), rules, TODAY, nothing_taken)) == []


def test_a_name_is_no_markup_in_its_heading(rules: Rules) -> None:
    made = draft(MARTA._replace(name="[[x]] #tag <b> `= y` ![[e]] a_b"), rules, TODAY, nothing_taken)
    assert "# \\[\\[x\\]\\] \\#tag \\<b\\> \\`\\= y\\` !\\[\\[e\\]\\] a_b\n" in made.text
    assert [link.target for link in links(made.text) if link.line > 5] == ["2026-11-01"]


def test_what_captures_link_is_found_by_its_link(rules: Rules) -> None:
    """Obsidian finds a note by its file's name; a name in the properties does not help."""
    linked = MARTA._replace(type="concept", name="Attention Drift", mentions=said("see [[Attention Drift|it]]"))
    assert draft(linked, rules, TODAY, nothing_taken).path.endswith("/Attention Drift.md")
    assert draft(MARTA._replace(name="Attention Drift"), rules, TODAY, nothing_taken).path.endswith(
        "/attention-drift.md"
    )


# -- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heading", "within"),
    [
        ("Automatic capture, 21:10", "Automatic capture, 21:10"), ("a # b ^ c | d", "a b c d"), ("[[x]] y %% z", "x y z"),
        ("`code` 9:15", "code 9:15"), (" a \u202e b ", "a b"),
    ],
)  # fmt: skip
def test_a_heading_in_a_link(heading: str, within: str, rules: Rules) -> None:
    assert link_to(DAILY, heading, rules) == f"[[2026-11-01#{within}]]"


def test_a_daily_note_in_folders_by_date_is_linked_by_its_path(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/daily-notes.json").write_text('{"folder": "log", "format": "YYYY/MM/DD"}')
    made = Rules(Disk(str(tmp_path)))
    assert link_to("log/2026/11/01.md", HEADING, made) == f"[[log/2026/11/01#{HEADING}]]"
    assert link_to("elsewhere/2026-11-01.md", HEADING, made) == f"[[elsewhere/2026-11-01#{HEADING}]]"


def test_a_note_that_no_link_can_name(rules: Rules, judge: Callable[[Draft], list[Problem]]) -> None:
    made = draft(
        Candidate("concept", "Bexley", said("from Bexley", path="daily/a#b.md"), "why"), rules, TODAY, nothing_taken
    )
    assert made.text.endswith("- from Bexley\n")
    assert judge(made) == []


# -- what a vault sets -----------------------------------------------------------------------------------------------


def test_the_settings_name_folder_and_type(tmp_path: Path) -> None:
    (tmp_path / ".vaultgit.toml").write_text('[layout]\nperson = "who"\n[types]\nkey = "kind"\n')
    made = draft(MARTA, Rules(Disk(str(tmp_path))), TODAY, nothing_taken)
    assert made.path == "who/marta.md"
    assert frontmatter.read(made.text.encode()).values == {"kind": "person", "name": "Marta"}


# -- nothing renders, nothing runs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("![[secret.png]] see", "[[secret.png]] see"),
        ("![x](http://t.example/p.png)", "[x](http://t.example/p.png)"),
        ("<script>x</script>", "&lt;script>x&lt;/script>"),
        ("run `= this.file` or `$= dv.x` or ``` =x```", "run = this.file or $= dv.x or =x"),
        ("<% tp.x %>", "&lt;% tp.x %>"),
        ("a %%hidden", "a %hidden"),
        ("# big", "big"),
        ("- [ ] to do", "to do"),
        ("costs $5 and $6", "costs \\$5 and \\$6"),
        ("[x](obsidian://open) [y](https://e.org)", "[x]\\(obsidian://open) [y](https://e.org)"),
        ("end ^abc", "end abc"),
        ("a\nb\x00c\u2028d\ud800", "a b c d\ufffd"),
        ("keep `code.py` and “quotes” (you)", "keep `code.py` and “quotes” (you)"),
    ],
)
def test_captured_words_do_nothing(line: str, shown: str) -> None:
    assert inert(line) == shown


def test_secrets_that_were_captured_go_no_further(rules: Rules, judge: Callable[[Draft], list[Problem]]) -> None:
    """P11."""
    token = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7h8"
    for candidate in (MARTA._replace(mentions=said(f"ask Marta about {token}")), MARTA._replace(name=f"x {token}")):
        for note in ("", "people/ml.md"):
            made = draft(candidate._replace(note=note), rules, TODAY, nothing_taken)
            assert token not in made.text + made.path
            assert note or judge(made) == []


_WORDS = st.text(
    st.one_of(
        st.sampled_from(list("[]()#|^`*_~<>%$!\"'“”:;,.-/\\{}=@&0aZé \t\n\0\u2028\u202e\ud800ß日")),
        st.characters(codec=None),
    ),
    max_size=80,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.one_of(_WORDS, st.sampled_from(["Marta", "CON", "a: b", "[[x]]"])).filter(lambda name: bool(name.strip())),
    note_type=st.sampled_from(["person", "project", "concept", "decision"]),
    lines=st.lists(_WORDS, max_size=4),
    heading=st.one_of(st.just(HEADING), _WORDS),
    path=st.sampled_from([DAILY, "daily/2026-11-02.md"]),
)
def test_every_draft_passes_the_checks(
    name: str, note_type: str, lines: list[str], heading: str, path: str, rules: Rules,
    judge: Callable[[Draft], list[Problem]],
) -> None:  # fmt: skip
    mentions = tuple(Mention(path, heading, line) for line in lines)
    candidate = Candidate(note_type, name, mentions, "why", "", PROJECT if note_type == "decision" else "")
    made = draft(candidate, rules, TODAY, nothing_taken)

    assert judge(made) == []
    assert made == draft(candidate, rules, TODAY, nothing_taken)
    assert not any(link.embed for link in links(made.text))
    body = made.text[made.text.index("\n---\n") + 5 :].splitlines()
    assert all(line.startswith(("# ", "- ")) or not line for line in body) and len(body) <= 3 + len(lines)
