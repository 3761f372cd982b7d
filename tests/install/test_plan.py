"""install: what is planned, that the second plan is empty, and that removal is the exact inverse
(P12).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from support import Folder
from support import set_up

from vaultgit.checks import lying
from vaultgit.errors import UsageError
from vaultgit.history.repository import Repository
from vaultgit.install import baseline
from vaultgit.install import init
from vaultgit.install import removal
from vaultgit.install import understand
from vaultgit.vault import Disk
from vaultgit.vault import Rules

CONFIG = ".pre-commit-config.yaml"


def planned(vault: Folder, **options: str) -> init.Plan:
    root = str(vault.root)
    repo = Repository.find(root)
    assert repo is not None
    with repo:
        return init.plan(root, repo, understand.understand(root, Rules(Disk(root))), **options)  # type: ignore[arg-type]


def take_out(vault: Folder) -> list[str]:
    root = str(vault.root)
    repo = Repository.find(root)
    assert repo is not None

    def commit(changes: dict[str, bytes | None], message: str) -> None:
        for path, data in changes.items():
            if data is None:
                (vault.root / path).unlink()
            else:
                vault.write(path, data)
        vault.commit(message, *changes)

    with repo:
        opened = understand.vault_at(root, repo)
        taken, stays = removal.plan_removal(opened)
        removal.undo(opened, taken, commit)
    return stays


def test_the_second_plan_is_empty(plain: Folder) -> None:
    set_up(plain)
    assert planned(plain).empty
    assert plain.git("status", "--porcelain") == ""


FOREIGN = {
    "nothing there": {},
    "all there": {
        "AGENTS.md": b"# Mine\n",
        "CLAUDE.md": b"no final newline",
        ".gitattributes": b"*.png binary\r\n*.pdf binary\r\n",
        ".gitignore": b"\xef\xbb\xbfbuild/\n\n",
        CONFIG: b"# mine\nrepos:\n- repo: local\n  hooks: []\n",
    },
    "empty files": {"AGENTS.md": b"", "CLAUDE.md": b"\n", ".gitattributes": b"", ".gitignore": b"\r\n"},
    "indented": {CONFIG: b"repos:\n  # first\n\n  - repo: local\n    hooks: []\nfail_fast: true"},
    "an odd list": {CONFIG: b"repos: [{repo: local, hooks: []}]\n"},
    "their changelog": {"changelog.md": b"# What I did\n\n- 2026-01-01 start\n"},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_removal_brings_back_every_byte(plain: Folder, name: str) -> None:
    for path, data in FOREIGN[name].items():
        plain.write(path, data)
    plain.commit("theirs")
    before = plain.snapshot()
    config = (plain.root / ".git/config").read_bytes()
    set_up(plain)
    assert planned(plain).empty
    for path, data in before.items():
        assert plain.bytes(path) == data or path in FOREIGN[name], path
    stays = take_out(plain)
    assert plain.snapshot() == before
    assert (plain.root / ".git/config").read_bytes() == config
    assert not (plain.root / ".git/vaultgit").exists()
    assert stays == ([] if name != "their changelog" else ["changelog.md and the notes' history"])


@pytest.mark.parametrize("name", ["all there", "indented"])
def test_our_pre_commit_entry_is_added_and_theirs_stays(plain: Folder, name: str) -> None:
    data = FOREIGN[name][CONFIG]
    plain.write(CONFIG, data)
    plain.commit("theirs")
    set_up(plain)
    now, old = yaml.safe_load(plain.bytes(CONFIG)), yaml.safe_load(data)
    assert now["repos"][0]["hooks"][0]["id"] == "vaultgit"
    assert {**now, "repos": now["repos"][1:]} == old


def test_a_list_that_cannot_be_added_to_is_told(plain: Folder) -> None:
    plain.write(CONFIG, FOREIGN["an odd list"][CONFIG])
    plan = planned(plain)
    assert CONFIG not in [step.path for step in plan.files]
    assert any(CONFIG in words for words in plan.remarks)


def test_a_block_edited_since_is_left_and_told(plain: Folder) -> None:
    set_up(plain)
    plain.write("AGENTS.md", plain.read("AGENTS.md").replace("seven", "eight").replace("because", "since"))
    plain.commit("mine now")
    mine = plain.read("AGENTS.md")
    assert planned(plain).empty
    stays = take_out(plain)
    assert any("AGENTS.md" in words and "edited since" in words for words in stays)
    assert plain.read("AGENTS.md") == mine


def test_lines_that_were_recorded_stay(plain: Folder) -> None:
    set_up(plain)
    line = "- 2026-11-29 21:10 people/ada: x (claude-code) ^01jdx3k9m2qtw7ab\n"
    plain.write("changelog.md", plain.read("changelog.md") + "\n" + line)
    plain.commit("an edit")
    assert any("changelog.md" in words for words in take_out(plain))
    assert line in plain.read("changelog.md")


def test_settings_a_person_made_stay(plain: Folder) -> None:
    set_up(plain)
    plain.git("config", "vaultgit.agentsMayDecide", "true")
    plain.git("config", "--global", "vaultgit.vault", "/another/vault")
    take_out(plain)
    assert plain.git("config", "vaultgit.agentsMayDecide") == "true"
    assert plain.git("config", "--global", "vaultgit.vault") == "/another/vault"
    assert plain.try_git("config", "vaultgit.program").code == 1


def test_an_alias_of_theirs_is_left(plain: Folder) -> None:
    plain.git("config", "alias.vaultgit", "!echo mine")
    assert any("alias.vaultgit" in words for words in planned(plain).remarks)
    set_up(plain)
    take_out(plain)
    assert plain.git("config", "alias.vaultgit") == "!echo mine"


def test_links_between_agents_files_are_followed(plain: Folder) -> None:
    plain.write("CLAUDE.md", "# For agents\n")
    (plain.root / "AGENTS.md").symlink_to("CLAUDE.md")
    plain.commit("theirs")
    before = plain.snapshot()
    set_up(plain)
    assert (plain.root / "AGENTS.md").is_symlink()
    assert "@AGENTS.md" not in plain.read("CLAUDE.md") and "vaultgit read" in plain.read("CLAUDE.md")
    take_out(plain)
    assert plain.snapshot() == before


def test_their_way_to_merge_notes_stays(plain: Folder) -> None:
    plain.write(".gitattributes", "*.md merge=theirs\n")
    set_up(plain)
    assert plain.git("check-attr", "merge", "a.md") == "a.md: merge: theirs"
    assert plain.git("check-attr", "merge", "changelog.md") == "changelog.md: merge: union"


@pytest.mark.parametrize(
    ("path", "driver"),
    [("people/ada.md", "vaultgit"), ("changelog.md", "union"), ("changelog/2026-09.md", "union"),
     (".vaultgit/declined.md", "union"), ("a.txt", "unspecified")],
)  # fmt: skip
def test_how_files_merge(vault: Folder, path: str, driver: str) -> None:
    assert vault.git("check-attr", "merge", path) == f"{path}: merge: {driver}"


def test_obsidian_git_that_commits_by_itself_is_warned_only(plain: Folder) -> None:
    plain.write(".obsidian/plugins/obsidian-git/data.json", json.dumps({"autoSaveInterval": 10}))
    settings = {setting.key: setting.value for setting in planned(plain).settings}
    assert settings["vaultgit.people"] == "warn"
    plain.git("config", "vaultgit.people", "refuse")
    assert "vaultgit.people" not in {setting.key for setting in planned(plain).settings}


@pytest.mark.parametrize("interval", [0, None, "ten"])
def test_without_a_timer_people_are_refused(plain: Folder, interval: object) -> None:
    plain.write(".obsidian/plugins/obsidian-git/data.json", json.dumps({"autoSaveInterval": interval}))
    assert "vaultgit.people" not in {setting.key for setting in planned(plain).settings}


def test_a_vault_of_another_default_stays_the_default(plain: Folder) -> None:
    plain.git("config", "--global", "vaultgit.vault", "/another/vault")
    plan = planned(plain)
    assert all(setting.scope == "local" for setting in plan.settings)
    assert any("/another/vault" in words for words in plan.remarks)


def test_what_a_vault_holds_is_understood(folder: Folder) -> None:
    folder.write("people/dad.md", "no type\n")
    folder.write("templates/person.md", "---\ntype: person\ncreated: {{date}}\n---\n")
    folder.write(".obsidian/templates.json", '{"folder": "templates"}')
    folder.write(".trash/old.md", "x")
    folder.write("other/.git/HEAD", "x")
    folder.write("other/note.md", "another repository's")
    found = understand.understand(str(folder.root), Rules(Disk(str(folder.root))))
    assert found.notes == 6
    assert found.managed == {"person": 1, "project": 1, "skill": 1}
    assert found.alone_notes == 3 and set(found.alone) == {"Home.md", "people/dad.md: no type", "templates/"}


# -- where a vault stands --------------------------------------------------------------------------


def test_a_bare_repository_is_refused(tmp_path: Path, plain: Folder) -> None:
    plain.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    with pytest.raises(UsageError, match="bare"):
        understand.place(str(tmp_path / "bare.git"))


def test_no_repository_means_that_one_is_made(folder: Folder) -> None:
    assert understand.place(str(folder.root)).repo is None
    repo = understand.make_repository(str(folder.root))
    assert folder.git("symbolic-ref", "HEAD") == "refs/heads/main"
    repo.close()


def test_a_new_repository_gets_the_branch_that_git_is_told_to_use(folder: Folder) -> None:
    folder.root.mkdir(exist_ok=True)
    Folder(folder.root.parent).git("config", "--global", "init.defaultBranch", "trunk")
    understand.make_repository(str(folder.root)).close()
    assert folder.git("symbolic-ref", "HEAD") == "refs/heads/trunk"


@pytest.mark.parametrize("choose", [lambda root: understand.place(root), lambda root: understand.place(root, None)])
def test_inside_a_larger_repository_a_person_chooses(plain: Folder, choose: Callable[[str], understand.Place]) -> None:
    inside = str(plain.root / "people")
    with pytest.raises(UsageError) as caught:
        choose(inside)
    assert str(plain.root) in caught.value.message
    assert "own" in caught.value.hint and "outer" in caught.value.hint
    own = understand.place(inside, "own")
    assert own.repo is None and own.tracked_outside == ["people/ada-lovelace.md"]
    outer = understand.place(inside, "outer")
    assert outer.repo is not None and outer.repo.worktree == str(plain.root)


def test_many_notes_are_judged_by_the_folders_that_will_be_mapped(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lying, "MANY", 2)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    folder.write("Contacts/bad.md", "---\ntype: person\naliases: 7\n---\n")
    (folder.root / "people/ada-lovelace.md").unlink()
    (folder.root / "people").rmdir()
    root = str(folder.root)
    rules = understand.rules_to_be(root, understand.homes(root, None))
    assert rules.folder("person") == "Contacts"
    assert set(baseline.take(root, rules, None, "", lambda _: None)) == {"Contacts/bad.md"}
