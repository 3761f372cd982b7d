"""`init --adopt`: front matter for notes of a type, proposed as a branch, byte-preserving."""

from __future__ import annotations

import pytest
from support import Folder

OLD = {
    "people/Dad.md": "# Dad\r\n\r\nlikes trains",
    "people/Mum.md": "---\nborn: 1950\naliases: [Mama]   # hers\n---\n# Mum\n",
    "people/book.md": "---\ntype: book\n---\n",
    "people/broken.md": "---\na: [\n---\n",
    "projects/nova.md": "---\nstatus: active\n---\n",
    "projects/atlas.md": "# Atlas\n",
    "decisions/2026-01-02 rust.md": '---\nproject: "[[nova]]"\n---\nRust.\n',
    "daily/2026-03-04.md": "walked\n",
    "daily/notes.md": "no day\n",
    "sessions/x.md": "an agent's\n",
    "concepts/x.md": "what\n",
    "skills/knit.md": "---\ndescription: somebody wants socks\n---\n1. cast on\n",
    "Home.md": "# Home\n",
}


@pytest.fixture
def old(tmp_path) -> Folder:  # type: ignore[no-untyped-def]
    made = Folder(tmp_path / "old")
    for path, text in OLD.items():
        made.write(path, text)
    made.git("init", "-q")
    made.git("config", "core.autocrlf", "false")
    made.commit("old")
    return made


def test_p12_nothing_changes_but_a_branch(old: Folder) -> None:
    before = {path: old.bytes(path) for path in OLD}
    dry = old.run("init", "--adopt", "--dry-run")
    assert dry.code == 0 and "Would propose front matter for 6 notes" in dry.out, dry
    assert old.git("branch", "--list", "adopt/*") == ""
    done = old.run("init", "--adopt")
    assert done.code == 0, done
    assert {path: old.bytes(path) for path in OLD} == before
    assert old.git("status", "--porcelain") == ""
    assert "adopt/2026-11-29" in done.out and "left: projects/atlas.md" in done.out


def test_p5_each_note_gets_what_can_be_told_and_nothing_else(old: Folder) -> None:
    assert old.run("init", "--adopt").code == 0
    branch = "adopt/2026-11-29"

    def new(path: str) -> str:
        return old.try_git("show", f"{branch}:{path}").out

    assert new("people/Dad.md") == "---\r\ntype: person\r\n---\r\n" + OLD["people/Dad.md"]
    assert new("people/Mum.md") == OLD["people/Mum.md"].replace("hers\n", "hers\ntype: person\n")
    assert new("projects/nova.md") == "---\nstatus: active\ntype: project\nname: nova\n---\n"
    assert new("decisions/2026-01-02 rust.md").startswith(
        '---\nproject: "[[nova]]"\ntype: decision\ndate: 2026-01-02\n'
    )
    assert new("daily/2026-03-04.md") == "---\ntype: daily\ndate: 2026-03-04\n---\nwalked\n"
    assert "version: 1\ntrigger: somebody wants socks\n" in new("skills/knit.md")
    changed = set(old.git("diff", "-z", "--name-only", f"main...{branch}").strip("\0").split("\0"))
    assert changed == {
        "people/Dad.md", "people/Mum.md", "projects/nova.md", "decisions/2026-01-02 rust.md", "daily/2026-03-04.md",
        "skills/knit.md",
    }  # fmt: skip
    subjects = old.git("log", "--format=%an: %s", f"main..{branch}").splitlines()
    assert "vaultgit: people: front matter for 2 notes of type person" in subjects and len(subjects) == 5


def test_merged_it_is_clean_and_reverted_it_is_gone(old: Folder) -> None:
    assert old.run("init", "--adopt").code == 0
    assert old.run("check", "--from", "main", "--to", "adopt/2026-11-29").code == 0
    old.git("merge", "-q", "--no-ff", "-m", "adopt", "adopt/2026-11-29")
    assert old.run("check", "--all").code == 0
    assert old.run("append", "people/Dad.md", "--agent", "codex", stdin=b"more\n").code == 0
    assert old.run("verify").out.startswith("agrees: 6")
    old.git("revert", "--no-edit", "-m", "1", "HEAD~1")
    assert "type: person" not in old.read("people/Dad.md")


def test_p12_again_makes_no_second_branch(old: Folder) -> None:
    assert old.run("init", "--adopt").code == 0
    assert old.run("init", "--adopt").code == 0
    assert old.git("branch", "--list", "adopt/*").split() == ["adopt/2026-11-29"]
    old.write("people/Aunt.md", "# Aunt\n")
    old.commit()
    assert "adopt/2026-11-29-2" in old.run("init", "--adopt").out
