"""passes/exported, skillexport: folders outside the vault are kept in step, and nothing in them that is not ours is
touched."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import SKILL
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits.submit import By
from vaultgit.errors import UsageError
from vaultgit.passes import exported
from vaultgit.passes import skillexport
from vaultgit.passes import skillimport
from vaultgit.vault import Vault
from vaultgit.vault import open_vault


def skill(name: str, body: str = "1. do it\n", *more: str, trigger: str = "it is wanted") -> str:
    head = ["---", "type: skill", f"name: {name}", "version: 1", f"trigger: {trigger}", "last_updated: 2026-11-01"]
    return "\n".join([*head, *more, "---", body])


@pytest.fixture
def opened(vault: Folder) -> Iterator[Vault]:
    vault.write("skills/tool.md", skill("tool", "see [more](tool/more.md) and [nova](../projects/nova.md)\n"))
    vault.write("skills/tool/more.md", "more\n")
    vault.write("skills/tool/scripts/run.sh", "#!/bin/sh\nexit 0\n")
    vault.commit("skills")
    found = open_vault(str(vault.root))
    with found.repo:
        yield found


@pytest.fixture
def client(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "clients/skills")


def planned(vault: Vault, client: Folder, *names: str, force: bool = False) -> skillexport.Plan:
    source = skillexport.Source(vault)
    return skillexport.plan(source, skillexport.asked_for(source, str(client.root), names), force=force)


def export(vault: Vault, client: Folder, *names: str, force: bool = False) -> dict[str, str]:
    """Name -> what was done with it."""
    plan = planned(vault, client, *names, force=force)
    skillexport.carry_out(vault, plan)
    return {item.name: item.action for item in plan.items}


def stop(vault: Vault, client: Folder, *, force: bool = False) -> dict[str, str]:
    folder = skillexport.asked_for(skillexport.Source(vault), str(client.root), ())
    plan = skillexport.taken_out(vault, folder, force=force)
    skillexport.stop(vault, plan)
    return {item.name: item.action for item in plan.items}


def files(folder: Folder) -> dict[str, bytes]:
    return folder.snapshot() if folder.root.exists() else {}


# -- what is written -----------------------------------------------------------------------------------------------


def test_a_client_finds_the_skills_natively(vault: Folder, opened: Vault, client: Folder) -> None:
    assert export(opened, client) == {"review-a-pr": "write", "tool": "write"}
    nova = vault.root / "projects/nova.md"
    assert client.read("tool/SKILL.md") == (
        f"---\nname: tool\ndescription: it is wanted\n---\nsee [more](more.md) and [nova]({nova})\n"
    )
    assert client.read("tool/more.md") == "more\n"
    assert os.access(client.root / "tool/scripts/run.sh", os.X_OK)
    assert not os.access(client.root / "tool/more.md", os.X_OK)
    mark = json.loads(client.read("review-a-pr/.vaultgit"))
    assert mark["oid"] == vault.git("rev-parse", "HEAD:skills/review-a-pr.md")
    assert vault.git("status", "--porcelain") == ""


def test_no_leave_to_do_things_goes_out(vault: Folder, opened: Vault, client: Folder) -> None:
    """An agent may write properties of a skill; a client would take these for a person's leave."""
    vault.write("skills/a.md", skill("a", "1. x\n", "allowed-tools: Bash(*)", "hooks: {a: b}", "license: MIT"))
    vault.commit("a")
    export(opened, client, "a")
    assert client.read("a/SKILL.md") == "---\nname: a\ndescription: it is wanted\nlicense: MIT\n---\n1. x\n"


