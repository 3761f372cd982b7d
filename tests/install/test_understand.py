"""What lies in a vault and around it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import Folder

from vaultgit.install import count
from vaultgit.install import understand
from vaultgit.install.understand import Understanding
from vaultgit.install.walk import vaults_below
from vaultgit.install.walk import walk
from vaultgit.vault import Disk
from vaultgit.vault import Rules


def found(folder: Folder) -> Understanding:
    root = str(folder.root)
    return understand.understand(root, Rules(Disk(root)))


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("Dropbox/Notes", "Dropbox"),
        ("Dropbox (Personal)/Notes", "Dropbox"),
        ("OneDrive - Contoso/Notes", "OneDrive"),
        ("OneDrive-Personal/Notes", "OneDrive"),
        ("Google Drive/My Drive/Notes", "Google Drive"),
        ("GoogleDrive-a@example.com/Notes", "Google Drive"),
        ("Library/Mobile Documents/iCloud~md~obsidian/Documents/Notes", "iCloud"),
        ("iCloudDrive/Notes", "iCloud"),
        ("iCloud Drive/Notes", "iCloud"),
        ("Dropboxes/Notes", None),
        ("My Dropbox notes", None),
        ("notes/About OneDrive.md", None),
    ],
)
def test_a_sync_services_folder(tmp_path: Path, path: str, service: str | None) -> None:
    assert understand.sync_service(str(tmp_path / path)) == service


@pytest.mark.parametrize(
    ("ignored", "shared"),
    [(None, True), ("", True), (".git\n", False), ("/vault/.git\r\n", False), ("(?d).git/\n", False), ("**/.git", False),
     ("!.git\n", True), ("// .git\n", True), (".github\n", True)],
)  # fmt: skip
def test_syncthing_shares_git_unless_told_not_to(tmp_path: Path, ignored: str | None, shared: bool) -> None:
    top = Folder(tmp_path / "shared")
    top.write(".stfolder/x", "")
    if ignored is not None:
        top.write(".stignore", ignored)
    (top.root / "vault").mkdir()
    assert understand.syncthing(str(top.root / "vault")) == (str(top.root) if shared else "")
    assert understand.syncthing(str(tmp_path)) == ""


def test_the_walk_finds_what_obsidian_shows(folder: Folder) -> None:
    folder.write("a/b/.obsidian/app.json", "{}")
    folder.write("a/b/note.MD", "x")
    folder.write("a/pic.png", "x")
    folder.write("code/.git", "gitdir: elsewhere\n")
    folder.write("code/deep/.obsidian/app.json", "{}")
    folder.write(".trash/gone.md", "x")
    (folder.root / "linked").symlink_to(folder.root / "people")
    (folder.root / "linked.md").symlink_to("Home.md")
    (folder.root / "nowhere.md").symlink_to("gone.md")
    os.mkfifo(folder.root / "pipe.md")
    walked = walk(str(folder.root))
    assert walked.notes == [
        "Home.md", "a/b/note.MD", "linked.md", "people/ada-lovelace.md", "projects/nova.md", "skills/review-a-pr.md",
    ]  # fmt: skip
    assert "a/pic.png" in walked.files
    assert walked.vaults == ["a/b"] and walked.repositories == ["code"]
    assert walk(str(folder.root / "not there")).files == []


def test_vaults_below_are_found_two_folders_deep(tmp_path: Path) -> None:
    for path in ("b/.obsidian", "b/inner/.obsidian", "a/c/.obsidian", "x/y/z/.obsidian", ".hidden/.obsidian"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / "set up").mkdir()
    (tmp_path / "set up/.vaultgit.toml").write_text("")
    assert vaults_below(str(tmp_path)) == ["a/c", "b", "set up"]


def test_each_note_is_read_once(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = Disk.read

    def counting(self: Disk, path: str) -> bytes | None:
        read.append(path)
        return real(self, path)

    rules = Rules(Disk(str(folder.root)))
    monkeypatch.setattr(Disk, "read", counting)
    ticks: list[int] = []
    counted = understand.understand(str(folder.root), rules, tick=ticks.append)
    notes = [path for path in read if path.endswith(".md") and path not in ("changelog.md", "review.md")]
    assert sorted(notes) == sorted(set(notes)) and len(notes) == counted.notes == sum(ticks) == 4


def test_links_are_counted_as_long_as_there_are_not_too_many_notes(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write(
        "links.md", "[[a]] ![[b|c]] [x](y.md) ![](<not read>) [web](https://example.com) [here](#there) [[\n]]\n"
    )
    assert found(folder).links == 4  # three, and the one of Home.md
    monkeypatch.setattr(count, "_MOST_TO_READ", 10)
    assert found(folder).links is None
    assert found(folder).managed == {"person": 1, "project": 1, "skill": 1}


def test_notes_that_are_left_alone_are_told_by_folder(folder: Folder) -> None:
    for number in range(3):
        folder.write(f"journal/{number}.md", "x")
        folder.write(f"people/{number}.md", "---\ntype: friend\n---\n")
    folder.write("projects/idea.md", "x")
    left = found(folder)
    assert left.alone == ["journal/", "people/: no type of ours", "Home.md", "projects/idea.md: no type"]
    assert left.alone_notes == 8


def test_a_note_that_cannot_be_read_breaks_nothing(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Disk.read

    def refusing(self: Disk, path: str) -> bytes | None:
        if path.startswith("people/"):
            raise PermissionError(13, "no", path)
        return real(self, path)

    monkeypatch.setattr(Disk, "read", refusing)
    assert found(folder).managed == {"project": 1, "skill": 1}
