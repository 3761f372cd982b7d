"""What a search finds, and what it says of it. The order among real answers is recall/rank.py's (test_rank)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import Folder

from vaultgit.recall import index
from vaultgit.recall.search import Found
from vaultgit.recall.search import search
from vaultgit.vault import open_vault

CASE = Path(__file__).parent.parent / "cases/057-query-has-fts-operators"
NOTES = {
    "projects/nova.md": "---\ntype: project\nname: Nova\nstatus: active\nlead: '[[people/ada-lovelace|Ada]]'\n---\n# Nova\n\nA rocket.\n",
    "projects/nova-two.md": "---\ntype: project\nname: Nova two\nstatus: [active, late]\n---\n# Nova two\n\nA rocket.\n",
    "decisions/2026-10-01-fuel.md": "---\ntype: decision\ndate: 2026-10-01\nproject: '[[projects/nova]]'\n---\n# Fuel is methane\n\nrocket fuel\n",
    "decisions/2026-11-02-fuel.md": "---\ntype: decision\ndate: 2026-11-02\nproject: '[[nova]]'\nreplaces: '[[2026-10-01-fuel]]'\n---\n# Fuel is hydrogen\n\nrocket fuel\n",
    "sessions/2026-11-03-fuel.md": "---\ntype: session\ndate: 2026-11-03\nagent: claude-code\ntask: rocket fuel\ntouched: ['[[nova]]']\n---\nrocket fuel\n",
    "inbox/2026-11-04.md": "---\ntype: inbox\ndate: 2026-11-04\nagent: codex\ntarget: '[[nova]]'\nreason: x\n---\nrocket fuel\n",
    "notes/Sourdough.md": "---\ntags: baking/slow, food\n---\n# Sourdough\n\nFlour, water, salt.\nPeanuts are what Ada is allergic to.\n",
    "notes/日記.md": "東京都に行きました。\n",
    "templates/day.md": "rocket fuel {{date}}\n",
    ".obsidian/templates.json": '{"folder": "templates"}',
}  # fmt: skip


@pytest.fixture
def asking(plain: Folder) -> Callable[..., Found]:
    for path, text in NOTES.items():
        plain.write(path, text)

    def ask(text: str, **options: Any) -> Found:
        vault = open_vault(str(plain.root))
        with vault.repo, index.opened(vault) as opened:
            return search(vault, opened.now(), text, **options)

    return ask


def paths(found: Found) -> list[str]:
    return [hit.path for hit in found.hits]


def test_queries_with_signs_that_fts5_reads(plain: Folder) -> None:
    """Case 057."""
    shutil.rmtree(plain.root / "people")
    for name in ("Home.md", "projects/nova.md", "skills/review-a-pr.md"):
        (plain.root / name).unlink()
    shutil.copytree(CASE / "input", plain.root, dirs_exist_ok=True)
    vault = open_vault(str(plain.root))
    with vault.repo, index.opened(vault) as opened:
        view = opened.now()
        for line in (CASE / "queries.txt").read_text(encoding="utf-8").splitlines():
            query, _, wanted = line.partition("\t")
            found = paths(search(vault, view, query))
            assert (found[:1] or ["-"]) == [wanted], query


@pytest.mark.parametrize("text", ["", " ", "\n\t", "?!.,", "x" * 10_000, "zzz " * 2500, '"' * 10_000, "(" * 10_000])
def test_long_and_empty_questions_find_nothing(asking: Callable[..., Found], text: str) -> None:
    assert asking(text).hits == []


def test_a_plain_question(asking: Callable[..., Found]) -> None:
    found = asking("who is allergic to peanuts?")
    assert paths(found)[0] == "notes/Sourdough.md"
    assert (found.hits[0].line, found.hits[0].text) == (7, "Peanuts are what Ada is allergic to.")


@pytest.mark.parametrize(
    "text, first",
    [
        ("peanut", "notes/Sourdough.md"),
        ("sourd", "notes/Sourdough.md"),
        ("sourd*", "notes/Sourdough.md"),
        ("peanutts", "notes/Sourdough.md"),
        ("sourdouhg", "notes/Sourdough.md"),
        ("東京", "notes/日記.md"),
        ("京", "notes/日記.md"),
        ("日記", "notes/日記.md"),
        ('"water, salt"', "notes/Sourdough.md"),
        ("Ada Lovelace", "people/ada-lovelace.md"),
        ("ada-lovelace", "people/ada-lovelace.md"),
        ("reviews", "skills/review-a-pr.md"),
        ("Nova two", "projects/nova-two.md"),
        ("nova", "projects/nova.md"),
    ],
)
def test_finds(asking: Callable[..., Found], text: str, first: str) -> None:
    assert paths(asking(text))[:1] == [first]


def test_a_phrase_has_to_stand_so(asking: Callable[..., Found]) -> None:
    assert asking('"salt water"').hits == []
    assert paths(asking('"to rocket"')) == []


@pytest.mark.parametrize(
    "text, found",
    [
        ("type:project", {"projects/nova.md", "projects/nova-two.md"}),
        ("type:Project rocket", {"projects/nova.md", "projects/nova-two.md"}),
        ("project:nova", {"decisions/2026-10-01-fuel.md", "decisions/2026-11-02-fuel.md"}),
        ("project:projects/nova", {"decisions/2026-10-01-fuel.md"}),
        ("project:nova since:2026-11", {"decisions/2026-11-02-fuel.md"}),
        ("type:decision until:2026-10", {"decisions/2026-10-01-fuel.md"}),
        ("agent:claude-code", {"sessions/2026-11-03-fuel.md"}),
        ("lead:ada", {"projects/nova.md"}),
        ("lead:ada-lovelace", {"projects/nova.md"}),
        ("status:late", {"projects/nova-two.md"}),
        ("status:active", {"projects/nova.md", "projects/nova-two.md"}),
        ('name:"nova two"', {"projects/nova-two.md"}),
        ("name:lovelace", {"people/ada-lovelace.md"}),
        ("tag:baking", {"notes/Sourdough.md"}),
        ("tag:#baking/slow", {"notes/Sourdough.md"}),
        ("tag:bak", set()),
        ("path:notes", {"notes/Sourdough.md", "notes/日記.md"}),
        ("path:decisions/*11*", {"decisions/2026-11-02-fuel.md"}),
        ("path:decisions/ methane", {"decisions/2026-10-01-fuel.md"}),
        ("type:project type:inbox", {"projects/nova.md", "projects/nova-two.md", "inbox/2026-11-04.md"}),
        ("type:project agent:codex", set()),
        ("touched:nova", {"sessions/2026-11-03-fuel.md"}),
        ("status:act", set()),
    ],
)
def test_filters(asking: Callable[..., Found], text: str, found: set[str]) -> None:
    assert set(paths(asking(text))) == found


def test_filters_alone_give_the_newest_first(asking: Callable[..., Found]) -> None:
    found = paths(asking("since:2026"))
    assert found == [
        "inbox/2026-11-04.md",
        "sessions/2026-11-03-fuel.md",
        "decisions/2026-11-02-fuel.md",
        "decisions/2026-10-01-fuel.md",
    ]
    assert paths(asking("since:2026", limit=2)) == found[:2]


def test_a_property_that_is_a_list_here_and_text_there(plain: Folder, asking: Callable[..., Found]) -> None:
    for name, value in (
        ("a", "red"),
        ("b", "[red, blue]"),
        ("c", "\n  - blue\n  - '[[red]]'"),
        ("d", "{x: red}"),
        ("e", "3"),
    ):
        plain.write(f"{name}.md", f"---\nColour of it: 1\ncolour: {value}\n---\n")
    assert paths(asking("colour:red")) == ["a.md", "b.md", "c.md", "d.md"]
    assert paths(asking("colour:3")) == ["e.md"]


def test_a_replaced_decision_is_below_and_says_so(asking: Callable[..., Found]) -> None:
    for text in ("rocket fuel", "fuel methane", "type:decision fuel"):
        hits = [hit for hit in asking(text).hits if hit.path.startswith("decisions/")]
        assert [hit.path for hit in hits] == ["decisions/2026-11-02-fuel.md", "decisions/2026-10-01-fuel.md"], text
        assert [hit.remark for hit in hits] == ["", "replaced by decisions/2026-11-02-fuel.md"]


def test_what_replaces_an_answer_is_found_with_it(plain: Folder, asking: Callable[..., Found]) -> None:
    plain.write(
        "decisions/2026-11-05-engine.md",
        "---\ntype: decision\ndate: 2026-11-05\nproject: '[[nova]]'\nreplaces: '[[2026-11-02-fuel]]'\n---\nWe walk.\n",
    )
    assert paths(asking("hydrogen"))[:2] == ["decisions/2026-11-05-engine.md", "decisions/2026-11-02-fuel.md"]


def test_decisions_that_replace_each_other(plain: Folder, asking: Callable[..., Found]) -> None:
    for one, other in (("x", "y"), ("y", "x"), ("z", "z")):
        plain.write(
            f"decisions/{one}.md",
            f"---\ntype: decision\ndate: 2026-11-05\nproject: '[[nova]]'\nreplaces: '[[{other}]]'\n---\ncircle\n",
        )
    assert sorted(paths(asking("circle"))) == ["decisions/x.md", "decisions/y.md", "decisions/z.md"]


def test_records_and_templates_come_after_notes(asking: Callable[..., Found]) -> None:
    found = paths(asking("rocket fuel"))
    assert found[0] == "decisions/2026-11-02-fuel.md"
    assert {"sessions/2026-11-03-fuel.md", "inbox/2026-11-04.md", "templates/day.md"} <= set(found[1:])
    assert paths(asking("rocket fuel", limit=3))[-1] != "templates/day.md"
    assert paths(asking("rocket fuel type:session")) == ["sessions/2026-11-03-fuel.md"]


def test_says_what_comes_near_where_nothing_is_found(asking: Callable[..., Found]) -> None:
    """UX.md."""
    found = asking("bread dough")
    assert found.hits == []
    assert found.nearest == {"bread": [], "dough": ['"sourdough" (notes/Sourdough.md)']}


def test_a_word_that_is_here_is_not_said_to_be_missing(asking: Callable[..., Found]) -> None:
    assert asking("rocket since:2027") == Found([])
    assert asking('"fuel rocket"') == Found([])


def test_says_what_was_looked_for_instead(asking: Callable[..., Found]) -> None:
    assert asking("peanutts").instead == {"peanutts": ["peanuts"]}
    assert asking("peanuts").instead == {}


def test_a_slip_of_the_pen_is_near_a_word_not_its_stem(plain: Folder, asking: Callable[..., Found]) -> None:
    """One edit from "redi" to "readi" makes no "ready" of "redis"; which form of a word came first does not matter."""
    plain.write("notes/ready.md", "I am ready, rely on it.\n")
    plain.write("notes/walk.md", "She walked, walks, is walking.\n")
    plain.write("notes/salad.md", "Some lettuces.\n")
    assert asking("redis").hits == []
    assert paths(asking("walkng")) == ["notes/walk.md"]
    assert paths(asking("walkes")) == ["notes/walk.md"]
    assert paths(asking("letuce")) == ["notes/salad.md"]


def test_explains_only_when_asked(asking: Callable[..., Found]) -> None:
    assert asking("rocket").hits[0].why == ()
    assert asking("rocket", explain=True).hits[0].why


def test_the_part_of_a_long_line_that_answers(plain: Folder, asking: Callable[..., Found]) -> None:
    """A line may be as long as a book: a terminal shows its first hundred characters, and a model pays for all."""
    plain.write(
        "notes/long.md", f"# Long\n{'some words and more ' * 3000}the zeppelin lands {'at noon or later ' * 3000}\n"
    )
    plain.write("notes/run.md", f"{'天气很好' * 500}大原沙耶香{'天气很好' * 500}\n")
    for question, wanted in (("zeppelin lands", "the zeppelin lands at noon"), ("大原沙耶香", "大原沙耶香")):
        (hit,) = asking(question).hits
        assert wanted in hit.text[:100]
        assert len(hit.text) < 310
        assert hit.text[0] == hit.text[-1] == "…"


def test_what_stands_in_properties_alone_is_found_before_what_has_some_of_it(
    plain: Folder, asking: Callable[..., Found]
) -> None:
    plain.write("films/wild.md", "---\ncast: [大原沙耶香, Rutger Hauer]\nDirected By: Zoë Akin\n---\nA film.\n")
    plain.write("films/tame.md", "原沙 was here. 大原 and 耶香 were not, Hauer said. Nor was Rutger, he added. Akin.\n")
    for question in ("大原沙耶香", "Rutger Hauer", '"directed by":zoe', "directed-by:akin", "Directed_By:Akin"):
        found = asking(question)
        assert paths(found)[0] == "films/wild.md", question
    assert asking("Rutger Hauer").hits[0].line == 2


def test_a_day_that_is_none_is_said(asking: Callable[..., Found]) -> None:
    found = asking("peanuts since:yesterday")
    assert paths(found) == ["notes/Sourdough.md"]
    assert found.no_days == ("since:yesterday",)


def test_a_link_as_the_value_of_a_filter(asking: Callable[..., Found]) -> None:
    for value in ("[[nova]]", '"[[nova]]"'):
        assert len(asking(f"type:decision project:{value}").hits) == 2, value


def test_a_sign_at_the_end_of_a_heading_belongs_to_it(plain: Folder, asking: Callable[..., Found]) -> None:
    plain.write("notes/one.md", "# C#\n")
    plain.write("notes/two.md", "# Closed ##\n")
    assert [hit.title for hit in asking("path:notes/one.md").hits] == ["C#"]
    assert [hit.title for hit in asking("closed").hits] == ["Closed"]


def test_limit(asking: Callable[..., Found]) -> None:
    assert len(asking("rocket fuel", limit=3).hits) == 3
    assert asking("rocket fuel", limit=3).hits == asking("rocket fuel").hits[:3]


def test_the_line_of_a_property(asking: Callable[..., Found]) -> None:
    hit = asking("codex").hits[0]
    assert (hit.line, hit.text) == (4, "agent: codex")


def test_frequent_words_are_left_out_at_size(plain: Folder) -> None:
    """Names and the rarest word never are."""
    for n in range(1200):
        plain.write(f"many/{n}.md", f"common words everywhere {'rare' if n == 7 else ''}\n")
    plain.write("people/common.md", "---\ntype: person\nname: Common\n---\nx\n")
    vault = open_vault(str(plain.root))
    with vault.repo, index.opened(vault) as opened:
        view = opened.now()
        assert paths(search(vault, view, "common rare"))[0] in ("many/7.md", "people/common.md")
        assert "many/7.md" in paths(search(vault, view, "rare everywhere"))
        assert len(search(vault, view, "everywhere").hits) == 10