def test_the_second_run_writes_nothing(opened: Vault, client: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    export(opened, client)
    before = files(client)
    monkeypatch.setattr(exported, "put", lambda *args: pytest.fail("written"))
    assert export(opened, client) == {"review-a-pr": "unchanged", "tool": "unchanged"}
    assert files(client) == before


def test_changes_follow(vault: Folder, opened: Vault, client: Folder) -> None:
    export(opened, client)
    vault.write("skills/tool.md", skill("tool", "1. anew\n").replace("version: 1", "version: 2"))
    (vault.root / "skills/tool/more.md").unlink()
    vault.write("skills/tool/other.md", "other\n")
    vault.commit("molt")
    assert export(opened, client) == {"review-a-pr": "unchanged", "tool": "write"}
    assert client.read("tool/SKILL.md").endswith("---\n1. anew\n")
    assert sorted(path for path in files(client) if path.startswith("tool/")) == [
        "tool/.vaultgit", "tool/SKILL.md", "tool/other.md", "tool/scripts/run.sh",
    ]  # fmt: skip


def test_text_that_is_not_in_git_stays_in_the_vault(vault: Folder, opened: Vault, client: Folder) -> None:
    vault.write("skills/tool.md", skill("tool", "1. half a tho"))
    export(opened, client)
    assert "half" not in client.read("tool/SKILL.md")


def test_a_merged_skill_goes_and_says_where(vault: Folder, opened: Vault, client: Folder) -> None:
    export(opened, client)
    (vault.root / "skills/tool.md").unlink()
    shutil.rmtree(vault.root / "skills/tool")
    vault.write("skills/review-a-pr.md", SKILL.replace("version: 1", "version: 2\naliases: [tool]"))
    vault.commit("merged")
    plan = planned(opened, client)
    assert [(item.name, item.action, item.why) for item in plan.items] == [
        ("review-a-pr", "write", ""), ("tool", "remove", "it is review-a-pr now"),
    ]  # fmt: skip
    skillexport.carry_out(opened, plan)
    assert {path.split("/")[0] for path in files(client)} == {"review-a-pr"}
    assert sorted(os.listdir(client.root)) == ["review-a-pr"]


def test_a_file_takes_the_place_of_a_folder_and_back(vault: Folder, opened: Vault, client: Folder) -> None:
    export(opened, client, "tool")
    shutil.rmtree(vault.root / "skills/tool/scripts")
    vault.write("skills/tool/scripts", "a file\n")
    vault.commit("a file")
    assert export(opened, client) == {"tool": "write"} and client.read("tool/scripts") == "a file\n"
    (vault.root / "skills/tool/scripts").unlink()
    vault.write("skills/tool/scripts/b.sh", "a folder\n")
    vault.commit("a folder")
    assert export(opened, client) == {"tool": "write"} and client.read("tool/scripts/b.sh") == "a folder\n"


def test_two_skills_of_one_name_do_not_write_over_each_other(vault: Folder, opened: Vault, client: Folder) -> None:
    vault.write("skills/deep/tool.md", skill("tool", "1. the other\n"))
    vault.commit("twin")
    plan = planned(opened, client)
    assert [item.action for item in plan.items if item.name == "tool"] in (["left", "write"], ["write", "left"])
    assert any("would have the same name there" in item.why for item in plan.items)


def test_what_is_beside_a_skill_is_its_own(vault: Folder, opened: Vault, client: Folder) -> None:
    vault.write("skills/tool/sub.md", skill("sub"))
    vault.write("skills/tool/sub/s.txt", "s\n")
    vault.commit("sub")
    export(opened, client)
    assert client.exists("sub/s.txt") and not client.exists("tool/sub.md") and not client.exists("tool/sub")


# -- what is not ours ----------------------------------------------------------------------------------------------


def test_folders_of_others_are_never_touched(opened: Vault, client: Folder, tmp_path: Path) -> None:
    client.write("tool/SKILL.md", "theirs\n")
    (client.root / "review-a-pr").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    before = files(client)
    for force in (False, True):
        assert export(opened, client, force=force) == {"review-a-pr": "left", "tool": "left"}
        assert files(client) == before and os.listdir(tmp_path / "elsewhere") == []
    assert stop(opened, client) == {} and files(client) == before


def test_what_was_edited_there_is_left_and_named(vault: Folder, opened: Vault, client: Folder) -> None:
    export(opened, client)
    client.write("tool/SKILL.md", client.read("tool/SKILL.md") + "mine\n")
    vault.write("skills/tool/more.md", "changed\n")
    vault.commit("more")
    before = files(client)
    plan = planned(opened, client)
    skillexport.carry_out(opened, plan)
    [item] = plan.of("left")
    assert (item.name, item.why, item.edited) == ("tool", "SKILL.md was edited there since", True)
    assert files(client) == before
    assert export(opened, client, force=True)["tool"] == "write"
    assert client.read("tool/more.md") == "changed\n" and "mine" not in client.read("tool/SKILL.md")


def test_what_was_deleted_there_comes_back_and_what_was_added_stays(opened: Vault, client: Folder) -> None:
    export(opened, client)
    (client.root / "tool/more.md").unlink()
    client.write("tool/notes.txt", "mine\n")
    assert export(opened, client)["tool"] == "write"
    assert client.read("tool/more.md") == "more\n" and client.read("tool/notes.txt") == "mine\n"
    assert stop(opened, client) == {"review-a-pr": "remove", "tool": "remove"}
    assert files(client) == {"tool/notes.txt": b"mine\n"}


def test_a_file_of_theirs_that_a_skill_would_bring_is_an_edit(vault: Folder, opened: Vault, client: Folder) -> None:
    export(opened, client)
    client.write("tool/new.md", "mine\n")
    vault.write("skills/tool/new.md", "ours\n")
    vault.commit("new")
    assert export(opened, client)["tool"] == "left" and client.read("tool/new.md") == "mine\n"


def test_nothing_is_written_through_a_link(vault: Folder, opened: Vault, client: Folder, tmp_path: Path) -> None:
    export(opened, client)
    shutil.rmtree(client.root / "tool/scripts")
    (tmp_path / "elsewhere").mkdir()
    (client.root / "tool/scripts").symlink_to(tmp_path / "elsewhere")
    for force in (False, True):
        assert export(opened, client, force=force)["tool"] == "left"
        assert stop(opened, client, force=force)["tool"] == "left"
    assert os.listdir(tmp_path / "elsewhere") == []


def test_another_vaults_folders_are_not_ours(opened: Vault, client: Folder, tmp_path: Path) -> None:
    export(opened, client)
    shutil.copytree(opened.root, tmp_path / "copy")
    with open_vault(str(tmp_path / "copy")).repo as repo:
        other = open_vault(str(tmp_path / "copy"))._replace(repo=repo)
        assert export(other, client) == {"review-a-pr": "left", "tool": "left"}


def test_a_vault_that_moved_knows_its_folders(opened: Vault, client: Folder, tmp_path: Path) -> None:
    export(opened, client)
    opened.repo.close()
    os.rename(opened.root, tmp_path / "moved")
    moved = open_vault(str(tmp_path / "moved"))
    with moved.repo:
        assert export(moved, client) == {"review-a-pr": "write", "tool": "write"}
        assert export(moved, client) == {"review-a-pr": "unchanged", "tool": "unchanged"}


# -- killed, stopped, remembered -----------------------------------------------------------------------------------


def test_a_run_that_is_cut_short_is_finished_by_the_next(
    vault: Folder, opened: Vault, client: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    real = exported.put
    left = 0

    def put(path: str, data: bytes, mode: int) -> None:
        nonlocal left
        if not left:
            Path(f"{path}.vaultgit-tmp").write_bytes(data[:3])
            raise Killed
        left -= 1
        real(path, data, mode)

    monkeypatch.setattr(exported, "put", put)
    for version in (1, 2):
        if version == 2:
            vault.write("skills/tool.md", skill("tool", "1. anew\n").replace("version: 1", "version: 2"))
            vault.write("skills/tool/more.md", "much more\n")
            vault.commit("molt")
        for steps in range(12):
            left = steps
            try:
                assert "left" not in export(opened, client, "tool").values()
            except Killed:
                continue
        left = 99
        assert export(opened, client, "tool") == {"tool": "unchanged"}
        assert not [path for path in files(client) if path.endswith("-tmp")]
    assert client.read("tool/more.md") == "much more\n" and client.read("tool/SKILL.md").endswith("1. anew\n")


def test_p12_stop_is_the_exact_inverse(vault: Folder, opened: Vault, client: Folder) -> None:
    config = vault.git("config", "--local", "--list")
    export(opened, client)
    assert exported.remembered(opened) == [exported.Folder(str(client.root))]
    assert stop(opened, client) == {"review-a-pr": "remove", "tool": "remove"}
    assert not client.root.parent.exists()
    assert vault.git("config", "--local", "--list") == config


def test_p12_stop_keeps_what_was_there(opened: Vault, client: Folder) -> None:
    client.write("own/SKILL.md", "theirs\n")
    before = files(client)
    export(opened, client)
    stop(opened, client)
    assert files(client) == before
    client.root.joinpath("empty").mkdir()
    export(opened, Folder(client.root / "empty"))
    stop(opened, Folder(client.root / "empty"))
    assert client.exists("empty")


def test_names_are_remembered_and_asked_for_again(vault: Folder, opened: Vault, client: Folder) -> None:
    assert export(opened, client, "tool") == {"tool": "write"}
    assert export(opened, client) == {"tool": "unchanged"}
    assert exported.names(opened) == {"tool"}
    assert export(opened, client, "skills/review-a-pr.md") == {"review-a-pr": "write", "tool": "remove"}
    assert exported.remembered(opened) == [exported.Folder(str(client.root), ("review-a-pr",))]
    assert vault.git("config", "--get-all", "vaultgit.export") == f"{client.root} :: review-a-pr"


def test_names_that_are_exported_are_known_also_where_the_folder_is_away(opened: Vault, client: Folder) -> None:
    assert exported.names(opened) == set()
    export(opened, client)
    assert exported.names(opened) == {"review-a-pr", "tool"}
    shutil.rmtree(client.root / "tool")
    assert exported.names(opened) == {"review-a-pr"}
    shutil.rmtree(client.root)
    assert exported.names(opened) == {"review-a-pr", "tool"}


def test_vaults_of_one_repository_have_folders_of_their_own(tmp_path: Path, client: Folder) -> None:
    outer = Folder(tmp_path / "outer")
    for name in ("one", "two"):
        outer.write(f"{name}/.vaultgit.toml", "")
        outer.write(f"{name}/skills/{name}.md", skill(name))
    outer.git("init", "--quiet")
    outer.commit("start")
    one, two = (open_vault(str(outer.root / name)) for name in ("one", "two"))
    with one.repo, two.repo:
        assert export(one, client) == {"one": "write"}
        assert exported.remembered(two) == [] and exported.names(two) == set()
        assert export(two, client) == {"two": "write"}
        assert stop(one, client) == {"one": "remove"} and client.exists("two/SKILL.md")


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
    st.lists(st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)?", fullmatch=True)),
)
def test_a_remembered_folder_reads_back(path: str, names: list[str]) -> None:
    folder = exported.Folder("/" + path, tuple(names))
    if names or " :: " not in path:
        assert exported._folder(str(folder)) == folder


@pytest.mark.parametrize("place", ["", "skills", "new/deep", ".claude/skills"])
def test_nothing_is_exported_into_the_vault(vault: Folder, opened: Vault, place: str) -> None:
    with pytest.raises(UsageError, match="lies in the vault"):
        skillexport.asked_for(skillexport.Source(opened), str(vault.root / place), ())
    (vault.root.parent / "way-in").symlink_to(vault.root)
    with pytest.raises(UsageError, match="lies in the vault"):
        skillexport.asked_for(skillexport.Source(opened), str(vault.root.parent / "way-in" / place), ())


# -- edited there, taken over --------------------------------------------------------------------------------------


def test_what_was_edited_there_can_be_taken_over(vault: Folder, opened: Vault, client: Folder) -> None:
    export(opened, client)
    there = client.read("tool/SKILL.md").replace("see ", "1. look: ").replace("it is wanted", "it is needed")
    client.write("tool/SKILL.md", there + "2. [again](../review-a-pr/SKILL.md), [new](new.md)\n")
    client.write("tool/new.md", "new\n")

    by = By("claude-code", "s1")
    found = skillimport.find(str(client.root / "tool"))
    drafts = skillimport.drafts(opened, SystemClock(), found, by.agent)
    assert [(one.name, one.outcome) for one in drafts] == [("tool", "changed")]
    [refused] = skillimport.carry_out(opened, SystemClock(), [drafts[0]._replace(changes=drafts[0].changes[:1])], by)
    assert refused.outcome == "committed", refused.why
    by_person = skillimport.drafts(opened, SystemClock(), skillimport.find(str(client.root / "tool")), None)
    skillimport.carry_out(opened, SystemClock(), by_person, By())

    assert vault.read("skills/tool.md") == skill(
        "tool",
        "1. look: [more](tool/more.md) and [nova](../projects/nova.md)\n2. [again](review-a-pr.md), [new](tool/new.md)\n",
        trigger="it is needed",
    ).replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-29")
    assert vault.read("skills/tool/new.md") == "new\n"
    assert vault.git("log", "-1", "--format=%s", "--", "skills/tool.md") == "skills/tool: edited where it is exported"
    assert export(opened, client)["tool"] == "write"
    assert client.read("tool/SKILL.md") == there + "2. [again](../review-a-pr/SKILL.md), [new](new.md)\n"
    assert vault.run("verify").code == 0


def test_taking_over_merges_with_what_the_vault_has_meanwhile(vault: Folder, opened: Vault, client: Folder) -> None:
    vault.write("skills/tool.md", skill("tool", "".join(f"{number}. step\n" for number in range(1, 12))))
    vault.commit("longer")
    export(opened, client)
    client.write("tool/SKILL.md", client.read("tool/SKILL.md").replace("11. step", "11. theirs"))
    vault.write(
        "skills/tool.md", vault.read("skills/tool.md").replace("2. step", "2. ours").replace("version: 1", "version: 2")
    )
    vault.commit("molt")
    drafts = skillimport.drafts(opened, SystemClock(), skillimport.find(str(client.root / "tool")), None)
    [done] = skillimport.carry_out(opened, SystemClock(), drafts, By())
    assert done.outcome == "merged"
    text = vault.read("skills/tool.md")
    assert "2. ours" in text and "11. theirs" in text and "version: 3" in text
    assert export(opened, client)["tool"] == "write"
    assert "2. ours" in client.read("tool/SKILL.md")


def test_an_exported_folder_that_nobody_edited_is_here_already(opened: Vault, client: Folder) -> None:
    export(opened, client)
    drafts = skillimport.drafts(opened, SystemClock(), skillimport.find(str(client.root)), None)
    assert [one.outcome for one in drafts] == ["unchanged", "unchanged"]
