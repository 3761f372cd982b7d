"""Another line of history comes in: promises P1 to P4 over two clones, by git alone on the other side."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from faulty import killing
from faulty import run_faulty
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from support import PERSON
from support import SKILL
from support import Folder
from support import examples
from support import run_cli

from vaultgit.clock import SystemClock
from vaultgit.edits import byhand
from vaultgit.edits import steps
from vaultgit.edits.integrate import Brought
from vaultgit.edits.integrate import ByHand
from vaultgit.edits.integrate import Waiting
from vaultgit.edits.integrate import integrate
from vaultgit.vault import open_vault

ADA = "people/ada-lovelace.md"
MARKERS = ("<<<<<<<", ">>>>>>>", "|||||||")


class Two(NamedTuple):
    """A vault and a clone of it, each with the other as a remote."""

    here: Folder
    there: Folder

    def bring(self, *, dry_run: bool = False) -> Brought:
        """Brings there's branch in here."""
        self.here.git("fetch", "-q", "there")
        opened = open_vault(str(self.here.root))
        with opened.repo:
            other = opened.repo.resolve("refs/remotes/there/main")
            assert other
            return integrate(opened, SystemClock(), other, "there/main", dry_run=dry_run)

    def follow(self) -> None:
        """There takes what here has."""
        self.there.git("pull", "-q", "--ff-only", "here", "main")


@pytest.fixture
def two(vault: Folder, tmp_path: Path) -> Two:
    there = Folder(tmp_path / "there")
    vault.git("clone", "-q", str(vault.root), str(there.root))
    there.git("remote", "rename", "origin", "here")
    assert run_cli("init", "--yes", cwd=there.root).code == 0
    vault.git("remote", "add", "there", str(there.root))
    return Two(vault, there)


def change(folder: Folder, path: str, old: str, new: str, *, agent: str = "", message: str = "by hand") -> None:
    """Replaces text in a note and commits it: a person with git, or an agent with our command line."""
    text = folder.read(path).replace(old, new)
    assert text != folder.read(path)
    if agent:
        base = folder.git("rev-parse", f"HEAD:{path}")
        done = folder.run(
            "write", path, "--base", base, "--agent", agent, "-m", f"{path}: {new.split()[-1]}", stdin=text.encode()
        )
        assert done.code == 0, done
    else:
        folder.write(path, text)
        folder.commit(message, path)


def proposals(folder: Folder) -> list[str]:
    """The inbox notes' texts, as committed."""
    names = folder.git("ls-tree", "-r", "--name-only", "HEAD", "inbox").splitlines()
    return [folder.git("show", f"HEAD:{name}") for name in names]


def sound(folder: Folder) -> None:
    """changelog.md agrees, nothing is left behind, no marker stands anywhere."""
    assert folder.run("verify").code == 0, folder.run("verify")
    for path, data in folder.snapshot().items():
        assert not any(mark in data.decode("utf-8", "replace") for mark in MARKERS), path
    assert not folder.exists(".git/index.lock")
    assert list((folder.root / ".git/vaultgit/state").glob("plans/*")) == []
    assert folder.git("for-each-ref", "refs/vaultgit/landing") == ""


# -- who stands --------------------------------------------------------------------------------------------------


def test_p4_a_persons_paragraph_stands_and_the_agents_is_in_the_inbox(two: Two) -> None:
    change(two.there, ADA, "Born 1815.", "Born 1815, in London.", agent="codex")
    change(two.here, ADA, "Born 1815.", "Born 1815, on a Sunday.")
    brought = two.bring()
    assert brought.outcome == "merged"
    assert two.here.read(ADA) == PERSON.replace("Born 1815.", "Born 1815, on a Sunday.")
    [note] = proposals(two.here)
    assert "Born 1815, in London." in note
    assert "agent: codex" in note
    assert brought.inbox[0][1] == ADA
    assert two.here.git("status", "--porcelain") == ""
    sound(two.here)
    two.follow()
    sound(two.there)
    assert two.there.snapshot() == two.here.snapshot()


