"""Skills as a commit holds them: those that are managed, whole; what is broken is named and never read as one."""

from __future__ import annotations

import pytest
from past import Did
from past import Past
from past import go_on
from past import skill

from vaultgit.recall import skills


def test_a_skill_is_read_whole(past: Past) -> None:
    text = skill("knit", more="pinned: true\naliases: [socks, scarves]\n", version=3, trigger="somebody is cold")
    vault = past([Did("2026-01-01", {"skills/knit.md": text, "skills/deep/sew.md": skill("sew")})])
    found = skills.at(vault, "HEAD")
    assert [one.path for one in found.skills] == ["skills/deep/sew.md", "skills/knit.md"] and not found.broken
    knit = found.skills[1]
    assert knit.data == text.encode() and knit.body == "1. do knit\n"
    assert (knit.name, knit.trigger, knit.version, knit.pinned) == ("knit", "somebody is cold", 3, True)
    assert knit.aliases == ("socks", "scarves")
    assert found.skills[0].aliases == () and not found.skills[0].pinned


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\ntype: skill\nname: x\ntrigger: [\n---\n1. go\n", "FM01"),
        (skill("x", more="name: y\n"), "FM02"),
        (skill("x").replace("version: 1", "version: one"), "FM03 'version' is"),
        (skill("x").replace("trigger: when x is asked for\n", ""), "FM03"),
        (skill("x") + "\udcff", "not UTF-8"),
    ],
)
def test_a_broken_skill_is_left_alone_and_named(past: Past, text: str, why: str) -> None:
    vault = past([Did("2026-01-01", {"skills/x.md": text, "skills/good.md": skill("good")})])
    found = skills.at(vault, "HEAD")
    assert [one.name for one in found.skills] == ["good"]
    assert found.broken.keys() == {"skills/x.md"} and why in found.broken["skills/x.md"]


def test_what_no_schema_holds_is_no_skill(past: Past) -> None:
    others = {
        "skills/list.md": "# My skills\n",
        "skills/book.md": "---\ntype: book\n---\n",
        "skills/knit/pattern.txt": skill("pattern"),
        "skills/.trash/old.md": skill("old"),
        "notes/elsewhere.md": skill("elsewhere"),
        "sessions/2026-01-01-x.md": skill("x"),
    }
    vault = past([Did("2026-01-01", others)])
    assert skills.at(vault, "HEAD") == skills.Skills([], {})


def test_it_is_the_commit_that_is_read_and_not_the_disk(past: Past) -> None:
    vault = past([Did("2026-01-01", {"skills/a.md": skill("a")})])
    first = vault.repo.resolve("HEAD")
    assert first is not None
    go_on(vault, [Did("2026-01-02", {"skills/a.md": None, "skills/b.md": skill("b")})])
    past.folder.write("skills/c.md", skill("c"))
    assert [one.name for one in skills.at(vault, "HEAD").skills] == ["b"]
    assert [one.name for one in skills.at(vault, first).skills] == ["a"]


def test_a_vault_inside_a_repository_and_a_folder_of_another_name(past: Past) -> None:
    vault = past([Did("2026-01-01", {"skills/a.md": skill("a")})], prefix="notes/")
    assert [one.path for one in skills.at(vault, "HEAD").skills] == ["skills/a.md"]
    files = {"how to/b.md": skill("b"), "skills/c.md": skill("c")}
    other = past([Did("2026-01-02", files)], settings='[layout]\nskill = "how to"\n')
    assert [one.path for one in skills.at(other, "HEAD").skills] == ["how to/b.md"]


def test_text_is_what_lies_on_disk_where_a_filter_hides_it(past: Past) -> None:
    """As git-crypt does: what git stores is no text."""
    vault = past([])
    folder = past.folder
    folder.git("config", "filter.turn.clean", "rev")
    folder.git("config", "filter.turn.smudge", "rev")
    folder.write(".gitattributes", "skills/*.md filter=turn\n")
    folder.write("skills/a.md", skill("a"))
    folder.commit()
    assert folder.git("cat-file", "blob", "HEAD:skills/a.md").startswith("---\nlliks :epyt\n")
    [found] = skills.at(vault, "HEAD").skills
    assert found.data == skill("a").encode() and found.name == "a"


def test_many_skills_take_no_process_each(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = past([Did("2026-01-01", {f"skills/s{n}.md": skill(f"s{n}") for n in range(1500)})])
    started = []
    run = type(vault.repo).call

    def counted(repo, *args, **options):  # type: ignore[no-untyped-def]
        started.append(args)
        return run(repo, *args, **options)

    monkeypatch.setattr(type(vault.repo), "call", counted)
    assert len(skills.at(vault, "HEAD").skills) == 1500
    assert len(started) <= 3, started
