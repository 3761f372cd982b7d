"""`vaultgit init` where files and folders are odd: circles of links, thousands of levels, names with line ends."""

from __future__ import annotations

import os
import subprocess

import pytest
from deep import make_deep
from support import Folder


@pytest.mark.parametrize("begun", [True, False])
def test_a_circle_of_links_and_folders_1500_deep_stop_no_command(folder: Folder, begun: bool) -> None:
    """They ended in a message about a bug of ours."""
    folder.write("people/Dad.md", "# Dad\n")
    folder.write("skills/knit/SKILL.md", "---\nname: knit\ndescription: somebody wants socks\n---\n1. cast on\n")
    if begun:
        folder.git("init", "-q")
        folder.commit("mine")
    (folder.root / "people/circle.md").symlink_to("circle.md")
    (folder.root / "l.png").symlink_to("l.png")
    make_deep(folder.root / "skills/knit/deep")
    try:
        for words in (
            ["init", "--dry-run"], ["init"], ["init", "--adopt"], ["check", "--all"], ["doctor"], ["links", "--unresolved"],
            ["status"], ["search", "socks"], ["skill", "import", "skills", "--dry-run"], ["move", "skills/knit", "skills/sew", "--dry-run"],
        ):  # fmt: skip
            done = folder.run(*words)
            assert done.code in (0, 1) and "a bug of ours" not in done.err, (words, done.err)
        assert "adopt/2026-11-29" in folder.git("branch", "--list", "adopt/*")
        assert os.path.islink(folder.root / "l.png")
    finally:
        subprocess.run(["rm", "-rf", str(folder.root / "skills/knit/deep")], check=True)


def test_obsidians_folder_may_be_a_link_to_one_that_vaults_share(folder: Folder) -> None:
    """A repository was made, and then git refused to look behind the link."""
    shared = (folder.root / ".obsidian").rename(folder.root.parent / "shared")
    (shared / "workspace.json").write_text("{}")
    here, notes = sorted(os.listdir(shared)), sum(not path.startswith(".") for path in folder.snapshot())
    (folder.root / ".obsidian").symlink_to(shared)
    would = folder.run("init", "--dry-run")
    assert would.code == 0 and "an Obsidian vault" in would.out and f"your {notes + 1} files" in would.out, would
    done = folder.run("init")
    assert done.code == 0 and f"your {notes + 1} files" in done.out, done
    assert folder.git("ls-tree", "HEAD", ".obsidian").startswith("120000 blob ")
    assert folder.git("status", "--porcelain") == "" and sorted(os.listdir(shared)) == here
    assert folder.run("append", "Home.md", "--agent", "codex", stdin=b"more\n").code == 0
    assert folder.run("init", "--remove", "--yes").code == 0 and sorted(os.listdir(shared)) == [
        "app.json",
        "workspace.json",
    ]


HOSTILE = "people/a\x1b[31m\n✓ forged\n\nEdit: 0123456789abcdef\nUndoes: 0123456789abcdee\nAgent: human.md"


@pytest.fixture
def hostile(folder: Folder) -> Folder:
    for name in (HOSTILE, "people/b\u202emd.md", "people/\udcff.md", "people/Dad.md"):
        with open(os.path.join(os.fsencode(folder.root), os.fsencode(name)), "wb") as stream:
            stream.write(b"# x\n")
    return folder


def test_adopt_leaves_out_names_that_no_message_can_hold_and_the_rest_can_be_taken(hostile: Folder) -> None:
    """One such name had all of the branch refused."""
    done = hostile.run("init", "--adopt")
    assert done.code == 0, done
    branch = "adopt/2026-11-29"
    said = hostile.git("log", "-1", "--format=%B", branch)
    assert "people/Dad.md" in said and not {"\x1b", "\u202e", "\udcff"} & set(said) and "Undoes" not in said
    left = [line for line in done.out.splitlines() if line.startswith("! left: people/")]
    assert len(left) == 3 and r"a\x1b[31m\n✓ forged\n\nEdit: 0123456789abcdef" in done.out and r"\u202e" in done.out
    assert hostile.run("review", "accept", branch).code == 0
    assert "type: person" in hostile.read("people/Dad.md")
    with open(os.path.join(os.fsencode(hostile.root), os.fsencode(HOSTILE)), "rb") as stream:
        assert stream.read() == b"# x\n"


def test_no_name_has_a_line_of_its_own_in_what_init_and_review_say(hostile: Folder) -> None:
    (hostile.root / "✓ forged\n✓ forged").mkdir()
    (hostile.root / "✓ forged\n✓ forged/x.md").touch()
    os.makedirs(hostile.root / "in\n✓ forged/.git")
    for words in (["init", "--dry-run"], ["init", "--adopt"]):
        done = hostile.run(*words)
        assert done.code == 0 and r"\n✓ forged" in done.out
        assert not any(line.startswith("✓ forged") for line in done.out.splitlines()), done.out
    hostile.git("switch", "-q", "-c", "adopt/by-hand")
    with open(os.path.join(os.fsencode(hostile.root), os.fsencode(HOSTILE)), "wb") as stream:
        stream.write(b"# y\n")
    hostile.commit("people: y\n\nAgent: codex\nEdit: 1m8mqd58fc5r54j7\n")
    hostile.git("switch", "-q", "main")
    done = hostile.run("review", "show", "adopt/by-hand")
    assert done.code == 0 and r"+++ b/people/a\x1b[31m\n✓ forged\n" in done.out, done
    assert not any(line.startswith("✓ forged") for line in done.out.splitlines())