def test_p4_the_persons_paragraph_stands_where_it_comes_from_elsewhere(two: Two) -> None:
    change(two.here, ADA, "Born 1815.", "Born 1815, in London.", agent="codex")
    change(two.there, ADA, "Born 1815.", "Born 1815, on a Sunday.")
    two.bring()
    assert two.here.read(ADA) == PERSON.replace("Born 1815.", "Born 1815, on a Sunday.")
    [note] = proposals(two.here)
    assert "Born 1815, in London." in note
    assert "agent: codex" in note
    sound(two.here)


@pytest.mark.parametrize("first", ["here", "there"])
def test_p4_of_two_people_or_two_agents_the_earlier_stands(
    two: Two, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = (two.here, two.there) if first == "here" else (two.there, two.here)
    for folder, hour, place in ((order[0], 10, "London"), (order[1], 11, "Paris")):
        monkeypatch.setenv("VAULTGIT_NOW", f"2026-11-30T{hour}:00:00+01:00")
        change(folder, ADA, "Born 1815.", f"Born 1815, in {place}.", agent="codex")
    two.bring()
    assert "in London." in two.here.read(ADA)
    [note] = proposals(two.here)
    assert "in Paris." in note
    sound(two.here)


def test_p4_what_does_merge_of_the_same_note_stays_merged(two: Two) -> None:
    """Only the lines that clash are one side's."""
    for folder in two:
        folder.git("config", "user.name", "Me")
    body = PERSON + "".join(f"\nparagraph {n}\n" for n in range(9))
    two.here.write(ADA, body)
    two.here.commit("longer")
    two.follow()
    change(two.there, ADA, "paragraph 1", "paragraph one", agent="codex")
    change(two.there, ADA, "paragraph 5", "paragraph FIVE", agent="codex")
    change(two.here, ADA, "paragraph 5", "paragraph five")
    two.bring()
    assert two.here.read(ADA) == body.replace("paragraph 1", "paragraph one").replace("paragraph 5", "paragraph five")
    assert len(proposals(two.here)) == 1


def test_p4_a_property_that_both_changed_keeps_the_persons_value(two: Two) -> None:
    change(two.there, "projects/nova.md", "status: active", "status: paused", agent="codex")
    change(two.there, "projects/nova.md", "- started", "- started\n- paused", agent="codex")
    change(two.here, "projects/nova.md", "status: active", "status: done")
    two.bring()
    assert "status: done\n" in two.here.read("projects/nova.md")
    assert two.here.read("projects/nova.md").endswith("- started\n- paused\n")
    assert len(proposals(two.here)) == 1
    sound(two.here)


@pytest.mark.parametrize("deletes", ["here", "there"])
@pytest.mark.parametrize("by", ["", "codex"])
def test_p4_deleted_on_one_side_and_changed_on_the_other(two: Two, deletes: str, by: str) -> None:
    """A person's change stays against an agent's deletion, and a person's deletion against an agent's change."""
    goes, stays = (two.here, two.there) if deletes == "here" else (two.there, two.here)
    if by:
        assert goes.run("delete", ADA, "--agent", by).code == 0
        change(stays, ADA, "1815", "1816")
    else:
        goes.git("rm", "-q", ADA)
        goes.commit("gone")
        change(stays, ADA, "1815", "1816", agent="codex")
    two.bring()
    assert two.here.exists(ADA) == bool(by)
    [note] = proposals(two.here)
    assert ("action: delete" in note) == bool(by)
    assert by or "1816" in note
    sound(two.here)


@pytest.mark.parametrize("comes", [True, False])
def test_p4_an_inbox_note_of_the_same_edit_with_another_text_keeps_its_name(two: Two, comes: bool) -> None:
    """Of an edit that lost against somebody else before: the note that keeps that comes in, or was here."""
    change(two.there, ADA, "Born 1815.", "Born 1815, in London.", agent="codex")
    edit = two.there.git("log", "-1", "--format=%(trailers:key=Edit,valueonly)").strip()
    name = f"inbox/2026-11-29-ada-lovelace-{edit[-4:]}.md"
    head = f"---\ntype: inbox\ndate: 2026-11-29\nagent: codex\ntarget: '[[people/ada-lovelace]]'\nreason: x\nedit: {edit}\n---\n"
    other = f"{head}codex wanted: x\n\n````markdown\nanother text\n````\n"
    place = two.there if comes else two.here
    place.write(name, other)
    place.commit("kept by another merge")
    change(two.here, ADA, "Born 1815.", "Born 1815, on a Sunday.")
    brought = two.bring()
    assert [path for path, _ in brought.inbox] == [name.replace(".md", "-2.md")]
    assert two.here.read(name) == other
    assert "in London" in two.here.read(name.replace(".md", "-2.md"))
    assert two.here.git("status", "--porcelain") == ""
    sound(two.here)


# -- what merges -------------------------------------------------------------------------------------------------


def test_p1_edits_of_both_sides_have_their_lines(two: Two) -> None:
    for n, folder in enumerate(two):
        for k in range(3):
            assert folder.run("append", f"notes/{n}{k}.md", "--agent", "codex", stdin=b"- x\n").code == 0
        assert folder.run("append", "Home.md", "--agent", "codex", stdin=f"- from {n}\n".encode()).code == 0
    assert two.bring().outcome == "merged"
    assert two.here.run("verify").out.startswith("agrees: 8 edits")
    assert two.here.read("Home.md").count("- from") == 2
    two.follow()
    assert two.there.run("verify").code == 0
    assert two.there.run("append", "Home.md", "--agent", "codex", stdin=b"- on\n").code == 0
    assert two.bring().outcome == "forwarded"
    sound(two.here)


def test_p1_a_persons_own_text_in_the_changelog_is_kept_from_both(two: Two) -> None:
    for name, folder in zip("ab", two, strict=True):
        text = folder.read("changelog.md")
        folder.write("changelog.md", text.replace("# Changelog\n", f"# Changelog\n\nmine, {name}\n"))
        folder.commit("a word of mine")
        assert folder.run("append", f"{name}.md", "--agent", "codex", stdin=b"- x\n").code == 0
    two.here.write("changelog.md", two.here.read("changelog.md") + "\ntyped below\n")
    two.bring()
    text = two.here.git("show", "HEAD:changelog.md")
    assert "mine, a" in text
    assert "mine, b" in text
    assert two.here.read("changelog.md") == text + "\n\ntyped below\n"
    assert two.here.run("verify").code == 0


def test_a_renamed_note_takes_what_the_other_side_wrote_in_it(two: Two) -> None:
    two.there.git("mv", ADA, "people/countess.md")
    two.there.commit("a better name")
    change(two.here, ADA, "Born 1815.", "Born 1815, in London.", agent="codex")
    two.bring()
    assert not two.here.exists(ADA)
    assert "in London" in two.here.read("people/countess.md")
    assert not two.here.exists("inbox")
    sound(two.here)


def test_a_note_with_two_new_names_is_there_under_both(two: Two) -> None:
    two.there.git("mv", ADA, "people/countess.md")
    two.there.commit("a better name")
    two.here.git("mv", ADA, "people/ada.md")
    two.here.commit("a shorter name")
    two.bring()
    assert two.here.read("people/ada.md") == two.here.read("people/countess.md") == PERSON
    assert not two.here.exists(ADA)


def test_a_skill_that_both_changed_gets_the_version_after_both(two: Two) -> None:
    path = "skills/review-a-pr.md"
    two.here.write(path, SKILL + "2. think\n3. sleep\n4. answer\n")
    two.here.commit("longer")
    two.follow()
    for folder, old in ((two.here, "1. read it"), (two.there, "4. answer")):
        text = folder.read(path).replace("version: 1", "version: 2").replace("11-01", "11-20")
        folder.write(path, text.replace(old, old + " twice"))
        folder.commit("molted")
    two.bring()
    text = two.here.read(path)
    assert "version: 3\n" in text
    assert "last_updated: 2026-11-29" in text
    assert text.count("twice") == 2
    assert two.here.run("check", "--from", "HEAD^1", "--to", "HEAD").code == 0


def test_p4_two_that_together_break_a_schema_are_not_merged(two: Two) -> None:
    """Each side is fine: one adds aliases as a list below, one turns the property's line into something else."""
    two.here.write(ADA, "---\ntype: person\nname: Ada\naliases:\n  - A\n---\n\nx\n")
    two.here.commit("an alias")
    two.follow()
    change(two.there, ADA, "type: person\nname: Ada\n", "name: Ada\ntype: person\n")
    change(two.here, ADA, "name: Ada\n", "name: Ada Lovelace\n")
    two.bring()
    assert two.here.run("check", ADA).code == 0
    sound(two.here)


@pytest.mark.parametrize("path", ["daily/2026-11-29.md", "review.md"])
def test_p4_a_note_that_everybody_adds_to_holds_what_both_wrote(two: Two, path: str) -> None:
    """Made on two machines on the same day: one is not the other's conflict."""
    head = "---\ntype: daily\ndate: 2026-11-29\n---\n" if path.startswith("daily") else "# Review\n\n"
    for name, folder in zip(("tea", "bread"), two, strict=True):
        folder.write(path, f"{head}\n## Automatic capture, from {name}\n\n- fact: {name}\n")
        folder.commit(f"captured {name}")
    two.bring()
    text = two.here.read(path)
    assert text.startswith(head)
    assert text.count("---") == head.count("---")
    assert "## Automatic capture, from tea\n\n- fact: tea\n" in text
    assert "## Automatic capture, from bread\n\n- fact: bread\n" in text
    assert not two.here.exists("inbox")
    sound(two.here)


def test_an_image_that_both_changed_is_one_sides_and_the_other_is_named(two: Two) -> None:
    two.here.write("a.png", b"\x89PNG\0\0one")
    two.here.commit("a picture")
    two.follow()
    two.here.write("a.png", b"\x89PNG\0\0two")
    two.here.commit("mine")
    two.there.write("a.png", b"\x89PNG\0\0three")
    two.there.commit("theirs")
    two.bring()
    assert two.here.bytes("a.png") in (b"\x89PNG\0\0two", b"\x89PNG\0\0three")
    [note] = proposals(two.here)
    named = note.partition("git cat-file --filters ")[2].partition(")")[0]
    other = two.here.git("cat-file", "--filters", named)
    assert {two.here.bytes("a.png")[-4:], other[-4:].encode()} == {b"\0two", b"hree"}


def test_a_program_stays_one(two: Two) -> None:
    two.there.write("new.sh", "echo 1\n")
    two.there.write("Home.md", two.there.read("Home.md"))
    (two.there.root / "new.sh").chmod(0o755)
    (two.there.root / "Home.md").chmod(0o755)
    two.there.commit("programs")
    two.bring()
    assert os.access(two.here.root / "new.sh", os.X_OK)
    assert os.access(two.here.root / "Home.md", os.X_OK)
    assert two.here.git("status", "--porcelain") == ""


def test_line_endings_stay_what_they_are_on_this_machine(two: Two) -> None:
    two.here.git("config", "core.autocrlf", "true")
    two.here.write("Home.md", two.here.read("Home.md").replace("\n", "\r\n"))
    two.here.git("add", "Home.md")
    change(two.there, "Home.md", "# Home", "# Home of all")
    two.bring()
    assert two.here.bytes("Home.md").startswith(b"# Home of all\r\n")
    assert two.here.git("status", "--porcelain") == ""


def test_a_folder_that_was_renamed_leaves_no_empty_one_behind(two: Two) -> None:
    two.there.write("ideas/deep/one.md", "one\n")
    two.there.write("ideas/deep/two.md", "two\n")
    two.there.commit("ideas")
    two.bring()
    two.here.write("ideas/mine.md", "mine\n")
    two.there.git("mv", "ideas", "thoughts")
    two.there.commit("renamed")
    two.bring()
    assert two.here.read("thoughts/deep/two.md") == "two\n"
    assert not two.here.exists("ideas/deep") and two.here.read("ideas/mine.md") == "mine\n"


def test_many_files_at_once(two: Two) -> None:
    for n in range(1200):
        two.there.write(f"many/folder {n % 7}/note {n}.md", f"# {n}\n")
    two.there.commit("many")
    assert len(two.bring().paths) == 1200
    assert two.here.git("status", "--porcelain") == ""


def test_what_lies_beside_the_vault_in_its_repository_comes_too(tmp_path: Path) -> None:
    here, there = Folder(tmp_path / "here"), Folder(tmp_path / "there")
    here.write("code/x.py", "1\n")
    here.write("notes/.obsidian/app.json", "{}\n")
    here.write("notes/Home.md", "# Home\n")
    here.git("init", "-q")
    here.commit("start")
    assert here.run("init", "notes", "--repository", "outer", "--yes").code == 0
    here.git("clone", "-q", str(here.root), str(there.root))
    here.git("remote", "add", "there", str(there.root))
    there.git("remote", "rename", "origin", "here")
    there.write("code/x.py", "2\n")
    there.commit("code")
    for folder in (here, there):
        done = run_cli(
            "append", "Home.md", "--agent", "codex", cwd=folder.root / "notes", stdin=folder.root.name.encode()
        )
        assert done.code == 0, done
    here.git("fetch", "-q", "there")
    opened = open_vault(str(here.root / "notes"))
    with opened.repo:
        brought = integrate(opened, SystemClock(), opened.repo.resolve("there/main") or "", "there/main")
    assert brought.outcome == "merged"
    assert here.read("code/x.py") == "2\n"
    assert run_cli("verify", cwd=here.root / "notes").out.startswith("agrees: 2 edits")
    assert here.git("status", "--porcelain") == ""


# -- what a person has -------------------------------------------------------------------------------------------


def test_p3_text_that_is_not_in_git_stays_and_what_comes_in_is_around_it(two: Two) -> None:
    two.here.write("projects/nova.md", two.here.read("projects/nova.md") + "- typed by me\n")
    two.here.write("Home.md", "# Staged home\n\n[[people/ada-lovelace]]\n")
    two.here.git("add", "Home.md")
    change(two.there, "projects/nova.md", "status: active", "status: paused", agent="codex")
    assert two.bring().outcome == "forwarded"
    assert two.here.read("projects/nova.md").endswith("- started\n- typed by me\n")
    assert "status: paused" in two.here.read("projects/nova.md")
    assert two.here.git("status", "--porcelain").splitlines() == ["M  Home.md", " M projects/nova.md"]
    assert "typed by me" not in two.here.git("show", "HEAD:projects/nova.md")


@pytest.mark.parametrize("by", ["", "codex"])
@pytest.mark.parametrize("staged", [False, True])
def test_p3_unsaved_text_stands_and_the_other_goes_whole_into_the_inbox(two: Two, by: str, staged: bool) -> None:
    two.here.write(ADA, PERSON.replace("1815", "1815 (typed)"))
    before = two.here.bytes(ADA)
    if staged:
        two.here.git("add", ADA)
    change(two.there, ADA, "Born 1815.", "Born in 1816.", agent=by)
    brought = two.bring()
    assert brought.outcome == "merged"
    assert two.here.bytes(ADA) == before
    assert two.here.git("show", f"HEAD:{ADA}") == PERSON.rstrip("\n")
    [note] = proposals(two.here)
    assert "Born in 1816." in note
    assert two.here.git("status", "--porcelain") == (f"M  {ADA}" if staged else f" M {ADA}")
    two.follow()
    sound(two.there)


def test_p3_a_file_that_git_has_never_seen_keeps_its_name(two: Two) -> None:
    two.here.write("new.md", "mine\n")
    two.there.write("new.md", "theirs\n")
    two.there.commit("a note of that name")
    two.bring()
    assert two.here.read("new.md") == "mine\n"
    assert [note for note in proposals(two.here) if "theirs" in note]
    assert "own: as it was" in two.here.git("log", "--format=%s")
    assert two.here.git("status", "--porcelain") == ""
    sound(two.here)


def test_p3_the_same_file_on_both_sides_is_one(two: Two) -> None:
    for folder in two:
        folder.write("new.md", "same\n")
    two.there.commit("a note of that name")
    assert two.bring().outcome == "forwarded"
    assert two.here.git("status", "--porcelain") == ""


def test_p3_a_file_kept_out_of_git_is_in_the_way(two: Two) -> None:
    two.here.write(".git/info/exclude", "private.md\n")
    two.here.write("private.md", "mine\n")
    two.there.write("private.md", "theirs\n")
    two.there.commit("a note of that name")
    head = two.here.git("rev-parse", "HEAD")
    with pytest.raises(ByHand, match=r"private\.md"):  # not "later", for ever
        two.bring()
    assert (two.here.read("private.md"), two.here.git("rev-parse", "HEAD")) == ("mine\n", head)


def test_p2_what_waits_lands_first(two: Two) -> None:
    two.here.write(".git/MERGE_HEAD", two.here.git("rev-parse", "HEAD") + "\n")
    assert two.here.run("append", "Home.md", "--agent", "codex", stdin=b"- waits\n").code == 75
    with pytest.raises(Waiting, match="merge"):
        change(two.there, ADA, "1815", "1816")
        two.bring()
    (two.here.root / ".git/MERGE_HEAD").unlink()
    assert two.bring().outcome == "merged"
    assert two.here.read("Home.md").endswith("- waits\n")
    sound(two.here)


def test_p5_another_branch_that_was_checked_out_meanwhile_gets_nothing(two: Two) -> None:
    change(two.there, ADA, "1815", "1816")
    two.here.git("fetch", "-q", "there")
    two.here.git("switch", "-q", "-c", "mine")
    opened = open_vault(str(two.here.root))
    with opened.repo, pytest.raises(Waiting, match="main is no longer checked out"):
        other = opened.repo.resolve("there/main") or ""
        integrate(opened, SystemClock(), other, "there/main", ref="refs/heads/main")
    assert two.here.git("rev-parse", "mine") == two.here.git("rev-parse", "main")


def test_a_dry_run_says_the_same_and_changes_nothing(two: Two) -> None:
    change(two.there, ADA, "Born 1815.", "Born 1815, in London.", agent="codex")
    change(two.here, ADA, "Born 1815.", "Born 1815, on a Sunday.")
    before = (two.here.snapshot(), two.here.git("rev-parse", "HEAD"))
    said = two.bring(dry_run=True)
    assert (two.here.snapshot(), two.here.git("rev-parse", "HEAD")) == before
    done = two.bring()
    assert (said.outcome, said.inbox) == (done.outcome, done.inbox)


# -- what is left to a person ------------------------------------------------------------------------------------


def _link(there: Folder) -> None:
    os.symlink("/etc/passwd", there.root / "link.md")
    there.commit("a link")


def _submodule(there: Folder) -> None:
    there.git("update-index", "--add", "--cacheinfo", f"160000,{there.git('rev-parse', 'HEAD')},sub")
    there.git("commit", "-qm", "a submodule", "--no-verify")


def _into_git(there: Folder) -> None:
    """A tree as git's own commands would not make it."""
    blob = there.git("hash-object", "-w", "--stdin", stdin=b"#!/bin/sh\ntouch /tmp/owned\n")
    hooks = there.git("mktree", stdin=f"100755 blob {blob}\tpre-commit\n".encode())
    inner = there.git("mktree", stdin=f"040000 tree {hooks}\thooks\n".encode())
    tree = there.git("mktree", stdin=there.git("ls-tree", "HEAD").encode() + f"\n040000 tree {inner}\t.GIT\n".encode())
    there.git("reset", "-q", "--soft", there.git("commit-tree", tree, "-p", "HEAD", "-m", "evil"))


def _emptied(there: Folder) -> None:
    there.git("rm", "-rq", ".")
    there.git("commit", "-qm", "all gone", "--no-verify")


def _folder(there: Folder) -> None:
    there.git("rm", "-q", "Home.md")
    there.write("Home.md/inside.md", "x\n")
    there.commit("a folder")


def _orphan(there: Folder) -> None:
    there.git("checkout", "-q", "--orphan", "other")
    there.commit("from nothing")
    there.git("branch", "-M", "main")


BY_HAND: dict[str, Callable[[Folder], None]] = {
    "a link": _link,
    "a submodule": _submodule,
    "a path into .git": _into_git,
    "most notes deleted": _emptied,
    "a folder where a note is": _folder,
    "another history": _orphan,
}


@pytest.mark.parametrize("what", BY_HAND)
@pytest.mark.parametrize("diverged", [False, True])
def test_p3_what_is_left_to_a_person_changes_nothing(two: Two, what: str, diverged: bool) -> None:
    for n in range(12):
        two.here.write(f"notes/{n}.md", "x\n")
    two.here.commit("more")
    two.follow()
    BY_HAND[what](two.there)
    if diverged:
        change(two.here, ADA, "1815", "1816")
    before = (two.here.snapshot(), two.here.git("rev-parse", "HEAD"), two.here.git("status", "--porcelain"))
    with pytest.raises(ByHand):
        two.bring()
    assert (two.here.snapshot(), two.here.git("rev-parse", "HEAD"), two.here.git("status", "--porcelain")) == before


def test_too_much_at_once_is_left_to_a_person(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byhand, "LARGEST", 1000)
    two.there.write("large.bin", b"\0" * 2000)
    two.there.commit("large")
    with pytest.raises(ByHand, match="MB"):
        two.bring()


# -- kills -------------------------------------------------------------------------------------------------------

_BRING = """
import sys
from vaultgit.clock import SystemClock
from vaultgit.edits.integrate import integrate
from vaultgit.vault import open_vault
def main(args):
    opened = open_vault('.')
    with opened.repo:
        integrate(opened, SystemClock(), opened.repo.resolve('refs/remotes/there/main'), 'there/main')
    return 0
from vaultgit.cli import main as cli
cli.main = main
"""


@pytest.mark.parametrize("step", [step for step in steps.NAMES if step != "queue-written"])
@pytest.mark.parametrize("diverged", [False, True])
def test_p2_p3_a_kill_at_every_step_is_made_good_by_the_next_run(two: Two, step: str, diverged: bool) -> None:
    change(two.there, ADA, "Born 1815.", "Born 1815, in London.", agent="codex")
    change(two.there, "projects/nova.md", "- started", "- started\n- more", agent="codex")
    if diverged:
        change(two.here, ADA, "Born 1815.", "Born 1815, on a Sunday.")
    two.here.write("projects/nova.md", "typed above\n" + two.here.read("projects/nova.md"))
    two.here.git("fetch", "-q", "there")
    killed = run_faulty(two.here, killing(step) + _BRING)
    assert killed.code in (-9, 0), killed
    if killed.code == 0:
        assert step in ("locked", "dequeued")  # no edit lands here
    assert two.here.run("status").code == 0
    two.bring()
    assert two.here.read("projects/nova.md").startswith("typed above\n")
    assert two.here.read("projects/nova.md").endswith("- started\n- more\n")
    assert two.here.git("status", "--porcelain") == " M projects/nova.md"
    assert "typed above" not in two.here.git("show", "HEAD:projects/nova.md")
    assert len(proposals(two.here)) == int(diverged)
    assert two.here.git("rev-list", "--count", "--merges", "HEAD") == str(int(diverged))
    sound(two.here)


# -- anything ----------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta"])
EDIT = st.tuples(st.sampled_from(["here", "there"]), st.integers(0, 5), WORDS, st.booleans())


@settings(max_examples=examples(15))
@given(edits=st.lists(EDIT, min_size=1, max_size=6))
def test_p1_p3_whatever_both_sides_do_nothing_is_lost_and_both_agree(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, int, str, bool]]
) -> None:
    """Lines of one note are replaced on both sides; each text that somebody committed is there, or in the inbox."""
    root = tmp_path_factory.mktemp("any")
    here, there = Folder(root / "here"), Folder(root / "there")
    here.write(".obsidian/app.json", "{}\n")
    here.write("n.md", "".join(f"line {n}\n\n" for n in range(6)))
    subprocess.run(["git", "init", "-q", str(here.root)], check=True)
    here.commit("start")
    here.git("clone", "-q", str(here.root), str(there.root))
    here.git("remote", "add", "there", str(there.root))
    there.git("remote", "rename", "origin", "here")
    last: dict[tuple[str, int], str] = {}
    for number, (side, line, word, by_agent) in enumerate(edits):
        folder = here if side == "here" else there
        lines = folder.read("n.md").split("\n")
        lines[line * 2] = last[side, line] = f"{word} {number}"
        folder.write("n.md", "\n".join(lines))
        trailer = ("--trailer", "Agent: codex", "--trailer", f"Edit: {number:016}") if by_agent else ()
        folder.git("commit", "-qam", f"edit {number}", "--no-verify", *trailer)
    Two(here, there).bring()
    Two(here, there).follow()
    kept = here.read("n.md") + "".join(proposals(here))
    for text in last.values():
        assert text in kept, (edits, kept)
    assert here.snapshot() == there.snapshot()
    assert here.git("status", "--porcelain") == there.git("status", "--porcelain") == ""
    assert here.run("verify", "--allow-behind").code == 0  # by plain git, where a fast-forward was enough
