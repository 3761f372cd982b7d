"""passes/agentskills, skillimport: Agent Skills as notes and back, byte for byte but for links."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits import queue
from vaultgit.edits.submit import By
from vaultgit.notes import frontmatter
from vaultgit.passes import agentskills
from vaultgit.passes import skillexport
from vaultgit.passes import skillimport
from vaultgit.passes import skills
from vaultgit.passes.skillimport import Imported
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

PNG = b"\x89PNG\r\n\x1a\n\x00\x01\xff\xfe"


def skill_md(name: str, body: str | bytes = "1. do it\n", *more: str, description: str = "it is wanted") -> bytes:
    head = "\n".join(["---", f"name: {name}", f"description: {description}", *more, "---", ""])
    return head.encode() + (body.encode() if isinstance(body, str) else body)


def take_in(vault: Vault, *folders: Path, by: By = By("codex", "s1")) -> dict[str, Imported]:  # noqa: B008
    found = [one for folder in folders for one in skillimport.find(str(folder))]
    drafts = skillimport.drafts(vault, SystemClock(), found, by.agent)
    return {one.name: one for one in skillimport.carry_out(vault, SystemClock(), drafts, by)}


def bring_out(vault: Vault, folder: Path) -> skillexport.Plan:
    source = skillexport.Source(vault)
    planned = skillexport.plan(source, skillexport.asked_for(source, str(folder), ()))
    skillexport.carry_out(vault, planned)
    return planned


@pytest.fixture
def opened(vault: Folder) -> Iterator[Vault]:
    found = open_vault(str(vault.root))
    with found.repo:
        yield found


# -- the format ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_name", "expected"),
    [
        ("release-notes", "release-notes"), ("Release Notes", "release-notes"), ("PDF_Tools v2", "pdf-tools-v2"),
        ("createPullRequest", "create-pull-request"), ("Café's menu", "cafes-menu"), ("--a--b--", "a-b"),
        ("猫", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_name_becomes_kebab_case(given_name: str, expected: str) -> None:
    assert skills.kebab(given_name) == expected


@given(st.text(max_size=40))
def test_kebab_case_is_kebab_case_and_stays_it(text: str) -> None:
    name = skills.kebab(text)
    assert re.fullmatch(r"([a-z0-9]+(-[a-z0-9]+)*)?", name)
    assert skills.kebab(name) == name


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"1. do it\n", "has no front matter"),
        (b"---\nname: a\n---\n1. do it\n", "does not say when to use it"),
        (b"---\nname: a\ndescription: [x]\n---\n1. do it\n", "does not say when to use it"),
        (b"---\nname: a\ndescription: x: y: z\n---\n1. do it\n", "line 3: FM01"),
        (b"---\nname: a\ndescription: caf\xe9\n---\n1. do it\n", "FM01 not UTF-8"),
        (b"---\nname: a\ndescription: x\n---\n \n", "has no body"),
    ],
)
def test_a_broken_document_says_why(data: bytes, why: str) -> None:
    with pytest.raises(agentskills.Unreadable, match=re.escape(why)):
        agentskills.parse(data)


@given(st.text(st.sampled_from("ab é\n"), min_size=1, max_size=3000))
def test_clients_get_no_more_than_they_take_cut_at_a_word(trigger: str) -> None:
    shown, whole = agentskills.exported_description(trigger), agentskills.one_line(trigger)
    assert len(shown) <= 1024
    if shown != whole:
        assert len(whole) > 1024 and whole.startswith(shown[:-1]) and shown[-1] == "…"
        assert " " not in whole[:1024] or whole[len(shown) - 1] == " "


@given(st.lists(st.text(st.sampled_from("ab1"), min_size=1, max_size=30), min_size=1, max_size=12))
def test_a_long_name_is_cut_at_a_word(words: list[str]) -> None:
    name = "-".join(words)
    shown = agentskills.exported_name(name)
    assert len(shown) <= 64 and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", shown)
    assert shown == name or (len(name) > 64 and name.startswith(f"{shown}-"))


_parts = st.lists(st.sampled_from(["a", "b c", "d.md", "é", "x(1)"]), min_size=1, max_size=3)


@given(st.lists(_parts, min_size=1, max_size=4), st.sampled_from(["", "./"]), st.sampled_from(["", "#part"]))
def test_links_lead_to_the_same_file_and_back(files: list[list[str]], before: str, after: str) -> None:
    """SKILL.md -> note -> SKILL.md."""
    there = {f"/x/tool/{'/'.join(parts)}": f"skills/tool/{'/'.join(parts)}" for parts in files}
    back = {new: old.removeprefix("/x/") for old, new in there.items()}
    for old, new in there.items():
        target = before + posixpath.relpath(old, "/x/tool")
        now = agentskills.follow(target, "/x/tool/SKILL.md", there, "skills/tool.md")
        assert now is not None and posixpath.normpath(posixpath.join("skills", now)) == new
        assert agentskills.follow(now, "skills/tool.md", back, "tool/SKILL.md") == target


def test_other_links_stay() -> None:
    places = {"/x/tool/a.md": "skills/tool/a.md"}
    for target in ("", "b.md", "/a.md", "../tool2/a.md", "people/ada"):
        assert agentskills.follow(target, "/x/tool/SKILL.md", places, "skills/tool.md") is None


# -- into the vault ------------------------------------------------------------------------------------------------


def test_a_skill_is_one_edit_with_all_that_lies_beside_it(vault: Folder, opened: Vault, tmp_path: Path) -> None:
    theirs = Folder(tmp_path / "collection")
    body = "# PDF\r\n\r\nSee [more](references/more.md#top), `references/more.md` and ![x](./logo.png).\r\n\r\n1. go"
    more = ("license: MIT", "allowed-tools: [Read, Bash]", "version: 1.2.3", "metadata:", "  author: somebody")
    theirs.write("skills/PDF Tools/SKILL.md", skill_md("PDF Tools", body, *more))
    theirs.write("skills/PDF Tools/references/more.md", "# More\n[back](../SKILL.md)\n")
    theirs.write("skills/PDF Tools/logo.png", PNG)
    theirs.write("skills/PDF Tools/.env", "hidden\n")
    theirs.write("skills/PDF Tools/big.bin", b"x" * (skillimport.LARGEST + 1))
    (theirs.root / "skills/PDF Tools/link.md").symlink_to("/etc/passwd")
    (theirs.root / "skills/PDF Tools/linked").symlink_to("/etc")
    before = vault.git("rev-parse", "HEAD")

    done = take_in(opened, theirs.root, by=By())["pdf-tools"]

    assert (done.outcome, done.path, done.source) == ("committed", "skills/pdf-tools.md", "collection/skills/PDF Tools")
    assert vault.git("rev-list", "--count", f"{before}..HEAD") == "1"
    assert vault.git("show", "--name-only", "--format=%an", "HEAD").split("\n") == [
        "Test Person", "", "changelog.md", "skills/pdf-tools.md", "skills/pdf-tools/logo.png",
        "skills/pdf-tools/references/more.md",
    ]  # fmt: skip
    assert done.left_out == ("big.bin: 1.0 MB, over 1 MB", "link.md: a symbolic link", "linked: a symbolic link")
    note = vault.bytes("skills/pdf-tools.md")
    values = frontmatter.read(note).values
    assert values == {
        "type": "skill", "name": "pdf-tools", "version": 1, "trigger": "it is wanted", "last_updated": "2026-11-29",
        "source": "collection/skills/PDF Tools", "license": "MIT", "allowed-tools": ["Read", "Bash"],
        "metadata": {"author": "somebody"},
    }  # fmt: skip
    expected = body.replace("(references/", "(pdf-tools/references/").replace("(./logo", "(./pdf-tools/logo")
    assert note.endswith(b"---\n" + expected.encode())
    assert vault.bytes("skills/pdf-tools/logo.png") == PNG
    assert not vault.exists("skills/pdf-tools/.env") and vault.git("status", "--porcelain") == ""


def test_an_agent_brings_along_notes_that_are_no_skills(vault: Folder, opened: Vault, tmp_path: Path) -> None:
    theirs = Folder(tmp_path / "tool")
    theirs.write("SKILL.md", skill_md("tool"))
    theirs.write("references/more.md", "---\nname: {{field}}\n---\n# More\n")
    assert take_in(opened, theirs.root)["tool"].outcome == "committed"
    assert vault.run("check", "--from", "HEAD~1", "--to", "HEAD").code == 0


def test_bodies_come_back_byte_for_byte(opened: Vault, tmp_path: Path) -> None:
    bodies = [
        b"no line end", b"\n\n\nblank lines\n\n", b"crlf\r\nlines\r\n", b"---\nname: x\n---\nlooks like more\n",
        b"\xef\xbb\xbfa mark\n", "zwölf — 猫 \u2028 \u200b\n".encode(), b"[a](b.md) [[c]] <!-- x -->\n",
        b"```\n[x](references/a.md)\n```\n[x](references/a.md)\n", b"tabs\t and trailing  \n",
    ]  # fmt: skip
    theirs = Folder(tmp_path / "collection")
    for number, body in enumerate(bodies):
        theirs.write(f"s{number}/SKILL.md", skill_md(f"s{number}", body))
        theirs.write(f"s{number}/references/a.md", f"{number}\n")
    bring_out_to = tmp_path / "client"
    assert {one.outcome for one in take_in(opened, theirs.root, by=By()).values()} == {"committed"}
    bring_out(opened, bring_out_to)
    for number, body in enumerate(bodies):
        data = (bring_out_to / f"s{number}/SKILL.md").read_bytes()
        assert agentskills.parse(data).body == body, number
        assert (bring_out_to / f"s{number}/references/a.md").read_bytes() == f"{number}\n".encode()


def test_links_between_skills_follow_both_ways(vault: Folder, opened: Vault, tmp_path: Path) -> None:
    theirs = Folder(tmp_path / "collection")
    body = "1. first [b](../b/SKILL.md), then [its list](../b/list.md) and [[references]]\n"
    theirs.write("a/SKILL.md", skill_md("a", body))
    theirs.write("b/SKILL.md", skill_md("b"))
    theirs.write("b/list.md", "x\n")
    take_in(opened, theirs.root, by=By())
    assert "[b](b.md), then [its list](b/list.md) and [[references]]" in vault.read("skills/a.md")
    bring_out(opened, tmp_path / "client")
    assert (tmp_path / "client/a/SKILL.md").read_text().endswith(body)


def test_again_is_unchanged_and_names_that_are_taken_are_skipped(vault: Folder, opened: Vault, tmp_path: Path) -> None:
    theirs = Folder(tmp_path / "collection")
    theirs.write("new/SKILL.md", skill_md("fresh"))
    theirs.write("new/a.txt", "x\n")
    theirs.write("old/SKILL.md", skill_md("review-a-pr"))
    theirs.write("twin/SKILL.md", skill_md("Fresh", "1. otherwise\n"))
    mine = vault.read("skills/review-a-pr.md")
    done = take_in(opened, theirs.root, by=By())
    assert done["review-a-pr"].outcome == "taken" and done["review-a-pr"].why.endswith("skills/review-a-pr.md")
    assert vault.read("skills/review-a-pr.md") == mine
    assert vault.git("log", "--format=%s", "-1") == "skills/fresh: imported"
    drafts = skillimport.drafts(opened, SystemClock(), skillimport.find(str(theirs.root)), None)
    assert [(one.source, one.outcome) for one in drafts] == [
        ("collection/new", "unchanged"), ("collection/old", "taken"), ("collection/twin", "taken"),
    ]  # fmt: skip
    theirs.write("new/a.txt", "y\n")
    assert take_in(opened, theirs.root / "new")["fresh"].outcome == "taken"


def test_a_persons_file_in_the_way_is_not_written_over(vault: Folder, opened: Vault, tmp_path: Path) -> None:
    vault.write("skills/tool/a.md", "mine, not in git\n")
    theirs = Folder(tmp_path / "tool")
    theirs.write("SKILL.md", skill_md("tool"))
    theirs.write("a.md", "theirs\n")
    done = take_in(opened, theirs.root, by=By())["tool"]
    assert (done.outcome, done.why) == ("taken", "skills/tool/a.md is there with another text")
    assert vault.read("skills/tool/a.md") == "mine, not in git\n" and not vault.exists("skills/tool.md")


def test_what_is_broken_or_secret_takes_no_other_along(vault: Folder, opened: Vault, tmp_path: Path) -> None:
    theirs = Folder(tmp_path / "collection")
    theirs.write("bad/SKILL.md", b"---\nname: bad\ndescription: a: b\n---\n1. x\n")
    theirs.write("good/SKILL.md", skill_md("good"))
    theirs.write("leaky/SKILL.md", skill_md("leaky"))
    theirs.write("leaky/config.txt", f"token: {'ghp_' + 'Zk8' * 12}\n")
    theirs.write("name/SKILL.md", skill_md("猫"))
    (theirs.root / "name").rename(theirs.root / "猫")
    done = take_in(opened, theirs.root)
    assert {one.source.rpartition("/")[2]: one.outcome for one in done.values()} == {
        "bad": "refused", "good": "committed", "leaky": "refused", "猫": "refused",
    }  # fmt: skip
    assert "SE01" in done["leaky"].why and "line 3" in done["collection/bad"].why
    assert not vault.exists("skills/leaky.md") and not vault.exists("skills/leaky/config.txt")
    assert queue.listing(os.path.join(opened.state, "queue")) == []


def test_one_skill_is_no_part_of_another(vault: Folder, opened: Vault, tmp_path: Path) -> None:
    theirs = Folder(tmp_path / "outer")
    theirs.write("SKILL.md", skill_md("outer"))
    theirs.write("a.txt", "x\n")
    theirs.write("inner/SKILL.md", skill_md("inner"))
    theirs.write("inner/b.txt", "x\n")
    assert set(take_in(opened, theirs.root)) == {"outer", "inner"}
    assert vault.exists("skills/outer/a.txt") and vault.exists("skills/inner/b.txt")
    assert not vault.exists("skills/outer/inner")


def test_a_single_file_comes_alone(vault: Folder, opened: Vault, tmp_path: Path) -> None:
    """~/Downloads/SKILL.md must not bring all downloads along."""
    theirs = Folder(tmp_path / "downloads")
    theirs.write("SKILL.md", skill_md("tool"))
    theirs.write("letter.txt", "private\n")
    take_in(opened, theirs.root / "SKILL.md")
    assert vault.exists("skills/tool.md") and not vault.exists("skills/tool")


def test_a_project_with_a_skill_at_its_top_is_no_skill(
    opened: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skillimport, "MOST", 3)
    theirs = Folder(tmp_path / "project")
    theirs.write("SKILL.md", skill_md("tool"))
    for number in range(4):
        theirs.write(f"src/{number}.py", "x\n")
    [done] = take_in(opened, theirs.root).values()
    assert done.outcome == "refused" and "over 3 files" in done.why


def test_p2_while_a_rebase_is_open_all_of_it_waits_and_lands_later(
    vault: Folder, opened: Vault, tmp_path: Path
) -> None:
    theirs = Folder(tmp_path / "collection")
    for name in ("a", "b", "c"):
        theirs.write(f"{name}/SKILL.md", skill_md(name))
    state = vault.root / ".git/rebase-merge"
    state.mkdir()
    (state / "head-name").write_text("refs/heads/main\n")
    done = take_in(opened, theirs.root, by=By())
    assert {one.outcome for one in done.values()} == {"queued"} and all("rebase" in one.why for one in done.values())
    assert {one.outcome for one in take_in(opened, theirs.root, by=By()).values()} == {"unchanged"}
    (state / "head-name").unlink()
    state.rmdir()
    assert vault.run("status").code == 0
    assert vault.git("log", "--format=%s", "-3").split("\n") == [f"skills/{name}: imported" for name in "cba"]
    assert vault.run("verify").code == 0


def test_many_land_in_several_rounds_each_a_commit(
    vault: Folder, opened: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vaultgit.edits import batch

    monkeypatch.setattr(batch, "EDITS", 3)
    theirs = Folder(tmp_path / "collection")
    for number in range(8):
        theirs.write(f"s{number}/SKILL.md", skill_md(f"s{number}"))
    done = take_in(opened, theirs.root)
    assert [one.outcome for one in done.values()] == ["committed"] * 8
    oids = vault.git("log", "--format=%H", "--reverse", "-8").split()
    assert [one.oid for one in done.values()] == oids
    assert vault.run("verify").out == "agrees: 8 edits\n"
